//! sscg-mcp
