//! Lists of callers: which callers they leave untold, and which of the possible ones are true.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sscg_core::{Modifiers, NodeId, Project, RelationSet, SymbolId, SymbolKind};
use sscg_graph::traverse::{UseSite, Uses, uses};
use sscg_graph::{Node, Reason};

use super::places::{Ends, Places};

/// Callers by the oracle, beside the uses that the graph knows or holds possible.
#[derive(Default)]
pub(super) struct Callers {
    /// Number of functions and classes with callers by the oracle.
    pub(super) called: usize,
    /// Callers that are neither known nor possible, grouped by function. Those of functions that are held as values,
    /// decorated, or called by the language or external code are told by that.
    pub(super) untold: Vec<Ends>,
    /// Number of functions without a use that is known or possible.
    pub(super) unused: usize,
    /// Those of them that the oracle has callers of, with one caller.
    pub(super) wrongly_unused: Vec<Ends>,
    /// Possible uses that can be judged.
    pub(super) possible: Vec<PossibleUse>,
}

/// Possible use that the oracle can judge.
pub(super) struct PossibleUse {
    pub(super) edge: Ends,
    /// Reason why the use is not known.
    pub(super) reason: &'static str,
    /// True if the oracle has the call.
    pub(super) right: bool,
}

impl Callers {
    /// Compares the callers of each function with its known and possible uses. `callers` has the oracle's callers of each
    /// target, with the line of a call; `is_judged` tells whether the oracle knows all calls from one node to another.
    pub(super) fn new(
        places: &Places<'_>,
        callers: &FxHashMap<NodeId, BTreeMap<NodeId, u32>>,
        is_judged: impl Fn(NodeId, NodeId) -> bool,
    ) -> Self {
        let mut found = Self::default();
        for (target, declarations) in declarations(places) {
            let uses: Vec<Uses> = declarations
                .iter()
                .map(|declaration| uses(places.project, places.graph, *declaration, RelationSet::CODE))
                .collect::<Result<_, _>>()
                .expect("declarations are in the graph");
            let known = uses.iter().flat_map(|uses| &uses.known).map(|site| (site, true));
            let possible = uses.iter().flat_map(|uses| &uses.possible).map(|site| (site, false));
            let sites: Vec<(&UseSite, bool)> = known.chain(possible).collect();
            let may_be_called_unseen =
                |uses: &Uses| !uses.decorators.is_empty() || !uses.supertypes.is_empty() || uses.is_implicit;
            let escapes = sites.iter().any(|(site, is_known)| *is_known && site.is_held())
                || uses.iter().any(may_be_called_unseen);
            let told: FxHashSet<NodeId> = sites.iter().map(|(site, _)| places.code(site.node)).collect();
            let known: FxHashSet<NodeId> = sites
                .iter()
                .filter(|(_, is_known)| *is_known)
                .map(|(site, _)| places.code(site.node))
                .collect();
            let expected = callers.get(&target);
            found.called += usize::from(expected.is_some());
            let missed = expected.into_iter().flatten().map(|(source, line)| (*source, *line));
            let edge = |(source, line)| Ends { source, target, line };
            if sites.is_empty() && !escapes {
                found.unused += 1;
                found.wrongly_unused.extend(missed.clone().next().map(edge));
            }
            found.untold.extend(missed.filter(|(source, _)| !escapes && !told.contains(source)).map(edge));
            let mut seen = FxHashSet::default();
            for (site, _) in sites.iter().filter(|(_, is_known)| !is_known) {
                let source = places.code(site.node);
                if known.contains(&source) || !is_judged(source, target) || !seen.insert(source) {
                    continue;
                }
                let right = expected.is_some_and(|expected| expected.contains_key(&source));
                let edge = Ends { source, target, line: site.line };
                let reason = site.reason.map_or("one of several candidates", Reason::as_str);
                found.possible.push(PossibleUse { edge, reason, right });
            }
        }
        found
    }

    /// Returns the number of functions with a caller that is untold.
    pub(super) fn incomplete(&self) -> usize {
        self.untold.iter().map(|edge| edge.target).collect::<FxHashSet<_>>().len()
    }

    /// Returns the number of possible uses that are true.
    pub(super) fn true_possible(&self) -> usize {
        self.possible.iter().filter(|it| it.right).count()
    }

    /// Returns the number of possible uses that are true, and of all, by the reason why they are not known.
    pub(super) fn by_reason(&self) -> BTreeMap<&'static str, (usize, usize)> {
        let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for PossibleUse { reason, right, .. } in &self.possible {
            let (true_ones, all) = counts.entry(reason).or_default();
            *true_ones += usize::from(*right);
            *all += 1;
        }
        counts
    }
}

/// Returns the declarations of each function, and of each class with its constructors.
fn declarations(places: &Places<'_>) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut declarations: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for symbol in places.project.symbol_ids() {
        let kind = places.project.symbol(symbol).kind;
        if !kind.is_callable() && kind != SymbolKind::Class || is_represented(places.project, symbol) {
            continue;
        }
        let node = places.graph.id(Node::Symbol(symbol));
        if let Some(target) = places.own(node) {
            declarations.entry(target).or_default().push(node);
        }
    }
    declarations
}

/// Returns true for an overload, if another declaration of the function stands for it: the one with a body, or the first.
fn is_represented(project: &Project, symbol: SymbolId) -> bool {
    let (file, local) = project.local_symbol(symbol);
    let symbols = &project.files()[file].facts.symbols;
    let overload = &symbols[local];
    if !overload.modifiers.contains(Modifiers::OVERLOAD) {
        return false;
    }
    let mut others = symbols.iter_enumerated().filter(|(other, it)| {
        *other != local
            && it.parent == overload.parent
            && it.name == overload.name
            && it.kind == overload.kind
    });
    others.any(|(other, it)| it.body.is_some() || other < local)
}
