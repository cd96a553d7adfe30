//! Connections of the results: the graph and its patterns.

use std::fmt::{self, Write};

use sscg_core::Relation;

use super::{Page, doubt};
use crate::{CallTreeNode, ResultItem, SubgraphEdge};

impl Page<'_> {
    /// Writes the graph, if there is more than one result or calls are followed beyond one step.
    pub(super) fn write_graph(&self, out: &mut String) -> fmt::Result {
        let results = &self.answer.results;
        let is_deep = results.iter().any(|result| is_deep(&result.details.calls));
        if results.iter().any(|result| !result.trusted) || (results.len() < 2 && !is_deep) {
            return Ok(());
        }
        let mut edges: Vec<&SubgraphEdge> =
            self.answer.subgraph_edges.iter().filter(|edge| !edge.boundary).collect();
        writeln!(out, "\nGraph:")?;
        let in_trees: Vec<&ResultItem> = if is_deep { self.roots(&edges).collect() } else { Vec::new() };
        for root in &in_trees {
            writeln!(out, "  {} ({})", self.node(&root.chunk_id, ""), root.file)?;
            self.write_calls(&root.details.calls, 2, out)?;
        }
        if is_deep {
            // A tree contains the calls of its root, and those below.
            edges.retain(|edge| {
                let mut roots = in_trees.iter();
                let is_told = roots.any(|root| tells(&root.chunk_id, &root.details.calls, edge));
                !(is_told && (edge.rel == "calls" || edge.rel == "instantiates"))
            });
        }
        self.write_chains(&edges, out)?;
        self.write_standalone(&in_trees, out)?;
        self.write_unconnected(out)
    }

    fn write_chains(&self, edges: &[&SubgraphEdge], out: &mut String) -> fmt::Result {
        for chain in chains(edges) {
            let first = chain[0];
            write!(out, "  {}", self.node(&first.src, &first.src_member))?;
            for edge in chain {
                let arrow = match edge.rel.as_str() {
                    "calls" | "instantiates" => "→".to_owned(),
                    relation => format!("—{relation}→"),
                };
                write!(out, " {arrow} {}{}", self.node(&edge.tgt, &edge.tgt_member), doubt(edge))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the results that have no edge and are in no call tree.
    fn write_standalone(&self, in_trees: &[&ResultItem], out: &mut String) -> fmt::Result {
        let alone = self.found().filter(|result| {
            let is_end = |edge: &SubgraphEdge| edge.src == result.chunk_id || edge.tgt == result.chunk_id;
            let is_in_tree = in_trees.iter().any(|root| {
                root.chunk_id == result.chunk_id || reaches(&root.details.calls, &result.chunk_id)
            });
            // A method of a class that is a result is not standalone, and neither is the class.
            let is_nested = self.found().any(|other| result.stands_in(other) || other.stands_in(result));
            !is_nested
                && !is_in_tree
                && !self.answer.subgraph_edges.iter().any(|edge| !edge.boundary && is_end(edge))
        });
        let alone: Vec<&ResultItem> = alone.collect();
        match &alone[..] {
            [] => Ok(()),
            [only] => writeln!(out, "  {} (standalone {})", self.node(&only.chunk_id, ""), only.kind),
            several => {
                let numbers: Vec<String> =
                    several.iter().map(|result| self.number(&result.chunk_id)).collect();
                writeln!(out, "  {} (standalone)", numbers.join(" "))
            }
        }
    }

    /// Writes the groups of several results between which no connection was found.
    fn write_unconnected(&self, out: &mut String) -> fmt::Result {
        let groups = self.answer.unconnected.iter().filter(|group| group.len() > 1);
        let groups: Vec<String> = groups.map(|group| self.numbers(group)).collect();
        if groups.len() > 1 {
            writeln!(out, "  no connection found between {}", groups.join(" and "))?;
        }
        Ok(())
    }

    /// Returns the results that no other result calls, and one of each cycle.
    fn roots(&self, edges: &[&SubgraphEdge]) -> impl Iterator<Item = &ResultItem> {
        let results = &self.answer.results;
        let is_called = |result: &ResultItem| {
            edges.iter().any(|edge| {
                (edge.rel == "calls" || edge.rel == "instantiates")
                    && edge.tgt == result.chunk_id
                    && edge.src != result.chunk_id
            })
        };
        let mut roots: Vec<&ResultItem> =
            results.iter().filter(|result| !result.details.calls.is_empty() && !is_called(result)).collect();
        for result in results.iter().filter(|result| !result.details.calls.is_empty()) {
            let is_root = roots.iter().any(|root| root.chunk_id == result.chunk_id);
            if !is_root && !roots.iter().any(|root| reaches(&root.details.calls, &result.chunk_id)) {
                roots.push(result);
            }
        }
        roots.into_iter()
    }

    fn write_calls(&self, calls: &[CallTreeNode], depth: usize, out: &mut String) -> fmt::Result {
        for call in calls {
            write!(out, "{:1$}→ {2}", "", 2 * depth, self.symbol(&call.symbol))?;
            if let Some(mark) = call.mark {
                write!(out, " [{mark}]")?;
            }
            writeln!(out)?;
            self.write_calls(&call.calls, depth + 1, out)?;
        }
        Ok(())
    }

    pub(super) fn write_patterns(&self, out: &mut String) -> fmt::Result {
        let patterns = &self.answer.patterns;
        if patterns.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nPatterns:")?;
        for hub in &patterns.hubs {
            writeln!(
                out,
                "  Hub: {} — called by {}",
                self.node(&hub.result, ""),
                self.numbers(&hub.used_by)
            )?;
        }
        for hub in &patterns.shared_results {
            writeln!(
                out,
                "  Shared dep: {} — used by {}",
                self.node(&hub.result, ""),
                self.numbers(&hub.used_by)
            )?;
        }
        for shared in &patterns.shared_dependencies {
            writeln!(
                out,
                "  Shared dep: {} — used by {}",
                self.symbol(&shared.symbol),
                self.numbers(&shared.used_by)
            )?;
        }
        let found = self.places.len();
        for shared in &patterns.shared_types {
            writeln!(
                out,
                "  Shared type: {} — used by {}/{found} results",
                self.symbol(&shared.symbol),
                shared.used_by.len()
            )?;
        }
        for diamond in &patterns.diamonds {
            writeln!(
                out,
                "  Diamond: {} → {} → {}",
                self.number(&diamond.top),
                self.numbers(&diamond.sides),
                self.number(&diamond.bottom)
            )?;
        }
        for cycle in &patterns.cycles {
            match &cycle[..] {
                [one, other] => {
                    let [one, other] = [self.number(one), self.number(other)];
                    writeln!(out, "  Cycle: {one} → {other} → {one}")?;
                }
                several => writeln!(out, "  Cycle: {} depend on each other", self.numbers(several))?,
            }
        }
        Ok(())
    }
}

/// True if calls are followed beyond one step, or marked with the reason why not.
pub(super) fn is_deep(calls: &[CallTreeNode]) -> bool {
    calls.iter().any(|call| !call.calls.is_empty() || call.mark.is_some())
}

/// True if an edge is a call by a caller, or by its callees.
fn tells(caller: &str, calls: &[CallTreeNode], edge: &SubgraphEdge) -> bool {
    let is_own = caller == edge.src && edge.src_member.is_empty();
    calls
        .iter()
        .any(|call| (is_own && call.symbol.id == edge.tgt) || tells(&call.symbol.id, &call.calls, edge))
}

fn reaches(calls: &[CallTreeNode], id: &str) -> bool {
    calls.iter().any(|call| call.symbol.id == id || reaches(&call.calls, id))
}

/// Joins edges into few chains in one pass: each edge starts where the one before it ends. Of edges with the same ends,
/// the one with the highest weight stands for all.
fn chains<'a>(edges: &[&'a SubgraphEdge]) -> Vec<Vec<&'a SubgraphEdge>> {
    let mut rest: Vec<&SubgraphEdge> = Vec::new();
    for edge in edges {
        match rest.iter_mut().find(|known| known.src == edge.src && known.tgt == edge.tgt) {
            Some(known) if weight(edge) > weight(known) => *known = edge,
            Some(_) => {}
            None => rest.push(edge),
        }
    }
    let ends_in =
        |edge: &SubgraphEdge, next: &SubgraphEdge| edge.tgt == next.src && edge.tgt_member == next.src_member;
    let mut chains = Vec::new();
    while !rest.is_empty() {
        // Start with a source that no edge leads to, so that chains are long.
        let start = rest.iter().position(|edge| !rest.iter().any(|other| ends_in(other, edge)));
        let mut chain = vec![rest.remove(start.unwrap_or(0))];
        loop {
            let last = chain[chain.len() - 1];
            let is_new = |edge: &SubgraphEdge| chain.iter().all(|known| known.src != edge.tgt);
            let Some(next) = rest.iter().position(|edge| ends_in(last, edge) && is_new(edge)) else { break };
            chain.push(rest.remove(next));
        }
        chains.push(chain);
    }
    chains
}

fn weight(edge: &SubgraphEdge) -> f32 {
    edge.rel.parse::<Relation>().map_or(0.0, Relation::weight)
}
