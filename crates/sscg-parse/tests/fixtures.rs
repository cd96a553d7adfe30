//! Golden-file tests. Every source file under `fixtures/parser/` is compared with the files beside it:
//!
//! - `<file>.expected.json`: declarations, chunks in short form, top-level items, and totals;
//! - `<file>.chunker-expected.json`: each chunk with the imports it uses and, if it has collapsed children, its text;
//! - `<file>.references`: diagnostics, imports, and references.
//!
//! Every document under `fixtures/document/` is compared with `<file>.sections`: its sections and passages.
//!
//! Every fixture must also satisfy all rules of [`sscg_parse::check`]. To add a case, add a file and run
//! `cargo xtask fixtures --bless`, which writes its golden files for review.

#![allow(clippy::disallowed_methods, reason = "the crate is pure, its tests read the fixtures")]

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;
use serde::Serialize;
use serde_json::Value;
use sscg_core::{ChunkKind, CodeChunk, Corpus, FileFacts, Language, LineRange, Span};
use sscg_parse::FileType;
use sscg_parse::check::{Rule, Violation, check};

#[test]
fn every_fixture_has_the_facts_in_the_files_beside_it() {
    let mut broken = Vec::new();
    for source in sources() {
        let path = source.to_str().expect("fixture paths are UTF-8");
        let file_type = FileType::of_path(path).expect("only sources are collected");
        let language = file_type.language;
        let text = fs::read_to_string(&source).expect("fixtures are readable");
        let (facts, violations) = check(file_type, &text);
        let name = source.file_name().and_then(|name| name.to_str()).expect("fixtures have names");
        let rows = facts.code_chunks(name, &text, language.stub);
        let file = File { facts: &facts, rows: &rows, violations: &violations, language, source: &text };
        expect_file![format!("{path}.expected.json")].assert_eq(&json(&file.expectation()));
        expect_file![format!("{path}.chunker-expected.json")].assert_eq(&json(&file.chunker_expectation()));
        expect_file![format!("{path}.references")].assert_eq(&sscg_parse::references(&facts));
        broken.extend(violations.into_iter().map(|violation| format!("{path}: {violation}")));
    }
    assert!(broken.is_empty(), "rules that do not hold:\n{}", broken.join("\n"));
}

#[test]
fn every_document_has_the_sections_in_the_file_beside_it() {
    let mut broken = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("fixtures are readable");
        let file_type = FileType::of_path(&path).expect("only documents are collected");
        let (facts, violations) = check(file_type, &text);
        let rows = facts.code_chunks("", &text, file_type.language.stub);
        expect_file![format!("{path}.sections")].assert_eq(&outline(&rows));
        broken.extend(violations.into_iter().map(|violation| format!("{path}: {violation}")));
    }
    assert!(broken.is_empty(), "rules that do not hold:\n{}", broken.join("\n"));
}

/// The table of `docs/languages.md` lists every language that the registry has.
#[test]
fn the_page_about_languages_lists_all() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/languages.md");
    let text = fs::read_to_string(&page).expect("the page is readable");
    let (before, rest) = text.split_once("<!-- languages -->\n").expect("the page has a place for the table");
    let (_, after) = rest.split_once("<!-- /languages -->").expect("the place ends");
    let mut table = "| language | other names | extensions | level |\n| --- | --- | --- | --- |\n".to_owned();
    for language in sscg_parse::languages() {
        let list =
            |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let level = if language.is_linked() { "linked" } else { "declarations" };
        let (aliases, extensions) = (list(language.aliases), list(language.extensions));
        table += &format!("| {language} | {aliases} | {extensions} | {level} |\n");
    }
    let expected = format!("{before}<!-- languages -->\n{table}<!-- /languages -->{after}");
    expect_file![page].assert_eq(&expected);
}

/// File extensions may be wrong: the rules hold for any file in any format.
#[test]
fn the_rules_hold_of_documents_read_as_any_format() {
    for path in documents() {
        let text = fs::read_to_string(&path).expect("fixtures are readable");
        for format in sscg_parse::formats() {
            let (_, violations) =
                check(FileType { language: *format, extension: format.extensions[0] }, &text);
            assert!(violations.is_empty(), "{path} as {format}: {violations:#?}");
        }
    }
}

