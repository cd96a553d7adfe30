//! Keeping a snapshot up to date with its tree.

mod embed;
mod keep;
mod learn;
mod survey;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustc_hash::FxHashMap;
use sscg_core::{Corpus, FileId, IndexVec, Project, ProjectFile};
use sscg_embed::{Embedder, TermTable};
use sscg_graph::LiveGraph;

use crate::census::Census;
use crate::discovery::{Discovery, FoundFile, discover};
use crate::examine::Examiner;
use crate::memory::MemoryLimit;
use crate::packages::Manifests;
use crate::snapshot::FileState;
use crate::stack::on_large_stacks;
use crate::store::{EmbeddedStore, FactsKey, ManifestEntry, Store, count_missing, documents_of, tree_of};
use crate::{IndexError, Skipped, Snapshot, TermSource, Vectors, index_directory, packages};
use embed::Embedded;
use keep::Task;
use learn::{Known, Terms, released};
pub use survey::Survey;

/// How an index is opened.
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// Where what is computed is kept.
    pub storage: Storage,
    /// What to do while another process indexes the same tree.
    pub busy: Busy,
    /// What makes the vectors of chunks and paths; the built-in table of terms if left out.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What is indexed: the code of a tree, or its documents. The store keeps both side by side.
    pub corpus: Corpus,
    /// Bytes of memory that the process may take while it indexes, all that it does besides included; no limit by default.
    /// Looked at before each file is parsed, and before the tables are made, with what those take by estimate. What is read
    /// before, and vectors of a model, may take more.
    pub max_memory: Option<usize>,
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

/// Told how far a refresh is: files parsed, files to parse; then texts embedded, texts to embed. Called from many threads.
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
    /// Whether the tree was walked. If not, nothing that a walk depends on had changed since the last one.
    pub walked: bool,
    /// Files that are not in the index yet, because another process is at it.
    pub pending: usize,
    /// Things that went wrong with the store. The answer is complete all the same; the next run may have to
    /// parse again.
    pub warnings: Vec<String>,
    /// Whether the system or the server refused the store something, as it will again until someone does something
    /// about it: a full disk, a directory without permission.
    pub refused: bool,
    /// Whether a model could not be asked for vectors of all texts; they are missing until a later refresh.
    pub embedding_failed: bool,
}

