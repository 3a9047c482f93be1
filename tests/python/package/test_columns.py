# SPDX-License-Identifier: Apache-2.0
"""Columns of frames and files that hold no plain numbers: the models of columns made by hand."""

import datetime
import decimal
import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import dorm

COMMAND = os.environ.get("DORM_COMMAND", "build/dorm")

ROWS = 240
RNG = np.random.default_rng(3)
QID = np.repeat(np.arange(ROWS // 8), 8)
BM25 = RNG.integers(1, 900, ROWS) / 64
COLOR = RNG.choice(["blue", "green", "red"], ROWS)
DAY = RNG.integers(0, 300, ROWS)
STOCK = RNG.integers(0, 2, ROWS).astype(bool)
PRICE = RNG.integers(100, 9000, ROWS) / 4
LABEL = np.clip((BM25 / 5 + np.equal(COLOR, "red") + STOCK - DAY / 200 + RNG.normal(size=ROWS) / 4).astype(int), 0, 3)
FIRST = datetime.date(2024, 1, 1)
DATES = [FIRST + datetime.timedelta(days=int(d)) for d in DAY]
HAND = pd.DataFrame(
    {
        "bm25": BM25,
        **{f"color={c}": np.equal(COLOR, c).astype(float) for c in ("blue", "green", "red")},
        "published": (DAY.max() - DAY).astype(float),
        "in_stock": STOCK.astype(float),
        "price": PRICE,
    }
)


def run_dorm(*arguments, cwd):
    command = os.path.abspath(COMMAND)
    return subprocess.run([command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=True).stdout


def pandas_frame(zone=None):
    published = pd.Series(pd.to_datetime(DATES))
    return pd.DataFrame(
        {
            "bm25": BM25,
            "color": pd.Categorical(COLOR, categories=["red", "green", "blue", "never"]),
            "published": published.dt.tz_localize(zone) if zone else published,
            "in_stock": pd.array(STOCK, dtype="boolean"),
            "price": [decimal.Decimal(str(p)) for p in PRICE],
        }
    )


def polars_frame(category="Categorical", instant=None):
    polars = pytest.importorskip("polars")
    kind = polars.Categorical if category == "Categorical" else polars.Enum(["red", "green", "blue", "never"])
    return polars.DataFrame(
        {
            "bm25": BM25,
            "color": polars.Series(COLOR.tolist(), dtype=kind),
            "published": polars.Series(DATES, dtype=polars.Date if instant is None else polars.Datetime(instant)),
            "in_stock": STOCK,
            "price": polars.Series([decimal.Decimal(str(p)) for p in PRICE]),
        }
    )


def arrow_table(date="date32"):
    pyarrow = pytest.importorskip("pyarrow")
    published = pyarrow.array(DATES)
    return pyarrow.table(
        {
            "bm25": BM25,
            "color": pyarrow.array(COLOR.tolist()).dictionary_encode(),
            "published": published if date == "date32" else published.cast(pyarrow.timestamp("ms")),
            "in_stock": pyarrow.array(STOCK),
            "price": pyarrow.array([decimal.Decimal(str(p)) for p in PRICE]),
        }
    )


FRAMES = {
    "pandas": pandas_frame,
    "pandas, UTC": lambda: pandas_frame("UTC"),
    "polars": polars_frame,
    "polars, Enum and milliseconds": lambda: polars_frame("Enum", "ms"),
    "pyarrow": arrow_table,
    "pyarrow, timestamps": lambda: arrow_table("timestamp"),
}


@pytest.fixture(scope="module")
def by_hand():
    return dorm.DormRanker(scale="zscore").fit(HAND, LABEL, qid=QID)


@pytest.mark.parametrize("kind", FRAMES)
def test_types_say_how_columns_become_features(kind, by_hand):
    frame = FRAMES[kind]()
    ranker = dorm.DormRanker(scale="zscore").fit(frame, LABEL, qid=QID)
    assert list(ranker.feature_names_in_) == list(HAND.columns)
    np.testing.assert_array_equal(ranker.coef_, by_hand.coef_)
    np.testing.assert_array_equal(ranker.predict(frame, qid=QID), by_hand.predict(HAND, qid=QID))


def test_a_fitted_encoding_is_applied_to_new_rows(by_hand, tmp_path):
    ranker = dorm.DormRanker(scale="zscore").fit(pandas_frame(), LABEL, qid=QID)
    new = pd.DataFrame(
        {
            "bm25": [1.0, 2.0],
            "color": pd.Categorical(["violet", "red"]),
            "published": pd.to_datetime([FIRST, FIRST + datetime.timedelta(days=500)]),
            "in_stock": [True, False],
            "price": [3.0, 4.0],
        }
    )
    last = float(DAY.max())
    hand = pd.DataFrame([[1, 0, 0, 0, last, 1, 3], [2, 0, 0, 1, last - 500, 0, 4]], columns=HAND.columns, dtype=float)
    expected = by_hand.predict(hand, qid=[0, 0])
    np.testing.assert_array_equal(ranker.predict(new, qid=[0, 0]), expected)
    ranker.save(tmp_path / "m.json")
    loaded = dorm.DormRanker.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict(new, qid=[0, 0]), expected)
    saved = json.loads((tmp_path / "m.json").read_text())["input"]["encodings"]
    assert [(e["column"], e["rule"]) for e in saved] == [("color", "onehot"), ("published", "age")]


def test_gaps_in_dates_are_missing_values():
    frame = pandas_frame()
    frame.loc[3, "published"] = pd.NaT
    with pytest.raises(ValueError, match="published"):
        dorm.DormRanker().fit(frame, LABEL, qid=QID)
    ranker = dorm.DormRanker(scale="zscore", missing="mean").fit(frame, LABEL, qid=QID)
    hand = HAND.copy()
    known = np.delete(DAY, 3)
    hand["published"] = float(known.max()) - DAY
    hand.loc[3, "published"] = np.float32((known.max() - known).astype(float).sum() / len(known))
    np.testing.assert_array_equal(ranker.coef_, dorm.DormRanker(scale="zscore").fit(hand, LABEL, qid=QID).coef_)


def test_the_smallest_value_of_the_query_stands_for_what_a_retriever_did_not_return(tmp_path):
    frame = HAND.copy()
    gone = np.random.default_rng(1).random(ROWS) < 0.3
    gone[QID == 4] = True
    frame.loc[gone, "bm25"] = np.nan
    filled = frame.copy()
    filled["bm25"] = filled.groupby(QID)["bm25"].transform(lambda x: x.fillna(x.min())).fillna(frame["bm25"].min())
    ranker = dorm.DormRanker(missing="bm25=query-min").fit(frame, LABEL, qid=QID)
    hand = dorm.DormRanker().fit(filled, LABEL, qid=QID)
    np.testing.assert_array_equal(ranker.coef_, hand.coef_)
    np.testing.assert_array_equal(ranker.predict(frame, qid=QID), hand.predict(filled, qid=QID))
    with pytest.raises(ValueError, match="expected .*query-min"):
        dorm.DormRanker(missing="query-mean").fit(frame, LABEL, qid=QID)
    with pytest.raises(ValueError, match="indicator is a feature more"):
        dorm.DormRanker(missing="indicator").fit(frame.to_numpy(), LABEL, qid=QID)


@pytest.fixture
def table(tmp_path):
    frame = pandas_frame().assign(label=LABEL, qid=[f"q{q}" for q in QID], price=[f"{p:,}" for p in PRICE])
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_files_are_read_by_the_same_rules(table, by_hand):
    data = dorm.read_csv(table, encode={"color": "onehot", "published": "age", "price": "thousands"})
    assert data.feature_names == list(HAND.columns)
    ranker = dorm.DormRanker(scale="zscore").fit(data)
    np.testing.assert_array_equal(ranker.coef_, by_hand.coef_)
    again = dorm.read_csv(table, like=ranker)
    np.testing.assert_array_equal(again.X, data.X)
    with pytest.raises(ValueError, match="pass one of them"):
        dorm.read_csv(table, like=ranker, encode="color=onehot")
    with pytest.raises(Exception, match="did you mean .*onehot"):
        dorm.read_csv(table, encode="color=onehott")


def test_tables_of_parquet_are_read(tmp_path, by_hand):
    pytest.importorskip("pyarrow")
    frame = pandas_frame().assign(label=LABEL, qid=[f"q{q}" for q in QID], kind=COLOR)
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="encode="):
        dorm.read_table(tmp_path / "t.parquet")
    data = dorm.read_table(tmp_path / "t.parquet", ignore_columns=["kind"])
    ranker = dorm.DormRanker(scale="zscore").fit(data)
    np.testing.assert_array_equal(ranker.coef_, by_hand.coef_)
    again = dorm.read_table(tmp_path / "t.parquet", like=ranker)
    np.testing.assert_array_equal(again.X, data.X)
    as_text = dorm.read_table(frame.drop(columns="color").rename(columns={"kind": "color"}), encode="color=onehot")
    assert sorted(as_text.feature_names) == sorted(data.feature_names)
    with pytest.raises(Exception, match="a file of Parquet.*read_table"):
        dorm.read_letor(tmp_path / "t.parquet")


RULES = {"color": "onehot", "discount": "percent", "shelf": "onehot", "published": "age+month"}
MISSING = "mean,bm25=query-min,price=indicator"


def shop_frame(module):
    """Text, dates with gaps, decimals with gaps, formatted numbers, numbers that are names."""
    rng = np.random.default_rng(5)
    gone = rng.random((3, ROWS)) < 0.15
    columns = {
        "bm25": [None if gap else x for gap, x in zip(gone[0], BM25.tolist())],
        "color": [f"{c}, x" for c in COLOR],
        "published": [None if gap else day for gap, day in zip(gone[1], DATES)],
        "in_stock": STOCK.tolist(),
        "price": [None if gap else decimal.Decimal(str(p)) for gap, p in zip(gone[2], PRICE)],
        "discount": [f"{x}%" for x in rng.integers(0, 60, ROWS)],
        "shelf": rng.integers(1, 4, ROWS).tolist(),
    }
    if module == "pandas":
        return pd.DataFrame(columns).assign(published=lambda f: pd.to_datetime(f["published"]))
    return pytest.importorskip("polars").DataFrame(columns) if module == "polars" else arrow_of(columns)


def arrow_of(columns):
    return pytest.importorskip("pyarrow").table(columns)


@pytest.fixture(scope="module")
def shop():
    frame = shop_frame("pandas")
    return frame, dorm.DormRanker(scale="zscore", encode=RULES, missing=MISSING).fit(frame, LABEL, qid=QID)


def test_rules_for_columns_of_frames_are_those_of_the_command(shop, tmp_path):
    frame, ranker = shop
    frame.assign(label=LABEL, qid=[f"q{q}" for q in QID]).to_csv(tmp_path / "t.csv", index=False)
    encode = ",".join(f"{column}={rule}" for column, rule in RULES.items())
    command = ["--encode", encode, "--missing", MISSING, "--scale", "zscore", "--model", "c.json", "--quiet"]
    run_dorm("train", "t.csv", *command, cwd=tmp_path)
    ranker.save(tmp_path / "m.json")
    ours, theirs = (json.loads((tmp_path / name).read_text()) for name in ("m.json", "c.json"))
    assert ours["features"] == theirs["features"] and "price=(missing)" in ours["features"]
    assert ours["weights"] == theirs["weights"]
    scores = [float(line) for line in run_dorm("rank", "m.json", "t.csv", cwd=tmp_path).split()]
    np.testing.assert_array_equal(ranker.predict(frame, qid=QID), scores)
    loaded = dorm.DormRanker.load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict(frame, qid=QID), scores)
    assert loaded.encode == RULES and loaded.missing == MISSING


