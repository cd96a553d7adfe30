"""Reads what `sscg export` wrote into the directory given, and prints what it found as JSON."""

import json
import sys

import duckdb
import networkx
import pyarrow.feather
import pyarrow.parquet

root = sys.argv[1]
found = {}
for table in ["chunks", "symbols", "edges", "unresolved"]:
    parquet = pyarrow.parquet.read_table(f"{root}/{table}.parquet")
    arrow = pyarrow.feather.read_table(f"{root}/{table}.arrow")
    assert parquet.equals(arrow), table
    rows = duckdb.sql(f"SELECT count(*) FROM '{root}/{table}.parquet'").fetchall()[0][0]
    assert rows == parquet.num_rows, table
    found[table] = parquet.to_pylist()

graphml = networkx.read_graphml(f"{root}/graph.graphml", force_multigraph=True)
with open(f"{root}/graph.json") as file:
    linked = networkx.node_link_graph(json.load(file), edges="edges")
dot = networkx.nx_pydot.read_dot(f"{root}/graph.dot")
assert graphml.is_directed() and linked.is_directed() and dot.is_directed()
assert dict(graphml.nodes(data=True)) == dict(linked.nodes(data=True))


def lines(edge):
    listed = edge["lines"]
    return listed if isinstance(listed, list) else [int(line) for line in listed.split()]


def edges(graph):
    return sorted(
        (source, target, edge["relation"], int(edge["line"]), lines(edge))
        for source, target, edge in graph.edges(data=True)
    )


assert edges(graphml) == edges(linked)
assert dot.number_of_edges() == linked.number_of_edges()
found["nodes"] = linked.number_of_nodes()
found["graph_edges"] = edges(linked)
found["graph_unresolved"] = linked.graph["unresolved"]
json.dump(found, sys.stdout)