impl RefreshReport {
    /// Notes what went wrong, once.
    fn warn(&mut self, error: &IndexError) {
        self.refused |= matches!(error, IndexError::Store { .. });
        self.embedding_failed |= matches!(error, IndexError::Embedding { .. });
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
    embedder: Option<Arc<dyn Embedder>>,
    corpus: Corpus,
    memory: MemoryLimit,
    /// What was known of the tree's files when they were last looked at, by path.
    manifest: Arc<[ManifestEntry]>,
    snapshot: Option<Arc<Snapshot>>,
    /// What the snapshot depends on, if it tells when that changes.
    census: Option<Census>,
    /// The graph, which follows the project from one refresh to the next.
    graph: Option<LiveGraph>,
    /// Whether the store lacks the present snapshot.
    is_news: bool,
    /// What the store is being told while the answer is already there.
    writing: Option<Task>,
    publishing: Option<Task>,
}

/// How many bytes the graph, the postings and the vectors of a project take while they are made, for each byte of its stored
/// facts: 18 to 26 in six projects.
const TABLES_BY_FACTS: usize = 20;

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
            tree: tree_of(options.corpus, tree),
            store,
            busy: options.busy,
            embedder: options.embedder.clone(),
            corpus: options.corpus,
            memory: MemoryLimit::new(options.max_memory),
            manifest: Arc::default(),
            snapshot: None,
            census: None,
            graph: None,
            is_news: false,
            writing: None,
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
        self.store.as_deref().map_or(Ok(0), |store| count_missing(store, &self.tree, self.corpus))
    }

    /// How many documents the store has of the same directory, as of the last refresh of an index of them.
    ///
    /// # Errors
    /// As [`Index::count_missing`].
    pub fn count_documents(&self) -> Result<usize, IndexError> {
        let Some(store) = &self.store else { return Ok(0) };
        let tree = documents_of(&self.tree).unwrap_or(&self.tree);
        let manifest = store.manifest(&tree_of(Corpus::Documents, tree.to_owned()))?;
        Ok(manifest.iter().filter(|entry| entry.content.is_ok()).count())
    }

    /// Brings the snapshot up to date with the tree: one walk; a hash for each file whose size or time
    /// changed; a parse for each content never seen. If nothing changed the same snapshot is returned, on unix without
    /// a walk once all that it depends on has been left alone for two seconds: that is when the system's times tell.
    ///
    /// A store that is broken, in use by another process for long, or cannot be written costs time and a
    /// warning in the report, not the answer.
    ///
    /// # Errors
    /// If it needs more memory than [`IndexOptions::max_memory`]. The state before stays, and the store keeps what was parsed.
    pub fn refresh(&mut self, progress: Progress<'_>) -> Result<(Arc<Snapshot>, RefreshReport), IndexError> {
        let mut report = RefreshReport::default();
        let census = self.census.take();
        let changed = census.as_ref().map(|census| census.changed(&self.root));
        if let (Some([]), Some(snapshot)) = (changed.as_deref(), &self.snapshot) {
            report.files = snapshot.project.files().len();
            self.census = census;
            return Ok((Arc::clone(snapshot), report));
        }
        report.walked = true;
        let started = SystemTime::now();
        // Not what another process has left: a process that answers once tells what it could not write.
        let is_hot = self.snapshot.is_some();
        let discovery = if is_hot {
            discover(&self.root, self.corpus)
        } else {
            std::thread::scope(|scope| {
                let discovery = scope.spawn(|| discover(&self.root, self.corpus));
                let manifest = self.ask(&mut report, |store| store.manifest(&self.tree));
                self.manifest = manifest.unwrap_or_default().into();
                self.snapshot = self.stored_snapshot(&mut report).map(Arc::new);
                discovery.join().expect("a walk does not panic")
            })
        };

        let mut examiner = Examiner::new(&self.root, &self.manifest, started);
        // Something happened to these, even if they look the same.
        changed.iter().flatten().for_each(|path| examiner.distrust(path));
        if self.snapshot.is_none() {
            // What was known may be of another version, whose decoders made other texts of the same bytes.
            let decoded = discovery.files.iter().filter(|file| file.seen.decoder.is_some());
            decoded.for_each(|file| examiner.distrust(Path::new(&file.seen.path)));
        }
        // All that fills memory runs on the same threads: what one part frees, the allocator keeps for the thread that
        // had it, and the next part finds it there.
        let (files, modules) = on_large_stacks(|| {
            let files = examiner.examine(discovery.files.iter().map(|file| &file.seen));
            (files, examiner.examine(&discovery.manifests))
        });
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
                let known = self.learn(&sources, files.texts, &mut report, progress);
                let known = known.and_then(|known| {
                    let facts: usize = known.of.values().map(|known| known.bytes.len()).sum();
                    // Of few changes the tables follow in place.
                    let tables = if links_all { facts.saturating_mul(TABLES_BY_FACTS) } else { 0 };
                    self.memory.check(tables, report.parsed, report.parsed)?;
                    Ok(known)
                });
                let known = known.inspect_err(|_| {
                    self.census = census;
                    if !is_hot {
                        self.snapshot = None;
                    }
                })?;
                unwritten = known.unwritten;
                sources.retain(|(_, key)| known.of.contains_key(key));
                let mut snapshot = self.build(&sources, known.of, module_hashes, &discovery);
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
        // What another process is at, it writes.
        if report.pending == 0 && (is_news || !unwritten.is_empty()) {
            self.write(manifest, unwritten, is_hot, &mut report);
        }
        let snapshot = self.embed(snapshot, embedded, &mut report, progress);
        self.snapshot = Some(Arc::clone(&snapshot));
        self.census =
            Some(discovery.census).filter(|census| snapshot.is_complete() && census.is_settled(started));
        if publish_now {
            self.publish();
        }
        Ok((snapshot, report))
    }

    /// What the store has of the tree.
    fn stored_snapshot(&self, report: &mut RefreshReport) -> Option<Snapshot> {
        let mut snapshot = self.ask(report, |store| store.snapshot(&self.tree))??;
        snapshot.root.clone_from(&self.root);
        let model =
            self.embedder.as_ref().map_or(TermTable::built_in().model_id(), |embedder| embedder.model_id());
        (snapshot.vectors.model() == model).then_some(snapshot)
    }

    /// Has the store do something, if there is one; what goes wrong becomes a warning.
    fn ask<T>(
        &self,
        report: &mut RefreshReport,
        ask: impl FnOnce(&dyn Store) -> Result<T, IndexError>,
    ) -> Option<T> {
        ask(self.store.as_deref()?).map_err(|error| report.warn(&error)).ok()
    }

    /// The snapshot of these files: graph and postings follow those of the snapshot before.
    fn build(
        &mut self,
        sources: &[Source<'_>],
        known: FxHashMap<FactsKey, Known>,
        modules: Vec<(String, [u8; 32])>,
        discovery: &Discovery,
    ) -> Snapshot {
        let entries = sources.iter().map(|(file, key)| ProjectFile {
            path: file.seen.path.as_str().into(),
            language: file.language,
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
        let Manifests { packages, texts } = match same_modules {
            Some(project) => {
                Manifests { packages: project.packages().to_vec(), texts: project.manifests().to_vec() }
            }
            None => packages::read(&self.root, &discovery.manifests),
        };
        let mut project = Project::new(entries, packages).with_manifests(texts);
        if let Some(before) = &before {
            project.follow(&before.project);
        }
        let project = Arc::new(project);
        let tables =
            before.as_ref().map(|it| (it.lexical.clone(), it.vectors.clone(), Some(Arc::clone(&it.project))));
        let (lexical, vectors, project_before) = tables.unwrap_or_default();
        // The graph is changed in place if this was the last to hold it.
        drop(before);
        let link = || match &mut self.graph {
            Some(graph) => graph.update(Arc::clone(&project)),
            none => {
                *none = Some(LiveGraph::new(Arc::clone(&project)));
                project.files().len()
            }
        };
        let project_of_terms = &project;
        let takes_texts = self.embedder.is_some();
        // Terms go as soon as their postings are there.
        let collect = move || {
            let terms = terms.iter().map(|terms| match terms {
                Terms::Same(file) => TermSource::Same(*file),
                Terms::New(terms) => TermSource::New(terms),
            });
            let terms: Vec<TermSource<'_>> = terms.collect();
            let lexical = lexical.update(project_of_terms, terms.iter().copied());
            if takes_texts {
                // Those take longer, and come when all else is known.
                return (lexical, Vectors::default());
            }
            let vectors = vectors.update(project_before.as_deref(), project_of_terms, &lexical, &terms);
            (lexical, vectors)
        };
        let (linked, (lexical, vectors)) = on_large_stacks(|| rayon::join(link, collect));
        let graph = self.graph.as_mut().expect("it has just been linked");
        let project = if linked == project.files().len() {
            // The facts of all files are decoded now, and those of few are asked for again.
            let project = Arc::new(released(&project, &files));
            graph.stand_on(Arc::clone(&project));
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
