# SPDX-License-Identifier: Apache-2.0
"""`dorm.ir_measures` against the providers that ir_measures brings along, on random runs with ties."""

import random

import pytest

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
pytest.importorskip("pytrec_eval", reason="pytrec_eval, the judge, is not installed")

from ir_measures import (  # noqa: E402
    AP,
    ERR,
    P_IA,
    RBP,
    RR,
    Accuracy,
    Bpref,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    StRecall,
    Success,
    alpha_nDCG,
    infAP,
    nDCG,
)

import dorm  # noqa: E402
import dorm.ir_measures  # noqa: E402

# IPrec at levels where trec_eval 9, which pytrec_eval holds, and 10 count the same documents.
TREC = [
    nDCG, nDCG @ 5, nDCG @ 10, nDCG(gains={1: 2, 2: 5, 3: 11}) @ 10, nDCG(judged_only=True) @ 10, AP, AP(rel=2), AP @ 7,
    AP(judged_only=True), P @ 1, P @ 5, P(rel=2) @ 5, P(judged_only=True) @ 10, R @ 5, R(rel=2) @ 10, RR, RR(rel=3),
    Rprec, Rprec(rel=2), Bpref, Bpref(rel=2), infAP, IPrec @ 0.5, IPrec @ 1.0, Success @ 1, Success(rel=2) @ 5, SetP,
    SetP(rel=2), SetP(relative=True), SetAP, SetAP(rel=2), SetAP(judged_only=True),
    SetR, SetF, SetF(beta=2.0), NumQ, NumRet, NumRet(rel=1), NumRet(rel=2), NumRel,
]  # fmt: skip


