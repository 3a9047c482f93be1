"""DormFactorization: the command's model from any input, what it answers, and what it refuses."""

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import dorm

COMMAND = os.environ.get("DORM_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")
USERS, ITEMS = 60, 40


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def tasteful(seed=1, users=USERS, per_user=15):
    """User, item, rating 1 to 5 by two hidden factors; no pair twice."""
    rng = np.random.default_rng(seed)
    taste, kind = rng.normal(size=(users, 2)), rng.normal(size=(ITEMS, 2))
    user = np.repeat(np.arange(users), per_user)
    item = np.concatenate([rng.permutation(ITEMS)[:per_user] for _ in range(users)])
    stars = np.clip(np.rint(3 + (taste[user] * kind[item]).sum(1)), 1, 5)
    return user, item, stars


@pytest.fixture(scope="module")
def triples():
    return tasteful()


@pytest.fixture(scope="module")
def matrix(triples):
    user, item, stars = triples
    return sparse.csr_matrix((stars, (user, item)), shape=(USERS, ITEMS))


def small(**parameters):
    return dorm.recommend.DormFactorization(
        **{"rank": 3, "fixed": True, "regularization": 2.0, "start_regularization": 2.0, "n_jobs": 1} | parameters
    )


@pytest.fixture(scope="module")
def fitted(matrix):
    return small().fit(matrix)


def same(a, b):
    arrays = ("user_factors_", "item_factors_", "item_offsets_")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays)


@needs_command
@pytest.mark.parametrize(
    "parameters, options",
    [
        ({}, []),
        ({"fixed": True}, ["--fixed"]),
        (
            {"item_damping": 3.0, "item_prior": 0.5, "rounds": 1},
            ["--item-damping", 3, "--item-prior", 0.5, "--rounds", 1],
        ),
        ({"rank": 4, "measure": "ndcg@5", "random_state": 7}, ["--rank", 4, "--measure", "ndcg@5", "--seed", 7]),
        ({"bound": "best", "regularization": 3.5}, ["--bound", "best", "--lambda", 3.5]),
        ({"implicit": 1.0, "neighbours": 3}, ["--implicit-feedback", 1, "--neighbours", 3]),
        ({"rounds": 0, "start_regularization": 4.0}, ["--rounds", 0, "--start-lambda", 4]),
        (
            {"centred": False, "decay": "measure+tail", "margin": 5.0},
            ["--uncentred", "--decay", "measure+tail", "--margin", 5],
        ),
    ],
)
def test_the_commands_model_bit_for_bit(triples, tmp_path, parameters, options):
    path = tmp_path / "ratings.tsv"
    path.write_text("".join(f"{u}\t{i}\t{int(r)}\n" for u, i, r in zip(*triples)))
    run("recommend", "train", path, "--model", tmp_path / "command", "--quiet", *options)
    ours = dorm.recommend.DormFactorization(**parameters).fit(triples)
    assert same(ours, dorm.recommend.DormFactorization.load(tmp_path / "command"))
    ours.save(tmp_path / "python")
    assert (tmp_path / "python").read_bytes() == (tmp_path / "command").read_bytes()
    assert same(ours, dorm.recommend.DormFactorization(**parameters).fit(path))


@needs_command
def test_models_travel_both_ways(fitted, triples, tmp_path):
    fitted.save(tmp_path / "model")
    lines = run("recommend", "top", tmp_path / "model", "--all", "--top", 5, "--format", "jsonl").splitlines()
    for line, ours in zip(lines, fitted.recommend(n=5), strict=True):
        items = json.loads(line)["items"]
        assert [int(x["item"]) for x in items] == ours.items.tolist()
        assert [x["score"] for x in items] == ours.scores.tolist()
    test = tmp_path / "test.tsv"
    user, item, stars = tasteful(2)
    test.write_text("".join(f"{u}\t{i}\t{int(r)}\n" for u, i, r in zip(user, item, stars)))
    table = json.loads(
        run("recommend", "evaluate", test, "--model", tmp_path / "model", "--measures", "ndcg@10", "--json")
    )
    ours = fitted.evaluate((user, item, stars), "ndcg@10")["ndcg@10"]
    theirs = table["measures"]["ndcg@10"]
    assert (ours.mean, ours.low, ours.high) == pytest.approx((theirs["mean"], theirs["low"], theirs["high"]), rel=1e-9)
    assert fitted.score((user, item, stars)) == pytest.approx(theirs["mean"])


