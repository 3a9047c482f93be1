# SPDX-License-Identifier: Apache-2.0
"""`dorm tune` from outside: time limits, signals, checkpoints, and what is said first."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import DORM, dorm, started

KERNELS = "kernel=none/rbf:gamma=0.05/rbf:gamma=0.5"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    for name, queries, seed in (("train.txt", 60, 1), ("valid.txt", 40, 2), ("other.txt", 40, 3)):
        dorm(
            "synth",
            "--queries",
            queries,
            "--features",
            10,
            "--documents-median",
            12,
            "--seed",
            seed,
            "-o",
            folder / name,
        )
    dorm("synth", "--queries", 400, "--features", 10, "--documents-median", 20, "--seed", 5, "-o", folder / "large.txt")
    dorm(
        "synth", "--queries", 130, "--features", 10, "--documents-median", 20, "--seed", 6, "-o", folder / "middle.txt"
    )
    return folder


def tune(*words, **more):
    return dorm("tune", *words, "--model", "m.json", **more)


def ended(process, number, after):
    """Standard error, once the process has ended by a signal sent when `after` has been said."""
    said = ""
    for line in process.stderr:
        said += line
        if after in line:
            break
    process.send_signal(number)
    at_once = process.stderr.readline()
    said += at_once + process.stderr.read()
    process.wait(timeout=60)
    return said, at_once


# ---- the figure --------------------------------------------------------------------------------------------


def test_the_headline_is_the_figure_on_queries_not_trained_on(here):
    lines = tune("train.txt", "--valid", "valid.txt").stdout.splitlines()
    judged = json.loads(dorm("eval", "valid.txt", "--model", "m.json", "--measures", "ndcg@10", "--json").stdout)
    measure = judged["measures"]["ndcg@10"]
    low, high = measure["low"], measure["high"]
    assert lines[0].startswith(
        f"validated    ndcg@10 {measure['mean']:.4f}, 95 % interval [{low:.4f}, {high:.4f}], on valid.txt (40 queries)"
    )


def test_by_folds_the_training_figure_is_never_first(here):
    out = json.loads(tune("train.txt", "--folds", 3, "--report", "t.md", "--json").stdout)
    assert list(out)[:3] == ["measure", "validated", "validated_on"] and out["validated_on"] == "3 folds"
    figure = f"{out['validated']['mean']:.4f}"
    training = json.loads(dorm("eval", "train.txt", "--model", "m.json", "--measures", "ndcg@10", "--json").stdout)
    fitted = f"{training['measures']['ndcg@10']['mean']:.4f}"
    assert figure != fitted
    page = Path("t.md").read_text()
    assert page.index(figure) < page.index(fitted)
    before = page[: page.index(fitted)]
    assert "cross-validated" in before and "training data" in before


def test_the_tested_figure_is_that_of_queries_set_aside(here):
    """dorm split draws the same queries, and dorm eval of their file gives the same figure."""
    text = tune("large.txt", "--test", 0.2, "--seed", 3, "--report", "t.md").stdout
    out = json.loads(tune("large.txt", "--test", 0.2, "--seed", 3, "--json").stdout)
    dorm("split", "large.txt", "--test", 0.2, "--seed", 3)
    seen = json.loads(dorm("eval", "large.test.txt", "--model", "m.json", "--measures", "ndcg@10", "--json").stdout)
    measure, tested = seen["measures"]["ndcg@10"], out["tested"]
    assert tested["mean"] == measure["mean"] and tested["interval"] == [measure["low"], measure["high"]]
    assert tested == json.loads(Path("m.json").read_text())["tested"] and tested["share"] == 0.2
    told = f"tested       ndcg@10 {measure['mean']:.4f}, 95 % interval [{measure['low']:.4f}, {measure['high']:.4f}]"
    assert text.splitlines()[0].startswith(told)
    assert f"{measure['mean']:.4f}" in Path("t.md").read_text().splitlines()[2]
    dorm("tune", "large.train.txt", "--seed", 3, "--model", "alone.json")  # has never had the test queries
    with_test, alone = (json.loads(Path(name).read_text()) for name in ("m.json", "alone.json"))
    assert with_test["weights"] == alone["weights"] and "tested" not in alone


def test_shares_that_leave_no_test_are_refused(here):
    refused = tune("train.txt", "--test", 0.001, status=2)
    assert "which is none" in refused.stderr


# ---- the baseline ------------------------------------------------------------------------------------------


def compared(*words):
    """--json of a tuning with --baseline, and the p-value of `dorm eval` for the same rankers on the file `on`."""
    return json.loads(tune(*words, "--json").stdout)["baseline"]


def run_of(model, data, to):
    Path(to).write_text(dorm("rank", model, data, "--format", "trec").stdout)


def test_a_baseline_is_judged_on_test_queries(here):
    dorm("train", "train.txt", "--method", "ridge", "--model", "ridge.json")
    run_of("ridge.json", "large.txt", "ridge.run")
    baseline = compared("large.txt", "--test", 0.2, "--seed", 3, "--baseline", "prod=ridge.run")
    dorm("split", "large.txt", "--test", 0.2, "--seed", 3)
    run_of("ridge.json", "large.test.txt", "part.run")
    seen = dorm("eval", "large.test.txt", "m.json", "part.run", "--against", "part.run", "--measures", "ndcg@10")
    mean = json.loads(dorm("eval", "large.test.txt", "part.run", "--measures", "ndcg@10", "--json").stdout)
    assert baseline["mean"] == pytest.approx(mean["rankers"][0]["measures"]["ndcg@10"]["mean"], abs=1e-12)
    assert baseline["evaluated_on"] == "the test queries" and not baseline["trained_on_these"], seen.stdout


def test_a_baseline_is_judged_on_folds(here):
    dorm("train", "valid.txt", "--method", "ridge", "--model", "ridge.json")
    run_of("ridge.json", "train.txt", "ridge.run")
    words = ("train.txt", "--folds", 3, "--baseline", "prod=ridge.run")
    out = json.loads(tune(*words, "--json").stdout)
    text = tune(*words, "--report", "t.md").stdout
    baseline = out["baseline"]
    alone = json.loads(dorm("eval", "train.txt", "ridge.run", "--measures", "ndcg@10", "--json").stdout)
    assert baseline["mean"] == pytest.approx(alone["rankers"][0]["measures"]["ndcg@10"]["mean"], abs=1e-12)
    assert baseline["model_mean"] == out["validated"]["mean"]
    assert baseline["difference"] == pytest.approx(baseline["model_mean"] - baseline["mean"], abs=1e-9)
    assert f"baseline     prod ndcg@10 {baseline['mean']:.4f} on 3 folds, each held out in turn" in text
    assert f"prod {baseline['mean']:.3f}" in Path("t.md").read_text()


def test_a_run_that_lacks_documents_is_refused_before_tuning_and_taken_with_complete(here):
    dorm("train", "valid.txt", "--method", "ridge", "--model", "ridge.json")
    run_of("ridge.json", "train.txt", "all.run")
    top = [line for line in Path("all.run").read_text().splitlines() if int(line.split()[3]) <= 5]
    Path("top.run").write_text("\n".join(top) + "\n")
    refused = tune("train.txt", "--baseline", "top.run", status=1)
    assert "--complete" in refused.stderr and not Path("m.json").exists()
    baseline = compared("train.txt", "--folds", 3, "--baseline", "top.run", "--complete")
    alone = dorm("eval", "train.txt", "top.run", "--measures", "ndcg@10", "--complete", "--json").stdout
    assert baseline["mean"] == json.loads(alone)["rankers"][0]["measures"]["ndcg@10"]["mean"]


def test_every_rule_that_left_cells_out_is_told(here):
    # At the end of so long a path C no longer matters, so that one of the last is no better than the one before it.
    options = ["train.txt", "--valid", "valid.txt", "--grid", "C=1:1e7:10,bound=best,ranker=ridge/pairwise,curves=none"]
    text = tune(*options, "--report", "t.md").stdout
    out = json.loads(tune(*options, "--json").stdout)
    judged, cells = out["grid_points_validated"], out["grid_points"]
    assert f"{judged} of {cells} grid points validated on valid.txt" in text and cells == 8 + 4 + 3
    unseen = sum(rule["grid_points"] for rule in out["dropped"] if rule["rule"].startswith("not validated"))
    assert unseen == cells - judged > 0
    for rule in out["dropped"]:
        assert re.search(
            rf"^dropped +{rule['grid_points']} grid points?: {re.escape(rule['rule'])}$", text, re.MULTILINE
        )
    assert "a smaller C did no better" in Path("t.md").read_text()
    assert out["end"] == "whole"


def test_the_rule_that_was_used_is_named(here):
    out = json.loads(tune("train.txt", "--folds", 2, "--grid", "kernel=rbf:gamma=1,C=1", "--json").stdout)
    assert out["choice"] == "steady" and "cannot be averaged" in out["reason"]
    for choose in ("best", "steady", "one-standard-error"):
        text = tune("train.txt", "--valid", "valid.txt", "--choose", choose).stdout
        assert f"why          {choose}: " in text


def test_help_documents_the_rules():
    text = dorm("tune", "--help").stdout
    for words in ("explained risk below 0.02", "whole run", "--checkpoint", "twentieth"):
        assert words in text


# ---- the end of time, and signals --------------------------------------------------------------------------


def test_a_time_limit_over_kernels_says_how_many_cells_were_judged(here):
    began = time.monotonic()
    done = tune("large.txt", "--valid", "valid.txt", "--grid", KERNELS, "--time-limit", 1.5, timeout=60)
    assert time.monotonic() - began < 30
    told = re.search(r"time limit: (\d+) of 69 grid points validated; with --checkpoint FILE", done.stderr)
    assert told and 0 < int(told[1]) < 69
    assert f"time limit: {told[1]} of 69 grid points validated\n" in done.stdout
    assert Path("m.json").stat().st_size > 0


def test_progress_is_of_cells_and_guesses_nothing(here):
    said = tune("large.txt", "--valid", "valid.txt", "--grid", KERNELS, "--time-limit", 6, timeout=60).stderr
    lines = [line for line in said.splitlines() if line.startswith("dorm: tuning")]
    assert lines and "?" not in said
    for line in lines:
        assert re.match(r"dorm: tuning: \d+ of 69 grid points(, best ndcg@10 0\.\d{4} \(.*C .*\))?, \d+ s", line), line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_answered_at_once_and_the_message_says_how_to_go_on(here, number):
    command = ["tune", "large.txt", "--valid", "valid.txt", "--grid", KERNELS, "--tolerance", "1e-5"]
    process = started(
        *command,
        "--model",
        "m.json",
        "--checkpoint",
        "x.ck",
        "--checkpoint-interval",
        0,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    said, at_once = ended(process, number, "dorm: tuning")
    assert process.returncode == 128 + number
    assert at_once.startswith("dorm: stopping: the validated grid points make the model")
    assert re.search(r"interrupted: \d+ of 69 grid points validated; the same command resumes from x\.ck", said)
    assert Path("m.json").stat().st_size > 0
    told = dorm("info", "x.ck").stdout
    assert re.search(r"a checkpoint of dorm tune: \d+ of 69 grid points validated", told) and KERNELS in told
    assert json.loads(dorm("info", "x.ck", "--json").stdout)["checkpoint_of"] == "tune"


def test_a_refit_after_a_signal_is_told_of(here):
    process = started(
        "tune",
        "large.txt",
        "--folds",
        3,
        "--grid",
        "kernel=rbf:gamma=0.1,C=1/10/1e5",
        "--model",
        "m.json",
        "--tolerance",
        "1e-2",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    said, at_once = ended(process, signal.SIGINT, "dorm: tuning")
    assert at_once.startswith("dorm: stopping: the best grid point so far is trained again on all of the data")
    assert process.returncode == 130 or (process.returncode == 1 and "stopped before any" in said)


def test_a_second_signal_ends_at_once(here):
    process = started(
        "tune",
        "large.txt",
        "--valid",
        "valid.txt",
        "--grid",
        KERNELS,
        "--tolerance",
        "1e-6",
        "--model",
        "m.json",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    for line in process.stderr:
        if "dorm: memory" in line:
            break
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    assert process.returncode in (-signal.SIGINT, 130)


# ---- memory ------------------------------------------------------------------------------------------------


MEASURED = """
import os, sys
status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)[1:]
print("took", usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def forecast_and_use(*words):
    """Bytes said and bytes taken, under a small process: a child's peak counts what its parent held before."""
    call = [DORM, "tune", *map(str, words), "--model", "m.json"]
    run = subprocess.run([sys.executable, "-I", "-S", "-c", MEASURED, *call], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    number, unit = re.search(r"memory: about ([\d.]+) (\w+)", run.stderr).groups()
    return float(number) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[unit], int(re.search(r"took (\d+)", run.stdout)[1])


def test_the_memory_forecast_counts_the_kernels_of_the_grid(here):
    call = ["middle.txt", "--valid", "valid.txt", "--time-limit", 3, "--grid"]
    linear, _ = forecast_and_use(*call, "C=1,bound=best,kernel=none")
    said, used = forecast_and_use(*call, "C=1,bound=best,kernel=none/rbf:gamma=0.1")
    assert said - linear > 20e6  # rows of the Gram matrix
    assert used < said + 30e6  # what the process takes by itself
    several, _ = forecast_and_use(*call, "C=1,bound=best,kernel=none/rbf:gamma=0.1/rbf:gamma=1")
    assert several == said  # one at a time


def test_a_limit_on_memory_is_for_the_kernels_of_the_grid_too(here):
    call = ["middle.txt", "--valid", "valid.txt", "--grid", "C=1,bound=best,kernel=none/rbf:gamma=0.1"]
    assert "kernel" in tune(*call, "--memory", "3MB", status=2).stderr
    tune(*call, "--memory", "20MB", "--time-limit", 2)


# ---- checkpoints -------------------------------------------------------------------------------------------


def test_a_resumed_tuning_says_so_and_ends_in_the_same_bytes(here):
    command = ["large.txt", "--folds", 3, "--tolerance", "1e-8"]
    tune(*command)
    whole = Path("m.json").read_bytes()
    limited = tune(*command, "--checkpoint", "x.ck", "--time-limit", 0.05)
    assert "the same command resumes from x.ck" in limited.stderr
    known = int(re.search(r"(\d+) of 32 grid points validated", dorm("info", "x.ck").stdout)[1])
    resumed = tune(*command, "--checkpoint", "x.ck")
    assert re.search(r"dorm: resumed from x\.ck: \d+ of 32 grid points", resumed.stderr) or known == 0
    assert Path("m.json").read_bytes() == whole
    assert not Path("x.ck").exists()


def test_a_checkpoint_of_another_run_is_refused_with_the_reason(here):
    saved = ["--checkpoint", "x.ck", "--checkpoint-interval", 0]
    tune("train.txt", "--valid", "valid.txt", "--grid", KERNELS, *saved, "--time-limit", 0.3)
    assert Path("x.ck").exists()

    def refused(*words, verb="tune"):
        return dorm(verb, *words, "--model", "n.json", "--checkpoint", "x.ck", status=1).stderr

    assert "other options" in refused("train.txt", "--valid", "valid.txt")
    assert "other options" in refused("train.txt", "--valid", "other.txt", "--grid", KERNELS)
    assert "the data has changed" in refused("other.txt", "--valid", "valid.txt", "--grid", KERNELS)
    assert "it was written by tune" in refused("train.txt", verb="train")
    assert not Path("n.json").exists()


def test_a_resumed_training_says_so_and_info_knows_its_checkpoint(here):
    command = ["train", "large.txt", "--tolerance", "1e-10", "-C", "1e5", "--model", "m.json", "--checkpoint", "x.ck"]
    dorm(*command, "--time-limit", 0.5)
    assert "a checkpoint of dorm train: 0 candidates finished, the next in round 1" in dorm("info", "x.ck").stdout
    assert "dorm: resumed from x.ck: best from ridge, round 1" in dorm(*command, "--time-limit", 0.5).stderr
