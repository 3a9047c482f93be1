# SPDX-License-Identifier: Apache-2.0
"""`dorm eval` against the tools whose figures its conventions claim to reproduce.

Random scores, without ties and rounded to one decimal (many ties), on MQ2008 and on generated data. Each
convention is compared with its own tool, unchanged. What the tools do with ties, found out by these tests:
scikit-learn averages over all orders, LightGBM keeps the input order, trec_eval and gdeval sort by document id,
descending.
"""

import gzip
import itertools
import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
DATA = Path(os.environ.get("DORM_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(not os.access(COMMAND, os.X_OK), reason=f"no command at {COMMAND}; set DORM_COMMAND")


def dorm(*args):
    done = subprocess.run([COMMAND, *map(str, args)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Judged:
    """A data file with random scores: per-query labels and scores as arrays, in file order."""

    def __init__(self, path, tied, folder):
        rows = [line.split() for line in open_text(path) if line.strip() and not line.startswith("#")]
        rng = np.random.default_rng(7)
        labels = np.array([float(row[0]) for row in rows])
        qids = [row[1] for row in rows]
        scores = rng.random(len(rows)).round(1) if tied else rng.permutation(len(rows)).astype(float)
        self.path, self.scores_path = path, folder / "scores.txt"
        self.scores_path.write_text("".join(f"{s!r}\n" for s in scores.tolist()))
        starts = [i for i in range(len(qids)) if i == 0 or qids[i] != qids[i - 1]] + [len(qids)]
        assert len(set(qids)) == len(starts) - 1, "queries must be contiguous for these tests"
        self.queries = [(labels[a:b], scores[a:b]) for a, b in itertools.pairwise(starts)]

    def evaluate(self, measures, **options):
        return evaluate(self.path, "--scores", self.scores_path, measures=measures, **options)


def open_text(path):
    return gzip.open(path, "rt") if path.suffix == ".gz" else open(path)


def evaluate(*args, measures, **options):
    flags = [part for key, value in options.items() for part in (f"--{key}", value)]
    report = json.loads(dorm("eval", *args, "--measures", ",".join(measures), *flags, "--json"))
    return {name: result["mean"] for name, result in report["measures"].items()}


@pytest.fixture(params=["mq2008", "generated"])
def data_path(request, tmp_path_factory):
    if request.param == "generated":
        path = tmp_path_factory.mktemp("generated") / "generated.txt"
        dorm("synth", "--queries", 150, "--features", 3, "--seed", 5, "-o", path)
        return path
    path = DATA / "mq2008" / "S5.txt.gz"
    if not path.exists():
        pytest.skip(f"no data at {path}; set DORM_DATA")
    return path


@pytest.fixture(params=[False, True], ids=["strict", "tied"])
def judged(request, data_path, tmp_path):
    return Judged(data_path, request.param, tmp_path)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


# ------------------------------------------------------------------------------------------ scikit-learn


@pytest.mark.parametrize("cutoff", [None, 1, 5, 10])
def test_sklearn_convention_equals_ndcg_score(judged, cutoff):
    metrics = pytest.importorskip("sklearn.metrics")

    def ndcg(labels, scores):
        if len(labels) == 1:  # ndcg_score refuses a single document
            return float(labels[0] > 0)
        return metrics.ndcg_score([labels], [scores], k=cutoff)

    name = "ndcg" if cutoff is None else f"ndcg@{cutoff}"
    got = judged.evaluate([name], convention="sklearn")[name]
    assert got == pytest.approx(mean(ndcg(*query) for query in judged.queries), abs=1e-6)


def test_auc_with_expected_ties_equals_roc_auc_score(judged):
    metrics = pytest.importorskip("sklearn.metrics")
    wanted = [
        metrics.roc_auc_score(labels > 0, scores)
        for labels, scores in judged.queries
        if 0 < (labels > 0).sum() < len(labels)
    ]
    assert judged.evaluate(["auc"], ties="expected")["auc"] == pytest.approx(mean(wanted), abs=1e-6)


def test_kendall_equals_tau_b_of_scipy(judged):
    stats = pytest.importorskip("scipy.stats")
    wanted = []
    for labels, scores in judged.queries:
        if len(set(labels)) > 1:
            order = np.argsort(-scores, kind="stable")  # a ranking is strict, so scipy gets ranks
            wanted.append(stats.kendalltau(-np.arange(len(labels)), labels[order]).statistic)
    assert judged.evaluate(["kendall"])["kendall"] == pytest.approx(mean(wanted), abs=1e-6)


# ------------------------------------------------------------------------------------------ LightGBM


@pytest.mark.parametrize("metric", ["ndcg", "map"])
def test_lightgbm_convention_equals_its_metric(judged, metric):
    lightgbm = pytest.importorskip("lightgbm")
    labels = np.concatenate([labels for labels, _ in judged.queries])
    scores = np.concatenate([scores for _, scores in judged.queries])
    cutoffs = [1, 3, 5, 10]
    # A booster without trees predicts the initial scores.
    train = lightgbm.Dataset(
        np.zeros((len(labels), 1)), label=labels, group=[len(q[0]) for q in judged.queries], init_score=scores
    )
    parameters = {"objective": "lambdarank", "metric": metric, "eval_at": cutoffs, "verbose": -1}
    wanted = {row[1]: row[2] for row in lightgbm.Booster(parameters, train).eval_train()}
    names = [f"{metric}@{k}" for k in cutoffs]
    got = judged.evaluate(names, convention="lightgbm")
    for name in names:
        assert got[name] == pytest.approx(wanted[name], abs=1e-6)


# ------------------------------------------------------------------------------------------ trec_eval, gdeval


class Run:
    """Judgments and a run: some judged documents not retrieved, some retrieved ones not judged, one query
    without judgments, one judged query without a run."""

    def __init__(self, judged, folder):
        rng = np.random.default_rng(3)
        self.qrels, self.run = {}, {}
        for number, (labels, scores) in enumerate(judged.queries, start=1):
            ids = [f"d{i}" for i in rng.permutation(len(labels))]
            self.qrels[str(number)] = {d: int(y) for d, y in zip(ids, labels) if rng.random() < 0.9}
            self.run[str(number)] = {d: float(s) for d, s in zip(ids, scores) if rng.random() < 0.8}
            if not self.qrels[str(number)] or not self.run[str(number)]:
                del self.qrels[str(number)], self.run[str(number)]
        self.qrels_path, self.run_path = folder / "qrels.txt", folder / "run.txt"
        first, second = list(self.qrels)[:2]
        del self.run[first], self.qrels[second]
        self.qrels_path.write_text(
            "".join(f"{q} 0 {d} {y}\n" for q, docs in self.qrels.items() for d, y in docs.items())
        )
        self.run_path.write_text(
            "".join(f"{q} Q0 {d} 1 {s!r} test\n" for q, docs in self.run.items() for d, s in docs.items())
        )
        self.common = [q for q in self.qrels if q in self.run]

    def evaluate(self, measures, **options):
        return evaluate("--run", self.run_path, "--qrels", self.qrels_path, measures=measures, **options)


@pytest.fixture
def run(judged, tmp_path):
    return Run(judged, tmp_path)


def test_trec_convention_equals_trec_eval(run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    names = {
        "ndcg": "ndcg", "ndcg@10": "ndcg_cut_10", "map": "map", "map@10": "map_cut_10", "mrr": "recip_rank",
        "precision@5": "P_5", "precision@100": "P_100", "recall@5": "recall_5", "rprec": "Rprec", "bpref": "bpref",
        "rprec:mult=1.4": "Rprec_mult_1.40", "success@2": "success_2", "setp": "set_P", "setr": "set_recall",
        "setf": "set_F", "infap": "infAP", "relative-precision@5": "relative_P_5",
        "iprec:recall=0": "iprec_at_recall_0.00",
    }  # fmt: skip
    asked = {
        "ndcg", "ndcg_cut.10", "map", "map_cut.10", "recip_rank", "P.5,100", "recall.5", "Rprec", "bpref", "success.2",
        "Rprec_mult.1.4", "set_P", "set_recall", "set_F", "infAP", "relative_P.5", "iprec_at_recall.0.0",
    }  # fmt: skip
    wanted = pytrec_eval.RelevanceEvaluator(run.qrels, asked).evaluate(run.run)
    assert sorted(wanted) == sorted(run.common)
    got = run.evaluate(list(names), convention="trec")
    for ours, theirs in names.items():
        assert got[ours] == pytest.approx(mean(wanted[q][theirs] for q in run.common), abs=1e-6), ours


def test_trec_convention_takes_document_ids_from_the_data(judged):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    ids = [re.search(r"#\s*docid\s*=\s*(\S+)", line)[1] for line in open_text(judged.path)]
    qrels, run, names = {}, {}, iter(ids)
    for number, (labels, scores) in enumerate(judged.queries):
        documents = [next(names) for _ in labels]
        qrels[str(number)] = {d: int(y) for d, y in zip(documents, labels)}
        run[str(number)] = {d: float(s) for d, s in zip(documents, scores)}
    wanted = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "map"}).evaluate(run)
    got = judged.evaluate(["ndcg", "map"], convention="trec")
    for name in got:
        assert got[name] == pytest.approx(mean(query[name] for query in wanted.values()), abs=1e-6), name


def test_trec_convention_equals_ir_measures(run):
    ir_measures = pytest.importorskip("ir_measures")
    names = ["nDCG@10", "AP", "P@5", "RR", "R@10"]
    got = run.evaluate(names, convention="trec")  # their spellings work as they are
    qrels = {q: run.qrels[q] for q in run.common}  # ir_measures counts a query the run lacks as 0, trec_eval does not
    wanted = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in names], qrels, run.run)
    for measure, value in wanted.items():
        assert got[str(measure)] == pytest.approx(value, abs=1e-6), measure


def test_queries_a_run_lacks_count_as_in_ir_measures_outside_trec(run):
    ir_measures = pytest.importorskip("ir_measures")
    wanted = ir_measures.calc_aggregate([ir_measures.AP], run.qrels, run.run)[ir_measures.AP]
    got = run.evaluate(["map"], convention="sklearn", ties="document_id")["map"]
    assert got == pytest.approx(wanted, abs=1e-6)


def test_standard_convention_equals_gdeval(run):
    """gdeval leaves out queries without relevant documents, and prints five decimals: hence 5e-6."""
    ir_measures = pytest.importorskip("ir_measures")
    if not shutil.which("perl"):
        pytest.skip("gdeval, the ERR of ir_measures, needs perl")
    measures = {ir_measures.ERR @ 10: "err@10", ir_measures.nDCG(dcg="exp-log2") @ 10: "ndcg@10"}
    found = {q for q in run.common if max(run.qrels[q].values()) > 0}
    qrels = {q: run.qrels[q] for q in found}
    wanted = ir_measures.calc_aggregate(list(measures), qrels, run.run)
    path = run.qrels_path.with_name("found.txt")
    path.write_text("".join(f"{q} 0 {d} {y}\n" for q in found for d, y in run.qrels[q].items()))
    options = {"convention": "standard", "ties": "document_id"}
    got = evaluate("--run", run.run_path, "--qrels", path, measures=list(measures.values()), **options)
    for theirs, ours in measures.items():
        assert got[ours] == pytest.approx(wanted[theirs], abs=5e-6), ours


def test_err_equals_its_definition(judged):
    def err(labels, scores, cutoff=10):
        total, reach = 0.0, 1.0
        for rank, i in enumerate(np.argsort(-scores, kind="stable")[:cutoff], start=1):
            stop = (2 ** labels[i] - 1) / 2**4
            total += reach * stop / rank
            reach *= 1 - stop
        return total

    wanted = mean(err(*query) for query in judged.queries if max(query[0]) > 0)
    assert judged.evaluate(["err@10"])["err@10"] == pytest.approx(wanted, abs=1e-9)


# ------------------------------------------------------------------------------------------ LETOR, MSLR


@pytest.mark.parametrize("convention", ["letor3", "letor4", "mslr"])
def test_letor_conventions_equal_the_rules_of_their_scripts(judged, convention):
    """The scripts are not redistributable; this follows their rules: discounts 1, 1, 1/log2(rank), and 0 for
    queries shorter than the cutoff or without relevant documents."""

    def dcg(labels):
        return sum((2**y - 1) / (1 if rank < 3 else math.log2(rank)) for rank, y in enumerate(labels, start=1))

    def ndcg(labels, scores, cutoff):
        best = dcg(sorted(labels, reverse=True)[:cutoff])
        if len(labels) < cutoff or best == 0:
            return 0
        return dcg(labels[np.argsort(-scores, kind="stable")][:cutoff]) / best

    names = [f"ndcg@{k}" for k in range(1, 11)]
    got = judged.evaluate(names, convention=convention)
    for cutoff, name in enumerate(names, start=1):
        assert got[name] == pytest.approx(mean(ndcg(*query, cutoff) for query in judged.queries), abs=1e-9), name
