# SPDX-License-Identifier: Apache-2.0
"""Every verb of the command once or more, on data that takes milliseconds: what test_faults*.py run under stress."""

import gzip
import random
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from command import DORM, dorm

ENDING = {".html": b"</html>\n"}  # of files that cannot be compared


@dataclass(frozen=True)
class Case:
    """A command line, and the files it writes. `timed` ones hold seconds, which no two runs share."""

    line: str
    writes: tuple[str, ...] = ()
    timed: tuple[str, ...] = ()

    @property
    def words(self):
        return self.line.split()


CASES = {
    "train": Case("train train.txt --model out.json", ("out.json",)),
    "train with all files": Case(
        "train train.txt --valid valid.txt --model out.json --report out.html --checkpoint out.ck "
        "--checkpoint-interval 0 --threads 3 --tolerance 1e-2",
        ("out.json",),
        ("out.html",),
    ),
    "train a kernel": Case("train train.txt --kernel rbf --model out.json --passes 5", ("out.json",)),
    "train positions": Case("train train.txt --position-gains gains.csv --model out.json", ("out.json",)),
    "train under topics": Case(
        "train few.txt --topics topics.csv --limits limits.csv --measure ndcg@3 --top 3 --model out.json --passes 3",
        ("out.json",),
    ),
    "train a stream": Case("train train.txt --stream valid.txt --model out.json", ("out.json",)),
    "train a baseline": Case("train data.csv --method ranksvm --model out.json", ("out.json",)),
    "train on ratings": Case(
        "recommend train ratings.tsv --model-type joint --method jrank:2 --model out.joint", ("out.joint",)
    ),
    "tune": Case(
        "tune few.txt --folds 2 --grid C=1/10,decay=measure,bound=best --model out.json --report out.md",
        ("out.json",),
        ("out.md",),
    ),
    "rank": Case("rank m.json valid.txt -o out.scores", ("out.scores",)),
    "rank by a kernel": Case("rank k.json data.dorm --format trec -o out.run.gz", ("out.run.gz",)),
    "rank positions": Case("rank p.json valid.txt --format jsonl -o out.jsonl", ("out.jsonl",)),
    "rank under topics": Case(
        "rank m.json few.txt --topics topics.csv --limits limits.csv --top 3 --format order -o out.tsv", ("out.tsv",)
    ),
    "eval": Case("eval valid.txt --model m.json --per-query out.csv --threads 3", ("out.csv",)),
    "eval a run": Case("eval --run run.txt --qrels qrels.txt --per-query out.csv", ("out.csv",)),
    "eval ratings": Case("recommend evaluate ratings.tsv --model m.factors --per-query out.csv", ("out.csv",)),
    "eval rankers": Case("eval valid.txt m.json k.json feature:1 --per-query out.csv", ("out.csv",)),
    "explain": Case("explain m.json valid.txt --format jsonl -o out.jsonl", ("out.jsonl",)),
    "compare": Case(
        "compare few.txt --folds 3 --methods ridge,dorm:ndcg@10 --C 1,10 --measures ndcg@10 --out out --threads 3",
        (),
        ("out/table.csv", "out/table.md", "out/report.html"),
    ),
    "compare recommenders": Case(
        "recommend compare ratings.tsv --methods item-mean,squared:5 --split random:0.3 --measures ndcg@5 --out out",
        (),
        ("out/table.csv", "out/table.md", "out/report.html"),
    ),
    "experiment": Case(
        "lab experiment solver-table --data-dir data --out out --quiet",
        (),
        ("out/solver-table.md", "out/solver-table.csv", "out/solver-table.html"),
    ),
    "factorize": Case(
        "recommend train ratings.tsv --model out.factors --rank 2 --valid-share 0.2 --checkpoint out.ck --threads 3",
        ("out.factors",),
    ),
    "recommend": Case("recommend top m.factors --all --format csv -o out.csv", ("out.csv",)),
    "recommend to newcomers": Case(
        "recommend top m.factors --users users.txt --ratings new.tsv -o out.txt", ("out.txt",)
    ),
    "recommend by a kernel": Case("recommend top m.joint --ratings new.tsv -o out.txt", ("out.txt",)),
    "match train": Case(
        "lab match train nodes.csv --edges edges.csv --pairs pairs.csv --valid pairs.csv -C 1,10 --threads 3 "
        "--model out.json",
        ("out.json",),
    ),
    "match eval": Case("lab match eval nodes.csv --edges edges.csv --pairs pairs.csv"),
    "match predict": Case("lab match predict nodes.csv --kind linear --pairs pairs.csv -o out.csv", ("out.csv",)),
    "synth": Case("synth --queries 30 --features 4 --groups 3 -o out.csv --threads 3", ("out.csv",)),
    "synth compressed": Case("synth --queries 30 --features 40 --density 0.1 -o out.txt.zst", ("out.txt.zst",)),
    "synth clicks": Case(
        "clicks simulate data.csv --click-model ubm --sessions 5 --rankers 2 -o out.csv --true-propensities out-p.csv",
        ("out.csv", "out-p.csv"),
    ),
    "clicks": Case("clicks gains log.csv --propensities p.csv --features data.csv -o out.csv", ("out.csv",)),
    "clicks of pages": Case(
        "clicks gains log.csv.gz --features data.dorm --pool session --cost -o out.txt.zst", ("out.txt.zst",)
    ),
    "propensity": Case("clicks propensity moves.csv -o out.csv", ("out.csv",)),
    "eval by clicks": Case(
        "clicks evaluate moves.csv --propensities looks.csv --data train.txt m.json feature:1 --per-query out.csv",
        ("out.csv",),
    ),
    "interleave": Case("clicks interleave generate run.txt other.run -o out.csv --length 4", ("out.csv",)),
    "analyse interleaving": Case("clicks interleave analyse shown.csv"),
    "convert": Case("convert train.txt out.dorm --threads 3", ("out.dorm",)),
    "convert compressed": Case("convert data.csv.gz out.txt.gz", ("out.txt.gz",)),
    "convert into shards": Case(
        "convert train.txt out --shards 2", ("out/part-00000-of-00002.dorm", "out/part-00001-of-00002.dorm")
    ),
    "split": Case("split data.csv --valid 0.2 -o out", ("out.train.csv", "out.valid.csv", "out.test.csv")),
    "split binary": Case("split data.dorm -o out", ("out.train.dorm", "out.test.dorm")),
    "info": Case("info train.txt --threads 3"),
    "info on a model": Case("info k.json"),
    "export": Case("export m.json --to svmlight -o out.svm", ("out.svm",)),
    "completion": Case("completion bash"),
    "manual": Case("manual out", ("out/dorm.1", "out/dorm-train.1")),
}  # fmt: skip


