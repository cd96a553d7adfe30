//! Tests of indexes of real directories.

#[cfg(unix)]
mod census;
mod embed;
mod files;
mod garbage;
mod git;
mod refresh;
mod scenarios;
mod tree;
mod versions;
mod watch;
