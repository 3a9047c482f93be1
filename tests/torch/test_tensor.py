"""The loss by tensor operations against the core's, on the CPU and, where there is one, on a GPU."""

import numpy as np
import pytest
import torch

from dorm.torch import RankingLoss

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
MEASURES = ["ndcg@10", "ndcg@3", "ndcg", "dcg@5", "precision@4", "relative-precision@3", "rbp"]


def lists(seed, queries=60, longest=40, ties=False, shortest=0):
    """Labels and scores of queries of many sizes, one of them of one document, one without relevant documents; where
    they are not much shorter than the longest, packed lists are sorted as padded ones."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(max(1, shortest), longest + 1, queries)
    if not shortest:
        sizes[0], sizes[1] = 1, 7
        sizes[2:] = np.where(np.arange(2, queries) == 2, longest, np.minimum(sizes[2:], 12))
    labels = rng.integers(0, 5, sizes.sum())
    labels[1:8] = 0
    scores = rng.normal(size=sizes.sum())
    if ties:
        scores = np.round(scores)
    return sizes, torch.tensor(labels, dtype=torch.float32), torch.tensor(scores)


def padded(sizes, values):
    mask = torch.arange(int(sizes.max()))[None] < torch.tensor(sizes)[:, None]
    out = torch.full(mask.shape, 99.0, dtype=values.dtype)  # what is not there must not matter
    out[mask] = values
    return out, mask


def gradient(loss, scores, labels, device, **queries):
    leaf = scores.to(device).clone().requires_grad_()
    value = loss(leaf, labels.to(device), **queries)
    value.backward()
    return float(value.detach()), leaf.grad.cpu()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("reference", ["best", "predicted"])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_gradient_is_the_core_s(measure, reference, device):
    for seed, margin, ties, alike in ((1, 1.0, False, 0), (2, 0.3, False, 30), (3, 1.0, True, 0), (4, 1.0, False, 40)):
        sizes, labels, scores = lists(seed, ties=ties, shortest=alike)
        made = {
            name: RankingLoss(measure, reference, decay="measure", margin=margin, ranking=name).eval()
            for name in ("core", "tensor")
        }
        value, slope = gradient(made["core"], scores, labels, "cpu", group=sizes)
        flat_value, flat_slope = gradient(made["tensor"], scores, labels, device, group=sizes)
        assert flat_value == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(flat_slope, slope, rtol=0, atol=1e-12)
        (wide, mask), (grades, _) = padded(sizes, scores), padded(sizes, labels)
        padded_value, padded_slope = gradient(made["tensor"], wide, grades, device, mask=mask.to(device))
        assert padded_value == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(padded_slope[mask], slope, rtol=0, atol=1e-12)
        assert not padded_slope[~mask].any()


@pytest.mark.parametrize("device", DEVICES)
def test_float32_scores_and_ids_in_any_order(device):
    sizes, labels, scores = lists(5)
    ids = np.repeat(np.arange(len(sizes)), sizes)
    order = np.random.default_rng(1).permutation(len(ids))
    core, tensor = (RankingLoss(decay="measure", ranking=name).eval() for name in ("core", "tensor"))
    scores, labels, ids = scores[order].float(), labels[order], ids[order]
    value, slope = gradient(core, scores, labels, "cpu", qid=ids)
    other_value, other_slope = gradient(tensor, scores, labels, device, qid=ids)
    assert other_value == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(other_slope, slope, rtol=0, atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_noise_follows_from_the_seed(device):
    sizes, labels, scores = lists(6)

    def slopes(seed, calls=2):
        loss = RankingLoss(decay="measure", sigma=0.5, random_state=seed, ranking="tensor")
        return [gradient(loss, scores, labels, device, group=sizes)[1] for _ in range(calls)]

    first, again, other = slopes(1), slopes(1), slopes(2)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[0], other[0])


def test_where_a_sort_is_enough():
    def found(*arguments, **options):
        return RankingLoss(*arguments, **options)._sorted is not None

    assert found("ndcg") and not found("ndcg@10")  # the decay of `best` is the discount without a cutoff
    assert found("ndcg@10", "predicted") and found("ndcg@10", decay="measure")
    assert not found("mrr", decay="measure") and not found("wta", decay="measure")
    assert not found("ndcg@10", decay="measure", ranking="core")
    with pytest.raises(ValueError, match="is no sort"):
        RankingLoss("ndcg@10", ranking="tensor")
    with pytest.raises(ValueError, match='expected "auto", "core" or "tensor"'):
        RankingLoss(ranking="gpu")


def test_nothing_to_learn():
    loss = RankingLoss(decay="measure", ranking="tensor").eval()
    value, slope = gradient(loss, torch.zeros(4), torch.zeros(4), "cpu", group=[2, 2])
    assert value == 0 and not slope.any()
