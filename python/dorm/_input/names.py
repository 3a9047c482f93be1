# SPDX-License-Identifier: Apache-2.0
"""The features of a fitted estimator, as scikit-learn's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .features import Features


def remember_features(estimator: Any, features: Features, feature_names: Sequence[str] | None) -> None:
    """Sets n_features_in_, and feature_names_in_ where there are names."""
    names = features.names
    if feature_names is not None:
        names = list(feature_names)
        if len(names) != features.shape[1]:
            raise ValueError(
                f"{len(names)} feature_names for {features.shape[1]} columns of X; expected one name per column"
            )
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise ValueError("feature_names must be distinct texts")
    estimator.n_features_in_ = features.shape[1]
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def feature_names(estimator: Any) -> list[str] | None:
    """None: features are numbered from 1."""
    return list(estimator.feature_names_in_) if hasattr(estimator, "feature_names_in_") else None


def check_features(estimator: Any, features: Features) -> None:
    """The same columns as in fit; arrays without names are taken to have them in the same order."""
    fitted = feature_names(estimator)
    if features.names is not None and fitted is not None and features.names != fitted:
        missing, extra = set(fitted) - set(features.names), set(features.names) - set(fitted)
        detail = [f"Feature names unseen at fit time:\n- {name}" for name in sorted(extra)[:5]]
        detail += [f"Feature names seen at fit time, yet now missing:\n- {name}" for name in sorted(missing)[:5]]
        detail = detail or ["Feature names must be in the same order as they were in fit."]
        raise ValueError(
            "The feature names should match those that were passed during fit.\n"
            + "\n".join(detail)
            + "\nSelect the columns by name: X[list(ranker.feature_names_in_)]"
        )
    if features.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {features.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input; pass the columns it was fitted on, in the same order"
        )
