//! SCIP indexes: results of indexers of other programs, and the graph as an index.

use std::sync::Arc;

use sscg_core::{Corpus, FileId, Provenance};
use sscg_graph::Comparison;
use sscg_index::{Observer, RefreshReport, Snapshot, unobserved};
use sscg_lsp::file_uri;
use sscg_scip::{ReadOptions, ScipError, SourceText, WriteOptions};

use crate::{Engine, Error};

/// Result of [`Engine::import_scip`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScipImport {
    /// Indexes, in the order in which they were given.
    pub indexes: Vec<ScipIndex>,
    /// Comparison of all imported indexes with the graph of the linker.
    pub comparison: Comparison,
    /// State of the tree, with the edges of the indexes.
    pub snapshot: Arc<Snapshot>,
    /// Report of the index update.
    pub refresh: RefreshReport,
}

/// Contents of an imported index.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScipIndex {
    /// Name and version of the program that wrote it.
    pub tool: String,
    /// Number of documents.
    pub documents: usize,
    /// Number of documents that are not source files of the project.
    pub foreign: usize,
    /// Paths of the documents that describe another text than the current one, which are not used.
    pub stale: Vec<String>,
}

impl Engine {
    /// Applies SCIP indexes, given by their bytes, to the graph, in this and in every later process, as long as the texts are
    /// the ones that they describe. An index replaces what earlier ones have about the same files.
    ///
    /// # Errors
    /// If one is not an index, or has no file of the project with its current text: then none is imported. If the store
    /// cannot keep them; and as [`Engine::refresh`].
    pub fn import_scip<'i>(&self, indexes: impl IntoIterator<Item = &'i [u8]>) -> Result<ScipImport, Error> {
        self.import_scip_with_progress(indexes, &unobserved)
    }

    /// Runs [`Engine::import_scip`] with an observer of the index updates before and after it, which can cancel it. A
    /// cancellation of the second update leaves the indexes imported.
    ///
    /// # Errors
    /// As [`Engine::import_scip`], and if the observer cancels.
    pub fn import_scip_with_progress<'i>(
        &self,
        indexes: impl IntoIterator<Item = &'i [u8]>,
        observer: Observer<'_>,
    ) -> Result<ScipImport, Error> {
        let (snapshot, _) = self.refresh_with_progress(Corpus::Code, observer)?;
        let options = ReadOptions::default().with_root(snapshot.root.to_string_lossy());
        let texts = |file: FileId| text(&snapshot, file);
        let mut found = Vec::new();
        for index in indexes {
            let read = sscg_scip::read(index, &snapshot.project, &texts, &options)?;
            if read.foreign + read.stale.len() == read.documents {
                let message = format!(
                    "the SCIP index describes no file of the project as it is: of {} documents, {} are not source files \
                     of {}, and {} have another text",
                    read.documents,
                    read.foreign,
                    snapshot.root.display(),
                    read.stale.len()
                );
                return Err(Error::project(message, "run the indexer again in the project's root"));
            }
            found.push(read);
        }
        let (mut indexes, mut stale, mut unused) = (Vec::with_capacity(found.len()), 0, 0);
        for read in found {
            let mut occurrences = read.occurrences;
            unused += occurrences.retain_references(&snapshot.project);
            stale += read.stale_occurrences;
            self.import(occurrences)?;
            indexes.push(ScipIndex {
                tool: read.tool,
                documents: read.documents,
                foreign: read.foreign,
                stale: read.stale,
            });
        }
        let (snapshot, refresh) = self.refresh_with_progress(Corpus::Code, observer)?;
        let applied = snapshot.comparisons.iter().find(|(provenance, _)| *provenance == Provenance::Scip);
        let mut comparison = applied.map_or_else(Comparison::default, |(_, comparison)| comparison.clone());
        comparison.stale += stale;
        comparison.unused += unused;
        Ok(ScipImport { indexes, comparison, snapshot, refresh })
    }
}

/// Returns a snapshot as a SCIP index, without the files whose text has changed since. See [`sscg_scip::write`](fn@sscg_scip::write)
/// for its contents.
pub(crate) fn index_of(snapshot: &Snapshot) -> Vec<u8> {
    let options = WriteOptions::default().with_project_root(file_uri(&snapshot.root));
    sscg_scip::write(&snapshot.project, &snapshot.graph, &|file| text(snapshot, file), &options)
}

fn text(snapshot: &Snapshot, file: FileId) -> Option<SourceText> {
    let text = snapshot.source(file)?;
    let hash = *blake3::hash(text.as_bytes()).as_bytes();
    Some(SourceText { text, hash })
}

impl From<ScipError> for Error {
    fn from(error: ScipError) -> Self {
        Self::project(error.to_string(), "give the file that an indexer wrote, usually index.scip")
    }
}
