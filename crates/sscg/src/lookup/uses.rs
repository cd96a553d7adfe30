//! Every place that uses a declaration.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Corpus, FileId, Relation, RelationSet};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_graph::traverse::{UseSite, uses as find_uses};
use sscg_index::Snapshot;
use sscg_retrieve::{is_test, is_test_file};

use super::check;
use super::page::{Page, count, numbers};
use super::written::Written;
use crate::explore::names;
use crate::responder::nothing_to_search;
use crate::{Error, LOOKUP_TOKENS};

/// Which uses are listed, and how much of them.
#[derive(Clone, Debug, PartialEq)]
pub struct UsesOptions {
    /// What they do with the declaration. All that code does but imports by default.
    pub relations: RelationSet,
    /// At most this many tokens of text. [`LOOKUP_TOKENS`] by default; the data is whole, whatever it is.
    pub budget: usize,
}

impl Default for UsesOptions {
    fn default() -> Self {
        let relations = RelationSet::CODE;
        let relations = Relation::ALL.iter().copied().filter(|it| relations.contains(*it));
        Self { relations: relations.filter(|it| *it != Relation::Imports).collect(), budget: LOOKUP_TOKENS }
    }
}

/// The uses of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct DeclarationUses {
    /// Its id: `src/auth.py::Session.close`.
    pub id: String,
    /// The path of its file.
    pub file: String,
    /// Its first and last line.
    pub lines: Lines,
    /// The places that are known to use it, those of the project's own code before those of tests, each by file.
    pub places: Vec<UsePlace>,
    /// The places that may use it or something else of its name.
    pub possible: Vec<UsePlace>,
    /// The number of uses of its name that cannot be it: of types outside of the project, of another kind or language,
    /// with another number of arguments.
    pub excluded: usize,
}

/// Code that uses a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct UsePlace {
    /// The path of the file.
    pub file: String,
    /// The name of the declaration around it, with those it stands in; empty at the top level of a file.
    pub name: String,
    /// The lines that use it, in order.
    pub lines: Vec<u32>,
    /// What they do: `calls`, `references`.
    pub relation: String,
    /// The id of the declaration that they name instead: a method that it overrides, or one that overrides it; empty usually.
    pub through: String,
    /// Why it is not known to be meant, of places that may be; empty if it is one of several candidates.
    pub reason: String,
    /// Whether it is code of tests.
    pub test: bool,
}

/// Lists every place that uses some declarations, and those that may. Declarations are named as for
/// [`GraphRequest`](crate::GraphRequest); of a name that several have, each is looked up. O(uses + unresolved uses of the names).
///
/// # Errors
/// If no name is given, nothing or too much has one, the budget is below [`SearchRequest::MIN_BUDGET`](crate::SearchRequest),
/// or the project holds no source file.
pub fn uses(
    snapshot: &Snapshot,
    declarations: &[String],
    options: &UsesOptions,
) -> Result<(Vec<DeclarationUses>, String), Error> {
    check(declarations, "name", options.budget)?;
    if snapshot.project.files().is_empty() {
        return Err(nothing_to_search(snapshot, Corpus::Code));
    }
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut found: Vec<DeclarationUses> = Vec::new();
    for node in names::nodes(snapshot, declarations)? {
        let mut uses = find_uses(project, graph, node, options.relations).expect("names stand for nodes");
        if let Node::Symbol(symbol) = graph.node(node) {
            let written = Written::new(snapshot, symbol);
            let before = uses.possible.len();
            uses.possible.retain(|site| written.fits(site));
            uses.excluded += before - uses.possible.len();
        }
        let (file, lines) = match graph.node(node) {
            Node::File(file) => (Some(file), Lines::default()),
            Node::Symbol(symbol) => {
                let (file, local) = project.local_symbol(symbol);
                let lines = project.files()[file].facts.symbols[local].lines;
                (Some(file), Lines { start: lines.start, end: lines.end })
            }
            Node::Boundary(_) => (None, Lines::default()),
        };
        found.push(DeclarationUses {
            id: names::id(snapshot, node),
            file: file.map_or_else(String::new, |file| project.files()[file].path.to_string()),
            lines,
            places: places(snapshot, &uses.known),
            possible: places(snapshot, &uses.possible),
            excluded: uses.excluded,
        });
    }
    let text = page(&found, options.budget);
    Ok((found, text))
}

