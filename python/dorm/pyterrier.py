# SPDX-License-Identifier: Apache-2.0
"""A ranker as a stage of PyTerrier: ``pip install python-terrier``.

>>> import dorm, dorm.pyterrier                                                       # doctest: +SKIP
>>> features = bm25 >> (pt.transformer.IdentityTransformer() ** pl2 ** recency)       # doctest: +SKIP
>>> pipeline = features >> dorm.pyterrier.apply_dorm(dorm.DormRanker("ndcg@10"))      # doctest: +SKIP
>>> pipeline.fit(train_topics, qrels, valid_topics, qrels)                            # doctest: +SKIP
>>> pt.Experiment([bm25, pipeline], test_topics, qrels, ["ndcg_cut_10"])              # doctest: +SKIP

PyTerrier's own ``pt.ltr.apply_learned_model(ranker, form="ltr")`` fits a `DormRanker` as well, but does not tell
`predict` which documents belong to which query: it serves models without scaling within each query alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._rankers.ranker import DormRanker
from .fusion import FusionRanker, fuse

try:
    import pyterrier as pt
except ImportError as error:
    raise ImportError("dorm.pyterrier needs PyTerrier; install it with: pip install python-terrier") from error


class DormEstimator(pt.Estimator):
    """What `apply_dorm` makes. ``ranker`` is the `DormRanker`, before and after `fit`."""

    def __init__(self, ranker: DormRanker, **fit_arguments: Any) -> None:
        super().__init__()
        self.ranker = ranker
        self.fit_arguments = fit_arguments

    def fit(
        self,
        topics_and_results_Train: Any,
        qrelsTrain: Any,
        topics_and_results_Valid: Any = None,
        qrelsValid: Any = None,
    ) -> DormEstimator:
        """Train on documents with features, judged by ``qrelsTrain``; those without a judgment have label 0.

        Validation data is optional: candidates are judged by it, and ``early_stopping`` needs it.
        """
        X, y, qid = self._judged(topics_and_results_Train, qrelsTrain, "training")
        arguments = dict(self.fit_arguments)
        if topics_and_results_Valid is not None:
            if qrelsValid is None:
                raise ValueError("validation results without their judgments; pass qrelsValid, too")
            held_out, labels, arguments["eval_qid"] = self._judged(topics_and_results_Valid, qrelsValid, "validation")
            arguments["eval_set"] = (held_out, labels)
        self.ranker.fit(X, y, qid=qid, **arguments)
        return self

    def transform(self, inp: Any) -> Any:
        """The documents with their scores and ranks; all other columns stay, the features, too."""
        pt.validate.result_frame(inp, extra_columns=["features"], context=self)
        out = inp.copy()
        if len(out) == 0:
            out["score"] = np.empty(0)
            return pt.model.add_ranks(out)
        X = _stacked(out["features"])
        expected = getattr(self.ranker, "n_features_in_", X.shape[1])  # predict says it where nothing was fitted
        if X.shape[1] != expected:
            raise ValueError(
                f"{X.shape[1]} features per document, but the ranker was fitted on {expected}: did the stages "
                "before it change since fit?"
            )
        out["score"] = self.ranker.predict(X, qid=out["qid"])
        return pt.model.add_ranks(out)

    def transform_outputs(self, inp_cols: list[str]) -> list[str]:
        """The columns of what `transform` returns, for PyTerrier's inspection of pipelines."""
        pt.validate.result_frame(inp_cols, extra_columns=["features"], context=self)
        return [*(column for column in inp_cols if column not in ("score", "rank")), "score", "rank"]

    def _judged(self, results: Any, qrels: Any, what: str) -> tuple[np.ndarray, np.ndarray, Any]:
        pt.validate.result_frame(results, extra_columns=["features"], context=self)
        if len(results) == 0:
            raise ValueError(f"no {what} documents: the stages before the ranker found none")
        keys = ["qid", "docno"]
        twice = qrels.duplicated(keys)
        if twice.any():
            query, document = qrels.loc[twice, keys].iloc[0]
            raise ValueError(f"document {document} of query {query} has two judgments in the {what} judgments")
        judged = results[keys].merge(qrels[[*keys, "label"]], on=keys, how="left")
        if judged["label"].isna().all():
            raise ValueError(f"none of the {what} documents is judged: do qid and docno mean the same in both?")
        return _stacked(results["features"]), judged["label"].fillna(0).to_numpy(np.float32), results["qid"]

    def __repr__(self) -> str:
        return f"DormEstimator({self.ranker!r})"


