//! Subgraph of an answer, and the relations of its results.

use serde_json::Value;
use sscg::{CentralityMethod, CentralityMode, SearchRequest};
use sscg_core::{ChunkKind, SymbolKind};
use sscg_format::{CodeStyle, Compact, O200k, Renderer, ResultOrigin, Toon, Verbose, costs};

use crate::tree::{Tree, edges, order, result};

/// Five declarations about orders, with nine edges among them.
const ORDERS: [(&str, &str); 3] = [
    (
        "shop/orders.py",
        "from shop.stock import reserve_order_stock, OrderLine
from shop.mail import send_order_mail

class OrderError(Exception):
    \"\"\"An order that cannot be placed.\"\"\"

def place_order(line: OrderLine):
    \"\"\"Places an order.\"\"\"
    reserve_order_stock(line)
    send_order_mail(line)
    if line is None:
        raise OrderError('no order')
",
    ),
    (
        "shop/stock.py",
        "from shop.orders import OrderError

class OrderLine:
    \"\"\"A line of an order.\"\"\"

def reserve_order_stock(line: OrderLine):
    \"\"\"Reserves what an order takes.\"\"\"
    if not line:
        raise OrderError('no order')
",
    ),
    (
        "shop/mail.py",
        "import smtplib
from shop.stock import OrderLine

def send_order_mail(line: OrderLine):
    \"\"\"Tells of an order.\"\"\"
    smtplib.SMTP().send(line)
",
    ),
];

/// Creates a request for declarations.
fn ask(query: &str) -> SearchRequest {
    let kinds = [SymbolKind::Function, SymbolKind::Class].map(ChunkKind::Symbol).to_vec();
    SearchRequest::new(query).with_kinds(kinds).with_code(CodeStyle::Snapshot)
}

#[test]
fn extract_subgraph_basic() {
    let answer = Tree::of(&ORDERS).answer(&ask("order"));
    let mut names: Vec<&str> = answer.subgraph_nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["OrderError", "OrderLine", "place_order", "reserve_order_stock", "send_order_mail"]);
    let mut among = edges(&answer);
    among.retain(|edge| !edge.ends_with("(boundary)"));
    among.sort_unstable();
    assert_eq!(
        among,
        [
            "place_order calls reserve_order_stock",
            "place_order calls send_order_mail",
            "place_order instantiates OrderError",
            "place_order raises OrderError",
            "place_order uses_type OrderLine",
            "reserve_order_stock instantiates OrderError",
            "reserve_order_stock raises OrderError",
            "reserve_order_stock uses_type OrderLine",
            "send_order_mail uses_type OrderLine",
        ]
    );
    assert!(answer.unconnected.is_empty(), "{:?}", answer.unconnected);
}

#[test]
fn extract_subgraph_no_edges() {
    let mut tree = Tree::of(&[
        ("a.py", "def parse_date(text):\n    return text\n"),
        ("b.py", "def format_date(day):\n    return day\n"),
    ]);
    let answer = tree.answer(&ask("date"));
    assert_eq!((answer.results.len(), edges(&answer)), (2, Vec::new()));
    assert_eq!(answer.unconnected.len(), 2, "each stands alone");
    let text = tree.ask(&ask("date")).text;
    assert!(text.contains("\n  [1] [2] (standalone)\n"), "{text}");
}

#[test]
fn topological_order_dag() {
    let mut tree = Tree::of(&[(
        "a.ts",
        "export function stepOne() { return stepTwo(); }
export function stepTwo() { return stepThree(); }
export function stepThree() { return 3; }
",
    )]);
    assert_eq!(order(&tree.answer(&ask("step"))), ["stepThree", "stepTwo", "stepOne"]);
}

#[test]
fn topological_order_cycles() {
    let mut tree = Tree::of(&[(
        "a.rs",
        "pub fn even_step(n: u32) -> bool { n == 0 || odd_step(n - 1) }
pub fn odd_step(n: u32) -> bool { n != 0 && even_step(n - 1) }
pub fn first_step(n: u32) -> bool { even_step(n) }
",
    )]);
    let response = tree.ask(&ask("step"));
    assert_eq!(order(&response.answer)[2], "first_step");
    let [cycle] = &response.answer.patterns.cycles[..] else { panic!("{:?}", response.answer.patterns) };
    assert_eq!(cycle.len(), 2);
    assert!(response.text.contains("Cycle: "), "{}", response.text);
}

