//! sscg-format
