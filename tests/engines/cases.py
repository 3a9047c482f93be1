# SPDX-License-Identifier: Apache-2.0
"""Models of every scaling with documents to score, and what their scores are by the definition of the scaling.

Features are float32 numbers, as everywhere in DORM. A missing feature is None, and counts as 0.
"""

import itertools
import json
import math
from dataclasses import dataclass, field

import numpy as np
from command import dorm

KINDS = ("none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore")
DOUBLE = 2.0**-53  # unit roundoff
SINGLE = 2.0**-24


@dataclass
class Case:
    """A model, and documents query by query."""

    kind: str
    features: list
    weights: list
    queries: list  # of rows of values
    shift: list = field(default_factory=list)
    factor: list = field(default_factory=list)
    names: dict = field(default_factory=dict)  # feature: how the engine spells it, where that is not its name

    @property
    def rows(self):
        return list(itertools.chain(*self.queries))

    @property
    def logarithm(self):
        return self.kind.startswith("log")

    def spelled(self):
        return [self.names.get(name, name) for name in self.features]

    def write(self, folder):
        """The model as model.json, the documents as data.jsonl, the names as names.csv where there are some."""
        scaling = {"kind": self.kind}
        if self.shift:
            scaling |= {"shift": self.shift, "factor": self.factor}
        certificate = {"primal": 0, "dual": 0, "gap": 0, "status": "solved"}
        model = {"format": "dorm-model", "version": 1, "measure": "ndcg@10", "certificate": certificate}
        model |= {"scaling": scaling, "features": self.features, "weights": self.weights} | self.statistics()
        (folder / "model.json").write_text(json.dumps(model))
        with open(folder / "data.jsonl", "w") as out:
            for qid, rows in enumerate(self.queries):
                for row in rows:
                    out.write(json.dumps({"qid": qid, "label": 0, "features": dict(zip(self.features, row))}) + "\n")
        if self.names:
            quoted = lambda text: '"' + text.replace('"', '""') + '"'
            lines = [f"{quoted(name)},{quoted(spelling)}\n" for name, spelling in self.names.items()]
            (folder / "names.csv").write_text("feature,name\n" + "".join(lines))

    def statistics(self):
        """What a model keeps of its training data."""
        return {}

    def ranked(self, folder):
        """The scores of the command, of what `write` wrote."""
        done = dorm("rank", folder / "model.json", folder / "data.jsonl", "--missing", "zero", "-q")
        return [float(line) for line in done.stdout.split()]

    def truth(self):
        """(score, sum of |terms|, constant) of every document; the constant is what no feature changes.

        A term that is a difference counts with both of its sides."""
        return [found for rows in self.queries for found in self._scored(rows)]

    def _scored(self, rows):
        columns = [[transformed(row[j] or 0.0, self.logarithm) for row in rows] for j in range(len(self.features))]
        shift, factor = zip(*(self._affine(j, column) for j, column in enumerate(columns)))
        for values in zip(*columns):
            scaled = [w * f for w, f in zip(self.weights, factor)]
            terms = [s * (x - c) for s, x, c in zip(scaled, values, shift)]
            sizes = [abs(s) * (abs(x) + abs(c)) for s, x, c in zip(scaled, values, shift)]
            constants = [-s * c for s, c in zip(scaled, shift)]
            yield total(terms), total(sizes), total(constants)

    def _affine(self, j, column):
        if self.kind == "none":
            return 0.0, 1.0
        if not self.kind.startswith(("query", "log-query")):
            return self.shift[j], self.factor[j]
        return affine(column, "minmax" in self.kind)

    def reciprocals(self):
        """Sum over features of |weight times factor|: what an error of the logarithm is multiplied by."""
        return total([abs(w * f) for w, f in zip(self.weights, self.factor or [1.0] * len(self.weights))])


def total(numbers):
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return sum(numbers)


def transformed(x, logarithm):
    return math.copysign(math.log1p(abs(x)), x) if logarithm else x


def affine(column, over_range):
    """Shift and factor of a column; the factor of a constant one is 0."""
    low, high = min(column), max(column)
    if low == high:
        return low, 0.0
    if over_range:
        return low, 1 / (high - low)
    mean = math.fsum(column) / len(column)
    return mean, 1 / math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))


def single(x):
    return float(np.float32(x))


def column(rng, documents):
    """Counts with heavy tails, shares, differences, flags, large and small numbers, a constant."""
    draw = rng.integers(7)
    if draw == 0:
        values = np.floor(np.exp(rng.normal(3, 2, documents)))
    elif draw == 1:
        values = rng.random(documents)
    elif draw == 2:
        values = rng.normal(0, 10, documents)
    elif draw == 3:
        values = rng.integers(0, 2, documents)
    elif draw == 4:
        values = 1e9 * rng.random(documents)
    elif draw == 5:
        values = 1e-6 * rng.normal(0, 1, documents)
    else:
        values = np.full(documents, rng.normal(0, 10))
    return [single(x) for x in values]


def random_case(rng, kind, features, documents=12, missing=0.15):
    """`features` is how many, or their names. Weights of both signs over six orders of magnitude, some of them 0."""
    names = [f"f{j + 1}" for j in range(features)] if isinstance(features, int) else list(features)
    columns = [column(rng, documents) for _ in names]
    weights = [float(w) for w in rng.normal(0, 1, len(names)) * 10 ** rng.uniform(-3, 3, len(names))]
    weights = [0.0 if rng.random() < 0.05 else w for w in weights]
    rows = [[None if rng.random() < missing else x for x in row] for row in zip(*columns)]
    shift, factor = [], []
    if kind in ("zscore", "minmax", "log-zscore"):
        scaled = [[transformed(x, kind == "log-zscore") for x in column] for column in columns]
        shift, factor = map(list, zip(*(affine(column, kind == "minmax") for column in scaled)))
    sizes = [5, 1, documents - 6]
    ends = list(itertools.accumulate(sizes))
    return Case(kind, names, weights, [rows[end - size : end] for size, end in zip(sizes, ends)], shift, factor)


def refused(done, name):
    """Whether a command refused, by a message that shows the name."""
    shown = name.encode("unicode_escape").decode()
    return done.returncode != 0 and (name in done.stderr or shown in done.stderr)
