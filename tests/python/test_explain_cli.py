# SPDX-License-Identifier: Apache-2.0
"""dorm explain: why documents stand where they do."""

import csv
import io
import json
import math
from pathlib import Path

import pytest
from command import dorm


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    at = {"cwd": folder}
    dorm("synth", "--queries", 40, "--features", 6, "--documents-median", 12, "--seed", 3, "-o", "data.txt", **at)
    dorm("train", "data.txt", "--model", "m.json", "--quiet", **at)
    dorm("train", "data.txt", "--scale", "zscore", "--model", "z.json", "--quiet", **at)
    dorm("train", "data.txt", "--kernel", "rbf", "--passes", 3, "--model", "k.json", "--quiet", **at)
    (folder / "gains.csv").write_text("label,1,2\n" + "".join(f"{k},{k},{k}\n" for k in range(5)))
    dorm("train", "data.txt", "--position-gains", "gains.csv", "--model", "p.json", "--quiet", **at)
    return folder


def lines(*arguments):
    text = dorm("explain", *arguments, "--format", "jsonl").stdout
    return [json.loads(line) for line in text.splitlines()]


def refused(*arguments, status=1):
    done = dorm("explain", *arguments, status=status)
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("model", ["m.json", "z.json"])
def test_contributions_sum_to_the_scores_of_rank(here, model):
    ranked = json.loads(dorm("rank", model, "data.txt", "--format", "jsonl").stdout.splitlines()[6])
    explained = lines(model, "data.txt", "--query", ranked["qid"], "--top", 0)
    assert [line["document"] for line in explained] == [each["document"] for each in ranked["ranking"]]
    means = {}
    for line, each in zip(explained, ranked["ranking"], strict=True):
        assert line["score"] == each["score"] and len(line["features"]) == 6
        assert math.fsum(f["contribution"] for f in line["features"]) == pytest.approx(each["score"], abs=1e-9)
        for f in line["features"]:
            assert f["contribution"] == pytest.approx(f["weight"] * f["scaled"], abs=1e-12)
            means.setdefault(f["feature"], []).append(f["contribution"])
    for f in explained[0]["features"]:
        mean = math.fsum(means[f["feature"]]) / len(explained)
        assert f["above_mean"] == pytest.approx(f["contribution"] - mean, abs=1e-6)
    sizes = [abs(f["above_mean"]) for f in explained[0]["features"]]
    assert sizes == sorted(sizes, reverse=True)
    assert [line["rank"] for line in explained] == list(range(1, len(explained) + 1))


def test_the_text_says_rank_score_and_parts(here):
    text = dorm("explain", "m.json", "data.txt", "--query", 7, "--top", 2, "--features", 3).stdout
    assert text.startswith("query 7: ") and text.count("\nrank ") == 2 and ", label " in text
    assert "above mean" in text and text.count("3 others") == 2
    assert dorm("explain", "m.json", "data.txt", "--query", 7, "--query", 8).stdout.count("\nquery 8: ") == 1


def test_csv_has_one_line_per_document_and_feature(here):
    rows = list(csv.DictReader(io.StringIO(dorm("explain", "m.json", "data.txt", "--format", "csv").stdout)))
    assert len({row["qid"] for row in rows}) == 40 and len({row["feature"] for row in rows}) == 6
    sums = {}
    for row in rows:
        key = (row["qid"], row["document"], float(row["score"]))
        sums[key] = sums.get(key, 0) + float(row["contribution"])
    assert all(value == pytest.approx(key[2], abs=1e-9) for key, value in sums.items())


