# SPDX-License-Identifier: Apache-2.0
"""Rankers under scikit-learn's permutation_importance and SHAP's explainers."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance

import dorm

LINEAR = ["none", "zscore", "minmax"]


@pytest.mark.parametrize("scale", LINEAR)
def test_the_linear_form_gives_the_scores(data, fitted, scale):
    X, _, qid = data
    coef, intercept = fitted[scale].linear_form()
    scores = fitted[scale].predict(X, qid=qid)
    assert np.allclose(X @ coef + intercept, scores, rtol=0, atol=1e-12 * np.abs(X * coef).sum(axis=1).max())


@pytest.mark.parametrize("scale, why", [("log-zscore", "takes logarithms"), ("query-minmax", "the other documents")])
def test_no_linear_form(fitted, scale, why):
    with pytest.raises(ValueError, match=f"{why}.*ranker.explain"):
        fitted[scale].linear_form()
    with pytest.raises(AttributeError, match="linear_form"):
        fitted[scale].intercept_  # noqa: B018


def test_no_linear_form_of_a_kernel(data):
    X, y, qid = data
    ranker = dorm.DormRanker(
        C=1, kernel="rbf:gamma=0.1", solver_options={"approximation": "nystroem:10"}, n_jobs=1
    ).fit(X, y, qid=qid)
    with pytest.raises(ValueError, match="kernel"):
        ranker.linear_form()


def test_the_linear_form_of_wide_sparse_features(data):
    sparse = pytest.importorskip("scipy.sparse")
    X, y, qid = data
    wide = sparse.lil_matrix((len(y), 5000), dtype=np.float32)
    wide[:, [3, 70, 4999]] = X[:, [0, 3, 4]]
    ranker = dorm.DormRanker(C=10, scale="none", n_jobs=1).fit(wide.tocsr(), y, qid=qid)
    coef, intercept = ranker.linear_form()
    assert coef.shape == (5000,) and intercept == 0
    assert np.allclose(wide @ coef, ranker.predict(wide.tocsr(), qid=qid), atol=1e-12)


@pytest.mark.parametrize("scale", LINEAR)
def test_contributions_are_those_of_shap(data, fitted, scale):
    shap = pytest.importorskip("shap", reason="SHAP is not installed")
    X, _, qid = data
    ranker = fitted[scale]
    background = shap.maskers.Independent(X[:50].astype(float), max_samples=50)
    explainer = shap.LinearExplainer(ranker.linear_form(), background)
    theirs = explainer.shap_values(X.astype(float))
    parts = np.asarray(ranker.explain(X, qid=qid))
    size = np.abs(parts).max()
    assert np.allclose(theirs, parts - parts[:50].mean(axis=0), rtol=0, atol=1e-12 * size)
    assert np.isclose(explainer.expected_value, ranker.predict(X[:50], qid=qid[:50]).mean(), rtol=0, atol=1e-12 * size)


def test_shap_takes_an_unscaled_ranker_as_it_is(data, fitted):
    shap = pytest.importorskip("shap", reason="SHAP is not installed")
    X = data[0].astype(float)
    masker = shap.maskers.Independent(X[:50], max_samples=50)
    theirs = shap.LinearExplainer(fitted["none"], masker).shap_values(X)
    assert np.allclose(theirs, (X - X[:50].mean(axis=0)) * fitted["none"].coef_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scale", ["zscore", "log-zscore"])
def test_shaps_kernel_explainer_agrees(data, fitted, scale):
    """It knows nothing of weights: it asks for scores of all 2^7 mixtures of a document and the background."""
    shap = pytest.importorskip("shap", reason="SHAP is not installed")
    X, _, _ = data
    ranker, X = fitted[scale], X.astype(float)
    explainer = shap.KernelExplainer(ranker.predict, X[:10])
    theirs = explainer.shap_values(X[:6], nsamples=2**7, l1_reg=False, silent=True)
    parts = np.asarray(ranker.explain(X))
    assert np.allclose(theirs, parts[:6] - parts[:10].mean(axis=0), rtol=0, atol=1e-9 * np.abs(parts).max())


@pytest.mark.parametrize("scale", ["none", "log-zscore", "log-query-zscore"])
def test_permutation_importance_of_scikit_learn(data, fitted, scale):
    """The queries stay with their rows: they are no column of X."""
    X, y, qid = data
    ranker = fitted[scale]
    theirs = permutation_importance(
        ranker, X, y, scoring=lambda model, X, y: model.score(X, y, qid=qid), n_repeats=10, random_state=1
    )
    ours = dorm.permutation_importance(ranker, X, y, qid=qid, n_repeats=10)
    spread = np.sqrt((theirs.importances_std**2 + ours.importances_std**2) / 10)
    assert np.all(np.abs(theirs.importances_mean - ours.importances_mean) <= 5 * spread + 1e-12)
    assert theirs.importances[-1].tolist() == [0.0] * 10  # the constant feature
    assert theirs.importances_mean.max() > 0.02
