# SPDX-License-Identifier: Apache-2.0
"""Evaluation: measures over queries with confidence intervals, and tests between two rankers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._input.dataset import make_dataset, read_labels
from ._input.features import Features, as_doubles, as_numbers
from ._input.queries import read_queries, read_weights
from ._measure import Measure
from ._tables import Figure, html_table, pandas_for
from ._threads import thread_count


@dataclass(frozen=True, eq=False)
class MeasureResult:
    """One measure over all queries."""

    name: str
    mean: float  #: weighted by query weights
    low: float  #: end of the bootstrap interval over queries
    high: float
    queries: int  #: that count in the mean
    skipped: int  #: skipped by the convention, e.g. because nothing is relevant
    per_query: np.ndarray  #: in the order of `Evaluation.query_ids`, NaN where skipped


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of `evaluate`: prints as a table; ``evaluation["ndcg@10"]`` is a `MeasureResult`.

    Any spelling of a measure will do: ``evaluation["P@5"]`` is ``evaluation["precision@5"]``.
    """

    measures: list[MeasureResult]
    query_ids: list[Any]
    convention: str
    ties: str
    confidence: float

    def __getitem__(self, name: str) -> MeasureResult:
        for result in self.measures:
            if result.name == name:
                return result
        try:
            canonical = _core.measure_name(name, self.convention)
        except (TypeError, ValueError):
            canonical = None  # no measure at all
        for result in self.measures:
            if canonical is not None and _canonical(result.name, self.convention) == canonical:
                return result
        raise KeyError(f"{name!r}; evaluated were {', '.join(r.name for r in self.measures)}")

    def __iter__(self) -> Iterator[MeasureResult]:
        return iter(self.measures)

    def to_dict(self) -> dict[str, float]:
        """The mean of each measure by name."""
        return {result.name: result.mean for result in self.measures}

    def to_frame(self, per_query: bool = False) -> Any:
        """A pandas data frame with a row per measure; ``per_query``: with a row per query and a column per measure."""
        pandas = pandas_for("to_frame")
        if per_query:
            index = pandas.Index(self.query_ids, name="query", tupleize_cols=False)
            return pandas.DataFrame({r.name: r.per_query for r in self.measures}, index=index)
        columns = ("mean", "low", "high", "queries", "skipped")
        index = pandas.Index([r.name for r in self.measures], name="measure")
        return pandas.DataFrame({c: [getattr(r, c) for r in self.measures] for c in columns}, index=index)

    def _repr_html_(self) -> str:
        return html_table(
            ["measure", "mean", f"{100 * self.confidence:g} % interval", "queries", "skipped"],
            [(r.name, Figure(r.mean), f"[{r.low:.4f}, {r.high:.4f}]", r.queries, r.skipped) for r in self.measures],
            note=f"convention {self.convention}, ties {self.ties}",
        )

    def __str__(self) -> str:
        interval = f"{100 * self.confidence:g} % interval"
        width = max(7, *(len(r.name) for r in self.measures))
        lines = [f"{'measure':<{width}}  {'mean':>7}  {interval:>18}  {'queries':>7}  {'skipped':>7}"]
        for r in self.measures:
            ends = f"[{r.low:.4f}, {r.high:.4f}]"
            lines.append(f"{r.name:<{width}}  {r.mean:>7.4f}  {ends:>18}  {r.queries:>7}  {r.skipped:>7}")
        return "\n".join([*lines, f"convention {self.convention}, ties {self.ties}"])

    __repr__ = __str__


def _canonical(name: str, convention: str) -> str:
    try:
        return str(_core.measure_name(name, convention))
    except (TypeError, ValueError):
        return name  # of a `Measure`


