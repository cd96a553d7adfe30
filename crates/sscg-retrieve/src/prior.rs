//! Priors of files and chunks.

use std::sync::LazyLock;

use derive_setters::Setters;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sscg_core::{
    ChunkId, ChunkKind, Corpus, FileId, FileRole, Id, Modifiers, ModuleSystem, Project, ProjectFile, SymbolId,
};
use sscg_index::Snapshot;

use crate::pattern::pattern;

/// Factors on the scores of files and chunks that are seldom relevant; 1 is no change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct Priors {
    /// Test files, unless the question asks for tests.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub test: f64,
    /// Example files, unless the question asks for them.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub example: f64,
    /// Benchmark files, unless the question asks for them.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bench: f64,
    /// Vendored code, build output, and code that a newer version beside it replaces.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub vendored: f64,
    /// Minified code: files with more than 50 words per line on average.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub minified: f64,
    /// Type declaration files (`.d.ts`, `.d.mts`, `.d.cts`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub declarations: f64,
    /// Configuration and data documents.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub data: f64,
    /// Documents among the code of a part of the project, not at its root or in its documentation.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub part: f64,
    /// Changelogs, unless the question asks for changes.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub changelog: f64,
    /// Files that mostly re-export declarations (`__init__.py`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub package: f64,
    /// Chunks of top-level expressions.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub expression: f64,
    /// Chunks of bare comments.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub comment: f64,
    /// Import and re-export chunks, and short chunks that only forward a name (type aliases, `export default`), unless
    /// the question has that name.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub import: f64,
    /// Spans without any of the caller's terms, if the project has one of them.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub unguessed: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self {
            test: 0.2,
            example: 0.4,
            bench: 0.5,
            vendored: 0.6,
            minified: 0.1,
            declarations: 0.7,
            data: 0.8,
            part: 0.85,
            changelog: 0.5,
            package: 0.7,
            expression: 0.85,
            comment: 0.5,
            import: 0.3,
            unguessed: 0.8,
        }
    }
}

impl Priors {
    /// Returns the factor on a file's score.
    pub(crate) fn of_file(
        &self,
        project: &Project,
        file: FileId,
        wanted: Wanted,
        minified: &MinifiedFiles,
    ) -> f64 {
        let is_minified = minified.has(file);
        let file = &project.files()[file];
        let path = &*file.path;
        if file.language.corpus == Corpus::Documents {
            return self.of_document(project, file, wanted);
        }
        let role = match project.role(path) {
            FileRole::Source => 1.0,
            FileRole::Test if wanted.tests => 1.0,
            FileRole::Example | FileRole::Documentation | FileRole::Benchmark if wanted.examples => 1.0,
            FileRole::Test => self.test,
            FileRole::Example | FileRole::Documentation => self.example,
            FileRole::Benchmark => self.bench,
            FileRole::Vendored | FileRole::Replaced | FileRole::Generated => self.vendored,
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let kind = match name {
            "__init__.py" => self.package,
            name if TYPE_DECLARATIONS.iter().any(|end| name.ends_with(end)) => self.declarations,
            _ => 1.0,
        };
        role * kind * if is_minified { self.minified } else { 1.0 }
    }

    /// Returns the factor on a document's score. Examples have no penalty, since documents exist to show them; nor have
    /// documents in a directory `testing`, which explain how to test.
    fn of_document(&self, project: &Project, file: &ProjectFile, wanted: Wanted) -> f64 {
        let path = &*file.path;
        let directories = || path.rsplit('/').skip(1);
        let is_changelog = path.split('/').any(|name| {
            let stem = name.split('.').next().unwrap_or(name);
            CHANGELOGS.contains(&&*stem.to_lowercase())
        });
        let is_copy =
            matches!(project.role(path), FileRole::Vendored | FileRole::Replaced | FileRole::Generated);
        let is_of_test =
            |name: &str| name != "testing" && FileRole::of_directory(name) == Some(FileRole::Test);
        let is_part = directories().next().is_some() && !directories().any(|name| MANUALS.contains(&name));
        let factors = [
            (self.data, file.language.is_data),
            (self.part, is_part),
            (self.changelog, is_changelog && !wanted.changes),
            (self.test, !wanted.tests && directories().any(is_of_test)),
            (self.vendored, is_copy),
        ];
        factors.iter().filter(|(_, applies)| *applies).map(|(factor, _)| factor).product()
    }

    /// Returns the factor on the score of a chunk of this kind relative to the best chunk of its file.
    pub(crate) fn of_chunk(&self, kind: ChunkKind) -> f64 {
        match kind {
            ChunkKind::Symbol(_) => 1.0,
            ChunkKind::Expression => self.expression,
            ChunkKind::Comment => self.comment,
            ChunkKind::Import | ChunkKind::ReExport => self.import,
        }
    }
}

/// Set of files that declare tests; cached with the snapshot.
#[derive(Debug)]
pub(crate) struct TestFiles(Vec<bool>);

impl TestFiles {
    /// Builds the set. O(symbols).
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let has_tests = |file: &ProjectFile| {
            let mut symbols = file.facts.outline().symbols().iter();
            symbols.any(|symbol| symbol.modifiers.contains(Modifiers::TEST))
        };
        Self(snapshot.project.files().iter().map(has_tests).collect())
    }

