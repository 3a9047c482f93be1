# SPDX-License-Identifier: Apache-2.0
"""Comparisons: many methods on the same data, and evaluations side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._evaluate import MeasureResult
from ._input.features import as_doubles
from ._pages import Page, page_at
from ._progress import Progress, watching
from ._rankers.ensemble import core_model
from ._rankers.ranker import DormRanker
from ._tables import Figure, html_table, pandas_for
from ._threads import thread_count
from ._tune import library_of_lightgbm


@dataclass(frozen=True, eq=False)
class ComparedFigure(MeasureResult):
    """One method evaluated by one measure, its options tuned for that measure."""

    measure: str = ""
    chosen: list[str] = field(default_factory=list)  #: per split
    candidates: int = 0  #: that it was chosen from
    seconds: float = 0.0  #: processor time of training the chosen model, mean over splits
    tuning_seconds: float = 0.0  #: the same of all candidates
    support_vectors: float = 0.0
    difference: float = float("nan")  #: to the one tested against; NaN: itself
    p_permutation: float = float("nan")
    p_holm: float = float("nan")  #: Holm's correction over the methods of the measure
    reference: bool = False  #: the one tested against


@dataclass(frozen=True, eq=False)
class ComparedMethod:
    """A row of the table."""

    method: str  #: also ``"random"`` and ``"ideal"``
    size: int  #: training queries asked for; 0: all
    failure: str  #: the reason why there are no values
    figures: list[ComparedFigure]
    curve: list[MeasureResult]  #: the first measure by cutoff
    serving: str = ""  #: time, size and export targets of the model, where there is one

    def __getitem__(self, measure: str) -> ComparedFigure:
        for figure in self.figures:
            if measure in (figure.measure, figure.name):
                return figure
        raise KeyError(f"{measure!r}; compared were {', '.join(f.measure for f in self.figures)}")


@dataclass(frozen=True, eq=False)
class ComparedTrees:
    """Linear or trees? ``tune:both`` less ``tune`` on the test queries, by the first measure."""

    size: int  #: training queries asked for; 0: all
    linear: float
    trees: float
    difference: float
    low: float  #: 95 % bootstrap interval over queries
    high: float
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """The result of `compare_methods` and `recommend.compare`: prints as the tables of ``dorm compare``."""

    rows: list[ComparedMethod]
    splits: int
    test_queries: int  #: lists that were tested: queries, or users
    train_queries: list[int]  #: per split
    trees: list[ComparedTrees] = field(default_factory=list)  #: by size, where they were compared with linear rankers
    _markdown: str = field(repr=False, default="")
    _csv: str = field(repr=False, default="")
    _core: Any = field(repr=False, default=None)

    def __getitem__(self, method: str) -> ComparedMethod:
        for row in self.rows:
            if row.method == method:
                return row
        raise KeyError(f"{method!r}; compared were {', '.join(row.method for row in self.rows)}")

    @property
    def best(self) -> ComparedMethod:
        """The method with the largest mean of the first measure, of all training queries."""
        learnt = [row for row in self.rows if row.figures and row.method not in ("random", "ideal")]
        largest = [row for row in learnt if row.size == 0] or learnt
        return max(largest, key=lambda row: row.figures[0].mean)

    def to_frame(self) -> Any:
        """A pandas data frame with a row per method, size and measure."""
        hidden = ("per_query", "name")
        rows = [
            {"method": row.method, "size": row.size, **{k: v for k, v in vars(f).items() if k not in hidden}}
            for row in self.rows
            for f in row.figures
        ]
        return pandas_for("to_frame").DataFrame(rows)

    def report(
        self, path: str | os.PathLike[str] | None = None, *, data: str | Sequence[str] = "arrays"
    ) -> Path | Page:
        """Write the page of ``dorm compare`` (``.html``, ``.md``, ``.csv``) and return its path; without one, show it.

        ``data``: what the page calls the data.
        """
        if self._core is None:
            raise ValueError("this comparison has no page; the report of its experiment has one")
        return page_at(self._core.page([data] if isinstance(data, str) else list(data)), path)

    def to_csv(self) -> str:
        """All values, as in table.csv of the command."""
        return self._csv

    def __str__(self) -> str:
        return self._markdown

    def _repr_html_(self) -> str:
        measures = [figure.measure for figure in self.rows[-1].figures]
        rows = [
            (row.method, *(Figure(f.mean) for f in row.figures), Figure(row.figures[0].seconds, ".2f"))
            for row in self.rows
            if row.figures
        ]
        return html_table(["method", *measures, "seconds"], rows, note=f"{self.test_queries} test lists")

    @classmethod
    def _of(cls, told: dict[str, Any], markdown: str, csv: str = "", core: Any = None) -> MethodComparison:
        rows = [
            ComparedMethod(
                **{
                    **row,
                    "figures": [ComparedFigure(**figure) for figure in row["figures"]],
                    "curve": [MeasureResult(**point) for point in row["curve"]],
                }
            )
            for row in told.pop("rows")
        ]
        trees = [ComparedTrees(**each) for each in told.pop("trees")]
        return cls(rows=rows, trees=trees, **told, _markdown=markdown, _csv=csv, _core=core)


class CellProgress(Progress):
    """Number of finished runs."""

    def stage(self, progress: dict[str, Any]) -> str:
        return f"run {progress['done']} of {progress['total']}: {progress['method']}"

    def steps(self, progress: dict[str, Any]) -> tuple[int, int | None]:
        return progress["done"], progress["total"]

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        return {}


def _listed(names: Any) -> list[str]:
    return _core.split_measures(names) if isinstance(names, str) else [str(name) for name in names]


def _cells(out: Any) -> str:
    return "" if out is None else os.path.join(os.fspath(out), "cells")


def compare_methods(
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    eval_set: Any = None,
    eval_qid: Any = None,
    eval_group: Any = None,
    test: Any = None,
    test_qid: Any = None,
    test_group: Any = None,
    methods: Sequence[str] | str | None = None,
    outside: Mapping[str, Any] | None = None,
    measures: Sequence[str] | str = ("ndcg@10", "mrr", "map", "precision@10", "wta"),
    folds: int = 5,
    sizes: Sequence[int] = (),
    C: Sequence[float] = (1, 10, 100, 1000, 10000),
    choose: str = "best",
    against: str = "",
    convention: str = "standard",
    scale: str = "auto",
    target: str = "",
    tolerance: float = 1e-3,
    as_spelled: bool = False,
    curve: bool = True,
    unjudged: str = "auto",
    missing: str = "error",
    out: str | os.PathLike[str] | None = None,
    progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 1,
) -> MethodComparison:
    """Compare linear rankers on the same data with significance tests, as ``dorm compare`` does (docs/comparisons.md).

    Parameters
    ----------
    X, y, qid, group
        The data, as for `DormRanker.fit`.
    test, test_qid, test_group, eval_set, eval_qid, eval_group
        Test and validation data: ``(X, y)`` or a `RankingData`, and its queries. Without ``test``, cross-validation
        over the folds.
    methods
        Names of ``dorm.catalog("method")``, ``"tune"``, ``"tune:curves"``, ``"tune:trees"`` and ``"tune:both"``; None:
        every baseline, DORM for each measure, and ``"tune"``. With ``"tune"``, ``"tune:trees"`` and ``"tune:both"`` the
        result answers "linear or trees?" in ``trees`` (docs/trees.md).
    outside
        By name, what is only tested: scores for the rows of ``test``, or a model, as `DormEnsemble` takes them.
    measures
        The measures; options are tuned for each one.
    folds, sizes, C, choose, against, convention, scale, target, tolerance, as_spelled, curve
        Options of the command: ``--folds``, ``--sizes``, ``-C``, ``--choose``, ``--against``, ``--convention``,
        ``--scale``, ``--for``, ``--tolerance``, ``--as-spelled`` and not ``--no-curve``.
    unjudged, missing
        As for `DormRanker`.
    out
        A folder for finished runs: the same call continues an interrupted comparison.
    progress
        As for `DormRanker.fit`; the dict has done, total, found and method.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=60, features=4, documents_median=10, seed=1)
    >>> compared = dorm.compare_methods(data, methods=["ridge", "dorm:ndcg@10"], measures="ndcg@10", C=[1, 10], folds=3)
    >>> [row.method for row in compared.rows]
    ['ridge', 'dorm:ndcg@10', 'random', 'ideal']
    >>> compared.rows[-1]["ndcg@10"].mean
    1.0
    """
    reader = DormRanker(missing=missing, solver_options={"unjudged": unjudged})
    train, chooser = reader._training_sets(X, y, qid, group, None, None, eval_set, eval_qid, eval_group)
    judge = None
    if test is not None:
        judge = reader._validation(test, test_qid, test_group, None, "test")
    elif eval_set is not None:
        raise ValueError("eval_set without test; pass both, or neither and folds=")
    options = _core.ComparisonOptions()
    options.methods = [] if methods is None else _listed(methods)
    options.measures = _listed(measures)
    options.sizes = [int(size) for size in sizes]
    options.C = [float(value) for value in np.atleast_1d(C)]
    options.choose = choose
    options.equal_candidates = not as_spelled
    options.against, options.convention, options.scale, options.target = against, convention, scale, target
    options.tolerance, options.seed, options.threads = float(tolerance), int(random_state), thread_count(n_jobs)
    options.directory = _cells(out)
    options.lightgbm = library_of_lightgbm()
    for name, scores in (outside or {}).items():
        if judge is None:
            raise ValueError("outside scores are those of the rows of test; pass test=")
        if isinstance(scores, (str, os.PathLike)) or hasattr(scores, "predict"):
            options.add_model(name, core_model(scores), judge.dataset)
            continue
        options.add_outside(name, np.ascontiguousarray(judge.queries.sorted(as_doubles(scores, f"scores of {name!r}"))))
    with watching(None, CellProgress(0), progress) as callback:
        core = _core.compare_methods(
            [train.dataset],
            None if chooser is None else chooser.dataset,
            None if judge is None else judge.dataset,
            int(folds),
            options,
            bool(curve),
            callback,
        )
    return MethodComparison._of(core.to_dict(), core.markdown(), core.csv(), core)
