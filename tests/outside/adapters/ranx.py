# SPDX-License-Identifier: Apache-2.0
"""The tests of ranx with the values of the command in place of its compiled metrics.

ranx calls a metric with documents as numbers, best first, and finds the documents; the command gets the same order as
scores. Reading, sorting and averaging stay theirs.
"""

import sys

import asked
import numpy as np
import ranx.metrics
from dorm_command import evaluate_run

NOT_OURS = {
    "*::test_with_Qrels_and_Run_control": "how ranx checks what it is given",
    "*::test_keys_control": "how ranx checks what it is given",
}

SPELLINGS = {
    "hits": "hits",
    "hit_rate": "hit_rate",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "r_precision": "r-precision",
    "reciprocal_rank": "mrr",
    "average_precision": "map",
    "dcg": "dcg",
    "dcg_burges": "dcg_burges",
    "ndcg": "ndcg",
    "ndcg_burges": "ndcg_burges",
    "bpref": "bpref",
    "rank_biased_precision": "rbp",
}


def pytest_collection_modifyitems(items):
    asked.skip(items, NOT_OURS)


def spelled(name, k):
    """`k` is a cutoff, 0 for none; of rbp, the persistence."""
    if name == "rank_biased_precision":
        return f"rbp:p={k}"
    if not k:  # of the whole list
        return {"precision": "set_P", "recall": "set_recall"}.get(name, SPELLINGS[name])
    return f"{SPELLINGS[name]}@{k}"


def judgments(rows):
    """The first label of each document: some tests judge one twice."""
    labels = {}
    for document, label in np.asarray(rows):
        labels.setdefault(f"d{int(document)}", int(label))
    return labels


def ranking(rows):
    """A document that comes again is another one, without a judgment."""
    names, seen = [], set()
    for place, (document, _) in enumerate(np.asarray(rows)):
        name = f"d{int(document)}"
        names.append(name if name not in seen else f"again{place}")
        seen.add(name)
    return {name: len(names) - place for place, name in enumerate(names)}


def ours(name):
    def metric(qrels, run, k=0, rel_lvl=1):
        judged = {f"q{i:04}": judgments(rows) for i, rows in enumerate(qrels)}
        ranked = {f"q{i:04}": ranking(rows) for i, rows in enumerate(run)}
        options = [] if rel_lvl == 1 else ["--relevant-from", rel_lvl]
        values = evaluate_run(judged, ranked, [spelled(name, k)], *options)
        found = [next(iter(values.get(query, {}).values()), 0.0) for query in judged]
        return np.round(found, 14)  # they compare to the last bit, and 3 times 1/5 is not 3/5

    return metric


def pytest_configure():
    for name in SPELLINGS:
        replacement = ours(name)
        # The package holds a module and a function of each name; tests import from both.
        setattr(ranx.metrics, name, replacement)
        home = sys.modules.get(f"ranx.metrics.{name}", sys.modules["ranx.metrics.ndcg"])
        setattr(home, name, replacement)
