# SPDX-License-Identifier: Apache-2.0
"""Clients of every kind against one server, many at once: well-formed ones, and those that send changed bytes, send too
much, stop in the middle, are slow, or go away."""

import errno
import random
import re
import selectors
import socket
import struct
import time

SECONDS = 30  # in which a well-formed request must be answered
IN_TIME = 4  # seconds, less than the server gives a header
LINGER = 0.05  # how long a client of changed bytes waits for a response
RESET = struct.pack("ii", 1, 0)


def request(line, body=b"", headers=b"", token=None):
    """Bytes of a request, with a length if there is a body."""
    head = line + b" HTTP/1.1\r\nHost: localhost\r\n" + headers
    if token:
        head += b"Authorization: Bearer " + token + b"\r\n"
    if body:
        head += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
    return head + b"\r\n" + body


def chunked(line, body, draw, token=None):
    """The same in chunks, perhaps with extensions and a trailer."""
    parts = []
    while body:
        size = draw.randint(1, len(body))
        parts.append(b"%x%s\r\n%s\r\n" % (size, draw.choice([b"", b";a=b", b';a="c d"']), body[:size]))
        body = body[size:]
    parts.append(b"0\r\n" + draw.choice([b"", b"A: b\r\n"]) + b"\r\n")
    headers = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    return request(line, headers=headers, token=token) + b"".join(parts)


class Plan:
    """What one client sends, in which pieces, and what must come back."""

    def __init__(self, draw, token, body, well_formed):
        self.expected = 0  # responses with status 200; 0: whatever comes
        good = lambda: draw.choice([self.post, self.chunks, self.get])(draw, token, body)
        if well_formed:
            self.expected = draw.choice([1, 1, 1, 2, 5])
            data = b"".join(good() for _ in range(self.expected))
            self.abrupt = False
        else:
            data = self.changed(draw, b"".join(good() for _ in range(draw.choice([1, 1, 2, 4]))))
            self.abrupt = draw.random() < 0.3
        self.pieces = self.split(draw, data)
        self.pause = draw.choice([0, 0, 0, 0, 0.002, 0.02]) if len(self.pieces) > 1 else 0

    @staticmethod
    def post(draw, token, body):
        return request(b"POST /v1/rank", body, token=token)

    @staticmethod
    def chunks(draw, token, body):
        return chunked(b"POST /v1/rank", body, draw, token)

    @staticmethod
    def get(draw, token, body):
        return request(draw.choice([b"GET /v2/health/live", b"GET /v1/models", b"GET /metrics"]), token=token)

    @staticmethod
    def changed(draw, data):
        kind = draw.randrange(8)
        if kind == 0:  # truncated
            return data[: draw.randint(0, len(data) - 1)]
        if kind == 1:  # oversized
            long = draw.choice([b"x", b"0", b"A: b\r\n"]) * draw.choice([3000, 20000, 200_000])
            at = draw.choice([data.find(b"\r\n") + 2, data.find(b"\r\n\r\n") + 4, draw.randrange(len(data))])
            return data[:at] + long + data[at:]
        if kind == 2:  # a body that is never sent
            return data.replace(b"Content-Length: ", b"Content-Length: %d" % draw.choice([1, 80, 999999]), 1)
        if kind == 3:
            other = draw.choice([b"Transfer-Encoding: gzip\r\n", b"Host: x\r\n", b" y\r\n", b"Content-Length: 3\r\n"])
            return data.replace(b"\r\n", b"\r\n" + other, 1)
        data = bytearray(data)
        for _ in range(draw.choice([1, 1, 3, 30])):
            at = draw.randrange(len(data))
            if kind == 4:
                data[at] = draw.randrange(256)
            elif kind == 5:
                del data[at : at + draw.randrange(1, 20)]
                data = data or bytearray(b"x")
            elif kind == 6:
                data[at:at] = data[at : at + draw.randrange(300)]
            else:
                data[at:at] = draw.choice([b"\r\n", b"\0", b";", b"chunked", b"\r\n\r\n", b"0\r\n\r\n", b"HTTP/1.0"])
        return bytes(data)

    @staticmethod
    def split(draw, data):
        if draw.random() < 0.5 or len(data) < 2:
            return [data]
        cuts = sorted(draw.randrange(len(data)) for _ in range(draw.choice([1, 2, 5, 20])))
        return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)]) if a < b]


