//! Asks a language server for the definitions of names, bounded in time.
//!
//! Use it for questions about code that a compiler's front end answers better than rules about names, where its start and
//! its memory are affordable.
//!
//! *Invariant:* only the given command is started. No call takes longer than its deadline, and the process ends with the
//! [`LanguageServer`]. No file is written.
//!
//! # Overview
//!
//! - [`LanguageServer::start`] starts a process and waits until it is ready.
//! - [`LanguageServer::definitions`] opens a document, asks for the definitions at some positions, and closes it again.
//! - [`Location`] is a definition, in a file that may be anywhere.
//! - [`Wait`] ends at a deadline, or when the caller cancels.
//!
//! # Example
//!
//! ```no_run
//! use std::path::Path;
//! use std::time::{Duration, Instant};
//!
//! use sscg_lsp::{Document, LanguageServer, LanguageServerOptions};
//!
//! let options = LanguageServerOptions::new(["pyright-langserver", "--stdio"].map(str::to_owned), Path::new("/srv/shop"));
//! let deadline = Instant::now() + Duration::from_secs(20);
//! let mut server = LanguageServer::start(&options, deadline)?;
//! let document = Document { path: "cart.py", language: "python", text: "def total(): pass\n\ntotal()\n" };
//! let answers = server.definitions(&document, |_| vec![(2, 0)], deadline)?;
//! assert_eq!(answers[0][0].line, 0);
//! # Ok::<(), sscg_lsp::LspError>(())
//! ```
//!
//! # Design
//!
//! - **The few messages are JSON values.** Types for the whole protocol would be most of the crate.
//! - **Threads write the server's input and read its output**, so that a server that hangs cannot block a caller past its
//!   deadline.
//! - **Requests of the server get an answer**, an empty one where the protocol allows it: some servers wait for it.

mod error;
mod location;
mod options;
mod process;
mod server;
mod wait;

pub use error::LspError;
pub use location::{Location, file_uri};
pub use options::LanguageServerOptions;
pub use server::{Document, LanguageServer, PositionEncoding};
pub use wait::Wait;
