//! API keys, which are read from the environment and only sent in requests.

use std::env;
use std::fmt;

use ureq::http::HeaderValue;

use crate::EmbedError;

/// API key, with the name of its environment variable.
#[derive(Clone)]
pub(super) struct ApiKey {
    variable: String,
    key: String,
}

impl ApiKey {
    /// Reads the key from an environment variable.
    pub(super) fn from_env(variable: &str) -> Result<Self, EmbedError> {
        let key = env::var(variable).unwrap_or_default().trim().to_owned();
        if key.is_empty() {
            return Err(EmbedError::MissingKey { variable: variable.to_owned() });
        }
        let key = ApiKey { variable: variable.to_owned(), key };
        match HeaderValue::from_str(&key.key) {
            Ok(_) => Ok(key),
            Err(_) => Err(EmbedError::Setting {
                setting: "API key",
                message: format!("the environment variable {variable} has characters that no key has"),
            }),
        }
    }

    pub(super) fn variable(&self) -> &str {
        &self.variable
    }

    /// Returns the value of the header `Authorization`, marked as sensitive so that loggers omit it.
    pub(super) fn bearer(&self) -> HeaderValue {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {}", self.key)).expect("checked when it was read");
        value.set_sensitive(true);
        value
    }

    /// Removes the key from a text: servers echo what they receive.
    pub(super) fn redact(&self, text: &str) -> String {
        text.replace(&self.key, "<key>")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("variable", &self.variable).finish_non_exhaustive()
    }
}
