# SPDX-License-Identifier: Apache-2.0
"""Runs and judgments in the forms of other libraries, and comparisons of runs."""

import itertools

import numpy as np
import pytest

import dorm
from dorm.data import plan_judging

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}, "q3": {"d": 1, "e": 0}}
MINE = {"q1": {"a": 0.9, "b": 0.1}, "q2": {"c": 1.0}, "q3": {"e": 0.4, "d": 0.3}}
OLD = {"q1": {"b": 0.9, "a": 0.1}, "q2": {"x": 1.0}, "q3": {"e": 0.4, "d": 0.3}}
# By hand: the gains of labels 2 and 1 in first place are ideal; a label of 1 in second place has 1 / log2(3).
NDCG = np.array([1, 1, 1 / np.log2(3)])


def records(nested):
    return [(query, document, value) for query, found in nested.items() for document, value in found.items()]


def table_of(nested, *names):
    return {name: list(column) for name, column in zip(names, zip(*records(nested)))}


def of(qrels, run):
    return dorm.evaluate_run(qrels, run, "nDCG@10")["ndcg@10"].per_query


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables(library):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    make = module.table if library == "pyarrow" else module.DataFrame
    qrels = make(table_of(QRELS, "query_id", "doc_id", "relevance"))
    assert of(qrels, make(table_of(MINE, "qid", "docno", "score"))) == pytest.approx(NDCG)
    with pytest.raises(ValueError, match=r"run has no column of score \(or sim\); it has qid, docno, x"):
        of(qrels, make(table_of(MINE, "qid", "docno", "x")))


