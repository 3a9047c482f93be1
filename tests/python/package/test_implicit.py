# SPDX-License-Identifier: Apache-2.0
"""Recommenders from events in Python: against numpy, against the command, and in the manner of `implicit`."""

import os
import pickle
import subprocess

import numpy as np
import pytest
from scipy import sparse

import dorm
from dorm.recommend import DormRecommender

COMMAND = os.environ.get("DORM_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")
FIXED = {"factors": 6, "regularization": 2.0, "alpha": 4.0, "iterations": 6, "ease_regularization": 20.0}


@pytest.fixture(scope="module")
def plays():
    """Even users take even items and odd users odd ones, some of them often."""
    rng = np.random.default_rng(3)
    same = np.add.outer(np.arange(60), np.arange(40)) % 2 == 0
    there = rng.random((60, 40)) < np.where(same, 0.5, 0.04)
    return sparse.csr_matrix(there * rng.integers(1, 5, (60, 40)))


@pytest.fixture(scope="module")
def model(plays):
    return DormRecommender(**FIXED, ease_share=0.4, n_jobs=1).fit(plays)


def spreads(model, plays):
    """The shares over the spreads of the two learners, from all users."""
    scores = [model.user_factors @ model.item_factors.T, (plays > 0) @ ease_matrix(plays)]
    return [share / np.sqrt(((s - s.mean(1, keepdims=True)) ** 2).mean()) for share, s in zip((0.6, 0.4), scores)]


def ease_matrix(plays, ridge=20.0):
    had = (plays > 0).toarray().astype(float)
    inverse = np.linalg.inv(had.T @ had + ridge * np.eye(had.shape[1]))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0)
    return weights


def row_of_als(model, weights, ridge=2.0, alpha=4.0):
    """The normal equations over all items, zeros included."""
    items = model.item_factors
    confidence = 1 + alpha * weights
    left = items.T @ (confidence[:, None] * items) + ridge * np.eye(items.shape[1])
    return np.linalg.solve(left, items.T @ (confidence * (weights > 0)))


def scores_in_numpy(model, plays, rows):
    als, ease = spreads(model, plays)
    users = np.array([row_of_als(model, row) for row in rows.toarray().astype(float)])
    return als * users @ model.item_factors.T + ease * ((rows > 0) @ ease_matrix(plays))


def test_scores_are_those_of_numpy(model, plays):
    expected = scores_in_numpy(model, plays, plays)
    users, items = np.divmod(np.arange(60 * 40), 40)
    np.testing.assert_allclose(model.predict(users, items).reshape(60, 40), expected, atol=1e-5)


def test_lists_are_the_best_items_that_the_user_has_not_had(model, plays):
    scores = scores_in_numpy(model, plays, plays)
    scores[plays.toarray() > 0] = -np.inf
    ids, values = model.recommend(np.arange(60), plays, N=5)
    assert ids.shape == values.shape == (60, 5)
    np.testing.assert_array_equal(ids, np.argsort(-scores, axis=1)[:, :5])
    one, _ = model.recommend(7, plays[7], N=5)
    np.testing.assert_array_equal(one, ids[7])
    np.testing.assert_array_equal(model.recommend([3, 7])[0][1][:5], ids[7])


def test_candidates_exclusions_and_short_lists(model, plays):
    ids, scores = model.recommend([0, 1], N=4, items=[3, 8], filter_already_liked_items=False)
    assert all(set(row) == {3, 8, -1} for row in ids[:, :3].tolist())
    assert np.isneginf(scores[ids < 0]).all() and ids.shape == (2, 4)
    assert set(model.recommend(0, N=40, items=[3, 8], filter_already_liked_items=False)[0]) == {3, 8}
    best = model.recommend(0, N=2)[0]
    assert not set(best) & set(model.recommend(0, N=10, filter_items=best)[0])
    given = sparse.csr_matrix((1, 40), dtype=float).tolil()
    given[0, best[0]] = 1
    assert model.recommend(0, given.tocsr(), N=40)[0].shape == (39,)
    assert best[0] not in model.recommend(0, given.tocsr(), N=40)[0]


def test_new_users_are_folded_in(model, plays):
    new = sparse.csr_matrix((np.array([2.0, 1, 1]), ([0, 0, 0], [1, 3, 5])), shape=(1, 40))
    scores = scores_in_numpy(model, plays, new)[0]
    scores[[1, 3, 5]] = -np.inf
    ids, values = model.recommend(0, new, N=6, recalculate_user=True)
    np.testing.assert_array_equal(ids, np.argsort(-scores)[:6])
    np.testing.assert_allclose(values, np.sort(scores)[::-1][:6], atol=1e-5)
    grown = pickle.loads(pickle.dumps(model)).partial_fit_users([60], new)
    np.testing.assert_array_equal(grown.recommend(60, N=6)[0], ids)
    assert grown.user_factors.shape == (61, 6) and len(model.user_ids_) == 60


