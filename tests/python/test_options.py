# SPDX-License-Identifier: Apache-2.0
"""One language of options: the same thing has the same name in all verbs."""

import json
import re

import pytest
from command import commands, dorm

TABLE = commands()
VERBS = list(TABLE)
READERS = [
    verb for verb in VERBS if any("--label-column" in option["names"] for option in TABLE[verb]["options"])
]  # of judged documents


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 12, "--features", 3, "--documents-median", 5, "-o", "data.txt")
    dorm("train", "data.txt", "--model", "m.json", "-q")
    return tmp_path


def names(verb):
    """Long and short names of the options."""
    return {name for option in TABLE[verb]["options"] for name in option["names"]}


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
            assert verb in ("rank", "eval", "explain", "recommend top", "clicks evaluate", "recommend evaluate"), verb


def test_old_names_are_unknown(here):
    for line in ("train data.txt --format letor --model n.json", "train data.txt --start ridge --model n.json",
                 "eval data.txt --data data.txt m.json"):  # fmt: skip
        assert "unknown option" in dorm(*line.split(), status=2).stderr, line
    for line in ("factorize ratings.tsv --model m.factors", "propensity log.csv -o p.csv", "match eval nodes.csv"):
        assert "unknown command" in dorm(*line.split(), status=2).stderr, line


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


# ---- numbers ----------------------------------------------------------------------------------------------

NUMBERS = [(verb, option) for verb, command in TABLE.items() for option in command["options"] if option.get("range")]
COMMON = {name for option in TABLE["help"]["options"] for name in option["names"]}  # tried once, in dorm info


def outside(span):
    """Texts that the range leaves out."""
    texts = ["nan", "-inf"] + ["1e99", "18446744073709551616"] * span["whole"] + ["inf"] * (not span["infinite"])
    if span["low"] is not None:
        texts += [f"{span['low'] - 1:.0f}"] + [f"{span['low']:.0f}"] * span["low_excluded"]
    if span["high"] is not None:
        texts += [f"{span['high'] + 1:.0f}"] + [f"{span['high']:.0f}"] * span["high_excluded"]
    return texts


def test_the_table_knows_the_numbers():
    assert len(NUMBERS) > 60 and {verb for verb, _ in NUMBERS} == set(VERBS)
    assert ("tune", ["--folds"]) in [(verb, option["names"]) for verb, option in NUMBERS]
    for verb in VERBS:
        for option in TABLE[verb]["options"]:
            if option["value"] in ("N", "K", "S", "X", "D"):
                assert option.get("range"), (verb, option["names"])


TRIED = [(verb, o) for verb, o in NUMBERS if verb == "info" or o["names"][-1] not in COMMON]


@pytest.mark.parametrize("verb, option", TRIED, ids=[f"{verb} {o['names'][-1]}" for verb, o in TRIED])
def test_numbers_outside_of_their_range_are_refused(tmp_path, verb, option):
    for text in outside(option["range"]):
        done = dorm(*verb.split(), f"{option['names'][-1]}={text}", status=2, cwd=tmp_path)
        first = f"dorm: {option['names'][0]} is {text}; expected {option['range']['expected']}\n"
        assert done.stderr == first + f"dorm: see dorm {verb} --help\n" and done.stdout == ""


@pytest.mark.parametrize(
    "line, said",
    [
        ("eval d --bootstrap -1", "--bootstrap is -1; expected a whole number from 0 to 10000000"),
        ("tune d --folds -1", "--folds is -1; expected a whole number from 2 on"),
        ("tune d --folds 1", "--folds is 1; expected a whole number from 2 on"),
        ("train d --passes -1", "--passes is -1; expected a whole number from 1 on"),
        ("rank m d --top -1", "--top is -1; expected a whole number from 0 on"),
        ("eval d --confidence 2", "--confidence is 2; expected a number above 0 and below 1"),
        ("info d --threads -2", "--threads is -2; expected a whole number from -1 on"),
        ("train d -C nan", "-C is nan; expected a number above 0"),
        ("train d -C 1x", "-C is 1x; expected a number above 0"),
        ("tune d --folds 0x10", "--folds is 0x10; expected a whole number from 2 on"),
        ("tune d --folds 2.5", "--folds is 2.5; expected a whole number from 2 on"),
        ("tune d --folds -18446744073709551615", "--folds is -18446744073709551615; expected a whole number"),
        ("--threads -7 info d", "--threads is -7; expected a whole number from -1 on"),
        ("train d --memory -1", '--memory is "-1"; expected a size'),
        ("train d --memory 1e99", 'is "1e99"; expected a size'),
    ],
)
def test_what_wrapped_to_huge_numbers(here, line, said):
    assert said in dorm(*line.split(), *["--model", "x"] * line.startswith("t"), status=2).stderr


