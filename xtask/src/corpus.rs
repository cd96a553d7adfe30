//! `cargo xtask corpus`: the parser's rules on any corpus.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cargo_metadata::MetadataCommand;
use rayon::prelude::*;
use sscg_core::Corpus;
use sscg_parse::FileType;
use sscg_parse::check::{Rule, Violation, check};

use crate::workspace::{self, rerun_optimized, root};

/// Check the parser's rules on every source file of directories, including ignored files
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Directories (default: the code of the workspace and of some dependencies)
    paths: Vec<PathBuf>,
    /// Check documents instead of code
    #[arg(long, requires = "paths")]
    docs: bool,
    /// Maximum number of violations shown per rule
    #[arg(long, default_value_t = 10, requires = "paths")]
    examples: usize,
}

pub(crate) fn run(args: Args) -> Result<()> {
    if args.paths.is_empty() {
        return check_at_hand();
    }
    if rerun_optimized()? {
        return Ok(());
    }
    let corpus = if args.docs { Corpus::Documents } else { Corpus::Code };
    let files = args.paths.iter().map(|path| files_of(corpus, path)).collect::<Result<Vec<_>>>()?.concat();
    ensure!(!files.is_empty(), "no source files in these directories");
    Report::of(&files)?.conclude(args.examples)
}

/// Dependencies with much code of many kinds, whose sources every build has.
const DEPENDENCIES: &[&str] = &[
    "clap_builder",
    "hashbrown",
    "oxc_parser",
    "petgraph",
    "rayon",
    "regex-automata",
    "rustls",
    "serde_core",
    "syn",
    "tokio",
    "ureq",
];

/// Checks the parser's rules on code that is always at hand: that of the workspace and of some dependencies.
pub(crate) fn check_at_hand() -> Result<()> {
    let root = root()?;
    let own = workspace::files()?.into_iter().filter_map(|name| {
        let file_type = FileType::of_path(&name).filter(|file_type| file_type.is_code())?;
        Some(Source { path: root.join(name), file_type })
    });
    let mut files: Vec<Source> = own.collect();
    let packages = MetadataCommand::new().current_dir(root).exec()?.packages;
    for name in DEPENDENCIES {
        let package = packages.iter().find(|package| **package.name == **name);
        let package = package.with_context(|| format!("{name} is no dependency any more: replace it"))?;
        let dir = package.manifest_path.parent().context("a manifest is in a directory")?;
        files.extend(sources(dir.as_std_path())?);
    }
    Report::of(&files)?.conclude(10)
}

/// A source file and its type.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) file_type: FileType,
}

impl Source {
    /// Returns the text; bytes that are not UTF-8 are replaced.
    pub(crate) fn text(&self) -> Result<String> {
        let bytes = fs::read(&self.path).with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Returns every source file in a directory, in path order.
pub(crate) fn sources(dir: &Path) -> Result<Vec<Source>> {
    files_of(Corpus::Code, dir)
}

/// Returns every source file, or every document, in a directory, in path order.
pub(crate) fn files_of(corpus: Corpus, dir: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut rest = vec![dir.to_owned()];
    while let Some(dir) = rest.pop() {
        let entries = fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))?;
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                rest.push(path);
            } else if kind.is_file()
                && let Some(name) = path.to_str()
                && let Some(file_type) = FileType::of_path(name)
                && file_type.language.corpus == corpus
            {
                found.push(Source { path, file_type });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Counts for the files of one language, or of all.
#[derive(Clone, Default)]
pub(crate) struct Counts {
    pub(crate) files: usize,
    bytes: usize,
    lines: usize,
    pub(crate) symbols: usize,
    pub(crate) chunks: usize,
    references: usize,
    /// Files with diagnostics.
    faulty: usize,
    /// Maximum nesting depth of declarations.
    pub(crate) depth: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.symbols += other.symbols;
        self.chunks += other.chunks;
        self.references += other.references;
        self.faulty += other.faulty;
        self.depth = self.depth.max(other.depth);
    }
}

/// Outcome for a set of files.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) by_language: BTreeMap<&'static str, Counts>,
    /// Rule violations, except long chunks, which are in [`Report::long_chunks`].
    pub(crate) violations: Vec<(PathBuf, Violation)>,
    pub(crate) panics: Vec<PathBuf>,
    /// Chunks over the token limit, such as data tables: no rule splits a declaration.
    pub(crate) long_chunks: Vec<(PathBuf, Violation)>,
    /// Length of the longest embedding text in bytes, and its breadcrumb.
    pub(crate) longest: (usize, String),
}

