# SPDX-License-Identifier: Apache-2.0
"""A table with a column for each rule of encoding, models trained on it, and what runs exported models on its cells."""

import csv
import datetime
import math
import random
import re
import sqlite3
import subprocess
import xml.etree.ElementTree as ET

from command import dorm

# Rule as docs/columns.md calls it: the option, and what the column is.
RULES = {
    "onehot": "category=onehot",
    "age": "published=age",
    "weekday": "published=weekday",
    "month": "published=month",
    "percent": "discount=percent",
    "thousands": "price=thousands",
    "decimal-comma": "mass=decimal-comma",
    "bool": "in_stock=bool",
}
GAPS = {  # rule for gaps: the option
    "mean": "mean",
    "zero": "zero",
    "indicator": "mean,bm25=indicator",
    "query-min": "mean,bm25=query-min",
}
COLUMNS = ["category", "published", "discount", "price", "mass", "in_stock"]
VALUES = ["red, wine", "men's", "Größe", "größe", "blue", "Blue"]
GAP_WORDS = ["", "NA", "N/A", "null", "NaN", " "]
ROLES = ["--label-column", "grade", "--query-column", "query"]


def comma(value):
    whole, _, part = f"{value:,.2f}".partition(".")
    return whole.replace(",", ".") + "," + part


def rows_of(queries, seed, values=VALUES, documents=7):
    """Rows of cells as text, gaps in several spellings."""
    rng = random.Random(seed)
    rows = []
    for q in range(queries):
        for _ in range(documents):
            day = datetime.date(2023, 11, 1) + datetime.timedelta(days=rng.randrange(500))
            discount, price, mass = (
                rng.randrange(80),
                rng.randrange(100, 9000000) / 4,
                rng.randrange(-99999, 999999) / 4,
            )
            stock, value, bm25 = rng.random() < 0.6, rng.choice(values), rng.randrange(1, 900) / 64
            worth = bm25 / 6 + stock + discount / 40 + len(value) / 5 + (day.toordinal() % 7) / 4
            cells = {
                "category": value,
                "published": str(day),
                "discount": f"{discount} %" if rng.random() < 0.5 else f"{discount}%",
                "price": f"{price:,}",
                "mass": comma(mass),
                "in_stock": ("Yes" if stock else "no") if rng.random() < 0.5 else str(stock).lower(),
                "bm25": str(bm25),
            }
            cells = {n: rng.choice(GAP_WORDS) if rng.random() < 0.12 else cell for n, cell in cells.items()}
            rows.append({"grade": str(min(3, int(worth * rng.uniform(0.4, 0.8)))), "query": f"q{seed}-{q}", **cells})
    return rows


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([list(rows[0]), *(list(row.values()) for row in rows)])


def trained(folder, rules, missing, *options, model="m.json"):
    """A model of these columns and bm25."""
    left = [name for name in COLUMNS if not any(rule.startswith(f"{name}=") for rule in rules)]
    ignored = ["--ignore-column", ",".join(left)] if left else []
    encode = ["--encode", ",".join(rules)] if rules else []
    dorm(
        "train", "train.csv", *ROLES, *ignored, *encode, "--missing", missing, "--model", model, "--quiet", *options,
        cwd=folder,
    )  # fmt: skip
    return model


def ranked(folder, model, data="new.csv"):
    return [float(line) for line in dorm("rank", model, data, cwd=folder).stdout.split()]


def queries_of(rows):
    found = {}
    for row in rows:
        found.setdefault(row["query"], []).append(row)
    return list(found.values())


def is_gap(cell):
    return cell.strip().lower() in ("", "na", "n/a", "null", "nan")


def number(cell):
    return None if is_gap(cell) else float(cell)


def days_of(cell):
    return None if is_gap(cell) else (datetime.date.fromisoformat(cell) - datetime.date(1970, 1, 1)).days


def boolean(cell):
    return None if is_gap(cell) else cell.lower() in ("yes", "true")


def text(cell):
    return None if is_gap(cell) else cell


def by_python(source, rows):
    module = {}
    exec(compile(source, "model.py", "exec"), module)
    lists = [[{**row, "bm25": number(row["bm25"])} for row in query] for query in queries_of(rows)]
    return [score for documents in lists for score in module["score_list"](documents)]


TYPED = {"category": text, "published": text, "discount": text, "price": text, "mass": text, "in_stock": boolean}


def by_sql(source, rows):
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE d (bm25 REAL, {', '.join(COLUMNS)})")
    for row in rows:
        cells = [number(row["bm25"]), *(TYPED[name](row[name]) for name in COLUMNS)]
        base.execute(f"INSERT INTO d VALUES ({', '.join('?' * len(cells))})", cells)
    return [score for (score,) in base.execute(f"SELECT {source} FROM d ORDER BY rowid")]


DRIVER = r"""#include <stdio.h>
#include "m.h"
static const char *const names[] = {%s};
static const char *const cells[][%d] = {%s};
static const size_t sizes[] = {%s};
static int place(const char *name) {
  int k;
  for (k = 0; k < %d; ++k)
    if (!strcmp(names[k], name)) return k;
  return -1;
}
int main(void) {
  float x[64 * m_num_features];
  double scores[64];
  const char *row[64];
  size_t q, i, j, first = 0;
  for (q = 0; q < sizeof sizes / sizeof *sizes; first += sizes[q++]) {
    for (i = 0; i < sizes[q]; ++i) {
      for (j = 0; j < m_num_features; ++j) {
        const char *const cell = place(m_feature(j)) < 0 ? NULL : cells[first + i][place(m_feature(j))];
        x[i * m_num_features + j] = cell && *cell ? strtof(cell, NULL) : NAN;
      }
%s
    }
    m_score_list(x, sizes[q], scores);
    for (i = 0; i < sizes[q]; ++i) printf("%%a\n", scores[i]);
  }
  return 0;
}
"""
ENCODING = """      for (j = 0; j + 1 < m_num_columns + 1; ++j)
        row[j] = cells[first + i][place(m_column(j))];
      if (m_encode(row, x + i * m_num_features)) return 1;"""