def evaluate(
    y: Any,
    scores: Any,
    *,
    qid: Any = None,
    group: Any = None,
    measures: str | Measure | Sequence[str | Measure] = ("ndcg@10", "map", "mrr"),
    sample_weight: Any = None,
    convention: str = "standard",
    ties: str | None = None,
    one_per: str = "",
    groups: Any = None,
    document_ids: Any = None,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Evaluation:
    """Evaluate scores against labels, query by query.

    Parameters
    ----------
    y, scores
        Label and score of every document.
    qid, group
        Query of every document, or the sizes of consecutive queries.
    measures
        Names such as ``"ndcg@10"``, ``"map"``, ``"P@5"``, ``"err@20"``, or `Measure` objects.
    sample_weight
        Weights of queries, or of documents where constant within each query.
    convention
        Whose definition of the measures, e.g. ``"standard"``, ``"trec"``, ``"letor3"``, ``"sklearn"``.
    ties
        How documents of equal score are ordered: ``"index"``, ``"expected"``, ``"worst"``; None: as the convention
        has it.
    one_per, groups, document_ids
        Evaluate the lists that show at most one document per group (or k, ``"group:3"``): by ``groups``, a name per
        document, or by the ``"host"`` or ``"domain"`` of ``document_ids`` that are URLs.
    bootstrap, confidence, random_state
        Resamples of the queries for the interval (0: no interval), its level, and their seed.

    Examples
    --------
    >>> import dorm
    >>> result = dorm.evaluate([1, 0, 2, 0, 0, 1], [.3, .2, .1, .9, .1, .5], group=[3, 3], measures="ndcg@2")
    >>> print(result)
    measure     mean       95 % interval  queries  skipped
    ndcg@2    0.4532    [0.2754, 0.6309]        2        0
    convention standard, ties index
    """
    scores = _values(scores)
    labels = read_labels(y, len(scores), beside="scores has {}")
    queries = read_queries(qid, group, len(scores))
    weights = read_weights(sample_weight, queries)
    options = options_of(convention, ties, bootstrap, confidence, random_state, n_jobs)
    asked = measures_asked(measures)
    labels, scores = queries.sorted(labels), queries.sorted(scores)
    made = [m._tabulate((labels, queries)) if isinstance(m, Measure) else m for m in asked]
    labels, scores = np.ascontiguousarray(labels), np.ascontiguousarray(scores)
    if one_per:
        options.one_per = one_per
        about = {"groups": groups, "document_ids": document_ids}
        data = make_dataset(
            Features(np.zeros((len(scores), 1), np.float32)),
            read_labels(y, len(scores), beside="scores has {}"),
            queries,
            weights,
            about=about,
        )
        table = _core.evaluate_data(data, scores, made, options)
    else:
        table = _core.evaluate(labels, scores, queries.end, queries.names, weights, made, options)
    results = [MeasureResult(**entry) for entry in table["measures"]]
    return Evaluation(results, queries.ids, table["convention"], table["ties"], confidence)


@dataclass(frozen=True)
class Comparison:
    """Two rankers on the same queries: a - b over the queries both have a value for."""

    queries: int
    wins: int
    losses: int
    ties: int
    mean_difference: float
    low: float  #: end of the bootstrap interval of the mean difference
    high: float
    t_statistic: float
    p_t: float  #: paired t test, two-sided
    p_sign: float  #: exact sign test, two-sided
    p_permutation: float  #: sign flips, two-sided
    p_wilcoxon: float = float("nan")  #: signed ranks, two-sided
    effect: float = float("nan")  #: Cohen's d, mean over standard deviation of the differences
    rank_effect: float = float("nan")  #: rank-biserial correlation, from -1 to 1
    queries_needed: float = float("nan")  #: for a power of 80 % of the t test at 5 %; infinite without a difference

    def to_frame(self) -> Any:
        """A pandas data frame of one row."""
        return pandas_for("to_frame").DataFrame([vars(self)])

    def _repr_html_(self) -> str:
        head = ["mean difference", "interval", "wins", "losses", "ties", "p (t test)", "p (sign)", "p (permutation)"]
        tests = (Figure(p, ".3g") for p in (self.p_t, self.p_sign, self.p_permutation))
        interval = f"[{self.low:+.4f}, {self.high:+.4f}]"
        row = (Figure(self.mean_difference, "+.4f"), interval, self.wins, self.losses, self.ties, *tests)
        return html_table(head, [row], note=f"{self.queries} queries")

    def __str__(self) -> str:
        return (
            f"mean difference {self.mean_difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}], "
            f"{self.wins} wins, {self.losses} losses, {self.ties} ties; "
            f"p: t test {self.p_t:.3g}, sign {self.p_sign:.3g}, permutation {self.p_permutation:.3g}"
        )


def compare(
    a: Any,
    b: Any,
    *,
    measure: str | None = None,
    confidence: float = 0.95,
    bootstrap: int = 1000,
    random_state: int = 0,
) -> Comparison:
    """Test whether two rankers differ: paired over queries.

    Parameters
    ----------
    a, b
        Two results of `evaluate` on the same queries (with ``measure`` if they hold more than one), or two arrays of
        per-query values; queries where either is NaN are left out.

    Examples
    --------
    >>> import dorm
    >>> print(dorm.compare([.9, .8, .7, .9], [.5, .6, .7, .4]))
    mean difference +0.2750 [...], 3 wins, 0 losses, 1 ties; p: t test 0.0892, sign 0.25, permutation 0.25
    """
    if isinstance(a, Evaluation) and isinstance(b, Evaluation) and a.query_ids != b.query_ids:
        raise ValueError("the two evaluations are of different queries; evaluate both rankers on the same data")
    first, second = _per_query(a, measure), _per_query(b, measure)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values against {len(second)}; expected one per query in both")
    options = options_of("standard", None, bootstrap, confidence, random_state, 1)
    return Comparison(**_core.compare(first, second, options))


def _per_query(values: Any, measure: str | None) -> np.ndarray:
    if isinstance(values, Evaluation):
        if measure is None and len(values.measures) > 1:
            raise ValueError(f"which measure? pass measure=, one of {', '.join(values.to_dict())}")
        values = (values.measures[0] if measure is None else values[measure]).per_query
    return _values(values)


def _values(values: Any) -> np.ndarray:
    """One number each, as an array of float64."""
    if not (type(values) is np.ndarray and values.ndim == 1):
        from sklearn.utils import column_or_1d

        values = column_or_1d(as_numbers(values, "the array") if isinstance(values, np.ndarray) else values)
    return as_doubles(values, "the array")


def measures_asked(
    measures: str | Measure | Sequence[str | Measure] | None, default: str | Measure = ""
) -> list[str | Measure]:
    """One or several as a list; None: the default."""
    if measures is None:
        return [default]
    return [measures] if isinstance(measures, (str, Measure)) else list(measures)


def options_of(
    convention: str, ties: str | None, bootstrap: int, confidence: float, seed: int, n_jobs: int | None
) -> _core.EvaluateOptions:
    """As the core has them."""
    options = _core.EvaluateOptions()
    options.convention = convention
    options.ties = ties or ""
    options.bootstrap = bootstrap
    options.confidence = float(confidence)
    options.seed = seed
    options.threads = thread_count(n_jobs)
    return options
