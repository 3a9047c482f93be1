# SPDX-License-Identifier: Apache-2.0
"""Columns of frames and files that hold no plain numbers: the models of columns made by hand."""

import datetime
import decimal
import json

import numpy as np
import pandas as pd
import pytest

import dorm

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
        dorm.DormRanker(missing="indicator").fit(frame, LABEL, qid=QID)


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
