use proptest::prelude::*;
use sscg_core::{NodeId, Relation};

use super::*;
use crate::graph::{Edge, Node};
use crate::link;
use crate::testing::{functions, project};

/// Returns options without limits, except on added chunks.
fn boundless(added: usize) -> ConnectOptions<'static> {
    ConnectOptions { added, cost: f64::INFINITY, edges: usize::MAX, ..ConnectOptions::default() }
}

fn chunks_of(project: &Project, symbols: &[usize]) -> Vec<ChunkId> {
    symbols.iter().map(|symbol| project.chunk_of_symbol(Id::new(*symbol))).collect()
}

fn connected(project: &Project, symbols: &[usize], options: &ConnectOptions<'_>) -> Connection {
    connect(project, &link(project), &chunks_of(project, symbols), options).expect("its own chunks")
}

/// Returns the numbers of the functions added to connect others, and the groups.
fn added(calls: &[(usize, usize)], set: &[usize], room: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
    let ends = calls.iter().flat_map(|(caller, callee)| [*caller, *callee]).chain(set.iter().copied());
    let count = ends.max().map_or(0, |last| last + 1);
    let project = functions(count, calls);
    let connection = connected(&project, set, &ConnectOptions { added: room, ..boundless(0) });
    (numbers(&project, &connection.added), connection.groups)
}

fn numbers(project: &Project, chunks: &[ChunkId]) -> Vec<usize> {
    chunks.iter().map(|chunk| project.symbol_of_chunk(*chunk).expect("a function").index()).collect()
}

/// Returns the names of the declarations of chunks.
fn names(project: &Project, chunks: &[ChunkId]) -> Vec<String> {
    let symbols = chunks.iter().map(|chunk| project.symbol_of_chunk(*chunk).expect("a declaration"));
    symbols.map(|symbol| project.qualified_name(symbol)).collect()
}

#[test]
fn a_function_in_the_middle_connects_whichever_way_the_calls_go() {
    for calls in [[(0, 1), (1, 2)], [(0, 1), (2, 1)], [(1, 0), (1, 2)], [(2, 1), (1, 0)]] {
        assert_eq!(added(&calls, &[0, 2], 5), (vec![1], vec![vec![0, 1]]), "{calls:?}");
    }
    let project = functions(3, &[(0, 1), (2, 1)]);
    let graph = link(&project);
    let connection = connected(&project, &[0, 2], &ConnectOptions::default());
    let [ConnectingPath { path, cost }] = &connection.paths[..] else { panic!("one path") };
    let labels: Vec<String> = path.nodes.iter().map(|node| graph.label(&project, *node)).collect();
    assert_eq!(labels, ["f.py::f0", "f.py::f1", "f.py::f2"]);
    assert_eq!(path.edges.iter().map(|edge| edge.relation).collect::<Vec<_>>(), [Relation::Calls; 2]);
    // Each of two steps costs 1 bit, plus 2 for one of four edges into `f1`: two calls, and its file contains and
    // defines it.
    assert!((cost - 6.0).abs() < 0.01, "{cost}");
}

#[test]
fn what_touches_needs_nothing_and_nothing_is_whole() {
    assert_eq!(added(&[(0, 1), (2, 1), (0, 3), (3, 2)], &[0, 1, 2], 5), (vec![], vec![vec![0, 1, 2]]));
    assert_eq!(added(&[(0, 1)], &[0], 5), (vec![], vec![vec![0]]));
    assert_eq!(added(&[(0, 1)], &[], 5), (vec![], vec![]));
}

#[test]
fn what_nothing_connects_stays_apart() {
    let calls = [(0, 1), (1, 2), (3, 4)];
    assert_eq!(added(&calls, &[3, 2, 5, 0], 5), (vec![1], vec![vec![0], vec![1, 3], vec![2]]));
}

#[test]
fn neither_libraries_nor_files_connect() {
    let text = "import json\n\ndef read():\n    json.loads('1')\n\ndef write():\n    json.dumps(1)\n    json.loads('2')\n";
    let project = project(&[("a.py", text)]);
    let connection = connected(&project, &[0, 1], &boundless(5));
    assert_eq!((connection.added, connection.groups), (vec![], vec![vec![0], vec![1]]));
}

#[test]
fn a_hub_explains_less_than_what_few_use() {
    // Functions 0, 5 and 8 to 27 call 1. Below, 5 calls 6, and 6 and 0 call 7.
    let mut calls: Vec<(usize, usize)> = (8..28).map(|user| (user, 1)).collect();
    calls.extend([(0, 1), (5, 1)]);
    assert_eq!(added(&calls, &[0, 5], 5).0, [1]);
    calls.extend([(5, 6), (6, 7), (0, 7)]);
    assert_eq!(added(&calls, &[0, 5], 5).0, [7, 6]);
}

