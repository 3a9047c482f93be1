# SPDX-License-Identifier: Apache-2.0
"""A small neural ranker trained with the loss of DORM, with listwise softmax and with approximate NDCG: five folds,
the same network, steps, early stopping and number of configurations for all.

    python benchmarks/boosting/neural.py [--data mq2008] [--seeds 3]

Needs PyTorch. Every finished training is one file under --out, so a run that was stopped goes on where it was. The
configuration (learning rate x the one parameter of the loss) is chosen for each fold and seed on the validation part,
by NDCG@10, as is the epoch; standard errors are paired over the test queries of all folds.
"""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path

import numpy as np
import torch
from folds import Part

import dorm
import dorm.torch

MEASURE = "ndcg@10"
EPOCHS, PATIENCE, QUERIES = 60, 12, 32
RATES = (1e-3, 5e-3)
PARAMETERS = {"softmax": (0.5, 1.0), "approximate-ndcg": (0.1, 1.0), "dorm-hinge": (0.1, 0.3), "dorm-ramp": (0.1, 0.3)}


class Padded:
    """Queries x documents, with a mask of what is a document."""

    def __init__(self, part: Part) -> None:
        shape = (len(part.sizes), int(part.sizes.max()))
        self.mask = torch.arange(shape[1])[None, :] < torch.tensor(part.sizes)[:, None]
        self.X = torch.zeros(*shape, part.X.shape[1])
        self.y = torch.zeros(*shape)
        self.X[self.mask] = torch.tensor(part.X)
        self.y[self.mask] = torch.tensor(part.y, dtype=torch.float32)


def softmax_loss(temperature: float):
    """Cross entropy between labels as shares and the softmax of the scores; queries without relevance count 0."""

    def loss(scores, labels, mask):
        share = labels / labels.sum(dim=1, keepdim=True).clamp(min=1)
        logarithm = torch.log_softmax((scores / temperature).masked_fill(~mask, -torch.inf), dim=1)
        return -(share * logarithm.masked_fill(~mask, 0)).sum(dim=1).mean()

    return loss


def approximate_ndcg(temperature: float):
    """1 - NDCG with every rank replaced by 1 + the sum of sigmoids of score differences."""

    def loss(scores, labels, mask):
        difference = (scores[:, None, :] - scores[:, :, None]) / temperature
        others = mask[:, None, :] & ~torch.eye(scores.shape[1], dtype=torch.bool)
        rank = 1 + (torch.sigmoid(difference) * others).sum(dim=2)
        gain = (2**labels - 1) * mask
        discount = 1 / torch.log2(2 + torch.arange(scores.shape[1]))
        ideal = (gain.sort(dim=1, descending=True).values * discount).sum(dim=1)
        value = (gain / torch.log2(1 + rank)).sum(dim=1)
        return (1 - value / ideal.clamp(min=1e-9))[ideal > 0].mean()

    return loss


def make_loss(name: str, parameter: float, seed: int):
    if name == "softmax":
        return softmax_loss(parameter)
    if name == "approximate-ndcg":
        return approximate_ndcg(parameter)
    reference = {"dorm-hinge": "best", "dorm-ramp": "predicted"}[name]
    loss = dorm.torch.RankingLoss(MEASURE, reference, parameter, random_state=seed, n_jobs=1)
    return lambda scores, labels, mask: loss(scores, labels, mask=mask)


def train(name: str, rate: float, parameter: float, seed: int, parts: list[Part], padded: list[Padded]):
    """Validation value and test scores of the best epoch."""
    torch.manual_seed(seed)
    network = torch.nn.Sequential(
        torch.nn.Linear(parts[0].X.shape[1], 64),
        torch.nn.ReLU(),
        torch.nn.Linear(64, 32),
        torch.nn.ReLU(),
        torch.nn.Linear(32, 1),
    )
    steps = torch.optim.Adam(network.parameters(), lr=rate, weight_decay=1e-5)
    loss = make_loss(name, parameter, seed)
    data, best, best_epoch = padded[0], (-np.inf, None), 0
    for epoch in range(EPOCHS):
        for some in torch.randperm(len(data.y)).split(QUERIES):
            longest = int(data.mask[some].sum(dim=1).max())
            X, y, mask = (t[some, :longest] for t in (data.X, data.y, data.mask))
            steps.zero_grad()
            loss(network(X).squeeze(-1), y, mask).backward()
            steps.step()
        with torch.no_grad():
            scores = [network(p.X).squeeze(-1)[p.mask].numpy() for p in padded[1:]]
        value = float(np.nanmean(parts[1].values(scores[0], (MEASURE,))))
        if value > best[0]:
            best, best_epoch = (value, scores[1]), epoch
        elif epoch - best_epoch >= PATIENCE:
            break
    return best


def stored(path: Path, name: str, *arguments) -> tuple[float, np.ndarray]:
    """What train() gave, now or in an earlier run."""
    if not path.exists():
        value, scores = train(name, *arguments)
        partial = path.with_suffix(".part.npz")
        np.savez(partial, value=value, scores=scores)
        os.replace(partial, path)
    kept = np.load(path)
    return float(kept["value"]), kept["scores"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="mq2008")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("build-bench/neural"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    out = options.out / options.data
    out.mkdir(parents=True, exist_ok=True)
    folder = Path(os.environ.get("DORM_DATA", "../shared/data")) / options.data
    values: dict[str, list] = {name: [] for name in PARAMETERS}
    for fold in range(5):
        numbers = [(fold + k) % 5 + 1 for k in range(5)]
        by_seed: dict[str, list] = {name: [] for name in PARAMETERS}
        for seed in range(1, options.seeds + 1):
            parts = [Part(folder, n, 100 * seed + fold) for n in (numbers[:3], numbers[3:4], numbers[4:])]
            padded = [Padded(part) for part in parts]
            for name, parameters in PARAMETERS.items():
                runs = [
                    stored(
                        out / f"{name}_{rate}_{parameter}_{seed}_{fold}.npz", name, rate, parameter, seed, parts, padded
                    )
                    for rate, parameter in itertools.product(RATES, parameters)
                ]
                _, scores = max(runs, key=lambda run: run[0])
                by_seed[name].append(parts[2].values(scores, (MEASURE,))[0])
        for name, rows in by_seed.items():
            values[name].append(np.mean(rows, axis=0))
        print(f"fold {fold + 1} done", flush=True)
    base = values["softmax"]
    print(f"\n{options.data}, {options.seeds} seeds, {len(RATES) * 2} configurations each")
    print(f"| loss | {MEASURE} | less softmax (se) | folds won |\n|---|---|---|---|")
    for name, folds in values.items():
        known = (np.concatenate(folds) - np.concatenate(base))[~np.isnan(np.concatenate(folds))]
        won = sum(np.nanmean(a) > np.nanmean(b) for a, b in zip(folds, base))
        error = known.std(ddof=1) / np.sqrt(len(known))
        tail = "- | -" if folds is base else f"{known.mean():+.4f} ({error:.4f}) | {won}/5"
        print(f"| {name} | {np.nanmean(np.concatenate(folds)):.4f} | {tail} |")


if __name__ == "__main__":
    main()
