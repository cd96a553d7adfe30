//! `cargo xtask commits REPOSITORY`: questions from the history of a repository.
//!
//! A question is a commit message without trailers and issue numbers; the tree is the parent's, and the code that the
//! commit changed there is the answer. Merges, bot commits, and commits that change no source file, or more than eight,
//! are skipped. The baseline is BM25 over declarations, without tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_core::{ChunkId, ChunkKind, FileId, Id, LineRange};
use sscg_index::{Snapshot, is_stop_word, query_terms, stems};
use sscg_parse::FileType;
use sscg_retrieve::{Filters, Hit, Query, RankOptions, chunk_at_line, is_test, is_test_file, rank};

use crate::eval::{dataset::read_json, rank_options};
use crate::history::{Blobs, git, hunk, named};
use crate::workspace::{output, rerun_optimized};

/// Query commit messages on the trees before them, next to BM25 over declarations
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A git repository, bare or not; may be given more than once
    #[arg(required = true)]
    repositories: Vec<PathBuf>,
    /// Maximum number of commits of each repository, spread over its newest 2,000
    #[arg(long, default_value_t = 30)]
    most: usize,
    /// Use only the first line of each message
    #[arg(long)]
    subject: bool,
    /// Write the questions, by commit, as JSON, for someone who guesses terms without seeing code
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Also query with the caller's terms of a JSON file, lists by commit; skips commits that it lacks
    #[arg(long, value_name = "FILE")]
    terms: Option<PathBuf>,
    /// Override an option of `[rank]`, as in `weights.calls=0`; may be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Number of newest commits that questions come from.
const NEWEST: usize = 2_000;

/// Maximum number of source files, without tests, that a question's commit changes.
const MOST_FILES: usize = 8;

/// Minimum number of terms of a question.
const LEAST_TERMS: usize = 3;

/// Ranks down to which results count.
const DEPTHS: [usize; 3] = [1, 5, 10];

/// Number of top declarations that count for the share of changed ones.
const SHARE_DEPTH: usize = 20;

/// Budgets of the answers in tokens.
const BUDGETS: [usize; 2] = [2_000, 8_000];

/// A commit as a question.
struct Question {
    commit: String,
    parent: String,
    message: String,
    /// Changed lines of each source file of the parent.
    changed: BTreeMap<String, Vec<LineRange>>,
}

/// Hits of a ranking at each depth, as 1 or 0: a changed file, and a changed declaration.
#[derive(Clone, Copy, Default)]
struct Recalls {
    files: [f64; DEPTHS.len()],
    declarations: [f64; DEPTHS.len()],
    /// Share of the changed declarations among the first [`SHARE_DEPTH`].
    share: f64,
}

/// Outcome of a question.
struct Row {
    commit: String,
    question: String,
    sscg: Recalls,
    bm25: Recalls,
    /// Share of the changed lines that the answer of each budget shows.
    lines: [f64; BUDGETS.len()],
}

