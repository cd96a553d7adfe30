//! Local server that acts as a provider.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use tiny_http::{Header, Request, Response};

/// Environment variable that cargo sets for every test, and the only possible source of a key.
pub(crate) const KEY_VARIABLE: &str = "CARGO_PKG_DESCRIPTION";

/// Returns the key in this variable.
pub(crate) fn key() -> String {
    std::env::var(KEY_VARIABLE).expect("cargo sets it")
}

/// Number of requests that the server handles concurrently.
const THREADS: usize = 8;

pub(crate) struct Server {
    server: Arc<tiny_http::Server>,
    threads: Vec<JoinHandle<()>>,
    log: Arc<Mutex<Vec<Received>>>,
}

/// Request as received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    /// Headers by lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

/// Response to send.
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
    /// Starts a server that responds with `reply`, which gets the number of the request, from 0, and the request.
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
                    // Fails if the client has timed out.
                    let _ = request.respond(response);
                }
            })
        });
        Server { threads: threads.collect(), server, log }
    }

    /// Returns the base URL of the API.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.server.server_addr())
    }

    /// Returns all requests received so far.
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

    /// Returns the texts of an embedding request.
    pub(crate) fn texts(&self) -> Vec<String> {
        serde_json::from_value(self.body["input"].clone()).unwrap()
    }
}

/// Returns an embedding response, last text first: each vector is the text's length in bytes, followed by ones.
pub(crate) fn embeddings(received: &Received, dimension: usize) -> Value {
    let embedding = |(index, text): (usize, &String)| {
        let numbers: Vec<usize> =
            std::iter::once(text.len()).chain(std::iter::repeat(1)).take(dimension).collect();
        json!({"object": "embedding", "index": index, "embedding": numbers})
    };
    let data: Vec<Value> = received.texts().iter().enumerate().map(embedding).rev().collect();
    json!({"object": "list", "data": data, "model": received.body["model"], "usage": {"total_tokens": 7}})
}
