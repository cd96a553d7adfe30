//! Store of one project.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use derive_setters::Setters;
use lancedb::{Connection, Error as LanceError, Table as LanceTable};
use sscg_index::{
    Collected, FactsKey, IndexError, IndexLock, ManifestEntry, Snapshot, Store, TextHash, Update, Usage,
};
use tokio::runtime::Runtime;

use crate::address::Location;
use crate::content::{Content, bytes_rows, read_bytes, read_vectors, vector_rows};
use crate::garbage::garbage;
use crate::maintenance;
use crate::manifest::{StoredManifest, facts_key, manifests};
use crate::publication::{file_text, publish, snapshot_bytes, tree_names, vector_key};
use crate::tables::{Head, Meta, Table, open_table};
use crate::transaction::{Aborted, Transaction};

/// Maximum time for retries after conflicts with other writers of the same project.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Retention of table versions that are not in the head, for readers that still use them.
const READERS_FINISH_WITHIN_DAYS: u32 = 1;

/// Options of a [`LanceStore`].
#[derive(Clone, Debug, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct LanceOptions {
    /// Options of the object store, in lowercase as [Lance names them](https://lance.org/guide/object_store/):
    /// `aws_endpoint`, `aws_region`, `aws_access_key_id` and so on. The usual `AWS_*` environment variables apply, too.
    pub storage: Vec<(String, String)>,
    /// Minimum number of rows for indices on a table (default 50,000); below, a full scan is faster.
    pub index_rows: usize,
}

impl Default for LanceOptions {
    fn default() -> Self {
        Self { storage: Vec::new(), index_rows: 50_000 }
    }
}

/// Tables of one project, in a directory or an object store.
///
/// A process may open several stores, and many processes may share the tables. Readers never block anyone. Of two
/// writers that publish work trees of the same project at once, one waits for the other; writers of different projects
/// are independent.
pub struct LanceStore {
    place: String,
    options: LanceOptions,
    connection: Connection,
    /// Embedding model of this process.
    model: Mutex<Option<String>>,
    /// Last head read, with its tables.
    view: Mutex<Option<Arc<View>>>,
    /// Snapshots in use without their tree, by its name, each with the head that it was read at.
    detached: Mutex<HashMap<String, (Head, Weak<Snapshot>)>>,
    runtime: OwnRuntime,
}

impl fmt::Debug for LanceStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanceStore").field("place", &self.place).finish_non_exhaustive()
    }
}

/// Runtime whose drop does not block, so that asynchronous code may drop it.
struct OwnRuntime(Option<Runtime>);

impl OwnRuntime {
    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("it is dropped only with its owner").block_on(work)
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Tables at the versions of one head, for reading.
pub(crate) struct View {
    head: Head,
    tables: Vec<Option<LanceTable>>,
}

impl View {
    pub(crate) fn table(&self, table: Table) -> Option<&LanceTable> {
        self.tables[table as usize].as_ref()
    }

    async fn snapshot_bytes(&self, tree: &str) -> Result<Option<Vec<u8>>, LanceError> {
        match self.table(Table::Trees) {
            Some(trees) => snapshot_bytes(trees, tree).await,
            None => Ok(None),
        }
    }
}

impl LanceStore {
    /// Connects to the tables of `project` at an [address](crate::is_address). The tables are created on the first
    /// write.
    ///
    /// # Errors
    /// Fails with [`IndexError::Store`] if the address or the project name is invalid, or the storage returns an error.
    pub fn open(address: &str, project: &str, options: LanceOptions) -> Result<Self, IndexError> {
        let location = Location::new(address, project, &options.storage)?;
        let place = location.uri.clone();
        let failed = |message| IndexError::Store { operation: "open", place: place.clone(), message };
        let runtime = Runtime::new().map_err(|error| failed(error.to_string()))?;
        let connecting = lancedb::connect(&location.uri).storage_options(location.options).execute();
        let runtime = OwnRuntime(Some(runtime));
        let connection = runtime.block_on(connecting).map_err(|error| failed(message(&error)))?;
        Ok(Self {
            place,
            options,
            connection,
            model: Mutex::default(),
            view: Mutex::default(),
            detached: Mutex::default(),
            runtime,
        })
    }

    /// Merges small files, drops removed rows, creates or updates indices, and removes versions of the tables that are
    /// too old to have readers. Publishing calls this when a table has many files.
    ///
    /// # Errors
    /// Fails like every method of [`Store`].
    pub fn optimize(&self) -> Result<(), IndexError> {
        self.maintain(READERS_FINISH_WITHIN_DAYS)
    }

