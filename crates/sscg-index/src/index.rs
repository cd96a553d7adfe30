//! Keeping a snapshot up to date with its tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Project, ProjectFile};

use crate::discovery::{Discovery, FoundFile, describe, discover};
use crate::store::{FactsKey, FactsStore, ManifestEntry, OpenFailure, StoredFacts, encode};
use crate::{
    Definitions, FileTerms, IndexError, LexicalIndex, SkipReason, Skipped, Snapshot, index_directory,
    packages,
};

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
    snapshot: Option<Arc<Snapshot>>,
}

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
            snapshot: None,
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
        let discovery = discover(&self.root);
        // The store is needed at the first refresh and whenever a file changed.
        let mut store = None;
        if self.snapshot.is_none() {
            store = self.open_store(&mut report);
            if let Some(store) = &store {
                match store.manifest(&self.root) {
                    Ok(manifest) => self.manifest = manifest,
                    Err(error) => report.warnings.push(error.to_string()),
                }
            }
        }

        let (manifest, texts) = self.examine(&discovery, &mut report);
        let unchanged = manifest.len() == self.manifest.len()
            && manifest
                .iter()
                .zip(&self.manifest)
                .all(|(new, old)| new.path == old.path && new.content == old.content);
        if unchanged
            && let Some(snapshot) = &self.snapshot
            && snapshot.skipped == skipped(&discovery, &manifest)
        {
            report.files = snapshot.project.files().len();
            self.manifest = manifest;
            return (Arc::clone(snapshot), report);
        }

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
        if !missing.is_empty() && store.is_none() {
            store = self.open_store(&mut report);
        }
        let mut missing: Vec<FactsKey> = missing.into_iter().cloned().collect();
        missing.sort_unstable_by(|a, b| (a.hash, a.extension).cmp(&(b.hash, b.extension)));
        if let Some(store) = &store {
            match store.facts(&missing) {
                Ok(found) => {
                    let found = missing.iter().cloned().zip(found);
                    self.known.extend(found.filter_map(|(key, facts)| Some((key, Arc::new(facts?)))));
                }
                Err(error) => report.warnings.push(error.to_string()),
            }
        }
        missing.retain(|key| !self.known.contains_key(key));

        let parsed = self.parse(&files, &missing, &texts, progress);
        report.parsed = parsed.len();
        report.files = files.len();
        let mut encoded = Vec::with_capacity(parsed.len());
        for (key, facts, bytes) in parsed {
            self.known.insert(key.clone(), Arc::new(facts));
            encoded.push((key, bytes));
        }
        let snapshot = std::thread::scope(|scope| {
            // Writing waits for the disk, linking for the processor.
            let writer = store.map(|store| {
                let (root, manifest) = (&self.root, &manifest);
                scope.spawn(move || store.write(root, encoded, manifest))
            });
            let snapshot = Arc::new(self.build(&discovery, &manifest, &files));
            if let Some(writer) = writer
                && let Err(error) = writer.join().expect("the writer does not panic")
            {
                report.warnings.push(error.to_string());
            }
            snapshot
        });
        let current: FxHashSet<&FactsKey> = files.iter().map(|(_, key)| key).collect();
        self.known.retain(|key, _| current.contains(key));
        self.manifest = manifest;
        self.snapshot = Some(Arc::clone(&snapshot));
        (snapshot, report)
    }

    fn open_store(&self, report: &mut RefreshReport) -> Option<FactsStore> {
        match FactsStore::open(&self.directory) {
            Ok(store) => Some(store),
            Err(OpenFailure::InUse) => {
                report.warnings.push("the index is in use by another process; nothing was saved".to_owned());
                None
            }
            Err(OpenFailure::Error(error)) => {
                report.warnings.push(error.to_string());
                None
            }
        }
    }

    /// The manifest of the tree now, and the texts that were read to make it.
    fn examine(
        &self,
        discovery: &Discovery,
        report: &mut RefreshReport,
    ) -> (Vec<ManifestEntry>, FxHashMap<[u8; 32], String>) {
        let before: FxHashMap<&str, &ManifestEntry> =
            self.manifest.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        let examined: Vec<(ManifestEntry, Option<String>)> = discovery
            .files
            .par_iter()
            .map(|file| {
                let same = |entry: &&&ManifestEntry| {
                    entry.size == file.size && entry.mtime == file.mtime && file.mtime != 0
                };
                if let Some(entry) = before.get(file.path.as_str()).filter(same) {
                    return ((*entry).clone(), None);
                }
                let (content, text) = match read(&self.root.join(&file.path)) {
                    Ok((hash, text)) => (Ok(hash), Some(text)),
                    Err(reason) => (Err(reason), None),
                };
                let FoundFile { path, size, mtime, .. } = file;
                (ManifestEntry { path: path.clone(), size: *size, mtime: *mtime, content }, text)
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
    ) -> Vec<(FactsKey, StoredFacts, Vec<u8>)> {
        let mut by_key: FxHashMap<&FactsKey, &FoundFile> = FxHashMap::default();
        for (file, key) in files {
            by_key.entry(key).or_insert(file);
        }
        let done = AtomicUsize::new(0);
        missing
            .par_iter()
            .map(|key| {
                let file = by_key[key];
                // A text that was not read just now was indexed by another version: its facts are stale.
                let reread;
                let text = match texts.get(&key.hash) {
                    Some(text) => text.as_str(),
                    None => {
                        reread = read(&self.root.join(&file.path)).map(|(_, text)| text).unwrap_or_default();
                        &reread
                    }
                };
                let facts = Arc::new(sscg_parse::extract(file.language, file.extension, text));
                let terms = FileTerms::new(&facts);
                let stored = StoredFacts { facts, terms };
                let bytes = encode(&stored);
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, missing.len());
                (key.clone(), stored, bytes)
            })
            .collect()
    }

    fn build(
        &self,
        discovery: &Discovery,
        manifest: &[ManifestEntry],
        files: &[(&FoundFile, FactsKey)],
    ) -> Snapshot {
        let packages = discovery.manifests.iter().filter_map(|path| packages::read(&self.root, path));
        let entries = files.iter().map(|(file, key)| ProjectFile {
            path: file.path.as_str().into(),
            language: file.language,
            facts: Arc::clone(&self.known[key].facts),
        });
        let project = Project::new(entries.collect(), packages.collect());
        let terms = files.iter().map(|(_, key)| &self.known[key].terms);
        let (graph, (lexical, definitions)) = rayon::join(
            || sscg_graph::link(&project),
            || (LexicalIndex::new(&project, terms), Definitions::new(&project)),
        );
        Snapshot {
            root: self.root.clone(),
            graph,
            lexical,
            definitions,
            skipped: skipped(discovery, manifest),
            unsupported: discovery.unsupported.clone(),
            hashes: files.iter().map(|(_, key)| key.hash).collect(),
            project,
        }
    }
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
