# SPDX-License-Identifier: Apache-2.0
"""The tests of ir_measures, every provider of which is replaced by one that asks the command.

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
from dorm_command import count_documents, evaluate_run
from ir_measures import Metric, providers
from ir_measures.providers.base import NOT_PROVIDED

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


def given(measure, name, otherwise=None):
    value = measure[name] if name in measure.SUPPORTED_PARAMS else NOT_PROVIDED
    return otherwise if value is NOT_PROVIDED else value


def spelled(measure, gain):
    """Our spelling of one of their measures."""
    name, cutoff, rel = measure.NAME, given(measure, "cutoff"), given(measure, "rel", 1)
    at = "" if cutoff is None else f"@{cutoff}"
    binary = {
        "P": "precision", "R": "recall", "AP": "map", "RR": "mrr", "Success": "success", "Rprec": "rprec",
        "Bpref": "bpref", "infAP": "infap", "SetR": "setr",
    }  # fmt: skip
    if given(measure, "judged_only", False):
        raise unittest.SkipTest("DORM does not drop unjudged documents from a run")
    if name in binary:
        return f"{binary[name]}{at}:rel={rel}"
    if name == "SetP" and not given(measure, "relative", False):
        return f"setp:rel={rel}"
    if name == "SetF":
        return f"setf:beta={given(measure, 'beta', 1.0) ** 0.5},rel={rel}"  # theirs is the square of beta
    if name == "IPrec":
        return f"iprec:recall={given(measure, 'recall')},rel={rel}"
    if name == "RBP" and given(measure, "rel") is not None:
        return f"rbp:p={given(measure, 'p', 0.8)},rel={rel}"
    if name == "nDCG":
        gain = "exp2" if given(measure, "dcg") == "exp-log2" else gain
        return f"ndcg{at}:gain={gain}{gain_table(measure)}"
    if name in ("ERR", "Judged"):
        return f"{name.lower()}{at}"
    raise unittest.SkipTest(f"DORM has no measure {measure}")


def gain_table(measure):
    gains = given(measure, "gains")
    if not gains:
        return ""
    table = [gains.get(label, label) for label in range(max(*gains, 4) + 1)]
    if table != sorted(table):
        raise unittest.SkipTest("gains that decrease with the label")
    return ",gains=" + "/".join(map(str, table))


class Close(float):
    """Equal to what differs by rounding: their tests compare sums to the last bit."""

    def __eq__(self, other):
        return abs(self - other) < 1e-12

    __hash__ = float.__hash__


class DormProvider(providers.Provider):
    """A provider with the name and the claims of another."""

    def __init__(self, other, gain="linear"):
        super().__init__()
        self.NAME, self.SUPPORTED_MEASURES, self.gain = other.NAME, other.SUPPORTED_MEASURES, gain

    def _evaluator(self, measures, qrels):
        return DormEvaluator(list(measures), ir_measures.util.QrelsConverter(qrels).as_dict_of_dict(), self.gain)


class DormEvaluator(providers.Evaluator):
    def __init__(self, measures, qrels, gain):
        super().__init__(measures, set(qrels))
        self.qrels, self.gain = qrels, gain

    def _iter_calc(self, run):
        run = ir_measures.util.RunConverter(run).as_dict_of_dict()
        for measure in self.measures:
            if measure.NAME in ("NumRet", "NumQ", "NumRel"):
                yield from self.count(measure, run)
                continue
            name = spelled(measure, self.gain)
            depth = given(measure, "cutoff", 0) if measure.NAME.startswith("Set") else 0
            for query, values in evaluate_run(self.qrels, run, [name], "--depth", depth).items():
                if query in run:
                    value = next(iter(values.values()))
                    yield Metric(query, measure, round(value, 5) if self.gain == "exp2" else Close(value))  # gdeval's

    def count(self, measure, run):
        """The counts are lines of --format trec."""
        rel = given(measure, "rel", 0)
        line = "num_rel" if measure.NAME == "NumRel" else "num_rel_ret" if rel else "num_ret"
        for query, value in count_documents(self.qrels, run, line, max(rel, 1)).items():
            yield Metric(query, measure, 1 if measure.NAME == "NumQ" else value)


def assert_metrics(case, got, wanted):
    got = list(got)
    case.assertEqual(len(got), len(wanted))
    for metric, expected in zip(sorted(got), sorted(wanted)):
        case.assertEqual((metric.query_id, metric.measure), (expected.query_id, expected.measure))
        case.assertAlmostEqual(metric.value, expected.value, delta=1e-5)  # they write five digits, some cut off


def pytest_configure():
    (Path(os.environ["DORM_SUITES"]) / "ir_measures" / "tests" / "__init__.py").touch()
    base = types.ModuleType("tests.base")
    base.BaseMeasureTest = type("BaseMeasureTest", (unittest.TestCase,), {"assertMetrics": assert_metrics})
    sys.modules["tests.base"] = base
    ours = DormProvider(ir_measures.pytrec_eval)
    ir_measures.providers.PytrecEvalProvider = lambda: ours
    for name in ("pytrec_eval", "judged", "cwl_eval", "ranx", "gdeval"):
        made = DormProvider(getattr(ir_measures, name), "exp2" if name == "gdeval" else "linear")
        setattr(ir_measures, name, made)
        ir_measures.providers.registry[name] = made
    ir_measures.DefaultPipeline.providers = [ours, *ir_measures.DefaultPipeline.providers]