def cut(rows, first, last):
    return "".join(row for row in rows if first <= int(row.split()[1][4:]) < last)


def write_lists(folder, rows):
    """What stands beside the documents: topics, limits, gains, a run and its judgments."""
    ids = [row.split("docid=")[1].strip() for row in rows if int(row.split()[1][4:]) < 8]
    topics = "".join(f"{name},{'red' if i % 2 else 'blue'},1\n" for i, name in enumerate(ids))
    (folder / "topics.csv").write_text("docid,topic,weight\n" + topics)
    (folder / "limits.csv").write_text("topic,limit\nred,2\nblue,2\n")
    gains = "".join(f"{label},{label * 2},{label},{label / 2}\n" for label in range(5))
    (folder / "gains.csv").write_text("label,1,2,3\n" + gains)
    rng = random.Random(2)
    documents = [(q, d) for q in range(6) for d in range(9)]
    (folder / "qrels.txt").write_text("".join(f"{q} 0 d{d} {rng.randrange(3)}\n" for q, d in documents))
    (folder / "run.txt").write_text("".join(f"{q} Q0 d{d} {d + 1} {rng.random():.4f} x\n" for q, d in documents))


def write_clicks(folder, rows):
    """A log of documents that two rankers put at different positions, and one of interleaved lists."""
    rng = random.Random(5)
    of_query = {}
    for row in rows:
        of_query.setdefault(row.split()[1][4:], []).append(row.split("docid=")[1].split()[0])
    log, shown = ["session,qid,docid,position,click"], ["session,qid,docid,position,ranker,click"]
    for session in range(60):
        query = str(1 + session % 20)
        for k, name in enumerate(rng.sample(of_query[query][:3], 3)):
            log.append(f"s{session},{query},{name},{k + 1},{int(rng.random() < 0.6 / (k + 1))}")
            shown.append(f"s{session},{query},{name},{k + 1},{'ab'[k % 2]},{int(rng.random() < 0.4)}")
    (folder / "moves.csv").write_text("\n".join(log) + "\n")
    (folder / "shown.csv").write_text("\n".join(shown) + "\n")
    (folder / "looks.csv").write_text("position,propensity\n1,1\n2,0.5\n3,0.3\n")
    documents = [(q, d) for q in range(6) for d in range(9)]
    (folder / "other.run").write_text("".join(f"{q} Q0 d{d} 1 {rng.random():.4f} y\n" for q, d in documents))


def write_ratings(folder):
    rng = random.Random(1)
    lines = [f"u{u}\ti{j}\t{rng.randint(1, 5)}\n" for u in range(12) for j in range(10) if (u + j) % 3]
    (folder / "ratings.tsv").write_text("".join(lines))
    (folder / "new.tsv").write_text("n1\ti1\t5\nn1\ti2\t1\nn2\ti3\t4\nn2\ti5\t2\n")
    (folder / "users.txt").write_text("u1\nn1\nn2\n")


