# SPDX-License-Identifier: Apache-2.0
"""The loss as a PyTorch module. PyTorch is not a dependency: install it as its makers say, then import this module."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _core
from ._boosting import DEFAULT_SIGMA, Objective
from ._input.queries import Queries, read_queries
from ._measure import Measure

try:
    import torch
except ImportError as error:
    raise ImportError("dorm.torch needs PyTorch; install it, e.g. pip install torch") from error

from ._torch_sort import GAINS, Padded, SortedMeasure, packed_loss, sorted_loss

_LABELS = np.array([0, 0.5, 1, 1.5, 2, 3, 4], dtype=np.float32)  # tell gains apart
_LISTS = (np.resize(_LABELS, 64), _LABELS, np.float32([3, 0, 0, 0, 0, 0, 0, 0, 0, 1]), np.float32([0.5, 0, 0, 0]))


class RankingLoss(torch.nn.Module):
    """The bound on a measure, with the exact coefficients of its most violated ranking as the gradient.

    ``loss(scores, labels, mask=mask)`` for padded batches (queries x documents; ``mask`` is true where there is a
    document), ``loss(scores, labels, group=sizes)`` or ``loss(scores, labels, qid=ids)`` for flat lists of documents.
    Returns the mean over the queries with something to learn; 0 when there is none.

    In training mode scores are perturbed (scale ``sigma``), by fresh noise at every call that follows from
    ``random_state``; in evaluation mode the loss is exact.

    Where the most violated ranking is a sort (``decay="measure"``, and what is proportional to it, for ndcg, dcg and
    precision), scores on another device are ranked there, by tensor operations; nothing is read back, so a step does
    not wait. ``ranking="core"`` finds it on the CPU instead, as is always done otherwise: scores travel there and the
    gradient back, 16 bytes per document and call. ``ranking="tensor"`` insists on tensor operations, on the CPU, too.

    Examples
    --------
    >>> import torch, dorm.torch                                                      # doctest: +SKIP
    >>> loss = dorm.torch.RankingLoss("ndcg@10")                                      # doctest: +SKIP
    >>> loss(network(X).squeeze(-1), y, group=sizes).backward()                       # doctest: +SKIP
    """

    def __init__(
        self,
        measure: str | Measure = "ndcg@10",
        reference: str = "best",
        sigma: float = 0.3,
        *,
        ranking: str = "auto",
        **options: Any,
    ) -> None:
        super().__init__()
        if ranking not in ("auto", "core", "tensor"):
            raise ValueError(f'ranking is {ranking!r}; expected "auto", "core" or "tensor"')
        self.objective = Objective(measure, reference, sigma, **options)
        self._exact = Objective(measure, reference, 0.0, **options)
        self.ranking = ranking
        self.calls = 0
        self._sorted = None if ranking == "core" else sorted_measure(self.objective)
        if ranking == "tensor" and self._sorted is None:
            raise ValueError(
                f"the most violated ranking for {measure!r} with decay {self.objective.decay!r} is no sort; expected "
                'decay="measure" and ndcg, dcg or precision, or ranking="auto"'
            )

    def forward(
        self,
        scores: torch.Tensor,
        labels: torch.Tensor,
        *,
        mask: torch.Tensor | None = None,
        group: Any = None,
        qid: Any = None,
    ) -> torch.Tensor:
        present = _present(scores, labels, mask, group, qid)
        if self._sorted is not None and (self.ranking == "tensor" or scores.device.type != "cpu"):
            return self._by_tensors(scores, labels, mask, present, group, qid)
        flat = scores[present] if scores.dim() == 2 else scores
        flat_labels = labels[present] if labels.dim() == 2 else labels
        queries = _padded_queries(present) if scores.dim() == 2 else _flat_queries(group, qid, len(scores))
        values = flat.detach().to("cpu", torch.float64).numpy()
        objective = self.objective if self.training else self._exact
        prepared = objective._prepare(flat_labels.detach().cpu().numpy(), queries, np.empty(0))
        gradient, _, losses = prepared.gradient(np.ascontiguousarray(queries.sorted(values)), self.calls)
        self.calls += self.training
        count = max(1, prepared.usable_queries)
        slope = torch.from_numpy(queries.unsorted(gradient) / count).to(flat)
        return _WithGradient.apply(flat, slope, float(losses.sum()) / count)

    def _by_tensors(
        self, scores: torch.Tensor, labels: torch.Tensor, mask: Any, present: Any, group: Any, qid: Any
    ) -> torch.Tensor:
        assert self._sorted is not None
        options, labels = self.objective, labels.to(scores.device)
        form = (self._sorted, options.reference, options.margin)
        noises = self._noises(scores) if self.training else [None]
        self.calls += self.training
        if scores.dim() == 2:
            layout = Padded(scores.shape, None if mask is None else present.to(scores.device))
            value, slope = sorted_loss(scores, labels, layout, *form, noises)
            return _WithGradient.apply(scores, slope.to(scores.dtype), value.to(scores.dtype))
        queries = _flat_queries(group, qid, len(scores))
        sizes = torch.from_numpy(queries.sizes)
        if queries.order is not None:
            order = torch.from_numpy(queries.order).to(scores.device)
            scores, labels = scores[order], labels[order]
        value, slope = packed_loss(scores, labels, sizes, *form, noises)
        return _WithGradient.apply(scores, slope.to(scores.dtype), value.to(scores.dtype))

    def _noises(self, scores: torch.Tensor) -> list[torch.Tensor | None]:
        """Antithetic pairs that depend on the seed and the number of the call."""
        sigma = float(DEFAULT_SIGMA if self.objective.sigma == "auto" else self.objective.sigma)
        if sigma == 0:
            return [None]
        generator = torch.Generator(scores.device).manual_seed(self.objective.random_state * 1_000_003 + self.calls)
        noises: list[torch.Tensor | None] = []
        for _ in range(self.objective.pairs):
            noise = sigma * torch.randn(scores.shape, generator=generator, device=scores.device, dtype=torch.float64)
            noises += [noise, -noise]
        return noises


class _WithGradient(torch.autograd.Function):
    """A number whose gradient by the scores is known."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, gradient: torch.Tensor, value: Any) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return value.clone() if isinstance(value, torch.Tensor) else scores.new_tensor(value)

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None