def test_threads(here):
    plain = dorm("eval", "data.txt", "--feature", 1, "--threads", 1).stdout
    for threads in (-1, 0, 2):
        done = dorm("eval", "data.txt", "--feature", 1, "--threads", threads)
        assert (done.stdout, done.stderr) == (plain, "")
    done = dorm("eval", "data.txt", "--feature", 1, "--threads", 100000, timeout=60)
    assert done.stdout == plain
    assert re.search(r"warning: --threads is 100000; \d+ are used, 4 for each core\n", done.stderr)


# ---- what makes no sense, in words of our own ---------------------------------------------------------------

RAW = re.compile(r"required|Could not convert|TEXT|UINT|FLOAT|WRITTEN|NUMBER|arguments? (?:was|were)|\bRun with\b")


@pytest.mark.parametrize("verb", VERBS)
def test_no_option_answers_with_the_words_of_a_library(tmp_path, verb):
    for option in TABLE[verb]["options"]:
        name = option["names"][-1]
        if name in COMMON and (verb != "info" or name in ("-h", "--help")):
            continue
        if option["value"]:
            done = dorm(*verb.split(), name, status=2, cwd=tmp_path)
            assert f"dorm: {name} is given without its value; expected {name} {option['value']}\n" in done.stderr
            twice = dorm(*verb.split(), f"{name}=1", f"{name}=1", status=None, cwd=tmp_path)
        else:
            assert f"{name} takes no value" in dorm(*verb.split(), f"{name}=3", status=2, cwd=tmp_path).stderr
            twice = dorm(*verb.split(), name, name, status=None, cwd=tmp_path)
        assert twice.returncode in (0, 1, 2) and not RAW.search(twice.stderr), twice.stderr
    unknown = dorm(*verb.split(), "--no-such-thing", status=2, cwd=tmp_path).stderr
    assert unknown == f'dorm: unknown option "--no-such-thing"\ndorm: see dorm {verb} --help\n'
    near = dorm(*verb.split(), "--thread", status=2, cwd=tmp_path).stderr
    assert near.startswith('dorm: unknown option "--thread"; did you mean "--threads"?\n')
    assert dorm(*verb.split(), "-y", status=2, cwd=tmp_path).stderr.startswith('dorm: unknown option "-y"')


def test_an_option_is_no_value_of_another(here):
    assert "--model is given without its value" in dorm("train", "data.txt", "--model=", status=2).stderr
    said = dorm("train", "data.txt", "--model", "--valid", "data.txt", status=2).stderr
    assert "--model is given without its value; expected --model FILE" in said
    assert "--model is given twice" in dorm("train", "data.txt", "--model", "a", "--model", "b", status=2).stderr


def test_lists_of_measures_add_up(here):
    def measured(*options):
        return list(json.loads(dorm("eval", "data.txt", "--model", "m.json", "--json", *options).stdout)["measures"])

    assert measured("--measures", "ndcg@5,map", "--measures", "mrr") == ["ndcg@5", "map", "mrr"]
    assert measured("--measures", "ndcg@1,5,10,map") == ["ndcg@1", "ndcg@5", "ndcg@10", "map"]
    assert measured("--measures", "p@1,5") == ["p@1", "p@5"]
    alone = dorm("eval", "data.txt", "--model", "m.json", "--measures", "map,5", status=2).stderr
    assert 'unknown measure "5"' in alone
