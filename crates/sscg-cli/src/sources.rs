//! Sources of edges besides the linker: results of other programs.

use serde::Serialize;
use sscg::core::Provenance;
use sscg::graph::{Comparison, Contradiction};
use sscg::index::Snapshot;

use crate::text::count;

/// Comparison of a source with the graph, as JSON.
#[derive(Serialize)]
pub(crate) struct Source {
    provenance: &'static str,
    agreed: usize,
    added: usize,
    decided: usize,
    contradicted: usize,
    stale: usize,
    unused: usize,
    contradictions: Vec<Disagreement>,
}

/// Site at which a source replaced the target of an edge.
#[derive(Serialize)]
struct Disagreement {
    path: String,
    line: u32,
    name: String,
    relation: &'static str,
    before: Vec<String>,
    after: String,
}

impl From<&Contradiction> for Disagreement {
    fn from(it: &Contradiction) -> Self {
        Self {
            path: it.path.to_string(),
            line: it.line,
            name: it.name.to_string(),
            relation: it.relation.as_str(),
            before: it.before.clone(),
            after: it.after.clone(),
        }
    }
}

/// Returns the comparisons of a snapshot, with those of `imported` in place of the ones of the same provenance.
pub(crate) fn sources(snapshot: &Snapshot, imported: &[(Provenance, Comparison)]) -> Vec<Source> {
    let compared = snapshot.comparisons.iter().map(|of_source| {
        imported.iter().find(|(provenance, _)| *provenance == of_source.0).unwrap_or(of_source)
    });
    compared.map(|(provenance, comparison)| source(*provenance, comparison)).collect()
}

fn source(provenance: Provenance, comparison: &Comparison) -> Source {
    Source {
        provenance: provenance.as_str(),
        agreed: comparison.agreed,
        added: comparison.added,
        decided: comparison.decided,
        contradicted: comparison.contradicted.len(),
        stale: comparison.stale,
        unused: comparison.unused,
        contradictions: comparison.contradicted.iter().map(Disagreement::from).collect(),
    }
}

/// Formats the comparisons, one line each, and the contradictions if they are wanted.
pub(crate) fn text(sources: &[Source], verbose: bool) -> String {
    let mut out = String::new();
    for source in sources {
        let Source { provenance, agreed, added, decided, contradicted, stale, .. } = source;
        let stale = if *stale > 0 { format!(", {stale} stale") } else { String::new() };
        let sites = count(agreed + added + decided + contradicted, "site");
        out += &format!(
            "{provenance}: {sites}: {agreed} agreed, {added} added, {decided} decided, {contradicted} contradicted{stale}\n"
        );
        for Disagreement { path, line, name, relation, before, after } in
            source.contradictions.iter().filter(|_| verbose)
        {
            out += &format!("  {path}:{line}: {name} {relation} {after}, not {}\n", before.join(", "));
        }
    }
    out
}
