# SPDX-License-Identifier: Apache-2.0
"""Help: a screen for -h, everything for --help, parts and topics."""

import re

import pytest
from command import commands, dorm

TABLE = commands()
GROUPS = {name.split()[0] for name in TABLE if " " in name}
HIDDEN = {"help", "completion", "manual"}


@pytest.mark.parametrize("verb", TABLE)
def test_the_short_page_is_one_screen(verb):
    page = dorm(*verb.split(), "-h").stdout
    assert len(page.splitlines()) <= 26 and max(map(len, page.splitlines())) <= 120
    assert page.startswith(TABLE[verb]["summary"] + "\n\nUsage: dorm " + verb)
    assert f"\ndorm {verb} --help: all options" in page and page.count("\n  dorm ") in (1, 2)
    shown = re.findall(r"^  (?:-\w, )?(--?[\w-]+)", page, re.MULTILINE)
    known = {name for option in TABLE[verb]["options"] for name in option["names"]}
    assert set(shown) <= known and 0 <= len(shown) <= 10
    assert "see below" not in page


@pytest.mark.parametrize("verb", TABLE)
def test_the_whole_page_holds_every_option_and_no_brackets_around_what_is_needed(verb):
    page = dorm(*verb.split(), "--help").stdout
    expert = [option for option in TABLE[verb]["options"] if option["group"] == "Expert options"]
    more = dorm(*verb.split(), "--help=expert").stdout if expert else ""
    for option in TABLE[verb]["options"]:
        line = f"\n  {', '.join(option['names'])}"
        assert line in (more if option in expert else page) and (option not in expert or line not in page), line
    if expert:
        assert f"dorm {verb} --help=expert: {len(expert)} more options" in page
    assert "\n  130" in page or "130 Ctrl-C, 143 SIGTERM" in page
    (form,) = re.findall(rf"^Usage: dorm {verb}(.*)", page, re.MULTILINE)
    assert form.endswith(" [OPTIONS]")
    for word in re.findall(r"(?<!\S)(--?[\w-]+)", form):
        assert any(word in option["names"] for option in TABLE[verb]["options"]), word
    for argument in TABLE[verb]["arguments"]:
        assert re.search(rf"^  {re.escape(argument['name'])} +\S", page, re.MULTILINE)
    assert not re.search(r"^  (\w+) \1|^  DATA FILE\.\.\.", page, re.MULTILINE)
    assert dorm("help", *verb.split()).stdout == page


def test_parts_of_a_page():
    part = dorm("train", "--help=kernel").stdout
    assert part == dorm("help", "train", "kernel").stdout
    assert part.startswith("Kernel:\n  --kernel SPEC") and "\nKernels, joined" in part and "--passes" not in part
    assert dorm("train", "--help=solvers").stdout.startswith("Solvers:\n  bcda")
    assert dorm("train", "--help=--scale").stdout.startswith("  --scale NAME")
    said = dorm("train", "--help=kernle", status=2).stderr
    assert 'unknown part of the help of dorm train "kernle"; did you mean "kernel"?' in said


def subcommands(group):
    return [name.split()[1] for name in TABLE if name.startswith(group + " ")]


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_group_lists_its_subcommands(group):
    page = dorm(group, "-h").stdout
    assert page == dorm("help", group).stdout == dorm(group, "--help").stdout == dorm(group, status=2).stderr
    assert re.findall(r"^  (\w+) +[A-Z]", page, re.MULTILINE) == subcommands(group)
    said = dorm(group, "nonsense", status=2).stderr
    assert f'unknown subcommand of dorm {group} "nonsense"' in said and said.endswith(
        f"dorm: see dorm {group} --help\n"
    )


def test_common_options_may_come_before_and_after_the_names_of_a_group(tmp_path):
    (tmp_path / "log.csv").write_text("qid,docid,position,click\n1,a,1,1\n1,b,2,0\n")
    calls = [("--json", "clicks", "gains"), ("clicks", "--json", "gains"), ("clicks", "gains", "--json")]
    assert len({dorm(*call, "log.csv", "-o", "g.csv", cwd=tmp_path).stdout for call in calls}) == 1


def test_the_main_pages_are_short():
    for verb in ("train", "tune"):
        page = dorm(verb, "--help").stdout
        common = page.index("\nCommon options:")
        assert len(re.findall(r"^  (?:-\w, )?--[\w-]+", page[:common], re.MULTILINE)) <= 35, verb


def test_pages_about_everything():
    page = dorm("help").stdout
    assert page == dorm("-h").stdout and len(page.splitlines()) <= 24
    assert max(map(len, page.splitlines())) <= 100
    for verb in TABLE:
        shown = re.search(rf"(^|  ){verb}  ", page, re.MULTILINE)
        assert bool(shown) == (verb not in HIDDEN and " " not in verb), verb
    for group in GROUPS:
        assert re.search(rf" {group}  +" + ", ".join(subcommands(group)), page, re.MULTILINE), group
    whole = dorm("--help").stdout
    assert "Exit status:" in whole and "NO_COLOR" in whole
    topics = re.search(r"^Topics:\n((?:  .*\n)+)", dorm("help", "--help").stdout, re.MULTILINE)[1]
    for line in topics.splitlines():
        assert len(dorm("help", line.split()[0]).stdout.splitlines()) > 3, line
    assert "ndcg[@n]" in dorm("help", "measures").stdout and "143" in dorm("help", "exit-status").stdout
    assert 'did you mean "measures"?' in dorm("help", "mesures", status=2).stderr


def test_help_wins_over_what_else_is_wrong():
    assert dorm("train", "--folds", "x", "-h").stdout == dorm("train", "-h").stdout


@pytest.mark.parametrize(
    "line, hint",
    [
        ("train", "dorm train --help"),
        ("evla", "dorm --help"),
        ("rank m", "dorm rank --help"),
        ("clicks gains", "dorm clicks gains --help"),
    ],
)
def test_errors_point_to_the_page_of_their_command(line, hint):
    assert dorm(*line.split(), status=2).stderr.endswith(f"\ndorm: see {hint}\n")


@pytest.mark.parametrize(
    ("topic", "words"),
    [
        ("csv", ["--query-column query_id", "docs/data.md", "--title-column"]),
        ("missing", ["mean of the column", "--missing", "retriever"]),
        ("ndcg", ["ndcg[@n]", "dorm help measures", "dorm help conventions"]),
        ("NDCG@10", ["ndcg[@n]"]),
        ("ridge", ["A method", "dorm help methods"]),
    ],
)
def test_topics_are_found_by_the_words_people_type(topic, words):
    text = dorm("help", topic).stdout
    assert all(word in text for word in words), text
