//! Keeping a snapshot up to date with its tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{FileId, LazyFacts, Project, ProjectFile};
use sscg_graph::LiveGraph;

use crate::discovery::{Discovery, FoundFile, discover};
use crate::examine::{Examiner, Texts, read};
use crate::packages::Manifests;
use crate::snapshot::FileState;
use crate::stack::{on_large_stacks, with_stack_for};
use crate::store::{
    Claim, EmbeddedStore, FactsKey, ManifestEntry, Shared, Store, StoredFacts, Update, count_missing,
};
use crate::{FileTerms, IndexError, LexicalIndex, Skipped, Snapshot, TermSource, index_directory, packages};

/// How an index is opened.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Where what is computed is kept.
    pub storage: Storage,
    /// What to do while another process indexes the same tree.
    pub busy: Busy,
}

/// Where an index keeps what it computed.
#[derive(Clone, Debug, Default)]
pub enum Storage {
    /// In the user's cache directory, one [store](EmbeddedStore) for each repository.
    #[default]
    Cache,
    /// Like [`Storage::Cache`], in this directory.
    Directory(PathBuf),
    /// Nowhere: it goes with the index.
    Ephemeral,
    /// In this store, where the work tree has this name.
    Store {
        /// The store, which other indexes may share.
        store: Arc<dyn Store>,
        /// How it knows the work tree.
        tree: String,
    },
}

/// What to do while another process indexes the same tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Busy {
    /// Wait until it is done, and use what it made.
    #[default]
    Wait,
    /// Answer from what is ready; see [`RefreshReport::pending`].
    UseReady,
}

/// Told how far a refresh is: files done, files to do. Called from many threads.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// What a refresh did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// Source files in the index now.
    pub files: usize,
    /// Files whose text was parsed, because no stored facts matched it.
    pub parsed: usize,
    /// Files whose content was read to find out whether it changed.
    pub hashed: usize,
    /// Files that are not in the index yet, because another process is at it.
    pub pending: usize,
    /// Things that went wrong with the store. The answer is complete all the same; the next run may have to
    /// parse again.
    pub warnings: Vec<String>,
    /// Whether the system or the server refused the store something, as it will again until someone does something
    /// about it: a full disk, a directory without permission.
    pub refused: bool,
}

impl RefreshReport {
    /// Notes what went wrong, once.
    fn warn(&mut self, error: &IndexError) {
        self.refused |= matches!(error, IndexError::Store { .. });
        let warning = error.to_string();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// One project: a directory, its store, and the snapshot of its last refresh.
///
/// What a refresh derived is kept in the store for the next process: at once if deriving it took long, when the index
/// is dropped if it came of few changes.
pub struct Index {
    root: PathBuf,
    /// The root as the store knows it.
    tree: String,
    store: Option<Arc<dyn Store>>,
    busy: Busy,
    /// What was known of the tree's files when they were last looked at, by path.
    manifest: Vec<ManifestEntry>,
    snapshot: Option<Arc<Snapshot>>,
    /// The graph, which follows the project from one refresh to the next.
    graph: Option<LiveGraph>,
    /// Whether the store lacks the present snapshot.
    is_news: bool,
    publishing: Option<JoinHandle<Result<(), IndexError>>>,
}

/// So few files are parsed without waiting for others.
const FEW_FILES: usize = 64;

/// Facts are written after so many files: what a process that is killed may lose.
const BATCH_FILES: usize = 256;

/// What is known of a text.
#[derive(Clone)]
struct Known {
    facts: LazyFacts,
    bytes: Shared,
    terms: Terms,
    /// Whether it is known of what the key says: false if the file changed after its hash was taken.
    is_sure: bool,
}

/// Where the terms of a text are.
#[derive(Clone)]
enum Terms {
    /// The snapshot before has them, under this file.
    Same(FileId),
    New(Arc<FileTerms>),
}

impl From<StoredFacts> for Known {
    fn from(stored: StoredFacts) -> Self {
        let (bytes, terms) = (stored.facts_bytes(), Terms::New(stored.terms));
        Self { facts: stored.facts, bytes, terms, is_sure: true }
    }
}

/// A source file with the name of its content.
type Source<'d> = (&'d FoundFile, FactsKey);

impl Index {
    /// An index of the directory `root`. Nothing is read before the first [`Index::refresh`].
    ///
    /// # Errors
    /// If `root` cannot be opened or is no directory, or there is no place for the store.
    pub fn open(root: &Path, options: &IndexOptions) -> Result<Self, IndexError> {
        let path = root.to_owned();
        let canonical =
            root.canonicalize().map_err(|source| IndexError::Root { path: path.clone(), source })?;
        if !canonical.is_dir() {
            return Err(IndexError::NotADirectory { path });
        }
        fs::read_dir(&canonical).map_err(|source| IndexError::Root { path, source })?;
        let embedded = |base: Option<&Path>| {
            let store: Arc<dyn Store> = Arc::new(EmbeddedStore::new(index_directory(&canonical, base)?));
            Ok::<_, IndexError>((Some(store), canonical.to_string_lossy().into_owned()))
        };
        let (store, tree) = match &options.storage {
            Storage::Cache => embedded(None)?,
            Storage::Directory(base) => embedded(Some(base))?,
            Storage::Ephemeral => (None, String::new()),
            Storage::Store { store, tree } => (Some(Arc::clone(store)), tree.clone()),
        };
        Ok(Self {
            root: canonical,
            tree,
            store,
            busy: options.busy,
            manifest: Vec::new(),
            snapshot: None,
            graph: None,
            is_news: false,
            publishing: None,
        })
    }

