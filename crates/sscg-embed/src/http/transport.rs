//! HTTP requests with retries.

use std::io::ErrorKind;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::{debug, warn};
use ureq::Agent;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{Response, Uri};
use ureq::tls::{RootCerts, TlsConfig};

use super::key::ApiKey;
use super::{HttpOptions, retry};
use crate::EmbedError;

/// Client of one URL.
#[derive(Debug)]
pub(super) struct Transport {
    agent: Agent,
    url: String,
    key: Option<ApiKey>,
    options: HttpOptions,
}

/// Maximum size of a response in bytes: more than a thousand vectors of a few thousand components take.
const MAX_ANSWER_BYTES: u64 = 256 << 20;

/// Maximum number of bytes of a response that an error quotes.
const MAX_MESSAGE_BYTES: usize = 300;

impl Transport {
    /// Creates a client for requests to `base_url` followed by `path`.
    pub(super) fn new(
        base_url: &str,
        path: &str,
        key_variable: Option<&str>,
        options: &HttpOptions,
    ) -> Result<Self, EmbedError> {
        let url = format!("{}{path}", base_url.trim().trim_end_matches('/'));
        check_address(base_url)?;
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let agent = Agent::config_builder()
            .tls_config(tls)
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(options.concurrency)
            .user_agent(concat!("sscg/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let key = key_variable.map(ApiKey::from_env).transpose()?;
        Ok(Transport { agent, url, key, options: options.clone() })
    }

    /// Returns the maximum number of concurrent requests.
    pub(super) fn concurrency(&self) -> usize {
        self.options.concurrency.max(1)
    }

    /// Sends a request and parses the response.
    pub(super) fn post<A: DeserializeOwned>(&self, request: &impl Serialize) -> Result<A, EmbedError> {
        let request = serde_json::to_vec(request).expect("a request has no unserializable part");
        let mut attempt = 1;
        loop {
            let started = Instant::now();
            let outcome = self.attempt(&request);
            let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let failure = match outcome {
                Ok(answer) => {
                    debug!(
                        url = self.url,
                        attempt,
                        sent = request.len(),
                        received = answer.len(),
                        ms,
                        "provider answered"
                    );
                    return serde_json::from_slice(&answer)
                        .map_err(|error| self.answer(format!("{error} in `{}`", self.excerpt(&answer))));
                }
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Passing(failure)) => failure,
            };
            match retry::wait(&self.options, attempt, failure.asked) {
                Some(wait) => {
                    warn!(
                        url = self.url,
                        attempt, ms, "provider failed: {}; next attempt in {wait:?}", failure.message
                    );
                    thread::sleep(wait);
                }
                None => {
                    let message = match failure.asked {
                        Some(asked) if attempt <= self.options.retries => {
                            format!("{}, try again in {} seconds", failure.message, asked.as_secs())
                        }
                        _ => failure.message,
                    };
                    return Err(EmbedError::Unavailable {
                        url: self.url.clone(),
                        attempts: attempt,
                        message,
                    });
                }
            }
            attempt += 1;
        }
    }

    /// Returns the error for a malformed response.
    pub(super) fn answer(&self, message: String) -> EmbedError {
        EmbedError::Answer { url: self.url.clone(), message: self.redact(&message) }
    }

    fn attempt(&self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut builder = self.agent.post(&self.url).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            builder = builder.header(AUTHORIZATION, key.bearer());
        }
        let mut response = builder.send(request).map_err(|error| self.no_answer(&error))?;
        let body = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        let body = body.map_err(|error| self.no_answer(&error))?;
        self.judge(&response, body)
    }

