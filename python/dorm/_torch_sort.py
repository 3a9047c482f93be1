# SPDX-License-Identifier: Apache-2.0
"""The loss where the most violated ranking is a sort (c = a), as tensor operations on any device PyTorch has.

Nothing here leaves the device: no number is read back, so that a step of training never waits for the loss. All is in
double precision. The caller (`dorm.torch`) passes position weights and gains.
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
    positions: Callable[
        [int, torch.device], tuple[torch.Tensor, torch.Tensor]
    ]  # a and c of that number of positions, on a device


GAINS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp2": lambda y: torch.exp2(y) - 1,
    "linear": lambda y: y,
    "binary": lambda y: (y > 0).to(y.dtype),
}


class Padded:
    """Queries x documents with a mask, true where there is a document; None: everywhere."""

    def __init__(self, shape: torch.Size, mask: torch.Tensor | None) -> None:
        self.longest = shape[1]
        self._absent = None if mask is None else ~mask
        self.sizes = None if mask is None else mask.sum(dim=1)

    def _last(self, keys: torch.Tensor) -> torch.Tensor:
        return keys if self._absent is None else keys.masked_fill(self._absent, LAST)

    def order(self, keys: torch.Tensor) -> torch.Tensor:
        """The documents of each query by descending key, equal ones as they stand."""
        return self._last(keys).argsort(dim=1, descending=True, stable=True)

    def order_within(self, classes: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        """The same by descending class, then by descending key."""
        first = self.order(keys)
        second = self._last(classes).gather(1, first).argsort(dim=1, descending=True, stable=True)
        return first.gather(1, second)

    def place(self, order: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        """By document, what belongs to its position; 0 where there is none."""
        placed = torch.empty(order.shape, dtype=c.dtype, device=c.device)
        return self.keep(placed.scatter_(1, order, c[: self.longest].expand(order.shape)))

    def total(self, values: torch.Tensor) -> torch.Tensor:
        return self.keep(values).sum(dim=1)

    def extremes(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self._absent is None:
            return values.amin(dim=1), values.amax(dim=1)
        return values.masked_fill(self._absent, -LAST).amin(dim=1), self._last(values).amax(dim=1)

    def at_last(self, a: torch.Tensor) -> torch.Tensor:
        """What belongs to the last position of each query."""
        return a[self.longest - 1] if self.sizes is None else a[(self.sizes - 1).clamp(min=0)]

    def spread(self, by_query: torch.Tensor) -> torch.Tensor:
        return by_query[:, None]

    def keep(self, values: torch.Tensor) -> torch.Tensor:
        return values if self._absent is None else values.masked_fill(self._absent, 0)


class Flat:
    """Documents one after the other, in queries of these sizes (known on the host)."""

    def __init__(self, sizes: torch.Tensor, device: torch.device) -> None:
        self.longest = int(sizes.max()) if len(sizes) else 0
        total = int(sizes.sum())
        self.sizes = sizes.to(device, non_blocking=True)
        numbers = torch.arange(len(sizes), device=device)
        self._query = torch.repeat_interleave(numbers, self.sizes, output_size=total)
        begin = (self.sizes.cumsum(0) - self.sizes)[self._query]
        self._position = torch.arange(total, device=device) - begin

    def slots(self) -> torch.Tensor:
        """By document, its place in queries x documents, flat."""
        return self._query * self.longest + self._position

    def _by_query(self, order: torch.Tensor) -> torch.Tensor:
        return order[self._query[order].argsort(stable=True)]

    def order(self, keys: torch.Tensor) -> torch.Tensor:
        return self._by_query(keys.argsort(descending=True, stable=True))

    def order_within(self, classes: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        order = keys.argsort(descending=True, stable=True)
        return self._by_query(order[classes[order].argsort(descending=True, stable=True)])

    def place(self, order: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        placed = torch.empty(order.shape, dtype=c.dtype, device=c.device)
        return placed.scatter_(0, order, c[self._position])

    def total(self, values: torch.Tensor) -> torch.Tensor:
        return torch.segment_reduce(values, "sum", lengths=self.sizes, axis=0, unsafe=True)

    def extremes(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        lowest, highest = (
            torch.segment_reduce(values, name, lengths=self.sizes, axis=0, unsafe=True) for name in ("min", "max")
        )
        return lowest, highest

    def at_last(self, a: torch.Tensor) -> torch.Tensor:
        return a[self.sizes - 1]

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
    each added to the scores (None: nothing).

    With keys s - kappa b, c at the positions of their order and z0 that of the reference, H = sum (c - z0) key where
    the reference has no loss; the predicted one has the loss sum kappa (ideal c - z0) b besides."""
    g = scores.detach().to(torch.float64)
    a, c = measure.positions(layout.longest, g.device)
    b = GAINS[measure.gain](labels.detach().to(torch.float64))
    best_first = layout.place(layout.order(b), a)
    ideal = layout.total(best_first * b)
    if measure.relative:
        b = b / layout.spread(torch.where(ideal > 0, ideal, 1.0))
    lowest, highest = layout.extremes(b)
    usable = (highest > lowest) & (a[0] > layout.at_last(a))
    total, gradient = torch.zeros_like(ideal), torch.zeros_like(g)
    for noise in noises:
        s = (g if noise is None else g + noise) / margin
        key = s - measure.kappa * b
        z0 = layout.place(layout.order_within(b, s) if reference == "best" else layout.order(s), c)
        slope = layout.place(layout.order(key), c) - z0
        value = slope * key
        if reference != "best":
            value = value + (best_first - measure.kappa * z0 - (a[0] - measure.kappa * c[0])) * b
        total += layout.total(value)
        gradient += slope
    count = usable.sum().clamp(min=1) * len(noises)
    loss = torch.where(usable, total, 0.0).sum() * margin / count
    return loss, layout.keep(gradient * layout.spread(usable.to(g.dtype) / count))


MOST_PADDING = 2.0  # of queries x documents over documents: up to here packed lists are sorted as padded ones


def packed_loss(
    scores: torch.Tensor,
    labels: torch.Tensor,
    sizes: torch.Tensor,
    measure: SortedMeasure,
    reference: str,
    margin: float,
    noises: list[torch.Tensor | None],
) -> tuple[torch.Tensor, torch.Tensor]:
    """sorted_loss() of documents one after the other; `sizes` of the queries are on the host."""
    flat = Flat(sizes, scores.device)
    shape = torch.Size((len(sizes), flat.longest))
    if shape.numel() > MOST_PADDING * len(scores):
        return sorted_loss(scores, labels, flat, measure, reference, margin, noises)
    if shape.numel() == len(scores):
        mask, slots = None, None
    else:
        slots = flat.slots()
        mask = torch.zeros(shape.numel(), dtype=torch.bool, device=scores.device).scatter_(0, slots, True).view(shape)

    def wide(values: torch.Tensor) -> torch.Tensor:
        values = values.detach()
        return (values if slots is None else values.new_zeros(shape.numel()).scatter_(0, slots, values)).view(shape)

    wide_noises = [None if noise is None else wide(noise) for noise in noises]
    layout = Padded(shape, mask)
    loss, slope = sorted_loss(wide(scores), wide(labels), layout, measure, reference, margin, wide_noises)
    return loss, slope.flatten() if slots is None else slope.flatten()[slots]
