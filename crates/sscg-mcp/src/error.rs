//! What keeps a server from running.

use std::net::SocketAddr;
use std::path::PathBuf;

use sscg::index::describe;

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A root is no directory that can be opened.
    #[error("cannot open {}: {}", path.display(), describe(source))]
    Root {
        /// The root as it was given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no such toolset.
    #[error("there is no toolset {name:?}")]
    Toolset {
        /// What was asked for.
        name: String,
    },
    /// Other machines could connect, and no token keeps them out.
    #[error("{address} can be reached from other machines, which takes a token")]
    TokenRequired {
        /// Where the server was to listen.
        address: SocketAddr,
    },
    /// A token of nothing but blanks keeps nobody out.
    #[error("the token is blank")]
    BlankToken,
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {}", describe(source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The client does not speak the protocol.
    #[error("the client does not begin as the protocol asks: {message}")]
    Protocol {
        /// What it did.
        message: String,
    },
}

impl Error {
    /// What to do next, as a sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::Root { .. } => "give directories that you may read".to_owned(),
            Self::Toolset { .. } => format!("a list of these, or all: {}", crate::Toolset::names()),
            Self::TokenRequired { .. } => {
                "put a secret into an environment variable and name that with --token-env, or listen on 127.0.0.1"
                    .to_owned()
            }
            Self::BlankToken => "take a long random text, or none on an address of this machine".to_owned(),
            Self::Bind { .. } => "choose another port; 0 takes a free one".to_owned(),
            Self::Protocol { .. } => {
                "this is a server for MCP clients: `sscg search` answers on a terminal".to_owned()
            }
        }
    }
}
