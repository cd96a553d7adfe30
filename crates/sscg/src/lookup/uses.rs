//! Every place that uses a declaration.

use std::collections::{BTreeMap, BTreeSet};

use derive_setters::Setters;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Confidence, FileId, LineIndex, NodeId, Relation, RelationSet, SymbolKind};
use sscg_format::Lines;
use sscg_graph::Node;
use sscg_graph::traverse::{UseSite, uses as find_uses};
use sscg_index::Snapshot;
use sscg_retrieve::{declaration_at_line, is_test, is_test_file};

use super::builds::of_other_builds;
use super::named::{Line, Named};
use super::page::{Page, count, numbers};
use super::show::write_bodies;
use super::written::Written;
use super::{ListOptions, check, levels, named, named_nodes, place};
use crate::Error;
use crate::explore::names;

/// Selection of uses to list, and limits of the list.
#[derive(Clone, Debug, PartialEq, Setters)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct UsesOptions {
    /// Relations of the uses to the declaration (default all except containment and imports).
    pub relations: RelationSet,
    /// Limits of the list.
    pub list: ListOptions,
}

impl Default for UsesOptions {
    fn default() -> Self {
        let relations = RelationSet::CODE;
        let relations = Relation::ALL.iter().copied().filter(|it| relations.contains(*it));
        let relations = relations.filter(|it| *it != Relation::Imports).collect();
        Self { relations, list: ListOptions::default() }
    }
}

/// Uses of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DeclarationUses {
    /// Id: `src/auth.py::Session.close`.
    pub id: String,
    /// Path of the file.
    pub file: String,
    /// First and last line.
    pub lines: Lines,
    /// Places that are known to use it, the project's own code before tests, each by file.
    pub places: Vec<UsePlace>,
    /// Places that may use it or another declaration of its name.
    pub possible: Vec<UsePlace>,
    /// Uses of its name on values from elsewhere, mostly of types that are not part of the project. They use it only if other
    /// code passes values of its type on as those of another type.
    pub outside: Vec<UsePlace>,
    /// Unresolved uses of its name that cannot refer to it: of another kind, with another number of arguments.
    pub excluded: Vec<UsePlace>,
    /// Number of lines of code with its name, in files that can use it: each is one of these places, or refers to
    /// another declaration.
    pub checked: usize,
    /// Number of these that mean another one.
    pub others: usize,
    /// Decorators outside of the standard library. They may call it, or register it with what does.
    pub decorators: Vec<String>,
    /// Types outside of the project whose code may call it as their member: in Rust, the trait that declares it. Elsewhere,
    /// if no call is known, those that its type inherits from or implements, nearest first.
    pub supertypes: Vec<String>,
    /// True if operators, statements or functions of the language call a method of its name: `__iter__`, `toString`.
    pub implicit: bool,
    /// Classes whose construction runs it, if it is a constructor: its own, and those that inherit it.
    pub constructed: Vec<String>,
    /// Comments that use its name as code does, such as examples in documentation, of it or of another declaration.
    pub comments: Vec<UsePlace>,
}

/// Code that uses a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct UsePlace {
    /// Path of the file.
    pub file: String,
    /// Qualified name of the enclosing declaration; empty at the top level of a file. Of a function without a name, its
    /// role: `router.get("/users") handler`, `it("sends mail")`.
    pub name: String,
    /// True for a function without a name.
    pub anonymous: bool,
    /// Lines that use it, in order.
    pub lines: Vec<u32>,
    /// Relation: `calls`, `references`.
    pub relation: String,
    /// Id of the declaration that they name instead: an overridden or overriding method, or a class that runs the
    /// constructor; usually empty.
    pub through: String,
    /// Reason why a possible use is not resolved; empty for one of several candidates.
    pub reason: String,
    /// Text of each line, of possible and inferred uses; empty for exact ones.
    pub texts: Vec<String>,
    /// True if inferred, for example because only one method has the name.
    pub inferred: bool,
    /// True if the code holds it as a value, such as in a table. A function that is held may be called wherever the
    /// value gets to, and these calls are not listed.
    pub held: bool,
    /// True for test code.
    pub test: bool,
}

