# SPDX-License-Identifier: Apache-2.0
"""Models for search engines and other tools."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core
from ._evaluate import evaluate

_TOP = 10  # documents of a query whose order is looked at


@dataclass(frozen=True)
class ExportCheck:
    """How the scores of an exported model, computed as its target computes them, differ from the ranker's."""

    target: str
    largest_difference: float  #: of a score
    largest_score: float  #: by absolute value
    queries: int
    changed_queries: int  #: whose first ten documents are others, or in another order
    measure: str
    before: float  #: the measure by the ranker; NaN without labels
    after: float  #: the measure by the target


def checked_export(
    ranker: Any, to: str, given: Any, names: Mapping[str, str] | None, fold: bool, non_negative: bool
) -> ExportCheck:
    """See `DormRanker.check_export`; ``given`` is the ranker's input."""
    data, queries = given.unlabelled(ranker._names(), True)
    ours, theirs, largest, scale, count, changed = _core.check_export(
        ranker.model_, data, to, dict(names or {}), fold, non_negative, _TOP
    )

    def value(scores: Any) -> float:
        if given.y is None:
            return float("nan")
        about = dict(qid=given.qid, group=given.group, convention=ranker.convention, bootstrap=0)
        return evaluate(given.y, queries.unsorted(scores), measures=ranker.measure, **about).measures[0].mean

    return ExportCheck(to, largest, scale, count, changed, str(ranker.measure), value(ours), value(theirs))


def write_export(
    model: _core.Model,
    to: str,
    path: str | os.PathLike[str] | None,
    features: str | os.PathLike[str] | None,
    name: str,
    names: Mapping[str, str] | None,
    fold: bool,
    non_negative: bool,
) -> Any:
    """See `DormRanker.export`."""
    exported = _core.export_model(model, to, name, dict(names or {}), fold, non_negative)
    if features is not None:
        if not exported["features"]:
            raise ValueError(f"features=: {to} needs no features to be declared for this model")
        _core.write_file(os.fspath(features), exported["features"].encode())
    if exported["folder"]:
        if path is None:
            raise ValueError(f"{to} is a folder; pass path=")
        for file, content in exported["files"]:
            place = Path(path) / file
            place.parent.mkdir(parents=True, exist_ok=True)
            _core.write_file(str(place), content)
        return None
    content = exported["files"][0][1]
    if path is not None:
        _core.write_file(os.fspath(path), content)
        return None
    return content if exported["binary"] else content.decode()
