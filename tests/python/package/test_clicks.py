# SPDX-License-Identifier: Apache-2.0
"""Click logs in Python: the same as the command, and rankers that are trained on them."""

import os
import subprocess

import numpy as np
import pytest

import dorm

COMMAND = os.environ.get("DORM_COMMAND")


@pytest.fixture(scope="module")
def judged():
    return dorm.synth(queries=60, features=6, documents_median=12, seed=4)


@pytest.fixture(scope="module")
def log(judged):
    return dorm.clicks.simulate(judged, sessions=40, rankers=2, seed=9)


def test_gains_are_means_of_clicks_over_propensity(judged, log):
    gains = dorm.clicks.gains(log, propensities=log.propensities, clip=0.2)
    table = log.columns()
    for query, document, gain in list(zip(gains.qid, gains.docid, gains.gain))[::17]:
        own = (table["qid"].astype(str) == query) & (table["docid"] == document)
        pages = len(np.unique(table["session"][table["qid"].astype(str) == query]))
        weights = np.minimum(table["position"][own], 5)
        assert gain == pytest.approx((table["click"][own] * weights).sum() / pages)
    assert gains.clicks == table["click"].sum()


def test_files_tables_and_logs_say_the_same(judged, log, tmp_path):
    table = log.columns()
    path = tmp_path / "log.csv"
    rows = zip(*(table[name] for name in ("session", "qid", "docid", "position", "click")))
    path.write_text("session,qid,docid,position,click\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    propensities = {position: 1 / position for position in range(1, 11)}
    expected = dorm.clicks.gains(log, propensities=propensities)
    for other in (path, table):
        for chance in (propensities, [1 / k for k in range(1, 11)], log.propensities):
            found = dorm.clicks.gains(other, propensities=chance)
            assert dict(zip(zip(found.qid, found.docid), found.gain)) == pytest.approx(
                dict(zip(zip(expected.qid, expected.docid), expected.gain))
            )


@pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")
def test_the_simulator_is_that_of_the_command(judged, log, tmp_path):
    run = [COMMAND, "synth", "--queries", 60, "--features", 6, "--documents-median", 12, "--seed", 4]
    subprocess.run([*map(str, run), "-o", tmp_path / "data.csv"], check=True)
    users = [
        COMMAND,
        "clicks",
        "simulate",
        tmp_path / "data.csv",
        "--click-model",
        "pbm",
        "--sessions",
        40,
        "--rankers",
        2,
    ]
    subprocess.run([*map(str, users), "--seed", "9", "-o", tmp_path / "log.csv"], check=True)
    lines = (tmp_path / "log.csv").read_text().splitlines()[1:]
    theirs = [line.split(",")[1:5] for line in lines]
    table = log.columns()
    ours = [list(map(str, row)) for row in zip(table["qid"], table["docid"], table["position"], table["click"])]
    assert theirs == ours


def test_a_ranker_learns_from_clicks(judged, log):
    gains = dorm.clicks.gains(log, propensities=log.propensities)
    measure = "dcg@10:gain=linear"
    fitted = dorm.DormRanker(measure, C=10).fit(judged, clicks=gains)
    joined = gains.join(judged)
    again = dorm.DormRanker(measure, C=10).fit(joined.data)
    np.testing.assert_array_equal(fitted.coef_, again.coef_)
    assert joined.never_shown > 0
    assert joined.data.y.min() >= 0
    with pytest.raises(ValueError, match="gains estimated from clicks"):
        dorm.DormRanker("ndcg@10").fit(judged, clicks=gains)


def test_pages_are_lists_of_their_own(judged, log):
    pages = dorm.clicks.gains(log, judged, pool="session")
    assert len(pages.data.group) == len(np.unique(log.session))
    assert pages.data.y.sum() == log.clicks.sum()


def test_mistakes_are_said(judged, log):
    with pytest.raises(ValueError, match="expected what dorm.clicks.gains"):
        dorm.DormRanker("dcg@10:gain=linear").fit(judged, clicks=log)
    with pytest.raises(ValueError, match="no column 'click'"):
        dorm.clicks.gains({"qid": [1], "docid": [2], "position": [1]})
    with pytest.raises(ValueError, match="row 1 of the log, position"):
        dorm.clicks.gains({"qid": [1, 1], "docid": [2, 3], "position": [1, 0], "click": [0, 1]})
    with pytest.raises(ValueError, match="row 0 of the log, clicks"):
        dorm.clicks.gains({"qid": [1], "docid": [2], "position": [1], "click": [2]})
    with pytest.raises(ValueError, match="which have no propensity"):
        dorm.clicks.gains(log, propensities=[1.0])
    with pytest.raises(ValueError, match="no document of the log has features"):
        dorm.clicks.gains({"qid": ["?"], "docid": [2], "position": [1], "click": [1]}, judged)
