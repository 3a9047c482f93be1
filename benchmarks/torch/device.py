# SPDX-License-Identifier: Apache-2.0
"""Time of the loss as a PyTorch module for batches of queries on the CPU and, where there is one, on a CUDA device;
checks that both give the same gradients.

    python benchmarks/torch/device.py [--repeats 30]

Needs torch, numpy and an importable dorm (PYTHONPATH may point at it); no data, no network. The ranking is found on
the CPU (`ranking="core"`; losses.py times the other way), so on a device each call costs two small transfers and a
wait for the scores; `network` is a forward and backward pass of a small multilayer perceptron on the same documents
without the loss, for comparison.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

import dorm.torch

BATCHES = ((32, 20), (32, 120), (128, 120), (512, 120), (64, 1000))  # queries, documents of each


def milliseconds(call, device: str, repeats: int) -> float:
    for _ in range(3):
        call()
    times = []
    for _ in range(repeats):
        if device != "cpu":
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if device != "cpu":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3


def make_batch(queries: int, documents: int):
    generator = torch.Generator().manual_seed(queries * documents)
    labels = torch.randint(0, 5, (queries, documents), generator=generator).float()
    scores = torch.randn(queries, documents, generator=generator) + 0.3 * labels
    mask = torch.rand(queries, documents, generator=generator) < 0.9
    features = torch.randn(queries, documents, 136, generator=generator)
    return features, scores, labels, mask


def gradient(device: str, reference: str, scores, labels, mask) -> torch.Tensor:
    loss = dorm.torch.RankingLoss("ndcg@10", reference, random_state=1, ranking="core")
    leaf = scores.to(device).clone().requires_grad_()
    loss(leaf, labels.to(device), mask=mask.to(device)).backward()
    return leaf.grad.cpu()


def time_batch(queries: int, documents: int, devices: list[str], repeats: int) -> None:
    features, scores, labels, mask = make_batch(queries, documents)
    for reference in ("best", "predicted"):
        first, *others = (gradient(d, reference, scores, labels, mask) for d in devices)
        for other in others:
            if not torch.equal(first, other):
                raise SystemExit(f"gradients differ between devices by {float((first - other).abs().max())}")
    for device in devices:
        X, s, y, m = (t.to(device) for t in (features, scores, labels, mask))
        cells = [time_network(X, device, repeats)]
        cells += [time_loss(reference, s, y, m, device, repeats) for reference in ("best", "predicted")]
        print(f"| {queries} x {documents} | {device} | " + " | ".join(f"{c:.2f}" for c in cells) + " |", flush=True)


def time_network(X, device: str, repeats: int) -> float:
    network = torch.nn.Sequential(torch.nn.Linear(136, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)).to(device)
    return milliseconds(lambda: network(X).sum().backward(), device, repeats)


def time_loss(reference: str, scores, labels, mask, device: str, repeats: int) -> float:
    loss, leaf = dorm.torch.RankingLoss("ndcg@10", reference, ranking="core"), scores.clone().requires_grad_()
    return milliseconds(lambda: loss(leaf, labels, mask=mask).backward(), device, repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    name = torch.cuda.get_device_name() if len(devices) > 1 else "no CUDA device"
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {name}; ms per forward and backward pass")
    print("| queries x documents | device | network | loss, hinge | loss, ramp |\n|---|---|---|---|---|")
    for queries, documents in BATCHES:
        time_batch(queries, documents, devices, options.repeats)
    if len(devices) > 1:
        print("gradients are the same on both devices, bit for bit")


if __name__ == "__main__":
    main()
