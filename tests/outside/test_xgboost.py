# SPDX-License-Identifier: Apache-2.0
"""The ranking tests inside XGBoost's wheel with `dorm.objective` in place of rank:ndcg.

`XGBRanker` takes no callable objective, so that the call to `xgboost.train` inside it is given ours.
"""

import functools

import pandas
import pytest

import dorm

xgboost = pytest.importorskip("xgboost")
suite = pytest.importorskip("xgboost.testing.ranking")


@pytest.fixture(autouse=True)
def trains_for_our_objective(monkeypatch):
    """The original, told our objective; fails when no training was intercepted."""
    calls = []
    original = xgboost.sklearn.train

    @functools.wraps(original)
    def train(params, dtrain, *args, **kwargs):
        calls.append(params)
        return original(params, dtrain, *args, **{**kwargs, "obj": dorm.objective("ndcg", sigma=0.3)})

    monkeypatch.setattr(xgboost.sklearn, "train", train)
    yield
    assert calls


@pytest.mark.parametrize("tree_method", ["hist", "approx"])
def test_ranking_qid_df(tree_method):
    suite.run_ranking_qid_df(pandas, tree_method, "cpu")


def test_ranking_categorical():
    suite.run_ranking_categorical("cpu")


@pytest.mark.skip(reason="parameters of XGBoost's own lambdarank")
@pytest.mark.parametrize("name", ["run_normalization", "run_score_normalization"])
def test_normalization(name):
    getattr(suite, name)("cpu")
