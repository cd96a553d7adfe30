//! End-to-end tests of the server: over in-memory streams with hand-written messages, with the SDK's client, and over
//! HTTP.

mod answers;
mod arguments;
mod client;
mod cold;
mod concurrency;
mod http;
mod ids;
mod knowledge;
mod listing;
mod page;
mod protocol;
mod roots;
mod sdk;
mod session;
