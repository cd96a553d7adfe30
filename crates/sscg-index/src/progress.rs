//! Progress and cancellation of an index update, and of long operations on an index.

use std::ops::ControlFlow;

use crate::IndexError;

/// Phase of a long operation, with its counts. An index update reads, parses, links and embeds, in this order. It may wait
/// before it parses and before it embeds, and most updates skip some phases. Other operations update the index first.
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
    /// Asks language servers for definitions.
    Asking {
        /// Number of files asked about.
        done: usize,
        /// Number of files to ask about.
        total: usize,
    },
    /// Derives the service graph from the code and other files.
    Deriving,
}

impl Progress {
    /// Returns the name of the phase: `reading`, `waiting`, `parsing`, `linking`, `embedding`, `asking` or `deriving`.
    pub fn phase(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Waiting { .. } => "waiting",
            Self::Parsing { .. } => "parsing",
            Self::Linking => "linking",
            Self::Embedding { .. } => "embedding",
            Self::Asking { .. } => "asking",
            Self::Deriving => "deriving",
        }
    }

    /// Returns the numbers of units done and to do, if the phase counts any.
    pub fn counts(self) -> Option<(usize, usize)> {
        match self {
            Self::Reading | Self::Linking | Self::Deriving => None,
            Self::Waiting { done, total }
            | Self::Parsing { done, total }
            | Self::Embedding { done, total }
            | Self::Asking { done, total } => Some((done, total)),
        }
    }

    /// Reports this phase.
    ///
    /// # Errors
    /// [`IndexError::Canceled`] if the observer cancels.
    pub fn report(self, observer: Observer<'_>) -> Result<(), IndexError> {
        if observer(self).is_break() { Err(IndexError::Canceled) } else { Ok(()) }
    }
}

/// Observer of an index update or another long operation: called at the start of each phase, after each unit of work and
/// repeatedly during a wait, from many threads.
///
/// [`ControlFlow::Break`] cancels the operation within the current unit of work. What was parsed, embedded or answered
/// until then stays in the store, if there is one, so the next operation goes on from there.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync);

/// Observes nothing and never cancels: the [`Observer`] of an update without one.
pub fn unobserved(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