/// Returns a line for each chunk with its lines, kind and name, followed by the text of chunks with collapsed
/// children.
fn outline(rows: &[CodeChunk<'_>]) -> String {
    let mut out = String::new();
    for row in rows {
        let indent = "  ".repeat(row.depth);
        out += &format!("{indent}{}-{} {} {:?}\n", row.lines.start, row.lines.end, row.kind, row.name);
        for line in row.embedding_text.lines().filter(|_| row.is_collapsed()) {
            out += format!("{indent}  | {line}").trim_end();
            out.push('\n');
        }
    }
    out
}

/// Searches run while files are being edited: the rules hold for a file with any part missing.
#[test]
fn the_rules_hold_of_fixtures_with_holes() {
    /// Distance between the starts of holes, in bytes; a prime, to spread them over all positions.
    const STEP: usize = 211;
    for path in sources().iter().map(|source| path_of(source)).chain(documents()) {
        let file_type = FileType::of_path(&path).expect("only fixtures are collected");
        let text = fs::read_to_string(&path).expect("fixtures are readable");
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(STEP).collect();
        for (index, &at) in boundaries.iter().enumerate() {
            let hole = boundaries.get(index + 1 + index % 3).copied().unwrap_or(text.len());
            for kept in [text[..at].to_owned(), text[at..].to_owned(), text[..at].to_owned() + &text[hole..]]
            {
                let (_, violations) = check(file_type, &kept);
                assert!(violations.is_empty(), "{path} without {at}..{hole}: {violations:#?}\n{kept}");
            }
        }
    }
}

fn sources() -> Vec<PathBuf> {
    fixtures("parser", Corpus::Code)
}

fn documents() -> impl Iterator<Item = String> {
    fixtures("document", Corpus::Documents).into_iter().map(|path| path_of(&path))
}

fn path_of(path: &Path) -> String {
    path.to_str().expect("fixture paths are UTF-8").to_owned()
}

fn fixtures(dir: &str, corpus: Corpus) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(dir);
    let mut found = Vec::new();
    collect(&root, corpus, &mut found);
    assert!(!found.is_empty(), "no fixtures under {}", root.display());
    found
}

fn collect(dir: &Path, corpus: Corpus, sources: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, corpus, sources);
        } else if FileType::of_path(&path_of(&path)).is_some_and(|it| it.language.corpus == corpus) {
            sources.push(path);
        }
    }
}

/// Golden data for the parser.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Expectation<'a> {
    language: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<&'a str>,
    symbols: Vec<ExpectedSymbol<'a>>,
    chunks: Vec<ExpectedChunk<'a>>,
    root_items: Vec<RootItem<'a>>,
    stats: Stats,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExpectedSymbol<'a> {
    name: &'a str,
    kind: &'a str,
    depth: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_name: Option<&'a str>,
    has_children: bool,
    exported: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modifiers: Vec<String>,
    line_range: [u32; 2],
    signature: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    type_parameters: Vec<ExpectedTypeParameter<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attributes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doc: Option<&'a str>,
}

#[derive(Serialize)]
struct ExpectedTypeParameter<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExpectedChunk<'a> {
    breadcrumb: &'a str,
    node_kind: &'a str,
    has_collapsed_children: bool,
    is_leaf: bool,
    line_count: u32,
}

/// Top-level item.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RootItem<'a> {
    kind: &'a str,
    name: String,
    line_range: [u32; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Stats {
    total_symbols: usize,
    total_chunks: usize,
    total_root_items: usize,
    max_depth: usize,
    full_coverage: bool,
    all_chunks_under_32k: bool,
}

/// Golden data for the chunker. `full_source` is left out because it equals the lines of the file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChunkerExpectation<'a> {
    breadcrumb: &'a str,
    node_kind: &'a str,
    depth: usize,
    line_range: [u32; 2],
    line_count: u32,
    has_collapsed_children: bool,
    is_leaf: bool,
    relevant_imports: &'a [&'a str],
    /// Text of chunks with collapsed children; that of others is their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    embedding_text: Option<Vec<&'a str>>,
}

struct File<'a> {
    facts: &'a FileFacts,
    rows: &'a [CodeChunk<'a>],
    violations: &'a [Violation],
    language: Language,
    source: &'a str,
}

