"""The state of the code base in numbers: sizes, folders, public surface, function lengths, repeated code, dialect.

    house.py [REVISION...]    one column per revision (default: the working tree)
    house.py --check          prints the rows beyond their limit and exits 1 if there are any (part of make lint)

Every figure is counted from the text of the tracked files, so that old revisions can be measured by the same rule.
Functions are found by a parser (tree-sitter), not by the layout of braces.
"""

import ast
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import dialect
import tree_sitter_cpp
from tree_sitter import Language, Parser

ROOT = Path(__file__).resolve().parent.parent
CODE = (".h", ".cpp")
RUN = 6  # lines that make a repeated run

# One idea, and what a definition of it looks like; tests, benchmarks and fuzz targets do not count.
CONCEPTS = {
    "list worth learning from": r"\b(bool something_to_learn|bool worth_learning)\(|\*smallest == \*largest",
    "rounds of a bound": r"const bool settled = .*(round > 1|before - )|kSmallestFall \* before|kListFall \* before",
    "bound by name": r"^Bound \w+\((std::string_view|const TrainOptions).*\{\n.*(kNames|kBounds|require_name|\"auto\")"
    r"|_REFERENCES = ",
    "writer of a model's certificate": r"\bmodel\.certificate(\.status)? = (?!\{$)|\"certificate\": ",
    "trade-off C s^2 / m": r"C \* \w*squared_scale\w*(\(\))? / |unit_scale\w* / static_cast<double>"
    r"|\bscale / static_cast<double>",
    "objective in the user's units": r"\bin_unit\w*\(SolveReport|^  SolveReport objective\(SolveReport",
    "runner of resumable cells": r"directory\.empty\(\)|class CellStore|run_cells\(std::size_t",
    "CSV quoting": r"^std::string (quoted|csv_field|csv_quoted|csv_cell|csv_line)\(.*\{$",
    "Markdown table": r"\"\| ?---|---:\||\|---\"",
    "normal random numbers": r"sqrt\(-2|std::normal_distribution",
    "checksum of bytes": r"^(inline )?std::uint64_t checksum\w*\((std::span|const char|std::string_view)"
    r"[^;]*\{|0xcbf29ce484222325",
    "range check of an option": r"^void require\(bool \w+, (std::string_view|const \S+) \w+, double.*\{$",
    "seconds since": r"steady_clock::now\(\) - |\bClock::now\(\) - ",
    "squared distance": r"^double squared_distance\(.*\{$",
    "p-value as text": r"^std::string (p_text|p_value|p_value_text|format_p)\(.*\{$",
    "rule of automatic scaling": r"return ScalingKind::log_query_zscore;|\"log-query-zscore\" if",
    "solver by name": r"kNames = \{\"bcda\"|\{\{\"bcda\",",
    "flat solver options in a struct": r"^  std::uint64_t max_passes = ",
    "message of an error in tests": r"catch \(const (dorm::)?Error& \w+\) \{",
}
# Before there was tools/layers.py: the folder that implements most of a public header.
FLAT_OWNERS = {
    "base": ("error",),
    "data": ("dataset", "scale", "one_per"),
    "ratings": ("ratings",),
    "measure": ("measure", "groups", "subtopic_measure"),
    "decay": ("decay",),
    "assign": ("assignment",),
    "mip": ("topics",),
    "oracle": ("oracle", "reference"),
    "solver": ("solver",),
    "kernel": ("kernel",),
    "io": ("read", "write"),
    "eval": ("evaluate", "subtopic"),
    "synth": ("synth",),
    "catalog": ("catalog", "convention"),
    "objective": ("objective", "objective_c"),
    "report": ("report",),
    "model": ("model",),
    "train": ("train", "tune", "positions"),
    "factor": ("factorize",),
    "collaborative": ("collaborative",),
    "joint": ("joint",),
    "baseline": ("baseline",),
    "compare": ("comparison",),
    "experiment": ("experiment",),
}
IN_TESTS = {"message of an error in tests"}


