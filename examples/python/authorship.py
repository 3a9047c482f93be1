#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who wrote this? The query is a set of texts by one author, and the texts of that author are to be ranked first.

    authorship.py [FOLDER]

FOLDER holds files of fortunes, those of Debian's package by default (apt install fortunes): sayings with the names of
their authors. Without them the texts are generated. Texts are compared by their words and by their letters, with the
mean map of the set and with its most similar member; the ranker learns how much each of these counts, on authors that
it is not judged by. Judged are all authors with enough texts, each once, in five folds over authors.

It also shows what sets do not do: a set that is mostly by others is worse than one text of the author.
"""

import collections
import re
import sys
from pathlib import Path

import numpy as np

import dorm

FORTUNES = Path("/usr/share/games/fortunes")
SIZE = 6  # texts of a set
DRAWS = 4  # queries of an author
OTHERS = 60  # candidates by other authors
KINDS = ("word", "letters")
COLUMNS = [f"{by}:attribute({kind}:*)" for kind in KINDS for by in ("mean", "max")]


def fortunes(folder):
    """Author: texts, as lists of words; authors of at least SIZE + 4 of them."""
    found = collections.defaultdict(dict)
    for file in sorted(Path(folder).iterdir()):
        if file.suffix or file.is_symlink():
            continue
        for piece in re.split(r"^%\s*$", file.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE):
            signed = re.search(r"^\s*-- *([^\n]*)(?:\n\s+[^\n]+)*\s*\Z", piece, flags=re.MULTILINE)
            name = re.split(r'[,("]', signed[1])[0].strip() if signed else ""
            words = re.findall(r"[a-z']+", piece[: signed.start()].lower()) if signed else []
            if len(words) >= 8 and re.fullmatch(r"[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)+", name):
                found[name][" ".join(words)] = words
    return {name: list(texts.values()) for name, texts in found.items() if len(texts) >= SIZE + 4}


def generated(seed=1, authors=40, texts=14, words=600):
    """Authors who prefer some words of a common language, in texts of about 20 words."""
    rng = np.random.default_rng(seed)
    names = ["".join(rng.choice(list("abcdefghiklmnoprstuvw"), rng.integers(2, 9))) for _ in range(words)]
    common = 1 / np.arange(1, words + 1)
    found = {}
    for author in range(authors):
        own = common * np.exp(0.8 * rng.normal(size=words))
        found[f"author {author}"] = [
            list(rng.choice(names, rng.integers(12, 30), p=own / own.sum())) for _ in range(texts)
        ]
    return found


def matrix(texts):
    """Logarithms of counts times inverse document frequencies, of words and of three letters in a row."""
    counted = []
    for words in texts:
        line = " ".join(words)
        counts = collections.Counter(f"word:{word}" for word in words)
        counts.update(f"letters:{line[at : at + 3]}" for at in range(len(line) - 2))
        counted.append(counts)
    frequency = collections.Counter(name for counts in counted for name in counts)
    names = sorted(name for name, number in frequency.items() if number >= 3)
    place = {name: column for column, name in enumerate(names)}
    X = np.zeros((len(texts), len(names)), np.float32)
    for row, counts in enumerate(counted):
        for name, number in counts.items():
            if name in place:
                X[row, place[name]] = (1 + np.log(number)) * np.log(len(texts) / frequency[name])
    return X, names


class Library:
    """All texts, and queries about their authors."""

    def __init__(self, by_author):
        self.authors = list(by_author)
        self.author = np.concatenate([[number] * len(texts) for number, texts in enumerate(by_author.values())])
        self.X, self.names = matrix([words for texts in by_author.values() for words in texts])
        rng = np.random.default_rng(0)
        self.queries = []  # author, its set, texts to rank, texts of others
        for number in range(len(by_author)):
            for _ in range(DRAWS):
                own = rng.permutation(np.flatnonzero(self.author == number))
                others = rng.permutation(np.flatnonzero(self.author != number))
                self.queries.append((number, own[:SIZE], np.r_[own[SIZE:], others[:OTHERS]], others[OTHERS:]))

    def rows(self, parts, labels=None):
        """The texts of each query as one data set."""
        rows = np.concatenate(parts)
        qid = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        ids = [str(row) for row in rows]
        return dorm.RankingData(X=self.X[rows], y=labels, qid=qid, feature_names=self.names, document_ids=ids)

    def compared(self, members):
        """Columns of all queries for sets that `members(own, strangers)` makes."""
        candidates = [ranked for _, _, ranked, _ in self.queries]
        labels = np.concatenate([self.author[ranked] == number for number, _, ranked, _ in self.queries])
        sets = [members(own, strangers) for _, own, _, strangers in self.queries]
        data = self.rows(candidates, labels.astype(np.float32))
        return dorm.data.with_sets(data, self.rows(sets), COLUMNS, only_added=True)

    def judge(self, data, columns=slice(None)):
        """NDCG@10 by author, the mean of its queries, by rankers that were trained on other authors."""
        X, asker = data.X[:, columns], np.array([number for number, *_ in self.queries])
        fold, values = asker % 5, np.empty(len(asker))
        for part in range(5):
            train, test = fold[data.qid] != part, fold[data.qid] == part
            ranker = dorm.DormRanker("ndcg@10", C=10).fit(X[train], data.y[train], qid=data.qid[train])
            scores = ranker.predict(X[test], qid=data.qid[test])
            judged = dorm.evaluate(data.y[test], scores, qid=data.qid[test], measures="ndcg@10")
            values[fold == part] = judged["ndcg@10"].per_query
        return np.array([values[asker == number].mean() for number in range(len(self.authors))])


def report(name, by_author):
    library = Library(by_author)
    print(f"{name}: {len(library.authors)} authors, {len(library.X)} texts; NDCG@10, mean over authors")
    whole = library.compared(lambda own, strangers: own)
    single = library.judge(library.compared(lambda own, strangers: own[:1]))
    found = {
        "one text": single,
        "two texts": library.judge(library.compared(lambda own, strangers: own[:2])),
        f"{SIZE} texts": library.judge(whole),
        f"{SIZE} texts, mean only": library.judge(whole, [0, 2]),
        f"{SIZE} texts, max only": library.judge(whole, [1, 3]),
        f"one text and {SIZE - 1} by others": library.judge(
            library.compared(lambda own, strangers: np.r_[own[:1], strangers[: SIZE - 1]])
        ),
    }
    for query, values in found.items():
        print(f"  {query:26} {values.mean():.3f}")
    print(f"  {SIZE} texts - one text: {dorm.compare(found[f'{SIZE} texts'], single)}")
    print(f"  mean - max: {dorm.compare(found[f'{SIZE} texts, mean only'], found[f'{SIZE} texts, max only'])}")
    print(f"  with strangers - one text: {dorm.compare(found[f'one text and {SIZE - 1} by others'], single)}\n")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FORTUNES
    report("generated texts", generated())
    if folder.is_dir():
        report("fortunes", fortunes(folder))
    else:
        print(f"no fortunes in {folder}: apt install fortunes, or name the folder of their files")


if __name__ == "__main__":
    main()
