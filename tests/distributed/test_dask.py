# SPDX-License-Identifier: Apache-2.0
"""dorm.dask: the bytes of one process on any number of workers, whatever happens to rows and workers on the way."""

import contextlib
import json
import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from small_rows import OPTIONS, bytes_of, dorm_command, here, make_rows, write_csv

pytest.importorskip("distributed", reason="Dask is an extra; make test-distributed")
pytest.importorskip("dask.dataframe", reason="Dask is an extra; make test-distributed")

import dask.array as da
import dask.dataframe as dd
import distributed
from sklearn.base import clone

import dorm
from dorm._cluster import dask_rows
from dorm._cluster.shards import Part
from dorm.dask import DaskDormRanker


@pytest.fixture(scope="module")
def cluster():
    settings = {"distributed.worker.daemon": False, "distributed.comm.timeouts.connect": "60s"}
    with dask_rows.dask.config.set(settings):
        made = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
        with distributed.Client(made):
            yield made
        # While it closes, a cluster looks up the name of every worker that leaves, and fails for those that it has
        # not yet listed: after tests that kill workers this depends on the clock, and says nothing about DORM.
        with contextlib.suppress(KeyError):
            made.close()


@pytest.fixture
def client(cluster):
    """Two processes."""
    return scaled(cluster, 2)


def scaled(cluster, workers):
    cluster.scale(workers)
    client = distributed.default_client()
    client.wait_for_workers(workers, timeout=60)
    return client


def fitted(frame, **options):
    arguments = {name: options.pop(name) for name in ("eval_set", "sample_weight", "callbacks") if name in options}
    return DaskDormRanker(n_jobs=1, timeout=60, **{**OPTIONS, **options}).fit(frame, **arguments)


def shuffled(rows, partitions, seed=1):
    return dd.from_pandas(rows.sample(frac=1, random_state=seed), npartitions=partitions, sort=False)


# ---- the same bytes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers(cluster, workers, rows, reference, tmp_path):
    scaled(cluster, workers)
    ranker = fitted(shuffled(rows, 3 + workers, seed=workers))
    assert bytes_of(ranker, tmp_path) == reference
    assert ranker.report_.status == "converged"


def test_shards_by_size(client, rows, tmp_path):
    assert bytes_of(fitted(shuffled(rows, 3), solver_options={"shards": 0}), tmp_path) == here(
        rows, tmp_path, solver_options={"shards": 0}
    )


def test_the_solver_lbfgs(client, rows, tmp_path):
    assert bytes_of(fitted(shuffled(rows, 3), solver="lbfgs"), tmp_path) == here(rows, tmp_path, solver="lbfgs")


def with_text_ids(rows):
    return rows.assign(qid=[f"query {q}" for q in rows.qid])


def with_a_giant_query(rows):
    return rows.assign(qid=rows.qid.where(rows.qid % 3 > 0, 3))


def with_weights(rows):
    return rows.assign(weight=1.0 + rows.qid % 4)


@pytest.mark.parametrize("change", [with_text_ids, with_a_giant_query, with_weights])
def test_any_rows(client, change, rows, tmp_path):
    rows = change(rows)
    weight = "weight" if "weight" in rows else None
    ranker = fitted(shuffled(rows, 4), sample_weight=weight)
    assert bytes_of(ranker, tmp_path) == here(rows, tmp_path)


def test_partitions_of_other_types_and_none(client, rows, reference, tmp_path):
    empty = rows.iloc[:0].astype(object)
    pieces = [empty, rows.iloc[5:].astype({"f0": np.float64, "qid": np.int32}), empty, rows.iloc[:5]]
    frame = dd.from_delayed([dask_rows.dask.delayed(piece) for piece in pieces], meta=rows.iloc[:0], verify_meta=False)
    assert bytes_of(fitted(frame), tmp_path) == reference


