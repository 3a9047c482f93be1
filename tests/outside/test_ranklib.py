# SPDX-License-Identifier: Apache-2.0
"""RankLib's scorers against `dorm eval`, query by query. Without a model RankLib scores a file in its own order.

RankLib counts queries without relevant documents 0, its ERR takes grades up to 4, and its P@n of a list shorter than n
is over the length of the list: such lists are left out there.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from dorm_command import dorm

JAR = Path(os.environ.get("DORM_SUITES", "")) / "ranklib.jar"

pytestmark = [
    pytest.mark.skipif(not JAR.is_file(), reason=f"no RankLib at {JAR}; tools/setup.sh outside fetches it"),
    pytest.mark.skipif(not shutil.which("java"), reason="RankLib needs Java"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    rng = random.Random(11)
    folder = tmp_path_factory.mktemp("ranklib")
    rows = [
        f"{rng.choice([0, 0, 1, 2, 3, 4])} qid:{query} 1:{rng.random():.3f}\n"
        for query in range(1, 301)
        for _ in range(rng.randint(1, 40))
    ]
    path = folder / "data.txt"
    path.write_text("".join(rows))
    (folder / "scores.txt").write_text("".join(f"{-i}\n" for i in range(len(rows))))
    return path


@pytest.mark.parametrize(
    "theirs, ours",
    [("NDCG@1", "ndcg@1"), ("NDCG@5", "ndcg@5"), ("NDCG@10", "ndcg@10"), ("DCG@10", "dcg@10"), ("MAP", "map"),
     ("ERR@10", "err@10"), ("P@5", "precision@5"), ("RR@10", "mrr@10")],
)  # fmt: skip
def test_scorers(data, theirs, ours):
    out = data.with_name(f"{ours}.txt")
    subprocess.run(
        ["java", "-cp", JAR, "ciir.umass.edu.eval.Evaluator", "-test", data, "-metric2T", theirs, "-idv", out],
        check=True, capture_output=True,
    )  # fmt: skip
    wanted = {words[1]: float(words[2]) for words in map(str.split, out.read_text().splitlines())}
    wanted.pop("all")
    text = dorm(
        "eval", data, "--scores", data.with_name("scores.txt"), "--measures", ours, "--per-query", "-", "--bootstrap", 0
    )
    got = {query: float(value or 0) for query, value in (line.split(",") for line in text.splitlines()[1:])}
    if theirs == "P@5":
        rows = [line.split()[1].removeprefix("qid:") for line in data.read_text().splitlines()]
        wanted = {query: value for query, value in wanted.items() if rows.count(query) >= 5}
        assert len(wanted) > 200
    assert {query: got[query] for query in wanted} == pytest.approx(wanted, abs=1e-6)
