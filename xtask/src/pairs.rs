//! `cargo xtask pairs`: what the built-in embedding model is trained and tried on.
//!
//! Documentation says in people's words what the code beside it does, so the two make a question and its
//! answer. Both are written as the terms that the index keeps, so training sees what a search will see.

mod prose;
mod source;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::Serialize;
use sscg_index::{query_terms, stems};

use crate::corpus::sources;
use crate::workspace::rerun_optimised;
use source::Parsed;

/// Write texts and the code they are about, as terms, one JSON object a line
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The packages, a directory each; or files of questions, one a line
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Where to
    #[arg(long)]
    out: PathBuf,
    /// What is written
    #[arg(long, value_enum, default_value_t = What::Pairs)]
    what: What,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Texts and the code they are about, to train on
    Pairs,
    /// Every chunk of every file, to search in
    Chunks,
    /// Questions, to search with
    Questions,
}

/// How many inputs are held in memory at once.
const INPUTS_AT_ONCE: usize = 32;
/// How many pairs of a package are kept: large packages say much about little.
const PAIRS_OF_A_PACKAGE: usize = 3_000;
/// How often the same text may occur.
const SAME_TEXT: usize = 3;

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimised()? {
        return Ok(());
    }
    let file = File::create(&args.out).with_context(|| format!("cannot write {}", args.out.display()))?;
    let mut out = BufWriter::new(file);
    let mut written = 0;
    let mut seen = HashMap::new();
    for inputs in args.inputs.chunks(INPUTS_AT_ONCE) {
        match args.what {
            What::Pairs => {
                for mut pairs in read_all(inputs, pairs_of)? {
                    pairs.retain(|pair| {
                        let times = seen.entry(pair.query.clone()).or_insert(0);
                        *times += 1;
                        *times <= SAME_TEXT
                    });
                    let kept = pairs.len().min(PAIRS_OF_A_PACKAGE);
                    written += write_lines(&mut out, (0..kept).map(|at| &pairs[at * pairs.len() / kept]))?;
                }
            }
            What::Chunks => {
                let chunks = read_all(inputs, chunks_of)?;
                written += write_lines(&mut out, chunks.iter().flatten())?;
            }
            What::Questions => {
                for input in inputs {
                    let questions = fs::read_to_string(input)
                        .with_context(|| format!("cannot read {}", input.display()))?;
                    written += write_lines(&mut out, questions.lines().map(Question::new))?;
                }
            }
        }
    }
    out.flush()?;
    println!("{written} lines");
    Ok(())
}

/// What is read of each input, in their order.
fn read_all<T: Send>(inputs: &[PathBuf], read: fn(&Path) -> Result<Vec<T>>) -> Result<Vec<Vec<T>>> {
    inputs.par_iter().map(|input| read(input)).collect()
}

fn write_lines(out: &mut impl Write, lines: impl Iterator<Item = impl Serialize>) -> Result<usize> {
    let mut written = 0;
    for line in lines {
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
        written += 1;
    }
    Ok(written)
}

/// A question and its terms.
#[derive(Serialize)]
struct Question<'q> {
    text: &'q str,
    query: Vec<String>,
}

impl<'q> Question<'q> {
    fn new(text: &'q str) -> Self {
        Self { text, query: query_stems(text) }
    }
}

/// The terms of a text as a question, without compounds.
fn query_stems(text: &str) -> Vec<String> {
    let stems: HashSet<String> = stems(text).into_iter().collect();
    query_terms(text).into_iter().filter(|term| stems.contains(term)).collect()
}

/// How often each term occurs, by field.
type Fields = BTreeMap<&'static str, BTreeMap<String, u32>>;

/// A text and the code it is about.
#[derive(Serialize)]
struct Pair {
    package: String,
    kind: &'static str,
    /// The terms of the text, as those of a question.
    query: Vec<String>,
    /// The terms of the file's path.
    path: Vec<String>,
    fields: Fields,
}

/// A chunk of a file.
#[derive(Clone, Serialize)]
struct Chunk {
    package: String,
    file: String,
    first_line: u32,
    last_line: u32,
    /// The terms of the file's path.
    path: Vec<String>,
    fields: Fields,
}

fn pairs_of(package: &Path) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for source in sources(package)? {
        let text = source.text()?;
        if prose::is_written_by_hand(source.path.strip_prefix(package)?, &text) {
            Parsed::new(package, &source, &text)?.add_pairs(&mut pairs);
        }
    }
    Ok(pairs)
}

fn chunks_of(package: &Path) -> Result<Vec<Chunk>> {
    let mut chunks = Vec::new();
    for source in sources(package)? {
        Parsed::new(package, &source, &source.text()?)?.add_chunks(&mut chunks);
    }
    Ok(chunks)
}