class Client:
    """One connection that follows its plan."""

    def __init__(self, plan, port, source):
        self.plan, self.received, self.sent = plan, bytearray(), 0
        self.began = self.moved = time.monotonic()
        self.closed = False
        self.socket = socket.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((source, 0))
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))

    def wants_to_send(self, now):
        return bool(self.plan.pieces) and (self.sent == 0 or now - self.moved >= self.plan.pause)

    def send(self, now):
        try:
            size = self.socket.send(self.plan.pieces[0])
        except BlockingIOError:
            return
        except OSError:  # the server has closed; what it said is still to be read
            self.plan.pieces = []
            return
        self.sent, self.moved = self.sent + size, now
        rest = self.plan.pieces[0][size:]
        self.plan.pieces[:1] = [rest] if rest else []

    def receive(self):
        try:
            part = self.socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno == errno.ECONNREFUSED:
                raise
            part = b""
        self.received += part
        self.closed |= not part

    def responses(self):
        """The statuses of what has come; a body may still be on its way."""
        found, at = [], 0
        while match := re.compile(rb"HTTP/1\.1 (\d+) [^\r]*\r\n").match(self.received, at):
            head = self.received.find(b"\r\n\r\n", at)
            length = re.compile(rb"\r\nContent-Length: (\d+)").search(self.received, at, head)
            if head < 0 or length is None or len(self.received) < head + 4 + int(length[1]):
                break
            found.append(int(match[1]))
            at = head + 4 + int(length[1])
        return found

    def is_done(self, now):
        if self.plan.expected:
            if self.closed or (not self.plan.pieces and len(self.responses()) >= self.plan.expected):
                return True
            assert now - self.began < SECONDS, f"no response to a well-formed request: {bytes(self.received[:300])}"
            return False
        if self.closed:
            return True
        return not self.plan.pieces and (self.plan.abrupt or now - self.moved > LINGER) or now - self.began > 10

    def finish(self):
        """How many well-formed requests were answered, as they must be unless this machine was too slow to send them in
        the time that a header has."""
        if self.plan.abrupt:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.socket.close()
        if not self.plan.expected or self.moved - self.began > IN_TIME:
            return 0
        told = (self.plan.expected, self.responses(), bytes(self.received[:300]))
        assert self.responses() == [200] * self.plan.expected, told
        return self.plan.expected


def attack(port, count, at_once, *, body, token=None, seed=0, well_formed=0.1, tend=lambda done: None):
    """So many connections. Returns how many were well-formed requests, all of which were answered."""
    draw = random.Random(seed)
    selector, clients = selectors.DefaultSelector(), set()
    begun = answered = 0
    while begun < count or clients:
        while begun < count and len(clients) < at_once:
            plan = Plan(draw, token if draw.random() < 0.9 else b"0" * 20, body, False)
            if draw.random() < well_formed:
                plan = Plan(draw, token, body, True)
            source = f"127.0.{begun // 200 % 200}.{2 + begun % 200}"  # each has ports of its own
            client = Client(plan, port, source)
            selector.register(client.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, client)
            clients.add(client)
            begun += 1
        now = time.monotonic()
        for key, events in selector.select(0.01):
            client = key.data
            if events & selectors.EVENT_READ:
                client.receive()
            if events & selectors.EVENT_WRITE and client.wants_to_send(now):
                client.send(now)
            if not client.plan.pieces and key.events & selectors.EVENT_WRITE:
                selector.modify(client.socket, selectors.EVENT_READ, client)
        for client in [each for each in clients if each.is_done(now)]:
            selector.unregister(client.socket)
            clients.remove(client)
            answered += client.finish()
        tend(begun)
    selector.close()
    return answered
