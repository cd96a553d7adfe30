//! Atomic changes of several tables.
//!
//! LanceDB commits one table at a time. The head, a row with one version per table, makes several commits atomic:
//! readers use only these versions, and a writer moves the head in one step after it has written all tables. A writer
//! builds on the versions of the head only. It first undoes later versions, which an interrupted writer left behind. If
//! another writer has committed meanwhile, the transaction aborts before the head moves.

use arrow_array::{RecordBatch, RecordBatchIterator};
use lancedb::database::CreateTableMode;
use lancedb::{Connection, Error as LanceError, Table as LanceTable};

use sscg_index::IndexError;

use crate::tables::{Head, Meta, Table, open_table};

/// Reason for an aborted transaction.
#[derive(Debug)]
pub(crate) enum Aborted {
    /// Another process wrote to the same project meanwhile.
    Conflict,
    /// The data to write cannot be read.
    Source(IndexError),
    /// LanceDB or the storage returned an error.
    Failed(LanceError),
}

impl From<IndexError> for Aborted {
    fn from(error: IndexError) -> Self {
        Self::Source(error)
    }
}

impl From<LanceError> for Aborted {
    fn from(error: LanceError) -> Self {
        use lance_core::Error::{
            CommitConflict, IncompatibleTransaction, RetryableCommitConflict, TooMuchWriteContention,
        };
        match error {
            LanceError::Lance {
                source:
                    CommitConflict { .. }
                    | IncompatibleTransaction { .. }
                    | RetryableCommitConflict { .. }
                    | TooMuchWriteContention { .. },
            } => Self::Conflict,
            error => Self::Failed(error),
        }
    }
}

/// Changes to the tables of a project that become visible to readers all at once or not at all.
pub(crate) struct Transaction<'a> {
    connection: &'a Connection,
    meta: Meta,
    /// Head after the commit.
    pub(crate) next: Head,
}

impl<'a> Transaction<'a> {
    pub(crate) async fn begin(connection: &'a Connection) -> Result<Self, Aborted> {
        let meta = Meta::create(connection).await?;
        let Some(head) = meta.head().await? else {
            let message =
                "the tables were written by another version of SSCG; name another project or store".into();
            return Err(Aborted::Failed(LanceError::NotSupported { message }));
        };
        Ok(Self { connection, meta, next: head.next() })
    }

    /// Opens a table at the version of the head, for reading and writing; `None` if it does not exist yet.
    pub(crate) async fn table(&mut self, table: Table) -> Result<Option<Pinned>, Aborted> {
        let version = self.next.version(table);
        if version == 0 {
            return Ok(None);
        }
        let Some(lance) = open_table(self.connection, table.name()).await? else {
            return Err(Aborted::Conflict);
        };
        let latest = lance.version().await?;
        let mut pinned = Pinned { table: lance, version };
        if latest != version {
            // Newer versions belong to no head.
            pinned.table.checkout(version).await?;
            pinned.table.restore().await?;
            pinned.version = latest;
            pinned.committed(pinned.table.version().await?)?;
            self.next.set_version(table, pinned.version);
        }
        Ok(Some(pinned))
    }

    /// Removes the rows that `obsolete` selects and adds others, in one commit. All rows have the same columns,
    /// including the `revision` of this transaction.
    pub(crate) async fn replace(
        &mut self,
        table: Table,
        obsolete: Option<String>,
        rows: Vec<RecordBatch>,
    ) -> Result<(), Aborted> {
        if obsolete.is_none() && rows.is_empty() {
            return Ok(());
        }
        let version = match self.table(table).await? {
            Some(mut pinned) => {
                pinned.replace(obsolete, rows).await?;
                pinned.version
            }
            None if rows.is_empty() => return Ok(()),
            None => {
                // An existing table belongs to no head.
                let mode = CreateTableMode::Overwrite;
                let created = self.connection.create_table(table.name(), rows).mode(mode).execute().await?;
                created.version().await?
            }
        };
        self.next.set_version(table, version);
        Ok(())
    }

    /// Makes the changes visible to readers.
    pub(crate) async fn commit(self) -> Result<Head, Aborted> {
        if self.meta.advance(&self.next).await? { Ok(self.next) } else { Err(Aborted::Conflict) }
    }
}

/// Table at the version that a transaction builds on.
pub(crate) struct Pinned {
    pub(crate) table: LanceTable,
    pub(crate) version: u64,
}

impl Pinned {
    async fn replace(&mut self, obsolete: Option<String>, rows: Vec<RecordBatch>) -> Result<(), Aborted> {
        let version = match (obsolete, rows.first()) {
            (Some(obsolete), None) => self.table.delete(obsolete.as_str()).await?.version,
            (None, _) => self.table.add(rows).execute().await?.version,
            (Some(obsolete), Some(first)) => {
                // No existing row has the revision of this transaction, so each new one is inserted.
                let mut merge = self.table.merge_insert(&["revision"]);
                merge.when_not_matched_insert_all().when_not_matched_by_source_delete(Some(obsolete));
                let schema = first.schema();
                let rows = RecordBatchIterator::new(rows.into_iter().map(Ok), schema);
                merge.execute(Box::new(rows)).await?.version
            }
        };
        self.committed(version)
    }

    /// Records a commit. A gap in the versions means that another writer committed in between.
    pub(crate) fn committed(&mut self, version: u64) -> Result<(), Aborted> {
        if version != self.version + 1 && version != self.version {
            return Err(Aborted::Conflict);
        }
        self.version = version;
        Ok(())
    }
}
