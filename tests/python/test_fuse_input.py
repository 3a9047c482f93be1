# SPDX-License-Identifier: Apache-2.0
"""What dorm fuse makes of runs and judgments that are unusual: a stated rule, or an error that says what is wrong."""

import gzip
import json
import math
import shutil
import subprocess

import pytest
from command import dorm

RUN = "q1 Q0 a 1 9 x\nq1 Q0 b 2 7 x\nq1 Q0 c 3 1 x\nq2 Q0 a 1 5 x\nq2 Q0 d 2 4 x\n"
OTHER = "q1 Q0 b 1 0.9 y\nq1 Q0 c 2 0.8 y\nq2 Q0 d 1 0.7 y\nq2 Q0 e 2 0.2 y\n"
QRELS = "q1 0 b 2\nq1 0 a 0\nq2 0 d 1\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "b.run").write_text(OTHER)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return tmp_path


def report(folder, *runs, options=()):
    return json.loads(dorm("fuse", *runs, "--qrels", "qrels.txt", "--json", *options, cwd=folder).stdout)


def test_the_same_content_in_every_format(folder):
    expected = report(folder, "a.run", "b.run")
    nested = {}
    for line in RUN.splitlines():
        query, _, document, _, score, _ = line.split()
        nested.setdefault(query, {})[document] = float(score)
    (folder / "crlf").mkdir()
    (folder / "crlf" / "a.run").write_bytes(RUN.replace("\n", "\r\n").encode())
    (folder / "packed").mkdir()
    (folder / "packed" / "a.run.gz").write_bytes(gzip.compress(RUN.encode()))
    (folder / "ranx").mkdir()
    (folder / "ranx" / "a.json").write_text(json.dumps(nested))
    hits = {q: {"hits": {"hits": [{"_id": d, "_score": s} for d, s in each.items()]}} for q, each in nested.items()}
    (folder / "hits").mkdir()
    (folder / "hits" / "a.json").write_text(json.dumps(hits))
    tabs = RUN.replace(" ", "\t")
    (folder / "tabs").mkdir()
    (folder / "tabs" / "a.run").write_text("# a comment\n\n" + tabs)
    for file in ("crlf/a.run", "packed/a.run.gz", "ranx/a.json", "hits/a.json", "tabs/a.run"):
        assert report(folder, file, "b.run") == expected, file


@pytest.mark.parametrize("tool, ending", [("zstd", "zst"), ("lz4", "lz4")])
def test_packed_by_other_tools(folder, tool, ending):
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} to write .{ending} with")
    (folder / "z").mkdir()
    packed = f"z/a.run.{ending}"
    done = subprocess.run([tool, "-q", "-c", "a.run"], cwd=folder, check=True, stdout=subprocess.PIPE)
    (folder / packed).write_bytes(done.stdout)
    assert report(folder, packed, "b.run") == report(folder, "a.run", "b.run")


def test_negative_grades_count_as_nothing(folder):
    """By the definition: gains are grades above 0, in the sum and in the ideal."""
    (folder / "qrels.txt").write_text("q1 0 a -2\nq1 0 b 2\nq1 0 c 1\nq2 0 a -1\nq2 0 d 1\n")
    rows = {row["name"]: row["measure"]["mean"] for row in report(folder, "a.run", "b.run")["rankings"]}
    first = (2 / math.log2(3) + 1 / math.log2(4)) / (2 + 1 / math.log2(3))  # a, b, c
    assert rows["a"] == pytest.approx((first + 1 / math.log2(3)) / 2)
    (folder / "qrels.txt").write_text("q1 0 a 0\nq1 0 b 2\nq1 0 c 1\nq2 0 a 0\nq2 0 d 1\n")
    same = {row["name"]: row["measure"]["mean"] for row in report(folder, "a.run", "b.run")["rankings"]}
    assert rows == same


def test_the_same_run_twice_counts_as_one(folder):
    twice = report(folder, "a=a.run", "again=a.run", options=("--folds", "0"))
    assert twice["weights"] == {"a": 0.5, "again": 0.5}
    rows = {row["name"]: row["measure"]["mean"] for row in twice["rankings"]}
    assert len(set(rows.values())) == 1


def test_runs_of_other_queries(folder):
    (folder / "other.run").write_text("q9 Q0 a 1 3 x\nq9 Q0 b 2 2 x\n")
    said = report(folder, "a.run", "other.run")
    assert said["queries"] == 2
    rows = {row["name"]: row["measure"]["mean"] for row in said["rankings"]}
    assert rows["other"] == 0 and rows["mean"] == rows["a"]
    assert said["queries_by_run"] == {"a": 2, "other": 0}
    done = dorm("fuse", "a.run", "other.run", "--qrels", "qrels.txt", cwd=folder)
    assert (
        "warning: other lists none of the 2 judged queries, so that its weight says nothing; its first query is 'q9', "
        "the first that is judged 'q1': the ids have to be the same"
    ) in done.stderr
    assert "of the judged queries other lists none" in done.stdout
    (folder / "half.run").write_text("q2 Q0 d 1 3 x\nq2 Q0 e 2 2 x\n")
    done = dorm("fuse", "a.run", "half.run", "--qrels", "qrels.txt", cwd=folder)
    assert "warning" not in done.stderr and "of the judged queries half lists 1\n" in done.stdout


