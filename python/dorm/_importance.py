# SPDX-License-Identifier: Apache-2.0
"""What each feature is worth to a ranker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._evaluate import evaluate
from ._input.inputs import read_input
from ._measure import Measure
from ._rankers.ranker import DormRanker
from ._tables import Figure, html_table, pandas_for


@dataclass(frozen=True, eq=False)
class Importance:
    """What `permutation_importance` returns; prints as a table, the most important feature first."""

    measure: str
    value: float  #: of the measure, on the data as it is
    importances: np.ndarray  #: by feature and repeat: how much of the value shuffling the feature takes away
    feature_names: list[str]

    @property
    def importances_mean(self) -> np.ndarray:
        """By feature."""
        return self.importances.mean(axis=1)

    @property
    def importances_std(self) -> np.ndarray:
        """By feature, over the repeats."""
        return self.importances.std(axis=1)

    def to_frame(self) -> Any:
        """A pandas data frame indexed by feature, the most important first."""
        order = self._order()
        columns = {"mean": self.importances_mean[order], "std": self.importances_std[order]}
        index = pandas_for("to_frame").Index([self.feature_names[j] for j in order], name="feature")
        return pandas_for("to_frame").DataFrame(columns, index=index)

    def __str__(self) -> str:
        width = max(len("feature"), *(len(name) for name in self.feature_names))
        lines = [f"{'feature':<{width}}  {'loss of ' + self.measure:>18}"]
        mean, spread = self.importances_mean, self.importances_std
        lines += [f"{self.feature_names[j]:<{width}}  {mean[j]:>+9.4f} ± {spread[j]:.4f}" for j in self._order()]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        mean, spread = self.importances_mean, self.importances_std
        return html_table(
            ["feature", f"loss of {self.measure}", "±"],
            [(self.feature_names[j], Figure(mean[j], "+.4f"), Figure(spread[j])) for j in self._order()],
            f"{self.measure} is {self.value:.4f}; shuffling a feature takes away",
        )

    def _order(self) -> np.ndarray:
        return np.argsort(-self.importances_mean, kind="stable")


def permutation_importance(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    qid: Any = None,
    group: Any = None,
    measure: str | Measure | None = None,
    n_repeats: int = 5,
    random_state: int = 1,
) -> Importance:
    """How much a measure falls when the values of one feature are shuffled over all rows; queries stay as they are.

    scikit-learn's function of this name would shuffle the column ``qid``, too.

    Parameters
    ----------
    model
        A fitted `DormRanker`, or anything whose ``predict`` takes a float32 array of the features.
    X, y, qid, group
        Judged documents as for `DormRanker.fit`, best those that the model was not trained on. X is dense.
    measure
        None: the measure that the ranker trains for; ``"ndcg@10"`` for other models.
    n_repeats
        Shuffles of each feature.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=60, features=4, seed=1)
    >>> ranker = dorm.DormRanker().fit(data)
    >>> print(dorm.permutation_importance(ranker, data))
    feature      loss of ndcg@10
    column 2    +0.3... ± 0.0...
    column 0    +0.1... ± 0.0...
    column ...
    """
    given = read_input(X, y, qid, group)
    if not isinstance(given.features.values, np.ndarray):
        raise ValueError("X is sparse; shuffling would fill it: pass X.toarray(), or some of its columns")
    if n_repeats < 1:
        raise ValueError(f"n_repeats is {n_repeats}; expected at least 1")
    measure = getattr(model, "measure", "ndcg@10") if measure is None else measure
    queries = {"qid": given.qid, "group": given.group}
    values = np.array(given.features.values)

    def judged() -> float:
        scores = model.predict(values, **queries) if isinstance(model, DormRanker) else model.predict(values)
        return evaluate(given.y, scores, **queries, measures=measure, bootstrap=0).measures[0].mean

    names = given.features.names or list(given.names or getattr(model, "feature_names_in_", ()))
    names = names or [f"column {j}" for j in range(values.shape[1])]
    value, rng = judged(), np.random.default_rng(random_state)
    losses = np.empty((values.shape[1], n_repeats))
    for j in range(values.shape[1]):
        column = values[:, j].copy()
        for repeat in range(n_repeats):
            values[:, j] = rng.permutation(column)
            losses[j, repeat] = value - judged()
        values[:, j] = column
    return Importance(str(getattr(measure, "name", measure)), value, losses, [str(name) for name in names])
