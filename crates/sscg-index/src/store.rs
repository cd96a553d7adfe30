//! Facts on disk, under the hash of the text they were taken from.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use redb::{Database, DatabaseError, ReadableDatabase, TableDefinition};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sscg_core::FileFacts;
use sscg_parse::EXTRACTOR_VERSION;

use crate::{FileTerms, IndexError, SkipReason};

/// Changes with the layout of the tables or of what they hold.
const STORE_VERSION: u32 = 1;

const FACTS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("facts");
const MANIFESTS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("manifests");

/// What a file says, with the terms to find it by.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct StoredFacts {
    pub(crate) facts: Arc<FileFacts>,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ManifestEntry {
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) mtime: u128,
    /// The content's hash, or why it is not indexed.
    pub(crate) content: Result<[u8; 32], SkipReason>,
}

/// The embedded store of one repository.
pub(crate) struct FactsStore {
    database: Database,
    path: PathBuf,
}

/// Why a store could not be opened.
pub(crate) enum OpenFailure {
    /// Another process has it open.
    InUse,
    /// Something else.
    Error(IndexError),
}

impl FactsStore {
    /// Opens the store in `directory`, or creates it. A store of another version or a broken one is replaced:
    /// it holds nothing that cannot be computed again. Waits up to two seconds for another process.
    pub(crate) fn open(directory: &Path) -> Result<Self, OpenFailure> {
        fs::create_dir_all(directory).map_err(|error| {
            OpenFailure::Error(IndexError::Store {
                operation: "create",
                path: directory.to_owned(),
                message: crate::discovery::describe(&error),
            })
        })?;
        let path = directory.join(format!("facts-v{STORE_VERSION}.redb"));
        for _ in 0..20 {
            match Database::create(&path) {
                Ok(database) => return Ok(Self { database, path }),
                Err(DatabaseError::DatabaseAlreadyOpen) => std::thread::sleep(Duration::from_millis(100)),
                Err(DatabaseError::Storage(redb::StorageError::Io(error)))
                    if error.kind() == std::io::ErrorKind::PermissionDenied =>
                {
                    return Err(OpenFailure::Error(failure("open", &path)(error)));
                }
                Err(_) => {
                    let _ = fs::remove_file(&path);
                    let database = Database::create(&path)
                        .map_err(|error| OpenFailure::Error(failure("create", &path)(error)))?;
                    return Ok(Self { database, path });
                }
            }
        }
        Err(OpenFailure::InUse)
    }

    /// The manifest of the work tree at `root` as of the last write; empty if there is none.
    pub(crate) fn manifest(&self, root: &Path) -> Result<Vec<ManifestEntry>, IndexError> {
        let fail = |error: redb::Error| failure("read", &self.path)(error);
        let read = || -> Result<Option<Vec<ManifestEntry>>, redb::Error> {
            let table = match self.database.begin_read()?.open_table(MANIFESTS) {
                Ok(table) => table,
                Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            Ok(table
                .get(&*root.to_string_lossy())?
                .and_then(|value| postcard::from_bytes(value.value()).ok()))
        };
        Ok(read().map_err(fail)?.unwrap_or_default())
    }

    /// The facts under each key, in parallel; `None` where there are none or they cannot be decoded.
    pub(crate) fn facts(&self, keys: &[FactsKey]) -> Result<Vec<Option<StoredFacts>>, IndexError> {
        let fail = |error: redb::Error| failure("read", &self.path)(error);
        let open = || -> Result<_, redb::Error> {
            match self.database.begin_read()?.open_table(FACTS) {
                Ok(table) => Ok(Some(table)),
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        };
        let Some(table) = open().map_err(fail)? else {
            return Ok(keys.iter().map(|_| None).collect());
        };
        keys.par_iter()
            .map(|key| {
                let value = table.get(key.bytes().as_slice()).map_err(failure("read", &self.path))?;
                Ok(value.and_then(|value| decode(value.value())))
            })
            .collect()
    }

    /// Writes new facts and the manifest of the work tree at `root` in one transaction.
    pub(crate) fn write(
        &self,
        root: &Path,
        facts: impl IntoIterator<Item = (FactsKey, Vec<u8>)>,
        manifest: &[ManifestEntry],
    ) -> Result<(), IndexError> {
        let write = || -> Result<(), redb::Error> {
            let transaction = self.database.begin_write()?;
            {
                let mut table = transaction.open_table(FACTS)?;
                for (key, value) in facts {
                    table.insert(key.bytes().as_slice(), value.as_slice())?;
                }
                let manifest = postcard::to_stdvec(manifest).expect("a manifest has no unserialisable part");
                transaction.open_table(MANIFESTS)?.insert(&*root.to_string_lossy(), manifest.as_slice())?;
            }
            transaction.commit()?;
            Ok(())
        };
        write().map_err(failure("write", &self.path))
    }
}

/// The bytes under which facts are stored.
pub(crate) fn encode(facts: &StoredFacts) -> Vec<u8> {
    let bytes = postcard::to_stdvec(facts).expect("facts have no unserialisable part");
    lz4_flex::compress_prepend_size(&bytes)
}

fn decode<T: DeserializeOwned>(value: &[u8]) -> Option<T> {
    let bytes = lz4_flex::decompress_size_prepended(value).ok()?;
    postcard::from_bytes(&bytes).ok()
}

fn failure<E: std::fmt::Display>(operation: &'static str, path: &Path) -> impl Fn(E) -> IndexError {
    let path = path.to_owned();
    move |error| IndexError::Store { operation, path: path.clone(), message: error.to_string() }
}
