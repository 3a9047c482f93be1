# SPDX-License-Identifier: Apache-2.0
"""Every type of column of numpy, pandas, polars and pyarrow: its numbers, or a refusal that names the column."""

import datetime
import decimal
import subprocess
import sys

import numpy as np
import pytest

import dorm
from dorm._input.dataset import read_labels
from dorm._input.features import read_features
from dorm._input.queries import read_queries, read_weights

VALUES = [1, 0, 3]
DAYS = [datetime.date(2020, 1, 1 + k) for k in range(3)]
TIMES = [datetime.datetime(2020, 1, 1 + k) for k in range(3)]
SPANS = [datetime.timedelta(days=k) for k in range(3)]
AGES, IS_B = [2, 1, 0], [0, 1, 0]  # of days and times, and of the texts a, b, a: the last of their features
NUMPY_NUMBERS = sorted({np.dtype(code).str for code in np.typecodes["AllInteger"] + np.typecodes["Float"] + "?"})
NUMPY_OTHERS = {
    "complex": np.array(VALUES, complex),
    "datetime": np.array(DAYS, "M8[D]"),
    "datetime with gaps": np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[ns]"),
    "timedelta": np.array(VALUES, "m8[s]"),
    "text": np.array(["a", "b", "c"]),
    "bytes": np.array([b"a", b"b", b"c"]),
    "records": np.array([(1, 2)] * 3, dtype=[("x", "f4"), ("y", "f4")]),
    "objects: text": np.array(["a", "b", "c"], object),
    "objects: dates": np.array(DAYS, object),
    "objects: times of numpy": np.array([np.datetime64("2020-01-01", "ns")] * 3, object),
    "objects: spans of numpy": np.array([np.timedelta64(5, "D")] * 3, object),
    "objects: complex": np.array([1j, 2, 3], object),
    "objects: lists": np.array([[1], [2], [3, 4]], object),
}


def expected(values):
    return np.asarray(values, np.float32)


def column(values):
    matrix = np.empty((len(values), 2), dtype=values.dtype)
    matrix[:, 0] = matrix[:, 1] = values
    return matrix


def test_all_types_of_numpy_are_in_the_table():
    known = {np.dtype(name).kind for name in NUMPY_NUMBERS} | {values.dtype.kind for values in NUMPY_OTHERS.values()}
    assert known == {np.dtype(code).kind for code in np.typecodes["All"]}


@pytest.mark.parametrize("name", NUMPY_NUMBERS)
@pytest.mark.parametrize("order", "<>")
def test_numbers_of_numpy_are_read(name, order):
    values = np.array(VALUES).astype(np.dtype(name).newbyteorder(order))
    np.testing.assert_array_equal(read_features(column(values)).values[:, 1], expected(values.astype(float)))
    np.testing.assert_array_equal(read_labels(values, 3), expected(values.astype(float)))


@pytest.mark.parametrize("name", NUMPY_OTHERS)
def test_other_types_of_numpy_are_refused(name):
    values = NUMPY_OTHERS[name]
    for read in (lambda: read_features(column(values)), lambda: read_features(column(values).tolist())):
        if name == "records":  # whose lists are numbers
            read = lambda: read_features(column(values))
        if name in ("datetime", "datetime with gaps", "timedelta"):
            read = lambda: read_features(column(values))
        with pytest.raises((ValueError, TypeError)):
            read()
    with pytest.raises((ValueError, TypeError)):
        read_labels(values, 3)
    with pytest.raises((ValueError, TypeError)):
        read_weights(values, read_queries(None, [1, 1, 1], 3))


@pytest.mark.parametrize("values", [[0, 1e400, 2], ["1.5", "2", "x"]])
def test_rows_in_lists_are_refused_or_read(values):
    if isinstance(values[0], str):
        with pytest.raises(ValueError):
            read_features([[v] for v in values])
    else:
        assert np.isinf(read_features([[v] for v in values]).values[1, 0])


