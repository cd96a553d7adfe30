//! Keeps a snapshot up to date with its tree.

mod embed;
mod events;
mod ingest;
mod persist;
mod sources;
mod status;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use derive_setters::Setters;
use rustc_hash::FxHashMap;
use sscg_core::{Corpus, FileId, IndexVec, Manifest, Manifests, Project, ProjectFile};
use sscg_embed::{Embedder, TermTable};
use sscg_graph::{CodeGraph, EdgeSource, LiveGraph};

use crate::changes::{ChangeDetector, Texts};
use crate::discovery::{Discovery, FoundFile, Seen, discover};
use crate::memory::MemoryLimit;
use crate::progress::{Observer, Progress, unobserved};
use crate::snapshot::FileState;
use crate::stack::on_large_stacks;
use crate::stamps::ChangeStamps;
use crate::store::{
    EmbeddedStore, FactsKey, ManifestEntry, Store, Update, count_missing, documents_of, tree_of,
};
use crate::{IndexError, Skipped, Snapshot, TermSource, Vectors, index_directory};
use embed::Embedded;
use ingest::{Knowledge, Known, Terms, released};
use persist::Task;
use sources::Imported;
pub use status::IndexStatus;

/// Options for opening an index.
#[derive(Clone, Debug, Default, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct IndexOptions {
    /// Location of computed data.
    pub storage: Storage,
    /// Behavior while another process indexes the same tree.
    pub busy: Busy,
    /// Model that embeds chunks and paths (default: the built-in term table).
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Corpus to index: the code of a tree, or its documents. The store keeps both side by side.
    pub corpus: Corpus,
    /// Maximum memory of the whole process in bytes while it indexes (default: unlimited). Checked before each file is
    /// parsed, and before the tables are built, using an estimate of their size. Data read earlier and vectors of a
    /// custom model may exceed it.
    pub max_memory: Option<usize>,
    /// Custom sources of edges, applied in this order after the linker and the results of other programs (default none).
    pub edge_sources: Vec<Arc<dyn EdgeSource>>,
}

/// Location of an index's computed data.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Storage {
    /// User's cache directory, with one [store](EmbeddedStore) per repository.
    #[default]
    Cache,
    /// Given directory, used like that of [`Storage::Cache`].
    Directory(PathBuf),
    /// Memory only; discarded with the index.
    Ephemeral,
    /// Custom store, under the given work tree name.
    Store {
        /// Store, which other indexes may share.
        store: Arc<dyn Store>,
        /// Name of the work tree in the store.
        tree: String,
    },
}

/// Behavior while another process indexes the same tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Busy {
    /// Waits until the other process is done, then uses its results.
    #[default]
    Wait,
    /// Answers from the data that is ready; see [`RefreshReport::pending`].
    UseReady,
}

/// Outcome of a refresh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefreshReport {
    /// Number of source files in the index.
    pub files: usize,
    /// Number of distinct texts that were parsed because no stored facts matched them.
    pub parsed: usize,
    /// Number of files whose references were linked: those that changed, and those that a change elsewhere affects.
    pub linked: usize,
    /// Number of files that were read to check whether their content changed.
    pub hashed: usize,
    /// True if the tree was walked. If not, nothing that a walk depends on had changed since the last one.
    pub walked: bool,
    /// Number of distinct texts that are not indexed yet because another process is indexing them.
    pub pending: usize,
    /// Problems with the store or the model. The answer is complete except for missing vectors, but the next run may
    /// have to parse again.
    pub warnings: Vec<String>,
    /// Set when the system or the server refused a store operation, and will again until the cause is fixed: a full
    /// disk, a directory without permission.
    pub refused: bool,
    /// Set when a model failed to embed some texts. Their vectors are missing until a later refresh.
    pub embedding_failed: bool,
}

