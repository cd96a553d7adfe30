//! Report of an evaluation.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use sscg_core::{Confidence, NodeId, Relation};
use sscg_graph::Node;
use sscg_index::Snapshot;

use super::callers::Callers;
use super::evaluate::{Comparison, Evaluation, Peer, Verdict, share};
use super::places::Ends;

/// Figures of one relation.
#[derive(Serialize)]
pub(super) struct Row {
    relation: &'static str,
    /// Number of the oracle's edges; the next five fields split it by the result in the graph.
    oracle: usize,
    exact: usize,
    inferred: usize,
    ambiguous: usize,
    unresolved: usize,
    missing: usize,
    recall: f64,
    recall_with_ambiguous: f64,
    precision: [Precision; 3],
    f1: f64,
}

/// Number of the graph's edges of one confidence, and of the correct ones among them.
#[derive(Serialize)]
struct Precision {
    confidence: &'static str,
    right: usize,
    judged: usize,
    precision: f64,
}

const CONFIDENCES: [Confidence; 3] = [Confidence::Exact, Confidence::Inferred, Confidence::Ambiguous];

impl Row {
    /// Columns of [`Row::csv`].
    pub(super) const COLUMNS: &str =
        "relation,expected,exact,inferred,ambiguous,unresolved,missing,recall,precision of exact";

    fn new(relation: Relation, comparison: &Comparison) -> Self {
        let [exact, inferred, ambiguous] = CONFIDENCES.map(|confidence| comparison.found(confidence));
        let (oracle, unresolved) = (comparison.expected.len(), comparison.unresolved());
        let precision = CONFIDENCES.map(|confidence| {
            let (right, judged) = comparison.right(&[confidence]);
            Precision { confidence: confidence.as_str(), right, judged, precision: share(right, judged) }
        });
        Self {
            relation: relation.as_str(),
            oracle,
            exact,
            inferred,
            ambiguous,
            unresolved,
            missing: oracle - exact - inferred - ambiguous - unresolved,
            recall: comparison.recall(Confidence::Inferred),
            recall_with_ambiguous: comparison.recall(Confidence::Ambiguous),
            precision,
            f1: comparison.f1(),
        }
    }

    /// Returns the counts, the recall of `exact` and `inferred` edges, and the precision of `exact` ones.
    pub(super) fn csv(&self) -> String {
        let Self { relation, oracle, exact, inferred, ambiguous, unresolved, missing, .. } = self;
        let counts = format!("{oracle},{exact},{inferred},{ambiguous},{unresolved},{missing}");
        format!("{relation},{counts},{:.4},{:.4}", self.recall, self.precision[0].precision)
    }
}

/// Returns the figures of every relation.
pub(super) fn rows(evaluation: &Evaluation) -> Vec<Row> {
    evaluation.relations.iter().map(|(relation, comparison)| Row::new(*relation, comparison)).collect()
}

/// Returns one line for each relation of another program's edges.
pub(super) fn peers(peers: &BTreeMap<Relation, Peer>, only: Option<Relation>) -> String {
    let shown = peers.iter().filter(|(relation, _)| only.is_none_or(|it| it == **relation));
    let line = |(relation, peer): (&Relation, &Peer)| {
        let Peer { expected, found, judged, right } = *peer;
        let (recall, precision) = (share(found, expected), share(right, judged));
        format!(
            "peer {relation}: {found} of {expected} found ({recall:.3}), {right} of {judged} right ({precision:.3})\n"
        )
    };
    shown.map(line).collect()
}

/// Returns the table, then examples of each kind of miss.
pub(super) fn text(
    snapshot: &Snapshot,
    evaluation: &Evaluation,
    only: Option<Relation>,
    examples: usize,
) -> String {
    let mut out = String::new();
    write_text(&mut out, snapshot, evaluation, only, examples).expect("writing to a string does not fail");
    out
}

