# SPDX-License-Identifier: Apache-2.0
"""Tests of differences of `dorm eval` against scipy, statsmodels' formulas and enumeration; formats; judgments."""

import csv
import io
import itertools
import json
import math
import random
import shutil
import subprocess

import pytest
from command import dorm

stats = pytest.importorskip("scipy.stats", reason="scipy, the judge, is not installed")


def write_task(folder, systems=4, queries=60, seed=1):
    """Judgments and runs whose quality rises with their number."""
    rng = random.Random(seed)
    with open(folder / "all.qrels", "w") as qrels:
        judged = {}
        for q in range(queries):
            for d in range(20):
                judged[q, d] = rng.choice([0, 0, 0, 1, 2])
                qrels.write(f"q{q} 0 d{d} {judged[q, d]}\n")
    names = []
    for s in range(systems):
        names.append(f"s{s}.run")
        with open(folder / names[-1], "w") as run:
            for q in range(queries):
                for d in range(20):
                    score = judged[q, d] * 0.25 * s + rng.gauss(0, 1)
                    run.write(f"q{q} Q0 d{d} 0 {score:.6f} s{s}\n")
    return names


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    folder = tmp_path_factory.mktemp("differences")
    return folder, write_task(folder)


def evaluated(task, *options, measures="ndcg@10"):
    folder, names = task
    done = dorm("eval", "--qrels", "all.qrels", *names, "--measures", measures, "--json", *options, cwd=folder)
    return json.loads(done.stdout)["rankers"]


def per_query(task, measure="ndcg@10"):
    folder, names = task
    text = dorm(
        "eval",
        "--qrels",
        "all.qrels",
        *names,
        "--measures",
        measure,
        "--per-query",
        "-",
        "--bootstrap",
        "0",
        cwd=folder,
    ).stdout
    values = {}
    for row in csv.DictReader(io.StringIO(text)):
        values.setdefault(row["ranker"], []).append(float(row[measure]))
    return values


def differences(task):
    values = per_query(task)
    return {name: [a - b for a, b in zip(values[name], values["s0"])] for name in values if name != "s0"}


def p_values(task, *options):
    return {row["name"]: row["measures"]["ndcg@10"]["against"] for row in evaluated(task, *options)[1:]}


def test_values_of_scipy(task):
    t, wilcoxon = p_values(task, "--test", "t"), p_values(task, "--test", "wilcoxon")
    sign = p_values(task, "--test", "sign")
    for name, d in differences(task).items():
        assert t[name]["p"] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)
        nonzero = [x for x in d if x != 0]
        assert len(nonzero) > 50  # so that scipy and this one approximate
        wanted = stats.wilcoxon(nonzero, method="approx", correction=False)
        assert wilcoxon[name]["p"] == pytest.approx(wanted.pvalue, rel=1e-9)
        wins = sum(x > 0 for x in d)
        assert sign[name]["p"] == pytest.approx(stats.binomtest(wins, len(nonzero)).pvalue, rel=1e-9)
        mean, deviation = sum(d) / len(d), stats.tstd(d)
        assert t[name]["effect"] == pytest.approx(mean / deviation, rel=1e-9)
        ranks = stats.rankdata([abs(x) for x in nonzero])
        share = sum(math.copysign(r, x) for r, x in zip(ranks, nonzero)) / sum(ranks)
        assert t[name]["rank_effect"] == pytest.approx(share, rel=1e-9)


def test_few_queries_are_tested_exactly(tmp_path):
    """Signed ranks of at most 50 queries; those of equal size by enumeration of all signs."""
    task = tmp_path, write_task(tmp_path, systems=3, queries=11, seed=5)
    for name, d in differences(task).items():
        d = [x for x in d if x != 0]
        ranks = stats.rankdata([abs(x) for x in d])
        seen = sum(r for r, x in zip(ranks, d) if x > 0)
        sums = [sum(r for r, up in zip(ranks, signs) if up) for signs in itertools.product((0, 1), repeat=len(d))]
        tail = min(sum(s <= seen for s in sums), sum(s >= seen for s in sums)) / len(sums)
        assert p_values(task, "--test", "wilcoxon")[name]["p"] == pytest.approx(min(1, 2 * tail), rel=1e-12)


