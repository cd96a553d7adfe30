//! Keeping a snapshot up to date with its tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{LazyFacts, Project, ProjectFile};
use sscg_graph::LiveGraph;

use crate::discovery::{Discovery, FoundFile, describe, discover};
use crate::packages::Manifests;
use crate::stack::{on_large_stacks, with_stack_for};
use crate::store::{FactsKey, FactsStore, ManifestEntry, StoreFailure, StoredFacts, encode};
use crate::{FileTerms, IndexError, SkipReason, Skipped, Snapshot, index_directory, packages};

/// How an index is opened.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Where stores live; the user's cache directory if `None`.
    pub index_dir: Option<PathBuf>,
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
    /// Things that went wrong with the store. The answer is complete all the same; the next run may have to
    /// parse again.
    pub warnings: Vec<String>,
}

/// One project: a directory, its store, and the snapshot of its last refresh.
pub struct Index {
    root: PathBuf,
    directory: PathBuf,
    /// Facts of the last refresh by content, so that a long-lived index reads its store once.
    known: FxHashMap<FactsKey, Arc<StoredFacts>>,
    manifest: Vec<ManifestEntry>,
    manifests: Manifests,
    snapshot: Option<Arc<Snapshot>>,
    /// The graph, which follows the project from one refresh to the next.
    graph: Option<LiveGraph>,
}