/// Lists every place that uses some declarations, and those that may. Declarations are named as for
/// [`GraphRequest`](crate::GraphRequest). All declarations that share a name are looked up; a name that refers to
/// none is reported in the text. O(uses + unresolved uses of the names + bytes of the files with them).
///
/// ```
/// use sscg::{Engine, EngineOptions, SearchRequest, Storage, UsesOptions, uses};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n\ndef main():\n    read()\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let snapshot = engine.search(&SearchRequest::new("symbol = read"))?.snapshot;
/// let (found, text) = uses(&snapshot, &["read".to_owned()], &UsesOptions::default())?;
/// assert_eq!(found[0].id, "a.py::read");
/// assert_eq!((&*found[0].places[0].name, &found[0].places[0].lines[..]), ("main", &[4][..]));
/// assert!(text.contains("main"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no name is given, each refers to nothing or to too many declarations, the budget is below
/// [`SearchRequest::MIN_BUDGET`](crate::SearchRequest), or the project has no source file.
pub fn uses(
    snapshot: &Snapshot,
    declarations: &[String],
    options: &UsesOptions,
) -> Result<(Vec<DeclarationUses>, String), Error> {
    check(declarations, "name", options.list.budget)?;
    let (nodes, unknown) = named_nodes(snapshot, declarations)?;
    let asked = nodes.len();
    let found = levels(
        nodes,
        options.list.depth,
        |node| uses_of(snapshot, node, options.relations),
        |of: &DeclarationUses| of.places.is_empty() && of.possible.is_empty(),
    );
    let mut page = page(&found, asked, &unknown, options.list.budget);
    if options.list.bodies {
        let places = found.iter().flat_map(|of| &of.places).filter(|place| !place.name.is_empty());
        let places: Vec<String> = places.map(|it| format!("{}:{}", it.file, it.lines[0])).collect();
        write_bodies(&mut page, snapshot, &places);
    }
    Ok((found, page.end()))
}