def test_lists_of_one_document_and_ties(folder):
    (folder / "one.run").write_text("q1 Q0 c 1 3 x\nq2 Q0 d 1 -7 x\n")
    (folder / "tied.run").write_text("q1 Q0 a 1 1 x\nq1 Q0 b 2 1 x\nq2 Q0 d 1 1 x\nq2 Q0 e 2 1 x\n")
    dorm("fuse", "one.run", "tied.run", "-o", "f.run", cwd=folder)
    found = [line.split() for line in (folder / "f.run").read_text().splitlines()]
    assert {(q, d): float(s) for q, _, d, _, s, _ in found} == {
        ("q1", "c"): 0.5, ("q1", "a"): 0.5, ("q1", "b"): 0.5, ("q2", "d"): 1, ("q2", "e"): 0.5
    }  # fmt: skip
    # Equal scores keep the order of the lists in a run that is written, and go by document id in the table.
    assert [d for q, _, d, _, _, _ in found if q == "q1"] == ["c", "a", "b"]


def test_judgments_of_what_no_run_lists(folder):
    (folder / "qrels.txt").write_text("q1 0 nobody 1\nq2 0 neither 1\n")
    done = dorm("fuse", "a.run", "b.run", "--qrels", "qrels.txt", cwd=folder)
    assert "equal weights" in done.stderr and "weights      a 0.500, b 0.500" in done.stdout
    (folder / "qrels.txt").write_text("q1 0 a 0\nq1 0 b 0\nq2 0 d 0\n")
    assert "equal weights" in dorm("fuse", "a.run", "b.run", "--qrels", "qrels.txt", cwd=folder).stderr


def test_twenty_runs(folder):
    for r in range(20):
        (folder / f"r{r}.run").write_text(RUN if r % 2 else OTHER)
    said = report(folder, *[f"r{r}.run" for r in range(20)])
    assert len(said["weights"]) == 20 and sum(said["weights"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "c.run: no ranked documents; expected lines of 'qid Q0 docid rank score tag'"),
        ("# nothing\n\n", "c.run: no ranked documents"),
        ("q1 Q0 a 1 nan x\n", "c.run:1:11: found 'nan'; expected a finite number as score"),
        ("q1 Q0 a 1 2 x\nq1 Q0 b 2 -inf x\n", "c.run:2:11: found '-inf'; expected a finite number as score"),
        ("q1 Q0 a 1 1e999 x\n", "c.run:1:11: found '1e999'; expected a finite number as score"),
        ("q1 Q0 a 1 2 x\nq1 Q0 a 2 1 x\n", "query 'q1': c: document 'a' is listed twice"),
        ("q1 a 3\n", "c.run:1:7: found 3 words; expected 6"),
        ("{}", "c.run"),
        (
            '{"responses": [{"hits": {"hits": [{"_id": "a", "_score": 1}]}}, '
            '{"error": {"type": "index_not_found_exception"}, "status": 404}]}',
            "c.run: query '2': found the error 'index_not_found_exception'; expected answers of Elasticsearch",
        ),
        (
            '{"q1": {"hits": {"hits": [{"_id": "a", "_score": 1}]}}, "q2": {"error": "timeout"}}',
            "c.run: query 'q2': found the error 'timeout'; expected answers of Elasticsearch",
        ),
    ],
)
def test_runs_that_are_refused(folder, text, message):
    (folder / "c.run").write_text(text)
    failed = dorm("fuse", "a.run", "c.run", "--qrels", "qrels.txt", "--model", "f.json", cwd=folder, status=1)
    assert message in failed.stderr, failed.stderr
    assert not (folder / "f.json").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        (["a.run"], "found one run, a.run; expected two or more, or --features beside it"),
        (["a.run,b.run"], "found one run, a.run,b.run; expected two or more, with blanks between"),
        (["a.run", "b.run", "--encode", "kind=onehot"], "--encode is about the columns of --features FILE"),
        (["a.run", "a.run"], "a.run and a.run are both called 'a'; expected NAME=FILE for one of them"),
        (["a.run", "b.run", "--qrels", "none.txt"], "no judged query is in a run"),
        (["a.run", "b.run", "--qrels", "twice.txt"], "query 'q1': document 'b' is judged twice"),
        (["a.run", "b.run", "--qrels", "empty.txt"], "empty.txt: no judgments; expected lines of"),
        (["a.run", "gone.run"], "gone.run"),
        (["a.run", "b.run", "--scale", "none", "--qrels", "qrels.txt", "--measure", "recall@10"], "recall@10"),
    ],
)
def test_calls_that_are_refused(folder, words, message):
    (folder / "none.txt").write_text("q7 0 a 1\n")
    (folder / "twice.txt").write_text("q1 0 b 2\nq1 0 b 1\n")
    (folder / "empty.txt").write_text("")
    failed = dorm("fuse", *words, cwd=folder, status=None)
    assert failed.returncode in (1, 2) and message in failed.stderr, failed.stderr


def test_scores_beyond_float32(folder):
    (folder / "wide.run").write_text("q1 Q0 a 1 1e300 x\nq1 Q0 b 2 -1e300 x\nq1 Q0 c 3 0 x\nq2 Q0 d 1 1e308 x\n")
    assert report(folder, "wide.run", "b.run")["queries"] == 2
    failed = dorm("fuse", "wide.run", "b.run", "--scale", "none", cwd=folder, status=1)
    assert "query 'q1': wide: the score -1e+300 is beyond the range of float32" in failed.stderr
