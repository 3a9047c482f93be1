# SPDX-License-Identifier: Apache-2.0
"""The paper's definitions from outside: documents that were not judged, costs, MRR of the best label, ties, epsilon."""

import json
import re

import pytest
from command import dorm


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dorm("synth", "--queries", 40, "--features", 6, "--documents-median", 15, "--seed", 3, "-o", "graded.txt")
    rows = (tmp_path / "graded.txt").read_text().splitlines()
    unjudged = [f"-1 {row.split(' ', 1)[1]}" if n % 3 == 0 else row for n, row in enumerate(rows)]
    (tmp_path / "unjudged.txt").write_text("\n".join(unjudged) + "\n")
    zero = [f"0 {row.split(' ', 1)[1]}" if row.startswith("-1") else row for row in unjudged]
    (tmp_path / "zero.txt").write_text("\n".join(zero) + "\n")
    (tmp_path / "judged.txt").write_text("\n".join(row for row in unjudged if not row.startswith("-1")) + "\n")
    return tmp_path


def weights(path, *options):
    return dorm("train", path, "--bound", "given", "--model", "-", "--quiet", *options).stdout


def without_data(model):
    return {key: value for key, value in json.loads(model).items() if key != "data"}


def figure(path, measure, *options):
    out = dorm("eval", path, "--feature", "1", "--measures", measure, "--json", *options).stdout
    return json.loads(out)["measures"][measure]["mean"]


def test_training_takes_what_was_not_judged_for_bad_and_says_so(here):
    told = dorm("train", "unjudged.txt", "--bound", "given", "--model", "m.json").stderr
    assert "documents have label -1, which counts as label 0" in told
    bad = without_data(weights("zero.txt"))
    assert without_data(weights("unjudged.txt")) == bad
    assert without_data(weights("unjudged.txt", "--unjudged", "bad")) == bad
    assert without_data(weights("unjudged.txt", "--unjudged", "grade")) != bad
    assert without_data(weights("unjudged.txt", "--unjudged", "drop")) == without_data(weights("judged.txt"))
    wrong = dorm("train", "unjudged.txt", "--unjudged", "worst", "--model", "m.json", status=2).stderr
    assert "known: grade, bad, drop, auto" in wrong


def test_eval_keeps_what_was_not_judged_unless_told_otherwise(here):
    assert figure("unjudged.txt", "judged@5") < 1
    assert figure("unjudged.txt", "judged@5", "--unjudged", "bad") == 1
    assert figure("unjudged.txt", "ndcg@10") == figure("zero.txt", "ndcg@10")
    assert figure("unjudged.txt", "ndcg@10", "--unjudged", "drop") == figure("judged.txt", "ndcg@10")


def test_tune_and_convert_know_the_option(here):
    for path in ("unjudged.txt", "zero.txt"):
        dorm("tune", path, "--grid", "C=10,decay=measure", "--folds", 2, "--model", f"{path}.json", "--quiet")
    assert without_data((here / "unjudged.txt.json").read_text()) == without_data((here / "zero.txt.json").read_text())
    dorm("convert", "unjudged.txt", "out.txt", "--unjudged", "drop")
    assert len((here / "out.txt").read_text().splitlines()) == len((here / "judged.txt").read_text().splitlines())


def test_the_reciprocal_rank_of_the_best_label(here):
    assert figure("graded.txt", "mrr:rel=best") < figure("graded.txt", "mrr")
    model = json.loads(dorm("train", "graded.txt", "--measure", "mrr:rel=best", "--model", "-", "--quiet").stdout)
    assert model["measure"] == "mrr:rel=best"


def test_costs_by_position_are_learnt(here):
    (here / "costs.csv").write_text("label,1,2\n0,-4,-4\n1,-3,-3\n2,-2,-2\n3,-1,-1\n4,0,0\n")
    dorm("train", "graded.txt", "--position-gains", "costs.csv", "--model", "m.json", "--quiet")
    out = json.loads(dorm("eval", "graded.txt", "--model", "m.json", "--measures", "ndcg@2", "--json").stdout)
    gained = out["measures"]["position-gain@2"]
    assert 0.6 < gained["mean"] <= 1 and gained["queries"] == 40


def test_the_printed_algorithm_and_what_it_took(here):
    options = ("--bound", "best", "--solver", "nslack", "--epsilon", "0.05", "--model", "m.json")
    out = json.loads(dorm("train", "graded.txt", *options, "--json").stdout)
    assert out["certificate"]["status"] == "converged" and out["certificate"]["dual"] <= out["certificate"]["primal"]
    assert 0 < out["support_vectors"] <= out["planes"] and 0 < out["qp_share"] <= 1
    assert f"{out['support_vectors']} support vectors" in dorm("train", "graded.txt", *options).stdout


def test_the_printed_algorithm_begins_at_zero_unless_z0_needs_weights(here):
    def start(bound, *more):
        options = ("--bound", bound, "--solver", "nslack", "-C", "1", *more)
        model = json.loads(dorm("train", "graded.txt", *options, "--model", "-", "--quiet").stdout)
        return model["start"], model["weights"]

    assert start("given", "--epsilon", "0.01")[0] == start("average", "--epsilon", "0.01")[0] == "zero"
    assert start("best", "--epsilon", "0.01")[0] == start("given")[0] == "ridge"
    unused = ("--initial", "pairwise")
    assert start("given", "--epsilon", "0.01", *unused) == start("given", "--epsilon", "0.01")


def test_every_method_reports_what_it_took(here):
    listed = re.findall(r"^  ([a-z][a-z-]*)\b", dorm("help", "methods").stdout, re.MULTILINE)
    assert {"ridge", "ranksvm-pairs", "crammer-singer", "prank"} < set(listed)
    for entry in listed:
        name = {"dorm": "dorm:ndcg@10", "feature": "feature:1"}.get(entry, entry)
        out = json.loads(dorm("train", "graded.txt", "--method", name, "--model", "m.json", "--json").stdout)
        reported = [out[key] for key in ("certificate", "explained_risk", "passes", "support_vectors", "qp_share")]
        if name in ("feature:1", "prank"):  # no optimum of anything
            assert reported == [None] * 5, name
        elif name == "ridge":  # solved directly
            assert reported[0] is None and 0 < reported[1] < 1 and reported[2:] == [None] * 3
        else:
            assert reported[0]["gap"] <= 1e-3 and 0.01 < reported[1] < 1, name
            assert reported[2] > 0 and reported[3] > 0 and 0 <= reported[4] <= 1, name


def test_ties_of_given_by_a_feature(here):
    assert weights("graded.txt", "--given-ties", "1") != weights("graded.txt")
    wrong = dorm("train", "graded.txt", "--bound", "given", "--given-ties", "x", "--model", "m.json", status=2).stderr
    assert 'ties by feature "x": the data has no such feature; expected one of its 6, 1 to 6' in wrong