#[test]
fn doubtful_edges_cost_more_than_sure_ones() {
    let text = "class A:\n    def grow(self):\n        far()\n\n\nclass B:\n    def grow(self):\n        near()\n\n\n\
                def near():\n    pass\n\n\ndef far():\n    sure()\n\n\ndef start(x):\n    x.grow()\n    sure()\n\n\n\
                def sure():\n    pass\n";
    let project = project(&[("a.py", text)]);
    let graph = link(&project);
    let named = |name: &str| project.symbols_named(name).next().expect("it is declared").index();
    let doubtful = graph.edges().iter().filter(|edge| edge.candidates == 2).count();
    assert_eq!(doubtful, 2);
    let connection = connected(&project, &[named("start"), named("far")], &boundless(5));
    assert_eq!(names(&project, &connection.added), ["sure"]);
}

#[test]
fn no_more_is_added_than_there_is_room_for() {
    let chain = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)];
    assert_eq!(added(&chain, &[0, 3], 1), (vec![], vec![vec![0], vec![1]]));
    for room in [2, usize::MAX] {
        assert_eq!(added(&chain, &[0, 3], room), (vec![1, 2], vec![vec![0, 1]]));
    }
    // The rest is spent on the path that still fits.
    assert_eq!(added(&chain, &[0, 3, 4, 6], 2), (vec![5], vec![vec![0], vec![1], vec![2, 3]]));
    assert_eq!(added(&chain, &[4, 6], 0), (vec![], vec![vec![0], vec![1]]));
}

#[test]
fn limits_on_cost_and_work_are_kept() {
    let project = functions(3, &[(0, 1), (1, 2)]);
    let shown = |cost, edges| {
        connected(&project, &[0, 2], &ConnectOptions { cost, edges, ..boundless(5) }).added.len()
    };
    let cost = connected(&project, &[0, 2], &boundless(5)).paths[0].cost;
    assert_eq!((shown(cost, usize::MAX), shown(cost - 0.01, usize::MAX)), (1, 0));
    assert_eq!((shown(-1.0, usize::MAX), shown(f64::NAN, usize::MAX), shown(cost, 0)), (0, 0, 0));
}

#[test]
fn a_star_is_better_than_two_paths() {
    // Function 3 calls the whole set; chains of calls connect 0 to 1 and 1 to 2.
    let star = [(3, 0), (3, 1), (3, 2)];
    let chains = [(0, 4), (4, 5), (5, 6), (6, 1), (1, 7), (7, 8), (8, 9), (9, 2)];
    let calls = [&chains[..], &star[..]].concat();
    assert_eq!(added(&calls, &[0, 1, 2], 5), (vec![3], vec![vec![0, 1, 2]]));
    assert_eq!(added(&chains, &[0, 1, 2], 9), (vec![4, 5, 6, 7, 8, 9], vec![vec![0, 1, 2]]));
}

#[test]
fn cycles_and_calls_of_itself_do_no_harm() {
    let circle = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)];
    assert_eq!(added(&circle, &[0, 2], 5), (vec![1], vec![vec![0, 1]]));
    // The path through 1 costs more than the other two, as 1 also calls itself.
    assert_eq!(added(&circle, &[0, 2, 4], 5), (vec![3, 5], vec![vec![0, 1, 2]]));
}

#[test]
fn twins_are_one_and_unknown_chunks_are_named() {
    let calls = [(0, 1), (1, 2)];
    assert_eq!(added(&calls, &[0, 2, 0, 2], 5), (vec![1], vec![vec![0, 1, 2, 3]]));
    assert_eq!(added(&calls, &[0, 0], 5), (vec![], vec![vec![0, 1]]));
    let project = functions(1, &[]);
    let stranger = ChunkId::new(99);
    let refused = connect(&project, &link(&project), &[stranger], &ConnectOptions::default());
    assert_eq!(refused, Err(UnknownChunk(stranger)));
}

const STORE: &str = "class Store:\n    def __init__(self):\n        self.rows = []\n\n    \
                     def read(self):\n        return 1\n\n    def write(self):\n        return 2\n\n\n\
                     def use(store: Store):\n    pass\n";

