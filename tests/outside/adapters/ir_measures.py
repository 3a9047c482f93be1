# SPDX-License-Identifier: Apache-2.0
"""The tests of ir_measures, every provider of which is replaced by that of `dorm.ir_measures`.

What stays theirs: reading of measures, qrels and runs, and sums over queries. Tests that only concern these are left
out. Their archive lacks two files of the package of tests, one of which holds an assertion; they are supplied here.
"""

import os
import sys
import types
import unittest
from pathlib import Path

import asked
import ir_measures
from ir_measures import Metric, providers

import dorm.ir_measures

NOT_OURS = {
    "*test_util.py*": "how ir_measures reads spellings and files",
    "*test_runtime.py*": "how ir_measures takes measures of its users",
    "*test_compat.py*": "how ir_measures looks for its optional packages",
    "*test_providers.py*": "what each provider of ir_measures returns for empty input",
    "*test_measures.py*::test_measures": "how ir_measures prints its measures",
    "*test_cwl_eval.py*": "the archive lacks the files that the test reads",
    "*test_accuracy.py*": "DORM has no measure Accuracy",
    "*test_pyndeval.py*": "DORM has no ERR-IA; the other calls expect no values",
}


def pytest_collection_modifyitems(items):
    asked.skip(items, NOT_OURS)


class Close(float):
    """Equal to what differs by rounding: their tests compare sums to the last bit."""

    def __eq__(self, other):
        return abs(self - other) < 1e-12

    __hash__ = float.__hash__


class DormProvider(providers.Provider):
    """Ours, with the name and the claims of another."""

    def __init__(self, other):
        super().__init__()
        self.NAME, self.SUPPORTED_MEASURES = other.NAME, other.SUPPORTED_MEASURES

    def _evaluator(self, measures, qrels):
        qrels = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
        try:
            return (Rounded if self.NAME == "gdeval" else DormEvaluator)(list(measures), qrels)
        except ValueError as error:
            raise unittest.SkipTest(f"DORM: {error}") from None


class DormEvaluator(dorm.ir_measures.DormEvaluator):
    def _iter_calc(self, run):
        asked.note()
        return (metric._replace(value=Close(metric.value)) for metric in super()._iter_calc(run))


class Rounded(providers.Evaluator):
    """gdeval's five digits, and its gains, which it has for every nDCG."""

    def __init__(self, measures, qrels):
        super().__init__(measures, {judgment.query_id for judgment in qrels})
        self.asked_as = {m(dcg="exp-log2") if m.NAME == "nDCG" else m: m for m in measures}
        self.exact = DormEvaluator(list(self.asked_as), qrels)

    def _iter_calc(self, run):
        for query, measure, value in self.exact._iter_calc(run):
            yield Metric(query, self.asked_as[measure], round(value, 5))


def assert_metrics(case, got, wanted, not_equal=False):
    got, wanted = sorted(got), sorted(wanted)
    pairs = list(zip(got, wanted))
    case.assertEqual(len(got), len(wanted))
    case.assertEqual([metric[:2] for metric in got], [metric[:2] for metric in wanted])
    close = [abs(one.value - other.value) < 1e-5 for one, other in pairs]  # they write five digits, some cut off
    case.assertEqual(all(close), not not_equal, pairs)


def pytest_configure():
    (Path(os.environ["DORM_SUITES"]) / "ir_measures" / "tests" / "__init__.py").touch()
    base = types.ModuleType("tests.base")
    base.BaseMeasureTest = type("BaseMeasureTest", (unittest.TestCase,), {"assertMetrics": assert_metrics})
    sys.modules["tests.base"] = base
    ours = DormProvider(ir_measures.pytrec_eval)
    ir_measures.providers.PytrecEvalProvider = lambda: ours
    for name in ("pytrec_eval", "judged", "cwl_eval", "ranx", "gdeval"):
        made = DormProvider(getattr(ir_measures, name))
        setattr(ir_measures, name, made)
        ir_measures.providers.registry[name] = made
    ir_measures.DefaultPipeline.providers = [ours, *ir_measures.DefaultPipeline.providers]
