//! `cargo xtask pasted`: retrieval of text copied from a program or its output.
//!
//! Questions come from the sources alone: messages with their placeholders filled in; the same within a sentence or a
//! log line; lines of code; quoted names; and names of declarations in a question for them. Each occurs in exactly one
//! line, or is declared in one, so that its location is known without a label. Messages of another package that share
//! no three consecutive words with this one are questions too: their answers must report that they occur nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use regex::Regex;
use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_format::Answer;

use crate::eval::{expected, packages};
use crate::workspace::{rerun_optimized, root};

/// Query texts copied from sources, and check that their lines are found
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Source directories (default: the bundled packages)
    projects: Vec<PathBuf>,
    /// Maximum number of questions of each kind and project
    #[arg(long, default_value_t = MOST)]
    most: usize,
    /// Maximum number of tokens of an answer
    #[arg(long, default_value_t = BUDGET)]
    budget: usize,
    /// Print each question that fails
    #[arg(long)]
    show: bool,
    /// Compare the scores of the bundled packages with `expected.csv`, and fail if a mean has dropped or any differs
    #[arg(long, conflicts_with_all = ["projects", "most", "budget"])]
    check: bool,
    /// Write `expected.csv` instead, for review in `git diff`
    #[arg(long, conflicts_with_all = ["projects", "most", "budget", "check"])]
    bless: bool,
}

const MOST: usize = 8;
const BUDGET: usize = 1_000;

/// Directory that lists the bundled packages, below the root.
const PACKAGES: &str = "fixtures/spans";

/// Scores of the bundled packages, below the root.
const EXPECTED: &str = "fixtures/pasted/expected.csv";

/// Extensions of the files that questions come from.
const SOURCES: [&str; 10] = ["rs", "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java"];

/// Parts of paths without questions: tests and the like repeat the product's texts, and built files are copies.
const PASSED_OVER: [&str; 9] =
    ["test", "bench", "example", "build/", "dist/", "docs/", "fixture", "vendor", ".min."];

/// Values for the placeholders of messages, in turn.
const VALUES: [&str; 3] = ["users", "42", "/srv/data.json"];

/// Sentences and log lines with a message in place of `{}`, in turn.
const SENTENCES: [&str; 4] = [
    "Why do I get \"{}\"?",
    "2026-11-02T10:14:07Z ERROR worker-3 {}",
    "Error: {} -- since I upgraded, what decides this and how do I avoid it?",
    "now and then `{}` is in our logs, where does it come from",
];

/// Questions for a declaration with its name in place of `{}`, in turn.
const FOR_NAMES: [&str; 3] =
    ["where is {} defined?", "what does {} do", "show me the implementation of `{}`"];

/// Minimum length in bytes of the longest part of a message between placeholders.
const LEAST_MESSAGE: usize = 20;

/// Minimum and maximum length of a line of code in bytes.
const CODE: [usize; 2] = [25, 120];

/// A string in double, single or back quotes, on one line.
static STRING: LazyLock<Regex> =
    LazyLock::new(|| regex(r#""((?:[^"\\]|\\.)+)"|'((?:[^'\\]|\\.)+)'|`((?:[^`\\]|\\.)+)`"#));

/// A placeholder of Rust, Python, JavaScript, Go or Java.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| regex(r"\$?\{[^{}]*\}|%[sdrvq]"));

/// A name, key, flag, header or route.
static LITERAL: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\w@/.:#-]*[A-Za-z]{3}[\w@/.:#-]*$"));

/// A line that declares a function, method or type of Rust, Python, TypeScript, JavaScript, Go or Java.
static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:pub(?:\([^)]*\))?|export|default|declare|abstract|async|unsafe|const|public|static|final) )*(?:fn|def|class|struct|trait|enum|interface|function|type|func|record) (\w{5,})",
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("well-formed")
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Message,
    Sentence,
    Code,
    Literal,
    /// Name of a declaration, in a question for it.
    Named,
    /// Message of another package.
    Nowhere,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Message => "message",
            Self::Sentence => "sentence",
            Self::Code => "code",
            Self::Literal => "literal",
            Self::Named => "named",
            Self::Nowhere => "nowhere",
        })
    }
}

/// A text, and the only line that contains it.
#[derive(Clone)]
struct Question {
    text: String,
    path: String,
    /// 1-based line number.
    line: u32,
    /// The line itself, without surrounding white space.
    code: String,
}