#[test]
fn boundary_edges() {
    let mut tree = Tree::of(&[
        ("a.py", "def hub_of_all():\n    pass\n"),
        (
            "b.py",
            "from a import hub_of_all\n\ndef one():\n    hub_of_all()\n\ndef two():\n    hub_of_all()\n\n\
             def three():\n    hub_of_all()\n\ndef four():\n    hub_of_all()\n",
        ),
    ]);
    let answer = tree.answer(&ask("symbol = hub_of_all"));
    let edges = edges(&answer);
    assert!(edges.iter().all(|edge| edge.ends_with(" (boundary)")), "{edges:?}");
    assert_eq!(edges.len(), 3, "at most three at each result");
    assert!(answer.omitted_boundary_edges >= 1);
    assert!(edges.contains(&"b.py::one calls hub_of_all (boundary)".to_owned()), "{edges:?}");
}

#[test]
fn compact_serialization() {
    let answer = Tree::of(&ORDERS).answer(&ask("order"));
    let compact = Compact.render(&answer);
    for empty in
        ["\"community\"", "\"centrality\"", "\"warnings\"", "\"\"", "[]", "{}", "null", "\"boundary\":false"]
    {
        assert!(!compact.contains(empty), "{empty} in {compact}");
    }
    assert!(Verbose.render(&answer).len() > compact.len());
}

#[test]
fn token_budget() {
    let mut answer = Tree::of(&ORDERS).answer(&ask("order"));
    answer.subgraph_edges.retain(|edge| !edge.boundary);
    assert_eq!((answer.subgraph_nodes.len(), answer.subgraph_edges.len()), (5, 9));
    let mut tenth = answer.subgraph_edges[0].clone();
    tenth.rel = "references".to_owned();
    answer.subgraph_edges.push(tenth);
    for renderer in [&Compact as &dyn Renderer, &Toon] {
        let cost = costs(&answer, renderer, &O200k)["graph"];
        assert!(cost < 600, "{cost} as {}", renderer.name());
    }
}

#[test]
fn each_node_that_compact_data_names_is_a_row() {
    let mut answer = Tree::of(&ORDERS).answer(&ask("order"));
    answer.subgraph_edges.retain(|edge| !edge.boundary);
    let value: Value = serde_json::from_str(&Compact.render(&answer)).expect("JSON");
    let list = |key: &str| value[key].as_array().expect("a list").clone();
    let (rows, results) = (list("subgraph_nodes"), list("results"));
    for (row, node) in rows.iter().zip(&answer.subgraph_nodes) {
        let result = row["result"].as_u64().expect("all nodes are results") as usize;
        assert_eq!(results[result - 1]["chunk_id"], *node.id);
    }
    let ends = answer.subgraph_edges.iter().flat_map(|edge| [&edge.src, &edge.tgt]);
    let named: Vec<&String> = ends.chain(&answer.subgraph_order).collect();
    let ends = list("subgraph_edges").into_iter().flat_map(|edge| [edge["src"].clone(), edge["tgt"].clone()]);
    let numbers: Vec<Value> = ends.chain(list("subgraph_order")).collect();
    assert_eq!(numbers.len(), named.len());
    for (number, id) in numbers.iter().zip(named) {
        let row = number.as_u64().expect("a number") as usize;
        assert_eq!(answer.subgraph_nodes[row - 1].id, *id);
    }
}

#[test]
fn answers_as_data_list_the_relations_of_results_to_questions() {
    let mut tree = Tree::of(&ORDERS);
    let question = SearchRequest::new("how is an order placed");
    let answer = tree.answer(&question.clone().with_format("verbose"));
    let names = |name: &str, relation: &str| result(&answer, name).graph[relation].clone();
    let callees = ["shop/stock.py::reserve_order_stock", "shop/mail.py::send_order_mail"];
    assert_eq!(names("place_order", "calls"), callees);
    assert!(names("OrderError", "instantiated_by").contains(&"shop/orders.py::place_order".to_owned()));
    let is_linked = |provenance: &str| matches!(provenance, "resolver" | "flow");
    assert!(answer.subgraph_edges.iter().all(|edge| is_linked(&edge.provenance)));
    assert!(tree.answer(&question).results.iter().all(|result| result.graph.is_empty()));
}

#[test]
fn full_relationship_enrichment() {
    let mut tree = Tree::of(&[(
        "a.py",
        "class Animal:
    pass

class Dog(Animal):
    pass

def adopt(dog: Dog) -> Dog:
    return Dog()
",
    )]);
    let answer = tree.answer(&ask("symbol = Dog"));
    let graph = &result(&answer, "Dog").graph;
    assert_eq!(graph["inherits"], ["a.py::Animal"]);
    assert_eq!(graph["used_as_type_by"], ["a.py::adopt"]);
    assert_eq!(graph["instantiated_by"], ["a.py::adopt"]);
}

