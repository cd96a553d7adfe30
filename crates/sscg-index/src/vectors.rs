//! Vectors of chunks and files.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{FileId, Id, Project};
use sscg_embed::{Matrix, Row, TermTable};

use crate::TextHash;
use crate::lexical::{FileTerms, LexicalIndex, TermCount, TermSource};
use crate::shared::SharedBytes;

/// Vector of each chunk, and of the path words of each file.
///
/// The built-in model derives a chunk's vector from its terms, other models from its text. A vector takes one byte per
/// dimension plus 4, and 32 more for the hash of the text if the model takes texts. Clones share the data.
#[derive(Clone, Debug)]
pub struct Vectors {
    model: Arc<str>,
    chunks: Arc<Matrix>,
    paths: Arc<Matrix>,
    /// Hash of the text of each row, chunks first; `None` where the model was not called or failed, and the row is
    /// zeros. Empty for the built-in model, which is always available.
    texts: Arc<Vec<Option<TextHash>>>,
}

impl Default for Vectors {
    fn default() -> Self {
        let table = TermTable::built_in();
        let none = Arc::new(Matrix::new(table.dimension()));
        Self { model: table.model_id().into(), chunks: Arc::clone(&none), paths: none, texts: Arc::default() }
    }
}

impl Vectors {
    /// Builds the vectors of a project from its files' terms, given in file order. Vectors of files that are unchanged
    /// since `before` are copied from `self`. O(bytes of vectors + terms of new files).
    pub(crate) fn update(
        &self,
        before: Option<&Project>,
        project: &Project,
        lexical: &LexicalIndex,
        files: &[TermSource<'_>],
    ) -> Self {
        let chunks_of = |project: &Project, file: FileId| {
            let chunks = project.chunks_of(file);
            chunks.start.index()..chunks.end.index()
        };
        let dimension = self.chunks.dimension();
        let (mut chunks, mut paths) = (Matrix::new(dimension), Matrix::new(dimension));
        chunks.reserve(project.chunk_count());
        paths.reserve(files.len());
        let mut sum = vec![0.0; dimension];
        let ids: Vec<FileId> = project.files().ids().collect();
        // Batches avoid holding all vectors twice.
        for (ids, files) in ids.chunks(BATCH_FILES).zip(files.chunks(BATCH_FILES)) {
            let made = ids.par_iter().zip(files).map(|(file, source)| match source {
                TermSource::Same(_) => None,
                TermSource::New(terms) => Some(embed_chunks(terms, chunks_of(project, *file).len())),
            });
            let made: Vec<Option<Matrix>> = made.collect();
            for ((id, source), made) in ids.iter().zip(files).zip(made) {
                match (made, source, before) {
                    (Some(made), ..) => chunks.append(&made, 0..made.len()),
                    (None, TermSource::Same(old), Some(before)) => {
                        chunks.append(&self.chunks, chunks_of(before, *old));
                        if before.files()[*old].path == project.files()[*id].path {
                            paths.append(&self.paths, old.index()..old.index() + 1);
                            continue;
                        }
                    }
                    _ => unreachable!("a file that did not change was there before"),
                }
                embed_path(lexical, *id, &mut sum);
                paths.push(&sum);
            }
        }
        Self {
            model: Arc::clone(&self.model),
            chunks: Arc::new(chunks),
            paths: Arc::new(paths),
            texts: Arc::default(),
        }
    }

    /// Creates the vectors of a model that takes texts: one row per text, first in `chunks`, then in `paths`.
    pub(crate) fn of_texts(model: &str, chunks: Matrix, paths: Matrix, texts: Vec<Option<TextHash>>) -> Self {
        assert_eq!(texts.len(), chunks.len() + paths.len(), "a row for each text");
        Self { model: model.into(), chunks: Arc::new(chunks), paths: Arc::new(paths), texts: Arc::new(texts) }
    }

    /// Returns the ID of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// True if the built-in model computed the vectors, and must also compute those of queries.
    pub fn is_built_in(&self) -> bool {
        *self.model == *TermTable::built_in().model_id()
    }

    /// Returns the number of vectors missing because the model failed or was not called. Their rows are zeros, which
    /// are similar to nothing.
    pub fn missing(&self) -> usize {
        self.texts.iter().filter(|text| text.is_none()).count()
    }

    /// Returns the hashes of the texts, chunks first; empty for the built-in model.
    pub(crate) fn texts(&self) -> &[Option<TextHash>] {
        &self.texts
    }

    /// Returns the bytes of each row that is present, with the hash of its text.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (TextHash, &[u8])> {
        let chunks = (0..self.chunks.len()).map(|row| self.chunks.row(row));
        let rows = chunks.chain((0..self.paths.len()).map(|row| self.paths.row(row)));
        self.texts.iter().zip(rows).filter_map(|(text, row)| Some(((*text)?, row)))
    }

