# SPDX-License-Identifier: Apache-2.0
"""A step (loss and gradient) of dorm.torch.RankingLoss by tensor operations and by the core, beside two losses that are
tensor operations by nature: listwise softmax (cross-entropy of gains) and approximate NDCG (ranks by sigmoids).

    python benchmarks/torch/losses.py [--device cuda] [--repeats 30]

Needs torch and an importable dorm; no data. Milliseconds, medians; padded batches of documents of equal number, and
the same packed. Gradients by tensors are checked against the core's first.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from dorm.torch import RankingLoss

BATCHES = ((32, 20), (32, 120), (128, 120), (512, 120), (4096, 120), (64, 1000))  # queries, documents of each


def softmax_loss(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    gains = torch.exp2(labels) - 1
    target = gains / gains.sum(dim=1, keepdim=True).clamp(min=1e-9)
    return -(target * scores.log_softmax(dim=1)).sum(dim=1).mean()


def approximate_ndcg(scores: torch.Tensor, labels: torch.Tensor, temperature: float = 0.1) -> torch.Tensor:
    ranks = torch.sigmoid((scores[:, None, :] - scores[:, :, None]) / temperature).sum(dim=2) + 0.5
    gains = torch.exp2(labels) - 1
    ideal = gains.sort(dim=1, descending=True).values
    places = torch.arange(scores.shape[1], device=scores.device)
    best = (ideal / torch.log2(places + 2.0)).sum(dim=1).clamp(min=1e-9)
    return (1 - (gains / torch.log2(ranks + 1)).sum(dim=1) / best).mean()


def milliseconds(call, device: str, repeats: int) -> float:
    times = []
    for k in range(repeats + 3):
        if device != "cpu":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if device != "cpu":
            torch.cuda.synchronize()
        if k >= 3:
            times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3


def step(loss, scores: torch.Tensor, *arguments, **queries):
    leaf = scores.clone().requires_grad_()
    loss(leaf, *arguments, **queries).backward()
    return leaf.grad


def time_batch(queries: int, documents: int, device: str, repeats: int) -> None:
    generator = torch.Generator().manual_seed(queries * documents)
    labels = torch.randint(0, 5, (queries, documents), generator=generator).float().to(device)
    scores = torch.randn(queries, documents, generator=generator).to(device)
    packed, grades, sizes = scores.flatten(), labels.flatten(), np.full(queries, documents)
    tensor, core = (RankingLoss("ndcg@10", decay="measure", sigma=0, ranking=name) for name in ("tensor", "core"))
    difference = float((step(tensor, scores, labels) - step(core, scores, labels)).abs().max())
    packed_difference = float(
        (step(tensor, packed, grades, group=sizes) - step(core, packed, grades, group=sizes)).abs().max()
    )
    if max(difference, packed_difference) > 1e-6:
        raise SystemExit(f"gradients differ by {difference} (padded), {packed_difference} (packed)")
    cells = [
        milliseconds(lambda: step(tensor, scores, labels), device, repeats),
        milliseconds(lambda: step(tensor, packed, grades, group=sizes), device, repeats),
        milliseconds(lambda: step(core, scores, labels), device, repeats),
        milliseconds(lambda: step(softmax_loss, scores, labels), device, repeats),
        milliseconds(lambda: step(approximate_ndcg, scores, labels), device, repeats),
    ]
    print(
        f"| {queries} x {documents} | " + " | ".join(f"{c:.2f}" for c in cells) + f" | {difference:.1g} |", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--repeats", type=int, default=30)
    arguments = parser.parse_args()
    print(f"{arguments.device}, torch {torch.__version__}, ndcg@10, decay measure, float32 scores")
    print("| batch | tensors, padded | tensors, packed | core | softmax | approximate NDCG | difference |")
    print("|---|---|---|---|---|---|---|")
    for queries, documents in BATCHES:
        time_batch(queries, documents, arguments.device, arguments.repeats)


if __name__ == "__main__":
    main()
