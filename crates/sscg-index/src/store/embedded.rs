//! Store in a local directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use redb::{
    Database, DatabaseError, Key, ReadOnlyDatabase, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    ReadableTableMetadata, TableDefinition, TableError, Value,
};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::snapshot_file::{self, Reading};
use super::{Collected, FactsKey, IndexLock, ManifestEntry, Store, TextHash, Update, Usage, decode, encode};
use crate::damage::contained;
use crate::discovery::describe;
use crate::stack::on_large_stacks;
use crate::{IndexError, Snapshot};

/// Version of the layout of the files and of their contents.
const STORE_VERSION: u32 = 2;

/// Facts by [`FactsKey::to_bytes`].
pub(super) const FACTS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("facts");
/// Vectors by [`vector_key`].
pub(super) const VECTORS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("vectors");
/// Day of last use, counted from the Unix epoch, of entries that may no longer be in any manifest. Has the keys of the
/// other tables.
pub(super) const USED: TableDefinition<'static, &[u8], u32> = TableDefinition::new("used");

/// Maximum wait for other processes, which hold the database only while they read or write.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Store of one repository: a directory with a redb database of facts and vectors, shared by all work trees, and for
/// each work tree its manifest, its snapshot, and the lock of the process that indexes it.
///
/// The database is open only during a call, so that processes take turns. Manifests and snapshots are replaced
/// atomically and need no lock.
#[derive(Debug)]
pub struct EmbeddedStore {
    directory: PathBuf,
}

/// Manifest in its stored form.
#[derive(Serialize, Deserialize)]
pub(super) struct TreeManifest {
    pub(super) tree: String,
    pub(super) entries: Vec<ManifestEntry>,
}

/// Vectors that a work tree uses, in their stored form.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct TreeVectors {
    model: String,
    texts: Vec<TextHash>,
}

impl TreeVectors {
    /// Returns the database keys of the vectors.
    pub(super) fn keys(&self) -> impl Iterator<Item = Vec<u8>> {
        self.texts.iter().map(|text| vector_key(&self.model, text))
    }
}