/// Returns the uses of a node, and the declarations that are known to use it.
fn uses_of(snapshot: &Snapshot, node: NodeId, relations: RelationSet) -> (DeclarationUses, Vec<NodeId>) {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    // Files and external code may be used by imports only.
    let relations = match graph.node(node) {
        Node::Symbol(_) => relations,
        Node::File(_) | Node::External(_) => relations.with(Relation::Imports),
    };
    let mut uses = find_uses(project, graph, node, relations).expect("names stand for nodes");
    let mut read = Named::default();
    let mut of_others: Vec<UseSite> = Vec::new();
    if let Node::Symbol(symbol) = graph.node(node) {
        let written = Written::new(snapshot, symbol);
        let (possible, excluded) = uses.possible.into_iter().partition(|site| written.fits(site));
        uses.possible = possible;
        uses.excluded.extend::<Vec<UseSite>>(excluded);
        read = named::read(snapshot, symbol, &uses, &written);
        let classes = uses.constructed.iter().filter_map(|class| graph.node(*class).symbol());
        for class in classes.take(MOST_CLASSES_READ) {
            let of_class = named::read(snapshot, class, &uses, &Written::new(snapshot, class));
            read.untied.extend(of_class.untied);
        }
        read.untied.sort_unstable();
        read.untied.dedup();
        let known = uses.known.iter().chain(&uses.possible);
        let mut listed: FxHashSet<(NodeId, u32)> = known.map(|it| (it.node, it.line)).collect();
        for other in of_other_builds(snapshot, symbol) {
            let other = graph.id(Node::Symbol(other));
            let of_other = find_uses(project, graph, other, relations).expect("declarations are nodes");
            for mut site in of_other.known.into_iter().chain(of_other.possible) {
                let place = (site.node, site.line);
                if site.through.is_none() && !listed.contains(&place) && written.fits(&site) {
                    listed.insert(place);
                    site.through = Some(other);
                    of_others.push(site);
                }
            }
        }
    }
    let is_value = matches!(graph.node(node), Node::Symbol(symbol) if {
        let kind = project.symbol(symbol).kind;
        kind.is_callable() || kind == SymbolKind::Class
    });
    let Named { code, untied, comments } = read;
    let (file, lines) = place(snapshot, node);
    let unread = |lines: Vec<Line>, reason: &str| {
        let sites = lines.into_iter().map(|(file, line)| {
            let around = declaration_at_line(project, file, line);
            let node = graph.id(around.map_or(Node::File(file), Node::Symbol));
            UseSite::new(node, line, Relation::References, Confidence::Ambiguous)
        });
        let mut places = places(snapshot, &sites.collect::<Vec<_>>());
        places
            .iter_mut()
            .for_each(|it| (it.relation, it.reason, it.held) = (String::new(), reason.to_owned(), false));
        places
    };
    let mut possible = places(snapshot, &of_others);
    possible.iter_mut().for_each(|place| place.reason = OF_ANOTHER_BUILD.to_owned());
    possible.extend(places(snapshot, &uses.possible));
    possible.iter_mut().for_each(|place| place.held &= is_value);
    possible.extend(unread(untied, UNTIED));
    possible.iter_mut().for_each(|place| place.texts = texts(snapshot, place));
    possible.sort_by(|a, b| (a.test, &a.file, &a.lines).cmp(&(b.test, &b.file, &b.lines)));
    let users = uses.known.iter().map(|site| site.node);
    let users = users.filter(|user| match graph.node(*user) {
        Node::Symbol(symbol) => !project.is_anonymous(symbol),
        Node::File(_) | Node::External(_) => false,
    });
    let users = users.collect();
    let mut known = places(snapshot, &uses.known);
    known.iter_mut().for_each(|place| place.held &= is_value);
    known.iter_mut().filter(|place| place.inferred).for_each(|place| place.texts = texts(snapshot, place));
    let [outside, excluded] = [&uses.outside, &uses.excluded].map(|sites| places(snapshot, sites));
    let lines_of = |places: &[UsePlace]| -> BTreeSet<(String, u32)> {
        places.iter().flat_map(|it| it.lines.iter().map(|line| (it.file.clone(), *line))).collect()
    };
    let mut all = &lines_of(&outside) | &lines_of(&excluded);
    all.extend(code.into_iter().map(|(file, line)| (project.files()[file].path.to_string(), line)));
    let listed = &lines_of(&known) | &lines_of(&possible);
    let labels = |nodes: &[NodeId]| nodes.iter().map(|node| graph.label(project, *node)).collect();
    let of = DeclarationUses {
        id: names::id(snapshot, node),
        file,
        lines,
        checked: all.len(),
        others: all.difference(&(&listed | &lines_of(&outside))).count(),
        places: known,
        possible,
        outside,
        excluded,
        decorators: labels(&uses.decorators),
        supertypes: labels(&uses.supertypes),
        implicit: uses.is_implicit,
        constructed: uses.constructed.iter().map(|class| names::id(snapshot, *class)).collect(),
        comments: unread(comments, ""),
    };
    (of, users)
}

/// Returns the text of each line of a place.
fn texts(snapshot: &Snapshot, place: &UsePlace) -> Vec<String> {
    let file = snapshot.project.file_at(&place.file).expect("places are in files of the project");
    let source = snapshot.source(file).unwrap_or_default();
    let index = LineIndex::new(&source);
    let text = |line: &u32| {
        let line = index.line_span(*line).text(&source).trim();
        match line.char_indices().nth(MOST_CHARS) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        }
    };
    place.lines.iter().map(text).collect()
}

