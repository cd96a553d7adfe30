//! Publication of the index of a work tree as rows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, LargeBinaryArray, RecordBatch, StringArray, UInt64Array, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use futures::TryStreamExt;
use lancedb::index::Index;
use lancedb::index::scalar::FtsIndexBuilder;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::table::NewColumnTransform;
use lancedb::{Connection, Error as LanceError, Table as LanceTable};
use rayon::prelude::*;
use sscg_core::FileId;
use sscg_index::rows::{ArrowRow, ChunkRow, Rows};
use sscg_index::{IndexError, Snapshot};

use crate::content::{Content, read_vectors};
use crate::tables::{Table, list, text};
use crate::transaction::{Aborted, Transaction};

/// Number of files whose rows are created together.
const FILES_PER_BATCH: usize = 256;

/// Columns of chunks that full-text search covers.
pub(crate) const TEXT_COLUMNS: [&str; 2] = ["embedding_text", "breadcrumb"];

/// Column of chunks with their vectors.
pub(crate) const VECTOR: &str = "vector";

/// Metadata of the snapshot in a row of `trees`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tree {
    /// Hash of the snapshot's bytes.
    digest: String,
    /// Model of the chunk vectors; empty if there are none.
    model: String,
}

impl Tree {
    /// Reads the metadata of a tree, if it was published.
    async fn read(trees: &LanceTable, tree: &str) -> Result<Option<Self>, LanceError> {
        let rows = rows_of(trees, tree, &["digest", "model"]).await?;
        let text = |row, name| texts(row, name).pop();
        Ok(rows
            .iter()
            .find_map(|row| Some(Self { digest: text(row, "digest")?, model: text(row, "model")? })))
    }

    fn batch(&self, snapshot: &[u8]) -> RecordBatch {
        let text = |value: &str| Arc::new(StringArray::from(vec![value])) as ArrayRef;
        let snapshot: ArrayRef = Arc::new(LargeBinaryArray::from_vec(vec![snapshot]));
        let columns = [("digest", text(&self.digest)), ("model", text(&self.model)), ("snapshot", snapshot)];
        RecordBatch::try_from_iter(columns).expect("one value each")
    }
}

/// Returns the snapshot bytes of a tree, if it was published.
pub(crate) async fn snapshot_bytes(trees: &LanceTable, tree: &str) -> Result<Option<Vec<u8>>, LanceError> {
    let rows = rows_of(trees, tree, &["snapshot"]).await?;
    let bytes = rows.iter().find_map(|row| {
        let column = row.column_by_name("snapshot")?.as_binary_opt::<i64>()?;
        column.iter().next().flatten().map(<[u8]>::to_vec)
    });
    Ok(bytes)
}

/// Returns the names of the published trees.
pub(crate) async fn tree_names(trees: &LanceTable) -> Result<Vec<String>, LanceError> {
    let batches = trees.query().select(Select::columns(&["tree"])).execute().await?;
    let batches: Vec<RecordBatch> = batches.try_collect().await?;
    Ok(batches.iter().flat_map(|batch| texts(batch, "tree")).collect())
}

/// Returns the text of a file of a tree, if it was published.
pub(crate) async fn file_text(
    files: &LanceTable,
    tree: &str,
    path: &str,
) -> Result<Option<String>, LanceError> {
    let query = files.query().only_if(format!("tree = {} AND path = {}", text(tree), text(path)));
    let batches = query.select(Select::columns(&["text"])).execute().await?;
    let batches: Vec<RecordBatch> = batches.try_collect().await?;
    Ok(batches.iter().flat_map(|batch| texts(batch, "text")).next())
}

/// Returns the strings of a column.
fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
    column.into_iter().flatten().flatten().map(str::to_owned).collect()
}

/// Returns some columns of the rows of a tree.
async fn rows_of(table: &LanceTable, tree: &str, columns: &[&str]) -> Result<Vec<RecordBatch>, LanceError> {
    let query = table.query().only_if(format!("tree = {}", text(tree)));
    query.select(Select::columns(columns)).execute().await?.try_collect().await
}

