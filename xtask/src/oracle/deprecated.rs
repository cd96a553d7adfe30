//! Lists of callers against the compiler's.
//!
//! A function is marked as deprecated, and the compiler names every line that uses it. It says nothing of uses inside of what
//! is deprecated itself, so functions are marked in parts, one part at a time, and lines in a function of the same part
//! count for nobody. What the compiler does not see does not count either: files that no target has, implementations of
//! traits (a call names the trait's method), and tests, which their harness calls.
//!
//! A use stands where its name is written: of what the definition of a macro uses that is there, once, and not wherever the
//! macro is called. What attributes and macros of other packages write stands nowhere in the project; such lines are counted
//! apart. Lines of functions of which the compiler names no use at all are not judged: they may be of another platform or
//! feature.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use serde_json::Value;
use sscg::index::Snapshot;
use sscg::retrieve::chunk_at_line;
use sscg::{DeclarationUses, ListOptions, UsePlace, UsesOptions, uses};
use sscg_core::{ChunkId, ChunkKind, FileId, Id, LineIndex, ModuleSystem, SymbolId, SymbolKind};

use super::snapshot;
use crate::workspace::{cargo, root};

/// A line of a file.
type Line = (FileId, u32);

/// A name that stands in so many lines is one of which others have the same.
const COMMON_LINES: usize = 5;

/// Tokens of a list: the data are whole, whatever they are.
const LIST_TOKENS: usize = 1_000;

/// What the lists of some functions have of the lines that the compiler names.
#[derive(Default)]
struct Score {
    functions: usize,
    /// Lines of the compiler; of these known, and known or possible.
    lines: usize,
    known: usize,
    listed: usize,
    /// Known lines, and those that the compiler does not name.
    named: usize,
    wrong: usize,
    /// Lists that say that they are complete, and those that are.
    sure: usize,
    complete: usize,
    possible: usize,
}

/// Marks functions, asks the compiler for their uses, and prints how complete their lists are.
pub(super) fn run(dir: &Path, parts: u32, options: &[String], examples: usize) -> Result<()> {
    let index = tempfile::tempdir()?;
    let snapshot = snapshot(dir, index.path())?;
    let work = tempfile::tempdir()?;
    let marked = marked(&snapshot, dir, parts);
    let mut compiled: BTreeMap<SymbolId, BTreeSet<Line>> = BTreeMap::new();
    // The number of uses that macros write, that of known lines that nobody judges, and what declares the lines of all uses.
    let (mut unwritten, mut unjudged) = (0, 0);
    let mut reached: BTreeSet<ChunkId> = BTreeSet::new();
    let mut files: BTreeSet<FileId> = BTreeSet::new();
    for part in 0..parts {
        let tree = work.path().join("tree");
        copy(dir, &tree)?;
        let of_part: Vec<(SymbolId, u32)> = marked
            .iter()
            .filter(|(_, mark)| mark.part == part)
            .map(|(symbol, mark)| (*symbol, mark.line))
            .collect();
        write_marks(&snapshot, &of_part, &tree)?;
        let found = check(&snapshot, &tree, &work.path().join("target"), options, &mut files)?;
        println!("part {}: {} functions marked, {} uses", part + 1, of_part.len(), found.len());
        for Use { symbol, line, is_written } in found {
            reached.extend(chunk_at_line(&snapshot.project, line.0, line.1));
            if is_written {
                compiled.entry(symbol).or_default().insert(line);
            } else {
                unwritten += 1;
            }
        }
    }
    println!("{unwritten} more uses are written by macros of other packages and by attributes");
    let mut all = Score::default();
    let mut common = Score::default();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for (symbol, mut lines) in compiled {
        let part = marked[&symbol].part;
        let counts = |line: &Line| files.contains(&line.0) && is_seen(&snapshot, &marked, part, *line);
        lines.retain(counts);
        if lines.is_empty() {
            continue;
        }
        let list = list(&snapshot, symbol)?;
        let lines_of = |places: &[UsePlace]| -> BTreeSet<Line> {
            let of_place = |place: &UsePlace| {
                let file = snapshot.project.file_at(&place.file).expect("places are in the project");
                place.lines.iter().map(move |line| (file, *line)).collect::<Vec<_>>()
            };
            places.iter().flat_map(of_place).filter(counts).collect()
        };
        let (mut known, possible) = (lines_of(&list.places), lines_of(&list.possible));
        let is_common = known.len() + possible.len() + lines_of(&list.excluded).len() >= COMMON_LINES;
        let is_judged = |(file, line): &Line| {
            chunk_at_line(&snapshot.project, *file, *line).is_some_and(|chunk| reached.contains(&chunk))
        };
        let all_known = known.len();
        known.retain(|line| lines.contains(line) || is_judged(line));
        unjudged += all_known - known.len();
        for score in [Some(&mut all), is_common.then_some(&mut common)].into_iter().flatten() {
            score.add(&lines, &known, &possible);
        }
        let wrong = known.difference(&lines).map(|line| ("wrong", line));
        let missing = lines.difference(&known);
        let missing =
            missing.map(|line| (if possible.contains(line) { "possible" } else { "missing" }, line));
        for (what, (file, line)) in wrong.chain(missing) {
            let shown = shown.entry(what).or_default();
            if *shown < examples {
                *shown += 1;
                println!("  {what}: {} at {}:{line}", list.id, snapshot.project.files()[*file].path);
            }
        }
    }
    println!(
        "{unjudged} known lines are in functions of which the compiler names no use, and are not judged"
    );
    println!("{:<28} {}", "all", all.text());
    println!("{:<28} {}", format!("names of {COMMON_LINES} lines and more"), common.text());
    Ok(())
}