def _present(scores: Any, labels: Any, mask: Any, group: Any, qid: Any) -> Any:
    if scores.shape != labels.shape or scores.dim() not in (1, 2):
        raise ValueError(
            f"scores have shape {tuple(scores.shape)} and labels {tuple(labels.shape)}; expected the same, documents "
            "or queries x documents"
        )
    if scores.dim() == 1:
        if mask is not None:
            raise ValueError("mask goes with padded batches (queries x documents); flat lists take group= or qid=")
        return None
    if group is not None or qid is not None:
        raise ValueError("padded batches have a query per row; pass mask= instead of group= or qid=")
    if mask is None:
        return torch.ones_like(scores, dtype=torch.bool)
    if mask.shape != scores.shape:
        raise ValueError(f"mask has shape {tuple(mask.shape)}, scores {tuple(scores.shape)}; expected the same")
    return mask.bool()


def _padded_queries(present: torch.Tensor) -> Queries:
    sizes = present.sum(dim=1).cpu().numpy().astype(np.int64)
    sizes = sizes[sizes > 0]
    return Queries(sizes, list(range(len(sizes))), None)


def _flat_queries(group: Any, qid: Any, rows: int) -> Queries:
    as_array = [v.detach().cpu().numpy() if isinstance(v, torch.Tensor) else v for v in (qid, group)]
    return read_queries(*as_array, rows)


def sorted_measure(objective: Objective) -> SortedMeasure | None:
    """The measure in closed form where its most violated ranking is a sort; None where it is not, or where the form is
    not known: a measure of one's own, gains from a table, short lists that do not count."""
    if not isinstance(objective.measure, str):
        return None
    decay = objective.decay
    if decay == "auto":
        decay = "discount" if objective.reference == "best" else "measure"

    def numbers(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        return _core.list_numbers(objective.measure, objective.convention, decay, labels)

    a, _, c, first = numbers(_LISTS[0])
    slope = float((a[0] - a[-1]) / (c[0] - c[-1])) if c[0] > c[-1] else 1.0
    if first or not np.allclose(a, a[0] + slope * (c - c[0]), rtol=0, atol=1e-12 * abs(a[0])):
        return None

    @functools.lru_cache(maxsize=64)
    def positions(size: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
        weights, _, decays, _ = numbers(np.resize(_LABELS, max(size, len(_LABELS))))
        return torch.from_numpy(weights).to(device), torch.from_numpy(decays).to(device)

    for gain in GAINS:
        for relative in (False, True):
            if all(_explains(gain, relative, a, labels, numbers(labels)) for labels in _LISTS):
                return SortedMeasure(gain, relative, slope, positions)
    return None


def _explains(gain: str, relative: bool, a: np.ndarray, labels: np.ndarray, numbers: tuple[Any, ...]) -> bool:
    """Whether a list has the position weights of longer ones, and the gains of this form."""
    gains = GAINS[gain](torch.from_numpy(labels.astype(np.float64))).numpy()
    if relative:
        gains = gains / float((a[: len(gains)] * np.sort(gains)[::-1]).sum())
    return np.array_equal(numbers[0], a[: len(gains)]) and np.allclose(numbers[1], gains, rtol=1e-12, atol=0)
