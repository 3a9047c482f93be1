# SPDX-License-Identifier: Apache-2.0
"""Models of every scaling as files, documents, and what their scores are by the definition of the scaling."""

import json
import math
import random
import struct
from pathlib import Path

KINDS = ("none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore")
ODD_NAMES = [
    'say "x"', "it's", "two words", " ", "preis €", "select", "a\\", "*/ int", "??/", "??'", "%d%n", "{0}", "--",
    "; --", "\n", "\t\r", "\x7f\x01", "\u2028", "\U0001f600", "\\u0041", "é", "e\u0301", '"""', "'''",
    "$1", "a,b", "<&>",
]  # fmt: skip


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def logarithm(x):
    return math.copysign(math.log1p(abs(x)), x)


class Case:
    """A random model and the documents of some queries. Every fifth feature has no weight or is constant."""

    def __init__(self, kind, names, seed=1, queries=4, documents=7):
        rng = random.Random(seed)
        self.kind, self.names, count = kind, list(names), len(names)
        self.weights = [0.0 if j % 10 == 7 else rng.gauss(0, 1) for j in range(count)]
        sizes = [10 ** rng.uniform(-6, 6) for _ in names]
        self.queries = [
            [
                [single(0.5 if j % 10 == 3 else rng.gauss(0.3, 1) * sizes[j]) for j in range(count)]
                for _ in range(documents)
            ]
            for _ in range(queries)
        ]
        self.shift = self.factor = None
        if kind in ("zscore", "minmax", "log-zscore"):
            inside = [logarithm(x) if kind == "log-zscore" else x for x in sizes]
            self.shift = [rng.gauss(0, 1) * x for x in inside]
            self.factor = [0.0 if j % 10 == 3 else 1 / x for j, x in enumerate(inside)]

    def write(self, path, **inputs):
        scaling = {"kind": self.kind} | ({} if self.shift is None else {"shift": self.shift, "factor": self.factor})
        certificate = {"primal": 0, "dual": 0, "gap": 0, "status": "solved"}
        model = {"format": "dorm-model", "version": 3, "measure": "ndcg@10", "certificate": certificate}
        model |= {"scaling": scaling, "features": self.names, "weights": self.weights} | inputs
        Path(path).write_text(json.dumps(model))

    def terms(self, rows, scaled):
        """What every feature adds to the score of every document of a query; `scaled` are shift and factor."""
        for j, weight in enumerate(self.weights):
            column = [logarithm(row[j]) if self.kind.startswith("log") else row[j] for row in rows]
            if self.kind == "query-minmax":
                shift, width = min(column), max(column) - min(column)
                factor = 1 / width if width > 0 else 0.0
            elif self.kind == "log-query-zscore":
                shift = math.fsum(column) / len(column)
                width = math.sqrt(math.fsum((x - shift) ** 2 for x in column) / len(column))
                factor = 1 / width if max(column) > min(column) else 0.0
            else:
                shift, factor = (scaled[0][j], scaled[1][j]) if scaled[0] else (0.0, 1.0)
            yield [weight * ((x - shift) * factor) for x in column]

    def scores(self):
        """Scores of all documents, and what each may be off for rounding in double."""
        scores, room = [], []
        for rows in self.queries:
            terms = list(zip(*self.terms(rows, (self.shift, self.factor))))
            scores += [math.fsum(term) for term in terms]
            room += [1e-14 + len(self.names) * 1e-15 * math.fsum(map(abs, term)) for term in terms]
        return scores, room

    def rows(self):
        return [row for rows in self.queries for row in rows]

    def require(self, scores):
        """That these are the model's scores."""
        expected, room = self.scores()
        assert len(scores) == len(expected)
        for ours, theirs, off in zip(expected, scores, room):
            assert abs(ours - theirs) <= off, (ours, theirs, off)
