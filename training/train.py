#!/usr/bin/env python3
"""Trains the table of term vectors on pairs of `cargo xtask pairs`.

Both sides share the table: the vector of a text is the sum of its terms' rows, normalized. Each text of a batch
has to find its own code among the codes of the batch, and each code its text (InfoNCE). Terms that say little
get short rows, so the table learns its own weighting.
"""
import argparse
import random
import time

import numpy as np
import scipy.sparse as sparse

import data
import table


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs")
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=30_000, help="terms in the table")
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--power", type=float, default=0.75, help="of a term's count in a field")
    parser.add_argument("--weights", type=float, nargs=7, default=[1, 1, 1, 1, 1, 1, 1], metavar="W", help=" ".join(data.FIELDS))
    parser.add_argument("--path", type=float, default=0.0, help="share of codes that have the words of their path")
    parser.add_argument("--nested", type=float, default=0.0, help="weight of the loss of the first half of the dimensions")
    parser.add_argument("--decay", type=float, default=0.0, help="of weights")
    parser.add_argument("--held-out", type=int, default=30, help="packages to try the table on")
    parser.add_argument("--all", action="store_true", help="train on the held-out packages too")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


def matrix(bags, rows, weights, power, keep=None):
    """(owner, term, weight) of the entries of some bags."""
    entries, owners = bags.entries_of(rows)
    values = weights[bags.fields[entries]] * bags.counts[entries] ** power
    terms = bags.terms[entries]
    kept = values > 0 if keep is None else (values > 0) & keep(entries, owners, terms)
    return owners[kept], terms[kept], values[kept].astype(np.float32)


def normalized(vectors):
    norms = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True)) + 1e-6
    return vectors / norms, norms


def info_nce(texts, codes, same, temperature):
    """(loss, gradient by texts, gradient by codes) for vectors as summed up; `same` marks pairs with one text."""
    a, a_norms = normalized(texts)
    b, b_norms = normalized(codes)
    scores = a @ b.T / temperature
    scores[same] = -1e4
    count = len(a)
    rows = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows /= rows.sum(axis=1, keepdims=True)
    columns = np.exp(scores - scores.max(axis=0, keepdims=True))
    columns /= columns.sum(axis=0, keepdims=True)
    right = np.arange(count)
    loss = -0.6 * np.log(rows[right, right] + 1e-9).mean() - 0.4 * np.log(columns[right, right] + 1e-9).mean()
    gradient = 0.6 * rows + 0.4 * columns
    gradient[right, right] -= 1
    gradient /= count * temperature
    da, db = gradient @ b, gradient.T @ a
    da = (da - (da * a).sum(axis=1, keepdims=True) * a) / a_norms
    db = (db - (db * b).sum(axis=1, keepdims=True) * b) / b_norms
    return loss, da, db


class Adam:
    """Adam that touches only the rows of a batch."""

    def __init__(self, shape):
        self.first, self.second = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.step = 0

    def update(self, values, rows, gradient, rate):
        self.step += 1
        self.first[rows] = first = 0.9 * self.first[rows] + 0.1 * gradient
        self.second[rows] = second = 0.999 * self.second[rows] + 0.001 * gradient * gradient
        first = first / (1 - 0.9**self.step)
        second = second / (1 - 0.999**self.step)
        values[rows] -= rate * first / (np.sqrt(second) + 1e-8)


