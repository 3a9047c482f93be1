# SPDX-License-Identifier: Apache-2.0
"""From a search engine to a ranker and back: Solr logs features, DORM learns from them, Solr ranks by what was learnt.

    python3 examples/solr/loop.py [FOLDER]

starts a Solr of its own (tools/setup.sh engines fetches it) and leaves every file in FOLDER (default: solr-loop).
"""

import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import shop  # noqa: E402

JARS = Path(os.environ.get("DORM_ENGINES", HERE.parents[1] / ".venv-engines")) / "jars" / "solr"
MATCHED = 100  # documents of a query that features are logged for, and that are ranked again


def dorm(*arguments):
    """Runs the command, and shows how."""
    print("$ dorm", *arguments)
    command = os.environ.get("DORM_COMMAND", "dorm")
    return subprocess.run([command, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def start_solr(home):
    """A server with the core `shop`; it ends when its standard input is closed."""
    conf = home / "shop" / "conf"
    conf.mkdir(parents=True)
    for file in (HERE / "conf").iterdir():
        (conf / file.name).write_bytes(file.read_bytes())
    (home / "solr.xml").write_text("<solr/>")
    (home / "shop" / "core.properties").write_text("name=shop\n")
    command = ["java", "-cp", f"{JARS}/*", HERE / "Solr.java", home, "0"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    return server, server.stdout.readline().strip() + "/shop"


def send(address, method, path, body):
    head = {"Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(address + path, body, head, method=method)).close()


def search(address, text, **parameters):
    """The words of the query anywhere; Solr's own ranking by title and body, unless `rq` ranks again."""
    asked = {"q": text, "defType": "dismax", "qf": "title body", "mm": "1", "rows": MATCHED, "echoParams": "explicit"}
    with urllib.request.urlopen(f"{address}/select?{urllib.parse.urlencode(asked | parameters)}") as answer:
        return json.load(answer)


def log_features(address, queries, path):
    with open(path, "w") as log:
        for qid, text in queries.items():
            answer = search(address, text, qid=qid, fl=f"id,[features efi.text='{text}']")
            log.write(json.dumps(answer) + "\n")


def ranked(address, queries, model=None):
    """The ids of the documents that Solr finds, best first, by itself or by a model: of every query."""
    rankings = {}
    for text in queries.values():
        again = {"rq": f"{{!ltr model={model} reRankDocs={MATCHED} efi.text='{text}'}}"} if model else {}
        rankings[text] = [one["id"] for one in search(address, text, fl="id", **again)["response"]["docs"]]
    return rankings


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "solr-loop")
    folder.mkdir(parents=True)
    queries = shop.queries()
    shop.write_judgments(folder / "judgments.qrels")

    # The engine as it is: documents, and features to be logged.
    server, address = start_solr(folder / "home")
    send(address, "POST", "/update?commit=true", json.dumps(shop.documents()).encode())
    send(address, "PUT", "/schema/feature-store", (HERE / "features.json").read_bytes())

    # Logged features, joined with judgments.
    for part in queries:
        log_features(address, queries[part], folder / f"{part}.json")
        dorm("convert", folder / f"{part}.json", folder / f"{part}.csv", "--qrels", folder / "judgments.qrels")

    # A ranker that Solr can evaluate, and its model file.
    model = folder / "m.json"
    print(dorm("train", folder / "train.csv", "--for", "solr", "--measure", "ndcg@10", "--model", model))
    dorm("export", model, "--to", "solr", "--name", "dorm", "-o", folder / "solr.json")

    # Solr ranks by it. The model takes logarithms of features: to Solr they are further features.
    send(address, "PUT", "/schema/feature-store", (HERE / "log-features.json").read_bytes())
    send(address, "PUT", "/schema/model-store", (folder / "solr.json").read_bytes())
    before = shop.mean_ndcg(ranked(address, queries["test"]))
    after = shop.mean_ndcg(ranked(address, queries["test"], "dorm"))
    judged = json.loads(dorm("eval", folder / "test.csv", "--model", model, "--measures", "ndcg@10", "--json"))
    server.stdin.close()
    expected = judged["measures"]["ndcg@10"]["mean"]
    print(f"ndcg@10 of test queries: {before:.6f} by Solr, {after:.6f} ranked again, {expected:.6f} by dorm eval")


if __name__ == "__main__":
    main()
