# SPDX-License-Identifier: Apache-2.0
"""dorm.spark: the bytes of one machine whatever the cluster does, rows that stay whole, models that are saved."""

import json
import os
import shutil
import signal
import sys

import numpy as np
import pytest
from small_rows import bytes_of, dorm_command

import dorm

pytest.importorskip("pyspark", reason="Spark is an extra: pip install pyspark")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java 17", allow_module_level=True)

import pyarrow as pa  # noqa: E402
import pyarrow.csv  # noqa: E402
from pyspark.ml import PipelineModel  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.ml.functions import vector_to_array  # noqa: E402
from pyspark.sql import SparkSession, functions  # noqa: E402

from dorm._cluster import spark_shards  # noqa: E402
from dorm.spark import SparkDormModel, SparkDormRanker  # noqa: E402

NAMES = [f"f{j}" for j in range(6)]
SETTINGS = {"C": 10.0, "bound": "best", "shards": 8, "tolerance": 1e-2}
LOCAL = {"C": 10.0, "bound": "best", "solver": "shards", "solver_options": {"shards": 8}, "tolerance": 1e-2}


def session(master):
    """Executors see the package that this process sees."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    package = os.path.dirname(os.path.dirname(dorm.__file__))
    builder = SparkSession.builder.master(master).appName("dorm").config("spark.ui.enabled", "false")
    settings = {
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.host": "127.0.0.1",
        "spark.executorEnv.PYTHONPATH": package,
        "spark.executor.memory": "512m",
        "spark.driver.memory": "512m",
        "spark.shuffle.io.maxRetries": "1",  # of rows that were on a lost executor
        "spark.shuffle.io.retryWait": "1s",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def rows():
    """60 queries with text for ids, one of them a third of all rows, in no order; label, weight and validation."""
    X, y, qid = dorm.synth(queries=60, features=len(NAMES), documents_median=8, seed=5, n_jobs=1)
    X, y, qid = (np.asarray(each) for each in (X, y, qid))
    giant = np.flatnonzero(qid == qid[0])
    more = np.resize(giant, len(y) // 2)
    rng = np.random.default_rng(2)
    X = np.concatenate([X, X[more] + rng.normal(scale=0.1, size=(len(more), X.shape[1]))]).astype(np.float32)
    y, qid = np.concatenate([y, y[more]]), np.concatenate([qid, qid[more]])
    order = rng.permutation(len(y))
    ids = np.array([f"query {q}/é" for q in qid[order]])
    held_out = qid[order] % 4 == 0
    columns = {name: X[order, j] for j, name in enumerate(NAMES)}
    columns |= {"label": y[order].astype(np.float64), "qid": ids, "weight": 1.0 + qid[order] % 3, "held_out": held_out}
    return pa.table(columns)


def matrix(table):
    return np.stack([table.column(name).to_numpy() for name in NAMES], axis=1)


def columns(table, *names):
    return [table.column(name).to_numpy(zero_copy_only=False) for name in names]


@pytest.fixture(scope="module")
def alone(rows, tmp_path_factory):
    """The model file of one process."""
    y, qid = columns(rows, "label", "qid")
    ranker = dorm.DormRanker(**LOCAL).fit(matrix(rows), y, qid=qid, feature_names=NAMES)
    return bytes_of(ranker, tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="class")
def spark(request):
    """As the class says; a process has one at a time."""
    spark = session(request.cls.MASTER)
    yield spark
    spark.stop()


@pytest.fixture(scope="class")
def df(spark, rows):
    return spark.createDataFrame(rows).cache()


@pytest.fixture(scope="class")
def assembled(df):
    return VectorAssembler(inputCols=NAMES, outputCol="features").transform(df)


@pytest.fixture(scope="class")
def model(assembled):
    return SparkDormRanker(**SETTINGS).fit(assembled)


class TestLocal:
    MASTER = "local[2]"

    def test_vectors_give_the_bytes_of_one_process(self, model, alone, tmp_path):
        assert bytes_of(model.to_local(), tmp_path) == alone
        assert model.report.status == "converged"

    def test_columns_in_another_order_of_rows_over_mostly_empty_partitions(self, df, alone, tmp_path):
        spread = df.orderBy(functions.rand(3)).repartition(5, functions.col("label"))
        ranker = SparkDormRanker(featureCols=NAMES, partitions=5, **SETTINGS)
        assert bytes_of(ranker.fit(spread).to_local(), tmp_path) == alone

    def test_files_that_are_gone_are_made_again(self, assembled, alone, tmp_path, monkeypatch):
        ask, removed = spark_shards.SparkShards._ask, []

        def remove_then_ask(shards, name, request):
            if shards._asked == 3:
                folders = [folder for folder, _ in shards._tokens.collect()]
                shutil.rmtree(folders[0])
                removed.append(folders[0])
            return ask(shards, name, request)

        monkeypatch.setattr(spark_shards.SparkShards, "_ask", remove_then_ask)
        model = SparkDormRanker(**SETTINGS).fit(assembled)
        assert removed
        assert bytes_of(model.to_local(), tmp_path) == alone
        assert not os.path.exists(removed[0])  # nothing is left behind

    def test_the_metric_of_training_is_that_of_the_command(self, rows, assembled, tmp_path):
        """Weights, early stopping: the bytes of one process; `dorm eval` of the model gives the same last digit."""
        y, qid, weight, held_out = columns(rows, "label", "qid", "weight", "held_out")
        X, settings = matrix(rows), {**SETTINGS, "early_stopping": 3}
        model = SparkDormRanker(weightCol="weight", validationIndicatorCol="held_out", **settings).fit(assembled)
        own = dorm.DormRanker(**LOCAL, early_stopping=3).fit(
            dorm.RankingData(X[~held_out], y[~held_out], qid[~held_out], weight[~held_out], NAMES),
            eval_set=dorm.RankingData(X[held_out], y[held_out], qid[held_out], weight[held_out], NAMES),
        )
        assert bytes_of(model.to_local(), tmp_path) == bytes_of(own, tmp_path)
        test = rows.filter(rows.column("held_out")).drop_columns("held_out")
        pa.csv.write_csv(test, tmp_path / "test.csv")
        files = [tmp_path / "test.csv", "--model", tmp_path / "model.json"]
        said = json.loads(dorm_command("eval", *files, "--measures", "ndcg@10", "--json"))
        judged = model.evaluate(assembled.where("held_out"))
        assert judged.measures[0].mean == model.report.validation == said["measures"]["ndcg@10"]["mean"]

    def test_arrays_give_features_without_names(self, assembled, rows, tmp_path):
        y, qid = columns(rows, "label", "qid")
        own = dorm.DormRanker(**LOCAL).fit(matrix(rows), y, qid=qid)
        df = assembled.withColumn("features", vector_to_array("features", "float32"))
        model = SparkDormRanker(**SETTINGS).fit(df)
        assert bytes_of(model.to_local(), tmp_path) == bytes_of(own, tmp_path)

    def test_evaluation_is_that_of_one_process(self, model, assembled, rows, tmp_path):
        judged = model.evaluate(assembled, ["ndcg@10", "map"])
        y, qid = columns(rows, "label", "qid")
        scores = model.to_local().predict(matrix(rows), qid=qid)
        order = np.lexsort((y, [q.encode() for q in qid]))
        plain = dorm.evaluate(y[order], scores[order], qid=qid[order], measures=["ndcg@10", "map"])
        assert judged.to_dict() == plain.to_dict()
        assert [(r.low, r.high, r.queries) for r in judged] == [(r.low, r.high, r.queries) for r in plain]

    def test_transform_keeps_all_rows_and_columns(self, model, assembled, rows):
        assert model.to_local().model_.scaled_per_query
        out = model.transform(assembled)
        assert out.columns == [*assembled.columns, "prediction"]
        table = out.toArrow()
        qid = columns(rows, "qid")[0]
        expected = np.asarray(model.to_local().predict(matrix(rows), qid=qid))

        def sorted_rows(of, scores):
            parts = [*matrix(of).T, scores]
            return [np.asarray(part)[np.lexsort(parts)] for part in parts]

        got = sorted_rows(table, table.column("prediction").to_numpy())
        for a, b in zip(got, sorted_rows(rows, expected)):
            np.testing.assert_allclose(a, b, rtol=1e-9)
        assert sorted(table.column("qid").to_pylist()) == sorted(qid.tolist())
        with pytest.raises(ValueError, match="has a column 'prediction' already"):
            model.transform(out)

    def test_queries_of_many_batches(self, spark, model, assembled, rows):
        """A query in several batches is scored as one."""
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "7")
        try:
            table = model.transform(assembled).toArrow()
        finally:
            spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
        expected = model.to_local().predict(matrix(rows), qid=columns(rows, "qid")[0])
        np.testing.assert_allclose(np.sort(table.column("prediction").to_numpy()), np.sort(expected), rtol=1e-9)

    def test_saves_and_loads(self, model, df, assembled, tmp_path):
        model.save(str(tmp_path / "model"))
        loaded = SparkDormModel.load(str(tmp_path / "model"))
        assert loaded.to_local().model_.to_json() == model.to_local().model_.to_json()
        assert loaded.uid == model.uid and loaded.getOrDefault("qidCol") == "qid"
        ranker = SparkDormRanker(C=7.0, bound="best", qidCol="q", featureCols=NAMES)
        ranker.save(str(tmp_path / "ranker"))
        again = SparkDormRanker.load(str(tmp_path / "ranker"))
        assert {p.name: v for p, v in again.extractParamMap().items()} == {
            p.name: v for p, v in ranker.extractParamMap().items()
        }
        assembler = VectorAssembler(inputCols=NAMES, outputCol="features")
        pipeline = PipelineModel([assembler, model])
        pipeline.save(str(tmp_path / "pipeline"))
        out = PipelineModel.load(str(tmp_path / "pipeline")).transform(df)
        assert out.count() == df.count() and out.columns[-1] == "prediction"

    def test_a_ranker_of_one_machine_scores_on_spark(self, df, rows):
        y, qid = columns(rows, "label", "qid")
        ranker = dorm.DormRanker(C=1.0, scale="zscore", n_jobs=1).fit(matrix(rows), y, qid=qid)
        out = SparkDormModel.from_local(ranker, featureCols=NAMES, predictionCol="score").transform(df)
        got = np.sort(out.toArrow().column("score").to_numpy())
        assert np.array_equal(got, np.sort(ranker.predict(matrix(rows))))

    @pytest.mark.parametrize(
        ("change", "settings", "message"),
        [
            (lambda df: df.drop("qid"), {}, "no column 'qid' .qidCol."),
            (lambda df: df.withColumn("qid", functions.lit(1.5)), {}, "'qid' .qidCol. is double"),
            (lambda df: df.withColumn("qid", functions.lit(1)), {}, "one query"),
            (lambda df: df.withColumn("f3", functions.lit(None).cast("double")), {}, "feature 'f3' is nan"),
            (lambda df: df.replace({0.0: None}, subset=["label"]), {}, "without a label"),
            (lambda df: df.limit(0), {}, "no rows"),
            (lambda df: df, {"missing": "mean"}, "Imputer"),
            (lambda df: df, {"bound": "given"}, "have no order"),
            (lambda df: df, {"measure": "nonsense"}, "unknown measure"),
            (lambda df: df, {"early_stopping": 3}, "validationIndicatorCol"),
        ],
    )
    def test_mistakes_are_named(self, df, change, settings, message):
        with pytest.raises(ValueError, match=message):
            SparkDormRanker(featureCols=NAMES, **settings).fit(change(df))

    def test_no_job_runs_for_ever(self, df):
        def slow(batches):
            import time

            time.sleep(60)
            yield from batches

        with pytest.raises(TimeoutError, match="not done after 1 s"):
            SparkDormRanker(featureCols=NAMES, timeout=1.0, **SETTINGS).fit(df.mapInArrow(slow, df.schema))

    def test_unknown_parameters_are_refused(self):
        with pytest.raises(TypeError, match="no parameter 'c'"):
            SparkDormRanker(c=1.0)


class TestCluster:
    """Two executors in processes of their own."""

    MASTER = "local-cluster[2,1,1024]"

    def test_a_killed_executor_changes_nothing(self, spark, rows, alone, tmp_path, monkeypatch):
        ask, killed = spark_shards.SparkShards._ask, []

        def executor_pid(_):  # the process of Java above the daemon above this one
            with open(f"/proc/{os.getppid()}/stat") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])

        def kill_then_ask(shards, name, request):
            if shards._asked == 4:
                killed.extend(shards._tokens.map(executor_pid).distinct().collect())
                os.kill(killed[0], signal.SIGKILL)
            return ask(shards, name, request)

        monkeypatch.setattr(spark_shards.SparkShards, "_ask", kill_then_ask)
        model = SparkDormRanker(featureCols=NAMES, **SETTINGS).fit(spark.createDataFrame(rows))
        assert len(killed) == 2  # executors that have rows; the first is dead
        assert bytes_of(model.to_local(), tmp_path) == alone
