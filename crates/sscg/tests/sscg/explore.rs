//! Queries of the code graph.

use std::path::Path;

use expect_test::{Expect, expect};
use sscg::{
    Engine, EngineOptions, Error, GraphQuery, GraphRequest, GraphResponse, Reach, SearchRequest, Storage,
};
use sscg_core::{Confidence, RelationSet, SymbolKind, TokenCounter};
use sscg_format::{EvidenceProvenance, GraphAnswer, GraphNode, O200k};
use sscg_graph::Direction;
use sscg_graph::traverse::{EdgeFilter, ImpactOptions};

use crate::tree::Tree;

/// Opens the project with an API in Rust, one in Python and one in TypeScript.
fn parcel() -> Engine {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects/parcel");
    Engine::open_with(root, EngineOptions::stored_in(Storage::Ephemeral)).expect("the project is there")
}

fn ask(engine: &Engine, query: GraphQuery) -> Result<GraphResponse, Error> {
    engine.explore(&GraphRequest::new(query))
}

fn impact_of(symbol: &str) -> GraphQuery {
    GraphQuery::Impact { symbol: symbol.to_owned(), options: ImpactOptions::default() }
}

fn expand_from(seeds: &[&str], reach: Reach) -> GraphQuery {
    GraphQuery::Expand { seeds: seeds.iter().map(|&seed| seed.to_owned()).collect(), reach }
}

fn says(query: GraphQuery, expected: &Expect) {
    let response = ask(&parcel(), query).expect("a good question");
    assert_eq!(response.answer.token_count, O200k.count(&response.text));
    expected.assert_eq(&response.text);
}

/// Checks the message and the hint of an error.
fn fails(query: GraphQuery, expected: &Expect) {
    let error = ask(&parcel(), query).expect_err("a question without an answer");
    expected.assert_eq(&format!("{error}\nhint: {}\n", error.hint()));
}

