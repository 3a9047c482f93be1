# SPDX-License-Identifier: Apache-2.0
"""Several rankers on the same queries in one table, with tests of their differences."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._evaluate import Comparison, Evaluation, evaluate, options_of
from ._pages import Page, page_at
from ._tables import pandas_for
from .data._trec import evaluate_run


@dataclass(frozen=True, eq=False)
class RankerTable:
    """The result of `compare_rankers` and `compare_runs`: evaluations side by side, each tested against one of them."""

    evaluations: dict[str, Evaluation]
    against: str
    tests: dict[str, dict[str, Comparison]]  #: by ranker, then by measure: it less ``against``
    p: dict[str, dict[str, float]]  #: of the chosen test
    p_corrected: dict[str, dict[str, float]]  #: for the number of tests
    p_not_same: dict[str, dict[str, float]]  #: that the means differ by ``same_within`` or more; 1 without it
    pairs: dict[str, np.ndarray]  #: by measure: corrected p-values of rankers i and j, NaN on the diagonal
    note: str  #: what was tested and corrected
    latex: str
    html: str
    how: tuple[str, str, bool, float] = ("permutation", "holm", False, 0.0)  #: test, correction and so on, as asked

    def to_frame(self) -> Any:
        """A pandas data frame with a row per ranker and measure."""
        rows = []
        for name, evaluation in self.evaluations.items():
            for result in evaluation.measures:
                test = self.tests.get(name, {}).get(result.name)
                nan = float("nan")
                rows.append(
                    {
                        "ranker": name,
                        "measure": result.name,
                        "mean": result.mean,
                        "low": result.low,
                        "high": result.high,
                        "difference": nan if test is None else test.mean_difference,
                        "effect": nan if test is None else test.effect,
                        "queries_needed": nan if test is None else test.queries_needed,
                        "p": self.p.get(name, {}).get(result.name, nan),
                        "p_corrected": self.p_corrected.get(name, {}).get(result.name, nan),
                    }
                )
        return pandas_for("to_frame").DataFrame(rows)

    def to_latex(self, caption: str | None = None) -> str:
        """A table for the package booktabs: the best bold, superscripts for significantly better than that ranker."""
        if caption is None:
            return self.latex
        begin = self.latex.index("\\caption{")
        return f"{self.latex[:begin]}\\caption{{{caption}}}{self.latex[self.latex.index(chr(10), begin) :]}"

    def report(self, path: str | os.PathLike[str] | None = None, *, data: str = "the queries") -> Path | Page:
        """Write the page of ``dorm eval --report`` and return its path; without one, show it in a notebook."""
        reference = list(self.evaluations).index(self.against)
        options = _options(self.evaluations[self.against], 0)
        return page_at(_core.rankers_page(_told(self.evaluations), reference, options, data, self.how), path)

    def _repr_html_(self) -> str:
        return self.html

    def __str__(self) -> str:
        width = max(len(name) for name in self.evaluations)
        names = [result.name for result in next(iter(self.evaluations.values())).measures]
        lines = [" ".join([" " * width, *(f"{name:>14}" for name in names)])]
        for name, evaluation in self.evaluations.items():
            cells = []
            for result in evaluation.measures:
                p = self.p_corrected.get(name, {}).get(result.name, float("nan"))
                stars = "***" if p < 0.001 else "**" if p < 0.01 else "*" if p < 0.05 else ""
                cells.append(f"{result.mean:.4f}{stars:<3}".rjust(14))
            lines.append(" ".join([f"{name:<{width}}", *cells]))
        return "\n".join([*lines, f"stars: differs from {self.against} ({self.note})"])

    __repr__ = __str__


def _evaluated(ranker: Any, X: Any, y: Any, qid: Any, group: Any, measures: Any) -> Evaluation:
    """The evaluation, or that of a ranker on the data."""
    if isinstance(ranker, Evaluation):
        return ranker
    if X is None:
        raise ValueError(f"{type(ranker).__name__} is no evaluation; pass X and y to evaluate rankers on")
    from ._rankers.ensemble import as_ranker

    scores = as_ranker(ranker).predict(X, qid=qid, group=group)
    if y is None and hasattr(X, "y"):
        y, qid = X.y, X.qid
    return evaluate(y, scores, qid=qid, group=group, measures=measures)


def compare_rankers(
    evaluations: Mapping[str, Any],
    X: Any = None,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    measures: Sequence[str] | str = "ndcg@10",
    against: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    over_measures: bool = False,
    same_within: float = 0.0,
    random_state: int = 0,
) -> RankerTable:
    """Several rankers on the same queries, in one table, as ``dorm eval DATA RANKER...`` shows.

    Parameters
    ----------
    evaluations
        By name what `evaluate` returned, or rankers to evaluate on ``X`` and ``y`` by ``measures``: those of DORM,
        files of models, and boosters or rankers of LightGBM, XGBoost and CatBoost.
    against
        The one that the others are tested against; None: the first.
    test
        ``"permutation"``, ``"t"``, ``"wilcoxon"``, ``"sign"`` or ``"tukey"`` (randomised Tukey HSD, all pairs at once).
    correction
        For the number of tests: ``"holm"``, ``"bh"`` (Benjamini and Hochberg) or ``"none"``.
    over_measures
        Whether the tests of all measures are one family; else those of each measure.
    same_within
        Above 0: test also whether the means differ by less than this (``p_not_same``).

    Examples
    --------
    >>> import dorm
    >>> X, y, qid = dorm.synth(queries=50, features=3, seed=1)
    >>> judged = {f"column {j}": dorm.evaluate(y, X[:, j], qid=qid, measures="ndcg@10") for j in range(3)}
    >>> dorm.compare_rankers(judged).against
    'column 0'
    """
    if not evaluations:
        raise ValueError("no evaluations; expected at least one, by name")
    evaluations = {name: _evaluated(each, X, y, qid, group, measures) for name, each in evaluations.items()}
    reference = next(iter(evaluations)) if against is None else against
    if reference not in evaluations:
        raise ValueError(f"against is {reference!r}, which is none of {', '.join(evaluations)}")
    row = list(evaluations).index(reference)
    how = (test, correction, bool(over_measures), float(same_within))
    told = _core.rankers_tests(_told(evaluations), row, _options(evaluations[reference], random_state), how)
    names = [result.name for result in evaluations[reference].measures]
    tests: dict[str, dict[str, Comparison]] = {}
    parts: dict[str, dict[str, dict[str, float]]] = {"p": {}, "p_corrected": {}, "p_not_same": {}}
    for ranker, entries in zip(evaluations, told["tests"]):
        if ranker == reference:
            continue
        for part, values in parts.items():
            values[ranker] = {name: entry.pop(part) for name, entry in zip(names, entries)}
        tests[ranker] = {name: Comparison(**entry) for name, entry in zip(names, entries)}
    pairs = {name: np.reshape(p, (len(evaluations), len(evaluations))) for name, p in zip(names, told["pairs"])}
    return RankerTable(
        dict(evaluations), reference, tests, **parts, pairs=pairs, note=told["note"], latex=told["latex"],
        html=told["html"], how=how,
    )  # fmt: skip


def compare_runs(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: str | Sequence[str] = ("ndcg@10", "map", "mrr"),
    *,
    against: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    over_measures: bool = False,
    same_within: float = 0.0,
    convention: str = "trec",
    complete: bool = True,
    depth: int = 0,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> RankerTable:
    """Runs against the same judgments, in one table with tests, as ``dorm eval --qrels`` shows them.

    Parameters
    ----------
    qrels, runs
        Judgments and runs in any form that `evaluate_run` takes, the runs by name.
    measures, convention, complete, depth, bootstrap, confidence
        As for `evaluate_run`; judged queries that a run lacks are empty lists.
    against, test, correction, over_measures, same_within
        As for `compare_rankers`.

    Examples
    --------
    >>> import dorm
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "d": 0}}
    >>> runs = {"good": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}, "bad": {"q1": {"b": 1.0}, "q2": {"d": 1.0}}}
    >>> dorm.compare_runs(qrels, runs, "RR@10", test="t").note
    'paired t test of the difference to good, one test per measure'
    """
    if not runs:
        raise ValueError("no runs; expected at least one, by name")
    evaluations = {
        str(name): evaluate_run(
            qrels, run, measures, convention=convention, complete=complete, depth=depth, bootstrap=bootstrap,
            confidence=confidence, random_state=random_state, n_jobs=n_jobs,
        )
        for name, run in runs.items()
    }  # fmt: skip
    return compare_rankers(
        evaluations,
        against=against,
        test=test,
        correction=correction,
        over_measures=over_measures,
        same_within=same_within,
        random_state=random_state,
    )


def _told(evaluations: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "convention": each.convention,
            "ties": each.ties,
            "query_ids": [str(query) for query in each.query_ids],
            "measures": [{**vars(m), "per_query": [float(v) for v in m.per_query]} for m in each.measures],
        }
        for name, each in evaluations.items()
    ]


def _options(first: Evaluation, seed: int) -> _core.EvaluateOptions:
    return options_of(first.convention, first.ties, 1000, first.confidence, seed, None)