    /// The absolute path of the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where what is computed is kept, if anywhere.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// How many files the store should have whole facts of and has not: 0 if it is consistent. Those files are parsed
    /// again by the next process. Reads everything that is stored of the tree.
    ///
    /// # Errors
    /// If the store is damaged, in use for long, or cannot be read.
    pub fn count_missing(&self) -> Result<usize, IndexError> {
        self.store.as_deref().map_or(Ok(0), |store| count_missing(store, &self.tree))
    }

    /// Brings the snapshot up to date with the tree: one walk; a hash for each file whose size or time
    /// changed; a parse for each content never seen. If nothing changed the same snapshot is returned.
    ///
    /// A store that is broken, in use by another process for long, or cannot be written costs time and a
    /// warning in the report, not the answer.
    pub fn refresh(&mut self, progress: Progress<'_>) -> (Arc<Snapshot>, RefreshReport) {
        let mut report = RefreshReport::default();
        let started = SystemTime::now();
        let discovery = if self.snapshot.is_some() {
            discover(&self.root)
        } else {
            std::thread::scope(|scope| {
                let discovery = scope.spawn(|| discover(&self.root));
                self.manifest = self.ask(&mut report, |store| store.manifest(&self.tree)).unwrap_or_default();
                self.snapshot = self.stored_snapshot(&mut report).map(Arc::new);
                discovery.join().expect("a walk does not panic")
            })
        };

        let examiner = Examiner::new(&self.root, &self.manifest, started);
        let files = examiner.examine(discovery.files.iter().map(|file| &file.seen));
        let modules = examiner.examine(&discovery.manifests);
        report.hashed = files.hashed;
        let sources = discovery.files.iter().zip(&files.entries).filter_map(|(file, entry)| {
            let hash = *entry.content.as_ref().ok()?;
            Some((file, FactsKey { hash, extension: file.extension }))
        });
        let mut sources: Vec<Source<'_>> = sources.collect();
        let hashed = |entry: &ManifestEntry| Some((entry.path.clone(), *entry.content.as_ref().ok()?));
        let module_hashes: Vec<(String, [u8; 32])> = modules.entries.iter().filter_map(hashed).collect();
        let skipped = skipped(&discovery, &files.entries);
        let mut manifest = [files.entries, modules.entries].concat();
        manifest.sort_unstable_by(|a, b| a.path.cmp(&b.path));

        let before = self.snapshot.clone();
        let unchanged = before.filter(|it| it.stands_for(&sources, &module_hashes));
        let mut publish_now = false;
        let snapshot = match unchanged {
            Some(snapshot)
                if snapshot.skipped == skipped && snapshot.unsupported == discovery.unsupported =>
            {
                snapshot
            }
            Some(snapshot) => Arc::new(snapshot.among(skipped, discovery.unsupported)),
            None => {
                let links_all = self.graph.is_none();
                let known = self.learn(&sources, files.texts, &mut report, progress);
                sources.retain(|(_, key)| known.contains_key(key));
                let mut snapshot = self.build(&sources, &known, module_hashes, &discovery);
                snapshot.skipped = skipped;
                snapshot.unsupported = discovery.unsupported;
                snapshot.pending = report.pending;
                self.is_news = report.pending == 0;
                publish_now = links_all;
                Arc::new(snapshot)
            }
        };
        report.files = snapshot.project.files().len();
        // What another process is at, it writes.
        if report.pending == 0 && manifest != self.manifest {
            let update = Update { tree: &self.tree, manifest: Some(&manifest), ..Update::default() };
            self.ask(&mut report, |store| store.write(&update));
        }
        self.manifest = manifest;
        self.snapshot = Some(Arc::clone(&snapshot));
        if publish_now {
            self.publish();
        }
        (snapshot, report)
    }