def test_scores_are_offsets_and_products(fitted):
    whole = fitted.item_offsets_ + fitted.user_factors_ @ fitted.item_factors_.T
    assert np.allclose(fitted.predict(5, np.arange(ITEMS)), whole[5])
    assert np.allclose(fitted.predict([1, 2], [3, 4]), [whole[1, 3], whole[2, 4]])
    best = fitted.recommend(5, n=ITEMS, exclude_seen=False)
    assert best.items.tolist() == np.argsort(-whole[5], kind="stable").tolist()
    assert np.allclose(best.scores, np.sort(whole[5])[::-1])


def test_seen_items_are_left_out(fitted, matrix):
    for user, best in enumerate(fitted.recommend(n=ITEMS)):
        assert set(best.items) == set(range(ITEMS)) - set(matrix[user].indices)
    assert len(fitted.recommend([3, 4], n=2)) == 2
    assert len(fitted.recommend([])) == 0


def test_similar_items_by_cosine(fitted):
    taste = fitted.item_factors_[:, 1:-1]
    taste = taste / np.linalg.norm(taste, axis=1, keepdims=True)
    cosine = taste @ taste[8]
    cosine[8] = -2
    found = fitted.similar_items(8, n=4)
    assert found.items.tolist() == np.argsort(-cosine)[:4].tolist()
    assert np.allclose(found.scores, np.sort(cosine)[::-1][:4])


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_all_sparse_formats_agree(fitted, matrix, kind):
    assert same(small().fit(matrix.asformat(kind)), fitted)
    assert same(small().fit(sparse.csr_array(matrix).asformat(kind)), fitted)


def test_unsorted_rows_and_float32_agree(fitted, matrix):
    order = np.random.default_rng(3).permutation(matrix.nnz)
    shuffled = matrix.tocoo()
    shuffled = sparse.coo_matrix((shuffled.data[order], (shuffled.row[order], shuffled.col[order])), matrix.shape)
    assert same(small().fit(shuffled.astype(np.float32)), fitted)


def test_stored_zeros_are_ratings():
    user, item, value = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [0.0, 4, 4, 0, 1, 3]
    stored = sparse.csr_matrix((value, (user, item)))
    assert stored.nnz == 6
    recommender = small(rank=1).fit(stored)
    assert len(recommender.recommend(0).items) == 0
    stored.eliminate_zeros()
    assert small(rank=1).fit(stored).recommend(0).items.tolist() == [0]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_with_columns_in_any_order(triples, library):
    frames = pytest.importorskip(library)
    user, item, stars = triples
    names = np.array([f"film {i}" for i in item])
    columns = {"rating": stars, "timestamp": stars * 0, "movieId": names.tolist(), "user_id": user}
    make = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    table = getattr(frames, make)(columns)
    recommender = small().fit(table)
    assert same(recommender, small().fit((user, names, stars)))
    assert recommender.recommend(7).items[0].startswith("film ")
    assert recommender.user_ids_.dtype == np.int64


def test_threads_and_repetition_do_not_change_a_bit(fitted, matrix):
    assert same(small(n_jobs=3).fit(matrix), fitted)


def test_clone_and_parameters():
    recommender = small(measure="ndcg@3", time_limit=9)
    copy = clone(recommender)
    assert copy.get_params() == recommender.get_params()
    assert copy.set_params(rank=5).rank == 5
    with pytest.raises(NotFittedError):
        copy.recommend(1)


def test_pickle_and_load_keep_everything(fitted, tmp_path):
    again = pickle.loads(pickle.dumps(fitted))
    assert same(again, fitted)
    assert repr(again.report_) == repr(fitted.report_)
    assert again.user_ids_.tolist() == fitted.user_ids_.tolist()
    fitted.save(tmp_path / "model")
    loaded = dorm.recommend.DormFactorization.load(tmp_path / "model")
    assert same(loaded, fitted)
    kept = {k: v for k, v in fitted.get_params().items() if v is not None and k != "n_jobs"}
    assert {k: v for k, v in loaded.get_params().items() if k in kept} == kept
    assert (loaded.rounds, loaded.implicit, loaded.item_damping, loaded.item_prior) == (2, 0.0, 5.0, -1.0)
    assert loaded.recommend(3).items.tolist() == fitted.recommend(3).items.tolist()
    assert not hasattr(loaded, "report_")