/// Maximum number of characters of a line that may be a use.
const MOST_CHARS: usize = 100;

/// Maximum number of classes of a constructor of which the text is searched for lines that no rule read.
const MOST_CLASSES_READ: usize = 20;

/// Reason of a listed line that has the name and that no rule read.
const UNTIED: &str = "the line has the name, and no rule reads it";

/// Reason of a listed line that is known to use a declaration of the same name.
const OF_ANOTHER_BUILD: &str = "a declaration of its name stands for it in other builds";

/// Groups sites by code, tests last.
fn places(snapshot: &Snapshot, sites: &[UseSite]) -> Vec<UsePlace> {
    let (project, graph) = (&snapshot.project, &snapshot.graph);
    let mut places: Vec<UsePlace> = Vec::new();
    let mut at: FxHashMap<_, usize> = FxHashMap::default();
    for site in sites {
        let (file, name, test) = match graph.node(site.node) {
            Node::File(file) => (file, String::new(), is_test_file(snapshot, file)),
            Node::Symbol(symbol) => {
                let file: FileId = project.symbol_file(symbol);
                (file, project.qualified_name(symbol), is_test(snapshot, project.chunk_of_symbol(symbol)))
            }
            Node::External(_) => continue,
        };
        let anonymous = graph.node(site.node).symbol().is_some_and(|symbol| project.is_anonymous(symbol));
        let key = (site.node, site.relation, site.through, site.reason, site.confidence);
        if let Some(place) = at.get(&key) {
            places[*place].lines.push(site.line);
            continue;
        }
        at.insert(key, places.len());
        places.push(UsePlace {
            file: project.files()[file].path.to_string(),
            name,
            anonymous,
            lines: vec![site.line],
            relation: site.relation.to_string(),
            through: site.through.map_or_else(String::new, |node| names::id(snapshot, node)),
            reason: site.reason.map_or_else(String::new, |reason| reason.to_string()),
            texts: Vec::new(),
            inferred: site.confidence == Confidence::Inferred,
            held: site.is_held(),
            test,
        });
    }
    places.sort_by(|a, b| {
        (a.test, &a.file, a.lines.first(), &a.relation).cmp(&(b.test, &b.file, b.lines.first(), &b.relation))
    });
    places
}

/// Maximum number of excluded uses, or of comments, that are listed.
const MOST_NAMED: usize = 10;

/// Formats places: `src/a.rs 12, 14; src/b.rs 3`.
fn named_places(places: &[UsePlace]) -> String {
    let of_file = |of_file: &[UsePlace]| {
        let lines: BTreeSet<u32> = of_file.iter().flat_map(|place| place.lines.iter().copied()).collect();
        format!("{} {}", of_file[0].file, numbers(&lines.into_iter().collect::<Vec<_>>()))
    };
    places.chunk_by(|a, b| a.file == b.file).map(of_file).collect::<Vec<_>>().join("; ")
}

/// Writes the lists. The first `asked` share the budget; the lists of their callers take what is left.
fn page(found: &[DeclarationUses], asked: usize, unknown: &[String], budget: usize) -> Page {
    let mut page = Page::new(budget);
    for (at, of) in found.iter().enumerate() {
        let following = &found[(at + 1).min(asked)..asked];
        page.begin(following.iter().map(|of| line_count(&of.places) + line_count(&of.possible)));
        let left_out = write_uses(&mut page, of);
        page.always(&verdict(of, left_out));
        write_limits(&mut page, of);
    }
    unknown.iter().for_each(|failure| page.always(failure));
    page
}

fn line_count(places: &[UsePlace]) -> usize {
    places.iter().map(|place| place.lines.len()).sum()
}

