# SPDX-License-Identifier: Apache-2.0
"""What a factorization did."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .._tables import Figure, html_table, pandas_for


@dataclass(frozen=True)
class HalfStep:
    """One convex half of a round, solved to its gap; objectives are of the whole problem."""

    round: int  #: from 1
    block: str  #: items or users
    before: float  #: objective at the start, references chosen there
    after: float  #: never larger
    gap: float  #: (primal - dual) / primal of this half
    passes: int
    seconds: float


@dataclass(frozen=True)
class FactorRound:
    """Where training stood after a round; round 0 is the squared-loss start."""

    round: int
    objective: float
    validation: float  #: the measure on validation ratings; NaN without
    seconds: float  #: since the beginning


@dataclass(frozen=True)
class FactorCandidate:
    """A setting that was tried on held-out ratings."""

    start_regularization: float  #: infinity: the item means alone
    implicit: float
    neighbours: int
    rounds: int
    regularization: float  #: of the rounds
    value: float  #: mean of the measure over the held-out lists
    gain: float  #: over the item means
    error: float  #: standard error of the gain
    chosen: bool


@dataclass(frozen=True)
class FactorizationReport:
    """Prints as a table of the half steps."""

    half_steps: list[HalfStep]
    rounds: list[FactorRound]
    users_without_order: int  #: nothing to rank: no ratings, or all the same
    status: str  #: rounds, validation, stationary, nothing_to_learn, time_limit or interrupted
    choice_seconds: float  #: for choosing by held-out ratings
    start_seconds: float
    seconds: float  #: altogether
    interrupted: bool  #: by Ctrl-C

    @classmethod
    def _of(cls, core: dict[str, Any]) -> FactorizationReport:
        steps = [HalfStep(**entry) for entry in core["half_steps"]]
        return cls(**{**core, "half_steps": steps, "rounds": [FactorRound(**entry) for entry in core["rounds"]]})

    @property
    def objectives(self) -> list[float]:
        """The objective before the first half step and after each: it never rises within a reference."""
        return [step.before for step in self.half_steps[:1]] + [step.after for step in self.half_steps]

    def to_frame(self) -> Any:
        """A pandas data frame with a row per half step."""
        return pandas_for("to_frame").DataFrame([vars(step) for step in self.half_steps])

    def _repr_html_(self) -> str:
        rows = [
            (s.round, s.block, Figure(s.before, ".6g"), Figure(s.after, ".6g"), Figure(s.gap, ".1e"), s.passes)
            for s in self.half_steps
        ]
        head = ["round", "half step", "objective before", "after", "gap", "passes"]
        return html_table(head, rows, note=f"stopped: {self.status}; {self.seconds:.2f} s")

    def __str__(self) -> str:
        lines = ["half step  objective before       after      gap  passes"]
        for s in self.half_steps:
            lines.append(f"{s.round} {s.block:<7}  {s.before:>16.6g}  {s.after:>10.6g}  {s.gap:>7.1e}  {s.passes:>6}")
        for r in self.rounds:
            if not math.isnan(r.validation):
                lines.append(f"round {r.round}: validation {r.validation:.4f}")
        return "\n".join([*lines, f"stopped: {self.status}; {self.seconds:.2f} s"])
