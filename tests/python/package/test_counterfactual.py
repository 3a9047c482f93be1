# SPDX-License-Identifier: Apache-2.0
"""Propensities, rankers judged by clicks, and interleaving, as functions of Python."""

import itertools
import math

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module")
def data():
    return dorm.synth(queries=60, features=4, documents_median=12, seed=1)


@pytest.fixture(scope="module")
def expected_log(data):
    return dorm.clicks.simulate(data, rankers=3, expected=True, noise=0.0, seed=2)


def relevance(data):
    labels = data.y.astype(np.float64)
    return (2**labels - 1) / (2 ** labels.max() - 1)


@pytest.mark.parametrize("method", ["allpairs", "pivot", "adjacent"])
def test_expected_counts_give_the_true_propensities(expected_log, method):
    found = dorm.clicks.propensity(expected_log, method=method)
    truth = {row[1]: row[2] for row in expected_log.propensities}
    assert len(found) == 10
    for row in found.rows:
        assert row.propensity == pytest.approx(truth[row.position], rel=1e-12)


def test_a_saved_estimate_is_read_again(expected_log, tmp_path):
    found = dorm.clicks.propensity(expected_log)
    found.save(tmp_path / "p.csv")
    gains = dorm.clicks.gains(expected_log, propensities=tmp_path / "p.csv")
    np.testing.assert_allclose(gains.gain, dorm.clicks.gains(expected_log, propensities=found).gain, rtol=1e-12)


def test_swaps_by_hand():
    # Positions 1 and 2 changed places in half of the sessions: rates .45 and .225.
    log = {
        "qid": ["q"] * 4,
        "docid": ["a", "b", "b", "a"],
        "position": [1, 2, 1, 2],
        "impressions": [10.0] * 4,
        "clicks": [8.0, 0.5, 1.0, 4.0],
        "trial": ["1-2"] * 4,
    }
    assert dorm.clicks.propensity(log, method="swaps", swaps="trial")[2] == pytest.approx(0.5, rel=1e-12)


def test_unconnected_positions_are_named():
    log = {"qid": ["q", "q"], "docid": ["a", "b"], "position": [1, 2], "click": [1, 1]}
    with pytest.raises(ValueError, match="position 2 is not connected with position 1"):
        dorm.clicks.propensity(log)


def shown_relevance(data, log):
    """Relevance of each row, 0 where the log never shows it."""
    shown = {(str(q), str(d)) for q, d in zip(log.qid, log.docid)}
    return np.array([r if (str(q), d) in shown else 0 for q, d, r in zip(data.qid, names_of(data), relevance(data))])


def names_of(data):
    return data.document_ids or [str(row + 1) for row in range(len(data.qid))]


def test_expected_counts_give_the_true_value(data, expected_log):
    scores = {"one": data.X[:, 0], "two": data.X[:, 1]}
    result = dorm.clicks.evaluate(
        expected_log, data, scores, propensities=expected_log.propensities, measures=["dcg@5", "precision@3"]
    )
    worth = shown_relevance(data, expected_log)
    np.testing.assert_allclose(result.gains, worth, atol=1e-12)
    for name, values in scores.items():
        totals = []
        for q in dict.fromkeys(data.qid.tolist()):
            own = np.flatnonzero(data.qid == q)
            order = own[np.argsort(-values[own], kind="stable")]
            totals.append(sum(worth[i] / math.log2(k + 2) for k, i in enumerate(order[:5])))
        assert result[name]["dcg@5:gain=linear"].mean == pytest.approx(np.mean(totals), rel=1e-10)
    assert result.reference == "one"
    difference = result["two"]["precision@3:gain=linear"].mean - result["one"]["precision@3:gain=linear"].mean
    assert result.differences["two"]["precision@3:gain=linear"].mean_difference == pytest.approx(difference)


def test_rows_in_any_order(data, expected_log):
    order = np.random.default_rng(0).permutation(len(data.qid))
    mixed = dorm.RankingData(
        np.asarray(data.X)[order], None, data.qid[order], document_ids=[names_of(data)[i] for i in order]
    )
    known = {"propensities": expected_log.propensities}
    straight = dorm.clicks.evaluate(expected_log, data, data.X[:, 0], **known)
    shuffled = dorm.clicks.evaluate(expected_log, mixed, mixed.X[:, 0], **known)
    np.testing.assert_allclose(shuffled.gains, straight.gains[order], atol=1e-15)
    name = "dcg@10:gain=linear"
    assert shuffled["ranker"][name].mean == pytest.approx(straight["ranker"][name].mean, rel=1e-6)


