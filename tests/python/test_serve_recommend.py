# SPDX-License-Identifier: Apache-2.0
"""Recommenders of all kinds over real sockets: the answers are those of `dorm recommend top`."""

import json
import subprocess

import pytest
from command import DORM, dorm
from served import Served

pytestmark = pytest.mark.skipif(
    "without simdjson" in subprocess.run([DORM, "serve", "nothing.json"], capture_output=True, text=True).stderr,
    reason="the command was built without simdjson",
)

MODELS = {"events": ["--implicit", "--factors", 16], "stars": ["--rank", 2], "joint": ["--model-type", "joint"]}
NEW = [("i1", 5), ("i2", 1), ("i7", 4)]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served-items")
    rows = [
        f"u{u}\ti{j}\t{1 + (u * 7 + j * 3) % 5}\n"
        for u in range(30)
        for j in range(20)
        if (3 * u + j * j * (u % 4 + 1)) % 7 < 4
    ]
    (folder / "ratings.tsv").write_text("".join(rows))
    (folder / "new.tsv").write_text("".join(f"n\t{item}\t{rating}\n" for item, rating in NEW))
    (folder / "some").write_text("i3\ni4\ni8\ni11\n")
    (folder / "none").write_text("i4\n")
    for name, options in MODELS.items():
        dorm("recommend", "train", "ratings.tsv", "--model", name, "--quiet", *options, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def server(world):
    with Served(*MODELS, cwd=world) as served:
        yield served


def printed(world, *words):
    return json.loads(dorm("recommend", "top", *words, "--json", cwd=world).stdout)["items"]


def asked(server, model, **fields):
    status, _, answer = server.ask("POST", f"/v1/models/{model}/recommend", fields)
    assert status == 200, answer
    return answer


@pytest.mark.parametrize("model", MODELS)
def test_lists_are_those_of_the_command(world, server, model):
    assert asked(server, model, user="u3", top=4)["items"] == printed(world, model, "--user", "u3", "--top", 4)
    assert asked(server, model, similar_to="i5")["items"] == printed(world, model, "--similar-to", "i5")
    new = [{"item": item, "rating": rating} for item, rating in NEW]
    for _ in range(2):
        assert asked(server, model, ratings=new)["items"] == printed(world, model, "--ratings", "new.tsv")


@pytest.mark.parametrize("model", MODELS)
def test_candidates_and_exclusions(world, server, model):
    words = ["--user", "u3", "--with-seen", "--candidates", "some", "--exclude", "none"]
    fields = {"candidates": ["i3", "i4", "i8", "i11", "unheard of"], "exclude": ["i4"]}
    answer = asked(server, model, user="u3", with_seen=True, **fields)
    assert answer["ignored"] == 1
    assert answer["items"] == printed(world, model, *words)
    assert {each["item"] for each in answer["items"]} == {"i3", "i8", "i11"}
    assert asked(server, model, user="u3", candidates=[])["items"] == []
    assert {each["item"] for each in asked(server, model, similar_to="i1", **fields)["items"]} == {"i3", "i8", "i11"}


@pytest.mark.parametrize("model", MODELS)
def test_reasons_and_their_rest_are_the_score(world, server, model):
    items = asked(server, model, user="u4", top=3, because=100)["items"]
    assert items == printed(world, model, "--user", "u4", "--top", 3, "--because", 100)
    for each in items:
        assert each["because"]
        assert each["score"] == pytest.approx(each["rest"] + sum(part["part"] for part in each["because"]))
    assert len(asked(server, model, user="u4", top=1, because=2)["items"][0]["because"]) == 2


@pytest.mark.parametrize("model", MODELS)
def test_a_newcomer_with_unknown_items_alone(server, model):
    answer = asked(server, model, ratings=[{"item": "unheard of", "rating": 2}], top=20)
    assert answer["ignored"] == 1 and len(answer["items"]) == 20


def test_an_event_needs_no_weight(server):
    ones = asked(server, "events", ratings=[{"item": "i1"}, {"item": "i2"}])
    assert ones["items"] == asked(server, "events", ratings=[{"item": i, "rating": 1} for i in ("i1", "i2")])["items"]
    twice = asked(server, "events", ratings=[{"item": "i1"}, {"item": "i2"}, {"item": "i1"}])
    assert (
        twice["items"]
        == asked(server, "events", ratings=[{"item": "i1", "rating": 2}, {"item": "i2", "rating": 1}])["items"]
    )


def test_models_are_described(server):
    _, _, answer = server.ask("GET", "/v1/models")
    assert [(each["kind"], each["users"], each["items"]) for each in answer["models"]] == [
        ("implicit", 30, 20),
        ("factors", 30, 20),
        ("joint", 30, 20),
    ]


@pytest.mark.parametrize(
    ("model", "fields", "status", "message"),
    [
        ("stars", {"ratings": [{"item": "i1", "rating": 1}, {"item": "i2"}]}, 400, "ratings[1]: found no rating"),
        (
            "events",
            {"ratings": [{"item": "i1"}, {"item": "i2", "rating": -1}]},
            400,
            "ratings[1].rating: found -1; expected more than 0",
        ),
        ("events", {"user": "nobody"}, 404, "user: found 'nobody'; expected one of the 30 users of the model events"),
        ("events", {"similar_to": "i1", "because": 2}, 400, "because with similar_to"),
        ("events", {"user": "u1", "because": 0}, 400, "because: found 0; expected 1 to 10000"),
        ("events", {"user": "u1", "candidates": "i1"}, 400, "candidates: found"),
        ("joint", {"user": "u1", "candidates": [1.5]}, 400, "candidates[0]: found 1.5"),
    ],
)
def test_mistakes_are_named(server, model, fields, status, message):
    found, _, answer = server.ask("POST", f"/v1/models/{model}/recommend", fields)
    assert found == status
    assert message in answer["error"]