impl Report {
    /// Checks files on all cores.
    pub(crate) fn of(files: &[Source]) -> Result<Report> {
        let reports = files.par_iter().map(Report::of_file).collect::<Result<Vec<_>>>()?;
        let mut all = Report::default();
        for report in reports {
            for (language, counts) in &report.by_language {
                all.by_language.entry(language).or_default().add(counts);
            }
            all.violations.extend(report.violations);
            all.panics.extend(report.panics);
            all.long_chunks.extend(report.long_chunks);
            if report.longest.0 > all.longest.0 {
                all.longest = report.longest;
            }
        }
        Ok(all)
    }

    fn of_file(source: &Source) -> Result<Report> {
        let text = source.text()?;
        let Source { path, file_type } = source;
        let language = file_type.language;
        let mut report = Report::default();
        let checked = panic::catch_unwind(AssertUnwindSafe(|| check(*file_type, &text)));
        let Ok((facts, violations)) = checked else {
            report.panics.push(path.clone());
            return Ok(report);
        };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        for row in facts.code_chunks(name, &text, language.stub) {
            if row.embedding_text.len() > report.longest.0 {
                report.longest = (row.embedding_text.len(), row.breadcrumb);
            }
        }
        let counts = Counts {
            files: 1,
            bytes: text.len(),
            lines: facts.lines as usize,
            symbols: facts.symbols.len(),
            chunks: facts.chunks.len(),
            references: facts.references.len(),
            faulty: usize::from(!facts.diagnostics.is_empty()),
            depth: facts.symbols.ids().map(|symbol| facts.depth(symbol)).max().unwrap_or(0),
        };
        report.by_language.insert(language.name, counts);
        for violation in violations {
            let kind = match violation.rule {
                Rule::TokenLimit => &mut report.long_chunks,
                _ => &mut report.violations,
            };
            kind.push((path.clone(), violation));
        }
        Ok(report)
    }

    /// Prints the counts and, for each rule, up to `examples` violations. Fails if there is one, or a panic.
    fn conclude(&self, examples: usize) -> Result<()> {
        self.print_counts();
        self.print_violations(examples);
        let broken = self.violations.len() + self.panics.len();
        ensure!(broken == 0, "{broken} rules broken");
        println!("no rule broken, no panic");
        Ok(())
    }

    /// Returns the counts of all languages together.
    pub(crate) fn total(&self) -> Counts {
        let mut total = Counts::default();
        for counts in self.by_language.values() {
            total.add(counts);
        }
        total
    }

    fn print_counts(&self) {
        println!(
            "{:<12} {:>8} {:>9} {:>10} {:>9} {:>9} {:>11} {:>7}",
            "language", "files", "MB", "lines", "symbols", "chunks", "references", "faulty"
        );
        let total = self.total();
        for (name, counts) in self.by_language.iter().map(|(name, it)| (*name, it)).chain([("all", &total)]) {
            println!(
                "{name:<12} {:>8} {:>9.1} {:>10} {:>9} {:>9} {:>11} {:>7}",
                counts.files,
                counts.bytes as f64 / 1e6,
                counts.lines,
                counts.symbols,
                counts.chunks,
                counts.references,
                counts.faulty
            );
        }
        println!("chunks over the token limit: {}", self.long_chunks.len());
    }

    /// Prints panics, and the violations of each rule with examples.
    pub(crate) fn print_violations(&self, examples: usize) {
        for path in &self.panics {
            println!("panic: {}", path.display());
        }
        for rule in Rule::ALL {
            let broken: Vec<_> = self.violations.iter().filter(|(_, it)| it.rule == rule).collect();
            if !broken.is_empty() {
                println!("{rule}: {}", broken.len());
            }
            for (path, Violation { line, message, .. }) in broken.into_iter().take(examples) {
                println!("    {}:{line}: {message}", path.display());
            }
        }
    }
}
