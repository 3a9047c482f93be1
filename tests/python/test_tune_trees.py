# SPDX-License-Identifier: Apache-2.0
"""Growing trees by LightGBM: `dorm train --method lightgbm` and `dorm tune --trees`; the truth is LightGBM itself."""

import json
import signal
import subprocess
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pytest
from command import DORM, dorm, started

LIBRARY = Path(lgb.__file__).parent / "lib" / "lib_lightgbm.so"
LENGTH = 15
DORM_ENVIRONMENT = {"DORM_LIGHTGBM": str(LIBRARY)}
GRID = "C=100,bound=best,ranker=ridge,leaves=4/8"
LINES = GRID.replace(",leaves=4/8", ",curves=none")
LIGHTGBM = {"verbose": -1, "num_threads": 1, "deterministic": True, "force_row_wise": True, "feature_pre_filter": False}


@pytest.fixture(autouse=True)
def library(monkeypatch):
    for name, value in DORM_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def made(queries, seed, interacting=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * LENGTH, 6)).astype(np.float32)
    signal_ = 2 * X[:, 0] * X[:, 1] + X[:, 2] if interacting else X[:, 0] - X[:, 1] + X[:, 2]
    y = np.digitize(signal_ + 0.3 * rng.normal(size=len(X)), [0, 1.5, 3])
    return X, y


def write(path, X, y):
    with open(path, "w") as file:
        for i, (row, label) in enumerate(zip(X, y)):
            features = " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row))
            file.write(f"{label} qid:{i // LENGTH} {features}\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees")
    write(path / "train.txt", *made(120, 1))
    write(path / "valid.txt", *made(60, 2))
    write(path / "test.txt", *made(200, 3))
    write(path / "line.txt", *made(60, 4, interacting=False))
    write(path / "line-valid.txt", *made(60, 5, interacting=False))
    return path


def scores(model, data):
    return np.array([float(line) for line in dorm("rank", model, data).stdout.splitlines()])


# ---- one ensemble ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["lambdarank", "regression"])
def test_train_grows_what_lightgbm_grows(folder, tmp_path, loss):
    dorm("train", folder / "train.txt", "--method", f"lightgbm:{loss}~7~20", "--model", tmp_path / "m.json")
    X, y = made(120, 1)
    options = {**LIGHTGBM, "objective": loss, "num_leaves": 7, "learning_rate": 0.05, "seed": 1}
    booster = lgb.train(options, lgb.Dataset(X, y, group=[LENGTH] * 120, params=LIGHTGBM), 20)
    expected = booster.predict(made(200, 3)[0], raw_score=True)
    np.testing.assert_allclose(scores(tmp_path / "m.json", folder / "test.txt"), expected, rtol=0, atol=1e-12)


def test_train_stops_where_the_validation_data_says(folder, tmp_path):
    text = dorm("train", folder / "train.txt", "--valid", folder / "valid.txt", "--method", "lightgbm:dorm~8",
                "--model", tmp_path / "m.json", "--json").stdout  # fmt: skip
    assert 1 < json.loads(text)["trees"] < 500
    assert json.loads((tmp_path / "m.json").read_text())["method"] == "lightgbm"


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("lightgbm:lambdamart", 'unknown loss of trees "lambdamart"'),
        ("lightgbm:dorm~many", "expected lightgbm[:LOSS[~LEAVES[~ROUNDS]]]"),
        ("lightgbm:dorm~1", "leaves is 1"),
    ],
)
def test_a_spelling_that_is_none_is_refused_before_data_is_read(tmp_path, method, said):
    assert said in dorm("train", "none.txt", "--method", method, "--model", "m.json", status=2, cwd=tmp_path).stderr


def test_lambdarank_needs_grades_and_says_so(tmp_path):
    X, y = made(10, 1)
    write(tmp_path / "half.txt", X, y + 0.5)
    said = dorm("train", "half.txt", "--method", "lightgbm", "--model", "m.json", status=1, cwd=tmp_path).stderr
    assert "lambdarank needs whole labels from 0 to 30; expected the loss dorm or regression" in said


def test_without_lightgbm_the_message_says_how_to_get_it(folder, tmp_path):
    bare = {"PATH": "/nowhere", "DORM_LIGHTGBM": ""}
    said = dorm("tune", folder / "train.txt", "--trees", "--model", tmp_path / "m.json", "--lightgbm", "/none.so",
                status=1, env=bare).stderr  # fmt: skip
    assert "/none.so: there is no such file" in said
    assert "pip install lightgbm" in said
    (tmp_path / "text.so").write_text("no library")
    said = dorm("tune", folder / "train.txt", "--trees", "--model", tmp_path / "m.json", "--lightgbm",
                tmp_path / "text.so", status=1).stderr  # fmt: skip
    assert "LightGBM cannot be loaded" in said
    assert not (tmp_path / "m.json").exists()


def test_a_library_of_others_is_no_lightgbm(folder, tmp_path):
    import _ctypes

    said = dorm("train", folder / "train.txt", "--method", "lightgbm", "--model", tmp_path / "m.json", "--lightgbm",
                _ctypes.__file__, status=1).stderr  # fmt: skip
    assert "cannot be loaded" in said or "not a usable library of LightGBM" in said


