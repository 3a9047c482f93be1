# SPDX-License-Identifier: Apache-2.0
"""Curves of lines, and sums of linear models, curves and trees, in the engines: scores are those of the definition."""

import json
import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from cases import Case, affine, single, transformed
from command import dorm
from comparison import Engine, Exported, export
from java_engines import by_java, by_vespa
from portable_engines import by_compiler, by_onnxruntime, by_python, by_sqlite, each

CERTIFICATE = {"primal": 0, "dual": 0, "gap": 0, "status": "solved"}
SIZES = (5, 1, 8)  # of the queries


def model_of(kind, features, **more):
    return {"format": "dorm-model", "version": 3, "kind": kind, "measure": "ndcg@10", "certificate": CERTIFICATE,
            "scaling": {"kind": "none"}, "features": features, **more}  # fmt: skip


@dataclass
class Part:
    """A model and its scores by its definition; `columns` are those of the data that it has."""

    model: dict
    columns: list
    score: object  # of the queries, as rows of its columns

    def scores(self, queries):
        return self.score([[[row[j] for j in self.columns] for row in rows] for rows in queries])


def scaled(rng, kind, columns):
    """A scaling fitted on the values that are there."""
    known = [[transformed(x, kind == "log-zscore") for x in column if x is not None] for column in columns]
    if kind == "none":
        return {"kind": kind}, lambda x, j: x
    shift, factor = map(list, zip(*(affine(column, kind == "minmax") for column in known)))
    by = lambda x, j: (transformed(x, kind == "log-zscore") - shift[j]) * factor[j]
    return {"kind": kind, "shift": shift, "factor": factor}, by


def curve_part(rng, kind, names, places, queries, shape="lines", gaps=True):
    rows = [row for query in queries for row in query]
    columns = [[row[j] for row in rows] for j in places]
    scaling, scale = scaled(rng, kind, columns)
    weights, curves, pieces = [], [], []
    for j, column in enumerate(columns):
        known = sorted({scale(x, j) for x in column if x is not None})
        straight = shape == "lines" and rng.random() < 0.2
        knots = [] if straight else sorted(set(rng.choice(known, min(len(known), 5), replace=False).tolist()))
        rises = rng.normal(size=max(0, len(knots) - (shape == "lines"))).tolist()
        median = 0.0 if straight else float(np.median(known))
        missing = float(rng.normal()) if gaps else None
        weights.append(float(rng.normal()) if shape == "lines" else 0.0)
        told = {"feature": names[places[j]], "median": median, "knots": knots, "rises": rises}
        if knots or gaps:
            curves.append(told | ({"missing": missing} if gaps else {}))
        pieces.append((weights[-1], knots, rises, median, missing or 0.0))

    def raw(knots, rises, x):
        if shape == "steps":
            return sum(rise for knot, rise in zip(knots, rises) if x >= knot)
        return float(np.interp(x, knots, np.concatenate([[0], np.cumsum(rises)]))) if len(knots) > 1 else 0.0

    def score(all_rows):
        out = []
        for row in (row for query in all_rows for row in query):
            total = 0.0
            for j, (x, (weight, knots, rises, median, missing)) in enumerate(zip(row, pieces)):
                if x is None:
                    total += missing
                    continue
                at = scale(x, j)
                total += weight * (at - median) + raw(knots, rises, at) - raw(knots, rises, median)
            out.append(total)
        return out

    model = model_of("curves", [names[j] for j in places], weights=weights, scaling=scaling,
                     curves={"shape": shape, "features": curves}, input={"missing": "keep" if gaps else "error"},
                     )  # fmt: skip
    return Part(model, places, score)


def linear_part(rng, kind, names, places, queries):
    """Means stand for what is missing."""
    rows = [row for query in queries for row in query]
    means = [single(rng.normal()) for _ in places]
    columns = [[mean if row[j] is None else row[j] for row in rows] for j, mean in zip(places, means)]
    weights = rng.normal(size=len(places)).tolist()
    scaling, scale = ({"kind": kind}, None) if kind == "query-minmax" else scaled(rng, kind, columns)

    def score(all_rows):
        out = []
        for query in all_rows:
            filled = [[mean if x is None else x for x, mean in zip(row, means)] for row in query]
            ends = [affine(column, True) for column in zip(*filled)]
            by = scale or (lambda x, j, ends=ends: (x - ends[j][0]) * ends[j][1])
            out += [math.fsum(w * by(x, j) for j, (w, x) in enumerate(zip(weights, row))) for row in filled]
        return out

    features = [names[j] for j in places]
    return Part(model_of("linear", features, weights=weights, scaling=scaling,
                         input={"missing": "mean", "means": means}), places, score)  # fmt: skip


