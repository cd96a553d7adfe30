//! Vectors of a model that takes texts: from the previous state, from the store, or computed by the model.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{FileId, Id, LocalChunk, Project};
use sscg_embed::{Embedder, Input, Matrix};

use super::{Busy, Index, RefreshReport};
use crate::progress::{Observer, Progress};
use crate::store::{FactsKey, IndexLock, TextHash, Update};
use crate::{IndexError, Snapshot, Vectors};

/// Maximum number of texts that are embedded without waiting for other processes.
const FEW_TEXTS: usize = 256;

/// Vectors of the previous snapshot.
pub(super) struct Embedded {
    vectors: Vectors,
    /// Row range of each file's chunks.
    files: FxHashMap<FactsKey, Range<usize>>,
}

/// Text of the project.
struct EmbeddingText {
    hash: TextHash,
    /// Text itself, unless it is embedded already.
    text: Option<String>,
}

/// Vectors with the hashes of their texts.
struct Made {
    texts: Vec<TextHash>,
    rows: Matrix,
    /// True if the observer canceled before all were made.
    is_canceled: bool,
}

impl Embedded {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let files = snapshot
            .files
            .iter_enumerated()
            .filter_map(|(file, state)| Some((state.key.clone()?, rows_of(&snapshot.project, file))));
        Self { vectors: snapshot.vectors.clone(), files: files.collect() }
    }

    /// Returns the text hashes of a file's chunks in the previous snapshot, if all of them were embedded.
    fn chunk_texts(&self, key: &FactsKey) -> Option<Vec<TextHash>> {
        self.vectors.texts().get(self.files.get(key)?.clone())?.iter().copied().collect()
    }
}

impl Made {
    fn push(&mut self, text: TextHash, vector: &[f32]) {
        // A vector of another dimension is unusable.
        if vector.len() == self.rows.dimension() {
            self.texts.push(text);
            self.rows.push(vector);
        }
    }

    fn rows(&self) -> impl Iterator<Item = (TextHash, &[u8])> {
        self.texts.iter().enumerate().map(|(row, text)| (*text, self.rows.row(row)))
    }
}

impl Index {
    /// Returns the snapshot with the vectors of its chunks and paths, if there is a custom model. Texts that cannot be
    /// embedded stay without a vector until the next refresh. The flag is true if the observer canceled.
    pub(super) fn embed(
        &mut self,
        snapshot: Arc<Snapshot>,
        before: Option<Embedded>,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) -> (Arc<Snapshot>, bool) {
        let Some(embedder) = self.embedder.clone() else { return (snapshot, false) };
        let model = embedder.model_id();
        let has_vectors = snapshot.vectors.model() == model;
        if has_vectors && snapshot.vectors.missing() == 0 {
            return (snapshot, false);
        }
        let before = before.filter(|before| before.vectors.model() == model);
        let mut known: FxHashMap<TextHash, &[u8]> =
            before.iter().flat_map(|before| before.vectors.rows()).collect();
        let mut texts = texts_of(&snapshot, before.as_ref(), &known);
        let mut missing: Vec<(TextHash, String)> = Vec::new();
        let mut seen: FxHashSet<TextHash> = FxHashSet::default();
        for EmbeddingText { hash, text } in texts.iter_mut().flatten() {
            if let Some(text) = text.take().filter(|_| seen.insert(*hash)) {
                missing.push((*hash, text));
            }
        }
        drop(seen);
        let made = self.make_vectors(&*embedder, missing, report, observer);
        if has_vectors && made.texts.is_empty() {
            return (snapshot, made.is_canceled);
        }
        known.extend(made.rows());

        let (mut chunks, mut paths) = (Matrix::new(embedder.dimension()), Matrix::new(embedder.dimension()));
        let chunk_count = snapshot.project.chunk_count();
        chunks.reserve(chunk_count);
        paths.reserve(texts.len() - chunk_count);
        let nothing = vec![0; chunks.row_bytes()];
        let rows = texts.into_iter().enumerate().map(|(at, text)| {
            let embedded = text.and_then(|text| Some((text.hash, known.get(&text.hash)?)));
            let matrix = if at < chunk_count { &mut chunks } else { &mut paths };
            matrix.push_encoded(embedded.as_ref().map_or(&nothing, |(_, row)| row));
            embedded.map(|(hash, _)| hash)
        });
        let rows: Vec<Option<TextHash>> = rows.collect();
        if report.pending == 0 {
            let mut used: Vec<TextHash> = rows.iter().copied().flatten().collect();
            used.sort_unstable();
            used.dedup();
            let update = Update { tree: &self.tree, model, texts: Some(&used), ..Update::default() };
            self.ask(report, |store| store.write(&update));
        }
        self.is_news = report.pending == 0;
        let snapshot = snapshot.with_vectors(Vectors::of_texts(model, chunks, paths, rows));
        (Arc::new(snapshot), made.is_canceled)
    }

