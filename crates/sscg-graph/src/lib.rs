//! sscg-graph