impl EmbeddedStore {
    /// Returns the store in `directory`, which is created on the first write.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Returns the directory of the store.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn database_path(&self) -> PathBuf {
        self.directory.join(format!("facts-v{STORE_VERSION}.redb"))
    }

    /// Returns the path of a work tree's file with this extension.
    pub(super) fn tree_path(&self, tree: &str, ending: &str) -> PathBuf {
        let hash = blake3::hash(tree.as_bytes()).to_hex();
        self.directory.join(format!("tree-{}.{ending}", &hash[..16]))
    }

    pub(super) fn error(&self, operation: &'static str, error: &std::io::Error) -> IndexError {
        IndexError::Store { operation, place: self.place(), message: describe(error) }
    }

    fn damaged(&self) -> IndexError {
        IndexError::Damaged { place: self.place() }
    }

    fn make_directory(&self) -> Result<(), IndexError> {
        fs::create_dir_all(&self.directory).map_err(|error| self.error("create", &error))
    }

    /// Opens the database, runs `work` and closes it. A corrupt database is removed.
    pub(super) fn with_database<T>(
        &self,
        operation: &'static str,
        work: impl FnOnce(&mut Database) -> Result<T, redb::Error>,
    ) -> Result<T, IndexError> {
        self.make_directory()?;
        let path = self.database_path();
        if !path.exists() {
            self.make_database(&path);
        }
        self.with_opened(operation, |path| Database::create(path), work)
    }

    /// Opens the existing database read-only. That writes nothing, so it does not wait for the disk, and other
    /// processes may read at the same time.
    fn with_reader<T>(
        &self,
        work: impl FnOnce(&mut ReadDatabase) -> Result<T, redb::Error>,
    ) -> Result<T, IndexError> {
        let open = |path: &Path| match ReadOnlyDatabase::open(path) {
            // A process was killed while it wrote, or ran out of disk space. The database is repaired in memory even if
            // the repair cannot be written.
            Err(DatabaseError::RepairAborted) => Database::create(path).map(ReadDatabase::Repaired),
            opened => opened.map(ReadDatabase::ReadOnly),
        };
        self.with_opened("read", open, work)
    }

    fn with_opened<D, T>(
        &self,
        operation: &'static str,
        open: impl Fn(&Path) -> Result<D, DatabaseError>,
        work: impl FnOnce(&mut D) -> Result<T, redb::Error>,
    ) -> Result<T, IndexError> {
        let path = self.database_path();
        let started = Instant::now();
        let opened = loop {
            match contained(|| open(&path)) {
                Some(Err(DatabaseError::DatabaseAlreadyOpen)) if started.elapsed() < TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                opened => break opened,
            }
        };
        let done = match opened {
            Some(Ok(mut database)) => {
                let done = contained(|| work(&mut database));
                // A corrupt database may panic again when it is closed.
                let closed = contained(|| drop(database));
                closed.and(done)
            }
            Some(Err(error)) => Some(Err(error.into())),
            None => None,
        };
        match done {
            Some(Ok(value)) => Ok(value),
            Some(Err(redb::Error::DatabaseAlreadyOpen)) => Err(IndexError::InUse { place: self.place() }),
            Some(Err(redb::Error::Io(error))) if !is_damage(&error) => Err(self.error(operation, &error)),
            Some(Err(_)) | None => {
                // Everything in it can be computed again.
                self.discard(&path)?;
                Err(self.damaged())
            }
        }
    }

    /// Moves an empty database into place, unless there is one already. A process killed while redb creates a database
    /// in place would leave a corrupt file. After a failure here, opening the database reports the cause.
    fn make_database(&self, path: &Path) {
        let Ok(file) = tempfile::NamedTempFile::new_in(&self.directory) else { return };
        if let Some(Ok(database)) = contained(|| Database::create(file.path())) {
            drop(database);
            _ = file.persist_noclobber(path);
        }
    }

    /// Reads the values of `keys` from a table in parallel, in the order of the keys.
    fn read(
        &self,
        definition: TableDefinition<'static, &[u8], &[u8]>,
        keys: &[Vec<u8>],
    ) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        if keys.is_empty() || !self.database_path().exists() {
            return Ok(vec![None; keys.len()]);
        }
        let values = self.with_reader(|database| {
            let Some(table) = table(&database.begin_read()?, definition)? else {
                return Ok(Some(vec![None; keys.len()]));
            };
            let values = keys.par_iter().map(|key| {
                // Contained per key: a panic must not cross the worker threads.
                contained(|| Ok(table.get(key.as_slice())?.map(|value| value.value().to_vec())))
            });
            values.collect::<Option<Result<Vec<_>, redb::Error>>>().transpose()
        })?;
        values.map_or_else(|| self.discard(&self.database_path()).and(Err(self.damaged())), Ok)
    }

    /// Removes a corrupt file, or a directory in its place. Another process may have done so already.
    fn discard(&self, path: &Path) -> Result<(), IndexError> {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.error("replace", &error)),
            _ => Ok(()),
        }
    }

    /// Writes a temporary file in the same directory and moves it into place.
    pub(super) fn replace_file<'b>(
        &self,
        path: &Path,
        parts: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<(), IndexError> {
        self.make_directory()?;
        let write = || {
            let mut file = BufWriter::new(tempfile::NamedTempFile::new_in(&self.directory)?);
            parts.into_iter().try_for_each(|part| file.write_all(part))?;
            file.into_inner()?.persist(path).map_err(|error| error.error)
        };
        write().map(drop).map_err(|error| self.error("write", &error))
    }

    /// Reads a file of the directory; `None` if it does not exist.
    fn read_file(&self, path: &Path) -> Result<Option<Vec<u8>>, IndexError> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) if is_damage(&error) => self.discard(path).and(Err(self.damaged())),
            Err(error) => Err(self.error("read", &error)),
        }
    }

    /// Reads a manifest file. A corrupt one is removed.
    pub(super) fn read_manifest(&self, path: &Path) -> Result<Option<TreeManifest>, IndexError> {
        let Some(bytes) = self.read_file(path)? else { return Ok(None) };
        let manifest = decode(&bytes);
        if manifest.is_none() {
            self.discard(path)?;
            return Err(self.damaged());
        }
        Ok(manifest)
    }

    /// Reads the vectors that a work tree uses. If unreadable, they are written again with the next change.
    pub(super) fn tree_vectors(&self, tree: &str) -> TreeVectors {
        let bytes = fs::read(self.tree_path(tree, "vectors")).unwrap_or_default();
        decode(&bytes).unwrap_or_default()
    }

    /// Returns the files of the directory with this extension.
    pub(super) fn files(&self, ending: &str) -> Result<Vec<PathBuf>, IndexError> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.error("read", &error)),
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|it| it == ending)).collect();
        paths.sort();
        Ok(paths)
    }

    /// Returns the total size of all files.
    pub(super) fn bytes(&self) -> u64 {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
    }
}

