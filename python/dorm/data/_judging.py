# SPDX-License-Identifier: Apache-2.0
"""Which documents to judge next, until it is decided which of two runs is better."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._evaluate import options_of
from ._trec import _numbers, _qrels_of, _run_of


@dataclass(frozen=True)
class JudgingPlan:
    """The result of `plan_judging`."""

    verdict: str  #: ``"undecided"``, ``"same"``, or the name of the better run
    certain: bool  #: whatever labels the other documents get
    low: float  #: of the mean difference, the first run less the second: an interval for all times at once
    high: float
    least: float  #: of the difference whatever labels the other documents get
    most: float
    queries: int  #: over which the difference is the mean
    open_queries: int  #: of them, open before the new judgments
    judged_queries: int  #: of these, judged in turn
    judged: int  #: new judgments up to the verdict
    open: int  #: documents of both runs without a judgment before
    next: list[tuple[str, str]]  #: query and document, in the order of judging; none when decided

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write ``next`` as a table ``qid,docid,label`` with empty labels, as ``dorm eval --to-judge`` does."""
        with open(path, "w", encoding="utf-8", newline="") as out:
            rows = csv.writer(out, lineterminator="\n")
            rows.writerow(("qid", "docid", "label"))
            rows.writerows((query, document, "") for query, document in self.next)


def plan_judging(
    qrels: Any,
    runs: Mapping[str, Any],
    measure: str = "ndcg@10",
    *,
    new_qrels: Any = None,
    convention: str = "trec",
    depth: int = 0,
    best_label: float = 0.0,
    same_within: float = 0.0,
    batch: int = 100,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> JudgingPlan:
    """Which documents to judge next, so that the better one of two runs is known after as few as possible.

    The question is which run is better on these queries, were all documents judged that the measure sees. Queries are
    drawn in a random order (``random_state``), with chances in proportion to how much their unjudged documents could
    change the difference. A verdict is wrong with a probability of at most ``1 - confidence`` over these orders,
    whatever the labels are and however often it is asked for; mostly it comes long before everything is judged.

    Parameters
    ----------
    qrels
        The judgments there are, in any form that `evaluate_run` takes; None: none. They fix the queries and, with
        ``random_state``, the order: keep them as they are, and give later judgments as ``new_qrels``.
    runs
        Two runs by name, in any form that `evaluate_run` takes.
    measure
        ``"ndcg"``, ``"dcg"``, ``"precision"``, ``"rbp"``, ``"hits"``, ``"mrr"`` and ``"success"`` bound what an
        unjudged document can change; others with values from 0 to 1 take more judgments.
    new_qrels
        Judgments made since, in any form.
    depth
        Evaluate only the first documents of each query, this number. 0: as many as the measure sees.
    best_label
        The highest label that judges give; 0: the highest in ``qrels``, at least 1.
    same_within
        Above 0: a difference that is surely smaller than this is a verdict, too (``"same"``).
    batch
        Documents in ``next``, or more to complete a query.

    Examples
    --------
    >>> from dorm.data import plan_judging
    >>> runs = {"good": {"q": {"a": 2.0, "b": 1.0}}, "bad": {"q": {"b": 2.0, "c": 1.0}}}
    >>> plan_judging(None, runs, "p@1").next
    [('q', 'a'), ('q', 'b')]
    >>> plan_judging(None, runs, "p@1", new_qrels={"q": {"a": 1, "b": 0}}).verdict
    'good'
    """
    if len(runs) != 2:
        raise ValueError(f"{len(runs)} runs; expected two, by name")
    options = options_of(convention, None, 0, confidence, random_state, n_jobs)
    options.depth = depth
    columns = [_judged(qrels), _judged(new_qrels)]
    for run in map(_run_of, runs.values()):
        columns.append((run.queries, run.documents, _numbers(run.scores)))
    told = _core.plan_judging(tuple(columns), measure, options, float(best_label), float(same_within), int(batch))
    names = dict(zip(("first", "second"), map(str, runs)))
    told["verdict"] = names.get(told["verdict"], told["verdict"])
    return JudgingPlan(**told)


def _judged(qrels: Any) -> tuple[list[str], list[str], np.ndarray]:
    if qrels is None or (isinstance(qrels, Mapping) and not qrels):
        return [], [], np.zeros(0)
    judged = _qrels_of(qrels)
    return judged.queries, judged.documents, _numbers(judged.labels)
