//! Store in a local directory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use redb::ReadableTableMetadata;
use rustc_hash::FxHashSet;

use super::directory::{
    FACTS, StoreDirectory, TreeManifest, TreeVectors, USED, VECTORS, day, is_damage, table, vector_key,
};
use super::snapshot_file::{self, Reading};
use super::{Collected, FactsKey, IndexLock, ManifestEntry, Store, TextHash, Update, Usage, decode, encode};
use crate::stack::on_large_stacks;
use crate::{IndexError, Snapshot};

/// Store of one repository: a directory with a redb database of facts and vectors, shared by all work trees, and for
/// each work tree its manifest, its snapshot, and the lock of the process that indexes it.
///
/// The database is open only during a call, so that processes take turns. Manifests and snapshots are replaced
/// atomically and need no lock.
#[derive(Debug)]
pub struct EmbeddedStore {
    directory: StoreDirectory,
}

impl EmbeddedStore {
    /// Returns the store in `directory`, which is created on the first write.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: StoreDirectory::new(directory) }
    }

    /// Returns the directory of the store.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

impl Store for EmbeddedStore {
    fn place(&self) -> String {
        self.directory.place()
    }

    fn manifest(&self, tree: &str) -> Result<Vec<ManifestEntry>, IndexError> {
        let path = self.directory.tree_path(tree, "manifest");
        let Some(manifest) = self.directory.read_manifest(&path)? else { return Ok(Vec::new()) };
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
        self.directory.read(FACTS, &keys.iter().map(FactsKey::to_bytes).collect::<Vec<_>>())
    }

    fn vectors(&self, model: &str, keys: &[TextHash]) -> Result<Vec<Option<Vec<f32>>>, IndexError> {
        let keys: Vec<Vec<u8>> = keys.iter().map(|text| vector_key(model, text)).collect();
        let values = self.directory.read(VECTORS, &keys)?;
        Ok(values.into_iter().map(|value| decode(&value?)).collect())
    }

    fn write(&self, update: &Update<'_>) -> Result<(), IndexError> {
        let manifest =
            update.manifest.map(|entries| (self.directory.tree_path(update.tree, "manifest"), entries));
        // Entries of the old manifest were in use until now.
        let before = match &manifest {
            Some((path, _)) => self
                .directory
                .read_manifest(path)
                .ok()
                .flatten()
                .map_or(Vec::new(), |manifest| manifest.entries),
            None => Vec::new(),
        };
        let named: FxHashSet<FactsKey> =
            update.manifest.into_iter().flatten().filter_map(ManifestEntry::key).collect();
        let released = before.iter().filter_map(ManifestEntry::key).filter(|key| !named.contains(key));
        let mut released: Vec<Vec<u8>> = released.map(|key| key.to_bytes()).collect();
        if let Some(texts) = update.texts {
            let used = TreeVectors { model: update.model.to_owned(), texts: texts.to_vec() };
            let named: FxHashSet<Vec<u8>> = used.keys().collect();
            released
                .extend(self.directory.tree_vectors(update.tree).keys().filter(|key| !named.contains(key)));
            self.directory
                .replace_file(&self.directory.tree_path(update.tree, "vectors"), [&*encode(&used)])?;
        }
        if !(update.facts.is_empty() && update.vectors.is_empty() && released.is_empty()) {
            let today = day(SystemTime::now());
            self.directory.with_database("write", |database| {
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
            self.directory.replace_file(&path, [&*encode(&manifest)])?;
            self.directory.collect_if_large()?;
        }
        Ok(())
    }

    fn publish(&self, tree: &str, snapshot: &Snapshot) -> Result<(), IndexError> {
        match on_large_stacks(|| snapshot_file::encode(snapshot)) {
            Some(encoded) => {
                self.directory.replace_file(&self.directory.tree_path(tree, "snapshot"), encoded.parts())
            }
            None => Ok(()),
        }
    }

    fn snapshot(&self, tree: &str) -> Result<Option<Snapshot>, IndexError> {
        let path = self.directory.tree_path(tree, "snapshot");
        let Some(bytes) = self.directory.read_file(&path)? else { return Ok(None) };
        match snapshot_file::from_bytes(bytes) {
            Reading::Snapshot(snapshot) => Ok(Some(*snapshot)),
            Reading::OtherVersion => Ok(None),
            Reading::Damaged => {
                self.directory.discard(&path)?;
                Err(self.directory.damaged())
            }
        }
    }

    fn occurrences(&self, tree: &str) -> Result<Option<Vec<u8>>, IndexError> {
        self.directory.read_file(&self.directory.tree_path(tree, "occurrences"))
    }

    fn occurrences_version(&self, tree: &str) -> Option<u64> {
        // The file starts with the hash of its content.
        let mut start = [0; 8];
        File::open(self.directory.tree_path(tree, "occurrences")).ok()?.read_exact(&mut start).ok()?;
        Some(u64::from_le_bytes(start))
    }

    fn write_occurrences(&self, tree: &str, encoded: Option<&[u8]>) -> Result<(), IndexError> {
        let path = self.directory.tree_path(tree, "occurrences");
        match encoded {
            Some(encoded) => self.directory.replace_file(&path, [encoded]),
            None => self.directory.discard(&path),
        }
    }

    fn lock(&self, tree: &str) -> Result<Option<Box<dyn IndexLock>>, IndexError> {
        self.directory.make_directory()?;
        let path = self.directory.tree_path(tree, "lock");
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let file = match file {
            Err(error) if is_damage(&error) => {
                return self.directory.discard(&path).and(Err(self.directory.damaged()));
            }
            file => file.map_err(|error| self.directory.error("lock", &error))?,
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
        let text = fs::read_to_string(self.directory.tree_path(tree, "lock")).ok()?;
        let (done, total) = text.trim_end().split_once(' ')?;
        Some((done.parse().ok()?, total.parse().ok()?))
    }

    fn collect_garbage(&self, unused_days: u32) -> Result<Collected, IndexError> {
        self.directory.collect(unused_days)
    }

    fn usage(&self) -> Result<Usage, IndexError> {
        let mut usage = Usage { bytes: self.directory.bytes(), ..Usage::default() };
        for path in self.directory.files("manifest")? {
            if let Some(manifest) = self.directory.read_manifest(&path)? {
                usage.trees.push((manifest.tree, manifest.entries.len()));
            }
        }
        usage.trees.sort();
        if self.directory.database_path().exists() {
            (usage.facts, usage.vectors) = self.directory.with_reader(|database| {
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