/// Counts of the answers to a kind of question.
#[derive(Default)]
struct Score {
    /// Answers with the line in the first result; for texts that occur nowhere, answers that report it.
    first: usize,
    /// Answers that print the line; for texts that occur nowhere, answers that report it or are marked weak.
    shown: usize,
    /// Answers marked weak.
    weak: usize,
    asked: usize,
}

/// Scores by project and kind.
type Scores = BTreeMap<(String, Kind), Score>;

pub(crate) fn run(args: Args) -> Result<()> {
    // Results are the same in every build.
    let only_scores = args.check || args.bless;
    if !only_scores && rerun_optimized()? {
        return Ok(());
    }
    let projects = if args.projects.is_empty() { bundled()? } else { args.projects.clone() };
    let scores = measure(&projects, &args)?;
    if only_scores {
        return compare(&scores, args.bless);
    }
    println!(
        "{:<16} {:<8} {:>6} {:>6} {:>6} {:>9}",
        "project", "kind", "first", "shown", "weak", "questions"
    );
    let mut all: BTreeMap<Kind, Score> = BTreeMap::new();
    for ((project, kind), score) in &scores {
        score.print(project, *kind);
        all.entry(*kind).or_default().add(score);
    }
    all.iter().for_each(|(kind, score)| score.print("all", *kind));
    Ok(())
}

/// Compares the scores of the bundled packages with the committed scores.
pub(crate) fn check_bundled() -> Result<()> {
    run(Args { projects: Vec::new(), most: MOST, budget: BUDGET, show: false, check: true, bless: false })
}

fn bundled() -> Result<Vec<PathBuf>> {
    let folder = root()?.join(PACKAGES);
    let packages = packages::fetched(&folder)?;
    let names = packages::names(&folder)?.into_iter();
    Ok(names.map(|name| packages.join(name)).filter(|project| project.is_dir()).collect())
}

fn compare(scores: &Scores, is_bless: bool) -> Result<()> {
    let file = root()?.join(EXPECTED);
    let share = |count: usize, score: &Score| count as f64 / score.asked as f64;
    let scores: expected::Scores = scores
        .iter()
        .map(|((project, kind), score)| {
            (format!("{project},{kind}"), [share(score.first, score), share(score.shown, score)])
        })
        .collect();
    let names = packages::names(&root()?.join(PACKAGES))?;
    let is_asked = |name: &String| scores.keys().any(|key| key.starts_with(&format!("{name},")));
    let absent: Vec<String> = names.into_iter().filter(|name| !is_asked(name)).collect();
    if is_bless {
        ensure!(absent.is_empty(), "not here, and their scores would be lost: {}", absent.join(", "));
        expected::bless(&file, "first,shown", &scores)
    } else {
        expected::check(&file, &scores, &absent)
    }
}

fn measure(projects: &[PathBuf], args: &Args) -> Result<Scores> {
    let name = |project: &PathBuf| project.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let sources: Vec<Sources> = projects.iter().map(Sources::read).collect::<Result<_>>()?;
    let mut scores = Scores::new();
    for (at, (project, here)) in projects.iter().zip(&sources).enumerate() {
        let messages = here.messages(args.most);
        let sentences = messages.iter().zip(SENTENCES.iter().cycle()).map(|(question, sentence)| Question {
            text: sentence.replace("{}", &question.text),
            ..question.clone()
        });
        let other = &sources[(at + 1) % sources.len()];
        let mut nowhere = other.messages(args.most);
        nowhere.retain(|question| !here.has_words_of(&question.text));
        let kinds = [
            (Kind::Sentence, sentences.collect()),
            (Kind::Message, messages),
            (Kind::Code, here.code(args.most)),
            (Kind::Literal, here.literals(args.most)),
            (Kind::Named, here.named(args.most)),
            (Kind::Nowhere, nowhere),
        ];
        let engine = Engine::open_with(project, EngineOptions::stored_in(Storage::Ephemeral))?;
        for (kind, questions) in kinds {
            for question in &questions {
                let request = SearchRequest::new(&question.text).with_budget(args.budget);
                let answer = engine.search(&request).with_context(|| question.text.clone())?.answer;
                let score = scores.entry((name(project), kind)).or_default();
                let is_right = score.count(kind, question, &answer);
                if args.show && !is_right {
                    println!(
                        "{} {kind} {}:{} {:?}",
                        name(project),
                        question.path,
                        question.line,
                        question.text
                    );
                }
            }
        }
    }
    ensure!(!scores.is_empty(), "no source to take questions from");
    Ok(scores)
}

