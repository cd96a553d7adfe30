//! Programs that embed SSCG.