#[test]
fn impact_names_what_uses_a_declaration_nearest_first() {
    says(
        impact_of("RoadNetwork > shortest_path"),
        &expect![[r#"
            Impact: RoadNetwork.shortest_path | 3 affected in 2 files | 174/8,000 tokens

            [1] RoadNetwork.shortest_path (router/src/roads.rs:21-35): method
              pub fn shortest_path(&self, from: &str, to: &str) -> Result<u64, RouteError>

            1 step away:
            [2] nearest (router/src/plan.rs:36-45): function, relevance 1.00
              calls [1] at 39

            2 steps away:
            [3] plan_tour (router/src/plan.rs:15-34): function, relevance 0.85
              calls [2] at 27

            3 steps away:
            [4] router/src/lib.rs: file, relevance 0.72
              imports [3] at 12
        "#]],
    );
}

#[test]
fn impact_of_a_type_is_one_of_its_members_too_and_reaches_tests() {
    says(
        impact_of("billing/money.py::Money"),
        &expect![[r#"
            Impact: Money | 9 affected in 4 files, 2 of tests | 356/8,000 tokens

            [1] Money (billing/money.py:9-23): class
              class Money
            [2] Money.convert (billing/money.py:16-23): method

            1 step away:
            [3] Invoice.net_total (billing/invoice.py:27-30): method, relevance 1.00
              calls [2] at 29
            [4] Invoice.gross_total (billing/invoice.py:32-35): method, relevance 0.95
              instantiates [1] at 35
            [5] vat_for (billing/tax.py:8-10): function, relevance 0.06
              instantiates [1] at 10
            [6] Line.price (billing/invoice.py:14-14): field, relevance 0.02
              uses_type [1] at 14
            [7] billing/invoice.py: file, relevance 0.02
              imports [1] at 5
            [8] billing/tax.py: file, relevance 0.01
              imports [1] at 3
            [9] test_gross_total_includes_value_added_tax (tests/test_invoice.py:8-10): function, test, relevance 0.44
              instantiates [1] at 9
            [10] tests/test_invoice.py: file, test, relevance 0.01
              imports [1] at 5

            2 steps away:
            [11] remind_overdue (billing/reminder.py:7-14): function, relevance 0.40
              calls [4] at 12
        "#]],
    );
}

#[test]
fn at_the_same_distance_what_depends_on_a_change_in_more_ways_comes_first() {
    // `zoo` calls `base` itself, through `mid`, and through `low`; `abc` calls it only itself.
    let text = "\
def base(): pass

def abc():
    base()

def low():
    base()

def mid():
    low()
    base()

def zoo():
    mid()
    low()
    base()

def far():
    abc()
";
    let tree =
        Tree::of(&[("a.py", text), ("test_a.py", "from a import base\n\ndef test_base():\n    base()\n")]);
    let found = ask(&tree.engine, impact_of("base")).expect("a good question").answer;
    let affected = found.nodes.iter().filter(|node| node.score.is_some());
    let listed: Vec<(&str, u32, f64)> = affected
        .map(|node| (&*node.name, node.distance.expect("steps"), node.ppr_relevance.expect("relevance")))
        .collect();
    let names: Vec<&str> = listed.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, ["zoo", "mid", "abc", "low", "test_base", "test_a.py", "far"]);
    assert_eq!((listed[0].1, listed[0].2), (1, 1.0), "relative to the highest");
    // The walk divides its visits of a node among those that use it: of the visits of `base`, `low` and `abc` get as
    // many, and `far` gets 0.85 of those of `abc`.
    let of = |name: &str| listed.iter().find(|(known, ..)| *known == name).expect("affected").2;
    assert_eq!(of("low"), of("abc"));
    assert!((of("far") - 0.85 * of("abc")).abs() < 1e-3, "{listed:?}");
    assert!(listed.iter().all(|(.., relevance)| (0.0..=1.0).contains(relevance)));
}

#[test]
fn ids_of_the_service_graph_name_the_same_nodes() {
    let rust = "impl Store {\n    fn save(&self) {}\n}\n\nstruct Store;\n\nfn save() {}\n";
    let tree = Tree::of(&[("src/a.rs", rust), ("b.py", "def open():\n    pass\n\ndef open():\n    pass\n")]);
    let of = |name: &str| {
        let reach = Reach::default().with_depth(0);
        let found = ask(&tree.engine, expand_from(&[name], reach)).map(|response| response.answer);
        found.map(|found| {
            found.nodes.iter().map(|node| (node.id.clone(), node.kind.clone())).collect::<Vec<_>>()
        })
    };
    let one = |id: &str, kind: &str| vec![(id.to_owned(), kind.to_owned())];
    assert_eq!(of("file::src/a.rs").expect("a file"), one("src/a.rs", "file"));
    assert_eq!(of("symbol::src/a.rs::save").expect("a function"), one("src/a.rs::save", "function"));
    assert_eq!(of("symbol::src/a.rs::Store.save").expect("a method"), one("src/a.rs::Store.save", "method"));
    assert_eq!(of("symbol::b.py::open").expect("the first"), one("b.py::open", "function"));
    assert_eq!(of("symbol::b.py::open~2").expect("the second"), one("b.py::open~2", "function"));
    // A block comes after its type in the service graph, wherever it is written.
    assert_eq!(of("symbol::src/a.rs::Store").expect("a type"), one("src/a.rs::Store~2", "struct"));
    assert_eq!(of("symbol::src/a.rs::Store~2").expect("its block"), one("src/a.rs::Store", "impl"));
    for missing in ["symbol::src/a.rs::load", "symbol::b.py::open~3", "file::src/c.rs"] {
        of(missing).expect_err(missing);
    }
    let knowledge = tree.engine.knowledge(&Default::default()).expect("a graph").knowledge;
    let ids = knowledge.graph().nodes().iter().map(|node| node.id());
    let of_code: Vec<&str> =
        ids.filter(|id| id.starts_with("symbol::") || id.starts_with("file::")).collect();
    assert!(of_code.len() >= 8, "{of_code:?}");
    for id in of_code {
        assert_eq!(of(id).expect(id).len(), 1, "{id}");
    }
}

#[test]
fn what_nothing_uses_says_how_many_uses_of_its_name_are_not_known() {
    let tree = Tree::of(&[("a.py", "def close():\n    pass\n\ndef run(x):\n    x.close()\n")]);
    let response = ask(&tree.engine, impact_of("close")).expect("a good question");
    expect![[r#"
        Impact: close | 0 affected | 59/8,000 tokens

        [1] close (a.py:1-2): function
          def close()

        Nothing is known to use it within these limits.

        1 unresolved use of its name may mean it: a.py:5.
    "#]]
    .assert_eq(&response.text);
}

#[test]
fn expansion_follows_the_edges_asked_for() {
    let edges = EdgeFilter::default()
        .with_direction(Direction::Outgoing)
        .with_relations(RelationSet::CALLS)
        .with_min_confidence(Confidence::Inferred);
    says(
        expand_from(&["plan_tour"], Reach::default().with_depth(2).with_edges(edges)),
        &expect![[r#"
            Expand: plan_tour | 5 nodes around | 233/8,000 tokens

            [1] plan_tour (router/src/plan.rs:15-34): function
              pub fn plan_tour(roads: &RoadNetwork, depots: &[Depot], mut stops: Vec<Stop>) -> Result<(Vec<Stop>, u64), RouteError>
              calls [2] at 27, [3] at 22

            1 step away:
            [2] nearest (router/src/plan.rs:36-45): function
              calls [4] at 39
              instantiates [5] at 44
            [3] Depot.closest (router/src/depot.rs:12-15): method
              calls [6] at 14

            2 steps away:
            [4] RoadNetwork.shortest_path (router/src/roads.rs:21-35): method
              instantiates [5] at 34
            [5] RouteError.Unreachable (router/src/error.rs:6-7): enum_member
            [6] Place.distance (router/src/geo.rs:13-19): method
        "#]],
    );
}

#[test]
fn a_neighborhood_may_be_of_some_kinds_alone() {
    let (node, kinds) = ("billing/invoice.py".to_owned(), vec![SymbolKind::Class]);
    says(
        GraphQuery::Neighborhood { node, reach: Reach::default(), kinds },
        &expect![[r#"
        Neighborhood: billing/invoice.py | 1 node around | 59/8,000 tokens

        [1] billing/invoice.py: file
          imports [2] at 5

        1 step away:
        [2] Money (billing/money.py:9-23): class
    "#]],
    );
}

#[test]
fn what_is_of_another_kind_leads_to_what_is_wanted() {
    let text = "class Target:\n    pass\n\ndef middle():\n    return Target()\n\ndef start():\n    return middle()\n";
    let tree = Tree::of(&[("a.py", text)]);
    let of = |kind, depth| {
        let reach = Reach::default().with_depth(depth).with_limit(2);
        let query = GraphQuery::Neighborhood { node: "start".to_owned(), reach, kinds: vec![kind] };
        ask(&tree.engine, query).expect("a good question")
    };
    let near = of(SymbolKind::Class, 2).answer;
    let found: Vec<(&str, Option<u32>)> = near.nodes.iter().map(|it| (&*it.name, it.distance)).collect();
    assert_eq!((found, near.omitted), (vec![("start", Some(0)), ("Target", Some(2))], 0));
    assert_eq!(near.kinds, ["class"]);
    assert!(of(SymbolKind::Class, 1).text.contains("Nothing of these kinds is known to be tied to it"));
}

#[test]
fn ids_name_one_node_each() {
    let text =
        "function b() {}\nfunction a(){return b()} function a(){return b()} function a(){return b()}\n";
    let tree = Tree::of(&[("m.js", text)]);
    let found = ask(&tree.engine, impact_of("b")).expect("a good question").answer;
    let ids: Vec<&str> = found.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["m.js::b", "m.js::a", "m.js::a~2", "m.js::a~3"]);
    let of = |name: &str| {
        let reach = Reach::default().with_depth(0);
        ask(&tree.engine, expand_from(&[name], reach)).map(|response| response.answer.seeds)
    };
    assert_eq!(of("m.js::a").expect("all of them"), ["m.js::a", "m.js::a~2", "m.js::a~3"]);
    assert_eq!(of("m.js::a~1").expect("the first"), ["m.js::a"]);
    assert_eq!(of("m.js::a~3").expect("the third"), ["m.js::a~3"]);
    for missing in ["m.js::a~4", "m.js::a~0", "m.js::a~"] {
        of(missing).expect_err(missing);
    }
}

#[test]
fn the_limit_says_what_it_left_out() {
    let reach = Reach::default().with_depth(1).with_limit(3);
    says(
        expand_from(&["Money"], reach),
        &expect![[r#"
            Expand: Money | 2 nodes around | 114/8,000 tokens

            [1] Money (billing/money.py:9-23): class
              class Money

            1 step away:
            [2] billing/invoice.py: file
              imports [1] at 5
            [3] Money.convert (billing/money.py:16-23): method
              instantiates [1] at 23
              uses_type [1] at 16

            7 more left out: ask with a higher limit or budget, or more narrowly.
        "#]],
    );
}

#[test]
fn a_pack_tells_why_each_was_chosen() {
    says(
        GraphQuery::Pack { nodes: vec!["router".to_owned()], count: 3 },
        &expect![[r#"
            Pack: 3 nodes that say most | 142/8,000 tokens

            [1] RouteError (router/src/error.rs:3-10): enum at the root of its file, 8 lines, used 8 times, uses 2
            [2] Place (router/src/geo.rs:5-10): struct at the root of its file, 6 lines, used 7 times, uses 0
            [3] Depot (router/src/depot.rs:3-9): struct at the root of its file, 7 lines, used 5 times, uses 0

            31 more left out: ask with a higher limit or budget, or more narrowly.
        "#]],
    );
}

#[test]
fn a_trace_tells_every_shortest_way() {
    says(
        GraphQuery::trace("plan_tour", "RouteError"),
        &expect![[r#"
        Trace: plan_tour to RouteError | 1 path of 1 step | 126/8,000 tokens

        [1] plan_tour (router/src/plan.rs:15-34): function
          pub fn plan_tour(roads: &RoadNetwork, depots: &[Depot], mut stops: Vec<Stop>) -> Result<(Vec<Stop>, u64), RouteError>
          uses_type [2] at 20
        [2] RouteError (router/src/error.rs:3-10): enum
          pub enum RouteError

        Paths:
        [1] uses_type [2]
    "#]],
    );
    says(
        GraphQuery::trace("RouteError", "plan_tour"),
        &expect![[r#"
        Trace: RouteError to plan_tour | 0 paths | 114/8,000 tokens

        [1] RouteError (router/src/error.rs:3-10): enum
          pub enum RouteError
        [2] plan_tour (router/src/plan.rs:15-34): function
          pub fn plan_tour(roads: &RoadNetwork, depots: &[Depot], mut stops: Vec<Stop>) -> Result<(Vec<Stop>, u64), RouteError>

        No way leads from one to the other within these limits.
    "#]],
    );
}

#[test]
fn a_trace_says_that_there_are_more_ways() {
    let ways = "def end():\n    pass\n\ndef one():\n    end()\n\ndef two():\n    end()\n\ndef three():\n    end()\n\n\
        def start():\n    one()\n    two()\n    three()\n";
    let tree = Tree::of(&[("a.py", ways)]);
    let trace = |max_paths| {
        let GraphQuery::Trace { from, to, max_depth, edges, .. } = GraphQuery::trace("start", "end") else {
            unreachable!("it is a trace")
        };
        let query = GraphQuery::Trace { from, to, max_depth, max_paths, edges };
        ask(&tree.engine, query).expect("a good question")
    };
    let some = trace(2);
    assert_eq!((some.answer.paths.len(), some.answer.omitted), (2, 1));
    assert!(some.text.contains("At least 1 more left out"), "{}", some.text);
    let all = trace(3);
    assert_eq!((all.answer.paths.len(), all.answer.omitted), (3, 0));
    let none = trace(0).text;
    assert!(none.contains("At least 1 more left out") && !none.contains("No way"), "{none}");
    fails(
        GraphQuery::trace("plan_tour", "router/src/plan.rs::plan_tour"),
        &expect![[r#"
            "plan_tour" and "router/src/plan.rs::plan_tour" are the same, so that no way is needed
            hint: name two that differ, or ask what is around the one
        "#]],
    );
}

#[test]
fn names_are_those_that_answers_give() {
    let engine = parcel();
    let whole = ask(&engine, expand_from(&["plan_tour"], Reach::default())).expect("a good question").answer;
    for node in &whole.nodes {
        let response = ask(&engine, expand_from(&[&node.id], Reach::default().with_depth(0)));
        let answer = response.unwrap_or_else(|error| panic!("{}: {error}", node.id)).answer;
        let is_same = |other: &GraphNode| (&other.file, other.lines) == (&node.file, node.lines);
        assert!(answer.nodes.iter().any(is_same), "{} gave {:?}", node.id, answer.seeds);
    }
    let of = |engine: &Engine, name: &str| {
        let response = ask(engine, expand_from(&[name], Reach::default().with_depth(0)));
        response.unwrap_or_else(|error| panic!("{name}: {error}")).answer.seeds
    };
    let seeds = of(&engine, "RoadNetwork.shortest_path");
    for name in [
        "shortest_path",
        "RoadNetwork > shortest_path",
        "roads.rs > RoadNetwork > shortest_path",
        "symbol = RoadNetwork > shortest_path",
        "router/src/roads.rs::RoadNetwork.shortest_path",
        "RoadNetwork::shortest_path",
    ] {
        assert_eq!(of(&engine, name), seeds, "{name}");
    }
    let found = engine.search(&sscg::SearchRequest::new("symbol = shortest_path")).expect("a good question");
    assert_eq!(of(&engine, &found.answer.results[0].chunk_id), seeds);
    assert_eq!(of(&engine, "./router/src/roads.rs"), ["router/src/roads.rs"]);
}

#[test]
fn names_that_stand_for_nothing_say_what_may_have_been_meant() {
    fails(
        impact_of("shortestpth"),
        &expect![[r#"
            nothing is named "shortestpth"
            hint: did you mean "RoadNetwork > shortest_path"?
        "#]],
    );
    fails(
        impact_of("no such thing at all"),
        &expect![[r#"
            nothing is named "no such thing at all"
            hint: name a declaration ("Outer > inner", "src/a.rs::Outer.inner"), a file or a line of it ("src/a.rs:12")
        "#]],
    );
    fails(
        impact_of(" "),
        &expect![[r#"
            the name of a node is empty
            hint: name a declaration ("Outer > inner", "src/a.rs::Outer.inner"), a file or a line of it ("src/a.rs:12")
        "#]],
    );
    fails(
        expand_from(&[], Reach::default()),
        &expect![[r#"
            no node is named
            hint: name a declaration ("Outer > inner", "src/a.rs::Outer.inner"), a file or a line of it ("src/a.rs:12")
        "#]],
    );
}

#[test]
fn a_name_that_too_many_have_is_not_guessed() {
    let files: Vec<(String, &str)> =
        (0..12).map(|at| (format!("m{at:02}.py"), "def run():\n    pass\n")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let error = ask(&Tree::of(&files).engine, impact_of("run")).expect_err("there are twelve");
    expect![[r#"
        12 declarations are named "run"
        hint: say which: m00.py::run, m01.py::run, m02.py::run, m03.py::run, m04.py::run, ..."#]]
    .assert_eq(&format!("{error}\nhint: {}", error.hint()));
}

#[test]
fn every_format_keeps_every_budget() {
    let engine = parcel();
    let reach = Reach::default().with_depth(3).with_limit(200);
    let queries = [
        expand_from(&["plan_tour", "Money"], reach),
        GraphQuery::Pack { nodes: Vec::new(), count: 100 },
        GraphQuery::trace("plan_tour", "RouteError"),
        impact_of("Money"),
    ];
    for query in queries {
        let mut most = 0;
        for format in ["text", "compact", "toon", "verbose"] {
            for budget in [300, 1_000, 4_000, 100_000] {
                let request =
                    GraphRequest::new(query.clone()).with_budget(budget).with_format(format.to_owned());
                let response = match engine.explore(&request) {
                    Ok(response) => response,
                    Err(error) => {
                        assert!(error.to_string().contains("does not hold"), "{error}");
                        continue;
                    }
                };
                let GraphAnswer { token_count, nodes, edges, omitted, .. } = &response.answer;
                assert!(*token_count <= budget, "{format}: {token_count} of {budget}");
                assert_eq!(*token_count, O200k.count(&response.text), "{format}");
                let is_node = |id: &String| nodes.iter().any(|node| node.id == *id);
                assert!(edges.iter().all(|edge| is_node(&edge.src) && is_node(&edge.tgt)));
                most = most.max(response.answer.parts() + omitted);
                assert_eq!(
                    response.answer.parts() + omitted,
                    most,
                    "{format} at {budget}: nothing is lost silently"
                );
            }
        }
    }
}

#[test]
fn verbose_is_read_back_as_the_answer_that_was_written() {
    let engine = parcel();
    for query in [impact_of("Money"), GraphQuery::trace("plan_tour", "RouteError")] {
        let request = GraphRequest::new(query).with_format("verbose");
        let response = engine.explore(&request).expect("a good question");
        let again: GraphAnswer = serde_json::from_str(&response.text).expect("an answer is JSON");
        assert_eq!(again, response.answer);
    }
}

#[test]
fn no_steps_find_nothing_within_their_limits_and_recursion_is_no_other_caller() {
    let mut tree = Tree::of(&[("a.py", "def count(n):\n    return count(n - 1)\n")]);
    let reach = Reach::default().with_depth(0);
    let query = GraphQuery::Expand { seeds: vec!["count".to_owned()], reach };
    let text = ask(&tree.engine, query).expect("a good question").text;
    assert!(text.contains("Nothing is known to be tied to it within these limits."), "{text}");
    let text = tree.ask(&SearchRequest::new("symbol = count")).text;
    assert!(text.contains("Called by: only itself\n"), "{text}");
}

#[test]
fn nodes_of_the_graph_are_evidence_with_their_code() {
    let engine = parcel();
    let query =
        GraphQuery::Expand { seeds: vec!["plan_tour".to_owned()], reach: Reach::default().with_depth(1) };
    let response = ask(&engine, query).expect("a good question");
    let evidence = response.evidence();
    let declared = response.answer.nodes.iter().filter(|node| node.lines.is_some());
    assert_eq!(
        evidence.iter().map(|piece| piece.symbol_id.as_str()).collect::<Vec<_>>(),
        declared.map(|node| node.id.as_str()).collect::<Vec<_>>()
    );
    let (seeds, others): (Vec<_>, Vec<_>) =
        evidence.iter().partition(|piece| piece.provenance == EvidenceProvenance::Symbol);
    assert!(seeds[0].content.contains("plan_tour") && !others.is_empty());
    for piece in others {
        assert!(piece.reason.starts_with("Expanded from the graph: "), "{piece:?}");
        assert!(!piece.content.is_empty(), "{piece:?}");
    }
}