def c_text(cell):
    return '"' + "".join(f"\\{byte:03o}" for byte in cell.encode()) + '"'


def by_c(source, rows, folder, compiler=("gcc", "-std=c99")):
    (folder / "m.h").write_text(source)
    names = ["bm25", *COLUMNS]
    # the caller of the header reads plain numbers itself
    rows = [{**row, "bm25": "" if is_gap(row["bm25"]) else row["bm25"]} for row in rows]
    lines = ",\n".join("{" + ", ".join(c_text(row[name]) for name in names) + "}" for row in rows)
    sizes = ", ".join(str(len(query)) for query in queries_of(rows))
    encodes = "m_encode" in source
    program = DRIVER % (
        ", ".join(map(c_text, names)), len(names), lines, sizes, len(names),
        ENCODING if encodes else "      (void)row;",
    )  # fmt: skip
    if not encodes:
        program = program.replace("#include <stdio.h>", "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>")
    (folder / "driver.c").write_text(program)
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-ffp-contract=off"]
    language = ["-x", "c++"] if "++" in compiler[1] else []
    subprocess.run([*compiler, *strict, *language, "driver.c", "-o", "driver", "-lm"], check=True, cwd=folder)
    done = subprocess.run(["./driver"], capture_output=True, text=True, check=True, cwd=folder)
    return [float.fromhex(line) for line in done.stdout.split()]


SPACE = "{http://www.dmg.org/PMML-4_4}"
MISSING = object()


def pmml_value(element, fields):
    """By the rules of PMML: what has a missing argument is missing, but for isMissing, if and mapMissingTo."""
    kind, children = element.tag.removeprefix(SPACE), list(element)
    if kind == "FieldRef":
        return fields[element.get("field")]
    if kind == "Constant":
        return element.text or "" if element.get("dataType") == "string" else float(element.text)
    if kind == "NormDiscrete":
        given = fields[element.get("field")]
        if given is MISSING:
            return float(element.get("mapMissingTo"))
        given = str(given).lower() if isinstance(given, bool) else given
        return float(given == element.get("value"))
    function = element.get("function")
    if function == "if":
        test = pmml_value(children[0], fields)
        return MISSING if test is MISSING else pmml_value(children[1 if test else 2], fields)
    values = [pmml_value(child, fields) for child in children]
    if function == "isMissing":
        return values[0] is MISSING
    if MISSING in values:
        return MISSING
    epoch = datetime.date(1970, 1, 1)
    functions = {
        "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
        "floor": math.floor, "abs": abs, "ln1p": math.log1p, "equal": lambda a, b: a == b,
        "lessThan": lambda a, b: a < b, "isNotIn": lambda a, *b: a not in b,
        "dateDaysSinceYear": lambda day, year: float((day - epoch.replace(year=int(year))).days),
        "formatDatetime": lambda day, pattern: day.strftime(pattern),
    }  # fmt: skip
    return functions[function](*values)


def by_pmml(source, rows):
    root = ET.fromstring(source)
    types = {field.get("name"): field.get("dataType") for field in root.iter(f"{SPACE}DataField")}
    readers = {
        "double": number,
        "string": text,
        "boolean": boolean,
        "date": lambda c: None if is_gap(c) else datetime.date.fromisoformat(c),
    }
    (table,) = root.iter(f"{SPACE}RegressionTable")
    scores = []
    for row in rows:
        fields = {}
        for field in root.iter(f"{SPACE}MiningField"):
            value = readers[types[field.get("name")]](row[field.get("name")])
            replacement = field.get("missingValueReplacement")
            fields[field.get("name")] = value if value is not None else float(replacement) if replacement else MISSING
        for field in root.iter(f"{SPACE}DerivedField"):
            fields[field.get("name")] = pmml_value(field[0], fields)
        terms = [float(term.get("coefficient")) * fields[term.get("name")] for term in table]
        scores.append(math.fsum([float(table.get("intercept")), *terms]))
    return scores


def by_vespa(source, rows):
    """Ranking expressions are nearly those of Python."""
    (expression,) = re.findall(r"_score\(\) \{ expression: (.*) \}\n", source)
    expression = re.sub(r"attribute\((\w+)\)", r'attribute("\1")', expression.replace("if (", "choose("))

    def floor(x):
        return x if math.isnan(x) else math.floor(x)

    scores = []
    for row in rows:
        seconds = days_of(row["published"])
        known = {
            "bm25": number(row["bm25"]),
            "category": text(row["category"]) or "",
            "published": None if seconds is None else seconds * 86400,
            "in_stock": boolean(row["in_stock"]),
        }
        attributes = {name: math.nan if value is None else value for name, value in known.items()}
        names = {
            "attribute": attributes.__getitem__, "isNan": lambda x: float(x != x), "floor": floor,
            "choose": lambda test, then, other: then if test else other,
            "log": lambda x: math.nan if not x > 0 else math.log(x),
        }  # fmt: skip
        scores.append(float(eval(expression, {"__builtins__": {}}, names)))
    return scores
