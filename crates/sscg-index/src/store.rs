//! Facts on disk, under the hash of the text they were taken from.

use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use redb::{Database, DatabaseError, ReadOnlyTable, ReadableDatabase, TableDefinition};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sscg_core::LazyFacts;
use sscg_parse::EXTRACTOR_VERSION;

use crate::damage::contained;
use crate::{FileTerms, IndexError, SkipReason};

/// Changes with the layout of the tables or of what they hold.
const STORE_VERSION: u32 = 1;

const FACTS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("facts");
const MANIFESTS: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("manifests");

/// What a file says, with the terms to find it by.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredFacts {
    pub(crate) facts: LazyFacts,
    pub(crate) terms: FileTerms,
}

/// Names the facts of a text: its hash, and the ending that tells the dialect.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FactsKey {
    pub(crate) hash: [u8; 32],
    pub(crate) extension: &'static str,
}

impl FactsKey {
    fn bytes(&self) -> Vec<u8> {
        [&EXTRACTOR_VERSION.to_le_bytes(), &self.hash[..], self.extension.as_bytes()].concat()
    }
}

/// What was known of a file when it was last looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestEntry {
    pub(crate) path: String,
    pub(crate) size: u64,
    /// 0 if it does not tell whether the file changed since.
    pub(crate) mtime: u128,
    /// The content's hash, or why it is not indexed.
    pub(crate) content: Result<[u8; 32], SkipReason>,
}

/// The embedded store of one repository.
pub(crate) struct FactsStore {
    database: Database,
    path: PathBuf,
}

/// Why a store could not do what was asked.
pub(crate) enum StoreFailure {
    /// Another process has it open.
    InUse,
    /// What is in it makes no sense. It can be [replaced](FactsStore::replace).
    Damaged,
    /// The system refused.
    Error(IndexError),
}

impl FactsStore {
    /// Opens the store in `directory`, or creates it. Waits up to two seconds for another process.
    pub(crate) fn open(directory: &Path) -> Result<Self, StoreFailure> {
        fs::create_dir_all(directory).map_err(|error| {
            let message = crate::discovery::describe(&error);
            StoreFailure::Error(IndexError::Store {
                operation: "create",
                path: directory.to_owned(),
                message,
            })
        })?;
        let path = store_path(directory);
        for _ in 0..20 {
            match contained(|| Database::create(&path)) {
                Some(Ok(database)) => return Ok(Self { database, path }),
                Some(Err(DatabaseError::DatabaseAlreadyOpen)) => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                Some(Err(error)) => return Err(failure("open", &path, error)),
                None => return Err(StoreFailure::Damaged),
            }
        }
        Err(StoreFailure::InUse)
    }

    /// Opens a new store in place of the damaged one in `directory`: it held nothing that cannot be computed
    /// again.
    pub(crate) fn replace(directory: &Path) -> Result<Self, StoreFailure> {
        let path = store_path(directory);
        fs::remove_file(&path).map_err(|error| failure("replace", &path, redb::Error::Io(error)))?;
        Self::open(directory)
    }

    /// Closes the store. Dropping a damaged one might panic.
    pub(crate) fn close(self) {
        contained(|| drop(self.database));
    }

    /// The manifest of the work tree at `root` as of the last write; empty if there is none.
    pub(crate) fn manifest(&self, root: &Path) -> Result<Vec<ManifestEntry>, StoreFailure> {
        let manifest = self.attempt("read", || {
            let Some(table) = self.table(MANIFESTS)? else { return Ok(None) };
            Ok(table.get(&*root.to_string_lossy())?.and_then(|value| decode(value.value())))
        });
        Ok(manifest?.unwrap_or_default())
    }

    /// The facts under each key, in parallel; `None` where there are none or they cannot be decoded.
    pub(crate) fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<StoredFacts>>, StoreFailure> {
        let Some(table) = self.attempt("read", || self.table(FACTS))? else {
            return Ok(keys.iter().map(|_| None).collect());
        };
        let facts = keys.par_iter().map(|key| {
            self.attempt("read", || {
                let value = table.get(key.bytes().as_slice())?;
                Ok(value.and_then(|value| decode(value.value())))
            })
        });
        facts.collect()
    }

    /// Writes new facts and the manifest of the work tree at `root` in one transaction.
    pub(crate) fn write(
        &self,
        root: &Path,
        facts: &[(FactsKey, Vec<u8>)],
        manifest: &[ManifestEntry],
    ) -> Result<(), StoreFailure> {
        self.attempt("write", || {
            let transaction = self.database.begin_write()?;
            {
                let mut table = transaction.open_table(FACTS)?;
                for (key, value) in facts {
                    table.insert(key.bytes().as_slice(), value.as_slice())?;
                }
                let manifest = encode(manifest);
                transaction.open_table(MANIFESTS)?.insert(&*root.to_string_lossy(), manifest.as_slice())?;
            }
            transaction.commit()?;
            Ok(())
        })
    }

    fn table<K: redb::Key, V: redb::Value>(
        &self,
        definition: TableDefinition<'static, K, V>,
    ) -> Result<Option<ReadOnlyTable<K, V>>, redb::Error> {
        match self.database.begin_read()?.open_table(definition) {
            Ok(table) => Ok(Some(table)),
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn attempt<T>(
        &self,
        operation: &'static str,
        work: impl FnOnce() -> Result<T, redb::Error>,
    ) -> Result<T, StoreFailure> {
        match contained(work) {
            Some(outcome) => outcome.map_err(|error| failure(operation, &self.path, error)),
            None => Err(StoreFailure::Damaged),
        }
    }
}

fn store_path(directory: &Path) -> PathBuf {
    directory.join(format!("facts-v{STORE_VERSION}.redb"))
}

/// What the system refuses is not the store's fault; everything else is.
fn failure(operation: &'static str, path: &Path, error: impl Into<redb::Error>) -> StoreFailure {
    match error.into() {
        // How redb says that the file is cut off or not its own.
        redb::Error::Io(error)
            if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            StoreFailure::Damaged
        }
        redb::Error::Io(error) => {
            let message = crate::discovery::describe(&error);
            StoreFailure::Error(IndexError::Store { operation, path: path.to_owned(), message })
        }
        _ => StoreFailure::Damaged,
    }
}

/// How many bytes of its hash stand before a value.
const CHECK_BYTES: usize = 8;

/// The bytes under which a value is stored: the start of their hash, then the value, compressed.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // Files are many, and most values small: what they are written to first is used again.
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        let bytes = postcard::to_extend(value, std::mem::take(buffer));
        *buffer = bytes.expect("facts and manifests have no unserialisable part");
        let packed = lz4_flex::compress_prepend_size(buffer);
        [&blake3::hash(&packed).as_bytes()[..CHECK_BYTES], &packed].concat()
    })
}

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn decode<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    let (check, packed) = value.split_at_checked(CHECK_BYTES)?;
    if check != &blake3::hash(packed).as_bytes()[..CHECK_BYTES] {
        return None;
    }
    let bytes = lz4_flex::decompress_size_prepended(packed).ok()?;
    postcard::from_bytes(&bytes).ok()
}
