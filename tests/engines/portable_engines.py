# SPDX-License-Identifier: Apache-2.0
"""What runs exported models without Java: databases, compilers, and readers that follow a format's description."""

import itertools
import math
import re
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from cases import KINDS
from comparison import Engine
from elasticsearch_reader import LinearModel, Refused

GLOBAL = KINDS[:4]
PLAIN = KINDS[:3]


def each(score_one):
    """A scorer of one export as a scorer of many; Refused becomes its text."""

    def score(exports):
        results = []
        for one in exports:
            try:
                results.append(score_one(one))
            except Refused as error:
                results.append(str(error))
        return results

    return score


def given(one, number="{}"):
    """The documents as engines get them: name to value, without what is missing."""
    names = one.case.spelled(number)
    return [{name: x for name, x in zip(names, row) if x is not None} for row in one.case.rows]


def by_sqlite(one):
    names = one.case.spelled()
    columns = ", ".join('"' + name.replace('"', '""') + '" REAL' for name in names)
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE documents ({columns})")
        base.executemany(f"INSERT INTO documents VALUES ({', '.join('?' * len(names))})", one.case.rows)
        try:
            return [score for (score,) in base.execute(f"SELECT {one.model.read_text()} FROM documents ORDER BY rowid")]
        except sqlite3.Error as error:
            raise Refused(str(error)) from None


def by_svmlight(one):
    """svm_rank_classify: sum of w_j x_j less b; the numbers of the one vector rise, and it keeps weights as float32."""
    lines = one.model.read_text().splitlines()
    if len(lines) != 12 or lines[0] != "SVM-light Version V6.20" or not lines[1].startswith("0 "):
        raise Refused("no linear model of SVM-light")
    threshold = float(lines[10].split(" ", 1)[0])
    vector = [item.split(":") for item in re.fullmatch(r"1((?: \d+:\S+)*) #", lines[11])[1].split()]
    numbers = [int(number) for number, _ in vector]
    if numbers != sorted(set(numbers)) or max(numbers, default=0) > int(lines[7].split()[0]):
        raise Refused("feature numbers do not rise")
    weights = {int(number): float(np.float32(weight)) for number, weight in vector}
    spelled = [int(name) for name in one.case.spelled()]
    return [
        sum(weights.get(number, 0.0) * (x or 0.0) for number, x in zip(spelled, row)) - threshold
        for row in one.case.rows
    ]


def by_elasticsearch(one):
    number = "f{}" if one.case.logarithm else "{}"  # logarithms are expressions, whose variables are no numbers
    model = LinearModel(one.model.read_text(), one.case.spelled(number), one.features)
    return [model.score(document) for document in given(one, number)]


def flat(case, row):
    """A row for what takes rows of numbers: NaN where a mean stands for what is missing, else 0."""
    return [x if x is not None else math.nan if case.means else 0.0 for x in row]


def queries_of(one):
    """The documents query by query, as `given`."""
    documents = iter(given(one))
    return [list(itertools.islice(documents, len(rows))) for rows in one.case.queries]


def by_python(one):
    module = {}
    exec(compile(one.model.read_text(), str(one.model), "exec"), module)
    if list(module["FEATURES"]) != one.case.spelled():
        raise Refused(f"other features: {module['FEATURES']}")
    scores = [score for documents in queries_of(one) for score in module["score_list"](documents)]
    if "score" in module:
        assert scores == [module["score"](document) for document in given(one)]
    return scores