    /// What the store has of the tree.
    fn stored_snapshot(&self, report: &mut RefreshReport) -> Option<Snapshot> {
        let mut snapshot = self.ask(report, |store| store.snapshot(&self.tree))??;
        snapshot.root.clone_from(&self.root);
        Some(snapshot)
    }

    /// Has the store keep the present snapshot for other processes. What is lost if that fails is derived again.
    fn publish(&mut self) {
        _ = self.finish_publishing();
        let (Some(store), Some(snapshot)) = (self.store.clone(), self.snapshot.clone()) else { return };
        if std::mem::take(&mut self.is_news) {
            let tree = self.tree.clone();
            self.publishing = Some(std::thread::spawn(move || store.publish(&tree, &snapshot)));
        }
    }

    fn finish_publishing(&mut self) -> Result<(), IndexError> {
        // A panic there is no reason for one here.
        self.publishing.take().map_or(Ok(()), |publishing| publishing.join().unwrap_or(Ok(())))
    }

    /// Waits until the store has what was derived at the last refresh. Otherwise that happens when it suits, at the
    /// latest when the index is dropped, and whether it succeeds is not told.
    ///
    /// # Errors
    /// If the store could not keep it.
    pub fn save(&mut self) -> Result<(), IndexError> {
        let saved = self.finish_publishing();
        self.publish();
        saved.and(self.finish_publishing())
    }

    /// Has the store do something, if there is one; what goes wrong becomes a warning.
    fn ask<T>(
        &self,
        report: &mut RefreshReport,
        ask: impl FnOnce(&dyn Store) -> Result<T, IndexError>,
    ) -> Option<T> {
        ask(self.store.as_deref()?).map_err(|error| report.warn(&error)).ok()
    }