def random_task(seed, lowest=0):
    """Judgments and a run with ties, unjudged documents and queries, and queries without a run. gdeval wants numbers
    for queries."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for query in range(rng.randint(2, 12)):
        labels = [rng.choice([lowest, 0, 0, 1, 2, 3]) for _ in range(rng.randint(1, 25))]
        if query % 5 == 4:
            labels = [min(label, 0) for label in labels]  # nothing relevant
        judged = {f"d{i}": label for i, label in enumerate(labels)}
        found = rng.sample(range(40), rng.randint(1, 30))
        scores = {f"d{i}": rng.randint(-4, 4) / 2 if seed % 2 else rng.gauss(0, 1) for i in found}
        if rng.random() < 0.9:
            qrels[str(query)] = judged
        if rng.random() < 0.9:
            run[str(query)] = scores
    return qrels or {"0": {"d0": 1}}, run or {"0": {"d0": 1.0}}


def table(provider, asked, qrels, run):
    rows = list(provider.iter_calc(asked, qrels, run))
    values = {(metric.query_id, str(metric.measure)): metric.value for metric in rows}
    assert len(values) == len(rows)  # no value twice
    return values


@pytest.mark.parametrize("seed", range(40))
def test_values_of_trec_eval(seed):
    qrels, run = random_task(seed, lowest=-1 if seed % 3 == 2 else 0)
    wanted = table(ir_measures.pytrec_eval, TREC, qrels, run)
    got = table(dorm.ir_measures.provider, TREC, qrels, run)
    assert got.keys() == wanted.keys()
    for key, value in wanted.items():
        assert got[key] == pytest.approx(value, abs=1e-12), key
    ours = dorm.ir_measures.provider.calc_aggregate(TREC, qrels, run)
    for measure, value in ir_measures.pytrec_eval.calc_aggregate(TREC, qrels, run).items():
        assert ours[measure] == pytest.approx(value, abs=1e-12), measure


def test_values_of_the_others():
    """Reciprocal rank at a cutoff and shares of judged documents break ties the other way round: scores without."""
    for seed in range(0, 20, 2):
        qrels, run = random_task(seed)
        for other, asked in [
            (ir_measures.msmarco, [RR @ 3, RR(rel=2) @ 10]),
            (ir_measures.judged, [Judged @ 5, Judged @ 50, Judged]),
        ]:
            assert table(dorm.ir_measures.provider, asked, qrels, run) == pytest.approx(
                table(other, asked, qrels, run), abs=1e-12
            )


def test_values_of_gdeval():
    if not ir_measures.gdeval.is_available():
        pytest.skip("gdeval needs perl")
    asked = [nDCG(dcg="exp-log2") @ 5, nDCG(dcg="exp-log2") @ 20, ERR @ 5, ERR @ 20]
    for seed in range(6):
        qrels, run = random_task(seed)
        run = {query: documents for query, documents in run.items() if query in qrels}
        wanted = table(ir_measures.gdeval, asked, qrels, run)
        got = table(dorm.ir_measures.provider, asked, qrels, run)
        assert {key: got[key] for key in wanted} == pytest.approx(wanted, abs=6e-6)  # gdeval writes five digits


@pytest.mark.parametrize("seed", range(8))
def test_values_of_ndeval(seed):
    """Judgments of subtopics; without ties, which ndeval breaks by the order of the run."""
    pytest.importorskip("pyndeval", reason="pyndeval, the judge, is not installed")
    rng = random.Random(seed)
    judged, found = [], []
    for query in range(6):
        documents = [f"d{i}" for i in range(30)]
        for subtopic in range(1, rng.randint(2, 5)):
            for document in rng.sample(documents, rng.randint(1, 12)):
                judged.append(ir_measures.Qrel(str(query), document, rng.choice([0, 1, 1, 2]), str(subtopic)))
        found += [ir_measures.ScoredDoc(str(query), d, rng.random()) for d in rng.sample(documents, 20)]
    for measure in (alpha_nDCG @ 5, alpha_nDCG @ 20, alpha_nDCG(alpha=0.8) @ 10, alpha_nDCG(rel=2) @ 10, P_IA @ 5,
                    P_IA(rel=2) @ 10, StRecall @ 5, StRecall(rel=2) @ 10):  # fmt: skip
        wanted = table(ir_measures.pyndeval, [measure], judged, found)
        got = table(dorm.ir_measures.provider, [measure], judged, found)
        assert got == pytest.approx(wanted, abs=1e-6), measure


def test_rank_biased_precision_by_hand():
    qrels, run = {"q": {"a": 2, "b": 0, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    both, best = RBP(p=0.5, rel=1), RBP(p=0.5, rel=2)
    values = dorm.ir_measures.provider.calc_aggregate([both, best], qrels, run)
    assert values[both] == pytest.approx(0.5 + 0.125) and values[best] == pytest.approx(0.5)


def test_values_of_the_package():
    qrels, run = random_task(7)
    got = dorm.ir_measures.provider.calc_aggregate([nDCG @ 10, AP, P @ 5], qrels, run)
    wanted = dorm.evaluate_run(
        qrels, run, ["ndcg@10", "map", "P@5"], convention="trec", complete=True, bootstrap=0
    ).measures
    assert list(got.values()) == pytest.approx([entry.mean for entry in wanted], abs=1e-15)


def test_forms_of_input():
    pandas = pytest.importorskip("pandas")
    qrels, run = random_task(3)
    wanted = table(dorm.ir_measures.provider, [nDCG @ 10, AP], qrels, run)
    pairs = [(q, d, x) for q, docs in run.items() for d, x in docs.items()]
    judged = [(q, d, x) for q, docs in qrels.items() for d, x in docs.items()]
    frames = (
        pandas.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
        pandas.DataFrame(pairs, columns=["query_id", "doc_id", "score"]),
    )
    tuples = [ir_measures.Qrel(*row) for row in judged], [ir_measures.ScoredDoc(*row) for row in pairs]
    for given in (frames, tuples):
        assert table(dorm.ir_measures.provider, [nDCG @ 10, AP], *given) == wanted


def test_empty_runs_have_the_values_of_trec_eval():
    qrels = {"q1": {"a": 1}, "q2": {"b": 0}}
    for run in ({}, {"q1": {}}, {"other": {"a": 1.0}}):
        asked = [nDCG @ 10, AP, NumRet]
        assert table(dorm.ir_measures.provider, asked, qrels, run) == table(ir_measures.pytrec_eval, asked, qrels, run)


def test_registered_and_honest_about_what_it_lacks():
    assert ir_measures.providers.registry["dorm"] is dorm.ir_measures.provider
    assert dorm.ir_measures.provider.supports(nDCG @ 10) and not dorm.ir_measures.provider.supports(Accuracy)
    with pytest.raises(ValueError, match="unsupported measure Accuracy"):
        dorm.ir_measures.provider.evaluator([Accuracy], {"q": {"d": 1}})
