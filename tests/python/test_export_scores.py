# SPDX-License-Identifier: Apache-2.0
"""Exported models score as dorm rank does, in what is always at hand; `make test-engines` has the search engines.

The cases, and what scores them, are those of tests/engines."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "engines"))

from cases import random_case  # noqa: E402
from comparison import check, check_or_refused  # noqa: E402
from odd_names import NAMES  # noqa: E402
from portable_engines import ALWAYS  # noqa: E402


@pytest.mark.parametrize("engine", ALWAYS, ids=str)
def test_scores(engine, tmp_path):
    rng = np.random.default_rng(5)
    check(engine, [random_case(rng, kind, engine.feature_names(11)) for kind in engine.kinds], tmp_path)


@pytest.mark.parametrize("engine", ALWAYS, ids=str)
def test_odd_names(engine, tmp_path):
    rng = np.random.default_rng(6)
    cases = [
        random_case(rng, engine.kinds[-1], [name, *engine.feature_names(13)[11:]], 8, live=True) for name in NAMES[::5]
    ]
    check_or_refused(engine, cases, tmp_path)
