# SPDX-License-Identifier: Apache-2.0
"""Exported source code, run by the real compilers, Python and SQLite: its scores are those of the model.

DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import itertools
import math
import random
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path

import pytest
from command import dorm
from exported_models import KINDS, ODD_NAMES, Case, single

GLOBAL = [kind for kind in KINDS if "query" not in kind]

DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
/* Reads lists: how many documents, then their features. Names go to a file, each behind a zero byte. */
int main(void) {
  FILE *names = fopen("names.bin", "wb");
  unsigned documents;
  size_t j, i;
  if (!names) return 1;
  for (j = 0; j < m_num_features; ++j) fwrite(m_feature(j), 1, strlen(m_feature(j)) + 1, names);
  fclose(names);
  while (fread(&documents, sizeof documents, 1, stdin) == 1) {
    const size_t count = documents * (size_t)m_num_features;
    float *x = (float *)malloc(count * sizeof *x);
    double *scores = (double *)malloc(documents * sizeof *scores);
    if (fread(x, sizeof *x, count, stdin) != count) return 2;
    m_score_list(x, documents, scores);
    for (i = 0; i < documents; ++i) {
#ifndef LISTS
      if (m_score(x + i * m_num_features) != scores[i]) return 3;
#endif
      printf("%a\\n", scores[i]);
    }
    free(x);
    free(scores);
  }
  return 0;
}
"""
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"]


@pytest.fixture
def world(tmp_path_factory):
    return tmp_path_factory.mktemp("empty")


def compiled(compiler, standard, lists):
    """The driver with model.h of this folder."""
    Path("driver.c").write_text(DRIVER)
    Path("alone.c").write_text('#include "model.h"\nint unused;\n')
    language = ["-x", "c++"] if "++" in standard else []
    flags = [*STRICT, f"-std={standard}", *(["-DLISTS"] if lists else [])]
    subprocess.run([compiler, *flags, *language, "-c", "alone.c"], check=True)  # nothing in it is used: no warning
    subprocess.run([compiler, *flags, *language, "driver.c", "-o", "driver", "-lm"], check=True)


def run_compiled(queries):
    given = b"".join(
        struct.pack("I", len(rows)) + struct.pack(f"{len(rows) * len(rows[0])}f", *itertools.chain(*rows))
        for rows in queries
    )
    done = subprocess.run(["./driver"], input=given, capture_output=True, check=True)
    return [float.fromhex(line) for line in done.stdout.decode().split()]


def exported(to, *options):
    dorm("export", "m.json", "--to", to, *options, "-o", "out")
    return Path("out").read_bytes().decode()


def python_module(text):
    module = {}
    exec(compile(text, "model.py", "exec"), module)
    return module


def python_scores(module, queries):
    return [score for rows in queries for score in module["score_list"](rows)]


def sqlite_scores(expression, names, rows):
    base = sqlite3.connect(":memory:")
    quoted = ['"' + name.replace('"', '""') + '" REAL' for name in names]
    base.execute(f"CREATE TABLE documents ({', '.join(quoted)})")
    base.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * len(names))})", rows)
    try:
        return [row[0] for row in base.execute(f"SELECT {expression} FROM documents ORDER BY rowid")]
    except sqlite3.OperationalError as error:
        if "LN" not in str(error).upper():
            raise
        pytest.skip(f"this SQLite has no functions of mathematics: {error}")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("kind", KINDS)
def test_compilers_score_as_the_definition_says(here, kind, compiler):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not at hand")
    case = Case(kind, ODD_NAMES, seed=len(kind))
    case.write("m.json")
    standard = ["c99", "c11", "c++17"][(KINDS.index(kind) + (compiler == "clang")) % 3]
    Path("model.h").write_text(exported("c", "--name", "m"))
    compiled(compiler, standard, "query" in kind)
    case.require(run_compiled(case.queries))
    assert Path("names.bin").read_bytes().split(b"\0")[:-1] == [name.encode() for name in ODD_NAMES]


def test_a_c_header_of_two_thousand_features(here):
    case = Case("log-query-zscore", [f"f{j}" for j in range(2000)], documents=3)
    case.write("m.json")
    Path("model.h").write_text(exported("c", "--name", "m"))
    compiled("gcc", "c11", lists=True)
    case.require(run_compiled(case.queries))


