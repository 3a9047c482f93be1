# SPDX-License-Identifier: Apache-2.0
"""`dorm compare` and `dorm lab experiment` from outside: tables, killing and going on, outside scores, missing data."""

import csv
import functools
import gzip
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree
from pathlib import Path

import pytest
from command import DORM, dorm, started

METHODS = "ridge,ranksvm,svm,ap-svm,prank,feature:3,dorm:ndcg@10,dorm:mrr"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """all.txt, cut by query into train.txt, valid.txt and test.txt."""
    folder = tmp_path_factory.mktemp("compare")
    dorm("synth", "--queries", 150, "--features", 10, "--documents-median", 15, "--seed", 3, "-o", folder / "all.txt")
    rows = (folder / "all.txt").read_text().splitlines(keepends=True)
    query = lambda row: int(row.split()[1][4:])
    for name, low, high in (("train", 0, 80), ("valid", 80, 110), ("test", 110, 1000)):
        (folder / f"{name}.txt").write_text("".join(r for r in rows if low < query(r) <= high))
    return folder


def table(path):
    """The rows of table.csv without the times, which no two runs share."""
    with open(path) as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.pop("seconds"), row.pop("tuning_seconds")
    return rows


def figures(rows, measure):
    return {row["method"]: float(row["mean"]) for row in rows if row["measure"] == measure and row["chosen"] != "curve"}


def test_table_has_every_method_between_random_and_ideal(here):
    page = dorm("compare", "all.txt", "--methods", METHODS, "--C", "1,100", "--out", "out").stdout
    rows = table("out/table.csv")
    ndcg = figures(rows, "ndcg@10")
    assert set(ndcg) == {*METHODS.split(","), "random", "ideal"}
    assert ndcg["ideal"] == 1
    assert all(ndcg["random"] < ndcg[method] < 1 for method in METHODS.split(",") if not method.startswith("feature"))
    assert {row["queries"] for row in rows if row["measure"] == "mrr"} <= {str(n) for n in range(100, 151)}
    assert "dorm:mrr" in page and "by cutoff" in page
    assert "**" in Path("out/table.md").read_text()


def page_of(path):
    """A report page: well-formed, with its text, its tables as lists of rows and the number of its plots."""
    page = xml.etree.ElementTree.fromstring(Path(path).read_text().split("\n", 1)[1])
    text = lambda node: "".join(node.itertext()).strip()
    tables = [[[text(cell) for cell in row] for row in table.iter("tr")] for table in page.iter("table")]
    return text(page), tables, sum(1 for figure in page.iter("figure") if figure.find("svg") is not None)


def test_the_page_has_the_figures_of_the_table_and_says_which_is_best(here):
    methods = ["ridge", "ranksvm", "dorm:mrr"]
    arguments = ["--methods", ",".join(methods), "--C", "1,100", "--measures", "ndcg@10,mrr", "--sizes", "20,60"]
    page = dorm("compare", "all.txt", *arguments, "--out", "out", "--report", "out/page.md").stdout
    assert "out/page.md" in page and not Path("out/report.html").exists()
    dorm("compare", "all.txt", *arguments, "--out", "out")
    text, tables, plots = page_of("out/report.html")
    rows = [row for row in table("out/table.csv") if row["size"] == "60" and row["measure"] == "ndcg@10"]
    rows = {row["method"]: row for row in rows if row["chosen"] != "curve"}
    shown = {row[0]: row[1] for row in tables[0][1:]}
    assert set(shown) == {*methods, "random", "ideal"}
    for method, row in rows.items():
        assert shown[method].startswith(f"{float(row['mean']):.4f}")
        interval = f"[{float(row['low']):.4f}, {float(row['high']):.4f}]"
        assert shown[method].endswith(interval) or method in ("random", "ideal")
    best = max(methods, key=lambda method: float(rows[method]["mean"]))
    assert f"{best} is the best by ndcg@10" in text and tables[0][1][0] == best
    assert plots == 2 + 1 + 1, "two learning curves, seconds, ndcg by cutoff; and a forest of two panels"
    assert "All methods by every measure" in text
    assert "dorm compare all.txt" in text and "seed" in text and "processor" in text
    assert "ranksvm" in Path("out/page.md").read_text()


def test_a_page_of_an_unknown_form_is_refused_before_the_work(here):
    assert "out.pdf" in dorm("compare", "all.txt", "--report", "out.pdf", status=2).stderr
    assert "no such folder" in dorm("compare", "all.txt", "--report", "nowhere/p.html", status=1).stderr


