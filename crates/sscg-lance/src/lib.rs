//! sscg-lance
