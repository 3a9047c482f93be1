# SPDX-License-Identifier: Apache-2.0
"""Recommenders from events, from outside. DORM_COMMAND names the binary."""

import csv
import gzip
import json
import random

import command
import pytest

USERS, ITEMS = 60, 40


def dorm(*arguments, status=0):
    """What the command said: its output, or why it failed."""
    done = command.dorm(*arguments, status=status)
    return done.stderr if done.returncode else done.stdout


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Even users take even items and odd users odd ones: two items in three of their kind, and some of the other."""
    folder = tmp_path_factory.mktemp("events")
    rng = random.Random(1)
    lines = []
    for u in range(USERS):
        for j in range(ITEMS):
            if rng.random() < (0.66 if u % 2 == j % 2 else 0.03):
                lines.append((f"u{u}", f"i{j}", rng.randint(1, 5), 1000 + rng.randint(0, 10**6)))
    rng.shuffle(lines)
    (folder / "two.csv").write_text("".join(f"{u},{i}\n" for u, i, _, _ in lines))
    (folder / "plays.csv").write_text("user,item,plays,time\n" + "".join(f"{u},{i},{w},{t}\n" for u, i, w, t in lines))
    (folder / "ones.tsv").write_text("".join(f"{u}\t{i}\t1\n" for u, i, _, _ in lines))
    (folder / "few.csv").write_text("".join(f"{u},{i},{w}\n" for u, i, w, _ in lines[:300]))
    dorm("recommend", "train", folder / "two.csv", "--implicit", "--model", folder / "m", "--factors", 16, "--quiet")
    return folder


def test_recommendations_are_of_the_kind_that_the_user_takes(world):
    for u in (2, 7):
        items = json.loads(dorm("recommend", "top", world / "m", "--user", f"u{u}", "--top", 4, "--json"))["items"]
        assert all(int(entry["item"][1:]) % 2 == u % 2 for entry in items)


def test_candidates_and_exclusions_limit_the_list(world):
    (world / "some").write_text("i1\ni3\ni5\ni7\n")
    (world / "none").write_text("i3\n")
    lines = dorm(
        "recommend",
        "top",
        world / "m",
        "--user",
        "u1",
        "--with-seen",
        "--candidates",
        world / "some",
        "--exclude",
        world / "none",
    )
    assert {line.split("\t")[2] for line in lines.splitlines()[1:]} == {"i1", "i5", "i7"}


def test_a_model_keeps_titles(world):
    (world / "titles.csv").write_text("id,title\n" + "".join(f"i{j},Film {j}\n" for j in range(ITEMS)))
    options = ["--factors", 4, "--iterations", 2, "--ridge", 1, "--alpha", 1, "--ease-ridge", 9, "--ease-share", 0.5]
    words = ["--item-names", world / "titles.csv", "--model", world / "titled", "--quiet", *options]
    dorm("recommend", "train", world / "two.csv", "--implicit", *words)
    items = json.loads(dorm("recommend", "top", world / "titled", "--user", "u2", "--because", 1, "--json"))["items"]
    assert items[0]["title"] == f"Film {items[0]['item'][1:]}"
    assert items[0]["because"][0]["title"].startswith("Film ")


def test_reasons_are_items_of_the_user_of_the_same_kind(world):
    items = json.loads(dorm("recommend", "top", world / "m", "--user", "u1", "--because", 3, "--json"))["items"]
    had = {line.split(",")[1] for line in (world / "two.csv").read_text().splitlines() if line.startswith("u1,")}
    for each in items:
        assert len(each["because"]) == 3
        assert {part["item"] for part in each["because"]} <= had
        assert all(int(part["item"][1:]) % 2 == 1 for part in each["because"])
    lines = dorm("recommend", "top", world / "m", "--user", "u1", "--because", 3, "--top", 1).splitlines()
    assert lines[0] == "user\trank\titem\tscore\tbecause"
    assert lines[1].split("\t")[4].split(" ")[0] == items[0]["because"][0]["item"]
    assert "--because gives the reasons" in dorm(
        "recommend", "top", world / "m", "--similar-to", "i1", "--because", 3, status=2
    )


def test_new_users_are_folded_in_from_two_columns(world):
    (world / "new.csv").write_text("guest,i1\nguest,i3\nguest,i5\nguest,unheard of\n")
    done = command.dorm("recommend", "top", world / "m", "--ratings", world / "new.csv", "--top", 5, "--json")
    assert "1 of 4 ratings are of items the model does not know" in done.stderr
    assert all(int(entry["item"][1:]) % 2 == 1 for entry in json.loads(done.stdout)["items"])


@pytest.mark.parametrize("split", ["random:0.2", "time:0.2", "leave-last-1"])
def test_the_table_has_the_baselines_and_beats_popularity(world, split):
    out = json.loads(
        dorm(
            "recommend",
            "train",
            world / "plays.csv",
            "--implicit",
            "--model",
            world / "s",
            "--factors",
            16,
            "--split",
            split,
            "--json",
        )
    )
    rows = {row["name"]: row["measures"] for row in out["test"]["rankers"]}
    learners = [name for name in rows if name != "EASE"]  # EASE has a row where the average gives it a share
    assert learners == ["dorm", "implicit ALS", "item-kNN", "popularity"]
    assert rows["dorm"]["ndcg@10"]["mean"] > rows["popularity"]["ndcg@10"]["mean"]
    assert 0 < rows["popularity"]["coverage@10"]["mean"] <= rows["dorm"]["coverage@10"]["mean"] <= 1
    assert rows["popularity"]["novelty@10"]["mean"] <= rows["dorm"]["novelty@10"]["mean"]


def test_saved_models_of_both_kinds_meet_over_the_catalogue(world):
    ratings = world / "plays.csv"
    dorm(
        "recommend",
        "train",
        ratings,
        "--liked",
        3,
        "--split",
        "random:0.2",
        "--model",
        world / "likes",
        "--factors",
        16,
        "--quiet",
    )
    dorm(
        "recommend",
        "train",
        ratings,
        "--split",
        "random:0.2",
        "--model",
        world / "stars",
        "--rank",
        4,
        "--fixed",
        "--quiet",
    )
    dorm("recommend", "train", world / "few.csv", "--model-type", "joint", "--model", world / "joint", "--quiet")
    models = [world / name for name in ("likes", "stars", "joint")]
    out = dorm("recommend", "evaluate", ratings, *models, "--liked", 3, "--per-query", "-")
    rows = list(csv.DictReader(out.splitlines()))
    assert {row["ranker"] for row in rows} == {"likes", "stars", "joint", "implicit ALS", "item-kNN", "popularity"}


def test_info_describes_the_model(world):
    assert "EASE" in dorm("info", world / "m")
    assert json.loads(dorm("info", world / "m", "--json"))["users"] == USERS


def test_ratings_that_are_all_alike_are_refused(world):
    message = dorm("recommend", "train", world / "ones.tsv", "--model", world / "x", status=1)
    assert "ratings are 1; expected ratings that differ, or --implicit" in message
    assert not (world / "x").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,x,-1\n", "bad.csv:1:5: found weight -1; expected 0 or more"),
        ("a,x\na,y\n", "nothing to learn: events of 1 users and 2 items"),
        ("a,x\nb,x\n", "nothing to learn: events of 2 users and 1 items"),
        ("a,x\nb,y\n", "each of the 2 users has one item"),
        ("a,x\nb,guns, germs\nb,x\na,y\n", "found 3 cells separated by ','; expected 2 as on the first line: ids that"),
        ("a,x,1\nb,y,nan\na,y,2\n", "bad.csv:2:5: found 'nan'"),
        ("a,x,nan\nb,y,1\na,y,2\n", "bad.csv:1:5: found 'nan'; expected a finite number as weight"),
        ("a,x,3e38\na,x,3e38\nb,y,1\n", 'bad.csv: the weights of user "a" and item "x" sum to inf'),
        ("a\nb\n", "bad.csv:1:2: found 1 cells separated by ' '; expected 2: user, item"),
        ("ann,guns, germs\nbob,x\n", "and quotes around ids that have the separator in them"),
        ("", "no events"),
        ("a,x,881250949\nb,y,881250950\n", "as times are"),
    ],
)
def test_bad_events_get_clear_answers(tmp_path, text, message):
    (tmp_path / "bad.csv").write_text(text)
    assert message in dorm(
        "recommend", "train", tmp_path / "bad.csv", "--implicit", "--model", tmp_path / "m", status=1
    )


def test_compressed_events_are_read_and_cut_ones_refused(world, tmp_path):
    whole = gzip.compress((world / "two.csv").read_bytes(), mtime=0)
    words = ["--implicit", "--factors", 4, "--iterations", 2, "--ridge", 1, "--alpha", 1]
    words += ["--ease-ridge", 9, "--ease-share", 0.5, "--quiet", "--model"]
    (tmp_path / "two.csv.gz").write_bytes(whole)
    dorm("recommend", "train", tmp_path / "two.csv.gz", *words, tmp_path / "m")
    dorm("recommend", "train", world / "two.csv", *words, tmp_path / "n")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "n").read_bytes()
    (tmp_path / "two.csv.gz").write_bytes(whole[: len(whole) // 2])
    assert "damaged gzip data" in dorm("recommend", "train", tmp_path / "two.csv.gz", *words, tmp_path / "x", status=1)
    assert not (tmp_path / "x").exists()


def test_a_time_limit_before_the_first_solution_is_an_error(world, tmp_path):
    words = ["--implicit", "--time-limit", 1e-9, "--model", tmp_path / "m"]
    message = dorm("recommend", "train", world / "two.csv", *words, status=2)
    assert "the time limit of 1e-09 s ended before there was a model" in message
    assert not (tmp_path / "m").exists()


def test_ids_with_commas_are_quoted(tmp_path):
    (tmp_path / "q.csv").write_text('user,item\nann,dune\nbob,"guns, germs"\nbob,dune\nann,"a,b"\ncat,"a,b"\n')
    options = ["--factors", 2, "--iterations", 2, "--ridge", 1, "--alpha", 1, "--ease-ridge", 1, "--ease-share", 0.5]
    dorm("recommend", "train", tmp_path / "q.csv", "--implicit", "--model", tmp_path / "m", *options, "--quiet")
    rows = csv.reader(dorm("recommend", "top", tmp_path / "m", "--user", "ann", "--format", "csv").splitlines())
    assert [row[2] for row in rows] == ["item", "guns, germs"]


def test_a_million_users_with_one_event_are_refused(tmp_path):
    with open(tmp_path / "one.csv", "w") as file:
        file.writelines(f"u{u},i{u % 5000}\n" for u in range(10**6))
    words = ["recommend", "train", tmp_path / "one.csv", "--implicit", "--model", tmp_path / "m"]
    assert "nothing to learn: each of the 1000000 users has one item; expected users with 2" in dorm(*words, status=1)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--rank", 3], "--rank is an option of --model-type factors"),
        (["--model-type", "joint"], "is an option of --model-type implicit"),
        (["--split", "given:3"], "--split given:3"),
    ],
)
def test_options_of_other_models_are_refused(world, given, message):
    assert message in dorm(
        "recommend", "train", world / "two.csv", "--implicit", "--model", world / "x", *given, status=None
    )


def test_a_split_by_time_needs_events(world):
    message = dorm("recommend", "train", world / "plays.csv", "--split", "time:0.2", "--model", world / "x", status=2)
    assert "expected --implicit or --liked X" in message
