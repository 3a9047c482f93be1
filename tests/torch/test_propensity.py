# SPDX-License-Identifier: Apache-2.0
"""`dorm.clicks.propensity` against ultr-bias-toolkit on sampled logs; here, since that package brings PyTorch along.

Its all-pairs estimator is no judge: it gives the pairs (2, 6) and (3, 4) one parameter of relevance.
"""

import numpy as np
import pandas
import pytest

import dorm

toolkit = pytest.importorskip(
    "ultr_bias_toolkit.bias.intervention_harvesting", reason="ultr-bias-toolkit, the judge, is not installed"
)


def sampled_log(seed):
    data = dorm.synth(queries=60, features=3, documents_median=12, seed=seed)
    log = dorm.clicks.simulate(data, rankers=3, sessions=40, top=8, seed=seed)
    return pandas.DataFrame(log.columns()).rename(columns={"qid": "query_id", "docid": "doc_id"})


@pytest.mark.parametrize("seed", range(3))
def test_pivot_and_adjacent_are_those_of_the_toolkit(seed):
    table = sampled_log(seed)
    own = table.rename(columns={"query_id": "qid", "doc_id": "docid"})
    for method, options, judge in (
        ("pivot", {}, toolkit.PivotEstimator()),
        ("pivot", {"pivot": 3}, toolkit.PivotEstimator(pivot_rank=3)),
        ("adjacent", {}, toolkit.AdjacentChainEstimator()),
    ):
        expected = judge(table)
        found = dorm.clicks.propensity(own, method=method, **options)
        assert [row.position for row in found.rows] == expected["position"].tolist()
        np.testing.assert_allclose([row.propensity for row in found.rows], expected["examination"], rtol=1e-12)