impl Score {
    fn add(&mut self, lines: &BTreeSet<Line>, known: &BTreeSet<Line>, possible: &BTreeSet<Line>) {
        self.functions += 1;
        self.lines += lines.len();
        self.known += lines.intersection(known).count();
        self.listed += lines.iter().filter(|line| known.contains(line) || possible.contains(line)).count();
        self.named += known.len();
        self.wrong += known.difference(lines).count();
        self.possible += possible.len();
        if possible.is_empty() {
            self.sure += 1;
            self.complete += usize::from(lines.is_subset(known));
        }
    }

    fn text(&self) -> String {
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        format!(
            "{} functions, {} lines: known {:.4}, or possible {:.4}; wrong {:.4}; {} lists called complete, {:.4} are; \
             {:.1} possible lines for each",
            self.functions,
            self.lines,
            share(self.known, self.lines),
            share(self.listed, self.lines),
            share(self.wrong, self.named),
            self.sure,
            share(self.complete, self.sure),
            share(self.possible, self.functions),
        )
    }
}

/// A use that the compiler names.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Use {
    symbol: SymbolId,
    line: Line,
    /// Whether the name of what is used stands there.
    is_written: bool,
}

/// Where a function is marked, and in which part.
struct Mark {
    part: u32,
    line: u32,
}

/// The functions that can be marked, each with the line of its `fn`.
fn marked(snapshot: &Snapshot, dir: &Path, parts: u32) -> BTreeMap<SymbolId, Mark> {
    let project = &snapshot.project;
    let mut marked = BTreeMap::new();
    for symbol in project.symbol_ids() {
        let (file, local) = project.local_symbol(symbol);
        let entry = &project.files()[file];
        let declared = &entry.facts.symbols[local];
        let around = declared.parent.map(|parent| &entry.facts.symbols[parent]);
        let is_of_trait =
            around.is_some_and(|it| it.kind == SymbolKind::Impl && it.signature.contains(" for "));
        let is_function =
            matches!(declared.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
                && entry.language.modules == ModuleSystem::RustCrates;
        if !is_function || is_of_trait || &*declared.name == "main" || !dir.join(&*entry.path).is_file() {
            continue;
        }
        let Some(source) = snapshot.source(file) else { continue };
        let text: Vec<&str> = source.lines().collect();
        let line = declared.name_line;
        // What is deprecated already cannot be marked again.
        let start = (declared.lines.start as usize - 1).min((line as usize).saturating_sub(8));
        let before = text.get(start..line as usize - 1).unwrap_or_default();
        let hinders = ["test]", "test(", "#[case", "#[deprecated"];
        let is_hindered = before.iter().any(|line| hinders.iter().any(|it| line.contains(it)));
        if !is_hindered && text.get(line as usize - 1).is_some_and(|line| begins_function(line)) {
            // Neighbours are in different parts.
            marked.insert(symbol, Mark { part: symbol.index() as u32 % parts, line });
        }
    }
    marked
}

/// Whether an attribute may stand at the start of a line, before a function.
fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_before = |word: &str| {
        word.starts_with("pub")
            || ["default", "const", "async", "unsafe", "extern", "\"C\"", "crate)"].contains(&word)
    };
    words.find(|word| !is_before(word)) == Some("fn")
}