C_PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{headers}
/* Per case: so many queries; per query: so many documents, and their features. Answers names, then scores. */
{functions}
int main(void) {{
{calls}
  return 0;
}}
"""
C_CASE = """static void run_{name}(void) {{
  long queries, documents, i;
  for (i = 0; i < (long){name}_num_features; ++i) {{
    fwrite({name}_feature((size_t)i), 1, strlen({name}_feature((size_t)i)) + 1, stdout);
  }}
  if (fread(&queries, sizeof queries, 1, stdin) != 1) exit(1);
  while (queries-- > 0) {{
    if (fread(&documents, sizeof documents, 1, stdin) != 1) exit(1);
    float *x = malloc((size_t)documents * {name}_num_features * sizeof *x + 1);
    double *scores = malloc((size_t)documents * sizeof *scores + 1);
    if (fread(x, sizeof *x * {name}_num_features, (size_t)documents, stdin) != (size_t)documents) exit(1);
    {name}_score_list(x, (size_t)documents, scores);
    fwrite(scores, sizeof *scores, (size_t)documents, stdout);
    free(x);
    free(scores);
  }}
}}"""


def by_compiler(*command, suffix=".c"):
    """One program of all headers, strictly by the standard of the language."""

    def score(exports):
        if not exports or not shutil.which(command[0]):
            return [] if not exports else pytest.skip(f"there is no {command[0]}")
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / f"main{suffix}", Path(folder) / "main"
            text = C_PROGRAM.format(
                headers="\n".join(f'#include "{one.model}"' for one in exports),
                functions="\n".join(C_CASE.format(name=one.name) for one in exports),
                calls="\n".join(f"  run_{one.name}();" for one in exports),
            )
            source.write_text(text if suffix == ".c" else re.sub(r"= malloc", "= (decltype(+x)) malloc", text))
            strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unused-function"]
            built = subprocess.run(
                [*command, *strict, "-O1", "-ffp-contract=off", source, "-o", program, "-lm"],
                capture_output=True,
                text=True,
            )
            if built.returncode:
                return [built.stderr] * len(exports)
            answer = subprocess.run([program], input=b"".join(map(c_input, exports)), capture_output=True, check=True)
        return c_answers(exports, answer.stdout)

    return score


def c_input(one):
    parts = [np.int64(len(one.case.queries)).tobytes()]
    for rows in one.case.queries:
        values = [flat(one.case, row) for row in rows]
        parts += [np.int64(len(rows)).tobytes(), np.array(values, np.float32).tobytes()]
    return b"".join(parts)


def c_answers(exports, answer):
    results = []
    for one in exports:
        names = one.case.spelled()
        found = answer.split(b"\0", len(names))
        answer = found.pop()
        size = 8 * len(one.case.rows)
        scores, answer = np.frombuffer(answer[:size]).tolist(), answer[size:]
        results.append(scores if [name.decode() for name in found] == names else f"other names: {found}")
    assert not answer
    return results


def by_onnxruntime(one):
    onnx = pytest.importorskip("onnx", reason="onnx is not in this environment (make test-engines)")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not in this environment (make test-engines)")
    onnx.checker.check_model(onnx.load(str(one.model)), full_check=True)
    session = runtime.InferenceSession(str(one.model), providers=["CPUExecutionProvider"])
    (source,) = session.get_inputs()
    scores = []
    for rows in one.case.queries:
        values = np.array([flat(one.case, row) for row in rows], np.float32)
        (found,) = session.run(None, {source.name: values})
        scores += np.asarray(found).reshape(-1).tolist()
    return scores


ALWAYS = [  # what needs no more than a compiler and Python
    Engine("sql", GLOBAL, each(by_sqlite), fills=True),
    Engine("svmlight", PLAIN, each(by_svmlight), single=True, numbered=True),
    Engine("python", KINDS, each(by_python), fills=True),
    Engine("c", KINDS, by_compiler("gcc", "-std=c99"), fills=True, test="gcc"),
    Engine("elasticsearch", GLOBAL, each(by_elasticsearch), single=True, declared=True),
    Engine(
        "opensearch", GLOBAL, each(by_elasticsearch), single=True, declared=True, constant=False, options=("--fold",)
    ),
]
PORTABLE = [
    *ALWAYS,
    Engine("c", KINDS, by_compiler("clang", "-std=c11"), fills=True, test="clang"),
    Engine("onnx", KINDS, each(by_onnxruntime), fills=True),
]
