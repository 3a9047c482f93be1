# SPDX-License-Identifier: Apache-2.0
"""dorm serve under hostile connections: alive, its memory and descriptors as before, well-formed requests answered.

DORM_SERVE_CONNECTIONS=1000000 make test-serve for the long run
"""

import json
import os
import re
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hostile_clients import attack

DORM = os.path.abspath(os.environ["DORM_COMMAND"])
CONNECTIONS = int(os.environ.get("DORM_SERVE_CONNECTIONS", "8000"))
TOKEN = "0123456789abcdef"
BODY = json.dumps({"documents": [{"id": f"d{k}", "values": [k, 1, 2, 3, 4, 5, 6]} for k in range(5)]}).encode()


def resident(process):
    """Kilobytes in use."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text()).group(1))


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("connections")
    run = lambda *words: subprocess.run([DORM, *words], cwd=folder, check=True, capture_output=True)
    run("synth", "--queries", "20", "--features", "7", "--seed", "5", "-o", "data.csv")
    run("train", "data.csv", "--scale", "none", "--model", "m.json", "--quiet")
    (folder / "token").write_text(TOKEN)
    return folder


@contextmanager
def served(world, *more):
    # Clients that are gone count until the server has looked at them, on a busy machine more than the default's 1,024.
    words = [DORM, "serve", "m.json", "--port", "0", "--json", "--quiet", "--watch", "0", "--threads", "2"]
    words += ["--max-connections", "16384", *more]
    process = subprocess.Popen(words, cwd=world, stdout=subprocess.PIPE, text=True)
    try:
        yield process, int(json.loads(process.stdout.readline())["url"].rsplit(":", 1)[1])
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("token", [None, TOKEN])
def test_hostile_connections_change_nothing(world, token):
    with served(world, *(["--token-file", "token"] if token else [])) as (process, port):
        many = lambda count, at_once, seed: attack(
            port, count, at_once, body=BODY, token=token and token.encode(), seed=seed
        )
        many(1, 1, 0)  # what waits for sockets is made with the first
        time.sleep(3)
        idle = descriptors(process)
        each = CONNECTIONS // 2
        began = time.monotonic()
        answered = many(each // 10, 200, 1)  # until all buffers have been used once
        before = resident(process)
        answered += many(each * 5 // 10, 200, 2) + many(each * 4 // 10, 20, 3)
        after = resident(process)
        deadline = time.monotonic() + 20
        while descriptors(process) > idle:
            assert time.monotonic() < deadline, f"{descriptors(process) - idle} descriptors are left"
            time.sleep(0.05)
        print(
            f"{each} connections, {answered} well-formed requests answered, {time.monotonic() - began:.0f} s, "
            f"resident {before} -> {after} kB, descriptors {idle} -> {descriptors(process)}"
        )
        assert process.poll() is None
        assert after < before + 8000
        assert answered > each / 20
