# SPDX-License-Identifier: Apache-2.0
"""Exported PMML, read by Python's XML parser and evaluated by the rules of PMML; tests/engines has a real evaluator.

DORM_COMMAND names the binary; default: build/dorm of this checkout."""

import math
import operator
import random
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest
from command import dorm
from exported_models import KINDS, ODD_NAMES, Case

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
FUNCTIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "ln1p": math.log1p,
             "abs": abs, "lessThan": operator.lt, "if": lambda test, then, other: then if test else other}  # fmt: skip
FORBIDDEN = [name for name in ODD_NAMES if "\x01" in name]


@pytest.fixture
def world(tmp_path_factory):
    return tmp_path_factory.mktemp("empty")


def value(element, fields):
    kind = element.tag.removeprefix(NAMESPACE)
    if kind == "FieldRef":
        return fields[element.get("field")]
    if kind == "Constant":
        assert element.get("dataType") == "double"
        return float(element.text)
    assert kind == "Apply"
    return FUNCTIONS[element.get("function")](*(value(child, fields) for child in element))


def score(root, document):
    """By RegressionTable; `document` by name, with None or nothing for what is missing."""
    every = partial(root.iterfind, namespaces={"": NAMESPACE[1:-1]})
    known = {field.get("name") for field in every(".//DataField")}
    fields = {}
    for field in every(".//MiningField"):
        name = field.get("name")
        assert name in known
        given = document.get(name)
        fields[name] = float(field.get("missingValueReplacement")) if given is None else given
    for field in every(".//DerivedField"):
        assert field.get("name") not in fields
        fields[field.get("name")] = value(field[0], fields)
    (output,) = every(".//OutputField")
    assert output.get("name") not in fields
    (table,) = every(".//RegressionTable")
    return math.fsum(
        [float(table.get("intercept"))] + [float(term.get("coefficient")) * fields[term.get("name")] for term in table]
    )


def exported(*options):
    dorm("export", "m.json", "--to", "pmml", *options, "-o", "m.pmml")
    text = Path("m.pmml").read_bytes()
    assert text.isascii()
    return ET.fromstring(text)


@pytest.mark.parametrize("options", [[], ["--fold"]])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "query" not in kind])
def test_scores_are_those_of_the_definition(here, kind, options):
    names = [name for name in ODD_NAMES if name not in FORBIDDEN] + ["score", "scaled_1", "scaled_1_"]
    case = Case(kind, names, seed=6)
    case.write("m.json")
    root = exported(*options)
    case.require([score(root, dict(zip(names, row))) for row in case.rows()])
    assert next(root.iter(f"{NAMESPACE}Application")).get("name") == "dorm"


def test_missing_values_are_what_training_made_of_them(here):
    case = Case("log-zscore", ["a", "b"], seed=5)
    case.write("m.json")
    assert score(exported(), {}) == score(exported(), {"a": 0.0, "b": 0.0})
    case.write("m.json", input={"missing": "mean", "means": [0.75, -2.5]})
    assert score(exported(), {"b": 1.0}) == score(exported(), {"a": 0.75, "b": 1.0})
    assert {field.get("missingValueTreatment") for field in exported().iter(f"{NAMESPACE}MiningField")} == {"asMean"}


def test_a_model_without_weights_is_a_constant(here):
    case = Case("none", ["a", "b"])
    case.weights = [0.0, 0.0]
    case.write("m.json")
    assert score(exported(), {"a": 3.0}) == 0


def test_characters_that_xml_has_not_are_refused(here):
    for name in [*FORBIDDEN, "a\0", "\ufffe", "\uffff", "\x1b[0m"]:
        Case("none", ["a" * 3, name]).write("m.json")
        assert "no XML has the character" in dorm("export", "m.json", "--to", "pmml", status=1).stderr
    Case("query-minmax", ["a", "b"]).write("m.json")
    assert "depends on the other documents" in dorm("export", "m.json", "--to", "pmml", status=1).stderr


def test_fuzzed_names_come_back(here):
    rng = random.Random(5)
    for seed in range(10):
        alphabet = "\"'<>&;#x41 \t\n\r]]>-!aé\u2028\U0001f600\u0300\x7f\x85"
        names = sorted({"".join(rng.choices(alphabet, k=rng.randint(1, 9))) for _ in range(15)})
        case = Case("zscore", names, seed=seed)
        case.write("m.json")
        root = exported(f"--name={rng.choice(names)}")
        case.require([score(root, dict(zip(names, row))) for row in case.rows()])