/// Copies what a project does not ignore, such as what it was built to before.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in
        WalkBuilder::new(from).hidden(false).filter_entry(|entry| entry.file_name() != ".git").build()
    {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        match entry.file_type() {
            Some(kind) if kind.is_dir() => fs::create_dir_all(&target)?,
            Some(kind) if kind.is_file() => {
                fs::copy(entry.path(), &target)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Marks functions in a copy of the tree.
fn write_marks(snapshot: &Snapshot, functions: &[(SymbolId, u32)], tree: &Path) -> Result<()> {
    let mut by_file: BTreeMap<FileId, Vec<(SymbolId, u32)>> = BTreeMap::new();
    for (symbol, line) in functions {
        by_file.entry(snapshot.project.symbol_file(*symbol)).or_default().push((*symbol, *line));
    }
    for (file, functions) in by_file {
        let path = tree.join(&*snapshot.project.files()[file].path);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (symbol, line) in functions {
            let line = &mut lines[line as usize - 1];
            let indent = line.len() - line.trim_start().len();
            line.insert_str(indent, &format!("#[deprecated(note = \"sscg {}\")] ", symbol.index()));
        }
        fs::write(&path, lines.join("\n") + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Compiles the tree and returns the uses of marked functions; adds the files that were compiled.
fn check(
    snapshot: &Snapshot,
    tree: &Path,
    target: &Path,
    options: &[String],
    files: &mut BTreeSet<FileId>,
) -> Result<BTreeSet<Use>> {
    let mut command: Command = cargo(["check", "--message-format=json"])?;
    let usual = ["--workspace".to_owned(), "--all-targets".to_owned()];
    command.args(if options.is_empty() { &usual[..] } else { options });
    // A toolchain that the project asks for may not be installed.
    let manifest = tree.join("Cargo.toml");
    command.arg("--manifest-path").arg(&manifest).current_dir(root()?);
    command.env("CARGO_TARGET_DIR", target).env("RUSTFLAGS", "--cap-lints=warn");
    let output = command.output().context("cannot run cargo")?;
    let messages: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|mut message| message["message"].take())
        .collect();
    let errors = messages.iter().filter(|message| message["level"] == "error");
    let errors: Vec<&str> = errors.filter_map(|error| error["rendered"].as_str()).take(3).collect();
    ensure!(output.status.success(), "the marked tree does not compile:\n{}", errors.join("\n"));
    let project = &snapshot.project;
    let file_of = |path: &str| {
        let path = Path::new(path);
        let path = path.strip_prefix(tree).unwrap_or(path);
        project.file_at(&path.to_string_lossy())
    };
    let mut found = BTreeSet::new();
    for message in &messages {
        if message["code"]["code"] != "deprecated" {
            continue;
        }
        let text = message["message"].as_str().unwrap_or_default();
        let Some(symbol) = text.rsplit_once(": sscg ").and_then(|(_, number)| number.trim().parse().ok())
        else {
            continue;
        };
        let symbol = SymbolId::new(symbol);
        let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        for span in spans.iter().filter(|span| span["is_primary"] == true) {
            let place = |span: &Value| {
                let file = file_of(span["file_name"].as_str().unwrap_or_default())?;
                Some((file, span["line_start"].as_u64()? as u32))
            };
            let name = project.symbol_name(symbol);
            if let Some(line) = place(span).filter(|_| marked_text(span).is_some_and(|text| text == name)) {
                found.insert(Use { symbol, line, is_written: true });
                continue;
            }
            let mut caller = span;
            while caller["expansion"]["span"].is_object() {
                caller = &caller["expansion"]["span"];
            }
            found.extend(place(caller).map(|line| Use { symbol, line, is_written: false }));
        }
    }
    for list in fs::read_dir(target.join("debug/deps"))?.filter_map(Result::ok) {
        if list.path().extension().is_some_and(|end| end == "d") {
            let text = fs::read_to_string(list.path())?;
            let paths = text.lines().filter_map(|line| line.strip_suffix(':'));
            files.extend(paths.filter_map(file_of));
        }
    }
    Ok(found)
}

/// The text of a span, if it is on one line.
fn marked_text(span: &Value) -> Option<String> {
    let line = &span["text"][0];
    let (start, end) = (line["highlight_start"].as_u64()?, line["highlight_end"].as_u64()?);
    let text = line["text"].as_str()?.chars().skip(start as usize - 1);
    Some(text.take((end - start) as usize).collect())
}

/// Whether a use on a line is told by the compiler: not inside of a function of the same part, and no import.
fn is_seen(snapshot: &Snapshot, marked: &BTreeMap<SymbolId, Mark>, part: u32, (file, line): Line) -> bool {
    let project = &snapshot.project;
    let Some(chunk) = chunk_at_line(project, file, line) else { return true };
    if matches!(project.chunk_kind(chunk), ChunkKind::Import | ChunkKind::ReExport) {
        return false;
    }
    let source = snapshot.source(file).unwrap_or_default();
    let text = LineIndex::new(&source).line_span(line).text(&source).trim_start().to_owned();
    let is_import = text.split_whitespace().find(|word| !word.starts_with("pub")) == Some("use");
    let around = project.symbol_of_chunk(chunk);
    let mut around = around.into_iter().flat_map(|symbol| project.self_and_ancestors(symbol));
    !is_import && !around.any(|symbol| marked.get(&symbol).is_some_and(|mark| mark.part == part))
}

/// The list of a function's uses. Several functions may have its key.
fn list(snapshot: &Snapshot, symbol: SymbolId) -> Result<DeclarationUses> {
    let project = &snapshot.project;
    let list = ListOptions { budget: LIST_TOKENS, ..ListOptions::default() };
    let options = UsesOptions { list, ..UsesOptions::default() };
    let (found, _) = uses(snapshot, &[project.symbol_key(symbol)], &options)?;
    let start = project.symbol(symbol).lines.start;
    found.into_iter().find(|of| of.lines.start == start).context("a function has a list of its uses")
}
