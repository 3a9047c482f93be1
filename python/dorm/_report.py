# SPDX-License-Identifier: Apache-2.0
"""Reports of training."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ._tables import Figure, html_table, pandas_for


@dataclass(frozen=True)
class Certificate:
    """How far from the optimum training stopped: the objective lies between ``dual`` and ``primal``."""

    primal: float
    dual: float
    gap: float  #: (primal - dual) / primal, of the convex problem of the last round
    status: str  #: converged, pass_limit, time_limit, interrupted, early_stopped or numerical_trouble


@dataclass(frozen=True)
class Candidate:
    """One training: a bound and an initial model."""

    bound: str
    start: str
    rounds: int
    certificate: Certificate
    explained_risk: float  #: share of the risk of w = 0 that the bound explains; below 0.02 it carries no information
    validation: float  #: the measure on eval_set; NaN without
    share: float  #: of the model, which may be an average of several candidates; 0: not in it

    @property
    def chosen(self) -> bool:
        """Whether it is in the model."""
        return self.share > 0


@dataclass(frozen=True)
class TrainReport:
    """Prints as a table of the candidates."""

    candidates: list[Candidate]
    history: list[dict[str, float]] = field(repr=False)  #: of the last round of the chosen candidate, by evaluation
    warnings: list[str]
    dropped_queries: int  #: nothing to learn from
    interrupted: bool  #: by Ctrl-C
    validation: float  #: the measure of the model on eval_set; NaN without
    seconds: float
    passes: int  #: this and what follows: of the last round of the chosen candidate
    oracle_calls: int
    planes: int
    support_vectors: int  #: planes with positive weight
    solve_seconds: float
    oracle_seconds: float  #: summed over threads
    qp_seconds: float  #: quadratic programs and products with planes

    @classmethod
    def _of(cls, core: dict[str, Any]) -> TrainReport:
        def candidate(entry: dict[str, Any]) -> Candidate:
            certificate = Certificate(**{key: entry.pop(key) for key in ("primal", "dual", "gap", "status")})
            return Candidate(certificate=certificate, **entry)

        return cls(**{**core, "candidates": [candidate(dict(entry)) for entry in core["candidates"]]})

    def _to_plain(self) -> dict[str, Any]:
        """What `_of` takes."""
        flat = [{**vars(each), **vars(each.certificate)} for each in self.candidates]
        return {**vars(self), "candidates": [{k: v for k, v in c.items() if k != "certificate"} for c in flat]}

    @property
    def chosen(self) -> Candidate:
        """The candidate that became the model; of an average, the one with the largest share."""
        return max(self.candidates, key=lambda c: c.share)

    @property
    def certificate(self) -> Certificate:
        """Of the chosen candidate."""
        return self.chosen.certificate

    @property
    def qp_share(self) -> float:
        """Share of the time of the last round spent in quadratic programs and products with planes."""
        return self.qp_seconds / self.solve_seconds if self.solve_seconds > 0 else 0.0

    @property
    def status(self) -> str:
        """How training ended."""
        return "interrupted" if self.interrupted else self.certificate.status

    def to_frame(self) -> Any:
        """A pandas data frame with a row per candidate."""
        rows = [{**vars(c), **vars(c.certificate)} for c in self.candidates]
        return pandas_for("to_frame").DataFrame(rows).drop(columns="certificate")

    def _repr_html_(self) -> str:
        rows = []
        for c in self.candidates:
            k = c.certificate
            numbers = (Figure(k.primal, ".6g"), Figure(k.dual, ".6g"), Figure(k.gap, ".1e"))
            rows.append(
                (c.bound, c.start, c.rounds, *numbers, k.status, Figure(c.explained_risk, ".3f"), Figure(c.validation))
            )
            rows[-1] += (Figure(c.share, ".2f"),)
        head = [
            "candidate",
            "start",
            "rounds",
            "primal",
            "dual",
            "gap",
            "status",
            "explained_risk",
            "validation",
            "share",
        ]
        note = f"{self.passes} passes, {self.oracle_calls} oracle calls, {self.seconds:.2f} s"
        return html_table(head, rows, note="; ".join([note, *(f"warning: {w}" for w in self.warnings)]))

    def __str__(self) -> str:
        head = (
            "  candidate  start     rounds      primal        dual      gap  status         explained  validation share"
        )
        lines = [head]
        for c in self.candidates:
            validation = "-" if math.isnan(c.validation) else f"{c.validation:.4f}"
            k, explained = c.certificate, f"{c.explained_risk:.3f}"
            lines.append(
                f"{'*' if c.chosen else ' '} {c.bound:<9}  {c.start:<8}  {c.rounds:>6}  {k.primal:>10.6g}  "
                f"{k.dual:>10.6g}  {k.gap:>7.1e}  {k.status:<13}  {explained:>9}  {validation:>10} {c.share:>5.2f}"
            )
        lines.append(
            f"{self.passes} passes, {self.oracle_calls} oracle calls, {self.planes} planes, {self.support_vectors} "
            f"support vectors, {100 * self.qp_share:.0f} % of the time in the QP, {self.seconds:.2f} s in all"
        )
        return "\n".join(lines + [f"warning: {w}" for w in self.warnings])
