//! Text form of services and communities, as context for writing code.

mod budget;
mod community;
pub(crate) mod facts;
mod notes;
mod record;
mod service;

pub use budget::CONTEXT_TOKENS;
pub use community::community_summary;
pub(crate) use notes::integration_notes;
pub use record::{ContextKind, ContextRecord, ContextStore};
pub(crate) use service::service_text;