def tree_part(rng, names, places, queries, trees=6):
    """Random trees of depth three, with a direction for what is missing."""
    nodes, roots = [], []
    values = [[x for query in queries for row in query if (x := row[j]) is not None] for j in places]

    def grow(depth):
        at = len(nodes)
        nodes.append(
            {"left": 0, "right": 0, "feature": 0, "value": single(rng.normal()), "missing": 0, "default_left": 0}
        )
        if depth > 0:
            j = int(rng.integers(len(places)))
            nodes[at] |= {"feature": j, "value": single(rng.choice(values[j])), "missing": 2,
                          "default_left": int(rng.integers(2)), "left": grow(depth - 1),
                          "right": grow(depth - 1)}  # fmt: skip
        return at

    for _ in range(trees):
        roots.append(grow(3))
    base = float(rng.normal())

    def leaf(at, row):
        while nodes[at]["left"]:
            node = nodes[at]
            x = row[node["feature"]]
            at = node["left" if (node["default_left"] if x is None else x <= node["value"]) else "right"]
        return nodes[at]["value"]

    def score(all_rows):
        return [base + math.fsum(leaf(root, row) for root in roots) for query in all_rows for row in query]

    columns = {key: [node[key] for node in nodes] for key in nodes[0]}
    told = {"library": "test", "objective": "", "base": base, "by_number": False, "roots": roots,
            "cover": [0] * len(nodes), "missing_names": ["none", "zero", "nan"], **columns}  # fmt: skip
    features = [names[j] for j in places]
    return Part(model_of("trees", features, trees=told, input={"missing": "keep"}), places, score)


@dataclass
class PartsCase(Case):
    """The sum of some parts with weights; one of weight 1 by itself."""

    parts: list = field(default_factory=list)  # weight, Part

    def write(self, folder):
        super().write(folder)
        model = self.parts[0][1].model
        if len(self.parts) > 1:
            told = {"share": 0.5, "bound": "none", "start": "part", "C": 0, "certificate": CERTIFICATE}
            parts = [told | {"weight": weight, "model": part.model} for weight, part in self.parts]
            model = model_of("sum", self.features, input={"missing": "keep"}, parts=parts)
        (folder / "model.json").write_text(json.dumps(model))

    def ranked(self, folder):
        done = dorm("rank", folder / "model.json", folder / "data.jsonl", "-q")
        return [float(line) for line in done.stdout.split()]

    def defined(self):
        parts = [(weight, part.scores(self.queries)) for weight, part in self.parts]
        return [math.fsum(weight * scores[i] for weight, scores in parts) for i in range(len(self.rows))]


def drawn(rng, makers, missing=True):
    """Five features of two decimals, some missing; a part has three or more of them."""
    names = [f"f{j + 1}" for j in range(5)]
    value = lambda: None if missing and rng.random() < 0.2 else single(round(float(rng.normal(0, 20)), 2))
    queries = [[[value() for _ in names] for _ in range(size)] for size in SIZES]
    for row in queries[0][:2]:  # every column has two values
        row[:] = [single(round(float(rng.normal(0, 20)), 2)) for _ in names]
    parts = []
    for make in makers:
        places = (
            sorted(rng.choice(5, int(rng.integers(3, 6)), replace=False).tolist())
            if len(makers) > 1
            else [0, 1, 2, 3, 4]
        )
        parts.append((float(rng.normal()) if len(makers) > 1 else 1.0, make(rng, names, places, queries)))
    if len(makers) > 1:  # the sum has the features of its parts, all of which are in the data
        parts.append((1.0, linear_part(rng, "none", names, [0, 1, 2, 3, 4], queries)))
    return PartsCase("none", names, [0.0] * 5, queries, parts=parts)


def lines(kind, **more):
    return lambda *given: curve_part(given[0], kind, *given[1:], **more)


def linear(kind):
    return lambda *given: linear_part(given[0], kind, *given[1:])


