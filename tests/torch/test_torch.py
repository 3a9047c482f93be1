"""The PyTorch loss: its gradient is the core's, padded and flat batches agree, and a small network learns."""

import numpy as np
import pytest
import torch

import dorm
import dorm.torch


def batch(seed=0, queries=12, longest=9):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, longest + 1, queries)
    labels = [torch.tensor(rng.integers(0, 4, n), dtype=torch.float32) for n in sizes]
    scores = [torch.tensor(rng.normal(size=n)) for n in sizes]
    return sizes, labels, scores


def test_gradient_is_that_of_the_loss():
    sizes, labels, scores = batch()
    flat = torch.cat(scores).requires_grad_()
    loss = dorm.torch.RankingLoss("ndcg@5").eval()
    value = loss(flat, torch.cat(labels), group=sizes)
    value.backward()
    step = 1e-6
    for i in range(0, len(flat), 7):
        moved = [flat.detach().clone() for _ in range(2)]
        moved[0][i] += step
        moved[1][i] -= step
        up, down = (loss(m, torch.cat(labels), group=sizes) for m in moved)
        assert float((up - down) / (2 * step)) == pytest.approx(float(flat.grad[i]), abs=1e-6)


def test_padded_and_flat_batches_agree():
    sizes, labels, scores = batch(seed=3)
    padded, mask = torch.zeros(len(sizes), 9, dtype=torch.float64), torch.zeros(len(sizes), 9, dtype=torch.bool)
    padded_labels = torch.zeros(len(sizes), 9)
    for q, n in enumerate(sizes):
        padded[q, :n], padded_labels[q, :n], mask[q, :n] = scores[q], labels[q], True
    padded.requires_grad_()
    flat = torch.cat(scores).requires_grad_()
    one, two = dorm.torch.RankingLoss(random_state=5), dorm.torch.RankingLoss(random_state=5)
    a, b = one(padded, padded_labels, mask=mask), two(flat, torch.cat(labels), group=sizes)
    assert float(a.detach()) == float(b.detach())
    a.backward()
    b.backward()
    assert torch.equal(padded.grad[mask], flat.grad)
    assert not padded.grad[~mask].any()


def test_a_network_learns():
    X, y, qid = dorm.synth(queries=80, features=8, seed=2, n_jobs=1)
    X, y, qid = torch.tensor(np.array(X)), torch.tensor(np.array(y)), np.asarray(qid)
    torch.manual_seed(1)
    network = torch.nn.Sequential(
        torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)
    )
    loss, steps = dorm.torch.RankingLoss(), torch.optim.Adam(network.parameters(), lr=0.01)

    def ndcg():
        with torch.no_grad():
            scores = network(X).squeeze(-1).numpy()
        return dorm.evaluate(y.numpy(), scores, qid=qid, measures="ndcg@10", bootstrap=0).measures[0].mean

    before = ndcg()
    for _ in range(60):
        steps.zero_grad()
        loss(network(X).squeeze(-1), y, qid=qid).backward()
        steps.step()
    assert ndcg() > before + 0.1


def test_mistakes():
    loss = dorm.torch.RankingLoss()
    with pytest.raises(ValueError, match="expected the same, documents or queries x documents"):
        loss(torch.zeros(3), torch.zeros(4), group=[3])
    with pytest.raises(ValueError, match="pass mask="):
        loss(torch.zeros(2, 3), torch.zeros(2, 3), group=[3, 3])
    with pytest.raises(ValueError, match="sum to 2"):
        loss(torch.zeros(3), torch.zeros(3), group=[2])
    with pytest.raises(ValueError, match="is nan"):
        loss(torch.tensor([0.0, float("nan")]), torch.tensor([0.0, 1.0]), group=[2])
    with pytest.raises(ValueError, match="is inf"):
        loss(torch.tensor([0.0, float("inf")]), torch.tensor([0.0, 1.0]), group=[2])
    with pytest.raises(ValueError, match="label"):
        loss(torch.zeros(2), torch.tensor([0.0, 5000.0]), group=[2])
    with pytest.raises(ValueError, match="map"):
        dorm.torch.RankingLoss("map")(torch.zeros(2), torch.tensor([0.0, 1.0]), group=[2])
    with pytest.raises(ValueError, match="mask has shape"):
        loss(torch.zeros(2, 3), torch.zeros(2, 3), mask=torch.ones(2, 2, dtype=torch.bool))