def test_corrections(task):
    raw = p_values(task, "--test", "t", "--correction", "none")
    assert all(entry["p"] == entry["p_corrected"] for entry in raw.values())
    bh = p_values(task, "--test", "t", "--correction", "bh")
    wanted = stats.false_discovery_control([entry["p"] for entry in raw.values()], method="bh")
    assert [entry["p_corrected"] for entry in bh.values()] == pytest.approx(list(wanted), rel=1e-12)
    both = evaluated(task, "--test", "t", "--over-measures", measures="ndcg@10,map")
    p = [row["measures"][m]["against"]["p"] for m in ("ndcg@10", "map") for row in both[1:]]
    corrected = [row["measures"][m]["against"]["p_corrected"] for m in ("ndcg@10", "map") for row in both[1:]]
    order, largest = sorted(range(len(p)), key=p.__getitem__), 0.0
    for step, i in enumerate(order):
        largest = max(largest, min(1, (len(p) - step) * p[i]))
        assert corrected[i] == pytest.approx(largest, rel=1e-12)


def test_corrections_of_statsmodels(task):
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is not installed")
    raw = [entry["p"] for entry in p_values(task, "--test", "t", "--correction", "none").values()]
    for ours, theirs in (("holm", "holm"), ("bh", "fdr_bh")):
        found = p_values(task, "--test", "t", "--correction", ours)
        wanted = multitest.multipletests(raw, method=theirs)[1]
        assert [entry["p_corrected"] for entry in found.values()] == pytest.approx(list(wanted), rel=1e-12)


def test_sameness_is_two_one_sided_tests(task):
    told = p_values(task, "--same-within", "0.02")
    for name, d in differences(task).items():
        lower = stats.ttest_1samp(d, -0.02, alternative="greater").pvalue
        upper = stats.ttest_1samp(d, 0.02, alternative="less").pvalue
        assert told[name]["p_not_same"] == pytest.approx(max(lower, upper), rel=1e-9)


def test_so_many_queries_have_the_power(task):
    """By the noncentral t distribution: the number has a power of about 80 %, three fewer have less."""

    def power(effect, n):
        limit, shift = stats.t.ppf(0.975, n - 1), effect * math.sqrt(n)
        return stats.nct.sf(limit, n - 1, shift) + stats.nct.cdf(-limit, n - 1, shift)

    for entry in p_values(task).values():
        n = entry["queries_needed"]
        assert power(entry["effect"], n + 1) >= 0.8 > power(entry["effect"], n - 3)


def test_tukey_agrees_with_its_theory(task):
    """With normal noise and many queries the randomised test is near the one of the studentised range."""
    values = per_query(task)
    names = list(values)
    told = p_values(task, "--test", "tukey")
    k, n = len(names), len(values["s0"])
    means = {name: sum(v) / n for name, v in values.items()}
    rows = [sum(values[name][q] for name in names) / k for q in range(n)]
    grand = sum(means.values()) / k
    error = sum((values[name][q] - means[name] - rows[q] + grand) ** 2 for name in names for q in range(n))
    deviation = math.sqrt(error / ((k - 1) * (n - 1)) / n)
    for name, entry in told.items():
        wanted = stats.studentized_range.sf(abs(means[name] - means["s0"]) / deviation, k, (k - 1) * (n - 1))
        assert entry["p"] == entry["p_corrected"] == pytest.approx(wanted, abs=0.05)


def test_of_two_tukey_is_the_permutation_test(tmp_path):
    task = tmp_path, write_task(tmp_path, systems=2, queries=40, seed=2)
    assert p_values(task, "--test", "tukey")["s1"]["p"] == pytest.approx(p_values(task)["s1"]["p"], abs=0.02)


def test_unknown_names_get_the_nearest(task):
    folder, names = task
    for option, name, nearest in (("--test", "wilcoxen", "wilcoxon"), ("--correction", "hom", "holm")):
        message = dorm("eval", "--qrels", "all.qrels", *names, option, name, cwd=folder, status=2).stderr
        assert f'did you mean "{nearest}"?' in message