def compare(engine, cases, folder):
    exports = []
    for number, case in enumerate(cases):
        done = export(engine, case, folder / str(number))
        assert isinstance(done, Exported), done.stderr
        assert case.ranked(done.folder) == pytest.approx(case.defined(), rel=1e-9, abs=1e-9)
        case.means = True  # missing stays missing
        exports.append(done)
    off = 0.0
    for one, scores in zip(exports, engine.score(exports)):
        assert not isinstance(scores, str), scores
        expected = np.array(one.case.defined())
        off = max(off, np.abs(np.array(scores) - expected).max() / max(1.0, np.abs(expected).max()))
    print(f"{engine}: {len(exports)} models, largest relative difference {off:.1e}")
    assert off < (2e-5 if engine.single else 1e-12)


ALONE = [
    Engine("c", (), by_compiler("gcc", "-std=c99")),
    Engine("python", (), each(by_python)),
    Engine("sql", (), each(by_sqlite)),
    Engine("onnx", (), each(by_onnxruntime)),
    Engine("pmml", (), by_java("pmml", "Pmml")),
    Engine("vespa", (), by_vespa),
]
SUMS = ALONE[:5]
KINDS = ["none", "zscore", "minmax", "log-zscore"]
WITH_GAPS = KINDS[:3]  # no logarithms of what is not there


@pytest.mark.parametrize("engine", ALONE, ids=str)
def test_curves_of_lines_and_what_a_missing_value_adds(engine, tmp_path):
    rng = np.random.default_rng(5)
    cases = [drawn(rng, [lines(kind)]) for kind in WITH_GAPS for _ in range(4)]
    cases += [drawn(rng, [lines(kind, gaps=False)], missing=False) for kind in KINDS for _ in range(2)]
    compare(engine, cases, tmp_path)


def test_lucene_has_the_curves_and_no_gaps(tmp_path):
    rng = np.random.default_rng(6)
    engine = Engine("lucene", (), by_java("lucene", "Lucene"))
    compare(
        engine, [drawn(rng, [lines(kind, gaps=False)], missing=False) for kind in KINDS for _ in range(3)], tmp_path
    )
    done = export(engine, drawn(rng, [lines("zscore")]), tmp_path / "gaps")
    assert done.returncode != 0 and "missing, which lucene cannot evaluate" in done.stderr


@pytest.mark.parametrize("engine", SUMS, ids=str)
def test_sums_of_parts(engine, tmp_path):
    rng = np.random.default_rng(7)
    makers = [[tree_part], [linear("zscore"), tree_part], [lines("none"), tree_part, tree_part],
              [lines("minmax"), linear("log-zscore")], [lines("zscore", shape="steps"), tree_part]]  # fmt: skip
    made = Engine(engine.target, (), engine.score, single=engine.target == "onnx")
    compare(made, [drawn(rng, [*some, *more]) for some in makers for more in ([], [linear("none")])], tmp_path)


@pytest.mark.parametrize("engine", [engine for engine in SUMS if engine.target in ("c", "python", "onnx")], ids=str)
def test_sums_with_a_part_that_scales_within_queries(engine, tmp_path):
    rng = np.random.default_rng(8)
    made = Engine(engine.target, (), engine.score, single=engine.target == "onnx")
    compare(made, [drawn(rng, [linear("query-minmax"), tree_part]) for _ in range(3)], tmp_path)


def test_sums_of_trees_are_trees_and_others_are_refused_by_name(tmp_path):
    rng = np.random.default_rng(9)
    case = drawn(rng, [tree_part, tree_part])
    done = export(Engine("ranklib", (), None), case, tmp_path / "mixed")
    assert done.returncode != 0
    assert "a sum of linear and trees, which ranklib cannot evaluate" in done.stderr and "sql" in done.stderr
    case.parts.pop()
    case.features = sorted({name for _, part in case.parts for name in part.model["features"]})
    case.write(tmp_path)
    told = dorm("export", "model.json", "--to", "lightgbm", "-o", "lgb.txt", cwd=tmp_path)
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not in this environment")
    names = lightgbm.Booster(model_file=str(tmp_path / "lgb.txt")).feature_name()
    rows = [
        [math.nan if row[int(name[1:]) - 1] is None else row[int(name[1:]) - 1] for name in names] for row in case.rows
    ]
    found = lightgbm.Booster(model_file=str(tmp_path / "lgb.txt")).predict(np.array(rows), raw_score=True)
    assert found == pytest.approx(case.defined(), rel=1e-12, abs=1e-12), told.stderr