    /// True if a chunk is code that is compiled or run only for tests, in whatever file.
    pub(crate) fn has(&self, project: &Project, chunk: ChunkId) -> bool {
        let is_test = |symbol| project.symbol_modifiers(symbol).contains(Modifiers::TEST);
        self.0[project.chunk_file(chunk).index()]
            && project
                .symbol_of_chunk(chunk)
                .is_some_and(|symbol| project.self_and_ancestors(symbol).any(is_test))
    }
}

/// Set of minified files; cached with the snapshot.
#[derive(Debug)]
pub(crate) struct MinifiedFiles(Vec<bool>);

/// Mean number of terms per ten lines above which a file counts as minified. Handwritten code has about 60.
const MINIFIED_TERMS: usize = 500;

impl MinifiedFiles {
    /// Builds the set. O(blocks).
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let is_minified = |file: FileId| {
            let blocks = snapshot.lexical().blocks(file);
            let most = MINIFIED_TERMS * blocks.len();
            blocks.map(|block| usize::from(block.terms)).sum::<usize>() > most
        };
        Self(snapshot.project.files().ids().map(is_minified).collect())
    }

    /// True if the file is minified.
    pub(crate) fn has(&self, file: FileId) -> bool {
        self.0[file.index()]
    }
}

/// Role of code in its project, most relevant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Standing {
    /// The project's own code.
    Product,
    /// Examples, benchmarks, vendored copies and build output.
    Beside,
    /// Test code, by the path of its file or because it is compiled or run only for tests.
    Test,
}

/// Endings of the names of files that declare the types of code in other files.
const TYPE_DECLARATIONS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];

/// Ending of the names of Python's files of this kind.
const STUBS: &str = ".pyi";

/// Returns true if a symbol only declares what another file implements: in a type declaration file (`.d.ts`, `.pyi`), or
/// as a function without a body where files include each other. O(length of the path).
pub fn only_declares(project: &Project, symbol: SymbolId) -> bool {
    let file = &project.files()[project.symbol_file(symbol)];
    TYPE_DECLARATIONS.iter().chain(&[STUBS]).any(|end| file.path.ends_with(end))
        || file.language.modules == ModuleSystem::Includes
            && project.symbol_kind(symbol).is_callable()
            && project.symbol(symbol).body.is_none()
}

/// Returns the role of a chunk, by the path of its file and by whether it is compiled or run only for tests.
pub fn standing(snapshot: &Snapshot, chunk: ChunkId) -> Standing {
    let project = &snapshot.project;
    let of_file = standing_of_file(snapshot, project.chunk_file(chunk));
    if snapshot.derived(TestFiles::new).has(project, chunk) { Standing::Test } else { of_file }
}

/// Returns the role of a file, by its path.
pub fn standing_of_file(snapshot: &Snapshot, file: FileId) -> Standing {
    let project = &snapshot.project;
    match project.role(&project.files()[file].path) {
        FileRole::Source => Standing::Product,
        FileRole::Test => Standing::Test,
        _ => Standing::Beside,
    }
}

/// True if a chunk is the project's own code.
pub fn is_product(snapshot: &Snapshot, chunk: ChunkId) -> bool {
    standing(snapshot, chunk) == Standing::Product
}

/// True if a path belongs to the project's own code: not to tests, examples, benchmarks or vendored copies.
pub fn is_own_path(project: &Project, path: &str) -> bool {
    project.role(path) == FileRole::Source
}

/// True if a chunk is test code.
pub fn is_test(snapshot: &Snapshot, chunk: ChunkId) -> bool {
    standing(snapshot, chunk) == Standing::Test
}

