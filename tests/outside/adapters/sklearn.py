# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's tests of dcg_score, ndcg_score and roc_auc_score with the values of the package.

Their function is called first, for what it refuses; the value is ours.
"""

import functools

import asked
import numpy as np
import pytest
import sklearn.metrics._ranking as theirs
from sklearn.metrics.tests import test_ranking as tests

import dorm

NOT_OURS = {
    "*multiclass*": "roc_auc_score of several classes: an average of scikit-learn",
    "*max_fpr*": "a part of the area",
    "*partial_roc*": "a part of the area",
    "*custom_base*": "discounts with another logarithm",
}


def pytest_collection_modifyitems(items):
    asked.skip(items, NOT_OURS)


def by_row(measure, y_true, y_score, ties):
    """Under ties by index the last of equals comes first, as numpy's reversed argsort has it."""
    y_true, y_score = (np.atleast_2d(y).astype(float)[:, :: -1 if ties == "index" else 1] for y in (y_true, y_score))
    rows, width = y_true.shape
    asked.note()
    found = dorm.evaluate(
        y_true.ravel(), y_score.ravel(), group=[width] * rows, measures=measure, convention="sklearn", ties=ties,
        bootstrap=0,
    )  # fmt: skip
    return found.measures[0].per_query


def spelled(name, k):
    return name if k is None else f"{name}@{k}"


def score(name, original):
    @functools.wraps(original)
    def ours(y_true, y_score, *, k=None, sample_weight=None, ignore_ties=False, **others):
        if others:  # log_base
            pytest.skip(NOT_OURS["*custom_base*"])
        original(y_true, y_score, k=k, sample_weight=sample_weight, ignore_ties=ignore_ties)
        values = by_row(spelled(name, k), y_true, y_score, "index" if ignore_ties else "expected")
        return np.average(values, weights=sample_weight)

    return ours


def sample_scores(name):
    def ours(y_true, y_score, k=None, ignore_ties=False, **others):
        if others:
            pytest.skip(NOT_OURS["*custom_base*"])
        return by_row(spelled(name, k), y_true, y_score, "index" if ignore_ties else "expected")

    return ours


def auc(original):
    @functools.wraps(original)
    def ours(y_true, y_score, *, sample_weight=None, **others):
        value = original(y_true, y_score, sample_weight=sample_weight, **others)
        plain = np.ndim(y_score) == 1 and np.ndim(y_true) == 1 and sample_weight is None and not others
        if not plain or not np.isfinite(value):  # the arguments and averages of scikit-learn
            return value
        relevant = np.asarray(y_true) == np.unique(y_true)[-1]
        return by_row("auc", relevant, y_score, "expected")[0]

    return ours


def pytest_configure():
    for module in (theirs, tests):
        for name, made in {
            "dcg_score": score("dcg", theirs.dcg_score),
            "ndcg_score": score("ndcg", theirs.ndcg_score),
            "_dcg_sample_scores": sample_scores("dcg"),
            "_ndcg_sample_scores": sample_scores("ndcg"),
            "roc_auc_score": auc(theirs.roc_auc_score),
        }.items():
            if module is tests and hasattr(module, name):
                setattr(module, name, made)
