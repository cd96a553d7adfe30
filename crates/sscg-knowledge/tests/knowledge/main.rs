//! What the crate finds in whole projects, from outside.

mod code;
mod inputs;
mod probe;
mod shop;