impl RefreshReport {
    /// Records a warning, once per message.
    fn warn(&mut self, error: &IndexError) {
        self.refused |= matches!(error, IndexError::Store { .. });
        self.embedding_failed |= matches!(error, IndexError::Embedding { .. });
        let warning = error.to_string();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// Index of one project: a directory, its store, and the snapshot of its last refresh.
///
/// Results of a refresh are persisted in the store for the next process: at once if they took long to derive, or when
/// the index is dropped if they came from an incremental update.
///
/// ```
/// use sscg_index::{Index, IndexOptions, Storage};
///
/// let tree = tempfile::tempdir()?;
/// std::fs::write(tree.path().join("a.py"), "def helper(): pass\n")?;
/// let mut options = IndexOptions::default();
/// let store = tempfile::tempdir()?;
/// options.storage = Storage::Directory(store.path().to_owned());
///
/// let (_, report) = Index::open(tree.path(), &options)?.refresh()?;
/// assert_eq!(report.parsed, 1);
/// // Another index, perhaps of another process, finds the facts in the store.
/// let (snapshot, report) = Index::open(tree.path(), &options)?.refresh()?;
/// assert_eq!((report.files, report.parsed), (1, 0));
/// assert_eq!(snapshot.source(snapshot.project.file_at("a.py").unwrap()).unwrap(), "def helper(): pass\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Index {
    root: PathBuf,
    /// Name of the root in the store.
    tree: String,
    store: Option<Arc<dyn Store>>,
    busy: Busy,
    embedder: Option<Arc<dyn Embedder>>,
    corpus: Corpus,
    memory: MemoryLimit,
    edge_sources: Vec<Arc<dyn EdgeSource>>,
    /// Manifest of the tree as of the last refresh, sorted by path.
    manifest: Arc<[ManifestEntry]>,
    snapshot: Option<Arc<Snapshot>>,
    /// Change stamps of the snapshot's inputs, if they reveal every change.
    stamps: Option<ChangeStamps>,
    /// Graph, updated incrementally from one refresh to the next.
    graph: Option<LiveGraph>,
    /// Results of other programs.
    imported: Imported,
    /// Linked graph to which all sources of edges were applied, to make the snapshot.
    applied: Option<Arc<CodeGraph>>,
    /// Set when the store lacks the current snapshot.
    is_news: bool,
    /// Set while nothing stored may be read: every file is to be parsed again.
    ignores_store: bool,
    /// Store write that is still running after the answer was given.
    writing: Option<Task>,
    publishing: Option<Task>,
}

/// Estimated bytes of graph, postings and vectors while they are built, per byte of the project's stored facts.
/// Measured: 18 to 26 in six projects.
const TABLES_BY_FACTS: usize = 20;

/// Source file with the key of its content.
type Source<'d> = (&'d FoundFile, FactsKey);

