# SPDX-License-Identifier: Apache-2.0
"""The parameters of an estimator as options of the core."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._threads import thread_count
from .measure import Measure

_EXPECTED = {float: "a number", int: "a whole number", str: "a name", bool: "True or False"}
_FIELDS: dict[str, type] = {
    "convention": str,
    "C": float,
    "paper_C": bool,
    "decay": str,
    "bound": str,
    "start": str,
    "rounds": int,
    "scale": str,
    "solver": str,
    "tolerance": float,
    "max_passes": int,
    "approximation": str,
    "cache_bytes": int,
}
_FACTOR_FIELDS: dict[str, type] = {
    "rank": int,
    "measure": str,
    "convention": str,
    "decay": str,
    "bound": str,
    "regularization": float,
    "margin": float,
    "rounds": int,
    "centred": bool,
    "start_regularization": float,
    "start_sweeps": int,
    "implicit": float,
    "neighbours": int,
    "tolerance": float,
    "max_passes": int,
    "patience": int,
}


def factorize_options(estimator: Any) -> _core.FactorizeOptions:
    """The same for a factorization."""
    options = _core.FactorizeOptions()
    for name, kind in _FACTOR_FIELDS.items():
        _set(options, name, kind, name, getattr(estimator, name))
    _set(options, "seconds", float, "time_limit", estimator.time_limit or 0.0)
    options.checkpoint = os.fspath(estimator.checkpoint or "")
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    options.validate()
    return options


def train_options(estimator: Any) -> _core.TrainOptions:
    """Checks types here; the core checks names and ranges."""
    options = _core.TrainOptions()
    for name, kind in _FIELDS.items():
        _set(options, name, kind, name, getattr(estimator, name))
    measure = estimator.measure
    _set(options, "measure", str, "measure", measure.name if isinstance(measure, Measure) else measure)
    _set(options, "seconds", float, "time_limit", estimator.time_limit or 0.0)
    _set(options, "patience", int, "early_stopping", estimator.early_stopping or 0)
    kernel = estimator.kernel
    _set(options, "kernel", str, "kernel", "none" if kernel is None or callable(kernel) else kernel)
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    if not isinstance(measure, Measure):
        options.validate()
    return options


def _set(options: Any, field: str, kind: type, name: str, value: Any) -> None:
    fits = isinstance(value, str) if kind is str else not isinstance(value, str)
    try:
        converted = kind(value)
        if not fits or converted != value:
            raise ValueError
        setattr(options, field, converted)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {value!r}; expected {_EXPECTED[kind]}") from None


def _seed(random_state: Any) -> int:
    if not isinstance(random_state, (int, np.integer)):
        return int(check_random_state(random_state).randint(2**31))
    if not 0 <= random_state < 2**64:
        raise ValueError(f"random_state is {random_state}; expected a whole number from 0 on")
    return int(random_state)