/// A file that changed so shortly before it was looked at may change again without a new time: clocks of file
/// systems are as coarse as this. Its content is hashed again the next time.
const CLOCK_STEP: Duration = Duration::from_secs(2);

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
        let directory = index_directory(&canonical, options.index_dir.as_deref())?;
        Ok(Self {
            root: canonical,
            directory,
            known: FxHashMap::default(),
            manifest: Vec::new(),
            manifests: Manifests::default(),
            snapshot: None,
            graph: None,
        })
    }

    /// The absolute path of the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directory of the store.
    pub fn directory(&self) -> &Path {
        &self.directory
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
        // The store is needed at the first refresh and whenever a file changed.
        let mut store = None;
        if self.snapshot.is_none() {
            store = self.open_store(&mut report);
            let manifest = self.ask(&mut store, &mut report, |store| store.manifest(&self.root));
            self.manifest = manifest.unwrap_or_default();
        }

        let (manifest, texts) = self.examine(&discovery, started, &mut report);
        let manifests = packages::read(&self.root, &discovery.manifests);
        let unchanged = manifests == self.manifests
            && manifest.len() == self.manifest.len()
            && manifest
                .iter()
                .zip(&self.manifest)
                .all(|(new, old)| new.path == old.path && new.content == old.content);
        if unchanged
            && let Some(snapshot) = &self.snapshot
            && snapshot.skipped == skipped(&discovery, &manifest)
            && snapshot.unsupported == discovery.unsupported
        {
            report.files = snapshot.project.files().len();
            self.manifest = manifest;
            return (Arc::clone(snapshot), report);
        }
        self.manifests = manifests;

        let files: Vec<(&FoundFile, FactsKey)> = discovery
            .files
            .iter()
            .zip(&manifest)
            .filter_map(|(file, entry)| {
                let hash = *entry.content.as_ref().ok()?;
                Some((file, FactsKey { hash, extension: file.extension }))
            })
            .collect();
        let missing: FxHashSet<&FactsKey> =
            files.iter().map(|(_, key)| key).filter(|key| !self.known.contains_key(*key)).collect();
        if !missing.is_empty() && store.is_none() && self.snapshot.is_some() {
            store = self.open_store(&mut report);
        }
        let mut missing: Vec<FactsKey> = missing.into_iter().cloned().collect();
        missing.sort_unstable_by(|a, b| (a.hash, a.extension).cmp(&(b.hash, b.extension)));
        if let Some(found) = self.ask(&mut store, &mut report, |store| store.facts(&missing)) {
            let found = missing.iter().cloned().zip(found);
            self.known.extend(found.filter_map(|(key, facts)| Some((key, Arc::new(facts?)))));
        }
        missing.retain(|key| !self.known.contains_key(key));

        let parsed = on_large_stacks(|| self.parse(&files, &missing, &texts, progress));
        report.parsed = parsed.len();
        report.files = files.len();
        let mut encoded = Vec::with_capacity(parsed.len());
        let mut gone: FxHashSet<FactsKey> = FxHashSet::default();
        for Parsed { key, facts, bytes } in parsed {
            self.known.insert(key.clone(), Arc::new(facts));
            match bytes {
                Some(bytes) => encoded.push((key, bytes)),
                None => {
                    gone.insert(key);
                }
            }
        }
        let is_news = !encoded.is_empty() || manifest != self.manifest;
        let mut graph = self.graph.take();
        let snapshot = std::thread::scope(|scope| {
            // Writing waits for the disk, linking for the processor.
            let writer = scope.spawn(|| {
                let mut report = RefreshReport::default();
                if is_news {
                    self.ask(&mut store, &mut report, |store| store.write(&self.root, &encoded, &manifest));
                }
                if let Some(store) = store {
                    store.close();
                }
                report.warnings
            });
            let snapshot = Arc::new(self.build(&discovery, &manifest, &files, &mut graph));
            report.warnings.extend(writer.join().expect("the writer does not panic"));
            snapshot
        });
        let current: FxHashSet<&FactsKey> = files.iter().map(|(_, key)| key).collect();
        self.known.retain(|key, _| current.contains(key) && !gone.contains(key));
        self.manifest = manifest;
        self.graph = graph;
        self.snapshot = Some(Arc::clone(&snapshot));
        (snapshot, report)
    }

    fn open_store(&self, report: &mut RefreshReport) -> Option<FactsStore> {
        let opened = match FactsStore::open(&self.directory) {
            Err(StoreFailure::Damaged) => self.replace_store(report),
            opened => opened,
        };
        opened.map_err(|failure| report.warnings.push(self.warning(failure))).ok()
    }

    fn replace_store(&self, report: &mut RefreshReport) -> Result<FactsStore, StoreFailure> {
        report.warnings.push(self.warning(StoreFailure::Damaged));
        FactsStore::replace(&self.directory)
    }

    /// Has the store do something, if there is one. A damaged one is replaced.
    fn ask<T>(
        &self,
        store: &mut Option<FactsStore>,
        report: &mut RefreshReport,
        ask: impl FnOnce(&FactsStore) -> Result<T, StoreFailure>,
    ) -> Option<T> {
        match ask(store.as_ref()?) {
            Ok(answer) => Some(answer),
            Err(StoreFailure::Damaged) => {
                if let Some(damaged) = store.take() {
                    damaged.close();
                }
                *store = self
                    .replace_store(report)
                    .map_err(|failure| report.warnings.push(self.warning(failure)))
                    .ok();
                None
            }
            Err(failure) => {
                report.warnings.push(self.warning(failure));
                None
            }
        }
    }

    fn warning(&self, failure: StoreFailure) -> String {
        match failure {
            StoreFailure::InUse => "the index is in use by another process; nothing was saved".to_owned(),
            StoreFailure::Damaged => {
                format!("the index in {} is damaged; it is made anew", self.directory.display())
            }
            StoreFailure::Error(error) => error.to_string(),
        }
    }

    /// The manifest of the tree now, and the texts that were read to make it.
    fn examine(
        &self,
        discovery: &Discovery,
        started: SystemTime,
        report: &mut RefreshReport,
    ) -> (Vec<ManifestEntry>, FxHashMap<[u8; 32], String>) {
        let before: FxHashMap<&str, &ManifestEntry> =
            self.manifest.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let settled = started.checked_sub(CLOCK_STEP).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let settled = settled.map_or(0, |since| since.as_nanos());
        let examined: Vec<(ManifestEntry, Option<String>)> = discovery
            .files
            .par_iter()
            .map(|file| {
                let same = |entry: &&&ManifestEntry| {
                    // Permission may be given without a trace in size or time.
                    let was_read = !matches!(entry.content, Err(SkipReason::Unreadable(_)));
                    was_read && entry.size == file.size && entry.mtime == file.mtime && file.mtime != 0
                };
                if let Some(entry) = before.get(file.path.as_str()).filter(same) {
                    return ((*entry).clone(), None);
                }
                let (content, text) = match read(&self.root.join(&file.path)) {
                    Ok((hash, text)) => (Ok(hash), Some(text)),
                    Err(reason) => (Err(reason), None),
                };
                let mtime = if file.mtime < settled { file.mtime } else { 0 };
                (ManifestEntry { path: file.path.clone(), size: file.size, mtime, content }, text)
            })
            .collect();
        let mut texts = FxHashMap::default();
        let mut manifest = Vec::with_capacity(examined.len());
        for (entry, text) in examined {
            if let (Ok(hash), Some(text)) = (&entry.content, text) {
                report.hashed += 1;
                texts.insert(*hash, text);
            }
            manifest.push(entry);
        }
        (manifest, texts)
    }

    /// Parses each missing content once.
    fn parse(
        &self,
        files: &[(&FoundFile, FactsKey)],
        missing: &[FactsKey],
        texts: &FxHashMap<[u8; 32], String>,
        progress: Progress<'_>,
    ) -> Vec<Parsed> {
        let mut by_key: FxHashMap<&FactsKey, &FoundFile> = FxHashMap::default();
        for (file, key) in files {
            by_key.entry(key).or_insert(file);
        }
        let done = AtomicUsize::new(0);
        missing
            .par_iter()
            .map(|key| {
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
                let facts = LazyFacts::from(with_stack_for(source.len(), extract));
                let terms = FileTerms::new(&facts, source, file.language.stub);
                let facts = StoredFacts { facts, terms };
                let bytes = text.is_some().then(|| encode(&facts));
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, missing.len());
                Parsed { key: key.clone(), facts, bytes }
            })
            .collect()
    }

    fn build(
        &self,
        discovery: &Discovery,
        manifest: &[ManifestEntry],
        files: &[(&FoundFile, FactsKey)],
        graph: &mut Option<LiveGraph>,
    ) -> Snapshot {
        let entries = files.iter().map(|(file, key)| ProjectFile {
            path: file.path.as_str().into(),
            language: file.language,
            facts: self.known[key].facts.clone(),
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
            lexical: OnceLock::new(),
            derived: Mutex::default(),
            skipped: skipped(discovery, manifest),
            unsupported: discovery.unsupported.clone(),
            hashes: files.iter().map(|(_, key)| key.hash).collect(),
            stored: files.iter().map(|(_, key)| Arc::clone(&self.known[key])).collect(),
            project,
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

/// A file's text and the hash of its bytes, or why it is not indexed.
fn read(path: &Path) -> Result<([u8; 32], String), SkipReason> {
    let bytes = fs::read(path).map_err(|error| SkipReason::Unreadable(describe(&error)))?;
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(SkipReason::Utf16);
    }
    let head = &bytes[..bytes.len().min(8192)];
    if head.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let hash = *blake3::hash(&bytes).as_bytes();
    let text = String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        // Text in a one-byte encoding is mostly ASCII; noise is not.
        let odd =
            bytes.iter().filter(|byte| !byte.is_ascii() || (**byte < 32 && !byte.is_ascii_whitespace()));
        if odd.count() * 4 > bytes.len() { SkipReason::Binary } else { SkipReason::NotUtf8 }
    })?;
    Ok((hash, text))
}
