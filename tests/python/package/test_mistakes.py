"""Every mistake gets a message that says what to do."""

import re
from pathlib import Path

import numpy as np
import pytest

import dorm

X = np.random.default_rng(0).random((6, 3)).astype(np.float32)
y = np.array([0, 1, 2, 0, 1, 0])
qid = np.array([1, 1, 1, 2, 2, 2])


def fit(features=X, labels=y, parameters=None, **arguments):
    return dorm.DormRanker(**{"n_jobs": 1, **(parameters or {})}).fit(features, labels, **arguments)


def nan_at(row, column):
    out = X.copy()
    out[row, column] = np.nan
    return out


CASES = {
    "neither ids nor sizes": (lambda: fit(), "pass qid= (an id for every row), group= (the sizes"),
    "both": (lambda: fit(qid=qid, group=[3, 3]), "both qid and group are given; pass one of them"),
    "sizes that do not sum": (lambda: fit(group=[3, 2]), "the sizes in group sum to 5, but X has 6 rows"),
    "ids as sizes": (lambda: fit(group=[1, 1, 2, 2, 3, 3]), "it may hold ids: pass those as qid="),
    "sizes as ids": (lambda: fit(qid=[4, 2]), "it may hold sizes: pass those as group="),
    "a size of 0": (lambda: fit(group=[6, 0]), "group holds a size of 0; expected 1 to 6"),
    "float sizes": (lambda: fit(group=[3.0, 3.0]), "expected whole numbers, the sizes of consecutive queries"),
    "no sizes": (lambda: fit(group=[]), "expected a list of sizes"),
    "ids of the wrong length": (lambda: fit(qid=qid[:-1]), "qid has 5 entries, but X has 6 rows"),
    "float ids": (lambda: fit(qid=qid.astype(float)), "convert them, e.g. qid.astype(int)"),
    "float ids among others": (lambda: fit(qid=["a", "a", "a", 2.5, 2.5, 2.5]), "holds the float 2.5 at row 3"),
    "a missing id": (lambda: fit(qid=["a", "a", None, "b", "b", "b"]), "no id at row 2 (it holds None)"),
    "ids that cannot be hashed": (lambda: fit(qid=[[1], [1], [1], [2], [2], [2]]), "expected hashable ids"),
    "ids in two dimensions": (lambda: fit(qid=np.ones((6, 2), int)), "expected one id per row"),
    "complex ids": (lambda: fit(qid=qid.astype(complex)), "expected whole numbers, text or other hashable ids"),
    "one query": (lambda: fit(qid=np.ones(6, int)), "all 6 rows (samples) belong to one query; expected several"),
    "one size": (lambda: fit(group=[6]), "belong to one query"),
    "no labels": (lambda: fit(labels=None, qid=qid), "requires y to be passed, but the target y is None"),
    "labels of the wrong length": (lambda: fit(labels=y[:4], qid=qid), "y has 4 entries, but X has 6 rows"),
    "a missing label": (lambda: fit(labels=[0, 1, np.nan, 0, 1, 0], qid=qid), "contains NaN or infinity at row 2"),
    "nothing to learn": (lambda: fit(labels=np.zeros(6), qid=qid), "no query to learn ndcg@10 from"),
    "NaN": (lambda: fit(nan_at(4, 1), qid=qid), "X contains NaN at row 4, column 1 (counted from 0)"),
    "NaN in mixed rows": (lambda: fit(nan_at(4, 1), qid=[1, 2, 1, 2, 1, 2]), "X contains NaN at row 4, column 1"),
    "NaN in a named column": (
        lambda: fit(nan_at(4, 1), qid=qid, feature_names=["bm25", "age", "length"]),
        'X contains NaN at row 4, column 1 "age" (counted from 0); expected finite float32 numbers: replace it, or let '
        'the ranker do so with missing="mean"',
    ),
    "text labels": (
        lambda: fit(labels=["good", "bad", "good", "bad", "good", "bad"], qid=qid),
        "y holds the text 'good' at row 0; expected numbers, larger is better: map the grades",
    ),
    "text among the features": (
        lambda: fit(np.array([["1", "2", "red"]] * 6, dtype=object), qid=qid),
        "column 2 of X (counted from 0) cannot be read as numbers: it holds 'red' at row 0; drop or encode",
    ),
    "dates among the features": (
        lambda: fit(np.array([["2026-01-01"] * 3] * 6, dtype="datetime64[D]"), qid=qid),
        "X holds datetime64[D]; expected numbers",
    ),
    "no data to explore": (lambda: dorm.explore(data=(X, y, qid)), "data is a tuple; expected a RankingData"),
    "infinity": (lambda: fit(X.astype(float) * 1e300, qid=qid), "X contains infinity at row 0"),
    "one dimension": (lambda: fit(X[:, 0], qid=qid), "Expected 2D array"),
    "constant features": (lambda: fit(np.ones_like(X), qid=qid), "nothing to rank by"),
    "weights of the wrong length": (lambda: fit(qid=qid, sample_weight=[1, 2, 3]), "one weight per query (2) or per"),
    "weights that vary": (lambda: fit(qid=qid, sample_weight=[1, 1, 1, 1, 2, 1]), "varies within query 2"),
    "negative weights": (lambda: fit(qid=qid, sample_weight=[1, -1]), "finite numbers, zero or more, not all zero"),
    "names of the wrong length": (lambda: fit(qid=qid, feature_names=["a"]), "1 feature_names for 3 columns of X"),
    "repeated names": (lambda: fit(qid=qid, feature_names=["a", "a", "b"]), "must be distinct texts"),
    "ids of nothing": (lambda: fit(qid=qid, eval_qid=qid), "eval_qid or eval_group without eval_set"),
    "no ids of eval_set": (lambda: fit(qid=qid, eval_set=(X, y)), "pass eval_qid= (an id for every row)"),
    "a strange eval_set": (lambda: fit(qid=qid, eval_set=X), "eval_set must be one pair (X, y)"),
    "another eval_set": (lambda: fit(qid=qid, eval_set=(X[:, :2], y), eval_qid=qid), "X has 2 features, but"),
    "early stopping alone": (
        lambda: fit(qid=qid, parameters={"early_stopping": 3}),
        "early_stopping needs eval_set=(X, y)",
    ),
    "an unknown measure": (lambda: fit(qid=qid, parameters={"measure": "ndgc@5"}), 'did you mean "ndcg"'),
    "a measure that cannot be trained": (lambda: fit(qid=qid, parameters={"measure": "map"}), "map"),
    "an unknown bound": (lambda: fit(qid=qid, parameters={"bound": "bset"}), 'did you mean "best"'),
    "a negative C": (lambda: fit(qid=qid, parameters={"C": -1}), "C is -1; expected a number above 0"),
    "C as text": (lambda: fit(qid=qid, parameters={"C": "10"}), "C is '10'; expected a number"),
    "half a pass": (
        lambda: fit(qid=qid, parameters={"solver_options": {"max_passes": 1.5}}),
        "max_passes is 1.5; expected a whole",
    ),
    "no jobs": (lambda: fit(qid=qid, parameters={"n_jobs": 0}), "n_jobs is 0; expected None"),
    "endless jobs": (lambda: fit(qid=qid, parameters={"n_jobs": float("inf")}), "n_jobs is inf; expected None"),
    "jobs in words": (lambda: fit(qid=qid, parameters={"n_jobs": "all"}), "n_jobs is 'all'; expected None"),
    "negative passes": (
        lambda: fit(qid=qid, parameters={"solver_options": {"max_passes": -1}}),
        "max_passes is -1; expected a whole",
    ),
    "negative rounds": (
        lambda: fit(qid=qid, parameters={"solver_options": {"rounds": -1}}),
        "rounds is -1; expected a whole",
    ),
    "a negative seed": (lambda: fit(qid=qid, parameters={"random_state": -1}), "random_state is -1"),
    "too few columns": (lambda: fit(qid=qid).predict(X[:, :2]), "X has 2 features, but DormRanker is expecting 3"),
    "a scaling without queries": (
        lambda: fit(X * 9, qid=qid).predict(X),
        "pass qid= or group=, or fit with scale=",
    ),
    "a split without queries": (lambda: next(dorm.QueryKFold(2).split(X)), "which rows belong to which query"),
    "too many folds": (lambda: next(dorm.QueryKFold(3).split(X, groups=qid)), "n_splits is 3, with 2 queries"),
    "scores of the wrong length": (lambda: dorm.evaluate(y, [1.0], qid=qid), "y has 6 entries, but scores has 1"),
    "different queries": (
        lambda: dorm.compare(dorm.evaluate(y, y, qid=qid), dorm.evaluate(y, y, qid=qid + 1)),
        "the two evaluations are of different queries",
    ),
    "which measure": (
        lambda: dorm.compare(dorm.evaluate(y, y, qid=qid), dorm.evaluate(y, y, qid=qid)),
        "pass measure=, one of ndcg@10, map, mrr",
    ),
    "increasing position weights": (
        lambda: dorm.evaluate(y, y, qid=qid, measures=dorm.Measure(a=[1, 2], b=[0, 1, 2])),
        "never increase from one position to the next",
    ),
    "a label off the table": (
        lambda: fit(qid=qid, parameters={"measure": dorm.Measure(a=[1], b=[0, 1])}),
        "b has 2 entries, so labels must be whole numbers from 0 to 1; found 0 to 2",
    ),
    "gains of another length": (
        lambda: fit(qid=qid, parameters={"measure": dorm.Measure(a=[1], b=lambda labels: [1])}),
        "b has shape (1,) for a query of 3 documents",
    ),
    "no matrix": (lambda: dorm.matching.assign([1, 2]), "cost has 1 dimensions"),
    "NaN costs": (lambda: dorm.matching.assign([[np.nan]]), "nan"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_message_says_what_to_do(case):
    mistake, message = CASES[case]
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        mistake()


def test_a_missing_file_is_an_oserror(tmp_path):
    for read in (dorm.read_letor, dorm.DormRanker.load):
        with pytest.raises(OSError, match="nowhere"):
            read(tmp_path / "nowhere.txt")


def test_a_broken_file_is_refused_with_its_place(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text("1 qid:1 1:0.5\n1 qid:1 1:x\n")
    with pytest.raises(ValueError, match=r"broken.txt:2:\d+: "):
        dorm.read_letor(path)


def test_bytes_of_a_file_that_are_no_text_are_shown(tmp_path):
    """In a message of the library, too, which Python reads as UTF-8."""
    text = (Path(__file__).parents[3] / "fuzz/corpus/trees/lightgbm").read_bytes()
    (tmp_path / "lgb.txt").write_bytes(text.replace(b"num_class=1", b"num_class=\xff"))
    with pytest.raises(ValueError, match=r"lgb\.txt.*\\xff"):
        dorm.load_model(tmp_path / "lgb.txt")
