//! sscg-embed