def test_the_difference_of_two_documents_and_what_would_swap_them(here):
    first, second = lines("z.json", "data.txt", "--query", 7, "--top", 2)
    arguments = ["--query", 7, "--document", first["document"], "--against", second["document"]]
    (pair,) = lines("z.json", "data.txt", *arguments)
    assert pair["difference"] == pytest.approx(first["score"] - second["score"])
    assert math.fsum(f["difference"] for f in pair["features"]) == pytest.approx(pair["difference"], abs=1e-9)
    text = dorm("explain", "z.json", "data.txt", *arguments).stdout
    assert f"{second['document']} would pass the other if one feature alone were otherwise" in text
    # Put the value a little beyond into the file, and rank again.
    best = pair["features"][0]
    beyond = best["other_value"] + 1.001 * (best["level_at"] - best["other_value"])
    out = []
    for row in Path("data.txt").read_text().splitlines():
        words = row.split()
        if words[-1] == f"docid={second['document']}":
            at = next(i for i, word in enumerate(words) if word.startswith(best["feature"] + ":"))
            words[at] = f"{best['feature']}:{beyond}"
        out.append(" ".join(words))
    Path("changed.txt").write_text("\n".join(out) + "\n")
    place = {line["document"]: line["rank"] for line in lines("z.json", "changed.txt", "--query", 7, "--top", 0)}
    assert place[second["document"]] < place[first["document"]]


def test_no_swap_is_claimed_where_the_query_scales_the_features(here):
    first, second = lines("m.json", "data.txt", "--query", 7, "--top", 2)
    arguments = ["--query", 7, "--document", first["document"], "--against", second["document"]]
    (pair,) = lines("m.json", "data.txt", *arguments)
    assert all(f["level_at"] is None for f in pair["features"])
    assert "that swap them are not computed" in dorm("explain", "m.json", "data.txt", *arguments).stdout


def test_a_kernel_is_explained_by_leaving_features_at_their_mean(here):
    text = dorm("explain", "k.json", "data.txt", "--query", 7, "--top", 1).stdout
    assert "a kernel has no contributions that sum to the score" in text and "effect" in text
    (line,) = lines("k.json", "data.txt", "--query", 7, "--top", 1)
    assert line["additive"] is False and "contribution" not in line["features"][0]
    message = refused("k.json", "data.txt", "--query", 7, "--document", line["document"], "--against", "x")
    assert "a kernel is no sum over features" in message


def test_data_without_labels_is_explained(here):
    rows = [row.split() for row in Path("data.txt").read_text().splitlines()]
    Path("new.txt").write_text("\n".join(" ".join(row[1:]) for row in rows) + "\n")
    labelled = lines("m.json", "data.txt", "--query", 7)
    fresh = lines("m.json", "new.txt", "--query", 7)
    for one, other in zip(labelled, fresh, strict=True):
        assert one.pop("label") is not None and one == other
    assert "label" not in dorm("explain", "m.json", "new.txt", "--query", 7).stdout


def test_refusals_say_what_to_do(here):
    assert "--query ID is missing; data.txt has 40 queries: 1, 2, 3, 4, 5, ..." in refused(
        "m.json", "data.txt", status=2
    )
    assert 'no query "x"' in refused("m.json", "data.txt", "--query", "x")
    assert 'query 7 has no document "x"' in refused("m.json", "data.txt", "--query", 7, "--document", "x")
    assert "expected one --document" in refused("m.json", "data.txt", "--query", 7, "--against", "x", status=2)
    assert "ranks by assigning documents to positions" in refused("p.json", "data.txt", "--query", 7)
    assert "unknown format" in refused("m.json", "data.txt", "--format", "xml", status=2)


def test_large_scores_have_a_mean_and_what_overflows_is_refused(here):
    model = json.loads(Path("m.json").read_text())
    model["scaling"] = {"kind": "none"}
    Path("n.txt").write_text("1 qid:1 1:1\n0 qid:1 1:1\n")
    for weight in (-1e308, 1e308):
        Path("large.json").write_text(json.dumps({**model, "weights": [weight] + [0] * 5}))
        said = dorm("explain", "large.json", "n.txt", "--query", 1, status=None)
        assert "inf" not in said.stdout and "nan" not in said.stdout, said.stdout
