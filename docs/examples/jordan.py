#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The "Jordan" example of docs/diversity.md: one query of many meanings, ranked with and without a limit per site.

    jordan.py [--dorm build/dorm] [--image FILE.svg] [--work FOLDER]

Generates 80 ambiguous training queries and the query "jordan", whose pages are written out below; trains without and
with --one-per host; prints both lists and what they cover; draws them side by side (docs/img/jordan.svg). Needs nothing
but Python and the command.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import tempfile
from html import escape

FEATURES = ["text", "title", "clicks", "links", "fresh"]
# The meanings of the query: site, popularity of the site, pages with their labels.
JORDAN = [
    (
        "player",
        "hoops.example",
        1.2,
        [("career", 3), ("six-titles", 3), ("records", 2), ("the-shot", 2), ("quotes", 1)],
    ),
    ("player", "sportsdaily.example", 0.7, [("jordan-at-60", 2), ("jordan-interview", 2)]),
    ("player", "encyclopedia.example", 0.3, [("michael-jordan", 3)]),
    ("shoes", "sneakers.example", 1.2, [("air-1", 2), ("air-3", 2), ("air-4", 2), ("air-11", 2), ("sale", 1)]),
    ("country", "kingdom.example", 0.2, [("government", 3), ("visas", 2), ("amman", 2)]),
    ("country", "travelbook.example", 0.3, [("jordan-in-7-days", 2), ("petra", 2)]),
    ("river", "waters.example", -0.3, [("jordan-river", 3)]),
    ("tv show", "screen.example", 0.1, [("crossing-jordan", 3), ("crossing-jordan-cast", 1)]),
    ("scientist", "cs.university.example", -0.2, [("~jordan", 3), ("~jordan/papers", 2), ("~jordan/group", 1)]),
    ("city", "jordan-mn.example", -0.4, [("", 2)]),
    ("city", "west-jordan-ut.example", -0.4, [("", 2)]),
]
COLOURS = {
    "player": "#c0504d",
    "shoes": "#e0913a",
    "country": "#4f81bd",
    "river": "#3aa6a0",
    "tv show": "#8064a2",
    "scientist": "#6a8f3c",
    "city": "#7f7f7f",
}
SHOWN = 8


def features(rng, label, popularity):
    """Popular sites have many clicks and links whatever the page is worth."""
    return [
        0.7 * label + 0.5 * rng.gauss(0, 1),
        0.4 * label + 0.7 * rng.gauss(0, 1),
        0.5 * label + 1.0 * popularity + 0.5 * rng.gauss(0, 1),
        0.3 * label + 1.2 * popularity + 0.5 * rng.gauss(0, 1),
        0.6 * rng.gauss(0, 1),
    ]


def ambiguous_query(rng):
    """Meanings as in JORDAN, their sites and pages drawn: one or two popular sites have many pages."""
    for meaning in range(rng.randint(5, 8)):
        for site in range(rng.randint(1, 2)):
            crowd = meaning < 2 and site == 0
            popularity = 1.1 + 0.2 * rng.gauss(0, 1) if crowd else -0.1 + 0.4 * rng.gauss(0, 1)
            pages = rng.randint(4, 7) if crowd else rng.randint(1, 3)
            labels = sorted(rng.choices([1, 2, 3], k=pages), reverse=True) if rng.random() < 0.8 else [0] * pages
            yield f"m{meaning}", f"m{meaning}-{site}.example", popularity, [(f"p{k}", y) for k, y in enumerate(labels)]


def write_query(out, subtopics, rng, name, meanings):
    for meaning, host, popularity, pages in meanings:
        for page, label in pages:
            url = f"https://{host}/{page}"
            out.writerow([label, name, url, *[f"{x:.3f}" for x in features(rng, label, popularity)]])
            if subtopics:
                subtopics.write(f"{name} {meaning.replace(' ', '-')} {url} {label}\n")