/// Writes the differences to the last publication of the tree, with the vectors of `model`; false if there are none.
pub(crate) async fn publish(
    connection: &Connection,
    transaction: &mut Transaction<'_>,
    tree: &str,
    snapshot: &Snapshot,
    model: Option<String>,
) -> Result<bool, Aborted> {
    let before = match transaction.table(Table::Trees).await? {
        Some(trees) => Tree::read(&trees.table, tree).await?,
        None => None,
    };
    let model = model.or_else(|| before.as_ref().map(|before| before.model.clone())).unwrap_or_default();
    let bytes = snapshot.to_bytes()?;
    let after = Tree { digest: blake3::hash(&bytes).to_hex().to_string(), model };
    let stored = match transaction.table(Table::Files).await? {
        Some(files) => digests(&files.table, tree).await?,
        None => HashMap::new(),
    };
    let same_model = before.as_ref().is_some_and(|before| before.model == after.model);

    let rows = Rows::new(snapshot);
    let files: Vec<FileId> = snapshot.project.files().ids().collect();
    let path = |file: FileId| &*snapshot.project.files()[file].path;
    let is_changed = |file: &&FileId| !same_model || stored.get(path(**file)) != Some(&rows.digest(**file));
    let changed: Vec<FileId> = files.par_iter().filter(is_changed).copied().collect();
    let present: HashSet<&str> = files.iter().map(|file| path(*file)).collect();
    let gone = stored.keys().map(String::as_str).filter(|path| !present.contains(path));
    let replaced = changed.iter().map(|file| path(*file)).filter(|path| stored.contains_key(*path));
    let obsolete: Vec<&str> = gone.chain(replaced).collect();
    if changed.is_empty() && obsolete.is_empty() && before.as_ref() == Some(&after) {
        return Ok(false);
    }

    let of_tree = format!("tree = {}", text(tree));
    let obsolete = match obsolete.len() {
        0 => None,
        all if all == stored.len() => Some(of_tree.clone()),
        _ => Some(format!("{of_tree} AND path IN {}", list(&obsolete))),
    };
    let owner = Owner { tree, revision: transaction.next.generation };
    let files = owner.batches(&changed, |file| rows.file(file).map(|row| vec![row]))?;
    transaction.replace(Table::Files, obsolete.clone(), files).await?;
    let symbols = owner.batches(&changed, |file| Ok(rows.symbols(file)))?;
    transaction.replace(Table::Symbols, obsolete.clone(), symbols).await?;
    let edges = owner.batches(&changed, |file| Ok(rows.edges(file)))?;
    transaction.replace(Table::Edges, obsolete.clone(), edges).await?;

    let mut chunks = Vec::new();
    for files in changed.chunks(FILES_PER_BATCH) {
        let made: Result<Vec<Vec<ChunkRow>>, IndexError> =
            files.par_iter().map(|file| rows.chunks(*file)).collect();
        let mut made: Vec<ChunkRow> = made?.into_iter().flatten().collect();
        add_vectors(connection, &mut made, &after.model).await?;
        chunks.push(owner.mark(ChunkRow::batch(&made)));
    }
    let chunks = with_vector_columns(transaction, chunks).await?;
    transaction.replace(Table::Chunks, obsolete, chunks).await?;
    index_text(transaction).await?;

    transaction.replace(Table::Trees, Some(of_tree), vec![owner.mark(after.batch(&bytes))]).await?;
    Ok(true)
}

/// Returns the digests of a tree's published files, by path.
async fn digests(files: &LanceTable, tree: &str) -> Result<HashMap<String, String>, LanceError> {
    let batches = rows_of(files, tree, &["path", "digest"]).await?;
    let rows = batches.iter().flat_map(|batch| texts(batch, "path").into_iter().zip(texts(batch, "digest")));
    Ok(rows.collect())
}

/// Tree and revision of the written rows.
struct Owner<'a> {
    tree: &'a str,
    revision: u64,
}

impl Owner<'_> {
    /// Returns the rows of files as batches.
    fn batches<R: ArrowRow + Send>(
        &self,
        files: &[FileId],
        rows: impl Fn(FileId) -> Result<Vec<R>, IndexError> + Sync,
    ) -> Result<Vec<RecordBatch>, IndexError> {
        let batch = |files: &[FileId]| {
            let made: Result<Vec<Vec<R>>, IndexError> = files.par_iter().map(|file| rows(*file)).collect();
            let made: Vec<R> = made?.into_iter().flatten().collect();
            Ok(self.mark(R::batch(&made)))
        };
        files.chunks(FILES_PER_BATCH).map(batch).collect()
    }

    /// Adds the columns `tree` and `revision` to a batch.
    fn mark(&self, batch: RecordBatch) -> RecordBatch {
        let rows = batch.num_rows();
        let tree: ArrayRef = Arc::new(StringArray::from(vec![self.tree; rows]));
        let revision: ArrayRef = Arc::new(UInt64Array::from(vec![self.revision; rows]));
        with_column(&with_column(&batch, "tree", tree, false), "revision", revision, false)
    }
}