def test_validation_and_test_files_give_what_train_and_eval_give(here):
    json_text = dorm(
        "compare", "train.txt", "--valid", "valid.txt", "--test", "test.txt", "--methods", "ranksvm", "--C", "10",
        "--as-spelled", "--measures", "ndcg@10", "--json",
    ).stdout  # fmt: skip
    compared = json.loads(json_text)["rows"][0]["measures"]["ndcg@10"]["mean"]
    dorm("train", "train.txt", "--method", "ranksvm", "-C", 10, "--model", "m.json")
    alone = json.loads(dorm("eval", "test.txt", "--model", "m.json", "--json").stdout)
    assert compared == alone["measures"]["ndcg@10"]["mean"]


def test_the_row_of_tune_is_what_tune_delivers(here):
    json_text = dorm(
        "compare", "train.txt", "--valid", "valid.txt", "--test", "test.txt", "--methods", "ridge,tune",
        "--measures", "ndcg@10", "--tolerance", "1e-3", "--json"
    ).stdout  # fmt: skip
    rows = {row["method"]: row for row in json.loads(json_text)["rows"]}
    dorm(
        "tune", "train.txt", "--valid", "valid.txt", "--curves", "none", "--tolerance", "1e-3", "--model", "tuned.json"
    )
    alone = json.loads(dorm("eval", "test.txt", "--model", "tuned.json", "--json").stdout)
    assert rows["tune"]["measures"]["ndcg@10"]["mean"] == pytest.approx(alone["measures"]["ndcg@10"]["mean"], abs=1e-6)
    assert "tune " in dorm("compare", "--help").stdout


def test_experiments_are_listed_and_misspelt_names_corrected():
    environment = {name: value for name, value in os.environ.items() if name != "DORM_DATA"}
    listed = dorm("lab", "experiment", status=2, env=environment).stderr
    assert all(name in listed for name in ("uci-table", "web-mrr", "solver-table", "all"))
    misspelt = dorm("lab", "experiment", "uci-tabel", status=2, env=environment).stderr
    assert 'did you mean "uci-table"' in misspelt


def test_killed_at_any_moment_and_run_again_it_ends_with_the_same_table(here):
    command = ["compare", "all.txt", "--methods", METHODS, "--C", "1,10,100,1000", "--sizes", "40,80", "--threads", 2]
    began = time.monotonic()
    dorm(*command, "--out", "whole")
    whole_time = time.monotonic() - began
    rng = random.Random(1)
    kills = 0
    for kind in [signal.SIGKILL] * 7 + [signal.SIGINT, signal.SIGTERM, signal.SIGINT]:
        with open("log", "w") as log:
            process = started(*command, "--out", "killed", stdout=log, stderr=log)
            time.sleep(rng.random() * whole_time / 5)
            process.send_signal(kind)
            status = process.wait()
        assert status in (0, -kind, 128 + kind), Path("log").read_text()
        kills += status != 0
    assert kills >= 3, "the machine was too fast for the kills to fall inside the runs"
    dorm(*command, "--out", "killed")
    assert table("killed/table.csv") == table("whole/table.csv")


def test_an_interrupt_says_how_to_go_on(here):
    command = [DORM, "compare", "all.txt", "--out", "out", "--tolerance", "1e-7"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not os.path.isdir("out/cells") and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes" in errors


def test_outside_scores_are_judged_beside_the_rest(here):
    labels = [float(row.split()[0]) for row in open("test.txt")]
    Path("perfect.txt").write_text("".join(f"{y}\n" for y in labels))
    dorm("compare", "train.txt", "--test", "test.txt", "--methods", "ridge,scores:perfect.txt", "--out", "out")
    assert figures(table("out/table.csv"), "ndcg@10")["scores:perfect.txt"] == 1
    Path("short.txt").write_text("1\n")
    failed = dorm("compare", "train.txt", "--test", "test.txt", "--methods", "ridge,scores:short.txt", status=1)
    assert "expected one per row" in failed.stderr


def test_parts_take_turns(here):
    rows = open("all.txt").read().splitlines(keepends=True)
    for part in range(3):
        Path(f"S{part}.txt").write_text("".join(r for r in rows if int(r.split()[1][4:]) % 3 == part))
    page = dorm("compare", "S0.txt", "S1.txt", "S2.txt", "--methods", "ridge", "--out", "out").stdout
    assert "150 test queries, 3 splits" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--methods", "ranksvn"], "ranksvm"),
        (["--measures", "ndgc@10"], "ndcg"),
        (["--sizes", "10,x"], "--sizes"),
        (["--C", "0"], "--C"),
        (["--valid", "valid.txt"], "--test"),
        (["--folds", "2"], "--folds is 2; expected a whole number from 3 on"),
        (["--methods", "ridge", "--against", "svm"], "svm"),
        (["--choose", "bst"], "best"),
    ],
)
def test_what_makes_no_sense_is_refused_with_what_was_expected(here, arguments, said):
    assert said in dorm("compare", "train.txt", *arguments, status=2).stderr


