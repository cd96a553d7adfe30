// Names of OpenSSL 1.1 that the runtime looks up and OpenSSL 3 has no more. Roslyn only hashes, so that most of them are
// never called.

int EVP_MD_get_size(const void *digest);
int EVP_MD_size(const void *digest) { return EVP_MD_get_size(digest); }
void ERR_put_error(int library, int function, int reason, const char *file, int line) {}
void *SSL_get_peer_certificate(const void *connection) { return 0; }
