//! Facts of texts: reused from the previous snapshot, loaded from the store, or parsed.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{FileFacts, FileId, IndexVec, LazyFacts, Project};
use sscg_parse::{FileType, undivided};

use super::{Busy, Index, RefreshReport, Source};
use crate::changes::{Texts, read};
use crate::discovery::FoundFile;
use crate::progress::{Observer, Progress};
use crate::shared::SharedBytes;
use crate::snapshot::FileState;
use crate::stack::on_large_stacks;
use crate::store::{FactsKey, IndexLock, StoredFacts, Update, decode};
use crate::{FileTerms, IndexError, Snapshot};

/// Maximum number of texts that are parsed without waiting for other processes, and written with the manifest.
const FEW_FILES: usize = 64;

/// Number of texts per written batch, which a killed process may lose.
const BATCH_FILES: usize = 256;

/// Facts of all texts of a tree.
#[derive(Default)]
pub(super) struct Knowledge {
    pub(super) of: FxHashMap<FactsKey, Known>,
    /// Facts that are not in the store yet, because they are few.
    pub(super) unwritten: Vec<(FactsKey, SharedBytes)>,
}

/// Facts of a text.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) facts: LazyFacts,
    pub(super) bytes: SharedBytes,
    pub(super) terms: Terms,
    /// True if the facts belong to the key; false if the file changed after its hash was taken.
    pub(super) is_sure: bool,
}

/// Location of a text's terms.
#[derive(Clone)]
pub(super) enum Terms {
    /// Terms of this file in the previous snapshot.
    Same(FileId),
    New(Arc<FileTerms>),
}

impl From<StoredFacts> for Known {
    fn from(stored: StoredFacts) -> Self {
        let (bytes, terms) = (stored.facts_bytes(), Terms::New(stored.terms));
        Self { facts: stored.facts, bytes, terms, is_sure: true }
    }
}

/// Returns the same project without its decoded facts, which are decoded again on access.
pub(super) fn released(project: &Project, files: &IndexVec<FileId, FileState>) -> Project {
    let mut by_key: FxHashMap<&FactsKey, LazyFacts> = FxHashMap::default();
    project.with_facts(|file, facts| {
        let FileState { key, facts: bytes } = &files[file];
        match key {
            Some(key) => by_key.entry(key).or_insert_with(|| decoded_later(facts, bytes)).clone(),
            None => decoded_later(facts, bytes),
        }
    })
}

/// Returns the same facts, decoded from `bytes` on access.
fn decoded_later(facts: &LazyFacts, bytes: &SharedBytes) -> LazyFacts {
    let bytes = bytes.clone();
    facts.released(move || decode(&bytes).expect("facts are read back as they were written"))
}

