# SPDX-License-Identifier: Apache-2.0
"""Random names and extreme numbers: scores are the same, or the export is refused. None is misread."""

import numpy as np
import pytest
from cases import extreme_case, random_case
from comparison import Exported, compare, export
from test_engine_scores import ENGINES

PIECES = [
    *"ab_$.1-+*/\\'\"`()[]{}<>,;:=!?#%&|@~^ \t\n",
    "é",
    "漢",
    "😀",
    "doc['",
    "']",
    ".value",
    "ln(",
    "${",
    "//",
    "/*",
    "*/",
]
ROUNDS = 40


def random_name(rng):
    return "".join(PIECES[rng.integers(len(PIECES))] for _ in range(rng.integers(1, 7)))


def tried(engine, cases, folder):
    """Those that were exported; all others were refused with a message."""
    exports = []
    for i, case in enumerate(cases):
        done = export(engine, case, folder / str(i))
        if isinstance(done, Exported):
            exports.append(done)
        else:
            assert done.returncode == 1, done.stderr
            assert done.stderr.startswith("dorm: "), done.stderr
    compare(engine, exports, ranked=False)
    return len(exports)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_random_names(engine, tmp_path):
    rng = np.random.default_rng(21)
    others = engine.feature_names(13)[11:]
    cases = [
        random_case(rng, engine.kinds[k % len(engine.kinds)], [random_name(rng), *others], 8, live=True)
        for k in range(ROUNDS)
    ]
    tried(engine, cases, tmp_path)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_extreme_numbers(engine, tmp_path):
    rng = np.random.default_rng(22)
    cases = [extreme_case(rng, engine.kinds[k % len(engine.kinds)], engine.feature_names(3)) for k in range(ROUNDS)]
    assert tried(engine, cases, tmp_path) > 2
