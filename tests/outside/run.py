# SPDX-License-Identifier: Apache-2.0
"""Test suites nobody here wrote, with DORM's measures and objective in place of those they were written for.

`run.py [NAME...]` runs all suites, or those named, and prints a tally: run, passed, failed, skipped with reasons. The
suites are fetched by `tools/setup.sh outside` and stay outside the repository. An adapter (`adapters/NAME.py`, a pytest
plugin) puts our functions in the place of theirs; `test_NAME.py` is a judge that is a program or a data set.
"""

import collections
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITES = Path(os.environ.get("DORM_SUITES", ROOT / ".venv-outside" / "suites"))
RANX = SUITES / "ranx" / "tests" / "unit" / "ranx"  # beside these: fusion, normalization, files


class Suite:
    def __init__(self, name, *paths, adapter=False, options=()):
        self.name, self.paths, self.options = name, paths, list(options)
        if adapter:
            self.options += ["-p", "asked", "-p", f"adapters.{name}"]

    def run(self, report):
        """Runs the suite; 0 when nothing failed."""
        folder = [str(HERE), *map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-o", "addopts=", "-p", "no:cacheprovider"]
        command += [f"--rootdir={HERE}", f"--junitxml={report}", *self.options, *map(str, self.paths)]
        done = subprocess.run(
            command,
            cwd=HERE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(folder), "DORM_SUITES": str(SUITES)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode not in (0, 5):
            print(done.stdout)
        return done.returncode not in (0, 5)


def sklearn_tests():
    import sklearn.metrics.tests

    return Path(sklearn.metrics.tests.__file__).parent / "test_ranking.py"


def suites():
    shadowed = ["--import-mode=importlib"]  # the installed package holds a module of the same name
    return [
        Suite("trec_eval", ROOT / "tests" / "python" / "test_trec_eval.py"),
        Suite("ir_measures", SUITES / "ir_measures" / "tests", adapter=True),
        Suite(
            "ranx", *(RANX / part for part in ("metrics", "meta", "metrics_test.py")), adapter=True, options=shadowed
        ),
        Suite(
            "rax",
            SUITES / "rax" / "rax" / "_src" / "metrics_test.py",
            adapter=True,
            options=shadowed,
        ),
        Suite("cwl", SUITES / "cwl-eval" / "cwl" / "tests" / "common_metric_test.py", adapter=True, options=shadowed),
        Suite("sklearn", sklearn_tests(), adapter=True, options=["-k", "dcg or roc_auc or auc_score"]),
        Suite("lightgbm", HERE / "test_lightgbm.py"),
        Suite("xgboost", HERE / "test_xgboost.py"),
        Suite("letor", HERE / "test_letor.py"),
        Suite("ranklib", HERE / "test_ranklib.py"),
    ]


def tally(report):
    """Counts by outcome, and the reasons of what was skipped."""
    counts, reasons = collections.Counter(), collections.Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        skipped = case.find("skipped")
        failed = case.find("failure") is not None or case.find("error") is not None
        outcome = "failed" if failed else "skipped" if skipped is not None else "passed"
        counts[outcome] += 1
        if outcome == "skipped":
            reasons[skipped.get("message", "").removeprefix("Skipped: ")] += 1
    return counts, reasons


def main():
    asked = sys.argv[1:]
    failures = 0
    lines, why = [f"{'suite':<12} {'run':>5} {'passed':>7} {'failed':>7} {'skipped':>8}"], []
    for suite in suites():
        if asked and suite.name not in asked:
            continue
        if not all(path.exists() for path in suite.paths):
            lines.append(f"{suite.name:<12} {'not there: ' + str(suite.paths[0])}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.xml"
            failures += suite.run(report)
            if not report.exists():
                lines.append(f"{suite.name:<12} could not be started")
                continue
            counts, reasons = tally(report)
        run = counts["passed"] + counts["failed"]
        lines.append(f"{suite.name:<12} {run:>5} {counts['passed']:>7} {counts['failed']:>7} {counts['skipped']:>8}")
        why += [f"{suite.name}: {count} x {reason}" for reason, count in sorted(reasons.items())]
    print("\n".join([*lines, "", "skipped:" if why else "nothing skipped", *why]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
