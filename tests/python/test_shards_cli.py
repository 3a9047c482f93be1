# SPDX-License-Identifier: Apache-2.0
"""Data in shards: `dorm convert IN FOLDER --shards N`, and folders and patterns of files wherever data is read."""

import json
import os
import random
import resource
import signal
import time

import pytest
from command import dorm, started


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    dorm("synth", "--queries", 80, "--features", 6, "--documents-median", 9, "--seed", 2, "-o", folder / "data.txt")
    dorm("convert", folder / "data.txt", folder / "parts/", "--shards", 8)
    dorm("train", folder / "data.txt", "--model", folder / "m.json", "--scale", "zscore", "-q")
    return folder


def info(path, *options):
    return json.loads(dorm("info", path, "--json", *options).stdout)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_shuffled_rows_other_formats_and_any_number_of_threads_give_the_same_files(world, tmp_path):
    expected = files(world / "parts")
    assert sorted(expected)[0] == "part-00000-of-00008.dorm" and len(expected) == 8 + 1
    parts = [name for name in expected if name != "shards.json"]
    rows = (world / "data.txt").read_text().splitlines(keepends=True)
    random.Random(1).shuffle(rows)
    (tmp_path / "shuffled.txt").write_text("".join(rows))
    dorm("convert", tmp_path / "shuffled.txt", tmp_path / "whole.dorm")
    for k, (source, *options) in enumerate([("shuffled.txt",), ("shuffled.txt", "--threads", 3), ("whole.dorm",)]):
        dorm("convert", tmp_path / source, tmp_path / f"out{k}", "--shards", 8, *options)
        again = {name: info(tmp_path / f"out{k}" / name)["fingerprint"] for name in parts}
        assert again == {name: info(world / "parts" / name)["fingerprint"] for name in parts}
    dorm("convert", world / "data.txt", tmp_path / "same", "--shards", 8, "--threads", 3)
    assert files(tmp_path / "same") == expected


def test_folders_and_patterns_are_read_as_one(world):
    whole, parts = info(world / "data.txt"), info(world / "parts")
    for key in ("queries", "documents", "features", "labels", "density", "documents_per_query"):
        assert whole[key] == parts[key], key
    assert info(world / "parts" / "part-*.dorm")["fingerprint"] == parts["fingerprint"]
    some = info(world / "parts" / "part-0000[0-3]*")
    rest = info(world / "parts" / "part-0000[4-7]*")
    assert some["documents"] + rest["documents"] == whole["documents"]
    values = [
        dorm("eval", data, "--model", world / "m.json", "--measures", "ndcg@10,map", "--format", "csv", "-q").stdout
        for data in (world / "data.txt", world / "parts")
    ]
    means = [[line.split(",")[:2] for line in text.splitlines()] for text in values]
    assert means[0] == means[1]
    ranked = dorm("rank", world / "m.json", world / "parts").stdout.splitlines()
    assert sorted(ranked) == sorted(dorm("rank", world / "m.json", world / "data.txt").stdout.splitlines())


def test_training_from_a_folder_is_training_from_its_files_in_one(world, tmp_path):
    dorm("convert", world / "parts", tmp_path / "one.dorm")
    for data, model in ((world / "parts", "a.json"), (tmp_path / "one.dorm", "b.json")):
        dorm("train", data, "--model", tmp_path / model, "-q")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_mistakes_are_named(world, tmp_path):
    said = dorm("convert", world / "data.txt", world / "parts", "--shards", 4, status=1).stderr
    assert said.endswith("parts: is there already; expected a new name, or an empty folder\n")
    assert (
        "expected binary"
        in dorm("convert", world / "data.txt", tmp_path / "x", "--shards", 4, "--to", "csv", status=2).stderr
    )
    assert "no file has such a name" in dorm("info", tmp_path / "none-*.dorm", status=1).stderr
    (tmp_path / "mixed").mkdir()
    for name, features in (("a", 3), ("b", 4)):
        dorm("synth", "--queries", 4, "--features", features, "-o", tmp_path / "mixed" / f"{name}.dorm")
    said = dorm("info", tmp_path / "mixed", status=1).stderr
    assert "b.dorm has 4 features, and 3 before; expected parts that are alike" in said
    target = world / "parts" / "part-00003-of-00008.dorm"
    assert "are the same file" in dorm("train", world / "parts", "--model", target, status=2).stderr


def test_an_interrupt_leaves_nothing(tmp_path):
    dorm("synth", "--queries", 1500, "--features", 60, "--seed", 4, "-o", tmp_path / "data.txt")
    for delay in (0.05, 0.2, 0.4):
        process = started("convert", tmp_path / "data.txt", tmp_path / "out", "--shards", 64, "-q")
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=60)
        left = sorted(os.listdir(tmp_path))
        assert (status, left) in ((0, ["data.txt", "out"]), (130, ["data.txt"]), (-2, ["data.txt"])), (status, left)
        if status == 0:
            break


