# SPDX-License-Identifier: Apache-2.0
"""Scoring servers as they are usually written in Python: FastAPI and uvicorn, one process, one worker.

    python baselines.py numpy MODEL.json PORT      a linear model by numpy
    python baselines.py lightgbm MODEL.txt PORT    a booster

Both take the bodies of dorm serve: JSON documents, or rows as bytes. Bodies are read by json and numpy without a model
of the request, which is the faster way to write them.
"""

from __future__ import annotations

import json
import sys

import numpy as np
import uvicorn
from fastapi import FastAPI, Request, Response


def numpy_scorer(path: str):
    with open(path) as file:
        model = json.load(file)
    weights = np.array(model["weights"])
    return lambda rows: rows @ weights


def lightgbm_scorer(path: str):
    import lightgbm

    booster = lightgbm.Booster(model_file=path)
    return lambda rows: booster.predict(rows, num_threads=1)


def application(score) -> FastAPI:
    app = FastAPI()

    @app.post("/v1/rank")
    async def rank(request: Request):
        body = await request.body()
        if request.headers["content-type"] == "application/octet-stream":
            documents, features = np.frombuffer(body, "<u4", 2)
            return Response(score(np.frombuffer(body, "<f4", offset=8).reshape(documents, features)).tobytes())
        documents = json.loads(body)["documents"]
        scores = score(np.array([document["values"] for document in documents], dtype=np.float32))
        order = np.argsort(-scores, kind="stable")
        return {
            "ranking": [
                {"id": documents[i]["id"], "index": int(i), "score": float(scores[i]), "rank": place + 1}
                for place, i in enumerate(order)
            ]
        }

    return app


if __name__ == "__main__":
    kind, model, port = sys.argv[1:]
    scorer = {"numpy": numpy_scorer, "lightgbm": lightgbm_scorer}[kind](model)
    uvicorn.run(application(scorer), host="127.0.0.1", port=int(port), log_level="error", access_log=False)