def test_c_fills_in_what_training_did(here):
    case = Case("zscore", ["a", "b"], seed=5)
    case.write("m.json", input={"missing": "mean", "means": [0.75, -2.5]})
    Path("model.h").write_text(exported("c", "--name", "m"))
    compiled("gcc", "c99", lists=False)
    holes = [[math.nan, 1.0], [2.0, math.inf], [math.nan, math.nan]]
    case.queries = [[[0.75, 1.0], [2.0, -2.5], [0.75, -2.5]]]
    case.require(run_compiled([holes]))


@pytest.mark.parametrize("kind", KINDS)
def test_python_scores_as_the_definition_says(here, kind):
    names = [*ODD_NAMES, "zero\0byte"]
    case = Case(kind, names, seed=3)
    case.write("m.json")
    module = python_module(exported("python"))
    assert list(module["FEATURES"]) == names
    case.require(python_scores(module, case.queries))
    by_name = [[dict(zip(names, row)) | {"other": 9.0} for row in rows] for rows in case.queries]
    case.require(python_scores(module, by_name))
    assert ("score" in module) == ("query" not in kind)
    if "score" in module:
        case.require([module["score"](row) for row in case.rows()])
        assert module["score"]({}) == pytest.approx(module["score"]([0.0] * len(names)))
        with pytest.raises(ValueError, match="expected 28"):
            module["score"]([1.0])
        with pytest.raises(ValueError, match="finite"):
            module["score"]([math.nan] * len(names))


def test_python_fills_in_what_training_did(here):
    case = Case("log-zscore", ["a", "b"], seed=5)
    case.write("m.json", input={"missing": "mean", "means": [0.75, -2.5]})
    score = python_module(exported("python"))["score"]
    for given in ([math.nan, 1.0], [None, 1.0], {"b": 1.0}, {"a": math.inf, "b": 1.0}):
        assert score(given) == score([0.75, 1.0])
    assert score({}) == score([0.75, -2.5])


@pytest.mark.parametrize("options", [[], ["--fold"]])
@pytest.mark.parametrize("kind", GLOBAL)
def test_sqlite_scores_as_the_definition_says(here, kind, options):
    names = [name for name in ODD_NAMES if "\\" not in name]  # refused: some databases escape by it
    case = Case(kind, names, seed=4)
    case.write("m.json")
    case.require(sqlite_scores(exported("sql", *options), names, case.rows()))


@pytest.mark.parametrize("kind", ["zscore", "log-zscore"])
def test_sql_of_two_thousand_features_is_not_deep(here, kind):
    case = Case(kind, [f"f{j}" for j in range(2000)], queries=1, documents=3)
    case.write("m.json")
    case.require(sqlite_scores(exported("sql"), case.names, case.rows()))  # SQLite refuses a depth of 1,000


def test_small_features_keep_their_digits_in_logarithms(here):
    """ln(1 + x) of an x near the rounding of 1 has hardly a digit of x."""
    case = Case("log-zscore", ["a", "b"], seed=5)
    case.queries = [[[single(x), single(-3 * x)] for x in (0.0, 1e-20, 1e-16, 3e-13, 1e-9, 1e-5)]]
    case.shift, case.factor = [0.0, 0.0], [1e12, 1e9]
    case.write("m.json")
    case.require(sqlite_scores(exported("sql"), case.names, case.rows()))
    case.require(python_scores(python_module(exported("python")), case.queries))


def test_names_that_sql_confuses_are_refused(here):
    for names, why in [(["BM25", "bm25"], "without case"), (["x" * 63 + "1", "x" * 63 + "2"], "first 63 bytes"),
                       (["a", ""], "empty name"), (["a", "b\0c"], "zero byte")]:  # fmt: skip
        Case("none", names).write("m.json")
        assert why in dorm("export", "m.json", "--to", "sql", status=1).stderr
    Path("names.csv").write_text("feature,name\na,A1\n")
    Case("none", ["a", "b"]).write("m.json")
    assert '"A1"' in exported("sql", "--names", "names.csv")


