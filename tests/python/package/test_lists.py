# SPDX-License-Identifier: Apache-2.0
"""Gains by position and topic budgets from Python: against enumeration, and against the command."""

import itertools
import json
import os
import subprocess

import numpy as np
import pytest

import dorm

COMMAND = os.environ.get("DORM_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")
GAINS = {0: [0.0, 0.0, 0.0], 1: [2.0, 1.0, 0.5], 2: [4.0, 2.0, 1.0], 3: [6.0, 3.0, 1.5], 4: [8.0, 1.0, 2.0]}
LIMITS = {"blue": 2, "red": 1}


def run(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def small():
    return dorm.synth(queries=14, features=4, documents_median=6, documents_min=5, documents_max=7, seed=2)


@pytest.fixture(scope="module")
def topics(small):
    return np.where(np.arange(len(small.y)) % 2, "red", "blue")


def queries_of(data):
    ends = np.cumsum(data.group)
    return [np.arange(end - size, end) for size, end in zip(data.group, ends)]


def test_a_list_by_position_is_the_best_assignment(small):
    ranker = dorm.PositionRanker(C=10, scale="none").fit(small, gains=GAINS)
    places = ranker.rank(small)
    X = np.asarray(small.X, dtype=np.float64)
    shared, decay = X @ ranker.coef_, ranker.model_.decay
    own = [X @ block for block in ranker.position_coef_]
    assert len(own) == 3 and len(decay) == 3
    for rows in queries_of(small):
        value = lambda chosen: sum(decay[j] * shared[d] + own[j][d] for j, d in enumerate(chosen))  # noqa: B023, E731
        best = max(value(chosen) for chosen in itertools.permutations(rows, 3))
        ours = sorted(rows, key=lambda d: places[d])[:3]
        assert value(ours) == pytest.approx(best, abs=1e-9)
    assert (ranker.predict(small) == -places).all()


def test_position_gain_is_that_of_enumeration(small):
    ranker = dorm.PositionRanker(C=10, one_function=True).fit(small, gains=GAINS)
    places = ranker.rank(small)
    values = []
    for rows in queries_of(small):
        gain = lambda chosen: sum(GAINS[int(small.y[d])][j] for j, d in enumerate(chosen))  # noqa: E731
        every = [gain(chosen) for chosen in itertools.permutations(rows, 3)]
        if max(every) == min(every):
            continue
        worst = min(0, min(every))
        values.append((gain(sorted(rows, key=lambda d: places[d])[:3]) - worst) / (max(every) - worst))
    assert ranker.score(small) == pytest.approx(np.mean(values), abs=1e-12)
    assert ranker.position_coef_ == []


def test_gains_come_in_many_forms(small):
    import pandas as pd

    wanted = dorm.PositionRanker(C=10).fit(small, gains=GAINS).coef_
    frame = pd.DataFrame(GAINS).T
    assert (dorm.PositionRanker(C=10).fit(small, gains=frame).coef_ == wanted).all()
    by_row = np.array([GAINS[int(label)] for label in small.y])
    single = dorm.PositionRanker(C=10).fit(small, gains=by_row)
    assert (single.coef_ == wanted).all()
    shuffled = np.random.default_rng(1).permutation(len(small.y))
    mixed = dorm.PositionRanker(C=10).fit(
        small.X[shuffled], small.y[shuffled], qid=small.qid[shuffled], gains=by_row[shuffled]
    )
    np.testing.assert_allclose(mixed.score(small, gains=by_row), single.score(small, gains=by_row), atol=0.2)
    with pytest.raises(ValueError, match="gains of single documents; pass gains="):
        single.score(small)
    with pytest.raises(ValueError, match="expected a row for each"):
        dorm.PositionRanker().fit(small, gains=by_row[:5])


def test_a_list_under_budgets_is_the_best_that_keeps_them(small, topics):
    ranker = dorm.TopicRanker("ndcg@3", C=10).fit(small, topics=topics, limits=LIMITS)
    places = ranker.rank(small, topics=topics, limits=LIMITS)
    scores = ranker.predict(small)
    discount = 1 / np.log2(np.arange(2, 5))
    for rows in queries_of(small):
        keeps = lambda chosen: (topics[list(chosen)] == "red").sum() == 1  # of three, at most two are blue  # noqa: E731
        value = lambda chosen: float(discount @ scores[list(chosen)])  # noqa: E731
        best = max(value(chosen) for chosen in itertools.permutations(rows, 3) if keeps(chosen))
        ours = sorted(rows[places[rows] > 0], key=lambda d: places[d])
        assert len(ours) == 3 and keeps(ours)
        assert value(ours) == pytest.approx(best, abs=1e-9)
    assert ranker.lists_["unproven"] == 0


def test_topics_come_in_many_forms(small, topics):
    import pandas as pd
    from scipy import sparse

    wanted = dorm.TopicRanker("ndcg@3", C=10).fit(small, topics=topics, limits=LIMITS)
    dummies = pd.get_dummies(topics).astype(float)
    by_frame = dorm.TopicRanker("ndcg@3", C=10).fit(small, topics=dummies, limits=pd.Series(LIMITS))
    by_array = dorm.TopicRanker("ndcg@3", C=10).fit(small, topics=sparse.csr_matrix(dummies.to_numpy()), limits=[2, 1])
    assert (by_frame.coef_ == wanted.coef_).all() and (by_array.coef_ == wanted.coef_).all()
    with pytest.raises(ValueError, match="'red' has no limit"):
        dorm.TopicRanker("ndcg@3").fit(small, topics=topics, limits={"blue": 1})
    with pytest.raises(ValueError, match="pass top="):
        dorm.TopicRanker("ndcg").fit(small, topics=topics, limits=LIMITS)


@needs_command
def test_the_command_trains_ranks_and_judges_alike(small, topics, tmp_path):
    data, gains = tmp_path / "data.csv", tmp_path / "gains.csv"
    named = dorm.RankingData(small.X, small.y, small.qid, document_ids=[f"d{i}" for i in range(len(small.y))])
    named.save(data)
    gains.write_text("label,1,2,3\n" + "".join(f"{k},{','.join(map(str, row))}\n" for k, row in GAINS.items()))
    run("train", data, "--position-gains", gains, "-C", 10, "--model", tmp_path / "p.json", "--quiet")
    read = dorm.read_csv(data)
    ranker = dorm.PositionRanker(C=10).fit(read, gains=str(gains))
    ranker.save(tmp_path / "own.json")
    assert (tmp_path / "own.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    again = dorm.PositionRanker.load(tmp_path / "p.json")
    assert (again.rank(read) == ranker.rank(read)).all()
    told = json.loads(run("eval", data, "--model", tmp_path / "p.json", "--measures", "position-gain", "--json"))
    assert "position-gain@3" in json.dumps(told)
    assert f"{ranker.score(read):.6f}"[:6] in json.dumps(told)

    weights, limits = tmp_path / "topics.csv", tmp_path / "limits.csv"
    weights.write_text("docid,topic,weight\n" + "".join(f"d{i},{t},1\n" for i, t in enumerate(topics)))
    limits.write_text("topic,limit\n" + "".join(f"{t},{n}\n" for t, n in LIMITS.items()))
    files = ["--topics", weights, "--limits", limits]
    run("train", data, *files, "--measure", "ndcg@3", "-C", 10, "--model", tmp_path / "t.json", "--quiet")
    kept = dorm.TopicRanker("ndcg@3", C=10).fit(read, topics=str(weights), limits=str(limits))
    assert (kept.coef_ == np.array(json.loads((tmp_path / "t.json").read_text())["weights"])).all()
    arrays = dorm.TopicRanker("ndcg@3", C=10).fit(read, topics=topics, limits=LIMITS)
    assert (arrays.coef_ == kept.coef_).all()
    loaded = dorm.TopicRanker.load(tmp_path / "t.json")
    places = loaded.rank(read, topics=topics, limits=LIMITS)
    order = run("rank", tmp_path / "t.json", data, *files, "--top", 3, "--format", "trec").splitlines()
    ours = {(str(q), f"d{i}"): p for i, (q, p) in enumerate(zip(read.qid, places)) if p > 0}
    assert ours == {(line.split()[0], line.split()[2]): int(line.split()[3]) for line in order}
    judged = json.loads(run("eval", data, "--model", tmp_path / "t.json", *files, "--measures", "ndcg@3", "--json"))
    mean = loaded.evaluate(read, topics=topics, limits=LIMITS).measures[0].mean
    assert f"{mean:.6f}"[:7] in json.dumps(judged)