/// Returns at most `most` items that are `right`, from all parts of the list, since each query takes long.
fn spread<T>(all: &[T], most: usize, right: impl Fn(&T) -> bool) -> Vec<&T> {
    let parts = all.chunks(all.len().div_ceil(most.max(1)).max(1));
    parts.filter_map(|part| part.iter().find(|it| right(it))).collect()
}

impl Score {
    /// Counts an answer, and returns true if it is right.
    fn count(&mut self, kind: Kind, question: &Question, answer: &Answer) -> bool {
        let [first, shown] = if kind == Kind::Nowhere {
            let is_said = answer.warnings.iter().any(|warning| warning.contains("stands nowhere"));
            [is_said, is_said || answer.weak]
        } else {
            let is_first = answer.results.first().is_some_and(|first| {
                first.file == question.path && (first.lines.start..=first.lines.end).contains(&question.line)
            });
            [is_first, answer.snapshots.iter().any(|snapshot| snapshot.text.contains(&question.code))]
        };
        self.asked += 1;
        self.first += usize::from(first);
        self.shown += usize::from(shown);
        self.weak += usize::from(answer.weak);
        first && shown
    }

    fn add(&mut self, other: &Self) {
        self.first += other.first;
        self.shown += other.shown;
        self.weak += other.weak;
        self.asked += other.asked;
    }

    fn print(&self, project: &str, kind: Kind) {
        let [first, shown, weak] =
            [self.first, self.shown, self.weak].map(|count| count as f64 / self.asked as f64);
        println!("{project:<16} {kind:<8} {first:>6.3} {shown:>6.3} {weak:>6.3} {:>9}", self.asked);
    }
}

/// A line of a file, without surrounding white space.
#[derive(Clone, Copy)]
struct Line<'s> {
    path: &'s str,
    /// 1-based line number.
    number: u32,
    text: &'s str,
}

impl Line<'_> {
    fn question(&self, text: String) -> Question {
        Question { text, path: self.path.to_owned(), line: self.number, code: self.text.to_owned() }
    }
}

/// Lines of a project's files.
struct Sources {
    files: BTreeMap<String, Vec<String>>,
    /// All runs of three words.
    runs: BTreeSet<String>,
}