def test_parquet_and_json(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    import json

    import pyarrow

    parquet.write_table(pyarrow.table(table_of(QRELS, "query", "document", "label")), tmp_path / "q.parquet")
    (tmp_path / "run.json").write_text(json.dumps(MINE))
    assert of(tmp_path / "q.parquet", str(tmp_path / "run.json")) == pytest.approx(NDCG)


def test_records_and_data_sets():
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")

    class Dataset:
        def qrels_iter(self):
            return (ir_measures.Qrel(*row) for row in records(QRELS))

    run = [ir_measures.ScoredDoc(*row) for row in records(MINE)]
    assert of(Dataset(), run) == pytest.approx(NDCG)
    assert of(list(Dataset().qrels_iter()), iter(run)) == pytest.approx(NDCG)


def test_what_is_none_of_these():
    for wrong, message in ((3, "qrels is a int"), ([], "qrels is empty")):
        with pytest.raises(ValueError, match=message):
            of(wrong, MINE)


def test_comparisons_of_runs():
    table = dorm.compare_runs(QRELS, {"mine": MINE, "old": OLD}, ["nDCG@10", "RR"], test="t", same_within=0.5)
    differences = NDCG - [1 / np.log2(3), 0, 1 / np.log2(3)]
    stats = pytest.importorskip("scipy.stats", reason="scipy, the judge, is not installed")
    assert table.p["old"]["nDCG@10"] == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    assert table.tests["old"]["nDCG@10"].effect == pytest.approx(-differences.mean() / differences.std(ddof=1))
    upper = stats.ttest_1samp(-differences, -0.5, alternative="greater").pvalue
    assert table.p_not_same["old"]["nDCG@10"] == pytest.approx(upper)
    assert table.pairs["RR"].shape == (2, 2) and np.isnan(table.pairs["RR"][0, 0])
    assert "\\textbf{0.8770}" in table.to_latex() and "\\caption{Mine}" in table.to_latex("Mine")
    assert table._repr_html_().startswith("<table>")
    assert "paired t test" in str(table)
    for wrong in ({"test": "wilcoxen"}, {"correction": "hom"}):
        with pytest.raises(ValueError, match="did you mean"):
            dorm.compare_runs(QRELS, {"mine": MINE, "old": OLD}, "RR", **wrong)
    with pytest.raises(ValueError, match="no runs"):
        dorm.compare_runs(QRELS, {})


def test_what_to_judge_until_it_is_decided(tmp_path):
    """Two of five documents are in one list only; what is asked is answered until there is a verdict."""
    rng = np.random.default_rng(2)
    runs, labels = {"new": {}, "old": {}}, {}
    for q in (f"q{i}" for i in range(80)):
        for name, own in (("new", "ab"), ("old", "cd")):
            runs[name][q] = {d: 5.0 - i for i, d in enumerate(["x", *own, "y"])}
        labels[q] = {d: int(rng.random() < p) for d, p in zip("abcdxy", (0.8, 0.8, 0.2, 0.2, 0.5, 0.5))}
    given = {}
    while (plan := plan_judging(None, runs, "p@4", new_qrels=given, batch=20)).verdict == "undecided":
        assert 20 <= len(plan.next) < 24 and {d for _, d in plan.next} <= set("abcd")  # x and y are in both
        for query, document in plan.next:
            given.setdefault(query, {})[document] = labels[query][document]
    assert plan.verdict == "new" and not plan.certain and plan.low > 0 and plan.next == []
    answered = sum(map(len, given.values()))  # the verdict came with the last batch, perhaps before its end
    assert answered - 24 < plan.judged <= answered < plan.open == 80 * 6
    plan = plan_judging(labels, runs, "p@4")
    assert plan.certain and plan.least == pytest.approx(plan.most) and plan.open_queries == 0
    first = plan_judging(None, runs, "p@4", batch=5)
    first.to_csv(tmp_path / "judge.csv")
    assert (tmp_path / "judge.csv").read_text().splitlines()[:2] == ["qid,docid,label", ",".join((*first.next[0], ""))]
    with pytest.raises(ValueError, match="3 runs; expected two"):
        plan_judging(None, {**runs, "third": {}}, "p@4")
    with pytest.raises(ValueError, match="nothing bounds"):
        plan_judging(None, runs, "bpref")


@pytest.mark.parametrize(
    "measure", ["ndcg@3", "ndcg", "dcg@4", "p@3", "p@2:rel=2", "rbp:p=0.7", "hits@3", "mrr", "mrr@2", "success@2"]
)
@pytest.mark.parametrize("convention", ["trec", "standard"])
def test_what_unjudged_documents_can_change(measure, convention):
    """For certain is what all labelings of the open documents have in common: here each of them is evaluated."""
    rng = np.random.default_rng(3)
    for _ in range(15):
        documents = "abcdef"[: rng.integers(3, 7)]
        best = int(rng.integers(1, 4))
        orders = [list(rng.permutation(list(documents)))[: rng.integers(1, len(documents) + 1)] for _ in range(2)]
        seen = sorted({d for order in orders for d in order})
        open_ones = [d for d in seen if rng.random() < 0.5]
        judged = {d: int(rng.integers(0, best + 1)) for d in documents if d not in open_ones} or {"elsewhere": 0}
        every = itertools.product(range(best + 1), repeat=len(open_ones))
        labels = {f"q{i}": {**judged, **dict(zip(open_ones, given))} for i, given in enumerate(every)}
        values = []
        for order in orders:
            run = {q: {d: -float(place) for place, d in enumerate(order)} for q in labels}
            result = dorm.evaluate_run(labels, run, measure, convention=convention, complete=True, bootstrap=0)
            values.append(np.nan_to_num(result.measures[0].per_query))
        differences = values[0] - values[1]
        runs = {n: {"q": {d: -float(place) for place, d in enumerate(o)}} for n, o in zip(("one", "two"), orders)}
        plan = plan_judging({"q": judged}, runs, measure, convention=convention, best_label=best)
        assert plan.least == pytest.approx(differences.min(), abs=1e-12)
        assert plan.most == pytest.approx(differences.max(), abs=1e-12)