def test_similar_items_and_users_by_cosine(model):
    for ask, rows in ((model.similar_items, model.item_factors), (model.similar_users, model.user_factors)):
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        ids, cosines = ask(4, N=6)
        assert ids[0] == 4 and cosines[0] == 1
        np.testing.assert_array_equal(ids, np.argsort(-(unit @ unit[4]), kind="stable")[:6])
        np.testing.assert_allclose(cosines, np.sort(unit @ unit[4])[::-1][:6], atol=1e-12)
        assert ask([4, 5], N=3)[0].shape == (2, 3)
    assert set(model.similar_items(4, N=9, items=[1, 2, 6])[0]) == {1, 2, 6}


def test_reasons_sum_to_the_score(model, plays):
    score, parts, rest = model.explain(8, None, 12, N=100)
    had = plays[8].indices.tolist()
    assert sorted(item for item, _ in parts) == sorted(had)
    assert score == pytest.approx(model.predict(8, 12)[0])
    assert rest == pytest.approx(0, abs=1e-9)
    assert score == pytest.approx(sum(part for _, part in parts))
    again = model.explain(8, plays[8], 12, N=3)
    assert again.contributions == parts[:3]


def test_files_and_pickles_keep_the_model(model, plays, tmp_path):
    model.save(tmp_path / "m")
    loaded = DormRecommender.load(tmp_path / "m")
    assert type(dorm.load_model(tmp_path / "m")) is DormRecommender
    assert dorm.info(tmp_path / "m")["factors"] == 6
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.recommend(np.arange(60))[0], model.recommend(np.arange(60))[0])
    assert loaded.get_params()["alpha"] == 4


@needs_command
def test_the_command_trains_the_same_model(model, plays, tmp_path):
    rows = plays.tocoo()
    order = np.lexsort((rows.col, rows.row))
    text = "".join(f"{u},{i},{w}\n" for u, i, w in zip(rows.row[order], rows.col[order], rows.data[order]))
    (tmp_path / "plays.csv").write_text("user,item,plays\n" + text)
    options = [
        "--factors",
        "6",
        "--ridge",
        "2",
        "--alpha",
        "4",
        "--iterations",
        "6",
        "--ease-ridge",
        "20",
        "--ease-share",
        "0.4",
        "--threads",
        "1",
    ]
    words = [COMMAND, "recommend", "train", tmp_path / "plays.csv", "--implicit", "--model", tmp_path / "m", *options]
    subprocess.run([*map(str, words)], check=True, capture_output=True)
    from_file = DormRecommender(**FIXED, ease_share=0.4).fit(tmp_path / "plays.csv")
    assert pickle.dumps(from_file.model_) == pickle.dumps(DormRecommender.load(tmp_path / "m").model_)


def test_options_that_are_not_given_are_chosen(plays):
    told = []
    found = DormRecommender(16, n_jobs=2).fit(plays, callbacks=lambda state: told.append(state["stage"]))
    assert found.options_["factors"] == 16
    assert max(trial["value"] for trial in found.trials_) == found.report_["validation"]
    assert "als" in told


def test_ctrl_c_before_the_first_solution_leaves_no_model(plays):
    def interrupt(state):
        raise KeyboardInterrupt

    for model in (DormRecommender(), DormRecommender(**FIXED, ease_share=0.4)):
        with pytest.raises(KeyboardInterrupt, match="before there was a model"):
            model.fit(plays, callbacks=interrupt)
        assert not hasattr(model, "model_")


def test_evaluation_is_over_the_whole_catalogue(plays):
    rng = np.random.default_rng(1)
    entries = plays.tocoo()
    test = rng.random(entries.nnz) < 0.3
    parts = [sparse.csr_matrix((entries.data[p], (entries.row[p], entries.col[p])), plays.shape) for p in (~test, test)]
    model = DormRecommender(**FIXED, ease_share=0.4).fit(parts[0])
    got = model.evaluate(parts[1], ["recall@10", "ndcg@10"])
    recall, gain = [], []
    for u in range(60):
        wanted = set(parts[1][u].indices)
        hits = np.isin(model.recommend(u, N=10)[0], list(wanted))
        if wanted:
            recall.append(hits.sum() / len(wanted))
            ideal = (1 / np.log2(2 + np.arange(min(10, len(wanted))))).sum()
            gain.append((hits / np.log2(2 + np.arange(10))).sum() / ideal)
    assert got["recall@10"].mean == pytest.approx(np.mean(recall))
    assert got["ndcg@10"].mean == pytest.approx(np.mean(gain))
    assert model.score(parts[1]) == pytest.approx(np.mean(gain))


