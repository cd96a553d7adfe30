//! Page of `sscg graph --serve`: a server for browsers on this computer.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use sscg::config::SearchConfig;
use sscg::format::Drawing;
use sscg::{DrawingOptions, Engine, draw_neighbors};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use super::search_request;
use crate::command::run_server;
use crate::failure::Failure;
use crate::note;

/// Timeout for the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// Names of this computer in the `Host` of a request. Any other name may be one that DNS rebinding has pointed to 127.0.0.1, by
/// which the page of another site would read the code.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Page, and the project that its requests are about.
pub(super) struct Site {
    pub(super) html: Bytes,
    pub(super) engine: Engine,
    pub(super) options: DrawingOptions,
    pub(super) search: SearchConfig,
}

type Answer = Response<Full<Bytes>>;

/// Serves a page until a signal ends the process. Port 0 selects a free one.
pub(super) fn run(port: u16, site: Site) -> Result<(), Failure> {
    run_server(async |stop| listen(port, Arc::new(site), stop).await)?
}

async fn listen(port: u16, site: Arc<Site>, stop: &Notify) -> Result<(), Failure> {
    let fail = |error: std::io::Error| {
        let message = format!("cannot listen at port {port}: {}", sscg::index::describe(&error));
        sscg::Error::request(message, "leave out the port of --serve, so that a free one is used")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(fail)?;
    let address = listener.local_addr().map_err(fail)?;
    note(&format!("serving at http://{address}/, until Ctrl-C"));
    loop {
        let accepted = tokio::select! {
            () = stop.notified() => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Most likely out of file descriptors. Some will be closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let site = Arc::clone(&site);
        let service = service_fn(move |request: Request<Incoming>| {
            let site = Arc::clone(&site);
            async move { Ok::<_, Infallible>(site.answer(&request, address).await) }
        });
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        // Errors of a connection concern only its browser.
        tokio::spawn(async move { http.serve_connection(TokioIo::new(stream), service).await });
    }
}

impl Site {
    async fn answer(self: Arc<Self>, request: &Request<Incoming>, address: SocketAddr) -> Answer {
        if !is_host_local(request.headers(), address.port()) {
            let text = "the Host of a request must be a name of this computer, with the port\n";
            return response(StatusCode::FORBIDDEN, "text/plain", text);
        }
        if request.method() != Method::GET {
            return response(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET\n");
        }
        let path = request.uri().path();
        if path == "/" {
            return response(StatusCode::OK, "text/html; charset=utf-8", self.html.clone());
        }
        let work = match path {
            "/search" => Self::search,
            "/expand" => Self::expand,
            _ => {
                return response(
                    StatusCode::NOT_FOUND,
                    "text/plain",
                    "there is /, /search?q= and /expand?id=\n",
                );
            }
        };
        if !is_from_own_page(request.headers()) {
            return response(StatusCode::FORBIDDEN, "text/plain", "only for the page of this server\n");
        }
        let query = request.uri().query().and_then(|query| query.split_once('='));
        let value = query.and_then(|(_, value)| percent_decode_str(value).decode_utf8().ok());
        let value = value.map(|value| value.into_owned()).unwrap_or_default();
        let found = tokio::task::spawn_blocking(move || work(&self, &value)).await;
        match found {
            Ok(Ok(Some(drawing))) => response(StatusCode::OK, "application/json", drawing.packed()),
            Ok(Ok(None)) => response(StatusCode::NOT_FOUND, "text/plain", "no declaration has this id\n"),
            Ok(Err(error)) => response(StatusCode::BAD_REQUEST, "text/plain", format!("{error}\n")),
            Err(_) => response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", "the request failed\n"),
        }
    }

    /// Draws the answer to a question.
    fn search(&self, question: &str) -> Result<Option<Drawing>, sscg::Error> {
        let request = search_request(&self.search, question.to_owned());
        Ok(Some(self.engine.search(&request)?.drawing(&self.options)))
    }

    /// Draws a declaration and its neighbors.
    fn expand(&self, id: &str) -> Result<Option<Drawing>, sscg::Error> {
        let (snapshot, _) = self.engine.refresh()?;
        Ok(draw_neighbors(&snapshot, id, &self.options))
    }
}

fn is_host_local(headers: &HeaderMap, port: u16) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let parts = host.and_then(|host| host.rsplit_once(':'));
    parts.is_some_and(|(name, given)| HOSTS.contains(&name) && given == port.to_string())
}

/// True unless a browser states that the request is from another site. Its page could not read the answer, but make the engine
/// work.
fn is_from_own_page(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none")
}

fn response(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE.as_str(), kind),
        (CACHE_CONTROL.as_str(), "no-store"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
