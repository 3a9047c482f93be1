# SPDX-License-Identifier: Apache-2.0
"""The command where the system is not kind: no threads to be had, streams that are full, closed or broken, pipes that
are slow, names that terminals would obey."""

import csv
import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import DORM, dorm, started

GAINS = "label,1,2\n0,0,0\n1,1,.5\n2,2,1\n3,4,2\n4,8,4\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Data in every form, models of every kind, ratings."""
    folder = tmp_path_factory.mktemp("world")
    run = lambda *arguments: dorm(*arguments, cwd=folder)
    run("synth", "--queries", 40, "--features", 8, "--documents-median", 12, "-o", "data.txt")
    for name in ("data.csv", "data.dorm", "data.txt.gz"):
        run("convert", "data.txt", name)
    (folder / "gains.csv").write_text(GAINS)
    run("train", "data.txt", "--model", "linear.json")
    run("train", "data.txt", "--scale", "none", "--model", "plain.json")
    run("train", "data.txt", "--kernel", "rbf:gamma=0.1", "--model", "kernel.json")
    run("train", "data.txt", "--position-gains", "gains.csv", "--model", "slots.json")
    run("synth", "--queries", 150, "--features", 20, "--seed", 3, "-o", "larger.txt")
    rng = random.Random(2)
    rows = [(f"u{u}", item, rng.randint(1, 5)) for u in range(12) for item in rng.sample(ITEMS, 8)]
    (folder / "ratings.csv").write_text("".join(f"{u},{i},{r}\n" for u, i, r in rows))
    run("recommend", "train", "ratings.csv", "--model", "m.factors", "--rank", 2)
    return folder


ITEMS = ["=cmd()", "@sum", "+1", "-1", *(f"i{k}" for k in range(10))]


# ---- threads ------------------------------------------------------------------------------------------------


def test_numbers_in_lists_take_no_minus_sign(here):
    assert "--sizes" in dorm("compare", "data.txt", "--sizes", "-5", status=2).stderr
    assert (
        "--split" in dorm("recommend", "train", "ratings.csv", "--model", "x", "--split", "given:-1", status=2).stderr
    )


@pytest.mark.parametrize("threads", [64, 100000])
def test_threads_that_cannot_be_made_are_done_without(here, threads):
    def little_room():
        resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))

    alone = dorm("info", "data.txt", "--threads", 1).stdout
    assert dorm("info", "data.txt", "--threads", threads, preexec_fn=little_room, timeout=60).stdout == alone
    dorm("train", "data.txt", "--threads", threads, "--model", "m.json", preexec_fn=little_room, timeout=120)
    assert Path("m.json").read_bytes() == Path("linear.json").read_bytes()


def test_the_number_of_threads_is_bounded(here):
    process = started("train", "larger.txt", "--tolerance", 1e-6, "-C", 1e5, "--threads", 10**15, "--model", "m.json")
    try:
        seen = 0
        while process.poll() is None and seen < 2:
            seen = max(seen, len(os.listdir(f"/proc/{process.pid}/task")))
        assert 2 <= seen <= max(64, 4 * os.cpu_count())
    finally:
        process.kill()
        process.wait()


# ---- streams ------------------------------------------------------------------------------------------------


def closed(number):
    return lambda: os.close(number)


def broken_pipe():
    read, write = os.pipe()
    os.close(read)
    return write


