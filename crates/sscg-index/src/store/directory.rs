//! Directory of an embedded store: its files and its database.

use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use redb::{
    Database, DatabaseError, Key, ReadOnlyDatabase, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    TableDefinition, TableError, Value,
};
use serde::{Deserialize, Serialize};

use super::{ManifestEntry, TextHash, decode};
use crate::IndexError;
use crate::damage::contained;
use crate::discovery::describe;

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

/// Directory of the store of one repository.
///
/// The database is open only during a call, so that processes take turns. Manifests and snapshots are replaced
/// atomically and need no lock.
#[derive(Debug)]
pub(super) struct StoreDirectory {
    path: PathBuf,
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
    pub(super) model: String,
    pub(super) texts: Vec<TextHash>,
}

impl TreeVectors {
    /// Returns the database keys of the vectors.
    pub(super) fn keys(&self) -> impl Iterator<Item = Vec<u8>> {
        self.texts.iter().map(|text| vector_key(&self.model, text))
    }
}

impl StoreDirectory {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path for messages.
    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn database_path(&self) -> PathBuf {
        self.path.join(format!("facts-v{STORE_VERSION}.redb"))
    }

    /// Returns the path of a work tree's file with this extension.
    pub(super) fn tree_path(&self, tree: &str, ending: &str) -> PathBuf {
        let hash = blake3::hash(tree.as_bytes()).to_hex();
        self.path.join(format!("tree-{}.{ending}", &hash[..16]))
    }

    pub(super) fn error(&self, operation: &'static str, error: &std::io::Error) -> IndexError {
        IndexError::Store { operation, place: self.place(), message: describe(error) }
    }

    pub(super) fn damaged(&self) -> IndexError {
        IndexError::Damaged { place: self.place() }
    }

    pub(super) fn make_directory(&self) -> Result<(), IndexError> {
        fs::create_dir_all(&self.path).map_err(|error| self.error("create", &error))
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
    pub(super) fn with_reader<T>(
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
        let Ok(file) = tempfile::NamedTempFile::new_in(&self.path) else { return };
        if let Some(Ok(database)) = contained(|| Database::create(file.path())) {
            drop(database);
            _ = file.persist_noclobber(path);
        }
    }

    /// Reads the values of `keys` from a table in parallel, in the order of the keys.
    pub(super) fn read(
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
    pub(super) fn discard(&self, path: &Path) -> Result<(), IndexError> {
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
            let mut file = BufWriter::new(tempfile::NamedTempFile::new_in(&self.path)?);
            parts.into_iter().try_for_each(|part| file.write_all(part))?;
            file.into_inner()?.persist(path).map_err(|error| error.error)
        };
        write().map(drop).map_err(|error| self.error("write", &error))
    }

    /// Reads a file of the directory; `None` if it does not exist.
    pub(super) fn read_file(&self, path: &Path) -> Result<Option<Vec<u8>>, IndexError> {
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
        let entries = match fs::read_dir(&self.path) {
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
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
    }
}

/// Database opened for reading.
pub(super) enum ReadDatabase {
    ReadOnly(ReadOnlyDatabase),
    Repaired(Database),
}

impl ReadDatabase {
    pub(super) fn begin_read(&self) -> Result<ReadTransaction, redb::TransactionError> {
        match self {
            ReadDatabase::ReadOnly(database) => database.begin_read(),
            ReadDatabase::Repaired(database) => database.begin_read(),
        }
    }
}

pub(super) fn vector_key(model: &str, text: &TextHash) -> Vec<u8> {
    [&text[..], model.as_bytes()].concat()
}

/// Opens a table; `None` if nothing was ever written to it.
pub(super) fn table<K: Key, V: Value>(
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
pub(super) fn is_damage(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::IsADirectory)
}
