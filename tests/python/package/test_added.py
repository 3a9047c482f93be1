"""Columns from sets and of users, against numpy; and what kernels make of them, against explicit products."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import dorm

ROOT = Path(__file__).resolve().parents[3]
FORTUNES = Path(os.environ.get("DORM_FORTUNES", "/usr/share/games/fortunes"))
MOVIELENS = Path(os.environ.get("DORM_DATA", ROOT / "../shared/data")) / "movielens-100k"


def documents(seed, queries, size, features=6, **about):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(queries * size, features)).astype(np.float32)
    qid = np.repeat(np.arange(queries), size)
    return dorm.RankingData(X=X, y=rng.integers(0, 3, len(X)).astype(np.float32), qid=qid, **about)


def cosines(a, b):
    return (a / np.linalg.norm(a, axis=1, keepdims=True)) @ (b / np.linalg.norm(b, axis=1, keepdims=True)).T


def test_sets_are_means_and_maxima_of_kernel_values():
    data, sets = documents(1, 5, 8), documents(2, 5, 3)
    similarities = ["mean:attribute", "max:linear", "mean:rbf(1-3):gamma=0.5", "columns"]
    found = dorm.data.with_sets(data, sets, similarities, only_added=True, n_jobs=2)
    assert found.feature_names == [*similarities[:3], *(f"set:{j}" for j in range(1, 7))]
    for q in range(5):
        x, s = data.X[data.qid == q].astype(float), sets.X[sets.qid == q].astype(float)
        distances = ((x[:, None, :3] - s[None, :, :3]) ** 2).sum(axis=2)
        expected = [cosines(x, s).mean(axis=1), (x @ s.T).max(axis=1), np.exp(-0.5 * distances).mean(axis=1)]
        expected = np.column_stack([*expected, np.tile(s.mean(axis=0), (len(x), 1))])
        np.testing.assert_allclose(found.X[data.qid == q], expected, rtol=1e-5, atol=1e-6)
    both = dorm.data.with_sets(data, sets, similarities[:1])
    np.testing.assert_array_equal(both.X[:, :6], data.X)
    np.testing.assert_array_equal(both.X[:, 6], found.X[:, 0])
    np.testing.assert_array_equal(both.y, data.y)


def test_sets_may_be_sparse_unlabelled_or_a_file(tmp_path):
    data, sets = documents(1, 3, 4), documents(2, 3, 5)
    expected = dorm.data.with_sets(data, sets)
    thin = dorm.RankingData(X=sparse.csr_matrix(sets.X), y=None, qid=sets.qid)
    np.testing.assert_array_equal(dorm.data.with_sets(data, thin).X, expected.X)
    path = tmp_path / "sets.csv"
    frame = pd.DataFrame(sets.X, columns=[str(j) for j in range(1, 7)]).assign(qid=sets.qid)
    frame.to_csv(path, index=False)
    np.testing.assert_allclose(dorm.data.with_sets(data, path).X, expected.X, rtol=1e-6)
    asked = dorm.RankingData(X=data.X, y=None, qid=data.qid)
    assert dorm.data.with_sets(asked, sets).y is None


def test_a_document_is_left_out_of_its_own_set():
    data = documents(1, 1, 4, document_ids=["a", "b", "c", "d"])
    found = dorm.data.with_sets(data, data, "max:attribute", only_added=True)
    similar = cosines(data.X.astype(float), data.X.astype(float))
    np.fill_diagonal(similar, -np.inf)
    np.testing.assert_allclose(found.X[:, 0], similar.max(axis=1), rtol=1e-5)


def test_what_is_wrong_is_said():
    data, sets = documents(1, 3, 4), documents(2, 2, 5)
    with pytest.raises(ValueError, match="query 2 has no set"):
        dorm.data.with_sets(data, sets)
    with pytest.raises(ValueError, match='unknown similarity "median"'):
        dorm.data.with_sets(data, data, "median:linear")
    with pytest.raises(ValueError, match="sets is a ndarray; expected RankingData"):
        dorm.data.with_sets(data, data.X)
    with pytest.raises(ValueError, match="user_features is None"):
        dorm.data.with_user_features(data, None)
    with pytest.raises(ValueError, match="has rows for none of the 3 users"):
        dorm.data.with_user_features(data, pd.DataFrame({"user": [7], "age": [1.0]}))


def personal(seed=3, users=40, size=10):
    """Items of three columns for users of two, each user with weights of their own."""
    rng = np.random.default_rng(seed)
    who, X = rng.normal(size=(users, 2)), rng.normal(size=(users * size, 3))
    qid = np.repeat(np.arange(users), size)
    worth = X @ [1, 0.5, 0] + ((who @ rng.normal(size=(2, 3)))[qid] * X).sum(axis=1)
    y = np.digitize(worth, np.quantile(worth, [0.5, 0.8])).astype(np.float32)
    items = dorm.RankingData(X=X, y=y, qid=qid, feature_names=["item:a", "item:b", "item:c"])
    return dorm.data.with_user_features(items, pd.DataFrame(who, columns=["old", "tall"]).assign(user=range(users)))


def test_columns_of_users_stand_beside_those_of_items():
    data = personal()
    assert data.feature_names == ["item:a", "item:b", "item:c", "user:old", "user:tall"]
    for q in range(40):
        assert len(np.unique(data.X[data.qid == q][:, 3:], axis=0)) == 1
    items = dorm.RankingData(X=data.X[:, :3], y=data.y, qid=data.qid)
    with pytest.warns(UserWarning, match="39 of 40 users have no features"):
        some = dorm.data.with_user_features(items, pd.DataFrame({"user": [5], "age": [2.0]}))
    np.testing.assert_array_equal(some.X[:, 3], np.where(data.qid == 5, 2, 0))


def test_users_may_stand_in_a_file(tmp_path):
    path = tmp_path / "users.csv"
    path.write_text("id,age,home\n0,0.5,sea\n1,0.25,town\n2,1,sea\n")
    found = dorm.data.with_user_features(documents(1, 3, 2, features=1), path, columns="2-3")
    assert found.feature_names == ["1", "user:age", "user:home: sea", "user:home: town"]
    assert found.X[::2, 1:].tolist() == [[0.5, 1, 0], [0.25, 0, 1], [1, 1, 0]]


KERNEL = "linear(item:*) + linear(user:*) * linear(item:*)"


@pytest.mark.parametrize("approximation", ["none", "cholesky:50"])
def test_a_product_of_linear_kernels_is_a_linear_ranker_of_all_products(approximation):
    data = personal()
    items, users = data.X[:, :3], data.X[:, 3:]
    crossed = np.hstack([items, *(users[:, [j]] * items for j in range(2))])
    options = {"C": 10, "scale": "none", "bound": "average", "tolerance": 1e-6}
    linear = dorm.DormRanker("ndcg@5", **options).fit(crossed, data.y, qid=data.qid)
    kernel = dorm.DormRanker("ndcg@5", kernel=KERNEL, solver_options={"approximation": approximation}, **options).fit(
        data
    )
    expected, scores = linear.predict(crossed), kernel.predict(data)
    np.testing.assert_allclose(scores, expected, atol=0.02 * np.abs(expected).max())


def test_a_product_that_scaling_has_made_zero_is_refused():
    with pytest.raises(ValueError, match=r'"linear\(user:\*\)": all values are 0.*log-query-zscore works within each'):
        dorm.DormRanker(kernel=KERNEL).fit(personal())
    dorm.DormRanker(kernel=KERNEL, scale="zscore", C=1).fit(personal())


def example(name, folder):
    done = subprocess.run(
        [sys.executable, ROOT / "examples/python" / f"{name}.py", folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def interval(said, after, line):
    """The ends of the interval of the mean difference on the line with these words behind others."""
    found = next(each for each in said[said.index(after) :].splitlines() if line in each)
    return [float(x) for x in re.search(r"mean difference \S+ \[(\S+), (\S+)\]", found).groups()]


def test_sets_of_generated_texts_find_their_authors_and_strangers_do_not(tmp_path):
    said = example("authorship", tmp_path / "none")
    assert "no fortunes in" in said
    assert interval(said, "generated texts", "6 texts - one text")[0] > 0.1
    assert interval(said, "generated texts", "with strangers - one text")[1] < 0


@pytest.mark.skipif(not FORTUNES.is_dir(), reason=f"no {FORTUNES}: apt install fortunes")
def test_sets_of_fortunes_find_their_authors_and_strangers_do_not():
    said = example("authorship", FORTUNES)
    assert interval(said, "fortunes: ", "6 texts - one text")[0] > 0.05
    assert interval(said, "fortunes: ", "with strangers - one text")[1] < 0


def test_generated_users_are_ranked_for_one_by_one_where_they_differ(tmp_path):
    said = example("personalised", tmp_path)
    assert "no MovieLens 100K in" in said
    assert interval(said, "each with a taste", "for each")[0] > 0.02
    low, high = interval(said, "all of one taste", "for each")
    assert low < 0 and high < 0.01  # nothing to gain


@pytest.mark.skipif(not (MOVIELENS / "u.data.gz").exists(), reason=f"no {MOVIELENS}: set DORM_DATA")
def test_tastes_help_on_movielens_and_demographics_do_not():
    said = example("personalised", MOVIELENS)
    assert interval(said, "MovieLens", "genre by genre  ")[0] > -0.001  # +0.0013, give or take how processors round
    low, high = interval(said, "MovieLens", "by age, gender, occupation")
    assert low < 0 < high
