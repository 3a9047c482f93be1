# SPDX-License-Identifier: Apache-2.0
"""DormRanker: the scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._dataset import make_dataset
from ._inputs import Input, read_input
from ._missing import check_rule
from ._names import check_features, remember_features
from ._notebook import FittedView, ranker_html
from ._options import train_options
from ._pages import ReportData, page_at
from ._progress import Progress, watching
from ._queries import Queries
from ._ranker_inputs import RankerInputs
from ._state import attributes_from, plain_state
from ._stream import learn_from
from ._threads import thread_count
from .evaluation import evaluate
from .explanation import Explanation, scaled_columns, spread_columns
from .exporting import ExportCheck, checked_export, write_export
from .measure import Measure
from .report import TrainReport


class DormRanker(FittedView, RankerInputs, BaseEstimator):
    """A ranker, linear or with a kernel, trained for the measure it is judged by.

    Minimises ``1/2 |w|^2 + (C/m) sum_q H_q(w)``, ``H_q`` a bound on the loss of the measure in query ``q``, to a
    relative duality gap; `report_` holds the certificate. The same data and parameters give the same weights as the
    command ``dorm train`` and the C++ library, bit for bit, whatever the number of threads.

    Parameters
    ----------
    measure
        What to train for: a name such as ``"ndcg@10"``, ``"mrr"``, ``"P@5"``, or a `Measure` of your own.
    C
        Weight of the loss against ``1/2 |w|^2``, for features of unit mean squared row norm. The parameter to tune:
        10 to 1000.
    decay
        Position weights of the score of a ranking: ``"measure"``, ``"power:0.25"``, ``"measure+tail"``, ...
    bound
        ``"auto"`` (``"best"``, averaged with ``"predicted"`` where it explains less than half of the risk of w = 0),
        ``"best"``, ``"predicted"``, ``"average"`` or ``"given"``.
    given_ties
        With ``bound="given"``: the name of a feature by which documents of equal label stand, largest first. Empty: in
        the order of the rows.
    scale
        ``"auto"`` (none when all features lie in [0, 1], else ``"log-query-zscore"``), ``"none"``, ``"zscore"``,
        ``"minmax"``, ``"log-zscore"``, ``"query-minmax"`` or ``"log-query-zscore"``. The last two use the documents
        of the query at hand, so `predict` then needs the queries, too. Use ``"none"`` behind a scaler of a pipeline.
    target
        The tool that is to evaluate the model, such as ``"solr"`` or ``"elasticsearch"`` (``dorm.catalog("target")``),
        or ``"any"``: ``scale="auto"`` then takes a scaling that it can evaluate, and what it cannot is refused. Empty:
        `predict` is enough.
    solver
        ``"bcda"``, ``"nslack"``, ``"oneslack"``, ``"bcfw"``, ``"online"``, ``"fw"``, ``"lbfgs"`` or ``"shards"``, which
        many machines run to the same bytes (docs/scale.md).
    shards
        With ``solver="shards"``: planes per pass, one for each group of queries. 0: by the number of queries.
    device, device_bytes
        What visits the documents: ``"cpu"``, ``"cuda"`` (a card of NVIDIA) or ``"cuda:1"``; a device is asked by the
        solver ``"lbfgs"``, or makes the values of an exact kernel (docs/gpu.md). `predict`, `rank` and `score` use it,
        too; set it on a ranker that was loaded. Most memory to take there; 0: what is free.
    tolerance
        Relative duality gap at which to stop.
    epsilon
        With ``solver="nslack"``: the algorithm as the paper prints it, until no constraint is violated by more than
        this. 0: until the gap is reached.
    max_passes
        Most passes over the data in a round.
    planes_per_block
        Cached planes of a query beyond which idle ones are dropped.
    time_limit
        Seconds after which the best model so far is kept.
    convention
        Whose definition of the measure; see `evaluate`.
    kernel
        None: linear in the features. A text such as ``"rbf:gamma=median"``, ``"poly:degree=2"`` or a sum or product of
        parts (docs/kernels.md); ``"precomputed"``: X is the Gram matrix, and at `predict` one row per document and one
        column per training document; or a function of two float32 matrices that returns the matrix of kernel values.
        The core checks that a kernel is positive semidefinite.
    approximation
        ``"none"``: exact; ``"nystroem:500"``, ``"fourier:1000"``, ``"cholesky:500"``: features of that number that
        stand in for the kernel, for data whose Gram matrix is too large.
    cache_bytes
        Most memory for rows of the Gram matrix of an exact kernel.
    start, rounds
        Where the rounds of the bounds ``"best"`` and ``"predicted"`` begin (``"auto"``, ``"ridge"``, ``"pairwise"``)
        and how many there are (0: as many as the bound needs).
    paper_C
        C as in the paper: multiplies the sum over queries, features as they are.
    unjudged
        What a negative label means to `fit`: ``"grade"`` (worse than 0), ``"bad"`` (not judged, as label 0) or
        ``"auto"`` (``"bad"`` where labels are whole numbers and none is below -1, else ``"grade"``).
    early_stopping
        Evaluations in a row without a better measure on ``eval_set`` after which a candidate is given up; the weights
        that did best are kept. None: off.
    missing
        What NaN and infinite features become: ``"error"``, ``"zero"``, or ``"mean"``: the mean of the column in the
        training data, which the model keeps and `predict` uses again.
    one_per
        Train and rank under limits on groups: ``"group"``, ``"host"``, ``"domain"``, or ``"host:2"`` for at most two.
        The documents must have groups or ids that are URLs: pass a `RankingData`. Empty: no limits.
    checkpoint
        A file to save progress to, and to go on from where it exists; it goes when training is finished.
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
        Weights of the scaled features; linear models only. Made when asked for: of very wide sparse X,
        ``model_.features`` and ``model_.weights`` hold the columns that occur alone.
    feature_statistics_ : dict
        ``"minimum"``, ``"maximum"`` and ``"mean"`` of every column of the training data before scaling, each an ndarray
        of shape (n_features_in_,). Not there for models of earlier versions, which do not know them.
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
        C: float = 100.0,
        decay: str = "measure",
        bound: str = "auto",
        given_ties: str = "",
        scale: str = "auto",
        target: str = "",
        solver: str = "bcda",
        shards: int = 0,
        device: str = "cpu",
        device_bytes: int = 0,
        tolerance: float = 1e-3,
        epsilon: float = 0.0,
        max_passes: int = 1000,
        planes_per_block: int = 50,
        time_limit: float | None = None,
        convention: str = "standard",
        start: str = "auto",
        rounds: int = 0,
        paper_C: bool = False,
        unjudged: str = "auto",
        kernel: str | Callable[[np.ndarray, np.ndarray], Any] | None = None,
        approximation: str = "none",
        cache_bytes: int = 2_000_000_000,
        early_stopping: int | None = None,
        missing: str = "error",
        one_per: str = "",
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.C = C
        self.decay = decay
        self.bound = bound
        self.given_ties = given_ties
        self.scale = scale
        self.target = target
        self.solver = solver
        self.shards = shards
        self.device = device
        self.device_bytes = device_bytes
        self.tolerance = tolerance
        self.epsilon = epsilon
        self.max_passes = max_passes
        self.planes_per_block = planes_per_block
        self.time_limit = time_limit
        self.convention = convention
        self.start = start
        self.rounds = rounds
        self.paper_C = paper_C
        self.unjudged = unjudged
        self.kernel = kernel
        self.approximation = approximation
        self.cache_bytes = cache_bytes
        self.early_stopping = early_stopping
        self.missing = missing
        self.one_per = one_per
        self.checkpoint = checkpoint
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
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
        clicks: Any = None,
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

        progress
            True: a bar where tqdm is installed (a widget in a notebook), else a line per second. ``"tqdm"``: a bar. A
            function: one more callback.
        clicks
            The gains of `dorm.clicks`: labels are taken from them, by query and document id, and X is a `RankingData`.
            The measure must then be linear in labels, such as ``"dcg@10:gain=linear"`` (docs/clicks.md).

        Ctrl-C raises KeyboardInterrupt, so that a search over many fits ends, too. The best model so far is kept all
        the same: the ranker is fitted, and ``report_.status`` is ``"interrupted"``. To stop a fit and go on with the
        program, let a callback return True.
        """
        if clicks is not None:
            from .clicking import labelled_by_clicks

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
                _model_of(init_model),
                self._kernel_function(),
            )
        self.__dict__.pop("_stream", None)  # of an earlier partial_fit
        self._adopt(model)
        self._training = ReportData(training)
        self.report_ = TrainReport._of(report)
        if self.report_.interrupted:
            raise KeyboardInterrupt("training was interrupted; the ranker keeps the best model so far")
        self._warn()
        return self

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
        """Learn from some more queries, once each in their order: for streams, and data too large to hold.

        Averaged subgradient steps on the same objective as `fit` with ``bound="best"`` (or ``"predicted"``), with a
        step length that sets itself; a linear ranker. The first call needs nothing, or goes on from an earlier `fit`
        or `load`. Scaling is limited to what a query alone decides: ``"none"``, ``"query-minmax"``,
        ``"log-query-zscore"``; ``"auto"`` is settled by the first call, and after `fit` its scaling stays. Whole
        queries must be passed. There is no certificate and no ``report_``; parameters of the batch solvers are not
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
        given = read_input(X, y, qid, group, sample_weight, feature_names)
        if hasattr(self, "model_"):
            check_features(self, given.features)
        else:
            remember_features(self, given.features, given.names)
        if self.missing == "mean":
            raise ValueError('partial_fit does not know the means of what is still to come; pass missing="zero"')
        if check_rule(self.missing) != "error":
            given = given.filled(self.missing, self._names())
        self._adopt(learn_from(self, given))
        for name in ("report_", "_training"):  # of an earlier fit
            self.__dict__.pop(name, None)
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
            one_per=self.one_per,
            groups=given.about.get("groups"),
            document_ids=given.about.get("document_ids"),
            bootstrap=0,
            n_jobs=self.n_jobs,
        )
        return result.measures[0].mean

    def explain(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """What each feature contributes to each score: an `Explanation`, an array like X whose rows sum to the scores.

        The model is linear in its scaled features, so this is exact. A plain sparse matrix for sparse X without
        scaling, and where few of many columns occur.

        >>> import dorm, numpy as np
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker().fit(data)
        >>> np.allclose(ranker.explain(data).sum(axis=1), ranker.predict(data))
        True
        """
        given = self._checked(X, qid, group)
        if self.model_.kernel != "none":
            raise ValueError("only a linear model has contributions of features; this one has a kernel")
        data, queries = self._prepared(given)
        columns, weights = self._weighted_columns()
        if not data.dense and self.model_.scaling == "none":
            from scipy import sparse

            return scaled_columns(sparse.csr_matrix(given.features.values, dtype=np.float64), columns, weights)
        parts = queries.unsorted(self.model_.scaled_rows(data).reshape(data.num_documents, len(weights)) * weights)
        if len(weights) != self.n_features_in_:
            return spread_columns(parts, columns, self.n_features_in_)
        return Explanation(parts, self._names() or [f"column {j}" for j in range(parts.shape[1])])

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
    ) -> Any:
        """Write a page about the model, as ``dorm train --report`` does, and return its path.

        Parameters
        ----------
        path
            ``.html`` (one file that needs nothing else), ``.md`` or ``.csv``. None: return a `Page`, which a notebook
            shows.
        X, y, qid, group
            Judged documents to tell about. None: those of `fit`, which the ranker remembers until it is pickled, with
            the report_data of the training; a loaded ranker needs them.

        >>> import dorm, pathlib, tempfile
        >>> ranker = dorm.DormRanker(C=10).fit(dorm.synth(queries=30, features=5, seed=1))
        >>> ranker.report(pathlib.Path(tempfile.mkdtemp()) / "m.html").name
        'm.html'
        """
        check_is_fitted(self)
        training = getattr(self, "_training", None)
        if X is not None:
            given = self._checked(X, qid, group, y)
            training = ReportData(_core.Training.of(self.model_, given.labelled(self._names(), self.unjudged).dataset))
        if training is None:
            raise ValueError("the training data is not known any more; pass X, y and qid= to tell about")
        return page_at(training.page("the training data" if X is None else "the data", "the validation data"), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, as ``dorm train`` does; ``dorm rank`` and `load` read it."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def export(
        self,
        to: str,
        path: str | os.PathLike[str] | None = None,
        *,
        features: str | os.PathLike[str] | None = None,
        name: str = "dorm",
        names: Mapping[str, str] | None = None,
        fold: bool = False,
        non_negative: bool = False,
    ) -> Any:
        """Write the model for a search engine or another tool, as ``dorm export`` does (docs/deploy.md).

        Parameters
        ----------
        to
            A name of ``dorm.catalog("target")``, such as ``"solr"``, ``"onnx"`` or ``"sql"``.
        path
            File to write, or folder for targets that are folders. None: return the text, or bytes.
        features
            File to write with what the target has to know of the features before it takes the model.
        name
            Of the model in the engine.
        names
            What the target calls the features, by feature; others keep their names.
        fold
            Fold the scaling into the weights also where the target has normalisers of its own.
        non_negative
            No negative score for features within their range in training.

        >>> import dorm
        >>> ranker = dorm.DormRanker(scale="none").fit(dorm.synth(queries=30, features=3, seed=1))
        >>> print(ranker.export("sql", names={"1": "bm25"}))
        (... * COALESCE("bm25", 0)...
        """
        check_is_fitted(self)
        return write_export(self.model_, to, path, features, name, names, fold, non_negative)

    def check_export(
        self,
        to: str,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        names: Mapping[str, str] | None = None,
        fold: bool = False,
        non_negative: bool = False,
    ) -> ExportCheck:
        """How scores and rankings of these documents, computed as the target computes them, differ from the ranker's.

        >>> import dorm
        >>> data = dorm.synth(queries=30, features=3, seed=1)
        >>> ranker = dorm.DormRanker(scale="zscore").fit(data)
        >>> ranker.check_export("sql", data).changed_queries
        0
        """
        return checked_export(self, to, self._checked(X, qid, group, y), names, fold, non_negative)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormRanker:
        """A ranker from a model file of `save` or of the command; ``report_`` is not stored."""
        model = _core.Model.load(os.fspath(path))
        if model.kind in ("trees", "sum"):
            raise ValueError(
                f"{os.fspath(path)} holds {model.kind}, not a ranker that DORM trains; load it by DormEnsemble.load"
            )
        ranker = cls(measure=model.measure, convention=model.convention, scale=model.scaling)
        ranker.set_params(one_per=model.one_per, target=model.target, missing=model.input["missing"])
        if model.bound != "none":  # a baseline of the command has no bound, nor the rest
            ranker.set_params(bound=model.bound, decay=model.decay, C=model.C, random_state=model.seed)
            if model.solver:  # a stream has none
                ranker.set_params(solver=model.solver, tolerance=model.tolerance)
        if model.kernel != "none":
            ranker.set_params(kernel=model.kernel, approximation=model.approximation)
        names = model.features
        ranker.n_features_in_ = len(names)
        if all(name.isdecimal() for name in names):
            ranker.n_features_in_ = max(model.num_features, len(names))
        if names != [str(j + 1) for j in range(len(names))] and len(names) == ranker.n_features_in_:
            ranker.feature_names_in_ = np.array(names, dtype=object)
        ranker._adopt(model)
        return ranker

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

    @property
    def coef_(self) -> np.ndarray:
        """The weights by column of X, made when asked for."""
        if not hasattr(self, "model_") or self.model_.kernel != "none":
            raise AttributeError("coef_ is there once a linear ranker is fitted")
        columns, weights = self._weighted_columns()
        return self._by_column(columns, weights)

    @property
    def intercept_(self) -> float:
        """0, where ``predict(X)`` is ``X @ coef_``: for a linear ranker without scaling, which is what tools such as
        SHAP's LinearExplainer look for. Elsewhere they take ``ranker.linear_form()``."""
        coefficients = self.coef_  # for its message where there are none
        if self.model_.scaling != "none":
            raise AttributeError(
                f"no intercept_: features are scaled ({self.model_.scaling}), so that scores are not X @ coef_; ask "
                "ranker.linear_form(), or ranker.explain(X), which is exact for every scaling"
            )
        return coefficients.dtype.type(0)

    def linear_form(self) -> tuple[np.ndarray, float]:
        """``(coef, intercept)`` of the features as they are: ``predict(X)`` is ``X @ coef + intercept``.

        For a linear ranker whose scaling folds into its weights: ``"none"``, ``"zscore"`` or ``"minmax"``. It is what
        SHAP's LinearExplainer takes as a model.

        >>> import dorm, numpy as np
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker(scale="zscore").fit(data)
        >>> coef, intercept = ranker.linear_form()
        >>> np.allclose(data.X @ coef + intercept, ranker.predict(data))
        True
        """
        check_is_fitted(self)
        model = self.model_
        if model.kernel != "none":
            raise ValueError(f"the model has a kernel ({model.kernel}), so that scores are not linear in X")
        if model.scaling not in ("none", "zscore", "minmax"):
            why = "depends on the other documents of the query" if model.scaled_per_query else "takes logarithms"
            raise ValueError(
                f"the model scales features by {model.scaling}, which {why}, so that scores are not linear in X; ask "
                'ranker.explain(X), which is exact, or fit with scale="zscore", "minmax" or "none"'
            )
        intercept = 0.0
        columns, weights = self._weighted_columns()
        if model.scaling != "none":
            weights = weights * model.factor
            intercept = -float(weights @ model.shift)
        return self._by_column(columns, weights), intercept

    @property
    def feature_statistics_(self) -> dict[str, np.ndarray]:
        """Minimum, maximum and mean of every column of the training data, before scaling."""
        statistics = self.model_.statistics if hasattr(self, "model_") else None
        if statistics is None:
            raise AttributeError("feature_statistics_ is there once a ranker is fitted; earlier versions kept none")
        columns = self._columns()
        return {name: self._by_column(columns, numbers) for name, numbers in statistics.items()}

    def _fitted_html(self) -> str:
        return ranker_html(self) if hasattr(self, "model_") else ""

    def _weighted_columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns of X that have a weight, and those; of wide sparse data only columns that occur have one."""
        return self._columns(), self.model_.weights

    def _columns(self) -> np.ndarray:
        """The column of X of each feature of the model."""
        features, names = self.model_.features, self._names()
        if len(features) == self.n_features_in_:
            return np.arange(len(features))
        column = {name: j for j, name in enumerate(names or [])}
        return np.array([column[name] if names else int(name) - 1 for name in features])

    def _by_column(self, columns: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Numbers of these columns of X among zeros."""
        spread = np.zeros(self.n_features_in_)
        spread[columns] = numbers
        return spread

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
        device = getattr(self, "device", "cpu")  # pickles of earlier versions name none
        on_rows = device == "cpu" and isinstance(values, np.ndarray) and getattr(self, "_takes_rows", False)
        if small and on_rows:
            scores = self.model_.score_rows(values)
            if scores is not None:
                return scores
        data, queries = self._prepared(given)
        threads = 1 if small else thread_count(self.n_jobs)
        kernel = self._kernel_function()
        memory = getattr(self, "device_bytes", 0)
        return queries.unsorted(self.model_.score(data, threads, kernel, device, memory))

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
        linear = model.kernel == "none" and model.scaling == "none" and len(features) == self.n_features_in_
        self._takes_rows = linear and features == (names or [str(j + 1) for j in range(len(features))])

    def _warn(self) -> None:
        for text in self.report_.warnings:
            warnings.warn(text, stacklevel=3)
        if self.report_.status == "pass_limit":
            gap = self.report_.certificate.gap
            warnings.warn(
                f"stopped after max_passes={self.max_passes} at a relative gap of {gap:.1e}; raise it or tolerance",
                ConvergenceWarning,
                stacklevel=3,
            )