@pytest.mark.parametrize("kind", ["arrays", "pandas", "polars", "pyarrow"])
def test_events_come_in_tables_with_ids_of_any_kind(kind):
    users = ["ann", "bob", "ann", "cat", "bob", "cat", "ann"]
    items = ["x, y", "x, y", "z", "z", "w", "w", "v"]
    weights = [1, 2, 1, 3, 1, 1, 2]
    table = {"user_id": users, "item": items, "plays": weights}
    if kind == "arrays":
        events = (users, items, weights)
    else:
        module = pytest.importorskip(kind)
        events = module.table(table) if kind == "pyarrow" else module.DataFrame(table)
    model = DormRecommender(**{**FIXED, "factors": 2}, ease_share=0.5).fit(events)
    assert model.user_ids_.tolist() == ["ann", "bob", "cat"]
    ids, _ = model.recommend(["bob", "ann"], N=3)
    assert set(ids[0].tolist()) == {"z", "v", None}
    assert ids[1].tolist() == ["w", None, None]
    assert model.explain("bob", None, "z").contributions[0][0] in ("x, y", "w")


def test_parquet_in_batches(model, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    model.to_parquet(tmp_path / "top.parquet", N=3, batch_size=7)
    table = parquet.read_table(tmp_path / "top.parquet")
    assert table.column_names == ["user", "rank", "item", "score"]
    ids, scores = model.recommend(np.arange(60), N=3)
    np.testing.assert_array_equal(table["item"].to_numpy().reshape(60, 3), ids)
    np.testing.assert_array_equal(table["score"].to_numpy().reshape(60, 3), scores)
    np.testing.assert_array_equal(table["user"].to_numpy(), np.repeat(np.arange(60), 3))
    assert os.listdir(tmp_path) == ["top.parquet"]
    with pytest.raises(ValueError, match="user 99 is none"):
        model.to_parquet(tmp_path / "bad.parquet", users=[1, 99])
    assert os.listdir(tmp_path) == ["top.parquet"]


def test_vectors_search_as_the_model_does(model, plays, tmp_path):
    alone = DormRecommender(**FIXED, ease_share=0.0).fit(plays)
    users, items = alone.vectors()
    np.testing.assert_array_equal(items, alone.item_factors.astype(np.float32))
    assert alone.check_vectors() == {"users": 60, "changed_users": 0, "top": 10, "shared": 1.0}
    assert model.check_vectors(als_alone=True)["shared"] < 1
    with pytest.raises(NotImplementedError, match="EASE, which has no vectors"):
        model.vectors()
    alone.export_vectors(tmp_path / "v.npz", "npz")
    with np.load(tmp_path / "v.npz") as arrays:
        np.testing.assert_array_equal(arrays["user_vectors"], users)
    parquet = pytest.importorskip("pyarrow.parquet")
    alone.export_vectors(tmp_path / "v.parquet")
    table = parquet.read_table(tmp_path / "v.parquet").to_pydict()
    assert table["kind"] == ["user"] * 60 + ["item"] * 40
    assert table["id"][60:] == [str(k) for k in range(40)]
    np.testing.assert_array_equal(np.array(table["vector"], np.float32), np.vstack([users, items]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, x: m.fit(x.toarray()), "of a dense matrix pass scipy.sparse"),
        (lambda m, x: m.fit(-x), "in row 0, column .*; expected weights of events, 0 or more"),
        (lambda m, x: m.fit(x[:1]), "nothing to learn: events of 1 users"),
        (lambda m, x: m.fit(x[:, :1]), "nothing to learn: events of .* users and 1 items"),
        (lambda m, x: m.fit(([1, 2], [1], [1, 1])), "2 users and 1 items"),
        (lambda m, x: m.fit(([1, 2], [1, 2], [1, -1])), "weight 1 of user_items is -1; expected 0 or more"),
        (lambda m, x: m.set_params(alpha="much").fit(x), "alpha is 'much'; expected a number"),
        (lambda m, x: m.set_params(factors=2.5).fit(x), "factors is 2.5; expected a whole number"),
    ],
)
def test_bad_events_are_named(plays, call, message):
    with pytest.raises(ValueError, match=message):
        call(DormRecommender(**FIXED), plays)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, x: m.recommend(99), "user 99 is none of the 60 users of the model; recalculate_user=True"),
        (lambda m, x: m.recommend(1, items=[77]), "item 77 is none of the 40 items"),
        (lambda m, x: m.recommend(1, items=[7], filter_items=[8]), "both given"),
        (lambda m, x: m.recommend(1, N=0), "N is 0"),
        (lambda m, x: m.recommend([1, 2], x[1]), r"shape \(1, 40\); expected \(2, 40\)"),
        (lambda m, x: m.recommend(1, recalculate_user=True), "needs user_items"),
        (lambda m, x: m.recommend(1, x[1].toarray(), recalculate_user=True), "expected a scipy.sparse matrix"),
    ],
)
def test_bad_questions_are_named(model, plays, call, message):
    with pytest.raises(ValueError, match=message):
        call(model, plays)
