//! Constructors, and the types whose construction runs them.

use rustc_hash::FxHashSet;
use sscg_core::{Confidence, Modifiers, NodeId, Project, Relation, RelationSet, SymbolId, SymbolKind};

use super::EdgeFilter;
use crate::graph::{CodeGraph, Direction, Node};

/// Search for constructors along inheritance.
#[derive(Clone, Copy)]
pub(super) struct Construction<'g> {
    pub(super) project: &'g Project,
    pub(super) graph: &'g CodeGraph,
    /// Minimum confidence of the edges of inheritance.
    pub(super) min_confidence: Confidence,
}

impl Construction<'_> {
    /// Returns the constructors that constructing a class runs: its own, or those of the nearest supertype that has
    /// any.
    pub(super) fn constructors(self, class: NodeId) -> Vec<NodeId> {
        let mut lineage = vec![class];
        let mut seen = FxHashSet::from_iter([class]);
        let mut at = 0;
        while let Some(&class) = lineage.get(at) {
            let own = self.own_constructors(class);
            if !own.is_empty() {
                return own;
            }
            lineage.extend(self.next(&mut seen, class, Direction::Outgoing, |_| true));
            at += 1;
        }
        Vec::new()
    }

    /// Returns the classes whose construction runs a constructor: its own class, and subtypes without a constructor.
    pub(super) fn constructed(self, constructor: SymbolId) -> Vec<NodeId> {
        let Some(owner) = self.project.parent(constructor) else { return Vec::new() };
        let mut classes = vec![self.graph.id(Node::Symbol(owner))];
        let mut seen: FxHashSet<NodeId> = classes.iter().copied().collect();
        let mut at = 0;
        while let Some(&class) = classes.get(at) {
            let inherits = |below: NodeId| self.own_constructors(below).is_empty();
            classes.extend(self.next(&mut seen, class, Direction::Incoming, inherits));
            at += 1;
        }
        classes
    }

    /// Returns true if constructing the class of a constructor may run another one instead.
    pub(super) fn is_overloaded(self, constructor: SymbolId) -> bool {
        let owner = self.project.parent(constructor).map(|owner| self.graph.id(Node::Symbol(owner)));
        let is_whole = |constructor: &NodeId| match self.graph.node(*constructor) {
            Node::Symbol(symbol) => !self.project.symbol_modifiers(symbol).contains(Modifiers::OVERLOAD),
            _ => false,
        };
        owner.is_some_and(|owner| self.own_constructors(owner).iter().filter(|it| is_whole(it)).count() > 1)
    }

    /// Returns the direct supertypes of a class, by line, or its direct subtypes, without those already seen.
    fn next(
        self,
        seen: &mut FxHashSet<NodeId>,
        class: NodeId,
        direction: Direction,
        fits: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        let filter = EdgeFilter {
            direction: Some(direction),
            relations: RelationSet::EMPTY.with(Relation::Inherits),
            min_confidence: self.min_confidence,
            ..EdgeFilter::default()
        };
        let mut steps: Vec<_> = self.graph.steps(class, filter).collect();
        if direction == Direction::Outgoing {
            steps.sort_by_key(|step| step.edge.line);
        }
        steps.into_iter().map(|step| step.node).filter(|node| fits(*node) && seen.insert(*node)).collect()
    }

    fn own_constructors(self, class: NodeId) -> Vec<NodeId> {
        let Node::Symbol(symbol) = self.graph.node(class) else { return Vec::new() };
        let (file, local) = self.project.local_symbol(symbol);
        let facts = &self.project.files()[file].facts;
        let constructors =
            facts.children(local).filter(|child| facts.symbols[*child].kind == SymbolKind::Constructor);
        constructors.map(|child| self.graph.id(Node::Symbol(self.project.symbol_id(file, child)))).collect()
    }
}
