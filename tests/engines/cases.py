# SPDX-License-Identifier: Apache-2.0
"""Models of every scaling with documents to score, and what their scores are by the definition of the scaling.

Features are float32 numbers, as everywhere in DORM. A missing feature is None, and counts as 0.
"""

import itertools
import json
import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from command import dorm

KINDS = ("none", "zscore", "minmax", "log-zscore", "query-minmax", "log-query-zscore")
DOUBLE = 2.0**-53  # unit roundoff
SINGLE = 2.0**-24


class Truth(NamedTuple):
    """The score of a document by the definition of its model, and what rounding errors of a score are multiples of."""

    score: float
    size: float  # sum of |terms|, where a term that is a difference counts with both sides
    constant: float  # what no feature changes
    multipliers: float  # of what is lost below the smallest numbers: sum of everything that multiplies something


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
    statistics: bool = False  # the model knows the range of its features: that of these documents
    means: list = field(default_factory=list)  # what stands for missing features, where that is not 0

    @property
    def rows(self):
        return list(itertools.chain(*self.queries))

    @property
    def logarithm(self):
        return self.kind.startswith("log")

    def spelled(self, number="{}"):
        """The names by which the engine knows the features; `number`: how it calls those that are numbers."""

        def own(name):
            return number.format(name) if name.isascii() and name.isdecimal() else name

        return [self.names.get(name, own(name)) for name in self.features]

    def write(self, folder):
        """The model as model.json, the documents as data.jsonl, the names as names.csv where there are some."""
        scaling = {"kind": self.kind}
        if self.shift:
            scaling |= {"shift": self.shift, "factor": self.factor}
        certificate = {"primal": 0, "dual": 0, "gap": 0, "status": "solved"}
        model = {"format": "dorm-model", "version": 3, "measure": "ndcg@10", "certificate": certificate}
        model |= {"scaling": scaling, "features": self.features, "weights": self.weights}
        if self.statistics:
            model["statistics"] = self._statistics()
        if self.means:
            model["input"] = {"missing": "mean", "means": self.means}
        (folder / "model.json").write_text(json.dumps(model))
        with open(folder / "data.jsonl", "w") as out:
            for qid, rows in enumerate(self.queries):
                for row in rows:
                    out.write(json.dumps({"qid": qid, "label": 0, "features": dict(zip(self.features, row))}) + "\n")
        if self.names:
            quoted = lambda text: '"' + text.replace('"', '""') + '"'
            lines = [f"{quoted(name)},{quoted(spelling)}\n" for name, spelling in self.names.items()]
            (folder / "names.csv").write_text("feature,name\n" + "".join(lines))

    def filled(self, row):
        """With what stands for missing features."""
        return [x if x is not None else mean for x, mean in zip(row, self.means or itertools.repeat(0.0))]

    def _statistics(self):
        columns = list(zip(*(self.filled(row) for row in self.rows)))
        low, high = [min(column) for column in columns], [max(column) for column in columns]
        mean = [max(least, min(most, math.fsum(c) / len(c))) for c, least, most in zip(columns, low, high)]
        return {"minimum": low, "maximum": high, "mean": mean}

    def ranked(self, folder):
        """The scores of the command, of what `write` wrote."""
        missing = [] if self.means else ["--missing", "zero"]
        done = dorm("rank", folder / "model.json", folder / "data.jsonl", "-q", *missing)
        return [float(line) for line in done.stdout.split()]

    def truth(self):
        """A Truth of every document."""
        return [found for rows in self.queries for found in self._scored(rows)]

    def widest(self):
        """Beyond the Truth of any document here, for scores that have the range of every feature in their constant."""
        rows = [[transformed(x, self.logarithm) for x in self.filled(row)] for row in self.rows]
        ends = [2 * max(map(abs, column)) for column in zip(*rows)]
        affine_ = [self._affine(j, ()) for j in range(len(ends))]
        sizes = [2 * abs(w * f) * (x + 2 * abs(c)) for w, x, (c, f) in zip(self.weights, ends, affine_)]
        return Truth(0.0, total(sizes), 0.0, total(sizes))

    def _scored(self, rows):
        columns = list(zip(*([transformed(x, self.logarithm) for x in self.filled(row)] for row in rows)))
        shift, factor = zip(*(self._affine(j, column) for j, column in enumerate(columns)))
        for values in zip(*columns):
            scaled = [w * f for w, f in zip(self.weights, factor)]
            terms = [s * (x - c) for s, x, c in zip(scaled, values, shift)]
            sizes = [abs(s) * (abs(x) + abs(c)) for s, x, c in zip(scaled, values, shift)]
            constants = [-s * c for s, c in zip(scaled, shift)]
            multipliers = [
                1 + abs(w) + abs(s) + abs(f) + (1 + abs(f)) * (abs(x) + abs(c))
                for w, s, f, x, c in zip(self.weights, scaled, factor, values, shift)
            ]
            yield Truth(total(terms), total(sizes), total(constants), total(multipliers))

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


