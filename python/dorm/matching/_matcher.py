# SPDX-License-Identifier: Apache-2.0
"""GraphMatcher: learns to match the nodes of two graphs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._estimator import FinishFit
from .._options import match_options
from .._progress import Progress, watching
from ._graphs import GraphMatch, read_pairs


class _MatchProgress(Progress):
    def stage(self, progress: dict[str, Any]) -> str:
        return f"pass {progress['pass']}"

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        return {name: f"{progress[name]:.6g}" for name in ("primal", "dual", "gap")}


class GraphMatcher(FinishFit, BaseEstimator):
    """Weights of node and edge similarities, learnt so that the best assignment of nodes is the true one.

    The score of a match is the sum over nodes of their weighted similarity to their partners and, quadratic, over edges
    that are laid onto edges of theirs. Minimises ``1/2 |w|^2 + C`` times the mean over pairs of a convex bound on the
    Hamming loss, to a relative duality gap; with edges, separation is bounded from above, and ``certificate_`` says by
    how much (docs/matching.md). The same numbers as the command ``dorm match``.

    Parameters
    ----------
    kind
        ``"linear"``: nodes alone, matched exactly; ``"quadratic"``: nodes and edges.
    C
        Weight of the loss, or several to choose among by the ``eval_set`` of `fit`.
    similarity
        Of the difference d of a feature: ``"gaussian"`` exp(-d^2), ``"squared"`` -d^2.
    scale
        Differences in standard deviations of the feature (``"deviation"``) or as they are (``"none"``).
    unmatched
        Any node may stay without a partner; else every node of the smaller graph has one.
    directed
        Edges have a direction.
    rounds
        Quadratic: how often the problem is solved, with a tighter bound every time.
    steps
        Quadratic: most steps of tightening a bound, in training and prediction.
    edge_weight
        Without true matches: the weight of edges, that of nodes being 1.
    solver, tolerance, max_passes, time_limit
        As for `DormRanker`.
    n_jobs
        Threads, as for `DormRanker`. The model does not depend on it.
    random_state
        Seed of the order of pairs.
    verbose
        1: a line of progress per second; 2: a line per pass.

    Attributes
    ----------
    weights_ : dict
        By name of similarity: ``x0``, ... of node features, ``matched``, ``edge``, ``edge e0``, ... of edge features.
    certificate_ : dict
        Primal, dual and gap of the last round, the bound on the training loss, and how loose separation may be.
    report_ : dict
        Rounds and, where there were several C, candidates.
    model_
        The core's model.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> def pair():
    ...     points, order = rng.normal(size=(6, 3)), rng.permutation(6)
    ...     other = rng.normal(size=(6, 3))  # the second and third feature mean nothing
    ...     other[order, 0] = points[:, 0] + 0.1 * rng.normal(size=6)
    ...     return (dorm.matching.Graph(points), dorm.matching.Graph(other)), order
    >>> pairs, matches = zip(*[pair() for _ in range(40)])
    >>> matcher = dorm.matching.GraphMatcher(kind="linear").fit(pairs[:20], matches[:20])
    >>> unlearnt = dorm.matching.GraphMatcher(kind="linear").fit(pairs[:20])
    >>> matcher.score(pairs[20:], matches[20:]) > unlearnt.score(pairs[20:], matches[20:]) + 0.2
    True
    """

    def __init__(
        self,
        kind: str = "quadratic",
        *,
        C: float | Sequence[float] = 10.0,
        similarity: str = "gaussian",
        scale: str = "deviation",
        unmatched: bool = False,
        directed: bool = False,
        rounds: int = 3,
        steps: int = 30,
        edge_weight: float = 1.0,
        solver: str = "bcda",
        tolerance: float = 1e-3,
        max_passes: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 1,
        verbose: int = 0,
    ) -> None:
        self.kind = kind
        self.C = C
        self.similarity = similarity
        self.scale = scale
        self.unmatched = unmatched
        self.directed = directed
        self.rounds = rounds
        self.steps = steps
        self.edge_weight = edge_weight
        self.solver = solver
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        eval_set: tuple[Any, Any] | None = None,
        callbacks: Callable[[dict[str, Any]], Any] | Sequence[Callable[[dict[str, Any]], Any]] | None = None,
        progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    ) -> GraphMatcher:
        """Learn.

        Parameters
        ----------
        X
            Pairs of graphs: `Graph`, ``(nodes, edges)`` or ``(nodes, edges, edge_features)``, or the features of the
            nodes alone.
        y
            For every pair the true partners of the nodes of its first graph: numbers of nodes of the second, -1 for
            none, or a dict of ids. None: nothing is learnt, all similarities weigh the same.
        eval_set
            Validation pairs and their matches ``(X, y)``, which choose C.
        callbacks, progress
            As for `DormRanker.fit`.

        Ctrl-C raises KeyboardInterrupt; the best so far is kept.
        """
        options = match_options(self)
        train = read_pairs(X if eval_set is None else [*X, *eval_set[0]], self.directed)
        count = len(train.numbers) if eval_set is None else len(train.numbers) - len(list(eval_set[0]))
        if y is None:
            model = _core.unlearnt_match(train.core, train.numbers[:count], options)
            return self._finish_fit(model, {}, interrupted=False)
        trade_offs = [float(each) for each in np.atleast_1d(np.asarray(self.C, dtype=float))]
        if len(trade_offs) != 1 and eval_set is None:
            raise ValueError("several C; expected eval_set=(pairs, matches), which chooses one")
        truth = train.matches([*y, *(() if eval_set is None else eval_set[1])])
        with watching(callbacks, _MatchProgress(self.verbose), progress) as callback:
            model, report = _core.train_match(
                train.core,
                train.numbers,
                truth,
                count,
                trade_offs,
                options,
                callback,
            )
        return self._finish_fit(model, report, interrupted=report["interrupted"])

    def match(self, X: Any) -> list[GraphMatch]:
        """For every pair the best match that was found, its score, and a bound on every score."""
        check_is_fitted(self)
        asked = read_pairs(X, self.model_.directed)
        options = match_options(self)
        found = self.model_.predict(asked.core, asked.numbers, options.steps, options.threads)
        return [GraphMatch(*each, a.ids, b.ids) for each, (a, b) in zip(found, asked.pairs)]

    def predict(self, X: Any) -> list[np.ndarray]:
        """For every pair and node of its first graph the number of its partner in the second, -1 for none."""
        return [each.partners for each in self.match(X)]

    def losses(self, X: Any, y: Any) -> np.ndarray:
        """The Hamming loss of every pair: the share of nodes with a true partner that have another one or none; where
        nodes may stay unmatched, of all nodes of the first graph that are not as they should be."""
        check_is_fitted(self)
        pairs = list(X)
        truth = read_pairs(pairs, self.model_.directed).matches(y)
        losses = []
        for true, found in zip(truth, self.predict(pairs)):
            judged = np.ones(len(true), bool) if self.model_.unmatched else true >= 0
            losses.append(float(np.mean(true[judged] != found[judged])) if judged.any() else np.nan)
        return np.array(losses)

    def score(self, X: Any, y: Any) -> float:
        """1 - the mean Hamming loss."""
        return float(1 - np.nanmean(self.losses(X, y)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as ``dorm match train`` does; it and `load` read it."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GraphMatcher:
        """A matcher from a file of `save` or of the command; ``report_`` is not stored."""
        model = _core.MatchModel.load(os.fspath(path))
        made = cls(kind=model.kind, unmatched=model.unmatched, directed=model.directed, C=model.C or 10.0)
        made._adopt(model, {})
        return made

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = state["model_"].to_json()
        return state

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self.model_ = _core.MatchModel.from_json(state["model_"], "pickle")

    def _adopt(self, model: _core.MatchModel, report: dict[str, Any]) -> None:
        self.model_ = model
        self.weights_ = dict(zip(model.weight_names(), model.weights.tolist()))
        self.certificate_ = model.certificate() if model.learnt else {}
        self.report_ = report
