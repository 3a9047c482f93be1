"""Draws the table and the picture of docs/architecture.md from tools/layers.py.

    architecture.py           rewrite docs/architecture.md between its markers, and docs/img/architecture.{dot,svg}
    architecture.py --check   exit 1 when any of them is out of date

The picture is compared by its source: graphviz lays the same graph out differently in each version, so the SVG carries
the digest of the .dot file that it was drawn from.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from layers import ABOVE, LAYERS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/architecture.md"
DOT = ROOT / "docs/img/architecture.dot"
SVG = ROOT / "docs/img/architecture.svg"
BEGIN, END = "<!-- layers: begin, by tools/architecture.py -->", "<!-- layers: end -->"
COLOURS = {
    "base": "#eceff1",
    "device": "#eceff1",
    "data": "#e3f2fd",
    "ranking": "#e8f5e9",
    "model": "#fff8e1",
    "evaluation": "#f3e5f5",
    "learning": "#fbe9e7",
    "recommend": "#e0f7fa",
    "report": "#eceff1",
    "serve": "#eceff1",
    "lab": "#f5f5f5",
}


def folder(room):
    return f"{room}/" if room.startswith("lab/") else f"src/{room}/"


def table():
    rows = ["| folder | what it holds | public headers | may include |", "|---|---|---|---|"]
    for room, row in LAYERS.items():
        headers = ", ".join(f"`{name}.h`" for name in row.headers)
        rows.append(f"| `{folder(room)}` | {row.holds} | {headers} | {', '.join(row.uses)} |")
    rows += [f"| `{name}` | {holds} | | {uses} |" for name, (holds, uses) in ABOVE.items()]
    return "\n".join(rows)


def reached(room):
    seen, stack = set(), list(LAYERS[room].uses)
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack += LAYERS[other].uses
    return seen


def direct(room):
    """What a room uses and does not reach through another: the arrows worth drawing."""
    uses = LAYERS[room].uses
    return [other for other in uses if not any(other in reached(via) for via in uses if via != other)]


def dot():
    out = [
        "digraph dorm {",
        '  rankdir=BT; nodesep=0.25; ranksep=0.45; bgcolor="transparent";',
        '  node [shape=box, style="rounded,filled", fillcolor=white, color="#78909c"];',
        "  node [fontname=Helvetica, fontsize=11];",
        '  edge [color="#90a4ae", arrowsize=0.6];',
    ]
    doors = {}
    for room in LAYERS:
        doors.setdefault(room.split("/")[0], []).append(room)
    for door, rooms in doors.items():
        out.append(f"  subgraph cluster_{door} {{")
        out.append(f'    label="{door}"; fontname="Helvetica-Bold"; fontsize=12; style="rounded,filled";')
        out.append(f'    color="#b0bec5"; fillcolor="{COLOURS[door]}";')
        out += [f'    "{room}" [label="{room.split("/")[-1]}"];' for room in rooms]
        out.append("  }")
    out.append('  "cli" [fillcolor="#cfd8dc"]; "python" [fillcolor="#cfd8dc"];')
    tops = [room for room in LAYERS if not any(room in row.uses for row in LAYERS.values())]
    for room in LAYERS:
        out += [f'  "{room}" -> "{other}";' for other in direct(room)]
    out += [
        f'  "{above}" -> "{room}";'
        for above in ("cli", "python")
        for room in tops
        if above == "cli" or "lab" not in room
    ]
    return "\n".join([*out, "}", ""])


def digest(text):
    return f"<!-- drawn from architecture.dot, sha256 {hashlib.sha256(text.encode()).hexdigest()} -->\n"


def page(text):
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def main():
    text = PAGE.read_text()
    if "--check" in sys.argv:
        stale = [PAGE] * (page(text) != text) + [DOT] * (not DOT.exists() or DOT.read_text() != dot())
        stale += [SVG] * (not SVG.exists() or digest(dot()) not in SVG.read_text())
        for path in stale:
            print(f"{path.relative_to(ROOT)}: out of date; run tools/architecture.py")
        return 1 if stale else 0
    PAGE.write_text(page(text))
    DOT.write_text(dot())
    drawn = subprocess.run(["dot", "-Tsvg", DOT], capture_output=True, text=True, check=True).stdout
    SVG.write_text(drawn.rstrip() + "\n" + digest(dot()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
