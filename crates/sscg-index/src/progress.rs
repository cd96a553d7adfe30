//! Progress and cancellation of an index update.

use std::ops::ControlFlow;

use crate::IndexError;

/// Phase of an index update, with its counts. An update reads, parses, links and embeds, in this order. It may wait before
/// it parses and before it embeds, and most updates skip some phases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Walks the tree and reads what changed.
    #[default]
    Reading,
    /// Waits for another process that indexes the same tree, with the counts of that process.
    Waiting {
        /// Number of files or texts done.
        done: usize,
        /// Number of files or texts to do.
        total: usize,
    },
    /// Parses new texts.
    Parsing {
        /// Number of texts parsed.
        done: usize,
        /// Number of texts to parse.
        total: usize,
    },
    /// Builds the graph and the tables for ranking.
    Linking,
    /// Embeds texts with the model of [`IndexOptions::embedder`](crate::IndexOptions::embedder).
    Embedding {
        /// Number of texts embedded.
        done: usize,
        /// Number of texts to embed.
        total: usize,
    },
}

impl Progress {
    /// Returns the name of the phase: `reading`, `waiting`, `parsing`, `linking` or `embedding`.
    pub fn phase(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Waiting { .. } => "waiting",
            Self::Parsing { .. } => "parsing",
            Self::Linking => "linking",
            Self::Embedding { .. } => "embedding",
        }
    }

    /// Returns the numbers of units done and to do, if the phase counts any.
    pub fn counts(self) -> Option<(usize, usize)> {
        match self {
            Self::Reading | Self::Linking => None,
            Self::Waiting { done, total }
            | Self::Parsing { done, total }
            | Self::Embedding { done, total } => Some((done, total)),
        }
    }
}

/// Observer of an index update: called at the start of each phase, after each unit of work and repeatedly during a wait,
/// from many threads.
///
/// [`ControlFlow::Break`] cancels the update within the current unit of work. What was parsed or embedded until then
/// stays in the store, if there is one, so the next update goes on from there.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// Observes nothing and never cancels: the [`Observer`] of an update without one.
pub fn unobserved(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports progress, and fails if the observer cancels.
pub(crate) fn report(observer: Observer<'_>, progress: Progress) -> Result<(), IndexError> {
    if observer(progress).is_break() { Err(IndexError::Canceled) } else { Ok(()) }
}
