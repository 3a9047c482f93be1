# SPDX-License-Identifier: Apache-2.0
"""The examples of search engines close the loop: logged, judged, trained, exported, ranked again by the engine, whose
NDCG is that of dorm eval on the logged features."""

import re
import subprocess
import sys

import jvm
import pytest
from command import DORM

FIGURES = re.compile(r"ndcg@10 of test queries: (\S+) by \w+, (\S+) ranked again, (\S+) by dorm eval")


@pytest.mark.parametrize("engine", ["solr", "lucene"])
def test_loop(engine, tmp_path):
    jvm.jars(engine)
    script = jvm.ROOT / "examples" / engine / "loop.py"
    environment = {**jvm.os.environ, "DORM_COMMAND": DORM, "DORM_ENGINES": str(jvm.ENGINES)}
    done = subprocess.run(
        [sys.executable, script, tmp_path / "out"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    before, after, expected = FIGURES.search(done.stdout).groups()
    assert after == expected
    assert float(after) > float(before) + 0.05
