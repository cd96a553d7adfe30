//! Approximate search: one bit per component selects candidates for exact comparison.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::{Matrix, QueryVector};

/// Signs of a [`Matrix`]'s components, one bit each, to find the rows that may be nearest to a query without reading
/// them all.
///
/// The more similar two vectors are, the fewer of their components differ in sign. For random directions, the share
/// that differs is the angle between the vectors divided by π. So the rows that differ from the query in the fewest
/// bits are likely its nearest. Since a bit is a rough measure, take several times as many rows as needed and compare
/// them exactly ([`Matrix::cosine`]). Nothing is trained, and a row's sketch is a function of the row.
///
/// Source: M. Charikar, *Similarity Estimation Techniques from Rounding Algorithms*, STOC 2002, with the coordinate
/// axes in place of random directions, since the components of a model's vectors vary around zero.
///
/// ```
/// use sscg_embed::{Matrix, QueryVector, Sketches};
///
/// let mut matrix = Matrix::new(3);
/// for vector in [[1.0, 2.0, 1.0], [-1.0, -2.0, 0.5], [1.0, 1.0, -0.5]] {
///     matrix.push(&vector);
/// }
/// assert_eq!(Sketches::new(&matrix).nearest(&QueryVector::new(&[2.0, 2.0, 1.0]), 2), [0, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketches {
    dimension: usize,
    /// Number of blocks per row.
    width: usize,
    /// Blocks, row by row; bits after a row's last component are 0.
    blocks: Vec<Block>,
}

/// Signs of 256 components, compared at once.
type Block = [u64; 4];

const BLOCK_NUMBERS: usize = 256;

/// Number of rows per parallel task.
const PART_ROWS: usize = 16_384;

impl Sketches {
    /// Extracts the signs of all rows, using all threads of the current pool. O(rows × dimension), about as fast as
    /// memory is read. The result takes 32 bytes per row for every 256 components or part thereof.
    pub fn new(matrix: &Matrix) -> Self {
        let dimension = matrix.dimension();
        let width = dimension.div_ceil(BLOCK_NUMBERS);
        let mut blocks = vec![Block::default(); matrix.len() * width];
        blocks.par_chunks_mut(PART_ROWS * width).enumerate().for_each(|(part, blocks)| {
            for (row, sketch) in (part * PART_ROWS..).zip(blocks.chunks_exact_mut(width)) {
                put_signs(matrix.numbers(row), sketch);
            }
        });
        Self { dimension, width, blocks }
    }

    /// Returns the `count` rows that differ from a query in the fewest signs, in ascending order of rows; ties go to
    /// the first rows. Returns all rows if there are no more. O(rows × dimension) with a small constant, using all
    /// threads of the current pool.
    ///
    /// # Panics
    /// If the query has another dimension.
    pub fn nearest(&self, query: &QueryVector, count: usize) -> Vec<usize> {
        assert_eq!(query.dimension(), self.dimension, "a query has the dimension of the matrix");
        let mut asked = vec![Block::default(); self.width];
        put_signs(&query.sign_bytes(), &mut asked);
        let parts = self.blocks.par_chunks(PART_ROWS * self.width);
        let parts: Vec<Vec<u32>> = parts.map(|rows| distances(rows, &asked)).collect();
        let mut rows_at = vec![0; self.dimension + 1];
        parts.iter().flatten().for_each(|distance| rows_at[*distance as usize] += 1);
        // Selects all rows nearer than `reach`, and the first `room` rows at this distance.
        let (mut reach, mut room) = (0, count);
        while let Some(rest) = rows_at.get(reach).and_then(|rows| room.checked_sub(*rows)) {
            (reach, room) = (reach + 1, rest);
        }
        let mut is_near = |distance: &u32| match (*distance as usize).cmp(&reach) {
            Ordering::Less => true,
            Ordering::Equal if room > 0 => {
                room -= 1;
                true
            }
            _ => false,
        };
        let rows = parts.iter().flatten().enumerate();
        rows.filter(|(_, distance)| is_near(distance)).map(|(row, _)| row).collect()
    }
}

/// Returns the number of bits in which each sketch differs from `one`.
fn distances(sketches: &[Block], one: &[Block]) -> Vec<u32> {
    let differing =
        |(a, b): (&Block, &Block)| -> u32 { a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum() };
    if let [one] = one {
        return sketches.iter().map(|sketch| differing((sketch, one))).collect();
    }
    sketches.chunks_exact(one.len()).map(|sketch| sketch.iter().zip(one).map(differing).sum()).collect()
}

/// Writes the signs of one-byte components, one bit each, over zeros.
fn put_signs(numbers: &[u8], sketch: &mut [Block]) {
    for (numbers, word) in numbers.chunks(64).zip(sketch.as_flattened_mut()) {
        let (eights, rest) = numbers.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for (eight, at) in eights.iter().chain([&last]).take(8).zip(0..) {
            // The multiplication gathers the highest bits of the bytes in the highest byte.
            let signs = u64::from_le_bytes(*eight) >> 7 & 0x0101_0101_0101_0101;
            *word |= signs.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * at);
        }
    }
}