@pytest.mark.parametrize("module", ["polars", "pyarrow"])
def test_frames_of_every_kind_give_the_same_ranker(shop, module):
    frame, ranker = shop
    other = shop_frame(module)
    again = dorm.DormRanker(scale="zscore", encode=RULES, missing=MISSING).fit(other, LABEL, qid=QID)
    np.testing.assert_array_equal(again.coef_, ranker.coef_)
    np.testing.assert_array_equal(ranker.predict(other, qid=QID), ranker.predict(frame, qid=QID))


def test_a_ranker_with_rules_is_pickled_and_cloned_and_used(shop):
    frame, ranker = shop
    scores = ranker.predict(frame, qid=QID)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ranker)).predict(frame, qid=QID), scores)
    copy = clone(ranker)
    assert copy.get_params() == ranker.get_params()
    np.testing.assert_array_equal(copy.fit(frame, LABEL, qid=QID).coef_, ranker.coef_)
    best = ranker.rank(frame, QID) == 1
    assert (scores[best] == [scores[q == QID].max() for q in QID[best]]).all()
    value = dorm.evaluate(LABEL, scores, qid=QID, measures="ndcg@10").measures[0].mean
    assert ranker.score(frame, LABEL, qid=QID) == value
    told = ranker.explain(frame[QID == 0], qid=QID[QID == 0])
    assert "price=(missing)" in told.feature_names
    tuned = dorm.tune(frame, LABEL, qid=QID, folds=2, grid={"C": [10]}, encode=RULES, missing=MISSING)
    assert list(tuned.ranker.feature_names_in_) == list(ranker.feature_names_in_)


