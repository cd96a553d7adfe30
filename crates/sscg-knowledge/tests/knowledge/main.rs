//! What the crate finds in whole projects, from outside.

mod code;
mod routes;
mod shop;
