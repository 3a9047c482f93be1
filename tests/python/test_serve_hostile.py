# SPDX-License-Identifier: Apache-2.0
"""dorm serve over real sockets where memory, threads, readers and files are short, stuck or hostile."""

import json
import os
import re
import resource
import signal
import socket
import subprocess
import time

import pytest
from command import DORM, dorm
from served import Served

pytestmark = pytest.mark.skipif(
    "without simdjson" in subprocess.run([DORM, "serve", "nothing.json"], capture_output=True, text=True).stderr,
    reason="the command was built without simdjson",
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    dorm("synth", "--queries", 20, "--features", 7, "--documents-median", 12, "--seed", 5, "-o", "data.csv", cwd=folder)
    dorm("train", "data.csv", "--scale", "none", "--model", "plain.json", "--quiet", cwd=folder)
    return folder


LONG = b"x" * 200_000
POST = b"POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


def sent(port, data):
    """What comes back, also from a server that closes before all is sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        received = b""
        try:
            link.sendall(data)
            while part := link.recv(65536):
                received += part
        except OSError:
            pass
        return received


@pytest.mark.parametrize("token", [False, True])
def test_long_chunk_headers_and_trailers_are_refused(world, token):
    (world / "token").write_text("0123456789abcdef\n")
    with Served("plain.json", *(["--token-file", "token"] if token else []), cwd=world) as served:
        for body in (b"5;a=" + LONG, b"0\r\nA: " + LONG, b"0" * 200_000):
            assert sent(served.port, b"GET /v2/health/live" + CHUNKED + body).startswith(b"HTTP/1.1 413 ")
            status = 401 if token else 431
            assert sent(served.port, b"POST /v1/rank" + CHUNKED + body).startswith(b"HTTP/1.1 %d " % status)
        assert served.ask("GET", "/v2/health/live")[0] == 200


def address_space(kilobytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))


def test_bodies_share_a_budget_of_memory(world):
    with Served(
        "plain.json", "--threads", 2, "--max-memory", 20, cwd=world, preexec_fn=address_space(1_200_000)
    ) as served:
        links, refused = [], 0
        head = POST + b"Content-Length: 8000000\r\n\r\n"
        for _ in range(300):  # 2.4 GB that are only announced
            links.append(socket.create_connection(("127.0.0.1", served.port), timeout=20))
            links[-1].sendall(head)
        assert served.ask("GET", "/v2/health/live")[0] == 200
        for link in links[:6]:
            try:
                link.sendall(b" " * 7_900_000)
                link.settimeout(0.5)
                refused += link.recv(100).startswith(b"HTTP/1.1 503 ")
            except TimeoutError:
                pass
            except OSError:
                refused += 1
        assert refused >= 3
        assert served.metric("dorm_body_bytes") <= 20 << 20
        for link in links:
            link.close()
        status, _, answer = served.ask("POST", "/v1/rank", {"documents": [{"values": [1] * 7}]})
        assert status == 200, answer
    assert (
        "more than those of the largest body"
        in dorm("serve", "plain.json", "--max-memory", 1, status=2, cwd=world).stderr
    )


def test_threads_that_cannot_be_started_are_fewer_threads(world):
    counts = []
    for kilobytes in range(36_000, 100_000, 6_000):
        words = [DORM, "serve", "plain.json", "--threads", "8", "--json", "--port", "0"]
        process = subprocess.Popen(
            words, cwd=world, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=address_space(kilobytes)
        )
        first = process.stdout.readline()
        if first:
            port = int(json.loads(first)["url"].rsplit(":", 1)[1])
            asked = b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            counts.append(sent(port, asked).startswith(b"HTTP/1.1 200 "))
            process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=20)[1].decode()
        assert process.returncode in (0, 1), (kilobytes, process.returncode, said)
    # Just above the least memory a connection itself may find none; the process goes on all the same.
    assert counts and counts[-1] and sum(counts) >= len(counts) - 1


def test_a_log_that_nobody_reads_holds_nothing_up(world):
    reading, writing = os.pipe()
    port = free_port()
    process = subprocess.Popen([DORM, "serve", "plain.json", "--log", "--port", str(port)], cwd=world, stdout=writing)
    try:
        link = connected(port)
        request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for _ in range(10_000):  # several times what a pipe and the queue hold
            link.sendall(request)
            received = b""
            while b"\r\n\r\n" not in received or b"dorm_body_bytes " not in received:
                received += link.recv(65536)
        assert int(re.search(rb"dorm_log_dropped_total (\d+)", received).group(1)) > 0
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - began < 5
    finally:
        process.kill()
        os.close(reading)
        os.close(writing)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connected(port):
    deadline = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=20)
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_pipe_in_the_place_of_a_model_holds_nothing_up(world, tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes((world / "plain.json").read_bytes())
    with Served(path, "--watch", 0.05, cwd=tmp_path) as served:
        os.mkfifo(tmp_path / "pipe")
        os.replace(tmp_path / "pipe", path)
        deadline = time.monotonic() + 20
        while served.metric("dorm_reload_failures_total") < 1:
            assert time.monotonic() < deadline
        assert served.ask("POST", "/v1/rank", {"documents": [{"values": [1] * 7}]})[0] == 200
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(timeout=5) == 0
    assert "no regular file" in dorm("serve", path, status=1, timeout=20).stderr


def test_ambiguous_requests_end_the_connection(world):
    inner = b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with Served("plain.json", cwd=world) as served:
        for coding in (b"gzip", b"xchunked", b"chunked, gzip"):
            received = served.raw(POST + b"Transfer-Encoding: " + coding + b"\r\n\r\n" + inner)
            assert received.startswith(b"HTTP/1.1 400 ") and received.count(b"HTTP/1.1 ") == 1