def test_papers_get_their_table(task):
    folder, names = task
    text = dorm(
        "eval", "--qrels", "all.qrels", *names, "--measures", "nDCG@10,P_5", "--format", "latex", cwd=folder
    ).stdout
    assert "\\toprule" in text and "P\\_5" in text and "nDCG@10" in text
    assert "p $<$ 0.05" in text  # a bare < is another character in the fonts of LaTeX
    alike = dorm("eval", "--qrels", "all.qrels", *names, "--measures", "success@20", "--format", "latex", cwd=folder)
    assert "textbf" not in alike.stdout
    last = next(line for line in text.splitlines() if line.startswith("d & s3"))
    assert last.count("\\textbf{") == 2 and "\\textsuperscript{ab" in last
    page = dorm("eval", "--qrels", "all.qrels", *names, "--measures", "nDCG@10", "--format", "html", cwd=folder).stdout
    assert page.startswith("<table>") and "<sup>ab" in page
    alone = json.loads(
        dorm("eval", "--qrels", "all.qrels", names[0], "--measures", "nDCG@10", "--format", "json", cwd=folder).stdout
    )
    assert list(alone["rankers"][0]["measures"]) == ["nDCG@10"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_the_table_compiles(task):
    folder, names = task
    table = dorm(
        "eval", "--qrels", "all.qrels", *names, "--measures", "nDCG@10,P_5,AP(rel=2)", "--format", "latex", cwd=folder
    ).stdout
    page = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{table}\n\\end{{document}}\n"
    (folder / "table.tex").write_text(page)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"], cwd=folder, capture_output=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert b"Overfull" not in done.stdout
    assert (folder / "table.pdf").stat().st_size > 1000


def test_pairs_effects_and_sameness_are_shown(task):
    folder, names = task
    text = dorm(
        "eval", "--qrels", "all.qrels", *names, "--measures", "map", "--pairs", "--effects", "--same-within", "0.01",
        cwd=folder,
    ).stdout  # fmt: skip
    assert "row minus column: permutation test, Holm's correction for 6 tests per measure" in text
    assert "queries needed" in text and "same within 0.01" in text and "a s0" in text


def test_folders_queries_and_lines_of_trec_eval(task, tmp_path):
    folder, names = task
    (tmp_path / "runs").mkdir()
    for name in names[:2]:
        (tmp_path / "runs" / name).write_text((folder / name).read_text())
    qrels = folder / "all.qrels"
    text = dorm("eval", "--qrels", qrels, "runs", "--measures", "P_5", "--format", "trec", cwd=tmp_path).stdout
    assert [line.split("\t")[0].strip() for line in text.splitlines()] == ["runid", "P_5", "runid", "P_5"]
    some = dorm("eval", "--qrels", qrels, "runs", "--queries", "q3,q5", "--json", cwd=tmp_path).stdout
    assert json.loads(some)["queries"] == 2
    (tmp_path / "ids.txt").write_text("q1\nq2\nq9\n")
    listed = dorm("eval", "--qrels", qrels, "runs", "--queries", "ids.txt", "--json", cwd=tmp_path)
    assert json.loads(listed.stdout)["queries"] == 3 and not listed.stderr
    refused = dorm("eval", "--qrels", qrels, "runs", "--queries", "zz", cwd=tmp_path, status=None)
    assert refused.returncode == 2 and "none of 1 queries is judged" in refused.stderr


def test_groups_of_queries(task, tmp_path):
    folder, names = task
    values = per_query(task)
    queries = [line.split()[0] for line in (folder / "all.qrels").read_text().splitlines()]
    queries = list(dict.fromkeys(queries))
    kinds = ["hats", "shoes", ""]
    rows = [f"{kinds[i % 3]},{q}" for i, q in enumerate(queries[:-1])]  # the last has no row
    (folder / "kinds.csv").write_text("kind,qid\n" + "\n".join(rows) + "\n")
    options = ("--measures", "ndcg@10", "--by", "kinds.csv:kind")
    told = json.loads(dorm("eval", "--qrels", "all.qrels", *names, *options, "--json", cwd=folder).stdout)
    assert told["by"] == "kind" and [group["name"] for group in told["groups"]] == ["hats", "shoes", "none"]
    for g, group in enumerate(told["groups"]):
        own = [i for i in range(len(queries)) if (2 if i == len(queries) - 1 else i % 3) == g]
        assert group["queries"] == len(own)
        for ranker in group["rankers"]:
            found = [values[ranker["name"]][i] for i in own]
            figure = ranker["measures"]["ndcg@10"]
            assert figure["mean"] == pytest.approx(sum(found) / len(found), abs=1e-12)
            assert figure["low"] <= figure["mean"] <= figure["high"]
        d = [values["s1"][i] - values["s0"][i] for i in own]
        t = json.loads(
            dorm("eval", "--qrels", "all.qrels", *names, *options, "--json", "--test", "t", cwd=folder).stdout
        )["groups"][g]["rankers"][1]["measures"]["ndcg@10"]["against"]
        assert t["p"] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-9)
    page = tmp_path / "p.md"
    dorm("eval", "--qrels", "all.qrels", *names, *options, "--report", page, cwd=folder)
    assert "By kind" in page.read_text() and "ndcg@10 by cutoff" in page.read_text()
    assert [ranker["name"] for ranker in told["rankers"]] == ["s0", "s1", "s2", "s3"]  # the main table, too
    for by, complaint in (
        ("kinds.csv:sort", "kinds.csv:1: no column 'sort'; the header has kind, qid"),
        ("kinds.csv", "--by is 'kinds.csv'; expected FILE:COLUMN"),
    ):
        done = dorm("eval", "--qrels", "all.qrels", *names, "--by", by, cwd=folder, status=None)
        assert done.returncode != 0 and complaint in done.stderr, done.stderr


