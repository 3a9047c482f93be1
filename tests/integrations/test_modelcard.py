# SPDX-License-Identifier: Apache-2.0
"""Folders of `dorm export --to modelcard` read by Hugging Face's own loader, offline."""

import numpy as np
import pytest
from conftest import SCALES
from yaml_names import ODD, random_names

import dorm

hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")


def card_of(ranker, folder, **options):
    ranker.export("modelcard", folder, **options)
    return hub.ModelCard.load(folder / "README.md", ignore_metadata_errors=False)


@pytest.mark.parametrize("scale", SCALES)
def test_what_a_hub_reads(data, fitted, scale, tmp_path):
    X, _, qid = data
    card = card_of(fitted[scale], tmp_path)
    assert card.data.library_name == "dorm" and card.data.metrics == ["ndcg@10"]
    assert "learning-to-rank" in card.data.tags and card.data.eval_results is None
    assert ("qid=qid" in card.text) == fitted[scale].model_.scaled_per_query
    again = dorm.DormRanker.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X, qid=qid), fitted[scale].predict(X, qid=qid))


def test_a_validated_figure(data, tmp_path):
    X, y, qid = data
    train = qid <= 30
    ranker = dorm.DormRanker("P@5", C=10, n_jobs=1)
    ranker.fit(X[train], y[train], qid=qid[train], eval_set=(X[~train], y[~train]), eval_qid=qid[~train])
    (result,) = card_of(ranker, tmp_path / "one", name='my "shop": ranker').data.eval_results
    assert result.metric_type == ranker.model_.measure and result.metric_value == ranker.report_.validation
    assert result.dataset_name == "validation data" and result.task_type == "learning-to-rank"
    card = hub.ModelCard.load(tmp_path / "one" / "README.md")
    assert card.data.model_name == 'my "shop": ranker'
    tuned = dorm.tune(X, y, qid=qid, folds=3, grid={"C": [1, 10]}, n_jobs=1).ranker
    (result,) = card_of(tuned, tmp_path / "two").data.eval_results
    assert result.dataset_name == "3 folds over the queries of the training data"
    assert result.metric_value == tuned.model_.validation


@pytest.mark.parametrize("names", [ODD, random_names(60, 1)])
def test_odd_names_and_measures(names, tmp_path):
    rng = np.random.default_rng(1)
    X, qid = rng.normal(size=(60, len(names))).astype(np.float32), np.repeat(np.arange(6), 10)
    y = (X[:, 0] > 0).astype(float)
    ranker = dorm.DormRanker(C=10, scale="zscore", n_jobs=1)
    ranker.fit(X, y, qid=qid, feature_names=names, eval_set=(X, y), eval_qid=qid)
    for number, name in enumerate(names):
        card = card_of(ranker, tmp_path / str(number), name=name)
        assert card.data.model_name == name
        assert card.data.eval_results[0].metric_value == ranker.report_.validation
        rows = card.text.split("## Features", 1)[1].split("---:|\n")[1].rstrip("\n").split("\n")
        assert len(rows) == min(50, len(names)) and all(row[:2] == "| " and row[-2:] == " |" for row in rows)


def test_a_kernel_has_no_weights(data, tmp_path):
    X, y, qid = data
    ranker = dorm.DormRanker(
        C=10, kernel="rbf:gamma=0.1", solver_options={"approximation": "nystroem:20"}, scale="zscore", n_jobs=1
    )
    card = card_of(ranker.fit(X, y, qid=qid), tmp_path)
    assert "rbf" in card.text and "weight" not in card.text


def test_a_hub_takes_it_back(fitted, tmp_path):
    """Saved by their library, the card says the same."""
    card = card_of(fitted["zscore"], tmp_path)
    card.save(tmp_path / "again.md")
    assert hub.ModelCard.load(tmp_path / "again.md").data.to_dict() == card.data.to_dict()
