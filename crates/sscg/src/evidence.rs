//! Answers as pieces of evidence.

use sscg_core::{LineRange, TokenCounter};
use sscg_format::{
    Evidence, EvidenceProvenance, GraphAnswer, GraphNode, Lines, ResultItem, ResultOrigin, renderers,
};
use sscg_index::Snapshot;
use sscg_retrieve::find_file;

/// Number of hexadecimal digits of a hash of code in an id.
const HASH_DIGITS: usize = 8;

/// Returns the names of the built-in formats, with what each is for; the first is the default.
pub fn output_formats() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = renderers().iter().map(|renderer| (renderer.name(), renderer.description()));
    all.chain(std::iter::once(("evidence", "pieces of code with ids and reasons, one JSON object per line")))
}

/// Converts a result to evidence, found by its name if `is_lookup`; `None` if it belongs to another snapshot.
pub(crate) fn of_result(snapshot: &Snapshot, result: &ResultItem, is_lookup: bool) -> Option<Evidence> {
    let project = &snapshot.project;
    let chunk = project.chunk_with_key(&result.chunk_id)?;
    let source = snapshot.source(project.chunk_file(chunk));
    let content =
        source.map_or_else(String::new, |source| project.chunk(chunk).span.text(&source).to_owned());
    let what = format!("{} `{}`", result.kind, result.name);
    let (provenance, reason) = match result.source {
        ResultOrigin::Search if is_lookup => {
            (EvidenceProvenance::Symbol, format!("Has the name that was asked for: {what}"))
        }
        ResultOrigin::Search => {
            let signals: Vec<&str> = result.rank_sources.keys().map(String::as_str).collect();
            (EvidenceProvenance::Search, format!("Found by {}: {what}", signals.join(", ")))
        }
        _ => (EvidenceProvenance::Graph, format!("Expanded from the graph: {what}")),
    };
    let symbol = project.symbol_of_chunk(chunk);
    Some(
        Evidence::default()
            .with_id(id(&result.file, result.lines, &content))
            .with_file_path(result.file.clone())
            .with_start_line(result.lines.start)
            .with_end_line(result.lines.end)
            .with_content(content)
            .with_reason(reason)
            .with_provenance(provenance)
            .with_symbol_id(symbol.map_or_else(String::new, |it| project.symbol_key(it)))
            .with_symbol_kind(result.kind.clone()),
    )
}

/// Returns the declarations of an answer about the graph as evidence, in the answer's order. Files as a whole and external
/// symbols are none.
pub(crate) fn of_graph(snapshot: &Snapshot, answer: &GraphAnswer) -> Vec<Evidence> {
    answer.nodes.iter().filter_map(|node| of_node(snapshot, node, answer.is_seed(node))).collect()
}

fn of_node(snapshot: &Snapshot, node: &GraphNode, is_seed: bool) -> Option<Evidence> {
    let lines = node.lines?;
    let source = snapshot.source(find_file(&snapshot.project, &node.file)?);
    let content =
        source.map_or_else(String::new, |source| text_of(&source.lines().collect::<Vec<_>>(), lines));
    let what = format!("{} `{}`", node.kind, node.name);
    let (provenance, reason) = match (is_seed, node.reason.as_str()) {
        (true, _) => (EvidenceProvenance::Symbol, format!("Named in the query: {what}")),
        (_, "") => (EvidenceProvenance::Graph, format!("Expanded from the graph: {what}")),
        (_, reason) => {
            (EvidenceProvenance::Graph, format!("Selected from the graph: `{}`, a {reason}", node.name))
        }
    };
    Some(
        Evidence::default()
            .with_id(id(&node.file, lines, &content))
            .with_file_path(node.file.clone())
            .with_start_line(lines.start)
            .with_end_line(lines.end)
            .with_content(content)
            .with_reason(reason)
            .with_provenance(provenance)
            .with_symbol_id(node.id.clone())
            .with_symbol_kind(node.kind.clone()),
    )
}

/// Writes pieces of evidence as lines of JSON within a budget of tokens, in their order. Code that does not fit is left
/// out of its piece, and pieces that do not fit at all are omitted. Returns the text and the number of omitted pieces.
pub(crate) fn lines(evidence: Vec<Evidence>, budget: usize, counter: &dyn TokenCounter) -> (String, usize) {
    let (mut text, mut left, mut omitted) = (String::new(), budget, 0);
    for mut piece in evidence {
        let mut json = line(&piece);
        if counter.count(&json) > left {
            piece.content.clear();
            json = line(&piece);
        }
        match left.checked_sub(counter.count(&json)) {
            Some(rest) => {
                left = rest;
                text += &json;
            }
            None => omitted += 1,
        }
    }
    (text, omitted)
}

fn line(piece: &Evidence) -> String {
    serde_json::to_string(piece).expect("it is plain data") + "\n"
}

/// Returns the id of the code at some lines of a file.
fn id(file: &str, lines: Lines, content: &str) -> String {
    format!("{file}:{lines}@{}", hash(content))
}

/// Returns the start of the hash of some code. Spaces around it do not count, as chunks and whole lines differ in them.
fn hash(content: &str) -> String {
    let mut hash = blake3::hash(content.trim().as_bytes()).to_hex().to_string();
    hash.truncate(HASH_DIGITS);
    hash
}

/// Returns lines of a file as one text; those behind its end are left out.
fn text_of(file: &[&str], Lines { start, end }: Lines) -> String {
    let end = (end as usize).min(file.len());
    let start = (start as usize).saturating_sub(1).min(end);
    file[start..end].join("\n")
}

/// Code that an id of evidence refers to.
pub(crate) struct Opened {
    pub(crate) lines: Lines,
    /// False if the code is no longer in the file; the lines are those of the id.
    pub(crate) is_same: bool,
}

/// Splits an id of evidence into the place and the hash; `None` if the text is none.
pub(crate) fn parse_id(text: &str) -> Option<(&str, &str)> {
    let (place, hash) = text.rsplit_once('@')?;
    let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && place.contains(':')).then_some((place, hash))
}

/// Finds the code with a hash in a file: at its lines, or as a chunk or declaration of the file that has moved.
/// O(bytes of the file).
pub(crate) fn open(snapshot: &Snapshot, path: &str, source: &str, lines: Lines, of: &str) -> Opened {
    let source: Vec<&str> = source.lines().collect();
    if hash(&text_of(&source, lines)) == of {
        return Opened { lines, is_same: true };
    }
    let moved = find_file(&snapshot.project, path).and_then(|file| {
        let facts = &snapshot.project.files()[file].facts;
        let chunks = facts.chunks.iter().map(|chunk| chunk.lines);
        let all = chunks.chain(facts.symbols.iter().map(|symbol| symbol.lines));
        let all = all.map(|LineRange { start, end }| Lines { start, end });
        all.filter(|lines| hash(&text_of(&source, *lines)) == of).min_by_key(|lines| lines.start)
    });
    Opened { lines: moved.unwrap_or(lines), is_same: moved.is_some() }
}
