# SPDX-License-Identifier: Apache-2.0
"""The loss as a PyTorch module. PyTorch is not a dependency: install it as its makers say, then import this module."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._queries import Queries, read_queries
from .boosting import Objective
from .measure import Measure

try:
    import torch
except ImportError as error:
    raise ImportError("dorm.torch needs PyTorch; install it, e.g. pip install torch") from error


class RankingLoss(torch.nn.Module):
    """The bound on a measure, with the exact coefficients of its most violated ranking as the gradient.

    ``loss(scores, labels, mask=mask)`` for padded batches (queries x documents; ``mask`` is true where there is a
    document), ``loss(scores, labels, group=sizes)`` or ``loss(scores, labels, qid=ids)`` for flat lists of documents.
    Returns the mean over the queries with something to learn; 0 when there is none.

    In training mode scores are perturbed (scale ``sigma``), by fresh noise at every call that follows from
    ``random_state``; in evaluation mode the loss is exact. The ranking is found on the CPU: scores on another device
    travel there and the gradient back, 16 bytes per document and call.

    Examples
    --------
    >>> import torch, dorm.torch                                                      # doctest: +SKIP
    >>> loss = dorm.torch.RankingLoss("ndcg@10")                                      # doctest: +SKIP
    >>> loss(network(X).squeeze(-1), y, group=sizes).backward()                       # doctest: +SKIP
    """

    def __init__(
        self, measure: str | Measure = "ndcg@10", reference: str = "best", sigma: float = 0.3, **options: Any
    ) -> None:
        super().__init__()
        self.objective = Objective(measure, reference, sigma, **options)
        self._exact = Objective(measure, reference, 0.0, **options)
        self.calls = 0

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


class _WithGradient(torch.autograd.Function):
    """A number whose gradient by the scores is known."""

    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, gradient: torch.Tensor, value: float) -> torch.Tensor:
        ctx.save_for_backward(gradient)
        return scores.new_tensor(value)

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
