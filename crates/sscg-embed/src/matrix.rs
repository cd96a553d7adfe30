//! Vectors with eight bits per component, and exact search among them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use rayon::prelude::*;
use wide::{i16x8, i32x4};

use crate::EmbedError;

/// Vectors of one model, one per row, with one byte per component.
///
/// Rows are scaled to unit length before they are rounded, so that their dot product with a query of unit length is the
/// cosine, within about 0.002 for vectors of real models. A row takes `dimension + 4` bytes: its scale as a
/// little-endian `f32`, then its components. Rows can be stored individually and put together again
/// ([`push_encoded`](Self::push_encoded)); a whole matrix is its rows concatenated ([`as_bytes`](Self::as_bytes)).
///
/// ```
/// use sscg_embed::{Matrix, QueryVector};
///
/// let mut matrix = Matrix::new(2);
/// matrix.push(&[3.0, 4.0]);
/// matrix.push(&[-1.0, 0.0]);
/// let cosines = matrix.cosines(&QueryVector::new(&[1.0, 0.0]));
/// assert!((cosines[0] - 0.6).abs() < 0.005);
/// assert!((cosines[1] + 1.0).abs() < 0.005);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    dimension: usize,
    bytes: Bytes,
}

/// Owned bytes, or a slice of a larger buffer read from disk.
#[derive(Clone)]
enum Bytes {
    Owned(Vec<u8>),
    Shared(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Owned(bytes) => bytes,
            Bytes::Shared(bytes) => (**bytes).as_ref(),
        }
    }
}