class Trainer:
    def __init__(self, args, pairs, rows, terms):
        self.args, self.pairs, self.rows = args, pairs, rows
        self.random = np.random.default_rng(args.seed)
        self.table = self.random.normal(0, 0.1, (terms, args.dimension)).astype(np.float32)
        self.adam = Adam(self.table.shape)
        self.weights = np.array(args.weights, np.float32)
        numbers = {}
        texts = [pairs.queries.terms[a:b].tobytes() for a, b in zip(pairs.queries.starts, pairs.queries.starts[1:])]
        self.text_numbers = np.array([numbers.setdefault(text, len(numbers)) for text in texts])

    def batch(self, rows):
        """Entries of texts and codes, some of them less easy than they were written."""
        args, pairs, draw = self.args, self.pairs, self.random.random
        names = [data.FIELDS.index(field) for field in ("name", "qualifier", "signature")]
        kinds = pairs.kinds[rows]
        has_path = (draw(len(rows)) < args.path) & (kinds != "path")
        only_signature = (draw(len(rows)) < 0.1) & (kinds == "doc")
        owners, terms, values = matrix(pairs.queries, rows, np.ones(1, np.float32), 1)

        def keep(entries, owners, terms):
            fields = pairs.codes.fields[entries]
            kept = (fields != data.PATH) | has_path[owners]
            kept &= ~only_signature[owners] | np.isin(fields, names) | (fields == data.PATH)
            return kept

        return (owners, terms, values), matrix(pairs.codes, rows, self.weights, args.power, keep)

    def train_on(self, rows, rate):
        args = self.args
        sides = self.batch(rows)
        used, inverse = np.unique(np.concatenate([terms for _, terms, _ in sides]), return_inverse=True)
        cut = len(sides[0][1])
        places = [inverse[:cut], inverse[cut:]]
        bags = [
            sparse.csr_array((values, (owners, place)), shape=(len(rows), len(used)))
            for (owners, _, values), place in zip(sides, places)
        ]
        vectors = self.table[used]
        texts, codes = bags[0] @ vectors, bags[1] @ vectors
        numbers = self.text_numbers[rows]
        same = numbers[:, None] == numbers[None, :]
        np.fill_diagonal(same, False)
        loss, da, db = info_nce(texts, codes, same, args.temperature)
        if args.nested:
            half = args.dimension // 2
            _, ha, hb = info_nce(texts[:, :half], codes[:, :half], same, args.temperature)
            da[:, :half] += args.nested * ha
            db[:, :half] += args.nested * hb
        gradient = bags[0].T @ da + bags[1].T @ db
        if args.decay:
            gradient += args.decay * vectors / len(rows)
        self.adam.update(self.table, used, gradient, rate)
        return loss

    def run(self):
        args = self.args
        per_epoch = len(self.rows) // args.batch
        steps = int(per_epoch * args.epochs)
        started, losses = time.time(), []
        for step in range(steps):
            if step % per_epoch == 0:
                order = self.random.permutation(self.rows)
            at = step % per_epoch * args.batch
            rate = args.rate * min(1, (step + 1) / 40) * (1 - step / steps)
            losses.append(self.train_on(order[at : at + args.batch], rate))
            if (step + 1) % 100 == 0 or step + 1 == steps:
                each = (time.time() - started) / (step + 1)
                print(f"step {step + 1}/{steps}: loss {np.mean(losses[-100:]):.4f}, {each:.2f} s a step", flush=True)


def encode(bags, rows, vectors, weights, power):
    owners, terms, values = matrix(bags, rows, np.asarray(weights, np.float32), power)
    bag = sparse.csr_array((values, (owners, terms)), shape=(len(rows), len(vectors)))
    return normalized(bag @ vectors)[0]


def mean_reciprocal_rank(pairs, rows, vectors, weights, power):
    """Of documentation, among the code of all held-out packages."""
    texts = encode(pairs.queries, rows, vectors, [1], 1)
    codes = encode(pairs.codes, rows, vectors, [*weights[: data.PATH], 0], power)
    scores = texts @ codes.T
    own = np.diag(scores)
    ranks = (scores > own[:, None]).sum(axis=1) + 1
    return (1 / ranks).mean()


def main():
    args = arguments()
    packages = sorted({record["package"] for record in data.lines_of(args.pairs)})
    held_out = set(random.Random(args.seed).sample(packages, args.held_out))
    terms = data.choose_vocabulary(args.pairs, args.rows, set() if args.all else held_out)
    pairs = data.Pairs(args.pairs, {term: number for number, term in enumerate(terms)})
    is_held_out = np.isin(pairs.packages, sorted(held_out))
    rows = np.arange(len(pairs.queries)) if args.all else np.flatnonzero(~is_held_out)
    tried = np.flatnonzero(is_held_out & (pairs.kinds == "doc"))
    tried = np.random.default_rng(args.seed).permutation(tried)[:4000]
    print(f"{len(packages)} packages, {len(rows)} pairs, {len(terms)} terms, {len(tried)} held-out texts", flush=True)
    print({str(kind): int((pairs.kinds == kind).sum()) for kind in np.unique(pairs.kinds)})
    trainer = Trainer(args, pairs, rows, len(terms))
    trainer.run()
    table.write(args.out, terms, trainer.table)
    shipped = table.read(args.out)[1]
    for name, vectors in [("f32", trainer.table), ("as written", shipped)]:
        rank = mean_reciprocal_rank(pairs, tried, vectors, args.weights, args.power)
        print(f"mean reciprocal rank on held-out packages, {name}: {rank:.4f}")


if __name__ == "__main__":
    main()
