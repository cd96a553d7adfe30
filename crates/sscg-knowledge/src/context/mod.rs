//! What is known of services and communities as text, for somebody who writes code.

mod budget;
mod community;
mod notes;
mod service;

pub use budget::CONTEXT_TOKENS;
pub use community::community_summary;
pub(crate) use notes::integration_notes;
pub(crate) use service::service_text;
