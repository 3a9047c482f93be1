# SPDX-License-Identifier: Apache-2.0
"""Recommenders on the same ratings."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._compare import CellProgress, MethodComparison, _cells, _listed
from .._progress import watching
from .._threads import thread_count
from ._ratings import read_ratings, read_side


def compare(
    ratings: Any,
    *,
    methods: Sequence[str] | str = ("item-mean", "item-knn", "squared", "dorm"),
    measures: Sequence[str] | str = ("ndcg@10", "ndcg"),
    given: int | None = 10,
    share: float = 0.2,
    splits: int = 1,
    split_seed: int = 0,
    choose: bool = True,
    rank: int = 20,
    against: str = "",
    convention: str = "standard",
    item_features: Any = None,
    user_features: Any = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 1,
) -> MethodComparison:
    """Compare recommenders on the same ratings, as ``dorm compare --ratings`` does (docs/comparisons.md).

    Parameters
    ----------
    ratings, item_features, user_features
        As for `DormFactorization.fit`.
    methods
        Names of ``dorm.catalog("recommender")``, with ``:parameter`` or without.
    given, share
        Ratings of each user to train on, the others test; None: a ``share`` of all ratings tests.
    splits, split_seed
        How many, and the seed of the first. Values of a user are averaged over the splits.
    choose
        Parameters that are not spelled by held-out training ratings; False: their defaults.
    rank
        Of factorizations.
    measures, against, convention, out, progress
        As for `compare_methods`.

    Examples
    --------
    >>> import dorm, numpy as np
    >>> users, items = np.divmod(np.arange(30 * 25), 25)
    >>> stars = 1 + (users * items + items) % 5
    >>> compared = dorm.recommend.compare((users, items, stars), methods=["item-mean", "squared"], given=8)
    >>> compared["ideal"]["ndcg@10"].mean
    1.0
    """
    data = read_ratings(ratings)
    options = _core.RecommenderComparison()
    options.methods, options.measures = _listed(methods), _listed(measures)
    options.given, options.share = 0 if given is None else int(given), float(share)
    options.splits, options.split_seed, options.choose = int(splits), int(split_seed), bool(choose)
    options.rank, options.against, options.convention = int(rank), against, convention
    options.threads, options.seed, options.directory = thread_count(n_jobs), int(random_state), _cells(out)
    with watching(None, CellProgress(0), progress) as callback:
        core = _core.compare_recommenders(
            data.core,
            options,
            read_side(item_features, data.item_ids, "item"),
            read_side(user_features, data.user_ids, "user"),
            callback,
        )
    return MethodComparison._of(core.to_dict(), core.markdown(), core.csv(), core)
