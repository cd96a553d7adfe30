//! `cargo xtask bench parse`: facts and chunks compared with bare parsing of the same texts.

use std::collections::BTreeMap;
use std::hint;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sscg_parse::{FileType, check};

use crate::corpus::{Source, sources};

/// Extract facts and chunks, next to bare parsing of the same files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Trees
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Number of measurements, in turns
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Skip the generated texts that show how time grows with length
    #[arg(long)]
    no_growth: bool,
}

/// A source and its text.
struct BenchSource {
    file_type: FileType,
    text: String,
}

pub(super) fn run(args: Args) -> Result<()> {
    let files = args.paths.iter().map(|path| sources(path)).collect::<Result<Vec<Vec<Source>>>>()?.concat();
    ensure!(!files.is_empty(), "no source files in these directories");
    println!(
        "{:<12} {:>7} {:>8} {:>11} {:>11} {:>7} {:>7} {:>16} {:>12}",
        "language", "files", "MB", "bare MB/s", "facts MB/s", "ratio", "best", "bare, 2 threads", "facts"
    );
    let mut rows: BTreeMap<&str, Vec<BenchSource>> = BTreeMap::new();
    for source in &files {
        let file_type = source.file_type;
        let row = match file_type.language.name {
            // JavaScript and TypeScript share a parser, and thus a row.
            "typescript" | "javascript" => "typescript",
            name if check::parse(file_type, "") => name,
            _ => continue,
        };
        rows.entry(row).or_default().push(BenchSource { file_type, text: source.text()? });
    }
    for (name, texts) in &rows {
        compare(name, texts, args.rounds)?;
    }
    if !args.no_growth {
        growth()?;
    }
    Ok(())
}

/// Times of one round: bare parsing and facts on one thread, and both on two.
struct Row {
    bare: Duration,
    facts: Duration,
    parallel: (Duration, Duration),
}

