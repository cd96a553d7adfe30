//! Built-in model: a static table of one vector per term.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::EmbedError;

/// Vectors of terms of code, more than 20,000 in the built-in table: parts of identifiers and words, lower-cased and
/// stemmed.
///
/// The vector of a text is the weighted sum of the vectors of its terms, L2-normalized
/// ([`normalize`](crate::normalize)). Terms missing from the table add nothing.
///
/// ```
/// use sscg_embed::{TermTable, normalize};
///
/// let table = TermTable::built_in();
/// let mut vector = vec![0.0; table.dimension()];
/// for (term, count) in [("open", 2_u16), ("file", 1), ("unheardof", 1)] {
///     if let Some(row) = table.row(term) {
///         table.add(row, f32::from(count).powf(0.75), &mut vector);
///     }
/// }
/// normalize(&mut vector);
/// assert!(table.row("unheardof").is_none());
/// assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
/// ```
///
/// # Format
/// Little-endian, without padding:
///
/// | part | bytes |
/// | --- | --- |
/// | magic | `SSCGTERM` |
/// | version, dimension (even), rows, length of the terms | 4 × `u32` |
/// | terms | each followed by a newline, in ascending order of bytes; a `?` before it marks a term's row for questions |
/// | scales | rows × `f16` |
/// | values | rows × dimension / 2 |
///
/// A byte holds two values, the first in its low four bits; four bits `n` stand for `(n - 8) * scale`.
#[derive(Debug)]
pub struct TermTable {
    bytes: Cow<'static, [u8]>,
    dimension: usize,
    id: String,
    /// Start of each term in `bytes`, plus the start that a further term would have.
    starts: Vec<u32>,
    scales: Vec<f32>,
    /// Start of the values in `bytes`.
    values: usize,
}

/// Row of a [`TermTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row(u32);