/// Writes the known and the possible uses of a declaration while they fit, and returns the number of omitted lines.
fn write_uses(page: &mut Page, of: &DeclarationUses) -> usize {
    let files: BTreeSet<&String> = of.places.iter().map(|place| &place.file).collect();
    let known = match line_count(&of.places) {
        0 => "no known use".to_owned(),
        known => format!("{} in {}", count(known, "line", "lines"), count(files.len(), "file", "files")),
    };
    let at = if of.lines.start > 0 { format!(" ({})", of.lines) } else { String::new() };
    page.always(&format!("{}{at}: {known}", of.id));
    let mut left_out = write(page, &of.places);
    if !of.possible.is_empty() {
        let reasons: BTreeSet<&str> = of.possible.iter().map(|place| &*place.reason).collect();
        let reasons = reasons.iter().map(|it| if it.is_empty() { "one of several" } else { it });
        let reasons = reasons.collect::<Vec<_>>().join("; ");
        let possible = count(line_count(&of.possible), "line", "lines");
        page.always(&format!("May be it too, {possible}: {reasons}"));
        left_out += match line_count(&of.possible) {
            ..=MOST_JUDGED => write(page, &of.possible),
            _ => write_numbers(page, &of.possible),
        };
    }
    left_out
}

/// Returns whether the lists are complete, and what the other lines with the name are.
fn verdict(of: &DeclarationUses, left_out: usize) -> String {
    if left_out > 0 {
        return format!("Cut: {} left out, ask with a larger budget.", count(left_out, "line", "lines"));
    }
    let possible = if of.possible.is_empty() { "" } else { " with those that may be it" };
    let constructed = constructions(&of.constructed);
    let others = match of.others {
        0 => String::new(),
        others if others <= MOST_NAMED && others == line_count(&of.excluded) => {
            format!(", {others} for something else ({})", named_places(&of.excluded))
        }
        others => format!(", {others} for something else"),
    };
    let outside = match line_count(&of.outside) {
        0 => String::new(),
        outside if outside <= MOST_NAMED => {
            format!(", {outside} on values from elsewhere ({})", named_places(&of.outside))
        }
        outside => format!(", {outside} on values from elsewhere"),
    };
    let (other, others_of) = match of.places.is_empty() && of.possible.is_empty() {
        true => ("", "Lines"),
        false => ("other ", "Other lines"),
    };
    let rest = match format!("{others}{outside}") {
        none if none.is_empty() => format!("No {other}line of code has the name"),
        rest => format!("{others_of} of code with the name: {}", rest.trim_start_matches(", ")),
    };
    format!("Complete{constructed}{possible}. {rest}.")
}

/// Writes the ways to call a declaration that the lists do not contain, and the comments with its name.
fn write_limits(page: &mut Page, of: &DeclarationUses) {
    let held: Vec<UsePlace> = of.places.iter().filter(|place| place.held).cloned().collect();
    match line_count(&held) {
        0 => {}
        1..=MOST_NAMED => page.always(&format!(
            "Held as a value: {}. Calls through that value are not listed.",
            named_places(&held)
        )),
        more => {
            page.always(&format!("Held as a value on {more} lines. Calls through that value are not listed."))
        }
    }
    if of.implicit {
        page.always("Operators, statements or built-in functions may call it. Such calls are not listed.");
    }
    if !of.supertypes.is_empty() {
        let supertypes = of.supertypes.join(", ");
        page.always(&format!("Code outside may call it through {supertypes}. Such calls are not listed."));
    }
    if !of.decorators.is_empty() {
        let decorators = of.decorators.join(", ");
        page.always(&format!("Decorated with {decorators}. Calls by a decorator are not listed."));
    }
    match line_count(&of.comments) {
        0 => {}
        1..=MOST_NAMED => page.always(&format!("Comments with the name: {}", named_places(&of.comments))),
        more => page.always(&format!("Comments with the name: {more} lines")),
    }
}

