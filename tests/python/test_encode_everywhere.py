# SPDX-License-Identifier: Apache-2.0
"""Encodings and rules for gaps beside everything else that trains: the ranker of the table is that of the binary form,
which holds the encoded features, or the combination is refused by name."""

import json
from pathlib import Path

import pytest
from command import dorm
from encoded_exports import ROLES, RULES, VALUES, ranked, rows_of, write_rows

ENCODE = ",".join(rule for rule in RULES.values() if not rule.startswith("published")) + ",published=age+weekday+month"
MISSING = "mean,bm25=query-min,mass=indicator"
READ = [*ROLES, "--encode", ENCODE, "--missing", MISSING]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    here = tmp_path_factory.mktemp("shop")
    for name, queries, seed in (("train", 40, 1), ("valid", 12, 3), ("new", 12, 2)):
        write_rows(here / f"{name}.csv", rows_of(queries, seed, [*VALUES, "never seen"] if name == "new" else VALUES))
    dorm("convert", "train.csv", "train.dorm", *READ, "--quiet", cwd=here)
    return here


COMBINATIONS = {
    "curves": ["train", "--curves", "8"],
    "steps": ["train", "--curves", "steps:4", "--scale", "zscore"],
    "curves of features by name": ["train", "--curves", "published=4,bm25=4"],
    "signs": ["train", "--increasing", "bm25,in_stock,category=blue", "--decreasing", "published"],
    "curves with signs": ["train", "--curves", "4", "--increasing", "bm25"],
    "kernel": ["train", "--kernel", "rbf:gamma=0.1"],
    "approximated kernel": ["train", "--kernel", "rbf:gamma=0.1", "--approx", "nystroem:40"],
    "stream": ["train", "--stream"],
    "shards": ["train", "--solver", "shards"],
    "lbfgs": ["train", "--solver", "lbfgs"],
    "baseline": ["train", "--method", "ridge"],
    "scaling of the data": ["train", "--scale", "log-zscore"],
    "folds": ["tune", "--folds", "3", "--grid", "C=10"],
    "folds and curves": ["tune", "--folds", "3", "--grid", "C=10", "--curves", "4"],
    "test part": ["tune", "--folds", "2", "--test", "0.25", "--grid", "C=10"],
    "validation": ["train", "--valid", "valid.csv"],
    "validation of a grid": ["tune", "--valid", "valid.csv", "--grid", "C=10"],
}


@pytest.mark.parametrize("name", COMBINATIONS)
def test_the_table_and_its_encoded_form_give_the_same_ranker(shop, name):
    verb, *options = COMBINATIONS[name]
    dorm(verb, "train.csv", *READ, *options, "--model", "m.json", "--quiet", cwd=shop)
    dorm(verb, "train.dorm", *options, "--model", "b.json", "--quiet", cwd=shop)
    ours, theirs = (json.loads((shop / model).read_text()) for model in ("m.json", "b.json"))
    assert ours["input"]["encodings"] == theirs["input"]["encodings"]
    scores = ranked(shop, "m.json")
    assert len(set(scores)) > len(scores) / 2
    assert scores == ranked(shop, "b.json")
    told = json.loads(dorm("eval", "new.csv", "--model", "m.json", "--json", cwd=shop).stdout)
    assert (
        told["measures"]
        == json.loads(dorm("eval", "new.csv", "--model", "b.json", "--json", cwd=shop).stdout)["measures"]
    )
    reasons = [dorm("explain", model, "new.csv", "--query", "q2-3", cwd=shop).stdout for model in ("m.json", "b.json")]
    assert reasons[0] == reasons[1]


def test_folders_of_shards_hold_the_encoding(shop):
    dorm("convert", "train.csv", "folder", *READ, "--shards", "3", "--quiet", cwd=shop)
    for data, model in (("folder", "s.json"), ("train.dorm", "m.json")):
        dorm("train", data, "--solver", "shards", "--shards", "3", "--model", model, "--quiet", cwd=shop)
    assert ranked(shop, "s.json") == pytest.approx(ranked(shop, "m.json"), rel=1e-6)


def test_verbs_that_only_read_take_encodings(shop):
    told = [
        json.loads(dorm("info", "train.csv", *ROLES, "--encode", ENCODE, "--missing", rule, "--json", cwd=shop).stdout)
        for rule in (MISSING, "mean")
    ]
    assert told[0]["features"] == told[1]["features"] + 1  # mass=(missing)
    compared = dorm("compare", "train.csv", *READ, "--folds", "3", "--methods", "ridge", "--json", cwd=shop).stdout
    assert json.loads(compared)
    dorm("split", "train.csv", *ROLES, "--test", "0.2", cwd=shop)


REFUSED = {
    "a sign of a column that is several features": (
        ["train", "train.csv", *READ, "--increasing", "category", "--model", "x.json"],
        'unknown feature "category"',
    ),
    "groups of a column that is encoded": (
        ["train", "train.csv", *READ, "--one-per", "category", "--model", "x.json"],
        "no feature column 'category', which the encoding names",
    ),
    "encodings of the binary form": (
        ["train", "train.dorm", "--encode", ENCODE, "--model", "x.json"],
        "only CSV, TSV and JSON have columns of text",
    ),
    "another rule for gaps of the binary form": (
        ["train", "train.dorm", "--missing", "zero", "--model", "x.json"],
        "treated when it is written",
    ),
    "linear rankers of data that keeps its gaps": (
        ["train", "train.csv", *ROLES, "--encode", ENCODE, "--missing", "keep", "--model", "x.json"],
        "missing",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_combinations_are_refused_by_name(shop, name):
    arguments, message = REFUSED[name]
    done = dorm(*arguments, "--quiet", status=None, cwd=shop)
    assert done.returncode in (1, 2) and message in done.stderr
    assert not (shop / "x.json").exists()


def test_trees_of_encoded_columns_keep_gaps(shop, monkeypatch):
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not in this environment")
    monkeypatch.setenv("DORM_LIGHTGBM", str(Path(lightgbm.__file__).parent / "lib" / "lib_lightgbm.so"))
    read = [*ROLES, "--encode", ENCODE, "--missing", "keep"]
    dorm("train", "train.csv", *read, "--method", "lightgbm", "--model", "trees.json", "--quiet", cwd=shop)
    statistics = json.loads((shop / "trees.json").read_text())["statistics"]
    assert all(low <= mean <= high for low, mean, high in zip(*(statistics[k] for k in ("minimum", "mean", "maximum"))))
    assert len(set(ranked(shop, "trees.json"))) > 10
