# SPDX-License-Identifier: Apache-2.0
"""dorm serve as others see it: its OpenAPI document, the client of Triton, and long runs.

make test-serve        DORM_SERVE_REQUESTS=1000000 DORM_SERVE_RELOADS=1000 for the long ones
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from openapi_spec_validator import validate

DORM = os.path.abspath(os.environ["DORM_COMMAND"])
REQUESTS = int(os.environ.get("DORM_SERVE_REQUESTS", "20000"))
RELOADS = int(os.environ.get("DORM_SERVE_RELOADS", "100"))
FEATURES = 7


def dorm(*words, cwd):
    return subprocess.run([DORM, *map(str, words)], cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    dorm("synth", "--queries", 20, "--features", FEATURES, "--seed", 5, "-o", "data.csv", cwd=folder)
    for name, scale in (("m", "none"), ("scaled", "log-query-zscore")):
        dorm("train", "data.csv", "--scale", scale, "--model", f"{name}.json", "--quiet", cwd=folder)
    rows = [f"u{u}\ti{j}\t{1 + (u * 7 + j * 5) % 5}\n" for u in range(12) for j in range(9) if (u + j) % 3]
    (folder / "ratings.tsv").write_text("".join(rows))
    dorm("recommend", "train", "ratings.tsv", "--model", "films.factors", "--rank", 2, "--quiet", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def server(world):
    words = [DORM, "serve", "m.json", "scaled.json", "films.factors", "--port", "0", "--json", "--watch", "0"]
    with subprocess.Popen([*words, "--quiet"], cwd=world, stdout=subprocess.PIPE, text=True) as process:
        process.url = json.loads(process.stdout.readline())["url"]
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


def fetched(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.read()


def resident(process):
    """Kilobytes in use."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text()).group(1))


def test_the_description_is_valid(server):
    validate(json.loads(fetched(server.url + "/openapi.json")))


def test_the_server_is_as_described(server, tmp_path):
    """All checks but one: a body of the right form may still have the wrong number of values for a model."""
    words = ["run", server.url + "/openapi.json", "--checks", "all", "--exclude-checks", "positive_data_acceptance"]
    tool = Path(sys.executable).parent / "st"
    done = subprocess.run(
        [tool, *words, "--max-examples", os.environ.get("DORM_SERVE_EXAMPLES", "30"), "--seed", "1"],
        cwd=tmp_path,  # where it leaves its notes
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr


def test_the_client_of_triton_gets_the_scores_of_rank(world, server):
    http = pytest.importorskip("tritonclient.http")
    client = http.InferenceServerClient(server.url.removeprefix("http://"))
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("m")
    assert client.get_server_metadata()["name"] == "dorm"
    assert client.get_model_metadata("m")["inputs"][0]["shape"] == [-1, FEATURES]
    rows = np.random.default_rng(1).uniform(0, 9, (5, FEATURES)).astype(np.float32)
    names = client.get_model_metadata("m")["name"]
    features = json.loads(fetched(f"{server.url}/v1/models/{names}"))["features"]
    table = [",".join(["qid", "label", *features])] + [
        ",".join(["1", "0", *map(repr, map(float, row))]) for row in rows
    ]
    (world / "rows.csv").write_text("\n".join(table) + "\n")
    expected = [float(line) for line in dorm("rank", "m.json", "rows.csv", cwd=world).split()]
    for binary in (False, True):
        tensor = http.InferInput("features", list(rows.shape), "FP32")
        tensor.set_data_from_numpy(rows, binary_data=binary)
        wanted = http.InferRequestedOutput("scores", binary_data=binary)
        answer = client.infer("m", [tensor], outputs=[wanted], request_id="7")
        assert answer.as_numpy("scores").tolist() == expected
        assert answer.get_response()["id"] == "7"


def wrk_script(folder):
    body = json.dumps({"documents": [{"id": str(i), "values": [i, 1, 2, 3, 4, 5, 6]} for i in range(5)]})
    script = folder / "post.lua"
    script.write_text(
        f"wrk.method, wrk.body, wrk.headers['Content-Type'] = 'POST', [==[{body}]==], 'application/json'\n"
        "function done(summary) print('answered', summary.requests, summary.errors.status, summary.errors.read) end\n"
    )
    return script


def load(server, script, seconds):
    """Answers, answers that were errors, connections that were lost."""
    words = ["wrk", "-t1", "-c8", f"-d{seconds}s", "-s", script, server.url + "/v1/rank"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return tuple(int(x) for x in re.search(r"answered\s+(\d+)\s+(\d+)\s+(\d+)", text).groups())


@pytest.mark.skipif(not shutil.which("wrk"), reason="no wrk")
def test_memory_stays_as_it_is(world, server):
    script = wrk_script(world)
    asked = load(server, script, 2)[0]
    before = resident(server)
    while asked < REQUESTS:
        answered, errors, lost = load(server, script, 10 if REQUESTS > 100_000 else 1)
        assert errors == 0 and lost == 0
        asked += answered
    assert resident(server) <= before + 1024, f"{before} kB before, {resident(server)} kB after {asked} requests"
    print(f"{asked} requests: {before} kB, then {resident(server)} kB")


@pytest.mark.skipif(not shutil.which("wrk"), reason="no wrk")
def test_reloads_lose_no_request(world, server):
    script = wrk_script(world)
    models = [(world / "m.json").read_bytes()]
    dorm("train", "data.csv", "-C", 3, "--scale", "none", "--model", "other.json", "--quiet", cwd=world)
    models.append((world / "other.json").read_bytes())
    assert models[0] != models[1]
    stop, results = threading.Event(), []

    def keep_asking():
        while not stop.is_set():
            results.append(load(server, script, 1))

    client = threading.Thread(target=keep_asking)
    client.start()
    count = lambda: int(re.search(rb"^dorm_reloads_total (\d+)", fetched(server.url + "/metrics"), re.MULTILINE)[1])
    first = count()
    for k in range(1, RELOADS + 1):
        (world / "next").write_bytes(models[k % 2])
        os.replace(world / "next", world / "m.json")
        server.send_signal(signal.SIGHUP)
        while count() < first + k:
            pass
    stop.set()
    client.join()
    assert sum(errors + lost for _, errors, lost in results) == 0
    print(f"{RELOADS} reloads during {sum(answered for answered, _, _ in results)} requests")