def test_data_larger_than_memory_is_converted_and_read(tmp_path):
    """165 MB of features under a limit of 130 MB for what the process allocates."""
    dorm(
        "synth", "--queries", 4000, "--features", 150, "--documents-median", 60, "--seed", 9, "-o", tmp_path / "d.dorm"
    )
    documents = info(tmp_path / "d.dorm")["documents"]
    assert documents * 150 * 4 > 140e6

    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (130 << 20, 130 << 20))

    dorm("convert", tmp_path / "d.dorm", tmp_path / "out", "--shards", 64, "--threads", 1, preexec_fn=limit)
    assert (
        json.loads(dorm("info", tmp_path / "out", "--json", "--threads", 1, preexec_fn=limit).stdout)["documents"]
        == documents
    )


def test_processes_started_together_do_not_train_the_same_twice(world, tmp_path):
    """A build without MPI under mpirun says how to get one with it; commands that work alone do so."""
    for size, rank in (("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")):
        told = {**os.environ, size: "2", rank: "0"}
        said = dorm("train", world / "data.txt", "--model", tmp_path / "m.json", status=1, env=told).stderr
        assert "2 processes were started together, and this build cannot" in said and "-DDORM_MPI=ON" in said
        assert not (tmp_path / "m.json").exists()
        assert "queries" in dorm("info", world / "data.txt", env={**told, rank: "1"}).stdout
        dorm("train", world / "data.txt", "--model", tmp_path / "n.json", "-q", env={**told, size: "1"})


def test_a_number_of_shards_is_the_solver_shards(world, tmp_path):
    for words, model in ((("--shards", 16), "a"), (("--shards", 16, "--solver", "shards"), "b")):
        said = dorm("train", world / "data.txt", *words, "--model", tmp_path / model, "-q").stdout
        assert "solver         shards" in said
    dorm("train", world / "parts", "--shards", 16, "--model", tmp_path / "c", "-q")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_a_pipe_among_the_shards_is_refused(world, tmp_path):
    dorm("convert", world / "data.txt", tmp_path / "parts", "--shards", 2)
    os.mkfifo(tmp_path / "parts" / "part-x.dorm")
    for words in (
        ["info", "parts"],
        ["train", "parts", "--model", "m.json"],
        ["eval", "parts", "--model", world / "m.json"],
    ):
        said = dorm(*words, status=1, cwd=tmp_path, timeout=60).stderr
        assert "parts/part-x.dorm: no regular file; expected a shard" in said


def test_a_missing_shard_is_named_by_every_command(world, tmp_path):
    dorm("convert", world / "data.txt", tmp_path / "parts", "--shards", 4)
    (tmp_path / "parts" / "part-00001-of-00004.dorm").unlink()
    for words in (
        ["info", "parts"],
        ["train", "parts", "--model", "m.json"],
        ["tune", "parts/part-*.dorm", "--model", "m.json"],
        ["eval", "parts", "--model", world / "m.json"],
        ["rank", world / "m.json", "parts"],
    ):
        said = dorm(*words, status=1, cwd=tmp_path).stderr
        assert "parts/part-00001-of-00004.dorm: is missing: parts/shards.json lists 4 files" in said
        assert not (tmp_path / "m.json").exists()


def test_ties_follow_the_rows_of_the_input(tmp_path):
    """Labels and scores tie; the reference `given`, figures and rankings are those of the file."""
    rng = random.Random(1)
    with open(tmp_path / "tied.txt", "w") as out:
        for query in range(20):
            for d in range(6):
                best, other = 5 - d + rng.gauss(0, 0.2), rng.gauss(0, 1)
                print(f"{int(d < 4)} qid:{query} 1:{best:.2f} 2:{other:.2f} # docid = d{(7 * d + 3) % 11}", file=out)
    dorm("convert", "tied.txt", "parts", "--shards", 4, cwd=tmp_path)
    primals = {}
    for data in ("tied.txt", "parts"):
        for solver in ("bcda", "shards", "lbfgs"):
            words = ("--bound", "given", "--decay", "power:0.5", "--scale", "none", "--tolerance", 1e-4)
            dorm("train", data, *words, "--solver", solver, "--model", "m.json", "-q", cwd=tmp_path)
            primals[data, solver] = json.loads((tmp_path / "m.json").read_text())["certificate"]["primal"]
    assert max(primals.values()) < min(primals.values()) * 1.0003 and min(primals.values()) < 0.61, primals
    model = json.loads((tmp_path / "m.json").read_text())
    model["weights"] = [0.0] * len(model["weights"])
    (tmp_path / "flat.json").write_text(json.dumps(model))
    for words in (
        ["eval", "DATA", "--model", "flat.json", "--measures", "ndcg@3,mrr", "--format", "csv", "-q"],
        ["rank", "flat.json", "DATA", "--query", "7", "--format", "jsonl"],
        ["rank", "flat.json", "DATA", "--query", "7", "--format", "jsonl", "--top", "2"],
    ):
        said = [
            dorm(*(data if w == "DATA" else w for w in words), cwd=tmp_path).stdout for data in ("tied.txt", "parts")
        ]
        if words[0] == "eval":  # intervals are of resampled queries, in another order
            said = [[line.split(",")[:2] for line in text.splitlines()] for text in said]
        else:  # rows are counted from 1 in what was read
            said = [[entry["document"] for entry in json.loads(text)["ranking"]] for text in said]
            assert said[0] == ["d3", "d10", "d6", "d2", "d9", "d5"][: len(said[0])]
        assert said[0] == said[1]
