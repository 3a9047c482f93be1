# SPDX-License-Identifier: Apache-2.0
"""The parameters of an estimator as options of the core."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._threads import thread_count
from .measure import Measure

_HELD_OUT = ("start_regularization", "regularization", "rounds", "implicit", "neighbours")
_EXPECTED = {float: "a number", int: "a whole number", str: "a name", bool: "True or False"}


def factorize_options(estimator: Any) -> _core.FactorizeOptions:
    """The same for a factorization. Parameters that are None are left to a search, or are fixed defaults."""
    options = _core.FactorizeOptions()
    given = estimator.get_params(deep=False)
    if not isinstance(estimator.fixed, (bool, np.bool_)):
        raise ValueError(f"fixed is {estimator.fixed!r}; expected True or False")
    if not estimator.fixed:
        for name in ("start_regularization", "regularization", "rounds", "implicit", "neighbours"):
            setattr(options.search, name, given[name] is None)
        options.search.item_prior = given["item_damping"] is None and given["item_prior"] is None
    searched = (
        "start_regularization",
        "regularization",
        "rounds",
        "implicit",
        "neighbours",
        "item_damping",
        "item_prior",
    )
    _set_all(options, {name: value for name, value in given.items() if name not in searched or value is not None})
    _set(options, "seconds", "time_limit", estimator.time_limit or 0.0)
    options.checkpoint = os.fspath(estimator.checkpoint or "")
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    options.validate()
    return options


def match_options(estimator: Any) -> _core.MatchOptions:
    """The same for a matcher; of several C, none is an option."""
    options = _core.MatchOptions()
    given = estimator.get_params(deep=False)
    if np.ndim(given["C"]) > 0:
        del given["C"]
    _set_all(options, given)
    _set(options, "seconds", "time_limit", estimator.time_limit or 0.0)
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    options.validate()
    return options


def train_options(estimator: Any, without: tuple[str, ...] = ()) -> _core.TrainOptions:
    """Checks types here; the core checks names and ranges. ``without``: parameters that mean something else."""
    options = _core.TrainOptions()
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name not in without}
    measure, kernel = given.get("measure", options.measure), given.get("kernel")
    given["measure"] = measure.name if isinstance(measure, Measure) else measure
    given["kernel"] = "none" if kernel is None or callable(kernel) else kernel
    _set_all(options, given)
    _set(options, "seconds", "time_limit", estimator.time_limit or 0.0)
    _set(options, "patience", "early_stopping", given.get("early_stopping") or 0)
    if given.get("checkpoint") is not None:
        options.checkpoint = os.fspath(given["checkpoint"])
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    if not isinstance(measure, Measure):
        options.validate()
    return options


def _set_all(options: Any, given: dict[str, Any]) -> None:
    """Every parameter that the core has an option of that name for."""
    for name, value in given.items():
        if name != "checkpoint" and hasattr(options, name):
            _set(options, name, name, value)


def _set(options: Any, field: str, name: str, value: Any) -> None:
    kind = type(getattr(options, field))
    fits = isinstance(value, str) if kind is str else not isinstance(value, str)
    try:
        converted = kind(value)
        if not fits or converted != value:
            raise ValueError
        setattr(options, field, converted)
    except (TypeError, ValueError, OverflowError) as error:
        if kind is str and fits and not isinstance(error, TypeError):
            raise  # the core knows no such name
        raise ValueError(f"{name} is {value!r}; expected {_EXPECTED[kind]}") from None


def _seed(random_state: Any) -> int:
    if not isinstance(random_state, (int, np.integer)):
        from sklearn.utils import check_random_state

        return int(check_random_state(random_state).randint(2**31))
    if not 0 <= random_state < 2**64:
        raise ValueError(f"random_state is {random_state}; expected a whole number from 0 on")
    return int(random_state)
