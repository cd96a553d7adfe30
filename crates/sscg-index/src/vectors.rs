//! What chunks and files are about, as vectors of a model.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sscg_core::{FileId, Id, Project};
use sscg_embed::{Matrix, Row, TermTable};

use crate::TextHash;
use crate::lexical::{FileTerms, LexicalIndex, TermCount, TermSource};
use crate::store::Shared;

/// A vector for each chunk, and one for each file, made of the words of its path.
///
/// The built-in model makes a chunk's vector of its terms, others of its text. A byte for each dimension and 4 for each
/// vector, and 32 for the hash of the text if the model takes texts. Copies share them.
#[derive(Clone, Debug)]
pub struct Vectors {
    model: Arc<str>,
    chunks: Arc<Matrix>,
    paths: Arc<Matrix>,
    /// What each row was made of, those of chunks first; `None` where the model was not asked or failed, and the row is
    /// zeros. Empty for the built-in model, which is always at hand.
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
        let dimension = self.chunks.dimension();
        let (mut chunks, mut paths) = (Matrix::new(dimension), Matrix::new(dimension));
        chunks.reserve(project.chunk_count());
        paths.reserve(files.len());
        let mut sum = vec![0.0; dimension];
        let ids: Vec<FileId> = project.files().ids().collect();
        // So many at a time that vectors are not held twice.
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

    /// The vectors that a model made of texts: a row for each text, in the matrix of chunks, then in that of paths.
    pub(crate) fn of_texts(model: &str, chunks: Matrix, paths: Matrix, texts: Vec<Option<TextHash>>) -> Self {
        assert_eq!(texts.len(), chunks.len() + paths.len(), "a row for each text");
        Self { model: model.into(), chunks: Arc::new(chunks), paths: Arc::new(paths), texts: Arc::new(texts) }
    }

    /// Which model made them.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the model that is compiled in made them, and makes those of questions.
    pub fn is_built_in(&self) -> bool {
        *self.model == *TermTable::built_in().model_id()
    }

    /// How many are missing, because the model could not be asked: rows of zeros, which are like nothing.
    pub fn missing(&self) -> usize {
        self.texts.iter().filter(|text| text.is_none()).count()
    }

    /// What the rows of chunks, then those of paths, were made of; empty for the built-in model.
    pub(crate) fn texts(&self) -> &[Option<TextHash>] {
        &self.texts
    }

    /// The bytes of each row that is there, with what it was made of.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (TextHash, &[u8])> {
        let chunks = (0..self.chunks.len()).map(|row| self.chunks.row(row));
        let rows = chunks.chain((0..self.paths.len()).map(|row| self.paths.row(row)));
        self.texts.iter().zip(rows).filter_map(|(text, row)| Some(((*text)?, row)))
    }

    /// The vectors of chunks, a row for each.
    pub fn chunks(&self) -> &Matrix {
        &self.chunks
    }

    /// The vectors of the words of files' paths, a row for each file.
    pub fn paths(&self) -> &Matrix {
        &self.paths
    }

    /// The vectors as bytes that [`Self::decode`] reads, in parts: those that are there already are not copied.
    pub(crate) fn encode(&self) -> [Cow<'_, [u8]>; 3] {
        let texts: Vec<u8> = self.texts.iter().flat_map(|text| text.unwrap_or(NO_TEXT)).collect();
        [Cow::Borrowed(self.chunks.as_bytes()), Cow::Borrowed(self.paths.as_bytes()), Cow::Owned(texts)]
    }

    /// Reads the vectors that a model made of so many chunks and files; `None` if these are not as many bytes as they
    /// take.
    pub(crate) fn decode(
        bytes: &Shared,
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

/// Files whose vectors are made at once.
const BATCH_FILES: usize = 256;

/// Stands for a missing text among hashes. No text is known to have this one.
const NO_TEXT: TextHash = [0; 32];

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
