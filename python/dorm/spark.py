# SPDX-License-Identifier: Apache-2.0
"""Training and ranking on Spark: an estimator and a model of pyspark.ml. It needs pyspark and pyarrow.

>>> from pyspark.sql import SparkSession  # doctest: +SKIP
>>> from dorm.spark import SparkDormRanker  # doctest: +SKIP
>>> df = SparkSession.builder.getOrCreate().read.parquet("train.parquet")  # doctest: +SKIP
>>> model = SparkDormRanker(measure="ndcg@10", C=100, qidCol="qid", featuresCol="features").fit(df)  # doctest: +SKIP
>>> model.transform(df).select("qid", "prediction").show()  # doctest: +SKIP

The model is the same, byte for byte, whatever the number of executors and partitions and the order of the rows:
``DormRanker(solver="shards")`` on one machine gives it, too. docs/scale.md tells how it works and what a lost executor
does.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

try:
    from pyspark import keyword_only
    from pyspark.ml import Estimator, Model
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import (
        HasFeaturesCol,
        HasLabelCol,
        HasPredictionCol,
        HasValidationIndicatorCol,
        HasWeightCol,
    )
    from pyspark.ml.util import (
        DefaultParamsReadable,
        DefaultParamsReader,
        DefaultParamsWritable,
        DefaultParamsWriter,
        MLReadable,
        MLReader,
        MLWritable,
        MLWriter,
    )
    from pyspark.sql import functions
    from pyspark.sql.types import DoubleType, StructField, StructType
except ImportError as error:
    raise ImportError(
        'dorm.spark needs pyspark 4 and pyarrow; install them with: pip install "pyspark>=4" pyarrow'
    ) from error

from . import _core
from ._cluster.shards import merged, settled_labels
from ._cluster.spark_columns import FeatureColumns, find_features, named, require_flag, require_number, require_query
from ._cluster.spark_scoring import Judge, Score, ranker_of
from ._cluster.spark_shards import (
    TRAIN,
    VALIDATION,
    Layout,
    SparkShards,
    limited,
    packed_rows,
    partition_keys,
)
from ._evaluate import Evaluation, measures_asked, options_of
from ._input.names import feature_names
from ._options import train_options
from ._progress import Progress, watching
from ._rankers.ranker import DormRanker
from ._report import TrainReport

_TEXT, _NUMBER, _WHOLE, _FLAG = (
    TypeConverters.toString,
    TypeConverters.toFloat,
    TypeConverters.toInt,
    TypeConverters.toBoolean,
)

# Those of DormRanker's solver_options: default, type, meaning.
_EXPERT: dict[str, tuple[Any, Any, str]] = {
    "max_passes": (1000, _WHOLE, "limit on the passes over the data per round"),
    "paper_C": (False, _FLAG, "C as in the paper: multiplies the sum over queries"),
    "rounds": (0, _WHOLE, "rounds of the bound; 0: the default of the bound"),
    "target": ("", _TEXT, "tool that will evaluate the model, such as solr; any: all of them"),
    "unjudged": ("auto", _TEXT, "meaning of a negative label: grade, bad or auto"),
}
# Parameters that go to DormRanker under the same name: default, type, meaning.
_LEARNING: dict[str, tuple[Any, Any, str]] = {
    "measure": ("ndcg@10", _TEXT, "what to train for: ndcg@10, mrr, P@5, ..."),
    "C": (100.0, _NUMBER, "weight of the loss against 1/2 |w|^2; 10 to 1000"),
    "decay": ("measure", _TEXT, "position weights of the score of a ranking"),
    "bound": ("auto", _TEXT, "auto, best, predicted or average"),
    "scale": ("auto", _TEXT, "scaling of the features"),
    "tolerance": (1e-3, _NUMBER, "relative duality gap at which to stop"),
    "convention": ("standard", _TEXT, "whose definition of the measure"),
    "initial": ("auto", _TEXT, "method that trains the initial model: auto, ridge or pairwise"),
    "missing": ("error", _TEXT, "what null, NaN and infinite features become: error or zero"),
    "verbose": (0, _WHOLE, "1: a line of progress per second; 2: a line per evaluation"),
}


class _Columns(HasLabelCol, HasFeaturesCol, HasWeightCol, HasPredictionCol, HasValidationIndicatorCol):
    """Where rows have what, and how long a job may take."""

    qidCol = Param(Params._dummy(), "qidCol", "column of query ids: whole numbers or text", _TEXT)
    featureCols = Param(
        Params._dummy(),
        "featureCols",
        "columns of one number each, instead of featuresCol",
        TypeConverters.toListString,
    )
    partitions = Param(Params._dummy(), "partitions", "tasks per pass; 0: what the cluster runs at once", _WHOLE)
    timeout = Param(Params._dummy(), "timeout", "seconds after which a job is cancelled", _NUMBER)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._setDefault(qidCol="qid", featureCols=[], partitions=0, timeout=3600.0)

    @property
    def _query(self) -> str:
        return self.getOrDefault(self.qidCol)

    @property
    def _limit(self) -> float:
        return self.getOrDefault(self.timeout)

    def _features(self, df: Any) -> FeatureColumns:
        with limited(df.sparkSession.sparkContext, "the features of a row are counted", self._limit):
            return find_features(df, self.getFeaturesCol(), self.getOrDefault(self.featureCols))

    def _optional(self, param: Param) -> str:
        return self.getOrDefault(param) if self.isDefined(param) else ""

    def _judged_columns(self, df: Any) -> dict[str, str]:
        """Those of labels, queries and weights, checked."""
        weight = self._optional(self.weightCol)
        require_query(df, self._query)
        require_number(df, self.getLabelCol(), "labelCol")
        if weight:
            require_number(df, weight, "weightCol")
        return {"label": self.getLabelCol(), "query": self._query, "weight": weight}

    def _keys(self, df: Any, most: int) -> tuple[int, ...]:
        tasks = self.getOrDefault(self.partitions) or df.sparkSession.sparkContext.defaultParallelism
        return partition_keys(df.sparkSession, max(1, min(tasks, most)))


class SparkDormRanker(_Columns, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """`DormRanker` as an estimator of pyspark.ml: trains on a data frame with one row per document.

    Rows are gathered by query once; after that, a pass over the data is one ordinary Spark job, whose tasks Spark
    retries and moves as usual.

    Parameters
    ----------
    measure, C, decay, bound, initial, scale, tolerance, convention, verbose
        As for `DormRanker`; the initial model is the name of a method.
    max_passes, paper_C, rounds, target, unjudged
        As the ``solver_options`` of `DormRanker`.
    missing : {"error", "zero"}, default="error"
        Replacement of null, NaN and infinite features; for means use `pyspark.ml.feature.Imputer` before.
    labelCol, qidCol, weightCol : str
        Columns of labels, query ids (whole numbers or text) and, optionally, weights of queries.
    featuresCol, featureCols : str, list of str
        A column of vectors or arrays, or a list of columns of one number each. Names of the features are those of the
        columns, or those that VectorAssembler stores in a column of vectors.
    validationIndicatorCol : str
        Optional: a boolean column. Rows with true are validation data, which choose among the candidates.
    early_stopping, time_limit, random_state
        As for `DormRanker`; 0: off, none.
    shards : int, default=0
        Cutting planes per pass. 0: by the number of queries. The model depends on it, and on nothing else of the
        cluster.
    partitions : int, default=0
        Tasks per pass. 0: the number that the cluster runs in parallel.
    timeout : float, default=3600.0
        Seconds after which a job of the training is cancelled and `fit` raises an error.

    Examples
    --------
    See docs/scale.md.
    """

    early_stopping = Param(Params._dummy(), "early_stopping", "evaluations without a better measure; 0: off", _WHOLE)
    time_limit = Param(Params._dummy(), "time_limit", "seconds after which the best model is kept; 0: none", _NUMBER)
    random_state = Param(Params._dummy(), "random_state", "seed", _WHOLE)
    shards = Param(Params._dummy(), "shards", "planes per pass; 0: by the number of queries", _WHOLE)

    @keyword_only
    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self._setDefault(early_stopping=0, time_limit=0.0, random_state=1, shards=0)
        self._setDefault(**{name: default for name, (default, _, _) in {**_LEARNING, **_EXPERT}.items()})
        self.setParams(**parameters)

    @keyword_only
    def setParams(self, **parameters: Any) -> SparkDormRanker:
        """Sets parameters by name."""
        unknown = [name for name in parameters if not self.hasParam(name)]
        if unknown:
            raise TypeError(f"SparkDormRanker has no parameter {unknown[0]!r}; it has {', '.join(self._names())}")
        return self._set(**parameters)

    def _names(self) -> list[str]:
        return [param.name for param in self.params]

    def fit(
        self,
        X: Any,
        params: Any = None,
        *,
        y: str | None = None,
        qid: str | None = None,
        sample_weight: str | None = None,
        eval_set: str | None = None,
    ) -> Any:
        """Train.

        Parameters
        ----------
        X : pyspark.sql.DataFrame
            One row per document.
        params : dict or list of dicts, default=None
            Parameters for this fit, as for every estimator of pyspark.ml.
        y, qid, sample_weight, eval_set : str, default=None
            Columns, instead of the parameters ``labelCol``, ``qidCol``, ``weightCol`` and ``validationIndicatorCol``.
        """
        columns = {"labelCol": y, "qidCol": qid, "weightCol": sample_weight, "validationIndicatorCol": eval_set}
        given = {name: column for name, column in columns.items() if column is not None}
        estimator = self.copy()._set(**given) if given else self
        return super(SparkDormRanker, estimator).fit(X, params)

    def _fit(self, df: Any) -> SparkDormModel:
        _refuse_connect(df)
        ranker = self._local()
        options = train_options(ranker)
        layout = self._layout(df)
        options.shards = layout.shards
        with contextlib.ExitStack() as stack:
            callback = stack.enter_context(watching(None, Progress(ranker.verbose)))
            shards = stack.enter_context(SparkShards(df, layout, self._limit))
            judge = shards.asker(VALIDATION) if layout.validation else None
            model, report = _core.train_shards(shards.asker(TRAIN), options, judge, callback)
        fitted = SparkDormModel(model.to_json(), TrainReport._of(report))
        if fitted.report.interrupted:
            raise KeyboardInterrupt("training was interrupted")
        for text in fitted.report.warnings:
            warnings.warn(text, stacklevel=3)
        return self._copyValues(fitted)

    def _local(self) -> DormRanker:
        """The parameters as those of a ranker of one machine, which checks them."""
        given = {name: self.getOrDefault(name) for name in _LEARNING}
        if given["missing"] not in ("error", "zero"):
            raise ValueError(
                f'missing is "{given["missing"]}"; expected "error" or "zero": put pyspark.ml.feature.Imputer before '
                "the ranker for means"
            )
        if given["bound"] == "given":
            raise ValueError(
                'bound is "given", which orders documents of equal label by their rows, and rows of a data frame '
                "have no order; expected auto, best, predicted or average"
            )
        expert = {name: self.getOrDefault(name) for name in [*_EXPERT, "shards"]}
        return DormRanker(
            **given,
            solver="shards",
            early_stopping=self.getOrDefault(self.early_stopping) or None,
            solver_options={**expert, "time_limit": self.getOrDefault(self.time_limit) or None},
            random_state=self.getOrDefault(self.random_state),
            n_jobs=1,
        )

    def _layout(self, df: Any) -> Layout:
        columns, features = self._judged_columns(df), self._features(df)
        validation = self._optional(self.validationIndicatorCol)
        if validation:
            require_flag(df, validation)
        elif self.getOrDefault(self.early_stopping):
            raise ValueError("early_stopping needs validationIndicatorCol, a column that says which rows to judge by")
        with limited(df.sparkSession.sparkContext, "a look at labels and query ids", self._limit):
            queries, rule = self._survey(df.where(~named(validation)) if validation else df)
            if queries < 2:
                what = "all rows belong to one query; expected several" if queries else "there are no rows to train on"
                raise ValueError(f"{what}: check qidCol and validationIndicatorCol")
            unjudged = {TRAIN: rule}
            if validation:
                unjudged[VALIDATION] = self._survey(df.where(named(validation)))[1]
            shards = self.getOrDefault(self.shards) or _core.default_shards(queries, features.width)
            keys = self._keys(df, shards)
        missing = self.getOrDefault(self.missing)
        return Layout(
            **columns,
            features=features,
            validation=validation,
            unjudged=unjudged,
            missing=missing,
            means=None,
            shards=shards,
            keys=keys,
        )

    def _survey(self, rows: Any) -> tuple[int, str]:
        """The number of queries, and what negative labels mean."""
        label = named(self.getLabelCol()).cast("double")
        broken = functions.max(functions.abs(label - functions.rint(label)))
        queries, least, fractions = rows.agg(
            functions.countDistinct(named(self._query)), functions.min(label), broken
        ).first()
        return queries, settled_labels(self.getOrDefault(self.unjudged), least or 0.0, bool(fractions))


for _name, (_default, _type, _doc) in {**_LEARNING, **_EXPERT}.items():
    setattr(SparkDormRanker, _name, Param(Params._dummy(), _name, _doc, _type))


class SparkDormModel(_Columns, Model, MLReadable, MLWritable):
    """A trained ranker that `transform` adds predictions with.

    Attributes
    ----------
    report
        The `TrainReport` of the training; None for a model that was loaded.
    """

    def __init__(self, json: str = "", report: TrainReport | None = None) -> None:
        super().__init__()
        self._json = json
        self.report = report

    @classmethod
    def from_local(cls, ranker: DormRanker, **columns: Any) -> SparkDormModel:
        """A model from a ranker that was trained on one machine; ``columns``: qidCol, featuresCol and the like."""
        return cls(ranker.model_.to_json(), getattr(ranker, "report_", None))._set(**columns)

    def to_local(self) -> DormRanker:
        """A ranker of one machine: for ``predict``, ``save`` as a model file, ``explain``."""
        ranker = ranker_of(self._json)
        if self.report is not None:
            ranker.report_ = self.report
        return ranker

    def _transform(self, df: Any) -> Any:
        """All rows and columns of ``df`` and a prediction, larger is better, comparable within a query.

        Where the model scales features within queries, rows are gathered by query first.
        """
        _refuse_connect(df)
        made = self.getPredictionCol()
        if made in df.columns:
            raise ValueError(f"the data frame has a column {made!r} already; set predictionCol to another name")
        ranker, query = self.to_local(), ""
        features = self._checked_features(df, ranker)
        if ranker.model_.scaled_per_query:
            query = self._query
            require_query(df, query)
            df = df.repartition(named(query)).sortWithinPartitions(named(query))
        schema = StructType([*df.schema.fields, StructField(made, DoubleType(), False)])
        return df.mapInArrow(Score(self._json, features, query, made), schema)

    def _checked_features(self, df: Any, ranker: DormRanker) -> FeatureColumns:
        """Under the names of the model; rows without names are taken to have them in the same order."""
        features, fitted = self._features(df), feature_names(ranker)
        if features.names and fitted and features.names != fitted:
            strange = [name for name in features.names if name not in fitted]
            what = f"{strange[0]!r} is none of the model's" if strange else "they are fewer, or stand in another order"
            raise ValueError(f"the features of the data frame are not those of the training: {what}")
        if features.width != ranker.n_features_in_:
            raise ValueError(f"rows have {features.width} features, but the model has {ranker.n_features_in_}")
        return replace(features, names=fitted)

    def evaluate(
        self,
        df: Any,
        measures: str | Sequence[str] | None = None,
        *,
        ties: str | None = None,
        bootstrap: int = 1000,
        confidence: float = 0.95,
        random_state: int = 0,
    ) -> Evaluation:
        """Measures over the queries with their intervals, as ``dorm eval`` has them; queries are judged on executors.

        ``measures``: names, by default the one trained for; the others as for `dorm.evaluate`.
        """
        _refuse_connect(df)
        ranker = self.to_local()
        asked = measures_asked(measures, ranker.measure)
        context = df.sparkSession.sparkContext
        with limited(context, "the evaluation", self._limit):
            keys = self._keys(df, 1 << 16)
        layout = Layout(
            **self._judged_columns(df),
            features=self._checked_features(df, ranker),
            validation="",
            unjudged={TRAIN: "grade"},
            missing=ranker._reading["missing"],
            means=ranker._reading["means"],
            shards=64 * len(keys),
            keys=keys,
        )
        task = Judge(self._json, layout, asked, (ranker.convention, ties, 0, confidence, random_state, 1))
        with limited(context, "the evaluation", self._limit):
            rows = packed_rows(df, layout).mapInArrow(task, "judged binary").collect()
        judged = [pickle.loads(row.judged) for row in rows]
        for each in judged:
            if isinstance(each, str):
                raise ValueError(each)
        return merged(judged, options_of(ranker.convention, ties, bootstrap, confidence, random_state, 1))

    def write(self) -> MLWriter:
        """For `save`."""
        return _ModelWriter(self)

    @classmethod
    def read(cls) -> MLReader:
        """For `load`."""
        return _ModelReader(cls)


class _ModelWriter(MLWriter):
    def __init__(self, model: SparkDormModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self._model, path, self.sparkSession)
        frame = self.sparkSession.createDataFrame([(self._model._json,)], "model string")
        frame.coalesce(1).write.parquet(os.path.join(path, "model"))


class _ModelReader(MLReader):
    def __init__(self, kind: type[SparkDormModel]) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> SparkDormModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        model = self._kind(self.sparkSession.read.parquet(os.path.join(path, "model")).first()[0])
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


def _refuse_connect(df: Any) -> None:
    if type(df).__module__.startswith("pyspark.sql.connect"):
        raise TypeError("dorm.spark needs a classic Spark session; a Spark Connect session has no jobs of its own")
