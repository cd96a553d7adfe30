//! Search of chunks in the store.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use derive_setters::Setters;
use futures::TryStreamExt;
use globset::GlobBuilder;
use lancedb::index::scalar::FullTextSearchQuery;
use lancedb::query::{ExecutableQuery, QueryBase, Select};
use lancedb::{DistanceType, Error as LanceError};
use sscg_index::IndexError;
use sscg_index::rows::{ArrowRow, ChunkRow, RowError};

use crate::LanceStore;
use crate::publication::{TEXT_COLUMNS, VECTOR};
use crate::tables::{Table, list, text};

/// Filter of chunks; empty lists admit all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct ChunkFilter {
    /// Files, directories, or globs (`src/**/*.rs`), relative to the project root; one without a slash matches file
    /// names anywhere.
    pub paths: Vec<String>,
    /// Languages by name.
    pub languages: Vec<String>,
    /// Kinds of chunks by name.
    pub kinds: Vec<String>,
}

/// Chunk found by a search.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChunkHit {
    /// Chunk, without its vector.
    pub chunk: ChunkRow,
    /// Score, higher is better: for [`nearest`](crate::LanceStore::nearest) the cosine similarity, at most 1; for
    /// [`matching`](crate::LanceStore::matching) the BM25 score, above 0.
    pub score: f32,
}

impl LanceStore {
    /// Returns the published chunks of a tree whose vectors are nearest to `vector`, best first: at most `limit` chunks
    /// that pass the filter. Above [`LanceOptions::index_rows`] the search is approximate.
    ///
    /// # Errors
    /// Fails like every method of [`Store`], and if a path of the filter is an invalid glob, or the vector has another
    /// dimension than those of the chunks.
    pub fn nearest(
        &self,
        tree: &str,
        vector: &[f32],
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<ChunkHit>, IndexError> {
        let predicate = filter.predicate(tree).map_err(|message| self.failed("search", message))?;
        self.block_on("search", async {
            let view = self.view().await?;
            let Some(chunks) = view.table(Table::Chunks) else { return Ok(Vec::new()) };
            if chunks.schema().await?.field_with_name(VECTOR).is_err() {
                return Ok(Vec::new());
            }
            let query = chunks.vector_search(vector)?.column(VECTOR).distance_type(DistanceType::Cosine);
            // Quantized vectors find the candidates; the full vectors determine the order.
            let query = query.refine_factor(10).only_if(format!("{predicate} AND {VECTOR} IS NOT NULL"));
            found(query.limit(limit).select(columns("_distance")), "_distance", |distance| 1.0 - distance)
                .await
        })
    }

    /// Returns the published chunks of a tree whose text, path or name best match the words of `question`, best first:
    /// at most `limit` chunks that pass the filter. Identifiers also match by their parts.
    ///
    /// # Errors
    /// Fails like every method of [`Store`], and if a path of the filter is an invalid glob.
    pub fn matching(
        &self,
        tree: &str,
        question: &str,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<ChunkHit>, IndexError> {
        let predicate = filter.predicate(tree).map_err(|message| self.failed("search", message))?;
        self.block_on("search", async {
            let view = self.view().await?;
            let Some(chunks) = view.table(Table::Chunks) else { return Ok(Vec::new()) };
            let words = FullTextSearchQuery::new(question.to_owned());
            let words = words.with_columns(&TEXT_COLUMNS.map(str::to_owned)).map_err(LanceError::from)?;
            let query = chunks.query().full_text_search(words).only_if(predicate).limit(limit);
            found(query.select(columns("_score")), "_score", |score| score).await
        })
    }
}

impl ChunkFilter {
    /// Returns the SQL predicate for the matching rows of a tree.
    ///
    /// # Errors
    /// Fails with a description if a glob is invalid.
    fn predicate(&self, tree: &str) -> Result<String, String> {
        let mut all = vec![format!("tree = {}", text(tree))];
        for (column, values) in [("language", &self.languages), ("kind", &self.kinds)] {
            if !values.is_empty() {
                all.push(format!("{column} IN {}", list(values)));
            }
        }
        if !self.paths.is_empty() {
            let any = self.paths.iter().map(|path| path_predicate(path)).collect::<Result<Vec<_>, _>>()?;
            all.push(format!("({})", any.join(" OR ")));
        }
        Ok(all.join(" AND "))
    }
}

/// Returns the columns of chunks without their vectors, and one more.
fn columns(more: &str) -> Select {
    let chunks = ChunkRow::batch(&[]).schema();
    let names = chunks.fields().iter().map(|field| field.name().as_str()).chain([more]);
    Select::columns(&names.collect::<Vec<_>>())
}

/// Returns the results of a query, best first.
async fn found(
    query: impl ExecutableQuery,
    column: &'static str,
    score: impl Fn(f32) -> f32 + Copy,
) -> Result<Vec<ChunkHit>, LanceError> {
    let batches: Vec<RecordBatch> = query.execute().await?.try_collect().await?;
    let mut found = Vec::new();
    for batch in &batches {
        let read = hits(batch, column, score);
        found.extend(read.map_err(|error| LanceError::Schema { message: error.to_string() })?);
    }
    // The order of equal scores is unspecified.
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.id.cmp(&b.chunk.id)));
    Ok(found)
}