def test_rules_that_cannot_be_are_refused_by_name(shop):
    frame, ranker = shop
    for parameters, message in [
        ({"encode": {"colr": "onehot"}}, "names the column 'colr'.*did you mean 'color'"),
        ({"encode": {"color": "onehott"}}, 'did you mean "onehot"'),
        ({"encode": {"color": "age"}}, 'column "color" holds .* expected a date'),
        ({"encode": 3}, 'expected a dict such as {"color": "onehot"}'),
        ({}, "column 'color' of X .*encode={'color': 'onehot'}"),
    ]:
        with pytest.raises(ValueError, match=message):
            dorm.DormRanker(missing=MISSING, **parameters).fit(frame, LABEL, qid=QID)
    with pytest.raises(ValueError, match="X is a ndarray; expected a data frame"):
        dorm.DormRanker(encode=RULES).fit(HAND.to_numpy(), LABEL, qid=QID)
    with pytest.raises(ValueError, match="encoded where it is read"):
        dorm.DormRanker(encode=RULES).fit(dorm.synth(queries=9, features=2, seed=1))
    with pytest.raises(ValueError, match="values and dates of later data"):
        dorm.DormRanker(encode=RULES).partial_fit(frame.drop(columns="price"), LABEL, qid=QID)
    with pytest.raises(ValueError, match="means of later data"):
        dorm.DormRanker(missing="mean,bm25=zero").partial_fit(HAND, LABEL, qid=QID)