_WORTH_THREADS = 1 << 20  # features to score


def train_baseline(
    method: str,
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    sample_weight: Any = None,
    feature_names: Sequence[str] | None = None,
    **parameters: Any,
) -> DormRanker:
    """A ranker by a method that DORM is compared with, as ``dorm train --method`` trains it.

    Parameters
    ----------
    method
        A name of ``dorm.catalog("method")``, such as ``"ridge"``, ``"ranksvm"`` or ``"feature:bm25"``, or
        ``"pairwise"``.
    X, y, qid, group, sample_weight, feature_names
        As for `DormRanker.fit`.
    parameters
        Of `DormRanker`: C, scale, tolerance, ...; the measure decides the sign of ``feature:NAME``.

    Examples
    --------
    >>> import dorm
    >>> ranker = dorm.train_baseline("ridge", dorm.synth(queries=50, features=3, seed=1))
    >>> ranker.model_.bound
    'none'
    """
    ranker = DormRanker(**parameters)
    train, _ = ranker._training_sets(X, y, qid, group, sample_weight, feature_names, None, None, None)
    ranker._adopt(_core.train_baseline(train.dataset, method, train_options(ranker)))
    return ranker


def _model_of(init_model: Any) -> _core.Model | None:
    if init_model is None or isinstance(init_model, _core.Model):
        return init_model
    if isinstance(init_model, DormRanker):
        check_is_fitted(init_model)
        return init_model.model_
    return _core.Model.load(os.fspath(init_model))