# ---- tuning ------------------------------------------------------------------------------------------------


def tuned(folder, model, *more, train="train.txt", valid="valid.txt", grid=GRID):
    words = [folder / train, *(["--valid", folder / valid] if valid else ["--folds", 3])]
    return json.loads(dorm("tune", *words, "--trees", "--grid", grid, "--model", model, "--json", *more).stdout)


def test_where_features_interact_trees_are_worth_much_and_their_interval_is_above_zero(folder, tmp_path):
    told = tuned(folder, tmp_path / "m.json")
    worth = told["trees"]
    assert worth["interval"][0] > 0.02
    assert worth["trees"] > worth["linear"] + 0.05
    # the same on data that no choice has seen
    dorm("tune", folder / "train.txt", "--valid", folder / "valid.txt", "--grid", LINES,
         "--model", tmp_path / "linear.json")  # fmt: skip
    rows = json.loads(dorm("eval", folder / "test.txt", tmp_path / "m.json", tmp_path / "linear.json", "--json").stdout)
    means = [ranker["measures"]["ndcg@10"]["mean"] for ranker in rows["rankers"]]
    assert means[0] > means[1] + 0.05


def test_where_a_line_is_the_truth_trees_are_worth_nothing(folder, tmp_path):
    worth = tuned(folder, tmp_path / "m.json", train="line.txt", valid="line-valid.txt")["trees"]
    assert worth["difference"] < 0.01
    assert worth["trees"] < worth["linear"]


def test_only_linear_is_the_model_of_a_tuning_without_trees(folder, tmp_path):
    told = tuned(folder, tmp_path / "a.json", "--only", "linear")
    dorm("tune", folder / "train.txt", "--valid", folder / "valid.txt", "--grid", LINES,
         "--model", tmp_path / "b.json")  # fmt: skip
    a, b = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert a["weights"] == b["weights"]
    assert told["trees"]["difference"] > 0.02


def test_only_trees_is_an_ensemble_that_search_engines_take(folder, tmp_path):
    tuned(folder, tmp_path / "m.json", "--only", "trees")
    assert json.loads((tmp_path / "m.json").read_text())["kind"] == "trees"
    dorm("export", tmp_path / "m.json", "--to", "lightgbm", "-o", tmp_path / "lgb.txt")
    expected = lgb.Booster(model_file=tmp_path / "lgb.txt").predict(made(200, 3)[0])
    np.testing.assert_allclose(scores(tmp_path / "m.json", folder / "test.txt"), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("valid", ["valid.txt", None])
def test_the_model_is_the_same_on_any_number_of_threads(folder, tmp_path, valid):
    for threads in (1, 3):
        tuned(folder, tmp_path / f"{threads}.json", "--threads", threads, valid=valid)
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "3.json").read_bytes()


def test_the_shares_are_those_of_the_sum(folder, tmp_path):
    """The scores of the sum are those of its parts, which `info` names."""
    told = tuned(folder, tmp_path / "m.json", train="line.txt", valid="line-valid.txt")
    assert sum(point["share"] for point in told["points"]) == pytest.approx(1)
    model = json.loads((tmp_path / "m.json").read_text())
    assert model["kind"] == "sum"
    total = 0
    for k, part in enumerate(model["parts"]):
        (tmp_path / f"{k}.json").write_text(json.dumps(part["model"]))
        total = total + part["weight"] * scores(tmp_path / f"{k}.json", folder / "test.txt")
    np.testing.assert_allclose(scores(tmp_path / "m.json", folder / "test.txt"), total, rtol=1e-12, atol=1e-12)
    assert "regression" in dorm("info", tmp_path / "m.json").stdout


