//! SSCG as a Model Context Protocol server, over stdio and streamable HTTP.
//!
//! The command `sscg mcp` of [`sscg-cli`](https://docs.rs/sscg-cli) is this server; use this crate to embed it in
//! another program, or to call its tools from Rust.
//!
//! *Invariant:* this crate is a thin consumer of the facade [`sscg`]. It translates requests and answers and contains
//! no search logic. Requests can only read the server's roots: no argument leads out of them. Only the index is
//! written.
//!
//! # Overview
//!
//! - [`Server`] serves one client per connection: [`Server::serve_stdio`], [`Server::serve_streams`], or many with
//!   [`Server::listen`]. It is also an [`rmcp::ServerHandler`], for custom transports.
//! - [`ServerOptions`] has the roots, limits and toolsets. [`ServerOptions::open`] configures each project: its models
//!   and the location of its index.
//! - Tools come in [toolsets](Toolset); the first one, which contains `search_code`, is all that most agents need.
//! - [`client::Client`] makes typed calls of the tools about services.
//!
//! # Example
//!
//! ```no_run
//! use sscg_mcp::{Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = ServerOptions::default().with_roots(vec![".".into()]);
//! let server = Server::new(options)?;
//! // Until the client closes the stream, or the future is ready.
//! server.serve_stdio(std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Design
//!
//! - **Answers are text, in items of decreasing priority.** Several clients show an agent only `structuredContent`
//!   where it is present, and without source text that would hide the code. [`ServerOptions::structured`] adds it.
//! - **Few tools by default.** The fewer tools an agent has to choose from, the more often it picks the right one.
//! - **A call holds a permit while it works.** The library is synchronous; each call runs on its own thread, at most
//!   [`ServerOptions::concurrency`] at once, in order of arrival. A call that waits long for an index releases its
//!   permit.
//! - **A partial graph is never queried.** It would return "no callers" for code that has some. After
//!   [`ServerOptions::max_wait`], the answer is of the previous state, with a warning.
//! - **HTTP clients cannot add roots.** Over HTTP the roots that a client names are ignored, requests from web pages of
//!   other sites are refused, and an address that other machines can reach requires a token.
//! - **No answer has more than 25,000 tokens.** A larger budget is refused, not reduced, so that it is noticed.

mod arguments;
pub mod client;
mod content;
mod error;
mod failure;
mod http;
mod lines;
mod options;
mod paths;
mod permits;
mod projects;
mod prompts;
mod record;
mod resources;
mod roots;
mod running;
mod schema;
mod server;
mod spelling;
mod stdio;
mod tool;
mod tools;
mod toolset;

pub use error::Error;
pub use http::{HttpServer, HttpServerOptions};
pub use options::{OpenProject, ProjectOptions, ServerOptions};
pub use record::{CallOutcome, CallRecord, Recorder};
pub use server::Server;
pub use toolset::Toolset;

/// Protocol implementation, for custom transports.
pub use rmcp;
