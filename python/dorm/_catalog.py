# SPDX-License-Identifier: Apache-2.0
"""Catalogs of names."""

from __future__ import annotations

from . import _core


def catalog(kind: str) -> dict[str, str]:
    """Names with their spelling and meaning, of a ``"measure"``, ``"convention"``, ``"ties"``, ``"scale"``,
    ``"decay"``, ``"bound"``, ``"initial"``, ``"solver"``, ``"similarity"`` (to sets) or export ``"target"``.

    Examples
    --------
    >>> import dorm
    >>> list(dorm.catalog("bound"))
    ['auto', 'given', 'average', 'best', 'predicted']
    >>> dorm.catalog("decay")["power"]
    'power:d...'
    """
    every = _core.catalog()
    if kind not in every:
        raise ValueError(f"no catalog of {kind!r}; there are {', '.join(every)}")
    return {name: f"{usage}: {text}" if text else usage for name, usage, text, _ in every[kind]}
