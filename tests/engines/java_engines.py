# SPDX-License-Identifier: Apache-2.0
"""The engines on Java, as targets of exports."""

import atexit
import contextlib
import functools
import math
import re
import tempfile
from pathlib import Path

import jvm
from comparison import Engine
from portable_engines import GLOBAL, PLAIN, given


def by_java(engine, main, filled=False, number="{}"):
    def score(exports):
        for one in exports:
            rows = [[x or 0.0 for x in row] for row in one.case.rows] if filled else one.case.rows
            jvm.write_vectors(one.folder / "vectors", one.case.spelled(number), rows)
        return jvm.score(engine, main, [one.folder for one in exports])

    return score


def by_vespa(exports):
    """A name without a place in the map of names is an attribute; that of a document without a value is no number."""
    for one in exports:
        names = [
            f"attribute({name})"
            if name not in one.case.names and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII)
            else spelled
            for name, spelled in zip(one.case.features, one.case.spelled("attribute(f{})"))
        ]
        missing = [math.nan if name.startswith("attribute(") else 0.0 for name in names]
        rows = [[m if x is None else x for x, m in zip(row, missing)] for row in one.case.rows]
        jvm.write_vectors(one.folder / "vectors", names, rows)
    return jvm.score("vespa", "Vespa", [one.folder for one in exports])


@functools.cache
def solr_server():
    """One for all tests; it ends with them."""
    stack = contextlib.ExitStack()
    home = stack.enter_context(tempfile.TemporaryDirectory())
    atexit.register(stack.close)
    return stack.enter_context(jvm.Solr(Path(home) / "home", jvm.SOURCES.parent / "schema.xml"))


def by_solr(exports):
    """Every case has its documents, and for its time the feature store and the model."""
    solr = solr_server()
    solr.request("POST", "/update", {"delete": {"query": "*:*"}})
    for number, one in enumerate(exports):
        documents = [
            {"key_of_test": f"{number}-{i}", "case_of_test": str(number)} | document
            for i, document in enumerate(given(one))
        ]
        solr.request("POST", "/update", documents)
    solr.request("POST", "/update", {}, commit="true")
    return [solr_scores(solr, number, one) for number, one in enumerate(exports)]


def solr_scores(solr, number, one):
    try:
        solr.request("PUT", "/schema/feature-store", one.features.encode())
        solr.request("PUT", "/schema/model-store", one.model.read_bytes())
        found = solr.request(
            *("POST", "/select"),
            q=f"case_of_test:{number}",
            rq=f"{{!ltr model={one.name} reRankDocs=1000}}",
            fl="key_of_test,score",
            rows=1000,
        )
    except jvm.SolrRefused as error:
        return str(error)
    finally:
        solr.request("DELETE", f"/schema/model-store/{one.name}")
        solr.request("DELETE", "/schema/feature-store/_DEFAULT_")
    scores = {document["key_of_test"]: float(document["score"]) for document in found["response"]["docs"]}
    return [scores[f"{number}-{i}"] for i in range(len(one.case.rows))]


JAVA = [
    Engine("vespa", GLOBAL, by_vespa, expressions=True, fills=True),
    Engine("lucene", GLOBAL, by_java("lucene", "Lucene", number="f{}")),
    Engine("pmml", GLOBAL, by_java("pmml", "Pmml"), fills=True),
    Engine("ranklib", PLAIN, by_java("ranklib", "RankLib", filled=True), constant=False, numbered=True),
    Engine("solr", GLOBAL, by_solr, single=True, declared=True, fills=True),
    Engine("solr", GLOBAL, by_solr, single=True, declared=True, constant=False, options=("--fold",)),
]
