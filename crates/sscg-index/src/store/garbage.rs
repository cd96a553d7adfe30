//! Garbage collection of an embedded store.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use redb::{ReadableTable, ReadableTableMetadata, TableDefinition};
use rustc_hash::FxHashSet;

use super::directory::{FACTS, StoreDirectory, USED, VECTORS, day};
use super::{Collected, ManifestEntry, documents_of};
use crate::IndexError;

/// Size in bytes above which a database is collected automatically, whenever it has grown by half since the last time.
const COLLECT_ABOVE_BYTES: u64 = 1 << 30;

/// Days without use after which an entry is collected automatically.
const UNUSED_DAYS: u32 = 30;

/// File with the size of the database after the last automatic collection.
const MARK: &str = "collected";

/// Result of removing work trees.
#[derive(Default)]
struct Forgotten {
    /// Number of removed work trees.
    trees: usize,
    /// Keys that the removed work trees used, with the day of their last use.
    released: Vec<(Vec<u8>, u32)>,
    /// Keys that the remaining work trees use.
    named: FxHashSet<Vec<u8>>,
    /// Files of the remaining work trees.
    kept: FxHashSet<PathBuf>,
}

/// Numbers of removed and remaining database entries.
#[derive(Default)]
struct Swept {
    facts: usize,
    vectors: usize,
    left: u64,
}

impl StoreDirectory {
    /// Implements [`Store::collect_garbage`](super::Store::collect_garbage). An empty store is removed with its
    /// directory.
    pub(super) fn collect(&self, unused_days: u32) -> Result<Collected, IndexError> {
        let before = self.bytes();
        let forgotten = self.forget_trees(unused_days)?;
        self.remove_strays(&forgotten.kept, unused_days)?;
        let swept = if self.database_path().exists() {
            match self.sweep(&forgotten, unused_days) {
                // The corrupt database was discarded with all its entries.
                Err(IndexError::Damaged { .. }) => Swept::default(),
                swept => swept?,
            }
        } else {
            Swept::default()
        };
        if forgotten.kept.is_empty() && swept.left == 0 {
            self.remove_if_idle()?;
        }
        Ok(Collected {
            trees: forgotten.trees,
            facts: swept.facts,
            vectors: swept.vectors,
            bytes: before.saturating_sub(self.bytes()),
        })
    }

    /// Collects garbage if the database is large, and much larger than after the last automatic collection.
    pub(super) fn collect_if_large(&self) -> Result<(), IndexError> {
        let large = fs::metadata(self.database_path()).map_or(0, |file| file.len());
        if large <= COLLECT_ABOVE_BYTES {
            return Ok(());
        }
        let mark = self.path().join(MARK);
        let text = fs::read_to_string(&mark).unwrap_or_default();
        let before: u64 = text.trim().parse().unwrap_or(0);
        if large > before + before / 2 {
            self.collect(UNUSED_DAYS)?;
            let left = fs::metadata(self.database_path()).map_or(0, |file| file.len());
            self.replace_file(&mark, [left.to_string().as_bytes()])?;
        }
        Ok(())
    }

    /// Removes work trees that no longer exist or are unused.
    fn forget_trees(&self, unused_days: u32) -> Result<Forgotten, IndexError> {
        let mut forgotten = Forgotten::default();
        for path in self.files("manifest")? {
            let used = fs::metadata(&path).and_then(|file| file.modified()).map_or(0, day);
            let Ok(Some(manifest)) = self.read_manifest(&path) else { continue };
            let files = ["manifest", "vectors", "snapshot", "occurrences", "lock"]
                .map(|ending| self.tree_path(&manifest.tree, ending));
            let facts = manifest.entries.iter().filter_map(ManifestEntry::key).map(|key| key.to_bytes());
            let vectors = self.tree_vectors(&manifest.tree);
            let keys = facts.chain(vectors.keys());
            let documents_of = documents_of(&manifest.tree);
            if Path::new(documents_of.unwrap_or(&manifest.tree)).is_dir()
                && day(SystemTime::now()).saturating_sub(used) < unused_days.max(1)
            {
                forgotten.named.extend(keys);
                forgotten.kept.extend(files);
                continue;
            }
            forgotten.trees += usize::from(documents_of.is_none());
            forgotten.released.extend(keys.map(|key| (key, used)));
            files.iter().try_for_each(|path| self.remove(path))?;
        }
        Ok(forgotten)
    }

    /// Removes stray files: temporary files of killed processes, files of trees without a manifest, databases of other
    /// versions. Temporary files must be at least one day old and others `unused_days`, since they may be in the
    /// making.
    fn remove_strays(&self, kept: &FxHashSet<PathBuf>, unused_days: u32) -> Result<(), IndexError> {
        let today = day(SystemTime::now());
        let ours = [self.database_path(), self.path().join(MARK)];
        for entry in fs::read_dir(self.path()).into_iter().flatten().flatten() {
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else { continue };
            let age = today.saturating_sub(metadata.modified().map_or(0, day));
            let is_temporary = entry.file_name().to_string_lossy().starts_with(".tmp");
            let least = if is_temporary { 1 } else { unused_days.max(1) };
            if metadata.is_file() && !ours.contains(&path) && !kept.contains(&path) && age >= least {
                self.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes entries that no manifest lists and nothing used for `unused_days`.
    fn sweep(&self, forgotten: &Forgotten, unused_days: u32) -> Result<Swept, IndexError> {
        let today = day(SystemTime::now());
        self.with_database("clean", |database| {
            let transaction = database.begin_write()?;
            let mut swept = Swept::default();
            {
                let mut used = transaction.open_table(USED)?;
                for (key, day) in &forgotten.released {
                    let known = used.get(key.as_slice())?.map_or(0, |known| known.value());
                    used.insert(key.as_slice(), known.max(*day))?;
                }
                let mut remove = |definition: TableDefinition<'static, &[u8], &[u8]>| {
                    let mut table = transaction.open_table(definition)?;
                    let mut gone = Vec::new();
                    for entry in table.iter()? {
                        let key = entry?.0.value().to_vec();
                        let last = used.get(key.as_slice())?.map_or(0, |day| day.value());
                        if !forgotten.named.contains(&key) && today.saturating_sub(last) >= unused_days {
                            gone.push(key);
                        }
                    }
                    for key in &gone {
                        table.remove(key.as_slice())?;
                        used.remove(key.as_slice())?;
                    }
                    swept.left += table.len()?;
                    Ok::<usize, redb::Error>(gone.len())
                };
                let (facts, vectors) = (remove(FACTS)?, remove(VECTORS)?);
                (swept.facts, swept.vectors) = (facts, vectors);
            }
            transaction.commit()?;
            database.compact()?;
            Ok(swept)
        })
    }

    /// Removes an empty store, unless it has other files, such as locks: another process may be about to fill it.
    fn remove_if_idle(&self) -> Result<(), IndexError> {
        let ours = [self.database_path(), self.path().join(MARK)];
        let mut entries = fs::read_dir(self.path()).into_iter().flatten().flatten();
        if !entries.all(|entry| ours.contains(&entry.path())) {
            return Ok(());
        }
        ours.iter().try_for_each(|path| self.remove(path))?;
        match fs::remove_dir(self.path()) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                Err(self.error("clean", &error))
            }
            _ => Ok(()),
        }
    }

    fn remove(&self, path: &Path) -> Result<(), IndexError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.error("clean", &error)),
            _ => Ok(()),
        }
    }
}
