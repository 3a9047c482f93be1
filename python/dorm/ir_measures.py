# SPDX-License-Identifier: Apache-2.0
"""A provider of ir_measures whose values are DORM's: ``pip install ir_measures``.

Importing this module registers the provider ``"dorm"``, which is also `provider` here:

>>> from ir_measures import AP, nDCG                                                  # doctest: +SKIP
>>> import dorm.ir_measures                                                           # doctest: +SKIP
>>> dorm.ir_measures.provider.calc_aggregate([nDCG@10, AP], qrels, run)               # doctest: +SKIP

Values are those of trec_eval (documents of equal score by their ids, the last one first), exact where gdeval rounds to
five digits. ``IPrec`` is that of trec_eval 10, where pytrec_eval holds version 9 (docs/measures.md). What DORM does not
have is not claimed, and ``ir_measures`` says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .data._trec import Qrels, evaluate_run

try:
    import ir_measures
except ImportError as error:
    raise ImportError("dorm.ir_measures needs ir_measures; install it with: pip install ir_measures") from error

from ir_measures import Metric, measures, providers
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Anything

Nested = Mapping[str, Mapping[str, float]]

# Theirs, and ours where relevance is a threshold.
_BINARY = {
    "P": "precision",
    "R": "recall",
    "AP": "map",
    "RR": "mrr",
    "Success": "success",
    "Rprec": "rprec",
    "Bpref": "bpref",
    "infAP": "infap",
    "SetP": "setp",
    "SetR": "setr",
    "SetAP": "setap",
}
# The same of judgments of subtopics, which ir_measures calls iterations.
_SUBTOPICS = {"alpha_nDCG": "alpha-ndcg", "P_IA": "ia-precision", "StRecall": "subtopic-recall"}


def spelled(measure: ir_measures.Measure) -> str:
    """DORM's name of a measure of ir_measures, whose parameters ``gains`` and ``judged_only`` are left to the data."""
    name, cutoff, rel = measure.NAME, _given(measure, "cutoff"), _given(measure, "rel", 1)
    at = "" if cutoff is None or name.startswith("Set") else f"@{cutoff}"
    if _given(measure, "relative", False):
        return f"setrp:rel={rel}"
    if name in _BINARY:
        return f"{_BINARY[name]}{at}:rel={rel}"
    if name == "SetF":
        return f"setf:beta={math.sqrt(_given(measure, 'beta', 1.0))!r},rel={rel}"  # theirs is the square of ours
    if name == "IPrec":
        return f"iprec:recall={_given(measure, 'recall')},rel={rel}"
    if name == "RBP":
        return f"rbp:p={_given(measure, 'p', 0.8)},rel={rel}"
    if name == "nDCG":
        return f"ndcg{at}:gain={'exp2' if _given(measure, 'dcg') == 'exp-log2' else 'linear'}"
    if name in ("ERR", "Judged"):
        return f"{name.lower()}{at}"
    if name in _SUBTOPICS:
        return f"{_SUBTOPICS[name]}{at}" + (f":alpha={_given(measure, 'alpha', 0.5)}" if name == "alpha_nDCG" else "")
    raise ValueError(f"unsupported measure {measure}")


class DormProvider(providers.Provider):
    """DORM's measures, for ir_measures."""

    NAME = "dorm"
    SUPPORTED_MEASURES = [
        measures._P(cutoff=Anything(), rel=Anything(), judged_only=Anything()),
        measures._R(cutoff=Anything(), rel=Anything(), judged_only=Anything()),
        measures._RR(cutoff=Anything(), rel=Anything(), judged_only=Anything()),
        measures._AP(cutoff=Anything(), rel=Anything(), judged_only=Anything()),
        measures._Rprec(rel=Anything(), judged_only=Anything()),
        measures._Success(cutoff=Anything(), rel=Anything(), judged_only=Anything()),
        measures._nDCG(cutoff=Anything(), dcg=Choices("log2", "exp-log2"), gains=Anything(), judged_only=Anything()),
        measures._ERR(cutoff=Anything()),
        measures._RBP(cutoff=Choices(NOT_PROVIDED), p=Anything(), rel=Anything(required=True)),
        measures._Bpref(rel=Anything()),
        measures._infAP(rel=Anything()),
        measures._IPrec(recall=Anything(), rel=Anything(), judged_only=Anything()),
        measures._SetP(rel=Anything(), relative=Anything(), judged_only=Anything()),
        measures._SetAP(rel=Anything(), judged_only=Anything()),
        measures._SetR(rel=Anything()),
        measures._SetF(rel=Anything(), beta=Anything(), judged_only=Anything()),
        measures._Judged(cutoff=Anything()),
        measures._alpha_nDCG(cutoff=Anything(), alpha=Anything(), rel=Anything(), judged_only=Anything()),
        measures._P_IA(cutoff=Anything(required=True), rel=Anything(), judged_only=Anything()),
        measures._StRecall(cutoff=Anything(required=True), rel=Anything()),
        measures._NumRet(rel=Anything()),
        measures._NumRel(rel=Anything()),
        measures._NumQ(),
    ]

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> DormEvaluator:
        return DormEvaluator(list(measures), list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter()))

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """The columns of judgments; of subtopics, also those."""
        more = ["iteration"] if any(measure.NAME in _SUBTOPICS for measure in measures) else []
        return [*super().qrel_inputs(measures), *more]


