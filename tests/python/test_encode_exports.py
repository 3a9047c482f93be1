# SPDX-License-Identifier: Apache-2.0
"""The table "Exports" of docs/columns.md: every cell is exported and run on cells of text, or refused by name."""

import re
import shutil
from pathlib import Path

import pytest
from command import dorm
from encoded_exports import (
    GAPS,
    RULES,
    VALUES,
    by_c,
    by_pmml,
    by_python,
    by_sql,
    by_vespa,
    ranked,
    rows_of,
    trained,
    write_rows,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "columns.md"
RUNNERS = {"python": by_python, "sql": by_sql, "pmml": by_pmml, "vespa": by_vespa, "c": by_c}
FOLDERS = ("mlflow", "modelcard")


def table_of_exports():
    """{target: {rule: cell}}."""
    lines = PAGE.read_text().split("### Exports\n")[1].split("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    head = [cell.strip("`") for cell in rows[0][1:]]
    return {name.strip("`"): dict(zip(head, row)) for names, *row in rows[2:] for name in names.split(", ")}


TABLE = table_of_exports()


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    here = tmp_path_factory.mktemp("shop")
    write_rows(here / "train.csv", rows_of(40, 1))
    write_rows(here / "new.csv", rows_of(12, 2, [*VALUES, "never seen"]))
    return here


def test_the_table_has_every_target_and_every_rule():
    listed = dorm("export", "--help").stdout.split("\nTargets:\n")[1].split("\n\n")[0]
    targets = set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))
    assert set(TABLE) == targets and len(targets) >= 15
    for cells in TABLE.values():
        assert set(cells) == {*RULES, "indicator", "query-min", "trees and curves"}
        assert {cell.split(",")[0] for cell in cells.values()} <= {"applies", "refuses"}


def run_on_cells(target, source, rows, folder):
    return by_c(source, rows, folder) if target == "c" else RUNNERS[target](source, rows)


def scaling_of(target):
    return ["--scale", "zscore"] if target in ("svmlight", "ranklib") else ["--for", target]


def exported(folder, target, model="m.json", status=0, *options):
    out = f"out.{target}"
    shutil.rmtree(folder / out, ignore_errors=True)
    return dorm("export", model, "--to", target, "--name", "m", "-o", out, *options, status=status, cwd=folder)


def rows_to_score():
    return rows_of(12, 2, [*VALUES, "never seen"])


def require_cell(folder, target, rule, column, cell):
    """That the export of m.json does what the cell says."""
    if target == "lightgbm":
        assert cell == "refuses"  # it has trees alone
        return
    if cell == "refuses":
        message = exported(folder, target, "m.json", 1).stderr
        assert f"which {target} cannot; expected" in message and column in message and "dorm serve" in message
        able = [name for name, cells in TABLE.items() if cells[rule].startswith("applies")]
        assert message.split("expected ")[1].startswith(", ".join(sorted(able, key=list_order().index)))
        return
    exported(folder, target, "m.json", 0, "--check", "new.csv")
    if target in RUNNERS:
        scores = run_on_cells(target, (folder / f"out.{target}").read_text(), rows_to_score(), folder)
        assert scores == pytest.approx(ranked(folder, "m.json"), rel=1e-11, abs=1e-11)


