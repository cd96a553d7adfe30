//! State of a tree that an answer is about.

use std::sync::Arc;

use sscg_core::{Corpus, Language};
use sscg_index::{RefreshReport, Snapshot};

use crate::Error;

/// Context of an answer.
pub(crate) struct AnswerContext {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) refresh: RefreshReport,
    /// Reason why the snapshot is not of the current tree, if it is not.
    pub(crate) warning: Option<String>,
}

/// Returns the error for a snapshot without a file of a corpus.
pub(crate) fn nothing_to_search(snapshot: &Snapshot, corpus: Corpus) -> Error {
    if snapshot.pending > 0 {
        return Error::project(
            format!("another process indexes {}, and nothing is ready yet", snapshot.root.display()),
            "ask again in a moment, or wait for it: leave out --no-wait",
        );
    }
    let readable =
        sscg_parse::of_corpus(corpus).iter().filter(|it| sscg_parse::missing_feature(**it).is_none());
    // Of code, the languages whose references are read are enough to tell what kind of files are meant.
    let is_listed = |language: &Language| corpus == Corpus::Documents || language.is_linked();
    let (listed, others): (Vec<Language>, Vec<Language>) = readable.copied().partition(is_listed);
    let names: Vec<&str> = listed.iter().map(|language| language.name).collect();
    let mut hint = format!("SSCG reads {}", names.join(", "));
    if !others.is_empty() {
        hint += &format!(", and declarations of {} other languages", others.len());
    }
    let others: usize = snapshot.unsupported.values().map(Vec::len).sum::<usize>() + snapshot.skipped.len();
    if others > 0 {
        let what = if others == 1 { "file there is" } else { "files there are" };
        hint += &format!("; {others} {what} something else");
    }
    let files = match corpus {
        Corpus::Code => "source files",
        Corpus::Documents => "documents",
    };
    Error::project(format!("no {files} in {}", snapshot.root.display()), hint)
}
