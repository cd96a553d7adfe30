//! Errors that keep a server from running.

use std::net::SocketAddr;
use std::path::PathBuf;

use sscg::index::describe;

/// Error that keeps a server from running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A root is not a readable directory.
    #[error("cannot open {}: {}", path.display(), describe(source))]
    Root {
        /// Root as given.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The name of a published project is empty or a path.
    #[error("{name:?} is no name of a project")]
    Name {
        /// Name as given.
        name: String,
    },
    /// Other machines can connect, and there is no token.
    #[error("{address} can be reached from other machines, which takes a token")]
    TokenRequired {
        /// Requested address.
        address: SocketAddr,
    },
    /// The token is blank and would admit everyone.
    #[error("the token is blank")]
    BlankToken,
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {}", describe(source))]
    Bind {
        /// Address.
        address: SocketAddr,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The client does not follow the protocol.
    #[error("the client does not begin as the protocol asks: {message}")]
    Protocol {
        /// First message of the client, or the reason of the failure.
        message: String,
    },
}

impl Error {
    /// Returns the next step for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Root { .. } => "give directories that you may read".to_owned(),
            Self::Name { .. } => "give names of published projects, such as shop".to_owned(),
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