impl<'a> File<'a> {
    fn expectation(&self) -> Expectation<'a> {
        let Self { facts, rows, .. } = *self;
        let roots = rows.iter().filter(|row| row.parent_id.is_none());
        Expectation {
            language: self.language.name,
            doc: facts.doc.as_deref(),
            symbols: self.symbols(),
            chunks: rows
                .iter()
                .map(|row| ExpectedChunk {
                    breadcrumb: &row.breadcrumb,
                    node_kind: row.kind.as_str(),
                    has_collapsed_children: row.is_collapsed(),
                    is_leaf: row.child_ids.is_empty(),
                    line_count: row.lines.count(),
                })
                .collect(),
            root_items: roots
                .map(|row| RootItem {
                    kind: row.kind.as_str(),
                    name: match row.kind {
                        ChunkKind::Import | ChunkKind::ReExport => format!("{}:{}", row.kind, row.name),
                        _ => row.name.to_owned(),
                    },
                    line_range: line_range(row.lines),
                })
                .collect(),
            stats: Stats {
                total_symbols: facts.symbols.len(),
                total_chunks: rows.len(),
                total_root_items: rows.iter().filter(|row| row.parent_id.is_none()).count(),
                max_depth: facts.symbols.ids().map(|symbol| facts.depth(symbol)).max().unwrap_or(0),
                full_coverage: self.holds(Rule::Coverage),
                all_chunks_under_32k: self.holds(Rule::TokenLimit),
            },
        }
    }

    fn holds(&self, rule: Rule) -> bool {
        self.violations.iter().all(|violation| violation.rule != rule)
    }

    fn symbols(&self) -> Vec<ExpectedSymbol<'a>> {
        let Self { facts, source, .. } = *self;
        let symbols = facts.symbols.iter_enumerated().map(|(id, symbol)| ExpectedSymbol {
            name: &symbol.name,
            kind: symbol.kind.as_str(),
            depth: facts.depth(id),
            parent_name: symbol.parent.map(|parent| &*facts.symbols[parent].name),
            has_children: facts.children(id).next().is_some(),
            exported: symbol.exported,
            modifiers: symbol.modifiers.iter_names().map(|(name, _)| name.to_lowercase()).collect(),
            line_range: line_range(symbol.lines),
            signature: &symbol.signature,
            type_parameters: symbol
                .type_parameters
                .iter()
                .map(|parameter| ExpectedTypeParameter {
                    name: &parameter.name,
                    constraint: parameter.constraint.as_deref(),
                    default: parameter.default.as_deref(),
                })
                .collect(),
            attributes: symbol.attributes.iter().map(|span: &Span| span.text(source)).collect(),
            doc: symbol.doc.as_deref(),
        });
        symbols.collect()
    }

    fn chunker_expectation(&self) -> Vec<ChunkerExpectation<'_>> {
        let chunks = self.rows.iter().map(|row| ChunkerExpectation {
            breadcrumb: &row.breadcrumb,
            node_kind: row.kind.as_str(),
            depth: row.depth,
            line_range: line_range(row.lines),
            line_count: row.lines.count(),
            has_collapsed_children: row.is_collapsed(),
            is_leaf: row.child_ids.is_empty(),
            relevant_imports: &row.relevant_imports,
            embedding_text: row.is_collapsed().then(|| row.embedding_text.lines().collect()),
        });
        chunks.collect()
    }
}

fn line_range(lines: LineRange) -> [u32; 2] {
    [lines.start, lines.end]
}

/// Returns JSON with one line per field and per list element, for line-based diffs.
fn json(value: &impl Serialize) -> String {
    let mut value = serde_json::to_value(value).expect("fixture expectations are plain data");
    // Feature unification across the built crates decides whether objects keep their order.
    value.sort_all_objects();
    let mut text = String::new();
    write_lines(&value, &mut text);
    text + "\n"
}

fn write_lines(value: &Value, text: &mut String) {
    let mut list = |open: char, close: char, lines: Vec<String>| {
        text.push(open);
        text.push('\n');
        text.push_str(&lines.join(",\n"));
        text.push('\n');
        text.push(close);
    };
    match value {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let mut line = format!("\"{name}\": ");
                match value {
                    Value::Array(_) => write_lines(value, &mut line),
                    other => line.push_str(&other.to_string()),
                }
                line
            };
            list('{', '}', fields.iter().map(field).collect());
        }
        Value::Array(elements) if !elements.is_empty() => {
            list('[', ']', elements.iter().map(|element| format!("  {element}")).collect());
        }
        other => text.push_str(&other.to_string()),
    }
}