impl Store for EmbeddedStore {
    fn place(&self) -> String {
        self.directory.display().to_string()
    }

    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError> {
        let path = self.tree_path(tree, "manifest");
        let Some(manifest) = self.read_manifest(&path)? else { return Ok(Vec::new()) };
        // The modification time records the day of last use.
        let now = SystemTime::now();
        if let Ok(file) = File::options().append(true).open(&path)
            && file.metadata().and_then(|file| file.modified()).is_ok_and(|used| day(used) < day(now))
        {
            // At worst the manifest is collected early and built again.
            _ = file.set_modified(now);
        }
        Ok(manifest.entries)
    }

    fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<Vec<u8>>>, IndexError> {
        self.read(FACTS, &keys.iter().map(FactsKey::to_bytes).collect::<Vec<_>>())
    }

    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|text| vector_key(model, text)).collect();
        let values = self.read(VECTORS, &keys)?;
        Ok(values.into_iter().map(|value| decode(&value?)).collect())
    }

    fn write(&self, update: &Update<'_>) -> Result<(), IndexError> {
        let manifest = update.manifest.map(|entries| (self.tree_path(update.tree, "manifest"), entries));
        // Entries of the old manifest were in use until now.
        let before = match &manifest {
            Some((path, _)) => {
                self.read_manifest(path).ok().flatten().map_or(Vec::new(), |manifest| manifest.entries)
            }
            None => Vec::new(),
        };
        let named: FxHashSet<FactsKey> =
            update.manifest.into_iter().flatten().filter_map(ManifestEntry::key).collect();
        let released = before.iter().filter_map(ManifestEntry::key).filter(|key| !named.contains(key));
        let mut released: Vec<Vec<u8>> = released.map(|key| key.to_bytes()).collect();
        if let Some(texts) = update.texts {
            let used = TreeVectors { model: update.model.to_owned(), texts: texts.to_vec() };
            let named: FxHashSet<Vec<u8>> = used.keys().collect();
            released.extend(self.tree_vectors(update.tree).keys().filter(|key| !named.contains(key)));
            self.replace_file(&self.tree_path(update.tree, "vectors"), [&*encode(&used)])?;
        }
        if !(update.facts.is_empty() && update.vectors.is_empty() && released.is_empty()) {
            let today = day(SystemTime::now());
            self.with_database("write", |database| {
                let transaction = database.begin_write()?;
                {
                    let mut used = transaction.open_table(USED)?;
                    let mut facts = transaction.open_table(FACTS)?;
                    for (key, value) in update.facts {
                        let key = key.to_bytes();
                        facts.insert(key.as_slice(), &**value)?;
                        used.insert(key.as_slice(), today)?;
                    }
                    let mut vectors = transaction.open_table(VECTORS)?;
                    for (text, vector) in update.vectors {
                        let key = vector_key(update.model, text);
                        vectors.insert(key.as_slice(), encode(vector).as_slice())?;
                        used.insert(key.as_slice(), today)?;
                    }
                    for key in &released {
                        used.insert(key.as_slice(), today)?;
                    }
                }
                transaction.commit()?;
                Ok(())
            })?;
        }
        if let Some((path, entries)) = manifest {
            let manifest = TreeManifest { tree: update.tree.to_owned(), entries: entries.to_vec() };
            self.replace_file(&path, [&*encode(&manifest)])?;
            self.collect_if_large()?;
        }
        Ok(())
    }

    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError> {
        match on_large_stacks(|| snapshot_file::encode(snapshot)) {
            Some(encoded) => self.replace_file(&self.tree_path(tree, "snapshot"), encoded.parts()),
            None => Ok(()),
        }
    }

    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError> {
        let path = self.tree_path(tree, "snapshot");
        let Some(bytes) = self.read_file(&path)? else { return Ok(None) };
        match snapshot_file::from_bytes(bytes) {
            Reading::Snapshot(snapshot) => Ok(Some(*snapshot)),
            Reading::OtherVersion => Ok(None),
            Reading::Damaged => {
                self.discard(&path)?;
                Err(self.damaged())
            }
        }
    }

    fn occurrences(&self, tree: &str) -> Result<Option<Vec<u8>>, IndexError> {
        self.read_file(&self.tree_path(tree, "occurrences"))
    }

    fn occurrences_version(&self, tree: &str) -> Option<u64> {
        // The file starts with the hash of its content.
        let mut start = [0; 8];
        File::open(self.tree_path(tree, "occurrences")).ok()?.read_exact(&mut start).ok()?;
        Some(u64::from_le_bytes(start))
    }

    fn write_occurrences(&self, tree: &str, encoded: Option<&[u8]>) -> Result<(), IndexError> {
        let path = self.tree_path(tree, "occurrences");
        match encoded {
            Some(encoded) => self.replace_file(&path, [encoded]),
            None => self.discard(&path),
        }
    }

    fn lock(&self, tree: &str) -> Result<Option<Box<dyn IndexLock>>, IndexError> {
        self.make_directory()?;
        let path = self.tree_path(tree, "lock");
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let file = match file {
            Err(error) if is_damage(&error) => return self.discard(&path).and(Err(self.damaged())),
            file => file.map_err(|error| self.error("lock", &error))?,
        };
        match file.try_lock() {
            Ok(()) => {
                // Clears the progress of a killed process.
                _ = file.set_len(0);
                Ok(Some(Box::new(LockFile(Mutex::new(file)))))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            // Without lock support, work may be done twice, which is harmless.
            Err(TryLockError::Error(_)) => Ok(Some(Box::new(LockFile(Mutex::new(file))))),
        }
    }

    fn progress(&self, tree: &str) -> Option<(usize, usize)> {
        let text = fs::read_to_string(self.tree_path(tree, "lock")).ok()?;
        let (done, total) = text.trim_end().split_once(' ')?;
        Some((done.parse().ok()?, total.parse().ok()?))
    }

    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError> {
        self.collect(unused_days)
    }

    fn usage(&self) -> Result<Usage, IndexError> {
        let mut usage = Usage { bytes: self.bytes(), ..Usage::default() };
        for path in self.files("manifest")? {
            if let Some(manifest) = self.read_manifest(&path)? {
                usage.trees.push((manifest.tree, manifest.entries.len()));
            }
        }
        usage.trees.sort();
        if self.database_path().exists() {
            (usage.facts, usage.vectors) = self.with_reader(|database| {
                let transaction = database.begin_read()?;
                let count = |definition| -> Result<usize, redb::Error> {
                    Ok(table(&transaction, definition)?.map_or(Ok(0), |table| table.len())? as usize)
                };
                Ok((count(FACTS)?, count(VECTORS)?))
            })?;
        }
        Ok(usage)
    }
}

