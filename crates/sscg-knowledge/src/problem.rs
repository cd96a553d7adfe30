//! What was wrong with an input.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that could not be read, or that contradicts itself. What is around it is used all the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// The file, relative to the project's root, or the name of the parameter.
    pub input: Box<str>,
    /// The 1-based line; 0 if there is none.
    pub line: u32,
    /// What is wrong and what was done about it.
    pub message: Box<str>,
}

impl Problem {
    /// A problem with an input as a whole.
    pub fn new(input: impl Into<Box<str>>, message: impl Into<Box<str>>) -> Self {
        Self { input: input.into(), line: 0, message: message.into() }
    }

    /// The same at a line.
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
