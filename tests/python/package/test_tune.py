# SPDX-License-Identifier: Apache-2.0
"""Tuning: the same as the command, as a table, a ranker and a page."""

import dataclasses
import json
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dorm

COMMAND = Path(os.environ.get("DORM_COMMAND", "build/dorm")).resolve()


@pytest.fixture(scope="module")
def sets(data):
    X, y, qid = data
    first = qid <= 40
    return dorm.RankingData(X[first], y[first], qid[first]), dorm.RankingData(X[~first], y[~first], qid[~first])


@pytest.fixture(scope="module")
def tuned(sets):
    return dorm.tune(sets[0], eval_set=sets[1], grid={"C": [1, 10]}, n_jobs=1)


def test_the_headline_is_the_validated_figure(tuned, sets):
    train, valid = sets
    assert tuned.validated.mean == pytest.approx(tuned.ranker.score(valid), abs=1e-12)
    assert tuned.validated.low < tuned.validated.mean < tuned.validated.high
    assert tuned.validated.evaluated_on == "the validation data"
    assert f"ndcg@10 {tuned.validated.mean:.4f}" in str(tuned)
    assert f"{tuned.ranker.score(train):.4f}" not in str(tuned).splitlines()[-1]


def test_cells_and_parts(tuned):
    assert {cell.C for cell in tuned.points if cell.bound != "none"} <= {1, 10}
    assert sum(part.share for part in tuned.parts) == pytest.approx(1)
    assert tuned.parts == sorted(tuned.parts, key=lambda c: -c.share)
    assert tuned.best.validation == max(cell.validation for cell in tuned.points)
    assert tuned.choice == "average"
    assert tuned.end == "whole"
    for cell in tuned.pruned:
        assert cell.why


def test_as_a_frame_and_in_a_notebook(tuned):
    pytest.importorskip("pandas")
    frame = tuned.to_frame()
    assert len(frame) == len(tuned.points)
    assert frame["validation"].is_monotonic_decreasing
    assert frame["share"].sum() == pytest.approx(1)
    assert "validation" in tuned._repr_html_() or "ndcg@10" in tuned._repr_html_()


def test_the_page(tuned, tmp_path):
    assert tuned.report(tmp_path / "t.html") == tmp_path / "t.html"
    page = (tmp_path / "t.html").read_text()
    assert f"{tuned.validated.mean:.4f}" in page
    assert tuned.report()._repr_html_().startswith("<iframe")


def test_the_ranker_is_a_ranker(tuned, sets, tmp_path):
    tuned.save(tmp_path / "m.json")
    scores = tuned.ranker.predict(sets[1])
    assert np.array_equal(dorm.DormRanker.load(tmp_path / "m.json").predict(sets[1]), scores)
    again = pickle.loads(pickle.dumps(tuned))
    assert np.array_equal(again.ranker.predict(sets[1]), scores)
    assert [cell.validation for cell in again.points] == [cell.validation for cell in tuned.points]
    assert np.allclose(tuned.ranker.explain(sets[1]).sum(axis=1), scores)


def test_folds_choices_and_grids(sets):
    train, _ = sets
    folded = dorm.tune(train, folds=3, grid={"bound": "best", "C": 10}, curves="none", choose="best", n_jobs=1)
    assert folded.validated.evaluated_on == "3 folds"
    assert [(c.bound, c.C) for c in folded.points] == [("best", 10)]  # no cheap rankers beside named bounds
    assert folded.choice == "best"
    cheap = dorm.tune(train, folds=3, grid={"ranker": ["ridge"], "C": [10]}, n_jobs=1)
    assert {c.start for c in cheap.points if c.bound == "none"} == {"ridge"}


def test_mistakes_are_told(sets):
    train, valid = sets
    for arguments, words in (
        ({"grid": {"gamma": [1]}}, "grid has an axis 'gamma'; there are C, decay, bound"),
        ({"grid": {"C": []}}, "the axis 'C' of the grid has no values"),
        ({"C": 10}, 'pass grid={"C"'),
        ({"eval_set": valid, "folds": 3}, "eval_set and folds exclude each other"),
        ({"folds": 1}, "folds is 1; expected 2 or more"),
        ({"choose": "luck"}, 'choose is "luck"; expected average, best, steady or one-standard-error'),
        ({"eval_qid": [1]}, r"eval_qid or eval_group without eval_set; pass eval_set=\(X, y\)"),
        ({"measure": dorm.Measure(a=[1.0], b=[0, 1], name="own")}, "GridSearchCV"),
    ):
        with pytest.raises(ValueError, match=words):
            dorm.tune(train, n_jobs=1, **arguments)
    with pytest.raises(TypeError, match="folts"):
        dorm.tune(train, folts=3)


def test_progress_is_told_and_can_stop(sets):
    told = []

    def stop_after_two(state):
        told.append(state)
        return state["done"] >= 2

    stopped = dorm.tune(sets[0], folds=3, progress=stop_after_two, n_jobs=1)
    assert told[0]["total"] >= told[-1]["done"] >= 2
    assert stopped.end == "stopped"
    assert stopped.pruned
    assert np.isfinite(stopped.ranker.predict(sets[1])).all()


def test_a_time_limit_is_for_all_of_it(sets):
    short = dorm.tune(sets[0], folds=3, time_limit=1e-6, n_jobs=1)
    assert short.end == "time_limit"
    assert len(short.points) >= 1


