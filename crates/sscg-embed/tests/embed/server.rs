//! A server on this machine that plays a provider.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use tiny_http::{Header, Request, Response};

/// An environment variable that cargo sets for every test, and the only place that a key may come from.
pub(crate) const KEY_VARIABLE: &str = "CARGO_PKG_DESCRIPTION";

/// The key that is in it.
pub(crate) fn key() -> String {
    std::env::var(KEY_VARIABLE).expect("cargo sets it")
}

/// How many requests the server works on at once.
const THREADS: usize = 8;

pub(crate) struct Server {
    server: Arc<tiny_http::Server>,
    threads: Vec<JoinHandle<()>>,
    log: Arc<Mutex<Vec<Received>>>,
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    /// By lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// What to answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<&'static str>,
    pub(crate) body: String,
    pub(crate) delay: Duration,
}

impl Reply {
    pub(crate) fn json(body: Value) -> Self {
        Reply { body: body.to_string(), ..Reply::status(200) }
    }

    pub(crate) fn status(status: u16) -> Self {
        Reply { status, retry_after: None, body: String::new(), delay: Duration::ZERO }
    }

    pub(crate) fn with_body(self, body: impl ToString) -> Self {
        Reply { body: body.to_string(), ..self }
    }
}

impl Server {
    /// Answers with what `reply` makes of the number of the request, from 0, and the request.
    pub(crate) fn start(reply: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static) -> Self {
        let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").unwrap());
        let log: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (reply, number) = (Arc::new(reply), Arc::new(AtomicUsize::new(0)));
        let threads = (0..THREADS).map(|_| {
            let (server, log) = (Arc::clone(&server), Arc::clone(&log));
            let (reply, number) = (Arc::clone(&reply), Arc::clone(&number));
            thread::spawn(move || {
                while let Ok(mut request) = server.recv() {
                    let received = Received::read(&mut request);
                    log.lock().unwrap_or_else(PoisonError::into_inner).push(received.clone());
                    let reply = reply(number.fetch_add(1, Ordering::SeqCst), &received);
                    thread::sleep(reply.delay);
                    let mut response = Response::from_string(reply.body).with_status_code(reply.status);
                    if let Some(after) = reply.retry_after {
                        response.add_header(Header::from_bytes("Retry-After", after).unwrap());
                    }
                    // Whoever lost patience is gone.
                    let _ = request.respond(response);
                }
            })
        });
        Server { threads: threads.collect(), server, log }
    }

    /// The address with a path.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.server.server_addr())
    }

    /// All requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for _ in &self.threads {
            self.server.unblock();
        }
        for thread in self.threads.drain(..) {
            thread.join().unwrap();
        }
    }
}

impl Received {
    fn read(request: &mut Request) -> Self {
        let headers = request.headers().iter();
        let headers = headers
            .map(|header| (header.field.to_string().to_lowercase(), header.value.to_string()))
            .collect();
        let body = serde_json::from_reader(request.as_reader()).unwrap();
        Received { path: request.url().to_owned(), headers, body }
    }

    /// The texts of a request for embeddings.
    pub(crate) fn texts(&self) -> Vec<String> {
        serde_json::from_value(self.body["input"].clone()).unwrap()
    }
}

/// What a provider of embeddings answers, last text first: for each text its length in bytes, and ones.
pub(crate) fn embeddings(received: &Received, dimension: usize) -> Value {
    let embedding = |(index, text): (usize, &String)| {
        let numbers: Vec<usize> =
            std::iter::once(text.len()).chain(std::iter::repeat(1)).take(dimension).collect();
        json!({"object": "embedding", "index": index, "embedding": numbers})
    };
    let data: Vec<Value> = received.texts().iter().enumerate().map(embedding).rev().collect();
    json!({"object": "list", "data": data, "model": received.body["model"], "usage": {"total_tokens": 7}})
}
