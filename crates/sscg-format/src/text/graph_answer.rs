//! Answers about the graph as plain text: each node with its edges below it.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use sscg_core::Relation;

use super::{count, doubt, places, thousands, write_pending};
use crate::{GraphAnswer, GraphNode, Operation, SubgraphEdge};

/// Formats an answer about the graph as text.
pub(super) fn text(answer: &GraphAnswer) -> String {
    let mut out = String::new();
    Page::new(answer).write(&mut out).expect("writing to a string does not fail");
    out
}

/// Answer with the position of each node in it, and the edges out of each, by relation and position of the target.
struct Page<'a> {
    answer: &'a GraphAnswer,
    places: HashMap<&'a str, usize>,
    edges: HashMap<&'a str, Vec<&'a SubgraphEdge>>,
}

impl<'a> Page<'a> {
    fn new(answer: &'a GraphAnswer) -> Self {
        let places: HashMap<&str, usize> =
            answer.nodes.iter().map(|node| node.id.as_str()).zip(1..).collect();
        let mut edges: HashMap<&str, Vec<&SubgraphEdge>> = HashMap::new();
        for edge in &answer.edges {
            edges.entry(&edge.src).or_default().push(edge);
        }
        for edges in edges.values_mut() {
            edges.sort_by(|a, b| a.rel.cmp(&b.rel).then(places[a.tgt.as_str()].cmp(&places[b.tgt.as_str()])));
        }
        Self { answer, places, edges }
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let answer = self.answer;
        self.write_summary(out)?;
        for warning in &answer.warnings {
            writeln!(out, "Warning: {warning}")?;
        }
        let mut distance = Some(0);
        for (place, node) in (1..).zip(&answer.nodes) {
            if node.distance != distance {
                distance = node.distance;
                match distance {
                    Some(0) => writeln!(out)?,
                    Some(steps) => writeln!(out, "\n{} away:", count(steps as usize, "step"))?,
                    None => writeln!(out)?,
                }
            } else if place == 1 {
                writeln!(out)?;
            }
            self.write_node(place, node, out)?;
        }
        if !answer.paths.is_empty() {
            writeln!(out, "\nPaths:")?;
        }
        for path in &answer.paths {
            self.write_path(path, out)?;
        }
        self.write_rest(out)
    }

    fn write_summary(&self, out: &mut String) -> fmt::Result {
        let answer = self.answer;
        let names: Vec<&str> =
            answer.nodes.iter().filter(|node| answer.is_seed(node)).map(|node| node.name.as_str()).collect();
        let found = answer.nodes.len() - names.len();
        match answer.operation {
            Operation::Expand => {
                write!(out, "Expand: {} | {} around", names.join(", "), count(found, "node"))?;
            }
            Operation::Neighborhood => {
                write!(out, "Neighborhood: {} | {} around", names.join(", "), count(found, "node"))?;
            }
            Operation::Pack => write!(out, "Pack: {} that say most", count(found, "node"))?,
            Operation::Trace => {
                let name = |id: Option<&String>| {
                    let node = id.and_then(|id| answer.nodes.iter().find(|node| node.id == *id));
                    node.map_or("", |node| &node.name)
                };
                let (from, to) = (name(answer.seeds.first()), name(answer.seeds.last()));
                write!(out, "Trace: {from} to {to} | {}", count(answer.paths.len(), "path"))?;
                if let Some(path) = answer.paths.first() {
                    write!(out, " of {}", count(path.len() - 1, "step"))?;
                }
            }
            Operation::Impact => {
                let affected = || answer.nodes.iter().filter(|node| node.score.is_some());
                let shown = affected().count();
                let all = thousands(shown + answer.omitted);
                write!(out, "Impact: {} | {all} affected", names.join(", "))?;
                if answer.omitted > 0 {
                    write!(out, ", {} shown", thousands(shown))?;
                }
                let files: BTreeSet<&str> = affected().map(|node| node.file.as_str()).collect();
                if !files.is_empty() {
                    write!(out, " in {}", count(files.len(), "file"))?;
                }
                let tests = affected().filter(|node| node.test).count();
                if tests > 0 {
                    write!(out, ", {tests} of tests")?;
                }
            }
        }
        writeln!(out, " | {}/{} tokens", thousands(answer.token_count), thousands(answer.token_budget))
    }

