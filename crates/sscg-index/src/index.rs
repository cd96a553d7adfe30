//! Keeping a snapshot up to date with its tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Project, ProjectFile};
use sscg_graph::LiveGraph;

use crate::discovery::{Discovery, FoundFile, discover};
use crate::examine::{Texts, examine, read};
use crate::packages::Manifests;
use crate::stack::{on_large_stacks, with_stack_for};
use crate::store::{
    Claim, EmbeddedStore, FactsKey, ManifestEntry, Store, StoredFacts, Update, count_missing,
};
use crate::{FileTerms, IndexError, Skipped, Snapshot, index_directory, packages};

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

    /// Notes what went wrong meanwhile.
    fn add_warnings(&mut self, other: Self) {
        self.refused |= other.refused;
        let new = other.warnings.into_iter().filter(|warning| !self.warnings.contains(warning));
        self.warnings.extend(new.collect::<Vec<_>>());
    }
}

/// One project: a directory, its store, and the snapshot of its last refresh.
pub struct Index {
    root: PathBuf,
    /// The root as the store knows it.
    tree: String,
    store: Option<Arc<dyn Store>>,
    busy: Busy,
    /// Facts of the last refresh by content, so that a long-lived index reads its store once.
    known: FxHashMap<FactsKey, Arc<StoredFacts>>,
    manifest: Vec<ManifestEntry>,
    manifests: Manifests,
    snapshot: Option<Arc<Snapshot>>,
    /// Files that the snapshot lacks.
    pending: usize,
    /// The graph, which follows the project from one refresh to the next.
    graph: Option<LiveGraph>,
}

/// So few files are parsed without waiting for others.
const FEW_FILES: usize = 64;

