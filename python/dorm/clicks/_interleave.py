# SPDX-License-Identifier: Apache-2.0
"""Interleaving: one list from two rankings, and the ranking that users prefer."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._evaluate import Comparison, options_of


@dataclass(frozen=True)
class Interleaving:
    """An interleaved list and its probability."""

    documents: list[Any]
    credit: list[float]  #: by position: what a click there counts for the first ranking; negative: for the second
    probability: float


def interleave(
    a: Sequence[Hashable],
    b: Sequence[Hashable],
    *,
    method: str = "team-draft",
    credit: str = "inverse",
    length: int = 10,
    random_state: int | np.random.Generator | None = None,
    all_lists: bool = False,
) -> Any:
    """A list made of two rankings, drawn at random.

    Parameters
    ----------
    a, b
        Documents in order; the two may differ in their documents.
    method
        ``"team-draft"``: in each round the two, in random order, add their best document that is not there yet.
        ``"optimised"``: lists with probabilities that favour neither ranking and decide as often as they can.
    credit
        Of ``"optimised"``: ``"inverse"``, 1 / rank in a - 1 / rank in b, or ``"linear"``, rank in b - rank in a.
    length
        Of the list; at most 20, of ``"optimised"`` 12.
    all_lists
        All lists with their probabilities, instead of one that is drawn.

    Examples
    --------
    >>> import dorm
    >>> for made in dorm.clicks.interleave("ab", "ba", length=2, all_lists=True):
    ...     print(made.documents, made.credit, made.probability)
    ['a', 'b'] [1.0, -1.0] 0.5
    ['b', 'a'] [-1.0, 1.0] 0.5
    """
    names = list(dict.fromkeys([*a, *b]))
    number = {name: i for i, name in enumerate(names)}
    made = [
        Interleaving([names[i] for i in documents], list(credits), probability)
        for documents, credits, probability in _core.interleavings(
            [number[d] for d in a], [number[d] for d in b], method, credit, length
        )
    ]
    if all_lists:
        return made
    rng = np.random.default_rng(random_state)
    share = np.array([one.probability for one in made])
    return made[rng.choice(len(made), p=share / share.sum())]


@dataclass(frozen=True)
class InterleavingResult:
    """The result of `analyse_interleaving`."""

    test: Comparison  #: over sessions: wins of the first ranking, losses, ties, mean credit, sign test
    share: float  #: of the decided sessions that the first ranking won; NaN: none was decided
    preference: float  #: (wins + ties / 2) / sessions - 1/2
    power: float  #: of a sign test with this number of decided sessions, if ``share`` is the true share
    sessions_needed: float  #: for power 0.8, if the shares of wins and ties are the true shares


def analyse_interleaving(
    credits: Any,
    *,
    level: float = 0.05,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> InterleavingResult:
    """Which of two rankings people prefer, by a sign test over sessions.

    Parameters
    ----------
    credits
        Of each session: the sum of `Interleaving.credit` over the positions that were clicked.
    level
        Of the two-sided sign test whose power is told.

    Examples
    --------
    >>> import dorm
    >>> result = dorm.clicks.analyse_interleaving([1, 1, 2, -1, 0, 0, 1, 1, 1, 1])
    >>> result.test.wins, result.test.losses, round(result.test.p_sign, 4)
    (7, 1, 0.0703)
    """
    values = np.ascontiguousarray(credits, dtype=np.float64)
    options = options_of("standard", None, bootstrap, confidence, random_state, n_jobs)
    found = _core.analyse_interleaving(values, options, float(level))
    return InterleavingResult(test=Comparison(**found.pop("test")), **found)


def sessions_needed(share: float, *, ties: float = 0.0, power: float = 0.8, level: float = 0.05) -> float:
    """Sessions that a two-sided sign test needs, when the better ranking wins this share of the decided ones.

    ``ties`` is the share of sessions without a winner. Infinite for a share of 1/2.

    Examples
    --------
    >>> import dorm
    >>> dorm.clicks.sessions_needed(0.55, ties=0.5)
    1566.0
    """
    if not 0 <= ties < 1:
        raise ValueError(f"ties is {ties}; expected a share from 0 to below 1")
    decided = _core.decided_sessions_needed(float(share), float(power), float(level))
    return decided if math.isinf(decided) else float(math.ceil(decided / (1 - ties)))
