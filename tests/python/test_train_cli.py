# SPDX-License-Identifier: Apache-2.0
"""Training, ranking and tuning from outside. DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import json
import math
import os
import random
import resource
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from command import dorm, started


def start(*arguments):
    return started(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """One generated world cut by query: train.txt, valid.txt, train.csv (named features), big.dorm."""
    folder = tmp_path_factory.mktemp("world")
    dorm("synth", "--queries", 180, "--features", 12, "--documents-median", 20, "--seed", 5, "-o", folder / "all.txt")
    rows = (folder / "all.txt").read_text().splitlines(keepends=True)
    query = lambda row: int(row.split()[1][4:])
    (folder / "train.txt").write_text("".join(r for r in rows if query(r) <= 120))
    (folder / "valid.txt").write_text("".join(r for r in rows if query(r) > 120))
    dorm("synth", "--queries", 1200, "--features", 60, "--seed", 9, "-o", folder / "big.dorm")
    return folder


def read_model(path="m.json"):
    return json.loads(Path(path).read_text())


def labels(path):
    queries = {}
    for row in open(path):
        words = row.split()
        queries.setdefault(words[1][4:], []).append(float(words[0]))
    return queries


def mean_ndcg(path, scores, n=10):
    values, scores = [], iter(scores)
    for ys in labels(path).values():
        mine = [next(scores) for _ in ys]
        gain = lambda v: sum((2**y - 1) / math.log2(r + 2) for r, y in enumerate(v[:n]))
        if max(ys) > 0:
            order = sorted(range(len(ys)), key=lambda i: -mine[i])
            values.append(gain([ys[i] for i in order]) / gain(sorted(ys, reverse=True)))
    return sum(values) / len(values)


# ---- the way through ---------------------------------------------------------------------------------------


def test_a_trained_model_ranks_better_than_chance_and_says_how_it_was_made(here):
    page = dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json").stdout
    for part in ("candidate", "chosen", "certificate", "explained risk", "dropped", "m.json"):
        assert part in page
    scores = [float(x) for x in dorm("rank", "m.json", "valid.txt").stdout.split()]
    rng = random.Random(1)
    assert mean_ndcg("valid.txt", scores) > mean_ndcg("valid.txt", [rng.random() for _ in scores]) + 0.1
    model = read_model()
    assert model["validation"] == pytest.approx(mean_ndcg("valid.txt", scores), abs=1e-9)
    assert model["certificate"]["gap"] <= 1e-3 and model["certificate"]["status"] == "converged"


def judged(model, data, measure="ndcg@10"):
    out = json.loads(dorm("eval", data, "--model", model, "--measures", measure, "--json").stdout)
    return out["measures"][measure]["mean"]


def test_train_json_has_every_candidate_and_its_share(here):
    out = json.loads(dorm("train", "train.txt", "--valid", "valid.txt", "--model", "m.json", "--json").stdout)
    assert sum(c["share"] for c in out["candidates"]) == pytest.approx(1)
    chosen = max(out["candidates"], key=lambda c: c["share"])
    assert chosen["validation"] == max(c["validation"] for c in out["candidates"])
    assert read_model()["validation"] == pytest.approx(judged("m.json", "valid.txt"), abs=1e-15)
    assert {c["bound"] for c in out["candidates"]} == {"best", "predicted"}
    for c in out["candidates"]:
        assert c["dual"] <= c["primal"] and c["gap"] == pytest.approx((c["primal"] - c["dual"]) / c["primal"], abs=1e-9)
    assert out["usable_queries"] + out["dropped_queries"] == 120 and not out["interrupted"]


def test_predicted_says_what_its_gap_certifies(here):
    assert "last round only" in dorm("train", "train.txt", "--bound", "predicted", "--model", "m.json").stdout
    assert "last round only" in dorm("info", "m.json").stdout


def test_the_w_zero_trap_is_announced(here):
    dorm("synth", "--queries", 120, "--features", 20, "--seed", 3, "-o", "long.txt")  # long lists of many ties
    done = dorm(
        "train", "long.txt", "--bound", "given", "--decay", "power:0.5", "--tolerance", "1e-4", "--model", "m.json"
    )
    assert "dorm: warning: " in done.stderr and "w = 0" in done.stderr
    assert "w = 0" not in dorm("train", "long.txt", "--model", "m.json").stderr


def test_eval_of_a_model_equals_eval_of_its_scores(here):
    dorm("train", "train.txt", "--model", "m.json")
    dorm("rank", "m.json", "valid.txt", "-o", "s.txt")
    assert (
        dorm("eval", "valid.txt", "--model", "m.json", "--json").stdout
        == dorm("eval", "valid.txt", "--scores", "s.txt", "--json").stdout
    )


def test_info_describes_a_model(here):
    dorm("train", "train.txt", "--model", "m.json")
    page = dorm("info", "m.json").stdout
    for part in (
        "linear model of 12 features",
        "ndcg@10",
        "certificate",
        "explained risk",
        "fingerprint",
        "largest weights",
    ):
        assert part in page
    info = json.loads(dorm("info", "m.json", "--json").stdout)
    assert info["weights"] == read_model()["weights"]
    statistics = info["statistics"]
    assert (
        f"values         {min(statistics['minimum']):.6g} to {max(statistics['maximum']):.6g}, means of features "
        f"{min(statistics['mean']):.6g} to {max(statistics['mean']):.6g}\n"
    ) in page


def test_info_of_a_model_without_statistics_says_nothing_of_them(here):
    dorm("train", "train.txt", "--model", "m.json")
    model = read_model()
    del model["statistics"]
    (here / "old.json").write_text(json.dumps(model))
    assert "values" not in dorm("info", "old.json").stdout
    assert dorm("rank", "old.json", "train.txt").stdout == dorm("rank", "m.json", "train.txt").stdout


def test_a_stream_goes_on_from_its_model_and_ranks_better_than_chance(here):
    dorm("train", "train.txt", "train.txt", "--stream", "--model", "s.json", "--quiet")
    model = json.loads((here / "s.json").read_text())
    assert (model["start"], model["certificate"]["status"]) == ("stream", "none")
    told = json.loads(
        dorm("train", "train.txt", "--stream", "--initial", "s.json", "--model", "t.json", "--json").stdout
    )
    assert 2 * told["queries"] == model["data"]["queries"]
    assert (here / "s.json").read_text() != (here / "t.json").read_text()
    for bad in (["--valid", "vali.txt"], ["--checkpoint", "ck"], ["--method", "ridge"], ["--report", "r.html"]):
        dorm("train", "train.txt", "--stream", *bad, "--model", "u.json", status=1)
    assert not (here / "u.json").exists()


def test_sqlite_scores_as_rank_does(here):
    """Columns with odd names, a column that is NULL, a scaling folded into the weights."""
    names = ['say "x"', "two words", "preis €", "select"]
    rng = random.Random(7)
    rows = [[rng.randint(0, 2), q, *(rng.uniform(-3, 9) for _ in names)] for q in range(12) for _ in range(6)]
    header = ",".join(["label", "qid", *('"' + name.replace('"', '""') + '"' for name in names)])
    Path("odd.csv").write_text("\n".join([header, *(",".join(map(repr, row)) for row in rows)]) + "\n")
    dorm("train", "odd.csv", "--scale", "zscore", "--model", "odd.json")
    expected = [float(x) for x in dorm("rank", "odd.json", "odd.csv").stdout.split()]
    expression = dorm("export", "odd.json", "--to", "sql", "--fold").stdout
    base = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '" REAL' for name in names)
    base.execute(f"CREATE TABLE documents ({columns})")
    base.executemany("INSERT INTO documents VALUES (?, ?, ?, ?)", [row[2:] for row in rows])
    scores = [row[0] for row in base.execute(f"SELECT {expression} FROM documents ORDER BY rowid")]
    assert scores == pytest.approx(expected, rel=1e-5, abs=1e-5)  # features are float32 in dorm
    base.execute("INSERT INTO documents VALUES (NULL, NULL, NULL, NULL)")
    zeros = base.execute(f"SELECT {expression} FROM documents ORDER BY rowid DESC").fetchone()[0]
    assert zeros == pytest.approx(float(expression.split()[0].lstrip("(")))  # NULL counts as 0: the constant is left


@pytest.mark.parametrize("scale", ["none", "zscore", "minmax", "log-zscore"])
def test_sql_fills_in_what_training_did(here, scale):
    """A NULL is the mean of the training data under --missing mean; logarithms are taken as the model takes them."""
    rng = random.Random(3)
    rows = [
        [rng.randint(0, 2), q, rng.uniform(-3, 900), rng.choice([None, 5.0, 7.5])] for q in range(12) for _ in range(6)
    ]
    text = "\n".join(",".join("" if x is None else repr(x) for x in row) for row in rows)
    Path("holes.csv").write_text(f"label,qid,a,b\n{text}\n")
    dorm("train", "holes.csv", "--missing", "mean", "--scale", scale, "--model", "holes.json", "--quiet")
    expected = [float(x) for x in dorm("rank", "holes.json", "holes.csv").stdout.split()]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE documents (a REAL, b REAL)")
    base.executemany("INSERT INTO documents VALUES (?, ?)", [row[2:] for row in rows])
    expression = dorm("export", "holes.json", "--to", "sql").stdout
    try:
        scores = [row[0] for row in base.execute(f"SELECT {expression} FROM documents ORDER BY rowid")]
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite has no functions of mathematics: {error}")
    assert scores == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_an_exported_model_is_refused_or_scores_the_same(here):
    dorm("train", "train.txt", "--scale", "none", "--model", "m.json", "--quiet")
    text = dorm("export", "m.json", "--to", "svmlight").stdout
    assert text.startswith("SVM-light Version V6.20\n0 # kernel type\n")
    dorm("train", "train.txt", "--scale", "log-query-zscore", "--model", "m.json", "--quiet")
    refused = dorm("export", "m.json", "--to", "svmlight", "-o", "m.svm", status=1).stderr
    assert "log-query-zscore, which depends on the other documents" in refused
    assert not (here / "m.svm").exists()
    assert 'unknown target "svmlite"' in dorm("export", "m.json", "--to", "svmlite", status=2).stderr


def test_the_baselines_are_models_without_certificate(here):
    for method in ("ridge", "pairwise"):
        dorm("train", "train.txt", "--method", method, "--model", "m.json")
        assert read_model()["bound"] == "none"
        assert "baseline" in dorm("info", "m.json").stdout
        scores = [float(x) for x in dorm("rank", "m.json", "valid.txt").stdout.split()]
        assert mean_ndcg("valid.txt", scores) > 0.5


# ---- rank --------------------------------------------------------------------------------------------------


def test_scores_follow_the_rows_of_the_file_not_the_queries(here):
    dorm("train", "train.txt", "--model", "m.json")
    rows = Path("valid.txt").read_text().splitlines()
    scores = dorm("rank", "m.json", "valid.txt").stdout.split()
    order = list(range(len(rows)))
    random.Random(3).shuffle(order)
    Path("mixed.txt").write_text("".join(rows[i] + "\n" for i in order))
    assert dorm("rank", "m.json", "mixed.txt", "--quiet").stdout.split() == [scores[i] for i in order]


def test_the_ranking_formats_agree_with_the_scores(here):
    dorm("train", "train.txt", "--model", "m.json")
    scores = [float(x) for x in dorm("rank", "m.json", "valid.txt").stdout.split()]
    first = len(next(iter(labels("valid.txt").values())))
    best = sorted(range(first), key=lambda i: -scores[i])[:3]
    lines = dorm("rank", "m.json", "valid.txt", "--format", "jsonl", "--top", 3).stdout.splitlines()
    head = json.loads(lines[0])
    assert len(lines) == len(labels("valid.txt")) and [d["row"] - 1 for d in head["ranking"]] == best
    assert [d["score"] for d in head["ranking"]] == [scores[i] for i in best]
    names = [d["document"] for d in head["ranking"]]
    table = [
        line.split("\t")
        for line in dorm("rank", "m.json", "valid.txt", "--format", "order", "--top", 3).stdout.splitlines()
    ]
    assert table[0] == ["qid", "rank", "document", "score"] and [row[2] for row in table[1:4]] == names
    run = [
        line.split() for line in dorm("rank", "m.json", "valid.txt", "--format", "trec", "--top", 3).stdout.splitlines()
    ]
    assert [(r[1], r[2], r[3], r[5]) for r in run[:3]] == [
        ("Q0", name, str(k + 1), "dorm") for k, name in enumerate(names)
    ]


def test_named_features_must_be_there(here):
    dorm("convert", "train.txt", "train.csv")
    text = Path("train.csv").read_text().splitlines()
    header = text[0].split(",")
    features = [c for c in header if c not in ("label", "qid", "docid", "group", "weight")]
    names = {c: f"feature_{c}" for c in features}
    Path("named.csv").write_text("\n".join([",".join(names.get(c, c) for c in header), *text[1:]]) + "\n")
    dorm("train", "named.csv", "--model", "m.json")
    assert read_model()["features"] == list(names.values())
    gone = header.index(features[0])
    cut = lambda row: ",".join(cell for i, cell in enumerate(row.split(",")) if i != gone)
    Path("cut.csv").write_text("\n".join(map(cut, Path("named.csv").read_text().splitlines())) + "\n")
    assert names[features[0]] in dorm("rank", "m.json", "cut.csv", status=1).stderr


def test_a_damaged_model_is_refused(here):
    dorm("train", "train.txt", "--model", "m.json")
    Path("bad.json").write_text(Path("m.json").read_text()[:200])
    assert "bad.json" in dorm("rank", "bad.json", "valid.txt", status=1).stderr
    model = read_model()
    del model["weights"][0]
    Path("bad.json").write_text(json.dumps(model))
    assert "weights" in dorm("rank", "bad.json", "valid.txt", status=1).stderr


# ---- tune --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("choose", ["average", "best", "steady", "one-standard-error"])
def test_tune_delivers_what_was_judged(here, choose):
    out = json.loads(
        dorm("tune", "train.txt", "--valid", "valid.txt", "--choose", choose, "--model", "m.json", "--json").stdout
    )
    model, winner = read_model(), out["winner"]
    assert not out["refitted"]
    assert model["validation"] == pytest.approx(judged("m.json", "valid.txt"), abs=1e-15)
    assert {c["start"] for c in out["points"] if c["bound"] == "none"} == {
        "ridge", "ridge-gain", "pairwise", "pairwise-gain"
    }  # fmt: skip
    assert sum(c["share"] for c in out["points"]) == pytest.approx(1)
    assert all(c["explained_risk"] >= 0.02 for c in out["points"] if c["chosen"] and c["bound"] != "none")
    if choose == "average":
        assert [p["share"] for p in model["parts"]] == sorted(c["share"] for c in out["points"] if c["chosen"])[::-1]
        text = dorm("info", "m.json").stdout
        assert f"an average of {len(model['parts'])} rankers" in text
    else:
        assert "parts" not in model and sum(c["chosen"] for c in out["points"]) == 1
        assert model["validation"] == winner["validation"]
    assert (model["bound"], model["start"], model["options"]["C"]) == (winner["bound"], winner["start"], winner["C"])


def test_tune_by_folds_delivers_the_mean_over_the_folds(here):
    grid = ["--grid", "C=10/100,decay=measure/power:1,bound=best"]
    out = json.loads(dorm("tune", "train.txt", "--folds", 3, *grid, "--model", "m.json", "--json").stdout)
    values = [c["validation"] for c in out["points"]]
    assert values == sorted(values, reverse=True) and {c["bound"] for c in out["points"]} == {"best"}
    model = read_model()
    assert model["folds"] == 3 and len(model["parts"]) == sum(c["chosen"] for c in out["points"])
    assert model["data"]["queries"] == 120
    assert "a mean over 3 folds" in dorm("info", "m.json").stdout


def test_the_best_choice_is_the_top_of_the_table(here):
    grid = ["--grid", "C=1:1000:10,decay=measure,bound=best,curves=none", "--choose", "best"]
    out = json.loads(dorm("tune", "train.txt", "--valid", "valid.txt", *grid, "--model", "m.json", "--json").stdout)
    assert out["points"][0]["chosen"] and out["grid_points"] == 4
    assert out["points"][0]["validation"] == max(c["validation"] for c in out["points"])
    # a path of C may end before 1000, when its last cells fall behind
    assert {1.0, 10.0, 100.0} <= {c["C"] for c in out["points"]} <= {1.0, 10.0, 100.0, 1000.0}


# ---- determinism -------------------------------------------------------------------------------------------


def test_threads_do_not_change_the_model_file(here):
    files = []
    for threads in (1, 2, 4):
        dorm("train", "train.txt", "--valid", "valid.txt", "--threads", threads, "--model", "m.json")
        files.append(Path("m.json").read_bytes())
    assert files[0] == files[1] == files[2]


def test_query_weights_count(here):
    Path("ones.txt").write_text("1\n" * 120)
    Path("some.txt").write_text("1\n0\n" * 60)
    weights = {}
    for name in ("none", "ones", "some"):
        option = [] if name == "none" else ["--weights", f"{name}.txt"]
        dorm("train", "train.txt", "--bound", "best", *option, "--model", "m.json")
        weights[name] = read_model()["weights"]
    assert weights["none"] == weights["ones"] != weights["some"]
    Path("few.txt").write_text("1\n")
    assert "one per query" in dorm("train", "train.txt", "--weights", "few.txt", "--model", "n.json", status=1).stderr


# ---- stopping and going on ---------------------------------------------------------------------------------

LONG = [
    "train",
    "big.dorm",
    "--bound",
    "best",
    "--decay",
    "power:0.5",
    "-C",
    "1e5",
    "--tolerance",
    "1e-12",
    "--passes",
    100000,
]


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.02)


@pytest.mark.parametrize("sent, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_the_best_model(here, sent, status):
    process = start(*LONG, "--checkpoint", "ck", "--checkpoint-interval", 0, "--model", "m.json")
    wait_for(lambda: Path("ck").exists())
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status and "interrupted" in err
    assert read_model()["certificate"]["status"] == "interrupted"
    assert len(dorm("rank", "m.json", "big.dorm", "--format", "trec", "--top", 1).stdout.splitlines()) == 1200
    assert Path("ck").exists()  # to go on from


def test_a_time_limit_is_not_a_failure(here):
    dorm(*LONG, "--time-limit", 0.5, "--model", "m.json")
    assert read_model()["certificate"]["status"] == "time_limit"


RESUMED = ["train", "big.dorm", "--bound", "best", "-C", "1e4", "--tolerance", "1e-4"]


def test_a_killed_training_ends_where_an_undisturbed_one_does(here):
    dorm(*RESUMED, "--model", "whole.json")
    rng = random.Random(4)
    for _ in range(10):
        process = start(*RESUMED, "--checkpoint", "ck", "--checkpoint-interval", 0, "--model", "m.json")
        time.sleep(rng.uniform(0.02, 0.6))
        process.kill()
        process.communicate()
    dorm(*RESUMED, "--checkpoint", "ck", "--checkpoint-interval", 0, "--model", "m.json")
    whole, resumed = read_model("whole.json")["certificate"], read_model()["certificate"]
    assert resumed["gap"] <= 1e-4 and resumed["primal"] == pytest.approx(whole["primal"], rel=2e-4)
    assert not Path("ck").exists()


def interrupted_checkpoint():
    """A checkpoint of a training that was killed."""
    process = start(*LONG, "--checkpoint", "ck", "--checkpoint-interval", 0, "--model", "m.json")
    wait_for(lambda: Path("ck").exists())
    process.kill()
    process.communicate()
    return Path("ck").read_bytes()


def test_checkpoints_that_do_not_fit_are_refused(here):
    whole = interrupted_checkpoint()
    resume = [*LONG, "--time-limit", 1, "--checkpoint", "ck", "--model", "m.json"]
    for place in (5, 30, len(whole) // 2, len(whole) - 9):
        damaged = bytearray(whole)
        damaged[place] ^= 0x55
        Path("ck").write_bytes(damaged)
        assert dorm(*resume, status=1).stderr.startswith("dorm: "), place
    Path("ck").write_bytes(whole[: len(whole) // 3])
    dorm(*resume, status=1)
    Path("ck").write_bytes(whole)
    other = [x if x != "1e5" else "1e4" for x in map(str, resume)]
    assert "other options" in dorm(*other, status=1).stderr
    dorm("synth", "--queries", 1200, "--features", 60, "--seed", 10, "-o", "other.dorm")
    changed = [x if x != "big.dorm" else "other.dorm" for x in map(str, resume)]
    assert "data has changed" in dorm(*changed, status=1).stderr
    assert Path("ck").read_bytes() == whole and not Path("m.json").exists()


def small_files_only():
    """Every file may grow to 20 kB: what a full disk looks like to a checkpoint, not to a model."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))