/// Database opened for reading.
enum ReadDatabase {
    ReadOnly(ReadOnlyDatabase),
    Repaired(Database),
}

impl ReadDatabase {
    fn begin_read(&self) -> Result<ReadTransaction, redb::TransactionError> {
        match self {
            ReadDatabase::ReadOnly(database) => database.begin_read(),
            ReadDatabase::Repaired(database) => database.begin_read(),
        }
    }
}

/// Index lock of a work tree, as a file lock, which the system releases when the process is killed.
struct LockFile(Mutex<File>);

impl IndexLock for LockFile {
    fn report(&self, done: usize, total: usize) {
        // About a hundred updates in total; a lost one is harmless.
        if done.is_multiple_of(total / 100 + 1)
            && let Ok(mut file) = self.0.try_lock()
        {
            let text = format!("{:<40}", format!("{done} {total}"));
            _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(text.as_bytes()));
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Clears the progress before closing the file releases the lock.
        _ = self.0.get_mut().map(|file| file.set_len(0));
    }
}

fn vector_key(model: &str, text: &TextHash) -> Vec<u8> {
    [&text[..], model.as_bytes()].concat()
}

/// Opens a table; `None` if nothing was ever written to it.
fn table<K: Key, V: Value>(
    transaction: &ReadTransaction,
    definition: TableDefinition<'static, K, V>,
) -> Result<Option<ReadOnlyTable<K, V>>, redb::Error> {
    match transaction.open_table(definition) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the number of days since the Unix epoch.
pub(super) fn day(time: SystemTime) -> u32 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| (since.as_secs() / 86_400) as u32)
}

/// True for errors by which redb reports a truncated or foreign file, or the system a directory. Others are refusals.
fn is_damage(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::IsADirectory)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn it_is_a_store() {
        let directory = tempfile::tempdir().expect("temporary directory");
        crate::conformance::check(&|| Arc::new(EmbeddedStore::new(directory.path().join("store"))));
    }
}
