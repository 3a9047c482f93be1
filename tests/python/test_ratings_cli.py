# SPDX-License-Identifier: Apache-2.0
"""Ratings from outside: factorize, recommend, eval, info. DORM_COMMAND names the binary."""

import csv
import json
import random

import command
import pytest

USERS, ITEMS = 40, 30


def dorm(*arguments, status=0):
    """What the command said: its output, or why it failed."""
    done = command.dorm(*arguments, status=status)
    return done.stdout if status == 0 else done.stderr


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Even users like even items and odd users odd ones; every user has rated two items in three."""
    folder = tmp_path_factory.mktemp("ratings")
    rng = random.Random(1)
    with open(folder / "r.tsv", "w") as out:
        for u in range(USERS):
            for j in range(ITEMS):
                if (u + j) % 3 != 0:
                    out.write(f"u{u}\ti{j}\t{rng.choice([4, 5] if u % 2 == j % 2 else [1, 2])}\t0\n")
    dorm("recommend", "train", folder / "r.tsv", "--model", folder / "m", "--rank", 4, "--start-lambda", 1, "--quiet")
    return folder


def test_recommendations_are_unseen_and_of_the_kind_the_user_likes(world):
    for u in (2, 7):
        items = json.loads(dorm("recommend", "top", world / "m", "--user", f"u{u}", "--top", 4, "--json"))["items"]
        numbers = [int(entry["item"][1:]) for entry in items]
        assert all((u + j) % 3 == 0 for j in numbers)
        assert all(u % 2 == j % 2 for j in numbers)
        assert [e["score"] for e in items] == sorted((e["score"] for e in items), reverse=True)


def test_all_users_as_csv(world):
    rows = list(
        csv.DictReader(dorm("recommend", "top", world / "m", "--all", "--top", 3, "--format", "csv").splitlines())
    )
    assert len(rows) == 3 * USERS
    assert {row["user"] for row in rows} == {f"u{u}" for u in range(USERS)}


def test_a_new_user_is_folded_in(world):
    (world / "new.csv").write_text("user,item,rating\nguest,i1,5\nguest,i3,5\nguest,i0,1\nguest,i2,1\nguest,i5,4\n")
    text = dorm(
        "recommend", "top", world / "m", "--user", "guest", "--ratings", world / "new.csv", "--top", 5, "--json"
    )
    numbers = [int(entry["item"][1:]) for entry in json.loads(text)["items"]]
    assert all(j % 2 == 1 and j not in (1, 3, 5) for j in numbers)


def test_evaluation_knows_the_taste(world):
    measures = json.loads(dorm("recommend", "evaluate", world / "r.tsv", "--model", world / "m", "--json"))["measures"]
    assert min(entry["mean"] for entry in measures.values()) > 0.95


def test_info_describes_the_model(world):
    info = json.loads(dorm("info", world / "m", "--json"))
    assert (info["users"], info["items"], info["rank"], info["measure"]) == (USERS, ITEMS, 4, "ndcg@10")
    assert info["ratings"] == sum(1 for _ in open(world / "r.tsv"))
    assert f"users           {USERS}\n" in dorm("info", world / "m")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\t3\nc\td\tgood\n", ":2:5: found 'good'; expected a finite number as rating"),
        ("a\tb\t3\nc\td\tnan\n", ":2:5: found 'nan'"),
        ("a\tb\t3\nc\td\n", ":2"),
        ("", "no ratings"),
    ],
)
def test_bad_ratings_are_refused_and_nothing_is_written(text, message, tmp_path):
    (tmp_path / "r.tsv").write_text(text)
    assert message in dorm("recommend", "train", tmp_path / "r.tsv", "--model", tmp_path / "m", status=1)
    assert not (tmp_path / "m").exists()


def test_what_cannot_be_is_said(world):
    assert 'unknown user "nobody"' in dorm("recommend", "top", world / "m", "--user", "nobody", status=1)
    assert 'unknown item "none"' in dorm("recommend", "top", world / "m", "--similar-to", "none", status=1)
    message = dorm("recommend", "train", world / "r.tsv", "--split", "given:500", "--model", world / "x", status=1)
    assert "the most any of the 40 users has is 20" in message


def test_a_user_with_one_rating_gets_the_items_others_like(tmp_path):
    (tmp_path / "r.tsv").write_text("a\tx\t5\na\ty\t1\nb\tx\t5\nb\ty\t2\nc\tz\t3\n")
    report = dorm("recommend", "train", tmp_path / "r.tsv", "--model", tmp_path / "m", "--json", "--quiet")
    assert json.loads(report)["users_without_order"] == 1
    items = json.loads(dorm("recommend", "top", tmp_path / "m", "--user", "c", "--json"))["items"]
    assert [entry["item"] for entry in items] == ["x", "y"]


def test_the_choice_is_shown_kept_and_can_be_turned_off(world, tmp_path):
    report = json.loads(
        dorm("recommend", "train", world / "r.tsv", "--model", tmp_path / "m", "--rank", 3, "--json", "--quiet")
    )
    candidates = report["choice"]["candidates"]
    assert candidates[0]["start_lambda"] is None and candidates[0]["gain"] == 0
    safe = [c["gain"] - c["error"] / 2 for c in candidates]
    assert safe[report["choice"]["chosen"]] == max(safe)
    assert json.loads(dorm("info", tmp_path / "m", "--json"))["choice"] == report["choice"]
    assert "chosen by 40 held-out lists" in dorm("info", tmp_path / "m")
    dorm("recommend", "train", world / "r.tsv", "--model", tmp_path / "f", "--rank", 3, "--fixed", "--quiet")
    info = json.loads(dorm("info", tmp_path / "f", "--json"))
    assert "choice" not in info
    assert (info["start_lambda"], info["item_damping"], info["item_prior"], info["rounds"]) == (12, 5, -1, 2)


def test_given_options_are_not_searched(world, tmp_path):
    options = ["--rank", 3, "--start-lambda", 2.5, "--rounds", 1, "--json", "--quiet"]
    report = json.loads(dorm("recommend", "train", world / "r.tsv", "--model", tmp_path / "m", *options))
    assert {c["start_lambda"] for c in report["choice"]["candidates"]} == {None, 2.5}
    info = json.loads(dorm("info", tmp_path / "m", "--json"))
    assert (info["start_lambda"], info["rounds"]) == (2.5, 1)


def test_a_time_limit_in_the_choice_leaves_the_item_means(world, tmp_path):
    report = dorm(
        "recommend", "train", world / "r.tsv", "--model", tmp_path / "m", "--time-limit", 1e-9, "--json", "--quiet"
    )
    assert json.loads(report)["status"] == "time_limit"
    assert json.loads(dorm("info", tmp_path / "m", "--json"))["start_lambda"] is None
    lists = dorm(
        "recommend", "top", tmp_path / "m", "--all", "--with-seen", "--top", ITEMS, "--format", "csv"
    ).splitlines()
    rows = list(csv.DictReader(lists))
    assert len({tuple(r["item"] for r in rows if r["user"] == f"u{u}") for u in range(USERS)}) == 1


def test_wide_tables_are_refused_or_read(tmp_path):
    rng = random.Random(2)
    table = [[rng.choice([99, round(rng.uniform(-10, 10), 2)]) for _ in range(12)] for _ in range(30)]
    counts = [sum(x != 99 for x in row) for row in table]
    (tmp_path / "w").write_text("".join(",".join(map(str, [n, *row])) + "\n" for n, row in zip(counts, table)))
    asked = ["recommend", "train", tmp_path / "w", "--model", tmp_path / "m", "--rank", 2, "--fixed", "--quiet"]
    assert "say so by --layout" in dorm(*asked, status=2)
    assert "99 is in" in dorm(*asked, "--layout", "wide", status=2)
    assert not (tmp_path / "m").exists()
    dorm(*asked, "--layout", "wide:99")
    info = json.loads(dorm("info", tmp_path / "m", "--json"))
    assert (info["users"], info["items"], info["ratings"]) == (30, 12, sum(counts))
    triples = [f"{u + 1}\t{i + 1}\t{x}\n" for u, row in enumerate(table) for i, x in enumerate(row) if x != 99]
    (tmp_path / "t").write_text("".join(triples))
    values = [dorm("recommend", "evaluate", tmp_path / f, "--layout", layout, "--model", tmp_path / "m", "--json")
              for f, layout in (("w", "wide:99"), ("t", "auto"))]  # fmt: skip
    assert json.loads(values[0])["measures"] == json.loads(values[1])["measures"]


def test_nobody_asked_for_is_answered_by_an_example(world):
    message = dorm("recommend", "top", world / "m", status=2)
    assert "no user is selected" in message
    assert f"knows {USERS} users and {ITEMS} items, for example --user u0" in message
    message = dorm("recommend", "top", world / "m", "--user", "u1", "--all", status=2)
    assert "several selections of users" in message


def test_ratings_alone_mean_the_users_of_that_file(world, tmp_path):
    (tmp_path / "new.csv").write_text("user,item,rating\nann,i1,5\nann,i3,5\nann,i0,1\nbob,i2,5\nbob,i4,5\nbob,i1,1\n")
    lines = dorm("recommend", "top", world / "m", "--ratings", tmp_path / "new.csv", "--top", 3, "--json").splitlines()
    lists = {line["user"]: line["items"] for line in map(json.loads, lines)}
    assert list(lists) == ["ann", "bob"]
    assert all(int(each["item"][1:]) % 2 == 1 for each in lists["ann"])
    assert all(int(each["item"][1:]) % 2 == 0 for each in lists["bob"])


def test_titles_are_kept_in_the_model_and_shown(world, tmp_path):
    rows = ["id,title,weight"] + [f'i{j},"Film {j}, part 1",{j % 5}' for j in range(ITEMS) if j != 1]
    (tmp_path / "films.csv").write_text("\n".join(rows) + "\n")
    fixed = ["--rank", 4, "--start-lambda", 1, "--fixed", "--rounds", 1, "--quiet"]
    features = ["--item-features", tmp_path / "films.csv"]
    dorm("recommend", "train", world / "r.tsv", "--model", tmp_path / "m", *features, *fixed)
    text = dorm("recommend", "top", tmp_path / "m", "--user", "u2", "--top", 2).splitlines()
    assert text[0].split("\t") == ["user", "rank", "item", "score", "title"]
    for line in text[1:]:
        cells = line.split("\t")
        assert cells[4] == f"Film {cells[2][1:]}, part 1"
    row = next(csv.DictReader(dorm("recommend", "top", tmp_path / "m", "--user", "u2", "--format", "csv").splitlines()))
    assert row["title"] == f"Film {row['item'][1:]}, part 1"
    likes = json.loads(dorm("recommend", "top", tmp_path / "m", "--similar-to", "i4", "--json"))["items"]
    assert all(each.get("title", "").startswith("Film") for each in likes if each["item"] != "i1")
    assert "item titles     of 29, e.g. Film " in dorm("info", tmp_path / "m")


def test_titles_may_stand_beside_the_model(world, tmp_path):
    (tmp_path / "names.txt").write_text("".join(f"i{j}|The {j}th\n" for j in range(ITEMS)))
    text = dorm("recommend", "top", world / "m", "--user", "u2", "--item-names", tmp_path / "names.txt", "--json")
    assert all(each["title"] == f"The {each['item'][1:]}th" for each in json.loads(text)["items"])
    (tmp_path / "numbers.txt").write_text("i1|1\ni2|2\n")
    message = dorm("recommend", "top", world / "m", "--user", "u2", "--item-names", tmp_path / "numbers.txt", status=1)
    assert "no column of text" in message


def test_ratings_of_the_training_are_noticed(world, tmp_path):
    done = command.dorm("recommend", "evaluate", world / "r.tsv", "--model", world / "m")
    count = sum(1 for _ in open(world / "r.tsv"))
    assert f"{count} of the {count} ratings are training data of the model" in done.stderr
    (tmp_path / "fresh.tsv").write_text("u0\ti0\t5\nu0\ti3\t1\nu0\ti6\t4\n")  # (u + j) % 3 == 0: not in training
    assert command.dorm("recommend", "evaluate", tmp_path / "fresh.tsv", "--model", world / "m").stderr == ""


def test_recommenders_stand_in_one_table(world, tmp_path):
    means = ["--start-lambda", "inf", "--rounds", 0, "--fixed", "--quiet"]
    dorm("recommend", "train", world / "r.tsv", "--model", tmp_path / "means", *means)
    table = json.loads(
        dorm("recommend", "evaluate", world / "r.tsv", world / "m", tmp_path / "means", "--quiet", "--json")
    )
    assert [(row["name"], row["kind"]) for row in table["rankers"]] == [("m", "recommender"), ("means", "recommender")]
    assert table["rankers"][1]["measures"]["ndcg@10"]["against"]["stars"] == "***"