@pytest.mark.parametrize("measure", ["ndcg@10", "mrr", "map", "dcg@10:gain=exp2"])
def test_measures_that_are_no_sums_are_refused(data, expected_log, measure):
    with pytest.raises(NotImplementedError, match="is no sum of position weight times relevance"):
        dorm.clicks.evaluate(expected_log, data, data.y, propensities=[1] * 10, measures=measure)


def test_mistakes_are_named(data, expected_log):
    judge = lambda **options: dorm.clicks.evaluate(expected_log, data, data.y, **{"propensities": [1] * 10, **options})
    with pytest.raises(ValueError, match="no propensities"):
        judge(propensities=None)
    with pytest.raises(ValueError, match=r"unknown estimator \"ipz\"; did you mean"):
        judge(estimator="ipz")
    with pytest.raises(ValueError, match='expected "query" or "page"'):
        judge(each="session")
    with pytest.raises(ValueError, match="expected one for each of"):
        dorm.clicks.evaluate(expected_log, data, [1.0], propensities=[1] * 10)


def interleaved(a, b, length, credit):
    """Lists and the linear program of optimised interleaving, written anew; the greatest mean sensitivity."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    lists = [()]
    for _ in range(length):
        grown = []
        for made in lists:
            following = {next((d for d in ranking if d not in made), None) for ranking in (a, b)} - {None}
            grown += [(*made, d) for d in following] or [made]
        lists = grown
    lists = sorted(set(lists))
    rank = lambda ranking, d: ranking.index(d) + 1 if d in ranking else len(ranking) + 1
    worth = {
        "inverse": lambda d: 1 / rank(a, d) - 1 / rank(b, d),
        "linear": lambda d: rank(b, d) - rank(a, d),
    }[credit]

    def sensitivity(made):
        looks = [1 / (k + 1) for k in range(len(made))]
        shares = [sum(w for w, d in zip(looks, made) if sign * worth(d) > 0) / sum(looks) for sign in (1, -1)]
        return -sum(s * math.log(s) for s in shares if s > 0)

    longest = max(map(len, lists))
    balance = [[sum(worth(d) for d in made[: k + 1]) for made in lists] for k in range(longest)]
    found = linprog(
        [-sensitivity(made) for made in lists],
        A_eq=[*balance, [1] * len(lists)],
        b_eq=[0] * longest + [1],
        bounds=(0, 1),
    )
    assert found.status == 0
    return -found.fun, balance, lists, sensitivity


@pytest.mark.parametrize("credit", ["inverse", "linear"])
def test_optimised_interleaving_solves_the_program(credit):
    rng = np.random.default_rng(3)
    pairs = [(list("abcd"), list(other)) for other in itertools.permutations("abcd")][::5]
    pairs += [
        (list(rng.permutation(list("abcdefgh"))[:5]), list(rng.permutation(list("abcdefgh"))[:5])) for _ in range(6)
    ]
    for a, b in pairs:
        best, balance, lists, sensitivity = interleaved(a, b, len(a), credit)
        try:
            made = dorm.clicks.interleave(a, b, method="optimised", credit=credit, length=len(a), all_lists=True)
        except NotImplementedError as error:
            pytest.skip(str(error))
        share = {tuple(one.documents): one.probability for one in made}
        assert set(share) <= set(lists)
        assert sum(share.values()) == pytest.approx(1)
        for row in balance:
            assert sum(share.get(one, 0) * value for one, value in zip(lists, row)) == pytest.approx(0, abs=1e-6)
        assert sum(p * sensitivity(one) for one, p in share.items()) == pytest.approx(best, abs=1e-6)


def test_team_draft_favours_nobody():
    lists = dorm.clicks.interleave("abcde", "cafgb", length=5, all_lists=True)
    for k in range(5):
        assert sum(one.probability * one.credit[k] for one in lists) == pytest.approx(0, abs=1e-12)
    one = dorm.clicks.interleave("abcde", "cafgb", length=5, random_state=1)
    assert any(one == made for made in lists)


def test_analysis_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    credits = rng.integers(-1, 2, 500) + (rng.random(500) < 0.1)
    result = dorm.clicks.analyse_interleaving(credits)
    wins, losses = int((credits > 0).sum()), int((credits < 0).sum())
    assert (result.test.wins, result.test.losses) == (wins, losses)
    assert result.test.p_sign == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-9)
    assert dorm.clicks.sessions_needed(0.55) == 783
    assert math.isinf(dorm.clicks.sessions_needed(0.5))
    with pytest.raises(ValueError, match="no sessions"):
        dorm.clicks.analyse_interleaving([])
