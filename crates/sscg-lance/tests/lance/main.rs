//! The store in a directory and on a real server that speaks S3.

mod processes;
mod project;
mod s3;
mod store;