impl Row {
    pub(crate) fn new(row: usize) -> Self {
        Self(row as u32)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

const MAGIC: &[u8; 8] = b"SSCGTERM";
const VERSION: u32 = 1;
/// Prefix of the terms of rows for questions.
const QUESTION: &str = "?";
const HEAD_BYTES: usize = 8 + 4 * 4;
/// Size of a scale.
const SCALE_BYTES: usize = 2;

static BUILT_IN: LazyLock<TermTable> = LazyLock::new(|| {
    let bytes: &'static [u8] = include_bytes!("../models/terms.bin");
    TermTable::read(bytes).expect("a test reads the table that is compiled in")
});

impl TermTable {
    /// Returns the table that is compiled into the crate. It is validated on first use, in less than a millisecond.
    pub fn built_in() -> &'static TermTable {
        &BUILT_IN
    }

    /// Reads a table. O(length of the terms); values are decoded on use.
    ///
    /// # Errors
    /// [`EmbedError::TermTable`] if the bytes are not exactly one table in the format described above.
    pub fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, EmbedError> {
        let bytes = bytes.into();
        let head = Head::read(&bytes)?;
        let starts = term_starts(&bytes[..head.scales], &head)?;
        let scales: Vec<f32> = bytes[head.scales..head.values]
            .as_chunks()
            .0
            .iter()
            .map(|scale| half_precision(u16::from_le_bytes(*scale)))
            .collect();
        if let Some(row) = scales.iter().position(|scale| !scale.is_finite()) {
            return Err(damaged(format!("the scale of row {row} is not a finite number")));
        }
        // A retrained table has other scales, so that megabytes of values need not be hashed.
        let hash = blake3::hash(&bytes[..head.values]).to_hex();
        let id = format!("sscg/terms-{}/{}", &hash[..12], head.dimension);
        Ok(TermTable { dimension: head.dimension, id, starts, scales, values: head.values, bytes })
    }

    /// Returns the ID under which vectors of this table are stored. Another table has another ID.
    pub fn model_id(&self) -> &str {
        &self.id
    }

    /// Returns the dimension of the vectors.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// True if there are no terms.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Looks up the row of a term, which must be lower-cased and stemmed like the terms of the table. O(log rows).
    pub fn row(&self, term: &str) -> Option<Row> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.term_bytes(middle).cmp(term.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(Row(middle as u32)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// Looks up the row of a term of a question. A word that people and code use differently has a row for each. O(log rows).
    pub fn question_row(&self, term: &str) -> Option<Row> {
        self.row(&format!("{QUESTION}{term}")).or_else(|| self.row(term))
    }

    /// True if a row is for questions only.
    pub(crate) fn is_of_questions(&self, row: Row) -> bool {
        self.term_bytes(row.index()).starts_with(QUESTION.as_bytes())
    }

    /// Returns the term of a row.
    ///
    /// # Panics
    /// If the row is from another, larger table.
    pub fn term(&self, row: Row) -> &str {
        str::from_utf8(self.term_bytes(row.index())).expect("checked when the table was read")
    }

    /// Returns all rows with their terms, in ascending byte order, those for questions with the `?` before their terms.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Row)> {
        (0..self.len()).map(|row| (self.term(Row::new(row)), Row::new(row)))
    }

    /// Adds `weight` times the vector of a row to `sum`. O(dimension).
    ///
    /// # Panics
    /// If `sum` does not have [`dimension`](Self::dimension) components, or if the row is from another, larger table.
    #[inline]
    pub fn add(&self, row: Row, weight: f32, sum: &mut [f32]) {
        assert_eq!(sum.len(), self.dimension, "a sum has the dimension of its table");
        let row = row.0 as usize;
        let width = self.dimension / 2;
        let packed = &self.bytes[self.values + row * width..][..width];
        let scale = self.scales[row] * weight;
        for ([even, odd], byte) in sum.as_chunks_mut().0.iter_mut().zip(packed) {
            *even += scale * f32::from((byte & 0xF) as i8 - 8);
            *odd += scale * f32::from((byte >> 4) as i8 - 8);
        }
    }

    fn term_bytes(&self, row: usize) -> &[u8] {
        &self.bytes[self.starts[row] as usize..self.starts[row + 1] as usize - 1]
    }
}

/// Header before the terms, and the offsets of the other parts.
struct Head {
    dimension: usize,
    rows: usize,
    scales: usize,
    values: usize,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, EmbedError> {
        let (head, _) = bytes
            .split_at_checked(HEAD_BYTES)
            .ok_or_else(|| damaged(format!("{} bytes are less than its head", bytes.len())))?;
        let (magic, numbers) = head.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(damaged("it does not start with `SSCGTERM`"));
        }
        let number = |at: usize| u32::from_le_bytes(numbers.as_chunks().0[at]) as usize;
        let (version, dimension, rows, terms) = (number(0), number(1), number(2), number(3));
        if version != VERSION as usize {
            return Err(damaged(format!("its version is {version}, and only {VERSION} is known")));
        }
        if dimension == 0 || dimension % 2 == 1 {
            return Err(damaged(format!("its dimension is {dimension}, which is no even number above 0")));
        }
        let length = dimension
            .checked_div(2)
            .and_then(|width| rows.checked_mul(width + SCALE_BYTES))
            .and_then(|values| values.checked_add(HEAD_BYTES + terms));
        if length != Some(bytes.len()) {
            return Err(damaged(format!(
                "{} bytes are not what {rows} rows of dimension {dimension} and {terms} bytes of terms take",
                bytes.len()
            )));
        }
        let scales = HEAD_BYTES + terms;
        Ok(Head { dimension, rows, scales, values: scales + rows * SCALE_BYTES })
    }
}

/// Returns the start of each term; `bytes` must end with the terms.
fn term_starts(bytes: &[u8], head: &Head) -> Result<Vec<u32>, EmbedError> {
    if str::from_utf8(&bytes[HEAD_BYTES..]).is_err() {
        return Err(damaged("its terms are not UTF-8"));
    }
    let mut starts = Vec::with_capacity(head.rows + 1);
    starts.push(HEAD_BYTES as u32);
    let mut previous: &[u8] = b"";
    for term in bytes[HEAD_BYTES..].split_inclusive(|byte| *byte == b'\n') {
        let Some((b'\n', term)) = term.split_last() else {
            return Err(damaged("its last term has no newline"));
        };
        if term <= previous {
            let term = String::from_utf8_lossy(term);
            return Err(damaged(format!("its terms are not in ascending order at `{term}`")));
        }
        previous = term;
        starts.push(starts[starts.len() - 1] + term.len() as u32 + 1);
    }
    if starts.len() != head.rows + 1 {
        return Err(damaged(format!("it has {} terms for {} rows", starts.len() - 1, head.rows)));
    }
    Ok(starts)
}

/// Returns the number with these bits in half precision (IEEE 754 binary16).
fn half_precision(bits: u16) -> f32 {
    let (sign, bits) = (bits >> 15, u32::from(bits & 0x7fff));
    let fraction = bits & 0x3ff;
    let magnitude = match bits >> 10 {
        0 => fraction as f32 / (1 << 24) as f32,
        31 => f32::from_bits(0xff << 23 | fraction << 13),
        // The bias of the exponent is 15, and 127 in single precision.
        exponent => f32::from_bits((exponent + 127 - 15) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

fn damaged(message: impl Into<String>) -> EmbedError {
    EmbedError::TermTable { message: message.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_in_half_precision_is_read() {
        for bits in 0..=u16::MAX {
            let (number, expected) = (half_precision(bits), half::f16::from_bits(bits).to_f32());
            assert!(
                number.to_bits() == expected.to_bits() || number.is_nan() && expected.is_nan(),
                "{bits:#x}: {number} is not {expected}"
            );
        }
    }
}
