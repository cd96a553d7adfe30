"""Times what other libraries make of a graph: `peers.py`, for `cargo xtask bench-peers`.

Reads requests and answers them, one JSON object a line; the first line it writes says the versions.

    {"graph": FILE, "task": "pagerank", "peer": "scipy", "seeds": [3, 8], "tolerance": 1e-7, "seed": 1, "result": FILE}
    {"ms": 12.5}

The graph is little-endian: the numbers of nodes and edges, sources, targets (all u32), weights (f32). The result is one
f64 for each node. What a library needs to be given is made of the graph outside of the time and kept for the next request.
"""

import importlib.metadata
import json
import random
import sys
import time

import igraph
import leidenalg
import networkit
import networkx
import numpy
import rustworkx
import scipy.sparse

DAMPING = 0.85
MAX_ITERATIONS = 1000


class Graph:
    """A graph and the forms of it that libraries take, each made when first asked for."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.nodes, edges = (int(count) for count in numpy.fromfile(file, numpy.uint32, 2))
            self.sources = numpy.fromfile(file, numpy.uint32, edges)
            self.targets = numpy.fromfile(file, numpy.uint32, edges)
            self.weights = numpy.fromfile(file, numpy.float32, edges).astype(float)
        self.forms = {}

    def form(self, make):
        if make not in self.forms:
            self.forms[make] = make(self)
        return self.forms[make]


# What libraries take.


def matrix(graph):
    edges = (graph.weights, (graph.sources, graph.targets))
    return scipy.sparse.csr_array(edges, shape=(graph.nodes, graph.nodes))


def transition(graph):
    """The transposed matrix of the walk: an edge's share of its source's weight, by target."""
    out = numpy.bincount(graph.sources, graph.weights, graph.nodes)
    shares = graph.weights / out[graph.sources]
    return scipy.sparse.csr_array((shares, (graph.targets, graph.sources)), shape=(graph.nodes, graph.nodes))


def undirected_matrix(graph):
    directed = graph.form(matrix)
    return scipy.sparse.triu(directed + directed.T).tocoo()


def networkx_graph(graph):
    made = networkx.DiGraph()
    made.add_nodes_from(range(graph.nodes))
    made.add_weighted_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist()))
    return made


def igraph_graph(graph):
    edges = numpy.column_stack([graph.sources, graph.targets])
    return igraph.Graph(graph.nodes, edges, directed=True, edge_attrs={"weight": graph.weights.tolist()})


def igraph_undirected(graph):
    edges = graph.form(undirected_matrix)
    pairs = numpy.column_stack([edges.row, edges.col])
    return igraph.Graph(graph.nodes, pairs, directed=False, edge_attrs={"weight": edges.data.tolist()})


def networkit_graph(graph):
    edges = (graph.weights, (graph.sources.astype(numpy.uint64), graph.targets.astype(numpy.uint64)))
    return networkit.GraphFromCoo(edges, graph.nodes, weighted=True, directed=True)


def networkit_plain(graph):
    """Without weights, which would turn its searches into Dijkstra's."""
    edges = (graph.sources.astype(numpy.uint64), graph.targets.astype(numpy.uint64))
    return networkit.GraphFromCoo(edges, graph.nodes, weighted=False, directed=True)


def networkit_undirected(graph):
    edges = graph.form(undirected_matrix)
    triplets = (edges.data, (edges.row.astype(numpy.uint64), edges.col.astype(numpy.uint64)))
    return networkit.GraphFromCoo(triplets, graph.nodes, weighted=True, directed=False)


def rustworkx_graph(graph):
    made = rustworkx.PyDiGraph(multigraph=False)
    made.add_nodes_from(range(graph.nodes))
    made.add_edges_from(list(zip(graph.sources.tolist(), graph.targets.tolist(), graph.weights.tolist())))
    return made


# What they are asked, by task and peer: the form and a function of it and the request, which is what is timed.


def scipy_pagerank(transition, request):
    nodes = transition.shape[0]
    seeds = request["seeds"]
    jump = numpy.full(nodes, 1 / nodes)
    if seeds:
        jump[:] = 0
        jump[seeds] = 1 / len(seeds)
    scores = jump
    residual = numpy.inf
    while residual > request["tolerance"]:
        following = transition @ scores
        following *= DAMPING
        # What is missing to a mass of 1 are the jumps and what dangling nodes hold.
        following += (1 - following.sum()) * jump
        residual = numpy.abs(following - scores).sum()
        scores = following
    return scores


def igraph_pagerank(graph, request):
    if not request["seeds"]:
        return graph.pagerank(damping=DAMPING, weights="weight")
    return graph.personalized_pagerank(damping=DAMPING, reset_vertices=request["seeds"], weights="weight")


def networkx_pagerank(graph, request):
    # It stops at the number of nodes times the tolerance.
    options = {"alpha": DAMPING, "tol": request["tolerance"] / len(graph), "max_iter": MAX_ITERATIONS}
    return networkx.pagerank(graph, personalization=dict.fromkeys(request["seeds"], 1.0) or None, **options)


