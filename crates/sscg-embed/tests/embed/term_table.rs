//! Tests of the term table: encoded values are read back, and other bytes are rejected.

use half::f16;
use proptest::prelude::*;
use sscg_embed::{EmbedError, Matrix, QueryVector, TermTable};

/// Rows of a table: term, scale, and values of four bits.
type Rows<'r> = &'r [(&'r str, f32, [u8; 4])];

const ROWS: Rows = &[("file", 0.5, [0, 15, 8, 9]), ("open", 2.0, [7, 8, 8, 8]), ("öffn", 1.0, [8, 8, 8, 8])];

/// Encodes a table of dimension 4 in the documented format.
fn bytes(rows: Rows) -> Vec<u8> {
    let terms: String = rows.iter().map(|(term, ..)| format!("{term}\n")).collect();
    let mut bytes = b"SSCGTERM".to_vec();
    for number in [1, 4, rows.len() as u32, terms.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(terms.as_bytes());
    bytes.extend(rows.iter().flat_map(|(_, scale, _)| f16::from_f32(*scale).to_le_bytes()));
    bytes.extend(rows.iter().flat_map(|(_, _, [a, b, c, d])| [a | b << 4, c | d << 4]));
    bytes
}

fn message(bytes: Vec<u8>) -> String {
    match TermTable::read(bytes) {
        Err(error @ EmbedError::TermTable { .. }) => error.to_string(),
        other => panic!("taken for a table: {other:?}"),
    }
}

#[test]
fn values_come_back_as_they_were_written() {
    let table = TermTable::read(bytes(ROWS)).unwrap();
    assert_eq!((table.dimension(), table.len()), (4, 3));
    assert_eq!(table.row("fil"), None);
    assert_eq!(table.row(""), None);
    let mut sum = [1.0, 0.0, 0.0, 0.0];
    table.add(table.row("file").unwrap(), 2.0, &mut sum);
    assert_eq!(sum, [-7.0, 7.0, 0.0, 1.0]);
    table.add(table.row("open").unwrap(), 0.5, &mut sum);
    assert_eq!(sum, [-8.0, 7.0, 0.0, 1.0]);
    for (term, row) in table.iter() {
        assert_eq!(table.row(term), Some(row));
    }
}

#[test]
fn another_table_has_another_name() {
    let table = TermTable::read(bytes(ROWS)).unwrap();
    assert_eq!(table.model_id(), TermTable::read(bytes(ROWS)).unwrap().model_id());
    let mut other = ROWS.to_vec();
    other[1].1 = 2.5;
    assert_ne!(table.model_id(), TermTable::read(bytes(&other)).unwrap().model_id());
}

#[test]
fn the_table_in_the_crate_can_be_read() {
    let table = TermTable::built_in();
    assert_eq!(table.dimension(), 256);
    assert!(table.len() > 20_000);
    assert!(table.iter().all(|(term, row)| table.row(term) == Some(row)));
}

#[test]
fn terms_that_mean_the_same_point_the_same_way() {
    let table = TermTable::built_in();
    let vector = |term: &str| {
        let mut vector = vec![0.0; table.dimension()];
        table.add(table.row(term).unwrap_or_else(|| panic!("no {term}")), 1.0, &mut vector);
        vector
    };
    for (term, near, far) in [
        ("delet", "remov", "color"),
        ("error", "fail", "width"),
        ("http", "url", "sort"),
        ("dir", "folder", "json"),
    ] {
        let mut matrix = Matrix::new(table.dimension());
        matrix.push(&vector(near));
        matrix.push(&vector(far));
        let cosines = matrix.cosines(&QueryVector::new(&vector(term)));
        assert!(cosines[0] > cosines[1] + 0.1, "{term} and {near}: {}, {far}: {}", cosines[0], cosines[1]);
    }
}

#[test]
fn what_is_no_table_is_named_as_such() {
    let good = bytes(ROWS);
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        message(bytes)
    };
    assert!(message(Vec::new()).contains("0 bytes are less than its head"));
    assert!(with(0, b'X').contains("does not start with `SSCGTERM`"));
    assert!(with(8, 2).contains("its version is 2"));
    assert!(with(12, 3).contains("its dimension is 3"));
    assert!(with(12, 0).contains("its dimension is 0"));
    assert!(with(12, 6).contains("are not what 3 rows of dimension 6"));
    assert!(with(16, 4).contains("are not what 4 rows"));
    assert!(with(24, b'p').contains("ascending order at `open`"));
    assert!(with(24, 0xFF).contains("not UTF-8"));
    assert!(with(28, b'e').contains("2 terms for 3 rows"));
    assert!(with(28 + 11, b'e').contains("its last term has no newline"));
    assert!(with(41, 0x7C).contains("scale of row 0 is not a finite number"));
    assert!(message(bytes(&[("a", 1.0, [0; 4]), ("a", 1.0, [0; 4])])).contains("ascending order"));
    assert!(message(bytes(&[("", 1.0, [0; 4])])).contains("ascending order"));
    // Sizes beyond any machine.
    assert!(message([&good[..12], &[0xFE; 12]].concat()).contains("are not what"));
}

proptest! {
    #[test]
    fn damaged_bytes_never_panic(at in 0..60_usize, byte: u8, length in 0..60_usize) {
        let mut bytes = bytes(ROWS);
        let last = bytes.len() - 1;
        bytes[at.min(last)] = byte;
        bytes.truncate(length);
        if let Ok(table) = TermTable::read(bytes) {
            let mut sum = vec![0.0; table.dimension()];
            for (_, row) in table.iter() {
                table.add(row, 1.0, &mut sum);
            }
        }
    }
}
