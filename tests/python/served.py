# SPDX-License-Identifier: Apache-2.0
"""The command while it answers requests over real sockets."""

import http.client
import json
import re
import signal
import socket
import subprocess

from command import DORM


class Served:
    """The command while it runs."""

    def __init__(self, *arguments, cwd, verb="serve", **options):
        self.process = subprocess.Popen(
            [DORM, verb, "--json", "--port", "0", *map(str, arguments)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        first = self.process.stdout.readline()
        assert first, self.process.stderr.read()
        self.url = json.loads(first)["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """Status, headers and the body, as JSON where it is."""
        link = connection or self.connection()
        if isinstance(body, (dict, list)):
            body, headers = json.dumps(body), {"Content-Type": "application/json", **(headers or {})}
        link.request(method, path, body, headers or {})
        answer = link.getresponse()
        content = answer.read()
        if connection is None:
            link.close()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json") and content
        return answer.status, answer.headers, json.loads(content) if is_json else content

    def raw(self, data, wait=True):
        """All that comes back for these bytes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as link:
            link.sendall(data)
            if not wait:
                return b""
            received = b""
            while part := link.recv(65536):
                received += part
            return received

    def metric(self, name):
        text = self.ask("GET", "/metrics")[2].decode()
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE).group(1))
