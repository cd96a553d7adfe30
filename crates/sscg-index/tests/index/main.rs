//! Indexes of real directories.

mod embed;
mod garbage;
mod git;
mod refresh;
mod scenarios;
mod tree;
mod versions;
mod watch;