/// Returns the chunks of a batch, with scores computed by `score` from a column.
fn hits(
    batch: &RecordBatch,
    column: &'static str,
    score: impl Fn(f32) -> f32,
) -> Result<Vec<ChunkHit>, RowError> {
    let numbers = batch.column_by_name(column).and_then(|column| column.as_primitive_opt::<Float32Type>());
    let numbers = numbers.ok_or(RowError(column))?.values();
    let chunks = ChunkRow::rows(batch)?.into_iter();
    Ok(chunks.zip(numbers).map(|(chunk, number)| ChunkHit { chunk, score: score(*number) }).collect())
}

/// Returns the SQL predicate for a path filter.
fn path_predicate(path: &str) -> Result<String, String> {
    let pattern = path.trim_start_matches("./").trim_end_matches('/');
    if pattern == "." || pattern.is_empty() {
        return Ok("true".to_owned());
    }
    let anywhere = !pattern.contains('/');
    // A literal path may contain glob characters: `app/[slug]`.
    let mut any = vec![
        format!("path = {}", text(pattern)),
        format!("starts_with(path, {})", text(&format!("{pattern}/"))),
    ];
    if pattern.contains(['*', '?', '[', '{']) {
        let mut globs = vec![pattern.to_owned(), format!("{pattern}/**")];
        globs.extend(anywhere.then(|| format!("**/{pattern}")));
        for glob in globs {
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            let glob = glob.map_err(|error| format!("{path:?} is no glob: {}", error.kind()))?;
            // Paths are strings here, and character classes match characters, not bytes.
            any.push(format!("regexp_like(path, {})", text(glob.regex().trim_start_matches("(?-u)"))));
        }
    } else if anywhere {
        any.push(format!("ends_with(path, {})", text(&format!("/{pattern}"))));
    }
    Ok(format!("({})", any.join(" OR ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_cannot_leave_its_literal() {
        let filter =
            ChunkFilter { paths: vec!["it's".into()], languages: vec!["a' OR 'b".into()], kinds: Vec::new() };
        let predicate = filter.predicate("x' OR tree <> '").expect("valid");
        assert_eq!(
            predicate,
            "tree = 'x'' OR tree <> ''' AND language IN ('a'' OR ''b') AND \
             ((path = 'it''s' OR starts_with(path, 'it''s/') OR ends_with(path, '/it''s')))"
        );
    }

    #[test]
    fn a_broken_glob_is_named() {
        let filter = ChunkFilter { paths: vec!["a[".into()], ..ChunkFilter::default() };
        assert!(filter.predicate("t").expect_err("no glob").contains("a["));
    }
}
