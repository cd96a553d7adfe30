//! Store in a directory and on a real S3 server.

mod processes;
mod project;
mod s3;
mod store;
