//! SSCG as a Model Context Protocol server, over stdio and streamable HTTP.
//!
//! The command `sscg mcp` is this server; it can also live in another program:
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
//! [`Server`] is also an [`rmcp::ServerHandler`], for transports of one's own. [`ServerOptions::open`] says how a project is
//! opened: with which model, where its index is kept. Tools come in [toolsets](Toolset), of which the first, with
//! `search_code` in it, is all that most agents need.
//!
//! What a request may look at are the server's roots: no argument leads out of them. All that is written is the index.
//!
//! *Invariant:* a thin consumer of the facade `sscg`: it translates requests and answers, and decides nothing about
//! them. The library is synchronous; this crate alone knows that requests come side by side: it runs each on a thread
//! of its own, as many at once as [`ServerOptions::concurrency`] says, in the order they came.

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

/// The protocol, for transports of one's own.
pub use rmcp;
