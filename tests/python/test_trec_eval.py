# SPDX-License-Identifier: Apache-2.0
"""`dorm eval --format trec` against the output that trec_eval keeps for its own tests.

The files are NIST's: three topics, 1,500 rows, and what trec_eval printed for several options.
"""

import gzip
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
FILES = Path(os.environ.get("DORM_DATA", ROOT.parent / "shared" / "data")) / "trec-eval"

pytestmark = [
    pytest.mark.skipif(not os.access(COMMAND, os.X_OK), reason=f"no command at {COMMAND}; set DORM_COMMAND"),
    pytest.mark.skipif(not FILES.exists(), reason=f"no files at {FILES}; set DORM_DATA"),
]

# Left out of all_trec here; docs/measures.md says why.
ABSENT = {"relstring", "relstring_20", "rbp", "rbp_resid"}


def printed(*options, qrels="qrels.test", run="results.test"):
    files = ["--qrels", FILES / f"{qrels}.gz", "--run", FILES / f"{run}.gz"]
    done = subprocess.run(
        [COMMAND, "eval", *map(str, files), "--format", "trec", *options], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.splitlines()


def kept(name, absent=ABSENT):
    lines = gzip.open(FILES / f"{name}.gz", "rt").read().splitlines()
    return [line for line in lines if line.split("\t")[0].strip() not in absent]


@pytest.mark.parametrize("qrels", ["qrels.test", "qrels.test.with-comments"])
def test_the_official_measures_are_printed_byte_for_byte(qrels):
    assert printed(qrels=qrels) == kept("out.test", absent=())


@pytest.mark.parametrize(
    "name, options, files",
    [
        ("out.test.a", [], {}),
        ("out.test.aq", ["--per-query", "-"], {}),
        ("out.test.aqc", ["--per-query", "-", "--complete"], {"run": "results.trunc"}),
        ("out.test.aqcM", ["--per-query", "-", "--complete", "--depth", "100"], {"run": "results.trunc"}),
        ("out.test.aql", ["--per-query", "-", "--relevant-from", "2"], {"qrels": "qrels.rel_level"}),
    ],
)
def test_all_trec_is_printed_line_by_line(name, options, files):
    assert printed("--measures", "all_trec", *options, **files) == kept(name)


def test_parameters_of_measures():
    """Their names differ where a measure has parameters of its own: ndcg_1=3,2=9,4=4.5 and 11pt_avg_.25,.5,.75."""
    levels = [f"iprec:recall={level}" for level in (0.1, 0.2, 0.25, 0.5, 0.75)]
    multiples = [f"rprec:mult={multiple}" for multiple in (0.2, 0.35, 5)]
    cut = ["ndcg@10", "ndcg@20", "ndcg@23", "success@2", "success@5", "success@20"]
    others = ["P@3", "P@5", "P@7", "recall@20", "recall@2000"]
    utility = "utility_2,-1,0,0"
    measures = [*levels, *others, *multiples, utility, "iprec:recall=.25/.5/.75", "ndcg:gains=0/3/9", *cut]
    got = printed("--measures", ",".join(measures), "--per-query", "-")
    wanted = kept("out.test.meas_params", absent=())
    assert [line.split("\t")[1:] for line in got] == [line.split("\t")[1:] for line in wanted]


def test_counts_can_be_asked_for_alone():
    assert printed("--measures", "num_q,ndcg@10") == [
        "num_q                 \tall\t3",
        "ndcg_cut_10           \tall\t0.3016",
    ]


def refused(*options):
    done = subprocess.run([COMMAND, "eval", *map(str, options)], check=False, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    return done.stderr


def test_wrong_uses():
    files = ["--qrels", FILES / "qrels.test.gz", "--run", FILES / "results.test.gz"]
    assert "trec" in refused(*files, "--format", "trek")
    assert "--qrels FILE and a run" in refused("x.txt", "--scores", "y", "--format", "trec")
    assert "--against" in refused(*files, "--format", "trec", "--against", FILES / "results.test.gz")
    assert "exclude each other" in refused(*files, "--format", "trec", "--json")
    assert "above 0" in refused(*files, "--relevant-from", "-1")