def test_names_that_c_cannot_hold_are_refused(here):
    for name, why in [("b\0c", "zero byte"), ("x" * 4096, "4095 bytes")]:
        Case("none", ["a", name]).write("m.json")
        assert why in dorm("export", "m.json", "--to", "c", status=1).stderr
    Case("none", ["a", "b"]).write("m.json")
    for prefix in ("", "2x", "a-b", "a b", "é", "_x"):
        assert "c expects a letter" in dorm("export", "m.json", "--to", "c", "--name", prefix, status=None).stderr


def test_fuzzed_names_and_numbers_come_back_or_are_refused(here):
    rng = random.Random(11)
    alphabet = ['"', "'", "\\", "?", "/", "*", "%", "\n", "\r", "\0", "{", "}", "a", "A", "0", " ", "é", "\ufffe", "🙂"]
    for seed in range(12):
        names = sorted({"".join(rng.choices(alphabet, k=rng.randint(1, 9))) for _ in range(12)})
        case = Case(rng.choice(GLOBAL), names, seed=seed)
        case.weights = [w * 10 ** rng.uniform(-30, 30) for w in case.weights]
        case.write("m.json")
        module = python_module(exported("python"))
        assert list(module["FEATURES"]) == names
        case.require(python_scores(module, case.queries))
        done = dorm("export", "m.json", "--to", "c", "--name", "m", "-o", "model.h", status=None)
        assert (done.returncode == 0) == all("\0" not in name for name in names), done.stderr
        if done.returncode == 0 and seed < 4:
            compiled("gcc", "c99", lists=False)
            case.require(run_compiled(case.queries))
            assert Path("names.bin").read_bytes().split(b"\0")[:-1] == [name.encode() for name in names]
        done = dorm("export", "m.json", "--to", "sql", "-o", "out.sql", status=None)
        if done.returncode == 0:
            case.require(sqlite_scores(Path("out.sql").read_bytes().decode(), names, case.rows()))
        else:
            assert "sql cannot say" in done.stderr


def test_check_emulates_what_was_written(here):
    """Where weights are doubles nothing but the last digits of the model's scores differs."""
    case = Case("zscore", ["1", "2", "3"], seed=2)
    case.write("m.json")
    lines = [
        f"0 qid:{q} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row)) + "\n"
        for q, rows in enumerate(case.queries)
        for row in rows
    ]
    Path("data.txt").write_text("".join(lines))
    for target in ("c", "python", "sql", "svmlight"):
        told = dorm("export", "m.json", "--to", target, "-o", "out", "--check", "data.txt").stdout
        assert "changes in 0 of 4 queries" in told
        off = float(told.split("differ by ")[1].split()[0])
        assert off < (1e-5 if target == "svmlight" else 1e-12)


def test_svmlight_keeps_what_its_reader_keeps(here):
    """Weights as float32, by rising numbers; numbers that its reader takes for one are refused."""
    case = Case("zscore", ["10", "9", "200"], seed=2)
    case.write("m.json")
    lines = exported("svmlight").splitlines()
    assert lines[7].split()[0] == "200"
    words = [word.split(":") for word in lines[11].split()[1:-1]]
    assert [int(number) for number, _ in words] == [9, 10, 200]
    expected = {name: single(w * f) for name, w, f in zip(case.names, case.weights, case.factor)}
    for number, weight in words:
        assert single(float(weight)) == expected[number]
    constant = -math.fsum(w * f * s for w, f, s in zip(case.weights, case.factor, case.shift))
    assert -float(lines[10].split()[0]) == pytest.approx(constant, rel=1e-14)
    for bad in ("0", "01", "1e2", "-1", "+1", " 1", "100000000", "1x", ""):
        Case("none", ["1", bad]).write("m.json")
        assert "numbers features from 1 to 99999999" in dorm("export", "m.json", "--to", "svmlight", status=1).stderr
    case = Case("none", ["1", "2"])
    case.weights[0] = 1e39
    case.write("m.json")
    assert "beyond the numbers" in dorm("export", "m.json", "--to", "svmlight", status=1).stderr
