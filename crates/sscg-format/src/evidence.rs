//! Pieces of code with why they were picked, for programs that collect such pieces from several tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A piece of code, where it stands, and why it was picked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Evidence {
    /// Path relative to the project's root, with forward slashes.
    pub file_path: String,
    /// First line, counted from 1.
    pub start_line: u32,
    /// Last line, included.
    pub end_line: u32,
    /// All of its code; empty if the file has changed since.
    pub content: String,
    /// Why it was picked, for people.
    pub reason: String,
    /// How it was found.
    pub provenance: EvidenceProvenance,
    /// The declaration as `path::Outer.inner`; empty if it is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub symbol_id: String,
    /// The kind of declaration, statement or document.
    pub symbol_kind: String,
}

/// How a piece of evidence was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceProvenance {
    /// By a question in words.
    #[default]
    Search,
    /// By the name of a declaration.
    Symbol,
    /// By the graph around what was found.
    Graph,
}
