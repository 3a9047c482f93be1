#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One ranking for everybody, or one for each user: phi(document, user), columns of users times columns of documents.

    personalised.py [FOLDER]

FOLDER holds MovieLens 100K (u.data.gz, u.user.gz, u.item.gz); without it there are generated users alone. All users
that are judged are new to the ranker: it knows columns of theirs, no ranking. In MovieLens these are age, gender and
occupation, and the taste that a half of their ratings shows; the other half is ranked.

The negative cases are shown as well: generated users who all want the same, where personal columns can only add noise;
what age, gender and occupation are worth alone; and cold users, of whom nothing is known and whose columns are 0.
"""

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import dorm

MOVIELENS = Path(os.environ.get("DORM_DATA", "../shared/data")) / "movielens-100k"
EXACT = "cholesky:1000"  # a product of linear kernels of u and d columns has u d features at most; none is lost
SIZES = (10, 100, 1000)  # of C
EVERYBODY = "linear(item:*)"
EACH = EVERYBODY + " + linear(user:*) * linear(item:*)"


def part(data, rows):
    return dorm.RankingData(X=data.X[rows], y=data.y[rows], qid=data.qid[rows], feature_names=data.feature_names)


def fitted(train, kernel):
    """C is chosen on a quarter of the users."""

    def fit(data, size):
        return dorm.DormRanker(
            "ndcg@10", C=size, kernel=kernel, solver_options={"approximation": EXACT}, scale="none"
        ).fit(data)

    held = np.isin(train.qid, np.unique(train.qid)[::4])
    best = max(SIZES, key=lambda size: judged(fit(part(train, ~held), size), part(train, held)).mean())
    return fit(train, best)


def judged(ranker, data):
    """NDCG@10 by user."""
    result = dorm.evaluate(data.y, ranker.predict(data), qid=data.qid, measures="ndcg@10")["ndcg@10"].per_query
    return np.nan_to_num(np.asarray(result), nan=1.0)  # nothing to order


def show(figures, base="for everybody"):
    for name, values in figures.items():
        against = "" if name == base else f"   {dorm.compare(values, figures[base])}"
        print(f"  {name:34} {np.mean(values):.4f}{against}")
    print()


# ---- generated users


def generated(personal, seed=1, users=120, documents=30):
    """Items with five columns and users with three, who agree on what is good but for `personal` times their taste."""
    rng = np.random.default_rng(seed)
    common, own = rng.normal(size=5), rng.normal(size=(3, 5)) / np.sqrt(3)
    who = rng.normal(size=(users, 3))
    X = rng.normal(size=(users * documents, 5))
    qid = np.repeat(np.arange(users), documents)
    worth = X @ common + personal * ((who @ own)[qid] * X).sum(axis=1) + rng.normal(size=len(X))
    labels = np.digitize(worth, np.quantile(worth, [0.5, 0.75, 0.9, 0.97])).astype(np.float32)
    items = dorm.RankingData(X=X, y=labels, qid=qid, feature_names=[f"item:{j}" for j in range(5)])
    table = pd.DataFrame(who, columns=["a", "b", "c"]).assign(user=np.arange(users))
    return dorm.data.with_user_features(items, table)


def report_generated(personal):
    data = generated(personal)
    train, test = part(data, data.qid < 60), part(data, data.qid >= 60)
    print(f"generated users, {'each with a taste' if personal else 'all of one taste'}: NDCG@10 of 60 new users")
    show({
        "for everybody": judged(fitted(train, EVERYBODY), test),
        "for each": judged(fitted(train, EACH), test),
    })  # fmt: skip


# ---- MovieLens


def lines(folder, name):
    with gzip.open(folder / f"{name}.gz", "rt", encoding="latin-1") as file:
        return [line.rstrip("\n").split("\t" if name == "u.data" else "|") for line in file]


def movielens(folder, learn, seed=7, longest=40):
    """The ranked halves of the ratings, at most `longest` of a user, and the users' columns. Users numbered below
    `learn` are for training; what is known of items comes from the other halves of these users alone."""
    rng = np.random.default_rng(seed)
    genres = np.array([[float(x) for x in row[5:]] for row in lines(folder, "u.item")], np.float32)
    ratings = np.array([[int(x) for x in row[:3]] for row in lines(folder, "u.data")])
    user = rng.permutation(ratings[:, 0].max())[ratings[:, 0] - 1]  # numbered anew: the first ones learn
    item, stars = ratings[:, 1] - 1, ratings[:, 2].astype(float)
    known = rng.random(len(ratings)) < 0.5
    mean = stars[known].mean()
    seen = known & (user < learn)
    total = np.bincount(item[seen], stars[seen] - mean, len(genres))
    count = np.bincount(item[seen], minlength=len(genres))
    items = np.column_stack([genres, total / (count + 5), np.log1p(count) / 5])
    ranked = pd.DataFrame({"user": user, "item": item, "stars": stars})[~known].groupby("user").head(longest)
    ranked = ranked.groupby("user").filter(lambda one: len(one) >= 10).sort_values("user", kind="stable")
    names = [f"item:{j}" for j in range(items.shape[1])]
    data = dorm.RankingData(X=items[ranked["item"]].astype(np.float32), y=ranked["stars"].to_numpy(np.float32) - 1,
                            qid=ranked["user"].to_numpy(), feature_names=names)  # fmt: skip
    return data, user_table(lines(folder, "u.user"), user, genres[item], stars, known, ratings[:, 0])


def user_table(people, user, genres, stars, known, original):
    """Age, gender and occupation, and how far above the mean of the user each genre is rated."""
    number = dict(zip(original.tolist(), user.tolist()))
    table = pd.DataFrame({"user": [number[int(row[0])] for row in people]})
    table["known:age"] = [int(row[1]) / 40 for row in people]
    table["known:gender"] = [1.0 if row[2] == "F" else 0.0 for row in people]
    for occupation in sorted({row[3] for row in people}):
        table[f"known:{occupation}"] = [float(row[3] == occupation) for row in people]
    size = user.max() + 1
    own = np.bincount(user[known], stars[known], size) / np.maximum(np.bincount(user[known], minlength=size), 1)
    above = (stars - own[user]) * known
    for genre in range(genres.shape[1]):
        liked = np.bincount(user, above * genres[:, genre], size)
        times = np.bincount(user, known * genres[:, genre], size)
        table[f"taste:{genre}"] = (liked / (times + 3))[table["user"]]
    return table


def report_movielens(folder, learn=500):
    items, table = movielens(folder, learn=learn)
    data = dorm.data.with_user_features(items, table)
    train, test = part(data, data.qid < learn), part(data, data.qid >= learn)
    cold = dorm.RankingData(X=test.X * [name.startswith("item:") for name in test.feature_names], y=test.y,
                            qid=test.qid, feature_names=test.feature_names)  # fmt: skip
    print(f"MovieLens 100K: NDCG@10 of {len(np.unique(test.qid))} new users")
    genres = sum(name.startswith("user:taste") for name in data.feature_names)
    by_genre = fitted(
        train, EVERYBODY + "".join(f" + linear(user:taste:{g}) * linear(item:{g})" for g in range(genres))
    )
    show({
        "for everybody": judged(fitted(train, EVERYBODY), test),
        "by taste, genre by genre": judged(by_genre, test),
        "by taste, times all of an item": judged(fitted(train, EACH.replace("user:*", "user:taste:*")), test),
        "by age, gender, occupation": judged(fitted(train, EACH.replace("user:*", "user:known:*")), test),
        "genre by genre, cold": judged(by_genre, cold),
    })  # fmt: skip


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MOVIELENS
    report_generated(personal=1)
    report_generated(personal=0)
    if (folder / "u.data.gz").exists():
        report_movielens(folder)
    else:
        print(f"no MovieLens 100K in {folder}: name its folder, or that above it by DORM_DATA")


if __name__ == "__main__":
    main()
