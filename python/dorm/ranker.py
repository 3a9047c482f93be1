# SPDX-License-Identifier: Apache-2.0
"""DormRanker: the scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._dataset import make_dataset, read_labels
from ._features import Features, read_features
from ._progress import Progress, combine
from ._queries import Queries, one_query, read_queries, read_weights
from ._threads import thread_count
from .data import RankingData
from .evaluation import evaluate
from .measure import Measure
from .report import TrainReport


class DormRanker(BaseEstimator):
    """A linear ranker trained for the measure it is judged by.

    Minimises ``1/2 |w|^2 + (C/m) sum_q H_q(w)``, ``H_q`` a bound on the loss of the measure in query ``q``, to a
    relative duality gap; `report_` holds the certificate. The same data and parameters give the same weights as the
    command ``dorm train`` and the C++ library, bit for bit, whatever the number of threads.

    Parameters
    ----------
    measure
        What to train for: a name such as ``"ndcg@10"``, ``"mrr"``, ``"P@5"``, or a `Measure` of your own.
    C
        Weight of the loss against ``1/2 |w|^2``, for features of unit mean squared row norm. The parameter to tune:
        10 to 10000.
    decay
        Position weights of the score of a ranking: ``"measure"``, ``"power:0.25"``, ``"measure+tail"``, ...
    bound
        ``"auto"``, ``"best"``, ``"predicted"``, ``"average"`` or ``"given"``.
    scale
        ``"auto"`` (none when all features lie in [0, 1], else ``"log_query_zscore"``), ``"none"``, ``"zscore"``,
        ``"minmax"``, ``"log_zscore"``, ``"query_minmax"`` or ``"log_query_zscore"``. The last two use the documents
        of the query at hand, so `predict` then needs the queries, too. Use ``"none"`` behind a scaler of a pipeline.
    solver
        ``"bcda"``, ``"nslack"``, ``"oneslack"``, ``"bcfw"`` or ``"online"``.
    tolerance
        Relative duality gap at which to stop.
    max_passes
        Most passes over the data in a round.
    time_limit
        Seconds after which the best model so far is kept.
    convention
        Whose definition of the measure; see `evaluate`.
    start, rounds
        Where the rounds of the bounds ``"best"`` and ``"predicted"`` begin (``"auto"``, ``"ridge"``, ``"pairwise"``)
        and how many there are (0: as many as the bound needs).
    paper_C
        C as in the paper: multiplies the sum over queries, features as they are.
    early_stopping
        Evaluations in a row without a better measure on ``eval_set`` after which a candidate is given up; the weights
        that did best are kept. None: off.
    n_jobs
        Threads. None: 1 inside a joblib worker, else all cores within the limits set for OpenMP. -1: all cores.
        The model does not depend on it.
    random_state
        Seed of the order of the queries.
    verbose
        1: a line of progress per second; 2: a line per evaluation.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights of the scaled features.
    model_
        The core's model.
    report_ : TrainReport
        Certificate, candidates, history and warnings of the training.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the features have names.

    Examples
    --------
    >>> import dorm
    >>> X, y, qid = dorm.synth(queries=200, features=20, seed=1)
    >>> train = qid <= 100
    >>> ranker = dorm.DormRanker(measure="ndcg@10", C=100).fit(X[train], y[train], qid=qid[train])
    >>> ranker.report_.status
    'converged'
    >>> scores = ranker.predict(X[~train], qid=qid[~train])
    >>> ranker.score(X[~train], y[~train], qid=qid[~train])
    0.6...
    """

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        *,
        C: float = 1000.0,
        decay: str = "measure",
        bound: str = "auto",
        scale: str = "auto",
        solver: str = "bcda",
        tolerance: float = 1e-3,
        max_passes: int = 1000,
        time_limit: float | None = None,
        convention: str = "standard",
        start: str = "auto",
        rounds: int = 0,
        paper_C: bool = False,
        early_stopping: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.C = C
        self.decay = decay
        self.bound = bound
        self.scale = scale
        self.solver = solver
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.convention = convention
        self.start = start
        self.rounds = rounds
        self.paper_C = paper_C
        self.early_stopping = early_stopping
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        feature_names: Sequence[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        init_model: DormRanker | str | os.PathLike[str] | None = None,
    ) -> DormRanker:
        """Train.

        Parameters
        ----------
        X
            One row per document: numpy, scipy.sparse, pandas, polars, pyarrow, or a `RankingData` that holds the rest.
            float32 in C order and float32 CSR are read where they lie, without a copy, if the rows of each query
            stand together. A column ``"qid"`` of a data frame is taken for the query ids.
        y
            Label of every row; larger is better, 0 is not relevant.
        qid
            Query of every row: whole numbers, text or anything hashable but floats, in any order.
        group
            Instead: the sizes of consecutive queries.
        sample_weight
            Weights of the queries, or of the rows where constant within each query.
        eval_set, eval_qid, eval_group
            ``(X, y)`` or a `RankingData` to judge candidates by, never trained on, and its queries.
        feature_names
            Names of the columns, if X has none of its own.
        callbacks
            Function(s) called after every evaluation with a dict (bound, start, round, pass, primal, dual, gap,
            seconds, oracle_calls, planes, validation); a true result stops training and keeps the best model.
        init_model
            A fitted ranker or a model file whose weights the rounds begin at (instead of ``start``). It must have been
            trained with the same kind of scaling; features are matched by name.

        Ctrl-C stops training, warns, and keeps the best model so far: ``report_.status`` is then ``"interrupted"``.
        """
        X, y, qid, group, sample_weight, feature_names = _unfold(X, y, qid, group, sample_weight, feature_names)
        features = read_features(X)
        self._remember_features(features, feature_names)
        labels, queries, data = self._dataset(features, y, qid, group, sample_weight)
        if len(queries.sizes) == 1:
            raise ValueError(
                f"all {features.shape[0]} rows (samples) belong to one query; expected several: check that qid= holds "
                "the query of each row, or group= the sizes of the queries"
            )
        held_out = self._validation(eval_set, eval_qid, eval_group)
        measure = None
        if isinstance(self.measure, Measure):
            parts = [(queries.sorted(labels), queries)]
            if held_out is not None:
                parts.append((held_out[1].sorted(held_out[0]), held_out[1]))
            measure = self.measure._tabulate(*parts)
        model, report = _core.train(
            data,
            self._options(),
            None if held_out is None else held_out[2],
            combine(callbacks, Progress(self.verbose)),
            measure,
            _model_of(init_model),
        )
        self._adopt(model)
        self.report_ = TrainReport._of(report)
        self._warn()
        return self

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> np.ndarray:
        """The score of every row; larger is better. Scores are comparable within a query.

        ``qid`` or ``group`` is needed only where features are scaled within each query.
        """
        data, queries = self._prepared(X, qid, group)
        return queries.unsorted(self.model_.score(data, thread_count(self.n_jobs)))

    def rank(self, X: Any, qid: Any = None, *, group: Any = None) -> np.ndarray:
        """The position of every row in the ranking of its query, 1 for the best; equal scores in row order.

        >>> import dorm
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker().fit(data)
        >>> top = ranker.rank(data.X, data.qid) <= 3  # the three best of each query
        """
        X, _, qid, group, _, _ = _unfold(X, None, qid, group, None, None)
        features = read_features(X)
        queries = read_queries(features.qid if qid is None and group is None else qid, group, features.shape[0])
        scores = queries.sorted(self.predict(X, qid=qid, group=group))
        query = np.repeat(np.arange(len(queries.sizes)), queries.sizes)
        order = np.lexsort((np.arange(len(scores)), -scores, query))
        begin = np.repeat(np.cumsum(queries.sizes) - queries.sizes, queries.sizes)
        positions = np.empty(len(scores), dtype=np.int64)
        positions[order] = np.arange(len(scores)) - begin + 1
        return queries.unsorted(positions)

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, sample_weight: Any = None) -> float:
        """The mean over queries of the measure this ranker trains for."""
        X, y, qid, group, sample_weight, _ = _unfold(X, y, qid, group, sample_weight, None)
        if qid is None and group is None:
            qid = _frame_qid(X)
        result = evaluate(
            y,
            self.predict(X, qid=qid, group=group),
            qid=qid,
            group=group,
            measures=self.measure,
            sample_weight=sample_weight,
            convention=self.convention,
            bootstrap=0,
            n_jobs=self.n_jobs,
        )
        return result.measures[0].mean

    def explain(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """What each feature contributes to each score: a matrix like X whose rows sum to the scores.

        The model is linear in its scaled features, so this is exact. Sparse for sparse X without scaling.

        >>> import dorm, numpy as np
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker().fit(data)
        >>> np.allclose(ranker.explain(data).sum(axis=1), ranker.predict(data))
        True
        """
        data, queries = self._prepared(X, qid, group)
        if not data.dense and self.model_.scaling == "none":
            values = read_features(_unfold(X, None, None, None, None, None)[0]).values
            return sparse.csr_matrix(values, dtype=np.float64) @ sparse.diags(self.coef_)
        rows = self.model_.scaled_rows(data).reshape(data.num_documents, data.num_features)
        return queries.unsorted(rows * self.coef_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, as ``dorm train`` does; ``dorm rank`` and `load` read it."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormRanker:
        """A ranker from a model file of `save` or of the command; ``report_`` is not stored."""
        model = _core.Model.load(os.fspath(path))
        ranker = cls(measure=model.measure, convention=model.convention, C=model.C, scale=model.scaling)
        names = model.features
        ranker.n_features_in_ = len(names)
        if all(name.isdecimal() for name in names):
            ranker.n_features_in_ = max(model.num_features, len(names))
        else:
            ranker.feature_names_in_ = np.array(names, dtype=object)
        ranker._adopt(model)
        return ranker

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _options(self) -> _core.TrainOptions:
        options = _core.TrainOptions()
        fields = {
            "measure": (str, self.measure.name if isinstance(self.measure, Measure) else self.measure),
            "convention": (str, self.convention),
            "C": (float, self.C),
            "paper_C": (bool, self.paper_C),
            "decay": (str, self.decay),
            "bound": (str, self.bound),
            "start": (str, self.start),
            "rounds": (int, self.rounds),
            "scale": (str, self.scale),
            "solver": (str, self.solver),
            "tolerance": (float, self.tolerance),
            "max_passes": (int, self.max_passes),
            "seconds": (float, self.time_limit or 0.0),
            "patience": (int, self.early_stopping or 0),
        }
        for name, (kind, value) in fields.items():
            try:
                setattr(options, name, kind(value))
            except (TypeError, ValueError, OverflowError):
                raise ValueError(f"{name} is {value!r}; expected {_KINDS[kind]}") from None
        options.threads = thread_count(self.n_jobs)
        seed = self.random_state
        if isinstance(seed, (int, np.integer)) and not 0 <= seed < 2**64:
            raise ValueError(f"random_state is {seed}; expected a whole number from 0 on")
        options.seed = int(seed) if isinstance(seed, (int, np.integer)) else check_random_state(seed).randint(2**31)
        return options

    def _remember_features(self, features: Features, feature_names: Sequence[str] | None) -> None:
        names = features.names
        if feature_names is not None:
            given = list(feature_names)
            if len(given) != features.shape[1]:
                raise ValueError(f"{len(given)} feature_names for {features.shape[1]} columns of X")
            if not all(isinstance(name, str) for name in given) or len(set(given)) < len(given):
                raise ValueError("feature_names must be distinct texts")
            names = given
        self.n_features_in_ = features.shape[1]
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _names(self) -> list[str] | None:
        return list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None

    def _check_features(self, features: Features) -> None:
        fitted = self._names()
        if features.names is not None and fitted is not None and features.names != fitted:
            missing, extra = set(fitted) - set(features.names), set(features.names) - set(fitted)
            detail = "\n".join(
                [f"Feature names unseen at fit time:\n- {name}" for name in sorted(extra)[:5]]
                + [f"Feature names seen at fit time, yet now missing:\n- {name}" for name in sorted(missing)[:5]]
                or ["Feature names must be in the same order as they were in fit."]
            )
            raise ValueError(
                f"The feature names should match those that were passed during fit.\n{detail}\n"
                "Select the columns by name: X[list(ranker.feature_names_in_)]"
            )
        if features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {features.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input; pass the columns it was fitted on, in the same order"
            )

    def _dataset(
        self, features: Features, y: Any, qid: Any, group: Any, sample_weight: Any, prefix: str = ""
    ) -> tuple[np.ndarray, Queries, _core.Dataset]:
        rows = features.shape[0]
        labels = read_labels(y, rows)
        if features.qid is not None:
            if qid is not None or group is not None:
                raise ValueError(f'X has a column "qid", so {prefix}qid= and {prefix}group= must not be passed')
            qid = features.qid
        queries = read_queries(qid, group, rows, prefix)
        weights = read_weights(sample_weight, queries)
        return labels, queries, make_dataset(features, labels, queries, weights, self._names())

    def _validation(self, eval_set: Any, qid: Any, group: Any) -> tuple[np.ndarray, Queries, _core.Dataset] | None:
        if eval_set is None:
            if qid is not None or group is not None:
                raise ValueError("eval_qid or eval_group without eval_set; pass eval_set=(X, y)")
            if self.early_stopping:
                raise ValueError("early_stopping needs eval_set=(X, y) with eval_qid= or eval_group= to judge by")
            return None
        if isinstance(eval_set, list) and len(eval_set) == 1:
            eval_set = eval_set[0]
        if isinstance(eval_set, RankingData):
            eval_set, qid = (eval_set.X, eval_set.y), eval_set.qid if qid is None else qid
        if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2:
            raise ValueError("eval_set must be one pair (X, y), or a RankingData")
        features = read_features(eval_set[0])
        self._check_features(features)
        return self._dataset(features, eval_set[1], qid, group, None, "eval_")

    def _prepared(self, X: Any, qid: Any, group: Any) -> tuple[_core.Dataset, Queries]:
        check_is_fitted(self)
        X, _, qid, group, _, _ = _unfold(X, None, qid, group, None, None)
        features = read_features(X)
        self._check_features(features)
        rows = features.shape[0]
        queries = one_query(rows)
        if self.model_.scaled_per_query:
            if qid is None and group is None:
                qid = features.qid
            if qid is None and group is None:
                raise ValueError(
                    f"this model scales features within each query ({self.model_.scaling}), so the queries must be "
                    'known: pass qid= or group=, or fit with scale="none" or "zscore"'
                )
            queries = read_queries(qid, group, rows)
        return make_dataset(features, np.zeros(rows, np.float32), queries, names=self._names()), queries

    def _adopt(self, model: _core.Model) -> None:
        self.model_ = model
        weights = model.weights
        if len(weights) != self.n_features_in_:  # of very wide sparse data only columns in use have a weight
            used = np.array([int(name) - 1 for name in model.features])
            weights, compact = np.zeros(self.n_features_in_), weights
            weights[used] = compact
        self.coef_ = weights

    def _warn(self) -> None:
        for text in self.report_.warnings:
            warnings.warn(text, stacklevel=3)
        if self.report_.interrupted:
            warnings.warn("interrupted; the model is the best so far", stacklevel=3)
        elif self.report_.status == "pass_limit":
            gap = self.report_.certificate.gap
            warnings.warn(
                f"stopped after max_passes={self.max_passes} at a relative gap of {gap:.1e}; raise it or tolerance",
                ConvergenceWarning,
                stacklevel=3,
            )


_KINDS = {float: "a number", int: "a whole number", str: "a name", bool: "True or False"}


def _unfold(X: Any, y: Any, qid: Any, group: Any, weights: Any, names: Any) -> tuple[Any, ...]:
    """What a RankingData brings along, where the caller did not say otherwise."""
    if not isinstance(X, RankingData):
        return X, y, qid, group, weights, names
    if qid is None and group is None:
        qid = X.qid
    return (
        X.X,
        X.y if y is None else y,
        qid,
        group,
        X.sample_weight if weights is None else weights,
        X.feature_names if names is None else names,
    )


def _frame_qid(X: Any) -> Any:
    return read_features(X).qid if hasattr(X, "columns") else None


def _model_of(init_model: Any) -> _core.Model | None:
    if init_model is None or isinstance(init_model, _core.Model):
        return init_model
    if isinstance(init_model, DormRanker):
        check_is_fitted(init_model)
        return init_model.model_
    return _core.Model.load(os.fspath(init_model))