def rustworkx_pagerank(graph, request):
    # It stops at the number of nodes times the tolerance, too.
    options = {"alpha": DAMPING, "tol": request["tolerance"] / graph.num_nodes(), "max_iter": MAX_ITERATIONS}
    seeds = dict.fromkeys(request["seeds"], 1.0) or None
    return rustworkx.pagerank(graph, weight_fn=float, personalization=seeds, **options)


def networkit_pagerank(graph, request):
    sinks = networkit.centrality.SinkHandling.DistributeSinks
    algorithm = networkit.centrality.PageRank(graph, DAMPING, request["tolerance"], False, sinks)
    algorithm.norm = networkit.centrality.Norm.L1_NORM
    algorithm.maxIterations = MAX_ITERATIONS
    return algorithm.run()


def networkit_plm(graph, request):
    networkit.setSeed(request["seed"], False)
    return networkit.community.PLM(graph).run()


def networkit_leiden(graph, request):
    networkit.setSeed(request["seed"], False)
    return networkit.community.ParallelLeiden(graph).run()


def igraph_multilevel(graph, request):
    random.seed(request["seed"])
    return graph.community_multilevel(weights="weight")


def igraph_leiden(iterations):
    def leiden(graph, request):
        random.seed(request["seed"])
        return graph.community_leiden("modularity", weights="weight", n_iterations=iterations)

    return leiden


def leidenalg_leiden(iterations):
    def leiden(graph, request):
        kind = leidenalg.ModularityVertexPartition
        return leidenalg.find_partition(
            graph, kind, weights="weight", n_iterations=iterations, seed=request["seed"]
        )

    return leiden


TASKS = {
    "pagerank": {
        "scipy": (transition, scipy_pagerank),
        "igraph": (igraph_graph, igraph_pagerank),
        "networkit": (networkit_graph, networkit_pagerank),
        "networkx": (networkx_graph, networkx_pagerank),
        "rustworkx": (rustworkx_graph, rustworkx_pagerank),
    },
    "betweenness": {
        "igraph": (igraph_graph, lambda graph, _: graph.betweenness()),
        "networkit": (networkit_plain, lambda graph, _: networkit.centrality.Betweenness(graph).run()),
        "rustworkx": (rustworkx_graph, lambda graph, _: rustworkx.betweenness_centrality(graph, normalized=False)),
    },
    "sampled betweenness": {
        "igraph": (igraph_graph, lambda graph, request: graph.betweenness(sources=request["seeds"])),
        "networkit": (
            networkit_plain,
            lambda graph, request: networkit.centrality.EstimateBetweenness(
                graph, len(request["seeds"]), False, True
            ).run(),
        ),
    },
    "closeness": {
        "igraph": (igraph_graph, lambda graph, _: graph.closeness(mode="in")),
        "networkit": (
            networkit_plain,
            lambda graph, _: networkit.centrality.Closeness(
                graph, True, networkit.centrality.ClosenessVariant.GENERALIZED
            ).run(),
        ),
        "networkx": (networkx_graph, lambda graph, _: networkx.closeness_centrality(graph)),
        "rustworkx": (rustworkx_graph, lambda graph, _: rustworkx.closeness_centrality(graph)),
    },
    "communities": {
        "networkit PLM": (networkit_undirected, networkit_plm),
        "networkit ParallelLeiden": (networkit_undirected, networkit_leiden),
        "igraph multilevel": (igraph_undirected, igraph_multilevel),
        "igraph Leiden, 2 iterations": (igraph_undirected, igraph_leiden(2)),
        "igraph Leiden, converged": (igraph_undirected, igraph_leiden(-1)),
        "leidenalg, 2 iterations": (igraph_undirected, leidenalg_leiden(2)),
        "leidenalg, converged": (igraph_undirected, leidenalg_leiden(-1)),
    },
}


def vector(outcome, nodes):
    """An outcome as one number for each node."""
    for member in ("scores", "getPartition", "getVector"):
        if hasattr(outcome, member):
            outcome = getattr(outcome, member)()
    outcome = getattr(outcome, "membership", outcome)
    if hasattr(outcome, "keys"):
        outcome = [outcome[node] for node in range(nodes)]
    # Where a score is not defined it is NaN, and counts as none.
    return numpy.nan_to_num(numpy.asarray(outcome, dtype=numpy.float64))


def main():
    libraries = ["scipy", "igraph", "networkit", "rustworkx", "networkx", "leidenalg"]
    print(json.dumps({library: importlib.metadata.version(library) for library in libraries}), flush=True)
    graph = None
    for line in sys.stdin:
        request = json.loads(line)
        if graph is None or graph.path != request["graph"]:
            graph = Graph(request["graph"])
        make, run = TASKS[request["task"]][request["peer"]]
        form = graph.form(make)
        start = time.perf_counter()
        outcome = run(form, request)
        spent = time.perf_counter() - start
        vector(outcome, graph.nodes).tofile(request["result"])
        print(json.dumps({"ms": spent * 1e3}), flush=True)


if __name__ == "__main__":
    main()
