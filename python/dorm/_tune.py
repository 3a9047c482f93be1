# SPDX-License-Identifier: Apache-2.0
"""Hyperparameter tuning on validation data or by cross-validation, as ``dorm tune`` does."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._input.inputs import Labelled
from ._measure import Measure
from ._options import feature_name_of, initial_name, train_options
from ._pages import ReportData, page_at
from ._progress import Progress, watching
from ._rankers.ranker import DormRanker
from ._report import TrainReport
from ._scores import name_of, ranker_or_scores
from ._tables import Figure, html_table, pandas_for
from .data._files import RankingData

if TYPE_CHECKING:
    from ._rankers.ensemble import DormEnsemble

_AXES = ("C", "decay", "bound", "ranker", "measure", "kernel", "curves", "trees", "leaves")
LOSSES = ("lambdarank", "dorm", "regression")  # of trees


@dataclass(frozen=True)
class GridPoint:
    """One point of the grid, evaluated on all validation queries (of all folds)."""

    measure: str  #: trained for; empty for an initial model
    decay: str
    kernel: str
    bound: str  #: ``"none"``: an initial model alone, named by ``start``, or trees by the loss of that name
    start: str
    C: float
    leaves: int  #: of a tree, at most; 0: no trees
    validation: float  #: the measure on the validation queries
    standard_error: float  #: of that
    explained_risk: float  #: mean over folds; NaN for an initial model
    rounds: int  #: of trees their number
    gap: float  #: relative duality gap; with folds, the largest
    status: str
    cut_short: bool  #: stopped by the time limit; used only where no other point is complete
    share: float  #: of the model; 0: not in it
    curves: str = "none"  #: of its features; ``"none"``: lines

    @property
    def chosen(self) -> bool:
        """Whether it is in the model."""
        return self.share > 0


@dataclass(frozen=True)
class PrunedPoint:
    """A point of the grid that was not evaluated, and the reason."""

    measure: str
    decay: str
    kernel: str
    bound: str
    start: str
    C: float
    leaves: int
    why: str
    curves: str = "none"


@dataclass(frozen=True)
class FeatureStep:
    """A ranker of a few features (``at_most=``), judged on queries that neither its weights nor their choice saw."""

    features: list[str]
    cost: float  #: of these; their number where ``feature_costs=`` is not given
    mean: float  #: of the measure
    low: float  #: end of the 95 % bootstrap interval over queries
    high: float
    delivered: bool  #: whether these are the features of the model


@dataclass(frozen=True)
class Validated:
    """The measure of the tuned ranker on queries that did not train it."""

    mean: float
    standard_error: float
    low: float  #: end of the 95 % bootstrap interval over queries
    high: float
    queries: int
    evaluated_on: str  #: the validation data, or folds

    def __str__(self) -> str:
        return f"{self.mean:.4f}, 95 % interval [{self.low:.4f}, {self.high:.4f}], on {self.evaluated_on}"


@dataclass(frozen=True)
class TreesWorth:
    """What trees are worth: the average of all grid points against that of the linear ones, on validation queries."""

    difference: float
    low: float  #: end of the 95 % bootstrap interval over queries
    high: float
    linear: Validated
    trees: Validated
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tested:
    """The measure of the tuned ranker on queries that were set aside before anything was chosen (``test=``)."""

    measure: str
    mean: float
    low: float  #: end of the 95 % bootstrap interval over queries
    high: float
    queries: int
    share: float  #: of the queries that were set aside
    seed: int  #: that drew them, as ``dorm split --seed``

    def __str__(self) -> str:
        return (
            f"{self.measure} {self.mean:.4f}, 95 % interval [{self.low:.4f}, {self.high:.4f}], "
            f"on {self.queries} queries that nothing had seen"
        )


@dataclass(frozen=True)
class AgainstBaseline:
    """The tuned ranker beside another one (``baseline=``), on queries that did not train it."""

    name: str
    measure: str
    evaluated_on: str  #: the test queries, the validation data, or the folds, each held out in turn
    mean: float  #: of the baseline
    ranker_mean: float
    difference: float  #: of the tuned ranker less the baseline
    low: float  #: end of the 95 % bootstrap interval over queries
    high: float
    wins: int  #: queries where the tuned ranker is better
    losses: int
    p: float  #: permutation test

    def __str__(self) -> str:
        verdict = "not significantly different"
        if self.p < 0.05:
            verdict = "the model is better" if self.difference > 0 else "the model is WORSE"
        return (
            f"baseline {self.name} {self.measure} {self.mean:.4f} on {self.evaluated_on}, the model "
            f"{self.ranker_mean:.4f}: {self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}], {self.wins} wins, "
            f"{self.losses} losses, p {self.p:.4f}: {verdict}"
        )


@dataclass(frozen=True, eq=False)
class TuneResult:
    """The result of `tune`: the ranker, its validated measure and the grid points. Prints as a table."""

    ranker: DormRanker | DormEnsemble  #: fitted; predicts, explains, saves; with trees a `DormEnsemble`
    measure: str  #: that evaluates the grid points
    validated: Validated
    points: list[GridPoint]  #: evaluated, in the order of the grid
    pruned: list[PrunedPoint]
    choice: str  #: the rule that was used
    reason: str  #: the rule in a sentence, with its result
    end: str  #: ``"whole"``, or ``"time_limit"`` or ``"stopped"`` with pruned points
    resumed: int  #: grid points restored from the checkpoint
    worth: TreesWorth | None  #: of trees, where they were grown
    report_: TrainReport | None = field(repr=False)  #: of the final training, if there was one
    _report_data: ReportData | None = field(repr=False)
    tested: Tested | None = None  #: with ``test=``; the figure to report
    baseline: AgainstBaseline | None = None  #: with ``baseline=``; None: no fold was finished
    few_features: list[FeatureStep] | None = None  #: with ``at_most=``: from all features to one

    @property
    def parts(self) -> list[GridPoint]:
        """The grid points in the ranker, the largest share first."""
        return sorted((c for c in self.points if c.chosen), key=lambda c: -c.share)

    @property
    def best(self) -> GridPoint:
        """The grid point with the largest measure. The maximum is optimistic: report ``validated`` instead."""
        return max(self.points, key=lambda c: c.validation)

    def to_frame(self) -> Any:
        """A pandas data frame with a row per evaluated grid point, best first."""
        return pandas_for("to_frame").DataFrame([vars(cell) for cell in self._sorted()])

    def report(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Write the page of ``dorm tune --report`` and return its path; None: a `Page` for a notebook."""
        if self._report_data is None:
            raise ValueError("pickles do not store the data of the tuning, which the report needs")
        return page_at(self._report_data.page("the training data", self.validated.evaluated_on), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model, as `DormRanker.save`."""
        self.ranker.save(path)

    def __reduce__(self) -> Any:
        values = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "_report_data"}
        return _restored, (values,)

    def _sorted(self) -> list[GridPoint]:
        return sorted(self.points, key=lambda c: (-c.validation, -c.share))

    def _foot(self) -> str:
        left = f"; {len(self.pruned)} points pruned" if self.pruned else ""
        worth = "" if self.worth is None else f"\n{self.worth}"
        tested = "" if self.tested is None else f"; tested: {self.tested}"
        against = "" if self.baseline is None else f"\n{self.baseline}"
        return f"{self.measure} {self.validated}{tested}; {self.reason}{left}{worth}{against}"

    def __str__(self) -> str:
        lines = [
            f"  {'bound':<9}  {'start':<13}  {'decay':<8}  {'C':>8}  {'validation':>10}  {'± error':>8}  {'share':>5}"
        ]
        for c in self._sorted():
            mark = "*" if c.chosen else " "
            lines.append(
                f"{mark} {c.bound:<9}  {_start(c):<13}  {c.decay:<8}  {c.C:>8g}  {c.validation:>10.4f}  "
                f"{c.standard_error:>8.4f}  {c.share:>5.2f}"
            )
        return "\n".join([*lines, self._foot()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = ["bound", "start", "decay", "C", self.measure, "± error", "explained_risk", "share"]
        rows = [
            (c.bound, _start(c), c.decay, Figure(c.C, "g"), Figure(c.validation), Figure(c.standard_error))
            + (Figure(c.explained_risk, ".3f"), Figure(c.share, ".2f"))
            for c in self._sorted()
        ]
        return html_table(head, rows, f"{self.measure} {self.validated}", self._foot())


def _start(point: GridPoint) -> str:
    return f"{point.start}, {point.leaves} leaves" if point.leaves else point.start


class _TuneProgress(Progress):
    def stage(self, progress: dict[str, Any]) -> str:
        return f"grid point {progress['done']} of {progress['total']}"

    def steps(self, progress: dict[str, Any]) -> tuple[int, int | None]:
        return progress["done"], progress["total"]

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        figures = {"best": f"{progress['best']:.4f}"} if progress["best"] == progress["best"] else {}
        if progress["seconds_left"] == progress["seconds_left"]:
            figures["left"] = f"{progress['seconds_left']:.0f} s"
        return figures


def tune(
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    eval_set: Any = None,
    eval_qid: Any = None,
    eval_group: Any = None,
    folds: int | None = None,
    test: float = 0.0,
    baseline: Any = None,
    grid: Mapping[str, Any] | None = None,
    curves: int | str | Mapping[Any, int] | None = None,
    at_most: float | None = None,
    feature_costs: Mapping[Any, float] | None = None,
    choose: str = "average",
    trees: bool = False,
    only: str | None = None,
    lightgbm: str | os.PathLike[str] | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    **parameters: Any,
) -> TuneResult:
    """Evaluate a grid of rankers on validation data or by folds over queries, and return an average of the good ones.

    The same data and options give the same model as the command ``dorm tune``.

    Parameters
    ----------
    X, y, qid, group, sample_weight, feature_names
        The training data, as for `DormRanker.fit`.
    eval_set, eval_qid, eval_group
        Validation data, ``(X, y)`` or a `RankingData`, and its queries.
    folds
        Number of folds over the queries, where there is no validation data (5). The model is the mean over the folds.
    test
        Share of the queries to set aside before everything else, whole queries, the ones that `dorm.data.split` draws
        with ``seed=`` the ``random_state`` of the ranker (1). The ranker is evaluated on them once, at the end.
    baseline
        What is in production, evaluated where the model is: on the test queries, the validation data, or the folds,
        each held out in turn. A fitted ranker or model file; scores, one for each row of X (of ``eval_set`` where there
        is one and no ``test``), or their file; a run or its file, for data with document ids, where documents that it
        lacks rank last. ``{"prod": ranker}`` gives it a name.
    grid
        Axis -> values, of ``"C"`` (10, 100, 1000), ``"decay"``, ``"bound"``, ``"ranker"`` (initial models
        beside the bounds: ``"ridge"``, ``"ridge-gain"``, ``"pairwise"``, ``"pairwise-gain"``; none where ``"bound"``
        is given),
        ``"measure"`` (the measure to train for, where another one evaluates), ``"kernel"``, ``"curves"`` (``"none"``
        and curves of one spelling), and with ``trees``
        ``"trees"`` (losses: ``"lambdarank"``, ``"dorm"``, ``"regression"``) and ``"leaves"`` (7, 15, 31, 63).
    curves
        Curves of the features, as for `DormRanker`; ``"none"``: lines alone. None: lines, and from 40 training queries
        on curves of 8 pieces beside them, where the options and ``target`` allow curves.
    at_most
        Choose that many features first, and learn from these alone (docs/few-features.md); with ``feature_costs``,
        those that cost so much together. The result has the path from all features to one, ``few_features``.
    feature_costs
        Feature -> what it costs to compute; features that are not named cost 1.
    choose
        ``"average"``: all grid points, weighted by their distance to the best; ``"steady"``: of the points
        within one standard error of the best the one nearest to the defaults; ``"one-standard-error"``: the smallest C
        of those; ``"best"``: the largest figure (docs/training.md).
    trees
        Grow trees beside the linear rankers, too, by the shared library of LightGBM (``pip install lightgbm``); the
        result says what they are ``worth``.
    only
        ``"linear"`` or ``"trees"``: the model is made of those only. None: of all that validate well.
    lightgbm
        LightGBM's library ``lib_lightgbm.so``; None: that of the package ``lightgbm``, or of the system.
    time_limit
        Time limit in seconds for the whole grid; at least one point is evaluated.
    checkpoint
        A file that stores the evaluated points, from which the same call continues.
    progress
        As for `DormRanker.fit`; a function that returns True stops; the points evaluated so far decide. Ctrl-C raises
        KeyboardInterrupt; with a checkpoint, the same call goes on from there.
    parameters
        Parameters of `DormRanker` that the grid does not vary, such as ``measure=``, ``scale=``, ``missing=``.

    Examples
    --------
    >>> import dorm
    >>> result = dorm.tune(dorm.synth(queries=60, features=5, seed=1), folds=3, grid={"C": [10, 100]})
    >>> result.validated.mean
    0.7...
    >>> scores = result.ranker.predict(dorm.synth(queries=5, features=5, seed=2))
    """
    if curves is not None and curves != "none":
        parameters["curves"] = curves
    ranker = _base(parameters, time_limit)
    if eval_set is not None and folds is not None:
        raise ValueError("eval_set and folds exclude each other; pass one of them")
    train, held_out = ranker._training_sets(
        X, y, qid, group, sample_weight, feature_names, eval_set, eval_qid, eval_group
    )
    settings = {**_axes(grid, ranker), "choose": choose, "checkpoint": os.fspath(checkpoint or ""), "test": float(test)}
    if trees:
        settings.setdefault("trees", list(LOSSES))
    elif only or "trees" in settings or "leaves" in settings:
        raise ValueError("only= and the axes of trees need trees=True")
    settings.update(only=only or "", lightgbm=os.fspath(lightgbm or library_of_lightgbm()))
    if curves == "none":
        settings.setdefault("curves", ["none"])
    if at_most is not None:
        settings["at_most"] = float(at_most)
        if feature_costs is not None:
            settings["feature_costs"] = {feature_name_of(ranker, f): float(cost) for f, cost in feature_costs.items()}
    elif feature_costs is not None:
        raise ValueError("feature_costs is about the features of at_most=")
    if folds is not None:
        settings["folds"] = int(folds)
    if baseline is not None:
        judged = (
            (X, y, qid, group, train)
            if held_out is None or test
            else (*_pair(eval_set), eval_qid, eval_group, held_out)
        )
        settings["baseline_name"], settings["baseline"] = _baseline_scores(baseline, *judged)
    with watching(None, _TuneProgress(ranker.verbose), progress) as callback:
        tuned, told, interrupted = _core.tune(
            train.dataset, train_options(ranker), settings, None if held_out is None else held_out.dataset, callback
        )
    if interrupted:
        hint = "" if checkpoint is None else f"; the same call goes on from {os.fspath(checkpoint)}"
        raise KeyboardInterrupt(f"tuning was interrupted after {len(told['cells'])} grid points{hint}")
    evaluated_on = "the validation data" if eval_set is not None else f"{told['folds']} folds"
    report = TrainReport._of(told["report"]) if told["refitted"] else None
    made: DormRanker | DormEnsemble = ranker
    if tuned.model.kind in ("trees", "sum"):
        from ._rankers.ensemble import DormEnsemble

        made = DormEnsemble(tuned.model)
    else:
        ranker._adopt(tuned.model)
        ranker.C = tuned.model.C
        if report is not None:
            ranker.report_ = report
    worth = told.get("worth")
    if worth is not None:
        worth = {**worth, **{each: Validated(**worth[each], evaluated_on=evaluated_on) for each in ("linear", "trees")}}
    return TuneResult(
        ranker=made,
        measure=ranker.measure,
        validated=Validated(**told["validated"], evaluated_on=evaluated_on),
        points=[GridPoint(**cell) for cell in told["cells"]],
        pruned=[PrunedPoint(**cell) for cell in told["pruned"]],
        choice=told["choice"],
        reason=told["reason"],
        end=told["end"],
        resumed=told["resumed"],
        worth=None if worth is None else TreesWorth(**worth),
        report_=report,
        _report_data=ReportData(tuned),
        tested=Tested(**told["tested"]) if told["tested"] else None,
        baseline=AgainstBaseline(**told["baseline"]) if told["baseline"] else None,
        few_features=[FeatureStep(**step) for step in told["few"]] if "few" in told else None,
    )


def _pair(eval_set: Any) -> tuple[Any, Any]:
    return (eval_set, None) if isinstance(eval_set, RankingData) else tuple(eval_set)


def _baseline_scores(baseline: Any, X: Any, y: Any, qid: Any, group: Any, data: Labelled) -> tuple[str, np.ndarray]:
    """Its name, and its scores in the order of the data set."""
    name, given = "baseline", baseline
    if isinstance(baseline, Mapping) and len(baseline) == 1 and not isinstance(next(iter(baseline.values())), Mapping):
        name, given = next(iter(baseline.items()))
    named = name_of(given, name) if name == "baseline" else name
    numbers = data.queries.unsorted(np.repeat(np.arange(len(data.queries.sizes)), data.queries.sizes))
    rows = X if isinstance(X, RankingData) else RankingData(X=None, y=None, qid=numbers)
    ranker, _, scores = ranker_or_scores(given, rows, "baseline")
    if scores is None:
        scores = ranker.predict(X, qid=qid, group=group)
    return named, np.ascontiguousarray(data.queries.sorted(scores), dtype=np.float64)


def library_of_lightgbm() -> str:
    """The shared library in the package ``lightgbm``, which is not imported; empty: there is none."""
    try:
        found = importlib.util.find_spec("lightgbm")
    except (ImportError, ValueError):
        return ""
    for folder in [] if found is None else found.submodule_search_locations or []:
        for library in (os.path.join(folder, "lib", "lib_lightgbm.so"), os.path.join(folder, "lib_lightgbm.so")):
            if os.path.exists(library):
                return library
    return ""


def _base(parameters: dict[str, Any], time_limit: float | None) -> DormRanker:
    if "C" in parameters:
        raise ValueError('C is an axis of the grid; pass grid={"C": [...]}')
    if time_limit is not None:
        parameters["solver_options"] = {**(parameters.get("solver_options") or {}), "time_limit": time_limit}
    ranker = DormRanker(**parameters)
    if not initial_name(ranker.initial):
        raise ValueError(f"initial is {ranker.initial!r}; tune takes the name of a method, such as 'ridge'")
    if isinstance(ranker.measure, Measure) or callable(ranker.kernel):
        raise ValueError("tune takes measures and kernels by name; for custom ones, use scikit-learn's GridSearchCV")
    return ranker


def _axes(grid: Mapping[str, Any] | None, ranker: DormRanker) -> dict[str, Any]:
    """The axes as lists; these bounds and nothing else, where bounds are named."""
    grid = dict(grid or {})
    unknown = set(grid) - set(_AXES)
    if unknown:
        raise ValueError(f"grid has an axis {min(unknown)!r}; there are {', '.join(_AXES)}")
    axes = {}
    for name, values in grid.items():
        one = isinstance(values, (str, int, float)) or values is None
        values = [values] if one else list(values)
        kind = {"C": float, "leaves": int}.get(name, lambda v: "none" if v is None else str(v))
        axes[name] = [kind(v) for v in values]
        if not axes[name] and name != "ranker":
            raise ValueError(f"the axis {name!r} of the grid has no values")
    if "ranker" in axes:
        axes["ranker"] = [name for name in axes["ranker"] if name != "none"]
    elif "bound" in axes:
        axes["ranker"] = []
    return axes


def _restored(values: dict[str, Any]) -> TuneResult:
    return TuneResult(**values, _report_data=None)
