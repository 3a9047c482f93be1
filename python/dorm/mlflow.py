# SPDX-License-Identifier: Apache-2.0
"""The MLflow flavour of rankers: ``pip install mlflow-skinny pandas``.

>>> import dorm.mlflow                                                                # doctest: +SKIP
>>> dorm.mlflow.log_model(ranker, name="ranker")                                      # doctest: +SKIP
>>> served = mlflow.pyfunc.load_model("models:/shop/1")                               # doctest: +SKIP
>>> served.predict(frame)  # columns by feature, and qid                              # doctest: +SKIP

A saved model is the folder of ``dorm export --to mlflow``, which MLflow loads with or without this package. This module
is the loader that the folder names. MLflow is imported where it is needed: loading does without.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._input.columns import ColumnRules
from ._rankers.ranker import DormRanker
from ._tables import pandas_for

FLAVOR_NAME = "dorm"
_QUERIES = "qid"


def save_model(
    ranker: DormRanker,
    path: str | os.PathLike[str],
    mlflow_model: Any = None,
    *,
    signature: Any = None,
    input_example: Any = None,
    metadata: Mapping[str, Any] | None = None,
    pip_requirements: Sequence[str] | None = None,
) -> None:
    """Write a folder that MLflow loads.

    Parameters
    ----------
    ranker
        A fitted `DormRanker`.
    path
        The folder, which must be new or empty.
    mlflow_model
        The ``mlflow.models.Model`` that this becomes a flavour of; `log_model` passes it.
    signature
        None: a double per feature, and ``qid``, which models that scale within each query need. False: none.
    input_example
        Some rows as `predict` of the loaded model takes them.
    metadata
        More of it; measure, convention, scaling and fingerprint of the data are there.
    pip_requirements
        Lines of ``requirements.txt``. None: this package, MLflow and pandas.
    """
    mlflow = _mlflow_for("save_model")
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} exists; expected a folder that is new or empty")
    ranker.export("mlflow", folder)
    written = mlflow.models.Model.load(str(folder / "MLmodel"))
    model = mlflow.models.Model() if mlflow_model is None else mlflow_model
    written.flavors["python_function"]["python_version"] = platform.python_version()
    for name, settings in written.flavors.items():
        model.add_flavor(name, **settings)
    model.metadata = {**written.metadata, **(model.metadata or {}), **(metadata or {})}
    if signature is not False:
        model.signature = written.signature if signature is None else signature
    if input_example is not None:
        from mlflow.models.utils import _save_example

        _save_example(model, input_example, str(folder))
    if pip_requirements is not None:
        (folder / "requirements.txt").write_text("".join(f"{line}\n" for line in pip_requirements))
    model.save(str(folder / "MLmodel"))


def log_model(ranker: DormRanker, name: str = "model", **arguments: Any) -> Any:
    """`save_model` as an artifact of the active run of MLflow; returns its ``ModelInfo``.

    ``arguments`` are those of `save_model` and of ``mlflow.models.Model.log``: ``registered_model_name``, ``tags``, ...
    """
    model = _mlflow_for("log_model").models.Model
    return model.log(artifact_path=None, name=name, flavor=sys.modules[__name__], ranker=ranker, **arguments)


def load_model(model_uri: str | os.PathLike[str], dst_path: str | None = None) -> DormRanker:
    """The ranker of a model that was saved or logged here, or exported by the command."""
    mlflow = _mlflow_for("load_model")
    from mlflow.tracking.artifact_utils import _download_artifact_from_uri

    folder = Path(_download_artifact_from_uri(artifact_uri=os.fspath(model_uri), output_path=dst_path))
    flavors = mlflow.models.Model.load(str(folder / "MLmodel")).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(f"{model_uri} has no flavour {FLAVOR_NAME}; it has {', '.join(sorted(flavors))}")
    return DormRanker.load(folder / flavors[FLAVOR_NAME]["data"])


class PythonFunction:
    """What ``mlflow.pyfunc.load_model`` wraps: scores of the rows of a data frame, or of an array in its order."""

    def __init__(self, ranker: DormRanker) -> None:
        names = ranker.model_.features
        ranker.feature_names_in_, ranker.n_features_in_ = np.array(names, dtype=object), len(names)
        ranker._adopt(ranker.model_)
        self.ranker = ranker

    def predict(self, model_input: Any, params: Mapping[str, Any] | None = None) -> np.ndarray:
        """The scores; a column ``qid``, where there is one, holds the queries."""
        pandas, names = pandas_for("dorm.mlflow"), list(self.ranker.feature_names_in_)
        if isinstance(model_input, np.ndarray) and model_input.ndim == 2 and model_input.shape[1] == len(names):
            model_input = pandas.DataFrame(model_input, columns=names)
        frame = pandas.DataFrame(model_input).rename(columns=str)
        rules = ColumnRules(fitted=self.ranker.model_.input["encodings"])
        names = names if set(names) <= set(frame.columns) else rules.sources(names)
        missing = [name for name in names if name not in frame.columns]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise ValueError(f"no columns for the features {', '.join(map(repr, missing[:5]))}{more}")
        if _QUERIES in frame.columns:
            return self.ranker.predict(frame[[*names, _QUERIES]])
        if self.ranker.model_.scaled_per_query:
            raise ValueError(
                f"this model scales features within each query ({self.ranker.model_.scaling}), so the queries must be "
                f'known; expected a column "{_QUERIES}" beside the features'
            )
        return self.ranker.predict(frame[names])


def _load_pyfunc(path: str) -> PythonFunction:
    """MLflow calls this with the file of the model, or the folder around it."""
    return PythonFunction(DormRanker.load(Path(path) / "model.json" if os.path.isdir(path) else path))


def _mlflow_for(what: str) -> Any:
    try:
        import mlflow
        import mlflow.models
    except ImportError as error:
        raise ImportError(
            f"dorm.mlflow.{what} needs MLflow; install it with: pip install mlflow-skinny pandas"
        ) from error
    return mlflow
