# SPDX-License-Identifier: Apache-2.0
"""Joint kernels from Python: against numpy, and against the command."""

import os
import pickle
import subprocess

import numpy as np
import pytest

import dorm

COMMAND = os.environ.get("DORM_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")


def run(*arguments, status=0):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture(scope="module")
def ratings():
    """20 users, 15 items, about half of the pairs: tastes of three kinds."""
    rng = np.random.default_rng(5)
    pairs = rng.permutation(20 * 15)[:160]
    users, items = np.divmod(pairs, 15)
    stars = np.clip(np.rint(3 + 1.5 * np.sin(users % 3 + items) + rng.normal(0, 0.4, len(pairs))), 1, 5)
    return users, items, stars


@pytest.fixture(scope="module")
def path(ratings, tmp_path_factory):
    path = tmp_path_factory.mktemp("joint") / "ratings.tsv"
    path.write_text("".join(f"{u}\t{i}\t{r:g}\n" for u, i, r in zip(*ratings)))
    return path


@pytest.fixture(scope="module")
def ranker(ratings):
    return dorm.recommend.JointRanker(C=10, n_jobs=1).fit(ratings)


def matrix(ratings, user_ids, item_ids):
    """Ratings less the mean of their user, 0 where there is none."""
    known = np.full((len(user_ids), len(item_ids)), np.nan)
    row, column = ({name: k for k, name in enumerate(ids)} for ids in (user_ids, item_ids))
    for u, i, r in zip(*ratings):
        known[row[u], column[i]] = r
    return np.nan_to_num(known - np.nanmean(known, axis=1, keepdims=True)), ~np.isnan(known)


