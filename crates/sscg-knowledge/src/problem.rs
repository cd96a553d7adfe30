//! Problems with inputs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Unreadable or contradictory part of an input. The rest of the input is still used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Problem {
    /// File, relative to the project root, or the name of the parameter.
    pub input: Box<str>,
    /// 1-based line; 0 if there is none.
    pub line: u32,
    /// Description of the problem and of how it was handled.
    pub message: Box<str>,
}

impl Problem {
    /// Creates a problem with an input as a whole.
    pub fn new(input: impl Into<Box<str>>, message: impl Into<Box<str>>) -> Self {
        Self { input: input.into(), line: 0, message: message.into() }
    }

    /// Returns the problem with a line.
    pub fn at(self, line: u32) -> Self {
        Self { line, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.input, self.message),
            line => write!(f, "{}:{line}: {}", self.input, self.message),
        }
    }
}
