# SPDX-License-Identifier: Apache-2.0
"""Odd names of features: a target takes one and scores by it, or refuses it by name. None is misread."""

import itertools

import numpy as np
import pytest
from cases import random_case
from comparison import check_or_refused
from odd_names import NAMES
from test_engine_scores import ENGINES

TARGETS = [engine for engine in ENGINES if not engine.options and engine.test != "clang"]


@pytest.mark.parametrize("engine", TARGETS, ids=str)
def test_odd_names(engine, tmp_path):
    rng = np.random.default_rng(19)
    others = engine.feature_names(13)[11:]
    kinds = itertools.cycle((engine.kinds[-1], engine.kinds[1]))
    cases = [random_case(rng, kind, [name, *others], 8, live=True) for kind, name in zip(kinds, NAMES)]
    assert check_or_refused(engine, cases, tmp_path) > 0


@pytest.mark.parametrize("engine", [engine for engine in TARGETS if not engine.expressions], ids=str)
def test_odd_spellings(engine, tmp_path):
    """The same through a map of names, from features that need none."""
    rng = np.random.default_rng(20)
    others = engine.feature_names(13)[11:]
    kinds = itertools.cycle((engine.kinds[1], engine.kinds[-1]))
    cases = [random_case(rng, kind, ["the feature", *others], 8, live=True) for kind, _ in zip(kinds, NAMES)]
    for case, name in zip(cases, NAMES):
        case.names = {"the feature": name}
    check_or_refused(engine, cases, tmp_path)
