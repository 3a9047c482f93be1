# SPDX-License-Identifier: Apache-2.0
"""The loss where the most violated ranking is a sort (c = a), as tensor operations on any device PyTorch has.

Nothing here leaves the device: no number is read back, so that a step of training never waits for the loss. All is in
double precision. Position weights and gains come from whoever calls (`dorm.torch`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

LAST = -float("inf")


@dataclass(frozen=True)
class SortedMeasure:
    """A measure whose position weights are a = kappa c + constant, in closed form."""

    gain: str  # of a label: a name of GAINS
    relative: bool  # gains are divided by the value of the best ranking
    kappa: float
    positions: Callable[[int, torch.device], tuple[torch.Tensor, torch.Tensor]]  # a and c of so many, on a device


GAINS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp2": lambda y: torch.exp2(y) - 1,
    "linear": lambda y: y,
    "binary": lambda y: (y >= 1).to(y.dtype),
}


class Padded:
    """Queries x documents with a mask, true where there is a document."""

    def __init__(self, mask: torch.Tensor) -> None:
        self.mask = mask
        self.sizes = mask.sum(dim=1)
        self.longest = mask.shape[1]
        self._places = torch.arange(mask.shape[1], device=mask.device).expand(mask.shape)

    def ranks(self, keys: torch.Tensor) -> torch.Tensor:
        """How many documents of the query stand before each by descending key, equal ones in their order."""
        order = keys.masked_fill(~self.mask, LAST).argsort(dim=1, descending=True, stable=True)
        return torch.empty_like(order).scatter_(1, order, self._places)

    def ranks_within(self, classes: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """The same by descending class, then by descending key."""
        first = keys.masked_fill(~self.mask, LAST).argsort(dim=1, descending=True, stable=True)
        second = (
            classes.masked_fill(~self.mask, LAST).gather(1, first).argsort(dim=1, descending=True, stable=True)
        )
        order = first.gather(1, second)
        return torch.empty_like(order).scatter_(1, order, self._places)

    def total(self, values: torch.Tensor) -> torch.Tensor:
        return values.masked_fill(~self.mask, 0).sum(dim=1)

    def extremes(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return values.masked_fill(~self.mask, -LAST).amin(dim=1), values.masked_fill(~self.mask, LAST).amax(dim=1)

    def spread(self, by_query: torch.Tensor) -> torch.Tensor:
        return by_query[:, None]

    def keep(self, values: torch.Tensor) -> torch.Tensor:
        return values.masked_fill(~self.mask, 0)


class Flat:
    """Documents one after the other, in queries of these sizes (known on the host)."""

    def __init__(self, sizes: torch.Tensor, device: torch.device) -> None:
        self.longest = int(sizes.max()) if len(sizes) else 0
        begin = sizes.cumsum(0) - sizes
        query = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
        self._begin = begin[query].to(device, non_blocking=True)
        self._query = query.to(device, non_blocking=True)
        self.sizes = sizes.to(device, non_blocking=True)
        self._places = torch.arange(len(query), device=device)

    def _ranks(self, order: torch.Tensor) -> torch.Tensor:
        order = order[self._query[order].argsort(stable=True)]
        return torch.empty_like(order).scatter_(0, order, self._places) - self._begin

    def ranks(self, keys: torch.Tensor) -> torch.Tensor:
        return self._ranks(keys.argsort(descending=True, stable=True))

    def ranks_within(self, classes: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        order = keys.argsort(descending=True, stable=True)
        return self._ranks(order[classes[order].argsort(descending=True, stable=True)])

    def total(self, values: torch.Tensor) -> torch.Tensor:
        return torch.segment_reduce(values, "sum", lengths=self.sizes, axis=0, unsafe=True)

    def extremes(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        lowest, highest = (
            torch.segment_reduce(values, name, lengths=self.sizes, axis=0, unsafe=True) for name in ("min", "max")
        )
        return lowest, highest

    def spread(self, by_query: torch.Tensor) -> torch.Tensor:
        return by_query[self._query]

    def keep(self, values: torch.Tensor) -> torch.Tensor:
        return values


def sorted_loss(
    scores: torch.Tensor,
    labels: torch.Tensor,
    layout: Padded | Flat,
    measure: SortedMeasure,
    reference: str,
    margin: float,
    noises: list[torch.Tensor | None],
) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean loss over the queries with something to learn, and its gradient by the scores; the mean over noises,
    each added to the scores (None: nothing)."""
    g = scores.detach().to(torch.float64)
    a, c = measure.positions(layout.longest, g.device)
    b = GAINS[measure.gain](labels.detach().to(torch.float64))
    ideal = layout.total(a[layout.ranks(b)] * b)
    if measure.relative:
        b = b / layout.spread(torch.where(ideal > 0, ideal, torch.ones_like(ideal)))
        ideal = (ideal > 0).to(ideal.dtype)
    lowest, highest = layout.extremes(b)
    usable = (highest > lowest) & (a[0] > a[(layout.sizes - 1).clamp(min=0)])
    losses, gradient = torch.zeros_like(ideal), torch.zeros_like(g)
    for noise in noises:
        s = (g if noise is None else g + noise) / margin
        rank = layout.ranks(s - measure.kappa * b)
        z0 = c[layout.ranks_within(b, s) if reference == "best" else layout.ranks(s)]
        slope = c[rank] - z0
        losses += ideal - layout.total(a[rank] * b - slope * s)
        gradient += slope
    count = usable.sum().clamp(min=1) * len(noises)
    loss = torch.where(usable, losses, torch.zeros_like(losses)).sum() * margin / count
    return loss, layout.keep(gradient * layout.spread(usable.to(g.dtype))) / count
