# SPDX-License-Identifier: Apache-2.0
"""Lucene logs features, DORM learns from them, and Lucene sorts by the expression that was learnt.

    python3 examples/lucene/loop.py [FOLDER]

tools/setup.sh engines fetches Lucene; every file is left in FOLDER (default: lucene-loop).
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import shop  # noqa: E402

JARS = Path(os.environ.get("DORM_ENGINES", HERE.parents[1] / ".venv-engines")) / "jars" / "lucene"


def dorm(*arguments):
    """Runs the command, and shows how."""
    print("$ dorm", *arguments)
    command = os.environ.get("DORM_COMMAND", "dorm")
    return subprocess.run([command, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True).stdout


def lucene(*arguments):
    command = ["java", "-cp", f"{JARS}/*", HERE / "Search.java", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def table_of(text):
    return list(csv.DictReader(text.splitlines()))


def rankings(rows, queries):
    """The ids of the rows, in their order: of every query."""
    return {text: [row["docid"] for row in rows if row["qid"] == qid] for qid, text in queries.items()}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "lucene-loop")
    folder.mkdir(parents=True)
    queries = shop.queries()
    documents = folder / "documents.tsv"
    documents.write_text("".join("\t".join(map(str, one.values())) + "\n" for one in shop.documents()))
    by_id = {one["id"]: one for one in shop.documents()}

    # Features of what Lucene finds, with the judgments as labels.
    for part, its_queries in queries.items():
        (folder / f"{part}.tsv").write_text("".join(f"{qid}\t{text}\n" for qid, text in its_queries.items()))
        rows = table_of(lucene(documents, folder / f"{part}.tsv"))
        with open(folder / f"{part}.csv", "w", newline="") as out:
            table = csv.DictWriter(out, ["label", *rows[0]])
            table.writeheader()
            for row in rows:
                table.writerow({"label": shop.judged(its_queries[row["qid"]], by_id[row["docid"]])} | row)

    # A ranker as an expression.
    model, expression = folder / "m.json", folder / "expression.js"
    print(dorm("train", folder / "train.csv", "--for", "lucene", "--measure", "ndcg@10", "--model", model))
    dorm("export", model, "--to", "lucene", "-o", expression)

    # Lucene sorts by it.
    before = rankings(rows, queries["test"])
    after = rankings(table_of(lucene(documents, folder / "test.tsv", expression)), queries["test"])
    judged = json.loads(dorm("eval", folder / "test.csv", "--model", model, "--measures", "ndcg@10", "--json"))
    expected = judged["measures"]["ndcg@10"]["mean"]
    alone, again = shop.mean_ndcg(before), shop.mean_ndcg(after)
    print(f"ndcg@10 of test queries: {alone:.6f} by Lucene, {again:.6f} ranked again, {expected:.6f} by dorm eval")


if __name__ == "__main__":
    main()