/// Creates a tree with a function that ten others call.
fn popular() -> Tree {
    let callers: String = (0..10).map(|n| format!("def caller_{n}():\n    popular()\n\n")).collect();
    Tree::of(&[
        ("a.py", "def popular():\n    helper()\n\ndef helper():\n    pass\n"),
        ("b.py", &format!("from a import popular\n\n{callers}")),
    ])
}

#[test]
fn max_per_type_cap() {
    let answer = popular().answer(&ask("symbol = popular"));
    assert_eq!(result(&answer, "popular").graph["called_by"].len(), 5);
    assert_eq!(result(&answer, "popular").details.called_by.len(), 10, "details have them all");
}

#[test]
fn calls_and_called_by() {
    let answer = popular().answer(&ask("symbol = popular"));
    let popular = result(&answer, "popular");
    assert_eq!(popular.graph["calls"], ["a.py::helper"]);
    assert_eq!(popular.graph["called_by"][0], "b.py::caller_0");
    assert_eq!(popular.details.references, 1, "one file names it");
}

#[test]
fn empty_graph() {
    let answer = Tree::of(&[("a.py", "print(1)\n")]).answer(&SearchRequest::new("print"));
    let statement = &answer.results[0];
    assert!(statement.graph.is_empty() && statement.details.is_empty());
}

#[test]
fn annotate_adds_centrality_field() {
    let mut tree = popular();
    let plain = tree.answer(&ask("popular helper"));
    assert!(plain.results.iter().all(|result| result.centrality.is_none() && result.blended_score.is_none()));
    let answer = tree.answer(&ask("popular helper").with_centrality(CentralityMode::Sort));
    for result in &answer.results {
        let (centrality, blended) =
            (result.centrality.expect("asked for"), result.blended_score.expect("too"));
        assert!((0.0..=1.0).contains(&centrality) && (0.0..=1.0).contains(&blended));
        assert!((centrality * 1e4).fract().abs() < 1e-6, "four places of {centrality}");
    }
    assert!(answer.subgraph_nodes.iter().all(|node| node.centrality.is_some()));
}

#[test]
fn rerank_reorders_by_blended_score() {
    let mut tree = popular();
    let answer = tree.answer(&ask("caller popular helper").with_centrality(CentralityMode::Sort));
    let blended: Vec<f64> = answer.results.iter().filter_map(|result| result.blended_score).collect();
    assert!(blended.is_sorted_by(|a, b| a >= b), "{blended:?}");
    // All ten callers lead to it, and it leads to the helper.
    assert!(result(&answer, "helper").centrality > result(&answer, "popular").centrality.map(|it| it / 2.0));
}

#[test]
fn alpha_zero_preserves_semantic_order() {
    let mut tree = popular();
    let plain = tree.answer(&ask("caller popular helper"));
    let request =
        ask("caller popular helper").with_centrality(CentralityMode::Sort).with_centrality_alpha(0.0);
    let names = |answer: &sscg::Answer| -> Vec<String> {
        answer.results.iter().map(|result| result.name.clone()).collect()
    };
    assert!(plain.results.len() > 2);
    assert_eq!(names(&tree.answer(&request)), names(&plain));
}

#[test]
fn shown_centrality_leaves_the_order() {
    let mut tree = popular();
    let plain = tree.answer(&ask("caller popular helper"));
    let shown = tree.ask(&ask("caller popular helper").with_centrality(CentralityMode::Show));
    let names = |answer: &sscg::Answer| -> Vec<String> {
        answer.results.iter().map(|result| result.name.clone()).collect()
    };
    assert_eq!(names(&shown.answer), names(&plain));
    assert!(shown.answer.results.iter().all(|it| it.centrality.is_some() && it.blended_score.is_none()));
    assert!(shown.text.contains(" | centrality 1.000"), "{}", shown.text);
    let sorted =
        ask("caller popular helper").with_centrality(CentralityMode::Sort).with_centrality_alpha(1.0);
    let sorted = tree.answer(&sorted);
    assert_ne!(names(&sorted), names(&plain));
}

