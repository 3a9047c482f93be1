"""The figures of the paper from the committed results, one SVG each.

pictures.py                     write docs/img/paper-*.svg
pictures.py --markdown NAME     the content of one of them, for tools/generated.py
"""

import argparse
import json
import math
import re
from pathlib import Path

from run import RESULTS, read_as

IMAGES = Path(__file__).resolve().parent.parent.parent / "docs/img"
WIDTH, HEIGHT, LEFT, TOP, LINE = 330, 230, 44, 34, 15
# By method: a colour of the palette of Okabe and Ito, and dashes; DORM is drawn solid.
LINES = {
    "dorm:ndcg@10~power:0.5": ("#0072B2", ""),
    "dorm:ndcg@10~power:1": ("#0072B2", ""),
    "dorm:ndcg@10": ("#56B4E9", ""),
    "dorm:mrr:rel=best~power:1": ("#D55E00", ""),
    "dorm:mrr:rel=best": ("#E69F00", ""),
    "dorm:wta~power:0.5": ("#D55E00", ""),
    "dorm:mwta~power:0.5": ("#E69F00", ""),
    "dorm:ndcg@10~power:0.5~best": ("#0072B2", ""),
    "dorm:ndcg@10~power:0.5~best~assignment": ("#56B4E9", ""),
    "ranksvm-pairs": ("#D55E00", "7 3"),
    "ridge": ("#009E73", "7 3"),
    "ranksvm": ("#777777", "7 3"),
    "roc-svm": ("#CC79A7", "7 3"),
    "svm-ir-qp": ("#8A6D00", "7 3"),
    "dorm:mrr~power:1": ("#D55E00", ""),
    "dorm:mrr": ("#E69F00", ""),
    "precision-svm": ("#009E73", "2 3"),
    "precision-svm@3": ("#009E73", "2 3"),
    "crammer-singer": ("#777777", "2 3"),
    "feature:25": ("#CC79A7", "2 3"),
    "difference": ("#0072B2", ""),
}
ALL = {"mq2008": 471, "mq2007-sample": 1017}  # training queries of three of five parts


def figure_of(text):
    """A cell's figure and its standard deviation."""
    found = re.match(r"(-?\d+\.?\d*)(?: ± (\d+\.?\d*))?", text)
    return (float(found[1]), float(found[2] or 0)) if found else None


def tables_of(experiment, wanted):
    """By set, its first table whose caption goes on with these words."""
    found = {}
    for table in json.loads((RESULTS / f"{experiment}.json").read_text())["tables"]:
        name, _, rest = table["caption"].partition(": ")
        if rest.startswith(wanted):
            found.setdefault(name, table)
    return found.items()


def by_column(experiment, wanted, left_out=()):
    """A panel per set: the columns are the abscissae, the rows the methods."""
    panels = []
    for name, table in tables_of(experiment, wanted):
        xs = [float(ALL[name] if c == "all" else c) for c in table["columns"][1:]]
        rows = {r[0]: list(zip(xs, map(figure_of, r[1:]))) for r in table["rows"] if r[0] in LINES}
        panels.append((name, {method: points for method, points in rows.items() if method not in left_out}))
    return panels


def by_row(experiment, wanted, column):
    """A panel per set: one line, whose abscissae are in a column."""
    panels = []
    for name, table in tables_of(experiment, wanted):
        points = [(float(row[column]), figure_of(row[-1])) for row in table["rows"]]
        panels.append((name, {"difference": points}))
    return panels


def bars(experiment, wanted):
    panels = []
    for name, table in tables_of(experiment, wanted):
        panels.append((name, [(row[0].split(" to ")[-1], float(row[1])) for row in table["rows"]]))
    return panels