def test_arrays(client, rows, tmp_path):
    X, y, qid = rows.drop(columns=["label", "qid"]).to_numpy(np.float32), rows.label.to_numpy(), rows.qid.to_numpy()
    local = dorm.DormRanker(solver="shards", n_jobs=1, **OPTIONS).fit(X, y, qid=qid)
    ranker = DaskDormRanker(n_jobs=1, timeout=60, **OPTIONS)
    ranker.fit(da.from_array(X, chunks=(200, 4)), da.from_array(y, chunks=100), qid=da.from_array(qid, chunks=150))
    assert bytes_of(ranker, tmp_path) == bytes_of(local, tmp_path)
    scores = ranker.predict(da.from_array(X, chunks=(70, 3)), qid=da.from_array(qid, chunks=90))
    assert scores.shape == (len(X),)
    np.testing.assert_array_equal(scores.compute(), local.predict(X, qid=qid))


def test_unjudged_documents_are_told_by_all_labels(client, rows, tmp_path):
    """Whole numbers from -1 on mean not judged; in one partition alone, labels say something else."""
    rows = rows.assign(label=rows.label - (rows.label == 0) * (rows.f0 > rows.f0.median()))
    assert (rows.label == -1).any()
    for other in (rows, rows.assign(label=rows.label - 0.5 * (rows.index == 0))):
        frame = dd.from_pandas(other, npartitions=3, sort=False)
        assert bytes_of(fitted(frame), tmp_path) == here(other, tmp_path)


def test_missing_values_become_zero(client, rows, tmp_path):
    gaps = rows.assign(f1=rows.f1.where(rows.index % 7 > 0))
    ranker = fitted(shuffled(gaps, 3), missing="zero")
    assert bytes_of(ranker, tmp_path) == here(gaps, tmp_path, missing="zero")
    local = ranker.to_local().predict(gaps[ranker.feature_names_in_], qid=gaps.qid)
    np.testing.assert_array_equal(ranker.predict(dd.from_pandas(gaps, npartitions=2)).compute(), local)


# ---- validation ---------------------------------------------------------------------------------------------------


def test_validation_and_early_stopping(client, rows, tmp_path):
    other = make_rows(queries=40, seed=2)
    options = {"early_stopping": 2, "tolerance": 1e-4}
    told = []
    ranker = fitted(
        shuffled(rows, 3), eval_set=shuffled(other, 2), callbacks=lambda p: told.append(p["validation"]), **options
    )
    assert bytes_of(ranker, tmp_path) == here(rows, tmp_path, eval_set=other, **options)
    assert told and ranker.report_.validation == pytest.approx(max(told), abs=1e-15)


def test_figures_of_training_are_those_of_the_command(client, rows, tmp_path):
    """What xgboost#8608 is about: the measure in training, afterwards, and by the command on a file are one number."""
    other = make_rows(queries=40, seed=2)
    ranker = fitted(shuffled(rows, 3), eval_set=shuffled(other, 3))
    ranker.save(tmp_path / "model.json")
    write_csv(other, tmp_path / "other.csv")
    figures = ["--measures", "ndcg@5,map", "--bootstrap", 0]
    printed = dorm_command("--json", "eval", tmp_path / "other.csv", "--model", tmp_path / "model.json", *figures)
    by_command = {name: entry["mean"] for name, entry in json.loads(printed)["measures"].items()}
    evaluation = ranker.evaluate(shuffled(other, 4), measures=["ndcg@5", "map"])
    assert evaluation.to_dict() == by_command
    assert ranker.report_.validation == by_command["ndcg@5"]
    assert ranker.score(shuffled(other, 2)) == by_command["ndcg@5"]


# ---- faults -------------------------------------------------------------------------------------------------------


def test_killed_worker(client, rows, reference, tmp_path):
    killed = []

    def kill(progress):
        if progress["pass"] == 3 and not killed:
            held = {address: sum("dorm_part" in str(k) for k in keys) for address, keys in client.has_what().items()}
            address = max(held, key=held.get)
            assert held[address] > 0
            killed.append(client.run(os.getpid, workers=[address])[address])
            os.kill(killed[0], signal.SIGKILL)

    ranker = fitted(shuffled(rows, 3), callbacks=kill)
    assert killed
    assert bytes_of(ranker, tmp_path) == reference
    client.wait_for_workers(2, timeout=60)


