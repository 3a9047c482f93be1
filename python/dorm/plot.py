# SPDX-License-Identifier: Apache-2.0
"""Plots of trainings and evaluations; needs matplotlib (``pip install matplotlib``).

Every function draws on ``ax`` (a new one if None) and returns it. Lines are labelled where they end, intervals are
bands, and the colours (of Okabe and Ito) are distinct for colour-blind readers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._compare_rankers import RankerTable
from ._evaluate import Evaluation, compare, evaluate, options_of
from ._rankers.ranker import DormRanker
from ._report import TrainReport
from .data._trec import Qrels, evaluate_run

try:
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.ticker import MaxNLocator
except ImportError as error:
    raise ImportError("dorm.plot needs matplotlib; install it with: pip install matplotlib") from error

__all__ = [
    "by_group",
    "convergence",
    "curves",
    "feature_weights",
    "measure_by_cutoff",
    "precision_recall",
    "query_differences",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_UP, _DOWN, _QUIET = "#0072B2", "#D55E00", "#666666"
_BAND = 0.15  # opacity of intervals
_LINE_HEIGHT = 0.055  # of a label, as a share of the height of the axes


def convergence(source: DormRanker | TrainReport, *, ax: Axes | None = None) -> Axes:
    """Primal and dual value by pass; the optimum lies in the band between them.

    Shows the last round of the chosen candidate, which is what the certificate is about.

    >>> import dorm, dorm.plot
    >>> ranker = dorm.DormRanker(C=100).fit(dorm.synth(queries=50, features=5, seed=1))
    >>> dorm.plot.convergence(ranker).get_xlabel()
    'pass over the data'
    """
    if isinstance(source, DormRanker):
        if not hasattr(source, "report_"):
            raise ValueError("this ranker has no report_: fit it first (a loaded model does not hold its report)")
        source = source.report_
    if not source.history:
        raise ValueError("the report has no history: training stopped before its first evaluation")
    ax = _axes(ax)
    passes, primal, dual = (np.array([h[key] for h in source.history]) for key in ("pass", "primal", "dual"))
    ax.fill_between(passes, dual, primal, color=_QUIET, alpha=_BAND, linewidth=0)
    ends = {}
    for name, values, colour in (("primal", primal, COLOURS[0]), ("dual", dual, COLOURS[1])):
        ax.plot(passes, values, color=colour, marker="o", markersize=3, label=name)
        ends[name] = (values[-1], colour)
    _label_ends(ax, ends)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("pass over the data")
    ax.set_ylabel("objective")
    ax.set_title(f"{source.status}, relative gap {source.certificate.gap:.1e}", loc="left")
    return ax


def measure_by_cutoff(
    y: Any,
    scores: Mapping[str, Any],
    qid: Any = None,
    *,
    group: Any = None,
    measure: str = "ndcg",
    cutoffs: Sequence[int] = tuple(range(1, 11)),
    convention: str = "standard",
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """A measure such as NDCG@n against n: a line per ranker with its bootstrap interval over queries as a band.

    Bands that overlap do not mean that two rankers are equal: on the same queries, ask `dorm.compare`.

    Parameters
    ----------
    y, qid, group
        Labels and queries, as for `dorm.evaluate`; or judgments, in any form that `dorm.evaluate_run` takes, alone.
    scores
        Name of each ranker -> its scores; with judgments, its run.
    measure
        A measure that takes a cutoff: ``"ndcg"``, ``"precision"``, ``"recall"``, ``"err"``, ``"dcg"``.
    """
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError('scores must map names to scores, e.g. {"mine": ranker.predict(X)}')
    cutoffs = sorted(set(cutoffs))
    names = [f"{measure}@{n}" for n in cutoffs]
    ax = _axes(ax)
    ends = {}
    runs = isinstance(y, (str, os.PathLike, Mapping, Qrels)) or hasattr(y, "columns")  # judgments, no array of labels
    for (ranker, values), colour in zip(scores.items(), _cycle(len(scores))):
        table = (
            evaluate_run(y, values, names, convention=convention, complete=True, confidence=confidence)
            if runs
            else evaluate(y, values, qid=qid, group=group, measures=names, convention=convention, confidence=confidence)
        ).measures
        mean, low, high = (np.array([getattr(m, part) for m in table]) for part in ("mean", "low", "high"))
        ax.fill_between(cutoffs, low, high, color=colour, alpha=_BAND, linewidth=0)
        ax.plot(cutoffs, mean, color=colour, marker="o", markersize=3, label=ranker)
        ends[ranker] = (mean[-1], colour)
    _label_ends(ax, ends)
    ax.set_xticks(cutoffs if len(cutoffs) <= 10 else cutoffs[:: -(-len(cutoffs) // 10)])
    ax.set_xlabel("cutoff n")
    ax.set_ylabel(f"{measure.upper() if len(measure) <= 4 else measure.capitalize()}@n")
    ax.set_title(f"{table[-1].queries} queries, bands: {100 * confidence:g} % intervals", loc="left")
    return ax


def feature_weights(ranker: DormRanker, *, top: int = 20, ax: Axes | None = None) -> Axes:
    """The ``top`` largest weights by absolute value, largest first; bars to the right push documents up.

    Weights are comparable with each other where the features are on one scale (``scale=`` of the ranker, or a scaler
    in front of it).
    """
    weights = np.asarray(ranker.coef_)
    names = getattr(ranker, "feature_names_in_", None)
    if top < 1:
        raise ValueError(f"top is {top}; expected at least 1")
    order = np.argsort(-np.abs(weights), kind="stable")[:top]
    ax = _axes(ax, height=max(2.0, 0.28 * len(order) + 1.0))
    labels = [f"column {j}" if names is None else str(names[j]) for j in order]
    colours = [_UP if weights[j] >= 0 else _DOWN for j in order]
    bars = ax.barh(np.arange(len(order)), weights[order], color=colours, height=0.7)
    ax.bar_label(bars, labels=[f"{weights[j]:.3g}" for j in order], padding=3, fontsize="small", color=_QUIET)
    ax.axvline(0, color=_QUIET, linewidth=0.8)
    ax.set_yticks(np.arange(len(order)), labels)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.invert_yaxis()
    ax.margins(x=0.2)
    scaled = ranker.model_.scaling
    ax.set_xlabel("weight" if scaled == "none" else f"weight of the scaled feature ({scaled})")
    if len(order) < len(weights):
        ax.set_title(f"the {len(order)} largest of {len(weights)} weights", loc="left")
    return ax


def curves(ranker: DormRanker, features: Sequence[str] | None = None, *, top: int = 12) -> Any:
    """The curves of a ranker (docs/curves.md), one picture each: what a scaled value adds to a score.

    Draws those of ``features``, or the ``top`` of the largest range, and returns the figure. All have one vertical
    scale, so that ranges can be compared.
    """
    points = ranker.curves_
    if features is None:
        features = sorted(points, key=lambda name: -np.ptp(points[name][:, 1]))[:top]
    for name in features:
        if name not in points:
            raise ValueError(f"feature {name!r} has no curve; there are curves of {', '.join(map(repr, points))}")
    columns = min(4, len(features))
    rows = -(-len(features) // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(2.6 * columns, 2.0 * rows), sharey=True, squeeze=False, layout="constrained"
    )
    for ax, name in zip(grid.flat, features):
        ax.axhline(0, color=_QUIET, linewidth=0.8)
        ax.plot(*points[name].T, color=COLOURS[0])
        ax.set_title(name, loc="left", fontsize="small")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    for ax in grid.flat[len(features) :]:
        ax.set_visible(False)
    scaled = ranker.model_.scaling
    figure.supxlabel("value" if scaled == "none" else f"scaled value ({scaled})", fontsize="small")
    figure.supylabel("adds to the score", fontsize="small")
    return figure


def query_differences(
    a: Evaluation,
    b: Evaluation,
    *,
    measure: str | None = None,
    names: tuple[str, str] = ("a", "b"),
    ax: Axes | None = None,
) -> Axes:
    """What ranker a gains over b in each query, largest gain first, with the mean and its interval as a band.

    Parameters
    ----------
    a, b
        Two results of `dorm.evaluate` on the same queries.
    measure
        Which measure; may be left out where they hold only one.
    names
        What to call the two rankers.
    """
    tested = compare(a, b, measure=measure)
    shown = a.measures[0] if measure is None else a[measure]
    difference = shown.per_query - (b.measures[0] if measure is None else b[measure]).per_query
    difference = np.sort(difference[~np.isnan(difference)])[::-1]
    ax = _axes(ax)
    position = np.arange(1, len(difference) + 1)
    ax.bar(position, difference, width=1.0, color=np.where(difference > 0, _UP, _DOWN), linewidth=0)
    ax.axhspan(tested.low, tested.high, color="black", alpha=_BAND, linewidth=0)
    ax.axhline(tested.mean_difference, color="black", linewidth=1)
    ax.axhline(0, color=_QUIET, linewidth=0.8)
    ax.set_xlim(0, len(difference) + 1)
    _label_ends(ax, {f"mean {tested.mean_difference:+.4f}": (tested.mean_difference, "black")})
    # Below the axes, where no bar is.
    ax.set_xlabel(
        f"queries, sorted ({tested.queries})\n"
        f"{names[0]} better: {tested.wins}, {names[1]} better: {tested.losses}, equal: {tested.ties}"
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_ylabel(f"{shown.name}: {names[0]} - {names[1]}")
    ax.set_title(f"permutation test p = {tested.p_permutation:.3g}", loc="left")
    return ax


def precision_recall(
    qrels: Any,
    runs: Mapping[str, Any],
    *,
    per_query: bool = False,
    convention: str = "trec",
    ax: Axes | None = None,
) -> Axes:
    """Interpolated precision at eleven levels of recall: a line per run, its mean over queries.

    Parameters
    ----------
    qrels, runs
        As for `dorm.compare_runs`; judged queries that a run lacks are empty lists.
    per_query
        Draw each query, too, as a thin line.

    >>> import dorm, dorm.plot
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1}}
    >>> ax = dorm.plot.precision_recall(qrels, {"mine": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"d": 1.0}}})
    >>> [round(float(y), 2) for y in ax.lines[0].get_ydata()[[0, 5, 10]]]
    [1.0, 1.0, 0.5]
    """
    if not isinstance(runs, Mapping) or not runs:
        raise ValueError('runs must map names to runs, e.g. {"mine": "my.run"}')
    levels = np.arange(11) / 10
    names = [f"iprec:recall={level:.1f}" for level in levels]
    ax = _axes(ax)
    queries = 0
    for (name, run), colour in zip(runs.items(), _cycle(len(runs))):
        found = evaluate_run(qrels, run, names, convention=convention, complete=True, bootstrap=0)
        if per_query:
            ax.plot(levels, [m.per_query for m in found.measures], color=colour, linewidth=0.5, alpha=_BAND)
        ax.plot(levels, [m.mean for m in found.measures], color=colour, marker="o", markersize=3, label=name)
        queries = found.measures[0].queries
    ax.legend(frameon=False)  # the lines meet at the right
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("recall")
    ax.set_ylabel("interpolated precision")
    ax.set_title(f"{queries} queries", loc="left")
    return ax


def by_group(
    table: RankerTable, groups: Mapping[Any, Any], *, measure: str | None = None, ax: Axes | None = None
) -> Axes:
    """A measure by group of queries: a point per group and ranker with its bootstrap interval.

    Parameters
    ----------
    table
        What `dorm.compare_runs` or `dorm.compare_rankers` returned.
    groups
        The group of each query, by query id: a category, or short and long. Queries without one are left out.
    measure
        Which measure; may be left out where there is only one.
    """
    first = next(iter(table.evaluations.values()))
    names = [result.name for result in first.measures]
    if measure is None and len(names) > 1:
        raise ValueError(f"which measure? pass measure=, one of {', '.join(names)}")
    name = names[0] if measure is None else first[measure].name
    group_of = [groups.get(query) for query in first.query_ids]
    found = list(dict.fromkeys(group for group in group_of if group is not None))
    if not found:
        raise ValueError(f"groups has none of the queries, such as {first.query_ids[0]!r}")
    found.sort(key=lambda group: (isinstance(group, str), group))
    ax = _axes(ax, height=1.2 + 0.32 * len(found) * len(table.evaluations))
    step = 0.7 / len(table.evaluations)
    for r, ((ranker, evaluation), colour) in enumerate(zip(table.evaluations.items(), _cycle(len(table.evaluations)))):
        options = options_of(evaluation.convention, evaluation.ties, 1000, evaluation.confidence, 0, None)
        for g, group in enumerate(found):
            rows = [q for q, own in enumerate(group_of) if own == group]
            values = np.ascontiguousarray(evaluation[name].per_query[rows][None, :])
            told = _core.summarise([name], values, np.ones(len(rows)), options)[0]
            height = g - 0.35 + (r + 0.5) * step
            ax.plot([told["low"], told["high"]], [height, height], color=colour, linewidth=1.5)
            ax.plot([told["mean"]], [height], "o", color=colour, markersize=5, label=ranker if g == 0 else None)
    sizes = {group: sum(own == group for own in group_of) for group in found}
    ax.set_yticks(range(len(found)), [f"{group} ({sizes[group]})" for group in found])
    ax.invert_yaxis()
    ax.set_xlabel(name)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1))
    ax.set_title(f"queries in brackets, {100 * first.confidence:g} % intervals", loc="left")
    return ax


def _axes(ax: Axes | None, height: float = 4.0) -> Axes:
    if ax is None:
        ax = plt.figure(figsize=(6.4, height), layout="constrained").add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _cycle(count: int) -> list[str]:
    if count > len(COLOURS):
        raise ValueError(f"{count} rankers in one plot; at most {len(COLOURS)} have distinct colours")
    return list(COLOURS[:count])


def _label_ends(ax: Axes, ends: dict[str, tuple[float, str]]) -> None:
    """Writes each name at the right, at the height where its line ends; moved apart where they would overlap."""
    low, high = ax.get_ylim()
    ax.set_ylim(low, high)  # the heights hold for these limits
    wanted = sorted(ends.items(), key=lambda end: end[1][0])
    heights: list[float] = []
    for _, (value, _) in wanted:
        height = (value - low) / (high - low)
        heights.append(max(height, heights[-1] + _LINE_HEIGHT) if heights else height)
    too_high = max(0.0, heights[-1] - 1.0)
    for (name, (_, colour)), height in zip(wanted, heights):
        ax.text(1.02, height - too_high, name, color=colour, transform=ax.transAxes, va="center")
