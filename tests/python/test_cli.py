# SPDX-License-Identifier: Apache-2.0
"""The command `dorm` from outside. DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import csv
import gzip
import io
import json
import math
import os
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from command import DORM, dorm, started


def refused(*arguments, status=1, **kw):
    """Runs a command that must fail; what it said on standard error."""
    done = dorm(*arguments, status=status, **kw)
    assert done.stdout == "" and done.stderr.startswith("dorm: "), done
    return done.stderr


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(here):
    """60 generated queries as data.txt; returns its labels by query, and a score for each row."""
    dorm(
        "synth",
        "--queries",
        60,
        "--features",
        12,
        "--documents-median",
        15,
        "--groups",
        4,
        "--seed",
        5,
        "-o",
        "data.txt",
    )
    labels = {}
    for row in Path("data.txt").read_text().splitlines():
        words = row.split()
        labels.setdefault(words[1][4:], []).append(float(words[0]))
    rng = random.Random(1)
    scores = [round(rng.random(), 2) for values in labels.values() for _ in values]
    Path("scores.txt").write_text("".join(f"{s}\n" for s in scores))
    return labels, scores


def ndcg(labels, scores, n=10):
    gain = lambda ys: sum((2**y - 1) / math.log2(r + 2) for r, y in enumerate(ys[:n]))
    order = sorted(range(len(labels)), key=lambda i: -scores[i])
    best = gain(sorted(labels, reverse=True))
    return gain([labels[i] for i in order]) / best if best > 0 else None


def ndcg_by_query(labels, scores):
    values, begin = {}, 0
    for query, ys in labels.items():
        values[query] = ndcg(ys, scores[begin : begin + len(ys)])
        begin += len(ys)
    return values


# ---- help and usage ---------------------------------------------------------------------------------------


def test_help_names_every_command_measure_and_convention():
    page = dorm("--help").stdout
    for verb in ("train", "tune", "rank", "eval", "synth", "convert", "info"):
        assert f"  {verb}  " in page
        own = dorm(verb, "--help").stdout
        for part in ("Usage: dorm " + verb, "Examples:", "Exit status:", "--json", "--quiet", "--threads"):
            assert part in own, (verb, part)
        assert max(map(len, own.splitlines())) <= 110
    own = dorm("eval", "--help").stdout
    for name in ("ndcg[@n]", "precision@n", "mrr", "letor4", "lightgbm", "trec", "expected"):
        assert name in own


def test_version():
    assert dorm("--version").stdout.split()[0] == "dorm"


def test_nothing_to_do_shows_help_on_standard_error():
    done = dorm(status=2)
    assert done.stdout == "" and "Usage: dorm COMMAND" in done.stderr


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["evla"], 'unknown command "evla"; did you mean "eval"?'),
        (
            ["frobnicate"],
            'unknown command "frobnicate"; known: train, tune, compare, fuse, rank, eval, explain, explore, serve, '
            "export, info, convert, split, synth, clicks, recommend, lab, help",
        ),
        (["eval", "x", "--mesures", "ndcg"], 'unknown option "--mesures"; did you mean "--measures"?'),
        (["synth", "--sed=3", "-o", "x"], 'unknown option "--sed"; did you mean "--seed"?'),
        (["--jsn", "info", "x"], 'unknown option "--jsn"; did you mean "--json"?'),
        (["info"], "FILE is missing"),
        (["info", "a", "b"], 'unexpected argument "b"'),
        (["convert", "a"], "OUT is missing"),
        (["synth"], "-o FILE is missing"),
        (["synth", "--queries", "many", "-o", "x"], "--queries is many; expected a whole number from 1 to 100000000"),
        (["synth", "--queries", "0", "-o", "x"], "--queries is 0; expected a whole number from 1 to 100000000"),
        (["synth", "--density", "2", "-o", "x"], "--density is 2; expected a number above 0 and at most 1"),
        (["eval"], "DATA is missing"),
        (["eval", "x"], "--scores FILE or --feature NAME"),
        (["eval", "--run", "r"], "--qrels FILE or --subtopics FILE is missing"),
        (["eval", "--qrels", "r"], "--run FILE is missing"),
        (["eval", "--model", "x", "--run", "r", "--qrels", "q"], "exclude DATA, --model"),
        (["info", "x", "--input-format", "leto"], 'unknown format "leto"; did you mean "letor"?'),
        (["info", "x", "--missing", "zeros"], 'did you mean "zero"?'),
    ],
)
def test_bad_usage_is_explained(here, arguments, said):
    assert said in refused(*arguments, status=2)
    assert list(here.iterdir()) == []


def test_options_may_stand_before_the_command(data):
    assert json.loads(dorm("--json", "info", "data.txt").stdout)["queries"] == 60


# ---- eval --------------------------------------------------------------------------------------------------


def test_eval_json_equals_hand_arithmetic(data):
    labels, scores = data
    values = [v for v in ndcg_by_query(labels, scores).values() if v is not None]
    out = json.loads(dorm("eval", "data.txt", "--scores", "scores.txt", "--measures", "ndcg@10,mrr", "--json").stdout)
    assert (out["convention"], out["ties"], out["queries"]) == ("standard", "index", 60)
    assert list(out["measures"]) == ["ndcg@10", "mrr"]
    got = out["measures"]["ndcg@10"]
    assert set(got) == {"mean", "low", "high", "queries", "skipped"}
    assert got["mean"] == pytest.approx(sum(values) / len(values), abs=1e-12)
    assert (got["queries"], got["skipped"]) == (len(values), 60 - len(values))
    assert got["low"] < got["mean"] < got["high"]


def test_eval_table_names_the_convention(data):
    page = dorm("eval", "data.txt", "--scores", "scores.txt", "--convention", "lightgbm").stdout
    assert page.startswith("convention lightgbm, ties index, 60 queries\n")
    assert [line.split()[0] for line in page.splitlines()[2:]] == ["measure", "ndcg@10", "mrr", "map"]


def test_eval_maps_scores_by_row_in_every_format(data):
    labels, scores = data
    rows = Path("data.txt").read_text().splitlines()
    order = list(range(len(rows)))
    random.Random(3).shuffle(order)
    Path("mixed.txt").write_text("".join(rows[i] + "\n" for i in order))
    Path("mixed.scores").write_text("".join(f"{scores[i]}\n" for i in order))
    dorm("convert", "mixed.txt", "mixed.dorm", "--quiet")
    means = set()
    for name in ("mixed.txt", "mixed.dorm"):
        done = dorm("eval", name, "--scores", "mixed.scores", "--ties", "expected", "--json", "--quiet")
        means.add(round(json.loads(done.stdout)["measures"]["ndcg@10"]["mean"], 12))
    done = dorm("eval", "data.txt", "--scores", "scores.txt", "--ties", "expected", "--json")
    means.add(round(json.loads(done.stdout)["measures"]["ndcg@10"]["mean"], 12))
    assert len(means) == 1


def test_eval_per_query_values(data):
    labels, scores = data
    dorm("eval", "data.txt", "--scores", "scores.txt", "--measures", "ndcg@10,map", "--per-query", "q.csv")
    rows = list(csv.reader(Path("q.csv").open()))
    assert rows[0] == ["qid", "ndcg@10", "map"]
    for (query, want), row in zip(ndcg_by_query(labels, scores).items(), rows[1:], strict=True):
        assert row[0] == query
        assert row[1] == "" if want is None else float(row[1]) == pytest.approx(want, abs=1e-12)
    shown = dorm("eval", "data.txt", "--scores", "scores.txt", "--measures", "ndcg@10,map", "--per-query", "-").stdout
    assert list(csv.reader(io.StringIO(shown))) == rows


def test_eval_against_another_ranker(data):
    labels, scores = data
    other = [-s for s in scores]
    Path("other.txt").write_text("".join(f"{s}\n" for s in other))
    done = dorm(
        "eval", "data.txt", "--scores", "scores.txt", "--against", "other.txt", "--measures", "ndcg@10", "--json"
    )
    test = json.loads(done.stdout)["against"]["measures"]["ndcg@10"]
    a, b = ndcg_by_query(labels, scores), ndcg_by_query(labels, other)
    pairs = [(a[q], b[q]) for q in a if a[q] is not None]
    assert test["difference"] == pytest.approx(sum(x - y for x, y in pairs) / len(pairs), abs=1e-12)
    assert test["wins"] == sum(x > y + 1e-12 for x, y in pairs)
    assert test["losses"] == sum(x < y - 1e-12 for x, y in pairs)
    assert all(0 <= test[p] <= 1 for p in ("p_t", "p_sign", "p_permutation"))
    page = dorm("eval", "data.txt", "--scores", "scores.txt", "--against", "other.txt").stdout
    assert "against other.txt" in page and "p (perm.)" in page


def test_eval_by_one_feature(data):
    good = json.loads(dorm("eval", "data.txt", "--feature", "1", "--json").stdout)["measures"]["ndcg@10"]["mean"]
    chance = json.loads(dorm("eval", "data.txt", "--scores", "scores.txt", "--json").stdout)["measures"]["ndcg@10"][
        "mean"
    ]
    assert good > chance + 0.05
    assert 'unknown feature "13"; expected one of 1 to 12' in refused("eval", "data.txt", "--feature", 13, status=2)


def test_eval_complains_about_scores_and_names(data):
    Path("few.txt").write_text("1\n2\n")
    assert "few.txt: 2 scores for" in refused("eval", "data.txt", "--scores", "few.txt")
    Path("bad.txt").write_text("1\n0.5x\n")
    assert "bad.txt:2" in refused("eval", "data.txt", "--scores", "bad.txt")
    for option, value, near in (
        ("--measures", "ndgc@10", "ndcg"),
        ("--convention", "leotr4", "letor4"),
        ("--ties", "indx", "index"),
    ):
        said = refused("eval", "data.txt", "--scores", "scores.txt", option, value, status=2)
        assert f'did you mean "{near}"' in said


def test_eval_of_a_run_follows_trec_eval(here):
    Path("q.txt").write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n3 0 z 1\n")
    Path("r.txt").write_text("1 Q0 c 1 3.0 t\n1 Q0 b 2 2.0 t\n1 Q0 new 3 1.0 t\n2 Q0 a 1 1.0 t\n9 Q0 a 1 1.0 t\n")
    done = dorm("eval", "--run", "r.txt", "--qrels", "q.txt", "--measures", "ndcg,map,precision@5", "--json")
    out = json.loads(done.stdout)
    assert out["convention"] == "trec" and "no judgments" in done.stderr
    got = {name: m["mean"] for name, m in out["measures"].items()}
    counted = out["measures"]["map"]["queries"]
    ideal = 2 + 1 / math.log2(3)  # document a was judged but not retrieved
    assert got["ndcg"] * counted == pytest.approx(1 / math.log2(3) / ideal + 1, abs=1e-9)
    assert got["map"] * counted == pytest.approx((1 / 2) / 2 + 1, abs=1e-9)
    assert got["precision@5"] * counted == pytest.approx(1 / 5 + 1 / 5, abs=1e-9)


# ---- synth, convert, info ---------------------------------------------------------------------------------


def test_synth_is_deterministic_whatever_the_threads(here):
    for threads in (1, 2, 3):
        dorm("synth", "--queries", 20, "--features", 9, "--groups", 3, "--threads", threads, "-o", f"{threads}.txt")
    assert Path("1.txt").read_bytes() == Path("2.txt").read_bytes() == Path("3.txt").read_bytes()
    assert dorm("synth", "--queries", 20, "--features", 9, "--groups", 3, "-o", "-").stdout == Path("1.txt").read_text()


def test_synth_writes_every_format(here):
    prints = set()
    for name in ("a.txt", "a.txt.gz", "a.txt.zst", "a.dorm", "a.csv", "a.tsv"):
        dorm("synth", "--queries", 5, "--features", 7, "-o", name)
        info = json.loads(dorm("info", name, "--json").stdout)
        assert (info["queries"], info["features"], info["document_ids"]) == (5, 7, True), name
        prints.add(info["documents"])
    assert len(prints) == 1
    assert gzip.open("a.txt.gz").read() == Path("a.txt").read_bytes()


def test_info_describes_every_format_alike(data):
    labels, _ = data
    lengths = sorted(len(v) for v in labels.values())
    infos = []
    for name in ("data.txt", "data.dorm", "data.csv", "data.tsv", "data.txt.gz", "data.txt.zst"):
        if name != "data.txt":
            dorm("convert", "data.txt", name)
        infos.append(json.loads(dorm("info", name, "--json").stdout))
        assert infos[-1]["documents_per_query"]["min"] == lengths[0]
        assert infos[-1]["documents_per_query"]["max"] == lengths[-1]
        assert sum(infos[-1]["labels"].values()) == sum(lengths)
        assert infos[-1]["queries_without_relevant"] == sum(max(v) <= 0 for v in labels.values())
        assert infos[-1]["queries_with_one_label"] == sum(min(v) == max(v) for v in labels.values())
    assert [i["format"] for i in infos] == ["letor", "binary", "csv", "tsv", "letor", "letor"]
    assert infos[0]["fingerprint"] == infos[1]["fingerprint"] == infos[4]["fingerprint"] == infos[5]["fingerprint"]
    assert all(i["groups"] and i["document_ids"] for i in infos)
    page = dorm("info", "data.dorm").stdout
    for word in ("queries", "documents", "labels", "fingerprint", infos[0]["fingerprint"]):
        assert word in page


def test_convert_there_and_back_changes_nothing(data):
    dorm("convert", "data.txt", "one.dorm")
    dorm("convert", "one.dorm", "two.txt")
    dorm("convert", "two.txt", "two.dorm")
    assert Path("two.txt").read_bytes() == Path("data.txt").read_bytes()
    assert Path("one.dorm").read_bytes() == Path("two.dorm").read_bytes()


def test_convert_refuses_to_write_over_its_input(data):
    before = Path("data.txt").read_bytes()
    os.symlink("data.txt", "link.txt")
    for out in ("data.txt", "./data.txt", "link.txt"):
        assert "same file" in refused("convert", "data.txt", out, status=2)
    assert Path("data.txt").read_bytes() == before


def test_csv_columns_can_be_named(here):
    Path("x.csv").write_text("query,grade,bm25,note\nq1,1,0.5,7\nq1,0,0.25,8\n")
    info = json.loads(
        dorm(
            "info", "x.csv", "--label-column", "grade", "--query-column", "query", "--ignore-column", "note", "--json"
        ).stdout
    )
    assert (info["documents"], info["features"], info["feature_names"]) == (2, 1, True)


def test_missing_values_are_an_error_unless_told_otherwise(here):
    Path("x.txt").write_text("1 qid:1 1:nan 2:1\n0 qid:1 1:4 2:2\n")
    assert "x.txt:1:" in refused("info", "x.txt")
    for how in ("zero", "mean"):
        dorm("convert", "x.txt", f"{how}.txt", "--missing", how)
    assert Path("zero.txt").read_text().split()[2] == "1:0"
    assert Path("mean.txt").read_text().split()[2] == "1:4"


def test_damaged_binary_files_are_refused(data):
    dorm("convert", "data.txt", "data.dorm")
    blob = bytearray(Path("data.dorm").read_bytes())
    Path("cut.dorm").write_bytes(blob[: len(blob) // 2])
    assert "cut.dorm: truncated" in refused("info", "cut.dorm")
    blob[len(blob) // 2] ^= 1
    Path("bad.dorm").write_bytes(blob)
    assert "bad.dorm: damaged" in refused("info", "bad.dorm")
    Path("text.dorm").write_text("1 qid:1 1:1\n")
    assert "not in the binary form" in refused("info", "text.dorm")


# ---- a hostile world --------------------------------------------------------------------------------------


def test_errors_name_file_line_and_column(here):
    Path("x.txt").write_text("1 qid:1 1:0.5\n1 qid:1 1:zero\n")
    assert refused("info", "x.txt").startswith("dorm: x.txt:2:11: ")


def test_warnings_go_to_standard_error_and_can_be_silenced(here):
    Path("x.txt").write_text("1 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:2\n")
    done = dorm("info", "x.txt", "--json")
    assert done.stderr.startswith("dorm: warning: ") and json.loads(done.stdout)["warnings"]
    assert dorm("info", "x.txt", "--json", "--quiet").stderr == ""


def test_files_that_cannot_be_read(here):
    Path("empty.txt").write_text("")
    Path("folder").mkdir()
    for name in ("empty.txt", "folder", "no-such-file"):
        assert name in refused("info", name)


def test_a_file_without_permission():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        secret = Path(folder) / "secret.txt"
        secret.write_text("1 qid:1 1:1\n")
        secret.chmod(0)
        # Root reads anything, so become somebody else.
        other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            said = refused("info", secret, **other)
        except PermissionError:
            pytest.skip(f"running as root, and {DORM} is closed to other users")
        assert "secret.txt: " in said and "ermission" in said


def test_places_that_cannot_be_written(data):
    for out in ("no-such-folder/x.txt", "."):
        assert out in refused("convert", "data.txt", out)
    if Path("/dev/full").exists():
        assert "/dev/full" in refused("convert", "data.txt", "/dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([DORM, "info", "data.txt"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "standard output" in done.stderr


def test_a_failed_write_leaves_the_old_file(data):
    Path("old.txt").write_text("precious")
    Path("bad.txt").write_text("1 qid:1 1:0.5\nx\n")
    refused("convert", "bad.txt", "old.txt")
    assert Path("old.txt").read_text() == "precious"
    assert "compressed" in refused("convert", "data.txt", "x.dorm.gz")
    assert sorted(p.name for p in Path().iterdir()) == ["bad.txt", "data.txt", "old.txt", "scores.txt"]


def test_one_huge_query_and_many_tiny_ones(here):
    dorm(
        "synth",
        "--queries",
        1,
        "--documents-median",
        200000,
        "--documents-spread",
        0,
        "--features",
        2,
        "-o",
        "long.txt",
    )
    dorm("synth", "--queries", 50000, "--documents-max", 1, "--features", 2, "-o", "short.txt")
    long, short = (json.loads(dorm("info", f"{n}.txt", "--json").stdout) for n in ("long", "short"))
    assert (long["queries"], long["documents"]) == (1, 200000)
    assert (short["queries"], short["documents"]) == (50000, 50000)
    assert json.loads(dorm("eval", "long.txt", "--feature", 1, "--json").stdout)["measures"]["ndcg@10"]["queries"] == 1


def test_a_reader_that_goes_away_is_no_news(here):
    process = subprocess.Popen(
        [DORM, "synth", "--queries", "2000", "-o", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert b" qid:1 1:" in process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == -signal.SIGPIPE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_write_leaves_nothing_behind(here, number):
    process = started("synth", "--queries", "20000", "-o", "big.txt", stderr=subprocess.PIPE)
    deadline = time.time() + 60
    while not list(here.iterdir()) and time.time() < deadline and process.poll() is None:
        time.sleep(0.01)
    assert [p.name for p in here.iterdir()] != ["big.txt"], "finished before it could be interrupted"
    process.send_signal(number)
    assert process.wait(timeout=60) == -number
    assert list(here.iterdir()) == []
