# SPDX-License-Identifier: Apache-2.0
"""Training on a Dask cluster: ``from dorm.dask import DaskDormRanker``. It needs dask and distributed.

The driver keeps the solver. Rows are shuffled once, so that every shard of whole queries lies in one part; a pass is
one small request to every part and one small response per shard, through Dask's own tasks. There are no other
connections, and workers keep nothing that their rows do not tell: a lost part is made again and asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._cluster.dask_rows import (
    Cluster,
    Layout,
    Rows,
    da,
    dd,
    distributed,
    dorm_evaluate,
    read_rows,
    scored_by_query,
    scored_rows,
    survey,
)
from ._cluster.shards import merged, settled_labels
from ._evaluate import Evaluation, measures_asked, options_of
from ._input.features import Features
from ._input.missing import check_rule
from ._input.names import feature_names, remember_features
from ._measure import Measure
from ._options import initial_name, setting, train_options
from ._progress import Progress, watching
from ._rankers.ranker import DormRanker
from ._report import TrainReport

_EVALUATION_SHARDS = 1024  # only the parts that they lie in matter


class DaskDormRanker(DormRanker):
    """`DormRanker` with ``solver="shards"`` on a Dask cluster: the same model, byte for byte, as on one machine, on any
    number of workers and in any order of the rows.

    Parameters
    ----------
    measure : str, default="ndcg@10"
        The measure to train for, by name.
    solver : {"shards", "lbfgs"}, default="shards"
        The distributed solver.
    partitions : int or None, default=None
        Number of parts that the rows are shuffled into, each a task per pass. None: two per thread of the cluster.
    retries : int, default=3
        Number of retries of a task that fails. Tasks that Dask repeats after it lost a worker do not count.
    timeout : float, default=600.0
        Seconds without any progress after which `fit` raises an error that names the missing tasks.
    client : distributed.Client or None, default=None
        None: the client in use, ``distributed.get_client()``. Clones and pickles do not keep it.
    params
        All other parameters of `DormRanker`; ``solver_options={"shards": 64}`` sets the cutting planes per pass.
        Kernels, custom measures, initial models, limits on groups and ``missing="mean"`` are not distributed.

    Attributes
    ----------
    As of `DormRanker`; `to_local` gives one.

    Examples
    --------
    >>> from distributed import Client                                                # doctest: +SKIP
    >>> import dask.dataframe as dd                                                   # doctest: +SKIP
    >>> from dorm.dask import DaskDormRanker                                          # doctest: +SKIP
    >>> client = Client()                                                             # doctest: +SKIP
    >>> rows = dd.read_parquet("rows/")                                               # doctest: +SKIP
    >>> ranker = DaskDormRanker("ndcg@10", C=100).fit(rows, "label", qid="qid")       # doctest: +SKIP
    >>> scores = ranker.predict(rows)                                                 # doctest: +SKIP
    """

    def __init__(
        self,
        measure: str = "ndcg@10",
        *,
        solver: str = "shards",
        partitions: int | None = None,
        retries: int = 3,
        timeout: float = 600.0,
        client: distributed.Client | None = None,
        **params: Any,
    ) -> None:
        super().__init__(measure, solver=solver, **params)
        self.partitions = partitions
        self.retries = retries
        self.timeout = timeout
        self._client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted({*DormRanker._get_param_names(), "partitions", "retries", "timeout"})

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_client": None}

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        feature_names: Sequence[str] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> DaskDormRanker:
        """Train.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or dask.array.Array
            Rows of documents, or features with a row per document. The rows of a query may be in any partitions.
        y : str or dask.array.Array, default=None
            The column of labels, by default ``"label"``; with an array X, an array of labels.
        qid : str or dask.array.Array, default=None
            The column of query ids, by default ``"qid"``; with an array X, an array.
        sample_weight : str or dask.array.Array, default=None
            The column of weights of queries, constant within each query; with an array X, an array.
        eval_set : dask.dataframe.DataFrame or tuple (X, y), default=None
            Validation data: a data frame with the same columns, or a pair as above. ``early_stopping`` needs it.
        eval_qid : str or dask.array.Array, default=None
            The query ids of ``eval_set``; of a data frame, by default the column ``qid``.
        feature_names : sequence of str, default=None
            Columns of the data frame to learn from. None: all others.
        callbacks, progress
            As in `DormRanker.fit`. Tasks are named dorm-rows, dorm-part and dorm-response on the dashboard.

        Notes
        -----
        The first Ctrl-C raises KeyboardInterrupt at the end of the pass, the second one immediately. The ranker keeps
        the best model so far.
        """
        self._check_supported(eval_set)
        cluster = self._cluster()
        label, queries = _columns_of(X, y, qid)
        rows = read_rows(X, label, queries, sample_weight, feature_names)
        remember_features(self, Features(np.empty((0, len(rows.features)), np.float32), rows.names), None)
        shards, train = self._asker(cluster, rows, setting(self, "shards"))
        validation = None
        if eval_set is not None:
            validation_rows = self._validation_rows(eval_set, eval_qid, label, queries, sample_weight)
            validation = self._asker(cluster, validation_rows, shards)[1]
        options = train_options(self)
        options.shards = shards
        with watching(callbacks, Progress(self.verbose), progress) as callback, cluster.naming_workers():
            model, report = _core.train_shards(train, options, validation, callback)
        return self._finish_fit(model, report=TrainReport._of(report))

    def predict(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """The score of every row, in the order of the rows.

        Of a Dask data frame, a Dask series with its index, computed when asked for; of a Dask array, a Dask array,
        which begins to be computed. The data frame may have other columns. Where features are scaled within each query,
        ``qid`` (a column, by default ``"qid"``; with an array, an array) says which rows belong together, and rows
        travel to where their query is whole, and scores back. Other data is scored here, as `DormRanker` does.
        """
        if not isinstance(X, (dd.DataFrame, da.Array)):
            return super().predict(X, qid=qid, group=group)
        ranker, columns = self.to_local(), self._columns_in(X)
        if self.model_.scaled_per_query:
            scores = scored_by_query(read_rows(X, None, self._queries_of(X, qid), None, columns), ranker)
        else:
            scores = scored_rows(read_rows(X, None, None, None, columns), ranker)
        if isinstance(X, dd.DataFrame):
            return scores
        pieces = self._cluster().client.compute([piece.to_numpy() for piece in scores.to_delayed()])
        lengths = zip(pieces, X.chunks[0])
        return da.concatenate([da.from_delayed(piece, (rows,), np.float64) for piece, rows in lengths])

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        sample_weight: Any = None,
        measures: str | Sequence[str] | None = None,
        ties: str | None = None,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> Evaluation:
        """Measures over the queries with their intervals, as in ``dorm eval``; the workers evaluate the queries.

        Arguments as in `fit`; ``measures``: names, by default the one trained for.
        """
        rows = read_rows(X, *_columns_of(X, y, qid), sample_weight, self._columns_in(X))
        asked = measures_asked(measures, self.measure)
        cluster = self._cluster()
        layout = Layout(_EVALUATION_SHARDS, self.partitions, self._reading["missing"], "grade")
        settings = (self.convention, ties, confidence)
        parts = cluster.parts(rows, layout)
        judged = cluster.submit(dorm_evaluate, parts, model=self.model_, measures=asked, settings=settings)
        options = options_of(self.convention, ties, bootstrap, confidence, random_state, self.n_jobs)
        return merged(cluster.results(judged, "the evaluation"), options)

    def score(self, X: Any, y: Any = None, *, qid: Any = None, sample_weight: Any = None) -> float:
        """The mean over queries of the measure this ranker trains for. Arguments as in `fit`."""
        return self.evaluate(X, y, qid=qid, sample_weight=sample_weight, bootstrap=0).measures[0].mean

    def to_local(self) -> DormRanker:
        """The same ranker without Dask."""
        ours = ("partitions", "retries", "timeout")
        local = DormRanker(**{name: value for name, value in self.get_params(deep=False).items() if name not in ours})
        if hasattr(self, "model_"):
            for name in ("n_features_in_", "feature_names_in_", "report_"):
                if hasattr(self, name):
                    setattr(local, name, getattr(self, name))
            local._adopt(self.model_)
        return local

    def _cluster(self) -> Cluster:
        try:
            client = self._client or distributed.get_client()
        except ValueError:
            raise ValueError("there is no Dask client; make one: client = distributed.Client(...)") from None
        if client.asynchronous:
            raise ValueError("the Dask client is asynchronous; expected one that waits: distributed.Client(...)")
        return Cluster(client, self.retries, float(self.timeout))

    def _asker(self, cluster: Cluster, rows: Rows, shards: int) -> tuple[int, Callable[[bytes], list[bytes]]]:
        """How many shards there are (0: by the number of queries), and what asks them."""
        facts = survey(rows, cluster, count=not shards)
        shards = shards or _core.default_shards(facts.queries, len(rows.features))
        rule = settled_labels(setting(self, "unjudged"), facts.least, facts.fractions)
        layout = Layout(shards, self.partitions, check_rule(self.missing), rule)
        return shards, cluster.asker(cluster.parts(rows, layout))

    def _check_supported(self, eval_set: Any) -> None:
        if self.solver not in ("shards", "lbfgs"):
            raise ValueError(f'solver is {self.solver!r}; only "shards" and "lbfgs" are distributed')
        if self.bound == "given" and not setting(self, "given_ties"):
            raise ValueError(
                'bound="given" orders documents of equal label by their rows, and rows on a cluster have no order; '
                'name a feature that orders them: solver_options={"given_ties": "bm25"}'
            )
        if isinstance(self.measure, Measure):
            raise ValueError("a custom Measure is not distributed; pass the name of a measure")
        if not initial_name(self.initial):
            raise ValueError("an initial model is not distributed; pass the name of a method, such as 'ridge'")
        if self.kernel is not None or setting(self, "one_per"):
            raise ValueError("kernels and limits on groups (one_per) are not distributed; fit a DormRanker")
        if self.missing == "mean":
            raise ValueError('missing="mean" is not distributed; fill the columns beforehand, or pass missing="zero"')
        if self.early_stopping and eval_set is None:
            raise ValueError("early_stopping needs eval_set=, the validation data")

    def _columns_in(self, X: Any) -> list[Any] | None:
        """The columns of a data frame that were learnt from; None: all of an array."""
        check_is_fitted(self)
        if isinstance(X, dd.DataFrame):
            if feature_names(self) is None:
                raise ValueError("the ranker learnt from arrays, without names of features; expected a Dask array")
            return feature_names(self)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} columns; expected the {self.n_features_in_} that fit saw")
        return None

    def _queries_of(self, X: Any, qid: Any) -> Any:
        """The argument, or the column of that name."""
        if qid is None and not isinstance(X, dd.DataFrame):
            raise ValueError(
                f"this model scales features within each query ({self.model_.scaling}), so the queries must be known: "
                "pass qid="
            )
        return "qid" if qid is None else qid

    def _validation_rows(self, eval_set: Any, eval_qid: Any, label: Any, qid: Any, weight: Any) -> Rows:
        if isinstance(eval_set, dd.DataFrame):
            return read_rows(eval_set, label, qid if eval_qid is None else eval_qid, weight, feature_names(self))
        if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2:
            raise ValueError("eval_set must be a Dask data frame, or a pair (X, y) with eval_qid=")
        features, labels = eval_set
        if isinstance(features, dd.DataFrame):
            return read_rows(features, labels, qid if eval_qid is None else eval_qid, weight, feature_names(self))
        return read_rows(features, labels, eval_qid, None, None)


def _columns_of(X: Any, y: Any, qid: Any) -> tuple[Any, Any]:
    """The labels and query ids: of a data frame, by default the columns "label" and "qid"."""
    if isinstance(X, da.Array) and (y is None or qid is None):
        raise ValueError("with an array X, pass y= and qid=, arrays with an entry per row")
    if not isinstance(X, dd.DataFrame):
        return y, qid
    return "label" if y is None else y, "qid" if qid is None else qid
