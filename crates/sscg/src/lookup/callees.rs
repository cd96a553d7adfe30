//! Callees of declarations.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use sscg_core::{Confidence, NodeId, Relation, RelationSet};
use sscg_format::Lines;
use sscg_graph::Direction;
use sscg_index::Snapshot;

use super::page::{Page, count, numbers};
use super::show::write_bodies;
use super::{ListOptions, check, levels, named_nodes, place};
use crate::Error;
use crate::explore::names;

/// Calls of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct DeclarationCalls {
    /// Id: `src/auth.py::Session.close`.
    pub id: String,
    /// Path of the file.
    pub file: String,
    /// First and last line.
    pub lines: Lines,
    /// Declarations that it calls or instantiates, by the first line.
    pub calls: Vec<Callee>,
}

/// Called declaration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Callee {
    /// Id; for external code its name.
    pub id: String,
    /// Path of the file; empty for external code.
    pub file: String,
    /// First and last line.
    pub lines: Lines,
    /// Lines of the calls, in order.
    pub at: Vec<u32>,
    /// Confidence: `exact`, `inferred` or `ambiguous`.
    pub confidence: String,
    /// Methods that override it, and may run instead.
    pub overridden_by: Vec<String>,
}

/// Lists what some declarations call or instantiate, each with all lines, its overrides (such as the methods that
/// implement an interface's), and calls of external code. Declarations are named as for
/// [`GraphRequest`](crate::GraphRequest). O(edges of the listed nodes).
///
/// ```
/// use sscg::{Engine, EngineOptions, ListOptions, Storage, callees};
///
/// # let tree = tempfile::tempdir()?;
/// # let path = tree.path();
/// # std::fs::write(path.join("a.py"), "def read(): pass\n\ndef main():\n    read()\n")?;
/// let engine = Engine::open_with(path, EngineOptions::stored_in(Storage::Ephemeral))?;
/// let (snapshot, _) = engine.refresh()?;
/// let (found, text) = callees(&snapshot, &["main".to_owned()], &ListOptions::default())?;
/// let callee = &found[0].calls[0];
/// assert_eq!((&*callee.id, &callee.at[..], &*callee.confidence), ("a.py::read", &[4][..], "exact"));
/// assert!(text.contains("a.py::main (3-4): calls 1 declaration"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`uses`](crate::uses).
pub fn callees(
    snapshot: &Snapshot,
    declarations: &[String],
    options: &ListOptions,
) -> Result<(Vec<DeclarationCalls>, String), Error> {
    check(declarations, "name", options.budget)?;
    let (nodes, unknown) = named_nodes(snapshot, declarations)?;
    let is_empty = |of: &DeclarationCalls| of.calls.is_empty();
    let asked = nodes.len();
    let found = levels(nodes, options.depth, |node| calls_of(snapshot, node), is_empty);
    let mut page = Page::new(options.budget);
    for (at, of) in found.iter().enumerate() {
        page.begin(found[(at + 1).min(asked)..asked].iter().map(|of| of.calls.len()));
        write(&mut page, of);
    }
    unknown.iter().for_each(|failure| page.always(failure));
    let called = found.iter().flat_map(|of| &of.calls).filter(|callee| !callee.file.is_empty());
    let called: Vec<String> = called.map(|callee| callee.id.clone()).collect();
    if options.bodies {
        write_bodies(&mut page, snapshot, &called);
    }
    Ok((found, page.end()))
}

fn calls_of(snapshot: &Snapshot, node: NodeId) -> (DeclarationCalls, Vec<NodeId>) {
    let graph = &snapshot.graph;
    let mut by_target: BTreeMap<NodeId, (BTreeSet<u32>, Confidence)> = BTreeMap::new();
    let runs = RelationSet::CALLS.with(Relation::Instantiates);
    for site in graph.sites_at(node, Direction::Outgoing).filter(|site| runs.contains(site.relation)) {
        let (lines, confidence) = by_target.entry(site.target).or_insert((BTreeSet::new(), site.confidence));
        lines.insert(site.line);
        *confidence = (*confidence).max(site.confidence);
    }
    let mut calls: Vec<(NodeId, Callee)> = by_target
        .into_iter()
        .filter(|(target, _)| !graph.is_standard(*target))
        .map(|(target, (at, confidence))| {
            let (file, lines) = place(snapshot, target);
            let overriding = graph.edges_at(target, Direction::Incoming);
            let overriding = overriding.filter(|edge| edge.relation == Relation::Overrides);
            let callee = Callee {
                id: names::id(snapshot, target),
                file,
                lines,
                at: at.into_iter().collect(),
                confidence: confidence.to_string(),
                overridden_by: overriding.map(|edge| names::id(snapshot, edge.source)).collect(),
            };
            (target, callee)
        })
        .collect();
    calls.sort_by(|(_, a), (_, b)| (&a.at, &a.id).cmp(&(&b.at, &b.id)));
    let (file, lines) = place(snapshot, node);
    let own = |(target, callee): &(NodeId, Callee)| (!callee.file.is_empty()).then_some(*target);
    let next = calls.iter().filter_map(own).collect();
    let calls = calls.into_iter().map(|(_, callee)| callee).collect();
    (DeclarationCalls { id: names::id(snapshot, node), file, lines, calls }, next)
}

fn write(page: &mut Page, of: &DeclarationCalls) {
    let (own, outside): (Vec<&Callee>, Vec<&Callee>) = of.calls.iter().partition(|it| !it.file.is_empty());
    let sum = match own.len() {
        0 => "calls nothing of the project that is known".to_owned(),
        own => format!("calls {}", count(own, "declaration", "declarations")),
    };
    page.always(&format!("{} ({}): {sum}", of.id, of.lines));
    let mut left_out = 0;
    for Callee { id, lines, at, confidence, overridden_by, .. } in own {
        let doubt = if confidence == "exact" { String::new() } else { format!(" ({confidence})") };
        let instead = match &overridden_by[..] {
            [] => String::new(),
            all => format!("; overridden by {}", all.join(", ")),
        };
        let line = format!("  {} {id} ({lines}){doubt}{instead}", numbers(at));
        left_out += usize::from(!page.line(&line));
    }
    page.next_list();
    if !outside.is_empty() {
        let names: Vec<String> = outside.iter().map(|it| format!("{} {}", it.id, numbers(&it.at))).collect();
        left_out += if page.line(&format!("  outside: {}", names.join("; "))) { 0 } else { names.len() };
        page.next_list();
    }
    if left_out > 0 {
        let calls = count(left_out, "call", "calls");
        page.always(&format!("Cut: {calls} left out, ask with a larger budget."));
    }
}
