# SPDX-License-Identifier: Apache-2.0
"""Models of LightGBM, XGBoost and CatBoost, exported, in the engines: the scores are those of the library's predict."""

import json
from dataclasses import dataclass, field

import lightgbm as lgb
import numpy as np
import pytest
from cases import Case
from command import dorm
from comparison import Engine, Exported, export
from java_engines import by_java, by_solr
from portable_engines import by_compiler, by_onnxruntime, by_python, by_sqlite, each, given
from tree_models import LENGTH, lightgbm_model, world, xgboost_data, xgboost_model

ROWS = 3 * LENGTH  # that are scored, in three queries


@dataclass
class TreeCase(Case):
    """A model of another library as it stands; a missing value stays one."""

    source: bytes = b""
    expected: list = field(default_factory=list)

    def write(self, folder):
        super().write(folder)
        (folder / "model.json").write_bytes(self.source)

    def ranked(self, folder):
        done = dorm("rank", folder / "model.json", folder / "data.jsonl", "-q")
        return [float(line) for line in done.stdout.split()]


def lightgbm_case(made, names, X, boosting):
    booster = lightgbm_model(made, boosting, "regression")
    old = " ".join(booster.feature_name())
    text = booster.model_to_string().replace(f"feature_names={old}\n", f"feature_names={' '.join(names)}\n")
    return text.encode(), booster.predict(X, raw_score=True)


def xgboost_case(made, names, X, boosting):
    booster = xgboost_model(made, {"gbdt": "gbtree"}.get(boosting, boosting), "reg:squarederror")
    made.X = X
    expected = booster.predict(xgboost_data(made), output_margin=True)
    booster.feature_names = names
    return bytes(booster.save_raw("json")), expected.astype(float)


def catboost_case(made, names, X, boosting, folder):
    catboost = pytest.importorskip("catboost", reason="CatBoost is not in this environment (pip install catboost)")
    policy = {"gbdt": "SymmetricTree", "dart": "Lossguide"}[boosting]
    model = catboost.CatBoostRegressor(iterations=15, depth=4, grow_policy=policy, verbose=0, random_seed=1,
                                       thread_count=1, train_dir=str(folder))  # fmt: skip
    model.fit(catboost.Pool(made.X, made.y, feature_names=names))
    model.save_model(str(folder / "cat.json"), format="json")
    return (folder / "cat.json").read_bytes(), model.predict(X, prediction_type="RawFormulaVal")


def by_plugin(one):
    """model/xgboost+json of the learning-to-rank plugin: float32, a feature that a document lacks is 0."""
    body = json.loads(one.model.read_text())["model"]["model"]
    assert body["type"] == "model/xgboost+json"
    definition = body["definition"]
    trees = json.loads(definition) if isinstance(definition, str) else definition

    def leaf(node, document):
        while "leaf" not in node:
            low = np.float32(document.get(node["split"], 0)) < np.float32(node["split_condition"])
            chosen = node["yes"] if low else node["no"]
            (node,) = [child for child in node["children"] if child["nodeid"] == chosen]
        return np.float32(node["leaf"])

    return [float(sum(leaf(tree, document) for tree in trees)) for document in given(one)]


def by_lightgbm(one):
    return lgb.Booster(model_file=str(one.model)).predict(
        np.array([[np.nan if x is None else x for x in row] for row in one.case.rows]), raw_score=True
    )


MISSING = {"means": True}  # the engine gets what is missing as missing
ENGINES = {
    Engine("onnx", (), each(by_onnxruntime), single=True): MISSING,
    Engine("c", (), by_compiler("gcc", "-std=c99")): MISSING,
    Engine("python", (), each(by_python)): MISSING,
    Engine("sql", (), each(by_sqlite)): MISSING,
    Engine("lightgbm", (), each(by_lightgbm)): MISSING,
    Engine("pmml", (), by_java("pmml", "Pmml")): MISSING,
    Engine("ranklib", (), by_java("ranklib", "RankLib", filled=True), single=True, numbered=True, constant=False): {},
    Engine("solr", (), by_solr, single=True, declared=True, constant=False): {},
    Engine("elasticsearch", (), each(by_plugin), single=True, constant=False): {},
}
LIBRARIES = {"lightgbm": lightgbm_case, "xgboost": xgboost_case, "catboost": catboost_case}


def drawn(engine, missing, library, seed, folder):
    made = world(seed)
    if library == "catboost" or not missing:
        made.X, made.categories = np.nan_to_num(made.X) if not missing else made.X, []
    names = engine.feature_names(made.X.shape[1])
    X = made.X[:ROWS]
    more = [folder] if library == "catboost" else []
    source, expected = LIBRARIES[library](made, names, X, ["gbdt", "dart"][seed % 2], *more)
    rows = [[None if np.isnan(x) else float(x) for x in row] for row in X]
    queries = [rows[k : k + LENGTH] for k in range(0, ROWS, LENGTH)]
    return TreeCase("none", names, [], queries, source=source, expected=list(expected), means=missing.get("means", []))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_trees_score_as_in_their_library(engine, library, tmp_path):
    missing, exports, refused = ENGINES[engine], [], []
    for seed in range(12):
        case = drawn(engine, missing, library, 100 + seed, tmp_path)
        case.means, means = [], case.means  # no means in the data file: missing stays missing
        done = export(engine, case, tmp_path / str(seed))
        case.means = means
        if isinstance(done, Exported):
            exports.append(done)
        else:
            refused.append(done.stderr)
    assert all("categor" in said or "missing" in said for said in refused), refused
    assert len(exports) >= 3, refused
    off = 0.0
    for one, scores in zip(exports, engine.score(exports)):
        assert not isinstance(scores, str), scores
        scale = max(1.0, np.abs(one.case.expected).max())
        shift = scores[0] - one.case.expected[0] if engine.constant is False else 0.0
        off = max(off, np.abs(np.array(scores) - shift - one.case.expected).max() / scale)
    print(f"{engine} {library}: {len(exports)} models, largest relative difference {off:.1e}")
    assert off < (2e-5 if engine.single or library == "xgboost" else 1e-12)
