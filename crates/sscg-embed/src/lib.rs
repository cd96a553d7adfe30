//! Embedding and reranking models.
//!
//! - [`TermTable`]: the built-in model, one vector for each term of code, compiled into the crate.
//! - [`Matrix`]: vectors in eight bits a number, and exact search among them.
//!
//! *Invariant:* the first answer needs no network; a provider is asked only where the configuration names it.

mod error;
mod matrix;
mod term_table;

pub use error::EmbedError;
pub use matrix::{Matrix, Query, normalize};
pub use term_table::{Row, TermTable};