def test_a_checkpoint_is_gone_on_from(sets, tmp_path):
    path = tmp_path / "tune.ck"
    whole = dorm.tune(sets[0], folds=3, grid={"C": [1, 10]}, n_jobs=1)
    dorm.tune(
        sets[0], folds=3, grid={"C": [1, 10]}, checkpoint=path, progress=lambda state: state["done"] >= 3, n_jobs=1
    )
    resumed = dorm.tune(sets[0], folds=3, grid={"C": [1, 10]}, checkpoint=path, n_jobs=1)
    assert resumed.resumed >= 1
    assert resumed.ranker.model_.to_json() == whole.ranker.model_.to_json()


def test_the_command_delivers_the_same_model(tmp_path, sets):
    if not COMMAND.exists():
        pytest.skip(f"no command at {COMMAND}: build it, or set DORM_COMMAND")
    train = dorm.synth(queries=40, features=5, seed=1, n_jobs=1)
    subprocess.run(
        [COMMAND, "synth", "--queries", "40", "--features", "5", "--seed", "1", "-o", tmp_path / "d.txt", "-q"],
        check=True,
    )
    run = [
        COMMAND,
        "tune",
        tmp_path / "d.txt",
        "--folds",
        "3",
        "--grid",
        "C=1/10",
        "--model",
        tmp_path / "m.json",
        "-q",
    ]
    subprocess.run(run, check=True, capture_output=True)
    theirs = dorm.DormRanker.load(tmp_path / "m.json")
    ours = dorm.tune(train, folds=3, grid={"C": [1, 10]}, n_jobs=1)
    assert np.array_equal(ours.ranker.model_.weights, theirs.model_.weights)


def test_the_test_part_is_that_of_split_and_of_the_command(tmp_path):
    data = dorm.synth(queries=60, features=5, seed=7)
    tuned = dorm.tune(data, test=0.25, folds=3, grid={"C": [10, 100]}, random_state=4)
    train, test = dorm.data.split(data, test=0.25, seed=4)
    assert tuned.tested.mean == dorm.evaluate(test.y, tuned.ranker.predict(test), qid=test.qid)["ndcg@10"].mean
    assert tuned.tested.share == 0.25 and tuned.tested.seed == 4
    alone = dorm.tune(train, folds=3, grid={"C": [10, 100]}, random_state=4)
    np.testing.assert_array_equal(tuned.ranker.coef_, alone.ranker.coef_)
    assert alone.tested is None and str(tuned.tested) in str(tuned)
    assert f"{tuned.tested.mean:.4f}" in tuned.report(tmp_path / "t.md").read_text()


@pytest.mark.parametrize("test", [0, 0.25])
def test_the_baseline_is_judged_as_by_the_command(tmp_path, test):
    dorm.synth(queries=60, features=4, documents_median=12, seed=7).save(tmp_path / "t.csv")
    data = dorm.read_csv(tmp_path / "t.csv")
    np.savetxt(tmp_path / "prod.txt", data.X[:, 0], fmt="%.9g")
    options = ["--folds", "3", "--grid", "C=10", "--baseline", "prod.txt", "--model", "m.json", "--json", "--quiet"]
    options += ["--test", str(test)] if test else []
    done = subprocess.run(
        [COMMAND, "tune", "t.csv", *options], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    theirs = json.loads(done.stdout)["baseline"]
    for baseline in (str(tmp_path / "prod.txt"), {"prod": data.X[:, 0]}):
        ours = dorm.tune(data, folds=3, grid={"C": [10]}, baseline=baseline, test=test)
        told = ours.baseline
        for key in ("name", "measure", "evaluated_on", "mean", "difference", "wins", "losses", "p"):
            assert getattr(told, key) == theirs[key]
        assert [told.low, told.high] == theirs["interval"] and told.ranker_mean == theirs["model_mean"]
        assert str(told) in str(ours) and "prod" in ours.report(tmp_path / "r.md").read_text()


def test_a_baseline_is_a_ranker_scores_or_a_run(sets):
    train, held_out = sets
    old = dorm.DormRanker(C=1, n_jobs=1).fit(train)
    by_ranker = dorm.tune(train, eval_set=held_out, grid={"C": [10]}, baseline=old).baseline
    by_scores = dorm.tune(train, eval_set=held_out, grid={"C": [10]}, baseline=old.predict(held_out)).baseline
    assert by_ranker == by_scores and by_ranker.evaluated_on == "the validation data"
    assert by_ranker.mean == pytest.approx(old.score(held_out), abs=1e-12)
    named = dataclasses.replace(held_out, document_ids=[f"d{row}" for row in range(len(held_out.qid))])
    run = dorm.data.Run.of(named, old.predict(held_out))
    assert dorm.tune(train, eval_set=named, grid={"C": [10]}, baseline=run).baseline == by_ranker
    for baseline, message in [
        (held_out.X[:3, 0], "baseline has the shape"),
        (np.full(len(held_out.qid), np.nan), "NaN at row 0"),
        ({"q": {"a": 1.0}}, "the data has no document_ids"),
    ]:
        with pytest.raises(ValueError, match=message):
            dorm.tune(train, eval_set=held_out, grid={"C": [10]}, baseline=baseline)