@pytest.mark.parametrize("verb", ["train", "tune", "recommend train"])
@pytest.mark.parametrize("how", ["full", "closed", "broken"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_the_model_is_written_whatever_becomes_of_the_messages(here, verb, how, stream):
    data = "ratings.csv" if verb == "recommend train" else "data.txt"
    options = {"tune": ["--grid", "C=10,decay=measure,bound=best"], "recommend train": ["--rank", "2"]}
    kw = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if how == "closed":
        kw["preexec_fn"] = closed(1 if stream == "stdout" else 2)
    else:
        kw[stream] = os.open("/dev/full", os.O_WRONLY) if how == "full" else broken_pipe()
    done = subprocess.run([DORM, *verb.split(), data, "--model", "out", *options.get(verb, [])], **kw)
    expected = {"stderr": 0, "stdout": -signal.SIGPIPE if how == "broken" else 1}[stream]
    assert done.returncode == expected
    dorm("info", "out")
    assert not [name for name in os.listdir() if "tmp" in name]


def test_output_that_is_lost_is_said(here):
    for arguments in (["--help"], ["--version"], ["info", "data.txt"], ["rank", "linear.json", "data.txt"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([DORM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "standard output: cannot write" in done.stderr, arguments


def test_a_closed_stream_is_not_given_to_the_next_file(here):
    subprocess.run([DORM, "train", "data.txt", "--model", "m.json"], preexec_fn=lambda: os.closerange(0, 3))
    assert Path("m.json").read_bytes() == Path("linear.json").read_bytes()


def test_a_reader_that_has_seen_enough_ends_it_quietly(here):
    process = started("rank", "linear.json", "larger.txt", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait() == -signal.SIGPIPE


@pytest.mark.parametrize("name", ["a\x1b[31mb.txt", "a\rb.txt", "a\x7fb.txt", "a\u202eb.txt", "a\u009b31mb.txt"])
def test_no_name_reaches_a_terminal_with_its_escapes(here, name):
    os.link(Path("data.txt").resolve(), name)
    shown = [dorm("info", name).stdout, dorm("train", name, "--model", name + ".json").stdout]
    shown.append(dorm("info", name + ".missing", status=1).stderr)
    for text in shown:
        assert "\\x" in text and not set(text) & {"\x1b", "\r", "\x7f", "\u202e", "\u009b"}, text
    assert dorm("info", name, "--json").returncode == 0


def test_names_in_other_scripts_are_shown_as_they_are(here):
    os.link(Path("data.txt").resolve(), "données 数据.txt")
    assert "données 数据.txt" in dorm("info", "données 数据.txt").stdout


# ---- files --------------------------------------------------------------------------------------------------


def through_pipe(name, *arguments, drops=False):
    """The output of a command to which the file comes through a pipe, at once or in drops."""
    read, write = os.pipe()
    path = f"/dev/fd/{read}"
    process = started(
        *[path if word is None else word for word in arguments],
        pass_fds=[read],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(read)
    content = Path(name).read_bytes()
    with open(write, "wb", buffering=0) as pipe:
        if drops:
            for k in range(20):
                time.sleep(0.005)
                pipe.write(content[k : k + 1])
            content = content[20:]
        pipe.write(content)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.replace(path, name)


def info_text(text):
    return [row for row in text.splitlines() if not row.startswith("format")]  # the bytes of a pipe are not known


FILES = ["data.txt", "data.dorm", "data.txt.gz", "linear.json", "kernel.json", "slots.json", "m.factors"]


@pytest.mark.parametrize("drops", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_info_reads_pipes(here, name, drops):
    assert info_text(through_pipe(name, "info", None, drops=drops)) == info_text(dorm("info", name).stdout)


@pytest.mark.parametrize("drops", [False, True])
def test_every_argument_may_be_a_pipe(here, drops):
    for name, arguments in [
        ("linear.json", ["rank", None, "data.txt"]),
        ("slots.json", ["rank", None, "data.txt"]),
        ("kernel.json", ["rank", None, "data.txt"]),
        ("data.txt", ["rank", "linear.json", None]),
        ("data.dorm", ["rank", "linear.json", None]),
        ("plain.json", ["export", None, "--to", "svmlight"]),
        ("data.dorm", ["convert", None, "-"]),
        ("m.factors", ["recommend", "top", None, "--all"]),
        ("data.txt", ["train", None, "--model", "-"]),
        ("data.txt", ["train", "larger.txt", "--valid", None, "--model", "-"]),
        ("gains.csv", ["train", "data.txt", "--valid", "data.dorm", "--position-gains", None, "--model", "-"]),
        ("linear.json", ["train", "data.txt", "--initial", None, "--model", "-"]),
    ]:
        direct = dorm(*[name if word is None else word for word in arguments]).stdout
        assert through_pipe(name, *arguments, drops=drops) == direct, arguments


def test_info_tells_models_by_position_apart(here):
    assert "positions      2, a function for each" in dorm("info", "slots.json").stdout
    told = json.loads(dorm("info", "--json", "slots.json").stdout)
    assert told["kind"] == "positions" and told["positions"] == 2


BAD_FILES = {
    "words.txt": "these are words\n",
    "one-label.txt": "1 qid:1 1:2\n1 qid:1 1:3\n",
    "constant.txt": "1 qid:1 1:2\n0 qid:1 1:2\n",
    "broken.json": '{"format": "dorm-model"}',
    "cut.json": '{"format": "dorm-model", ',
    "empty": "",
    "broken.csv": "a,b\n1,2\n",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_what_is_wrong_with_a_file_is_said_with_its_name_and_status_1(here, name):
    Path(name).write_text(BAD_FILES[name])
    model = ["--model", "new.json"]
    commands = [
        ["train", name, *model],
        ["tune", name, "--valid", "data.txt", *model],
        ["train", "data.txt", "--position-gains", name, *model],
        ["train", "data.txt", "--initial", name, *model],
        ["rank", name, "data.txt"],
        ["export", name, "--to", "svmlight"],
        ["recommend", "top", name, "--all"],
        ["recommend", "train", name, *model],
    ]
    if not name.endswith(".txt"):
        commands += [
            ["train", "data.txt", "--valid", name, *model],
            ["train", "--stream", name, *model],
            ["info", name],
            ["convert", name, "-"],
            ["rank", "linear.json", name],
        ]
    for command in commands:
        done = subprocess.run([DORM, *command, "--quiet"], capture_output=True, text=True)
        assert done.returncode == 1, (command, done)
        assert name in done.stderr.splitlines()[-1], (command, done.stderr)
    assert not Path("new.json").exists()


def test_names_in_a_file_are_no_usage(here):
    """A model that asks for what there is not is a bad file, not a bad command line."""
    for field, value in (("measure", "nonsense"), ("one_per", "x:y:z")):
        model = json.loads(Path("linear.json").read_text())
        model[field] = value
        Path("odd.json").write_text(json.dumps(model))
        done = subprocess.run([DORM, "rank", "odd.json", "data.txt", "--format", "order"], capture_output=True)
        assert done.returncode in (0, 1)


def test_ids_that_spreadsheets_would_run_are_quoted_on_request(here):
    def items(*options):
        told = dorm(
            "recommend", "top", "m.factors", "--all", "--with-seen", "--top", 20, "--format", "csv", *options
        ).stdout
        return {row["item"] for row in csv.DictReader(told.splitlines())}

    assert {"=cmd()", "@sum", "+1", "-1"} <= items()
    assert not {text for text in items("--spreadsheet") if text[0] in "=@+-"}
    assert {"'=cmd()", "'@sum", "'+1", "'-1"} <= items("--spreadsheet")
    assert "--format csv" in dorm("recommend", "top", "m.factors", "--all", "--spreadsheet", status=2).stderr


def test_start_sweeps_are_bounded(here):
    call = ["recommend", "train", "ratings.csv", "--model", "x", "--start-sweeps"]
    assert "--start-sweeps is 1000000000000000000; expected" in dorm(*call, 10**18, status=2).stderr


# ---- instruction sets ---------------------------------------------------------------------------------------


def test_dorm_simd_chooses_the_instructions_and_never_the_result(here):
    for level in ("portable", "avx2", "avx512", ""):
        env = {**os.environ, "DORM_SIMD": level}
        done = subprocess.run([DORM, "train", "data.txt", "--model", "m.json"], env=env, capture_output=True, text=True)
        if done.returncode == 1:
            assert "which this processor lacks" in done.stderr
            continue
        assert done.returncode == 0 and Path("m.json").read_bytes() == Path("linear.json").read_bytes(), level
    done = dorm("info", "data.txt", status=2, env={**os.environ, "DORM_SIMD": "avx3"})
    assert 'DORM_SIMD "avx3"' in done.stderr and "portable, avx2, avx512" in done.stderr
