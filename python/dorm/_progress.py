# SPDX-License-Identifier: Apache-2.0
"""Lines of progress, and many callbacks as one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

Callback = Callable[[dict[str, Any]], Any]


class Progress:
    """Prints where training stands; at verbose 1 at most once per second."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.printed = time.monotonic()

    def __call__(self, progress: dict[str, Any]) -> None:
        now = time.monotonic()
        if self.verbose < 2 and now - self.printed < 1:
            return
        self.printed = now
        validation = progress["validation"]
        print(self._line(progress) + ("" if math.isnan(validation) else f", validation {validation:.4f}"), flush=True)

    def _line(self, progress: dict[str, Any]) -> str:
        return (
            f"{progress['bound']} from {progress['start']}, round {progress['round']}, pass {progress['pass']}: "
            f"primal {progress['primal']:.6g}, dual {progress['dual']:.6g}, gap {progress['gap']:.2g}"
        )


class FactorProgress(Progress):
    """The same of a factorization."""

    def _line(self, progress: dict[str, Any]) -> str:
        if progress["stage"] == "choice":
            return f"choosing by held-out ratings, {progress['round']} settings tried"
        if progress["stage"] == "start":
            return "squared-loss start"
        return (
            f"round {progress['round']}, {progress['stage']}: objective {progress['objective']:.6g}, "
            f"gap {progress['gap']:.2g}"
        )


def combine(callbacks: Callback | Sequence[Callback] | None, progress: Progress) -> Callback | None:
    """One callback that calls all, and stops training when any of them says so."""
    every: list[Callback] = [progress] if progress.verbose else []
    every += [callbacks] if callable(callbacks) else list(callbacks or [])
    for callback in every:
        if not callable(callback):
            raise ValueError(f"callbacks holds {callback!r}; expected functions that take a dict")
    if not every:
        return None
    return lambda state: any([bool(callback(state)) for callback in every])
