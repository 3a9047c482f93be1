#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests per second and latency of dorm serve, beside FastAPI servers that score by numpy and by a LightGBM booster.

    python benchmarks/serve/run.py [--build build-bench] [--seconds 3] [--rounds 3] [--connections 4] [--trees 100]

wrk asks for the ranking of 100 documents of 136 features (and of 10) over kept connections, from one thread; every
server has one. Where there are two processors, the server has the first and the load the second. Servers take turns,
so that what else the machine does falls on all alike. Printed are the best round of each, and processor time of the
server per request, which says more on a busy machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table import Row, parser, report  # noqa: E402

HERE = Path(__file__).resolve().parent
FEATURES = 136
SCRIPT = """
local file = io.open("{body}", "rb")
wrk.method, wrk.body, wrk.headers["Content-Type"] = "POST", file:read("*a"), "{kind}"
file:close()
"""
MICROSECONDS = {"us": 1, "ms": 1000, "s": 1e6}


@dataclass
class Measured:
    per_second: float
    p50: float  # microseconds
    p99: float
    processor: float  # microseconds of the server per request


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(processor: int) -> list[str]:
    return ["taskset", "-c", str(processor)] if len(os.sched_getaffinity(0)) > 1 and shutil.which("taskset") else []


class Server:
    def __init__(self, name: str, words: list[str], port: int):
        self.name, self.port = name, port
        self.process = subprocess.Popen([*pinned(0), *words], stdout=subprocess.DEVNULL)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                assert self.process.poll() is None, f"{name} did not start"
                time.sleep(0.05)

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Kilobytes in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def load(self, script: Path, seconds: int, connections: int) -> Measured:
        before = self.processor_seconds()
        words = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script]
        url = f"http://127.0.0.1:{self.port}/v1/rank"
        text = subprocess.run([*pinned(1), *words, url], capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in text and "Socket errors" not in text, text
        count = int(re.search(r"(\d+) requests in", text).group(1))
        part = lambda share: re.search(rf"^\s+{share}%\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE).groups()
        time_of = lambda share: float(part(share)[0]) * MICROSECONDS[part(share)[1]]
        rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
        return Measured(rate, time_of(50), time_of(99), (self.processor_seconds() - before) / count * 1e6)


def write_bodies(folder: Path) -> dict[str, Path]:
    """By case: the script that makes wrk send it."""
    scripts = {}
    for documents in (100, 10):
        rows = np.random.default_rng(documents).uniform(0, 30, (documents, FEATURES)).astype(np.float32)
        as_json = [{"id": f"d{i}", "values": [float(f"{x:.6g}") for x in row]} for i, row in enumerate(rows)]
        content = {
            f"JSON, {documents} documents": json.dumps({"documents": as_json}).encode(),
            f"bytes, {documents} documents": struct.pack("<II", *rows.shape) + rows.tobytes(),
        }
        for case, body in content.items():
            name = case.replace(", ", "-").replace(" ", "-")
            (folder / f"{name}.body").write_bytes(body)
            kind = "application/json" if case.startswith("JSON") else "application/octet-stream"
            scripts[case] = folder / f"{name}.lua"
            scripts[case].write_text(SCRIPT.format(body=folder / f"{name}.body", kind=kind))
    return scripts


def write_models(command: Path, folder: Path) -> None:
    run = lambda *words: subprocess.run([command, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    run("synth", "--queries", "60", "--features", str(FEATURES), "--seed", "1", "-o", "data.txt", "--quiet")
    run("train", "data.txt", "--method", "ridge", "--scale", "none", "--model", "plain.json", "--quiet")
    run("train", "data.txt", "--method", "ridge", "--scale", "log-query-zscore", "--model", "scaled.json", "--quiet")


def grow_trees(folder: Path, count: int) -> bool:
    """The model of both LightGBM and dorm serve; false: no LightGBM."""
    try:
        import lightgbm
    except ImportError as missing:
        print(f"no trees: {missing}")
        return False
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(4000, FEATURES)), rng.integers(0, 3, 4000)
    options = {"objective": "lambdarank", "num_leaves": 31, "verbose": -1, "num_threads": 1}
    lightgbm.train(options, lightgbm.Dataset(X, y, group=[20] * 200), count).save_model(folder / "booster.txt")
    return True


def start_baselines(folder: Path, trees: bool) -> list[Server]:
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as missing:
        print(f"no baselines: {missing}")
        return []
    servers = []
    for name, model in (("numpy", "plain.json"), *([("lightgbm", "booster.txt")] if trees else [])):
        port = free_port()
        servers.append(
            Server(
                f"FastAPI, {name}", [sys.executable, str(HERE / "baselines.py"), name, folder / model, str(port)], port
            )
        )
    return servers


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--seconds", type=int, default=3)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--connections", type=int, default=4)
    options.add_argument("--trees", type=int, default=100)
    arguments = options.parse_args()
    if arguments.quick:
        arguments.seconds, arguments.rounds = 1, 1
    if not shutil.which("wrk"):
        print("skipped: no wrk")
        return
    command = (arguments.build / "dorm").resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_models(command, folder)
        scripts = write_bodies(folder)
        servers = []
        models = {"plain": "plain.json", "scaled": "scaled.json"}
        trees = grow_trees(folder, arguments.trees)
        if trees:
            models["trees"] = "booster.txt"
        for name, model in models.items():
            port = free_port()
            words = [command, "serve", folder / model, "--threads", "1", "--port", str(port), "--quiet"]
            servers.append(Server(f"dorm, {name}", words, port))
        servers += start_baselines(folder, trees)
        try:
            found = measure(servers, scripts, arguments)
        finally:
            for server in servers:
                server.process.terminate()
                server.process.wait()
    tell(found, arguments)


def measure(servers: list[Server], scripts: dict[str, Path], options) -> dict[tuple[str, str], Measured]:
    best: dict[tuple[str, str], Measured] = {}
    for _ in range(options.rounds):
        for case, script in scripts.items():
            for server in servers:
                one = server.load(script, options.seconds, options.connections)
                old = best.get((case, server.name), one)
                best[case, server.name] = Measured(
                    max(one.per_second, old.per_second),
                    min(one.p50, old.p50),
                    min(one.p99, old.p99),
                    min(one.processor, old.processor),
                )
    return best


def tell(found: dict[tuple[str, str], Measured], options) -> None:
    print(f"{FEATURES} features, {options.connections} connections\n")
    print("| body | server | requests/s | p50, us | p99, us | processor per request, us | times ours |")
    print("|---|---|---|---|---|---|---|")
    rows = []
    for (case, server), one in found.items():
        ours = found[case, "dorm, trees" if "lightgbm" in server else "dorm, plain"]
        ratio = one.processor / ours.processor
        print(
            f"| {case} | {server} | {one.per_second:.0f} | {one.p50:.0f} | {one.p99:.0f} | {one.processor:.0f} "
            f"| {ratio:.1f} |"
        )
        if not server.startswith("dorm"):
            rows.append(
                Row("serve", case, f"processor time, {server} / dorm serve", ratio, better="higher", tolerance=0.5)
            )
    report(options, "serve", rows)


if __name__ == "__main__":
    main()