impl Bytes {
    /// Returns the bytes for appending. Shared bytes are copied first.
    fn owned(&mut self) -> &mut Vec<u8> {
        if let Bytes::Shared(bytes) = self {
            *self = Bytes::Owned((**bytes).as_ref().to_vec());
        }
        match self {
            Bytes::Owned(bytes) => bytes,
            Bytes::Shared(_) => unreachable!("they have just been copied"),
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self[..].fmt(f)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Bytes {}

/// Vector to compare with the rows of a [`Matrix`], scaled to unit length.
#[derive(Clone, Debug)]
pub struct QueryVector {
    dimension: usize,
    /// Components in blocks of sixteen, each split into even and odd positions.
    blocks: Vec<[i16x8; 2]>,
    /// Components after the last whole block.
    rest: Vec<i16>,
    scale: f32,
}

const SCALE_BYTES: usize = size_of::<f32>();

/// Largest component of a row.
const LARGEST: f32 = 127.0;

/// Number of rows per parallel task: enough to make scheduling cheap, few enough to share the work.
const BLOCK_ROWS: usize = 2048;

impl Matrix {
    /// Creates a matrix without rows.
    ///
    /// # Panics
    /// If `dimension` is 0.
    pub fn new(dimension: usize) -> Self {
        assert!(dimension > 0, "a vector has at least one number");
        Matrix { dimension, bytes: Bytes::Owned(Vec::new()) }
    }

    /// Creates a matrix from the result of [`as_bytes`](Self::as_bytes). O(1).
    ///
    /// # Errors
    /// [`EmbedError::MatrixBytes`] if the bytes are not a whole number of rows.
    ///
    /// # Panics
    /// If `dimension` is 0.
    pub fn from_bytes(dimension: usize, bytes: Vec<u8>) -> Result<Self, EmbedError> {
        Self::of_bytes(dimension, Bytes::Owned(bytes))
    }

    /// Creates a matrix as [`from_bytes`](Self::from_bytes) does, from bytes that are not copied until a row is
    /// appended.
    ///
    /// # Errors
    /// Same as [`from_bytes`](Self::from_bytes).
    ///
    /// # Panics
    /// If `dimension` is 0.
    pub fn from_shared(
        dimension: usize,
        bytes: Arc<dyn AsRef<[u8]> + Send + Sync>,
    ) -> Result<Self, EmbedError> {
        Self::of_bytes(dimension, Bytes::Shared(bytes))
    }

    fn of_bytes(dimension: usize, bytes: Bytes) -> Result<Self, EmbedError> {
        let matrix = Matrix::new(dimension);
        if bytes.len().is_multiple_of(matrix.row_bytes()) {
            Ok(Matrix { bytes, ..matrix })
        } else {
            Err(EmbedError::MatrixBytes { bytes: bytes.len(), dimension })
        }
    }

    /// Returns all rows, concatenated.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of components of a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.dimension + SCALE_BYTES
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.row_bytes()
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a vector, which need not have unit length. A vector of zeros, or one with a component that is not
    /// finite, becomes a row of zeros, whose cosine with everything is 0.
    ///
    /// # Panics
    /// If the vector does not have [`dimension`](Self::dimension) components.
    pub fn push(&mut self, vector: &[f32]) {
        assert_eq!(vector.len(), self.dimension, "a row has the dimension of its matrix");
        let (scale, factor) = scales(vector, LARGEST);
        let bytes = self.bytes.owned();
        bytes.extend(scale.to_le_bytes());
        bytes.extend(vector.iter().map(|number| (number * factor).round() as i8 as u8));
    }

    /// Appends a row in the encoding of [`row`](Self::row).
    ///
    /// # Panics
    /// If it does not have [`row_bytes`](Self::row_bytes) bytes.
    pub fn push_encoded(&mut self, row: &[u8]) {
        assert_eq!(row.len(), self.row_bytes(), "a row has the dimension of its matrix");
        self.bytes.owned().extend(row);
    }

    /// Reserves space for `rows` more rows.
    pub fn reserve(&mut self, rows: usize) {
        let bytes = rows * self.row_bytes();
        self.bytes.owned().reserve_exact(bytes);
    }

    /// Appends rows of another matrix.
    ///
    /// # Panics
    /// If the other matrix does not have these rows, or has another dimension.
    pub fn append(&mut self, other: &Matrix, rows: Range<usize>) {
        assert_eq!(self.dimension, other.dimension, "rows of one matrix have one dimension");
        let width = self.row_bytes();
        self.bytes.owned().extend(&other.bytes[rows.start * width..rows.end * width]);
    }

    /// Returns the bytes of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.bytes[row * self.row_bytes()..][..self.row_bytes()]
    }

    /// Returns the components of a row, each an `i8`.
    pub(crate) fn numbers(&self, row: usize) -> &[u8] {
        &self.row(row)[SCALE_BYTES..]
    }

    /// Returns the cosine of one row with a query.
    ///
    /// # Panics
    /// If there is no such row, or if the query has another dimension.
    pub fn cosine(&self, row: usize, query: &QueryVector) -> f32 {
        assert_eq!(query.dimension, self.dimension, "a query has the dimension of the matrix");
        query.dot(self.row(row))
    }

    /// Returns the cosine of each row with a query, using all threads of the current pool. O(rows × dimension), about
    /// as fast as memory is read.
    ///
    /// # Panics
    /// If the query has another dimension.
    pub fn cosines(&self, query: &QueryVector) -> Vec<f32> {
        assert_eq!(query.dimension, self.dimension, "a query has the dimension of the matrix");
        let mut cosines = vec![0.0; self.len()];
        let fill = |cosines: &mut [f32], rows: &[u8]| {
            for (cosine, row) in cosines.iter_mut().zip(rows.chunks_exact(self.row_bytes())) {
                *cosine = query.dot(row);
            }
        };
        if self.len() <= BLOCK_ROWS {
            fill(&mut cosines, &self.bytes);
        } else {
            let blocks = self.bytes.par_chunks(BLOCK_ROWS * self.row_bytes());
            cosines.par_chunks_mut(BLOCK_ROWS).zip(blocks).for_each(|(cosines, rows)| fill(cosines, rows));
        }
        cosines
    }
}

impl QueryVector {
    /// Returns the number of components.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns a byte for each component, with its sign as the highest bit.
    pub(crate) fn sign_bytes(&self) -> Vec<u8> {
        let pairs =
            self.blocks.iter().flat_map(|[even, odd]| even.to_array().into_iter().zip(odd.to_array()));
        let numbers = pairs.flat_map(|(even, odd)| [even, odd]).chain(self.rest.iter().copied());
        numbers.map(|number| (number >> 8) as u8).collect()
    }

    /// Creates a query from a vector, which need not have unit length. A vector of zeros, or one with a component that
    /// is not finite, has cosine 0 with everything.
    pub fn new(vector: &[f32]) -> Self {
        // Sixteen bits lose no relevant precision and multiply as fast as eight. The largest component is as large as
        // possible without overflow of the 32-bit sum of all products in the worst case.
        let room = i32::MAX / 128 / vector.len().max(1) as i32;
        let (scale, factor) = scales(vector, room.min(i32::from(i16::MAX)) as f32);
        let values: Vec<i16> = vector.iter().map(|number| (number * factor).round() as i16).collect();
        let (blocks, rest) = values.as_chunks::<16>();
        let half = |block: &[i16; 16], first| i16x8::new(std::array::from_fn(|at| block[first + 2 * at]));
        QueryVector {
            dimension: vector.len(),
            blocks: blocks.iter().map(|block| [half(block, 0), half(block, 1)]).collect(),
            rest: rest.to_vec(),
            scale,
        }
    }

    #[inline]
    fn dot(&self, row: &[u8]) -> f32 {
        let (scale, numbers) = row.split_first_chunk::<SCALE_BYTES>().expect("a row starts with its scale");
        let (blocks, rest) = numbers.as_chunks::<16>();
        let mut sums = i32x4::ZERO;
        for (block, [even, odd]) in blocks.iter().zip(&self.blocks) {
            // Two one-byte components in sixteen bits. Shifting back from the top widens a component with its sign.
            let pairs =
                i16x8::new(std::array::from_fn(|at| i16::from_le_bytes([block[2 * at], block[2 * at + 1]])));
            let low: i16x8 = (pairs << 8) >> 8;
            let high: i16x8 = pairs >> 8;
            sums += low.dot(*even) + high.dot(*odd);
        }
        let rest =
            rest.iter().zip(&self.rest).map(|(byte, value)| i32::from(*byte as i8) * i32::from(*value));
        let sum = sums.reduce_add() + rest.sum::<i32>();
        sum as f32 * (f32::from_le_bytes(*scale) * self.scale)
    }
}

/// Scales a vector to unit length. A vector of zeros, or one with a component that is not finite, becomes zeros.
pub fn normalize(vector: &mut [f32]) {
    let inverse = inverse_length(vector);
    // Zero is assigned, because infinity times 0 is NaN.
    vector.iter_mut().for_each(|number| *number = if inverse == 0.0 { 0.0 } else { *number * inverse });
}

/// Returns two factors: one that converts a rounded component back to a component of the unit vector, and one that
/// scales a component before rounding, so that the largest becomes `largest`. Both are 0 if the vector has no length. A
/// product that is NaN rounds to 0.
fn scales(vector: &[f32], largest: f32) -> (f32, f32) {
    let inverse = inverse_length(vector);
    if inverse == 0.0 {
        return (0.0, 0.0);
    }
    let peak = vector.iter().fold(0.0_f32, |peak, number| peak.max(number.abs()));
    (peak * inverse / largest, largest / peak)
}

/// Returns 1 / length, or 0 if that is not a normal number.
fn inverse_length(vector: &[f32]) -> f32 {
    let squares: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    let inverse = squares.sqrt().recip() as f32;
    if inverse.is_normal() { inverse } else { 0.0 }
}
