# SPDX-License-Identifier: Apache-2.0
"""`dorm eval` beside ranx, pytrec_eval and ir_measures on random runs, by their names of measures and from their files.

No ties among scores: ranx keeps the order of the run among them, trec_eval that of document ids."""

import csv
import io
import json
import random

import pytest
from command import dorm

RANX = [
    "hits@10", "hit_rate@5", "precision@5", "recall@10", "f1@10", "r-precision", "mrr@10", "map@10", "map", "ndcg@10",
    "ndcg_burges@10", "rbp.95", "precision@5-l2", "map-l2",
]  # fmt: skip
TREC = [
    "ndcg_cut_10", "P_5", "map_cut_100", "map", "recip_rank", "Rprec", "bpref", "infAP", "set_P", "set_recall", "set_F",
    "set_map", "set_relative_P", "recall_20", "success_5", "relative_P_10", "Rprec_mult_0.40", "binG", "G", "ndcg_rel",
    "Rndcg", "num_rel_ret", "utility",
]  # fmt: skip
IR = [
    "nDCG(dcg='log2')@10", "AP(rel=2)@20", "P(rel=2)@5", "RR@10", "Judged@10", "SetF(beta=2.0)", "Success@3", "R@10",
    "P(judged_only=True)@5", "Bpref(rel=2)", "nDCG(gains={1:2,2:7},dcg='log2')@5",
]  # fmt: skip


def random_task(seed, queries=25):
    rng = random.Random(seed)
    qrels, run = {}, {}
    for q in range(queries):
        documents = [f"d{i:02}" for i in range(40)]
        qrels[f"q{q}"] = {d: rng.choice([0, 0, 0, 1, 2]) for d in rng.sample(documents, 25)} | {"sure": 2}
        found = rng.sample([*documents, "sure"], 30)
        run[f"q{q}"] = {d: s / 7 for d, s in zip(found, rng.sample(range(10000), 30))}
    return qrels, run


def values(folder, qrels, run, measures):
    (folder / "q.json").write_text(json.dumps(qrels))
    (folder / "r.json").write_text(json.dumps(run))
    text = dorm(
        "eval", "--qrels", "q.json", "--run", "r.json", "--measures", ",".join(measures), "--per-query", "-",
        "--bootstrap", "0", cwd=folder,
    ).stdout  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0])[1:] == measures  # the names that were asked for
    return {row["qid"]: {measure: float(row[measure]) for measure in measures} for row in rows}


@pytest.mark.parametrize("seed", range(3))
def test_ranx(tmp_path, seed):
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    qrels, run = random_task(seed)
    theirs = ranx.Run(run)
    ranx.evaluate(ranx.Qrels(qrels), theirs, RANX, return_mean=False)
    ours = values(tmp_path, qrels, run, RANX)
    for measure in RANX:
        for query, value in theirs.scores[measure].items():
            assert ours[query][measure] == pytest.approx(value, abs=1e-9), (measure, query)


@pytest.mark.parametrize("seed", range(10))
def test_pytrec_eval(tmp_path, seed):
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, run = random_task(seed)
    families = {measure.split("_cut_")[0] + "_cut" if "_cut_" in measure else measure for measure in TREC}
    known = {
        "P_5": "P.5",
        "map_cut": "map_cut.100",
        "ndcg_cut": "ndcg_cut.10",
        "recall_20": "recall.20",
        "success_5": "success.5",
        "relative_P_10": "relative_P.10",
        "Rprec_mult_0.40": "Rprec_mult.0.4",
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {known.get(f, f) for f in families}).evaluate(run)
    ours = values(tmp_path, qrels, run, TREC)
    compared = 0
    for query, row in theirs.items():
        for measure in set(TREC) & set(row):
            assert ours[query][measure] == pytest.approx(row[measure], abs=1e-9), (measure, query)
            compared += 1
    assert compared >= 20 * len(theirs)


def write_trec(folder, qrels, run, scattered):
    """The files of the task, the lines of each query together or all of them shuffled."""
    rng = random.Random(1)
    judged = [f"{q} 0 {d} {label}" for q, labels in qrels.items() for d, label in labels.items()]
    listed = [f"{q} Q0 {d} 1 {score} t" for q, scores in run.items() for d, score in scores.items()]
    if scattered:
        rng.shuffle(judged)
        rng.shuffle(listed)
    (folder / "q.qrels").write_text("\n".join(judged) + "\n")
    (folder / "r.run").write_text("\n".join(listed) + "\n")


@pytest.mark.parametrize("scattered", [False, True])
def test_a_thousand_random_lists_with_ties(tmp_path, scattered):
    """Lists of any length with few different scores: trec_eval orders equal ones by document id, from the last."""
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    rng = random.Random(43)
    qrels, run = {}, {}
    for q in range(1000):
        documents = [f"d{i}" for i in range(rng.randint(1, 60))]
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        qrels[f"q{q}"] = {d: rng.choice([0, 0, 1, 2, 3]) for d in judged} | {"elsewhere": 1}
        found = rng.sample(documents, rng.randint(1, len(documents)))
        run[f"q{q}"] = {d: rng.randint(0, 6) / 4 for d in found}
    write_trec(tmp_path, qrels, run, scattered)
    measures = ["ndcg_cut_10", "map", "recip_rank", "Rprec", "bpref", "P_5", "recall_20", "ndcg", "set_F", "infAP"]
    asked = {"ndcg_cut.10", "map", "recip_rank", "Rprec", "bpref", "P.5", "recall.20", "ndcg", "set_F", "infAP"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    text = dorm(
        "eval", "--qrels", "q.qrels", "--run", "r.run", "--measures", ",".join(measures), "--per-query", "-",
        "--bootstrap", "0", cwd=tmp_path,
    ).stdout  # fmt: skip
    ours = {row["qid"]: row for row in csv.DictReader(io.StringIO(text))}
    assert len(ours) == len(theirs) == 1000
    for query, row in theirs.items():
        for measure in measures:
            assert float(ours[query][measure]) == pytest.approx(row[measure], abs=1e-9), (query, measure)


@pytest.mark.parametrize("seed", range(3))
def test_ir_measures(tmp_path, seed):
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    pytest.importorskip("pytrec_eval", reason="pytrec_eval, which ir_measures asks, is not installed")
    qrels, run = random_task(seed)
    ours = values(tmp_path, qrels, run, IR)
    by_name = {ir_measures.parse_measure(name): name for name in IR}
    for row in ir_measures.iter_calc(list(by_name), qrels, run):
        assert ours[row.query_id][by_name[row.measure]] == pytest.approx(row.value, abs=1e-9), row