fn write_text(
    out: &mut String,
    snapshot: &Snapshot,
    evaluation: &Evaluation,
    only: Option<Relation>,
    examples: usize,
) -> std::fmt::Result {
    writeln!(
        out,
        "{:<14} {:>6} = {:>6} {:>8} {:>9} {:>6} {:>7}  {:>6} {:>7}  {:^21} {:^21} {:^21}  {:>5}",
        "relation",
        "oracle",
        "exact",
        "inferred",
        "ambiguous",
        "ledger",
        "missing",
        "recall",
        "(+amb.)",
        "precision of exact",
        "of inferred",
        "of ambiguous",
        "F1"
    )?;
    let shown = || evaluation.relations.iter().filter(|(relation, _)| only.is_none_or(|it| it == **relation));
    for (relation, comparison) in shown() {
        let row = Row::new(*relation, comparison);
        write!(
            out,
            "{:<14} {:>6} = {:>6} {:>8} {:>9} {:>6} {:>7}  {:>6.3} {:>7.3} ",
            row.relation,
            row.oracle,
            row.exact,
            row.inferred,
            row.ambiguous,
            row.unresolved,
            row.missing,
            row.recall,
            row.recall_with_ambiguous
        )?;
        for Precision { right, judged, precision, .. } in &row.precision {
            write!(out, " {precision:>6.3} {:>14}", format!("{right}/{judged}"))?;
        }
        writeln!(out, "  {:>5.3}", row.f1)?;
    }
    for (relation, comparison) in shown() {
        for ((confidence, (provenance, candidates)), (right, all)) in comparison.by_rule() {
            let provenance = provenance.as_str();
            let precision = share(right, all);
            writeln!(
                out,
                "rule {relation} {confidence} {provenance} {candidates}: {right} of {all} right ({precision:.3})"
            )?;
        }
    }
    if only.is_none_or(|it| it == Relation::Calls) {
        callers(out, snapshot, &evaluation.callers, examples)?;
    }
    writeln!(out, "targets without a symbol: {}", evaluation.unmapped.len())?;
    for target in sample(&evaluation.unmapped, examples) {
        writeln!(out, "  {target}")?;
    }
    for (relation, comparison) in shown() {
        for confidence in CONFIDENCES {
            let wrong = comparison.judged.iter().filter(|edge| !edge.right && edge.confidence == confidence);
            let wrong: Vec<Ends> = wrong.map(|edge| edge.edge).collect();
            list(out, snapshot, &format!("{relation}, {confidence}, not the oracle's"), &wrong, examples)?;
        }
        let missed = |fits: fn(&Verdict) -> bool| -> Vec<Ends> {
            comparison.expected.iter().filter(|edge| fits(&edge.found)).map(|edge| edge.edge).collect()
        };
        let ambiguous = missed(|found| *found == Verdict::Edge(Confidence::Ambiguous));
        list(out, snapshot, &format!("{relation}, only ambiguous"), &ambiguous, examples)?;
        let mut reasons: Vec<&str> = comparison
            .expected
            .iter()
            .filter_map(|edge| match edge.found {
                Verdict::Unresolved(reason) => Some(reason),
                Verdict::Edge(_) | Verdict::Missing => None,
            })
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let edges = comparison.expected.iter().filter(|edge| edge.found == Verdict::Unresolved(reason));
            let edges: Vec<Ends> = edges.map(|edge| edge.edge).collect();
            list(out, snapshot, &format!("{relation}, in the ledger: {reason}"), &edges, examples)?;
        }
        let missing = missed(|found| *found == Verdict::Missing);
        list(out, snapshot, &format!("{relation}, missing"), &missing, examples)?;
    }
    Ok(())
}

/// Writes what lists of callers leave untold.
fn callers(out: &mut String, snapshot: &Snapshot, callers: &Callers, examples: usize) -> std::fmt::Result {
    let percent = |part, whole| 100.0 * part as f64 / std::cmp::max(whole, 1) as f64;
    let Callers { called, unused, untold, wrongly_unused, possible } = callers;
    let (incomplete, wrong, right) = (callers.incomplete(), wrongly_unused.len(), callers.true_possible());
    writeln!(
        out,
        "callers: {incomplete} of {called} called functions have untold ones ({:.1} %); {wrong} of {unused} functions \
         without known or possible uses are called ({:.1} %); {right} of {} possible uses are calls ({:.1} %)",
        percent(incomplete, *called),
        percent(wrong, *unused),
        possible.len(),
        percent(right, possible.len()),
    )?;
    for (reason, (right, all)) in callers.by_reason() {
        writeln!(out, "  possible, {reason}: {right} of {all} are calls")?;
    }
    list(out, snapshot, "untold callers", untold, examples)?;
    list(out, snapshot, "callers of functions without known or possible uses", wrongly_unused, examples)?;
    for reason in callers.by_reason().into_keys() {
        let noise = possible.iter().filter(|it| !it.right && it.reason == reason);
        let noise: Vec<Ends> = noise.map(|it| it.edge).collect();
        list(out, snapshot, &format!("possible uses that are no calls: {reason}"), &noise, examples)?;
    }
    Ok(())
}

/// Returns at most `count` items, evenly spread.
fn sample<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    let count = count.min(items.len());
    (0..count).map(move |at| &items[at * items.len() / count])
}

fn list(
    out: &mut String,
    snapshot: &Snapshot,
    heading: &str,
    edges: &[Ends],
    examples: usize,
) -> std::fmt::Result {
    if edges.is_empty() || examples == 0 {
        return Ok(());
    }
    writeln!(out, "\n{heading}: {}", edges.len())?;
    for Ends { source, target, line } in sample(edges, examples) {
        let (path, name) = place(snapshot, *source);
        let (declared_in, declared) = place(snapshot, *target);
        let at = match snapshot.graph.node(*target) {
            Node::Symbol(symbol) => snapshot.project.symbol(symbol).name_line,
            Node::File(_) | Node::External(_) => 1,
        };
        writeln!(out, "  {path}:{line}  {name} -> {declared} ({declared_in}:{at})")?;
    }
    Ok(())
}

/// Returns the file of a node and its qualified name.
fn place(snapshot: &Snapshot, node: NodeId) -> (&str, String) {
    let project = &snapshot.project;
    match snapshot.graph.node(node) {
        Node::File(file) => (&project.files()[file].path, "(file)".to_owned()),
        Node::Symbol(symbol) => {
            (&project.files()[project.symbol_file(symbol)].path, project.qualified_name(symbol))
        }
        Node::External(_) => ("", snapshot.graph.label(project, node)),
    }
}
