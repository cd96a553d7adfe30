//! Tests of sketches against the exact search that they approximate.

use proptest::collection::vec;
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use sscg_embed::{Matrix, QueryVector, Sketches};

fn matrix(dimension: usize, rows: &[Vec<f32>]) -> Matrix {
    let mut matrix = Matrix::new(dimension);
    rows.iter().for_each(|row| matrix.push(row));
    matrix
}

/// Returns `count` vectors around each of `topics` directions.
fn topics(topics: usize, count: usize, dimension: usize) -> Vec<Vec<f32>> {
    let mut state = 1_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let centers: Vec<Vec<f32>> = (0..topics).map(|_| (0..dimension).map(|_| next()).collect()).collect();
    let around = centers.iter().cycle().take(topics * count);
    around.map(|center| center.iter().map(|number| number + next()).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_nearest_differ_in_the_fewest_signs(
        (dimension, rows, query) in (1..600_usize).prop_flat_map(|dimension| {
            let vector = move || vec(-1.0..1.0_f32, dimension);
            (Just(dimension), vec(vector(), 0..20), vector())
        }),
        count in 0..25_usize,
    ) {
        let matrix = matrix(dimension, &rows);
        let is_negative = |row: usize| matrix.row(row)[4..].iter().map(|number| (*number as i8) < 0);
        let asked = query.iter().map(|number| *number <= -0.0001);
        let differing = |row: usize| is_negative(row).zip(asked.clone()).filter(|(a, b)| a != b).count();
        prop_assume!(query.iter().all(|number| number.abs() > 0.0001));
        let mut nearest: Vec<usize> = (0..rows.len()).collect();
        nearest.sort_by_key(|row| differing(*row));
        nearest.truncate(count);
        nearest.sort_unstable();
        prop_assert_eq!(Sketches::new(&matrix).nearest(&QueryVector::new(&query), count), nearest);
    }
}

#[test]
fn four_times_as_many_hold_nearly_all_that_are_nearest() {
    const WANTED: usize = 20;
    let rows = topics(100, 50, 256);
    let matrix = matrix(256, &rows);
    let sketches = Sketches::new(&matrix);
    let mut found = 0;
    let queries: Vec<QueryVector> = rows.iter().step_by(97).map(|row| QueryVector::new(row)).collect();
    for query in &queries {
        let exact = matrix.cosines(query);
        let mut nearest: Vec<usize> = (0..rows.len()).collect();
        nearest.sort_by(|a, b| exact[*b].total_cmp(&exact[*a]));
        let near = sketches.nearest(query, 4 * WANTED);
        assert!(near.iter().all(|row| matrix.cosine(*row, query) == exact[*row]));
        found += nearest[..WANTED].iter().filter(|row| near.contains(row)).count();
    }
    let recall = found as f64 / (WANTED * queries.len()) as f64;
    assert!(recall > 0.95, "{recall}");
}

#[test]
fn any_number_of_threads_finds_the_same() {
    // More rows than one parallel task takes.
    let matrix = matrix(8, &topics(40, 1_000, 8));
    let found = [1, 2, 5].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| {
            let sketches = Sketches::new(&matrix);
            let nearest =
                sketches.nearest(&QueryVector::new(&[0.5, -1.0, 2.0, 0.1, -0.3, 1.0, 1.0, -2.0]), 1_000);
            (sketches, nearest)
        })
    });
    assert_eq!(found[0].1.len(), 1_000);
    assert!(found[0].1.is_sorted());
    assert!(found.iter().all(|it| *it == found[0]));
}

#[test]
fn of_no_rows_none_is_near() {
    let matrix = Matrix::new(300);
    assert_eq!(Sketches::new(&matrix).nearest(&QueryVector::new(&[1.0; 300]), 5), Vec::<usize>::new());
}