/// Formats the classes whose construction runs a constructor: ` with constructions of A, B`.
fn constructions(classes: &[String]) -> String {
    let name = |id: &String| id.rsplit("::").next().unwrap_or(id).to_owned();
    let named: Vec<String> = classes.iter().take(MOST_CLASSES).map(name).collect();
    match (classes.len(), classes.len() - named.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(" with constructions of {}", named.join(", ")),
        (_, more) => format!(" with constructions of {} and {more} more classes", named.join(", ")),
    }
}

/// Maximum number of classes that are named.
const MOST_CLASSES: usize = 5;

/// Number of possible uses above which only line numbers are listed: nobody judges each, and the numbers suffice to
/// look some up.
const MOST_JUDGED: usize = 80;

/// Writes the line numbers of each file while they fit, and returns the number of omitted lines.
fn write_numbers(page: &mut Page, places: &[UsePlace]) -> usize {
    let mut left_out = 0;
    for of_file in places.chunk_by(|a, b| (a.test, &a.file) == (b.test, &b.file)) {
        let lines: BTreeSet<u32> = of_file.iter().flat_map(|place| place.lines.iter().copied()).collect();
        let lines: Vec<u32> = lines.into_iter().collect();
        let test = if of_file[0].test { " (test)" } else { "" };
        if !page.line(&format!("{}{test} {}", of_file[0].file, numbers(&lines))) {
            left_out += of_file.iter().map(|place| place.lines.len()).sum::<usize>();
        }
    }
    page.next_list();
    left_out
}

/// Number of functions without a name in a file above which the lines of all are listed together.
const MOST_ANONYMOUS: usize = 10;

/// Joins the places in functions without a name, if a file has many that are alike.
fn collapsed(places: &[UsePlace]) -> Vec<UsePlace> {
    fn kind(place: &UsePlace) -> (&str, &str, &str) {
        (&place.file, &place.relation, &place.through)
    }
    let is_joined = |place: &&UsePlace| place.anonymous && place.texts.is_empty();
    let mut alike: BTreeMap<_, Vec<&UsePlace>> = BTreeMap::new();
    places.iter().filter(is_joined).for_each(|place| alike.entry(kind(place)).or_default().push(place));
    alike.retain(|_, places| places.len() > MOST_ANONYMOUS);
    let joined =
        places.iter().filter_map(|place| match alike.get(&kind(place)).filter(|_| is_joined(&place)) {
            None => Some(place.clone()),
            Some(all) if std::ptr::eq(all[0], place) => Some(UsePlace {
                name: format!("{} and {} more", place.name, all.len() - 1),
                lines: all.iter().flat_map(|place| &place.lines).copied().collect(),
                ..place.clone()
            }),
            Some(_) => None,
        });
    joined.collect()
}

/// Writes places while they fit, and returns the number of omitted lines.
fn write(page: &mut Page, places: &[UsePlace]) -> usize {
    let mut left_out = 0;
    let mut last = ("", false);
    for place in &collapsed(places) {
        if last != (&*place.file, place.test) {
            page.heading(&format!("{}{}", place.file, if place.test { " (test)" } else { "" }));
            last = (&place.file, place.test);
        }
        let name = if place.name.is_empty() { "(top level)" } else { &*place.name };
        let does = match &*place.relation {
            "calls" | "" => String::new(),
            relation => format!(" {relation}"),
        };
        let through = match &*place.through {
            "" => String::new(),
            through => format!(" through {}", through.rsplit("::").next().unwrap_or(through)),
        };
        let inferred = if place.inferred { " (inferred)" } else { "" };
        if place.texts.is_empty() {
            if !page.line(&format!("  {name} {}{does}{through}{inferred}", numbers(&place.lines))) {
                left_out += place.lines.len();
            }
            continue;
        }
        // Lines that have to be judged are shown.
        for (line, text) in place.lines.iter().zip(&place.texts) {
            left_out += usize::from(!page.line(&format!("  {name} {line}{does}{through}{inferred}: {text}")));
        }
    }
    page.next_list();
    left_out
}