def steps(low, high):
    """A few round numbers of the range."""
    size = 10 ** math.floor(math.log10((high - low) / 3))
    size *= next(k for k in (1, 2, 5, 10) if (high - low) / (size * k) <= 5)
    first = math.ceil(low / size - 1e-9)
    return [k * size for k in range(first, math.floor(high / size + 1e-9) + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>'


def axes(at, title, low, high, ordinate):
    left, bottom = at * WIDTH + LEFT, TOP + HEIGHT
    parts = [text(left, TOP - 12, title, "start", ' font-weight="600"')]
    for tick in steps(low, high):
        y = bottom - HEIGHT * (tick - low) / (high - low)
        parts.append(
            f'<line x1="{left}" x2="{left + WIDTH - 70}" y1="{y:.1f}" y2="{y:.1f}" stroke="#999" opacity=".35"/>'
        )
        parts.append(text(left - 5, y + 4, f"{tick:g}", "end"))
    middle = TOP + HEIGHT / 2
    if at == 0:
        parts.append(text(11, middle, ordinate, "middle", f' transform="rotate(-90 11 {middle:g})"'))
    return parts


def drawn(points, place, colour, dashes):
    """A line through points (x, (y, deviation)), with the deviations as bars."""
    spots = [(*place(x, y), place(x, y - d)[1], place(x, y + d)[1] if d else 0) for x, (y, d) in points]
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in spots)
    parts = [f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>']
    for x, y, low, high in spots:
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')
        if high and low - high > 6:
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}"/>')
    return parts


def style(method):
    colour, dashes = LINES[method]
    return colour, f' stroke-dasharray="{dashes}"' if dashes else ""


def panel(at, title, rows, abscissa, ordinate):
    points = [point for own in rows.values() for point in own]
    low, high = (reach(y + s * d for _, (y, d) in points) for reach, s in ((min, -1), (max, 1)))
    low, high = low - 0.04 * (high - low), high + 0.04 * (high - low)
    xs = sorted({x for x, _ in points})
    left, bottom, wide = at * WIDTH + LEFT, TOP + HEIGHT, WIDTH - 70

    def place(x, y):
        return left + wide * (x - xs[0]) / (xs[-1] - xs[0]), bottom - HEIGHT * (y - low) / (high - low)

    parts = axes(at, title, low, high, ordinate)
    parts += [text(place(x, low)[0], bottom + 15, f"{x:.4g}".removeprefix("0")) for x in xs]
    parts.append(text(left + wide / 2, bottom + 31, abscissa))
    for method, own in rows.items():
        parts += drawn(own, place, *style(method))
    return parts


def legend(methods, across):
    """So many names on a line; how high they are."""
    parts = []
    for k, method in enumerate(methods):
        colour, dashes = style(method)
        x, y = LEFT + (k % across) * WIDTH, TOP + HEIGHT + 56 + k // across * LINE
        parts.append(
            f'<line x1="{x}" x2="{x + 28}" y1="{y - 4}" y2="{y - 4}" stroke="{colour}" stroke-width="2"{dashes}/>'
        )
        parts.append(text(x + 34, y, read_as(method), "start"))
    return parts, -(-len(methods) // across) * LINE


def lines(panels, abscissa, ordinate):
    parts = []
    for at, (title, rows) in enumerate(panels):
        parts += panel(at, title, rows, abscissa, ordinate)
    methods = list(dict.fromkeys(method for _, rows in panels for method in rows))
    tall = 0
    if len(methods) > 1:
        more, tall = legend(methods, 2 if max(map(len, map(read_as, methods))) < 45 else 1)
        parts += more
    return parts, len(panels) * WIDTH, TOP + HEIGHT + 48 + tall


def columns(panels, abscissa, ordinate):
    parts = []
    for at, (title, counts) in enumerate(panels):
        high = 1.05 * max(count for _, count in counts)
        parts += axes(at, title, 0, high, ordinate)
        left, bottom, wide = at * WIDTH + LEFT, TOP + HEIGHT, (WIDTH - 70) / len(counts)
        for k, (name, count) in enumerate(counts):
            tall = HEIGHT * count / high
            parts.append(
                f'<rect x="{left + (k + 0.1) * wide:.1f}" y="{bottom - tall:.1f}" width="{0.8 * wide:.1f}" '
                f'height="{tall:.1f}" fill="#0072B2"/>'
            )
            parts.append(text(left + (k + 0.5) * wide, bottom + 15, name))
        parts.append(text(left + (WIDTH - 70) / 2, bottom + 31, abscissa))
    return parts, len(panels) * WIDTH, TOP + HEIGHT + 42


TRAINING = "training queries"
PICTURES = {
    "lengths": lambda: columns(
        bars("web-ndcg-levels", "documents per query"), "documents of a query, at most", "queries"
    ),
    "levels": lambda: lines(by_column("web-ndcg-levels", "NDCG@n", ("crammer-singer",)), "n", "NDCG@n x 100"),
    "learning": lambda: lines(
        by_column("web-learning-curve", "ndcg@10", ("feature:25", "crammer-singer")), TRAINING, "NDCG@10 x 100"
    ),
    "decays": lambda: lines(by_row("decay-effect", "largest difference", 1), "1/sqrt(m)", "largest difference"),
    "mrr": lambda: lines(by_column("web-mrr", "mrr", ("feature:25", "crammer-singer")), TRAINING, "MRR x 100"),
    "wta": lambda: lines(by_column("web-wta", "wta", ("feature:25", "crammer-singer")), TRAINING, "WTA x 100"),
    "runtime": lambda: lines(
        by_column("runtime", "seconds", ("dorm:ndcg@10~power:0.5",)), TRAINING, "seconds of the processor"
    ),
}
BEGIN, END = "<!-- generated: begin, by benchmarks/paper/pictures.py {} -->", "<!-- generated: end -->"


def svg(name):
    parts, wide, tall = PICTURES[name]()
    return (
        f'<svg viewBox="0 0 {wide} {tall}" font-family="system-ui, sans-serif" font-size="11.5" fill="#777">\n'
        + "\n".join(parts)
        + "\n</svg>"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", metavar="NAME", choices=PICTURES)
    options = parser.parse_args()
    if options.markdown:
        print(svg(options.markdown))
        return
    for name in PICTURES:
        content = svg(name)
        wide, tall = re.search(r'viewBox="0 0 (\d+) (\d+)"', content).groups()
        (IMAGES / f"paper-{name}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img">\n'
            f"{BEGIN.format(name)}\n\n{content}\n\n{END}\n</svg>\n"
        )


if __name__ == "__main__":
    main()
