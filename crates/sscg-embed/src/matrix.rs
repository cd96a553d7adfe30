//! Vectors in eight bits a number, and exact search among them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use rayon::prelude::*;
use wide::{i16x8, i32x4};

use crate::EmbedError;

/// Vectors of one model, each a row of one byte a number.
///
/// Rows are scaled to length 1 before they are rounded, so that their dot product with a query of length 1 is the
/// cosine, within about .002 for vectors of real models. A row takes `dimension + 4` bytes: its scale as an `f32`,
/// little-endian, then its numbers. Rows can be kept one by one and put together again
/// ([`push_encoded`](Self::push_encoded)), and a whole matrix is its rows in a row ([`as_bytes`](Self::as_bytes)).
///
/// ```
/// use sscg_embed::{Matrix, Query};
///
/// let mut matrix = Matrix::new(2);
/// matrix.push(&[3.0, 4.0]);
/// matrix.push(&[-1.0, 0.0]);
/// let cosines = matrix.cosines(&Query::new(&[1.0, 0.0]));
/// assert!((cosines[0] - 0.6).abs() < 0.005);
/// assert!((cosines[1] + 1.0).abs() < 0.005);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    dimension: usize,
    bytes: Bytes,
}

/// Bytes of their own, or a part of something larger that was read from disk.
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
    /// The bytes, to append to. Shared ones are copied.
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

/// A vector to compare the rows of a [`Matrix`] with, scaled to length 1.
#[derive(Clone, Debug)]
pub struct Query {
    dimension: usize,
    /// By sixteen numbers, those at even places and those at odd places.
    blocks: Vec<[i16x8; 2]>,
    /// The numbers after the last whole block.
    rest: Vec<i16>,
    scale: f32,
}

const SCALE_BYTES: usize = size_of::<f32>();

/// The largest number of a row.
const LARGEST: f32 = 127.0;

/// How many rows one thread takes at a time: enough to make handing them out cheap, few enough to share the work.
const BLOCK_ROWS: usize = 2048;

impl Matrix {
    /// A matrix without rows.
    ///
    /// # Panics
    /// If `dimension` is 0.
    pub fn new(dimension: usize) -> Self {
        assert!(dimension > 0, "a vector has at least one number");
        Matrix { dimension, bytes: Bytes::Owned(Vec::new()) }
    }

    /// The matrix that [`as_bytes`](Self::as_bytes) gave. O(1).
    ///
    /// # Errors
    /// [`EmbedError::MatrixBytes`] if the bytes are no whole number of rows.
    ///
    /// # Panics
    /// If `dimension` is 0.
    pub fn from_bytes(dimension: usize, bytes: Vec<u8>) -> Result<Self, EmbedError> {
        Self::of_bytes(dimension, Bytes::Owned(bytes))
    }

    /// [`from_bytes`](Self::from_bytes), of bytes that stay where they are until something is appended.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
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

    /// All rows, in a row.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many numbers a row has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many bytes a row takes.
    pub fn row_bytes(&self) -> usize {
        self.dimension + SCALE_BYTES
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.row_bytes()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a vector, which need not have length 1. A vector of zeros, or one with a number that is not finite,
    /// becomes a row of zeros, whose cosine with everything is 0.
    ///
    /// # Panics
    /// If it does not have [`dimension`](Self::dimension) numbers.
    pub fn push(&mut self, vector: &[f32]) {
        assert_eq!(vector.len(), self.dimension, "a row has the dimension of its matrix");
        let (scale, factor) = scales(vector, LARGEST);
        let bytes = self.bytes.owned();
        bytes.extend(scale.to_le_bytes());
        bytes.extend(vector.iter().map(|number| (number * factor).round() as i8 as u8));
    }

    /// Appends a row as [`row`](Self::row) gave it.
    ///
    /// # Panics
    /// If it does not have [`row_bytes`](Self::row_bytes) bytes.
    pub fn push_encoded(&mut self, row: &[u8]) {
        assert_eq!(row.len(), self.row_bytes(), "a row has the dimension of its matrix");
        self.bytes.owned().extend(row);
    }

    /// Makes room for so many further rows.
    pub fn reserve(&mut self, rows: usize) {
        let bytes = rows * self.row_bytes();
        self.bytes.owned().reserve_exact(bytes);
    }

    /// Appends rows of another matrix.
    ///
    /// # Panics
    /// If it does not have these rows, or if it has another dimension.
    pub fn append(&mut self, other: &Matrix, rows: Range<usize>) {
        assert_eq!(self.dimension, other.dimension, "rows of one matrix have one dimension");
        let width = self.row_bytes();
        self.bytes.owned().extend(&other.bytes[rows.start * width..rows.end * width]);
    }

    /// The bytes of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u8] {
        &self.bytes[row * self.row_bytes()..][..self.row_bytes()]
    }

