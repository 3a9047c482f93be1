#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python-api.md from the signatures and docstrings of the Python package.

python web/site/api_reference.py            write the page
python web/site/api_reference.py --check    exit 1 if the page is not what would be written
"""

import argparse
import dataclasses
import inspect
import re
import sys
from pathlib import Path

import dorm.plot

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-api.md"
HEAD = """# Python API

Written by `web/site/api_reference.py` from the docstrings; a test checks that it is up to date.
Tutorial: [python.md](python.md).

"""
# Readers look for what they do first; results and records come behind what makes them. The rest follows by name.
FIRST = [
    "DormRanker",
    "tune",
    "DormFactorization",
    "GraphMatcher",
    "Graph",
    "evaluate",
    "compare",
    "permutation_importance",
    "Measure",
    "read_letor",
    "read_csv",
    "read_table",
    "synth",
    "evaluate_run",
    "read_qrels",
    "read_run",
    "QueryKFold",
    "RankingData",
    "catalog",
    "assign",
]
UNDERLINE = re.compile(r"^-{3,}$")
ENTRY = re.compile(r"^(\w+(?:, \w+)*)(?: : (.*))?$")  # of a section: names, and perhaps their type


def public_names(module) -> list[str]:
    names = [name for name in module.__all__ if not name.startswith("__")]
    return sorted(names, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))


def signature(name: str, function) -> str:
    """As in the source, one parameter per line where one line would not hold them."""
    found = inspect.signature(function)
    parts, starred = [], False
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        parts.append(f"{parameter.name}: {parameter.annotation}{default}")
    result = "" if found.return_annotation in (found.empty, "None") else f" -> {found.return_annotation}"
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) > 110:
        line = f"{name}(\n    " + ",\n    ".join(parts) + f",\n){result}"
    return f"```\n{line}\n```"


def paragraphs(doc: str) -> str:
    """numpydoc to Markdown: section titles bold, entries as a list, double back-quotes single, examples fenced."""
    lines = inspect.cleandoc(doc).split("\n")
    out, listing, i = [], False, 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if lines[i : i + 1] and UNDERLINE.match(lines[i]):
            listing = line in ("Parameters", "Attributes")
            out += [f"**{line}**", ""]
            i += 1
        elif line.startswith(">>>"):
            end = next((k for k in range(i, len(lines)) if not lines[k]), len(lines))
            out += ["```pycon", line, *lines[i:end], "```"]
            i = end
        elif listing and (entry := ENTRY.match(line)):
            names = ", ".join(f"**`{name}`**" for name in entry[1].split(", "))
            out.append(f"- {names}" + (f" ({entry[2]})" if entry[2] else ""))
        else:
            line = re.sub(r"``([^`]+)``", r"`\1`", line)
            out.append(line[2:] if listing and line.startswith("    ") else line)
    return "\n".join(out).strip()


def fields(cls) -> str:
    """The fields of a data class with their `#:` comments."""
    comments = dict(re.findall(r"^    (\w+): .*?#:? ?(.*)$", inspect.getsource(cls), re.MULTILINE))
    rows = [
        f"- **`{f.name}`** (`{f.type}`)" + (f": {comments[f.name]}" if comments.get(f.name) else "")
        for f in dataclasses.fields(cls)
    ]
    return "**Fields**\n\n" + "\n".join(rows)


def members(name: str, cls):
    """Public methods and properties that the package documents itself."""
    for member, value in vars(cls).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if member.startswith("_") or not (inspect.isfunction(function) and function.__doc__):
            continue
        if isinstance(value, property):
            yield f"### {name}.{member}\n\nA property. {paragraphs(function.__doc__)}"
        else:
            yield f"### {name}.{member}\n\n{signature(member, function)}\n\n{paragraphs(function.__doc__)}"


def entry(name: str, thing) -> str:
    parts = [f"## {name}"]
    if inspect.isclass(thing):
        if not dataclasses.is_dataclass(thing):
            parts.append(signature(name, thing.__init__))
        parts.append(paragraphs(thing.__doc__))
        if dataclasses.is_dataclass(thing):
            parts.append(fields(thing))
        parts += members(name, thing)
    else:
        parts += [signature(name, thing), paragraphs(thing.__doc__)]
    return "\n\n".join(parts)


def page() -> str:
    entries = [entry(name, getattr(dorm, name)) for name in public_names(dorm)]
    plots = [entry(f"dorm.plot.{name}", getattr(dorm.plot, name)) for name in dorm.plot.__all__]
    about = "## dorm.plot\n\n" + paragraphs(dorm.plot.__doc__)
    return HEAD + "\n\n".join([*entries, about, *plots]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    text = page()
    if not parser.parse_args().check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"{PAGE} is not up to date: run python web/site/api_reference.py")


if __name__ == "__main__":
    main()
