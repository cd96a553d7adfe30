//! Tables of a project and the versions that belong together.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt64Array};
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase};
use lancedb::{Connection, Error as LanceError, Table as LanceTable};

/// Format version; changes with the content of the tables.
pub(crate) const FORMAT: u64 = 2;

/// Table of a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// Work trees, one row each: the parts of the snapshot that no other table holds.
    Trees,
    /// Files, one row each.
    Files,
    /// Chunks.
    Chunks,
    /// Declarations.
    Symbols,
    /// Edges between declarations.
    Edges,
}

impl Table {
    pub(crate) const ALL: [Self; 5] = [Self::Trees, Self::Files, Self::Chunks, Self::Symbols, Self::Edges];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Trees => "trees",
            Self::Files => "files",
            Self::Chunks => "chunks",
            Self::Symbols => "symbols",
            Self::Edges => "edges",
        }
    }
}

/// Name of the one-row table with the versions that belong together.
const META: &str = "meta";

/// State of a project that readers see: the row of `meta`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Number of the state; grows by one with each.
    pub(crate) generation: u64,
    /// Version of each table, in the order of [`Table::ALL`]; 0 if it does not exist.
    versions: [u64; Table::ALL.len()],
}

impl Head {
    /// Returns the head of the next state, with the same versions.
    pub(crate) fn next(self) -> Self {
        Self { generation: self.generation + 1, ..self }
    }

    pub(crate) fn version(&self, table: Table) -> u64 {
        self.versions[table as usize]
    }

    pub(crate) fn set_version(&mut self, table: Table, version: u64) {
        self.versions[table as usize] = version;
    }

    fn batch(&self) -> RecordBatch {
        let number = |value: u64| Arc::new(UInt64Array::from(vec![value])) as ArrayRef;
        let mut columns = vec![("format", number(FORMAT)), ("generation", number(self.generation))];
        columns.extend(Table::ALL.map(|table| (table.name(), number(self.version(table)))));
        RecordBatch::try_from_iter(columns).expect("each column has one value")
    }

    /// Reads the head from a batch; `None` if there is none of this format.
    fn from_batch(batch: &RecordBatch) -> Option<Self> {
        let number = |name: &str| {
            let column = batch.column_by_name(name)?.as_primitive_opt::<UInt64Type>()?;
            column.values().first().copied()
        };
        if number("format")? != FORMAT {
            return None;
        }
        let mut head = Self { generation: number("generation")?, ..Self::default() };
        for table in Table::ALL {
            head.set_version(table, number(table.name())?);
        }
        Some(head)
    }
}

/// Table `meta` of a project.
#[derive(Debug)]
pub(crate) struct Meta(LanceTable);

impl Meta {
    /// Opens the table; `None` if nothing was ever written.
    pub(crate) async fn open(connection: &Connection) -> Result<Option<Self>, LanceError> {
        Ok(open_table(connection, META).await?.map(Self))
    }

    /// Opens the table, or creates it with an empty head. If several processes create it at once, one succeeds and the
    /// others open it.
    pub(crate) async fn create(connection: &Connection) -> Result<Self, LanceError> {
        if let Some(meta) = Self::open(connection).await? {
            return Ok(meta);
        }
        match connection.create_table(META, Head::default().batch()).execute().await {
            Ok(table) => Ok(Self(table)),
            Err(error) => Self::open(connection).await?.ok_or(error),
        }
    }

    /// Returns the latest head; `None` if it has another format.
    pub(crate) async fn head(&self) -> Result<Option<Head>, LanceError> {
        self.0.checkout_latest().await?;
        let batches: Vec<RecordBatch> = self.0.query().limit(1).execute().await?.try_collect().await?;
        Ok(batches.iter().find_map(Head::from_batch))
    }

    /// Replaces the previous head by `next`; false if another writer has replaced it already.
    pub(crate) async fn advance(&self, next: &Head) -> Result<bool, LanceError> {
        self.0.checkout_latest().await?;
        let before = next.generation - 1;
        let mut update = self.0.update().only_if(format!("generation = {before} AND format = {FORMAT}"));
        update = update.column("generation", next.generation.to_string());
        for table in Table::ALL {
            update = update.column(table.name(), next.version(table).to_string());
        }
        Ok(update.execute().await?.rows_updated == 1)
    }

    pub(crate) fn table(&self) -> &LanceTable {
        &self.0
    }
}

/// Opens a table at its latest version; `None` if it does not exist.
pub(crate) async fn open_table(
    connection: &Connection,
    name: &str,
) -> Result<Option<LanceTable>, LanceError> {
    match connection.open_table(name).execute().await {
        Ok(table) => Ok(Some(table)),
        Err(LanceError::TableNotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns a string as an SQL literal.
pub(crate) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Returns values as a parenthesized list of SQL literals.
pub(crate) fn list<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> String {
    let literals: Vec<String> = values.into_iter().map(|value| text(value.as_ref())).collect();
    format!("({})", literals.join(", "))
}