@pytest.fixture
def one_worker(client):
    """Changes an attribute in one worker process, and back at the end."""
    address = sorted(client.scheduler_info()["workers"])[0]
    changed = []

    def change(owner, name, value):
        client.run(replace_attribute, owner, name, value, workers=[address])
        changed.append((owner, name))
        return address

    yield change
    for owner, name in changed:
        client.run(restore_attribute, owner, name, workers=[address])


def replace_attribute(owner, name, value):
    setattr(owner, f"kept_{name}", getattr(owner, name))
    setattr(owner, name, value)


def restore_attribute(owner, name):
    setattr(owner, name, getattr(owner, f"kept_{name}"))


def garbage(part, request, threads=1):
    return [b"nonsense"] * part.num_queries


def damaged(part, request, threads=1):
    """Right but for one bit of the last number."""
    return [each[:-20] + bytes([each[-20] ^ 1]) + each[-19:] for each in Part.kept_response(part, request)]


def of_another_question(part, request, threads=1):
    part.first = getattr(part, "first", None) or Part.kept_response(part, request)
    return part.first


@pytest.mark.parametrize("response", [garbage, damaged, of_another_question])
def test_worker_that_answers_wrongly(client, one_worker, response, rows):
    address = one_worker(Part, "response", response)
    with pytest.raises(ValueError, match=f"(?s)worker {address}.*asked twice"):
        fitted(shuffled(rows, 3))


def test_worker_of_another_version(client, one_worker, rows):
    address = one_worker(dask_rows, "__version__", "0.0.1")
    with pytest.raises(ValueError, match=f"worker {address} has dorm-rank 0.0.1, the driver {dorm.__version__}"):
        fitted(shuffled(rows, 3))


def test_no_workers_is_no_hang(rows):
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as empty:
        client = distributed.Client(empty, set_as_default=False)
        ranker = DaskDormRanker(client=client, timeout=1.0, **OPTIONS)
        with pytest.raises(TimeoutError, match="1 of 1 tasks are open on 0 workers"):
            ranker.fit(shuffled(rows, 2))
        client.close()


def test_interrupt_keeps_the_best_model(client, rows, monkeypatch):
    results, calls = dask_rows.Cluster.results, []

    def interrupted(self, futures, what):
        calls.append(what)
        if calls.count("responses") == 12:
            raise KeyboardInterrupt
        return results(self, futures, what)

    monkeypatch.setattr(dask_rows.Cluster, "results", interrupted)
    ranker = DaskDormRanker(n_jobs=1, timeout=60, **{**OPTIONS, "tolerance": 1e-9})
    with pytest.raises(KeyboardInterrupt, match="keeps the best model"):
        ranker.fit(shuffled(rows, 2))
    assert ranker.report_.status == "interrupted" and len(ranker.coef_) == 6


# ---- scores -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", ["none", "zscore", "log-query-zscore"])
def test_scores_stand_beside_their_rows(client, scale, rows):
    ranker = fitted(shuffled(rows, 3), scale=scale)
    frame = shuffled(rows, 5, seed=3)
    scores = ranker.predict(frame)
    order = frame.compute()
    assert scores.npartitions == frame.npartitions
    computed = scores.compute()
    pd.testing.assert_index_equal(computed.index, order.index)
    local = ranker.to_local().predict(order[ranker.feature_names_in_], qid=order.qid)
    np.testing.assert_array_equal(computed.to_numpy(), local)
    np.testing.assert_array_equal(ranker.predict(order[ranker.feature_names_in_], qid=order.qid), local)


# ---- an estimator -------------------------------------------------------------------------------------------------


