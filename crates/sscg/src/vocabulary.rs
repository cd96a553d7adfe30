//! Vocabulary of a project, as an answer.

use std::fmt::Write;

use sscg_core::{Corpus, TokenCounter};
use sscg_format::O200k;
use sscg_index::Snapshot;
use sscg_retrieve::{Filters, Vocabulary};

use crate::context::nothing_to_search;
use crate::{Error, SearchRequest};

/// Default number of tokens of a vocabulary. Of 600, 1,500 and 3,000 tokens, terms guessed from the longest found
/// most.
pub const VOCABULARY_TOKENS: usize = 3_000;

/// Tokens of the first line.
const HEAD_TOKENS: usize = 40;

/// Returns the most informative names of a project's own declarations, by place, in at most `budget` tokens, and the
/// same as text with a line for each place. A caller who has read it guesses better [`SearchRequest::terms`]. `paths`
/// are files, directories or globs relative to the root; all code if empty. O(symbols + edges).
///
/// ```
/// use sscg::{Engine, EngineOptions, SearchRequest, Storage, VOCABULARY_TOKENS, vocabulary};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("net.py"), "class Session:\n    def close(self): pass\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let snapshot = engine.search(&SearchRequest::new("symbol = Session"))?.snapshot;
/// let (_, text) = vocabulary(&snapshot, &[], VOCABULARY_TOKENS)?;
/// assert!(text.contains("Session"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the budget is below [`SearchRequest::MIN_BUDGET`], a path is not a valid glob, or the project has no source
/// file.
pub fn vocabulary(
    snapshot: &Snapshot,
    paths: &[String],
    budget: usize,
) -> Result<(Vocabulary, String), Error> {
    if budget < SearchRequest::MIN_BUDGET {
        return Err(Error::argument_of_request(
            "budget",
            format!("a budget of {budget} tokens holds no vocabulary"),
            format!("give `budget` at least {}", SearchRequest::MIN_BUDGET),
        ));
    }
    if snapshot.project.files().is_empty() {
        return Err(nothing_to_search(snapshot, Corpus::Code));
    }
    let filters = Filters::new(Vec::new(), paths)?;
    let found = sscg_retrieve::vocabulary(snapshot, &filters, budget - HEAD_TOKENS, &O200k);
    let mut lines = String::new();
    for place in &found.places {
        let path = if place.path.is_empty() { "." } else { &place.path };
        let _ = writeln!(lines, "{path}: {}", place.names.join(" "));
    }
    let count: usize = found.places.iter().map(|place| place.names.len()).sum();
    let name = snapshot.root.file_name().unwrap_or_default().to_string_lossy();
    let head = format!("Vocabulary of {name}: {count} of {} names", found.candidates);
    let written = |tokens: usize| format!("{head} | {tokens}/{budget} tokens\n{lines}");
    let tokens = O200k.count(&written(budget));
    Ok((found, written(tokens)))
}