def test_masked_entries_are_missing():
    masked = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], mask=[[0, 0], [0, 1], [0, 0]])
    for dtype in (np.float64, np.float32, np.int64, object):
        values = read_features(masked.astype(dtype)).values
        assert np.isnan(values[1, 1]) and np.nansum(values) == 17, dtype
        unmasked = np.ma.masked_array(masked.data.astype(dtype))
        np.testing.assert_array_equal(read_features(unmasked).values, expected(masked.data))
    with pytest.raises(ValueError, match="NaN or infinity at row 1"):
        read_labels(np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]), 3)
    with pytest.raises(ValueError, match="no id at row 2"):
        read_queries(np.ma.masked_array([1, 1, 2], mask=[0, 0, 1]), None, 3)
    with pytest.raises(ValueError, match="masked"):
        read_queries(None, np.ma.masked_array([1, 2], mask=[0, 1]), 3)
    with pytest.raises(ValueError, match="finite"):
        read_weights(np.ma.masked_array([1.0, 2.0, 1.0], mask=[0, 1, 0]), read_queries(None, [1, 1, 1], 3))


def pandas_columns():
    """By name: the column, and its numbers; None where it has none."""
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    nan = float("nan")
    arrow = lambda kind, values: pd.Series(values, dtype=pd.ArrowDtype(kind))
    columns = {name: (pd.Series(np.array(VALUES, name)), VALUES) for name in ("f4", "f8", "i1", "u8", "?")}
    columns["?"] = (columns["?"][0], [1, 0, 1])
    for name in ("Int8", "UInt64", "Float32", "Float64"):
        columns[name] = (pd.Series([1, None, 3], dtype=name), [1, nan, 3])
    columns |= {
        "boolean": (pd.Series([True, None, False], dtype="boolean"), [1, nan, 0]),
        "sparse": (pd.Series(pd.arrays.SparseArray([0.0, 0, 3])), [0, 0, 3]),
        "category of numbers": (pd.Series([1, 3, 1], dtype="category"), [1, 3, 1]),
        "decimals": (pd.Series([decimal.Decimal("1.5")] * 3), [1.5] * 3),
        "arrow int": (arrow(pa.int32(), [1, None, 3]), [1, nan, 3]),
        "arrow bool": (arrow(pa.bool_(), [True, False, True]), [1, 0, 1]),
        "arrow decimal": (arrow(pa.decimal128(5, 2), [decimal.Decimal("1.5")] * 3), [1.5] * 3),
        "complex": (pd.Series(np.array([1j, 2, 3])), None),
        "datetime": (pd.Series(TIMES), AGES),
        "datetime with gaps": (pd.Series([TIMES[0], pd.NaT, TIMES[1]]), [1, nan, 0]),
        "datetime of a zone": (pd.Series(TIMES).dt.tz_localize("UTC"), AGES),
        "timedelta": (pd.Series(SPANS), None),
        "period": (pd.Series(pd.period_range("2020-01", periods=3, freq="M")), None),
        "interval": (pd.Series(pd.interval_range(0, 3)), None),
        "category of text": (pd.Series(["a", "b", "a"], dtype="category"), IS_B),
        "category of datetimes": (pd.Series(TIMES).astype("category"), None),
        "text": (pd.Series(["a", "b", "c"]), None),
        "dates": (pd.Series(DAYS), None),
        "objects": (pd.Series([object()] * 3), None),
        "timestamps as objects": (pd.Series([pd.Timestamp(t) for t in TIMES], dtype=object), None),
        "timedelta of numpy as objects": (pd.Series([np.timedelta64(1, "D")] * 3, dtype=object), None),
        "arrow timestamp": (arrow(pa.timestamp("us"), TIMES), AGES),
        "arrow date": (arrow(pa.date32(), DAYS), AGES),
        "arrow duration": (arrow(pa.duration("s"), SPANS), None),
        "arrow text": (arrow(pa.string(), ["a", "b", "c"]), None),
        "arrow list": (arrow(pa.list_(pa.int8()), [[1], [2], [3]]), None),
    }
    return lambda columns: pd.DataFrame(columns), columns


def kinds_of_polars(pl):
    found = (getattr(pl, name) for name in dir(pl))
    kinds = {kind for kind in found if isinstance(kind, type) and issubclass(kind, pl.DataType)}
    return {kind for kind in kinds if not kind.__subclasses__()}  # the others are families


