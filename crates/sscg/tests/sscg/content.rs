//! Contents of an answer: the connection graph, and a snapshot of each file.

use sscg::{Engine, EngineOptions, SearchRequest, Storage};
use sscg_format::{CodeStyle, Evidence, EvidenceProvenance, Format, connection_graph};

use crate::tree::Tree;

/// Service of two classes in two files.
const AUTH: [(&str, &str); 2] = [
    (
        "src/token.ts",
        "import jwt from 'jsonwebtoken';
import { Clock } from './clock';

const LIFETIME = 3600;
const UNRELATED = 1;

export class TokenService {
  private secret: string;
  private unrelated: number;

  validateToken(token: string): boolean {
    return jwt.verify(token, this.secret, LIFETIME);
  }

  refreshToken(token: string): string {
    return this.validateToken(token) ? token : '';
  }
}
",
    ),
    (
        "src/guard.ts",
        "import { TokenService } from './token';

export class TokenGuard {
  constructor(private tokens: TokenService) {}

  checkToken(token: string): boolean {
    return this.tokens.validateToken(token);
  }
}
",
    ),
];

fn ask(query: &str) -> SearchRequest {
    SearchRequest::new(query).with_code(CodeStyle::Snapshot)
}

#[test]
fn single_result() {
    let response = Tree::of(&AUTH).ask(&ask("symbol = TokenService > validateToken"));
    let text = response.text;
    assert!(!text.contains("\nGraph:") && !text.contains("[1]"), "{text}");
    assert!(text.contains("\nTokenService.validateToken — src/token.ts:"), "{text}");
    assert!(text.contains("    Calls: jsonwebtoken"), "{text}");
    assert!(
        text.contains("    Called by: TokenGuard.checkToken (src/guard.ts:7), TokenService.refreshToken"),
        "{text}"
    );
    let [snapshot] = &response.answer.snapshots[..] else { panic!("one file, one snapshot") };
    assert!(snapshot.text.starts_with("// src/token.ts\n"), "{}", snapshot.text);
    for shown in [
        "import jwt from",
        "const LIFETIME",
        "export class TokenService {",
        "private secret: string;",
        "jwt.verify",
    ] {
        assert!(snapshot.text.contains(shown), "{shown} is not in\n{}", snapshot.text);
    }
    for left_out in ["Clock", "UNRELATED", "unrelated", "refreshToken", "..."] {
        assert!(!snapshot.text.contains(left_out), "{left_out} is in\n{}", snapshot.text);
    }
}

#[test]
fn multi_file_results() {
    let response = Tree::of(&AUTH).ask(&ask("validateToken checkToken"));
    let files: Vec<&str> = response.answer.snapshots.iter().map(|snapshot| snapshot.file.as_str()).collect();
    assert_eq!(files.len(), 2, "a snapshot for each file: {files:?}");
    assert!(response.text.contains("TokenGuard.checkToken → "), "{}", response.text);
    let (graph, code) = (connection_graph(&response.answer), &response.answer.snapshots[0].text);
    assert!(response.text.starts_with(&graph), "the connection graph comes first");
    assert!(response.text[graph.len()..].contains(code.trim_end()));
}

#[test]
fn same_file_merge() {
    let response = Tree::of(&AUTH).ask(&ask("validateToken refreshToken"));
    let of_file = response.answer.snapshots.iter().filter(|snapshot| snapshot.file == "src/token.ts");
    let texts: Vec<&str> = of_file.map(|snapshot| snapshot.text.as_str()).collect();
    let [text] = texts[..] else { panic!("{} snapshots of one file", texts.len()) };
    assert_eq!(text.matches("export class TokenService").count(), 1, "{text}");
    assert!(text.contains("jwt.verify") && text.contains("? token : ''"), "{text}");
}

#[test]
fn empty_results() {
    let response = Tree::of(&AUTH).ask(&ask("symbol = nothingOfTheKind"));
    assert!(response.answer.results.is_empty() && response.answer.snapshots.is_empty());
    assert!(
        response.text.starts_with("Search: \"symbol = nothingOfTheKind\" | 0 results | "),
        "{}",
        response.text
    );
}