def generate(work, seed):
    rng = random.Random(seed)
    with open(work / "train.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["label", "qid", "docid", *FEATURES])
        for q in range(80):
            write_query(out, None, rng, f"q{q}", ambiguous_query(rng))
    with open(work / "jordan.csv", "w", newline="") as file, open(work / "jordan.subtopics", "w") as subtopics:
        out = csv.writer(file)
        out.writerow(["label", "qid", "docid", *FEATURES])
        write_query(out, subtopics, rng, "jordan", JORDAN)


def dorm(command, *arguments):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


def ranked(command, work, model):
    answer = json.loads(dorm(command, "rank", work / model, work / "jordan.csv", "--top", SHOWN, "--format", "jsonl"))
    return [(d["document"], d["score"]) for d in answer["ranking"]]


def meaning_of(url):
    host = url.split("/")[2]
    return next(meaning for meaning, site, _, _ in JORDAN if site == host)


def label_of(url):
    host, page = url.split("/", 3)[2:]
    return next(dict(pages)[page] for _, site, _, pages in JORDAN if site == host)


def card(x, y, rank, url):
    meaning = meaning_of(url)
    host, page = url.split("/", 3)[2:]
    return f"""<g transform="translate({x},{y})">
<rect width="400" height="44" rx="5" fill="#fff" stroke="#ccc"/>
<rect width="6" height="44" rx="2" fill="{COLOURS[meaning]}"/>
<text x="18" y="19" class="url">{rank}. {escape(host)}<tspan fill="#666">/{escape(page)}</tspan></text>
<text x="18" y="36" class="meaning" fill="{COLOURS[meaning]}">{meaning}</text>
<text x="388" y="36" class="grade" text-anchor="end">label {label_of(url)}</text></g>"""


def draw(path, lists, captions):
    height = 96 + 50 * SHOWN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" width="860" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif">',
        "<style>.url{font-size:13px;fill:#222}.meaning{font-size:12px;font-weight:bold}.grade{font-size:11px;fill:#666}"
        ".head{font-size:15px;font-weight:bold;fill:#222}.note{font-size:12px;fill:#444}</style>",
        f'<rect width="860" height="{height}" fill="#fafafa"/>',
    ]
    for column, (documents, (head, note)) in enumerate(zip(lists, captions)):
        x = 20 + 420 * column
        parts.append(f'<text x="{x}" y="32" class="head">{escape(head)}</text>')
        parts.append(f'<text x="{x}" y="54" class="note">{escape(note)}</text>')
        parts += [card(x, 70 + 50 * j, j + 1, url) for j, (url, _) in enumerate(documents)]
    path.write_text("\n".join([*parts, "</svg>"]) + "\n")


def figures(command, work, model):
    covered = dorm(
        command, "eval", work / "jordan.csv", "--model", work / model, "--subtopics", work / "jordan.subtopics",
        "--measures", f"alpha-ndcg@{SHOWN},subtopic-recall@{SHOWN}", "--json", "--bootstrap", 0,
    )  # fmt: skip
    limits = ["--one-per", "host"] + (["--as-ranked"] if model == "plain.json" else [])
    ndcg = dorm(
        command, "eval", work / "jordan.csv", "--model", work / model, "--measures", f"ndcg@{SHOWN}", "--json",
        "--bootstrap", 0, *limits,
    )  # fmt: skip
    means = {**json.loads(covered)["measures"], **json.loads(ndcg)["measures"]}
    return {name: row["mean"] for name, row in means.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dorm", default="build/dorm")
    parser.add_argument("--image", type=pathlib.Path, help="draw both lists")
    parser.add_argument("--work", type=pathlib.Path, help="keep the files here")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = options.work or pathlib.Path(folder)
        work.mkdir(exist_ok=True)
        generate(work, options.seed)
        measure = ["--measure", f"ndcg@{SHOWN}"]
        dorm(options.dorm, "train", work / "train.csv", *measure, "--model", work / "plain.json")
        dorm(options.dorm, "train", work / "train.csv", *measure, "--one-per", "host", "--model", work / "limited.json")
        lists, captions = [], []
        for model, head in (("plain.json", "trained for ndcg@8"), ("limited.json", "the same with --one-per host")):
            lists.append(ranked(options.dorm, work, model))
            values = figures(options.dorm, work, model)
            note = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
            captions.append((head, note))
            print(f"{head}\n  {note}")
            for rank, (url, score) in enumerate(lists[-1], 1):
                print(f"  {rank}. {meaning_of(url):10} {label_of(url)}  {score:8.3f}  {url}")
        if options.image:
            draw(options.image, lists, captions)


if __name__ == "__main__":
    main()