def write_graphs(folder):
    """Four copies of one graph whose nodes have moved a little."""
    rng = random.Random(4)
    place = [(rng.random(), rng.random()) for _ in range(7)]
    nodes = [f"g{g},n{v},{x + rng.gauss(0, 0.1):.3f},{y:.3f}\n" for g in range(4) for v, (x, y) in enumerate(place)]
    (folder / "nodes.csv").write_text("graph,node,x,y\n" + "".join(nodes))
    edges = [f"g{g},n{v},n{(v + step) % 7}\n" for g in range(4) for v in range(7) for step in (1, 3)]
    (folder / "edges.csv").write_text("graph,from,to\n" + "".join(edges))
    (folder / "pairs.csv").write_text("graph1,graph2\ng0,g1\ng1,g2\ng2,g3\n")


def write_experiment(folder, rows):
    """Generated data in the place of MQ2008: for the machinery, not the figures."""
    place = folder / "data" / "mq2008"
    place.mkdir(parents=True)
    wide = lambda row: row.split("#")[0].rstrip() + " " + " ".join(f"{j}:0.5" for j in range(6, 26)) + "\n"
    for part in range(5):
        with gzip.open(place / f"S{part + 1}.txt.gz", "wt") as out:
            out.writelines(wide(row) for row in rows if int(row.split()[1][4:]) % 5 == part)


def make_world(folder):
    """All that the cases read."""
    at = lambda name: folder / name
    dorm("synth", "--queries", 40, "--features", 5, "--documents-median", 8, "--seed", 3, "-o", at("all.txt"))
    rows = at("all.txt").read_text().splitlines(keepends=True)
    at("train.txt").write_text(cut(rows, 0, 31))
    at("valid.txt").write_text(cut(rows, 31, 41))
    at("few.txt").write_text(cut(rows, 0, 8))
    write_lists(folder, rows)
    write_ratings(folder)
    write_clicks(folder, rows)
    write_graphs(folder)
    write_experiment(folder, rows)
    for name in ("data.csv", "data.csv.gz", "data.dorm"):
        dorm("convert", at("train.txt"), at(name))
    users = ("clicks", "simulate", at("data.csv"), "--click-model", "pbm", "--sessions", 5)
    dorm(*users, "-o", at("log.csv"), "--true-propensities", at("p.csv"))
    dorm(*users, "-o", at("log.csv.gz"))
    dorm("train", at("train.txt"), "--scale", "zscore", "--model", at("m.json"), "--quiet")
    dorm("train", at("few.txt"), "--kernel", "rbf", "--model", at("k.json"), "--quiet")
    dorm("train", at("few.txt"), "--position-gains", at("gains.csv"), "--model", at("p.json"), "--quiet")
    dorm("recommend", "train", at("ratings.tsv"), "--model", at("m.factors"), "--rank", 2, "--quiet")
    dorm(
        "recommend",
        "train",
        at("ratings.tsv"),
        "--model-type",
        "joint",
        "--method",
        "ridge",
        "--model",
        at("m.joint"),
        "--quiet",
    )


class Workshop:
    """Runs cases in folders of their own, and knows what they leave when nothing goes wrong."""

    def __init__(self, world, place):
        self.world, self.place, self.expected, self.number = world, place, {}, 0
        self.tally = Counter()

    def folder(self):
        self.number += 1
        folder = self.place / str(self.number)
        shutil.copytree(self.world, folder)
        return folder

    def run(self, case, folder, timeout=60, wrapper=(), **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run([*wrapper, DORM, *case.words], cwd=folder, timeout=timeout, **options)

    def expectation(self, name):
        """Bytes by file; for timed ones only that they end where they should."""
        if name not in self.expected:
            folder = self.folder()
            done = self.run(CASES[name], folder)
            assert done.returncode == 0, done.stderr.decode()
            self.expected[name] = {file: (folder / file).read_bytes() for file in CASES[name].writes}
            self.expected[name] |= {file: ENDING.get(Path(file).suffix, b"\n") for file in CASES[name].timed}
            shutil.rmtree(folder)
        return self.expected[name]

    def inspect(self, name, folder, done, before=None):
        """Success with everything written, or a message and nothing half-written; inputs as they were, no litter."""
        case, expected = CASES[name], self.expectation(name)
        errors = (done.stderr or b"").decode()
        assert done.returncode in (0, 1), f"{name}: ended with {done.returncode}: {errors}"
        if done.returncode == 1 and done.stderr is not None:
            assert errors.splitlines() and errors.splitlines()[-1].startswith("dorm: "), f"{name}: no message: {errors}"
        for file in (*case.writes, *case.timed):
            path = folder / file
            if not path.exists():
                assert done.returncode == 1, f"{name}: success without {file}"
            elif file in case.timed:
                assert path.read_bytes().endswith(expected[file]), f"{name}: {file} is not whole"
            else:
                allowed = [expected[file]] + ([before[file]] if before and done.returncode == 1 else [])
                assert path.read_bytes() in allowed, f"{name}: {file} is not whole"
        for path in self.world.rglob("*"):
            if path.is_file():
                same = (folder / path.relative_to(self.world)).read_bytes() == path.read_bytes()
                assert same, f"{name}: the input {path.name} was changed"
        litter = [str(path) for path in folder.rglob("*.tmp")]
        assert not litter, f"{name}: left {litter}"
