//! Tests of the matrix against the same arithmetic in full precision.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use sscg_embed::{EmbedError, Matrix, QueryVector, normalize};

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let length = |vector: &[f32]| vector.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt();
    let dot: f64 = left.iter().zip(right).map(|(l, r)| f64::from(*l) * f64::from(*r)).sum();
    let lengths = length(left) * length(right);
    if lengths == 0.0 { 0.0 } else { (dot / lengths) as f32 }
}

fn matrix(dimension: usize, rows: &[Vec<f32>]) -> Matrix {
    let mut matrix = Matrix::new(dimension);
    rows.iter().for_each(|row| matrix.push(row));
    matrix
}

/// Generates components around zero, most of them small, as in vectors of models.
fn vectors(dimension: usize) -> impl Strategy<Value = Vec<f32>> {
    let number = (-1.0..1.0_f32, -1.0..1.0_f32, -1.0..1.0_f32).prop_map(|(a, b, c)| (a + b + c) * 0.3);
    vec(number, dimension)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn eight_bits_cost_less_than_half_a_percent_of_cosine(
        rows in vec(vectors(256), 1..20),
        query in vectors(256),
        length in 1e-10..1e10_f32,
    ) {
        let scaled: Vec<f32> = query.iter().map(|number| number * length).collect();
        let cosines = matrix(256, &rows).cosines(&QueryVector::new(&scaled));
        for (row, found) in rows.iter().zip(cosines) {
            let exact = cosine(row, &query);
            prop_assert!((found - exact).abs() < 0.005, "{found} instead of {exact}");
        }
    }

    #[test]
    fn rows_survive_being_kept_one_by_one(rows in vec(vectors(6), 0..10), query in vectors(6)) {
        let whole = matrix(6, &rows);
        let mut again = Matrix::new(6);
        (0..whole.len()).for_each(|row| again.push_encoded(whole.row(row)));
        prop_assert_eq!(&again, &whole);
        prop_assert_eq!(&Matrix::from_bytes(6, whole.as_bytes().to_vec()).unwrap(), &whole);
        let mut shared = Matrix::from_shared(6, Arc::new(whole.as_bytes().to_vec())).unwrap();
        prop_assert_eq!(&shared, &whole);
        shared.append(&whole, 0..whole.len());
        prop_assert_eq!(shared.as_bytes(), [whole.as_bytes(); 2].concat());
        let query = QueryVector::new(&query);
        let one_by_one: Vec<f32> = (0..whole.len()).map(|row| whole.cosine(row, &query)).collect();
        prop_assert_eq!(whole.cosines(&query), one_by_one);
    }
}

#[test]
fn the_largest_vectors_do_not_overflow() {
    for dimension in [1, 2, 255, 1024, 4096] {
        let vector = vec![-3.0; dimension];
        let cosine = matrix(dimension, std::slice::from_ref(&vector)).cosine(0, &QueryVector::new(&vector));
        assert!((cosine - 1.0).abs() < 1e-3, "{cosine} at {dimension}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rows: Vec<Vec<f32>> = (0..10_000_u32)
        .map(|row| (0..8).map(|at| ((row * 37 + at * 11) % 101) as f32 - 50.0).collect())
        .collect();
    let (matrix, query) = (matrix(8, &rows), QueryVector::new(&rows[77]));
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| matrix.cosines(&query))
    };
    let one = with(1);
    assert_eq!(one.len(), 10_000);
    assert!(one[77] > 0.999);
    assert_eq!(one, with(7));
}

#[test]
fn what_has_no_direction_is_like_nothing() {
    let none = [vec![0.0; 3], vec![f32::NAN, 1.0, 0.0], vec![f32::INFINITY, 1.0, 0.0]];
    let real = vec![1.0, 2.0, 3.0];
    assert_eq!(matrix(3, &none).cosines(&QueryVector::new(&real)), [0.0; 3]);
    for mut vector in none {
        assert_eq!(matrix(3, std::slice::from_ref(&real)).cosines(&QueryVector::new(&vector)), [0.0]);
        normalize(&mut vector);
        assert_eq!(vector, [0.0; 3]);
    }
    let mut vector = [3.0, 0.0, 4.0];
    normalize(&mut vector);
    assert_eq!(vector, [0.6, 0.0, 0.8]);
}

#[test]
fn a_part_of_a_row_is_no_matrix() {
    assert!(Matrix::from_bytes(4, Vec::new()).unwrap().is_empty());
    let error = Matrix::from_bytes(4, vec![0; 12]).unwrap_err();
    assert!(matches!(error, EmbedError::MatrixBytes { bytes: 12, dimension: 4 }));
}
