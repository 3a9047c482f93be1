# SPDX-License-Identifier: Apache-2.0
"""Training on a Dask cluster: ``pip install "dorm-rank[dask]"``, then ``from dorm.dask import DaskDormRanker``.

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
from ._dask import (
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
from ._features import Features
from ._missing import check_rule
from ._names import feature_names, remember_features
from ._options import train_options
from ._progress import Progress, watching
from ._shards import merged, settled_labels
from .evaluation import Evaluation, measures_asked, options_of
from .measure import Measure
from .ranker import DormRanker
from .report import TrainReport

_EVALUATION_SHARDS = 1024  # only the parts that they lie in matter


class DaskDormRanker(DormRanker):
    """`DormRanker` with ``solver="shards"`` on a Dask cluster: the same model, byte for byte, as on one machine, on any
    number of workers and in any order of the rows.

    Parameters
    ----------
    measure
        What to train for, by name.
    shards
        Planes per pass, see `DormRanker`. 0: by the number of queries, which is then counted first.
    partitions
        Parts that the rows are shuffled into, each a task per pass. None: two per thread of the cluster.
    retries
        How often a part that fails is asked again; lost workers are Dask's own business, and do not count.
    timeout
        Seconds without any progress after which `fit` gives up and says what it waited for.
    client
        None: the client in use, ``distributed.get_client()``. Not a parameter that clones and pickles keep.
    params
        All others of `DormRanker`. Not distributed, and refused: kernels, measures of your own, limits on groups,
        ``missing="mean"``.

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
    >>> ranker = DaskDormRanker("ndcg@10", C=100).fit(rows, label="label", qid="qid") # doctest: +SKIP
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
        label: str = "label",
        qid: Any = "qid",
        features: Sequence[str] | None = None,
        weight: Any = None,
        validation: Any = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> DaskDormRanker:
        """Train.

        Parameters
        ----------
        X, y
            A Dask data frame; or a Dask array of features, a row per document, with ``y``, an array of labels.
        label, qid, weight
            Columns of the data frame: the label, the query, and a weight of queries, constant within each. With arrays,
            ``qid`` and ``weight`` are arrays. Queries may be spread over partitions in any way.
        features
            Columns of the data frame to learn from. None: all others.
        validation
            A data frame with the same columns, or ``(X, y, qid)``, to judge candidates by; `early_stopping` needs it.
        callbacks, progress
            As in `DormRanker.fit`. Tasks are named dorm-rows, dorm-part and dorm-response on the dashboard.

        Ctrl-C raises KeyboardInterrupt once the pass is over; a second one at once. The best model so far is kept.
        """
        self._check_supported(validation)
        cluster = self._cluster()
        rows = read_rows(X, y, label, qid, weight, features)
        remember_features(self, Features(np.empty((0, len(rows.features)), np.float32), rows.names), None)
        shards, train = self._asker(cluster, rows, self.shards)
        judge_by = None
        if validation is not None:
            judge_by = self._asker(cluster, self._validation_rows(validation, label, qid, weight), shards)[1]
        options = train_options(self)
        options.shards = shards
        with watching(callbacks, Progress(self.verbose), progress) as callback, cluster.naming_workers():
            model, report = _core.train_shards(train, options, judge_by, callback)
        self._adopt(model)
        self.report_ = TrainReport._of(report)
        if self.report_.interrupted:
            raise KeyboardInterrupt("training was interrupted; the ranker keeps the best model so far")
        self._warn()
        return self

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
            scores = scored_by_query(read_rows(X, None, None, self._queries_of(X, qid), None, columns), ranker)
        else:
            scores = scored_rows(read_rows(X, None, None, None, None, columns), ranker)
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
        label: str = "label",
        qid: Any = "qid",
        weight: Any = None,
        measures: str | Sequence[str] | None = None,
        ties: str | None = None,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> Evaluation:
        """Measures over the queries with their intervals, as ``dorm eval`` has them; each query is judged on a worker.

        Arguments as in `fit`; ``measures``: names, by default the one trained for.
        """
        rows = read_rows(X, y, label, qid, weight, self._columns_in(X))
        asked = measures_asked(measures, self.measure)
        cluster = self._cluster()
        layout = Layout(_EVALUATION_SHARDS, self.partitions, self._reading["missing"], "grade")
        settings = (self.convention, ties, confidence)
        parts = cluster.parts(rows, layout)
        judged = cluster.submit(dorm_evaluate, parts, model=self.model_, measures=asked, settings=settings)
        options = options_of(self.convention, ties, bootstrap, confidence, random_state, self.n_jobs)
        return merged(cluster.results(judged, "the evaluation"), options)

    def score(self, X: Any, y: Any = None, *, label: str = "label", qid: Any = "qid", weight: Any = None) -> float:
        """The mean over queries of the measure this ranker trains for. Arguments as in `fit`."""
        return self.evaluate(X, y, label=label, qid=qid, weight=weight, bootstrap=0).measures[0].mean

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
        rule = settled_labels(self.unjudged, facts.least, facts.fractions)
        layout = Layout(shards, self.partitions, check_rule(self.missing), rule)
        return shards, cluster.asker(cluster.parts(rows, layout))

    def _check_supported(self, validation: Any) -> None:
        if self.solver != "shards":
            raise ValueError(f'solver is {self.solver!r}; only "shards" is distributed')
        if isinstance(self.measure, Measure):
            raise ValueError("a Measure of your own is not distributed; pass the name of a measure")
        if self.kernel is not None or self.one_per:
            raise ValueError("kernels and limits on groups (one_per) are not distributed; fit a DormRanker")
        if self.missing == "mean":
            raise ValueError('missing="mean" is not distributed; fill the columns beforehand, or pass missing="zero"')
        if self.early_stopping and validation is None:
            raise ValueError("early_stopping needs validation= to judge by")

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

    def _validation_rows(self, validation: Any, label: str, qid: Any, weight: Any) -> Rows:
        if isinstance(validation, dd.DataFrame):
            return read_rows(validation, None, label, qid, weight, feature_names(self))
        if not isinstance(validation, (tuple, list)) or len(validation) != 3:
            raise ValueError("validation must be a Dask data frame, or (X, y, qid) of Dask arrays")
        features, labels, queries = validation
        return read_rows(features, labels, None, queries, None, None)
