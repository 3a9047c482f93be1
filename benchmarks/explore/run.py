#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long the page of dorm explore waits: p50 and p95 of every endpoint, on large data.

    python benchmarks/explore/run.py [--build build] [--queries 10000] [--documents 1000] [--features 10] [--rounds 20]

Two models that were trained on a small sample rank generated data; what is asked differs from request to request as it
does when somebody uses the page (another query, another weight), so that nothing is answered from memory that would
not be there for a person. Prints milliseconds per endpoint, measured by a client over a kept connection, processor time
of the server per request, which says more on a busy machine, and how long the server took to start.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOAL = 200  # milliseconds


def endpoints(draw: random.Random, queries: int, documents: int, weights: list[dict]):
    """Names and what makes the next request of each."""

    def moved(count: int = 1) -> str:
        chosen = draw.sample(weights, min(count, len(weights)))
        return ",".join(f"{row['feature']}:{draw.uniform(row['low'], row['high'])}" for row in chosen)

    q = lambda: draw.randrange(queries)
    d = lambda: draw.randrange(documents)
    yield "info", lambda: "info"
    yield "summary, two models", lambda: "summary?right=b"
    yield "summary, one weight moved", lambda: f"summary?right=edited&edits={moved()}"
    yield "summary, three weights moved", lambda: f"summary?right=edited&edits={moved(3)}"
    yield "queries by loss", lambda: f"queries?right=b&offset={50 * draw.randrange(50)}"
    yield "queries by difference", lambda: "queries?right=b&sort=difference"
    yield "queries by swaps", lambda: "queries?right=b&sort=swaps"
    yield "queries by swaps, a weight moved", lambda: f"queries?right=edited&sort=swaps&edits={moved()}"
    yield "queries, filtered", lambda: f"queries?right=b&filter={draw.randrange(100)}"
    yield "query", lambda: f"query?right=b&q={q()}&judge=ada"
    yield "query, a weight moved", lambda: f"query?right=edited&q={q()}&edits={moved()}"
    yield "why", lambda: f"why?q={q()}&docs={','.join(str(d()) for _ in range(20))}"
    yield "pair", lambda: f"pair?q={q()}&first=0&second={1 + draw.randrange(documents - 1)}"
    yield "weights", lambda: "weights"
    yield "checks", lambda: "checks"
    yield "drift", lambda: "drift"
    yield "agreement", lambda: "agreement"
    yield "blind", lambda: f"blind?judge=j{draw.randrange(10**6)}"
    yield "a judgment", lambda: ("judgments", {"q": q(), "d": d(), "label": draw.randrange(5), "judge": "ada"})
    yield "undo", lambda: ("undo", {"judge": "ada"})


class Client:
    def __init__(self, url: str):
        self.link = http.client.HTTPConnection(url.removeprefix("http://"), timeout=600)
        self.link.connect()

    def ask(self, what):
        if isinstance(what, tuple):
            body = json.dumps(what[1])
            self.link.request("POST", f"/api/{what[0]}", body, {"Content-Type": "application/json"})
        else:
            self.link.request("GET", f"/api/{what}")
        answer = self.link.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return json.loads(content)


def prepare(dorm: str, folder: Path, arguments) -> None:
    run = lambda *words: subprocess.run(
        [dorm, *map(str, words), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
    shape = ["--documents-spread", 0, "--documents-median", arguments.documents, "--features", arguments.features]
    run("synth", "--queries", arguments.queries, *shape, "-o", "test.dorm")
    run("synth", "--queries", 60, "--features", arguments.features, "--seed", 1, "-o", "train.dorm")
    run("train", "train.dorm", "--model", "a.json")
    run("train", "train.dorm", "--model", "b.json", "--method", "ridge")


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(client: Client, pid: int, arguments) -> bool:
    draw = random.Random(3)
    weights = client.ask("weights")["rows"]
    slow = False
    print(f"{'endpoint':<36}{'p50 ms':>10}{'p95 ms':>10}{'processor ms':>14}")
    for name, request in endpoints(draw, arguments.queries, arguments.documents, weights):
        took, used = [], processor_seconds(pid)
        for _ in range(arguments.rounds):
            what = request()
            begin = time.perf_counter()
            client.ask(what)
            took.append(1000 * (time.perf_counter() - begin))
        took.sort()
        used = 1000 * (processor_seconds(pid) - used) / arguments.rounds
        p50, p95 = took[len(took) // 2], took[min(len(took) - 1, int(0.95 * len(took)))]
        slow = slow or p95 > GOAL
        print(f"{name:<36}{p50:>10.1f}{p95:>10.1f}{used:>14.1f}{'  over the goal' if p95 > GOAL else ''}", flush=True)
    return slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--queries", type=int, default=10000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--features", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    dorm = str((arguments.build / "dorm").resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(dorm, folder, arguments)
        command = [dorm, "explore", "a.json", "b.json", "--data", "test.dorm", "--judgments", "j.sqlite", "--no-open"]
        begin = time.perf_counter()
        with subprocess.Popen([*command, "--quiet"], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = server.stdout.readline().strip()
                shape = f"{arguments.queries} queries x {arguments.documents} documents x {arguments.features} features"
                print(f"{shape}: started in {time.perf_counter() - begin:.1f} s")
                slow = measure(Client(url), server.pid, arguments)
                status = Path(f"/proc/{server.pid}/status").read_text()
                peak = next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]
                print(f"peak of memory: {int(peak) / 2**20:.2f} GiB")
            finally:
                server.terminate()
    print("an endpoint is over the goal" if slow else f"every endpoint within {GOAL} ms")


if __name__ == "__main__":
    main()