def cosines(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit @ unit.T


def test_similarities_and_scores_are_those_of_numpy(ratings, ranker):
    centred, _ = matrix(ratings, ranker.user_ids_, ranker.item_ids_)
    users = (np.ones((20, 20)) + np.eye(20) + cosines(centred)) / 3
    items = (np.eye(15) + cosines(centred.T)) / 2
    np.testing.assert_allclose(ranker.user_similarities_, users, atol=1e-12)
    np.testing.assert_allclose(ranker.item_similarities_, items, atol=1e-12)
    coefficients = np.zeros((20, 15))
    user, item, value = ranker.pairs_
    coefficients[user, item] = value
    scores = users @ coefficients @ items
    all_users = np.repeat(ranker.user_ids_, 15)
    got = ranker.predict(all_users, np.tile(ranker.item_ids_, 20)).reshape(20, 15)
    np.testing.assert_allclose(got, scores, atol=1e-9)
    assert ranker.certificate_["gap"] <= 1e-3 and ranker.certificate_["status"] == "converged"


def test_recommendations_are_the_largest_scores_of_what_was_not_seen(ratings, ranker):
    _, seen = matrix(ratings, ranker.user_ids_, ranker.item_ids_)
    for number, user in enumerate(ranker.user_ids_[:5]):
        scores = ranker.predict(user, ranker.item_ids_)
        order = sorted(np.flatnonzero(~seen[number]), key=lambda j: (-scores[j], j))[:4]
        best = ranker.recommend(user, n=4)
        assert list(best.items) == list(ranker.item_ids_[order])
        np.testing.assert_allclose(best.scores, scores[order])
    everything = ranker.recommend(n=99, exclude_seen=False)
    assert len(everything) == 20 and all(len(each.items) == 15 for each in everything)


def test_new_users_are_compared_by_their_ratings(ratings, ranker):
    grown = pickle.loads(pickle.dumps(ranker))
    new = ([100, 100, 100, 101, 101], [1, 2, 3, 4, 5], [5, 1, 3, 2, 4])
    grown.fold_in(new)
    both = tuple(np.concatenate([a, b]) for a, b in zip(ratings, new))
    centred, _ = matrix(both, grown.user_ids_, grown.item_ids_)
    users = (np.ones((22, 22)) + np.eye(22) + cosines(centred)) / 3
    old, _ = matrix(ratings, ranker.user_ids_, ranker.item_ids_)
    items = (np.eye(15) + cosines(old.T)) / 2  # by those trained on
    coefficients = np.zeros((22, 15))
    coefficients[ranker.pairs_[0], ranker.pairs_[1]] = ranker.pairs_[2]
    got = [grown.predict(user, grown.item_ids_) for user in (100, 101)]
    np.testing.assert_allclose(got, (users @ coefficients @ items)[20:], atol=1e-9)
    with pytest.warns(UserWarning, match="1 of 1 ratings"):
        grown.fold_in(([100], [1], [1]))


def test_a_fold_in_survives_the_file(ratings, ranker, tmp_path):
    grown = pickle.loads(pickle.dumps(ranker)).fold_in(([100, 100], [1, 2], [5, 1]))
    grown.save(tmp_path / "m.joint")
    again = dorm.recommend.JointRanker.load(tmp_path / "m.joint")
    assert list(again.recommend(100).items) == list(grown.recommend(100).items)
    assert (again.recommend(100).scores == grown.recommend(100).scores).all()
    assert again.kernel == ranker.kernel_ and again.C == 10


def test_matrices_of_your_own_take_the_place_of_parts(ratings, ranker):
    given = dorm.recommend.JointRanker(C=10, n_jobs=1).fit(
        ratings, user_similarities=ranker.user_similarities_, item_similarities=ranker.item_similarities_
    )
    assert given.kernel_ == "user(given) * item(given)"
    pairs = ranker.user_ids_[:15], ranker.item_ids_
    np.testing.assert_allclose(given.predict(*pairs), ranker.predict(*pairs), rtol=1e-9, atol=1e-12)
    with pytest.raises(NotImplementedError, match="a matrix of their own"):
        given.fold_in(([100], [1], [1]))
    lopsided = ranker.user_similarities_.copy()
    lopsided[0, 1] += 1
    with pytest.raises(ValueError, match="not symmetric"):
        dorm.recommend.JointRanker().fit(ratings, user_similarities=lopsided)
    with pytest.raises(ValueError, match=r"shape \(2, 2\); expected \(20, 20\)"):
        dorm.recommend.JointRanker().fit(ratings, user_similarities=np.eye(2))


def test_prank_learns_every_user_alone(ratings):
    alone = dorm.recommend.JointRanker(method="prank:3", kernel="user(constant) * item(correlation)").fit(ratings)
    assert alone.kernel_ == "user(identity) * item(correlation)"
    user, item, value = alone.pairs_
    items = alone.item_similarities_
    own = user == 2
    np.testing.assert_allclose(
        alone.predict(alone.user_ids_[2], alone.item_ids_), value[own] @ items[item[own]], atol=1e-12
    )
    with pytest.raises(NotImplementedError, match="himself alone"):
        alone.fold_in(([100], [1], [1]))


@pytest.mark.parametrize(
    "text, message",
    [
        ("rbf", r'kernel "rbf": found "rbf" where user\( begins'),
        ("user(identity)", r"found no \* behind user"),
        ("user(identity) * item(identity", r"item\( is not closed"),
        ("user(identity) * item(sort)", 'unknown part "sort"'),
        ("user(identity + identity) * item(identity)", "appears twice"),
        ("user(attributes) * item(identity)", "needs the features of users"),
        ("user(identity) * item(identity) * 2", 'found "[*]2" behind its end'),
    ],
)
def test_a_text_that_is_no_kernel_is_refused(ratings, text, message):
    with pytest.raises(ValueError, match=message):
        dorm.recommend.JointRanker(kernel=text).fit(ratings)


def test_methods_that_cannot_be_are_refused(ratings):
    with pytest.raises(ValueError, match="jrank\\[:passes\\] with a whole number"):
        dorm.recommend.JointRanker(method="jrank:0.5").fit(ratings)
    with pytest.raises(ValueError, match='unknown method "svm"'):
        dorm.recommend.JointRanker(method="svm").fit(ratings)


@needs_command
@pytest.mark.parametrize(
    "parameters, options",
    [
        ({"C": 10}, ["-C", "10"]),
        ({"method": "jrank:2", "random_state": 4}, ["--method", "jrank:2", "--seed", "4"]),
        ({"method": "prank"}, ["--method", "prank"]),
        ({"method": "ridge:0.01"}, ["--method", "ridge:0.01"]),
        (
            {"kernel": "user(identity + correlation) * item(correlation)", "measure": "ndcg", "bound": "best"},
            ["--kernel", "user(identity + correlation) * item(correlation)", "--measure", "ndcg", "--bound", "best"],
        ),
    ],
    ids=["dorm", "jrank", "prank", "ridge", "kernel"],
)
def test_the_command_writes_the_same_model(path, tmp_path, parameters, options):
    run("recommend", "train", path, "--model-type", "joint", "--model", tmp_path / "command.joint", "--quiet", *options)
    ranker = dorm.recommend.JointRanker(**parameters).fit(path)
    ranker.save(tmp_path / "python.joint")
    assert (tmp_path / "command.joint").read_bytes() == (tmp_path / "python.joint").read_bytes()


@needs_command
def test_the_command_recommends_and_judges_alike(path, ratings, tmp_path):
    model = tmp_path / "m.joint"
    run("recommend", "train", path, "--model-type", "joint", "--model", model, "-C", 10, "--quiet")
    ranker = dorm.recommend.JointRanker.load(model)
    lines = run("recommend", "top", model, "--user", 3, "--top", 5).stdout.splitlines()[1:]
    best = ranker.recommend(3, n=5)
    assert [line.split("\t")[2] for line in lines] == [str(item) for item in best.items]
    np.testing.assert_allclose([float(line.split("\t")[3]) for line in lines], best.scores, rtol=1e-12)
    alike = run("recommend", "top", model, "--similar-to", 7, "--top", 3).stdout.splitlines()[1:]
    assert [line.split("\t")[2] for line in alike] == [str(item) for item in ranker.similar_items(7, 3).items]
    new = tmp_path / "new.tsv"
    new.write_text("n1\t1\t5\nn1\t2\t1\n")
    folded = run("recommend", "top", model, "--ratings", new, "--top", 2).stdout.splitlines()[1:]
    grown = dorm.recommend.JointRanker.load(model).fold_in((["n1", "n1"], ["1", "2"], [5, 1]))
    assert [line.split("\t")[2] for line in folded] == [str(item) for item in grown.recommend("n1", n=2).items]
    test = tmp_path / "test.tsv"
    test.write_text("".join(f"{u}\t{i}\t{1 + (u * i) % 5}\n" for u in range(20) for i in range(15) if (u + i) % 4 == 0))
    done = run("recommend", "evaluate", test, "--model", model, "--measures", "ndcg@10", "--json")
    import json

    told = json.loads(done.stdout)["measures"]
    mean = told["ndcg@10"]["mean"] if isinstance(told, dict) else told[0]["mean"]
    assert mean == pytest.approx(ranker.evaluate(test, "ndcg@10").measures[0].mean, abs=1e-12)
    assert "are training data of the model" in done.stderr
    assert "joint kernel over users and items" in run("info", model).stdout


@needs_command
def test_options_of_documents_are_refused_for_ratings(path, tmp_path):
    call = ["recommend", "train", path, "--model-type", "joint", "--model", tmp_path / "m"]
    assert "--rank is an option of --model-type factors" in run(*call, "--rank", 3, status=1).stderr


def _model(path, folder):
    run(
        "recommend",
        "train",
        path,
        "--model-type",
        "joint",
        "--model",
        folder / "s.joint",
        "--method",
        "ridge",
        "--quiet",
    )
    return [folder / "s.joint"]


@needs_command
@pytest.mark.parametrize("cut", [10, 100, -1])
def test_a_damaged_file_is_refused(path, tmp_path, cut):
    model = _model(path, tmp_path)[0]
    model.write_bytes(model.read_bytes()[:cut])
    with pytest.raises(ValueError):
        dorm.recommend.JointRanker.load(model)
