//! Maintenance of tables: few files, up-to-date indices, no old versions.

use lancedb::index::Index;
use lancedb::index::scalar::{BTreeIndexBuilder, BitmapIndexBuilder};
use lancedb::index::vector::IvfPqIndexBuilder;
use lancedb::table::{CompactionOptions, Duration, OptimizeAction, OptimizeOptions};
use lancedb::{Connection, DistanceType, Error as LanceError, Table as LanceTable};

use crate::content::Content;
use crate::publication::VECTOR;
use crate::tables::{Head, Meta, Table, open_table};
use crate::transaction::{Aborted, Transaction};

/// Number of files in a table at which they are merged. Each publication adds at least one.
const MANY_FILES: usize = 32;

/// Lance tag of the version in the head, which protects it from pruning.
const HEAD_TAG: &str = "head";

/// True if the table of chunks has enough files to slow down reads.
pub(crate) async fn is_due(connection: &Connection, head: &Head) -> Result<bool, LanceError> {
    if head.version(Table::Chunks) == 0 {
        return Ok(false);
    }
    let Some(chunks) = open_table(connection, Table::Chunks.name()).await? else { return Ok(false) };
    Ok(chunks.stats().await?.fragment_stats.num_fragments >= MANY_FILES)
}

/// Merges files and indexes new rows, without changing any row.
pub(crate) async fn rewrite(transaction: &mut Transaction<'_>, index_rows: usize) -> Result<(), Aborted> {
    for table in Table::ALL {
        let Some(mut pinned) = transaction.table(table).await? else { continue };
        let rows = pinned.table.count_rows(None).await?;
        let generation = transaction.next.generation;
        compact(&pinned.table).await?;
        if rows >= index_rows {
            index(&pinned.table, table).await?;
        }
        pinned.table.optimize(OptimizeAction::Index(OptimizeOptions::default())).await?;
        // This takes any number of commits. A concurrent writer would have added rows of this generation, or removed
        // some.
        pinned.table.checkout_latest().await?;
        let added = pinned.table.count_rows(Some(format!("revision >= {generation}"))).await?;
        if added > 0 || pinned.table.count_rows(None).await? != rows {
            return Err(Aborted::Conflict);
        }
        pinned.version = pinned.table.version().await?;
        transaction.next.set_version(table, pinned.version);
    }
    Ok(())
}

async fn compact(table: &LanceTable) -> Result<(), LanceError> {
    let options = CompactionOptions::default();
    table.optimize(OptimizeAction::Compact { options, remap_options: None }).await.map(drop)
}

/// Creates the missing indices for filters and searches.
async fn index(table: &LanceTable, kind: Table) -> Result<(), LanceError> {
    let schema = table.schema().await?;
    let mut wanted = vec![("path", Index::BTree(BTreeIndexBuilder::default()))];
    if kind == Table::Chunks {
        wanted.push(("language", Index::Bitmap(BitmapIndexBuilder::default())));
        wanted.push(("kind", Index::Bitmap(BitmapIndexBuilder::default())));
        // About half the work of a search reads product-quantization codes, at most an eighth of the vectors' size.
        let vectors = IvfPqIndexBuilder::default().distance_type(DistanceType::Cosine);
        wanted.push((VECTOR, Index::IvfPq(vectors)));
    }
    wanted.retain(|(column, _)| schema.field_with_name(column).is_ok());
    make_missing(table, wanted).await
}

async fn make_missing(table: &LanceTable, wanted: Vec<(&str, Index)>) -> Result<(), LanceError> {
    let present = table.list_indices().await?;
    for (column, index) in wanted {
        if !present.iter().any(|it| it.columns == [column]) {
            table.create_index(&[column], index).execute().await?;
        }
    }
    Ok(())
}

/// Removes versions that are older than `keep_days` and not in the head, and maintains the tables that have no head.
pub(crate) async fn prune(
    connection: &Connection,
    head: &Head,
    index_rows: usize,
    keep_days: u32,
) -> Result<(), LanceError> {
    for table in Table::ALL {
        let Some(lance) = open_table(connection, table.name()).await? else { continue };
        let mut tags = lance.tags().await?;
        match (head.version(table), tags.get_version(HEAD_TAG).await) {
            (0, _) => {}
            (version, Ok(tagged)) if version != tagged => tags.update(HEAD_TAG, version).await?,
            (_, Ok(_)) => {}
            (version, Err(_)) => tags.create(HEAD_TAG, version).await?,
        }
        drop(tags);
        remove_versions(&lance, keep_days).await?;
    }
    for content in Content::ALL {
        let Some(lance) = content.open(connection).await? else { continue };
        compact(&lance).await?;
        if lance.count_rows(None).await? >= index_rows {
            make_missing(&lance, vec![("key", Index::BTree(BTreeIndexBuilder::default()))]).await?;
        }
        lance.optimize(OptimizeAction::Index(OptimizeOptions::default())).await?;
        remove_versions(&lance, keep_days).await?;
    }
    if let Some(meta) = Meta::open(connection).await? {
        compact(meta.table()).await?;
        remove_versions(meta.table(), keep_days).await?;
    }
    Ok(())
}

async fn remove_versions(table: &LanceTable, keep_days: u32) -> Result<(), LanceError> {
    let prune = OptimizeAction::Prune {
        older_than: Some(Duration::days(keep_days.into())),
        // Files without a version may belong to a writer in progress.
        delete_unverified: None,
        error_if_tagged_old_versions: Some(false),
    };
    table.optimize(prune).await.map(drop)
}
