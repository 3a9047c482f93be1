# SPDX-License-Identifier: Apache-2.0
"""Each baseline against an independent solution of the problem it claims to solve.

scikit-learn (LIBLINEAR inside) where it has the problem, pair differences given to it as classification where it has
the loss, an interior point method over all labellings or rankings of tiny lists elsewhere; PRank again in Python.
Objectives must agree within the duality gap asked for, scores within what that gap allows.
"""

import itertools
import json
import math
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("DORM_COMMAND", str(ROOT / "build" / "dorm"))
svm = pytest.importorskip("sklearn.svm")

pytestmark = pytest.mark.skipif(not os.access(COMMAND, os.X_OK), reason=f"no command at {COMMAND}; set DORM_COMMAND")

GAP = 1e-5
C = 20.0


class Problem:
    """Random graded lists, the file they are trained from, and the unit of C."""

    def __init__(self, path, queries, length, seed):
        rng = np.random.default_rng(seed)
        self.path = path
        self.x = rng.normal(size=(queries * length, 4)).astype(np.float32).round(3)
        noise = self.x @ [1, -0.5, 0.3, 0] + rng.normal(size=len(self.x))
        self.y = np.digitize(noise, [0.5, 1.5]).astype(float)
        self.lists = [np.arange(q * length, (q + 1) * length) for q in range(queries)]
        rows = zip(self.y, np.repeat(np.arange(queries), length), self.x, strict=True)
        with open(path, "w") as out:
            for y, q, x in rows:
                out.write(f"{y:g} qid:{q} " + " ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(x)) + "\n")
        self.x = self.x.astype(float)
        self.centred = np.concatenate([self.x[i] - self.x[i].mean(axis=0) for i in self.lists])
        self.targets = np.concatenate([self.y[i] - self.y[i].mean() for i in self.lists])
        self.norm = (self.centred**2).sum(axis=1).mean()

    def train(self, method, c=C):
        model = self.path.with_suffix(".json")
        command = [COMMAND, "train", self.path, "--method", method, "-C", c, "--scale", "none", "--model", model]
        done = subprocess.run([*map(str, command), "--tolerance", str(GAP), "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        model = json.loads(model.read_text())
        return np.array(model["weights"]), model["certificate"]


@pytest.fixture
def problem(tmp_path):
    return Problem(tmp_path / "data.txt", queries=12, length=10, seed=3)


def agree(problem, ours, theirs, certificate, objective):
    """objective: theirs, with features as they are; ours is reported with features in unit scale."""
    assert certificate["primal"] == pytest.approx(objective * problem.norm, rel=2 * GAP)
    a, b = problem.centred @ ours, problem.centred @ theirs
    assert np.abs(a - b).max() < 0.02 * np.abs(b).max()


def test_ridge_is_scikit_learns(problem):
    from sklearn.linear_model import Ridge

    ours, _ = problem.train("ridge")
    alpha = len(problem.x) * problem.norm / C
    theirs = Ridge(alpha=alpha, fit_intercept=False).fit(problem.centred, problem.targets).coef_
    assert problem.centred @ ours == pytest.approx(problem.centred @ theirs, abs=1e-5)


def test_support_vector_regression_is_liblinears(problem):
    ours, certificate = problem.train("svr")
    c = C / problem.norm / len(problem.x)
    peer = svm.LinearSVR(epsilon=0.1, C=c, fit_intercept=False, tol=1e-8, max_iter=1000000)
    theirs = peer.fit(problem.centred, problem.targets).coef_
    loss = np.maximum(0, np.abs(problem.targets - problem.centred @ theirs) - 0.1).sum()
    agree(problem, ours, theirs, certificate, theirs @ theirs / 2 + c * loss)


def with_bias(problem):
    return np.hstack([problem.x, np.full((len(problem.x), 1), math.sqrt(problem.norm))])


def test_one_machine_per_grade_is_liblinears(problem):
    ours, certificate = problem.train("svm")
    c, x = C / problem.norm / len(problem.x), with_bias(problem)
    peer = svm.LinearSVC(C=c, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1000000).fit(x, problem.y)
    objective = 0
    for grade, w in zip(peer.classes_, peer.coef_, strict=True):
        side = np.where(problem.y == grade, 1, -1)
        objective += w @ w / 2 + c * np.maximum(0, 1 - side * (x @ w)).sum()
    theirs = (peer.classes_[:, None] * peer.coef_)[:, :-1].sum(axis=0)
    agree(problem, ours, theirs, certificate, objective)


def test_crammer_and_singer_is_liblinears(problem):
    ours, certificate = problem.train("crammer-singer")
    c, x = C / problem.norm / len(problem.x), with_bias(problem)
    peer = svm.LinearSVC(C=c, multi_class="crammer_singer", fit_intercept=False, tol=1e-8, max_iter=1000000)
    peer.fit(x, problem.y)
    margins = x @ peer.coef_.T
    own = margins[np.arange(len(x)), problem.y.astype(int)][:, None]
    loss = np.maximum(0, (margins - own + 1) * (np.arange(3) != problem.y[:, None])).max(axis=1).sum()
    theirs = (peer.classes_[:, None] * peer.coef_)[:, :-1].sum(axis=0)
    agree(problem, ours, theirs, certificate, (peer.coef_**2).sum() / 2 + c * loss)


def pairs_as_classes(problem, labels, weight):
    """Differences of better and worse documents with the weight of each, given to LIBLINEAR."""
    differences, weights, used = [], [], 0
    for documents in problem.lists:
        ordered = [(i, k) for i in documents for k in documents if labels[i] > labels[k]]
        used += bool(ordered)
        differences += [problem.x[i] - problem.x[k] for i, k in ordered]
        weights += [weight(labels[i], labels[k]) / len(ordered) for i, k in ordered]
    differences, weights = np.array(differences), np.array(weights) * C / problem.norm / used
    sign = np.where(np.arange(len(weights)) % 2 == 0, 1, -1)
    peer = svm.LinearSVC(C=1, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10000000)
    keep = weights > 0
    peer.fit((differences * sign[:, None])[keep], sign[keep], sample_weight=weights[keep])
    w = peer.coef_[0]
    return w, w @ w / 2 + (weights * np.maximum(0, 1 - differences @ w)).sum()


def swap_cost(problem, better, worse):
    """The mean loss in NDCG@10 of all swaps of two such documents in ideal rankings, by doing them."""
    discount = 1 / np.log2(np.arange(2, 12))
    means = []
    for documents in problem.lists:
        ideal = np.sort(problem.y[documents])[::-1]
        dcg = lambda order: ((2 ** order[:10] - 1) * discount[: len(order)]).sum()
        costs = []
        for i, k in itertools.product(np.flatnonzero(ideal == better), np.flatnonzero(ideal == worse)):
            swapped = ideal.copy()
            swapped[[i, k]] = swapped[[k, i]]
            costs.append(1 - dcg(swapped) / dcg(ideal))
        if costs:
            means.append(np.mean(costs))
    return np.mean(means)


@pytest.mark.parametrize("method", ["ranksvm", "ranksvm-pairs", "roc-svm", "roc-svm:rel=2", "svm-ir-qp"])
def test_pairs_are_liblinears_on_differences(problem, method):
    ours, certificate = problem.train(method)
    labels, weight = problem.y, lambda better, worse: 1.0
    if method.startswith("roc-svm"):
        labels = (problem.y >= (2 if method.endswith("rel=2") else 1)).astype(float)
    if method == "svm-ir-qp":
        cost = {pair: swap_cost(problem, *pair) for pair in [(2.0, 1.0), (2.0, 0.0), (1.0, 0.0)]}
        weight = lambda better, worse: cost[better, worse] / max(cost.values())
    theirs, objective = pairs_as_classes(problem, labels, weight)
    agree(problem, ours, theirs, certificate, objective)


def structured_optimum(problem, planes_of):
    """min 1/2 |w|^2 + C_q sum xi over every labelling of every list, by an interior point method."""
    cvxopt = pytest.importorskip("cvxopt")
    blocks = [planes_of(problem.x[i], problem.y[i] > 0) for i in problem.lists]
    blocks = [block for block in blocks if block]
    d, m = problem.x.shape[1], len(blocks)
    rows, bounds = [], []
    for q, block in enumerate([*blocks]):
        for loss, direction in [*block, (0.0, np.zeros(d))]:
            rows.append(np.concatenate([-direction, -np.eye(m)[q]]))
            bounds.append(-loss)
    quadratic = np.diag([1.0] * d + [0.0] * m)
    linear = np.array([0.0] * d + [C / problem.norm / m] * m)
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)
    solution = cvxopt.solvers.qp(*map(cvxopt.matrix, (quadratic, linear, np.array(rows), np.array(bounds))))
    return np.array(solution["x"])[:d, 0], solution["primal objective"]


def precision_planes(x, relevant, n=3):
    if relevant.all() or not relevant.any():
        return []
    reachable = min(n, relevant.sum())
    for chosen in itertools.combinations(range(len(x)), n):
        yield (
            (reachable - relevant[list(chosen)].sum()) / n,
            (x[relevant].sum(axis=0) - x[list(chosen)].sum(axis=0)) / n,
        )


def average_precision_planes(x, relevant):
    if relevant.all() or not relevant.any():
        return []
    scale = 1 / (relevant.sum() * (~relevant).sum())
    for order in itertools.permutations(range(len(x))):
        hits = relevant[list(order)]
        precision = (hits.cumsum() / np.arange(1, len(x) + 1))[hits].mean()
        direction = np.zeros(x.shape[1])
        for above, below in itertools.combinations(order, 2):
            if relevant[below] and not relevant[above]:
                direction += 2 * scale * (x[below] - x[above])
        yield 1 - precision, direction


@pytest.mark.parametrize(
    ("method", "planes"), [("precision-svm@3", precision_planes), ("ap-svm", average_precision_planes)]
)
def test_multivariate_losses_are_solved_to_the_optimum(tmp_path, method, planes):
    problem = Problem(tmp_path / "data.txt", queries=6, length=5, seed=4)
    ours, certificate = problem.train(method)
    theirs, objective = structured_optimum(problem, lambda x, relevant: list(planes(x, relevant)))
    agree(problem, ours, theirs, certificate, objective)


class SplitMix:
    """The generator of the library, for the order in which PRank sees the documents."""

    MASK = (1 << 64) - 1

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & self.MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & self.MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & self.MASK
        return z ^ (z >> 31)

    def below(self, n):
        limit = n * (self.MASK // n)
        while (x := self.next()) >= limit:
            pass
        return x % n


def test_prank_is_the_perceptron_with_thresholds(problem):
    ours, _ = problem.train("prank")
    x = problem.x / math.sqrt(problem.norm)
    order, random = list(range(len(x))), SplitMix(1)
    w, thresholds, total = np.zeros(4), np.zeros(2), np.zeros(4)
    for _ in range(10):
        for i in range(len(order), 1, -1):
            k = random.below(i)
            order[i - 1], order[k] = order[k], order[i - 1]
        for i in order:
            side = np.where(problem.y[i] > np.arange(2), 1, -1)
            wrong = side * (w @ x[i] - thresholds) <= 0
            w = w + (side * wrong).sum() * x[i]
            thresholds = thresholds - side * wrong
            total += w
    theirs = total / (10 * len(x)) / math.sqrt(problem.norm)
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_propsvm_is_the_quadratic_program(tmp_path):
    """One block per click, with its cost, as PropSVMrank reads it; and the same clicks pooled by query."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    blocks, length, features = 5, 4, 3
    x = rng.normal(size=(blocks, length, features)).round(2)
    cost = np.array([1, 4, 2.5, 1.25, 10])
    clicked = rng.integers(length, size=blocks)
    path = tmp_path / "clicks.txt"
    with open(path, "w") as out:
        for b in range(blocks):
            for i in range(length):
                head = f"1 qid:{b} cost:{cost[b]:g}" if i == clicked[b] else f"0 qid:{b}"
                out.write(head + "".join(f" {j + 1}:{x[b, i, j]:g}" for j in range(features)) + "\n")
    problem = Problem.__new__(Problem)
    problem.path = path
    ours, certificate = problem.train("propsvm")
    centred = x - x.mean(axis=1, keepdims=True)
    norm = (centred**2).sum(axis=2).mean()
    pairs = [(b, i) for b in range(blocks) for i in range(length) if i != clicked[b]]
    margins = np.array([x[b, clicked[b]] - x[b, i] for b, i in pairs])
    weights = np.array([C / norm / blocks * cost[b] for b, _ in pairs])

    # The dual: max sum(a) - |sum a m|^2 / 2 over 0 <= a <= weights; its solution must close the gap to the primal.
    found = optimize.minimize(
        lambda a: ((a @ margins) @ (a @ margins) / 2 - a.sum(), margins @ (a @ margins) - 1),
        weights / 2,
        jac=True,
        bounds=[(0, most) for most in weights],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 100000, "maxfun": 1000000},
    )
    theirs = found.x @ margins
    primal = theirs @ theirs / 2 + weights @ np.maximum(0, 1 - margins @ theirs)
    assert primal == pytest.approx(-found.fun, rel=1e-7)
    assert certificate["primal"] == pytest.approx(primal * norm, rel=2 * GAP)
    assert np.abs(centred @ ours - centred @ theirs).max() < 0.02 * np.abs(centred @ theirs).max()
