//! SSCG as a Model Context Protocol server, over stdio and streamable HTTP.
//!
//! The command `sscg mcp` is this server; it can also be embedded in another program:
//!
//! ```no_run
//! use sscg_mcp::{Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = ServerOptions { roots: vec![".".into()], ..ServerOptions::default() };
//! let server = Server::new(options)?;
//! // Until the client closes the stream, or the future is ready.
//! server.serve_stdio(std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Server`] is also an [`rmcp::ServerHandler`], for custom transports. [`ServerOptions::open`] configures each
//! project: its models and the location of its index. Tools come in [toolsets](Toolset); the first one, which contains
//! `search_code`, is all that most agents need.
//!
//! Requests can only read the server's roots: no argument leads out of them. Only the index is written.
//!
//! *Invariant:* this crate is a thin consumer of the facade `sscg`. It translates requests and answers and contains no
//! search logic. The library is synchronous; only this crate handles concurrent requests: it runs each on its own
//! thread, at most [`ServerOptions::concurrency`] at once, in order of arrival.

mod arguments;
pub mod client;
mod content;
mod error;
mod http;
mod lines;
mod options;
mod paths;
mod permits;
mod projects;
mod resources;
mod roots;
mod schema;
mod server;
mod stdio;
mod tool;
mod tools;
mod toolset;

pub use error::Error;
pub use http::{HttpOptions, HttpServer};
pub use options::{Open, ProjectOptions, ServerOptions};
pub use server::Server;
pub use toolset::Toolset;

/// Protocol implementation, for custom transports.
pub use rmcp;