    /// Returns the vectors of distinct texts: from the store, or computed by the model and written to the store batch
    /// by batch.
    fn make_vectors(
        &self,
        embedder: &dyn Embedder,
        mut missing: Vec<(TextHash, String)>,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) -> Made {
        let rows = Matrix::new(embedder.dimension());
        let mut made = Made { texts: Vec::new(), rows, is_canceled: false };
        self.recall_vectors(embedder.model_id(), &mut missing, &mut made, report);
        if missing.is_empty() {
            return made;
        }
        let mut waited = false;
        let lock = loop {
            let Some(lock) = self.ask(report, |store| store.lock(&self.tree)) else { break None };
            if lock.is_some() || missing.len() <= FEW_TEXTS {
                break lock;
            }
            if self.busy == Busy::UseReady {
                return made;
            }
            let others = self.store.as_ref().and_then(|store| store.progress(&self.tree));
            let (done, total) = others.unwrap_or((0, missing.len()));
            if observer(Progress::Waiting { done, total }).is_break() {
                made.is_canceled = true;
                return made;
            }
            std::thread::sleep(Duration::from_millis(50));
            waited = true;
        };
        if waited {
            self.recall_vectors(embedder.model_id(), &mut missing, &mut made, report);
        }
        self.ask_model(embedder, &missing, lock.as_deref(), &mut made, report, observer);
        made
    }

    /// Loads vectors from the store and removes their texts from `missing`.
    fn recall_vectors(
        &self,
        model: &str,
        missing: &mut Vec<(TextHash, String)>,
        made: &mut Made,
        report: &mut RefreshReport,
    ) {
        let keys: Vec<TextHash> = missing.iter().map(|(hash, _)| *hash).collect();
        let Some(found) = self.ask(report, |store| store.vectors(model, &keys)) else { return };
        let before = made.texts.len();
        for (key, vector) in keys.iter().zip(found) {
            if let Some(vector) = vector {
                made.push(*key, &vector);
            }
        }
        let found: FxHashSet<TextHash> = made.texts[before..].iter().copied().collect();
        missing.retain(|(hash, _)| !found.contains(hash));
    }

    fn ask_model(
        &self,
        embedder: &dyn Embedder,
        missing: &[(TextHash, String)],
        lock: Option<&dyn IndexLock>,
        made: &mut Made,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) {
        let total = missing.len();
        if observer(Progress::Embedding { done: 0, total }).is_break() {
            made.is_canceled = true;
            return;
        }
        let texts: Vec<&str> = missing.iter().map(|(_, text)| text.as_str()).collect();
        let before = made.texts.len();
        let outcome = embedder.embed_batches(&texts, Input::Document, &mut |batch| {
            let texts = missing[batch.texts].iter().map(|(hash, _)| *hash);
            let vectors: Vec<(TextHash, Vec<f32>)> = texts.zip(batch.vectors).collect();
            let update = Update { model: embedder.model_id(), vectors: &vectors, ..Update::default() };
            self.ask(report, |store| store.write(&update));
            vectors.iter().for_each(|(text, vector)| made.push(*text, vector));
            let done = made.texts.len() - before;
            if let Some(lock) = lock {
                lock.report(done, total);
            }
            let flow = observer(Progress::Embedding { done, total });
            made.is_canceled |= flow.is_break();
            flow
        });
        let left = total - (made.texts.len() - before);
        let message = match outcome {
            Err(error) => error.to_string(),
            Ok(()) if left > 0 && !made.is_canceled => {
                format!("its vectors do not have dimension {}", embedder.dimension())
            }
            Ok(()) => return,
        };
        let model = embedder.model_id().to_owned();
        report.warn(&IndexError::Embedding { model, missing: left, texts: total, message });
    }
}

/// Returns the texts of all chunks, then those of all paths; `None` for chunks of a file that changed since it was
/// indexed.
fn texts_of(
    snapshot: &Snapshot,
    before: Option<&Embedded>,
    known: &FxHashMap<TextHash, &[u8]>,
) -> Vec<Option<EmbeddingText>> {
    let text = |text: String| {
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        Some(EmbeddingText { hash, text: (!known.contains_key(&hash)).then_some(text) })
    };
    let project = &snapshot.project;
    let of_file = |file: FileId| -> Vec<Option<EmbeddingText>> {
        let key = snapshot.files[file].key.as_ref();
        if let Some(texts) = key.zip(before).and_then(|(key, before)| before.chunk_texts(key)) {
            return texts.into_iter().map(|hash| Some(EmbeddingText { hash, text: None })).collect();
        }
        let rows = rows_of(project, file).len();
        let Some(source) = snapshot.source(file) else { return (0..rows).map(|_| None).collect() };
        let entry = &project.files()[file];
        let chunk =
            |chunk| text(entry.facts.chunk_text(LocalChunk::new(chunk), &source, entry.language.stub));
        (0..rows).map(chunk).collect()
    };
    let files: Vec<FileId> = project.files().ids().collect();
    let chunks: Vec<Vec<Option<EmbeddingText>>> = files.par_iter().map(|file| of_file(*file)).collect();
    let paths = project.files().iter().map(|file| text(path_words(&file.path)));
    chunks.into_iter().flatten().chain(paths).collect()
}

fn rows_of(project: &Project, file: FileId) -> Range<usize> {
    let chunks = project.chunks_of(file);
    chunks.start.index()..chunks.end.index()
}

/// Returns the words of a path without its extension: `docs a b c` for `docs/a/b_c.py`.
fn path_words(path: &str) -> String {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    let end = path[name..].rfind('.').filter(|dot| *dot > 0).map_or(path.len(), |dot| name + dot);
    let words = path[..end].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::path_words;

    #[test]
    fn a_path_is_embedded_as_its_words() {
        assert_eq!(path_words("docs/a/b_c.py"), "docs a b c");
        assert_eq!(path_words("web/page.test.ts"), "web page test");
        assert_eq!(path_words("Makefile"), "Makefile");
        assert_eq!(path_words(".hidden/.env"), "hidden env");
    }
}
