# SPDX-License-Identifier: Apache-2.0
"""Training by questions to parts: the bytes of one process, whoever holds which rows, and errors that say why."""

import pickle

import numpy as np
import pytest

import dorm
from dorm import _core
from dorm._cluster.shards import Part, merged, settled_labels, shards_of
from dorm._evaluate import options_of
from dorm._options import train_options

SHARDS = 16


def ranker(**options):
    return dorm.DormRanker(
        "ndcg@5", C=10, bound="best", solver="shards", solver_options={"shards": SHARDS}, n_jobs=1, **options
    )


def parts_of(X, y, qid, count, seed=0, **more):
    """The rows, shuffled, as so many parts of whole shards."""
    rows = np.random.default_rng(seed).permutation(len(y))
    X, y, qid = X[rows], y[rows].astype(np.float32), qid[rows]
    holder = shards_of(qid, SHARDS) % count
    return [Part(X[holder == k], y[holder == k], qid[holder == k], SHARDS, **more) for k in range(count)]


def asker(parts):
    return lambda request: [response for part in parts for response in part.response(request)]


@pytest.fixture(scope="module")
def fitted(data):
    X, y, qid = data
    return ranker().fit(X, y, qid=qid)


@pytest.mark.parametrize("count", [1, 3, 20])
def test_same_bytes_whoever_holds_the_rows(data, fitted, count):
    parts = parts_of(*data, count, seed=count)
    model, report = _core.train_shards(asker(parts), train_options(ranker()))
    assert model.to_json() == fitted.model_.to_json()
    assert report["passes"] == fitted.report_.passes and not report["interrupted"]


def test_parts_can_be_made_again_at_any_time(data, fitted):
    parts = parts_of(*data, 2)

    def ask(request):
        parts[:] = [pickle.loads(pickle.dumps(part)) for part in reversed(parts)]
        return asker(parts)(request)

    model, _ = _core.train_shards(ask, train_options(ranker()))
    assert model.to_json() == fitted.model_.to_json()


def test_shard_of_a_query_is_told_by_the_text_of_its_id():
    numbers = shards_of(np.array([7, 7, 3, 12, 7]), 5)
    assert numbers.dtype == np.uint32
    assert numbers.tolist() == shards_of(["7", "7", "3", "12", "7"], 5).tolist()
    assert numbers.tolist() == [_core.shard_of([text], 5)[0] for text in ("7", "7", "3", "12", "7")]
    assert set(shards_of(np.arange(1000), 8).tolist()) == set(range(8))


def test_ids_of_one_text_are_refused():
    with pytest.raises(ValueError, match="the query ids 1 and '1' are the same text"):
        Part(np.ones((2, 1), np.float32), np.ones(2, np.float32), [1, "1"], 4)


def test_weights_and_document_ids(data):
    X, y, qid = data
    weights = 1.0 + qid % 3
    names = np.array([f"d{k % 50}" for k in range(len(y))])
    told = dorm.RankingData(X, y, qid, document_ids=list(names), sample_weight=weights)
    holder = shards_of(qid, SHARDS) % 2
    parts = [
        Part(X[m], y[m].astype(np.float32), qid[m], SHARDS, weights=weights[m], document_ids=names[m])
        for m in (holder == 0, holder == 1)
    ]
    model, _ = _core.train_shards(asker(parts), train_options(ranker()))
    assert model.to_json() == ranker().fit(told).model_.to_json()


def test_a_part_may_hold_nothing_but_queries_of_no_weight(data):
    X, y, qid = data
    weights = np.where(qid == qid[0], 0.5, np.where(qid == qid[-1], 2.0, 0.0))
    alone = ranker().fit(X, y, qid=qid, sample_weight=weights)
    holder = shards_of(qid, SHARDS)
    parts = [
        Part(X[own], y[own].astype(np.float32), qid[own], SHARDS, weights=weights[own])
        for own in (holder == k for k in range(SHARDS))
    ]
    model, _ = _core.train_shards(asker(parts), train_options(ranker()))
    assert model.to_json() == alone.model_.to_json()


def test_validation_and_callbacks(data):
    X, y, qid = data
    held_out = qid % 4 == 0
    train, judge = ((X[m], y[m], qid[m]) for m in (~held_out, held_out))
    local = ranker(early_stopping=2, tolerance=1e-4)
    local.fit(*train[:2], qid=train[2], eval_set=judge[:2], eval_qid=judge[2])
    told = []
    ask, judge_by = asker(parts_of(*train, 3)), asker(parts_of(*judge, 2))
    model, report = _core.train_shards(ask, train_options(local), judge_by, told.append)
    assert model.to_json() == local.model_.to_json()
    assert report["validation"] == local.report_.validation
    assert told and {"pass", "primal", "dual", "gap", "validation", "bound"} <= set(told[0])


def test_interrupt_ends_with_the_pass(data):
    ask, asked = asker(parts_of(*data, 2)), []

    def interrupted(request):
        asked.append(request)
        if len(asked) == 12:
            raise KeyboardInterrupt
        return ask(request)

    model, report = _core.train_shards(interrupted, train_options(ranker(tolerance=1e-9)))
    assert report["interrupted"] and asked[11] == asked[12]
    assert np.isfinite(model.weights).all()

    def impatient(request):
        asked.append(request)
        if len(asked) > 12:
            raise KeyboardInterrupt
        return ask(request)

    with pytest.raises(KeyboardInterrupt):
        _core.train_shards(impatient, train_options(ranker(tolerance=1e-9)))


def test_what_goes_wrong_is_told(data):
    ask = asker(parts_of(*data, 2))
    asked = []

    def lost(request):
        asked.append(request)
        if len(asked) > 3:
            raise OSError("the network is down")
        return ask(request)

    with pytest.raises(OSError, match="the network is down"):
        _core.train_shards(lost, train_options(ranker()))
    with pytest.raises(TypeError, match="responses that are not bytes"):
        _core.train_shards(lambda request: ["text"], train_options(ranker()))
    with pytest.raises(ValueError, match="asked twice"):
        _core.train_shards(lambda request: [b"garbage"], train_options(ranker()))
    with pytest.raises(ValueError):
        _core.answering_shard(b"garbage")
    answers = ask(asked[0])
    assert sorted(map(_core.answering_shard, answers)) == sorted(set(shards_of(data[2], SHARDS).tolist()))


def test_evaluation_is_that_of_all_rows(data, fitted):
    X, y, qid = data
    options = options_of("standard", None, 1000, 0.95, 0, 1)
    measures = ["ndcg@5", "map", "gmap"]
    judged = [part.evaluate(fitted.model_, measures, options) for part in parts_of(X, y, qid, 3)]
    together = merged([*judged, None], options)
    whole = dorm.evaluate(y, fitted.predict(X, qid=qid), qid=qid, measures=measures)
    assert together.to_dict() == pytest.approx(whole.to_dict(), rel=1e-14)
    order = np.argsort(np.array(list(map(str, whole.query_ids)), dtype=object))
    assert together.query_ids == [str(whole.query_ids[k]) for k in order]
    np.testing.assert_array_equal(together["map"].per_query, whole["map"].per_query[order])
    assert together["map"].low == pytest.approx(whole["map"].low, abs=0.02)


def test_meaning_of_negative_labels_is_told_by_all_of_them():
    assert settled_labels("auto", -1.0, False) == "bad"
    assert settled_labels("auto", -2.0, False) == settled_labels("auto", -1.0, True) == "grade"
    assert settled_labels("bad", -2.0, True) == "bad"
