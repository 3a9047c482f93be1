#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python-api.md from the signatures and docstrings of the Python package.

web/site/build.sh calls it; the page is not kept in the repository.
"""

import dataclasses
import inspect
import re
from pathlib import Path

import dorm.clicks
import dorm.data
import dorm.lab
import dorm.matching
import dorm.plot
import dorm.recommend
import dorm.results

MODULES = (dorm, dorm.data, dorm.clicks, dorm.recommend, dorm.matching, dorm.lab, dorm.plot, dorm.results)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-api.md"
HEAD = """# Python API

Generated from the docstrings. Tutorial: [python.md](python.md).

"""
# Readers look for what they do first; results and records come behind what makes them. The rest follows by name.
FIRST = [
    "DormRanker",
    "tune",
    "DormFactorization",
    "GraphMatcher",
    "Graph",
    "gains",
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


def section(module) -> str:
    """Of a module: what it is, and its names. A name that `dorm` itself has is described there alone."""
    names = [name for name in public_names(module) if module is dorm or name not in dorm.__all__]
    prefix = "" if module is dorm else f"{module.__name__}."
    entries = [entry(prefix + name, getattr(module, name)) for name in names]
    about = [] if module is dorm else [f"## {module.__name__}\n\n{paragraphs(module.__doc__)}"]
    return "\n\n".join([*about, *entries])


def page() -> str:
    return HEAD + "\n\n".join(section(module) for module in MODULES) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