fn with_column(batch: &RecordBatch, name: &str, values: ArrayRef, nullable: bool) -> RecordBatch {
    let field = Field::new(name, values.data_type().clone(), nullable);
    let fields = batch.schema().fields().iter().cloned().chain([Arc::new(field)]).collect::<Vec<_>>();
    let columns = batch.columns().iter().cloned().chain([values]).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("a value for each row")
}

/// Adds the stored vectors of their texts to chunks.
async fn add_vectors(
    connection: &Connection,
    chunks: &mut [ChunkRow],
    model: &str,
) -> Result<(), LanceError> {
    if model.is_empty() {
        return Ok(());
    }
    let key = |chunk: &ChunkRow| vector_key(model, blake3::hash(chunk.embedding_text.as_bytes()).as_bytes());
    let mut keys: Vec<String> = chunks.par_iter().map(key).collect();
    let by_chunk = keys.clone();
    keys.sort_unstable();
    keys.dedup();
    let vectors = Content::Vectors.get(connection, &keys, read_vectors).await?;
    for (chunk, key) in chunks.iter_mut().zip(by_chunk) {
        chunk.vector = vectors.get(&key).cloned();
    }
    Ok(())
}

/// Returns the key of the vector of a text and a model.
pub(crate) fn vector_key(model: &str, text: &[u8; 32]) -> String {
    format!("{}:{model}", blake3::Hash::from_bytes(*text).to_hex())
}

/// Returns the batches with the same vector column as the table: that of the batches if they have one. For a model of
/// another dimension, the table gets a new column, and trees that were not yet published with the model have no
/// vectors.
async fn with_vector_columns(
    transaction: &mut Transaction<'_>,
    batches: Vec<RecordBatch>,
) -> Result<Vec<RecordBatch>, Aborted> {
    let vector_type =
        |schema: &SchemaRef| schema.field_with_name(VECTOR).ok().map(|field| field.data_type().clone());
    let mut wanted = batches.iter().find_map(|batch| vector_type(&batch.schema()));
    if let Some(mut chunks) = transaction.table(Table::Chunks).await? {
        let present = vector_type(&chunks.table.schema().await?);
        if wanted.is_some() && wanted != present {
            if present.is_some() {
                chunks.committed(chunks.table.drop_columns(&[VECTOR]).await?.version)?;
            }
            let field = Field::new(VECTOR, wanted.clone().expect("there is one"), true);
            let column = NewColumnTransform::AllNulls(Arc::new(Schema::new(vec![field])));
            let added = chunks.table.add_columns().transform(column).execute().await?;
            chunks.committed(added.version)?;
            transaction.next.set_version(Table::Chunks, chunks.version);
        }
        wanted = wanted.or(present);
    }
    let Some(wanted) = wanted else { return Ok(batches) };
    Ok(batches.into_iter().map(|batch| with_vectors_of(batch, &wanted)).collect())
}

/// Returns a batch with a last column of vectors of this type; null where it has none.
fn with_vectors_of(mut batch: RecordBatch, wanted: &DataType) -> RecordBatch {
    let at = batch.schema().index_of(VECTOR).ok();
    let vectors = at.map(|at| batch.remove_column(at)).filter(|vectors| vectors.data_type() == wanted);
    let vectors = vectors.unwrap_or_else(|| new_null_array(wanted, batch.num_rows()));
    with_column(&batch, VECTOR, vectors, true)
}

/// Creates the missing full-text indices of chunks.
async fn index_text(transaction: &mut Transaction<'_>) -> Result<(), Aborted> {
    let Some(mut chunks) = transaction.table(Table::Chunks).await? else { return Ok(()) };
    let indices = chunks.table.list_indices().await?;
    for column in TEXT_COLUMNS {
        if !indices.iter().any(|index| index.columns == [column]) {
            let analysis = FtsIndexBuilder::code().split_identifiers(true).stem(true);
            let index = Index::FTS(analysis);
            chunks.table.create_index(&[column], index).execute().await?;
            chunks.committed(chunks.table.version().await?)?;
            transaction.next.set_version(Table::Chunks, chunks.version);
        }
    }
    Ok(())
}
