//! Indexes of real directories.

mod garbage;
mod git;
mod refresh;
mod scenarios;
mod tree;
mod watch;