/// Facts are written after so many files: what a process that is killed may lose.
const BATCH_FILES: usize = 256;

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
            known: FxHashMap::default(),
            manifest: Vec::new(),
            manifests: Manifests::default(),
            snapshot: None,
            pending: 0,
            graph: None,
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
        let discovery = discover(&self.root);
        if self.snapshot.is_none() {
            self.manifest = self.ask(&mut report, |store| store.manifest(&self.tree)).unwrap_or_default();
        }

        let (manifest, texts, hashed) = examine(&self.root, &discovery, &self.manifest, started);
        report.hashed = hashed;
        let manifests = packages::read(&self.root, &discovery.manifests);
        let skipped = skipped(&discovery, &manifest);
        let same_content =
            |(new, old): (&ManifestEntry, &ManifestEntry)| new.path == old.path && new.content == old.content;
        if let Some(snapshot) = &self.snapshot
            && self.pending == 0
            && manifests == self.manifests
            && manifest.len() == self.manifest.len()
            && manifest.iter().zip(&self.manifest).all(same_content)
            && snapshot.skipped == skipped
            && snapshot.unsupported == discovery.unsupported
        {
            report.files = snapshot.project.files().len();
            self.manifest = manifest;
            return (Arc::clone(snapshot), report);
        }
        self.manifests = manifests;

        let mut files: Vec<(&FoundFile, FactsKey)> = discovery
            .files
            .iter()
            .zip(&manifest)
            .filter_map(|(file, entry)| {
                let hash = *entry.content.as_ref().ok()?;
                Some((file, FactsKey { hash, extension: file.extension }))
            })
            .collect();
        let fleeting = self.learn(&files, &texts, &mut report, progress);
        files.retain(|(_, key)| self.known.contains_key(key));
        report.files = files.len();

        let mut graph = self.graph.take();
        let (snapshot, written) = rayon::join(
            || {
                let mut snapshot = self.build(&files, &mut graph);
                snapshot.skipped = skipped;
                snapshot.unsupported = discovery.unsupported;
                snapshot.pending = report.pending;
                Arc::new(snapshot)
            },
            || {
                // Writing waits for the disk, linking for the processor. What another process is at, it writes.
                let mut report = RefreshReport { pending: report.pending, ..RefreshReport::default() };
                if report.pending == 0 && manifest != self.manifest {
                    let update = Update { tree: &self.tree, manifest: Some(&manifest), ..Update::default() };
                    self.ask(&mut report, |store| store.write(&update));
                }
                report
            },
        );
        report.add_warnings(written);
        let current: FxHashSet<&FactsKey> = files.iter().map(|(_, key)| key).collect();
        self.known.retain(|key, _| current.contains(key) && !fleeting.contains(key));
        self.pending = report.pending;
        self.manifest = manifest;
        self.graph = graph;
        self.snapshot = Some(Arc::clone(&snapshot));
        (snapshot, report)
    }

    /// Has the store do something, if there is one; what goes wrong becomes a warning.
    fn ask<T>(
        &self,
        report: &mut RefreshReport,
        ask: impl FnOnce(&dyn Store) -> Result<T, IndexError>,
    ) -> Option<T> {
        ask(self.store.as_deref()?).map_err(|error| report.warn(&error)).ok()
    }

    /// Makes sure that the facts of the files are known: from the store, or by parsing. Returns the keys of those that
    /// changed since their hash was taken, whose facts are not those of the key.
    fn learn(
        &mut self,
        files: &[(&FoundFile, FactsKey)],
        texts: &Texts,
        report: &mut RefreshReport,
        progress: Progress<'_>,
    ) -> FxHashSet<FactsKey> {
        let mut missing: Vec<FactsKey> =
            files.iter().map(|(_, key)| key).filter(|key| !self.known.contains_key(*key)).cloned().collect();
        missing.sort_unstable();
        missing.dedup();
        self.recall(&mut missing, report);
        if missing.is_empty() {
            return FxHashSet::default();
        }
        let mut waited = false;
        let claim = loop {
            let Some(claim) = self.ask(report, |store| store.claim(&self.tree)) else { break None };
            if claim.is_some() || missing.len() <= FEW_FILES {
                break claim;
            }
            let others = self.store.as_ref().and_then(|store| store.progress(&self.tree));
            if self.busy == Busy::UseReady {
                report.pending = missing.len();
                return FxHashSet::default();
            }
            let (done, total) = others.unwrap_or((0, missing.len()));
            progress(done, total);
            std::thread::sleep(Duration::from_millis(50));
            waited = true;
        };
        if waited {
            self.recall(&mut missing, report);
        }
        on_large_stacks(|| self.parse(files, &missing, texts, claim.as_deref(), report, progress))
    }

    /// Takes the facts that the store has out of those missing.
    fn recall(&mut self, missing: &mut Vec<FactsKey>, report: &mut RefreshReport) {
        let Some(found) = self.ask(report, |store| store.facts(missing)) else { return };
        let decoded = missing.par_iter().zip(found).map(|(key, bytes)| {
            let facts = StoredFacts::decode(&bytes?)?;
            Some((key.clone(), Arc::new(facts)))
        });
        self.known.par_extend(decoded.flatten_iter());
        missing.retain(|key| !self.known.contains_key(key));
    }

    /// Parses each missing content once, and writes what came of it as it goes.
    fn parse(
        &mut self,
        files: &[(&FoundFile, FactsKey)],
        missing: &[FactsKey],
        texts: &Texts,
        claim: Option<&dyn Claim>,
        report: &mut RefreshReport,
        progress: Progress<'_>,
    ) -> FxHashSet<FactsKey> {
        let mut by_key: FxHashMap<&FactsKey, &FoundFile> = FxHashMap::default();
        for (file, key) in files {
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
                    reread = read(&self.root.join(&file.path)).ok();
                    reread.as_ref().filter(|(hash, _)| *hash == key.hash).map(|(_, text)| text)
                }
            };
            let source = text.map_or("", String::as_str);
            let extract = || sscg_parse::extract(file.language, file.extension, source);
            let facts = Arc::new(with_stack_for(source.len(), extract));
            let terms = FileTerms::new(&facts, source, file.language.stub);
            let facts = StoredFacts { facts, terms };
            let bytes = text.is_some().then(|| facts.encode());
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(done, missing.len());
            if let Some(claim) = claim {
                claim.report(done, missing.len());
            }
            Parsed { key: key.clone(), facts, bytes }
        };
        let mut fleeting = FxHashSet::default();
        let mut known = Vec::with_capacity(missing.len());
        let written = std::thread::scope(|scope| {
            // Writing waits for the disk, parsing for the processor.
            let (batches, received) = mpsc::sync_channel::<Vec<(FactsKey, Vec<u8>)>>(2);
            let store = self.store.as_deref();
            let writer = scope.spawn(move || {
                let write =
                    |facts: Vec<_>| store?.write(&Update { facts: &facts, ..Update::default() }).err();
                received.into_iter().find_map(write)
            });
            for batch in missing.chunks(BATCH_FILES) {
                let parsed: Vec<Parsed> = batch.par_iter().map(parse).collect();
                let mut encoded = Vec::with_capacity(parsed.len());
                for Parsed { key, facts, bytes } in parsed {
                    match bytes {
                        Some(bytes) => encoded.push((key.clone(), bytes)),
                        None => _ = fleeting.insert(key.clone()),
                    }
                    known.push((key, Arc::new(facts)));
                }
                // A writer that failed takes no more; what cannot be written once is not tried again and again.
                _ = batches.send(encoded);
            }
            drop(batches);
            writer.join().expect("the writer does not panic")
        });
        written.iter().for_each(|error| report.warn(error));
        report.parsed = known.len();
        self.known.extend(known);
        fleeting
    }

    fn build(&self, files: &[(&FoundFile, FactsKey)], graph: &mut Option<LiveGraph>) -> Snapshot {
        let entries = files.iter().map(|(file, key)| ProjectFile {
            path: file.path.as_str().into(),
            language: file.language,
            facts: Arc::clone(&self.known[key].facts),
        });
        let Manifests { packages, texts } = &self.manifests;
        let project = Project::new(entries.collect(), packages.clone()).with_manifests(texts.clone());
        let project = Arc::new(project);
        let graph = match graph {
            Some(graph) => {
                graph.update(Arc::clone(&project));
                graph
            }
            none => none.insert(LiveGraph::new(Arc::clone(&project))),
        };
        Snapshot {
            root: self.root.clone(),
            graph: Arc::clone(graph.graph()),
            hashes: files.iter().map(|(_, key)| key.hash).collect(),
            stored: files.iter().map(|(_, key)| Arc::clone(&self.known[key])).collect(),
            project,
            ..Snapshot::default()
        }
    }
}

/// A file's facts, with the bytes to store them; none if the file has changed since its hash was taken, so
/// that the facts are not those of the key.
struct Parsed {
    key: FactsKey,
    facts: StoredFacts,
    bytes: Option<Vec<u8>>,
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