def column(rng, documents, kinds=7):
    """Counts with heavy tails, shares, differences, large and small numbers, flags, a constant: the first `kinds`."""
    draw = rng.integers(kinds)
    if draw == 0:
        values = np.floor(np.exp(rng.normal(3, 2, documents)))
    elif draw == 1:
        values = rng.random(documents)
    elif draw == 2:
        values = rng.normal(0, 10, documents)
    elif draw == 3:
        values = 1e9 * rng.random(documents)
    elif draw == 4:
        values = 1e-6 * rng.normal(0, 1, documents)
    elif draw == 5:
        values = rng.integers(0, 2, documents)
    else:
        values = np.full(documents, rng.normal(0, 10))
    return [single(x) for x in values]


def random_case(rng, kind, features, documents=12, missing=0.15, live=False):
    """`features` are their names. Weights of both signs over six orders of magnitude, some of them 0; none
    is, and no feature is constant, where all have to be `live`."""
    names = list(features)
    columns = [column(rng, documents, 5 if live else 7) for _ in names]
    weights = [float(w) for w in rng.normal(0, 1, len(names)) * 10 ** rng.uniform(-3, 3, len(names))]
    weights = [0.0 if not live and rng.random() < 0.05 else w for w in weights]
    rows = [[None if rng.random() < missing else x for x in row] for row in zip(*columns)]
    shift, factor = [], []
    if kind in ("zscore", "minmax", "log-zscore"):
        scaled = [[transformed(x, kind == "log-zscore") for x in column] for column in columns]
        shift, factor = map(list, zip(*(affine(column, kind == "minmax") for column in scaled)))
    sizes = [5, 1, documents - 6]
    ends = list(itertools.accumulate(sizes))
    queries = [rows[end - size : end] for size, end in zip(sizes, ends)]
    return Case(kind, names, weights, queries, shift, factor, statistics=bool(rng.random() < 0.5))


WEIGHTS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    5e-324,
    -2.3e-308,
    1e-300,
    -1e-45,
    1e-38,
    0.1,
    1 / 3,
    16777217.0,
    3.4e38,
    -1e39,
    1e300,
    1.7e308,
]
VALUES = [0.0, -0.0, 1.0, -1.0, 1e-45, -1.2e-38, 1e-30, 0.1, 16777216.0, -65504.0, 1e30, -3.4e38, 3.4028234e38, None]


def extreme_case(rng, kind, names):
    """Weights, scalings and features at the ends of the numbers, which need not fit each other."""
    draw = lambda numbers: numbers[rng.integers(len(numbers))]
    number = lambda: float(draw(WEIGHTS) if rng.random() < 0.4 else rng.normal() * 10 ** rng.uniform(-40, 40))
    rows = [[draw(VALUES) if rng.random() < 0.4 else single(rng.normal() * 10) for _ in names] for _ in range(4)]
    rows = [[None if x is None else single(x) for x in row] for row in rows]
    shift, factor = [], []
    if kind in ("zscore", "minmax", "log-zscore"):
        shift = [number() for _ in names]
        factor = [abs(number()) for _ in names]
    return Case(kind, names, [number() for _ in names], [rows[:3], rows[3:]], shift, factor)


def refused(done, name):
    """Whether a command refused, by a message that shows the name, or its start. Other characters are escaped there."""
    start = name.encode()[:40].decode(errors="ignore")
    return done.returncode != 0 and all(part in done.stderr for part in re.split(r"[\x00-\x1f\x7f-\xa0]+", start))