def polars_columns():
    pl = pytest.importorskip("polars")
    nan = float("nan")
    numeric = [kind for kind in kinds_of_polars(pl) if kind.is_numeric() and kind is not pl.Decimal]
    columns = {str(kind): (pl.Series([1, None, 3], dtype=kind), [1, nan, 3]) for kind in numeric}
    columns |= {
        "decimal": (pl.Series([decimal.Decimal("1.5")] * 3), [1.5] * 3),
        "bool": (pl.Series([True, None, False]), [1, nan, 0]),
        "null": (pl.Series([None] * 3), None),
        "date": (pl.Series(DAYS), AGES),
        "datetime": (pl.Series(TIMES), AGES),
        "duration": (pl.Series(SPANS), None),
        "time": (pl.Series([datetime.time(1)] * 3), None),
        "text": (pl.Series(["a", "b", "c"]), None),
        "numbers as text": (pl.Series(["1", "2", "3"]), None),
        "category": (pl.Series(["a", "b", "a"], dtype=pl.Categorical), IS_B),
        "enum": (pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b"])), IS_B),
        "bytes": (pl.Series([b"1", b"2", b"3"]), None),
        "list": (pl.Series([[1], [2], [3]]), None),
        "array": (pl.Series([[1], [2], [3]], dtype=pl.Array(pl.Int8, 1)), None),
        "struct": (pl.Series([{"a": 1}] * 3), None),
        "object": (pl.Series([object()] * 3, dtype=pl.Object), None),
    }
    return lambda columns: pl.DataFrame(columns), columns


def pyarrow_columns():
    pa = pytest.importorskip("pyarrow")
    nan = float("nan")
    kinds = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    columns = {str(kind): (pa.array([1, None, 3], kind), [1, nan, 3]) for kind in kinds}
    for kind in (pa.float16(), pa.float32(), pa.float64()):
        columns[str(kind)] = (pa.array([np.float16(1), None, np.float16(3)], kind), [1, nan, 3])
    columns |= {
        "decimal": (pa.array([decimal.Decimal("1.5")] * 3), [1.5] * 3),
        "bool": (pa.array([True, None, False]), [1, nan, 0]),
        "dictionary of numbers": (pa.array([1, 3, 1]).dictionary_encode(), [1, 3, 1]),
        "date32": (pa.array(DAYS, pa.date32()), AGES),
        "date64": (pa.array(DAYS, pa.date64()), AGES),
        "timestamp": (pa.array(TIMES, pa.timestamp("ns")), AGES),
        "duration": (pa.array(SPANS, pa.duration("s")), None),
        "time32": (pa.array([1, 2, 3], pa.time32("s")), None),
        "time64": (pa.array([1, 2, 3], pa.time64("us")), None),
        "interval": (pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()), None),
        "text": (pa.array(["a", "b", "c"]), None),
        "large text": (pa.array(["a", "b", "c"], pa.large_string()), None),
        "text view": (pa.array(["a", "b", "c"], pa.string_view()), None),
        "large decimal": (pa.array([decimal.Decimal("1.5")] * 3, pa.decimal256(5, 2)), [1.5] * 3),
        "null": (pa.nulls(3), [nan] * 3),
        "bytes": (pa.array([b"1", b"2", b"3"]), None),
        "large bytes": (pa.array([b"1", b"2", b"3"], pa.large_binary()), None),
        "bytes view": (pa.array([b"1", b"2", b"3"], pa.binary_view()), None),
        "large list": (pa.array([[1], [2], [3]], pa.large_list(pa.int8())), None),
        "list view": (pa.array([[1], [2], [3]], pa.list_view(pa.int8())), None),
        "list of a size": (pa.array([[1], [2], [3]], pa.list_(pa.int8(), 1)), None),
        "union": (pa.UnionArray.from_sparse(pa.array([0, 0, 0], pa.int8()), [pa.array([1, 2, 3])]), None),
        "runs": (pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2]), None),
        "fixed bytes": (pa.array([b"1", b"2", b"3"], pa.binary(1)), None),
        "list": (pa.array([[1], [2], [3]]), None),
        "struct": (pa.array([{"a": 1}] * 3), None),
        "map": (pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int8())), None),
        "dictionary of text": (pa.array(["a", "b", "a"]).dictionary_encode(), IS_B),
    }
    return lambda columns: pa.table(columns), columns