    /// Writes `[3] Outer.inner (src/a.ts:3-9): method, relevance 0.42`, then its edges.
    fn write_node(&self, place: usize, node: &GraphNode, out: &mut String) -> fmt::Result {
        write!(out, "[{place}] {}", node.name)?;
        match node.lines {
            Some(lines) => write!(out, " ({}:{lines})", node.file)?,
            None if node.file.is_empty() || node.file == node.name => {}
            None => write!(out, " ({})", node.file)?,
        }
        write!(out, ": {}", if node.reason.is_empty() { &node.kind } else { &node.reason })?;
        if node.test {
            out.push_str(", test");
        }
        if let Some(relevance) = node.ppr_relevance {
            write!(out, ", relevance {relevance:.2}")?;
        }
        out.push('\n');
        if self.answer.is_seed(node) && !node.signature.is_empty() {
            writeln!(out, "  {}", node.signature)?;
        }
        for alike in self.edges_from(&node.id).chunk_by(|a, b| a.rel == b.rel) {
            let targets: Vec<String> = alike.iter().map(|edge| self.target(edge)).collect();
            writeln!(out, "  {} {}", alike[0].rel, targets.join(", "))?;
        }
        Ok(())
    }

    fn edges_from(&self, id: &str) -> &[&'a SubgraphEdge] {
        self.edges.get(id).map_or(&[], Vec::as_slice)
    }

    /// Formats the target of an edge: `[3] at 14 (inferred)`.
    fn target(&self, edge: &SubgraphEdge) -> String {
        let line = if edge.line > 0 { format!(" at {}", edge.line) } else { String::new() };
        format!("[{}]{line}{}", self.places[edge.tgt.as_str()], doubt(edge))
    }

    /// Writes a path: `[1] calls [3] implemented_by [2]`.
    fn write_path(&self, path: &[String], out: &mut String) -> fmt::Result {
        let place = |id: &String| self.places[id.as_str()];
        write!(out, "[{}]", place(&path[0]))?;
        for step in path.windows(2) {
            let [from, to] = step else { continue };
            let edge = |from: &str, to: &str| self.edges_from(from).iter().find(|edge| edge.tgt == to);
            let word = match (edge(from, to), edge(to, from)) {
                (Some(edge), _) => edge.rel.as_str(),
                (None, Some(edge)) => reverse_name(&edge.rel),
                (None, None) => "and",
            };
            write!(out, " {word} [{}]", place(to))?;
        }
        out.push('\n');
        Ok(())
    }

    fn write_rest(&self, out: &mut String) -> fmt::Result {
        let GraphAnswer { operation, kinds, omitted, unresolved_uses, index, .. } = self.answer;
        let is_empty = self.answer.parts() == 0 && *omitted == 0;
        match operation {
            Operation::Trace if is_empty => {
                writeln!(out, "\nNo way leads from one to the other within these limits.")?
            }
            Operation::Impact if is_empty => {
                writeln!(out, "\nNothing is known to use it within these limits.")?
            }
            Operation::Expand | Operation::Neighborhood if is_empty && kinds.is_empty() => {
                writeln!(out, "\nNothing is known to be tied to it within these limits.")?
            }
            Operation::Expand | Operation::Neighborhood if is_empty => {
                let kinds = kinds.join(", ");
                writeln!(
                    out,
                    "\nNothing of these kinds is known to be tied to it within these limits: {kinds}."
                )?
            }
            _ => {}
        }
        if let Some(uses) = unresolved_uses.filter(|uses| *uses > 0) {
            let (name, it) =
                if self.answer.seeds.len() == 1 { ("its name", "it") } else { ("their names", "them") };
            let places = places(&self.answer.unresolved_at, uses);
            writeln!(out, "\n{} of {name} may mean {it}{places}.", count(uses, "unresolved use"))?;
        }
        if *omitted > 0 {
            let least = if *operation == Operation::Trace { "At least " } else { "" };
            writeln!(
                out,
                "\n{least}{} more left out: ask with a higher limit or budget, or more narrowly.",
                thousands(*omitted)
            )?;
        }
        write_pending(index, out)
    }
}

/// Returns the name of a relation as read from its target.
fn reverse_name(name: &str) -> &str {
    name.parse::<Relation>().map_or(name, |relation| relation.reverse_name())
}
