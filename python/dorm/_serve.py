# SPDX-License-Identifier: Apache-2.0
"""Models over HTTP, and the explorer, from Python."""

from __future__ import annotations

import atexit
import json
import operator
import os
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from . import _core
from ._evaluate import options_of
from ._input.inputs import read_input
from ._options import setting
from ._rankers.ensemble import core_model
from ._scores import name_of, ranker_or_scores
from ._threads import thread_count
from .data._files import RankingData


class Server:
    """A server that runs in threads of this process until `stop`; a context manager.

    Attributes
    ----------
    url : str
        Its address, such as ``http://127.0.0.1:8080``.
    """

    def __init__(self, core: _core.Server | _core.ExploreServer) -> None:
        self._core = core
        self.url: str = core.url
        self._thread = threading.Thread(target=core.run, name="dorm.serve", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # while the interpreter still has all that the server holds

    def wait(self) -> None:
        """Wait until the server stops; Ctrl-C stops it."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop; requests in progress are answered."""
        if self._thread.is_alive():
            self._core.stop()
            self._thread.join()
        atexit.unregister(self.stop)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Server({self.url!r}, {'running' if self._thread.is_alive() else 'stopped'})"


def _port(port: int) -> int:
    if not 0 <= operator.index(port) <= 65535:
        raise ValueError(f"port is {port}; expected a whole number from 0 to 65535")
    return operator.index(port)


def serve(
    *models: Any,
    bind: str = "127.0.0.1",
    port: int = 8080,
    token: str = "",
    token_file: str | os.PathLike[str] | None = None,
    watch: float = 1.0,
    max_body: float = 8.0,
    max_memory: float = 256.0,
    max_documents: int = 10_000,
    max_connections: int = 1024,
    n_jobs: int | None = None,
    **named: Any,
) -> Server:
    """Answer requests for rankings over HTTP, as ``dorm serve`` does (docs/serve.md), in threads of this process.

    Parameters
    ----------
    models, named
        Model files, rankers, or models of LightGBM, XGBoost and CatBoost (`DormEnsemble`); the first is asked by
        default. Keywords give them names, else they are called as their files.
    bind, port
        Address to listen at (others than loopback need a token); port 0: any that is free.
    token, token_file
        Token of requests: ``Authorization: Bearer TOKEN``; a file holds it in its first line.
    watch
        Seconds between checks of the files; 0: never.
    max_body, max_memory, max_documents, max_connections
        Limits, the first two in MiB: of one body, and of the bodies of all requests and responses in flight.

    Examples
    --------
    >>> import dorm, pathlib, tempfile, urllib.request
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.json"
    >>> dorm.DormRanker(scale="none").fit(dorm.synth(queries=30, features=2, seed=1)).save(path)
    >>> with dorm.serve(path, port=0) as server:
    ...     urllib.request.urlopen(server.url + "/v2/health/ready").status
    200
    """
    if not models and not named:
        raise ValueError("no models; expected at least one file")
    if not _core.can_serve():
        raise NotImplementedError("this build has no server: it was made without simdjson")
    folder = tempfile.TemporaryDirectory(prefix="dorm-serve-")  # of models that are no files
    files = [_served_file(model, f"ranker{number}", folder.name, True) for number, model in enumerate(models, 1)]
    files += [_served_file(model, name, folder.name, False) for name, model in named.items()]
    if token_file is not None:
        token = _core.read_token(os.fspath(token_file))
    settings = {
        "address": bind,
        "port": _port(port),
        "token": token,
        "threads": thread_count(n_jobs),
        "watch": float(watch),
        "body_bytes": max_body * 2.0**20,
        "memory_bytes": max_memory * 2.0**20,
        "documents": max_documents,
        "connections": max_connections,
    }
    server = Server(_core.Server(files, settings))
    server._folder = folder  # which goes with the server
    return server


def _served_file(model: Any, name: str, folder: str, by_file: bool) -> tuple[str, str]:
    """A name and a file; of a ranker in memory, or an object of another library, one is written."""
    if isinstance(model, (str, os.PathLike)):
        return (Path(model).stem if by_file else name), os.fspath(model)
    path = str(Path(folder) / f"{name}.json")
    core_model(model).save(path)
    return name, path


def explore(
    *rankers: Any,
    data: RankingData,
    texts: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    query_texts: Mapping[Any, str] | None = None,
    judgments: str | os.PathLike[str] | None = None,
    measure: str = "",
    convention: str = "standard",
    one_per: str | None = None,
    port: int = 0,
    n_jobs: int | None = None,
    **named: Any,
) -> Server:
    """Serve the explorer for one or two rankers and a data set, as ``dorm explore`` does (docs/explore.md).

    Parameters
    ----------
    rankers, named
        One fitted ranker or model file, or two; also models of LightGBM, XGBoost and CatBoost (`DormEnsemble`), runs
        (or their files; documents that a run lacks are last), and scores of the rows. Keywords give them names.
    data
        Documents with labels.
    texts
        The texts of the documents: a file of JSON lines ``{"id", "title", "text", "url"}``, or by document id a title
        or a dict of title, text and url.
    query_texts
        The text of each query by its id.
    judgments
        A SQLite file for judgments made on the page.
    measure, convention, one_per
        The evaluation of lists; by default that of the first ranker.
    port
        0: any that is free.

    Examples
    --------
    >>> import dorm, json, urllib.request
    >>> data = dorm.synth(queries=30, features=3, seed=1)
    >>> with dorm.explore(dorm.DormRanker(C=10).fit(data), data=data) as page:
    ...     info = json.load(urllib.request.urlopen(page.url + "/api/info"))
    >>> info["data"]["queries"], info["measure"]
    (30, 'ndcg@10')
    """
    if not _core.can_serve():
        raise NotImplementedError("this build has no server: it was made without simdjson")
    if not isinstance(data, RankingData):
        raise ValueError(
            f"data is a {type(data).__name__}; expected a RankingData: pass dorm.RankingData(X=X, y=y, qid=qid)"
        )
    given = [(f"ranker {number}", each) for number, each in enumerate(rankers, 1)] + list(named.items())
    models = []
    for name, each in given:
        label = name if name in named else name_of(each, name)
        ranker, kind, scores = ranker_or_scores(each, data, label)
        if ranker is not None:
            labelled = ranker._checked(data, None, None, None).labelled(ranker._names(), setting(ranker, "unjudged"))
            models.append((label, ranker.model_, labelled.dataset, kind, []))
            continue
        labelled = read_input(data).labelled(data.feature_names, "grade")
        lacking = ~np.isfinite(scores)
        last = np.where(lacking, min(0.0, scores[~lacking].min(initial=0.0)) - 1, scores)
        models.append((label, None, labelled.dataset, kind, labelled.queries.sorted(last).tolist()))
    evaluation = options_of(convention, None, 1000, 0.95, 0, n_jobs)
    limits = models[0][1].one_per if models and models[0][1] is not None else ""
    evaluation.one_per = limits if one_per is None else one_per or "none"
    as_text = lambda path: "" if path is None else os.fspath(path)
    with tempfile.TemporaryDirectory(prefix="dorm-explore-") as folder:
        file = _text_file(texts, query_texts, folder)
        server = Server(_core.ExploreServer(models, measure, evaluation, file, as_text(judgments), _port(port)))
    server._data = data  # its arrays are borrowed
    return server


def _text_file(texts: Any, query_texts: Mapping[Any, str] | None, folder: str) -> str:
    """The file of texts; empty: there are none."""
    if isinstance(texts, (str, os.PathLike)) and not query_texts:
        return os.fspath(texts)
    if texts is None and not query_texts:
        return ""
    path = Path(folder) / "texts.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        if isinstance(texts, (str, os.PathLike)):
            out.write(Path(texts).read_text(encoding="utf-8").rstrip("\n") + "\n")
        for document, text in texts.items() if isinstance(texts, Mapping) else ():
            told = dict(text) if isinstance(text, Mapping) else {"title": str(text)}
            out.write(json.dumps({"id": str(document), **told}) + "\n")
        for query, text in (query_texts or {}).items():
            out.write(json.dumps({"query": str(query), "text": str(text)}) + "\n")
    return str(path)