impl Index {
    /// Opens an index of the directory `root`. No file is read before the first [`Index::refresh`].
    ///
    /// # Errors
    /// If `root` cannot be opened or is not a directory, or if there is no location for the store.
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
            tree: tree_of(options.corpus, tree),
            store,
            busy: options.busy,
            embedder: options.embedder.clone(),
            corpus: options.corpus,
            memory: MemoryLimit::new(options.max_memory),
            edge_sources: options.edge_sources.clone(),
            manifest: Arc::default(),
            snapshot: None,
            stamps: None,
            graph: None,
            imported: Imported::default(),
            applied: None,
            is_news: false,
            ignores_store: false,
            writing: None,
            publishing: None,
        })
    }

    /// Returns the absolute path of the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the store, if there is one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Discards all that was derived from the tree, in memory and stored: the next [`Index::refresh`] parses and links
    /// every file again, and replaces what the store has. Nothing stored is removed before, so that other processes go
    /// on reading. Parsing is deterministic, so the result differs only if stored data
    /// is damaged in a way that its checksums miss.
    pub fn discard(&mut self) {
        self.manifest = Arc::default();
        self.snapshot = None;
        self.stamps = None;
        self.graph = None;
        self.ignores_store = true;
    }

    /// Counts the files whose facts should be intact in the store but are not: 0 if the store is consistent. The next
    /// process parses those files again. Reads all stored data of the tree.
    ///
    /// # Errors
    /// If the store is corrupt, in use for too long, or unreadable.
    pub fn count_missing(&self) -> Result<usize, IndexError> {
        self.store.as_deref().map_or(Ok(0), |store| count_missing(store, &self.tree, self.corpus))
    }

    /// Counts the stored documents of the same directory, as of the last refresh of its document index.
    ///
    /// # Errors
    /// Same as [`Index::count_missing`].
    pub fn count_documents(&self) -> Result<usize, IndexError> {
        let Some(store) = &self.store else { return Ok(0) };
        let tree = documents_of(&self.tree).unwrap_or(&self.tree);
        let manifest = store.manifest(&tree_of(Corpus::Documents, tree.to_owned()))?;
        Ok(manifest.iter().filter(|entry| entry.content.is_ok()).count())
    }

    /// Brings the snapshot up to date with the tree: one walk, a hash for each file whose size or time changed, and a
    /// parse for each new content. Returns the same snapshot if nothing changed. On Unix that needs no walk once all
    /// inputs have been left alone for two seconds: from then on, the system's times reveal every change.
    ///
    /// A store that is corrupt, in use by another process for too long, or not writable costs time and a warning in the
    /// report, not the answer.
    ///
    /// # Errors
    /// If indexing needs more memory than [`IndexOptions::max_memory`]. The previous state stays, and the store keeps
    /// the facts parsed so far.
    pub fn refresh(&mut self) -> Result<(Arc<Snapshot>, RefreshReport), IndexError> {
        self.refresh_with_progress(&unobserved)
    }

    /// Runs [`Index::refresh`] with an observer of its progress, which can cancel it.
    ///
    /// # Errors
    /// As [`Index::refresh`], and with [`IndexError::Canceled`] if the observer cancels.
    pub fn refresh_with_progress(
        &mut self,
        observer: Observer<'_>,
    ) -> Result<(Arc<Snapshot>, RefreshReport), IndexError> {
        let started = Instant::now();
        let outcome = self.refresh_now(observer);
        events::refreshed(&self.tree, started, &outcome);
        outcome
    }

    fn refresh_now(&mut self, observer: Observer<'_>) -> Result<(Arc<Snapshot>, RefreshReport), IndexError> {
        Progress::Reading.report(observer)?;
        let mut report = RefreshReport::default();
        let stamps = self.stamps.take();
        let changed = stamps.as_ref().map(|stamps| stamps.changed(&self.root));
        if let (Some([]), Some(snapshot)) = (changed.as_deref(), &self.snapshot)
            && self.has_same_sources()
        {
            report.files = snapshot.project.files().len();
            self.stamps = stamps;
            return Ok((Arc::clone(snapshot), report));
        }
        report.walked = true;
        let started = SystemTime::now();
        // A stored snapshot does not count: a process that answers only once must report a failed write with that
        // answer.
        let is_hot = self.snapshot.is_some();
        let discovery =
            if is_hot { discover(&self.root, self.corpus) } else { self.discover_and_load(&mut report) };
        let mut detector = ChangeDetector::new(&self.root, &self.manifest, started);
        // The stamps of these changed, even if size and time look the same.
        changed.iter().flatten().for_each(|path| detector.distrust(path));
        if self.snapshot.is_none() {
            // The manifest may come from another version, whose decoders extracted other texts from the same bytes.
            let decoded = discovery.files.iter().filter(|file| file.seen.decoder.is_some());
            decoded.for_each(|file| detector.distrust(Path::new(&file.seen.path)));
        }
        // All memory-intensive work runs on the same threads: the allocator keeps freed memory for the thread that used
        // it, so the next step can reuse it.
        let (files, modules) = on_large_stacks(|| {
            let files = detector.detect(discovery.files.iter().map(|file| &file.seen));
            (files, detector.detect(&discovery.manifests))
        });
        report.hashed = files.hashed;
        let sources = discovery.files.iter().zip(&files.entries).filter_map(|(file, entry)| {
            let hash = *entry.content.as_ref().ok()?;
            Some((file, FactsKey::new(hash, file.file_type)))
        });
        let mut sources: Vec<Source<'_>> = sources.collect();
        let hashed = |entry: &ManifestEntry| Some((entry.path.clone(), *entry.content.as_ref().ok()?));
        let module_hashes: Vec<(String, [u8; 32])> = modules.entries.iter().filter_map(hashed).collect();
        let skipped = skipped(&discovery, &files.entries);
        let mut manifest = [files.entries, modules.entries].concat();
        manifest.sort_unstable_by(|a, b| a.path.cmp(&b.path));

        let embedded = self.embedder.as_ref().and(self.snapshot.as_deref()).map(Embedded::of);
        let before = self.snapshot.clone();
        let unchanged = before.filter(|it| it.stands_for(&sources, &module_hashes));
        let (mut unwritten, mut publish_now) = (Vec::new(), false);
        let snapshot = match unchanged {
            Some(snapshot)
                if snapshot.skipped == skipped && snapshot.unsupported == discovery.unsupported =>
            {
                snapshot
            }
            Some(snapshot) => Arc::new(snapshot.among(skipped, discovery.unsupported)),
            None => {
                let links_all = self.graph.is_none();
                let known = self.facts_to_link(&sources, files.texts, &mut report, observer);
                let known = known.inspect_err(|_| {
                    self.stamps = stamps;
                    if !is_hot {
                        self.snapshot = None;
                    }
                })?;
                unwritten = known.unwritten;
                sources.retain(|(_, key)| known.of.contains_key(key));
                let mut snapshot = self.build(&sources, known.of, module_hashes, &discovery, &mut report);
                snapshot.skipped = skipped;
                snapshot.unsupported = discovery.unsupported;
                snapshot.pending = report.pending;
                self.is_news = report.pending == 0;
                publish_now = links_all;
                Arc::new(snapshot)
            }
        };
        report.files = snapshot.project.files().len();
        let manifest: Arc<[ManifestEntry]> = manifest.into();
        let is_news = manifest != std::mem::replace(&mut self.manifest, Arc::clone(&manifest));
        // The process that indexes pending files also writes them.
        if report.pending == 0 && (is_news || !unwritten.is_empty()) {
            self.write(manifest, unwritten, is_hot, &mut report);
        }
        let (snapshot, is_canceled) = self.embed(snapshot, embedded, &mut report, observer);
        let snapshot = self.apply_sources(snapshot, &mut report);
        self.snapshot = Some(Arc::clone(&snapshot));
        self.stamps =
            Some(discovery.stamps).filter(|stamps| snapshot.is_complete() && stamps.is_settled(started));
        if publish_now {
            self.publish();
        }
        self.ignores_store = false;
        if is_canceled { Err(IndexError::Canceled) } else { Ok((snapshot, report)) }
    }

    /// Walks the tree, and loads the manifest and the snapshot of the store meanwhile.
    fn discover_and_load(&mut self, report: &mut RefreshReport) -> Discovery {
        std::thread::scope(|scope| {
            let (root, corpus) = (self.root.clone(), self.corpus);
            let discovery = scope.spawn(move || discover(&root, corpus));
            if !self.ignores_store {
                let manifest = self.ask(report, |store| store.manifest(&self.tree));
                self.manifest = manifest.unwrap_or_default().into();
                self.snapshot = self.stored_snapshot(report).map(Arc::new);
            }
            discovery.join().expect("a walk does not panic")
        })
    }

    /// Collects the facts of the files, and checks that they may be linked: that there is enough memory for the tables,
    /// and that the observer does not cancel.
    fn facts_to_link(
        &self,
        sources: &[Source<'_>],
        texts: Texts,
        report: &mut RefreshReport,
        observer: Observer<'_>,
    ) -> Result<Knowledge, IndexError> {
        let known = self.ingest(sources, texts, report, observer)?;
        let facts: usize = known.of.values().map(|known| known.bytes.len()).sum();
        // An incremental refresh updates the tables in place.
        let tables = if self.graph.is_none() { facts.saturating_mul(TABLES_BY_FACTS) } else { 0 };
        let may_link = self.memory.check(tables, report.parsed, report.parsed);
        if let Err(error) = may_link.and_then(|()| Progress::Linking.report(observer)) {
            // The next update takes them from the store.
            self.ask(report, |store| store.write(&Update { facts: &known.unwritten, ..Update::default() }));
            return Err(error);
        }
        Ok(known)
    }

    /// Loads the stored snapshot of the tree, unless its vectors come from another model.
    fn stored_snapshot(&self, report: &mut RefreshReport) -> Option<Snapshot> {
        let started = Instant::now();
        let mut snapshot = self.ask(report, |store| store.snapshot(&self.tree))??;
        snapshot.root.clone_from(&self.root);
        let model =
            self.embedder.as_ref().map_or(TermTable::built_in().model_id(), |embedder| embedder.model_id());
        let fits = snapshot.vectors.model() == model;
        events::loaded(&self.tree, started, &snapshot, fits);
        fits.then_some(snapshot)
    }

    /// Runs an operation on the store, if there is one. An error becomes a warning.
    fn ask<T>(
        &self,
        report: &mut RefreshReport,
        ask: impl FnOnce(&dyn Store) -> Result<T, IndexError>,
    ) -> Option<T> {
        ask(self.store.as_deref()?).map_err(|error| report.warn(&error)).ok()
    }

    /// Builds the snapshot of these files. Graph and postings are updated from the previous snapshot.
    fn build(
        &mut self,
        sources: &[Source<'_>],
        known: FxHashMap<FactsKey, Known>,
        modules: Vec<(String, [u8; 32])>,
        discovery: &Discovery,
        report: &mut RefreshReport,
    ) -> Snapshot {
        let entries = sources.iter().map(|(file, key)| ProjectFile {
            path: file.seen.path.as_str().into(),
            language: file.file_type.language,
            facts: known[key].facts.clone(),
        });
        let entries = entries.collect();
        let state = |(_, key): &Source<'_>| {
            let Known { bytes, is_sure, .. } = &known[key];
            FileState { key: is_sure.then(|| key.clone()), facts: bytes.clone() }
        };
        let files: IndexVec<FileId, FileState> = sources.iter().map(state).collect();
        let terms: Vec<Terms> = sources.iter().map(|(_, key)| known[key].terms.clone()).collect();
        drop(known);
        let before = self.snapshot.take();
        let same_modules = before.as_ref().filter(|it| it.modules == modules).map(|it| &it.project);
        let manifests = match same_modules {
            Some(project) => project.manifests().clone(),
            None => read_manifests(&self.root, &discovery.manifests),
        };
        let mut project = Project::new(entries, manifests);
        if let Some(before) = &before {
            project.reuse_from(&before.project);
        }
        let project = Arc::new(project);
        let tables =
            before.as_ref().map(|it| (it.lexical.clone(), it.vectors.clone(), Some(Arc::clone(&it.project))));
        let (lexical, vectors, project_before) = tables.unwrap_or_default();
        let stored = before.as_ref().filter(|_| self.graph.is_none()).and_then(|it| {
            let links = it.links.get()?.clone();
            Some((Arc::clone(&it.project), Arc::clone(it.linked_graph()), links))
        });
        // The graph is updated in place if this was the last reference to it.
        drop(before);
        self.applied = None;
        let is_first = self.graph.is_none();
        let link = || match &mut self.graph {
            Some(graph) => graph.update(Arc::clone(&project)),
            none => {
                let resumed = stored.and_then(|(before, graph, links)| {
                    LiveGraph::resume(before, graph, &links, Arc::clone(&project))
                });
                let all = || (LiveGraph::new(Arc::clone(&project)), project.files().len());
                let (graph, linked) = resumed.unwrap_or_else(all);
                *none = Some(graph);
                linked
            }
        };
        let project_of_terms = &project;
        let takes_texts = self.embedder.is_some();
        // Terms are freed as soon as their postings exist.
        let collect = move || {
            let terms = terms.iter().map(|terms| match terms {
                Terms::Same(file) => TermSource::Same(*file),
                Terms::New(terms) => TermSource::New(terms),
            });
            let terms: Vec<TermSource<'_>> = terms.collect();
            let lexical = lexical.update(project_of_terms, terms.iter().copied());
            if takes_texts {
                // Vectors of a custom model take longer and are added after everything else.
                return (lexical, Vectors::default());
            }
            let vectors = vectors.update(project_before.as_deref(), project_of_terms, &lexical, &terms);
            (lexical, vectors)
        };
        let started = Instant::now();
        let (linked, (lexical, vectors)) = on_large_stacks(|| rayon::join(link, collect));
        let graph = self.graph.as_mut().expect("it has just been linked");
        events::linked(&self.tree, started, linked, graph.graph());
        report.linked = linked;
        let project = if is_first || linked == project.files().len() {
            // Linking decoded the facts of all files. They are released, since only few are needed again.
            let project = Arc::new(released(&project, &files));
            graph.rebase(Arc::clone(&project));
            project
        } else {
            project
        };
        Snapshot {
            root: self.root.clone(),
            graph: Arc::clone(graph.graph()),
            lexical,
            vectors,
            files,
            modules,
            project,
            ..Snapshot::default()
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

/// Reads the manifests of a tree. Unreadable ones are ignored, like malformed ones.
fn read_manifests(root: &Path, files: &[Seen]) -> Manifests {
    let read = |Seen { path, .. }: &Seen| {
        let text = fs::read_to_string(root.join(path)).ok()?.into();
        Some(Manifest { path: path.as_str().into(), text })
    };
    sscg_graph::read_manifests(files.iter().filter_map(read))
}
