# SPDX-License-Identifier: Apache-2.0
"""The parameters of an estimator as options of the core."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._input.names import feature_names
from ._measure import Measure
from ._threads import thread_count

#: What ``solver_options`` may hold, and the defaults.
SOLVER_OPTIONS: dict[str, Any] = {
    "approximation": "none",
    "checkpoint": None,
    "epsilon": 0.0,
    "given_ties": "",
    "max_passes": 1000,
    "non_negative": False,
    "one_per": "",
    "paper_C": False,
    "planes_per_block": 50,
    "rounds": 0,
    "shards": 0,
    "target": "",
    "time_limit": None,
    "unjudged": "auto",
}
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
    given.update(expert_options(estimator))
    measure, kernel = given.get("measure", options.measure), given.get("kernel")
    given["measure"] = measure.name if isinstance(measure, Measure) else measure
    given["kernel"] = "none" if kernel is None or callable(kernel) else kernel
    given["memory"] = memory_bytes(given.get("memory"))
    given |= _function_class(estimator, given)
    if initial_name(given.get("initial")):
        given["start"] = given["initial"]
    _set_all(options, given)
    _set(options, "seconds", "time_limit", given.get("time_limit") or 0.0)
    _set(options, "patience", "early_stopping", given.get("early_stopping") or 0)
    if given.get("checkpoint") is not None:
        options.checkpoint = os.fspath(given["checkpoint"])
    options.threads = thread_count(estimator.n_jobs)
    options.seed = _seed(estimator.random_state)
    if not isinstance(measure, Measure):
        options.validate()
    return options


def feature_name_of(estimator: Any, feature: Any) -> str:
    """As the core knows it, of a name or a column counted from 0."""
    if isinstance(feature, (bool, np.bool_)) or not isinstance(feature, (int, np.integer)):
        return str(feature)
    columns = getattr(estimator, "n_features_in_", feature + 1)
    if not 0 <= feature < columns:
        raise ValueError(f"feature {feature} is no column of X, which has {columns}; expected 0 to {columns - 1}")
    names = feature_names(estimator)
    return names[feature] if names else str(feature + 1)


def _function_class(estimator: Any, given: dict[str, Any]) -> dict[str, str]:
    """Curves and signs as the core reads them. Features are names, or columns counted from 0."""

    def name_of(feature: Any) -> str:
        return feature_name_of(estimator, feature)

    constraints = given.pop("monotonic_cst", None)
    if constraints is not None and not isinstance(constraints, Mapping):
        constraints = dict(enumerate(constraints))
    chosen = _monotonic(constraints, given) or {n: given.get(n) for n in ("increasing", "decreasing") if n in given}
    for name, features in chosen.items():
        if not isinstance(features, str):
            chosen[name] = ",".join(map(name_of, () if features is None else features))
    curves = given.get("curves")
    if isinstance(curves, Mapping):
        curves = ",".join(f"{name_of(feature)}={pieces}" for feature, pieces in curves.items())
    return chosen if "curves" not in given else {**chosen, "curves": "none" if curves is None else str(curves)}


def _monotonic(constraints: Mapping[Any, int] | None, given: dict[str, Any]) -> dict[str, Any]:
    """scikit-learn's ``monotonic_cst`` as the options of the core."""
    if constraints is None:
        return {}
    if any(sign not in (-1, 0, 1) for sign in constraints.values()):
        raise ValueError(f"monotonic_cst is {constraints!r}; expected -1, 0 or 1 for each feature")
    if given.get("increasing") or given.get("decreasing"):
        raise ValueError("monotonic_cst and increasing or decreasing exclude each other; pass one of them")
    return {
        name: [feature for feature, sign in constraints.items() if sign == wanted]
        for name, wanted in (("increasing", 1), ("decreasing", -1))
    }


def expert_options(estimator: Any) -> dict[str, Any]:
    """The checked ``solver_options`` of an estimator; an unknown name is corrected by the nearest known one."""
    given = getattr(estimator, "solver_options", None)
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(f"solver_options is a {type(given).__name__}; expected a dict of names and values")
    known = type(estimator)._SOLVER_OPTIONS
    for name in given:
        if name in known:
            continue
        if name in estimator.get_params(deep=False):
            raise ValueError(f"solver_options holds {name!r}, which is a parameter; pass {name}=")
        nearest = difflib.get_close_matches(str(name), known, 1, 0.0)[0]
        raise ValueError(
            f"solver_options has no {name!r}; did you mean {nearest!r}? There are {', '.join(map(repr, known))}"
        )
    return dict(given)


def setting(estimator: Any, name: str) -> Any:
    """A parameter of the estimator, or one of its ``solver_options`` or its default."""
    if name in SOLVER_OPTIONS:
        return expert_options(estimator).get(name, SOLVER_OPTIONS[name])
    return getattr(estimator, name)


def initial_name(initial: Any) -> bool:
    """Whether ``initial`` names a way to compute an initial model, instead of being one."""
    return isinstance(initial, str) and initial in {name for name, *_ in _core.catalog()["initial"]}


def initial_model(initial: Any) -> _core.Model | None:
    """The model that ``initial`` is: a fitted ranker, a model of the core or the path of a model file."""
    if initial is None or initial_name(initial) or isinstance(initial, _core.Model):
        return None if initial is None or isinstance(initial, str) else initial
    if hasattr(initial, "predict"):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(initial)
        return initial.model_
    try:
        path = os.fspath(initial)
    except TypeError:
        path = ""
    if not path or (isinstance(initial, str) and not os.path.exists(path)):
        names = ", ".join(repr(name) for name, *_ in _core.catalog()["initial"])
        raise ValueError(
            f"initial is {initial!r}; expected one of {names}, a fitted ranker or the path of a model file"
        )
    return _core.Model.load(path)


def memory_bytes(memory: Any) -> int:
    """A number of bytes from a number, or from text such as ``"500MB"`` or ``"4GB"``. None: 0, no limit."""
    if memory is None:
        return 0
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]?)i?B?\s*", memory) if isinstance(memory, str) else None
    number = float(found[1]) * 1000 ** " kMGT".index(found[2] or " ") if found else memory
    if isinstance(number, bool) or not isinstance(number, (int, float, np.number)) or not 1 <= number < 2**63:
        raise ValueError(f'memory is {memory!r}; expected a number of bytes, or text such as "500MB" or "4GB"')
    return int(number)


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
