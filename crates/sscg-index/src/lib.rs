//! sscg-index
