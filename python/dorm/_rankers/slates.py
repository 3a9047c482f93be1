# SPDX-License-Identifier: Apache-2.0
"""Slates: rankers with gains by position, and rankers under topic budgets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._estimator import FinishFit
from .._evaluate import Evaluation, MeasureResult, options_of
from .._input.dataset import make_dataset
from .._input.gains import label_gains, position_gains, topic_table
from .._input.inputs import Input
from .._input.queries import Queries
from .._options import setting, train_options
from .._progress import Progress, watching
from .._report import TrainReport
from .._threads import thread_count
from .inputs import RankerInputs
from .ranker import DormRanker

#: What ``solver_options`` may hold.
_OF_SLATES = ("checkpoint", "max_passes", "planes_per_block", "rounds", "target", "time_limit", "unjudged")


class PositionRanker(FinishFit, RankerInputs, BaseEstimator):
    """A ranker for lists in which every position has gains of its own: a function per position beside a shared one.

    The gain of a list is the sum of what its documents gain where they stand (docs/positions.md); a list is the
    assignment of documents to positions that scores highest. The same data and parameters give the same model as
    ``dorm train --position-gains``.

    Parameters
    ----------
    one_function : bool, default=False
        The same function for all positions.
    C : float, default=100.0
        As for `DormRanker`.
    decay : str, default="measure"
        As for `DormRanker`.
    bound : str, default="auto"
        As for `DormRanker`, except ``"average"``.
    scale : str, default="auto"
        As for `DormRanker`.
    missing : str, default="error"
        As for `DormRanker`.
    solver : str, default="bcda"
        As for `DormRanker`.
    tolerance : float, default=1e-3
        As for `DormRanker`.
    memory : int, str or None, default=None
        As for `DormRanker`.
    n_jobs : int or None, default=None
        As for `DormRanker`.
    random_state : int, RandomState or None, default=1
        As for `DormRanker`.
    verbose : int, default=0
        As for `DormRanker`.
    solver_options : dict or None, default=None
        As for `DormRanker`: ``checkpoint``, ``max_passes``, ``planes_per_block``, ``rounds``, ``target``,
        ``time_limit`` and ``unjudged``.

    Attributes
    ----------
    coef_ : ndarray
        Weights of the shared function, of the scaled features.
    position_coef_ : list of ndarray
        Those of each position; empty with ``one_function``.
    report_ : TrainReport
    model_
        The core's model.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=60, features=5, seed=1)
    >>> gains = {label: [4 * label, label, label] for label in range(5)}
    >>> ranker = dorm.PositionRanker(C=10).fit(data, gains=gains)
    >>> shown = ranker.rank(data) <= 3
    >>> ranker.score(data)
    0.7...
    """

    early_stopping = None
    _SOLVER_OPTIONS = _OF_SLATES

    def __init__(
        self,
        *,
        one_function: bool = False,
        C: float = 100.0,
        decay: str = "measure",
        bound: str = "auto",
        scale: str = "auto",
        missing: str = "error",
        solver: str = "bcda",
        tolerance: float = 1e-3,
        memory: int | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.one_function = one_function
        self.C = C
        self.decay = decay
        self.bound = bound
        self.scale = scale
        self.missing = missing
        self.solver = solver
        self.tolerance = tolerance
        self.memory = memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.solver_options = solver_options

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        gains: Any,
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        eval_gains: Any = None,
        feature_names: Sequence[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> PositionRanker:
        """Train.

        Parameters
        ----------
        gains
            What a label gains at each position: a dict of label -> gains, a data frame with labels for its index, the
            name of a file (docs/formats.md); or what each document gains, an array with a row per row of X and a
            column per position.
        eval_gains
            Of the documents of ``eval_set``, where ``gains`` are those of single documents.

        Other arguments are those of `DormRanker.fit`.
        """
        train, held_out = self._training_sets(
            X, y, qid, group, sample_weight, feature_names, eval_set, eval_qid, eval_group
        )
        known = label_gains(gains, train.dataset)
        judged = None
        if held_out is not None:
            own = gains if eval_gains is None else eval_gains
            judged = _core.JudgedGains(held_out.dataset, position_gains(own, known, held_out.queries, held_out.dataset))
        with watching(callbacks, Progress(self.verbose), progress) as callback:
            model, report = _core.train_positions(
                train.dataset,
                position_gains(gains, known, train.queries, train.dataset),
                known,
                train_options(self),
                bool(self.one_function),
                judged,
                callback,
            )
        return self._finish_fit(model, report=TrainReport._of(report))

    def rank(self, X: Any, qid: Any = None, *, group: Any = None) -> np.ndarray:
        """The position of every row in the list of its query, 1 for the first."""
        given = self._checked(X, qid, group)
        data, queries = self._dataset(given)
        return queries.unsorted(self.model_.rank(data, thread_count(self.n_jobs)))

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> np.ndarray:
        """Minus the position of every row: what sorts the rows of a query into its list."""
        return -self.rank(X, qid, group=group).astype(np.float64)

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        gains: Any = None,
        bootstrap: int = 1000,
        random_state: int = 0,
    ) -> MeasureResult:
        """position-gain@n: the gain of the lists over that of the best ones, as ``dorm eval --position-gains`` has it.

        ``gains`` as for `fit`; None: those by label that were trained for.
        """
        given = self._checked(X, qid, group, y)
        judged = given.labelled(self._names(), setting(self, "unjudged"))
        known = self.model_.gains if gains is None else label_gains(gains, judged.dataset)
        if gains is None and not len(known.labels):
            raise ValueError("the ranker was trained for gains of single documents; pass gains=")
        places = self.model_.rank(judged.dataset, thread_count(self.n_jobs))
        options = options_of("standard", None, bootstrap, 0.95, random_state, self.n_jobs)
        own = position_gains(gains, known, judged.queries, judged.dataset)
        return MeasureResult(**_core.evaluate_positions(judged.dataset, own, places, options))

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, gains: Any = None) -> float:
        """The mean of position-gain@n."""
        return self.evaluate(X, y, qid=qid, group=group, gains=gains, bootstrap=0).mean

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``dorm train --position-gains`` does."""
        check_is_fitted(self)
        _core.write_text(os.fspath(path), self.model_.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PositionRanker:
        """A ranker from a file of `save` or of the command; ``report_`` is not stored."""
        model = _core.PositionModel.load(os.fspath(path))
        shared = model.shared
        made = cls(one_function=not model.blocks, C=shared.C, decay=shared.decay, bound=shared.bound)
        made.set_params(scale=shared.scaling, solver=shared.solver, tolerance=shared.tolerance)
        made.solver_options = {"target": shared.target} if shared.target else None
        made.set_params(random_state=shared.seed, missing=shared.input["missing"])
        made.n_features_in_ = max(shared.num_features, len(shared.features))
        if shared.features != [str(j + 1) for j in range(len(shared.features))]:
            made.n_features_in_ = len(shared.features)
            made.feature_names_in_ = np.array(shared.features, dtype=object)
        made._adopt(model)
        return made

    @property
    def coef_(self) -> np.ndarray:
        """The weights of the shared function."""
        return self.model_.shared.weights

    @property
    def position_coef_(self) -> list[np.ndarray]:
        """The weights of each position."""
        return list(self.model_.blocks)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _dataset(self, given: Input) -> tuple[_core.Dataset, Queries]:
        queries = given.queries()
        labels = np.zeros(given.rows, np.float32)
        return make_dataset(given.features, labels, queries, names=self._names(), about=given.about), queries

    def _adopt(self, model: _core.PositionModel) -> None:
        self.model_ = model
        self._reading = model.shared.input


class TopicRanker(DormRanker):
    """A linear ranker for lists that keep topic budgets: at most so much of each topic (docs/positions.md).

    A list of the first ``top`` documents takes from each topic what its documents say, and not more than the limit.
    The same data and parameters give the same model as ``dorm train --topics --limits``; `predict`, `explain`, `save`
    and `export` are those of `DormRanker`.

    Parameters
    ----------
    measure : str, default="ndcg@10"
        The measure to train for: one that is a sum over positions.
    top : int or None, default=None
        Length of the lists. None: the cutoff of the measure.
    list_seconds : float, default=10.0
        Time limit for one list. 0: no limit.
    C : float, default=100.0
        As for `DormRanker`.
    decay : str, default="measure"
        As for `DormRanker`.
    bound : str, default="auto"
        As for `DormRanker`.
    scale : str, default="auto"
        As for `DormRanker`.
    missing : str, default="error"
        As for `DormRanker`.
    convention : str, default="standard"
        As for `DormRanker`.
    solver : str, default="bcda"
        As for `DormRanker`.
    tolerance : float, default=1e-3
        As for `DormRanker`.
    memory : int, str or None, default=None
        As for `DormRanker`.
    n_jobs : int or None, default=None
        As for `DormRanker`.
    random_state : int, RandomState or None, default=1
        As for `DormRanker`.
    verbose : int, default=0
        As for `DormRanker`.
    solver_options : dict or None, default=None
        As for `PositionRanker`.

    Attributes
    ----------
    lists_ : dict
        lists, unproven (the time limit for one list was reached) and largest_gap of the training.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> data = dorm.synth(queries=12, features=4, documents_median=8, documents_min=6, seed=1)
    >>> topics = np.where(np.arange(len(data.y)) % 2, "red", "blue")
    >>> ranker = dorm.TopicRanker("ndcg@3", C=10).fit(data, topics=topics, limits={"red": 2, "blue": 2})
    >>> places = ranker.rank(data, topics=topics, limits={"red": 2, "blue": 2})
    >>> int(((places > 0) & (topics == "red") & (data.qid == 1)).sum()) <= 2
    True
    """

    _SOLVER_OPTIONS = _OF_SLATES

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        top: int | None = None,
        list_seconds: float = 10.0,
        C: float = 100.0,
        decay: str = "measure",
        bound: str = "auto",
        scale: str = "auto",
        missing: str = "error",
        convention: str = "standard",
        solver: str = "bcda",
        tolerance: float = 1e-3,
        memory: int | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            measure,
            C=C,
            decay=decay,
            bound=bound,
            scale=scale,
            missing=missing,
            convention=convention,
            solver=solver,
            tolerance=tolerance,
            memory=memory,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            solver_options=solver_options,
        )
        self.top = top
        self.list_seconds = list_seconds

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        *,
        topics: Any,
        limits: Any,
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        eval_topics: Any = None,
        feature_names: Sequence[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> TopicRanker:
        """Train.

        Parameters
        ----------
        topics
            The topic of every row; or how much of each topic a row takes: a matrix or data frame with a row per row of
            X and a column per topic; or the name of a file (docs/formats.md), which names documents by their ids.
        limits
            Topic -> most of it in a list: a dict, a pandas series, an array in the order of the columns, or a file.
        eval_topics
            Of the rows of ``eval_set``.

        Other arguments are those of `DormRanker.fit`.
        """
        train, held_out = self._training_sets(
            X, y, qid, group, sample_weight, feature_names, eval_set, eval_qid, eval_group
        )
        table = topic_table(topics, limits, train.queries, train.dataset)
        judged = None
        if held_out is not None:
            if eval_topics is None and not isinstance(topics, (str, os.PathLike)):
                raise ValueError("eval_set without eval_topics; pass the topics of its rows")
            own = topics if eval_topics is None else eval_topics
            judged = _core.JudgedTopics(
                held_out.dataset, topic_table(own, limits, held_out.queries, held_out.dataset, "eval_topics")
            )
        with watching(callbacks, Progress(self.verbose), progress) as callback:
            model, report, lists = _core.train_topics(
                train.dataset,
                table,
                self._length(),
                train_options(self),
                float(self.list_seconds),
                judged,
                callback,
            )
        return self._finish_fit(model, report=TrainReport._of(report), lists_=lists)

    def rank(  # type: ignore[override]
        self, X: Any, qid: Any = None, *, topics: Any, limits: Any, group: Any = None, top: int | None = None
    ) -> np.ndarray:
        """The position of every row in the list of its query, from 1; 0: not in it."""
        given = self._checked(X, qid, group)
        queries = given.queries()
        data = make_dataset(
            given.features, np.zeros(given.rows, np.float32), queries, names=self._names(), about=given.about
        )
        places = self._places(data, topic_table(topics, limits, queries, data), top)
        return queries.unsorted(places)

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        topics: Any,
        limits: Any,
        qid: Any = None,
        group: Any = None,
        measures: str | Sequence[str] | None = None,
        top: int | None = None,
        bootstrap: int = 1000,
        random_state: int = 0,
    ) -> Evaluation:
        """Judge the lists within the budgets, as ``dorm eval --topics`` does; None: by the measure trained for."""
        given = self._checked(X, qid, group, y)
        judged = given.labelled(self._names(), setting(self, "unjudged"))
        table = topic_table(topics, limits, judged.queries, judged.dataset)
        asked = [self.measure] if measures is None else [measures] if isinstance(measures, str) else list(measures)
        options = options_of(self.convention, None, bootstrap, 0.95, random_state, self.n_jobs)
        told = _core.evaluate_topics(
            judged.dataset,
            self._places(judged.dataset, table, top),
            self._length(top),
            table,
            asked,
            float(self.list_seconds),
            options,
        )
        results = [MeasureResult(**entry) for entry in told["measures"]]
        return Evaluation(results, judged.queries.ids, told["convention"], told["ties"], 0.95)

    def score(self, X: Any, y: Any = None, **arguments: Any) -> float:
        """The mean of the measure trained for; arguments as for `evaluate`."""
        return self.evaluate(X, y, **arguments, bootstrap=0).measures[0].mean

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TopicRanker:
        """A ranker from a model file; the length of its lists is that of the measure."""
        plain = DormRanker.load(path)
        names = set(cls().get_params()) & set(plain.get_params())
        made = cls(**{name: getattr(plain, name) for name in names})
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(plain, name):
                setattr(made, name, getattr(plain, name))
        made._adopt(plain.model_)
        return made

    def _places(self, data: _core.Dataset, table: _core.TopicTable, top: int | None) -> np.ndarray:
        scores = self.model_.score(data, thread_count(self.n_jobs))
        places, _ = _core.rank_topics(self.model_, data, scores, table, self._length(top), float(self.list_seconds))
        return places

    def _length(self, top: int | None = None) -> int:
        top = self.top if top is None else top
        if top is not None:
            if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 1:
                raise ValueError(f"top is {top!r}; expected a whole number from 1 on")
            return int(top)
        name = _core.measure_name(self.measure, self.convention)
        if "@" not in name:
            raise ValueError(
                f"the length of the lists is not known; pass top=, or a measure such as ndcg@10, not {name}"
            )
        return int(name.split("@")[1].split(":")[0])