def list_order():
    listed = dorm("export", "--help").stdout.split("\nTargets:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)


@pytest.mark.parametrize("rule", RULES)
def test_exports_apply_a_rule_to_cells_or_refuse_it_by_name(shop, rule):
    for scale in ("zscore", "none"):
        if scale == "none" and rule not in ("onehot", "age"):
            continue
        trained(shop, [RULES[rule]], "mean", "--scale", scale)
        for target, cells in TABLE.items():
            if target in FOLDERS and scale == "none":
                continue
            require_cell(shop, target, rule, RULES[rule].split("=")[0], cells[rule])


@pytest.mark.parametrize("rule", ["indicator", "query-min"])
def test_exports_apply_a_rule_for_gaps_or_refuse_it_by_name(shop, rule):
    trained(shop, [], GAPS[rule], "--scale", "zscore")
    for target, cells in TABLE.items():
        require_cell(shop, target, rule, "bm25", cells[rule])


@pytest.mark.parametrize("missing", ["mean", "zero"])
def test_gaps_of_numbers_are_filled_by_column(shop, missing):
    trained(shop, [RULES["onehot"], RULES["age"]], GAPS[missing], "--scale", "zscore")
    for target in ("python", "c", "pmml", "vespa"):
        exported(shop, target)
        scores = run_on_cells(target, (shop / f"out.{target}").read_text(), rows_to_score(), shop)
        assert scores == pytest.approx(ranked(shop, "m.json"), rel=1e-11, abs=1e-11)


def test_programs_apply_everything_at_once_and_within_queries(shop):
    rules = [rule for name, rule in RULES.items() if name not in ("age", "weekday", "month")]
    rules += ["published=age+weekday+month"]
    for scaling in ("query-minmax", "log-query-zscore", "log-zscore"):
        trained(shop, rules, "mean,bm25=query-min,mass=indicator", "--scale", scaling)
        for target in ("python", "c"):
            exported(shop, target)
            scores = run_on_cells(target, (shop / f"out.{target}").read_text(), rows_to_score(), shop)
            assert scores == pytest.approx(ranked(shop, "m.json"), rel=1e-11, abs=1e-11)


def test_headers_of_c_are_strict_c11_and_cpp(shop):
    trained(shop, [RULES["onehot"], "published=age+month", RULES["thousands"]], "mean")
    exported(shop, "c")
    source, expected = (shop / "out.c").read_text(), ranked(shop, "m.json")
    for compiler in (("clang", "-std=c11"), ("g++", "-std=c++17")):
        if shutil.which(compiler[0]):
            assert by_c(source, rows_to_score(), shop, compiler) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("target", [target for target, cells in TABLE.items() if target not in FOLDERS])
def test_curves_of_encoded_columns_are_applied_or_refused_by_name(shop, target):
    trained(shop, [RULES["onehot"]], "mean", "--scale", "zscore", "--curves", "steps:4", model="m.json")
    if TABLE[target]["trees and curves"] == "refuses":
        message = exported(shop, target, "m.json", 1).stderr
        assert "encodes the column 'category'" in message
        return
    exported(shop, target)
    if target in RUNNERS:
        scores = run_on_cells(target, (shop / f"out.{target}").read_text(), rows_to_score(), shop)
        assert scores == pytest.approx(ranked(shop, "m.json"), rel=1e-6, abs=1e-6)


def test_what_engines_make_themselves_has_a_name_there(shop):
    trained(shop, [RULES["age"]], "mean,bm25=query-min", "--scale", "zscore")
    (shop / "names.csv").write_text("feature,name\npublished,age_in_days\nbm25,filled_bm25\n")
    for target in ("elasticsearch", "solr", "lucene", "sql", "pmml", "vespa"):
        exported(shop, target, "m.json", 0, "--names", "names.csv")


def test_values_that_a_target_cannot_quote_are_refused_by_name(shop):
    values = {"vespa": 'say "x"', "sql": "a\\b", "c": "a" * 5000}
    for target, value in values.items():
        write_rows(shop / "odd.csv", rows_of(40, 3, [*VALUES, value]))
        ignored = ["--ignore-column", "published,discount,price,mass,in_stock"]
        read = [
            "--label-column",
            "grade",
            "--query-column",
            "query",
            "--encode",
            "category=onehot",
            "--missing",
            "mean",
        ]
        dorm("train", "odd.csv", *read, *ignored, "--scale", "zscore", "--model", "odd.json", "--quiet", cwd=shop)
        assert f"{target} cannot say" in exported(shop, target, "odd.json", 1).stderr


def test_cells_that_c_cannot_read_are_named_by_their_column(shop):
    trained(shop, [RULES["age"], RULES["percent"]], "mean")
    exported(shop, "c")
    source = (shop / "out.c").read_text()
    rows = rows_to_score()[:1]
    for column, cell in (("published", "soon"), ("published", "2024-13-01"), ("discount", "20 % off")):
        with pytest.raises(Exception, match="returned non-zero"):
            by_c(source, [{**rows[0], column: cell}], shop)
