//! HTTP transport.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use derive_setters::Setters;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{Error, Server};

/// Path of the endpoint.
const PATH: &str = "/mcp";

/// Timeout for the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of concurrent sessions. Each takes memory even when idle.
const MAX_SESSIONS: usize = 256;

/// Maximum number of concurrent connections; further ones wait. A client has several: one per call in progress.
const MAX_CONNECTIONS: usize = 512;

/// Maximum size of a request body in bytes.
const MAX_BODY: usize = 16 << 20;

/// Address of a server, and the token that it requires.
#[derive(Clone, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct HttpServerOptions {
    /// Address and port; port 0 selects a free one.
    pub address: SocketAddr,
    /// Token that clients send as `Authorization: Bearer ...`, without surrounding whitespace. Required for any address
    /// that other machines can reach.
    #[setters(into)]
    pub token: Option<String>,
}

impl HttpServerOptions {
    /// Creates options for a server without a token.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, token: None }
    }
}

/// Required token, as a hash, so that the comparison takes constant time.
struct Token(blake3::Hash);

impl Token {
    fn admits<B>(&self, request: &Request<B>) -> bool {
        let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = sent.and_then(|sent| sent.split_once(' ')).unwrap_or_default();
        // Hashes are compared in constant time.
        scheme.eq_ignore_ascii_case("bearer") && blake3::hash(token.trim().as_bytes()) == self.0
    }
}

/// Server that listens but does not answer yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
    server: Server,
}

type Body = BoxBody<Bytes, Infallible>;
type Mcp = StreamableHttpService<Server, LocalSessionManager>;

impl Server {
    /// Listens for clients at `http://ADDRESS/mcp`. Only the server's own roots apply; roots of clients are ignored.
    ///
    /// Requests from web pages of other sites are refused by their `Origin`. On a loopback address, requests with
    /// another `Host` are refused, too, because DNS rebinding can point any name to 127.0.0.1.
    ///
    /// ```
    /// use sscg_mcp::{HttpServerOptions, Server, ServerOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new(ServerOptions::default())?;
    /// let http = server.listen(HttpServerOptions::new(([127, 0, 0, 1], 0).into())).await?;
    /// assert_ne!(http.address().port(), 0);
    ///
    /// let everywhere = HttpServerOptions::new(([0, 0, 0, 0], 0).into());
    /// assert!(server.listen(everywhere).await.is_err(), "a token is required");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the token is blank, the address can be reached from other machines and there is no token, or it cannot
    /// be listened on.
    pub async fn listen(&self, options: HttpServerOptions) -> Result<HttpServer, Error> {
        let HttpServerOptions { address, token } = options;
        let token = token.as_deref().map(str::trim);
        if token == Some("") {
            return Err(Error::BlankToken);
        }
        if !address.ip().is_loopback() && token.is_none() {
            return Err(Error::TokenRequired { address });
        }
        let fail = |source| Error::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let token = token.map(|token| Token(blake3::hash(token.as_bytes())));
        Ok(HttpServer { listener, address, token, server: self.with_own_roots() })
    }
}

impl HttpServer {
    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL that clients connect to.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients until `until` is ready.
    pub async fn serve(self, until: impl Future<Output = ()>) {
        let Self { listener, address, token, server } = self;
        let stop = CancellationToken::new();
        // The loopback network has more addresses than 127.0.0.1.
        let own = SocketAddr::new(address.ip(), 0).to_string();
        let own = own.trim_end_matches(":0");
        let names = ["localhost", "127.0.0.1", "[::1]", own];
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(names)
            .with_allowed_origins(names.map(|name| format!("http://{name}:*")))
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(stop.clone());
        if !address.ip().is_loopback() {
            // The names of this machine in the network are unknown. The token keeps others out.
            config = config.disable_allowed_hosts();
        }
        let sessions = Arc::new(LocalSessionManager::default());
        let mcp = StreamableHttpService::new(move || Ok(server.for_client()), Arc::clone(&sessions), config);
        let door = Arc::new(Door { mcp, sessions, token });
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let accept = async || {
            let permit = Arc::clone(&permits).acquire_owned().await.expect("it is never closed");
            listener.accept().await.map(|(stream, _)| (stream, permit))
        };
        let mut connections = JoinSet::new();
        tokio::pin!(until);
        loop {
            let (stream, permit) = tokio::select! {
                () = &mut until => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(_) => {
                        // Most likely out of file descriptors. Some will be closed.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                },
            };
            let door = Arc::clone(&door);
            let service = service_fn(move |request| {
                let door = Arc::clone(&door);
                async move { Ok::<_, Infallible>(door.answer(request).await.unwrap_or_else(|refused| *refused)) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
            // Errors of a connection concern only its client.
            connections.spawn(async move {
                _ = http.serve_connection(TokioIo::new(stream), service).await;
                drop(permit);
            });
        }
        stop.cancel();
        connections.shutdown().await;
    }
}

/// Handler of all requests.
struct Door {
    mcp: Mcp,
    sessions: Arc<LocalSessionManager>,
    token: Option<Token>,
}

/// Boxed because a response is much larger than the success values.
type Refusal = Box<Response<Body>>;

impl Door {
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
        if request.uri().path() != PATH {
            return Err(refusal(StatusCode::NOT_FOUND, "requests go to /mcp\n"));
        }
        if self.token.as_ref().is_some_and(|token| !token.admits(&request)) {
            let mut refusal =
                refusal(StatusCode::UNAUTHORIZED, "send the server's token: Authorization: Bearer TOKEN\n");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return Err(refusal);
        }
        let (parts, body) = request.into_parts();
        let body = read(body).await?;
        if opens_session(&parts.headers, &body) && self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            let mut refusal = refusal(StatusCode::SERVICE_UNAVAILABLE, "too many clients; try again later\n");
            refusal.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
            return Err(refusal);
        }
        Ok(self.mcp.handle(Request::from_parts(parts, Full::new(body))).await)
    }
}

/// Reads the whole body of a request.
async fn read(mut body: Incoming) -> Result<Bytes, Refusal> {
    let read = async {
        match Limited::new(&mut body, MAX_BODY).collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => {
                // A client that is still writing does not read the answer.
                while let Some(Ok(_)) = body.frame().await {}
                Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n"))
            }
            Err(_) => Err(refusal(StatusCode::BAD_REQUEST, "the request broke off\n")),
        }
    };
    let too_slow = || refusal(StatusCode::REQUEST_TIMEOUT, "the request took too long to come\n");
    tokio::time::timeout(BODY_TIMEOUT, read).await.unwrap_or_else(|_| Err(too_slow()))
}

/// True if a request opens a session, which only a handshake does.
fn opens_session(headers: &HeaderMap, body: &[u8]) -> bool {
    !headers.contains_key("mcp-session-id")
        && serde_json::from_slice(body).is_ok_and(|message: Value| message["method"] == "initialize")
}

fn refusal(status: StatusCode, text: &'static str) -> Refusal {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Box::new(response)
}
