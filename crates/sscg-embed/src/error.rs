//! What can go wrong with models and vectors.

#[cfg(feature = "model2vec")]
use std::path::PathBuf;

/// An error of this crate. None of them ever holds an API key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// Bytes are no term table, or a damaged one.
    #[error("the term table cannot be read: {message}")]
    TermTable {
        /// What is wrong, and where.
        message: String,
    },
    /// Bytes are no rows of a matrix of this dimension.
    #[error("{bytes} bytes are no whole number of vectors of dimension {dimension}")]
    MatrixBytes {
        /// How many bytes there are.
        bytes: usize,
        /// The dimension asked for.
        dimension: usize,
    },
    /// A directory holds no model in the Model2Vec format, or a damaged one.
    #[cfg(feature = "model2vec")]
    #[error("{} cannot be read as part of a Model2Vec model: {message}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A provider needs a key, and the environment has none.
    #[cfg(feature = "http")]
    #[error("there is no API key: set the environment variable {variable} to one of your provider's")]
    MissingKey {
        /// The variable that was looked at.
        variable: String,
    },
    /// A provider is described in a way that makes no sense.
    #[cfg(feature = "http")]
    #[error("the provider's {setting} cannot be used: {message}")]
    Setting {
        /// Which setting.
        setting: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The provider does not take the key.
    #[cfg(feature = "http")]
    #[error("{url} refused access ({status}): {message}; {}", key_hint(variable.as_deref()))]
    Unauthorized {
        /// Where it was asked.
        url: String,
        /// The status of HTTP.
        status: u16,
        /// What the provider said.
        message: String,
        /// The environment variable that the key was taken from.
        variable: Option<String>,
    },
    /// The provider takes the key and not the request.
    #[cfg(feature = "http")]
    #[error("{url} refused the request ({status}): {message}; check the model's name and the address")]
    Refused {
        /// Where it was asked.
        url: String,
        /// The status of HTTP.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The provider cannot be reached, is overloaded or broken, and stayed so for all attempts.
    #[cfg(feature = "http")]
    #[error("{url} gave no answer (attempts: {attempts}): {message}; check that it is up and try again")]
    Unavailable {
        /// Where it was asked.
        url: String,
        /// How often.
        attempts: u32,
        /// What happened the last time.
        message: String,
    },
    /// The provider's answer makes no sense.
    #[cfg(feature = "http")]
    #[error(
        "the answer of {url} is not understood: {message}; check that the address is that of such a provider"
    )]
    Answer {
        /// Where it was asked.
        url: String,
        /// What is wrong with it.
        message: String,
    },
    /// The provider's vectors have another dimension than asked for.
    #[cfg(feature = "http")]
    #[error(
        "{model} gave a vector of dimension {found} instead of {expected}; set the dimension to one that it offers, \
         or leave it out"
    )]
    Dimension {
        /// The model's name.
        model: String,
        /// The dimension asked for.
        expected: usize,
        /// The vector's.
        found: usize,
    },
    /// The provider did not give something for each text.
    #[cfg(feature = "http")]
    #[error("{model} answered for {found} of {expected} texts; try again, with fewer texts a request")]
    Count {
        /// The model's name.
        model: String,
        /// How many texts were sent.
        expected: usize,
        /// How many of them have an answer.
        found: usize,
    },
    /// The provider gave a number that is infinite.
    #[cfg(feature = "http")]
    #[error("{model} gave a number that is not finite; update its server, or use another model")]
    NotFinite {
        /// The model's name.
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
