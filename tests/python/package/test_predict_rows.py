# SPDX-License-Identifier: Apache-2.0
"""predict on a dense matrix without scaling: the rows are scored where they lie, without a data set around them."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import dorm


@pytest.fixture(scope="module")
def fitted() -> tuple[dorm.DormRanker, np.ndarray]:
    X, y, qid = dorm.synth(queries=30, features=7, seed=3)
    X = np.ascontiguousarray((X - X.min(0)) / (X.max(0) - X.min(0)), dtype=np.float32)
    return dorm.DormRanker(n_jobs=1).fit(X, y, qid=qid), X


def test_scores_are_products_with_the_weights(fitted: tuple[dorm.DormRanker, np.ndarray]) -> None:
    ranker, X = fitted
    assert ranker.model_.scaling == "none"
    expected = X.astype(np.float64) @ ranker.coef_
    np.testing.assert_allclose(ranker.predict(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ranker.model_.score_rows(X), expected, rtol=1e-12, atol=1e-12)


def test_every_way_to_pass_the_rows_gives_the_same_scores(fitted: tuple[dorm.DormRanker, np.ndarray]) -> None:
    ranker, X = fitted
    scores = ranker.predict(X)
    wide = np.zeros((len(X), 12), dtype=np.float32)
    wide[:, 2:9] = X
    for other in (X.astype(np.float64), X.tolist(), np.asfortranarray(X), wide[:, 2:9]):
        np.testing.assert_array_equal(ranker.predict(other), scores)
    np.testing.assert_allclose(ranker.predict(sparse.csr_matrix(X)), scores, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(ranker.predict(X[::2]), scores[::2])
    np.testing.assert_array_equal(ranker.predict(X[:1]), scores[:1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ranker)).predict(X), scores)


def test_a_saved_model_scores_alike(fitted: tuple[dorm.DormRanker, np.ndarray], tmp_path: object) -> None:
    ranker, X = fitted
    ranker.save(f"{tmp_path}/m.json")
    np.testing.assert_array_equal(dorm.DormRanker.load(f"{tmp_path}/m.json").predict(X), ranker.predict(X))


def test_what_cannot_be_scored_is_refused_in_the_same_words(fitted: tuple[dorm.DormRanker, np.ndarray]) -> None:
    ranker, X = fitted
    damaged = X.copy()
    damaged[4, 2] = np.nan
    with pytest.raises(ValueError, match="X contains NaN at row 4, column 2"):
        ranker.predict(damaged)
    damaged[4, 2] = -np.inf
    with pytest.raises(ValueError, match="X contains infinity at row 4, column 2"):
        ranker.predict(damaged)
    with pytest.raises(ValueError, match="X has 6 features, but DormRanker is expecting 7"):
        ranker.predict(X[:, :6])
    with pytest.raises(NotImplementedError, match="rows alone do not say"):
        ranker.model_.score_rows(np.ascontiguousarray(X[:, :6]))


def test_scores_that_are_not_finite_are_refused(fitted: tuple[dorm.DormRanker, np.ndarray], tmp_path: object) -> None:
    ranker, X = fitted
    text = json.loads(ranker.model_.to_json())
    text["weights"] = [1e300] * 7
    with open(f"{tmp_path}/m.json", "w") as out:
        json.dump(text, out)
    with pytest.raises(ValueError, match="the score of document 1 of query 0 is not finite"):
        dorm.DormRanker.load(f"{tmp_path}/m.json").predict(np.full_like(X, 3e38))


def test_names_are_matched_before_rows_are_scored(fitted: tuple[dorm.DormRanker, np.ndarray]) -> None:
    _, X = fitted
    _, y, qid = dorm.synth(queries=30, features=7, seed=3)
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    ranker = dorm.DormRanker(n_jobs=1).fit(frame, y, qid=qid)
    np.testing.assert_allclose(ranker.predict(frame), X.astype(np.float64) @ ranker.coef_, rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="same order"):
        ranker.predict(frame[list("bacdefg")])


def test_a_scaled_model_takes_no_bare_rows() -> None:
    data = dorm.synth(queries=30, features=5, seed=1)
    ranker = dorm.DormRanker(scale="zscore", n_jobs=1).fit(data)
    with pytest.raises(NotImplementedError, match="rows alone do not say"):
        ranker.model_.score_rows(np.ascontiguousarray(data.X, dtype=np.float32))
    np.testing.assert_allclose(ranker.predict(data), ranker.explain(data).sum(axis=1), rtol=1e-9, atol=1e-9)