class Tree:
    def __init__(self, files):
        self.files = files  # path -> text

    @classmethod
    def working(cls):
        names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        return cls.read(ROOT, names.splitlines())

    @classmethod
    def at(cls, revision):
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
            subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
            names = [str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file()]
            return cls.read(Path(folder), names)

    @classmethod
    def read(cls, root, names):
        wanted = (*CODE, ".py", ".md", ".txt")
        return cls(
            {n: (root / n).read_text(errors="replace") for n in names if n.endswith(wanted) and (root / n).exists()}
        )

    def under(self, *folders, suffixes=CODE):
        return {n: t for n, t in self.files.items() if n.startswith(folders) and n.endswith(suffixes)}


def lines(texts):
    return sum(t.count("\n") for t in texts.values())


PARSER = Parser(Language(tree_sitter_cpp.language()))


def functions(text):
    """Lengths of function bodies in lines; those of lambdas count in the function around them."""
    lengths, stack = [], [PARSER.parse(text.encode()).root_node]
    while stack:
        node = stack.pop()
        if node.type == "function_definition" and (body := node.child_by_field_name("body")):
            lengths.append(body.end_point[0] - body.start_point[0] + 1)
        else:
            stack.extend(node.children)
    return lengths


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0


def orphans(texts):
    """Comment paragraphs of several lines whose last line is at most two short words."""
    count = 0
    for text in texts.values():
        rows = text.split("\n")
        for previous, row, following in zip(rows, rows[1:], [*rows[2:], ""]):
            here = re.match(r"^(\s*///?) (\S.*)$", row)
            before = re.match(r"^\s*///? \S.*$|^.*\S\s+// \S.*$", previous)
            if here and before and not re.match(r"^\s*///? ?\S", following):
                count += len(here.group(2)) < 13 and len(previous) > 85
    return count


def folder_of(path):
    return str(Path(path).parent).removeprefix("src/")


def owners_in(tree):
    """Rooms and the public headers they own: by the tree's own map, or as the flat tree's folders implemented them."""
    if "tools/layers.py" not in tree.files:
        return FLAT_OWNERS
    names = {}
    exec(tree.files["tools/layers.py"], names)
    return {room: row.headers for room, row in names["LAYERS"].items()}


