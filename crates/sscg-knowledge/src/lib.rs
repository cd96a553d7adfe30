//! sscg-knowledge
