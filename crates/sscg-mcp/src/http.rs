//! Over HTTP.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{Error, Server};

/// Where requests go.
const PATH: &str = "/mcp";

/// A client that has not sent its headers after so long is not waited for.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest body of a request, in bytes.
const MAX_BODY: usize = 16 << 20;

/// Where a server listens, and for whom.
#[derive(Clone)]
pub struct HttpOptions {
    /// The address and port; port 0 takes a free one.
    pub address: SocketAddr,
    /// What clients have to send as `Authorization: Bearer ...`. Needed for any address that other machines can reach.
    pub token: Option<String>,
}

/// What a client has to send, as its hash: comparing hashes takes as long whatever is sent.
struct Token(blake3::Hash);

impl Token {
    fn admits<B>(&self, request: &Request<B>) -> bool {
        let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let (scheme, token) = sent.and_then(|sent| sent.split_once(' ')).unwrap_or_default();
        // Hashes are compared in constant time.
        scheme.eq_ignore_ascii_case("bearer") && blake3::hash(token.trim().as_bytes()) == self.0
    }
}

/// A server that listens, and does not answer yet.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
    server: Server,
}

type Body = BoxBody<Bytes, Infallible>;
type Mcp = StreamableHttpService<Server, LocalSessionManager>;

impl Server {
    /// Listens for clients at `http://ADDRESS/mcp`. Only the server's own roots count, whatever clients name.
    ///
    /// Requests that a web page of another site makes are refused by their `Origin`, and on an address of this machine those
    /// that name another `Host`, too: a browser may be told that a name means 127.0.0.1.
    ///
    /// # Errors
    /// If the address can be reached from other machines and there is no token, or it cannot be listened on.
    pub async fn listen(&self, options: HttpOptions) -> Result<HttpServer, Error> {
        let HttpOptions { address, token } = options;
        let token = token.filter(|token| !token.is_empty());
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
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients connect to.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients until `until` is ready.
    pub async fn serve(self, until: impl Future<Output = ()>) {
        let Self { listener, address, token, server } = self;
        let stop = CancellationToken::new();
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_BODY)
            .with_cancellation_token(stop.clone());
        if !address.ip().is_loopback() {
            // What this machine is called elsewhere is not known here. The token keeps others out.
            config = config.disable_allowed_hosts();
        }
        let mcp = StreamableHttpService::new(
            move || Ok(server.for_client()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let token = token.map(Arc::new);
        let mut connections = JoinSet::new();
        tokio::pin!(until);
        loop {
            let stream = tokio::select! {
                () = &mut until => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => {
                        // Out of file descriptors, most likely. Some will be closed.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                },
            };
            let (mcp, token) = (mcp.clone(), token.clone());
            let service = service_fn(move |request| answer(mcp.clone(), token.clone(), request));
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
            // What is wrong with a connection is the client's matter.
            connections.spawn(async move { _ = http.serve_connection(TokioIo::new(stream), service).await });
        }
        stop.cancel();
        connections.shutdown().await;
    }
}

async fn answer(
    mcp: Mcp,
    token: Option<Arc<Token>>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    if request.uri().path() != PATH {
        return Ok(refusal(StatusCode::NOT_FOUND, "requests go to /mcp\n"));
    }
    if token.is_some_and(|token| !token.admits(&request)) {
        let mut response =
            refusal(StatusCode::UNAUTHORIZED, "send the server's token: Authorization: Bearer TOKEN\n");
        response.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
        return Ok(response);
    }
    Ok(mcp.handle(request).await)
}

fn refusal(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain"));
    response
}