def test_what_to_judge_next_of_judged_queries(task, tmp_path):
    folder, names = task
    judgments = [line.split() for line in (folder / "all.qrels").read_text().splitlines()]
    for name, rows in (("some", judgments[::3]), ("rest", [row for i, row in enumerate(judgments) if i % 3])):
        (tmp_path / f"{name}.qrels").write_text("".join(" ".join(row) + "\n" for row in rows))
    runs = ("--qrels", "some.qrels", folder / names[0], folder / names[3], "--measures", "p@10")
    shown = dorm("eval", *runs, "--to-judge", "judge.csv", cwd=tmp_path).stdout
    listed = list(csv.DictReader((tmp_path / "judge.csv").open()))
    assert f"undecided: judge these {len(listed)} documents next, in judge.csv" in shown
    known = {(row[0], row[2]) for row in judgments[::3]}
    assert len(listed) >= 100 and not known & {(row["qid"], row["docid"]) for row in listed}
    told = json.loads(dorm("eval", *runs, "--new-qrels", "rest.qrels", "--json", cwd=tmp_path).stdout)
    whole = dorm("eval", "--qrels", folder / "all.qrels", *runs[2:], "--json", cwd=tmp_path).stdout
    means = [ranker["measures"]["p@10"]["mean"] for ranker in json.loads(whole)["rankers"]]
    assert [ranker["measures"]["p@10"]["mean"] for ranker in told["rankers"]] == pytest.approx(means)
    plan = told["plan"]
    assert plan["verdict"] == "second" and plan["judged"] < plan["open"]
    assert plan["low"] - 1e-9 < means[0] - means[1] < plan["high"] < 0
    assert plan["least"] == pytest.approx(means[0] - means[1]) == plan["most"]
    three = dorm("eval", *runs, folder / names[1], "--to-judge", "judge.csv", cwd=tmp_path, status=None)
    assert "--to-judge decides between two runs; found 3" in three.stderr


def test_coverage_and_agreement(task, tmp_path):
    folder, names = task
    judgments = [line.split() for line in (folder / "all.qrels").read_text().splitlines()]
    kept = [row for i, row in enumerate(judgments) if i % 3]
    (tmp_path / "some.qrels").write_text("".join(" ".join(row) + "\n" for row in kept))
    rng = random.Random(3)
    other = [[*row[:3], row[3] if rng.random() < 0.8 else "1"] for row in kept]
    (tmp_path / "llm.qrels").write_text("".join(" ".join(row) + "\n" for row in other))
    runs = [folder / name for name in names]
    told = json.loads(
        dorm(
            "eval", "--qrels", "some.qrels", *runs, "--measures", "P@10,bpref", "--coverage", "--other-qrels",
            "llm.qrels", "--json", cwd=tmp_path,
        ).stdout
    )  # fmt: skip
    judged = {(row[0], row[2]) for row in kept}
    lines = [line.split() for line in (folder / names[1]).read_text().splitlines()]
    shares = []
    for q in {row[0] for row in kept}:
        found = sorted((line for line in lines if line[0] == q), key=lambda line: float(line[4]), reverse=True)[:10]
        shares.append(sum((q, line[2]) in judged for line in found) / 10)
    assert told["coverage"]["s1"]["judged"]["10"] == pytest.approx(sum(shares) / len(shares))
    figures = told["coverage"]["s1"]["measures"]["P@10"]
    assert figures["bad"] < figures["passed_over"] < figures["good"]
    agreement = told["agreement"]
    pairs = [(float(a[3]), float(b[3])) for a, b in zip(kept, other)]
    assert agreement["both"] == len(kept) and agreement["only_first"] == agreement["only_second"] == 0
    assert agreement["equal"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn, the judge of kappa, is not installed")
    first, second = zip(*pairs)
    assert agreement["weighted_kappa"] == pytest.approx(metrics.cohen_kappa_score(first, second, weights="quadratic"))
    both = [[x > 0 for x in side] for side in (first, second)]
    assert agreement["kappa"] == pytest.approx(metrics.cohen_kappa_score(*both))
    assert -1 <= agreement["kendall"]["P@10"] <= 1
    shown = dorm(
        "eval", "--qrels", "some.qrels", *runs, "--coverage", "--other-qrels", "llm.qrels", cwd=tmp_path
    ).stdout
    assert "unjudged: bad" in shown and "Krippendorff's alpha" in shown
