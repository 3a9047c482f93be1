# SPDX-License-Identifier: Apache-2.0
"""Random models of every scaling that a target serves, in the engine: the scores are those of dorm rank."""

import dataclasses

import numpy as np
import pytest
from cases import KINDS, random_case, single
from comparison import check, compare, export
from java_engines import JAVA
from portable_engines import PORTABLE

ENGINES = [*PORTABLE, *JAVA]


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_random_models(engine, tmp_path):
    rng = np.random.default_rng(17)
    sizes = (1, 2, 5, 23, 136)
    check(engine, [random_case(rng, kind, engine.feature_names(d)) for kind in engine.kinds for d in sizes], tmp_path)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_two_thousand_features(engine, tmp_path):
    rng = np.random.default_rng(18)
    check(engine, [random_case(rng, kind, engine.feature_names(2000)) for kind in engine.kinds], tmp_path)


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine.fills], ids=str)
def test_means_of_missing_features(engine, tmp_path):
    rng = np.random.default_rng(23)
    cases = [random_case(rng, kind, engine.feature_names(7)) for kind in engine.kinds]
    for case in cases:
        case.means = [single(x) for x in rng.normal(0, 10, 7)]
    check(engine, cases, tmp_path)


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if not engine.options], ids=str)
def test_no_negative_scores(engine, tmp_path):
    """On the range of training scores are shifted, and none is negative."""
    rng = np.random.default_rng(24)
    cases = [
        random_case(rng, kind, engine.feature_names(d))
        for kind in set(KINDS[:4]) & set(engine.kinds)
        for d in (1, 9, 60)
    ]
    cases = [dataclasses.replace(case, statistics=True) for case in cases]
    shifted = dataclasses.replace(engine, options=("--non-negative",), constant=None)
    exports = [export(shifted, case, tmp_path / str(i)) for i, case in enumerate(cases)]
    if engine.target == "ranklib":
        assert all("RankLib has no constant" in done.stderr for done in exports)
        return
    compare(shifted, exports)
    assert min(min(scores) for scores in shifted.score(exports)) >= 0
