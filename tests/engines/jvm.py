# SPDX-License-Identifier: Apache-2.0
"""The engines that run on Java, as tools/setup.sh engines fetched them: one start scores many models."""

import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINES = Path(os.environ.get("DORM_ENGINES", ROOT / ".venv-engines"))
SOURCES = Path(__file__).resolve().parent / "java"
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]


def jars(engine):
    """The class path of an engine; skips the test where it could not be fetched."""
    folder = ENGINES / "jars" / engine
    if not (folder / "complete").exists():
        pytest.skip(f"{engine} is not in {folder}: tools/setup.sh engines could not fetch it")
    return f"{folder}/*"


def compiled(engine, main):
    """The class path with the checker, compiled when its source is newer."""
    classes = ENGINES / "classes" / engine
    target = classes / f"{main}.class"
    sources = [SOURCES / "Cases.java", SOURCES / f"{main}.java"]
    sources += [SOURCES / "RankProfileReader.java"] if engine == "vespa" else []
    if not target.exists() or target.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        subprocess.run(["javac", "-nowarn", "-cp", jars(engine), "-d", classes, *sources], check=True)
    return f"{classes}:{jars(engine)}"


def score(engine, main, folders):
    """Scores of each folder's `model` on its `vectors`, or the text of what the engine threw."""
    path = compiled(engine, main)
    subprocess.run([*JAVA, "-cp", path, main, *map(str, folders)], check=True, stdout=subprocess.DEVNULL, timeout=300)
    return [scores_of(folder) for folder in folders]


def scores_of(folder):
    if (folder / "error").exists():
        return (folder / "error").read_text()
    return [float(line) for line in (folder / "scores").read_text().split()]


def write_vectors(path, names, rows):
    """As java/Cases.java reads them."""
    with open(path, "w") as out:
        out.write("\t".join(urllib.parse.quote(name, safe="") for name in names) + "\n")
        for row in rows:
            out.write("\t".join("" if x is None else "NaN" if x != x else repr(x) for x in row) + "\n")


class Solr:
    """A Solr with one core, on a free port of this machine, for the time of a `with`."""

    def __init__(self, home, schema, core="models"):
        path = jars("solr")
        conf = home / core / "conf"
        conf.mkdir(parents=True)
        (home / "solr.xml").write_text("<solr/>")
        (home / core / "core.properties").write_text(f"name={core}\n")
        (conf / "solrconfig.xml").write_text((ROOT / "examples" / "solr" / "conf" / "solrconfig.xml").read_text())
        (conf / "schema.xml").write_text(schema.read_text())
        self.command = [*JAVA, "-cp", path, ROOT / "examples" / "solr" / "Solr.java", home, "0"]
        self.core = core

    def __enter__(self):
        self.server = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = f"{self.server.stdout.readline().strip()}/{self.core}"
        return self

    def __exit__(self, *_):
        self.server.stdin.close()
        self.server.wait(60)

    def request(self, method, path, body=None, **parameters):
        """The answer as JSON; what Solr refuses raises SolrRefused with its message."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        head = {"Content-Type": "application/json"} if data is not None else {}
        if method == "POST" and body is None:
            data, parameters = urllib.parse.urlencode(parameters).encode(), {}
        address = self.address + path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        try:
            with urllib.request.urlopen(urllib.request.Request(address, data, head, method=method)) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise SolrRefused(error.read().decode()) from None


class SolrRefused(Exception):
    pass
