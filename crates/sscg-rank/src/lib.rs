//! sscg-rank