    fn judge<B>(&self, response: &Response<B>, body: Vec<u8>) -> Result<Vec<u8>, Failure> {
        let status = response.status().as_u16();
        let url = self.url.clone();
        let message = || self.message(&body);
        match status {
            200..300 => Ok(body),
            401 | 403 => Err(Failure::Final(EmbedError::Unauthorized {
                url,
                status,
                message: message(),
                variable: self.key.as_ref().map(|key| key.variable().to_owned()),
            })),
            408 | 429 | 500.. => {
                let header = response.headers().get(RETRY_AFTER).and_then(|header| header.to_str().ok());
                Err(Failure::Passing(Passing {
                    message: format!("status {status}: {}", message()),
                    asked: header.and_then(|header| retry::retry_after(header, SystemTime::now())),
                }))
            }
            _ => Err(Failure::Final(EmbedError::Refused { url, status, message: message() })),
        }
    }

    /// Classifies the failure of a request without a complete response.
    fn no_answer(&self, error: &ureq::Error) -> Failure {
        use ureq::Error;
        let message = match error {
            Error::Timeout(_) => format!("it took longer than {:?}", self.options.timeout),
            Error::HostNotFound => "the host is not known".to_owned(),
            other => self.redact(&other.to_string()),
        };
        match error {
            // A server without TLS, or with an untrusted certificate, would fail again.
            Error::Io(error) if error.kind() == ErrorKind::InvalidData => self.unreachable(message),
            Error::Io(_)
            | Error::Timeout(_)
            | Error::HostNotFound
            | Error::ConnectionFailed
            | Error::Protocol(_)
            | Error::ConnectProxyFailed(_) => Failure::Passing(Passing { message, asked: None }),
            _ => self.unreachable(message),
        }
    }

    fn unreachable(&self, message: String) -> Failure {
        Failure::Final(EmbedError::Unavailable { url: self.url.clone(), attempts: 1, message })
    }

    /// Returns the error message in a provider's response.
    fn message(&self, body: &[u8]) -> String {
        let said = serde_json::from_slice::<Value>(body).ok().and_then(|body| {
            let error = body.get("error").unwrap_or(&body);
            let said = ["message", "detail"].iter().find_map(|name| error.get(name)?.as_str());
            said.or(error.as_str()).map(str::to_owned)
        });
        match said {
            Some(said) => self.excerpt(said.as_bytes()),
            None => self.excerpt(body),
        }
    }

    /// Returns the start of a text on one line, without the key.
    fn excerpt(&self, text: &[u8]) -> String {
        // The key is removed before truncation, since a truncated key would not be found.
        let text = self.redact(&String::from_utf8_lossy(text));
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        match line.floor_char_boundary(MAX_MESSAGE_BYTES) {
            _ if line.is_empty() => "nothing".to_owned(),
            end if end < line.len() => format!("{}…", &line[..end]),
            _ => line,
        }
    }

    fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}

/// Checks that a path can be appended to an address, and that the address contains no secret that errors would show.
fn check_address(base_url: &str) -> Result<(), EmbedError> {
    let invalid = |message: String| Err(EmbedError::Setting { setting: "address", message });
    let Ok(uri) = base_url.trim().parse::<Uri>() else {
        return invalid(format!("`{base_url}` is no URL; it looks like http://localhost:8080/v1"));
    };
    match (uri.scheme_str(), uri.authority()) {
        (Some("http" | "https"), Some(authority)) if authority.as_str().contains('@') => {
            invalid("it holds a password; keys come from environment variables".to_owned())
        }
        (Some("http" | "https"), Some(_)) if uri.query().is_some() => {
            invalid("it has a query (`?`), behind which nothing can be appended".to_owned())
        }
        (Some("http" | "https"), Some(_)) => Ok(()),
        _ => invalid(format!("`{base_url}` does not start with http:// or https://")),
    }
}

/// Cause of a failed attempt.
enum Failure {
    /// Permanent failure: a retry would fail, too.
    Final(EmbedError),
    /// Transient failure: a retry may succeed.
    Passing(Passing),
}

struct Passing {
    message: String,
    /// Wait requested by the provider.
    asked: Option<Duration>,
}
