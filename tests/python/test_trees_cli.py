# SPDX-License-Identifier: Apache-2.0
"""Models of LightGBM and XGBoost in the verbs that take a model; the truth is their own predict."""

import csv
import json
import sqlite3

import lightgbm as lgb
import numpy as np
import pytest
from command import dorm
from tree_models import LENGTH, lightgbm_model, world, xgboost_data, xgboost_model

SHIFTED = 1  # features of a LETOR file are numbered from 1


def write_csv(path, made):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["label", "qid", *(f"Column_{j}" for j in range(made.X.shape[1]))])
        for i, (x, grade) in enumerate(zip(made.X, made.grades)):
            rows.writerow([grade, i // LENGTH, *("" if np.isnan(v) else repr(float(v)) for v in x)])


def scores(*arguments):
    return np.array([float(line) for line in dorm("rank", *arguments).stdout.splitlines()])


@pytest.mark.parametrize("seed", range(6))
def test_rank_gives_the_scores_of_lightgbm(tmp_path, seed):
    made = world(seed)
    booster = lightgbm_model(made, ["gbdt", "dart"][seed % 2], ["regression", "lambdarank"][seed // 3])
    booster.save_model(tmp_path / "m.txt")
    (tmp_path / "m.json").write_text(json.dumps(booster.dump_model()))
    write_csv(tmp_path / "data.csv", made)
    expected = booster.predict(made.X, raw_score=True)
    for name in ("m.txt", "m.json"):
        np.testing.assert_allclose(scores(tmp_path / name, tmp_path / "data.csv"), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_rank_gives_the_scores_of_xgboost(tmp_path, seed):
    made = world(seed)
    booster = xgboost_model(made, ["gbtree", "dart"][seed % 2], ["reg:squarederror", "rank:ndcg"][seed // 3])
    expected = booster.predict(xgboost_data(made), output_margin=True)
    write_csv(tmp_path / "data.csv", made)
    for name in ("m.json", "m.ubj"):
        booster.save_model(tmp_path / name)
        np.testing.assert_allclose(scores(tmp_path / name, tmp_path / "data.csv"), expected, rtol=1e-5, atol=1e-5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of numbers without missing values, its data, and a linear model of the same data."""
    made = world(1)
    made.X = np.nan_to_num(made.X)
    made.categories = []
    path = tmp_path_factory.mktemp("trees")
    lightgbm_model(made, "gbdt", "lambdarank", zero_as_missing=False).save_model(path / "lgb.txt")
    write_csv(path / "data.csv", made)
    dorm("train", path / "data.csv", "--model", path / "linear.json", "--quiet")
    return path


def test_info_says_what_the_trees_are(folder):
    text = dorm("info", folder / "lgb.txt").stdout
    assert "lightgbm, objective lambdarank" in text and "trees with" in text
    assert json.loads(dorm("info", "--json", folder / "lgb.txt").stdout)["trees"]["library"] == "lightgbm"


def test_eval_compares_trees_and_a_linear_model(folder):
    done = json.loads(dorm("eval", folder / "data.csv", folder / "lgb.txt", folder / "linear.json", "--json").stdout)
    assert "lgb" in json.dumps(done) and "linear" in json.dumps(done)


def test_contributions_are_those_of_lightgbm_and_sum_to_the_score(folder):
    booster = lgb.Booster(model_file=str(folder / "lgb.txt"))
    lines = dorm("explain", folder / "lgb.txt", folder / "data.csv", "--format", "jsonl", "--top", 0).stdout
    rows = list(csv.DictReader(open(folder / "data.csv")))
    X = np.array([[float(row[name]) for name in booster.feature_name()] for row in rows], dtype=np.float32)
    expected = booster.predict(X, pred_contrib=True)
    for line in map(json.loads, lines.splitlines()):
        own = expected[line["row"] - 1]
        found = {each["feature"]: each["contribution"] for each in line["features"]}
        np.testing.assert_allclose([found[name] for name in booster.feature_name()], own[:-1], rtol=0, atol=1e-12)
        assert line["base"] == pytest.approx(own[-1], abs=1e-12)
        assert sum(found.values()) + line["base"] == pytest.approx(line["score"], abs=1e-10)


def test_a_difference_of_two_documents_is_taken_apart(folder):
    assert (
        "against"
        in dorm(
            "explain", folder / "lgb.txt", folder / "data.csv", "--query", 0, "--document", 1, "--against", 2
        ).stdout
    )


@pytest.mark.parametrize(
    "target", ["c", "python", "sql", "pmml", "onnx", "ranklib", "solr", "elasticsearch", "lightgbm"]
)
def test_every_target_of_trees_keeps_the_top_of_the_lists(folder, tmp_path, target):
    done = json.loads(
        dorm(
            "export",
            folder / "lgb.txt",
            "--to",
            target,
            "-o",
            tmp_path / "out",
            "--check",
            folder / "data.csv",
            "--json",
        ).stdout
    )
    assert done["changed_queries"] == 0
    assert done["largest_difference"] < (1e-5 if target in ("onnx", "ranklib", "solr", "elasticsearch") else 1e-12)


def test_targets_without_trees_say_which_have_them(folder):
    done = dorm("export", folder / "lgb.txt", "--to", "vespa", status=1)
    assert "the model has trees, which vespa cannot evaluate; expected" in done.stderr and "lightgbm" in done.stderr


def test_exported_code_computes_the_scores(folder, tmp_path):
    expected = scores(folder / "lgb.txt", folder / "data.csv")
    rows = list(csv.DictReader(open(folder / "data.csv")))
    names = [name for name in rows[0] if name.startswith("Column")]
    for target in ("python", "sql", "lightgbm"):
        dorm("export", folder / "lgb.txt", "--to", target, "-o", tmp_path / target, "--quiet")
    module = {}
    exec((tmp_path / "python").read_text(), module)
    assert [module["score"]({n: float(row[n]) for n in names}) for row in rows] == list(expected)
    again = lgb.Booster(model_file=str(tmp_path / "lightgbm"))
    X = np.array([[float(row[name]) for name in names] for row in rows], dtype=np.float32)
    np.testing.assert_allclose(again.predict(X), expected, rtol=0, atol=1e-12)
    base = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name + '" real' for name in names)
    base.execute(f"create table t (i integer, {columns})")
    for i, x in enumerate(X.astype(float)):
        base.execute(f"insert into t values (?, {', '.join('?' * len(names))})", [i, *x])
    found = [each[0] for each in base.execute(f"select {(tmp_path / 'sql').read_text()} from t order by i")]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_columns_that_do_not_fit_are_named(folder, tmp_path):
    text = (folder / "data.csv").read_text().replace("Column_", "feature_")
    (tmp_path / "other.csv").write_text(text)
    np.testing.assert_array_equal(
        scores(folder / "lgb.txt", tmp_path / "other.csv"), scores(folder / "lgb.txt", folder / "data.csv")
    )
    fewer = "\n".join(line.rsplit(",", 1)[0] for line in text.splitlines())
    (tmp_path / "fewer.csv").write_text(fewer + "\n")
    assert "the model numbers its" in dorm("rank", folder / "lgb.txt", tmp_path / "fewer.csv", status=1).stderr


def test_training_goes_on_from_no_trees(folder):
    done = dorm("train", folder / "data.csv", "--init-model", folder / "lgb.txt", "--model", "x.json", status=None)
    assert done.returncode != 0


def chain(leaves):
    """A tree of LightGBM whose right child is the next node: as deep as it has inner nodes."""
    inner = range(leaves - 1)
    words = lambda each: " ".join(str(x) for x in each)
    tree = (
        f"Tree=0\nnum_leaves={leaves}\nnum_cat=0\nsplit_feature={words(0 for _ in inner)}\n"
        f"split_gain={words(0 for _ in inner)}\nthreshold={words(k + 0.5 for k in inner)}\n"
        f"decision_type={words(2 for _ in inner)}\nleft_child={words(~k for k in inner)}\n"
        f"right_child={words([k + 1 for k in inner][:-1] + [~(leaves - 1)])}\n"
        f"leaf_value={words(k * k for k in range(leaves))}\nleaf_weight={words(1 for _ in range(leaves))}\n"
        f"leaf_count={words(1 for _ in range(leaves))}\ninternal_value={words(0 for _ in inner)}\n"
        f"internal_weight={words(1 for _ in inner)}\ninternal_count={words(1 for _ in inner)}\n"
        "is_linear=0\nshrinkage=1\n\n\n"
    )
    return (
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=0\n"
        f"feature_names=x\nfeature_infos=[0:1e9]\ntree_sizes={len(tree)}\n\n{tree}end of trees\n"
    )


def test_sql_of_a_deep_tree_nests_no_deeper_than_databases_parse(tmp_path):
    (tmp_path / "deep.txt").write_text(chain(400))
    dorm("export", tmp_path / "deep.txt", "--to", "sql", "-o", tmp_path / "sql", "--quiet")
    base = sqlite3.connect(":memory:")
    base.execute('create table t (i integer, "x" real)')
    base.executemany("insert into t values (?, ?)", [*((k, float(k)) for k in range(450)), (450, None)])
    found = [each for (each,) in base.execute(f"select {(tmp_path / 'sql').read_text()} from t order by i")]
    assert found == [min(k, 399) ** 2 for k in range(450)] + [0]  # what is missing counts as 0


@pytest.mark.parametrize("seed", range(6))
def test_splits_by_categories_and_missing_values_survive_every_export(tmp_path, seed):
    """LightGBM itself reads what was written for it, SQLite the SQL, and Python the module."""
    made = world(200 + seed)
    made.X[:, 0] = made.rng.integers(0, 12, len(made.X))
    made.categories = [0]
    booster = lightgbm_model(made, "gbdt", "regression")
    (tmp_path / "lgb.txt").write_text(booster.model_to_string())
    expected = booster.predict(made.X, raw_score=True)
    for target in ("lightgbm", "sql", "python"):
        dorm("export", tmp_path / "lgb.txt", "--to", target, "-o", tmp_path / target, "--quiet")
    assert (lgb.Booster(model_file=tmp_path / "lightgbm").predict(made.X, raw_score=True) == expected).all()
    names = booster.feature_name()
    rows = [[None if np.isnan(x) else float(x) for x in row] for row in made.X]
    module = {}
    exec((tmp_path / "python").read_text(), module)
    assert module["score_list"]([dict(zip(names, row)) for row in rows]) == list(expected)
    base = sqlite3.connect(":memory:")
    base.execute(f"create table t (i integer, {', '.join(names)})")
    base.executemany(f"insert into t values (?{', ?' * len(names)})", [[i, *row] for i, row in enumerate(rows)])
    text = (tmp_path / "sql").read_text()
    found = [each for (each,) in base.execute(f"select {text} from t order by i")]
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


def test_what_cannot_be_read_is_named(tmp_path):
    (tmp_path / "cat.cbm").write_bytes(b"CBM1" + bytes(100))
    said = dorm("info", tmp_path / "cat.cbm", status=1).stderr
    assert "the binary form of CatBoost" in said and 'format="json"' in said
    classes = {"features_info": {"float_features": []}, "oblivious_trees": [], "scale_and_bias": [1, [0.1, 0.2, 0.3]]}
    (tmp_path / "cat.json").write_text(json.dumps(classes))
    assert "several classes" in dorm("info", tmp_path / "cat.json", status=1).stderr