/// Sites by code: those of tests last.
fn places(snapshot: &Snapshot, sites: &[UseSite]) -> Vec<UsePlace> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut places: Vec<UsePlace> = Vec::new();
    for site in sites {
        let (file, name, test) = match graph.node(site.node) {
            Node::File(file) => (file, String::new(), is_test_file(snapshot, file)),
            Node::Symbol(symbol) => {
                let file: FileId = project.symbol_file(symbol);
                let key = project.symbol_key(symbol);
                let name = key.split_once("::").map_or(&*key, |(_, name)| name).to_owned();
                (file, name, is_test(snapshot, project.chunk_of_symbol(symbol)))
            }
            Node::Boundary(_) => continue,
        };
        let place = UsePlace {
            file: project.files()[file].path.to_string(),
            name,
            lines: Vec::new(),
            relation: site.relation.to_string(),
            through: site.through.map_or_else(String::new, |node| names::id(snapshot, node)),
            reason: site.reason.map_or_else(String::new, |reason| reason.to_string()),
            test,
        };
        let is_same = |other: &UsePlace| UsePlace { lines: Vec::new(), ..other.clone() } == place;
        match places
            .iter_mut()
            .rev()
            .take_while(|other| other.file == place.file)
            .find(|other| is_same(other))
        {
            Some(known) => known.lines.push(site.line),
            None => places.push(UsePlace { lines: vec![site.line], ..place }),
        }
    }
    places.sort_by(|a, b| {
        (a.test, &a.file, a.lines.first(), &a.relation).cmp(&(b.test, &b.file, b.lines.first(), &b.relation))
    });
    places
}

fn page(found: &[DeclarationUses], budget: usize) -> String {
    let mut page = Page::new(budget);
    let (mut left_out, mut files_left_out) = (0, BTreeSet::new());
    for of in found {
        let uses = |places: &[UsePlace]| places.iter().map(|place| place.lines.len()).sum::<usize>();
        let files =
            |places: &[UsePlace]| places.iter().map(|place| &place.file).collect::<BTreeSet<_>>().len();
        let known = match uses(&of.places) {
            0 => "no known use".to_owned(),
            known => {
                format!("{} in {}", count(known, "use", "uses"), count(files(&of.places), "file", "files"))
            }
        };
        let at = if of.lines.start > 0 {
            format!(" ({}-{})", of.lines.start, of.lines.end)
        } else {
            String::new()
        };
        page.line(&format!("{}{at}: {known}", of.id));
        let mut write = |page: &mut Page, places: &[UsePlace]| {
            let mut last = ("", false);
            for place in places {
                if last != (&*place.file, place.test) {
                    page.heading(&format!("{}{}", place.file, if place.test { " (test)" } else { "" }));
                    last = (&place.file, place.test);
                }
                let name = if place.name.is_empty() { "(top level)" } else { &*place.name };
                let does = match &*place.relation {
                    "calls" => String::new(),
                    relation => format!(" {relation}"),
                };
                let through = match &*place.through {
                    "" => String::new(),
                    through => format!(" through {}", through.rsplit("::").next().unwrap_or(through)),
                };
                if !page.line(&format!("  {name} {}{does}{through}", numbers(&place.lines))) {
                    left_out += place.lines.len();
                    files_left_out.insert(place.file.clone());
                }
            }
        };
        write(&mut page, &of.places);
        if !of.possible.is_empty() {
            let reasons: BTreeSet<&str> = of.possible.iter().map(|place| &*place.reason).collect();
            let reasons =
                reasons.into_iter().map(|reason| if reason.is_empty() { "one of several" } else { reason });
            let reasons: Vec<&str> = reasons.collect();
            page.line(&format!(
                "May be it too, {}: {}",
                count(uses(&of.possible), "use", "uses"),
                reasons.join("; ")
            ));
            write(&mut page, &of.possible);
        }
        let excluded = match of.excluded {
            0 => String::new(),
            excluded => format!(
                " {} of the name {} something else.",
                count(excluded, "use", "uses"),
                if excluded == 1 { "is" } else { "are" }
            ),
        };
        let verdict =
            if of.possible.is_empty() { "Complete." } else { "Complete with those that may be it." };
        page.line(&format!("{verdict}{excluded}"));
    }
    if left_out == 0 {
        return page.end("");
    }
    page.end(&format!(
        "{} in {} left out: the budget is spent. Ask with a larger one.\n",
        count(left_out, "use", "uses"),
        count(files_left_out.len(), "file", "files")
    ))
}
