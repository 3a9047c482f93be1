# SPDX-License-Identifier: Apache-2.0
"""Training data, validation data and data to score."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._input.inputs import Input, Labelled, read_input
from .._input.missing import check_rule
from .._input.names import check_features, feature_names, remember_features
from .._options import setting
from ..data._files import RankingData


class RankerInputs:
    """To be mixed in: reads training data and data to score."""

    def _names(self) -> list[str] | None:
        return feature_names(self)

    def _training_sets(
        self,
        X: Any,
        y: Any,
        qid: Any,
        group: Any,
        sample_weight: Any,
        feature_names: Sequence[str] | None,
        held_out: Any,
        held_out_qid: Any,
        held_out_group: Any,
        prefix: str = "eval",
    ) -> tuple[Labelled, Labelled | None]:
        """The training data and the validation data; ``prefix`` begins the names of the arguments of the latter."""
        rule, encode = check_rule(self.missing), getattr(self, "encode", None)
        given = read_input(X, y, qid, group, sample_weight, feature_names, encode=encode, missing=rule)
        remember_features(self, given.features, given.names)
        if rule != "error":
            given = given.filled(self.missing, self._names())
        train = given.labelled(self._names(), setting(self, "unjudged"))
        self._warn_of_leaks(train)
        if len(train.queries.sizes) == 1:
            raise ValueError(
                f"all {given.rows} rows (samples) belong to one query; expected several: check that qid= holds the "
                "query of each row, or group= the sizes of the queries"
            )
        return train, self._validation(held_out, held_out_qid, held_out_group, given.about.get("input"), prefix)

    def _validation(
        self, eval_set: Any, qid: Any, group: Any, reading: dict[str, Any] | None, prefix: str
    ) -> Labelled | None:
        name = "eval_set" if prefix == "eval" else prefix
        if eval_set is None:
            if qid is not None or group is not None:
                raise ValueError(f"{prefix}_qid or {prefix}_group without {name}; pass {name}=(X, y)")
            if self.early_stopping:
                raise ValueError("early_stopping needs eval_set=(X, y) with eval_qid= or eval_group=")
            return None
        if isinstance(eval_set, list) and len(eval_set) == 1:  # LightGBM has a list of sets, and lists of their queries
            eval_set, qid, group = eval_set[0], _only(qid), _only(group)
        if isinstance(eval_set, RankingData):
            eval_set = (eval_set, None)
        if not isinstance(eval_set, (tuple, list)) or len(eval_set) != 2:
            raise ValueError(f"{name} must be one pair (X, y), or a RankingData")
        given = read_input(*eval_set, qid, group, prefix=f"{prefix}_", fitted=reading)
        check_features(self, given.features)
        if reading and reading.get("missing", "error") != "error":
            given = given.filled(reading["missing"], self._names(), reading["means"])
        return given.labelled(self._names(), setting(self, "unjudged"))

    def _checked(self, X: Any, qid: Any, group: Any, y: Any = None, sample_weight: Any = None) -> Input:
        if not hasattr(self, "model_"):  # scikit-learn's check takes longer than the scores of a query
            check_is_fitted(self)
        given = read_input(X, y, qid, group, sample_weight, fitted=self._reading)
        check_features(self, given.features)
        if self._reading["missing"] != "error":
            given = given.filled(self._reading["missing"], self._names(), self._reading["means"])
        return given

    def _warn_of_leaks(self, train: Labelled) -> None:
        for kind, feature in _core.find_label_leaks(train.dataset):
            name = repr(feature) if self._names() else str(int(feature) - 1)
            warnings.warn(f"column {name} of X {_LEAKS[kind]}: is it the label, left among the features?", stacklevel=4)


_LEAKS = ("equals y in every row", "orders all rows as y does", "is named like a label")


def _only(listed: Any) -> Any:
    """What a list of one array holds; anything else as it is."""
    one = (
        isinstance(listed, list)
        and len(listed) == 1
        and not isinstance(listed[0], str)
        and hasattr(listed[0], "__len__")
    )
    return listed[0] if one else listed