class FusionEstimator(pt.Estimator):
    """What `fuse_dorm` makes. ``ranker`` is the `FusionRanker`, before and after `fit`."""

    def __init__(self, retrievers: Sequence[Any], ranker: FusionRanker) -> None:
        super().__init__()
        self.retrievers = list(retrievers)
        self.ranker = ranker

    def fit(
        self,
        topics_and_results_Train: Any,
        qrelsTrain: Any,
        topics_and_results_Valid: Any = None,
        qrelsValid: Any = None,
    ) -> FusionEstimator:
        """Learn the weights of the retrievers from the judged queries; validation data is not used."""
        self.ranker.fit(self._lists(topics_and_results_Train), qrelsTrain)
        return self

    def transform(self, inp: Any) -> Any:
        """The queries with the documents of all retrievers, fused; those of one that was not fitted: equal weights."""
        lists = self._lists(inp)
        run = self.ranker.fuse(lists) if hasattr(self.ranker, "weights_") else fuse(lists, scale=self.ranker.scale).run
        fused = run.to_frame().rename(columns={"query": "qid", "document": "docno"})
        queries = inp[[column for column in ("qid", "query") if column in inp.columns]].drop_duplicates("qid")
        return pt.model.add_ranks(queries.astype({"qid": str}).merge(fused, on="qid"))

    def transform_outputs(self, inp_cols: list[str]) -> list[str]:
        """The columns of what `transform` returns, for PyTerrier's inspection of pipelines."""
        return [*(column for column in ("qid", "query") if column in inp_cols), "docno", "score", "rank"]

    def _lists(self, topics: Any) -> dict[str, Any]:
        return {
            f"run{number}": retriever.transform(topics)[["qid", "docno", "score"]]
            for number, retriever in enumerate(self.retrievers, 1)
        }

    def __repr__(self) -> str:
        return f"FusionEstimator({len(self.retrievers)} retrievers, {self.ranker!r})"


def fuse_dorm(retrievers: Sequence[Any], ranker: FusionRanker | None = None) -> FusionEstimator:
    """A stage that fuses retrievers, and learns their weights by `fit`.

    >>> hybrid = dorm.pyterrier.fuse_dorm([bm25, dense])                                  # doctest: +SKIP
    >>> hybrid.fit(train_topics, qrels)                                                   # doctest: +SKIP
    """
    return FusionEstimator(retrievers, ranker or FusionRanker())


def apply_dorm(ranker: DormRanker | str | os.PathLike[str] | None = None, **fit_arguments: Any) -> DormEstimator:
    """A stage that re-ranks documents by their column ``features``, within their queries, and learns by `fit`.

    Parameters
    ----------
    ranker
        A `DormRanker`, fitted or not, or the file of a model; None: ``DormRanker()``.
    fit_arguments
        Passed on to `DormRanker.fit`: ``feature_names``, ``callbacks``, ``progress``, ...
    """
    if ranker is None:
        ranker = DormRanker()
    elif not isinstance(ranker, DormRanker):
        ranker = DormRanker.load(ranker)
    return DormEstimator(ranker, **fit_arguments)


def _stacked(column: Any) -> np.ndarray:
    rows = [np.atleast_1d(np.asarray(row, dtype=np.float32)) for row in column]
    sizes = {row.shape for row in rows}
    if len(sizes) > 1:
        raise ValueError(f"documents with {sorted(sizes)[0]} and {sorted(sizes)[-1]} features; expected one number")
    return np.stack(rows)