/// True if a file is a test file, by its path.
pub fn is_test_file(snapshot: &Snapshot, file: FileId) -> bool {
    standing_of_file(snapshot, file) == Standing::Test
}

/// Material that a question asks for beyond the code itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) tests: bool,
    pub(crate) examples: bool,
    pub(crate) changes: bool,
}

/// Patterns of questions that ask for tests. A mere mention does not: "with the test clock frozen" asks for the clock.
static ASKS_FOR_TESTS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix-u)
        \b (?: unit | integration | regression | snapshot | e2e ) [\s-] tests? \b
        | \b tests \s+ (?: for | of | that | which | cover\w* | check\w* | exercis\w* | verif\w* ) \b
        | \b test \s+ (?: for | that | which | cases? | coverage | helpers? | fixtures? | utilities ) \b
        | \b (?: which | what | where | find | show | list | add | write | fix | update ) \s+ (?: \w+ \s+ ){0,3} tests \b
        | \b (?: add | write | fix | update | is \s there | which ) \s+ (?: \w+ \s+ ){0,2} test \s* (?: $ | [.,;:?!] )
        | \b (?: is | are | be | get | gets ) \s+ (?: \w+ \s+ ){0,3} tested \b
        | \b how \s+ (?: do | does | can | to | should ) \s+ (?: \w+ \s+ ){0,2} test \b
        ",
    )
});

/// Maximum number of words of a question that is about each of them.
const FEW_WORDS: usize = 4;

impl Wanted {
    /// Detects the wanted material in the question's words.
    pub(crate) fn new(question: &str) -> Self {
        let mut wanted = Self { tests: ASKS_FOR_TESTS.is_match(question), ..Self::default() };
        let words = question.split_whitespace().count();
        let is_short = words <= FEW_WORDS;
        let last = question.split(|c: char| !c.is_alphanumeric()).rfind(|word| !word.is_empty());
        // `example.com` is an address, and "for example" asks for nothing.
        for word in question.split_whitespace().flat_map(|token| {
            if token.contains("example.") { "" } else { token }.split(|c: char| !c.is_alphanumeric())
        }) {
            match word.to_lowercase().as_str() {
                "tests" | "tested" | "testing" | "fixtures" | "mocks" => wanted.tests |= is_short,
                // "test client cookies" is about the client.
                "test" | "fixture" | "mock" => wanted.tests |= words <= 2 || is_short && last == Some(word),
                "example" | "demo" => wanted.examples |= is_short,
                "examples" | "demos" | "bench" | "benches" | "benchmark" | "benchmarks" => {
                    wanted.examples = true;
                }
                "change" | "changed" | "changelog" | "changes" | "release" | "released" | "releases" => {
                    wanted.changes = true;
                }
                _ => {}
            }
        }
        wanted
    }
}

/// Names of changelog files and directories, without extension.
const CHANGELOGS: &[&str] =
    &["changelog", "changes", "history", "news", "release-notes", "release_notes", "releases", "whatsnew"];

/// Names of documentation directories.
const MANUALS: &[&str] =
    &["book", "doc", "docs", "documentation", "guide", "guides", "man", "manual", "site", "website", "wiki"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_mentions_tests_does_not_ask_for_them() {
        for asked in [
            "which tests cover the retry loop",
            "tests for redirects",
            "where is the cookie jar tested",
            "how do we test timeouts",
            "add a regression test for empty bodies",
            "is there a test for this?",
            "auth tests",
            "auth server test",
            "mock server",
        ] {
            assert!(Wanted::new(asked).tests, "{asked}");
        }
        for mentioned in [
            "with the test clock frozen, sleep(1h) returns at once",
            "In what order are test files started by default",
            "the default runtime used by `#[tokio::test]`",
            "what happens to console.log inside a test until it is printed",
            "we mock the transport and then close() hangs for ever",
            "test client cookies",
        ] {
            assert!(!Wanted::new(mentioned).tests, "{mentioned}");
        }
    }

    #[test]
    fn an_address_at_example_com_is_no_example() {
        for (question, examples) in [
            ("a cookie of example.com is also sent to api.example.com", false),
            ("why does it fail for example after a redirect", false),
            ("show me examples of middleware", true),
            ("the redis benchmark", true),
        ] {
            assert_eq!(Wanted::new(question).examples, examples, "{question}");
        }
    }
}