#[test]
fn what_stands_in_a_type_touches_it_and_its_type_connects_what_stands_in_it() {
    let project = project(&[("a.py", STORE)]);
    let named = |name: &str| project.symbols_named(name).next().expect("it is declared").index();
    let (class, read, write) = (named("Store"), named("read"), named("write"));
    let whole = connected(&project, &[read, class, write], &ConnectOptions::default());
    assert_eq!((whole.added, whole.groups), (vec![], vec![vec![0, 1, 2]]));
    for set in [[read, write], [read, named("use")]] {
        let connection = connected(&project, &set, &ConnectOptions::default());
        assert_eq!(names(&project, &connection.added), ["Store"]);
        assert_eq!(connection.groups, [[0, 1]]);
    }
}

#[test]
fn only_what_is_admitted_lies_between() {
    let project = functions(5, &[(1, 0), (1, 2), (0, 3), (3, 4), (4, 2)]);
    let test = chunks_of(&project, &[1])[0];
    let through = |chunk: ChunkId| chunk != test;
    let options = ConnectOptions { through: Some(&through), ..boundless(5) };
    assert_eq!(numbers(&project, &connected(&project, &[0, 2], &boundless(5)).added), [1]);
    assert_eq!(numbers(&project, &connected(&project, &[0, 2], &options).added), [3, 4]);
    // Members of the set stay, even if the filter rejects them.
    assert_eq!(connected(&project, &[0, 1, 2], &options).groups, [[0, 1, 2]]);
}

#[test]
fn top_level_code_is_connected_by_what_it_uses() {
    let text = "from b import start, stop\n\nif True:\n    start()\n\nif False:\n    stop()\n";
    let other = "def start():\n    run()\n\ndef stop():\n    run()\n\ndef run():\n    pass\n";
    let project = project(&[("a.py", text), ("b.py", other)]);
    let graph = link(&project);
    let file = project.file_at("a.py").expect("it is there");
    let top_level = |line: u32| {
        let chunks = project.chunks_of(file);
        let mut all = (chunks.start.index()..chunks.end.index()).map(ChunkId::new);
        all.find(|chunk| project.chunk_lines(*chunk).start == line).expect("a statement stands there")
    };
    let set = [top_level(3), top_level(6)];
    let connection = connect(&project, &graph, &set, &boundless(5)).expect("its own chunks");
    assert_eq!(names(&project, &connection.added), ["start", "run", "stop"]);
    assert_eq!(connection.groups, [[0, 1]]);
    let nodes = &connection.paths[0].path.nodes;
    assert_eq!((nodes.first(), nodes.last()), (nodes.last(), Some(&graph.id(Node::File(file)))));
}

/// Returns the component of each node, as its first member.
fn parts(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut part: Vec<usize> = (0..count).collect();
    for (a, b) in edges {
        let (low, high) = (part[a].min(part[b]), part[a].max(part[b]));
        part.iter_mut().filter(|it| **it == high).for_each(|it| *it = low);
    }
    part
}

/// Returns the cost of the cheapest forest that connects all of the set that can be connected, by trying every set of
/// nodes.
fn optimum(count: usize, edges: &[(usize, usize, u64)], set: &[usize]) -> u64 {
    let whole = parts(count, edges.iter().map(|(a, b, _)| (*a, *b)));
    let forest = |nodes: usize| {
        let has = |node: usize| nodes >> node & 1 == 1 || set.contains(&node);
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let mut total = 0;
        for &(a, b, cost) in edges.iter().filter(|(a, b, _)| has(*a) && has(*b)) {
            let part = parts(count, chosen.iter().copied());
            if part[a] != part[b] {
                chosen.push((a, b));
                total += cost;
            }
        }
        let part = parts(count, chosen.into_iter());
        let together = |a: &usize, b: &usize| part[*a] == part[*b] || whole[*a] != whole[*b];
        set.iter().all(|a| set.iter().all(|b| together(a, b))).then_some(total)
    };
    (0..1 << count).filter_map(forest).min().expect("all nodes together connect what can be connected")
}

/// Returns the calls of a graph with their costs, cheapest first. Calls inside the set are free.
fn costs(project: &Project, graph: &CodeGraph, set: &[usize]) -> Vec<(usize, usize, u64)> {
    let number = |node: NodeId| match graph.node(node) {
        Node::Symbol(symbol) => symbol.index(),
        Node::File(_) | Node::External(_) => unreachable!("functions call functions"),
    };
    let call = |edge: &Edge| {
        let (a, b) = (number(edge.source), number(edge.target));
        let is_there = set.contains(&a) && set.contains(&b);
        (a, b, if is_there { 0 } else { cost::of_edge(project, graph, edge) })
    };
    let calls = graph.edges().iter().filter(|edge| edge.relation == Relation::Calls);
    let mut costs: Vec<_> = calls.map(call).collect();
    costs.sort_by_key(|(_, _, cost)| *cost);
    costs
}