#[test]
fn each_method_has_its_own_measure() {
    // `a` calls `b`, `b` calls `c`: `c` is reached from both, and `b` lies between them.
    let mut tree = Tree::of(&[(
        "m.py",
        "def aa_item():\n    bb_item()\n\ndef bb_item():\n    cc_item()\n\ndef cc_item():\n    pass\n",
    )]);
    let mut of = |method: CentralityMethod| {
        let request = ask("aa_item bb_item cc_item")
            .with_centrality(CentralityMode::Show)
            .with_centrality_method(method);
        let answer = tree.answer(&request);
        ["aa_item", "bb_item", "cc_item"].map(|name| result(&answer, name).centrality.expect("asked for"))
    };
    let [a, b, c] = of(CentralityMethod::Pagerank);
    assert!(a < b && b < c && c == 1.0, "{a} {b} {c}");
    let [a, b, c] = of(CentralityMethod::Degree);
    assert!(a < b && c < b && b == 1.0, "{a} {b} {c}");
    let [a, b, c] = of(CentralityMethod::Betweenness);
    assert!(a < b && c < b && b == 1.0, "{a} {b} {c}");
    let [a, b, c] = of(CentralityMethod::Closeness);
    assert!(a < b && b <= c && c == 1.0, "{a} {b} {c}");
}

#[test]
fn cache_invalidation_on_graph_change() {
    let mut tree = popular();
    let request = ask("symbol = helper").with_centrality(CentralityMode::Sort);
    let before = result(&tree.answer(&request), "helper").centrality;
    let callers: String = (0..30).map(|n| format!("def other_{n}():\n    other()\n\n")).collect();
    tree.write("c.py", &format!("def other():\n    pass\n\n{callers}"));
    let after = result(&tree.answer(&request), "helper").centrality;
    assert!(after < before, "{after:?} beside a function with more callers, {before:?} before");
}

/// Creates two packages without any connection.
fn packages() -> Tree {
    let package = |name: &str| {
        format!(
            "def {name}_open():\n    {name}_read()\n\ndef {name}_read():\n    {name}_close()\n\ndef {name}_close():\n    {name}_open()\n"
        )
    };
    Tree::of(&[("store/disk.py", &package("disk")), ("net/wire.py", &package("wire"))])
}

fn with_communities(query: &str) -> SearchRequest {
    ask(query).with_communities(true)
}

#[test]
fn community_annotation() {
    let answer = packages().answer(&with_communities("open read close"));
    assert_eq!(answer.subgraph_communities.len(), 2);
    let counts: usize = answer.subgraph_communities.values().map(|community| community.count).sum();
    assert_eq!(counts, answer.subgraph_nodes.len());
    for node in &answer.subgraph_nodes {
        let twin = answer.subgraph_nodes.iter().find(|other| other.file == node.file);
        assert_eq!(node.community, twin.and_then(|twin| twin.community), "{}", node.name);
    }
}

#[test]
fn community_labels_from_directories() {
    let answer = packages().answer(&with_communities("open read close"));
    let labels: Vec<&str> = answer.subgraph_communities.values().map(|it| it.label.as_str()).collect();
    assert!(labels.iter().any(|label| label.starts_with("store")), "{labels:?}");
    assert!(labels.iter().any(|label| label.starts_with("net")), "{labels:?}");
}

#[test]
fn communities_are_not_named_after_the_tests_of_their_code() {
    let tests: String = (0..9).map(|n| format!("def test_freight_{n}():\n    weigh()\n\n")).collect();
    let mut tree = Tree::of(&[
        ("store/scale.py", "def weigh():\n    return balance()\n\ndef balance():\n    return 1\n"),
        ("tests/test_scale.py", &format!("from store.scale import weigh\n\n{tests}")),
    ]);
    let answer = tree.answer(&with_communities("weigh balance"));
    let labels: Vec<&str> = answer.subgraph_communities.values().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["store (weigh)", "store (balance)"]);
}

#[test]
fn empty_community_map() {
    let answer = packages().answer(&ask("open read close"));
    assert!(answer.subgraph_communities.is_empty(), "nobody asked");
    assert!(answer.subgraph_nodes.iter().all(|node| node.community.is_none()));
}

#[test]
fn partial_community_map() {
    let mut tree = Tree::of(&[("a.py", "def greet():\n    pass\n\ngreet()\n")]);
    let answer = tree.answer(&with_communities("greet").with_kinds(Vec::new()));
    let of =
        |kind: &str| answer.subgraph_nodes.iter().find(|node| node.kind == kind).expect("both are found");
    assert!(of("function").community.is_some());
    assert!(of("expression").community.is_none(), "a statement declares nothing");
}

