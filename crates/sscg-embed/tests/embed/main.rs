//! Tests of the crate as its users see it.

mod matrix;
mod term_table;
