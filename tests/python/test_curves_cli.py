# SPDX-License-Identifier: Apache-2.0
"""Curves and signs by the command: from training to explanation and export."""

import json
import math
import random
import re
import shutil
import sqlite3
import struct
import subprocess

import pytest
from command import dorm


def single(text):
    """As it is read."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    dorm("synth", "--queries", 40, "--features", 4, "--documents-median", 12, "--seed", 2, "-o", "d.txt", cwd=folder)
    dorm("train", "d.txt", "--curves", 5, "--increasing", "1", "--model", "lines.json", "-q", cwd=folder)
    dorm("train", "d.txt", "--curves", "steps:5", "--for", "solr", "--model", "steps.json", "-q", cwd=folder)
    return folder


def test_info_draws_the_curves(here):
    told = dorm("info", "lines.json", cwd=here).stdout
    assert "sum of 4 functions of one feature" in told and "curves of lines" in told
    assert "1 weights >= 0, 0 <= 0" in told
    assert any(bar in told for bar in "▁▂▃▄▅▆▇█")


def test_models_of_curves_rank_as_they_explain(here):
    scores = [float(x) for x in dorm("rank", "lines.json", "d.txt", "--format", "scores", cwd=here).stdout.split()]
    told = dorm("explain", "lines.json", "d.txt", "--query", "1", "--top", 0, "--format", "jsonl", cwd=here).stdout
    documents = [json.loads(line) for line in told.splitlines()]
    assert len(documents) > 3 and all(document["additive"] for document in documents)
    for document in documents:
        assert scores[document["row"] - 1] == pytest.approx(document["score"])
        assert sum(part["contribution"] for part in document["features"]) == pytest.approx(document["score"])


def test_pages_draw_the_curves_and_what_they_add(here):
    dorm("train", "d.txt", "--curves", 5, "--model", "page.json", "--report", "p.md", "--report", "p.html", cwd=here)
    page = (here / "p.md").read_text()
    assert "## Curves" in page and "foot of a picture" in page and "## Weights" not in page
    assert (here / "p.html").read_text().count("part of the score") >= 4
    shown = dict(re.findall(r"^\| \d+ \| (d\S+) \|.*\| ([^|]+) \|$", page, re.MULTILINE))
    queries = {line.split("docid=")[-1].strip(): line.split()[1][4:] for line in (here / "d.txt").open()}
    assert len(shown) > 10
    for document, parts in list(shown.items())[:5]:
        told = dorm("explain", "page.json", "d.txt", "--query", queries[document], "--format", "jsonl", cwd=here).stdout
        features = next(d for d in map(json.loads, told.splitlines()) if d["document"] == document)["features"]
        above = {part["feature"]: part["above_mean"] for part in features}
        for part in parts.split(", "):
            feature, figure = part.split()
            assert above[feature] == pytest.approx(float(figure), rel=1e-2)


def test_a_curve_never_turns_under_a_sign(here):
    model = json.loads((here / "lines.json").read_text())
    assert model["kind"] == "curves" and model["signs"]["increasing"] == ["1"]
    first = next(curve for curve in model["curves"]["features"] if curve["feature"] == "1")
    assert min(first["rises"]) >= 0 and model["weights"][0] >= 0


@pytest.mark.parametrize("target", ["solr", "elasticsearch", "ranklib", "sql", "c", "python", "pmml", "onnx"])
def test_steps_are_exported_with_the_same_scores(here, target):
    told = dorm("export", "steps.json", "--to", target, "-o", f"out.{target}", "--check", "d.txt", cwd=here)
    assert "changes in 0 of 40 queries" in told.stdout + told.stderr, told


@pytest.mark.parametrize("target", ["sql", "c", "python", "vespa", "lucene", "onnx", "pmml"])
def test_lines_are_exported_where_there_is_arithmetic(here, target):
    dorm("train", "d.txt", "--curves", 5, "--scale", "log-zscore", "--model", "global.json", "-q", cwd=here)
    told = dorm("export", "global.json", "--to", target, "-o", f"lines.{target}", "--check", "d.txt", cwd=here)
    assert "changes in 0 of 40 queries" in told.stdout + told.stderr, told


def test_exported_lines_score_as_the_model_where_they_run(here):
    dorm("train", "d.txt", "--curves", 5, "--scale", "log-zscore", "--model", "global.json", "-q", cwd=here)
    scores = [float(x) for x in dorm("rank", "global.json", "d.txt", "--format", "scores", cwd=here).stdout.split()]
    rows = [[single(field.split(":")[1]) for field in line.split()[2:6]] for line in (here / "d.txt").open()]
    dorm("export", "global.json", "--to", "python", "-o", "lines.py", cwd=here)
    module = {}
    exec((here / "lines.py").read_text(), module)
    assert module["score_list"](rows) == pytest.approx(scores, rel=1e-9, abs=1e-9)

    dorm("export", "global.json", "--to", "sql", "-o", "lines.sql", cwd=here)
    database = sqlite3.connect(":memory:")
    database.create_function("LN", 1, math.log)
    database.create_function("SIGN", 1, lambda x: math.copysign(1, x) if x else 0)
    database.execute('CREATE TABLE rows (n INTEGER, "1" REAL, "2" REAL, "3" REAL, "4" REAL)')
    database.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", [(n, *row) for n, row in enumerate(rows)])
    answer = database.execute(f"SELECT {(here / 'lines.sql').read_text()} FROM rows ORDER BY n").fetchall()
    assert [value for (value,) in answer] == pytest.approx(scores, rel=1e-9, abs=1e-9)

    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    dorm("export", "global.json", "--to", "c", "-o", "lines.h", cwd=here)
    numbers = ",".join(f"{x!r}f" if "e" in repr(x) or "." in repr(x) else f"{x!r}.0f" for row in rows for x in row)
    (here / "main.c").write_text(
        '#include <stdio.h>\n#include "lines.h"\n'
        f"static const float x[] = {{{numbers}}};\nstatic double scores[{len(rows)}];\n"
        f"int main(void) {{ dorm_score_list(x, {len(rows)}, scores);\n"
        f'for (int i = 0; i < {len(rows)}; ++i) printf("%.17g\\n", scores[i]); return 0; }}\n'
    )
    subprocess.run([compiler, "-std=c99", "-o", "main", "main.c", "-lm"], cwd=here, check=True)
    printed = subprocess.run(["./main"], cwd=here, check=True, capture_output=True, text=True).stdout.split()
    assert list(map(float, printed)) == pytest.approx(scores, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("target", ["solr", "elasticsearch", "ranklib"])
def test_lines_are_refused_by_name(here, target):
    said = dorm("export", "lines.json", "--to", target, "-o", "x", cwd=here, status=1).stderr
    assert "curves of lines" in said and "steps:8" in said and not (here / "x").exists()


@pytest.fixture(scope="module")
def gaps(tmp_path_factory):
    """Documents without a price are the relevant ones; those with one are better the nearer they are to 5."""
    folder = tmp_path_factory.mktemp("gaps")
    numbers = random.Random(3)
    with open(folder / "d.csv", "w") as out:
        out.write("qid,label,price,size\n")
        for row in range(600):
            price, missing = numbers.uniform(0, 10), numbers.random() < 0.2
            label = 2 if missing else int(abs(price - 5) < 2)
            out.write(f"{row // 15},{label},{'' if missing else round(price, 3)},{numbers.random():.3f}\n")
    for shape in ("4", "steps:4"):
        name = shape.replace(":", "") + ".json"
        dorm("train", "d.csv", "--missing", "keep", "--curves", shape, "--model", name, "-q", cwd=folder)
    return folder


@pytest.mark.parametrize("name", ["4.json", "steps4.json"])
def test_a_missing_value_has_a_weight_of_its_own(gaps, name):
    model = json.loads((gaps / name).read_text())
    price, size = model["curves"]["features"]
    assert price["missing"] > 0 and "missing" not in size
    scores = [float(x) for x in dorm("rank", name, "d.csv", "--format", "scores", cwd=gaps).stdout.split()]
    rows = [line.split(",") for line in (gaps / "d.csv").read_text().splitlines()[1:]]
    assert min(s for s, row in zip(scores, rows) if not row[2]) > max(s for s, row in zip(scores, rows) if row[2])

    def value(curve, weight, x):
        knots, rises = curve["knots"], curve["rises"]
        if name.startswith("steps"):
            return sum(rise for knot, rise in zip(knots, rises) if x >= knot)
        pieces = zip(rises, knots, knots[1:])
        return weight * x + sum(rise * min(max((x - low) / (high - low), 0), 1) for rise, low, high in pieces)

    shift, factor = model["scaling"]["shift"], model["scaling"]["factor"]
    for score, row in zip(scores, rows):
        expected = 0
        for j, curve in enumerate((price, size)):
            if not row[2 + j]:
                expected += curve["missing"]
                continue
            x = (single(row[2 + j]) - shift[j]) * factor[j]
            expected += value(curve, model["weights"][j], x) - value(curve, model["weights"][j], curve["median"])
        assert score == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_explanations_of_missing_values_add_up(gaps):
    told = dorm("explain", "4.json", "d.csv", "--query", "1", "--top", 0, "--format", "jsonl", cwd=gaps).stdout
    documents = [json.loads(line) for line in told.splitlines()]
    assert any(part["value"] is None for document in documents for part in document["features"])
    for document in documents:
        assert sum(part["contribution"] for part in document["features"]) == pytest.approx(document["score"])


def test_steps_with_missing_values_are_exported_as_trees(gaps):
    for target in ("python", "c", "sql", "lightgbm"):
        told = dorm("export", "steps4.json", "--to", target, "-o", "x", "--check", "d.csv", cwd=gaps)
        assert "changes in 0 of 40 queries" in told.stdout + told.stderr, told


@pytest.mark.parametrize("target", ["python", "c", "sql", "onnx", "pmml", "vespa"])
def test_lines_with_missing_values_are_exported(gaps, target):
    told = dorm("export", "4.json", "--to", target, "-o", "z", "--check", "d.csv", cwd=gaps)
    assert "changes in 0 of 40 queries" in told.stdout + told.stderr, told
    scores = [float(x) for x in dorm("rank", "4.json", "d.csv", "--format", "scores", cwd=gaps).stdout.split()]
    if target == "python":
        module = {}
        exec((gaps / "z").read_text(), module)
        rows = [line.split(",")[2:] for line in (gaps / "d.csv").read_text().splitlines()[1:]]
        rows = [[single(x) if x else None for x in row] for row in rows]
        assert module["score_list"](rows) == pytest.approx(scores, rel=1e-12, abs=1e-12)
    said = dorm("export", "4.json", "--to", "lucene", "-o", "y", cwd=gaps, status=1).stderr
    assert "where the feature is missing" in said and "onnx" in said and not (gaps / "y").exists()


def test_kept_gaps_are_refused_where_nothing_uses_them(gaps):
    said = dorm("train", "d.csv", "--missing", "keep", "--model", "no.json", cwd=gaps, status=1).stderr
    assert "curves and trees alone" in said
    words = ("--missing", "keep", "--curves", "4", "--scale", "log-query-zscore")
    said = dorm("train", "d.csv", *words, "--model", "no.json", cwd=gaps, status=1).stderr
    assert "cannot skip" in said and not (gaps / "no.json").exists()


def test_what_cannot_be_learnt_is_refused_before_anything_is_written(here):
    refused = (
        (2, "--curves", "0"),
        (1, "--curves", "4", "--kernel", "rbf:gamma=1"),
        (2, "--curves", "9=4"),
        (2, "--increasing", "9"),
        (1, "--non-negative", "--solver", "bcfw"),
    )
    for status, *words in refused:
        dorm("train", "d.txt", *words, "--model", "no.json", cwd=here, status=status)
    assert not (here / "no.json").exists()
