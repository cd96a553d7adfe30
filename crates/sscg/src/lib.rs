//! sscg
