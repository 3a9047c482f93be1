# SPDX-License-Identifier: Apache-2.0
"""The one table of `make bench`: the rows that scripts report, and how a run is held against the committed table.

A script of benchmarks/ takes its options from parser() and hands its rows to report(). Kinds of rows:

  count         passes, oracle calls, planes, peak memory: the same on every machine
  instructions  of a whole command under valgrind: the same within a percent for one compiler
  ratio         of two times or sizes of one run; noisy where the machine is busy
  seconds       of the processor; of use only beside `before`, which is of the same run

Counts and instructions decide whether a run is a regression; ratios beyond their tolerance are only mentioned.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

TOLERANCE = {"count": 0.05, "instructions": 0.03, "ratio": 0.3, "seconds": float("inf")}
DECIDING = ("count", "instructions")
FIRST = ("before", "baselines", "pass")  # on the page


@dataclass(frozen=True)
class Row:
    script: str  # whose row it is, such as "pass"
    job: str  # with its size, so that a quick run is not taken for a whole one
    what: str  # was measured, such as "pass / stream"
    value: float
    unit: str = ""
    kind: str = "ratio"
    better: str = "lower"
    tolerance: float | None = None  # relative; None: as usual for the kind
    before: float | None = None  # what an older command had, where one was given

    @property
    def key(self) -> tuple[str, str, str]:
        return self.script, self.job, self.what

    def change(self, other: Row) -> float:
        """How much worse than the other, relative to it; negative: better."""
        worse, base = (self.value, other.value) if self.better == "lower" else (other.value, self.value)
        return worse / base - 1 if base else float(worse > 0)

    def allowed(self) -> float:
        return TOLERANCE[self.kind] if self.tolerance is None else self.tolerance


def parser(description: str | None) -> argparse.ArgumentParser:
    """With the options that tools/bench.py gives to every script."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--build", type=Path, default=Path("build-bench"))
    made.add_argument("--quick", action="store_true", help="small data, to see that the script works")
    return made


def rows_folder(build: Path, quick: bool) -> Path:
    return build / ("rows-quick" if quick else "rows")


def report(options: argparse.Namespace, script: str, rows: list[Row]) -> None:
    """Leaves the rows of a script where tools/bench.py joins them."""
    folder = rows_folder(options.build, options.quick)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / f"{script}.csv", rows)


def write(path: Path, rows: list[Row]) -> None:
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        out.writeheader()
        for row in rows:
            text = {name: "" if value is None else value for name, value in asdict(row).items()}
            out.writerow(text | {name: _number(getattr(row, name)) for name in ("value", "before")})


def read(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return [_row(entry) for entry in csv.DictReader(file)]


def joined(folder: Path) -> list[Row]:
    return [row for path in sorted(folder.glob("*.csv")) for row in read(path)]


def moved(now: list[Row], committed: list[Row]) -> tuple[list[str], bool]:
    """What differs by more than its tolerance, a line each, and whether it is a regression."""
    known = {row.key: row for row in committed}
    lines, regressed = [], False
    for row in now:
        old = known.get(row.key)
        if old is None or row.kind == "seconds":
            continue
        change = row.change(old)
        if abs(change) <= row.allowed() + 1e-9:
            continue
        deciding = row.kind in DECIDING
        regressed = regressed or (deciding and change > 0)
        verdict = ("WORSE" if change > 0 else "better") if deciding else "moved (not judged)"
        lines.append(f"{verdict}: {', '.join(row.key)}: {_shown(old)} -> {_shown(row)} ({abs(change):.1%})")
    return lines, regressed


def updated(now: list[Row], committed: list[Row]) -> list[Row]:
    """The committed table with the rows of the scripts that ran; what was `before` stays where it is not of time."""
    known = {row.key: row for row in committed}
    kept = [row for row in committed if row.script not in {new.script for new in now}]
    for row in now:
        old = known.get(row.key)
        if row.before is None and old is not None and row.kind in DECIDING:
            row = Row(**asdict(row) | {"before": old.before})
        kept.append(row)
    return sorted(kept, key=lambda row: row.script)


def markdown(rows: list[Row]) -> str:
    lines = ["| | job | what | before | now | before / now |", "|---|---|---|---|---|---|"]
    last = ""
    for row in rows:
        before = "" if row.before is None else _shown(row, row.before)
        ratio = "" if row.before is None or not row.value else f"{row.before / row.value:.2f}"
        script, last = ("" if row.script == last else row.script), row.script
        lines.append(f"| {script} | {row.job} | {row.what} | {before} | {_shown(row)} | {ratio} |")
    return "\n".join(lines) + "\n"


def page(rows: list[Row]) -> str:
    """The table of docs/benchmarks.md: of the jobs instructions alone."""
    shown = [row for row in rows if row.script != "jobs" or row.kind == "instructions"]
    shown.sort(key=lambda row: (FIRST.index(row.script) if row.script in FIRST else len(FIRST), row.script == "jobs"))
    return markdown(shown)


def _shown(row: Row, value: float | None = None) -> str:
    value = row.value if value is None else value
    text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    if row.kind == "instructions":
        text = f"{value / 1e6:,.1f} M"
    return f"{text} {row.unit}".rstrip()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _row(entry: dict[str, str]) -> Row:
    def number(name: str) -> float | None:
        return float(entry[name]) if entry[name] else None

    numbers = {name: number(name) for name in ("value", "tolerance", "before")}
    return Row(**entry | numbers)
