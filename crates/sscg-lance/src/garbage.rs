//! Garbage collection.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use futures::TryStreamExt;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::{Connection, Error as LanceError};
use sscg_index::ManifestEntry;

use crate::content::Content;
use crate::manifest::{facts_key, manifests};
use crate::tables::{Table, list, open_table};
use crate::transaction::{Aborted, Transaction};

/// Rows that can be removed.
#[derive(Debug, Default)]
pub(crate) struct Garbage {
    /// Unused trees, by name.
    pub(crate) trees: Vec<String>,
    /// Facts by key.
    pub(crate) facts: Vec<String>,
    /// Vectors by key.
    pub(crate) vectors: Vec<String>,
}

/// Returns the garbage of a store: trees unused for `unused_days` (at least 1), facts that no manifest has listed for
/// as long, and vectors of the same age whose text belongs to no chunk.
pub(crate) async fn garbage(
    connection: &Connection,
    today: u32,
    unused_days: u32,
) -> Result<Garbage, LanceError> {
    let age = |day: u32| today.saturating_sub(day);
    let mut garbage = Garbage::default();
    let mut needed: HashSet<String> = HashSet::new();
    for kept in manifests(connection).await? {
        if age(kept.day) >= unused_days.max(1) {
            garbage.trees.push(kept.tree);
            continue;
        }
        let named = kept.manifest.entries.iter().filter_map(ManifestEntry::key);
        needed.extend(named.map(|key| facts_key(&key)));
        let recent = kept.manifest.released.into_iter().filter(|(_, day)| age(*day) < unused_days);
        needed.extend(recent.map(|(key, _)| key));
    }
    let old = |rows: Vec<(String, u32)>| {
        rows.into_iter().filter(|(_, day)| age(*day) >= unused_days).map(|(key, _)| key)
    };
    let facts = old(Content::Facts.days(connection).await?);
    garbage.facts = facts.filter(|key| !needed.contains(key)).collect();

    let mut vectors: Vec<String> = old(Content::Vectors.days(connection).await?).collect();
    if !vectors.is_empty() {
        let texts = embedded_texts(connection).await?;
        vectors.retain(|key| !key.split(':').next().is_some_and(|text| texts.contains(text)));
    }
    garbage.vectors = vectors;
    Ok(garbage)
}

/// Returns the hashes of the texts of all chunks, published or about to be.
async fn embedded_texts(connection: &Connection) -> Result<HashSet<String>, LanceError> {
    let mut texts = HashSet::new();
    let Some(chunks) = open_table(connection, Table::Chunks.name()).await? else { return Ok(texts) };
    let mut batches = chunks.query().select(Select::columns(&["embedding_text"])).execute().await?;
    while let Some(batch) = batches.try_next().await? {
        let column = batch.column_by_name("embedding_text").and_then(|column| column.as_string_opt::<i32>());
        let hashes = column.into_iter().flatten().flatten();
        texts.extend(hashes.map(|text| blake3::hash(text.as_bytes()).to_hex().to_string()));
    }
    Ok(texts)
}

impl Garbage {
    /// Removes the publications of unused trees; false if there are none.
    pub(crate) async fn forget_trees(&self, transaction: &mut Transaction<'_>) -> Result<bool, Aborted> {
        if self.trees.is_empty() {
            return Ok(false);
        }
        for table in Table::ALL {
            let rows = format!("tree IN {}", list(&self.trees));
            transaction.replace(table, Some(rows), Vec::new()).await?;
        }
        Ok(true)
    }

    /// Removes the remaining garbage: manifests, facts and vectors.
    pub(crate) async fn remove(&self, connection: &Connection) -> Result<(), LanceError> {
        Content::Manifests.remove(connection, &self.trees).await?;
        Content::Facts.remove(connection, &self.facts).await?;
        Content::Vectors.remove(connection, &self.vectors).await
    }
}