def test_the_report_never_rises(fitted):
    objectives = fitted.report_.objectives
    assert len(objectives) == 5
    assert all(b <= a * (1 + 1e-9) for a, b in zip(objectives, objectives[1:]))
    assert objectives[-1] < objectives[0]
    assert "stopped: rounds" in str(fitted.report_)


def test_new_users_are_folded_in_like_retrained_ones(matrix):
    known, fresh = matrix[:50], matrix[50:]
    recommender = small().fit(known).fold_in(fresh)
    assert recommender.user_ids_.tolist() == list(range(60))
    assert recommender.user_factors_.shape[0] == 60
    retrained = small().fit(matrix)
    overlap = [
        len(set(a.items) & set(b.items)) / 5
        for a, b in zip(recommender.recommend(range(50, 60), 5), retrained.recommend(range(50, 60), 5))
    ]
    assert np.mean(overlap) > 0.6
    assert not set(recommender.recommend(55, 30).items) & set(matrix[55].indices)


def test_fold_in_by_name_replaces_known_users_and_keeps_the_others(triples):
    user, item, stars = triples
    names = np.array([f"u{u}" for u in user])
    recommender = small().fit((names, item, stars))
    before = recommender.user_factors_.copy()
    with pytest.warns(UserWarning, match="1 of 4 ratings name items"):
        recommender.fold_in((["new", "new", "u0", "new"], [1, 2, 3, 999], [5, 1, 4, 2]))
    assert recommender.user_ids_[-1] == "new"
    assert not np.array_equal(recommender.user_factors_[0], before[0])
    assert np.array_equal(recommender.user_factors_[1:60], before[1:])
    assert len(recommender.recommend("new", 50).items) == ITEMS - 2


def test_rows_of_a_matrix_never_take_the_place_of_known_users(triples, matrix):
    user, item, stars = triples
    recommender = small().fit((user + 100, item, stars))
    before = recommender.user_factors_.copy()
    recommender.fold_in(matrix[:2])
    assert recommender.user_ids_[-2:].tolist() == [160, 161]
    assert np.array_equal(recommender.user_factors_[:60], before)
    assert recommender.fold_in(matrix[:1], user_ids=["Ada"]).user_ids_[-1] == "Ada"


def test_new_items_are_folded_in(matrix):
    recommender = small().fit(matrix[:, :35]).fold_in_items(matrix[:, 35:])
    assert recommender.item_ids_.tolist() == list(range(40))
    stars = matrix[:, 37].toarray()[:, 0]
    scores = recommender.predict(np.arange(USERS), 37)
    assert scores[stars >= 4].mean() > scores[(stars > 0) & (stars <= 2)].mean()


def test_features_as_matrix_table_and_file(matrix, tmp_path):
    pandas = pytest.importorskip("pandas")
    genres = (np.arange(ITEMS)[:, None] % 3 == np.arange(3)).astype(float)
    expected = small(rank=1).fit(matrix, item_features=genres)
    assert expected.item_factors_.shape[1] == 1 + 3 + 1 + 1
    named = (
        pandas.DataFrame(genres, columns=["a", "b", "c"]).assign(item=np.arange(ITEMS)).sample(frac=1, random_state=1)
    )
    assert same(small(rank=1).fit(matrix, item_features=named), expected)
    assert same(small(rank=1).fit(matrix, item_features=named.set_index("item")), expected)
    assert same(small(rank=1).fit(matrix, item_features=sparse.csr_matrix(genres)), expected)
    (tmp_path / "items").write_text("".join(f"{i}|{'|'.join(map(str, row))}\n" for i, row in enumerate(genres)))
    assert same(small(rank=1).fit(matrix, item_features=tmp_path / "items"), expected)
    with pytest.warns(UserWarning, match="10 of 60 users have no features"):
        small(rank=1).fit(matrix, user_features=np.ones((50, 1)))


def test_validation_chooses_the_round(triples):
    user, item, stars = triples
    held = np.arange(len(user)) % 5 == 0
    recommender = small(rounds=6, regularization=0.05, patience=1)
    recommender.fit((user[~held], item[~held], stars[~held]), eval_set=(user[held], item[held], stars[held]))
    rounds = recommender.report_.rounds
    kept = recommender.model_.rounds
    assert rounds[kept].validation == max(r.validation for r in rounds)
    assert recommender.score((user[held], item[held], stars[held])) == pytest.approx(rounds[kept].validation)


