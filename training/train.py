#!/usr/bin/env python3
"""Trains the table of term vectors on pairs of `cargo xtask pairs`.

The vector of a text is the sum of its terms' rows, normalized. Both sides share the table, but a term of a text also
has a row of its own that is added: people and code use some words differently. Each text of a batch has to find its
own code among the codes of the batch, and each code its text (InfoNCE). Terms that say little get short rows, so the
table learns its own weighting.

Some codes of a batch lack the terms of their text (gaps), so that their texts have to find them by other words. Other
codes with these terms then say nothing against them, and are left out for that text; nor does such a code seek its text.
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
    parser.add_argument("pairs", nargs="+")
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
    parser.add_argument("--gaps", type=float, default=0.0, help="share of codes without the terms of their text")
    parser.add_argument("--words", type=int, default=1, help="times that an epoch has the pairs of the thesaurus")
    parser.add_argument("--asked-in", type=int, default=3, help="minimum number of packages whose texts have a term that gets a row for questions")
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


def info_nce(texts, codes, skipped, seeking, temperature):
    """(loss, gradient by texts, gradient by codes) for vectors as summed up, without some pairs, and with 1 for each
    code that seeks its text and 0 for others."""
    a, a_norms = normalized(texts)
    b, b_norms = normalized(codes)
    scores = a @ b.T / temperature
    scores[skipped] = -1e4
    count = len(a)
    rows = np.exp(scores - scores.max(axis=1, keepdims=True))
    rows /= rows.sum(axis=1, keepdims=True)
    columns = np.exp(scores - scores.max(axis=0, keepdims=True))
    columns /= columns.sum(axis=0, keepdims=True)
    right = np.arange(count)
    loss = -0.6 * np.log(rows[right, right] + 1e-9).mean() - 0.4 * (seeking * np.log(columns[right, right] + 1e-9)).mean()
    rows[right, right] -= 1
    columns[right, right] -= 1
    gradient = 0.6 * rows + 0.4 * columns * seeking
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
        # Added to a term's row in texts.
        self.asked = np.zeros_like(self.table)
        self.adams = Adam(self.table.shape), Adam(self.table.shape)
        self.weights = np.array(args.weights, np.float32)
        numbers = {}
        texts = [pairs.queries.terms[a:b].tobytes() for a, b in zip(pairs.queries.starts, pairs.queries.starts[1:])]
        self.text_numbers = np.array([numbers.setdefault(text, len(numbers)) for text in texts])

    def batch(self, rows):
        """Entries of texts and codes, some of them less easy than they were written, and which codes need not find their text."""
        args, pairs, draw = self.args, self.pairs, self.random.random
        names = [data.FIELDS.index(field) for field in ("name", "qualifier", "signature")]
        kinds = pairs.kinds[rows]
        has_path = (draw(len(rows)) < args.path) & (kinds != "path")
        only_signature = (draw(len(rows)) < 0.1) & ((kinds == "doc") | (kinds == "commit"))
        gaps = (draw(len(rows)) < args.gaps) & (kinds != "path")
        owners, terms, values = matrix(pairs.queries, rows, np.ones(1, np.float32), 1)
        entry = lambda owners, terms: owners.astype(np.int64) * len(self.table) + terms
        asked = np.unique(entry(owners, terms))

        def keep(entries, owners, terms):
            fields = pairs.codes.fields[entries]
            kept = (fields != data.PATH) | has_path[owners]
            kept &= ~only_signature[owners] | np.isin(fields, names) | (fields == data.PATH)
            return kept & ~(gaps[owners] & np.isin(entry(owners, terms), asked))

        codes = matrix(pairs.codes, rows, self.weights, args.power, keep)
        return (owners, terms, values), codes, gaps | (kinds == "word")

    def train_on(self, rows, rate):
        args = self.args
        *sides, gaps = self.batch(rows)
        used, inverse = np.unique(np.concatenate([terms for _, terms, _ in sides]), return_inverse=True)
        cut = len(sides[0][1])
        places = [inverse[:cut], inverse[cut:]]
        bags = [
            sparse.csr_array((values, (owners, place)), shape=(len(rows), len(used)))
            for (owners, _, values), place in zip(sides, places)
        ]
        vectors = self.table[used]
        texts, codes = bags[0] @ (vectors + self.asked[used]), bags[1] @ vectors
        numbers = self.text_numbers[rows]
        skipped = numbers[:, None] == numbers[None, :]
        skipped[gaps] |= (bags[0][np.flatnonzero(gaps)] @ (bags[1] > 0).T.astype(np.float32)).toarray() > 0
        np.fill_diagonal(skipped, False)
        seeking = (~gaps).astype(np.float32)
        loss, da, db = info_nce(texts, codes, skipped, seeking, args.temperature)
        if args.nested:
            half = args.dimension // 2
            _, ha, hb = info_nce(texts[:, :half], codes[:, :half], skipped, seeking, args.temperature)
            da[:, :half] += args.nested * ha
            db[:, :half] += args.nested * hb
        of_texts = bags[0].T @ da
        gradient = of_texts + bags[1].T @ db
        if args.decay:
            gradient += args.decay * vectors / len(rows)
        self.adams[0].update(self.table, used, gradient, rate)
        asked = np.unique(places[0])
        self.adams[1].update(self.asked, used[asked], of_texts[asked], rate)
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


def mean_reciprocal_rank(pairs, rows, asked, vectors, weights, power):
    """Of documentation, among the code of all held-out packages."""
    texts = encode(pairs.queries, rows, asked, [1], 1)
    codes = encode(pairs.codes, rows, vectors, [*weights[: data.PATH], 0], power)
    scores = texts @ codes.T
    own = np.diag(scores)
    ranks = (scores > own[:, None]).sum(axis=1) + 1
    return (1 / ranks).mean()


def main():
    args = arguments()
    packages = sorted({record["package"] for record in data.lines_of(*args.pairs) if record["kind"] != "word"})
    held_out = set(random.Random(args.seed).sample(packages, args.held_out))
    terms, asked = data.choose_vocabulary(args.pairs, args.rows, set() if args.all else held_out, args.asked_in)
    numbers = {term: number for number, term in enumerate(terms)}
    pairs = data.Pairs(args.pairs, numbers)
    is_held_out = np.isin(pairs.packages, sorted(held_out))
    rows = np.arange(len(pairs.queries)) if args.all else np.flatnonzero(~is_held_out)
    rows = np.repeat(rows, np.where(pairs.kinds[rows] == "word", args.words, 1))
    tried = np.flatnonzero(is_held_out & (pairs.kinds == "doc"))
    tried = np.random.default_rng(args.seed).permutation(tried)[:4000]
    print(f"{len(packages)} packages, {len(rows)} pairs, {len(terms)} terms, {len(tried)} held-out texts", flush=True)
    print({str(kind): int((pairs.kinds == kind).sum()) for kind in np.unique(pairs.kinds)})
    trainer = Trainer(args, pairs, rows, len(terms))
    trainer.run()
    of_texts = trainer.table + trainer.asked
    named = dict(zip(terms, trainer.table)) | {f"{table.ASKED}{term}": of_texts[numbers[term]] for term in asked}
    names = sorted(named, key=str.encode)
    table.write(args.out, names, np.array([named[name] for name in names]))
    shipped = dict(zip(*table.read(args.out)))
    vectors = np.array([shipped[term] for term in terms])
    questions = np.array([shipped.get(f"{table.ASKED}{term}", shipped[term]) for term in terms])
    for name, texts, codes in [("f32", of_texts, trainer.table), ("as written", questions, vectors)]:
        rank = mean_reciprocal_rank(pairs, tried, texts, codes, args.weights, args.power)
        print(f"mean reciprocal rank on held-out packages, {name}: {rank:.4f}")


if __name__ == "__main__":
    main()