def test_parameters(client, rows, tmp_path):
    ranker = DaskDormRanker("map", C=5, partitions=3, client=client)
    assert ranker.get_params()["C"] == 5 and ranker.get_params()["partitions"] == 3
    assert "client" not in ranker.get_params()
    other = clone(ranker).set_params(**{**OPTIONS, "timeout": 60})
    assert other.measure == "ndcg@5" and other.partitions == 3
    other.fit(shuffled(rows, 2))
    again = pickle.loads(pickle.dumps(other))
    local = again.to_local()
    assert type(local) is dorm.DormRanker and local.solver == "shards" and local.report_.passes > 0
    assert bytes_of(local, tmp_path) == bytes_of(other, tmp_path)
    np.testing.assert_array_equal(dorm.DormRanker.load(tmp_path / "model.json").coef_, other.coef_)


def test_runs_beside_another_fit(client, rows, reference, tmp_path):
    frame = shuffled(rows, 3)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(fitted, frame) for _ in range(2)]
        for number, each in enumerate(both):
            (tmp_path / str(number)).mkdir()
            assert bytes_of(each.result(timeout=120), tmp_path / str(number)) == reference


# ---- mistakes -----------------------------------------------------------------------------------------------------


def bad_rows(rows):
    """What is wrong, and what is to be said of it."""
    nan = rows.assign(f3=rows.f3.where(rows.index != 40))
    return {
        "partition 0: feature 'f3' is nan at row 40": nan,
        "partition 0: Input label contains NaN or infinity at row 7": rows.assign(
            label=rows.label.where(rows.index != 7)
        ),
        r"partition \d: column 'f2' of X .* cannot be read as numbers": rows.assign(f2="many"),
        r"partition \d: qid holds float64 numbers, which are no safe identifiers": rows.assign(qid=rows.qid + 0.5),
        "all rows belong to one query": rows.assign(qid=1),
        "X has no rows": rows.iloc[:0],
    }


@pytest.mark.parametrize("number", range(6))
def test_bad_rows(client, number, rows):
    said, frame = list(bad_rows(rows).items())[number]
    with pytest.raises(ValueError, match=f"(?s){said}"):
        fitted(dd.from_pandas(frame, npartitions=2, sort=False))


def test_bad_arguments(client, rows):
    frame = dd.from_pandas(rows, npartitions=2)
    cases = [
        ("y='grade' is no column of X; it has 'f0', 'f1'", lambda: DaskDormRanker().fit(frame, "grade")),
        ("X has no column 'f9'", lambda: DaskDormRanker().fit(frame, feature_names=["f0", "f9"])),
        ("X is a DataFrame; expected a Dask", lambda: DaskDormRanker().fit(rows)),
        ("y is a Series; with a data frame X, expected the name", lambda: DaskDormRanker().fit(frame, frame.label)),
        ("with an array X, pass y= and qid=", lambda: DaskDormRanker().fit(frame.to_dask_array(lengths=True))),
        ('only "shards" and "lbfgs" are distributed', lambda: DaskDormRanker(solver="bcda").fit(frame)),
        ("name a feature that orders them", lambda: DaskDormRanker(bound="given").fit(frame)),
        ("not distributed", lambda: DaskDormRanker(kernel="rbf").fit(frame)),
        ("not distributed", lambda: DaskDormRanker(missing="mean").fit(frame)),
        ("early_stopping needs eval_set=", lambda: DaskDormRanker(early_stopping=3).fit(frame)),
        ("eval_set must be a Dask data frame", lambda: DaskDormRanker().fit(frame, eval_set=rows)),
    ]
    for said, call in cases:
        with pytest.raises(ValueError, match=said):
            call()


def test_columns_that_a_partition_lacks(client, rows):
    pieces = [rows.iloc[:50], rows.iloc[50:].drop(columns="f4")]
    frame = dd.from_delayed([dask_rows.dask.delayed(piece) for piece in pieces], meta=rows.iloc[:0], verify_meta=False)
    with pytest.raises(ValueError, match="partition 1 of X has no column 'f4'; it has 'f0', 'f1', 'f2'"):
        fitted(frame)


def test_no_client_says_so(rows, monkeypatch):
    def absent():
        raise ValueError("No global client found")

    monkeypatch.setattr(distributed, "get_client", absent)
    with pytest.raises(ValueError, match="there is no Dask client; make one"):
        DaskDormRanker().fit(dd.from_pandas(rows, npartitions=1))