def test_a_full_disk_under_the_checkpoint_is_reported_and_leaves_nothing(here):
    before = set(os.listdir())
    call = [*LONG, "--checkpoint", "ck", "--checkpoint-interval", 0, "--model", "m.json"]
    assert "ck" in dorm(*call, status=1, preexec_fn=small_files_only).stderr
    assert set(os.listdir()) == before


@pytest.mark.parametrize("place", ["/dev/full", "/dev/null", "."])
def test_a_checkpoint_that_is_no_file_is_refused(here, place):
    refusal = dorm("train", "train.txt", "--checkpoint", place, "--model", "m.json", status=1).stderr
    assert "regular file" in refusal or "Is a directory" in refusal
    assert Path(place).exists() and not Path("m.json").exists()


# ---- memory ------------------------------------------------------------------------------------------------


def test_memory_is_told_and_kept(here):
    assert "dorm: memory: about " in dorm("train", "train.txt", "--model", "m.json").stderr
    refusal = dorm("train", "train.txt", "--memory", "10K", "--model", "n.json", status=2).stderr
    assert ".dorm, which is mapped" in refusal and not Path("n.json").exists()
    free, tight = (
        json.loads(
            dorm(
                "train", "big.dorm", "--scale", "none", "--bound", "best", *option, "--model", "m.json", "--json"
            ).stdout
        )
        for option in ([], ["--memory", "12M"])
    )
    assert tight["memory_bytes"] <= 12e6 < free["memory_bytes"]
    assert tight["certificate"]["primal"] == pytest.approx(free["certificate"]["primal"], rel=2e-3)


