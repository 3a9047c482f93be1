# SPDX-License-Identifier: Apache-2.0
"""The metric tests of rax with the values of the command.

Masked items are absent, items of score -infinity judged but not retrieved. The reduction over lists stays theirs.
"""

import math

import asked
import jax
import jax.numpy as jnp
import numpy as np
from dorm_command import evaluate_run
from rax._src import metrics, utils

NOT_OURS = {
    "*RetrievedItemsTest*": "tests of a helper of rax",
    "*segments*": "lists as segments of one array: a layout of rax",
    "*weighted*": "weights of documents: DORM weighs queries",
}


def pytest_collection_modifyitems(items):
    asked.skip(items, NOT_OURS)


def value_of_list(name, topn, scores, labels, where):
    """One list; 0 where there is nothing to find, as in rax."""
    qrels = {"q": {f"d{i}": labels[i] for i in np.flatnonzero(where)}}
    run = {"q": {f"d{i}": scores[i] for i in np.flatnonzero(where) if np.isfinite(scores[i])}}
    if not qrels["q"]:
        return 0.0
    whole = {"recall": "setr", "precision": "setp"}.get(name, name)
    measure = whole if topn is None else f"{name}@{topn}"
    values = evaluate_run(qrels, run, [measure], convention="standard").get("q", {})
    value = next(iter(values.values()), 0.0)
    return value if name != "kendall" else share_of_pairs(value, list(qrels["q"].values()))


def share_of_pairs(tau, labels):
    """Pairs in the right order over pairs of different labels, from tau-b of a strict ranking."""
    pairs = math.comb(len(labels), 2)
    different = pairs - sum(math.comb(labels.count(label), 2) for label in set(labels))
    return (1 + tau * math.sqrt(pairs / different)) / 2 if different else 0.0


def ours(name):
    def metric(scores, labels, *, where=None, topn=None, reduce_fn=jnp.mean, **unused):
        where = jnp.ones_like(labels, dtype=bool) if where is None else where

        def on_host(scores, labels, where):
            lists = [np.reshape(np.asarray(x), (-1, np.shape(x)[-1])) for x in (scores, labels, where)]
            values = [value_of_list(name, topn, *one) for one in zip(*lists)]
            return np.asarray(values, dtype=np.float32).reshape(np.shape(scores)[:-1])

        shape = jax.ShapeDtypeStruct(scores.shape[:-1], jnp.float32)
        values = jax.pure_callback(on_host, shape, scores, labels, where, vmap_method="sequential")
        return utils.safe_reduce(values, where=jnp.any(where, axis=-1), reduce_fn=reduce_fn)

    return metric


def pytest_configure():
    names = {"mrr": "mrr", "recall": "recall", "precision": "precision", "ap": "map", "dcg": "dcg", "ndcg": "ndcg",
             "opa": "kendall"}  # fmt: skip
    for theirs, name in names.items():
        setattr(metrics, f"{theirs}_metric", ours(name))