impl Sources {
    fn read(project: &PathBuf) -> Result<Self> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in WalkBuilder::new(project).sort_by_file_path(Ord::cmp).build() {
            let entry = entry?;
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            let path = entry.path().strip_prefix(project)?.to_string_lossy().into_owned();
            files.insert(path, text.lines().map(|line| line.trim().to_owned()).collect());
        }
        let runs = files.values().flatten().map(String::as_str).flat_map(runs).collect();
        Ok(Self { files, runs })
    }

    /// Returns the lines that questions come from: no tests, including those at the end of Rust files.
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let is_asked = |path: &str| {
            let path = path.to_lowercase();
            path.rsplit_once('.').is_some_and(|(_, end)| SOURCES.contains(&end))
                && !PASSED_OVER.iter().any(|part| path.contains(part))
        };
        let files = self.files.iter().filter(move |(path, _)| is_asked(path));
        files.flat_map(|(path, lines)| {
            let product = lines.iter().take_while(|line| !line.starts_with("#[cfg(test)]"));
            (1..).zip(product).map(move |(number, text)| Line { path, number, text })
        })
    }

    /// True if exactly one line contains a text, apart from built files.
    fn is_unique(&self, text: &str) -> bool {
        let is_built = |path: &str| ["build/", "dist/"].iter().any(|part| path.contains(part));
        let files = self.files.iter().filter(|(path, _)| !is_built(path));
        files.flat_map(|(_, lines)| lines).filter(|line| line.contains(text)).take(2).count() == 1
    }

    /// Returns messages of several words, with their placeholders filled in.
    fn messages(&self, most: usize) -> Vec<Question> {
        let fixed = |text| PLACEHOLDER.split(text).max_by_key(|part| part.len()).unwrap_or_default().trim();
        let is_message = |text| {
            let fixed: &str = fixed(text);
            let letters = fixed.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
            fixed.len() >= LEAST_MESSAGE
                && fixed.split_whitespace().count() >= 4
                && letters * 10 >= fixed.len() * 9
                && !text.contains('\\')
        };
        let strings: Vec<_> = self.strings().filter(|(text, _)| is_message(text)).collect();
        let picked = spread(&strings, most, |(text, _)| self.is_unique(fixed(text)));
        let mut values = VALUES.iter().cycle();
        let mut filled = |text| {
            PLACEHOLDER
                .replace_all(text, |_: &regex::Captures<'_>| *values.next().unwrap_or(&""))
                .into_owned()
        };
        picked.into_iter().map(|(text, line)| line.question(filled(text))).collect()
    }

    /// Returns quoted names, keys, flags, headers and routes, without module paths, which name files.
    fn literals(&self, most: usize) -> Vec<Question> {
        let is_literal = |text: &str| {
            text.len() >= 6
                && LITERAL.is_match(text)
                && !text.starts_with(['.'])
                && !text.starts_with("node:")
        };
        let strings: Vec<_> = self.strings().filter(|(text, _)| is_literal(text)).collect();
        let picked = spread(&strings, most, |(text, _)| self.is_unique(text));
        picked.into_iter().map(|(text, line)| line.question((*text).to_owned())).collect()
    }

    /// Returns lines of code that are not comments, including imports.
    fn code(&self, most: usize) -> Vec<Question> {
        let is_code = |text: &str| {
            (CODE[0]..=CODE[1]).contains(&text.len())
                && text.contains(['=', '(', '{'])
                && !text.starts_with(['/', '#', '*', '"', '\''])
        };
        let lines: Vec<_> = self.lines().filter(|line| is_code(line.text)).collect();
        let picked = spread(&lines, most, |line| self.is_unique(line.text));
        picked.into_iter().map(|line| line.question(line.text.to_owned())).collect()
    }

    /// Returns the names of declarations that no other declaration has, in questions for them.
    fn named(&self, most: usize) -> Vec<Question> {
        fn name(line: &str) -> Option<&str> {
            Some(DECLARATION.captures(line)?.get(1)?.as_str())
        }
        let declared: Vec<&str> = self.files.values().flatten().filter_map(|line| name(line)).collect();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        declared.into_iter().for_each(|name| *count.entry(name).or_default() += 1);
        let lines: Vec<_> = self.lines().filter_map(|line| Some((name(line.text)?, line))).collect();
        let picked = spread(&lines, most, |(name, _)| count[name] == 1);
        let questions = picked.into_iter().zip(FOR_NAMES.iter().cycle());
        questions.map(|((name, line), form)| line.question(form.replace("{}", name))).collect()
    }

    /// Returns the strings of lines that are not comments.
    fn strings(&self) -> impl Iterator<Item = (&str, Line<'_>)> {
        let is_code =
            |line: &Line<'_>| !line.text.starts_with(['/', '#', '*']) && !line.text.contains("\"\"\"");
        self.lines().filter(is_code).flat_map(|line| {
            let strings =
                STRING.captures_iter(line.text).filter_map(|found| (1..=3).find_map(|at| found.get(at)));
            strings.map(move |text| (text.as_str(), line))
        })
    }

    /// True if three consecutive words of a text occur here.
    fn has_words_of(&self, text: &str) -> bool {
        runs(text).any(|run| self.runs.contains(&run))
    }
}

/// Returns each run of three words of a text, in lower case.
fn runs(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = (text.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let runs: Vec<String> = words.windows(3).map(|run| run.join(" ")).collect();
    runs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_texts_of_one_line_with_placeholders_filled_in() {
        let text = "def close(name):\n    raise ValueError(f\"cannot close the pool of {name!r} twice\")\n\
                    KEY = \"pool.close-timeout\"\n# \"a comment with several words in quotes\"\n";
        let files =
            BTreeMap::from([("a.py".to_owned(), text.lines().map(|line| line.trim().to_owned()).collect())]);
        let sources = Sources { runs: text.lines().flat_map(runs).collect(), files };
        let texts = |questions: Vec<Question>| -> Vec<(u32, String)> {
            questions.into_iter().map(|question| (question.line, question.text)).collect()
        };
        assert_eq!(texts(sources.messages(8)), [(2, "cannot close the pool of users twice".to_owned())]);
        assert_eq!(texts(sources.literals(8)), [(3, "pool.close-timeout".to_owned())]);
        assert_eq!(texts(sources.code(8)).len(), 2);
        assert_eq!(texts(sources.named(8)), [(1, "where is close defined?".to_owned())]);
        assert!(
            sources.has_words_of("Cannot close the door") && !sources.has_words_of("nothing is open here")
        );
    }

    #[test]
    fn a_few_are_taken_from_all_parts() {
        let all: Vec<usize> = (0..20).collect();
        assert_eq!(spread(&all, 4, |_| true), [&0, &5, &10, &15]);
        assert_eq!(spread(&all, 4, |it| it % 4 == 3), [&3, &7, &11, &15]);
        assert_eq!(spread(&all[..3], 8, |_| true).len(), 3);
        assert!(spread(&all[..0], 8, |_| true).is_empty());
    }
}
