"""Pairs, chunks and questions as `cargo xtask pairs` writes them, as arrays of numbers."""
import collections
import json

import numpy as np

FIELDS = ["name", "qualifier", "signature", "doc", "body", "members", "path"]
PATH = FIELDS.index("path")


def lines_of(*paths):
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


class Bags:
    """Bags of terms: for each row its entries (term, field, count), one after the other."""

    def __init__(self):
        self.starts, self.terms, self.fields, self.counts = [0], [], [], []

    def add(self, entries):
        for term, field, count in entries:
            self.terms.append(term)
            self.fields.append(field)
            self.counts.append(count)
        self.starts.append(len(self.terms))

    def freeze(self):
        self.starts = np.array(self.starts, np.int64)
        self.terms = np.array(self.terms, np.int32)
        self.fields = np.array(self.fields, np.uint8)
        self.counts = np.array(self.counts, np.float32)
        return self

    def __len__(self):
        return len(self.starts) - 1

    def entries_of(self, rows):
        """The numbers of the entries of some rows, and for each the place of its row among them."""
        starts, sizes = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        owners = np.repeat(np.arange(len(rows)), sizes)
        first = np.cumsum(sizes) - sizes
        return starts[owners] + np.arange(len(owners)) - first[owners], owners


def bag_of(record, vocabulary):
    """The entries of a pair's or chunk's code, its path last."""
    for field, counts in record["fields"].items():
        number = FIELDS.index(field)
        yield from ((vocabulary[term], number, count) for term, count in counts.items() if term in vocabulary)
    yield from ((vocabulary[term], PATH, 1) for term in dict.fromkeys(record["path"]) if term in vocabulary)


def choose_vocabulary(paths, size, held_out, asked_in):
    """The terms that occur in the most packages, at least two, in byte order; and those in the texts of at least `asked_in` packages."""
    packages, last = collections.Counter(), {}
    asking, last_asking = collections.Counter(), {}

    def count(terms, package, packages, last):
        for term in terms:
            if last.get(term) != package:
                last[term] = package
                packages[term] += 1

    for record in lines_of(*paths):
        package = record["package"]
        # The thesaurus is no package: its words count if packages have them.
        if package in held_out or record["kind"] == "word":
            continue
        for terms in (record["query"], *record["fields"].values()):
            count(terms, package, packages, last)
        count(record["query"], package, asking, last_asking)
    useful = [(-count, term) for term, count in packages.items() if count > 1 and len(term) > 1 and not term.isnumeric()]
    terms = sorted((term for _, term in sorted(useful)[:size]), key=str.encode)
    return terms, [term for term in terms if asking[term] >= asked_in]


class Pairs:
    def __init__(self, paths, vocabulary):
        self.queries, self.codes = Bags(), Bags()
        self.packages, self.kinds = [], []
        for record in lines_of(*paths):
            query = [(vocabulary[term], 0, 1) for term in record["query"] if term in vocabulary]
            code = list(bag_of(record, vocabulary))
            if query and any(field != PATH for _, field, _ in code):
                self.queries.add(query)
                self.codes.add(code)
                self.packages.append(record["package"])
                self.kinds.append(record["kind"])
        self.queries.freeze()
        self.codes.freeze()
        self.packages, self.kinds = np.array(self.packages), np.array(self.kinds)