    fn maintain(&self, keep_days: u32) -> Result<(), IndexError> {
        let index_rows = self.options.index_rows;
        let head = self.transact("clean", async |transaction| {
            maintenance::rewrite(transaction, index_rows).await.map(|()| true)
        })?;
        self.block_on("clean", maintenance::prune(&self.connection, &head, index_rows, keep_days))
    }

    /// Runs a transaction and commits it, with retries on conflicts. If `work` returns false, nothing is committed and
    /// the prepared head is returned.
    fn transact(
        &self,
        operation: &'static str,
        work: impl AsyncFn(&mut Transaction<'_>) -> Result<bool, Aborted>,
    ) -> Result<Head, IndexError> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            let attempt = async {
                let mut transaction = Transaction::begin(&self.connection).await?;
                if work(&mut transaction).await? { transaction.commit().await } else { Ok(transaction.next) }
            };
            match self.runtime.block_on(attempt) {
                Ok(head) => return Ok(head),
                Err(Aborted::Source(error)) => return Err(error),
                Err(Aborted::Failed(error)) => return Err(self.failed(operation, message(&error))),
                Err(Aborted::Conflict) if started.elapsed() < TIMEOUT => std::thread::sleep(pause),
                Err(Aborted::Conflict) => return Err(IndexError::InUse { place: self.place.clone() }),
            }
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    pub(crate) fn block_on<T>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T, LanceError>>,
    ) -> Result<T, IndexError> {
        self.runtime.block_on(work).map_err(|error| self.failed(operation, message(&error)))
    }

    pub(crate) fn failed(&self, operation: &'static str, message: String) -> IndexError {
        IndexError::Store { operation, place: self.place.clone(), message }
    }

    /// Returns the current view of readers.
    pub(crate) async fn view(&self) -> Result<Arc<View>, LanceError> {
        let head = match Meta::open(&self.connection).await? {
            Some(meta) => meta.head().await?.unwrap_or_default(),
            None => Head::default(),
        };
        let known = self.view.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(view) = known.filter(|view| view.head == head) {
            return Ok(view);
        }
        let mut tables = Vec::with_capacity(Table::ALL.len());
        for table in Table::ALL {
            let opened = match head.version(table) {
                0 => None,
                version => {
                    let lance = open_table(&self.connection, table.name()).await?;
                    if let Some(lance) = &lance {
                        lance.checkout(version).await?;
                    }
                    lance
                }
            };
            tables.push(opened);
        }
        let view = Arc::new(View { head, tables });
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Returns the snapshot in use of a tree, if it was read at this head.
    fn known(&self, tree: &str, head: &Head) -> Option<Arc<Snapshot>> {
        let detached = self.detached.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, snapshot) = detached.get(tree).filter(|(known, _)| known == head)?;
        snapshot.upgrade()
    }

    fn remember(&self, model: &str) {
        if !model.is_empty() {
            *self.model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model.to_owned());
        }
    }
}

impl Store for LanceStore {
    fn place(&self) -> String {
        self.place.clone()
    }

    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError> {
        let manifest = self.block_on("read", async {
            Content::Manifests.touch(&self.connection, tree, today()).await?;
            Content::Manifests.get(&self.connection, &[tree.to_owned()], read_bytes).await
        })?;
        let stored = manifest.get(tree).and_then(|bytes| StoredManifest::decode(bytes));
        // A manifest of another version counts as none.
        Ok(stored.map_or(Vec::new(), |stored| stored.entries))
    }

    fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        let keys: Vec<String> = keys.iter().map(facts_key).collect();
        let found = self.block_on("read", Content::Facts.get(&self.connection, &keys, read_bytes))?;
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError> {
        self.remember(model);
        let keys: Vec<String> = keys.iter().map(|key| vector_key(model, key)).collect();
        let found = self.block_on("read", Content::Vectors.get(&self.connection, &keys, read_vectors))?;
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    fn write(&self, update: &Update<'_>) -> Result<(), IndexError> {
        let day = today();
        self.remember(update.model);
        self.block_on("write", async {
            if !update.facts.is_empty() {
                let rows = update.facts.iter().map(|(key, value)| (facts_key(key), &**value));
                Content::Facts.add(&self.connection, bytes_rows(rows, day)).await?;
            }
            if !update.vectors.is_empty() {
                let key = |text| vector_key(update.model, text);
                let rows = update.vectors.iter().map(|(text, vector)| (key(text), vector.as_slice()));
                Content::Vectors.add(&self.connection, vector_rows(rows, day)).await?;
            }
            Ok(())
        })?;
        let Some(entries) = update.manifest else { return Ok(()) };
        self.block_on("write", async {
            let key = [update.tree.to_owned()];
            let before = Content::Manifests.get(&self.connection, &key, read_bytes).await?;
            let before = before.get(update.tree).and_then(|bytes| StoredManifest::decode(bytes));
            let bytes = before.unwrap_or_default().replaced_by(entries, day).encode();
            let row = [(update.tree.to_owned(), bytes.as_slice())].into_iter();
            Content::Manifests.put(&self.connection, bytes_rows(row, day)).await
        })
    }

    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError> {
        let model = self.model.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let head = self.transact("write", async |transaction| {
            publish(&self.connection, transaction, tree, snapshot, model.clone()).await
        })?;
        if self.block_on("read", maintenance::is_due(&self.connection, &head))? {
            self.optimize()?;
        }
        Ok(())
    }

    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError> {
        let bytes = self.block_on("read", async { self.view().await?.snapshot_bytes(tree).await })?;
        Ok(bytes.and_then(Snapshot::from_bytes))
    }

    fn detached(self: Arc<Self>, tree: &str) -> Result<Option<Arc<Snapshot>>, IndexError> {
        let view = self.block_on("read", self.view())?;
        if let Some(known) = self.known(tree, &view.head) {
            return Ok(Some(known));
        }
        let bytes = self.block_on("read", view.snapshot_bytes(tree))?;
        let Some(snapshot) = bytes.and_then(Snapshot::from_bytes) else { return Ok(None) };
        let (store, name) = (Arc::clone(&self), tree.to_owned());
        let (root, head) = (format!("{}/{tree}", self.place), view.head.clone());
        let read = move |path: &str| {
            let files = view.table(Table::Files)?;
            // A failed read is reported as a missing text.
            store.block_on("read", file_text(files, &name, path)).ok()?
        };
        let snapshot = Arc::new(snapshot.detached(&root, read));
        let mut detached = self.detached.lock().unwrap_or_else(PoisonError::into_inner);
        detached.insert(tree.to_owned(), (head, Arc::downgrade(&snapshot)));
        Ok(Some(snapshot))
    }

    fn published(&self) -> Result<Vec<String>, IndexError> {
        self.block_on("read", async {
            let view = self.view().await?;
            let Some(trees) = view.table(Table::Trees) else { return Ok(Vec::new()) };
            let mut names = tree_names(trees).await?;
            names.sort();
            Ok(names)
        })
    }

    fn lock(&self, _tree: &str) -> Result<Option<Box<dyn IndexLock>>, IndexError> {
        // There is no lock that would be released if its machine disappears. Two processes that index the same tree
        // duplicate the work and publish one after the other.
        Ok(Some(Box::new(Unlocked)))
    }

    fn progress(&self, _tree: &str) -> Option<(usize, usize)> {
        None
    }

    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError> {
        let before = self.usage()?.bytes;
        let garbage = self.block_on("read", garbage(&self.connection, today(), unused_days))?;
        self.transact("clean", async |transaction| garbage.forget_trees(transaction).await)?;
        self.block_on("clean", garbage.remove(&self.connection))?;
        self.maintain(READERS_FINISH_WITHIN_DAYS.min(unused_days))?;
        Ok(Collected::default()
            .with_trees(garbage.trees.len())
            .with_facts(garbage.facts.len())
            .with_vectors(garbage.vectors.len())
            .with_bytes(before.saturating_sub(self.usage()?.bytes)))
    }

    fn usage(&self) -> Result<Usage, IndexError> {
        self.block_on("read", async {
            let manifests = manifests(&self.connection).await?;
            let trees = manifests.into_iter().map(|it| (it.tree, it.manifest.entries.len()));
            let mut usage = Usage::default().with_trees(trees.collect());
            usage.trees.sort();
            for content in Content::ALL {
                let Some(table) = content.open(&self.connection).await? else { continue };
                let stats = table.stats().await?;
                usage.bytes += stats.total_bytes as u64;
                match content {
                    Content::Facts => usage.facts = stats.num_rows,
                    Content::Vectors => usage.vectors = stats.num_rows,
                    Content::Manifests => {}
                }
            }
            for table in self.view().await?.tables.iter().flatten() {
                usage.bytes += table.stats().await?.total_bytes as u64;
            }
            Ok(usage)
        })
    }
}

/// Index lock that is not enforced.
struct Unlocked;

impl IndexLock for Unlocked {
    fn report(&self, _done: usize, _total: usize) {}
}

/// Returns the number of days since the Unix epoch.
fn today() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| (since.as_secs() / 86_400) as u32)
}

/// Returns the message of a LanceDB error without its source location.
fn message(error: &LanceError) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.split(", /").next().unwrap_or(first).to_owned()
}
