"""Kernels from Python: by text, as a Gram matrix, as a function."""

import pickle

import numpy as np
import pytest

import dorm


@pytest.fixture(scope="module")
def rings():
    """Relevant documents lie near the unit circle: no line ranks them."""
    rng = np.random.default_rng(1)
    queries, size = 40, 15
    X = rng.normal(size=(queries * size, 2)).astype(np.float32)
    y = (abs(np.linalg.norm(X, axis=1) - 1) < 0.25).astype(int)
    return X, y, np.repeat(np.arange(queries), size)


def rbf(left, right):
    return np.exp(-((left[:, None, :] - right[None, :, :]) ** 2).sum(-1))


def ranker(kernel, bound="best", **options):
    return dorm.DormRanker(C=100, kernel=kernel, scale="none", bound=bound, n_jobs=1, **options)


def exact(kernel):
    """One convex problem, so that there is one answer."""
    return ranker(kernel, bound="average", tolerance=1e-5)


def split(rings):
    X, y, qid = rings
    train = qid < 25
    return (X[train], y[train], qid[train]), (X[~train], y[~train], qid[~train])


def test_rbf_ranks_rings_that_a_line_cannot(rings):
    train, test = split(rings)
    linear = ranker(None).fit(*train[:2], qid=train[2])
    curved = ranker("rbf:gamma=1").fit(*train[:2], qid=train[2])
    assert linear.score(*test[:2], qid=test[2]) < 0.75
    assert curved.score(*test[:2], qid=test[2]) > 0.95
    assert curved.report_.certificate.gap < 1e-3
    assert not hasattr(curved, "coef_")


def test_function_gives_the_scores_of_the_text(rings):
    train, test = split(rings)
    by_text = exact("rbf:gamma=1").fit(*train[:2], qid=train[2])
    by_function = exact(rbf).fit(*train[:2], qid=train[2])
    np.testing.assert_allclose(by_function.predict(test[0]), by_text.predict(test[0]), atol=2e-3)


def test_gram_matrix_gives_the_scores_of_the_function(rings):
    train, test = split(rings)
    gram = rbf(train[0], train[0]).astype(np.float32)
    model = exact("precomputed").fit(gram, train[1], qid=train[2])
    wanted = exact("rbf:gamma=1").fit(*train[:2], qid=train[2])
    across = rbf(test[0], train[0]).astype(np.float32)
    np.testing.assert_allclose(model.predict(across), wanted.predict(test[0]), atol=2e-3)


def test_linear_kernel_is_the_linear_ranker(data):
    X, y, qid = data
    by_kernel, linear = exact("linear").fit(X, y, qid=qid), exact(None).fit(X, y, qid=qid)
    assert by_kernel.report_.certificate.primal == pytest.approx(linear.report_.certificate.primal, rel=1e-5)
    np.testing.assert_allclose(by_kernel.predict(X), linear.predict(X), atol=1e-2)


@pytest.mark.parametrize("approximation", ["nystroem:100", "fourier:200", "cholesky:60"])
def test_approximations_rank_the_rings(rings, approximation):
    train, test = split(rings)
    model = ranker("rbf:gamma=1", solver_options={"approximation": approximation}).fit(*train[:2], qid=train[2])
    assert model.score(*test[:2], qid=test[2]) > 0.9


def test_saves_loads_and_pickles(rings, tmp_path):
    train, test = split(rings)
    model = ranker("rbf:gamma=median").fit(*train[:2], qid=train[2])
    model.save(tmp_path / "m.json")
    wanted = model.predict(test[0])
    for twin in (dorm.DormRanker.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict(test[0]), wanted)


class TestMistakes:
    def test_indefinite_function(self, rings):
        (X, y, qid), _ = split(rings)
        with pytest.raises(ValueError, match="eigenvalue|positive"):
            ranker(lambda a, b: -(a @ b.T)).fit(X, y, qid=qid)

    def test_function_of_the_wrong_shape(self, rings):
        (X, y, qid), _ = split(rings)
        with pytest.raises(ValueError, match="one row per document of its first argument"):
            ranker(lambda a, b: np.ones((1, 1))).fit(X, y, qid=qid)

    def test_function_that_raises(self, rings):
        (X, y, qid), _ = split(rings)

        def broken(a, b):
            raise KeyError("no such thing")

        with pytest.raises(KeyError, match="no such thing"):
            ranker(broken).fit(X, y, qid=qid)

    def test_gram_matrix_that_is_not_square(self, rings):
        (X, y, qid), _ = split(rings)
        with pytest.raises(ValueError, match="square Gram matrix"):
            ranker("precomputed").fit(X, y, qid=qid)

    def test_gram_matrix_that_is_not_symmetric(self, rings):
        (X, y, qid), _ = split(rings)
        gram = rbf(X, X).astype(np.float32)
        gram[0, 1] += 1
        with pytest.raises(ValueError, match="not symmetric"):
            ranker("precomputed").fit(gram, y, qid=qid)

    def test_gamma_that_is_not_positive(self, rings):
        (X, y, qid), _ = split(rings)
        with pytest.raises(ValueError, match="gamma"):
            ranker("rbf:gamma=0").fit(X, y, qid=qid)

    def test_contributions_of_a_kernel(self, rings):
        (X, y, qid), _ = split(rings)
        with pytest.raises(ValueError, match="linear model"):
            ranker("rbf:gamma=1").fit(X, y, qid=qid).explain(X)
