//! Changing several tables as one.
//!
//! LanceDB commits one table at a time. What makes several commits one is the head, a row that names a version of each
//! table: readers look at those versions only, and a writer moves the head in one step when all tables are written. A
//! writer builds on the versions of the head and on nothing that was written after them: what an interrupted writer
//! left behind is undone first, and where another one has got in between, the work is given up before the head moves.

use arrow_array::{RecordBatch, RecordBatchIterator};
use lancedb::database::CreateTableMode;
use lancedb::{Connection, Error as LanceError, Table as LanceTable};

use sscg_index::IndexError;

use crate::tables::{Head, Meta, Table, open_table};

/// Why a transaction came to nothing.
#[derive(Debug)]
pub(crate) enum Aborted {
    /// Another process wrote to the same project meanwhile.
    Conflict,
    /// What was to be written cannot be read.
    Source(IndexError),
    /// LanceDB or the storage refused.
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

/// Changes to the tables of a project that readers see all at once, or never.
pub(crate) struct Transaction<'a> {
    connection: &'a Connection,
    meta: Meta,
    /// What the head will be.
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

    /// A table as the head has it, for reading and changing; `None` if it is not there yet.
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
            // What is newer belongs to no head.
            pinned.table.checkout(version).await?;
            pinned.table.restore().await?;
            pinned.version = latest;
            pinned.committed(pinned.table.version().await?)?;
            self.next.set_version(table, pinned.version);
        }
        Ok(Some(pinned))
    }

    /// Removes the rows that `obsolete` selects and adds others, in one commit. All rows have the same columns, and
    /// `revision` among them, which is that of this transaction.
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
                // Whatever is there belongs to no head.
                let mode = CreateTableMode::Overwrite;
                let created = self.connection.create_table(table.name(), rows).mode(mode).execute().await?;
                created.version().await?
            }
        };
        self.next.set_version(table, version);
        Ok(())
    }

    /// Lets readers see the changes.
    pub(crate) async fn commit(self) -> Result<Head, Aborted> {
        if self.meta.advance(&self.next).await? { Ok(self.next) } else { Err(Aborted::Conflict) }
    }
}

/// A table with the version of it that a transaction builds on.
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
                // No row that is there has the revision of this transaction, so each new one is inserted.
                let mut merge = self.table.merge_insert(&["revision"]);
                merge.when_not_matched_insert_all().when_not_matched_by_source_delete(Some(obsolete));
                let schema = first.schema();
                let rows = RecordBatchIterator::new(rows.into_iter().map(Ok), schema);
                merge.execute(Box::new(rows)).await?.version
            }
        };
        self.committed(version)
    }

    /// Notes a commit. One that does not follow the version before it holds what another writer wrote in between.
    pub(crate) fn committed(&mut self, version: u64) -> Result<(), Aborted> {
        if version != self.version + 1 && version != self.version {
            return Err(Aborted::Conflict);
        }
        self.version = version;
        Ok(())
    }
}
