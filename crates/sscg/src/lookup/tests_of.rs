//! Tests that reach declarations.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{NodeId, RelationSet};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_graph::traverse::uses as find_uses;
use sscg_index::Snapshot;
use sscg_retrieve::{is_test, is_test_file};

use super::page::{Page, count};
use super::{check, named_nodes, place};
use crate::explore::names;
use crate::{Error, UsesOptions};

/// Tests of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DeclarationTests {
    /// Id: `src/auth.py::Session.close`.
    pub id: String,
    /// Test code that leads to it, nearest first, then by file.
    pub tests: Vec<TestPlace>,
    /// Set if not all of the code that leads to it was followed.
    pub is_cut: bool,
}

/// Test code that leads to a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TestPlace {
    /// Number of uses on the path: 1 if it names the declaration.
    pub steps: usize,
    /// Path of the file.
    pub file: String,
    /// First and last line of the test; 0 for code at the top of a file.
    pub lines: Lines,
    /// Qualified name.
    pub name: String,
    /// Next declaration on the path; empty if that is the tested one.
    pub through: String,
}

/// Maximum number of uses between a test and the declaration.
const MOST_STEPS: usize = 4;

/// Maximum number of nodes on the paths that are visited per declaration.
const MOST_NODES: usize = 2_000;

/// Lists the tests that use some declarations directly or through other code, up to four uses away. O(uses of up to
/// 2,000 declarations on the paths).
///
/// ```
/// use sscg::{Engine, EngineOptions, LOOKUP_TOKENS, Storage, tests};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n\ndef parse():\n    read()\n")?;
/// # std::fs::write(path.join("test_a.py"), "from a import parse\n\ndef test_parse():\n    parse()\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let (found, _) = tests(&snapshot, &["read".to_owned()], LOOKUP_TOKENS)?;
/// // `test_parse` calls `parse`, which calls `read`.
/// let test = &found[0].tests[0];
/// assert_eq!((&*test.file, &*test.name, test.steps), ("test_a.py", "test_parse", 2));
/// assert_eq!(test.through, "a.py::parse");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`uses`](crate::uses).
pub fn tests(
    snapshot: &Snapshot,
    declarations: &[String],
    budget: usize,
) -> Result<(Vec<DeclarationTests>, String), Error> {
    check(declarations, "name", budget)?;
    let (nodes, unknown) = named_nodes(snapshot, declarations)?;
    let found: Vec<DeclarationTests> = nodes.into_iter().map(|node| tests_of(snapshot, node)).collect();
    let mut page = Page::new(budget);
    for (at, of) in found.iter().enumerate() {
        page.begin(found[at + 1..].iter().map(|of| of.tests.len()));
        write(&mut page, of);
    }
    unknown.iter().for_each(|failure| page.always(failure));
    Ok((found, page.end()))
}

fn tests_of(snapshot: &Snapshot, root: NodeId) -> DeclarationTests {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let relations: RelationSet = UsesOptions::default().relations;
    let mut known = BTreeSet::from([root]);
    let mut last = vec![root];
    let mut of = DeclarationTests { id: names::id(snapshot, root), ..DeclarationTests::default() };
    for steps in 1..=MOST_STEPS {
        let mut next = Vec::new();
        for node in last {
            let uses = find_uses(project, graph, node, relations).expect("it is a node of the graph");
            for user in uses.known.iter().map(|site| site.node) {
                if known.len() > MOST_NODES {
                    of.is_cut = true;
                } else if !known.insert(user) {
                    continue;
                }
                if of.is_cut {
                    break;
                }
                match test_name(snapshot, user) {
                    Some(name) => {
                        let (file, lines) = place(snapshot, user);
                        let through = if node == root { String::new() } else { names::id(snapshot, node) };
                        of.tests.push(TestPlace { steps, file, lines, name, through });
                    }
                    None => next.push(user),
                }
            }
        }
        last = next;
    }
    let key = |test: &TestPlace| (test.steps, test.file.clone(), test.lines.start, test.name.clone());
    of.tests.sort_by_cached_key(key);
    of
}

/// Returns the name of a node of test code, `None` for other code; empty at the top level of a file.
fn test_name(snapshot: &Snapshot, node: NodeId) -> Option<String> {
    let project = &snapshot.project;
    match snapshot.graph.node(node) {
        Node::Symbol(symbol) => {
            is_test(snapshot, project.chunk_of_symbol(symbol)).then(|| project.qualified_name(symbol))
        }
        Node::File(file) => is_test_file(snapshot, file).then(String::new),
        Node::External(_) => None,
    }
}

fn write(page: &mut Page, of: &DeclarationTests) {
    let sum = match of.tests.len() {
        0 => format!("no test is known to reach it in {MOST_STEPS} uses"),
        tests => count(tests, "test", "tests"),
    };
    page.always(&format!("{}: {sum}", of.id));
    let (mut last, mut left_out) = ((0, ""), 0);
    for TestPlace { steps, file, lines, name, through } in &of.tests {
        if last != (*steps, &**file) {
            let away = if *steps == 1 { String::new() } else { format!(" ({steps} uses away)") };
            page.heading(&format!("{file}{away}"));
            last = (*steps, file);
        }
        let name = if name.is_empty() { "(top level)".to_owned() } else { format!("{lines} {name}") };
        let through = match &**through {
            "" => String::new(),
            through => format!(" through {}", through.rsplit("::").next().unwrap_or(through)),
        };
        left_out += usize::from(!page.line(&format!("  {name}{through}")));
    }
    page.next_list();
    if of.is_cut {
        page.always(&format!("Cut: more than {MOST_NODES} places lead to it, and not all were followed."));
    }
    if left_out > 0 {
        let tests = count(left_out, "test", "tests");
        page.always(&format!("Cut: {tests} left out, ask with a larger budget."));
    }
}
