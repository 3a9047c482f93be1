# SPDX-License-Identifier: Apache-2.0
"""Files that the command reads and writes, over every verb: no output may be an input, permissions stay, names that
cannot be written are refused before any work, and finished work is kept."""

import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import DORM, commands, dorm, started

# Of every verb: a call that works, as words; {in:...} and {out:...} mark the files it reads and writes.
CALLS = {
    "train": "{in:train.txt} --model {out:m.json} --report {out:m.html} --valid {in:valid.txt} --weights {in:w.txt} "
    "--checkpoint {out:ck}",
    "train --stream": "{in:train.txt} {in:valid.txt} --initial {in:model.json} --model {out:m.json}",
    "train --position-gains": "{in:gains.csv} {in:train.txt} --valid {in:valid.txt} --valid-lists {in:gains2.csv} "
    "--model {out:m.json} --checkpoint {out:ck}",
    "train --topics": "{in:topics.csv} --limits {in:limits.csv} --top 2 {in:tiny.txt} --model {out:m.json}",
    "recommend train --model-type joint": "{in:ratings.csv} --item-features {in:items.csv} "
    "--method jrank --model {out:m.joint}",
    "tune": "{in:train.txt} --valid {in:valid.txt} --grid C=10,decay=measure,bound=best "
    "--weights {in:w.txt} --model {out:m.json} --report {out:m.md} --checkpoint {out:ck}",
    "tune --position-gains": "{in:gains.csv} {in:train.txt} --valid {in:valid.txt} --valid-lists {in:gains2.csv} "
    "--grid C=10,decay=measure,bound=best --model {out:m.json}",
    "rank": "{in:model.json} {in:train.txt} -o {out:scores.txt}",
    "eval": "{in:train.txt} --model {in:model.json} --against {in:scores} --per-query {out:q.csv}",
    "eval --format markdown": "{in:train.txt} {in:model.json} {in:scores} --per-query {out:q.csv} "
    "--report {out:e.html}",
    "explain": "{in:model.json} {in:train.txt} --query 3 -o {out:why.txt}",
    "eval --run": "{in:a.run} --qrels {in:a.qrels} --other-qrels {in:c.qrels} --per-query {out:q.csv}",
    "eval --to-judge": "{out:judge.csv} {in:a.run} {in:b.run} --qrels {in:a.qrels} --new-qrels {in:c.qrels} "
    "--complete --best-label 9",
    "recommend evaluate": "{in:ratings.csv} --model {in:r.factors} --per-query {out:q.csv} --report {out:e.html}",
    "compare": "{in:train.txt} --test {in:valid.txt} --valid {in:third.txt} --methods ridge,scores:{in:valid.scores} "
    "--measures ndcg@10 --C 1 --out {dir:r} --report {out:c.html} --report {out:c.csv}",
    "recommend compare": "{in:ratings.csv} --item-features {in:items.csv} --methods item-mean --split random:0.3 "
    "--measures ndcg@5 --out {dir:r} --report {out:c.html}",
    "recommend train": "{in:ratings.csv} --valid {in:ratings2.csv} --item-features {in:items.csv} --rank 2 --rounds 1 "
    "--start-from {in:r.factors} --model {out:m.factors} --checkpoint {out:ck} --report {out:f.html}",
    "recommend top": "{in:r.factors} --users {in:users.txt} --ratings {in:ratings2.csv} "
    "--item-names {in:names.csv} -o {out:list.txt}",
    "recommend top --candidates": "{in:items.txt} {in:likes.model} --all --exclude {in:none.txt} -o {out:list.txt}",
    "lab match train": "{in:nodes.csv} --edges {in:edges.csv} --pairs {in:pairs.csv} --matches {in:matches.csv} "
    "--valid {in:pairs2.csv} --model {out:m.json}",
    "lab match predict": "{in:nodes.csv} {in:match.json} --edges {in:edges.csv} --pairs {in:pairs.csv} "
    "-o {out:found.csv}",
    "synth": "--queries 3 --features 2 -o {out:s.txt}",
    "clicks simulate": "{in:train.txt} --sessions 2 --true-propensities {out:truth.csv} -o {out:log.csv}",
    "clicks gains": "{in:shown.csv} --propensities {in:looks.csv} --features {in:few.csv} -o {out:judged.csv}",
    "clicks propensity": "{in:shown.csv} --method regression-em --data {in:few.csv} --bootstrap 2 -o {out:p.csv}",
    "clicks evaluate": "{in:shown.csv} --propensities {in:looks.csv} --data {in:few.csv} feature:x "
    "--per-query {out:q.csv}",
    "clicks interleave": "generate {in:a.run} {in:b.run} -o {out:lists.csv}",
    "convert": "{in:train.txt} {out:t.dorm}",
    "convert --sets": "{in:third.txt} --user-features {in:people.csv} {in:valid.txt} {out:t.csv}",
    "split": "{in:train.txt} -o part",
    "export": "{in:plain.json} --to svmlight --names {in:map.csv} --check {in:train.txt} -o {out:m.svm}",
    "fuse": "{in:a.run} {in:b.run} --qrels {in:a.qrels} --model {out:f.json} -o {out:fused.run} "
    "--joined {out:joined.csv} --to-judge {out:judge.csv}",
    "recommend export": "{in:likes.model} --als-alone --to npz -o {out:vectors.npz}",
    "convert --qrels": "{in:a.qrels} {in:log.json} {out:t.csv} --query-ids {in:ids.txt}",
}
MARK = re.compile(r"\{(in|out|dir):([^}]*)\}")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    here = {"cwd": folder}
    dorm("synth", "--queries", 12, "--features", 4, "--documents-median", 6, "--seed", 1, "-o", "train.txt", **here)
    dorm("synth", "--queries", 6, "--features", 4, "--documents-median", 6, "--seed", 2, "-o", "valid.txt", **here)
    dorm("synth", "--queries", 6, "--features", 4, "--documents-median", 6, "--seed", 3, "-o", "third.txt", **here)
    dorm("train", "train.txt", "--model", "model.json", **here)
    dorm("train", "train.txt", "--scale", "none", "--model", "plain.json", **here)
    for data, scores in (("train.txt", "scores"), ("valid.txt", "valid.scores")):
        dorm("rank", "model.json", data, "-o", scores, **here)
    (folder / "w.txt").write_text("1\n" * 12)
    gains = "label,1,2\n" + "".join(f"{label},{label},{label / 2}\n" for label in range(5))
    (folder / "gains.csv").write_text(gains)
    (folder / "gains2.csv").write_text(gains)
    (folder / "tiny.txt").write_text("2 qid:1 1:1\n0 qid:1 1:0\n1 qid:2 1:.5\n0 qid:2 1:0\n")
    (folder / "topics.csv").write_text("docid,topic,weight\n1,a,1\n3,a,1\n")
    (folder / "limits.csv").write_text("topic,limit\na,1\n")
    (folder / "a.run").write_text("1 Q0 d1 1 2 me\n1 Q0 d2 2 1 me\n")
    (folder / "b.run").write_text("1 Q0 d2 1 2 you\n1 Q0 d1 2 1 you\n")
    log = ["qid,docid,position,click"] + [
        f"{q},d{1 + (q + k) % 2},{k + 1},{(q + k) % 3 % 2}" for q in range(6) for k in (0, 1)
    ]
    (folder / "shown.csv").write_text("\n".join(log) + "\n")
    (folder / "few.csv").write_text("qid,docid,x\n" + "".join(f"{q},d{d},{d + q}\n" for q in range(6) for d in (1, 2)))
    (folder / "looks.csv").write_text("position,propensity\n1,1\n2,0.5\n")
    (folder / "a.qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    (folder / "c.qrels").write_text("1 0 d1 0\n1 0 d2 1\n")
    (folder / "log.json").write_text('{"response": {"docs": [{"id": "d1", "[features]": "x=1"}]}}')
    (folder / "ids.txt").write_text("1\n")
    (folder / "nodes.csv").write_text("graph,node,x\n" + "".join(f"{g},{v},{v}\n" for g in "ab" for v in range(4)))
    (folder / "edges.csv").write_text("graph,from,to\na,0,1\nb,0,1\n")
    for name in ("pairs.csv", "pairs2.csv"):
        (folder / name).write_text("first,second\na,b\n")
    (folder / "matches.csv").write_text("graph1,graph2,node1,node2\n" + "".join(f"a,b,{v},{v}\n" for v in range(4)))
    graphs = ["nodes.csv", "--edges", "edges.csv", "--pairs", "pairs.csv"]
    dorm("lab", "match", "train", *graphs, "--model", "match.json", **here)
    rows = [f"u{u},i{(u * 3 + k) % 7},{1 + (u + k) % 5}" for u in range(8) for k in range(5)]
    (folder / "ratings.csv").write_text("\n".join(rows) + "\n")
    (folder / "ratings2.csv").write_text("\n".join(f"u{u},i{(u * 3 + 5) % 7},{1 + u % 5}" for u in range(8)) + "\n")
    (folder / "items.csv").write_text("".join(f"i{i},{i % 2}\n" for i in range(7)))
    (folder / "names.csv").write_text("".join(f"i{i},Item {i}\n" for i in range(7)))
    (folder / "people.csv").write_text("".join(f"{user},{user / 8}\n" for user in range(13)))
    (folder / "map.csv").write_text("feature,name\n1,7\n")
    (folder / "users.txt").write_text("u1\nu2\n")
    (folder / "items.txt").write_text("i1\ni2\n")
    (folder / "none.txt").write_text("i3\n")
    dorm(
        "recommend", "train", "ratings.csv", "--item-features", "items.csv", "--rank", 2, "--model", "r.factors", **here
    )
    dorm("recommend", "train", "ratings.csv", "--liked", 2, "--factors", 4, "--model", "likes.model", **here)
    return folder


@pytest.fixture
def work(world, tmp_path, monkeypatch):
    """A folder with copies of the files of `world`."""
    monkeypatch.chdir(tmp_path)
    for file in world.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def call_of(verb, **renamed):
    """The words of a call, some of its files under other names."""
    text = MARK.sub(lambda mark: renamed.get(mark[2], mark[2]), CALLS[verb])
    return [*verb.split(), *text.split(), "--quiet"]


def files_of(verb, kind):
    return [name for found, name in MARK.findall(CALLS[verb]) if found == kind]


def contents():
    return {path.name: path.read_bytes() for path in Path(".").iterdir() if path.is_file()}


def test_every_verb_and_every_option_that_names_a_file_is_tried():
    """A new option that names a file fails here until its verb's call above has it."""
    verbs = commands()
    without = {
        "lab experiment",
        "info",
        "serve",
        "explore",
        "completion",
        "manual",
        "help",
    }  # name no file, or write none
    tried_verbs = {verb for verb in verbs for call in CALLS if f"{call} ".startswith(f"{verb} ")}
    assert set(verbs) - without == tried_verbs
    known = {"--mirror", "--subtopics", "--topics", "--limits", "--position-gains", "--test", "--item-columns"}
    known |= {
        "--user-features",
        "--scores",
        "--config",
        "--like",
        "--features",
        "--document-features",
        "--query-features",
        "--by",
        "--lightgbm",
        "--query-ids",
        "--item-names",
    }  # read in the same way as those that are tried
    missing = []
    for verb in tried_verbs:
        tried = " ".join(f"{name} {text}" for name, text in CALLS.items() if f"{name} ".startswith(f"{verb} "))
        options = re.findall(r"(--[\w-]+) (?:FILE|DATA|MODEL|DIR)", dorm(*verb.split(), "--help").stdout)
        short = {"--output": "-o"}
        missing += [(verb, o) for o in options if f"{short.get(o, o)} " not in tried + " " and o not in known]
    assert not missing


@pytest.mark.parametrize("verb", CALLS)
def test_the_calls_work_and_write_what_they_say(work, verb):
    before = contents()
    dorm(*call_of(verb))
    after = contents()
    for name, content in before.items():
        assert after[name] == content
    for name in files_of(verb, "out"):
        assert (name in after) == (name != "ck"), name
    assert not [name for name in after if name.endswith(".tmp")]


@pytest.mark.parametrize("verb", CALLS)
def test_no_output_may_be_an_input(work, verb):
    before = contents()
    for output in files_of(verb, "out"):
        ending = Path(output).suffix
        for number, given in enumerate(files_of(verb, "in")):
            for kind in ("name", "path", "symbolic", "hard"):
                name = {"name": given, "path": f"./{given}"}.get(kind, f"link{number}-{kind}{ending}")
                if kind == "symbolic":
                    os.symlink(given, name)
                elif kind == "hard":
                    os.link(given, name)
                done = dorm(*call_of(verb, **{output: name}), status=2)
                assert "are the same file; expected another name to write" in done.stderr
                if name.startswith("link"):
                    os.unlink(name)
                assert contents() == before


@pytest.mark.parametrize("verb", [verb for verb in CALLS if len(MARK.findall(CALLS[verb])) > 1])
def test_no_output_may_be_another(work, verb):
    outputs = files_of(verb, "out")
    before = contents()
    for one in outputs:
        for other in outputs:
            if one < other:
                done = dorm(*call_of(verb, **{one: "./" + other}), status=2)
                assert "are the same file" in done.stderr
                assert contents() == before


def test_files_in_an_output_folder_and_files_beside_the_data_are_inputs_too(work):
    os.mkdir("r")
    data = Path("train.txt").read_bytes()
    Path("r/table.csv").write_bytes(data)
    assert "same file" in dorm("compare", "r/table.csv", "--input-format", "letor", "--out", "r", status=2).stderr
    assert Path("r/table.csv").read_bytes() == data
    Path("tiny.txt.weight").write_text("1\n1\n")
    done = dorm("rank", "model.json", "tiny.txt", "-o", "tiny.txt.weight", status=2)
    assert "tiny.txt.weight" in done.stderr and Path("tiny.txt.weight").read_text() == "1\n1\n"


def test_standard_output_may_not_be_an_input(work):
    before = Path("train.txt").read_bytes()
    with open("train.txt", "ab") as out:
        done = subprocess.run([DORM, "info", "train.txt"], stdout=out, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "standard output and train.txt are the same file" in done.stderr
    assert Path("train.txt").read_bytes() == before


@pytest.mark.parametrize("verb", CALLS)
def test_replaced_files_keep_their_permissions(work, verb):
    outputs = [name for name in files_of(verb, "out") if name != "ck"]
    for name in outputs:
        Path(name).write_text("old")
        os.chmod(name, 0o600)
    dorm(*call_of(verb))
    for name in outputs:
        assert stat.S_IMODE(os.stat(name).st_mode) == 0o600 and Path(name).read_bytes() != b"old"


@pytest.mark.parametrize("verb", CALLS)
def test_dangling_links_are_followed(work, verb):
    outputs = [name for name in files_of(verb, "out") if name != "ck"]
    os.mkdir("elsewhere")
    for name in outputs:
        os.symlink(f"elsewhere/{name}", name)
    dorm(*call_of(verb))
    for name in outputs:
        assert os.path.islink(name) and Path("elsewhere", name).stat().st_size > 0


@pytest.mark.parametrize("verb", CALLS)
def test_names_that_cannot_be_written_are_refused_before_anything_is_read(work, verb):
    before = contents()
    for name in files_of(verb, "out"):
        ending = Path(name).suffix
        for bad in (f"missing/x{ending}", ".", "x" * (253 - len(ending)) + ending, f"train.txt/x{ending}"):
            others = {given: "absent" for given in files_of(verb, "in")}
            done = dorm(*call_of(verb, **{name: bad, **others}), status=1)
            assert bad in done.stderr and "absent" not in done.stderr, done.stderr
            assert contents() == before


def test_lz4_is_read_but_not_written(work):
    before = contents()
    done = dorm("synth", "--queries", 2, "--features", 2, "-o", "new.txt.lz4", status=1)
    assert done.stderr == "dorm: new.txt.lz4: lz4 is read, and not written; expected .gz, .zst or no ending\n"
    assert contents() == before


@pytest.mark.parametrize("verb", ["train", "train --position-gains", "tune", "recommend train"])
def test_a_model_that_cannot_be_written_leaves_the_checkpoint_of_the_finished_training(work, verb):
    model = files_of(verb, "out")[0]
    dorm(*call_of(verb))
    whole = Path(model).read_bytes()
    done = dorm(*call_of(verb, **{model: "/dev/full"}), status=1)
    assert "/dev/full: cannot write" in done.stderr and Path("ck").exists()
    Path(model).unlink()
    dorm(*call_of(verb))
    assert Path(model).read_bytes() == whole and not Path("ck").exists()


def test_what_a_killed_command_leaves_goes_with_the_next(work):
    process = started("synth", "--queries", "30000", "--features", "40", "-o", "big.txt")
    deadline = time.monotonic() + 60
    while not list(Path(".").glob("big.txt*.tmp")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list(Path(".").glob("big.txt*.tmp")) and not Path("big.txt").exists()
    dorm("synth", "--queries", 2, "--features", 2, "-o", "big.txt")
    assert not list(Path(".").glob("*.tmp")) and Path("big.txt").exists()


def test_edited_cells_are_computed_again(work):
    call = ["compare", "train.txt", "--methods", "ridge", "--measures", "ndcg@10", "--out", "r", "--quiet"]
    table = dorm(*call).stdout
    for cell in Path("r/cells").iterdir():
        cell.write_text(re.sub(r"\[0\.\d", "[3.6", cell.read_text()))
    assert table.splitlines()[:6] == dorm(*call).stdout.splitlines()[:6] and "3.6" not in Path("r/table.md").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="files are truncated under a running command")
@pytest.mark.parametrize("name", ["s.txt", "s.csv", "s.dorm"])
def test_files_that_shrink_while_they_are_used_are_an_error(work, name):
    """Cut at several moments; the command ends by itself, with an error or, if it was done in time, without."""
    dorm("synth", "--queries", 400, "--features", 136, "-o", "whole" + Path(name).suffix)
    whole = Path("whole" + Path(name).suffix).read_bytes()
    for moment in (0.01, 0.03, 0.1, 0.3):
        Path(name).write_bytes(whole)
        process = subprocess.Popen(
            [DORM, "train", name, "--scale", "none", "--tolerance", "1e-6", "--time-limit", "1", "--model", "m.json"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        time.sleep(moment)
        os.truncate(name, 6000)
        error = process.communicate(timeout=60)[1]
        assert process.returncode in (0, 1), error
        assert process.returncode == 0 or name in error, error
