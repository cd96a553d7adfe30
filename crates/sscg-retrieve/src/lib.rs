//! sscg-retrieve