#[test]
fn community_in_serialized_output() {
    let response = packages().ask(&with_communities("open read close").with_format("compact"));
    let value: serde_json::Value = serde_json::from_str(&response.text).expect("JSON");
    let number = value["subgraph_nodes"][0]["community"].as_u64().expect("a number").to_string();
    assert!(value["subgraph_communities"][&number]["label"].is_string());
    assert!(value["subgraph_communities"][&number]["count"].is_number());
}

#[test]
fn communities_are_shown_in_text() {
    let mut tree = packages();
    let response = tree.ask(&with_communities("open read close"));
    let label = response.answer.subgraph_communities.values().next().expect("communities").label.clone();
    let number = response.answer.subgraph_communities.keys().next().expect("communities").clone();
    assert!(response.text.contains(&format!(" | community {number}: {label}")), "{}", response.text);
    let lookup = tree.ask(&with_communities("symbol = disk_open")).text;
    assert!(lookup.contains("function | exported | refs: 1 file | community "), "{lookup}");
    assert!(!tree.ask(&ask("open read close")).text.contains("community"));
}

#[test]
fn community_with_ego_neighbors() {
    let request = with_communities("symbol = disk_open").with_ego_graph(1);
    let answer = packages().answer(&request);
    let neighbors = answer.subgraph_nodes.iter().filter(|node| node.source == ResultOrigin::EgoGraph);
    let communities: Vec<Option<u32>> = neighbors.map(|node| node.community).collect();
    assert!(!communities.is_empty() && communities.iter().all(Option::is_some));
}

fn ego(query: &str, steps: u32) -> SearchRequest {
    ask(query).with_ego_graph(steps)
}

#[test]
fn ego_neighbors_in_subgraph() {
    let answer = Tree::of(&ORDERS).answer(&ego("symbol = place_order", 1));
    let origin =
        |name: &str| answer.subgraph_nodes.iter().find(|node| node.name == name).map(|node| node.source);
    assert_eq!(origin("place_order"), Some(ResultOrigin::Search));
    assert_eq!(origin("reserve_order_stock"), Some(ResultOrigin::EgoGraph));
    assert_eq!(origin("OrderError"), Some(ResultOrigin::EgoGraph));
}

#[test]
fn edges_between_results_and_neighbors() {
    let answer = Tree::of(&ORDERS).answer(&ego("symbol = place_order", 1));
    assert!(edges(&answer).contains(&"place_order calls reserve_order_stock".to_owned()));
}

#[test]
fn edges_between_ego_neighbors() {
    let answer = Tree::of(&ORDERS).answer(&ego("symbol = place_order", 1));
    assert!(edges(&answer).contains(&"reserve_order_stock uses_type OrderLine".to_owned()));
}

#[test]
fn topology_order_includes_ego_neighbors() {
    let answer = Tree::of(&ORDERS).answer(&ego("symbol = place_order", 1));
    assert_eq!(answer.subgraph_order.len(), answer.subgraph_nodes.len());
    assert_eq!(order(&answer).last(), Some(&"place_order"));
}

#[test]
fn without_ego_neighbors_only_results_are_nodes() {
    let answer = Tree::of(&ORDERS).answer(&ask("symbol = place_order"));
    let names: Vec<&str> = answer.subgraph_nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["place_order"]);
}

#[test]
fn source_field_propagation() {
    let format = "compact".to_owned();
    let response = Tree::of(&ORDERS).ask(&ego("symbol = place_order", 1).with_format(format));
    let value: serde_json::Value = serde_json::from_str(&response.text).expect("JSON");
    assert!(value["results"][0].get("source").is_none());
    assert_eq!(value["results"][1]["source"], "ego_graph");
    assert!(value["results"][0].get("graph").is_some());
    assert!(value["results"][1].get("graph").is_none(), "the subgraph says how a neighbor is connected");
}

#[test]
fn ego_neighbor_deduplication() {
    let answer = Tree::of(&ORDERS).answer(&ego("order", 2));
    let mut ids: Vec<&str> = answer.subgraph_nodes.iter().map(|node| node.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), answer.subgraph_nodes.len());
}

#[test]
fn at_most_ten_neighbors_are_named_and_their_own_edges_end_with_them() {
    let answer = popular().answer(&ego("symbol = popular", 2));
    let neighbors: Vec<&str> = answer
        .results
        .iter()
        .filter(|result| result.source == ResultOrigin::EgoGraph)
        .map(|result| result.chunk_id.as_str())
        .collect();
    assert_eq!(neighbors.len(), 10);
    let mut boundary = answer.subgraph_edges.iter().filter(|edge| edge.boundary);
    assert!(boundary.all(|edge| !neighbors.contains(&&*edge.src) && !neighbors.contains(&&*edge.tgt)));
}
