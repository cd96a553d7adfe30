//! Prints the speed of embedding with the built-in table and of exact search, compared with that of reading memory.
//!
//! `cargo run --release -p sscg-embed --example speed`

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use sscg_embed::{Matrix, QueryVector, Row, TermTable};

/// Shape of a large project's vectors.
const ROWS: usize = 300_000;
const DIMENSION: usize = 256;

/// Number of runs per measurement; the fastest counts, since other programs can only slow it down.
const ROUNDS: usize = 100;

fn main() {
    search();
    embed();
}

fn search() {
    let mut matrix = Matrix::new(DIMENSION);
    let mut state = 1_u32;
    let mut vector = [0.0; DIMENSION];
    for _ in 0..ROWS {
        for number in &mut vector {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *number = (state >> 8) as f32 / (1 << 23) as f32 - 1.0;
        }
        matrix.push(&vector);
    }
    let query = QueryVector::new(&vector);
    let search = best(|| matrix.cosines(&query).len());
    let read = best(|| {
        let words = matrix.as_bytes().as_chunks::<8>().0.par_chunks(1 << 16);
        words.map(|words| words.iter().fold(0, |sum, word| sum ^ u64::from_le_bytes(*word))).sum::<u64>()
            as usize
    });
    let gigabytes = matrix.as_bytes().len() as f64 / 1e9;
    println!("{ROWS} rows of {DIMENSION}, {} threads:", rayon::current_num_threads());
    println!("  cosines      {search:>9.2?} {:>6.1} GB/s", gigabytes / search.as_secs_f64());
    println!("  memory read  {read:>9.2?} {:>6.1} GB/s", gigabytes / read.as_secs_f64());
}

fn embed() {
    let table = TermTable::built_in();
    let (terms, rows): (Vec<&str>, Vec<Row>) = table.iter().unzip();
    // Short enough to finish before another program is scheduled. Every 7919th term, so that neither lookups nor rows
    // profit from locality.
    let order: Vec<usize> = (0..10_000).map(|at| at * 7919 % terms.len()).collect();
    let look_up = best(|| order.iter().filter(|at| table.row(terms[**at]).is_some()).count());
    let mut sum = vec![0.0; table.dimension()];
    let add = best(|| {
        order.iter().for_each(|at| table.add(rows[*at], 0.5, &mut sum));
        order.len()
    });
    println!("term table of {} rows of {}, one thread:", table.len(), table.dimension());
    println!("  look up      {:>9.2?} a term", look_up / order.len() as u32);
    println!("  add          {:>9.2?} a row", add / order.len() as u32);
}

fn best(mut measured: impl FnMut() -> usize) -> Duration {
    let round = || {
        let start = Instant::now();
        black_box(measured());
        start.elapsed()
    };
    std::iter::repeat_with(round).take(ROUNDS).min().expect("there is a round")
}
