# SPDX-License-Identifier: Apache-2.0
"""Kernels from outside. DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import json
import math
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import DORM, dorm, started


def rings(path, seed, queries=30, documents=20):
    """The label of a document falls with its distance from the origin: no line ranks them."""
    rng = random.Random(seed)
    with open(path, "w") as out:
        for q in range(queries):
            for _ in range(documents):
                label = rng.randrange(3)
                radius = (3 - label + 0.6 * (rng.random() - 0.5)) / 7
                angle = 2 * math.pi * rng.random()
                x, y = 0.5 + radius * math.cos(angle), 0.5 + radius * math.sin(angle)
                out.write(f"{label} qid:{q} 1:{x:.6f} 2:{y:.6f}\n")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rings")
    rings(folder / "train.txt", 1)
    rings(folder / "test.txt", 2)
    return folder


def ndcg(model):
    done = dorm("eval", "test.txt", "--model", model, "--measures", "ndcg@10", "--json")
    return json.loads(done.stdout)["measures"]["ndcg@10"]["mean"]


def test_rings_are_ranked_by_an_rbf_and_not_by_a_line(here):
    dorm("train", "train.txt", "--model", "line.json")
    dorm("train", "train.txt", "--kernel", "rbf:gamma=20", "--model", "rbf.json")
    assert ndcg("line.json") < 0.6  # random scores: 0.51
    assert ndcg("rbf.json") > 0.99
    for approximation in ("nystroem:60", "nystroem:60,landmarks=greedy", "fourier:200", "cholesky:40"):
        dorm("train", "train.txt", "--kernel", "rbf:gamma=20", "--approx", approximation, "--model", "m.json")
        assert ndcg("m.json") > 0.98, approximation


def test_scores_of_a_model_are_sums_over_its_support(here):
    import base64
    import struct

    dorm("train", "train.txt", "--kernel", "rbf:gamma=20", "--model", "m.json")
    kernel = json.loads(Path("m.json").read_text())["kernel"]
    block = base64.b64decode(kernel["values"])
    numbers = struct.unpack(f"<{len(block) // 4}f", block)
    support = list(zip(numbers[::2], numbers[1::2]))
    assert len(support) == kernel["support"] == len(kernel["coefficients"])
    scores = [float(s) for s in dorm("rank", "m.json", "test.txt").stdout.split()]
    for row, score in list(zip(open("test.txt"), scores))[:50]:
        x, y = (float(word.split(":")[1]) for word in row.split()[2:])
        terms = [
            c * math.exp(-20 * ((x - a) ** 2 + (y - b) ** 2)) for c, (a, b) in zip(kernel["coefficients"], support)
        ]
        assert abs(score - sum(terms)) < 1e-4 * sum(map(abs, terms))


def test_the_report_tells_kernel_and_error_and_info_shows_them(here):
    done = dorm("train", "train.txt", "--kernel", "rbf", "--approx", "nystroem:50", "--model", "m.json")
    assert "rbf:gamma=" in done.stdout and "error of kernel values" in done.stdout
    assert "kernel" in done.stderr  # the forecast of memory
    page = dorm("info", "m.json").stdout
    assert "kernel model with 50 support documents" in page and "nystroem:50" in page


def test_the_grid_of_tune_takes_kernels(here):
    grid = "C=100,decay=measure,bound=best,kernel=none/poly:degree=2,coef0=1/rbf:gamma=20"
    done = dorm(*("tune", "train.txt", "--valid", "test.txt", "--grid", grid, "--model", "m.json", "--json"))
    report = json.loads(done.stdout)
    kernels = {cell["kernel"]: cell["validation"] for cell in report["points"]}
    assert set(kernels) == {"none", "poly:degree=2,coef0=1", "rbf:gamma=20"}
    assert kernels["rbf:gamma=20"] > kernels["none"] + 0.2
    assert report["winner"]["kernel"] != "none"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--kernel", "sigmoid:gamma=1"], "not positive semidefinite"),
        (["--kernel", "rbf:gamma=0"], "gamma is 0; expected a number above 0"),
        (["--kernel", "rbf:gamma=-2"], "gamma is -2; expected a number above 0"),
        (["--kernel", "-1 * rbf"], "would make it indefinite"),
        (["--kernel", "poly:coef0=-1"], "would not be positive semidefinite"),
        (["--kernel", "rbf(1-9):gamma=1"], 'no feature "3"'),
        (["--kernel", "rfb"], 'did you mean "rbf"?'),
        (["--kernel", "precomputed"], "600 documents with 2 features; expected a square Gram matrix"),
        (["--kernel", "identity(document)"], "no document ids"),
        (["--kernel", "poly", "--approx", "fourier:10"], "needs a single rbf"),
        (["--kernel", "rbf", "--approx", "nystroem"], "of what size?"),
        (["--approx", "nystroem:10"], "of what?"),
        (["--kernel", "rbf", "--memory", "much"], '--memory is "much"; expected a size'),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(here, arguments, message):
    done = subprocess.run([DORM, "train", "train.txt", "--model", "m.json", *arguments], capture_output=True, text=True)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert not Path("m.json").exists()


def test_a_gram_matrix_is_taken_as_it_is_and_must_be_symmetric(here):
    rng = random.Random(3)
    points = [(rng.random(), rng.randrange(2)) for _ in range(12)]
    gram = [[math.exp(-((x - y) ** 2)) for y, _ in points] for x, _ in points]

    def write(rows):
        with open("gram.txt", "w") as out:
            for i, ((_, label), row) in enumerate(zip(points, rows)):
                out.write(f"{label} qid:{i // 6} " + " ".join(f"{j}:{v:.8f}" for j, v in enumerate(row, 1)) + "\n")

    write(gram)
    dorm("train", "gram.txt", "--kernel", "precomputed", "--model", "m.json")
    dorm("rank", "m.json", "gram.txt")
    write([[9 * value for value in row] for row in gram])  # values that features would be scaled for
    dorm("train", "gram.txt", "--kernel", "precomputed", "--model", "m.json")
    assert json.loads(Path("m.json").read_text())["scaling"]["kind"] == "none"
    gram[2][5] += 0.1
    write(gram)
    done = dorm("train", "gram.txt", "--kernel", "precomputed", "--model", "m.json", status=1)
    assert "not symmetric: row 6, column 3" in done.stderr


def test_a_model_without_its_support_is_refused(here):
    dorm("train", "train.txt", "--kernel", "rbf:gamma=20", "--model", "m.json")
    model = json.loads(Path("m.json").read_text())
    model["kernel"]["values"] = model["kernel"]["values"][: len(model["kernel"]["values"]) // 8 * 4]
    Path("m.json").write_text(json.dumps(model))
    done = dorm("rank", "m.json", "test.txt", status=1)
    assert "m.json: not a usable model: kernel: support documents are missing" in done.stderr


def test_ctrl_c_leaves_a_model_and_a_checkpoint_to_go_on_from(here):
    rings("big.txt", 5, queries=150, documents=30)
    arguments = ["train", "big.txt", "--kernel", "rbf:gamma=20", "-C", "1e5", "--tolerance", "1e-6", "--bound", "best"]
    arguments += ["--checkpoint", "ck", "--checkpoint-interval", "0", "--model", "m.json", "--threads", "2"]
    process = started(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not Path("ck").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    stopped = json.loads(Path("m.json").read_text())
    assert stopped["certificate"]["status"] == "interrupted" and Path("ck").exists()
    done = dorm(*arguments, "--time-limit", 5, "--json")
    resumed = json.loads(done.stdout)["certificate"]
    assert resumed["gap"] <= stopped["certificate"]["gap"]
    assert dorm(*[a if a != "rbf:gamma=20" else "rbf:gamma=21" for a in arguments], status=1).stderr.count("options")


def test_it_stops_while_features_are_made_and_says_how_far_it_is(tmp_path):
    dorm("synth", "--queries", 1500, "--features", 100, "-o", tmp_path / "data.dorm")
    command = ["train", tmp_path / "data.dorm", "--kernel", "rbf:gamma=median", "--approx", "nystroem:2000"]
    process = started(*command, "-v", "--model", tmp_path / "m.json", stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if "features for the kernel" in line:
            break
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait() == -signal.SIGINT, rest
    assert "before there was a model" in rest
    assert not (tmp_path / "m.json").exists()


def test_a_limit_that_ends_while_features_are_made_is_an_error(tmp_path):
    dorm("synth", "--queries", 1500, "--features", 100, "-o", tmp_path / "data.dorm")
    command = ["train", tmp_path / "data.dorm", "--kernel", "rbf:gamma=median", "--approx", "nystroem:2000"]
    done = dorm(*command, "--time-limit", 0.001, "--model", tmp_path / "m.json", status=None)
    assert done.returncode == 2 and "the time limit ended before there was a model" in done.stderr
    assert not (tmp_path / "m.json").exists()
