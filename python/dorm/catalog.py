# SPDX-License-Identifier: Apache-2.0
"""Every name that can be passed."""

from __future__ import annotations

from . import _core


def catalog(kind: str) -> dict[str, str]:
    """Names with their meaning: of each ``"measure"`` (how it is spelled), ``"convention"``, ``"ties"``, ``"scale"``,
    ``"decay"``, ``"bound"``, ``"start"`` or ``"solver"``.

    Examples
    --------
    >>> import dorm
    >>> list(dorm.catalog("bound"))
    ['auto', 'given', 'average', 'best', 'predicted']
    >>> dorm.catalog("measure")["ndcg[@n]"]
    '...'
    """
    every = _core.catalog()
    if kind not in every:
        raise ValueError(f"no catalog of {kind!r}; there are {', '.join(every)}")
    return {usage: text for _, usage, text, _ in every[kind]}