# ---- bad calls ---------------------------------------------------------------------------------------------

BAD = [
    (["-C", "0"], "above 0"),
    (["-C", "-1"], "above 0"),
    (["-C", "inf"], "C is"),
    (["--measure", "ndcg@0"], "from 1 on"),
    (["--measure", "kendall"], "trainable"),
    (["--measure", "ndgc@10"], "ndcg"),
    (["--decay", "power:-1"], "positive"),
    (["--decay", "powr:1"], "power"),
    (["--bound", "bst"], "best"),
    (["--initial", "rige"], "ridge"),
    (["--solver", "bcd"], "bcda"),
    (["--scale", "zscor"], "zscore"),
    (["--convention", "lettor4"], "letor4"),
    (["--method", "rdge"], "ridge"),
    (["--tolerance", "x"], "number"),
    (["--tolerance", "0"], "above 0 and below 1"),
    (["--passes", "0"], "a whole number from 1 on"),
    (["--time-limit", "-1"], "--time-limit is -1; expected a number from 0 on"),
    (["--memory", "lots"], "800M"),
    (["--tolerence", "1e-3"], "--tolerance"),
]


@pytest.mark.parametrize("option, said", BAD, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_bad_options_are_refused_before_anything_is_written(here, option, said):
    done = dorm("train", "train.txt", *option, "--model", "n.json", status=2)
    assert said in done.stderr and done.stdout == "" and not Path("n.json").exists()


GRIDS = [
    "C",
    "C=",
    "C=1:2",
    "C=5:1:10",
    "C=1:10:1",
    "C=0",
    "C=a",
    "C=1,C=2",
    "decay=nope",
    "bound=nope",
    "cutoff=0",
    "size=3",
]


@pytest.mark.parametrize("grid", GRIDS)
def test_bad_grids_are_refused(here, grid):
    dorm("tune", "train.txt", "--grid", grid, "--model", "n.json", status=2)
    assert not Path("n.json").exists()


def test_other_bad_calls_are_refused(here):
    dorm("train", "train.txt", status=2)
    dorm("train", "--model", "n.json", status=2)
    assert "folder" in dorm("train", "train.txt", "--model", "no/such/m.json", status=1).stderr
    dorm("tune", "train.txt", "--valid", "valid.txt", "--folds", 3, "--model", "n.json", status=2)
    dorm("tune", "train.txt", "--folds", 121, "--model", "n.json", status=2)
    dorm("tune", "train.txt", "--choose", "luck", "--model", "n.json", status=2)
    Path("one-label.txt").write_text("0 qid:1 1:1\n0 qid:1 1:2\n0 qid:2 1:3\n")
    dorm("train", "one-label.txt", "--model", "n.json", status=1)
    dorm("train", "one-label.txt", "--method", "ridge", "--model", "n.json", status=1)
    dorm("train", "train.txt", "--model", "m.json")
    dorm("rank", "m.json", "valid.txt", "--top", 3, status=2)
    dorm("rank", "m.json", "valid.txt", "--format", "tree", status=2)
    dorm("rank", "train.txt", "valid.txt", status=1)
    assert not Path("n.json").exists()


def test_a_plan_forecasts_and_writes_nothing(tmp_path):
    dorm("synth", "--queries", 1200, "--features", 12, "-o", tmp_path / "data.dorm")
    before = sorted(tmp_path.iterdir())
    plan = json.loads(dorm("train", tmp_path / "data.dorm", "--plan", "--threads", 2, "--json").stdout)
    info = json.loads(dorm("info", tmp_path / "data.dorm", "--json").stdout)
    assert (plan["queries"], plan["documents"], plan["features"]) == (1200, info["documents"], 12)
    assert plan["pass_bytes"] == info["feature_bytes"]
    assert 15_000 < plan["sampled_documents"] < plan["documents"]
    assert [time["threads"] for time in plan["times"]] == [1, 2]
    assert all(time["seconds"] > 0 for time in plan["times"]) and plan["passes"] > 0 and plan["machines"] == 1
    text = dorm("train", tmp_path / "data.dorm", "--plan").stdout
    assert f"{plan['passes']} passes" in text and "machines     1 like this one" in text
    assert sorted(tmp_path.iterdir()) == before
    refused = dorm("train", tmp_path / "data.dorm", "--plan", "--method", "ridge", status=None)
    assert refused.returncode == 2 and "--plan" in refused.stderr