fn compare(name: &str, texts: &[BenchSource], rounds: usize) -> Result<()> {
    let bytes: usize = texts.iter().map(|text| text.text.len()).sum();
    let one = pool(1)?;
    let two = pool(2)?;
    let mut rows = Vec::new();
    for _ in 0..rounds {
        let bare = timed(&one, texts, parse);
        let facts = timed(&one, texts, extract);
        let parallel = (timed(&two, texts, parse), timed(&two, texts, extract));
        rows.push(Row { bare, facts, parallel });
    }
    let times = |slow: Duration, fast: Duration| slow.as_secs_f64() / fast.as_secs_f64();
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let ratios = sorted(rows.iter().map(|row| times(row.facts, row.bare)));
    let bare = sorted(rows.iter().map(|row| speed(row.bare)));
    let facts = sorted(rows.iter().map(|row| speed(row.facts)));
    let bare_scaling = sorted(rows.iter().map(|row| times(row.bare, row.parallel.0)));
    let scaling = sorted(rows.iter().map(|row| times(row.facts, row.parallel.1)));
    let middle = rows.len() / 2;
    println!(
        "{name:<12} {:>7} {:>8.2} {:>11.1} {:>11.1} {:>7.2} {:>7.2} {:>15.2}x {:>11.2}x",
        texts.len(),
        bytes as f64 / 1e6,
        bare[middle],
        facts[middle],
        ratios[middle],
        ratios[0],
        bare_scaling[middle],
        scaling[middle]
    );
    Ok(())
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn pool(threads: usize) -> Result<ThreadPool> {
    // Stacks are as large as the index's, so that files are parsed on the same thread.
    Ok(ThreadPoolBuilder::new().num_threads(threads).stack_size(1 << 30).build()?)
}

fn timed(pool: &ThreadPool, texts: &[BenchSource], work: fn(&BenchSource)) -> Duration {
    let start = Instant::now();
    pool.install(|| texts.par_iter().for_each(work));
    start.elapsed()
}

fn extract(text: &BenchSource) {
    hint::black_box(text.file_type.extract(&text.text));
}

/// Extracts the facts, and every chunk as a row.
fn extract_rows(text: &BenchSource) {
    let facts = text.file_type.extract(&text.text);
    hint::black_box(facts.code_chunks("file", &text.text, text.file_type.language.stub));
}

/// Parses a text without extraction, as a lower bound: the tree, and for oxc the scopes and symbols.
fn parse(text: &BenchSource) {
    if !check::parse(text.file_type, &text.text) {
        parse_oxc(text);
    }
}

fn parse_oxc(text: &BenchSource) {
    let arena = Allocator::default();
    let path = Path::new("file").with_extension(text.file_type.extension);
    let source_type = SourceType::from_path(path).unwrap_or_default();
    // Plain JavaScript may contain JSX.
    let source_type = if source_type.is_javascript() { source_type.with_jsx(true) } else { source_type };
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let program = Parser::new(&arena, &text.text, source_type).with_options(options).parse().program;
    let program = arena.alloc(program);
    hint::black_box(SemanticBuilder::new().build(program));
}

/// Compares texts of 256 KiB and 1 MiB: the larger should take at most four times as long.
fn growth() -> Result<()> {
    const SMALL: usize = 1 << 18;
    println!("\n{:<12} {:<28} {:>10} {:>10} {:>9}", "language", "text", "256 KiB", "1 MiB", "growth");
    let pool = pool(1)?;
    for (path, name, unit, separator) in GROWING {
        let make = |bytes: usize| {
            let mut text = String::with_capacity(bytes + unit.len());
            let (head, unit, tail) = split_unit(unit);
            text.push_str(head);
            for number in 0.. {
                if text.len() >= bytes {
                    break;
                }
                text.push_str(&unit.replace('#', &number.to_string()));
                text.push_str(separator);
            }
            text.push_str(tail);
            [BenchSource { file_type: FileType::of_path(path).expect("a known extension"), text }]
        };
        let best = |texts: &[BenchSource]| {
            (0..5).map(|_| timed(&pool, texts, extract_rows)).min().unwrap_or_default()
        };
        let (small, large) = (best(&make(SMALL)), best(&make(4 * SMALL)));
        let language = FileType::of_path(path).map_or("", |it| it.language.name);
        println!(
            "{language:<12} {name:<28} {:>7.1} ms {:>7.1} ms {:>8.1}x",
            small.as_secs_f64() * 1e3,
            large.as_secs_f64() * 1e3,
            large.as_secs_f64() / small.as_secs_f64()
        );
    }
    Ok(())
}

/// Splits `head¦unit¦tail`, or a unit alone.
fn split_unit(unit: &str) -> (&str, &str, &str) {
    match unit.split_once('¦') {
        Some((head, rest)) => match rest.split_once('¦') {
            Some((unit, tail)) => (head, unit, tail),
            None => (head, rest, ""),
        },
        None => ("", unit, ""),
    }
}

/// Path, description, repeated text (`#` is the number of the repetition), and separator.
const GROWING: &[(&str, &str, &str, &str)] = &[
    ("a.rs", "functions", "fn f#(a: u32) -> u32 { g(a) + # }", "\n"),
    ("a.rs", "one line of functions", "fn f#(a: u32) -> u32 { g(a) + # }", " "),
    ("a.rs", "a table", "const T: &[u32] = &[¦#¦];", ", "),
    ("a.rs", "a macro's tokens", "m! { ¦a(#); ¦}", " "),
    ("a.rs", "a chain of calls", "fn f() { x¦.g(#)¦; }", ""),
    ("a.rs", "a type of methods", "impl T { ¦fn f#(&self) { self.g(); }¦ }", "\n"),
    ("a.py", "functions", "def f#(a):\n    return g(a) + #", "\n"),
    ("a.py", "one line of statements", "a# = g(#)", "; "),
    ("a.py", "a table", "T = [¦#¦]", ", "),
    ("a.py", "a sum", "T = 1¦ + a#¦", ""),
    ("a.py", "a class of methods", "class T:\n¦    def f#(self):\n        return self.g()¦", "\n"),
    ("a.ts", "functions", "function f#(a: number): number { return g(a) + # }", "\n"),
    ("a.js", "one line of statements", "var a#=g(#)", ";"),
    ("a.js", "a bundle on one line", "!function(){¦function f#(a){return g(a)+#}¦}()", ""),
    ("a.js", "one statement again and again", "f(1)", ";"),
    ("a.js", "a table", "const T = [¦#¦]", ", "),
    ("a.js", "a chain of calls", "x¦.g(#)¦", ""),
    ("a.ts", "a class of methods", "class T {¦ f#() { return this.g() }¦ }", "\n"),
];