impl Index {
    /// Collects the facts of the files: from the previous snapshot, from the store, or by parsing.
    pub(super) fn ingest(
        &self,
        sources: &[Source<'_>],
        texts: Texts,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) -> Result<Knowledge, IndexError> {
        let mut known = self.snapshot.as_ref().map_or_else(Knowledge::default, |snapshot| known_of(snapshot));
        let mut missing: Vec<FactsKey> =
            sources.iter().map(|(_, key)| key).filter(|key| !known.of.contains_key(*key)).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        if !self.ignores_store {
            self.recall(&mut missing, &mut known.of, report);
        }
        if missing.is_empty() {
            return Ok(known);
        }
        let mut waited = false;
        let lock = loop {
            let Some(lock) = self.ask(report, |store| store.lock(&self.tree)) else { break None };
            if lock.is_some() || missing.len() <= FEW_FILES {
                break lock;
            }
            if self.busy == Busy::UseReady {
                if self.ignores_store {
                    // What the other process parses is as good.
                    self.recall(&mut missing, &mut known.of, report);
                }
                report.pending = missing.len();
                return Ok(known);
            }
            let others = self.store.as_ref().and_then(|store| store.progress(&self.tree));
            let (done, total) = others.unwrap_or((0, missing.len()));
            Progress::Waiting { done, total }.report(observer)?;
            std::thread::sleep(Duration::from_millis(50));
            waited = true;
        };
        if waited && !self.ignores_store {
            self.recall(&mut missing, &mut known.of, report);
        }
        let parsed =
            on_large_stacks(|| self.parse(sources, &missing, texts, lock.as_deref(), report, observer))?;
        report.parsed = parsed.of.len();
        known.of.extend(parsed.of);
        Ok(Knowledge { unwritten: parsed.unwritten, ..known })
    }

    /// Loads facts from the store and removes their keys from `missing`.
    fn recall(
        &self,
        missing: &mut Vec<FactsKey>,
        known: &mut FxHashMap<FactsKey, Known>,
        report: &mut RefreshReport,
    ) {
        let Some(found) = self.ask(report, |store| store.facts(missing)) else { return };
        let decoded = missing.par_iter().zip(found).filter_map(|(key, bytes)| {
            let stored = StoredFacts::decode(bytes?)?;
            Some((key.clone(), stored.into()))
        });
        known.par_extend(decoded);
        missing.retain(|key| !known.contains_key(key));
    }

    /// Parses each missing content once. Large results are written to the store batch by batch. Stops at the
    /// memory limit, or when the observer cancels.
    fn parse(
        &self,
        sources: &[Source<'_>],
        missing: &[FactsKey],
        mut texts: Texts,
        lock: Option<&dyn IndexLock>,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) -> Result<Knowledge, IndexError> {
        let mut by_key: FxHashMap<&FactsKey, &FoundFile> = FxHashMap::default();
        for (file, key) in sources {
            by_key.entry(key).or_insert(file);
        }
        let is_little = missing.len() <= FEW_FILES;
        let total = missing.len();
        Progress::Parsing { done: 0, total }.report(observer)?;
        let (done, is_canceled) = (AtomicUsize::new(0), AtomicBool::new(false));
        let parse = |(key, text): (&FactsKey, Option<String>)| {
            if is_canceled.load(Ordering::Relaxed) {
                return Err(IndexError::Canceled);
            }
            self.memory.check(0, done.load(Ordering::Relaxed), total)?;
            let file = by_key[key];
            // A text that was not read just now was known before, but its facts are no longer in the store, or come
            // from another extractor.
            let text = text.or_else(|| {
                let (hash, text) = read(&self.root.join(&file.seen.path), file.seen.decoder).ok()?;
                (hash == key.hash).then_some(text)
            });
            let source = text.as_deref().unwrap_or_default();
            let facts = facts_of(file.file_type, source, FileType::extract);
            let comment = sscg_parse::syntax(file.file_type.language).map(|syntax| syntax.line_comment());
            let terms = FileTerms::new(&facts, source, file.file_type.language.stub, comment);
            let stored = StoredFacts::new(facts, terms);
            let bytes = stored.bytes.clone();
            let mut known = Known { is_sure: text.is_some(), ..Known::from(stored) };
            if !is_little {
                // Interleaved with temporary data of the parser, decoded facts would take twice the memory.
                known.facts = decoded_later(&known.facts, &known.bytes);
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if let Some(lock) = lock {
                lock.report(done, total);
            }
            if observer(Progress::Parsing { done, total }).is_break() {
                is_canceled.store(true, Ordering::Relaxed);
            }
            Ok((key.clone(), known, bytes))
        };
        let mut all = Knowledge::default();
        let mut stopped = None;
        let failure = std::thread::scope(|scope| {
            // Writing waits for the disk, parsing for the processor.
            let (batches, received) = mpsc::sync_channel::<Vec<(FactsKey, SharedBytes)>>(2);
            let store = self.store.as_deref();
            let writer = scope.spawn(move || {
                let write =
                    |facts: Vec<_>| store?.write(&Update { facts: &facts, ..Update::default() }).err();
                received.into_iter().find_map(write)
            });
            for batch in missing.chunks(BATCH_FILES) {
                // Texts are freed as they are parsed: together they take as much memory as all data derived from them.
                let batch: Vec<_> = batch.iter().map(|key| (key, texts.remove(&key.hash))).collect();
                let parsed: Vec<Result<_, IndexError>> = batch.into_par_iter().map(parse).collect();
                let mut news = Vec::with_capacity(parsed.len());
                for parsed in parsed {
                    let (key, known, bytes): (FactsKey, Known, SharedBytes) = match parsed {
                        Ok(parsed) => parsed,
                        Err(error) => {
                            stopped = Some(error);
                            continue;
                        }
                    };
                    if known.is_sure {
                        news.push((key.clone(), bytes));
                    }
                    all.of.insert(key, known);
                }
                if is_canceled.load(Ordering::Relaxed) {
                    stopped.get_or_insert(IndexError::Canceled);
                }
                if is_little && stopped.is_none() {
                    all.unwritten = news;
                } else {
                    // A failed writer receives nothing more, so that a failed write is not tried again.
                    _ = batches.send(news);
                }
                if stopped.is_some() {
                    break;
                }
            }
            drop(batches);
            writer.join().expect("the writer does not panic")
        });
        failure.iter().for_each(|error| report.warn(error));
        stopped.map_or(Ok(all), Err)
    }
}

/// Diagnostic for a text that makes its parser panic.
const FAILED: &str = "the parser failed, which is a bug of the parser; the lines are searched as text";

/// Returns the facts of a text. If `extract` panics, which is reported, they have its lines only: one file must not end the
/// command, nor the sessions of a server.
fn facts_of(
    file_type: FileType,
    source: &str,
    extract: impl FnOnce(FileType, &str) -> FileFacts,
) -> FileFacts {
    let facts = panic::catch_unwind(AssertUnwindSafe(|| extract(file_type, source)));
    facts.unwrap_or_else(|_| undivided(source, FAILED))
}

/// Returns the facts of a snapshot, by content.
fn known_of(snapshot: &Snapshot) -> Knowledge {
    let known = snapshot.project.files().iter_enumerated().filter_map(|(id, file)| {
        let FileState { key, facts } = &snapshot.files[id];
        let facts =
            Known { facts: file.facts.clone(), bytes: facts.clone(), terms: Terms::Same(id), is_sure: true };
        Some((key.clone()?, facts))
    });
    Knowledge { of: known.collect(), ..Knowledge::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_its_parser_fails_on_keeps_its_lines() {
        let rust = FileType::of_path("a.rs").expect("Rust is a language");
        let facts = facts_of(rust, "fn f() {}\n", |_, _| panic!("a bug"));
        assert_eq!((facts.symbols.len(), facts.chunks.len()), (0, 1));
        assert_eq!(&*facts.diagnostics[0].message, FAILED);
    }
}