pub(crate) fn run(args: Args) -> Result<()> {
    if rerun_optimized()? {
        return Ok(());
    }
    println!(
        "{:<28} {:>9} {:>20} {:>20} {:>20} {:>20} {:>11} {:>13}",
        "", "questions", "files @1 @5 @10", "BM25", "declarations", "BM25", "shares @20", "lines 2k 8k"
    );
    let asked = Asked {
        options: rank_options(&args.set)?,
        most: args.most,
        subject: args.subject,
        terms: args.terms.as_deref().map(read_json).transpose()?,
    };
    let (mut all, mut all_with_terms) = (Vec::new(), Vec::new());
    for repository in &args.repositories {
        let [rows, with_terms] = ask(repository, &asked)?;
        let name = named(repository).file_name().unwrap_or_default().to_string_lossy();
        print_both(&name, &rows, &with_terms);
        all.extend(rows);
        all_with_terms.extend(with_terms);
    }
    print_both("all", &all, &all_with_terms);
    if let Some(path) = args.list {
        let questions: BTreeMap<&str, &str> = all.iter().map(|row| (&*row.commit, &*row.question)).collect();
        fs::write(&path, serde_json::to_string_pretty(&questions)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Parameters for every repository.
struct Asked {
    options: RankOptions,
    most: usize,
    subject: bool,
    /// Caller's terms by commit.
    terms: Option<BTreeMap<String, Vec<String>>>,
}

fn print_both(name: &str, rows: &[Row], with_terms: &[Row]) {
    print(name, rows);
    if !with_terms.is_empty() {
        print(&format!("{name}, terms"), with_terms);
    }
}

fn print(name: &str, rows: &[Row]) {
    let mean = |number: &dyn Fn(&Row) -> f64| rows.iter().map(number).sum::<f64>() / rows.len().max(1) as f64;
    let depths = |of: fn(&Row) -> [f64; DEPTHS.len()]| {
        let means = (0..DEPTHS.len()).map(|at| format!("{:.2}", mean(&|row| of(row)[at])));
        means.collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> =
        (0..BUDGETS.len()).map(|at| format!("{:.2}", mean(&|row| row.lines[at]))).collect();
    println!(
        "{name:<28} {:>9} {:>20} {:>20} {:>20} {:>20} {:>11} {:>13}",
        rows.len(),
        depths(|row| row.sscg.files),
        depths(|row| row.bm25.files),
        depths(|row| row.sscg.declarations),
        depths(|row| row.bm25.declarations),
        format!("{:.3} {:.2}", mean(&|row| row.sscg.share), mean(&|row| row.bm25.share)),
        lines.join(" ")
    );
}

/// Runs the questions of a repository: alone, and with the caller's terms if given.
fn ask(repository: &Path, asked: &Asked) -> Result<[Vec<Row>; 2]> {
    let Asked { options, most, .. } = asked;
    let mut questions = questions(repository, asked.subject)?;
    if let Some(terms) = &asked.terms {
        questions.retain(|question| terms.contains_key(&question.commit));
    }
    ensure!(!questions.is_empty(), "no commit of {} is a question", repository.display());
    let directory = tempfile::tempdir()?;
    let mut tree = Tree { repository, root: directory.path().to_owned(), blobs: BTreeMap::new() };
    let storage = EngineOptions::stored_in(Storage::Ephemeral);
    let engine = Engine::open_with(&tree.root, storage.with_rank(options.clone()))?;
    // Take questions spread over the history, then those in between, until there are enough.
    let step = (questions.len() / *most).max(1);
    let spread = (0..step).flat_map(|first| (first..questions.len()).step_by(step));
    let (mut rows, mut with_terms) = (Vec::new(), Vec::new());
    for question in spread.map(|at| &questions[at]) {
        if rows.len() == *most {
            break;
        }
        tree.check_out(&question.parent).with_context(|| format!("the tree before {}", question.commit))?;
        rows.extend(row(&engine, question, &[], options)?);
        if let Some(terms) = asked.terms.as_ref().and_then(|terms| terms.get(&question.commit)) {
            with_terms.extend(row(&engine, question, terms, options)?);
        }
    }
    Ok([rows, with_terms])
}

/// A directory with the files of a commit; files shared by two commits are written once.
struct Tree<'r> {
    repository: &'r Path,
    root: PathBuf,
    /// Object of each file in the directory.
    blobs: BTreeMap<String, String>,
}

impl Tree<'_> {
    /// Updates the directory to another commit. Files whose objects the repository lacks are left out.
    fn check_out(&mut self, commit: &str) -> Result<()> {
        let mut command = git(self.repository);
        command.args(["ls-tree", "-r", "-z", "--format=%(objectmode) %(objectname) %(path)", commit]);
        let listed = output(&mut command)?;
        let mut blobs: BTreeMap<String, String> = BTreeMap::new();
        for entry in listed.split_terminator('\0') {
            let fields: Vec<&str> = entry.splitn(3, ' ').collect();
            let [mode, blob, path] = fields[..] else { continue };
            // Regular files only, no links and no submodules.
            if mode.starts_with("100") {
                blobs.insert(path.to_owned(), blob.to_owned());
            }
        }
        for path in self.blobs.keys().filter(|path| !blobs.contains_key(*path)) {
            let path = self.root.join(path);
            fs::remove_file(&path).or_else(ignore_missing)?;
            // Remove empty directories, since a file may take their place.
            let mut inner = path.ancestors().skip(1).take_while(|directory| *directory != self.root);
            let _ = inner.try_for_each(fs::remove_dir);
        }
        let is_new = |(path, blob): &(&String, &String)| self.blobs.get(*path) != Some(*blob);
        let new: Vec<(&String, &String)> = blobs.iter().filter(is_new).collect();
        self.write(&new)?;
        self.blobs = blobs;
        Ok(())
    }

    /// Writes files from their objects.
    fn write(&self, files: &[(&String, &String)]) -> Result<()> {
        let mut blobs = Blobs::open(self.repository)?;
        for (path, blob) in files {
            let target = self.root.join(path);
            let Some(text) = blobs.read(blob)? else {
                fs::remove_file(&target).or_else(ignore_missing)?;
                continue;
            };
            fs::create_dir_all(target.parent().unwrap_or(&self.root))?;
            fs::write(&target, text).with_context(|| format!("cannot write {path}"))?;
        }
        Ok(())
    }
}

fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Returns the commits that are questions, newest first; optionally with only the first line of their messages.
fn questions(repository: &Path, subject: bool) -> Result<Vec<Question>> {
    let newest = format!("-{NEWEST}");
    let mut command = git(repository);
    command.args(["log", "--no-merges", &newest, "--format=%H%x1f%P%x1f%an%x1f%B%x1e"]);
    let log = output(&mut command)?;
    let mut questions = Vec::new();
    for record in log.split('\x1e') {
        let fields: Vec<&str> = record.trim_start().splitn(4, '\x1f').collect();
        let [commit, parent, author, message] = fields[..] else { continue };
        let message = question_of(if subject { message.lines().next().unwrap_or_default() } else { message });
        let is_bot = author.to_lowercase().contains("bot");
        if is_bot || parent.contains(' ') || parent.is_empty() || query_terms(&message).len() < LEAST_TERMS {
            continue;
        }
        let mut command = git(repository);
        command.args(["diff", "-U0", "--no-renames", "--no-color", parent, commit]);
        // Skip commits with missing objects.
        let Ok(diff) = output(&mut command) else { continue };
        let changed = changed_lines(&diff);
        if !changed.is_empty() {
            let (commit, parent) = (commit.to_owned(), parent.to_owned());
            questions.push(Question { commit, parent, message, changed });
        }
    }
    Ok(questions)
}

/// Returns a commit message without trailers and issue numbers.
fn question_of(message: &str) -> String {
    let is_trailer =
        |line: &str| line.split_once(": ").is_some_and(|(key, _)| key.contains('-') && !key.contains(' '));
    let is_number = |word: &str| word.trim_matches(['(', ')', ',', '.']).starts_with('#');
    let lines = message
        .lines()
        .filter(|line| !is_trailer(line))
        .map(|line| line.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the lines of the old side that a diff without context changes, by source file that existed before; an
/// insertion changes the line before it.
fn changed_lines(diff: &str) -> BTreeMap<String, Vec<LineRange>> {
    let mut changed: BTreeMap<String, Vec<LineRange>> = BTreeMap::new();
    let mut file: Option<&str> = None;
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            file =
                path.strip_prefix("a/").filter(|path| FileType::of_path(path).is_some_and(FileType::is_code));
        } else if let (Some(file), Some([old, _])) = (file, hunk(line)) {
            changed.entry(file.to_owned()).or_default().push(old.lines());
        }
    }
    changed
}

/// Runs a question with the caller's terms. Returns `None` if the question changed no declaration of the tree, or more
/// than `MOST_FILES` files.
fn row(engine: &Engine, question: &Question, terms: &[String], options: &RankOptions) -> Result<Option<Row>> {
    let (snapshot, _) = engine.refresh()?;
    let project = &snapshot.project;
    let mut files = BTreeSet::new();
    let mut declarations = BTreeSet::new();
    for (path, ranges) in &question.changed {
        let Some(file) = project.file_at(path).filter(|file| !is_test_file(&snapshot, *file)) else {
            continue;
        };
        files.insert(file);
        let lines = ranges.iter().flat_map(|range| range.start..=range.end);
        let chunks = lines.filter_map(|line| chunk_at_line(project, file, line));
        declarations
            .extend(chunks.filter(|chunk| matches!(project.chunk_kind(*chunk), ChunkKind::Symbol(_))));
    }
    declarations.retain(|chunk| !is_test(&snapshot, *chunk));
    if declarations.is_empty() || files.len() > MOST_FILES {
        return Ok(None);
    }
    let found = |ranking: &[ChunkId]| {
        let mut seen: Vec<FileId> = Vec::new();
        let mut ranked: Vec<ChunkId> = Vec::new();
        for chunk in ranking {
            let file = project.chunk_file(*chunk);
            if !seen.contains(&file) {
                seen.push(file);
            }
            if !ranked.contains(chunk) {
                ranked.push(*chunk);
            }
        }
        let is = |condition: bool| if condition { 1.0 } else { 0.0 };
        Recalls {
            files: DEPTHS.map(|depth| is(seen.iter().take(depth).any(|file| files.contains(file)))),
            declarations: DEPTHS
                .map(|depth| is(ranked.iter().take(depth).any(|chunk| declarations.contains(chunk)))),
            share: ranked.iter().take(SHARE_DEPTH).filter(|chunk| declarations.contains(chunk)).count()
                as f64
                / declarations.len() as f64,
        }
    };
    let query = Query::parse(&question.message, Filters::default())?.with_terms(terms);
    let hits: Vec<Hit> = rank(&snapshot, &query, options);
    let ranking: Vec<ChunkId> = hits.iter().map(|hit| hit.chunk).collect();
    let mut lines = [0.0; BUDGETS.len()];
    for (share, budget) in lines.iter_mut().zip(BUDGETS) {
        let terms = terms.to_vec();
        let request = SearchRequest::new(&question.message).with_budget(budget).with_terms(terms);
        let answer = engine.search(&request)?.answer;
        let is_shown = |path: &str, line: u32| {
            let mut of_file = answer.snapshots.iter().filter(|code| code.file == path);
            of_file.any(|code| code.lines.iter().any(|shown| (shown.start..=shown.end).contains(&line)))
        };
        let changed: Vec<(&str, u32)> = (question.changed.iter())
            .flat_map(|(path, ranges)| {
                ranges.iter().flat_map(|range| range.start..=range.end).map(|line| (&**path, line))
            })
            .collect();
        let count = changed.iter().filter(|(path, line)| is_shown(path, *line)).count();
        *share = count as f64 / changed.len() as f64;
    }
    let (commit, message) = (question.commit.clone(), question.message.clone());
    let bm25 = found(&bm25(&snapshot, &message));
    Ok(Some(Row { commit, question: message, sscg: found(&ranking), bm25, lines }))
}

/// Ranks the declarations of a project by BM25 (k1 1.2, b 0.75) over the stems of their text, without tests, best
/// first.
fn bm25(snapshot: &Snapshot, question: &str) -> Vec<ChunkId> {
    let project = &snapshot.project;
    let words: Vec<&str> =
        question.split_whitespace().filter(|word| !is_stop_word(&word.to_lowercase())).collect();
    let terms: BTreeSet<String> = stems(&words.join(" ")).into_iter().collect();
    let mut declarations: Vec<(ChunkId, BTreeMap<String, usize>, usize)> = Vec::new();
    let mut frequency: BTreeMap<String, usize> = BTreeMap::new();
    for file in project.files().ids().filter(|file| !is_test_file(snapshot, *file)) {
        let Some(text) = snapshot.source(file) else { continue };
        let range = project.chunks_of(file);
        let chunks = (range.start.index()..range.end.index()).map(ChunkId::new);
        for chunk in chunks.filter(|chunk| {
            matches!(project.chunk_kind(*chunk), ChunkKind::Symbol(_)) && !is_test(snapshot, *chunk)
        }) {
            let stems = stems(project.chunk(chunk).span.text(&text));
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for stem in stems.iter().filter(|stem| terms.contains(*stem)) {
                *counts.entry(stem.clone()).or_default() += 1;
            }
            counts.keys().for_each(|term| *frequency.entry(term.clone()).or_default() += 1);
            declarations.push((chunk, counts, stems.len()));
        }
    }
    let all = declarations.len() as f64;
    let average = declarations.iter().map(|(.., length)| *length).sum::<usize>() as f64 / all.max(1.0);
    let score = |counts: &BTreeMap<String, usize>, length: usize| {
        let norm = 1.2 * (0.25 + 0.75 * length as f64 / average);
        let of_term = |(term, count): (&String, &usize)| {
            let known = frequency[term] as f64;
            let idf = (1.0 + (all - known + 0.5) / (known + 0.5)).ln();
            idf * *count as f64 * 2.2 / (*count as f64 + norm)
        };
        counts.iter().map(of_term).sum::<f64>()
    };
    let mut scored: Vec<(f64, ChunkId)> =
        declarations.iter().map(|(chunk, counts, length)| (score(counts, *length), *chunk)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().filter(|(score, _)| *score > 0.0).map(|(_, chunk)| chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_those_of_the_old_side() {
        let diff = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3,2 +3 @@ fn a() {\n-x\n-y\n+z\n\
                    @@ -9,0 +9,4 @@\n+new\n--- /dev/null\n+++ b/src/b.rs\n@@ -0,0 +1 @@\n+b\n--- a/README.md\n+++ b/README.md\n\
                    @@ -1 +1 @@\n-a\n+b\n";
        let changed = changed_lines(diff);
        let ranges: Vec<(u32, u32)> = changed["src/a.rs"].iter().map(|it| (it.start, it.end)).collect();
        assert_eq!((changed.len(), ranges), (1, vec![(3, 4), (9, 9)]));
    }

    #[test]
    fn a_question_has_no_trailers_and_no_numbers() {
        let message = "Keep sockets open (#123)\n\nThey were closed too early.\n\nSigned-off-by: A <a@b>\n";
        assert_eq!(question_of(message), "Keep sockets open\n\nThey were closed too early.");
    }
}
