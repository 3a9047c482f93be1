# SPDX-License-Identifier: Apache-2.0
"""One language of options: the same thing has the same name in all verbs, and old names are still understood."""

import json
import re

import pytest
from command import dorm

VERBS = re.findall(r"^  ([a-z]+)  ", dorm("--help").stdout, re.MULTILINE)
HELP = {verb: dorm(verb, "--help").stdout for verb in VERBS}
READERS = [verb for verb in VERBS if "--label-column" in HELP[verb]]  # of judged documents


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 12, "--features", 3, "--documents-median", 5, "-o", "data.txt")
    dorm("train", "data.txt", "--model", "m.json", "-q")
    return tmp_path


def names(verb):
    """Long and short names of the options, as the help prints them."""
    shown = re.findall(r"^  (-[^ ,]+(?:, --[^ ,]+)*)", HELP[verb], re.MULTILINE)
    return {name for line in shown for name in re.split(r",\s*", line)}


def test_the_same_thing_has_the_same_name_everywhere():
    assert {"train", "tune", "rank", "eval", "compare", "info", "convert"} <= set(READERS)
    for verb in READERS:
        assert "--input-format" in names(verb), verb
    for verb in VERBS:
        assert {"-q", "--quiet", "-v", "--verbose", "--json", "--threads"} <= names(verb), verb
        assert "--max-passes" not in names(verb), verb
        if "--output" in names(verb):
            assert "-o" in names(verb), verb
        if "--C" in names(verb) or "-C" in names(verb):
            assert {"-C", "--C"} <= names(verb), verb
        if "--format" in names(verb):
            assert verb in ("rank", "eval", "recommend"), verb


OLD = [
    ("train", "data.txt --format letor --model n.json", "--format", "--input-format"),
    ("tune", "data.txt --format=letor --folds 2 --grid C=1 --model n.json", "--format", "--input-format"),
    ("compare", "data.txt --format letor --methods ridge --folds 3 -C 1", "--format", "--input-format"),
    ("info", "data.txt --format letor", "--format", "--input-format"),
    ("convert", "data.txt data.csv --format letor", "--format", "--input-format"),
    ("factorize", "ratings.tsv --max-passes 2 --rounds 1 --fixed --model m.factors", "--max-passes", "--passes"),
]


@pytest.mark.parametrize("verb, line, old, new", OLD, ids=[case[0] for case in OLD])
def test_old_names_work_with_a_warning_and_stand_nowhere(here, verb, line, old, new):
    (here / "ratings.tsv").write_text("".join(f"u{u}\ti{i}\t{1 + (u * i) % 5}\n" for u in range(6) for i in range(6)))
    said = dorm(verb, *line.split()).stderr
    assert f"dorm: warning: {old} of dorm {verb} is called {new} now" in said
    assert "is called" not in dorm(verb, *line.split(), "-q").stderr
    assert old not in names(verb)
    for shell in ("bash", "zsh", "fish"):
        script = dorm("completion", shell).stdout
        own = [row for row in script.splitlines() if re.search(rf"^ +{verb}\)|_from {verb}'", row)]
        assert not [row for row in own if re.search(rf"(-l |[ '\"]--){old[2:]}[ \"'\[]", row)], shell


def test_words_after_a_double_dash_are_no_options(here):
    assert "is called" not in dorm("info", "--", "data.txt").stderr


def test_rankings_as_json_lines_have_one_name(here):
    lines = dorm("rank", "m.json", "data.txt", "--format", "jsonl").stdout
    assert {"qid", "ranking"} == set(json.loads(lines.splitlines()[0]))
    assert lines == dorm("rank", "m.json", "data.txt", "--format", "json").stdout
    assert lines == dorm("rank", "m.json", "data.txt", "--json").stdout


def test_c_has_a_short_and_a_long_name(here):
    models = []
    for spelling in (["-C", "3"], ["--C", "3"], ["--C=3"], ["-C3"]):
        dorm("train", "data.txt", "--model", "c.json", *spelling)
        models.append((here / "c.json").read_bytes())
    assert len(set(models)) == 1
    tables = [dorm("compare", "data.txt", "--folds", 3, "--methods", "ridge", c, "1,10").stdout for c in ("-C", "--C")]
    assert tables[0] == tables[1]
