//! Tests of indexes of real directories.

mod embed;
mod files;
mod garbage;
mod git;
mod refresh;
mod scenarios;
mod sources;
#[cfg(unix)]
mod stamps;
mod tree;
mod versions;
mod watch;