    /// The facts of the files: those of the snapshot before, those in the store, and the rest by parsing.
    fn learn(
        &self,
        sources: &[Source<'_>],
        texts: Texts,
        report: &mut RefreshReport,
        progress: Progress<'_>,
    ) -> FxHashMap<FactsKey, Known> {
        let mut known = self.snapshot.as_ref().map_or_else(FxHashMap::default, |snapshot| known_of(snapshot));
        let mut missing: Vec<FactsKey> =
            sources.iter().map(|(_, key)| key).filter(|key| !known.contains_key(*key)).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        self.recall(&mut missing, &mut known, report);
        if missing.is_empty() {
            return known;
        }
        let mut waited = false;
        let claim = loop {
            let Some(claim) = self.ask(report, |store| store.claim(&self.tree)) else { break None };
            if claim.is_some() || missing.len() <= FEW_FILES {
                break claim;
            }
            if self.busy == Busy::UseReady {
                report.pending = missing.len();
                return known;
            }
            let others = self.store.as_ref().and_then(|store| store.progress(&self.tree));
            let (done, total) = others.unwrap_or((0, missing.len()));
            progress(done, total);
            std::thread::sleep(Duration::from_millis(50));
            waited = true;
        };
        if waited {
            self.recall(&mut missing, &mut known, report);
        }
        let parsed =
            on_large_stacks(|| self.parse(sources, &missing, &texts, claim.as_deref(), report, progress));
        report.parsed = parsed.len();
        known.extend(parsed);
        known
    }

    /// Takes the facts that the store has out of those missing.
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

    /// Parses each missing content once, and writes what came of it as it goes.
    fn parse(
        &self,
        sources: &[Source<'_>],
        missing: &[FactsKey],
        texts: &Texts,
        claim: Option<&dyn Claim>,
        report: &mut RefreshReport,
        progress: Progress<'_>,
    ) -> Vec<(FactsKey, Known)> {
        let mut by_key: FxHashMap<&FactsKey, &FoundFile> = FxHashMap::default();
        for (file, key) in sources {
            by_key.entry(key).or_insert(file);
        }
        let done = AtomicUsize::new(0);
        let parse = |key: &FactsKey| {
            let file = by_key[key];
            // A text that was not read just now was known, but its facts are not in the store any more, or
            // are those of another extractor.
            let reread;
            let text = match texts.get(&key.hash) {
                Some(text) => Some(text),
                None => {
                    reread = read(&self.root.join(&file.seen.path)).ok();
                    reread.as_ref().filter(|(hash, _)| *hash == key.hash).map(|(_, text)| text)
                }
            };
            let source = text.map_or("", String::as_str);
            let extract = || sscg_parse::extract(file.language, file.extension, source);
            let facts = with_stack_for(source.len(), extract);
            let terms = FileTerms::new(&facts, source, file.language.stub);
            let stored = StoredFacts::new(facts, terms);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(done, missing.len());
            if let Some(claim) = claim {
                claim.report(done, missing.len());
            }
            (key.clone(), stored, text.is_some())
        };
        let mut all = Vec::with_capacity(missing.len());
        let failure = std::thread::scope(|scope| {
            // Writing waits for the disk, parsing for the processor.
            let (batches, received) = mpsc::sync_channel::<Vec<(FactsKey, Shared)>>(2);
            let store = self.store.as_deref();
            let writer = scope.spawn(move || {
                let write =
                    |facts: Vec<_>| store?.write(&Update { facts: &facts, ..Update::default() }).err();
                received.into_iter().find_map(write)
            });
            for batch in missing.chunks(BATCH_FILES) {
                let parsed: Vec<(FactsKey, StoredFacts, bool)> = batch.par_iter().map(parse).collect();
                let sure = parsed.iter().filter(|(.., is_sure)| *is_sure);
                let news = sure.map(|(key, stored, _)| (key.clone(), stored.bytes.clone())).collect();
                // A writer that failed takes no more: what cannot be written once is not tried again and again.
                _ = batches.send(news);
                all.extend(
                    parsed
                        .into_iter()
                        .map(|(key, stored, is_sure)| (key, Known { is_sure, ..Known::from(stored) })),
                );
            }
            drop(batches);
            writer.join().expect("the writer does not panic")
        });
        failure.iter().for_each(|error| report.warn(error));
        all
    }

    /// The snapshot of these files: graph and postings follow those of the snapshot before.
    fn build(
        &mut self,
        sources: &[Source<'_>],
        known: &FxHashMap<FactsKey, Known>,
        modules: Vec<(String, [u8; 32])>,
        discovery: &Discovery,
    ) -> Snapshot {
        let entries = sources.iter().map(|(file, key)| ProjectFile {
            path: file.seen.path.as_str().into(),
            language: file.language,
            facts: known[key].facts.clone(),
        });
        let before = self.snapshot.take();
        let same_modules = before.as_ref().filter(|it| it.modules == modules).map(|it| &it.project);
        let Manifests { packages, texts } = match same_modules {
            Some(project) => {
                Manifests { packages: project.packages().to_vec(), texts: project.manifests().to_vec() }
            }
            None => packages::read(&self.root, &discovery.manifests),
        };
        let project = Arc::new(Project::new(entries.collect(), packages).with_manifests(texts));
        let link = || match &mut self.graph {
            Some(graph) => {
                graph.update(Arc::clone(&project));
                Arc::clone(graph.graph())
            }
            none => Arc::clone(none.insert(LiveGraph::new(Arc::clone(&project))).graph()),
        };
        let collect = || {
            let terms = sources.iter().map(|(_, key)| match &known[key].terms {
                Terms::Same(file) => TermSource::Same(*file),
                Terms::New(terms) => TermSource::New(terms),
            });
            match &before {
                Some(before) => before.lexical.update(&project, terms),
                None => LexicalIndex::default().update(&project, terms),
            }
        };
        let (graph, lexical) = rayon::join(link, collect);
        let state = |(_, key): &Source<'_>| {
            let Known { bytes, is_sure, .. } = &known[key];
            FileState { key: is_sure.then(|| key.clone()), facts: bytes.clone() }
        };
        Snapshot {
            root: self.root.clone(),
            graph,
            lexical,
            files: sources.iter().map(state).collect(),
            modules,
            project,
            ..Snapshot::default()
        }
    }
}

impl Drop for Index {
    /// Keeps what was derived since it was last kept.
    fn drop(&mut self) {
        self.publish();
        _ = self.finish_publishing();
    }
}

/// What a snapshot knows, by content.
fn known_of(snapshot: &Snapshot) -> FxHashMap<FactsKey, Known> {
    let known = snapshot.project.files().iter_enumerated().filter_map(|(id, file)| {
        let FileState { key, facts } = &snapshot.files[id];
        let facts =
            Known { facts: file.facts.clone(), bytes: facts.clone(), terms: Terms::Same(id), is_sure: true };
        Some((key.clone()?, facts))
    });
    known.collect()
}

fn skipped(discovery: &Discovery, manifest: &[ManifestEntry]) -> Vec<Skipped> {
    let unreadable = manifest.iter().filter_map(|entry| {
        let reason = entry.content.as_ref().err()?.clone();
        Some(Skipped { path: entry.path.clone(), reason })
    });
    let mut skipped: Vec<Skipped> = discovery.skipped.iter().cloned().chain(unreadable).collect();
    skipped.sort();
    skipped
}
