# SPDX-License-Identifier: Apache-2.0
"""The metric tests of cwl-eval with precision by the package. (Its tests of rankings concern its own classes; its other
metrics are compared in the suite ir_measures.)"""

import asked
import cwl.ruler.measures.cwl_precision as theirs

import dorm


class Precision:
    def __init__(self, k):
        self.k = k

    def measure(self, ranking):
        asked.note()
        gains = ranking.get_gain_vector()[: self.k]
        scores = range(len(gains), 0, -1)
        value = dorm.evaluate(
            gains, list(scores), group=[len(gains)], measures=f"precision@{self.k}", convention="trec", bootstrap=0
        )
        self.expected_utility = value.measures[0].mean
        self.expected_total_utility = self.k * self.expected_utility


def pytest_configure():
    theirs.PrecisionCWLMetric = Precision
