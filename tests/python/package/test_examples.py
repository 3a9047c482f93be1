"""Every example runs as a program, and says what it should."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "python"
COMMAND = Path(os.environ.get("DORM_COMMAND", ROOT / "build" / "dorm")).absolute()

# What its output must contain, and what must be installed for it.
CASES = {
    "authorship": (
        [
            "40 authors, 560 texts",
            "6 texts - one text: mean difference +0.2",
            "strangers - one text: mean difference -0.",
        ],
        None,
    ),
    "personalised": (
        ["each with a taste", "for each                           0.8", "all of one taste", "mean difference -0.00"],
        "pandas",
    ),
    "search_relevance": (["converged", "mean difference +", "comes first with a score", "three best of query"], None),
    "grid_search": (["* ", "test NDCG@10 of the refitted winner: 0.7"], None),
    "custom_measure": (["draw 1: trained for revenue@5 0.7", "mean difference +0.2", "more in 5 of 5 draws"], None),
    "recommend": (["DORM, 2 rounds", "new user", "like", "agree on"], None),
    "versus_lightgbm": (["DormRanker, ", "LGBMRanker, ", "NDCG@10, DormRanker - LGBMRanker: mean diff"], "lightgbm"),
    "lightgbm_objective": (["sigma chosen on", "dorm, ", "NDCG@10, dorm - lambdarank: mean difference"], "lightgbm"),
    "xgboost_objective": (["MRR on the validation queries 0.", "ndcg@10"], "xgboost"),
    "streaming": (["after 600 queries: NDCG@10 0.7", "all at once:       NDCG@10 0.7"], None),
}


def run(example, folder, *arguments):
    environment = {k: v for k, v in os.environ.items() if k != "DORM_COMMAND"}
    if COMMAND.exists():
        environment["DORM_COMMAND"] = str(COMMAND)
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{example}.py", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout


def test_every_example_is_listed_here():
    assert sorted(CASES) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("example", CASES)
def test_example(example, tmp_path):
    expected, needs = CASES[example]
    if needs is not None:
        pytest.importorskip(needs)
    said = run(example, tmp_path)
    for text in expected:
        assert text in said, said
    assert list(tmp_path.iterdir()) == []  # examples leave nothing behind


def test_search_relevance_ranks_like_the_command(tmp_path):
    if not COMMAND.exists():
        pytest.skip(f"no command at {COMMAND}: build it, or set DORM_COMMAND")
    assert "the command gives the same scores: True" in run("search_relevance", tmp_path)


def test_search_relevance_reads_files_of_the_user(tmp_path):
    for name, rows in (("train", range(40)), ("test", range(40, 60))):
        lines = [
            f"{d % 3} qid:{q} 1:{(d % 3) / 3 + (q + 3 * d) % 5 / 10:.3f} 2:{q % 7 / 7:.3f}"
            for q in rows
            for d in range(6)
        ]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    said = run("search_relevance", tmp_path, "train.txt", "test.txt")
    assert "train: RankingData(40 queries, 240 documents, 2 features, dense)" in said