    /// Returns the vectors of chunks, one row per chunk.
    pub fn chunks(&self) -> &Matrix {
        &self.chunks
    }

    /// Returns the vectors of path words, one row per file.
    pub fn paths(&self) -> &Matrix {
        &self.paths
    }

    /// Encodes the vectors for [`Self::decode`], in parts. Existing buffers are borrowed, not copied.
    pub(crate) fn encode(&self) -> [Cow<'_, [u8]>; 3] {
        let texts: Vec<u8> = self.texts.iter().flat_map(|text| text.unwrap_or(NO_TEXT)).collect();
        [Cow::Borrowed(self.chunks.as_bytes()), Cow::Borrowed(self.paths.as_bytes()), Cow::Owned(texts)]
    }

    /// Decodes the vectors of a model for the given numbers of chunks and files; `None` if the number of bytes does not
    /// match.
    pub(crate) fn decode(
        bytes: &SharedBytes,
        model: &str,
        dimension: usize,
        chunks: usize,
        files: usize,
    ) -> Option<Self> {
        if dimension == 0 {
            return None;
        }
        let row = Matrix::new(dimension).row_bytes();
        let chunk_bytes = chunks.checked_mul(row)?;
        let path_bytes = files.checked_mul(row)?;
        let matrices = chunk_bytes.checked_add(path_bytes)?;
        let (texts, rest) = bytes.get(matrices..)?.as_chunks::<{ size_of::<TextHash>() }>();
        if !rest.is_empty() || ![0, chunks + files].contains(&texts.len()) {
            return None;
        }
        let matrix = |range| Matrix::from_shared(dimension, Arc::new(bytes.part(range))).ok().map(Arc::new);
        let texts = texts.iter().map(|text| (*text != NO_TEXT).then_some(*text)).collect();
        Some(Self {
            model: model.into(),
            chunks: matrix(0..chunk_bytes)?,
            paths: matrix(chunk_bytes..matrices)?,
            texts: Arc::new(texts),
        })
    }
}

/// Number of files embedded per batch.
const BATCH_FILES: usize = 256;

/// Placeholder hash of a missing text. No known text has this hash.
const NO_TEXT: TextHash = [0; 32];

/// Returns the weight of a term that occurs `count` times: sublinear, as in the training of the model.
fn damped(count: f32) -> f32 {
    count.powf(0.75)
}

/// Rows of the built-in model by term, hashed because all of a file's hundreds of terms are looked up.
static ROWS: LazyLock<FxHashMap<&'static str, Row>> =
    LazyLock::new(|| TermTable::built_in().iter().collect());

/// Returns the vectors of a file's chunks.
fn embed_chunks(terms: &FileTerms, chunks: usize) -> Matrix {
    let table = TermTable::built_in();
    let mut sums = vec![0.0; chunks * table.dimension()];
    for (term, counts) in terms.iter() {
        let Some(row) = ROWS.get(term) else { continue };
        for TermCount { chunk, count, .. } in counts {
            let sum = &mut sums[chunk.index() * table.dimension()..][..table.dimension()];
            table.add(*row, damped(f32::from(count)), sum);
        }
    }
    let mut matrix = Matrix::new(table.dimension());
    matrix.reserve(chunks);
    sums.chunks_exact(table.dimension()).for_each(|sum| matrix.push(sum));
    matrix
}

fn embed_path(lexical: &LexicalIndex, file: FileId, sum: &mut [f32]) {
    let table = TermTable::built_in();
    sum.fill(0.0);
    let path = lexical.path_terms(file);
    for term in path.stem().chain(path.directories().flatten()) {
        if let Some(row) = ROWS.get(term.text) {
            table.add(*row, 1.0, sum);
        }
    }
}
