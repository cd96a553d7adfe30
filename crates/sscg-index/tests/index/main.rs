//! Indexes of real directories.

mod git;
mod refresh;
mod scenarios;
mod tree;
