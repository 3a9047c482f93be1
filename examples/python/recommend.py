#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recommend films: train for the top of every user's list, judge it, fold in somebody new, find what is alike.

recommend.py [RATINGS [ITEM_FEATURES]]      e.g. u.data.gz and u.item of MovieLens-100K; without: made up here
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import dorm


def make_up(users: int = 300, items: int = 120) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings 1 to 5 by quality and taste; three kinds of films, of which everybody likes one best."""
    rng = np.random.default_rng(1)
    kind, quality = np.arange(items) % 3, rng.normal(scale=0.7, size=items)
    user = np.repeat(np.arange(users), 30)
    item = np.concatenate([rng.permutation(items)[:30] for _ in range(users)])
    score = 3 + quality[item] + 1.2 * (kind[item] == user % 3) - 0.4 + rng.normal(scale=0.8, size=len(user))
    return user, np.array([f"film {j} of kind {j % 3}" for j in item]), np.clip(np.rint(score), 1, 5)


def split(user: np.ndarray, given: int, seed: int = 1) -> np.ndarray:
    """True for `given` random ratings of each user."""
    place = np.random.default_rng(seed).permutation(len(user))
    order = np.lexsort((place, user))
    first = np.r_[0, np.flatnonzero(np.diff(user[order])) + 1]
    rank = np.arange(len(user)) - np.repeat(first, np.diff(np.r_[first, len(user)]))
    chosen = np.zeros(len(user), dtype=bool)
    chosen[order[rank < given]] = True
    return chosen


def main() -> None:
    if len(sys.argv) > 1:
        user, item, stars = np.loadtxt(sys.argv[1], usecols=(0, 1, 2), dtype=int).T
    else:
        user, item, stars = make_up()
    features = sys.argv[2] if len(sys.argv) > 2 else None
    train = split(user, 20)
    given, held_out = (user[train], item[train], stars[train]), (user[~train], item[~train], stars[~train])

    start = dorm.recommend.DormFactorization(rank=10, rounds=0).fit(given, item_features=features)
    ours = dorm.recommend.DormFactorization(rank=10).fit(given, item_features=features)
    before, after = (model.evaluate(held_out, "ndcg@10") for model in (start, ours))
    print(f"squared loss    NDCG@10 {before['ndcg@10'].mean:.4f}")
    print(f"DORM, 2 rounds  NDCG@10 {after['ndcg@10'].mean:.4f}")
    print(f"difference      {dorm.compare(after, before)}")

    one = user[0]
    print(f"\nfor user {one}: " + ", ".join(map(str, ours.recommend(one, n=3).items)))
    favourite = ours.recommend(one, n=1).items[0]
    print(f"like {favourite}: " + ", ".join(map(str, ours.similar_items(favourite, n=3).items)))

    rows = user == one
    ours.fold_in((["new user"] * rows.sum(), item[rows], stars[rows]))
    print("new user who rated the same: " + ", ".join(map(str, ours.recommend("new user", n=3).items)))

    with tempfile.TemporaryDirectory() as folder:
        ours.save(Path(folder) / "model.factors")  # dorm recommend top reads it, too
        again = dorm.recommend.DormFactorization.load(Path(folder) / "model.factors")
    pairs = zip(again.recommend(n=5), ours.recommend(n=5))
    print(f"the saved model and this one agree on all lists: {all((a.items == b.items).all() for a, b in pairs)}")


if __name__ == "__main__":
    main()