def mutual(tree):
    """Pairs of folders of the library that reach each other through includes, public headers counted to their owner."""
    owner = {f"dorm/{header}.h": room for room, headers in owners_in(tree).items() for header in headers}
    edges = {}
    sources = {
        **tree.under("src/", "lab/"),
        **{n: t for n, t in tree.under("include/dorm/").items() if not n.endswith("/dorm.h")},
    }
    for name, text in sources.items():
        here = owner.get(name.removeprefix("include/")) if name.startswith("include/") else folder_of(name)
        if here is None:
            continue
        for target in re.findall(r'^#include "([\w/]+)\.h"', text, re.MULTILINE):
            other = owner.get(target + ".h") if target.startswith("dorm/") else str(Path(target).parent)
            if other and other != here and other != ".":
                edges.setdefault(here, set()).add(other)

    def reach(start):
        seen, stack = set(), [start]
        while stack:
            for other in edges.get(stack.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        return seen

    reached = {folder: reach(folder) for folder in edges}
    return sum(1 for a in reached for b in reached[a] if a < b and a in reached.get(b, ()))


def repeated_runs(texts):
    """Places of six or more lines that stand elsewhere too, to the letter; blanks, comments, includes do not count."""
    windows = Counter()
    kept = {}
    for name, text in texts.items():
        rows = [r.strip() for r in text.split("\n")]
        kept[name] = [r for r in rows if len(r) > 3 and not r.startswith(("//", "#include"))]
        windows.update({tuple(kept[name][i : i + RUN]) for i in range(len(kept[name]) - RUN + 1)})
    runs = 0
    for rows in kept.values():
        inside = False
        for i in range(len(rows) - RUN + 1):
            again = windows[tuple(rows[i : i + RUN])] > 1
            runs += again and not inside
            inside = again
    return runs


def python_names(tree):
    """Names that `import dorm` offers, and parameters of DormRanker."""
    package = tree.under("python/dorm/", suffixes=(".py",))
    names = parameters = 0
    for name, text in package.items():
        for node in ast.walk(ast.parse(text)):
            if name == "python/dorm/__init__.py" and isinstance(node, ast.Assign):
                names += sum(
                    len(node.value.elts)
                    for target in node.targets
                    if isinstance(target, ast.Name) and target.id == "__all__" and isinstance(node.value, ast.List)
                )
            if isinstance(node, ast.ClassDef) and node.name == "DormRanker":
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                        parameters = len(method.args.args) - 1 + len(method.args.kwonlyargs)
    return names, parameters


# The rows that --check holds, and their largest value.
LIMITS = {
    "files in the largest folder": 40,
    "public headers at the top": 18,
    "lines of the longest public header": 200,
    "mutually reachable folders": 0,
    "longest function": 62,
    "names of the Python package": 32,
    "parameters of DormRanker": 23,  # with curves, signs and encodings, which say what is learnt, as kernel does
    "words of the dialect": 0,
}
LIMITED_FOLDERS = ("src/", "lab/", "cli/", "python/", "include/")


def measure(tree):
    core = tree.under("src/")
    report = tree.under("src/report/")
    library = {n: t for n, t in core.items() if n not in report or not any(f.startswith("lab/") for f in tree.files)}
    everything = tree.under("src/", "lab/", "cli/", "python/", suffixes=(*CODE, ".py"))
    lengths = [n for t in tree.under("src/", "lab/", "cli/").values() for n in functions(t)]
    folders = Counter(str(Path(n).parent) for n in tree.files if n.startswith(LIMITED_FOLDERS))
    headers = tree.under("include/dorm/")
    top = [n for n in headers if n.count("/") == 2]
    names, parameters = python_names(tree)
    rows = {
        "lines of libdorm (sources and public headers)": lines(library)
        + lines(headers)
        - lines(tree.under("include/dorm/lab/")),
        "lines of the command": lines(tree.under("cli/")),
        "lines of the Python package": lines(tree.under("python/", suffixes=(*CODE, ".py"))),
        "rooms under src/": len({folder_of(n) for n in core}),
        "files in the largest folder": max(folders.values()),
        "public headers at the top": len(top),
        "public headers in all": len(headers),
        "lines of the longest public header": max(t.count("\n") for t in headers.values()),
        "mutually reachable folders": mutual(tree),
        "p95 of function lengths": percentile(lengths, 0.95),
        "longest function": max(lengths),
        "names of the Python package": names,
        "parameters of DormRanker": parameters,
        "words of the dialect": sum(1 for _ in dialect.found(tree.files)),
        "orphaned comment words": orphans(tree.under("src/", "lab/", "include/", "cli/", "python/")),
        f"repeated runs of {RUN} or more lines": repeated_runs(
            tree.under("src/", "lab/", "include/", "cli/", "python/bindings/")
        ),
    }
    tests = tree.under("tests/")
    for concept, pattern in CONCEPTS.items():
        where = tests if concept in IN_TESTS else everything | tree.under("include/")
        rows[f"copies: {concept}"] = sum(len(re.findall(pattern, t, re.MULTILINE)) for t in where.values())
    return rows


def check():
    rows = measure(Tree.working())
    beyond = [f"{row}: {rows[row]}; at most {most}" for row, most in LIMITS.items() if rows[row] > most]
    print("\n".join(beyond), end="\n" if beyond else "")
    return 1 if beyond else 0


def main(revisions):
    columns = [measure(Tree.at(r)) for r in revisions] or [measure(Tree.working())]
    width = max(map(len, columns[0]))
    print(" " * width, *(f"{r[:12]:>14}" for r in revisions or ["working tree"]))
    for row in columns[0]:
        print(f"{row:{width}}", *(f"{column[row]!s:>14}" for column in columns))


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(check())
    main(sys.argv[1:])
