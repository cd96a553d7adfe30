"""What networkx says of small graphs: `make.py > vectors.json`, with the libraries of `requirements.txt`.

For each graph: its edges as [source, target, weight]; seeds as [node, weight]; and for each node

- `pagerank` and `personalised_pagerank` (from the seeds): damping .85, weighted, dangling mass to where the walk returns;
- `closeness`: (r / d) (r / (n - 1)), where r other nodes reach it over distances that sum to d; `closeness_out` is the
  same of those that it reaches; edges have length 1;
- `betweenness`: how many shortest paths of other nodes lead through it, each pair counting 1; edges have length 1;
- `partition`: some community; `modularity` is that of all of them, at resolution 1, in the graph without directions, in
  which the weights of both directions are added up.
"""

import json
import random

import networkx


def karate():
    return networkx.to_directed(networkx.karate_club_graph())


def code_like():
    """Sixty nodes that mostly lead to lower ones, to low ones more often, and back now and then."""
    rng = random.Random(60)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(60))
    for node in range(1, 60):
        for _ in range(rng.randrange(6)):
            target = rng.choice([rng.randrange(node), int(node * rng.random() ** 3), max(0, node - rng.randrange(1, 6))])
            if rng.random() < 0.08:
                target = min(59, node + rng.randrange(1, 5))
            if target != node:
                graph.add_edge(node, target, weight=rng.choice([1.0, 0.875, 0.625, 0.5, 0.25, 0.125]))
    return graph


def disconnected():
    """A directed circle, a tree, a complete graph, and two nodes alone."""
    graph = networkx.cycle_graph(5, networkx.DiGraph)
    graph = networkx.disjoint_union(graph, networkx.balanced_tree(2, 2, networkx.DiGraph))
    graph = networkx.disjoint_union(graph, networkx.complete_graph(4, networkx.DiGraph))
    graph.add_nodes_from([16, 17])
    return graph


def dangling():
    """Half of the nodes lead nowhere, and one of them is a seed."""
    graph = networkx.DiGraph([(0, 3), (0, 4), (1, 4), (1, 5), (2, 0), (2, 1), (1, 2)])
    graph.add_node(6)
    return graph


def weighted():
    """Weights of different magnitudes, in both directions between some nodes."""
    rng = random.Random(12)
    graph = networkx.gnp_random_graph(12, 0.3, seed=12, directed=True)
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = rng.choice([1 / 1024, 0.5, 1.0, 3.0, 4096.0])
    return graph


def loops():
    """Edges from nodes to themselves, one of which leads nowhere else."""
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([(0, 0, 2.0), (0, 1, 1.0), (1, 2, 1.0), (2, 0, 0.5), (2, 3, 1.5), (3, 3, 1.0), (4, 3, 1.0)])
    return graph


def vectors(make, seeds):
    graph = make()
    nodes = range(len(graph))
    for _, _, edge in graph.edges(data=True):
        edge.setdefault("weight", 1.0)
    undirected = networkx.Graph()
    undirected.add_nodes_from(nodes)
    for source, target, weight in graph.edges(data="weight"):
        known = undirected.get_edge_data(source, target, {"weight": 0.0})
        undirected.add_edge(source, target, weight=known["weight"] + weight)
    partition = [node * 4 // len(graph) for node in nodes]
    communities = [{node for node in nodes if partition[node] == name} for name in sorted(set(partition))]
    walk = {"alpha": 0.85, "tol": 1e-15, "max_iter": 1000}

    def by_node(scores):
        return [scores[node] for node in nodes]

    return {
        "name": make.__name__,
        "nodes": len(graph),
        "edges": sorted(graph.edges(data="weight")),
        "seeds": sorted(seeds.items()),
        "pagerank": by_node(networkx.pagerank(graph, **walk)),
        "personalised_pagerank": by_node(networkx.pagerank(graph, personalization=seeds, **walk)),
        "closeness": by_node(networkx.closeness_centrality(graph)),
        "closeness_out": by_node(networkx.closeness_centrality(graph.reverse())),
        "betweenness": by_node(networkx.betweenness_centrality(graph, normalized=False)),
        "partition": partition,
        "modularity": networkx.community.modularity(undirected, communities),
    }


GRAPHS = [
    (karate, {0: 1.0, 33: 2.0}),
    (code_like, {59: 1.0, 41: 0.5, 30: 0.25}),
    (disconnected, {0: 1.0, 5: 1.0}),
    (dangling, {2: 3.0, 6: 1.0}),
    (weighted, {3: 1.0}),
    (loops, {0: 1.0, 4: 1.0}),
]

if __name__ == "__main__":
    # A line for each field of a graph.
    shown = [
        "{\n" + ",\n".join(f'  "{name}": {json.dumps(value)}' for name, value in vectors(*graph).items()) + "\n}"
        for graph in GRAPHS
    ]
    print("[" + ",\n".join(shown) + "]")