@pytest.mark.parametrize("table", [pandas_columns, polars_columns, pyarrow_columns])
@pytest.mark.parametrize("company", [False, True])
def test_columns_of_frames_are_read_or_refused_by_name(table, company):
    make, columns = table()
    wrong = []
    for name, (values, numbers) in columns.items():
        frame = make({**({"plain": [1.5, 2.5, 3.5]} if company else {}), "the column": values})
        try:
            read = read_features(frame).values[:, -1]
            if numbers is None or not np.array_equal(read, expected(numbers), equal_nan=True):
                wrong.append((name, read.tolist()))
        except (ValueError, TypeError) as error:
            if numbers is not None or "the column" not in str(error):
                wrong.append((name, str(error)))
    assert not wrong


@pytest.mark.parametrize("table", [pandas_columns, polars_columns, pyarrow_columns])
def test_labels_of_frames_are_read_or_refused(table):
    _, columns = table()
    wrong = []
    for name, (values, numbers) in columns.items():
        try:
            read = read_labels(values, 3)
            if numbers is None or not np.array_equal(read, expected(numbers)):
                wrong.append((name, read.tolist()))
        except (ValueError, TypeError):
            made = numbers is AGES or numbers is IS_B  # features of what is no number, which labels have to be
            if numbers is not None and not made and not np.isnan(numbers).any():
                wrong.append((name, "refused"))
    assert not wrong


def test_names_that_are_no_text_are_escaped_or_refused():
    rows, labels = np.eye(4), [1, 0, 1, 0]
    ranker = dorm.DormRanker().fit(rows, labels, qid=["a\udc80"] * 2 + ["b"] * 2)
    assert ranker.predict(rows).shape == (4,)
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="lone surrogates"):
        dorm.DormRanker().fit(
            pd.DataFrame(rows, columns=pd.Index(list("abcd\udc80")[1:], dtype=object)), labels, group=[2, 2]
        )


def test_numbers_out_of_range_are_refused_by_name(tmp_path):
    log = {"qid": ["q"], "docid": ["d"], "position": [2**32 + 1], "click": [1]}
    with pytest.raises(ValueError, match="position"):
        dorm.clicks.gains(log)
    with pytest.raises(ValueError, match="position"):
        dorm.clicks.gains({**log, "position": [1]}, propensities={10**30: 0.5})
    with pytest.raises(ValueError, match="propensit|out of its range"):
        dorm.clicks.gains({**log, "position": [1]}, propensities=[("", 10**30, 0.5, 1.0, 1.0, 0.0)])
    with pytest.raises(ValueError, match="port"):
        dorm.serve(tmp_path / "m.json", port=99999)
    with pytest.raises(ValueError, match="finite"):
        dorm.matching.assign([[1e308, -1e308], [-1e308, 1e308]])


def test_tokens_are_checked_as_those_of_files_are(tmp_path):
    path = tmp_path / "m.json"
    dorm.DormRanker(scale="none").fit(np.eye(4), [1, 0, 1, 0], group=[2, 2]).save(path)
    for token in ("x", "0123456789abcdef\r\nX: y"):
        with pytest.raises(ValueError, match="no usable token"):
            dorm.serve(path, bind="0.0.0.0", token=token, port=0)


def test_a_server_that_runs_at_the_end_leaves_nothing(tmp_path):
    path = tmp_path / "m.json"
    dorm.DormRanker(scale="none").fit(np.eye(4), [1, 0, 1, 0], group=[2, 2]).save(path)
    program = f"import dorm; server = dorm.serve({str(path)!r}, port=0); print(server.url)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("http://") and done.stderr == ""


@pytest.mark.parametrize("values", [np.array(DAYS, "M8[D]"), np.array(VALUES, "m8[s]"), np.array(VALUES, complex)])
def test_scores_ratings_and_other_numbers_are_numbers(values):
    other = np.ones(3)
    for use in (
        lambda: dorm.compare(values, other),
        lambda: dorm.evaluate([1, 0, 1], values, group=[3]),
        lambda: dorm.evaluate(values, other, group=[3]),
        lambda: dorm.recommend.DormFactorization().fit({"user": ["a"] * 3, "item": ["x", "y", "z"], "rating": values}),
    ):
        with pytest.raises((ValueError, TypeError), match="expected|not supported|no numbers|cannot"):
            use()
