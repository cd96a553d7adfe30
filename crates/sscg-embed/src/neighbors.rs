//! Nearest terms of each term of the built-in table.

use std::sync::LazyLock;

use rayon::prelude::*;

use crate::{Row, TermTable, normalize};

/// Terms with nearly the same meaning as a term of the [built-in table](TermTable::built_in), precomputed: comparing
/// one term with all others takes as long as ranking a project. The vector of a term is that in questions, those of its
/// neighbors are those in code.
///
/// # Format
/// For each row of the table, in order: the number of its neighbors (`u8`), then for each neighbor, nearest first, its
/// row (`u16`, little-endian) and 255 times its cosine (`u8`).
#[derive(Debug)]
pub struct TermNeighbors {
    bytes: &'static [u8],
    /// Start of each row's neighbors in `bytes`.
    starts: Vec<u32>,
}

/// Minimum cosine of neighbors. Measured on the development questions: lower values add words that mislead short
/// answers, higher ones lose needed lines of long answers.
const LEAST_COSINE: f32 = 0.25;

/// Maximum number of neighbors of a term.
const MOST_NEIGHBORS: usize = 16;

/// Number of bytes of a neighbor.
const NEIGHBOR_BYTES: usize = 3;

static BUILT_IN: LazyLock<TermNeighbors> = LazyLock::new(|| {
    TermNeighbors::read(include_bytes!("../models/neighbors.bin"))
        .expect("a test compares the file with the table")
});

impl TermNeighbors {
    /// Returns the neighbors of the terms of [`TermTable::built_in`].
    pub fn built_in() -> &'static TermNeighbors {
        &BUILT_IN
    }

    fn read(bytes: &'static [u8]) -> Option<Self> {
        let mut starts = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            starts.push(at as u32);
            at += 1 + usize::from(bytes[at]) * NEIGHBOR_BYTES;
        }
        (at == bytes.len()).then_some(Self { bytes, starts })
    }

    /// Returns the nearest terms of a row with their cosines, nearest first: at most 16, each with a cosine of at least
    /// 0.25; none of a row for questions.
    pub fn of(&self, row: Row) -> impl Iterator<Item = (Row, f32)> {
        let start = self.starts[row.index()] as usize;
        let bytes = &self.bytes[start + 1..][..usize::from(self.bytes[start]) * NEIGHBOR_BYTES];
        bytes.as_chunks::<NEIGHBOR_BYTES>().0.iter().map(|[low, high, cosine]| {
            (Row::new(usize::from(u16::from_le_bytes([*low, *high]))), f32::from(*cosine) / 255.0)
        })
    }

    /// Computes the neighbor file of a table. O(rows² × dimension).
    ///
    /// # Panics
    /// If the table has more than 65,536 rows.
    pub fn compute(table: &TermTable) -> Vec<u8> {
        let vectors = vectors(table);
        let rows: Vec<usize> = (0..table.len()).collect();
        let of_rows: Vec<Vec<u8>> = rows.par_iter().map(|row| of_row(table, &vectors, *row)).collect();
        of_rows.concat()
    }
}

/// Returns the vectors of all terms, scaled to unit length.
fn vectors(table: &TermTable) -> Vec<Vec<f32>> {
    let vector = |row| {
        let mut vector = vec![0.0; table.dimension()];
        table.add(Row::new(row), 1.0, &mut vector);
        normalize(&mut vector);
        vector
    };
    (0..table.len()).map(vector).collect()
}

fn of_row(table: &TermTable, vectors: &[Vec<f32>], row: usize) -> Vec<u8> {
    if table.is_of_questions(Row::new(row)) {
        return vec![0];
    }
    let asked = table.question_row(table.term(Row::new(row))).map_or(row, Row::index);
    let cosine = |other: &Vec<f32>| vectors[asked].iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let is_other = |other: usize| other != row && !table.is_of_questions(Row::new(other));
    let others = vectors.iter().enumerate().filter(|(other, _)| is_other(*other));
    let mut near: Vec<(usize, f32)> = others
        .map(|(other, vector)| (other, cosine(vector)))
        .filter(|(_, cosine)| *cosine >= LEAST_COSINE)
        .collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    near.truncate(MOST_NEIGHBORS);
    let mut bytes = vec![near.len() as u8];
    for (other, cosine) in near {
        bytes.extend(u16::try_from(other).expect("a table has at most 65,536 rows").to_le_bytes());
        bytes.push((cosine * 255.0).round() as u8);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_that_of_the_table() {
        let (table, neighbors) = (TermTable::built_in(), TermNeighbors::built_in());
        assert_eq!(neighbors.starts.len(), table.len());
        let vectors = vectors(table);
        for row in (0..table.len()).step_by(table.len() / 20) {
            let start = neighbors.starts[row] as usize;
            let expected = of_row(table, &vectors, row);
            assert_eq!(neighbors.bytes[start..start + expected.len()], expected);
        }
    }

    #[test]
    fn words_for_the_same_thing_are_neighbors() {
        let table = TermTable::built_in();
        let row = table.row("deadlin").expect("it is in the table");
        let near: Vec<Row> = TermNeighbors::built_in().of(row).map(|(near, _)| near).collect();
        assert!(near.contains(&table.row("timeout").expect("it is in the table")));
    }
}