const COUNT: usize = 8;

proptest! {
    #[test]
    fn paths_cost_at_most_twice_the_cheapest_tree_and_connect_all_that_can_be(
        calls in proptest::collection::vec((0..COUNT, 0..COUNT), 0..14),
        set in proptest::sample::subsequence((0..COUNT).collect::<Vec<_>>(), 1..5),
    ) {
        let project = functions(COUNT, &calls);
        let graph = link(&project);
        let chunks = chunks_of(&project, &set);
        let connection = connect(&project, &graph, &chunks, &boundless(COUNT)).expect("its own chunks");

        let edges = costs(&project, &graph, &set);
        let spent: u64 = connection.paths.iter().map(|path| cost::of_bits(path.cost)).sum();
        prop_assert!(spent <= 2 * optimum(COUNT, &edges, &set));
        prop_assert!(connection.paths.len() < set.len());

        // The groups are those of the whole graph, and the added chunks suffice to connect them.
        let shown = [&set[..], &numbers(&project, &connection.added)[..]].concat();
        let inside = |(a, b, _): &&(usize, usize, u64)| shown.contains(a) && shown.contains(b);
        let whole = parts(COUNT, edges.iter().map(|(a, b, _)| (*a, *b)));
        let induced = parts(COUNT, edges.iter().filter(inside).map(|(a, b, _)| (*a, *b)));
        for (group, members) in connection.groups.iter().enumerate() {
            for (other, others) in connection.groups.iter().enumerate() {
                let (a, b) = (set[members[0]], set[others[0]]);
                prop_assert_eq!(group == other, whole[a] == whole[b]);
            }
            prop_assert!(members.iter().all(|it| induced[set[*it]] == induced[set[members[0]]]));
        }

        // The order of the set does not matter.
        let reversed: Vec<ChunkId> = chunks.iter().rev().copied().collect();
        let again = connect(&project, &graph, &reversed, &boundless(COUNT)).expect("its own chunks");
        prop_assert_eq!((again.added, again.paths), (connection.added, connection.paths));
    }

    #[test]
    fn the_first_path_is_the_cheapest_of_all_within_the_limit(
        calls in proptest::collection::vec((0..COUNT, 0..COUNT), 0..20),
        set in proptest::sample::subsequence((0..COUNT).collect::<Vec<_>>(), 2..4),
        limit in 0.0..30.0_f64,
    ) {
        let project = functions(COUNT, &calls);
        let graph = link(&project);
        let edges = costs(&project, &graph, &set);
        let inside = edges.iter().filter(|(a, b, _)| set.contains(a) && set.contains(b));
        let part = parts(COUNT, inside.map(|(a, b, _)| (*a, *b)));
        let whole = parts(COUNT, edges.iter().map(|(a, b, _)| (*a, *b)));
        let pairs = set.iter().flat_map(|a| set.iter().map(move |b| [*a, *b]));
        let apart = pairs.filter(|[a, b]| part[*a] != part[*b] && whole[*a] == whole[*b]);
        let cheapest = apart.map(|pair| optimum(COUNT, &edges, &pair)).min();
        let found = connected(&project, &set, &ConnectOptions { cost: limit, ..boundless(COUNT) });
        let first = found.paths.first().map(|path| cost::of_bits(path.cost));
        prop_assert_eq!(first, cheapest.filter(|cost| *cost <= cost::of_bits(limit)));
    }

    #[test]
    fn limits_hold_on_any_graph(
        calls in proptest::collection::vec((0..COUNT, 0..COUNT), 0..14),
        set in proptest::sample::subsequence((0..COUNT).collect::<Vec<_>>(), 1..6),
        room in 0..4_usize,
        limit in 0.0..20.0_f64,
    ) {
        let project = functions(COUNT, &calls);
        let options = ConnectOptions { added: room, cost: limit, ..boundless(0) };
        let connection = connected(&project, &set, &options);
        prop_assert!(connection.added.len() <= room);
        prop_assert!(connection.paths.iter().all(|path| path.cost <= limit + 0.001));
        let mut places: Vec<usize> = connection.groups.concat();
        places.sort_unstable();
        prop_assert_eq!(places, (0..set.len()).collect::<Vec<_>>());
    }
}
