//! Text form of services and communities, as context for writing code.

mod budget;
mod community;
mod notes;
mod service;

pub use budget::CONTEXT_TOKENS;
pub use community::community_summary;
pub(crate) use notes::integration_notes;
pub(crate) use service::service_text;
