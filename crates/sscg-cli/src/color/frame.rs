//! Colors of everything in an answer but the code: headings, edges, details.
//!
//! A line is recognized by its form. The groups of the form's pattern have roles; text outside of them stays plain, and
//! so does a line without a form.

use std::sync::LazyLock;

use anstyle::Style;
use regex::{Captures, Regex};

use super::{BLUE, BOLD, CYAN, DIM, GREEN, MAGENTA, PLAIN, Painted, YELLOW, code};

/// Set of line forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Forms of the connection graph of a search.
    Search,
    /// Forms of an answer about the graph.
    Graph,
}

/// Forms of both.
const COMMON: &[&str] = &[
    r"^(?<title>Search|Expand|Neighborhood|Pack|Trace|Impact): .*(?<aside>\| [\d,]+/[\d,]+ tokens)$",
    r"^(?<title>Graph|Patterns|Paths|[\d,]+ steps? away):$",
    r"^(?<warning>(?:Warning: |No strong match: |Changed while |Indexing, |[\d,]+ (?:match|matches|more) left out|[\d,]+ uses? of ).*)$",
];

/// Forms of the connection graph, in the order in which they are tried.
const SEARCH: &[&str] = &[
    r"^(?:(?<number>\[\d+\]) )?(?<name>.+) — (?<file>.+?)(?<line>:\d+(?:-\d+)?)(?<aside> .*)?$",
    r"^(?<tokens>\[\d+\] called by: .*)$",
    r"^(?<tokens>[^ ].* (?:→|—[a-z_]+→) .*)$",
    r"^(?<aside>(?:Tokens of |Text of documents: ).*)$",
    r"^ +(?<tokens>→ .*)$",
    r"^    (?<key>Signature:) (?<code>.*)$",
    r"^    (?<key>[A-Z][a-z ]+:) (?<tokens>.*)$",
    r"^    (?<aside>.*)$",
    r"^  (?<key>(?:Hub|Shared dep|Shared type|Diamond|Cycle):) (?<tokens>.*)$",
    r"^  (?<tokens>.*)$",
];

/// Forms of an answer about the graph, in the order in which they are tried.
const GRAPH: &[&str] = &[
    r"^(?<path>\[\d+\](?: [a-z_]+ \[\d+\])+)$",
    r"^(?<number>\[\d+\]) (?<name>.+) \((?<file>.+?)(?<line>:\d+(?:-\d+)?)?\): (?<aside>.*)$",
    r"^(?<number>\[\d+\]) (?<file>.+): (?<aside>file(?:, .*)?)$",
    r"^(?<number>\[\d+\]) (?<name>.+): (?<aside>.*)$",
    r"^  (?<relation>[a-z_]+) (?<tokens>\[\d+\].*)$",
    r"^  (?<code>.*)$",
];

/// Tokens with a style within a line: names matter most there, so locations are dimmed.
const TOKENS: &str = r"(?x)
    (?<number>\[\d+\])
    | (?<relation>—[a-z_]+→|→)
    | (?<doubt>\((?:inferred|ambiguous|one\ of\ [\d,]+\ candidates)\))
    | (?<mark>[★◆])
    | (?<key>Types\ out:|called\ by:)
    | (?<aside>\((?:standalone[^()]*|[^()\s]*[./][^()\s]*)\)|\[(?:cycle|depth\ limit|size\ limit)\])";

/// Path: numbers, and relations between them.
const PATH: &str = r"(?<number>\[\d+\])|(?<relation>[a-z_]+)";

static SEARCH_FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| forms(SEARCH));
static GRAPH_FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| forms(GRAPH));
static TOKEN_FORM: LazyLock<Regex> = LazyLock::new(|| form(TOKENS));
static PATH_FORM: LazyLock<Regex> = LazyLock::new(|| form(PATH));

fn forms(own: &[&str]) -> Vec<Regex> {
    COMMON.iter().chain(own).map(|pattern| form(pattern)).collect()
}

fn form(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are those above")
}

/// Styles lines at an offset.
pub(super) fn paint(frame: Frame, text: &str, mut at: usize, painted: &mut Painted) {
    let forms = match frame {
        Frame::Search => &SEARCH_FORMS,
        Frame::Graph => &GRAPH_FORMS,
    };
    // File of the last declaration with a location.
    let mut file = String::new();
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        if let Some((form, groups)) = forms.iter().find_map(|form| Some((form, form.captures(content)?))) {
            if let Some(named) = groups.name("file") {
                named.as_str().clone_into(&mut file);
            }
            paint_groups(form, &groups, &file, at, painted);
        }
        at += line.len();
    }
}

fn paint_groups(form: &Regex, groups: &Captures<'_>, file: &str, at: usize, painted: &mut Painted) {
    for role in form.capture_names().flatten() {
        let Some(group) = groups.name(role) else { continue };
        let start = at + group.start();
        let inner = match role {
            "tokens" => &TOKEN_FORM,
            "path" => &PATH_FORM,
            "code" => {
                for (part, style) in code::parts(file, group.as_str()) {
                    painted.paint(start + part.start..start + part.end, style);
                }
                continue;
            }
            _ => {
                painted.paint(start..at + group.end(), style(role));
                continue;
            }
        };
        for token in inner.captures_iter(group.as_str()) {
            paint_groups(inner, &token, file, start, painted);
        }
    }
}

/// Returns the style of a role.
fn style(role: &str) -> Style {
    match role {
        "title" | "name" => BOLD,
        "number" | "mark" => CYAN,
        "relation" => BLUE,
        "file" => MAGENTA,
        "line" => GREEN,
        "warning" | "doubt" => YELLOW,
        "key" | "aside" => DIM,
        _ => PLAIN,
    }
}