def test_a_tuning_that_was_stopped_goes_on_to_the_same_model(folder, tmp_path):
    tuned(folder, tmp_path / "whole.json", valid=None)
    words = ["tune", folder / "train.txt", "--folds", "3", "--trees", "--grid", GRID, "--model", tmp_path / "m.json",
             "--checkpoint", tmp_path / "m.ck", "--checkpoint-interval", "0"]  # fmt: skip
    process = started(*words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None and not (tmp_path / "m.ck").exists():
            pass
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    finally:
        process.kill()
    if (tmp_path / "m.ck").exists():
        dorm(*words)
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_the_terminal_and_the_page_say_what_trees_are_worth_and_cost(folder, tmp_path):
    said = dorm("tune", folder / "train.txt", "--valid", folder / "valid.txt", "--trees", "--grid", GRID, "--model",
                tmp_path / "m.json", "--report", tmp_path / "m.html").stdout  # fmt: skip
    page = (tmp_path / "m.html").read_text()
    for text in (said, page):
        assert "trees are worth +0." in text
        assert "ms per 100 documents" in text
    assert "--only linear" in said


def test_kernels_and_slates_have_no_trees_beside_them(folder, tmp_path):
    said = dorm("tune", folder / "train.txt", "--trees", "--kernel", "rbf", "--model", tmp_path / "m.json",
                status=2).stderr  # fmt: skip
    assert "not beside kernels" in said
    assert "expected --trees" in dorm("tune", folder / "train.txt", "--only", "linear", "--model", "m", status=2).stderr
    assert Path(DORM).exists()


# ---- linear or trees? --------------------------------------------------------------------------------------


def evaluated(model, data):
    return json.loads(dorm("eval", data, "--model", model, "--json").stdout)


def compared(*words):
    return json.loads(dorm("compare", *words, "--measures", "ndcg@10", "--no-curve", "--json").stdout)


def test_compare_answers_linear_or_trees_on_the_test_queries(folder, tmp_path):
    data = ["--valid", folder / "valid.txt", "--test", folder / "test.txt"]
    found = compared(folder / "train.txt", *data, "--trees")
    rows = {row["method"]: row for row in found["rows"]}
    assert set(rows) == {"tune", "tune:curves", "tune:trees", "tune:both", "random", "ideal"}
    means = {name: row["measures"]["ndcg@10"]["mean"] for name, row in rows.items()}
    (verdict,) = found["trees"]
    assert verdict["difference"] == pytest.approx(means["tune:both"] - means["tune"], abs=1e-12)
    low, high = verdict["interval"]
    assert 0 < low < verdict["difference"] < high
    assert verdict["text"].startswith("trees are worth +") and "interactions, not curves" in verdict["text"]
    assert "elasticsearch" in rows["tune:trees"]["serving"]["targets"] and rows["tune"]["serving"]["bytes"] > 100
    dorm("tune", folder / "train.txt", "--valid", folder / "valid.txt", "--trees", "--tolerance", "1e-3",
         "--only", "trees", "--model", tmp_path / "m.json")  # fmt: skip
    alone = evaluated(tmp_path / "m.json", folder / "test.txt")
    assert means["tune:trees"] == pytest.approx(alone["measures"]["ndcg@10"]["mean"], abs=1e-12)


def test_compare_says_where_a_line_does(folder, tmp_path):
    words = [folder / "line.txt", "--test", folder / "line-valid.txt", "--measures", "ndcg@10", "--no-curve"]
    text = dorm("compare", *words, "--trees", "--out", tmp_path / "out").stdout
    assert "a linear model may do: trees are not shown to be worth anything" in text
    assert "ms per 100 documents" in text
    assert "Linear or trees? a linear model may do" in (tmp_path / "out" / "table.md").read_text()
    assert "Linear or trees? a linear model may do" in (tmp_path / "out" / "report.html").read_text()
    again = dorm("compare", *words, "--trees", "--out", tmp_path / "out").stdout
    assert again == text, "cells that are found have their costs with them"


def test_compare_takes_the_model_of_another_library_as_a_row(folder, tmp_path):
    X, y = made(120, 1)
    data = lgb.Dataset(X, y, group=[LENGTH] * 120)
    lgb.train({**LIGHTGBM, "objective": "lambdarank"}, data, 20).save_model(tmp_path / "lgb.txt")
    files = [folder / "train.txt", "--valid", folder / "valid.txt", "--test", folder / "test.txt"]
    found = compared(*files, "--methods", f"ridge,model:{tmp_path}/lgb.txt,model:prod={tmp_path}/lgb.txt")
    rows = {row["method"]: row for row in found["rows"]}
    alone = evaluated(tmp_path / "lgb.txt", folder / "test.txt")["measures"]["ndcg@10"]["mean"]
    assert rows["lgb"]["measures"]["ndcg@10"]["mean"] == pytest.approx(alone, abs=1e-12)
    assert rows["prod"]["measures"]["ndcg@10"]["mean"] == rows["lgb"]["measures"]["ndcg@10"]["mean"]
    assert rows["lgb"]["serving"]["bytes"] > 1000 and found["trees"] == []
    # by folds, over two files, each document has the score that it has in its file
    texts = {
        name: (folder / f"{name}.txt").read_text().replace("qid:", f"qid:{name}-")
        for name in ("train", "valid", "test")
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    whole = compared(*(tmp_path / f"{name}.txt" for name in texts), "--methods", f"ridge,model:{tmp_path}/lgb.txt")
    (tmp_path / "all.txt").write_text("".join(texts.values()))
    alone = evaluated(tmp_path / "lgb.txt", tmp_path / "all.txt")["measures"]["ndcg@10"]["mean"]
    assert whole["rows"][1]["measures"]["ndcg@10"]["mean"] == pytest.approx(alone, abs=1e-12)


def test_compare_refuses_what_is_no_model_and_a_missing_library(folder, tmp_path):
    words = [folder / "train.txt", "--test", folder / "test.txt"]
    (tmp_path / "scores.txt").write_text("1\n2\n")
    assert "expected a model" in dorm("compare", *words, "--methods", f"model:{tmp_path}/scores.txt", status=1).stderr
    assert "tune:trees" in dorm("compare", *words, "--methods", "tune:tree", status=2).stderr
    done = dorm("compare", *words, "--trees", "--lightgbm", tmp_path / "none.so", status=1)
    assert "none.so" in done.stderr and not done.stdout
