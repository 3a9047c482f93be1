# SPDX-License-Identifier: Apache-2.0
"""Rankers of any kind as scores of the rows of a data set: models, runs, files of scores, arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._input.features import as_doubles
from ._rankers.ensemble import as_ranker
from .data._trec import Run, _run_of


def ranker_or_scores(given: Any, data: Any, what: str) -> tuple[Any, str, np.ndarray | None]:
    """The ranker, or what kind of other thing gave the scores, and these, row by row of ``data``.

    ``given``: what `as_ranker` takes, scores of the rows, a run (of which documents that it lacks have -infinity) or
    the file of one; ``data``: a `RankingData`; ``what`` it is, for messages.
    """
    if isinstance(given, (str, os.PathLike)) and (kind := _kind_of_file(given)) != "model":
        if kind == "run":
            return None, kind, _scores_of_run(_run_of(os.fspath(given)), data, what)
        given = np.loadtxt(given, ndmin=1)
    if isinstance(given, (Run, Mapping)):
        return None, "run", _scores_of_run(_run_of(given), data, what)
    if isinstance(given, (np.ndarray, list, tuple)) or type(given).__name__ == "Series":
        scores = as_doubles(given, what)
        if scores.shape != (len(data.qid),):
            raise ValueError(
                f"{what} has the shape {scores.shape}; expected one score for each of {len(data.qid)} rows"
            )
        if np.isnan(scores).any():
            raise ValueError(f"{what} has a NaN at row {int(np.flatnonzero(np.isnan(scores))[0])}; expected scores")
        return None, "scores", scores
    return as_ranker(given), "model", None


def _kind_of_file(path: Any) -> str:
    """By its first line: six fields are a run, one number is scores, anything else is left to readers of models."""
    with open(path, "rb") as file:
        fields = file.readline(4096).split()
    if len(fields) == 6 and fields[1] in (b"Q0", b"0", b"q0"):
        return "run"
    try:
        return "scores" if len(fields) == 1 and np.isfinite(float(fields[0])) else "model"
    except ValueError:
        return "model"


def _scores_of_run(run: Run, data: Any, what: str) -> np.ndarray:
    if data.document_ids is None:
        raise ValueError(f"{what} is a run, which names documents, and the data has no document_ids")
    score_of = dict(zip(zip(run.queries, run.documents), run.scores.tolist()))
    queries = [str(query) for query in np.asarray(data.qid).tolist()]
    scores = [score_of.get(key, -np.inf) for key in zip(queries, data.document_ids)]
    if not np.isfinite(scores).any():
        raise ValueError(f"{what} is a run without any document of the data; compare their queries and document_ids")
    return np.array(scores)


def name_of(given: Any, default: str) -> str:
    """What a ranker is called where nobody named it."""
    return Path(given).stem if isinstance(given, (str, os.PathLike)) else default