#[test]
fn symbol_lookup_response() {
    let mut tree = Tree::of(&AUTH);
    let asked = tree.ask(&ask("validateToken"));
    let looked_up = tree.ask(&ask("symbol = validateToken"));
    let shown = |response: &sscg::Response| response.answer.snapshots[0].text.clone();
    assert_eq!(shown(&looked_up).lines().next(), shown(&asked).lines().next());
    assert!(looked_up.text.contains("TokenService.validateToken — src/token.ts:"));
}

#[test]
fn when_the_budget_is_short_less_is_shown_and_the_answer_says_so() {
    let body = "    total += 1  # one more for the parcel\n".repeat(120);
    let mut tree = Tree::of(&[("a.py", &format!("def weigh_parcel(total):\n{body}    return total\n"))]);
    let mut shown = |budget: usize| {
        let response = tree.ask(&ask("weigh parcel").with_budget(budget));
        assert!(response.answer.token_count <= budget);
        response.answer.results[0].shown.clone()
    };
    assert_eq!(shown(8_000), "full");
    assert_eq!(shown(1_200), "without_comments");
    assert_eq!(shown(300), "signature");
}

#[test]
fn what_lies_between_results_connects_them() {
    let mut tree = Tree::of(&[
        ("a.py", "from b import relay\n\ndef send_telegram():\n    relay()\n"),
        ("b.py", "from c import receive_telegram\n\ndef relay():\n    receive_telegram()\n"),
        ("c.py", "def receive_telegram():\n    pass\n"),
    ]);
    let response = tree.ask(&ask("send_telegram receive_telegram").with_limit(2));
    let text = response.text;
    assert!(text.contains("send_telegram → relay (b.py) → "), "{text}");
    assert!(response.answer.unconnected.is_empty());
    assert!(!text.contains("def relay"), "its code is no result\n{text}");
}

#[test]
fn results_are_evidence_with_their_code() {
    let mut tree = Tree::of(&AUTH);
    let response = tree.ask(&ask("symbol = TokenService > validateToken").with_ego_graph(1));
    let evidence = response.evidence();
    assert_eq!(evidence.len(), response.answer.results.len());
    let [first, .., last] = &evidence[..] else { panic!("a result and its neighbors") };
    assert_eq!(
        (&*first.file_path, &*first.symbol_id),
        ("src/token.ts", "src/token.ts::TokenService.validateToken")
    );
    assert!(first.content.starts_with("  validateToken(token: string)") && first.content.ends_with('}'));
    assert_eq!(first.provenance, EvidenceProvenance::Symbol);
    assert_eq!(last.provenance, EvidenceProvenance::Graph);
    assert!(last.reason.starts_with("Expanded from the graph: "), "{}", last.reason);
    let found = tree.ask(&ask("validateToken")).evidence();
    assert_eq!(found[0].provenance, EvidenceProvenance::Search);
}

#[test]
fn neighbors_of_a_declaration_are_no_results() {
    let mut tree = Tree::of(&[(
        "a.py",
        "def read(): pass\n\ndef parse():\n    read()\n\ndef main():\n    parse()\n    read()\n",
    )]);
    let alone = tree.ask(&ask("symbol = read"));
    let around = tree.ask(&ask("symbol = read").with_ego_graph(1).with_call_depth(Some(2)));
    let callers = "Called by: parse (a.py:4), main (a.py:8)";
    for text in [&alone.text, &around.text] {
        assert!(text.contains(callers), "{text}");
    }
    let text = around.text;
    assert_eq!(around.answer.results.len(), 3);
    assert!(around.answer.patterns.is_empty(), "{text}");
    assert!(text.contains("parse — a.py:3-4\n    function | exported | name | neighbor"), "{text}");
    assert!(text.contains("main (a.py) → parse (a.py) → [1] read"), "{text}");
    assert!(!text.contains("[2]") && !text.contains('★'), "{text}");
    let brief = tree.ask(&SearchRequest::new("read parse").with_limit(2).with_ego_graph(1)).text;
    assert!(brief.contains("\nread — a.py:1-1 (neighbor)\n[1] → read (a.py)\n"), "{brief}");
    assert!(brief.contains("[2] ") && !brief.contains("[3]"), "{brief}");
}

#[test]
fn what_each_part_takes_is_told_if_asked() {
    let response = Tree::of(&AUTH).ask(&ask("validateToken checkToken").with_explain(true));
    let costs = &response.answer.token_costs;
    assert_eq!(costs.keys().collect::<Vec<_>>(), ["code", "graph", "patterns", "results"]);
    let parts: usize = costs.values().sum();
    assert!(parts > 0 && parts < response.answer.token_count, "{costs:?}");
}