    /// The numbers of a row, each an `i8`.
    pub(crate) fn numbers(&self, row: usize) -> &[u8] {
        &self.row(row)[SCALE_BYTES..]
    }

    /// The cosine of one row with a query.
    ///
    /// # Panics
    /// If there is no such row, or if the query has another dimension.
    pub fn cosine(&self, row: usize, query: &Query) -> f32 {
        assert_eq!(query.dimension, self.dimension, "a query has the dimension of the matrix");
        query.dot(self.row(row))
    }

    /// The cosine of each row with a query, by all threads of the current pool. O(rows × dimension), about as fast
    /// as memory is read.
    ///
    /// # Panics
    /// If the query has another dimension.
    pub fn cosines(&self, query: &Query) -> Vec<f32> {
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

impl Query {
    /// How many numbers it has.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// A byte for each number, with its sign as the highest bit.
    pub(crate) fn sign_bytes(&self) -> Vec<u8> {
        let pairs =
            self.blocks.iter().flat_map(|[even, odd]| even.to_array().into_iter().zip(odd.to_array()));
        let numbers = pairs.flat_map(|(even, odd)| [even, odd]).chain(self.rest.iter().copied());
        numbers.map(|number| (number >> 8) as u8).collect()
    }

    /// Takes a vector, which need not have length 1; one of zeros, or with a number that is not finite, has cosine 0
    /// with everything.
    pub fn new(vector: &[f32]) -> Self {
        // Sixteen bits lose nothing that counts and multiply as fast as eight. The largest number is as large as the
        // sum of all products, the worst case, leaves room for in 32 bits.
        let room = i32::MAX / 128 / vector.len().max(1) as i32;
        let (scale, factor) = scales(vector, room.min(i32::from(i16::MAX)) as f32);
        let values: Vec<i16> = vector.iter().map(|number| (number * factor).round() as i16).collect();
        let (blocks, rest) = values.as_chunks::<16>();
        let half = |block: &[i16; 16], first| i16x8::new(std::array::from_fn(|at| block[first + 2 * at]));
        Query {
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
            // Two numbers of a byte each in sixteen bits; shifting back from the top widens one with its sign.
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

/// Scales a vector to length 1; a vector of zeros, or one with a number that is not finite, becomes zeros.
pub fn normalize(vector: &mut [f32]) {
    let inverse = inverse_length(vector);
    // Not only multiplied: infinity times 0 is no number.
    vector.iter_mut().for_each(|number| *number = if inverse == 0.0 { 0.0 } else { *number * inverse });
}

/// What a rounded number of the vector, scaled to length 1, is to be multiplied with to give it back; and what to
/// multiply a number with before it is rounded, so that the largest becomes `largest`. Both are 0 if the vector has
/// no length. A product that is no number rounds to 0.
fn scales(vector: &[f32], largest: f32) -> (f32, f32) {
    let inverse = inverse_length(vector);
    if inverse == 0.0 {
        return (0.0, 0.0);
    }
    let peak = vector.iter().fold(0.0_f32, |peak, number| peak.max(number.abs()));
    (peak * inverse / largest, largest / peak)
}

/// 1 / length, or 0 if that is no positive, finite number.
fn inverse_length(vector: &[f32]) -> f32 {
    let squares: f64 = vector.iter().map(|number| f64::from(*number).powi(2)).sum();
    let inverse = squares.sqrt().recip() as f32;
    if inverse.is_normal() { inverse } else { 0.0 }
}
