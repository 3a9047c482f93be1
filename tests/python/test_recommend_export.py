# SPDX-License-Identifier: Apache-2.0
"""Vectors of recommenders: what numpy, SQL and Elasticsearch would find with them is what the model recommends."""

import json
import random

import command
import numpy as np
import pytest

MODELS = {"stars": ["--rank", 4, "--fixed"], "als": ["--implicit", "--ease-share", 0], "average": ["--implicit"]}
MODELS |= {"ease": ["--implicit", "--ease-share", 1], "joint": ["--model-type", "joint"]}
FIXED = ["--factors", 8, "--iterations", 5, "--ridge", 2, "--alpha", 3, "--ease-ridge", 20]


def dorm(*arguments, status=0):
    done = command.dorm(*arguments, status=status)
    return done.stderr if done.returncode else done.stdout


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    rng = random.Random(4)
    rows = [(f"u{u}", f"{j},\\ ä" if j % 3 else f"i{j}", rng.randint(1, 5)) for u in range(40) for j in range(25)]
    rows = [row for row in rows if rng.random() < 0.3]
    (folder / "ratings.tsv").write_text("".join(f"{u}\t{i}\t{r}\n" for u, i, r in rows))
    for name, options in MODELS.items():
        given = [*options, *(FIXED if "--implicit" in options else [])]
        if name == "average":
            given += ["--ease-share", 0.5]
        dorm("recommend", "train", folder / "ratings.tsv", "--model", folder / name, "--quiet", *given)
    return folder


def recommended(world, model):
    """By user, the first ten items of the command."""
    lines = dorm("recommend", "top", world / model, "--all", "--json").splitlines()
    return {row["user"]: [each["item"] for each in row["items"]] for row in map(json.loads, lines)}


def seen(world):
    had = {}
    for line in (world / "ratings.tsv").read_text().splitlines():
        user, item, _ = line.split("\t")
        had.setdefault(user, set()).add(item)
    return had


def searched(world, users, items):
    """By user, the ten items of the largest inner products among those that the user has not had."""
    had, found = seen(world), {}
    names = list(items)
    matrix = np.array([items[name] for name in names], np.float64)
    for user, vector in users.items():
        order = np.argsort(-(matrix @ np.array(vector, np.float64)), kind="stable")
        found[user] = [names[k] for k in order if names[k] not in had[user]][:10]
    return found


def from_npz(path):
    with np.load(path) as arrays:
        decoded = {side: [x.decode() for x in arrays[f"{side}_ids"]] for side in ("user", "item")}
        assert arrays["item_vectors"].dtype == np.float32
        return tuple(dict(zip(decoded[side], arrays[f"{side}_vectors"])) for side in ("user", "item"))


def from_sql(path):
    escapes = {"\\\\": "\\", "\\t": "\t", "\\n": "\n", "\\r": "\r"}
    tables, rows = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("COPY dorm_"):
            rows = tables.setdefault(line.split()[1], {})
        elif line == "\\.":
            rows = None
        elif rows is not None:
            cells = line.split("\t")
            for written, meant in escapes.items():
                cells[0] = cells[0].replace(written, meant)
            rows[cells[0]] = json.loads(cells[-1])
    return tables["dorm_users"], tables["dorm_items"]


def from_bulk(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = {"films_users": {}, "films_items": {}}
    for action, source in zip(lines[::2], lines[1::2]):
        found[action["index"]["_index"]][action["index"]["_id"]] = source["vector"]
    return found["films_users"], found["films_items"]


@pytest.mark.parametrize("model", ["stars", "als"])
@pytest.mark.parametrize(
    ("target", "reader", "options"),
    [("npz", from_npz, []), ("pgvector", from_sql, []), ("elasticsearch", from_bulk, ["--name", "films"])],
)
def test_search_over_the_vectors_finds_the_list_of_the_model(world, model, target, reader, options):
    path = world / f"{model}.{target}"
    dorm("recommend", "export", world / model, "--to", target, "-o", path, *options)
    assert searched(world, *reader(path)) == recommended(world, model)


def test_what_an_average_loses_without_ease_is_counted(world):
    path = world / "average.npz"
    words = ["recommend", "export", world / "average", "--to", "npz", "-o", path, "--als-alone", "--check", "--json"]
    check = json.loads(dorm(*words))
    expected, found = recommended(world, "average"), searched(world, *from_npz(path))
    assert check["users"] == len(expected) and check["top"] == 10
    assert check["changed_users"] == sum(found[user] != expected[user] for user in expected) > 0
    shared = np.mean([len({*found[user]} & {*expected[user]}) / len(expected[user]) for user in expected])
    assert check["shared"] == pytest.approx(shared)
    exact = dorm("recommend", "export", world / "als", "--to", "npz", "-o", world / "x.npz", "--check")
    assert "changes for 0 users; 100.0 % of the items are the same" in exact


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["ease", "--to", "npz"], 1, "are those of EASE, which has no vectors"),
        (["average", "--to", "npz"], 1, "an average with EASE, which has no vectors; --als-alone writes"),
        (["joint", "--to", "npz"], 1, "a joint kernel are sums over pairs, which have no vectors"),
        (["stars", "--to", "faiss"], 2, "faiss"),
        (["stars", "--to", "pgvector", "--name", "a;b"], 2, "the name 'a;b'; expected up to 50 of a to z"),
    ],
)
def test_what_has_no_vectors_is_refused_by_name(world, words, status, message):
    out = world / "none"
    said = dorm("recommend", "export", world / words[0], *words[1:], "-o", out, status=status)
    assert message in said
    assert not out.exists()
