//! Errors of models and vectors.

#[cfg(feature = "model2vec")]
use std::path::PathBuf;

/// Error of this crate. No variant contains an API key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// Bytes that are not a valid term table.
    #[error("the term table cannot be read: {message}")]
    TermTable {
        /// Defect and its position.
        message: String,
    },
    /// Bytes that are not a whole number of matrix rows of this dimension.
    #[error("{bytes} bytes are no whole number of vectors of dimension {dimension}")]
    MatrixBytes {
        /// Number of bytes.
        bytes: usize,
        /// Requested dimension.
        dimension: usize,
    },
    /// Directory without a valid model in the Model2Vec format.
    #[cfg(feature = "model2vec")]
    #[error("{} cannot be read as part of a Model2Vec model: {message}", path.display())]
    Model {
        /// Path of the file.
        path: PathBuf,
        /// Defect of the file.
        message: String,
    },
    /// Missing API key: the environment variable is unset or empty.
    #[cfg(feature = "http")]
    #[error("there is no API key: set the environment variable {variable} to one of your provider's")]
    MissingKey {
        /// Name of the environment variable.
        variable: String,
    },
    /// Invalid setting of a provider.
    #[cfg(feature = "http")]
    #[error("the provider's {setting} cannot be used: {message}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Problem with the setting.
        message: String,
    },
    /// API key rejected by the provider.
    #[cfg(feature = "http")]
    #[error("{url} refused access ({status}): {message}; {}", key_hint(variable.as_deref()))]
    Unauthorized {
        /// URL of the request.
        url: String,
        /// HTTP status.
        status: u16,
        /// Error message of the provider.
        message: String,
        /// Environment variable that the key was read from.
        variable: Option<String>,
    },
    /// Request rejected by the provider for another reason than the key.
    #[cfg(feature = "http")]
    #[error("{url} refused the request ({status}): {message}; check the model's name and the address")]
    Refused {
        /// URL of the request.
        url: String,
        /// HTTP status.
        status: u16,
        /// Error message of the provider.
        message: String,
    },
    /// Provider that is unreachable, overloaded or broken, and stayed so for all attempts.
    #[cfg(feature = "http")]
    #[error("{url} gave no answer (attempts: {attempts}): {message}; check that it is up and try again")]
    Unavailable {
        /// URL of the request.
        url: String,
        /// Number of attempts.
        attempts: u32,
        /// Failure of the last attempt.
        message: String,
    },
    /// Malformed response of the provider.
    #[cfg(feature = "http")]
    #[error(
        "the answer of {url} is not understood: {message}; check that the address is that of such a provider"
    )]
    Answer {
        /// URL of the request.
        url: String,
        /// Defect of the response.
        message: String,
    },
    /// Vector of another dimension than expected.
    #[cfg(feature = "http")]
    #[error(
        "{model} gave a vector of dimension {found} instead of {expected}; set the dimension to one that it offers, \
         or leave it out"
    )]
    Dimension {
        /// Name of the model.
        model: String,
        /// Expected dimension.
        expected: usize,
        /// Dimension of the vector.
        found: usize,
    },
    /// Response with another number of results than texts.
    #[cfg(feature = "http")]
    #[error("{model} answered for {found} of {expected} texts; try again, with fewer texts a request")]
    Count {
        /// Name of the model.
        model: String,
        /// Number of texts sent.
        expected: usize,
        /// Number of results.
        found: usize,
    },
    /// Result with a number that is not finite.
    #[cfg(feature = "http")]
    #[error("{model} gave a number that is not finite; update its server, or use another model")]
    NotFinite {
        /// Name of the model.
        model: String,
    },
}

#[cfg(feature = "http")]
fn key_hint(variable: Option<&str>) -> String {
    match variable {
        Some(variable) => format!("check the key in the environment variable {variable}"),
        None => "name the environment variable that holds a key".to_owned(),
    }
}
