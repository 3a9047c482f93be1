# SPDX-License-Identifier: Apache-2.0
"""What a fitted ranker shows and writes: weights, explanations, pages and files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _core
from .._curves import curve_points
from .._explain import Explanation, scaled_columns, spread_columns
from .._export import ExportCheck, checked_export, write_export
from .._options import setting
from .._pages import ReportData, page_at
from .._threads import thread_count


class Inspection:
    """To be mixed in by rankers whose ``model_`` is a model of the core."""

    def explain(self, X: Any, *, qid: Any = None, group: Any = None) -> Any:
        """The contributions of features to scores: an `Explanation`, an array like X whose rows sum to the scores.

        Scores are sums over scaled features or their curves, so this is exact. A plain sparse matrix for sparse X
        without scaling, and where few of many columns occur.

        >>> import dorm, numpy as np
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker().fit(data)
        >>> np.allclose(ranker.explain(data).sum(axis=1), ranker.predict(data))
        True
        """
        given = self._checked(X, qid, group)
        if self.model_.kernel != "none":
            raise ValueError("only a linear model has contributions of features; this one has a kernel")
        data, queries = self._prepared(given)
        columns, weights = self._weighted_columns()
        curved = self.model_.kind == "curves"
        if not data.dense and self.model_.scaling == "none" and not curved:
            from scipy import sparse

            return scaled_columns(sparse.csr_matrix(given.features.values, dtype=np.float64), columns, weights)
        if curved:
            parts = self.model_.contributions(data, thread_count(self.n_jobs))[0].reshape(-1, len(weights))
        else:
            parts = self.model_.scaled_rows(data).reshape(data.num_documents, len(weights)) * weights
        parts = queries.unsorted(parts)
        if len(weights) != self.n_features_in_:
            return spread_columns(parts, columns, self.n_features_in_)
        return Explanation(parts, self._names() or [f"column {j}" for j in range(parts.shape[1])])

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
    ) -> Any:
        """Write a page about the model, as ``dorm train --report`` does, and return its path.

        Parameters
        ----------
        path
            ``.html`` (one file that needs nothing else), ``.md`` or ``.csv``. None: return a `Page`, which a notebook
            shows.
        X, y, qid, group
            Documents with labels for the report. None: the data of `fit`, which the ranker holds until it is pickled; a
            loaded ranker needs them.

        >>> import dorm, pathlib, tempfile
        >>> ranker = dorm.DormRanker(C=10).fit(dorm.synth(queries=30, features=5, seed=1))
        >>> ranker.report(pathlib.Path(tempfile.mkdtemp()) / "m.html").name
        'm.html'
        """
        check_is_fitted(self)
        training = getattr(self, "_training", None)
        if X is not None:
            given = self._checked(X, qid, group, y)
            training = ReportData(
                _core.Training.of(self.model_, given.labelled(self._names(), setting(self, "unjudged")).dataset)
            )
        if training is None:
            raise ValueError("the ranker does not store the training data; pass X, y and qid= for the report")
        return page_at(training.page("the training data" if X is None else "the data", "the validation data"), path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as JSON, as ``dorm train`` does; ``dorm rank`` and `load` read it."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def export(
        self,
        to: str,
        path: str | os.PathLike[str] | None = None,
        *,
        features: str | os.PathLike[str] | None = None,
        name: str = "dorm",
        names: Mapping[str, str] | None = None,
        fold: bool = False,
        non_negative: bool = False,
    ) -> Any:
        """Write the model for a search engine or another tool, as ``dorm export`` does (docs/deploy.md).

        Parameters
        ----------
        to
            A name of ``dorm.catalog("target")``, such as ``"solr"``, ``"onnx"`` or ``"sql"``.
        path
            File to write, or folder for targets that are folders. None: return the text, or bytes.
        features
            File to write with the definitions of the features that the target needs before the model.
        name
            Of the model in the engine.
        names
            The names of features in the target, by feature; others keep their names.
        fold
            Fold the scaling into the weights also where the target has normalisers of its own.
        non_negative
            No negative score for features within their range in training.

        >>> import dorm
        >>> ranker = dorm.DormRanker(scale="none").fit(dorm.synth(queries=30, features=3, seed=1))
        >>> print(ranker.export("sql", names={"1": "bm25"}))
        (... * COALESCE("bm25", 0)...
        """
        check_is_fitted(self)
        return write_export(self.model_, to, path, features, name, names, fold, non_negative)

    def check_export(
        self,
        to: str,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        names: Mapping[str, str] | None = None,
        fold: bool = False,
        non_negative: bool = False,
    ) -> ExportCheck:
        """Compare scores and rankings, computed as the target computes them, with those of the ranker.

        >>> import dorm
        >>> data = dorm.synth(queries=30, features=3, seed=1)
        >>> ranker = dorm.DormRanker(scale="zscore").fit(data)
        >>> ranker.check_export("sql", data).changed_queries
        0
        """
        return checked_export(self, to, self._checked(X, qid, group, y), names, fold, non_negative)

    @property
    def coef_(self) -> np.ndarray:
        """The weights by column of X, made when asked for."""
        if not hasattr(self, "model_") or self.model_.kernel != "none":
            raise AttributeError("coef_ exists only after fit, for a linear ranker")
        columns, weights = self._weighted_columns()
        return self._by_column(columns, weights)

    @property
    def curves_(self) -> dict[str, np.ndarray]:
        """Of a ranker with curves: by feature, rows of a scaled value and what it adds to a score, 0 at the median.

        Between the rows of a curve of lines it is a straight line; a curve of steps has two rows at every step.
        """
        if not hasattr(self, "model_"):
            raise AttributeError("curves_ exists only after fit")
        return curve_points(self.model_)

    def plot_curves(self, features: Sequence[str] | None = None, *, top: int = 12) -> Any:
        """Draw `curves_`: those of ``features``, or the ``top`` of the largest range. See `dorm.plot.curves`."""
        from ..plot import curves

        return curves(self, features, top=top)

    @property
    def intercept_(self) -> float:
        """0, where ``predict(X)`` is ``X @ coef_``: for a linear ranker without scaling, which is what tools such as
        SHAP's LinearExplainer look for. Elsewhere they take ``ranker.linear_form()``."""
        coefficients = self.coef_  # for its message where there are none
        if self.model_.scaling != "none":
            raise AttributeError(
                f"no intercept_: features are scaled ({self.model_.scaling}), so that scores are not X @ coef_; ask "
                "ranker.linear_form(), or ranker.explain(X), which is exact for every scaling"
            )
        return coefficients.dtype.type(0)

    def linear_form(self) -> tuple[np.ndarray, float]:
        """``(coef, intercept)`` of the features as they are: ``predict(X)`` is ``X @ coef + intercept``.

        For a linear ranker whose scaling folds into its weights: ``"none"``, ``"zscore"`` or ``"minmax"``. It is what
        SHAP's LinearExplainer takes as a model.

        >>> import dorm, numpy as np
        >>> data = dorm.synth(queries=50, features=5, seed=1)
        >>> ranker = dorm.DormRanker(scale="zscore").fit(data)
        >>> coef, intercept = ranker.linear_form()
        >>> np.allclose(data.X @ coef + intercept, ranker.predict(data))
        True
        """
        check_is_fitted(self)
        model = self.model_
        if model.kernel != "none":
            raise ValueError(f"the model has a kernel ({model.kernel}), so that scores are not linear in X")
        if model.scaling not in ("none", "zscore", "minmax"):
            why = "depends on the other documents of the query" if model.scaled_per_query else "takes logarithms"
            raise ValueError(
                f"the model scales features by {model.scaling}, which {why}, so that scores are not linear in X; ask "
                'ranker.explain(X), which is exact, or fit with scale="zscore", "minmax" or "none"'
            )
        intercept = 0.0
        columns, weights = self._weighted_columns()
        if model.scaling != "none":
            weights = weights * model.factor
            intercept = -float(weights @ model.shift)
        return self._by_column(columns, weights), intercept

    @property
    def feature_statistics_(self) -> dict[str, np.ndarray]:
        """Minimum, maximum and mean of every column of the training data, before scaling."""
        statistics = self.model_.statistics if hasattr(self, "model_") else None
        if statistics is None:
            raise AttributeError("feature_statistics_ exists only after fit")
        columns = self._columns()
        return {name: self._by_column(columns, numbers) for name, numbers in statistics.items()}

    def _weighted_columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns of X that have a weight, and those; of wide sparse data only columns that occur have one."""
        return self._columns(), self.model_.weights

    def _columns(self) -> np.ndarray:
        """The column of X of each feature of the model."""
        features, names = self.model_.features, self._names()
        if len(features) == self.n_features_in_:
            return np.arange(len(features))
        column = {name: j for j, name in enumerate(names or [])}
        return np.array([column[name] if names else int(name) - 1 for name in features])

    def _by_column(self, columns: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Numbers of these columns of X among zeros."""
        spread = np.zeros(self.n_features_in_)
        spread[columns] = numbers
        return spread
