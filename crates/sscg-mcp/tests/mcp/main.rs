//! The server as clients meet it: over streams in memory with messages written by hand, with the SDK's client, and over HTTP.

mod answers;
mod arguments;
mod client;
mod cold;
mod concurrency;
mod http;
mod knowledge;
mod listing;
mod page;
mod protocol;
mod roots;
mod sdk;
