//! Pieces of code with reasons for their selection, for programs that collect them from several tools.

use derive_setters::Setters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Piece of code, its location, and the reason for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default)]
#[setters(prefix = "with_")]
#[non_exhaustive]
pub struct Evidence {
    /// Id that stays valid: file, lines and a hash of the code, as in `src/a.py:45-55@3f9c2a1b`. `sscg show` and the tool
    /// `look_up` open it: the same code, even if lines above have been added since, or the lines as they are now, marked
    /// as changed.
    #[setters(into)]
    pub id: String,
    /// Project, if several were asked.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub project: String,
    /// Path relative to the project's root, with forward slashes.
    #[setters(into)]
    pub file_path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Inclusive last line.
    pub end_line: u32,
    /// Full code; empty if the file has changed since, or if it did not fit the requested budget.
    #[setters(into)]
    pub content: String,
    /// Reason for people to read: `Found by lexical, semantic` names the signals, by their wire names
    /// (`SignalId` of `sscg-retrieve`).
    #[setters(into)]
    pub reason: String,
    /// Provenance.
    pub provenance: EvidenceProvenance,
    /// Declaration as `path::Outer.inner`; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[setters(into)]
    pub symbol_id: String,
    /// Kind of declaration, statement or document.
    #[setters(into)]
    pub symbol_kind: String,
}

/// Provenance of a piece of evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EvidenceProvenance {
    /// Question in words.
    #[default]
    Search,
    /// Name of a declaration.
    Symbol,
    /// Graph: neighbors of search results, and nodes of answers about the graph.
    Graph,
}