#[test]
fn the_kind_of_a_question_is_told_if_asked() {
    let mut tree = Tree::of(&AUTH);
    let mut kind = |question: &str| {
        let request = ask(question).with_explain(true);
        tree.ask(&request).answer.kind
    };
    assert_eq!(kind("symbol = validateToken"), "symbol");
    assert_eq!(kind("who calls validateToken?"), "uses");
    assert_eq!(kind("Error: no token at src/token.ts:3"), "trace");
    assert_eq!(kind("where is a token validated"), "where");
    assert_eq!(kind("Why is an expired token accepted?"), "bug");
    assert_eq!(Tree::of(&AUTH).ask(&ask("validateToken")).answer.kind, "");
}

#[test]
fn documents_are_shown_without_a_graph() {
    let directory = tempfile::tempdir().expect("temporary directory");
    std::fs::write(directory.path().join("guide.md"), "# Guide\n\n## Retry\n\nTry again.\n")
        .expect("writable");
    let options = EngineOptions::stored_in(Storage::Ephemeral);
    let engine = Engine::open_with(directory.path(), options).expect("the directory exists");
    let request = ask("retry again").with_corpus(sscg::Corpus::Documents);
    let response = engine.search(&request).expect("a valid request");
    assert!(response.answer.subgraph_nodes.is_empty() && response.answer.patterns.is_empty());
    assert!(response.text.contains("Try again."), "{}", response.text);
}

#[test]
fn evidence_is_opened_by_its_id_wherever_its_code_is_now() {
    let mut tree = Tree::of(&AUTH);
    let request = ask("symbol = TokenService > validateToken").with_format(Format::EVIDENCE);
    let response = tree.ask(&request);
    let lines: Vec<Evidence> =
        response.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, response.evidence());
    let piece = &lines[0];
    let open = |tree: &Tree| {
        let (snapshot, _) = tree.engine.refresh().expect("readable");
        let (found, text) = sscg::show(&snapshot, std::slice::from_ref(&piece.id), 1_000).expect("found");
        (found[0].lines.start, found[0].text.clone(), found[0].changed, text)
    };
    let (start, code, is_changed, _) = open(&tree);
    assert_eq!((start, &*code, is_changed), (piece.start_line, &*piece.content, false));
    let source = AUTH.iter().find(|(path, _)| *path == piece.file_path).expect("it is a file").1;
    tree.write(&piece.file_path, &format!("// One\n// Two\n{source}"));
    let (start, code, is_changed, _) = open(&tree);
    assert_eq!((start, &*code, is_changed), (piece.start_line + 2, &*piece.content, false));
    let (snapshot, _) = tree.engine.refresh().expect("readable");
    for lines in ["0-5", "9-3", "1-4294967295"] {
        // Nothing to open, or the lines that exist.
        _ = sscg::show(&snapshot, &[format!("{}:{lines}@00000000", piece.file_path)], 1_000);
    }
    tree.write(&piece.file_path, "");
    assert_eq!((open(&tree).0, open(&tree).2), (1, true));
    tree.write(&piece.file_path, &source.replace("token: string", "token: Token"));
    let (start, code, is_changed, text) = open(&tree);
    assert_eq!((start, is_changed), (piece.start_line, true));
    assert!(code.contains("token: Token") && text.contains(" (changed since)"), "{text}");
}

#[test]
fn evidence_that_exceeds_the_budget_keeps_its_ids() {
    let body: String = (0..200).map(|line| format!("    total = total + {line}\n")).collect();
    let files = [(
        "a.py",
        format!(
            "def add_all(total):\n{body}    return total\n\ndef add_one(total):\n    return add_all(total)\n"
        ),
    )];
    let mut tree = Tree::of(&[(files[0].0, &files[0].1)]);
    let response = tree.ask(&ask("add total").with_format(Format::EVIDENCE).with_budget(600));
    assert!(response.answer.token_count <= 600, "{}", response.answer.token_count);
    let pieces: Vec<Evidence> =
        response.text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |name: &str| pieces.iter().find(|piece| piece.symbol_id.ends_with(name)).expect("it is there");
    assert!(of("add_all").content.is_empty() && of("add_all").id.starts_with("a.py:1-202@"), "{pieces:?}");
    assert_eq!(of("add_one").content, "def add_one(total):\n    return add_all(total)");
}
