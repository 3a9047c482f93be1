# SPDX-License-Identifier: Apache-2.0
"""Trees that another library grew, and weighted sums of rankers, as rankers."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .._explain import Explanation
from .._export import ExportCheck, checked_export, write_export
from .._threads import thread_count
from .inputs import RankerInputs


class DormEnsemble(RankerInputs):
    """A model of trees, or the weighted sum of several rankers: loaded, or tuned by `fit`.

    Scores are those of the library that grew the trees before any transformation of its objective: of LightGBM
    ``predict(raw_score=True)``, of XGBoost ``predict(output_margin=True)``, of CatBoost ``RawFormulaVal``. Missing
    values (NaN) go where the library sends them.

    Parameters
    ----------
    *models
        Files (of DORM, LightGBM, XGBoost, CatBoost or RankLib), fitted `DormRanker` or `DormEnsemble`, a ``Booster`` of
        LightGBM or XGBoost, ``LGBMRanker``, ``XGBRanker`` and their relatives, ``CatBoostRanker`` and its relatives,
        trees of scikit-learn (by ``skl2onnx``). None at all: an ensemble to `fit`. Columns of categories of a pandas
        frame are read with the codes that LightGBM or XGBoost gave them.
    weights
        What the scores of each are multiplied by before they are summed; None: 1 for one model.

    Attributes
    ----------
    model_
        The model.
    n_features_in_, feature_names_in_
        Its features; names only where the library knows them.

    Examples
    --------
    >>> import dorm
    >>> data = dorm.synth(queries=30, features=3, seed=1)
    >>> first, second = (dorm.DormRanker(C=C, scale="none").fit(data) for C in (1, 100))
    >>> both = dorm.DormEnsemble(first, second, weights=[0.5, 0.5])
    >>> bool(abs(both.predict(data) - (first.predict(data) + second.predict(data)) / 2).max() < 1e-6)
    True
    """

    unjudged = "grade"
    convention = "standard"

    def __init__(self, *models: Any, weights: Sequence[float] | None = None) -> None:
        if not models:
            return
        if weights is None and len(models) > 1:
            raise ValueError(f"{len(models)} models without weights; pass weights=, one for each")
        cores = [core_model(each) for each in models]
        self._categories = categories_of(models[0]) if len(models) == 1 else None
        self._adopt(cores[0] if weights is None else _core.weighted_sum(cores, [float(each) for each in weights]))

    def _adopt(self, model: _core.Model) -> None:
        self.model_ = model
        self._reading = model.input
        self.missing = model.input["missing"]
        self.measure = model.measure or "ndcg@10"
        self.n_features_in_ = len(model.features)
        if not model.by_number:
            self.feature_names_in_ = np.array(model.features, dtype=object)

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        qid: Any = None,
        group: Any = None,
        eval_set: Any = None,
        eval_qid: Any = None,
        eval_group: Any = None,
        **parameters: Any,
    ) -> DormEnsemble:
        """Tune linear rankers and trees, as ``dorm.tune(..., trees=True)``; its result becomes ``tuning_``.

        ``parameters`` are those of `dorm.tune`, such as ``measure``, ``folds``, ``only="trees"`` or ``time_limit``. It
        needs LightGBM (``pip install lightgbm``).
        """
        from .._tune import tune

        sets = {"eval_set": eval_set, "eval_qid": eval_qid, "eval_group": eval_group}
        self.tuning_ = tune(X, y, qid=qid, group=group, **sets, trees=True, **parameters)
        self._adopt(self.tuning_.ranker.model_)
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> DormEnsemble:
        """The model of a file."""
        return cls(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one JSON file of DORM, which every verb reads."""
        self.model_.save(os.fspath(path))

    def predict(self, X: Any, *, qid: Any = None, group: Any = None, n_jobs: int | None = None) -> np.ndarray:
        """One score per row; larger ranks first. Queries matter where a part of a sum scales features within them."""
        given = self._checked(X, qid, group)
        data, queries = given.unlabelled(self._names(), given.grouped)
        return queries.unsorted(self.model_.score(data, thread_count(n_jobs)))

    def explain(self, X: Any, *, qid: Any = None, group: Any = None, n_jobs: int | None = None) -> Explanation:
        """What each feature adds to each score: exact Shapley values of trees (path-dependent TreeSHAP).

        Rows sum to the score less ``base_value``, an attribute of the result.
        """
        given = self._checked(X, qid, group)
        data, queries = given.unlabelled(self._names(), given.grouped)
        found = self.model_.contributions(data, thread_count(n_jobs))
        if found is None:
            raise ValueError(
                "scores of this model are no sums over features: it has a kernel, or trees whose file does not say how "
                "many training documents reached each node"
            )
        values = np.empty((given.rows, len(self.model_.features)))
        values[slice(None) if queries.order is None else queries.order] = found[0].reshape(values.shape)
        explanation = Explanation(values, self.model_.features)
        explanation.base_value = found[1]
        return explanation

    def export(
        self,
        to: str,
        path: str | os.PathLike[str] | None = None,
        *,
        features: str | os.PathLike[str] | None = None,
        name: str = "dorm",
        names: Mapping[str, str] | None = None,
    ) -> Any:
        """Write the model for a search engine or another tool; arguments as for `DormRanker.export`."""
        return write_export(self.model_, to, path, features, name, names, False, False)

    def check_export(
        self, to: str, X: Any, y: Any = None, *, qid: Any = None, group: Any = None, names: Any = None
    ) -> ExportCheck:
        """As `DormRanker.check_export`."""
        return checked_export(self, to, self._checked(X, qid, group, y), names, False, False)

    def _checked(self, *given: Any, **more: Any) -> Any:
        if not hasattr(self, "model_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("this DormEnsemble has no models; call fit, or make one of models")
        X, *rest = given
        return super()._checked(self._as_grown(X), *rest, **more)

    def _as_grown(self, X: Any) -> Any:
        """A data frame of pandas as the library that grew the trees reads it: categories are codes, in the order that
        they had in training, and LightGBM has no blanks in names."""
        trees = self.model_.trees
        if not trees or not hasattr(X, "select_dtypes"):
            return X
        if trees["library"] == "lightgbm" and any(re.search(r"\s", str(name)) for name in X.columns):
            X = X.rename(columns=lambda name: re.sub(r"\s", "_", str(name)))
        known = getattr(self, "_categories", None)
        if not known:
            return X
        if isinstance(known, list):  # LightGBM's: of the columns of categories, in their order
            columns = [name for name in X.columns if str(X[name].dtype) == "category"]
            if len(columns) != len(known):
                raise ValueError(f"{len(columns)} columns of X are categories; the model was trained on {len(known)}")
            known = dict(zip(columns, known))
        codes = {name: _codes(X[name], kinds) for name, kinds in known.items() if name in X.columns}
        return X.assign(**{str(name): each for name, each in codes.items()})

    def __repr__(self) -> str:
        if not hasattr(self, "model_"):
            return "DormEnsemble()"
        trees = self.model_.trees
        if trees:
            return f"DormEnsemble({trees['trees']} trees of {trees['library']}, {self.n_features_in_} features)"
        return f"DormEnsemble({self.model_.kind} of {max(1, len(self.model_.parts))}, {self.n_features_in_} features)"


def core_model(model: Any) -> _core.Model:
    """The model of a file, of a ranker, or of an object of another library."""
    if isinstance(model, _core.Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        return _core.Model.load(os.fspath(model))
    if isinstance(getattr(model, "model_", None), _core.Model):
        return model.model_
    library = type(model).__module__.partition(".")[0]
    if library == "lightgbm":
        booster = getattr(model, "booster_", model)
        return _core.Model.from_bytes(booster.model_to_string().encode(), "lightgbm")
    if library == "xgboost":
        return _core.Model.from_bytes(bytes(_xgboost_trees(model).save_raw("ubj")), "xgboost")
    if library == "sklearn":
        return _core.Model.from_bytes(_onnx_of(model), "scikit-learn")
    if library == "catboost":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            model.save_model(str(path), format="json")
            return _core.Model.load(str(path))
    raise TypeError(
        f"{type(model).__name__} is no ranker that is known here; expected a file, a ranker of DORM, or a model of "
        "LightGBM, XGBoost, CatBoost or scikit-learn"
    )


def categories_of(model: Any) -> Any:
    """Of a model that was trained on columns of categories of a data frame: LightGBM's in the order of these columns,
    XGBoost's by name; None: of no such model."""
    library = type(model).__module__.partition(".")[0]
    if library == "lightgbm":
        return getattr(model, "booster_", model).pandas_categorical or None
    if library == "xgboost":
        booster = _xgboost_trees(model)
        if "c" not in (booster.feature_types or []) or booster.feature_names is None:
            return None
        told = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]
        told = told.get("gbtree", told)["model"].get("cats", {}).get("enc", [])
        return {name: _texts(each) for name, each in zip(booster.feature_names, told) if each["values"]} or None
    if isinstance(model, (str, os.PathLike)) and os.path.isfile(model):
        with open(model, "rb") as file:
            if not file.read(5).startswith(b"tree"):
                return None
            file.seek(max(0, os.path.getsize(model) - _TAIL))
            found = re.search(rb"^pandas_categorical:(.*)$", file.read(), re.MULTILINE)
        return (json.loads(found[1]) or None) if found else None
    return None


_TAIL = 1 << 20  # bytes of a file of LightGBM that end with the categories


def _texts(encoded: dict[str, list[int]]) -> list[str]:
    """XGBoost's list of texts: bytes, and where each begins; numbers are as they are."""
    if not encoded.get("offsets"):
        return encoded["values"]
    text, ends = bytes(byte % 256 for byte in encoded["values"]), encoded["offsets"]
    return [text[begin:end].decode() for begin, end in zip(ends, ends[1:])]


def _codes(column: Any, kinds: list[Any]) -> np.ndarray:
    """The place of every value among those of the training data; NaN for others and for gaps."""
    place = {kind: float(code) for code, kind in enumerate(kinds)}
    return np.array([place.get(value, np.nan) for value in column])


def _onnx_of(model: Any) -> bytes:
    try:
        import skl2onnx
    except ImportError:
        raise ImportError("models of scikit-learn are read as ONNX; pip install skl2onnx") from None
    onnx = skl2onnx.to_onnx(model, np.zeros((1, model.n_features_in_), np.float32)).SerializeToString()
    if b"TreeEnsemble" not in onnx:
        raise TypeError(f"{type(model).__name__} of scikit-learn has no trees; expected trees of a regression")
    return onnx


def _xgboost_trees(model: Any) -> Any:
    """The booster whose trees predict: those up to the best round where training stopped early."""
    if not hasattr(model, "get_booster"):
        return model
    booster = model.get_booster()
    best = getattr(booster, "best_iteration", None) if booster.attr("best_iteration") is not None else None
    return booster if best is None else booster[: best + 1]


def as_ranker(model: Any) -> Any:
    """A ranker of DORM as it is; a file or an object of another library as one."""
    if isinstance(getattr(model, "model_", None), _core.Model):
        return model
    core = core_model(model)
    if core.kind in ("trees", "sum"):
        ensemble = DormEnsemble(core)
        ensemble._categories = categories_of(model)
        return ensemble
    from .ranker import DormRanker

    return DormRanker.load(model)
