# SPDX-License-Identifier: Apache-2.0
"""What a pickle of a ranker holds: plain types alone, so that readers that distrust pickles, such as skops, take it."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._report import TrainReport

_NOT_KEPT = ("_training", "_reading", "_takes_rows")  # the report data of the training, and what the model says again


def _stream(text: str) -> _core.Stream:
    stream = _core.Stream.__new__(_core.Stream)
    stream.__setstate__(text)
    return stream


# Attributes that are objects of ours: made plain, and made again.
_PLAIN = {
    "model_": (_core.Model.to_json, lambda text: _core.Model.from_json(text, "pickle")),
    "report_": (TrainReport._to_plain, TrainReport._of),
    "_stream": (_core.Stream.__getstate__, _stream),
}


def plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes to keep."""
    kept = {name: value for name, value in state.items() if name not in _NOT_KEPT}
    return {name: _PLAIN[name][0](value) if name in _PLAIN else value for name, value in kept.items()}


def attributes_from(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes again."""
    return {name: _PLAIN[name][1](value) if name in _PLAIN else value for name, value in state.items()}
