# SPDX-License-Identifier: Apache-2.0
"""dorm serve over real sockets: the scores of dorm rank, and what strangers may try."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

import numpy as np
import pytest
from command import DORM, dorm
from served import Served

pytestmark = pytest.mark.skipif(
    "without simdjson" in subprocess.run([DORM, "serve", "nothing.json"], capture_output=True, text=True).stderr,
    reason="the command was built without simdjson",
)


def post(body, path="/v1/rank", close=True, kind="application/json", host="localhost"):
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    return (head + ("Connection: close\r\n" if close else "") + "\r\n").encode() + body


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    run = lambda *words: dorm(*words, cwd=folder)
    run("synth", "--queries", 20, "--features", 7, "--documents-median", 12, "--seed", 5, "-o", "data.csv")
    for name, scale in (
        ("plain", "none"),
        ("global", "zscore"),
        ("query", "log-query-zscore"),
        ("minmax", "query-minmax"),
    ):
        run("train", "data.csv", "--scale", scale, "--model", f"{name}.json", "--quiet")
    run("train", "data.csv", "--kernel", "rbf", "--model", "kernel.json", "--quiet", "--passes", 3)
    rows = [f"u{u}\ti{j}\t{1 + (u * 7 + j * 3) % 5}\n" for u in range(12) for j in range(9) if (u + j) % 3]
    (folder / "ratings.tsv").write_text("".join(rows))
    run("recommend", "train", "ratings.tsv", "--model", "films.factors", "--rank", 2, "--quiet")
    return folder


@pytest.fixture(scope="module")
def queries(world):
    """By query: the names of the features, and rows as the text of the file has them."""
    lines = (world / "data.csv").read_text().splitlines()
    header = lines[0].split(",")
    place = [k for k, name in enumerate(header) if name not in ("label", "qid", "docid", "query", "document")]
    qid = header.index("qid") if "qid" in header else header.index("query")
    found = {}
    for line in lines[1:]:
        cells = line.split(",")
        found.setdefault(cells[qid], []).append([cells[k] for k in place])
    return [header[k] for k in place], found


@pytest.fixture(scope="module")
def server(world):
    models = ["plain.json", "global.json", "query.json", "minmax.json", "k=kernel.json", "films.factors"]
    with Served(*models, "--threads", 2, cwd=world) as served:
        yield served


def document_list(rows):
    """The numbers as they stand in the file."""
    one = lambda i, row: f'{{"id":"d{i}","values":[{",".join(row)}]}}'
    return "[" + ",".join(one(i, row) for i, row in enumerate(rows)) + "]"


def expected_scores(world, model, queries):
    printed = dorm("rank", model, "data.csv", cwd=world).stdout.split()
    scores, at = {}, 0
    for query, rows in queries.items():
        scores[query] = [float(text) for text in printed[at : at + len(rows)]]
        at += len(rows)
    assert at == len(printed)
    return scores


@pytest.mark.parametrize("name", ["plain", "global", "query", "minmax", "k"])
def test_scores_are_those_of_rank_to_the_last_bit(world, server, queries, name):
    features, rows_of = queries
    expected = expected_scores(world, "kernel.json" if name == "k" else f"{name}.json", rows_of)
    link = server.connection()
    for query, rows in rows_of.items():
        body = f'{{"features":{json.dumps(features)},"documents":{document_list(rows)}}}'
        status, headers, answer = server.ask(
            "POST", f"/v1/models/{name}/rank", body, {"Content-Type": "application/json"}, link
        )
        assert status == 200, answer
        assert headers["X-Dorm-Model"] == answer["version"]
        assert [e["score"] for e in sorted(answer["ranking"], key=lambda e: e["index"])] == expected[query]
        assert [e["rank"] for e in answer["ranking"]] == list(range(1, len(rows) + 1))
        assert all(e["id"] == f"d{e['index']}" for e in answer["ranking"])
        values = np.array(rows, dtype=np.float64).astype(np.float32)
        binary = struct.pack("<II", *values.shape) + values.tobytes()
        status, _, scores = server.ask(
            "POST", f"/v1/models/{name}/rank", binary, {"Content-Type": "application/octet-stream"}, link
        )
        assert status == 200, scores
        assert np.frombuffer(scores, "<f8").tolist() == expected[query]
        tensor = {"name": "features", "shape": values.shape, "datatype": "FP32", "data": values.ravel().tolist()}
        status, _, answer = server.ask("POST", f"/v2/models/{name}/infer", {"inputs": [tensor]}, connection=link)
        assert status == 200, answer
        assert answer["outputs"][0]["data"] == expected[query]


def test_recommendations_are_those_of_the_command(world, server):
    printed = json.loads(
        dorm("recommend", "top", "films.factors", "--user", "u3", "--top", 4, "--json", cwd=world).stdout
    )
    status, _, answer = server.ask("POST", "/v1/recommend", {"user": "u3", "top": 4})
    assert status == 200 and answer["items"] == printed["items"]
    (world / "new.tsv").write_text("n\ti1\t5\nn\ti2\t1\nn\ti7\t4\n")
    printed = json.loads(dorm("recommend", "top", "films.factors", "--ratings", "new.tsv", "--json", cwd=world).stdout)
    ratings = [{"item": "i1", "rating": 5}, {"item": "i2", "rating": 1}, {"item": "i7", "rating": 4}]
    for _ in range(2):
        status, _, answer = server.ask("POST", "/v1/recommend", {"ratings": ratings})
        assert status == 200 and answer["items"] == printed["items"]
    status, _, answer = server.ask("POST", "/v1/recommend", {"similar_to": "nothing"})
    assert status == 404 and "similar_to: found 'nothing'" in answer["error"]
    assert server.ask("POST", "/v1/recommend", {"user": "u3", "similar_to": "i1"})[0] == 400


def test_errors_name_the_place(server, queries):
    rows = [[1] * 7 for _ in range(4)]
    rows[3][5] = None
    status, _, answer = server.ask("POST", "/v1/rank", {"documents": [{"values": row} for row in rows]})
    assert status == 400
    assert answer == {
        "error": "documents[3].values[5]: found null; expected a number: the model plain has no rule for a missing '6'"
    }


def test_malformed_requests_are_answered_and_harm_nobody(server):
    body = json.dumps({"documents": [{"values": [1] * 7}]}).encode()
    for data, status in [
        (b"nonsense\r\n\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
        (b"GET /v1/models HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n", 421),
        (post(body, host="evil.example"), 421),
        (post(body, kind="text/plain"), 415),
        (b"POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20000 + b"\r\n\r\n", 431),
        (b"GET /" + b"x" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200, 400),
        (b"\x00" * 100, 400),
        (post(b"\x00\x01\x00\x00" * 4, kind="application/octet-stream"), 400),
    ]:
        received = server.raw(data)
        assert received.startswith(f"HTTP/1.1 {status} ".encode()), (data[:80], received[:200])
        assert json.loads(received.split(b"\r\n\r\n", 1)[1])["error"]
    for data in (b"", b"GET", post(body)[:-10], post(body)[:40]):  # and gone
        server.raw(data, wait=False)
    assert server.ask("POST", "/v1/rank", json.loads(body))[0] == 200


def test_bodies_come_in_any_pieces(server):
    body = json.dumps({"documents": [{"values": [1, 2, 3, 4, 5, 6, 7]}]}).encode()
    whole = server.raw(post(body)).split(b"\r\n\r\n", 1)[1]
    head = b"POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:30], body[30:]))
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"
    assert server.raw(chunked).split(b"\r\n\r\n", 1)[1] == whole
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
        for byte in post(body):
            link.sendall(bytes([byte]))
        received = b""
        while part := link.recv(65536):
            received += part
    assert received.split(b"\r\n\r\n", 1)[1] == whole
    expecting = head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
        link.sendall(expecting)
        assert link.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
        link.sendall(body)
        assert b"200 OK" in link.recv(65536)


def test_pipelined_requests_are_answered_in_order(server):
    bodies = [json.dumps({"documents": [{"id": str(k), "values": [k] * 7}]}).encode() for k in range(50)]
    received = server.raw(b"".join(post(body, close=k == 49) for k, body in enumerate(bodies)))
    assert [int(x) for x in re.findall(rb'"id":"(\d+)"', received)] == list(range(50))


def test_head_has_no_body_and_one_zero_closes(server):
    received = server.raw(b"HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 200 OK") and received.endswith(b"\r\n\r\n")
    assert int(re.search(rb"Content-Length: (\d+)", received).group(1)) > 100
    assert server.raw(b"GET /v2/health/live HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 OK")


def test_openapi_is_valid_and_whole(server):
    status, _, api = server.ask("GET", "/openapi.json")
    assert status == 200
    for path, item in api["paths"].items():
        for method in set(item) - {"parameters"}:
            probe = path.replace("{model}", "plain")
            assert server.ask(method.upper(), probe)[0] not in (404, 405) or "recommend" in path, path


def test_others_need_the_token(world):
    (world / "token").write_text("0123456789abcdef\n")
    refused = dorm("serve", "plain.json", "--bind", "0.0.0.0", "--port", 0, status=2, cwd=world).stderr
    assert "expected a token" in refused
    with Served("plain.json", "--bind", "0.0.0.0", "--token-file", "token", cwd=world) as served:
        assert served.ask("GET", "/v1/models")[0] == 401
        assert served.ask("GET", "/v1/models", headers={"Authorization": "Bearer 0123456789abcdeX"})[0] == 401
        assert served.ask("GET", "/v1/models", headers={"Authorization": "Bearer 0123456789abcdef"})[0] == 200
        assert served.ask("GET", "/v2/health/live")[0] == 200
        large = b"POST /v1/rank HTTP/1.1\r\nHost: x\r\nContent-Length: 8000000\r\n\r\n"
        assert served.raw(large).startswith(b"HTTP/1.1 401 "), "before the body has come"


def test_limits_hold(world):
    with Served("plain.json", "--max-connections", 3, "--max-body", 0.001, "--max-documents", 2, cwd=world) as served:
        document = {"values": [1] * 7}
        assert served.ask("POST", "/v1/rank", {"documents": [document] * 2})[0] == 200
        status, _, answer = served.ask("POST", "/v1/rank", {"documents": [document] * 3})
        assert status == 400 and answer["error"] == "documents: found more than 2 documents; expected no more"
        status, _, answer = served.ask("POST", "/v1/rank", {"documents": [document] * 50})
        assert status == 413 and "at most 1048 bytes" in answer["error"]
        links = [socket.create_connection(("127.0.0.1", served.port), timeout=20) for _ in range(3)]
        deadline = time.monotonic() + 20
        while not (refused := served.raw(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")).startswith(b"HTTP/1.1 503"):
            assert time.monotonic() < deadline, refused
        for link in links:
            link.close()
        while served.raw(b"GET /v2 HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 503"):
            assert time.monotonic() < deadline
        assert served.metric("dorm_connections_refused_total") >= 1


def train_another(world, folder, seed):
    dorm("train", world / "data.csv", "-C", seed, "--scale", "none", "--model", folder / f"{seed}.json", "--quiet")
    return (folder / f"{seed}.json").read_bytes()


@pytest.mark.parametrize("by_signal", [True, False])
def test_reloads_lose_no_request(world, tmp_path, by_signal):
    contents = [train_another(world, tmp_path, seed) for seed in (1, 50)]
    path = tmp_path / "m.json"

    def publish(content):
        (tmp_path / "next").write_bytes(content)
        os.replace(tmp_path / "next", path)

    publish(contents[0])
    body = {"documents": [{"values": [k, 1, 2, 3, 4, 5, 6]} for k in range(3)]}
    with Served(path, "--watch", 0 if by_signal else 0.01, "--threads", 2, "--quiet", cwd=tmp_path) as served:
        stop, versions, failures = threading.Event(), set(), []

        def keep_asking():
            link = served.connection()
            while not stop.is_set():
                status, _, answer = served.ask("POST", "/v1/rank", body, connection=link)
                if status != 200:
                    failures.append(answer)
                versions.add((answer["version"], json.dumps(answer["ranking"])))

        clients = [threading.Thread(target=keep_asking) for _ in range(2)]
        for client in clients:
            client.start()
        for k in range(1, 41):
            publish(contents[k % 2])
            if by_signal:
                served.process.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + 20
            while served.metric("dorm_reloads_total") < k:
                assert time.monotonic() < deadline
        publish(b"{ half a file")
        if by_signal:
            served.process.send_signal(signal.SIGHUP)
        while served.metric("dorm_reload_failures_total") < 1:
            assert time.monotonic() < deadline
        stop.set()
        for client in clients:
            client.join()
        assert not failures
        assert len(versions) == 2, "each version has one ranking"
        assert served.ask("POST", "/v1/rank", body)[0] == 200


def test_requests_in_hand_are_finished_at_the_end(world):
    with Served("plain.json", "--threads", 1, cwd=world) as served:
        body = json.dumps({"documents": [{"values": [1] * 7}]}).encode()
        with (
            socket.create_connection(("127.0.0.1", served.port), timeout=20) as link,
            socket.create_connection(("127.0.0.1", served.port), timeout=20) as idle,
        ):
            link.sendall(post(body, close=False)[:-5])
            while served.metric("dorm_connections") < 3:
                pass
            served.process.send_signal(signal.SIGTERM)
            assert idle.recv(10) == b""  # closed at once
            link.sendall(post(body, close=False)[-5:])
            received = b""
            while part := link.recv(65536):
                received += part
        assert received.startswith(b"HTTP/1.1 200 OK") and b"Connection: close" in received
        assert served.process.wait(timeout=20) == 0


def test_the_log_has_a_line_for_each_request(world):
    with Served("plain.json", "--log", cwd=world) as served:
        served.ask("POST", "/v1/rank", {"documents": [{"values": [1] * 7}]})
        served.ask("GET", "/nowhere")
        served.process.send_signal(signal.SIGTERM)
        lines = [json.loads(line) for line in served.process.communicate(timeout=20)[0].splitlines()]
    assert [(line["path"], line["status"], line["documents"]) for line in lines] == [
        ("/v1/rank", 200, 1),
        ("/nowhere", 404, 0),
    ]


def test_wrong_starts_are_explained(world):
    assert "MODEL" in dorm("serve", status=2).stderr
    assert "no model" in dorm("serve", "data.csv", "--port", 0, status=1, cwd=world).stderr
    assert "two models are named plain" in dorm("serve", "plain.json", "./plain.json", status=2, cwd=world).stderr
    assert "expected one in numbers" in dorm("serve", "plain.json", "--bind", "localhost", status=2, cwd=world).stderr
    with Served("plain.json", cwd=world) as served:
        said = dorm("serve", "plain.json", "--port", served.port, status=1, cwd=world).stderr
        assert "cannot listen at 127.0.0.1" in said
