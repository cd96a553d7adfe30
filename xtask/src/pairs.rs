//! `cargo xtask pairs`: training and evaluation data of the built-in embedding model.
//!
//! Documentation describes in natural language what the code next to it does, so the two form a question and its
//! answer. Both are written as index terms, so training sees what a search will see.

mod changes;
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
use crate::workspace::rerun_optimized;
use source::Parsed;

/// Write texts and the code they describe as terms, one JSON object per line
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Package directories; git repositories for commits; the thesaurus; files of questions, one per line
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Output
    #[arg(long)]
    out: PathBuf,
    /// Kind of output
    #[arg(long, value_enum, default_value_t = What::Pairs)]
    what: What,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Texts and the code they describe, to train on
    Pairs,
    /// Subjects of commits and the declarations that they changed, to train on
    Commits,
    /// Everyday words of the thesaurus and the words of code for them, to train on
    Thesaurus,
    /// Every chunk of every file, as a corpus
    Chunks,
    /// Questions, as queries
    Questions,
}

/// Maximum number of inputs in memory at once.
const INPUTS_AT_ONCE: usize = 32;
/// Maximum number of pairs per package, since the texts of large packages are redundant.
const PAIRS_OF_A_PACKAGE: usize = 3_000;
/// Maximum number of occurrences of the same text.
const SAME_TEXT: usize = 3;

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    let file = File::create(&args.out).with_context(|| format!("cannot write {}", args.out.display()))?;
    let mut out = BufWriter::new(file);
    let mut written = 0;
    let mut seen = HashMap::new();
    for inputs in args.inputs.chunks(INPUTS_AT_ONCE) {
        match args.what {
            What::Pairs | What::Commits => {
                let read = if matches!(args.what, What::Pairs) { pairs_of } else { changes::pairs_of };
                for mut pairs in read_all(inputs, read)? {
                    pairs.retain(|pair| {
                        let times = seen.entry(pair.query.clone()).or_insert(0);
                        *times += 1;
                        *times <= SAME_TEXT
                    });
                    let kept = pairs.len().min(PAIRS_OF_A_PACKAGE);
                    written += write_lines(&mut out, (0..kept).map(|at| &pairs[at * pairs.len() / kept]))?;
                }
            }
            What::Thesaurus => {
                for input in inputs {
                    let lines = read_text(input)?;
                    written += write_lines(&mut out, lines.lines().filter_map(Pair::of_thesaurus))?;
                }
            }
            What::Chunks => {
                let chunks = read_all(inputs, chunks_of)?;
                written += write_lines(&mut out, chunks.iter().flatten())?;
            }
            What::Questions => {
                for input in inputs {
                    let questions = read_text(input)?;
                    written += write_lines(&mut out, questions.lines().map(Question::new))?;
                }
            }
        }
    }
    out.flush()?;
    println!("{written} lines");
    Ok(())
}

fn read_text(input: &Path) -> Result<String> {
    fs::read_to_string(input).with_context(|| format!("cannot read {}", input.display()))
}

/// Reads all inputs in parallel; the results are in input order.
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

/// Returns the query terms of a text, without compounds.
fn query_stems(text: &str) -> Vec<String> {
    let stems: HashSet<String> = stems(text).into_iter().collect();
    query_terms(text).into_iter().filter(|term| stems.contains(term)).collect()
}

/// Term frequencies by field.
type Fields = BTreeMap<&'static str, BTreeMap<String, u32>>;

/// A text and the code that it describes.
#[derive(Serialize)]
struct Pair {
    package: String,
    kind: &'static str,
    /// Query terms of the text.
    query: Vec<String>,
    /// Terms of the file's path.
    path: Vec<String>,
    fields: Fields,
}

impl Pair {
    /// Returns the pair of a line of the thesaurus, `head: words`.
    fn of_thesaurus(line: &str) -> Option<Self> {
        let (head, words) = line.split_once(": ")?;
        let words = query_stems(words).into_iter().map(|stem| (stem, 1)).collect();
        Some(Self {
            package: "thesaurus".to_owned(),
            kind: "word",
            query: query_stems(head),
            path: Vec::new(),
            fields: Fields::from([("name", words)]),
        })
    }
}

/// A chunk of a file.
#[derive(Clone, Serialize)]
struct Chunk {
    package: String,
    file: String,
    first_line: u32,
    last_line: u32,
    /// Terms of the file's path.
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
