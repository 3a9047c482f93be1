# SPDX-License-Identifier: Apache-2.0
"""DormRanker: the scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .. import _core
from .._estimator import FinishFit
from .._evaluate import evaluate
from .._input.columns import rules_of
from .._input.dataset import make_dataset
from .._input.inputs import Input, read_input
from .._input.missing import check_rule
from .._input.names import remember_features
from .._input.queries import Queries
from .._measure import Measure
from .._notebook import FittedView, ranker_html
from .._options import SOLVER_OPTIONS, initial_model, memory_bytes, setting, train_options
from .._pages import ReportData
from .._progress import Progress, watching
from .._report import TrainReport
from .._threads import thread_count
from .inputs import RankerInputs
from .inspection import Inspection
from .state import attributes_from, plain_state
from .stream import learn_from


class DormRanker(FinishFit, FittedView, Inspection, RankerInputs, BaseEstimator):
    """A ranker, linear or with a kernel, trained directly for the measure that evaluates it.

    Minimises ``1/2 |w|^2 + (C/m) sum_q H_q(w)``, where ``H_q`` is a bound on the loss of the measure in query ``q``, to
    a relative duality gap; `report_` holds the certificate. The same data and parameters give the same weights as the
    command ``dorm train`` and the C++ library, bit for bit, on any number of threads.

    Parameters
    ----------
    measure : str or Measure, default="ndcg@10"
        The measure to train for: a name such as ``"ndcg@10"``, ``"mrr"`` or ``"P@5"``, or a custom `dorm.Measure`.
    C : float, default=100.0
        Weight of the loss against ``1/2 |w|^2``, for features of unit mean squared row norm. The parameter to tune:
        10 to 1000.
    decay : str, default="measure"
        Position weights of the score of a ranking: ``"measure"``, ``"power:0.25"``, ``"measure+tail"``, ...
        (``dorm.catalog("decay")``).
    bound : {"auto", "best", "predicted", "average", "given"}, default="auto"
        The reference ranking of the bound. ``"auto"`` is ``"best"``, averaged with ``"predicted"`` where ``"best"``
        explains less than half of the risk of w = 0.
    initial : {"auto", "ridge", "pairwise"}, DormRanker, str or path, default="auto"
        The initial model, from which the first reference rankings are computed: a method that trains one, a fitted
        ranker or the path of a model file. A model must have the same kind of scaling; features are matched by name.
    scale : str, default="auto"
        Scaling of the features: ``"auto"`` (none when all features lie in [0, 1], else ``"log-query-zscore"``),
        ``"none"``, ``"zscore"``, ``"minmax"``, ``"log-zscore"``, ``"query-minmax"`` or ``"log-query-zscore"``. The last
        two use the documents of the query, so `predict` then needs the queries, too. Use ``"none"`` behind a scaler
        of a pipeline.
    missing : str, default="error"
        Replacement of NaN and infinite features: ``"error"``, ``"zero"``, ``"mean"`` (of the column in the training
        data), ``"query-min"`` (the smallest value of the query; for scores of retrievers) or ``"indicator"`` (the mean,
        beside a feature that says so; data frames only). By column: ``"mean,bm25=query-min"``. The model stores the
        rules and the means, and `predict` uses them again.
    encode : dict or str, default=None
        Columns of a data frame that hold no plain numbers: ``{"color": "onehot", "discount": "percent"}``, by the rules
        of docs/columns.md. Without a rule, categories of text are one-hot and dates are ages in days. The model stores
        the encoding.
    convention : str, default="standard"
        The definition of the measure, such as ``"trec"`` or ``"letor3"``; see `dorm.evaluate`.
    kernel : str, callable or None, default=None
        None: linear in the features. A text such as ``"rbf:gamma=median"``, ``"poly:degree=2"`` or a sum or product of
        kernels (docs/kernels.md); ``"precomputed"``: X is the Gram matrix, and at `predict` has one row per document
        and one column per training document; or a function of two float32 matrices that returns the matrix of kernel
        values. The core checks that a kernel is positive semidefinite.
    curves : int, str, dict or None, default=None
        A curve of that number of pieces for every feature, or for those of a dict: ``8``, ``{"price": 16}``;
        ``"steps:8"``: steps (docs/curves.md). None: lines.
    increasing : str or sequence, default=""
        Features with which no score falls, all else equal: names of columns, or their numbers from 0. A sign of their
        weights and curves, as a constraint of the problem.
    decreasing : str or sequence, default=""
        Features with which no score rises.
    monotonic_cst : dict, sequence or None, default=None
        The same as scikit-learn has it: 1 for an increasing feature, -1 for a decreasing one, 0 for the others, by
        name or by column.
    solver : str, default="bcda"
        ``"bcda"``, ``"nslack"``, ``"oneslack"``, ``"bcfw"``, ``"online"``, ``"fw"``, ``"lbfgs"`` or ``"shards"``, which
        gives the same bytes on many machines (docs/scale.md).
    tolerance : float, default=1e-3
        Relative duality gap at which the solver stops.
    early_stopping : int or None, default=None
        Consecutive evaluations without a better measure on ``eval_set`` after which a candidate stops; the best weights
        are kept. None: off.
    device : str, default="cpu"
        Compute device: ``"cpu"``, ``"cuda"`` (an NVIDIA GPU) or ``"cuda:1"``. Training on a GPU uses the solver
        ``"lbfgs"``, or computes the values of an exact kernel (docs/gpu.md). `predict`, `rank` and `score` use the
        device, too; it can be set on a ranker that was loaded.
    memory : int, str or None, default=None
        Limit on the memory: bytes, or text such as ``"4GB"``. `fit` keeps fewer cutting planes, scaled features and
        kernel values to stay below it; on a GPU it is a limit on the memory of the GPU. None: no limit.
    n_jobs : int or None, default=None
        Number of threads. None: 1 inside a joblib worker, else all cores within the limits set for OpenMP. -1: all
        cores. The model does not depend on it.
    random_state : int, RandomState or None, default=1
        Seed of the order of the queries.
    verbose : int, default=0
        1: a line of progress per second; 2: a line per evaluation.
    solver_options : dict or None, default=None
        Expert options, by name:

        - ``approximation`` : str, default="none"; features in place of the kernel, for data whose Gram matrix is too
          large: ``"nystroem:500"``, ``"fourier:1000"`` or ``"cholesky:500"``.
        - ``checkpoint`` : str or path, default=None; a file that stores the progress, and from which an interrupted
          training continues. It is removed when training is finished.
        - ``epsilon`` : float, default=0; with ``solver="nslack"``, the algorithm as printed in the paper, which stops
          when no constraint is violated by more than this. 0: stop by ``tolerance``.
        - ``given_ties`` : str, default=""; with ``bound="given"``, the name of a feature that orders documents of equal
          label, largest first. Empty: the order of the rows.
        - ``max_passes`` : int, default=1000; limit on the passes over the data per round.
        - ``non_negative`` : bool, default=False; all features that are not ``decreasing`` are ``increasing``.
        - ``one_per`` : str, default=""; train and rank under limits on groups: ``"group"``, ``"host"``, ``"domain"``,
          or ``"host:2"`` for at most two. The documents need groups, or ids that are URLs: pass a `RankingData`.
        - ``paper_C`` : bool, default=False; C as in the paper: multiplies the sum over queries, with unscaled features.
        - ``planes_per_block`` : int, default=50; cached cutting planes of a query beyond which idle ones are dropped.
        - ``rounds`` : int, default=0; rounds of the bounds ``"best"`` and ``"predicted"``. 0: the default of the bound.
        - ``shards`` : int, default=0; with ``solver="shards"`` or ``"lbfgs"``, the number of groups of queries;
          ``"shards"`` keeps a cutting plane per pass of each. 0: by the number of queries.
        - ``target`` : str, default=""; the tool that will evaluate the model, such as ``"solr"``
          (``dorm.catalog("target")``), or ``"any"``. ``scale="auto"`` then chooses a scaling that the tool supports,
          and options that it does not support are errors. Empty: `predict` evaluates the model.
        - ``time_limit`` : float, default=None; seconds after which the best model so far is kept.
        - ``unjudged`` : {"grade", "bad", "auto"}, default="auto"; the meaning of a negative label in `fit`: a grade
          worse than 0, or a document without a judgment, which counts as label 0. ``"auto"``: ``"bad"`` where labels
          are whole numbers and none is below -1, else ``"grade"``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Weights of the scaled features; linear models only. Computed on access: for very wide sparse X,
        ``model_.features`` and ``model_.weights`` hold only the columns that occur.
    feature_statistics_ : dict
        ``"minimum"``, ``"maximum"`` and ``"mean"`` of every column of the training data before scaling, each an ndarray
        of shape (n_features_in_,).
    model_ : Model
        The core's model.
    report_ : TrainReport
        Certificate, candidates, history and warnings of the training.
    n_features_in_ : int
        Number of columns of X in `fit`.
    feature_names_in_ : ndarray of str
        Names of the columns; only where they have names.

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

    _SOLVER_OPTIONS = tuple(SOLVER_OPTIONS)
    _FROM_AN_EARLIER_FIT = ("_stream", "_training", "report_")

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        *,
        C: float = 100.0,
        decay: str = "measure",
        bound: str = "auto",
        initial: Any = "auto",
        scale: str = "auto",
        missing: str = "error",
        encode: str | Mapping[str, str] | None = None,
        convention: str = "standard",
        kernel: str | Callable[[np.ndarray, np.ndarray], Any] | None = None,
        curves: int | str | Mapping[Any, int] | None = None,
        increasing: str | Sequence[Any] = "",
        decreasing: str | Sequence[Any] = "",
        monotonic_cst: Mapping[Any, int] | Sequence[int] | None = None,
        solver: str = "bcda",
        tolerance: float = 1e-3,
        early_stopping: int | None = None,
        device: str = "cpu",
        memory: int | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
        solver_options: Mapping[str, Any] | None = None,
    ) -> None:
        self.measure = measure
        self.C = C
        self.decay = decay
        self.bound = bound
        self.initial = initial
        self.scale = scale
        self.missing = missing
        self.encode = encode
        self.convention = convention
        self.kernel = kernel
        self.curves = curves
        self.increasing = increasing
        self.decreasing = decreasing
        self.monotonic_cst = monotonic_cst
        self.solver = solver
        self.tolerance = tolerance
        self.early_stopping = early_stopping
        self.device = device
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
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        feature_names: Sequence[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
        clicks: Any = None,
    ) -> DormRanker:
        """Train.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or RankingData
            One row per document: numpy, scipy.sparse, pandas, polars, pyarrow, or a `RankingData` that holds all the
            data. float32 in C order and float32 CSR are read in place, without a copy, if the rows of each query are
            consecutive. A column ``"qid"`` of a data frame is used as the query ids.
        y : array-like of shape (n_rows,), default=None
            Label of every row; larger is better, 0 is not relevant.
        qid : array-like of shape (n_rows,), default=None
            Query of every row: whole numbers, text or any hashable ids except floats, in any order.
        group : array-like of shape (n_queries,), default=None
            Instead of ``qid``: the sizes of consecutive queries.
        sample_weight : array-like, default=None
            Weights of the queries, or of the rows where constant within each query.
        eval_set : tuple (X, y) or RankingData, default=None
            Validation data, never trained on, which chooses among the candidates.
        eval_qid, eval_group : array-like, default=None
            The queries of ``eval_set``.
        feature_names : sequence of str, default=None
            Names of the columns, if X has none.
        callbacks : callable or sequence of callables, default=None
            Functions called after every evaluation with a dict (bound, start, round, pass, primal, dual, gap,
            seconds, oracle_calls, planes, validation); a true result stops training and keeps the best model.
        progress : bool, "tqdm" or callable, default=None
            True: a progress bar where tqdm is installed (a widget in a notebook), else a line per second. ``"tqdm"``: a
            progress bar. A function: one more callback.
        clicks : ClickGains, default=None
            The gains of `dorm.clicks.gains`: labels are taken from them, by query and document id, and X is a
            `RankingData`. The measure must then be linear in labels, such as ``"dcg@10:gain=linear"`` (docs/clicks.md).

        Returns
        -------
        self : DormRanker
            The fitted ranker.

        Notes
        -----
        Ctrl-C raises KeyboardInterrupt, so that a search over many fits ends, too. The ranker is then fitted with the
        best model so far, and ``report_.status`` is ``"interrupted"``. To stop one fit and continue the program, return
        True from a callback.
        """
        if clicks is not None:
            from ..clicks._gains import labelled_by_clicks

            X, y = labelled_by_clicks(X, y, clicks), None
        train, held_out = self._training_sets(
            X, y, qid, group, sample_weight, feature_names, eval_set, eval_qid, eval_group
        )
        sets = [train] if held_out is None else [train, held_out]
        measure = None
        if isinstance(self.measure, Measure):
            measure = self.measure._tabulate(*((each.sorted_labels, each.queries) for each in sets))
        with watching(callbacks, Progress(self.verbose), progress) as callback:
            model, report, training = _core.train(
                train.dataset,
                train_options(self),
                None if held_out is None else held_out.dataset,
                callback,
                measure,
                initial_model(self.initial),
                self._kernel_function(),
            )
        return self._finish_fit(model, report=TrainReport._of(report), _training=ReportData(training))

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        sample_weight: Any = None,
        feature_names: Sequence[str] | None = None,
    ) -> DormRanker:
        """Learn from more queries, once each in their order: for streams, and data larger than memory.

        Averaged subgradient steps on the same objective as `fit` with ``bound="best"`` (or ``"predicted"``), with a
        adaptive step length; a linear ranker. The first call starts from zero, or continues from an earlier `fit`
        or `load`. Scaling is limited to methods that need only one query: ``"none"``, ``"query-minmax"``,
        ``"log-query-zscore"``; the first call decides about ``"auto"``, and the scaling of an earlier `fit` stays. Pass
        whole queries. There is no certificate and no ``report_``; parameters of the batch solvers are not
        used. Arguments as in `fit`.

        >>> import dorm
        >>> X, y, qid = dorm.synth(queries=400, features=10, seed=1)
        >>> ranker = dorm.DormRanker("ndcg@10", C=100)
        >>> for first in (1, 101, 201):
        ...     chunk = (qid >= first) & (qid < first + 100)
        ...     ranker = ranker.partial_fit(X[chunk], y[chunk], qid=qid[chunk])
        >>> ranker.score(X[qid > 300], y[qid > 300], qid=qid[qid > 300])
        0.70...
        """
        if hasattr(self, "model_"):
            given = self._checked(X, qid, group, y, sample_weight)
        else:
            given = read_input(X, y, qid, group, sample_weight, feature_names, encode=self.encode)
            if given.features.encodings:
                raise ValueError(
                    "partial_fit cannot know the values and dates of later data; expected columns of numbers, or a "
                    "ranker that `fit` or `load` made with this encoding"
                )
            remember_features(self, given.features, given.names)
            if set(check_rule(self.missing).replace("=", ",").split(",")) & {"mean", "query-min", "indicator"}:
                raise ValueError('partial_fit cannot know the means of later data; pass missing="zero"')
            if self.missing != "error":
                given = given.filled(self.missing, self._names())
        model = learn_from(self, given)
        for name in ("report_", "_training"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self._adopt(model)
        return self

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> np.ndarray:
        """The score of every row; larger is better. Scores are comparable within a query.

        ``qid`` or ``group`` is needed only where features are scaled within each query.
        """
        return self._scores(self._checked(X, qid, group))

    def rank(self, X: Any, qid: Any = None, *, group: Any = None, one_per: str | None = None) -> np.ndarray:
        """The position of every row in the ranking of its query, 1 for the best; equal scores in row order.

        With limits on groups (``one_per=``, by default those of the training), rows whose group is full get 0: they are
        not shown. ``one_per=""`` ranks without limits.

        >>> import dorm
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker().fit(data)
        >>> top = ranker.rank(data.X, data.qid) <= 3  # the three best of each query
        """
        given = self._checked(X, qid, group)
        queries = given.queries()
        scores = queries.sorted(self._scores(given))
        limits = self.model_.one_per if one_per is None else one_per
        if limits:
            labels = np.zeros(given.rows, np.float32)
            data = make_dataset(given.features, labels, queries, names=self._names(), about=given.about)
            return queries.unsorted(_core.limited_places(data, np.ascontiguousarray(scores), limits))
        query = np.repeat(np.arange(len(queries.sizes)), queries.sizes)
        order = np.lexsort((-scores, query))  # stable: equal scores stay in row order
        begin = np.repeat(np.cumsum(queries.sizes) - queries.sizes, queries.sizes)
        positions = np.empty(len(scores), dtype=np.int64)
        positions[order] = np.arange(len(scores)) - begin + 1
        return queries.unsorted(positions)

    def score(self, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, sample_weight: Any = None) -> float:
        """The mean over queries of the measure this ranker trains for."""
        given = self._checked(X, qid, group, y, sample_weight)
        result = evaluate(
            given.y,
            self._scores(given),
            qid=given.qid,
            group=given.group,
            measures=self.measure,
            sample_weight=given.sample_weight,
            convention=self.convention,
            one_per=setting(self, "one_per"),
            groups=given.about.get("groups"),
            document_ids=given.about.get("document_ids"),
            bootstrap=0,
            n_jobs=self.n_jobs,
        )
        return result.measures[0].mean

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormRanker:
        """A ranker from a model file of `save` or of the command; ``report_`` is not stored."""
        model = _core.Model.load(os.fspath(path))
        if model.kind in ("trees", "sum"):
            raise ValueError(
                f"{os.fspath(path)} holds {model.kind}, not a ranker that DORM trains; load it by DormEnsemble.load"
            )
        ranker = cls(measure=model.measure, convention=model.convention, scale=model.scaling)
        ranker.set_params(missing=model.input["missing"], encode=rules_of(model.input["encodings"]))
        expert = {"one_per": model.one_per, "target": model.target}
        if model.bound != "none":  # a baseline of the command has no bound, nor the rest
            ranker.set_params(bound=model.bound, decay=model.decay, C=model.C, random_state=model.seed)
            if model.solver:  # a stream has none
                ranker.set_params(solver=model.solver, tolerance=model.tolerance)
        if model.kernel != "none":
            ranker.set_params(kernel=model.kernel)
            expert["approximation"] = model.approximation
        ranker.solver_options = {k: v for k, v in expert.items() if v != SOLVER_OPTIONS[k]} or None
        names = model.features
        ranker.n_features_in_ = len(names)
        if all(name.isdecimal() for name in names):
            ranker.n_features_in_ = max(model.num_features, len(names))
        if names != [str(j + 1) for j in range(len(names))] and len(names) == ranker.n_features_in_:
            ranker.feature_names_in_ = np.array(names, dtype=object)
        ranker._adopt(model)
        return ranker

    def __sklearn_clone__(self) -> DormRanker:
        """An initial model that is a fitted ranker stays as it is: a clone of it would not be fitted."""
        made = super().__sklearn_clone__()
        made.initial = self.initial
        return made

    def __getstate__(self) -> dict[str, Any]:
        return plain_state(super().__getstate__())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(attributes_from(state))
        if hasattr(self, "model_"):
            self._adopt(self.model_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags

    def _fitted_html(self) -> str:
        return ranker_html(self) if hasattr(self, "model_") else ""

    def _prepared(self, given: Input) -> tuple[_core.Dataset, Queries]:
        per_query = self.model_.scaled_per_query
        if per_query and not given.grouped:
            raise ValueError(
                f"this model scales features within each query ({self.model_.scaling}), so the queries must be known: "
                'pass qid= or group=, or fit with scale="none" or "zscore"'
            )
        return given.unlabelled(self._names(), per_query)

    def _scores(self, given: Input) -> np.ndarray:
        values = given.features.values
        small = values.shape[0] * values.shape[1] < _WORTH_THREADS
        on_rows = self.device == "cpu" and isinstance(values, np.ndarray) and getattr(self, "_takes_rows", False)
        if small and on_rows:
            scores = self.model_.score_rows(values)
            if scores is not None:
                return scores
        data, queries = self._prepared(given)
        threads = 1 if small else thread_count(self.n_jobs)
        kernel, memory = self._kernel_function(), memory_bytes(self.memory)
        return queries.unsorted(self.model_.score(data, threads, kernel, self.device, memory))

    def _kernel_function(self) -> _core.Kernel | None:
        if not callable(self.kernel):
            return None
        function = self.kernel

        def values(left: np.ndarray, right: np.ndarray) -> np.ndarray:
            return np.ascontiguousarray(np.atleast_2d(function(left, right)), dtype=np.float32)

        return _core.function_kernel(values, getattr(function, "__name__", "function"))

    def _adopt(self, model: _core.Model) -> None:
        self.model_ = model
        self._reading = model.input
        features, names = model.features, self._names()
        linear = model.kind == "linear" and model.scaling == "none" and len(features) == self.n_features_in_
        self._takes_rows = linear and features == (names or [str(j + 1) for j in range(len(features))])


_WORTH_THREADS = 1 << 20  # features to score
