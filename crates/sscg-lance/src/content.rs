//! Content-addressed tables: facts and vectors, and the manifests that list them.
//!
//! A row of facts or vectors is immutable and has the same meaning for everyone. These tables therefore only grow, in
//! commits that cannot conflict, and are read without a head. A manifest is written after the facts that it lists.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt32Type};
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch, RecordBatchIterator, StringArray, UInt32Array};
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::{Connection, Error as LanceError, Table as LanceTable};

use crate::tables::{list, open_table, text};

/// Maximum number of keys per query or deletion.
const KEYS_PER_QUERY: usize = 1000;

/// Table of values by key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Facts,
    Vectors,
    Manifests,
}

impl Content {
    pub(crate) const ALL: [Self; 3] = [Self::Facts, Self::Vectors, Self::Manifests];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::Vectors => "vectors",
            Self::Manifests => "manifests",
        }
    }

    pub(crate) async fn open(self, connection: &Connection) -> Result<Option<LanceTable>, LanceError> {
        open_table(connection, self.name()).await
    }

    /// Adds rows. If several processes create the table at once, one succeeds and the others add to it.
    pub(crate) async fn add(self, connection: &Connection, rows: RecordBatch) -> Result<(), LanceError> {
        if let Some(table) = self.open(connection).await? {
            return table.add(rows).execute().await.map(drop);
        }
        match connection.create_table(self.name(), rows.clone()).execute().await {
            Ok(_) => Ok(()),
            Err(error) => {
                let table = self.open(connection).await?.ok_or(error)?;
                table.add(rows).execute().await.map(drop)
            }
        }
    }

    /// Inserts a row, or replaces the one with the same key.
    pub(crate) async fn put(self, connection: &Connection, row: RecordBatch) -> Result<(), LanceError> {
        let Some(table) = self.open(connection).await? else { return self.add(connection, row).await };
        let mut merge = table.merge_insert(&["key"]);
        merge.when_matched_update_all(None).when_not_matched_insert_all();
        let schema = row.schema();
        merge.execute(Box::new(RecordBatchIterator::new([Ok(row)], schema))).await.map(drop)
    }

    /// Returns the values by key.
    pub(crate) async fn get<T>(
        self,
        connection: &Connection,
        keys: &[String],
        read: impl Fn(&RecordBatch) -> Option<Vec<T>>,
    ) -> Result<HashMap<String, T>, LanceError> {
        let mut found = HashMap::with_capacity(keys.len());
        let Some(table) = self.open(connection).await? else { return Ok(found) };
        for keys in keys.chunks(KEYS_PER_QUERY) {
            let query = table.query().select(Select::columns(&["key", "value"]));
            let mut batches = query.only_if(format!("key IN {}", list(keys))).execute().await?;
            while let Some(batch) = batches.try_next().await? {
                let names = batch.column_by_name("key").and_then(|column| column.as_string_opt::<i32>());
                if let (Some(names), Some(values)) = (names, read(&batch)) {
                    found.extend(names.iter().flatten().map(str::to_owned).zip(values));
                }
            }
        }
        Ok(found)
    }

    /// Returns every key of the table with the day of its last use.
    pub(crate) async fn days(self, connection: &Connection) -> Result<Vec<(String, u32)>, LanceError> {
        let Some(table) = self.open(connection).await? else { return Ok(Vec::new()) };
        let batches = table.query().select(Select::columns(&["key", "day"])).execute().await?;
        let batches: Vec<RecordBatch> = batches.try_collect().await?;
        let rows = batches.iter().flat_map(|batch| {
            let keys = batch.column_by_name("key").and_then(|column| column.as_string_opt::<i32>());
            let days = batch.column_by_name("day").and_then(|column| column.as_primitive_opt::<UInt32Type>());
            let rows = keys.zip(days).map(|(keys, days)| {
                keys.iter().flatten().map(str::to_owned).zip(days.values().iter().copied())
            });
            rows.into_iter().flatten().collect::<Vec<_>>()
        });
        Ok(rows.collect())
    }

    /// Removes the rows with these keys.
    pub(crate) async fn remove(self, connection: &Connection, keys: &[String]) -> Result<(), LanceError> {
        let Some(table) = self.open(connection).await? else { return Ok(()) };
        for keys in keys.chunks(KEYS_PER_QUERY) {
            table.delete(format!("key IN {}", list(keys)).as_str()).await?;
        }
        Ok(())
    }

    /// Records the use of a row on a day.
    pub(crate) async fn touch(self, connection: &Connection, key: &str, day: u32) -> Result<(), LanceError> {
        let Some(table) = self.open(connection).await? else { return Ok(()) };
        let stale = format!("key = {} AND day < {day}", text(key));
        if table.count_rows(Some(stale.clone())).await? > 0 {
            table.update().only_if(stale).column("day", day.to_string()).execute().await?;
        }
        Ok(())
    }
}

/// Creates rows with bytes as values.
pub(crate) fn bytes_rows<'a>(
    rows: impl Iterator<Item = (String, &'a [u8])> + Clone,
    day: u32,
) -> RecordBatch {
    let values: ArrayRef = Arc::new(BinaryArray::from_iter_values(rows.clone().map(|(_, value)| value)));
    keyed(rows.map(|(key, _)| key), values, day)
}

/// Returns the values written by [`bytes_rows`].
pub(crate) fn read_bytes(batch: &RecordBatch) -> Option<Vec<Vec<u8>>> {
    let values = batch.column_by_name("value")?.as_binary_opt::<i32>()?;
    Some(values.iter().map(|value| value.unwrap_or_default().to_vec()).collect())
}

/// Creates rows with vectors as values.
pub(crate) fn vector_rows<'a>(
    rows: impl Iterator<Item = (String, &'a [f32])> + Clone,
    day: u32,
) -> RecordBatch {
    let mut values = ListBuilder::new(Float32Builder::new());
    for (_, vector) in rows.clone() {
        values.values().append_slice(vector);
        values.append(true);
    }
    keyed(rows.map(|(key, _)| key), Arc::new(values.finish()), day)
}

/// Returns the values written by [`vector_rows`].
pub(crate) fn read_vectors(batch: &RecordBatch) -> Option<Vec<Vec<f32>>> {
    let values = batch.column_by_name("value")?.as_list_opt::<i32>()?;
    let vector = |at| Some(values.value(at).as_primitive_opt::<Float32Type>()?.values().to_vec());
    (0..values.len()).map(vector).collect()
}

fn keyed(keys: impl Iterator<Item = String>, values: ArrayRef, day: u32) -> RecordBatch {
    let days = UInt32Array::from(vec![day; values.len()]);
    let keys = Arc::new(StringArray::from_iter_values(keys)) as ArrayRef;
    RecordBatch::try_from_iter([("key", keys), ("value", values), ("day", Arc::new(days))])
        .expect("each row has a key, a value and a day")
}
