# SPDX-License-Identifier: Apache-2.0
"""dorm explore over real sockets: the figures of dorm eval, and judgments that outlive anything."""

import csv
import http.client
import json
import random
import signal
import sqlite3
import subprocess
import threading
from urllib.parse import quote

import pytest
from command import DORM, dorm
from served import Served

said = subprocess.run(
    [DORM, "explore", "nothing.json", "--data", "nothing.txt", "--judgments", "nothing.sqlite"],
    capture_output=True,
    text=True,
).stderr
pytestmark = pytest.mark.skipif("without simdjson" in said, reason="the command was built without simdjson")

HOSTILE = "<img src=x onerror=alert(1)>"


def explored(folder, *words, **options):
    return Served(*words, "--no-open", cwd=folder, verb="explore", **options)


def write_texts(data, path):
    with open(data, newline="") as rows, open(path, "w") as out:
        for row in csv.DictReader(rows):
            line = {
                "id": row["docid"],
                "title": f"Title of {row['docid']}",
                "text": "<script>document.title='owned'</script>",
            }
            out.write(json.dumps(line) + "\n")


def write_data(path, queries, seed):
    """Two features that say something and one that does not; ids that would be markup."""
    draw = random.Random(seed)
    with open(path, "w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["label", "qid", "docid", "bm25", "<b>links</b>", "noise"])
        for q in range(queries):
            for d in range(draw.randint(3, 25)):
                label = draw.choice([0, 0, 1, 2, 3, 4])
                name = f"{HOSTILE}{q}-{d}" if d == 1 else f"d{q}-{d}"
                query = f"{HOSTILE}{q}" if q % 10 == 3 else f"q{q}"
                values = [label + draw.gauss(0, 2), label + draw.gauss(0, 3), draw.gauss(0, 1)]
                rows.writerow([label, query, name, *(f"{x:.3f}" for x in values)])


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explore")
    write_data(folder / "train.csv", 60, 1)
    write_data(folder / "test.csv", 80, 2)
    write_texts(folder / "test.csv", folder / "texts.jsonl")
    dorm("train", "train.csv", "--model", "a.json", "--scale", "zscore", cwd=folder)
    dorm("train", "train.csv", "--model", "b.json", "--method", "ridge", "--scale", "zscore", cwd=folder)
    return folder


def evaluated(folder, *words):
    """The rows of dorm eval --json, by name."""
    table = json.loads(dorm("eval", "test.csv", *words, "--json", cwd=folder).stdout)
    return {row["name"]: row for row in table["rankers"]}


@pytest.mark.parametrize("measure", ["ndcg@10", "ndcg@3", "map", "mrr"])
def test_figures_are_those_of_eval(world, measure):
    rankers = evaluated(world, "a.json", "b.json", "--measures", measure)
    with explored(world, "a.json", "b.json", "--data", "test.csv", "--measure", measure) as page:
        summary = page.ask("GET", "/api/summary?right=b")[2]
    for key, name in (("a", "a"), ("right", "b")):
        row = rankers[name]["measures"][measure]
        assert summary[key]["mean"] == row["mean"]
        assert [summary[key]["low"], summary[key]["high"]] == [row["low"], row["high"]]
        assert summary["queries"] == row["queries"] and summary["skipped"] == row["skipped"]
    test = rankers["b"]["measures"][measure]["against"]
    difference = summary["difference"]
    assert difference["mean"] == test["difference"]
    assert [difference["low"], difference["high"]] == [test["low"], test["high"]]
    assert difference["p"] == test["p_permutation"]
    assert [difference["wins"], difference["losses"], difference["ties"]] == [
        test["wins"],
        test["losses"],
        test["ties"],
    ]


def test_values_per_query_are_those_of_eval(world):
    dorm("eval", "test.csv", "--model", "a.json", "--measures", "ndcg@10", "--per-query", "values.csv", cwd=world)
    with open(world / "values.csv", newline="") as rows:
        expected = {row["qid"]: row["ndcg@10"] for row in csv.DictReader(rows)}
    with explored(world, "a.json", "--data", "test.csv", "--measure", "ndcg@10") as page:
        rows = page.ask("GET", "/api/queries?limit=200")[2]["rows"]
    assert len(rows) == len(expected)
    for row in rows:
        value = expected[row["id"]]
        assert row["a"] is None if value == "" else row["a"] == pytest.approx(float(value), abs=1e-12)


def moved_weights(page):
    weights = page.ask("GET", "/api/weights")[2]["rows"]
    return f"{weights[0]['feature']}:{-weights[0]['weight'] / 3},{weights[1]['feature']}:0.25"


def moved_points(page):
    """The first point and one in the middle of the curve that moves documents most."""
    row = page.ask("GET", "/api/curves?limit=1")[2]["rows"][0]
    middle = len(row["points"]) // 2
    return f"{row['feature']}.0:{row['points'][0]['y'] + 1},{row['feature']}.{middle}:{row['low']}"


@pytest.fixture(scope="module")
def edited_world(world):
    dorm("train", "train.csv", "--model", "lines.json", "--curves", 5, "--scale", "zscore", "-q", cwd=world)
    dorm("train", "train.csv", "--model", "steps.json", "--curves", "steps:5", "--scale", "zscore", "-q", cwd=world)
    models = [json.loads((world / name).read_text()) for name in ("a.json", "lines.json")]
    own = ("measure", "convention", "data", "input", "format", "version", "features")
    part = {"share": 0.5, "bound": "none", "start": "part", "C": 0, "certificate": models[0]["certificate"]}
    both = {key: models[0][key] for key in own if key in models[0]} | {"kind": "sum", "scaling": {"kind": "none"}}
    both |= {"certificate": models[0]["certificate"], "bound": "none", "start": "sum"}
    both["parts"] = [part | {"weight": weight, "model": model} for weight, model in zip((1, 0.5), models)]
    (world / "sum.json").write_text(json.dumps(both))
    return world


@pytest.mark.parametrize(
    ("model", "kind", "moved"),
    [
        ("a.json", "weights", moved_weights),
        ("lines.json", "curves", moved_points),
        ("steps.json", "curves", moved_points),
        ("sum.json", "parts", moved_weights),
    ],
)
def test_edited_model_is_what_the_summary_says(edited_world, model, kind, moved):
    world, name = edited_world, model
    with explored(world, name, "--data", "test.csv") as page:
        assert page.ask("GET", "/api/info")[2]["models"][0]["edits"] == kind
        edits = moved(page)
        summary = page.ask("GET", f"/api/summary?right=edited&edits={quote(edits)}")[2]
        status, headers, model = page.ask("GET", f"/api/model.json?edits={quote(edits)}")
    assert status == 200 and 'filename="edited.json"' in headers["Content-Disposition"]
    assert summary["difference"]["wins"] + summary["difference"]["losses"] > 0
    assert model["method"] == "edited" and len(model["edited_from"]["edits"]) == 2
    (world / "edited.json").write_text(json.dumps(model))
    row = evaluated(world, "edited.json", name)["edited"]["measures"]["ndcg@10"]
    assert [row["mean"], row["low"], row["high"]] == [summary["right"][k] for k in ("mean", "low", "high")]
    assert "edited" in dorm("info", "edited.json", cwd=world).stdout


@pytest.mark.parametrize("model", ["a.json", "lines.json", "sum.json"])
def test_a_document_with_other_values_is_scored_as_rank_scores_it(edited_world, model):
    world = edited_world
    with open(world / "test.csv", newline="") as lines:
        header, *rows = list(csv.reader(lines))
    first = next(row[1] for row in rows)
    rows = [row for row in rows if row[1] == first]
    with explored(world, model, "--data", "test.csv") as page:
        feature = page.ask("GET", "/api/why?q=0&docs=2&parts=1")[2]["documents"][0]["parts"][0]
        change = page.ask("GET", f"/api/change?q=0&d=2&values={feature['feature']}:3.5")[2]
        assert page.ask("GET", "/api/query?q=0")[2]["a"] == change["before"]["measure"]
    rows[2][header.index(feature["name"])] = "3.5"
    with open(world / "changed.csv", "w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    scores = [float(x) for x in dorm("rank", model, "changed.csv", "-q", cwd=world).stdout.split()]
    assert change["after"]["score"] == pytest.approx(scores[2], rel=1e-12)
    assert change["after"]["rank"] == 1 + sum(score > scores[2] for score in scores)


def test_hostile_names_stay_text(world):
    with explored(world, "a.json", "b.json", "--data", "test.csv", "--texts", "texts.jsonl") as page:
        status, headers, rows = page.ask("GET", "/api/queries?sort=id&order=asc&limit=3")
        assert status == 200 and rows["rows"][0]["id"].startswith(HOSTILE)
        assert headers["Content-Type"] == "application/json" and headers["X-Content-Type-Options"] == "nosniff"
        query = page.ask("GET", f"/api/query?q={rows['rows'][0]['q']}")[2]
        assert any(doc["id"].startswith(HOSTILE) for doc in query["docs"])
        assert all("owned" in doc["text"] for doc in query["docs"])
        status, headers, text = page.ask("GET", "/")
        assert status == 200 and b"<script" in text and HOSTILE.encode() not in text
        policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        assert headers["Content-Security-Policy"] == policy and headers["Referrer-Policy"] == "no-referrer"
        for path in ("/api/query?q=%3Cimg%3E", "/api/nothing%3Cb%3E", "/api/queries?sort=%3Cscript%3E"):
            status, headers, answer = page.ask("GET", path)
            assert status in (400, 404) and headers["Content-Type"] == "application/json" and answer["error"]
        assert page.ask("GET", "/api/info", headers={"Host": "evil.example"})[0] == 421
        assert page.ask("POST", "/api/undo", "{}", {"Content-Type": "text/plain"})[0] == 415
        assert page.ask("POST", "/api/undo", " " * 20000, {"Content-Type": "application/json"})[0] == 413


def test_what_is_refused_before_it_starts(world, tmp_path):
    refused = lambda *words: dorm("explore", *words, "--no-open", status=None, cwd=world)
    assert "expected one or two" in refused("a.json", "b.json", "a.json", "--data", "test.csv").stderr
    assert "--data" in refused("a.json").stderr
    assert 'unknown feature "bm52"' in refused("feature:bm52", "--data", "test.csv").stderr
    (tmp_path / "bad.jsonl").write_text('{"id": "x"}\n{"title": 3}\n')
    assert "bad.jsonl:2: " in refused("a.json", "--data", "test.csv", "--texts", tmp_path / "bad.jsonl").stderr
    (tmp_path / "other.sqlite").write_text("no database " * 100)
    assert "other.sqlite" in refused("a.json", "--data", "test.csv", "--judgments", tmp_path / "other.sqlite").stderr


def test_ctrl_c_ends_it(world):
    page = explored(world, "a.json", "--data", "test.csv")
    page.process.send_signal(signal.SIGINT)
    assert page.process.wait(timeout=20) == 0
    page.process.communicate()


judging = pytest.mark.skipif("without SQLite" in said, reason="the command was built without SQLite")


def kept(path):
    with sqlite3.connect(path) as link:
        return {
            (judge, query, document): label
            for judge, query, document, label in link.execute("SELECT judge, query, document, label FROM judgments")
        }


@judging
def test_judgments_outlive_kill(world, tmp_path):
    """20 times: a judge labels one document after another, and the server is killed at a random moment."""
    file, draw, acknowledged = tmp_path / "j.sqlite", random.Random(7), {}
    for round_ in range(20):
        page = explored(world, "a.json", "--data", "test.csv", "--judgments", file)
        killer = threading.Timer(draw.uniform(0.01, 0.2), page.process.kill)
        killer.start()
        try:
            for q, d in ((q, d) for d in range(3) for q in range(80)):
                body = {"q": q, "d": d, "label": (q + d + round_) % 5, "judge": f"judge {round_}"}
                status, _, answer = page.ask("POST", "/api/judgments", body)
                acknowledged[body["judge"], q, d] = answer["label"] if status == 200 else None
        except (OSError, http.client.HTTPException):
            pass  # it is dead
        killer.join()
        page.process.communicate(timeout=20)
    assert len(acknowledged) > 20, "the server was killed before it could acknowledge anything"
    with explored(world, "a.json", "--data", "test.csv", "--judgments", file) as page:
        ids = [page.ask("GET", f"/api/query?q={q}&limit=200")[2] for q in range(80)]
    names = [(query["id"], {doc["d"]: doc["id"] for doc in query["docs"]}) for query in ids]
    stored = kept(file)
    for (judge, q, d), label in acknowledged.items():
        assert stored[judge, names[q][0], names[q][1][d]] == label


@judging
def test_two_judges_and_two_servers_lose_none(world, tmp_path):
    file = tmp_path / "j.sqlite"
    failures = []

    def judge(page, name, start):
        try:
            for q in range(start, start + 40):
                status, _, answer = page.ask("POST", "/api/judgments", {"q": q, "d": 1, "label": q % 5, "judge": name})
                assert status == 200, answer
        except Exception as problem:  # noqa: BLE001
            failures.append(problem)

    words = ("a.json", "b.json", "--data", "test.csv", "--judgments", file)
    with explored(world, *words) as one, explored(world, *words) as other:
        threads = [
            threading.Thread(target=judge, args=(page, name, start))
            for page in (one, other)
            for name in ("ada", "bob")
            for start in (0 if page is one else 40,)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        agreement = one.ask("GET", "/api/agreement")[2]
        pair = next(p for p in agreement["pairs"] if {p["first"], p["second"]} == {"ada", "bob"})
        assert pair["both"] == 80 and pair["same"] == 80 and pair["kappa"] == 1
        lines = other.ask("GET", "/api/judgments.jsonl")[2].decode().splitlines()
    assert len(lines) == 160 and len(kept(file)) == 160


@judging
def test_files_of_judgments_are_read_back(world, tmp_path):
    file = tmp_path / "j.sqlite"
    with explored(world, "a.json", "--data", "test.csv", "--judgments", file) as page:
        for judge, label in (("ada", 3), ("bob", 1), ("eve", 2)):
            page.ask("POST", "/api/judgments", {"q": 3, "d": 0, "label": label, "judge": judge})
        page.ask("POST", "/api/judgments", {"q": 4, "d": 2, "label": 4, "judge": "ada"})
        status, headers, qrels = page.ask("GET", "/api/judgments.qrels")
        assert 'filename="judgments.qrels"' in headers["Content-Disposition"]
        letor = page.ask("GET", "/api/judgments.txt?judge=ada")[2]
    assert sorted(line.split()[3] for line in qrels.decode().splitlines()) == ["2", "4"]  # the median of 3, 1, 2
    (tmp_path / "j.txt").write_bytes(letor)
    info = json.loads(dorm("info", "j.txt", "--json", cwd=tmp_path).stdout)
    assert info["documents"] == 2 and info["labels"] == {"3": 1, "4": 1}


@judging
def test_a_list_of_documents_is_judged_until_it_is_decided(tmp_path):
    """From two runs without judgments to a verdict: dorm eval lists, the page labels, and dorm eval decides."""
    draw = random.Random(5)
    relevant = {}
    for name, chance in (("a", 0.7), ("b", 0.2)):
        with open(tmp_path / f"{name}.run", "w") as out:
            for q in range(40):
                for d in range(5):
                    relevant[f"q{q}", f"{name}{d}"] = int(draw.random() < chance)
                    out.write(f"q{q} Q0 {name}{d} {d + 1} {5 - d} t\n")
    runs = ("a.run", "b.run", "--measures", "p@5", "--to-judge", "judge.csv", "--batch", 60)
    told = json.loads(dorm("eval", *runs, "--json", cwd=tmp_path).stdout)["plan"]
    assert told["verdict"] == "undecided" and told["open"] == 400 and len(told["next"]) == 60
    for _ in range(6):
        words = ("a.run", "b.run", "--data", "a.run,b.run", "--complete", "--queue", "judge.csv")
        with explored(tmp_path, *words, "--judgments", "new.sqlite") as page:
            assert page.ask("GET", "/api/info")[2]["judging"]["queue"] == len(told["next"])
            for offset in range(0, len(told["next"]), 50):
                shown = page.ask("GET", f"/api/queue?judge=ada&offset={offset}")[2]
                assert shown["first"] == offset and shown["total"] == len(told["next"])
                for row, pair in zip(shown["rows"], told["next"][offset:]):
                    assert [row["query"], row["id"]] == pair and row["judged"] is None
                    label = relevant[row["query"], row["id"]]
                    page.ask("POST", "/api/judgments", {"q": row["q"], "d": row["d"], "label": label, "judge": "ada"})
            assert page.ask("GET", "/api/queue?judge=ada")[2]["first"] is None
            (tmp_path / "new.qrels").write_bytes(page.ask("GET", "/api/judgments.qrels")[2])
        told = json.loads(dorm("eval", *runs, "--new-qrels", "new.qrels", "--json", cwd=tmp_path).stdout)["plan"]
        if told["verdict"] != "undecided":
            break
    assert told["verdict"] == "first" and told["judged"] < 300 and told["next"] == []
    shown = dorm("eval", *runs, "--new-qrels", "new.qrels", cwd=tmp_path).stdout
    assert "decided: a is better" in shown
    assert (tmp_path / "judge.csv").read_text() == "qid,docid,label\n"
    none = tmp_path / "none.csv"
    none.write_text("qid,docid\nq1,zz\n")
    words = (
        "a.run",
        "b.run",
        "--data",
        "a.run,b.run",
        "--complete",
        "--judgments",
        "new.sqlite",
        "--queue",
        "none.csv",
    )
    failed = dorm("explore", *words, "--no-open", status=None, cwd=tmp_path)
    assert "none of 1 documents to judge is in the data" in failed.stderr


@judging
def test_blind_trials_are_counted(world, tmp_path):
    words = ("a.json", "b.json", "--data", "test.csv", "--judgments", tmp_path / "j.sqlite")
    with explored(world, *words) as page:
        for done in range(3):
            trial = page.ask("GET", "/api/blind?judge=ada")[2]
            assert set(trial["left"][0]) == {"d", "id", "title", "text", "url"}
            answer = {"judge": "ada", "trial": trial["trial"], "better": "left"}
            assert page.ask("POST", "/api/blind", answer)[2] == {"done": done + 1}
            assert page.ask("POST", "/api/blind", answer)[0] == 404
    with explored(world, *words) as page:
        result = page.ask("GET", "/api/blind/result")[2]
    assert result["trials"] == 3 and result["a"] + result["b"] == 3