def test_training_goes_on_from_a_model(fitted, matrix):
    assert same(small(rounds=0).fit(matrix, initial=fitted), fitted)


def test_callbacks_see_progress_and_stop(matrix, capsys):
    seen = []
    recommender = small().fit(matrix, callbacks=lambda state: seen.append(state["stage"]) or state["stage"] == "items")
    assert seen[0] == "start"
    assert seen[-1] == "items"
    assert recommender.report_.status == "interrupted"
    small(verbose=2).fit(matrix)
    assert "round 1, items: objective" in capsys.readouterr().out
    with pytest.raises(ZeroDivisionError):
        small().fit(matrix, callbacks=lambda state: 1 / 0)


def test_ctrl_c_keeps_the_best_round():
    program = textwrap.dedent("""
        import signal, numpy as np, dorm
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
        rng = np.random.default_rng(1)
        users = np.repeat(np.arange(2000), 60)
        items = np.concatenate([rng.permutation(900)[:60] for _ in range(2000)])
        told = []
        def tell(state):
            if not told:
                told.append(print("training", flush=True))
        model = dorm.recommend.DormFactorization(50, rounds=10**6, start_sweeps=10**4, n_jobs=1)
        try:
            model.fit((users, items, rng.integers(1, 6, len(users))), callbacks=tell)
        except KeyboardInterrupt as error:
            print(model.report_.status, model.report_.interrupted, len(model.recommend(3).items), error)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "training\n"
        process.send_signal(signal.SIGINT)
        told = "interrupted True 10 training was interrupted; the estimator keeps the best model so far\n"
        assert process.stdout.readline() == told
    assert process.returncode == 0


MISTAKES = [
    (lambda u, i, r: np.zeros((3, 3)), "dense matrix pass scipy.sparse"),
    (lambda u, i, r: (u, i), "expected a scipy.sparse matrix"),
    (lambda u, i, r: (u[:-1], i, r), "users has 899 entries, but there are 900 ratings"),
    (lambda u, i, r: (u, i.astype(float), r), "no safe identifiers"),
    (lambda u, i, r: (u, [None, *i[1:].tolist()], r), "items has no id at row 0"),
    (lambda u, i, r: (u, i, np.where(np.arange(900) == 4, np.nan, r)), "rating 4 of ratings is nan"),
    (lambda u, i, r: (u, i, ["good"] * 900), "no numbers"),
    (lambda u, i, r: ([], [], []), "no ratings"),
    (lambda u, i, r: sparse.coo_matrix(([1.0, 2, 3], ([0, 0, 1], [1, 1, 0]))), "two entries in row 0, column 1"),
    (lambda u, i, r: "absent.tsv", "absent.tsv"),
]


@pytest.mark.parametrize("make, message", MISTAKES)
def test_ratings_that_are_none(triples, make, message):
    with pytest.raises((ValueError, OSError), match=message):
        small().fit(make(*triples))


def test_tables_without_the_columns():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="columns 'a', 'b'; expected user, item and rating"):
        small().fit(pandas.DataFrame({"a": [1], "b": [2]}))


def test_other_mistakes_say_what_to_do(fitted, matrix):
    for wrong, message in [
        ({"rank": -1}, "rank"),
        ({"rank": 2.5}, "rank is 2.5; expected a whole number"),
        ({"measure": "map"}, "map"),
        ({"bound": "auto"}, "auto"),
        ({"regularization": 0}, "lambda"),
    ]:
        with pytest.raises(ValueError, match=message):
            small(**wrong).fit(matrix)
    with pytest.raises(ValueError, match="user 999 is none of the 60 users of the model; fold_in adds"):
        fitted.recommend([1, 999])
    with pytest.raises(ValueError, match="item 'x' is none of the 40 items"):
        fitted.similar_items("x")
    with pytest.raises(ValueError, match="n is 0"):
        fitted.recommend(1, n=0)
    with pytest.raises(ValueError, match="2 users and 3 items"):
        fitted.predict([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="none of the 40 items"):
        small().fit(matrix, item_features=np.empty((0, 2)))
    with pytest.raises(ValueError, match="finite"):
        small().fit(matrix, item_features=np.full((ITEMS, 1), np.nan))
    with pytest.warns(UserWarning, match="1 users and 1 items are not known"):
        fitted.evaluate(([0, 0, 99], [1, 2, 77], [1, 2, 3]))


def test_duplicates_are_told_and_the_last_counts(triples):
    user, item, stars = triples
    twice = (np.r_[user, user[0]], np.r_[item, item[0]], np.r_[stars, 6 - stars[0]])
    with pytest.warns(UserWarning, match="1 ratings were replaced"):
        recommender = small().fit(twice)
    stars = stars.copy()
    stars[0] = 6 - stars[0]
    assert same(recommender, small().fit((user, item, stars)))


@pytest.fixture(scope="module")
def chosen(triples):
    return dorm.recommend.DormFactorization(rank=3, n_jobs=1).fit(triples)


def test_what_is_not_given_is_chosen_and_told(chosen, triples, tmp_path):
    means = chosen.candidates_[0]
    assert np.isinf(means.start_regularization) and means.gain == 0
    safe = [c.gain - c.error / 2 for c in chosen.candidates_]
    (best,) = [k for k, c in enumerate(chosen.candidates_) if c.chosen]
    assert safe[best] == max(safe)
    assert chosen.report_.choice_seconds > 0
    chosen.save(tmp_path / "model")
    loaded = dorm.recommend.DormFactorization.load(tmp_path / "model")
    assert loaded.candidates_ == chosen.candidates_
    assert loaded.start_regularization == chosen.candidates_[best].start_regularization
    assert same(clone(loaded).fit(triples), chosen), "the options that were chosen give the same model without a search"


def test_what_is_given_is_not_searched(triples):
    fitted = dorm.recommend.DormFactorization(rank=3, rounds=1, start_regularization=2.5, n_jobs=1).fit(triples)
    assert {(c.start_regularization, c.rounds) for c in fitted.candidates_[1:]} <= {(2.5, 0), (2.5, 1)}
    assert (fitted.model_.options.start_regularization, fitted.model_.options.rounds) == (2.5, 1)
    assert small().fit(triples).candidates_ == []
    with pytest.raises(ValueError, match="fixed is 'no'; expected True or False"):
        dorm.recommend.DormFactorization(fixed="no").fit(triples)


def test_any_scale_of_ratings_gives_the_same_rankings(triples):
    user, item, stars = triples
    rng = np.random.default_rng(4)
    real = np.round(stars + rng.uniform(-0.4, 0.4, len(stars)), 2)
    ours = dorm.recommend.DormFactorization(rank=3, n_jobs=1).fit((user, item, real))
    for factor, shift in ((10, 0), (1, -100)):
        theirs = dorm.recommend.DormFactorization(rank=3, n_jobs=1).fit((user, item, factor * real + shift))
        assert np.allclose(
            ours.user_factors_ @ ours.item_factors_.T, theirs.user_factors_ @ theirs.item_factors_.T, atol=1e-2
        )
        a, b = ours.evaluate((user, item, real)), theirs.evaluate((user, item, factor * real + shift))
        assert a["ndcg@10"].mean == pytest.approx(b["ndcg@10"].mean, abs=1e-3)


def test_labels_of_stretched_ratings_by_hand(triples):
    """NDCG of gains 2^g - 1, g from 1 to 5 between the first and last percentile."""
    user, item, stars = triples
    values = 20 * stars - 70
    fitted = small().fit((user, item, values))
    grade = 1 + 4 * np.clip((values - values.min()) / (values.max() - values.min()), 0, 1)
    scores = np.array([fitted.predict(int(u), int(i))[0] for u, i in zip(user, item)])
    ndcg = []
    for u in range(USERS):
        gain, mine = 2 ** grade[user == u] - 1, scores[user == u]
        discount = 1 / np.log2(np.arange(2, 12))
        ndcg.append(gain[np.argsort(-mine)][:10] @ discount / (np.sort(gain)[::-1][:10] @ discount))
    assert fitted.evaluate((user, item, values), "ndcg@10")["ndcg@10"].mean == pytest.approx(np.mean(ndcg), abs=1e-6)


def test_a_wide_file_is_refused_with_a_way_out(tmp_path):
    (tmp_path / "wide.csv").write_text("3,99,1.5,2,7,99\n")
    with pytest.raises(ValueError, match="as in a matrix with a row for each user.*pass such a matrix as scipy.sparse"):
        dorm.recommend.DormFactorization().fit(tmp_path / "wide.csv")
