//! Look-ups: lists that leave nothing out, of what is named and not asked in words.
//!
//! Each takes several names, and returns data and the same as text within a number of tokens. What does not fit is counted.

mod named;
mod page;
mod show;
mod text;
mod uses;
mod written;

pub use show::{Shown, show};
pub use text::{TextFound, TextPlace, text};
pub use uses::{DeclarationUses, UsePlace, UsesOptions, uses};

use crate::{Error, SearchRequest};

/// Tokens of a look-up unless another size is asked for.
pub const LOOKUP_TOKENS: usize = 8_000;

/// Why one of several names is not looked up, in a line.
fn told(error: &Error) -> String {
    format!("error: {error}; {}", error.hint())
}

/// Checks what all look-ups are asked with.
fn check(names: &[String], what: &str, budget: usize) -> Result<(), Error> {
    if budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {budget} tokens holds no list"),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    if names.iter().all(|name| name.trim().is_empty()) {
        return Err(Error::request(format!("no {what} is given"), format!("give at least one {what}")));
    }
    Ok(())
}
