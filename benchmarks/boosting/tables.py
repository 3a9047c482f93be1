# SPDX-License-Identifier: Apache-2.0
"""The tables of the comparison: chosen configurations, paired differences, the whole grid, averages over seeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from folds import MEASURES, Part, cell_path


class Method:
    """What one method did on the test queries: for each fold an array measures x queries."""

    def __init__(self, folder: Path, out: Path, method: str, measure: str, seeds: int, grid: list) -> None:
        self.chosen: list[np.ndarray] = []  # mean over seeds of the values of the chosen configuration
        self.grid: list[np.ndarray] = []  # mean over seeds and configurations
        self.averaged: list[np.ndarray] = []  # values of the scores averaged over seeds
        self.valid: list[float] = []
        index = MEASURES.index(measure)
        for fold in range(5):
            values, whole, kept = [], [], []
            for seed in range(1, seeds + 1):
                test = Part.of_files(folder, [(fold + 4) % 5 + 1], 100 * seed + fold)
                cells = [_stored(cell_path(out, method, measure, seed, fold, *p), measure) for p in grid]
                valid, scores = max(cells, key=lambda cell: cell[0])
                self.valid.append(valid)
                values.append(test.values(scores[test.order], MEASURES))
                whole.append([test.values(s[test.order], (measure,))[0] for _, s in cells])
                kept.append(scores / scores.std())
            mean = np.mean(kept, axis=0)[test.order]
            self.chosen.append(np.mean(values, axis=0))
            self.grid.append(np.mean(whole, axis=(0, 1)))
            self.averaged.append(test.values(mean, MEASURES)[index])


def _stored(path: Path, measure: str) -> tuple[float, np.ndarray]:
    cell = np.load(path)
    row = list(cell["measures"]).index(measure)
    return float(cell["valid"][row]), cell["scores"][row]


def print_table(folder: Path, out: Path, methods: list[str], measure: str, seeds: int, grid: list) -> None:
    made = {m: Method(folder, out, m, measure, seeds, grid) for m in methods}
    index = MEASURES.index(measure)
    base = made[methods[0]]
    print(f"\n{folder.name}, trained, stopped and chosen by {measure}, {seeds} seeds, {len(grid)} configurations each")
    print(
        f"| method | valid | {' | '.join(MEASURES)} | {measure} less {methods[0]} (se) | folds won | "
        "whole grid (se) | seeds averaged | its difference (se) |"
    )
    print("|---" * (8 + len(MEASURES) - 1) + "|")
    for name, method in made.items():
        pooled = np.concatenate(method.chosen, axis=1)
        cells = " | ".join(f"{m:.4f}" for m in np.nanmean(pooled, axis=1))
        won = sum(np.nanmean(a[index]) > np.nanmean(b[index]) for a, b in zip(method.chosen, base.chosen))
        average = np.nanmean(np.concatenate(method.averaged))
        differences = [
            _with_error(np.concatenate(ours) - np.concatenate(theirs))
            for ours, theirs in (
                ([v[index] for v in method.chosen], [v[index] for v in base.chosen]),
                (method.grid, base.grid),
                (method.averaged, base.averaged),
            )
        ]
        if method is base:
            tail = f"- | - | - | {average:.4f} | -"
        else:
            tail = f"{differences[0]} | {won}/5 | {differences[1]} | {average:.4f} | {differences[2]}"
        print(f"| {name} | {np.mean(method.valid):.4f} | {cells} | {tail} |")


def _with_error(difference: np.ndarray) -> str:
    """The mean over the queries that have a value, and its standard error."""
    known = difference[~np.isnan(difference)]
    return f"{known.mean():+.4f} ({known.std(ddof=1) / np.sqrt(len(known)):.4f})"
