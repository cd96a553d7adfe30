//! What chunks and files are about, as vectors of the built-in model.

use std::sync::{Arc, LazyLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{FileId, Id, Project};
use sscg_embed::{Matrix, Row, TermTable};

use crate::lexical::{FileTerms, LexicalIndex, TermCount, TermSource};

/// A vector for each chunk, made of its terms, and one for each file, made of the words of its path.
///
/// 260 bytes for each. Copies share them.
#[derive(Clone, Debug)]
pub struct Vectors {
    chunks: Arc<Matrix>,
    paths: Arc<Matrix>,
}

impl Default for Vectors {
    fn default() -> Self {
        let none = Arc::new(Matrix::new(TermTable::built_in().dimension()));
        Self { chunks: Arc::clone(&none), paths: none }
    }
}

impl Vectors {
    /// Makes the vectors of a project, whose files' terms are given in file order; `self` has those of the files that
    /// are as they were in `before`. O(bytes of vectors + terms of new files).
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
        let made = files.par_iter().enumerate().map(|(file, source)| match source {
            TermSource::Same(_) => None,
            TermSource::New(terms) => Some(embed_chunks(terms, chunks_of(project, FileId::new(file)).len())),
        });
        let made: Vec<Option<Matrix>> = made.collect();
        let dimension = self.chunks.dimension();
        let (mut chunks, mut paths) = (Matrix::new(dimension), Matrix::new(dimension));
        chunks.reserve(project.chunk_count());
        paths.reserve(files.len());
        let mut sum = vec![0.0; dimension];
        for ((id, file), (source, made)) in project.files().iter_enumerated().zip(files.iter().zip(made)) {
            match (made, source, before) {
                (Some(made), ..) => chunks.append(&made, 0..made.len()),
                (None, TermSource::Same(old), Some(before)) => {
                    chunks.append(&self.chunks, chunks_of(before, *old));
                    if before.files()[*old].path == file.path {
                        paths.append(&self.paths, old.index()..old.index() + 1);
                        continue;
                    }
                }
                _ => unreachable!("a file that did not change was there before"),
            }
            embed_path(lexical, id, &mut sum);
            paths.push(&sum);
        }
        Self { chunks: Arc::new(chunks), paths: Arc::new(paths) }
    }

    /// The vectors of chunks, a row for each.
    pub fn chunks(&self) -> &Matrix {
        &self.chunks
    }

    /// The vectors of the words of files' paths, a row for each file.
    pub fn paths(&self) -> &Matrix {
        &self.paths
    }

    /// Appends the vectors as bytes that [`Self::decode`] reads.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.chunks.as_bytes());
        out.extend(self.paths.as_bytes());
    }

    /// Reads the vectors of so many chunks and files; `None` if these are not as many bytes as they take.
    pub(crate) fn decode(bytes: &[u8], chunks: usize, files: usize) -> Option<Self> {
        let none = Self::default();
        let (dimension, row) = (none.chunks.dimension(), none.chunks.row_bytes());
        let (chunks, paths) = bytes.split_at_checked(chunks.checked_mul(row)?)?;
        if paths.len() != files.checked_mul(row)? {
            return None;
        }
        let matrix = |bytes: &[u8]| Matrix::from_bytes(dimension, bytes.to_vec()).ok().map(Arc::new);
        Some(Self { chunks: matrix(chunks)?, paths: matrix(paths)? })
    }
}

/// What a term counts that stands somewhere so many times: saturating, as the model was trained.
fn damped(count: f32) -> f32 {
    count.powf(0.75)
}

/// The rows of the built-in model by their terms: a file has hundreds of terms, and all are looked up.
static ROWS: LazyLock<FxHashMap<&'static str, Row>> =
    LazyLock::new(|| TermTable::built_in().iter().collect());

/// The vectors of a file's chunks.
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
