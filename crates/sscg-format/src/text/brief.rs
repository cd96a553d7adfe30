//! Results and their connections in few tokens, where the code below shows the rest.

use std::fmt::{self, Write};

use super::details::{named_copies, title};
use super::{Page, doubt};
use crate::SubgraphEdge;

impl Page<'_> {
    /// Writes a line for each result; then the callees or other targets of nodes, and the callers of results.
    pub(super) fn write_brief(&self, out: &mut String) -> fmt::Result {
        let results = &self.answer.results;
        if !results.is_empty() {
            writeln!(out)?;
        }
        for result in results {
            let lines = result.parts.first().unwrap_or(&result.lines);
            let is_found = result.source.is_search();
            let number = if is_found { format!("{} ", self.number(&result.chunk_id)) } else { String::new() };
            let (title, neighbor) = (title(result), if is_found { "" } else { " (neighbor)" });
            // For a result that is shown in part, the whole range is useful, too.
            let whole = if *lines == result.lines { String::new() } else { format!(" ({})", result.lines) };
            write!(out, "{number}{title}{whole} — {}:{lines}{neighbor}", result.file)?;
            for part in self.structure(result) {
                write!(out, " | {part}")?;
            }
            writeln!(out)?;
        }
        // Sources with the same edges share a line.
        let mut lines: Keyed<Vec<String>> = Vec::new();
        for (source, edges) in self.edges() {
            entry(&mut lines, edges).push(source);
        }
        for (edges, sources) in lines {
            writeln!(out, "{} {edges}", sources.join(", "))?;
        }
        for result in self.found() {
            // Callees and callers that are results are listed above.
            let (callees, callers) = (self.callees(&result.details.calls), self.callers(result, false));
            let tests = self.declared(result.details.tested_by.iter());
            let copies = named_copies(&result.copies);
            let others =
                [("calls", callees), ("called by", callers), ("tested by", tests), ("copies", copies)];
            for (how, others) in others {
                if !others.is_empty() {
                    writeln!(out, "{} {how}: {others}", self.number(&result.chunk_id))?;
                }
            }
        }
        Ok(())
    }

    /// Returns each source of edges with its targets: `→ [2], [4] —inherits→ [3]`.
    fn edges(&self) -> Keyed<String> {
        let mut by_source: Keyed<Keyed<Vec<String>>> = Vec::new();
        for edge in self.answer.subgraph_edges.iter().filter(|edge| !edge.boundary) {
            let SubgraphEdge { src, src_member, tgt, tgt_member, rel, .. } = edge;
            let arrow = match &**rel {
                "calls" | "instantiates" => "→".to_owned(),
                relation => format!("—{relation}→"),
            };
            let target = format!("{}{}", self.end(tgt, tgt_member), doubt(edge));
            let targets = entry(entry(&mut by_source, self.end(src, src_member)), arrow);
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let line = |edges: Keyed<Vec<String>>| {
            let edges = edges.into_iter().map(|(arrow, targets)| format!("{arrow} {}", targets.join(", ")));
            edges.collect::<Vec<_>>().join(" ")
        };
        by_source.into_iter().map(|(source, edges)| (source, line(edges))).collect()
    }

    /// Formats a result as `[3]`, and any other node as `Outer.inner (src/a.ts)`.
    fn end(&self, id: &str, member: &str) -> String {
        match self.places.get(id) {
            Some(place) => format!("[{place}]"),
            None => self.node(id, member),
        }
    }
}

/// Values by key, in order of first occurrence.
pub(super) type Keyed<T> = Vec<(String, T)>;

/// Returns the value of a key; appends a new one if there is none.
pub(super) fn entry<T: Default>(list: &mut Keyed<T>, key: String) -> &mut T {
    let at = list.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        list.push((key, T::default()));
        list.len() - 1
    });
    &mut list[at].1
}
