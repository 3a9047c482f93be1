# SPDX-License-Identifier: Apache-2.0
"""A shop of invented things for the examples of search engines: documents, queries and judgments, always the same."""

import math
import random

COLOURS = ["red", "green", "blue", "black", "white", "yellow", "brown", "grey"]
STUFFS = ["wooden", "iron", "woollen", "leather", "paper", "glass", "linen", "clay"]
THINGS = ["chair", "table", "lamp", "box", "bag", "cup", "shelf", "rug", "clock", "basket"]
FILLERS = [
    "made",
    "by",
    "hand",
    "for",
    "every",
    "room",
    "old",
    "and",
    "new",
    "in",
    "the",
    "best",
    "of",
    "all",
    "sizes",
    "with",
    "a",
    "small",
    "mark",
    "below",
    "the",
    "edge",
]


def documents(count=400):
    random.seed(1)
    made = []
    for number in range(count):
        colour, stuff, thing = (random.choice(words) for words in (COLOURS, STUFFS, THINGS))
        title = [word for word in (colour, stuff) if random.random() < 0.6] + [thing]
        others = random.choices(COLOURS + STUFFS + THINGS, k=random.randint(0, 6))
        body = [colour, stuff, thing, *others, *random.choices(FILLERS, k=random.randint(5, 40))]
        random.shuffle(body)
        made.append(
            {
                "id": f"d{number}",
                "title": " ".join(title),
                "body": " ".join(body),
                "words": len(body),
                "year": random.randint(2000, 2026),
                "sales": round(math.exp(random.gauss(4, 1.5)), 2),
            }
        )
    return made


def queries():
    """Forty for training, twenty to judge by: id to text."""
    random.seed(2)
    pairs = [f"{word} {thing}" for word in COLOURS + STUFFS for thing in THINGS]
    found = [(f"q{number}", text) for number, text in enumerate(random.sample(pairs, 60))]
    return {"train": dict(found[:40]), "test": dict(found[40:])}


def judged(query, document):
    """A grade from 0 to 4: words in the title count more than words in the body, then age and sales, then luck."""
    words = query.split()
    title, body = document["title"].split(), document["body"].split()
    merit = sum(word in title for word in words) + 0.4 * sum(word in body for word in words)
    merit += 0.04 * (document["year"] - 2013) + 0.25 * (math.log(document["sales"]) - 4)
    merit += random.Random(query + document["id"]).gauss(0, 0.4)
    return max(0, min(4, round(1.5 * merit - 1)))


def write_judgments(path):
    """Of every document for every query, as TREC does: qid 0 docid grade."""
    with open(path, "w") as out:
        for part in queries().values():
            for qid, text in part.items():
                out.writelines(f"{qid} 0 {one['id']} {judged(text, one)}\n" for one in documents())


def mean_ndcg(rankings):
    """NDCG@10 with gain 2^grade - 1 and discount log2(1 + rank), of {text of the query: ids, best first}. The ideal is
    that of the documents found; queries that found nothing relevant do not count."""
    by_id = {one["id"]: one for one in documents()}
    values = []
    for text, ids in rankings.items():
        grades = [judged(text, by_id[name]) for name in ids]
        dcg = lambda list_: sum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(list_[:10]))
        if any(grades):
            values.append(dcg(grades) / dcg(sorted(grades, reverse=True)))
    return sum(values) / len(values)