def test_missing_data_is_named_with_its_publisher_and_its_place(here):
    failed = dorm("lab", "experiment", "uci-table", "--data-dir", "nowhere", status=1)
    assert "archive.ics.uci.edu" in failed.stderr and "nowhere/uci" in failed.stderr and "DORM_DATA" in failed.stderr
    environment = {key: value for key, value in os.environ.items() if key != "DORM_DATA"}
    assert "--data-dir" in dorm("lab", "experiment", "uci-table", status=2, env=environment).stderr
    assert "uci-table" in dorm("lab", "experiment", "uci-tabel", "--data-dir", "nowhere", status=2).stderr


@pytest.fixture
def web(here):
    """Generated data in the place of MQ2008: for the machinery, not the figures."""
    folder = here / "data" / "mq2008"
    folder.mkdir(parents=True)
    rows = open("all.txt").read().splitlines(keepends=True)
    wide = lambda row: row.split("#")[0].rstrip() + " " + " ".join(f"{j}:0.5" for j in range(11, 26)) + "\n"
    for part in range(5):
        with gzip.open(folder / f"S{part + 1}.txt.gz", "wt") as out:
            out.writelines(wide(r) for r in rows if int(r.split()[1][4:]) % 5 == part)
    return here


def test_an_experiment_runs_on_whatever_stands_under_the_name(web):
    dorm("lab", "experiment", "solver-table", "--data-dir", "data", "--out", "out", "--quiet")
    text = Path("out/solver-table.md").read_text()
    assert "| NDCG@10 | Precision@10 |" in text and "(1037)" in text
    text, tables, _ = page_of("out/solver-table.html")
    assert "the paper" in text and "where we differ" in text and "dorm lab experiment solver-table" in text
    assert [row[1] for row in tables[0][1:4]] == ["Precision@10", "ROCArea", "DORM (NDCG)"]
    assert "(1037)" in tables[0][1][2]


def test_the_page_of_an_experiment_has_its_plots_and_tests(web):
    dorm("lab", "experiment", "runtime", "--data-dir", "data", "--out", "out", "--report", "more.csv", "--quiet")
    text, tables, plots = page_of("out/runtime.html")
    assert plots == 2, "learning curve, seconds by size; and a forest"
    assert "All methods by every measure" in text
    assert "paired tests by ndcg@10" in text
    assert "seconds of training all candidates" in Path("more.csv").read_text()


def test_all_names_every_experiment_that_it_could_not_run(here):
    failed = dorm("lab", "experiment", "all", "--data-dir", "nowhere", "--out", "out", status=1)
    for name in ("uci-table", "web-mrr", "solver-table"):
        assert f"{name}: nowhere/" in failed.stderr
    assert "experiments lack their data" in failed.stderr
    assert not Path("out/all.html").exists()


@pytest.fixture
def server(tmp_path):
    """A local HTTP server over tmp_path/served."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_download_is_kept_only_with_the_right_checksum(here, server):
    if not shutil.which("curl"):
        pytest.skip("no curl")
    folder, address = server
    (folder / "pendigits.tra").write_text("not what was published\n")
    arguments = ["lab", "experiment", "uci-table", "--data-dir", "data", "--download", "--mirror", address]
    failed = dorm(*arguments, status=1)
    assert "SHA-256" in failed.stderr and "nothing was kept" in failed.stderr
    assert list((here / "data" / "uci").iterdir()) == []
    (folder / "pendigits.tra").unlink()
    assert "could not be fetched" in dorm(*arguments, status=1).stderr


def test_a_download_fetches_what_has_an_address(here, server):
    data = Path(os.environ.get("DORM_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "uci"
    names = ["pendigits.tra", "pendigits.tes", "optdigits.tra", "optdigits.tes"]
    if not shutil.which("curl") or not all((data / f"{name}.gz").exists() for name in names):
        pytest.skip("no curl, or no UCI files under DORM_DATA")
    folder, address = server
    for name in names:
        (folder / name).write_bytes(gzip.decompress((data / f"{name}.gz").read_bytes()))
    failed = dorm("lab", "experiment", "uci-table", "--data-dir", "data", "--download", "--mirror", address, status=1)
    assert "page-blocks" in failed.stderr, "it has no plain address, so it is asked for"
    assert sorted(path.name for path in (here / "data" / "uci").iterdir()) == sorted(names)