class DormEvaluator(providers.Evaluator):
    """Judges runs by judgments that it holds."""

    def __init__(self, measures: list[ir_measures.Measure], judgments: list[Any]) -> None:
        super().__init__(measures, {judgment.query_id for judgment in judgments})
        for measure in measures:
            if measure.NAME not in _COUNTS:
                spelled(measure)  # refuses now what it cannot say
        self.judgments = judgments
        self.qrels: dict[str, dict[str, float]] = {}
        for judgment in judgments:
            self.qrels.setdefault(judgment.query_id, {})[judgment.doc_id] = judgment.relevance

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        run = ir_measures.util.RunConverter(run).as_dict_of_dict()
        run = {query: documents for query, documents in run.items() if query in self.qrels and documents}
        if not run:
            return
        views: dict[Any, list[ir_measures.Measure]] = {}  # measures that see the same judgments and documents
        for measure in self.measures:
            if measure.NAME in _COUNTS:
                for query, documents in run.items():
                    yield Metric(query, measure, _COUNTS[measure.NAME](measure, self.qrels[query], documents))
            else:
                gains, name = _given(measure, "gains"), measure.NAME
                labels = tuple(sorted(gains.items())) if gains else _given(measure, "rel") if name in _SUBTOPICS else ()
                key = (name in _SUBTOPICS, labels, _given(measure, "judged_only", False))
                views.setdefault(key, []).append(measure)
        for (subtopics, labels, judged_only), alike in views.items():
            qrels = self._subtopics(labels) if subtopics else self._gains(dict(labels))
            yield from _values(qrels, self._judged(run, subtopics) if judged_only else run, run, alike)

    def _subtopics(self, rel: float) -> Qrels:
        """What is relevant to which subtopic."""
        rows = [(j.query_id, j.doc_id, float(j.relevance >= rel), str(j.iteration)) for j in self.judgments]
        queries, documents, labels, subtopics = map(list, zip(*rows))
        return Qrels(queries, documents, np.array(labels), subtopics)

    def _gains(self, gains: Mapping[int, float]) -> Nested:
        """The judgments with gains in place of labels."""
        if not gains:
            return self.qrels
        return {query: {d: gains.get(y, y) for d, y in labels.items()} for query, labels in self.qrels.items()}

    def _judged(self, run: Nested, subtopics: bool) -> Nested:
        """The run without documents that are not judged: to trec_eval those of negative labels, too."""
        lowest = -math.inf if subtopics else 0
        return {
            query: {d: s for d, s in found.items() if self.qrels[query].get(d, -math.inf) >= lowest}
            for query, found in run.items()
        }


def _given(measure: ir_measures.Measure, name: str, otherwise: Any = None) -> Any:
    value = measure[name] if name in measure.SUPPORTED_PARAMS else NOT_PROVIDED
    return otherwise if value is NOT_PROVIDED else value


def _values(qrels: Any, run: Nested, queries: Iterable[str], asked: list[ir_measures.Measure]) -> Iterator[Metric]:
    by_depth: dict[int, list[ir_measures.Measure]] = {}
    for measure in asked:
        depth = _given(measure, "cutoff", 0) if measure.NAME.startswith("Set") else 0
        by_depth.setdefault(depth, []).append(measure)
    for depth, together in by_depth.items():
        names = list(dict.fromkeys(map(spelled, together)))
        table = evaluate_run(qrels, run, names, convention="trec", depth=depth, complete=True, bootstrap=0, n_jobs=1)
        row = {query: i for i, query in enumerate(table.query_ids)}
        for measure in together:
            values = table.measures[names.index(spelled(measure))].per_query
            for query in queries:
                yield Metric(query, measure, float(values[row[query]]))


def _relevant(documents: Iterable[str], labels: Mapping[str, float], rel: float) -> int:
    return sum(labels.get(document, 0) >= rel for document in documents)


def _retrieved(measure: ir_measures.Measure, labels: Mapping[str, float], found: Mapping[str, float]) -> int:
    rel = _given(measure, "rel")
    return len(found) if rel is None else _relevant(found, labels, rel)


_COUNTS = {
    "NumQ": lambda measure, labels, found: 1,
    "NumRet": _retrieved,
    "NumRel": lambda measure, labels, found: _relevant(labels, labels, _given(measure, "rel", 1)),
}

provider = providers.register(DormProvider())
