# SPDX-License-Identifier: Apache-2.0
"""Progress lines and bars, and callbacks."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Callback = Callable[[dict[str, Any]], Any]


class Progress:
    """Prints the progress of training; at verbose 1 at most once per second."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.printed = time.monotonic()

    def __call__(self, progress: dict[str, Any]) -> None:
        now = time.monotonic()
        if self.verbose < 2 and now - self.printed < 1:
            return
        self.printed = now
        parts = [f"{name} {value}" for name, value in self.figures(progress).items()]
        print(f"{self.stage(progress)}: {', '.join(parts)}" if parts else self.stage(progress), flush=True)

    def stage(self, progress: dict[str, Any]) -> str:
        """The current stage."""
        return f"{progress['bound']} from {progress['start']}, round {progress['round']}, pass {progress['pass']}"

    def steps(self, progress: dict[str, Any]) -> tuple[int, int | None]:
        """Number of finished steps, and of all; None: not known."""
        return progress["pass"], None

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        """The current values."""
        return {
            "primal": f"{progress['primal']:.6g}",
            "dual": f"{progress['dual']:.6g}",
            "gap": f"{progress['gap']:.2g}",
            **_known(validation=progress["validation"]),
        }


class FactorProgress(Progress):
    """The same of a factorization."""

    def stage(self, progress: dict[str, Any]) -> str:
        if progress["stage"] == "choice":
            return f"choosing by held-out ratings, {progress['round']} settings tried"
        if progress["stage"] == "start":
            return "squared-loss start"
        return f"round {progress['round']}, {progress['stage']}"

    def steps(self, progress: dict[str, Any]) -> tuple[int, int | None]:
        return progress["round"], None

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        known = _known(validation=progress["validation"])
        if progress["stage"] in ("choice", "start"):
            return known
        return {"objective": f"{progress['objective']:.6g}", "gap": f"{progress['gap']:.2g}", **known}


class JointProgress(Progress):
    """The same of a joint kernel."""

    def stage(self, progress: dict[str, Any]) -> str:
        return f"pass {progress['pass']}"

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        return {"primal": f"{progress['primal']:.6g}", "gap": f"{progress['gap']:.2g}"}


class ImplicitProgress(Progress):
    """The same of a recommender from events."""

    def stage(self, progress: dict[str, Any]) -> str:
        return "training on all events" if progress["stage"] == "final" else f"choosing: {progress['stage']}"

    def steps(self, progress: dict[str, Any]) -> tuple[int, int | None]:
        return progress["trials"], None

    def figures(self, progress: dict[str, Any]) -> dict[str, str]:
        return {"trials": str(progress["trials"]), "best": f"{progress['best']:.4f}"}


class _Bar:
    """A bar of tqdm, in a notebook as a widget."""

    def __init__(self, words: Progress) -> None:
        from tqdm.auto import tqdm

        self.words = words
        self.bar = tqdm(leave=True, unit="step")

    def __call__(self, progress: dict[str, Any]) -> None:
        done, self.bar.total = self.words.steps(progress)
        self.bar.set_description(self.words.stage(progress), refresh=False)
        self.bar.set_postfix(self.words.figures(progress), refresh=False)
        self.bar.n = done
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


@contextlib.contextmanager
def watching(
    callbacks: Callback | Sequence[Callback] | None, words: Progress, progress: Any = None
) -> Iterator[Callback | None]:
    """One callback that calls all, and stops training when any of them says so; None where there is none.

    ``progress``: True is a bar where tqdm is installed, else a line per second; "tqdm" is a bar; a function is told.
    """
    every: list[Callback] = [words] if words.verbose else []
    every += [callbacks] if callable(callbacks) else list(callbacks or [])
    for callback in every:
        if not callable(callback):
            raise ValueError(f"callbacks holds {callback!r}; expected functions that take a dict")
    bar = None
    if callable(progress):
        every.append(progress)
    elif progress is True and importlib.util.find_spec("tqdm") is None:
        every.append(type(words)(1))
    elif progress is True or progress == "tqdm":
        if importlib.util.find_spec("tqdm") is None:
            raise ImportError('progress="tqdm" needs tqdm; install it with: pip install tqdm, or pass progress=True')
        bar = _Bar(words)
        every.append(bar)
    elif progress not in (None, False):
        raise ValueError(f'progress is {progress!r}; expected True, False, "tqdm" or a function that takes a dict')
    try:
        yield (lambda state: any([bool(callback(state)) for callback in every])) if every else None
    finally:
        if bar is not None:
            bar.close()


def _known(**figures: float) -> dict[str, str]:
    return {name: f"{value:.4f}" for name, value in figures.items() if not math.isnan(value)}
