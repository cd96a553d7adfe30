#!/usr/bin/env python3
"""NDCG@10 of the table alone on a retrieval benchmark: files by their best chunk, or by the decayed sum of theirs.

evaluate.py TABLE BENCHMARK CHUNKS QUESTIONS    chunks and questions as `cargo xtask pairs` writes them
"""
import argparse
import collections
import importlib.util
import itertools
import json
import pathlib

import numpy as np

import data
import table
import train


class Benchmark:
    def __init__(self, directory, chunks, questions, vocabulary):
        spec = importlib.util.spec_from_file_location("metric", pathlib.Path(directory) / "evaluate.py")
        self.metric = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.metric)
        asked = {line["text"]: line["query"] for line in data.lines_of(questions)}
        self.asked = np.array([vocabulary.get(table.ASKED + term, row) for term, row in vocabulary.items()])
        bags, files = collections.defaultdict(data.Bags), collections.defaultdict(list)
        for chunk in data.lines_of(chunks):
            bags[chunk["package"]].add(list(data.bag_of(chunk, vocabulary)))
            files[chunk["package"]].append((chunk["file"], chunk["first_line"], chunk["last_line"]))
        specs = json.loads((pathlib.Path(directory) / "repositories.json").read_text())
        self.repositories = {}
        for name in sorted(bags):
            root = specs[name]["benchmark_root"] or ""
            inside = np.array([at for at, (file, _, _) in enumerate(files[name]) if file.startswith(root + "/" if root else "")])
            items = json.loads((pathlib.Path(directory) / "annotations" / f"{name}.json").read_text())
            queries = data.Bags()
            for item in items:
                queries.add([(vocabulary[term], 0, 1) for term in asked[item["query"]] if term in vocabulary])
            chunks_of = [files[name][at] for at in inside]
            numbers = np.unique([file for file, _, _ in chunks_of], return_inverse=True)
            self.repositories[name] = (bags[name].freeze(), inside, chunks_of, numbers, items, queries.freeze())

    def scores(self, vectors, weights, power, idf=0.0):
        """Each repository's scores, a row a question and a column a chunk; a question's terms weigh more if few chunks of
        the repository have them."""
        result = {}
        for name, (bags, inside, _, _, _, queries) in self.repositories.items():
            entries, owners = bags.entries_of(inside)
            seen = np.unique(owners.astype(np.int64) * len(vectors) + bags.terms[entries])
            frequency = np.bincount(seen % len(vectors), minlength=len(vectors))
            rarity = np.log1p(len(inside) / np.maximum(frequency, 1))[:, None].astype(np.float32) ** idf
            texts = train.encode(queries, np.arange(len(queries)), vectors[self.asked] * rarity, [1], 1)
            result[name] = texts @ train.encode(bags, inside, vectors, weights, power).T
        return result

    def ndcg(self, scores, decay=None, power=1.0, at_most=10):
        """Mean over repositories of the mean over questions; files by their best chunk, or by the sum of their chunks'
        scores, best first, each `decay` times the weight of the one before."""
        means = {}
        for name, (_, _, chunks, (files, of_chunk), items, _) in self.repositories.items():
            found = []
            for item, row in zip(items, scores[name]):
                order = np.lexsort((-row, of_chunk))
                firsts = np.searchsorted(of_chunk[order], np.arange(len(files)))
                places = np.arange(len(row)) - firsts[of_chunk[order]]
                counted = places < (1 if decay is None else at_most)
                parts = np.maximum(row[order], 0) ** power * (decay or 1.0) ** places
                of_file = np.bincount(of_chunk[order][counted], parts[counted], len(files))
                ranked = np.argsort(-of_file, kind="stable")[:10]
                entries = [list(chunks[order[firsts[file]]]) for file in ranked]
                found.append(self.metric.ndcg(entries, item["relevant"] + item.get("secondary", [])))
            means[name] = np.mean(found)
        return np.mean(list(means.values())), means


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("table", "benchmark", "chunks", "questions"):
        parser.add_argument(name)
    parser.add_argument("--body", type=float, nargs="+", default=[0, 0.25, 1], help="weights of the code to try")
    parser.add_argument("--path", type=float, nargs="+", default=[0, 4, 8], help="weights of the path's words to try")
    parser.add_argument("--idf", type=float, nargs="+", default=[0, 0.6], help="powers of the rarity of a question's terms to try")
    args = parser.parse_args()
    terms, vectors = table.read(args.table)
    benchmark = Benchmark(args.benchmark, args.chunks, args.questions, {term: at for at, term in enumerate(terms)})
    for body, path, idf in itertools.product(args.body, args.path, args.idf):
        weights = [{"body": body, "path": path}.get(field, 1.0) for field in data.FIELDS]
        scores = benchmark.scores(vectors, weights, 0.75, idf)
        best, means = benchmark.ndcg(scores)
        summed, _ = benchmark.ndcg(scores, decay=0.5, power=2)
        print(f"body {body} path {path} idf {idf}: best chunk {best:.4f}, sum {summed:.4f}")
        print("   ", " ".join(f"{name} {mean:.3f}" for name, mean in means.items()), flush=True)


if __name__ == "__main__":
    main()
