# SPDX-License-Identifier: Apache-2.0
"""Comparisons, experiments, checkpoints, files and the server from Python, each beside the command."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import urllib.request

import numpy as np
import pytest

import dorm

COMMAND = os.environ.get("DORM_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="DORM_COMMAND names no command to compare with")
TIMED = ("seconds", "tuning_seconds", "train_seconds")


def run(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def untimed(text):
    """A table without the columns of seconds."""
    rows = list(csv.DictReader(io.StringIO(text)))
    return [{name: value for name, value in row.items() if "second" not in name} for row in rows]


@pytest.fixture(scope="module")
def data():
    return dorm.synth(queries=45, features=5, documents_median=9, seed=4)


@pytest.fixture(scope="module")
def path(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "data.txt"
    data.save(path)
    return path


@pytest.fixture(scope="module")
def stars():
    rng = np.random.default_rng(3)
    users, items = np.divmod(rng.permutation(24 * 30)[:600], 30)
    return users, items, 1 + (users * 2 + items * 3 + rng.integers(0, 2, 600)) % 5


@pytest.fixture(scope="module")
def compared(path):
    return dorm.compare_methods(
        dorm.read_letor(path), methods=["ridge", "dorm:ndcg@10"], measures=["ndcg@10", "mrr"], C=[1, 10], folds=3
    )


def test_a_comparison_is_objects_frames_and_pages(compared, tmp_path):
    assert [row.method for row in compared.rows] == ["ridge", "dorm:ndcg@10", "random", "ideal"]
    assert compared.splits == 3 and compared.test_queries == 45
    ideal = compared["ideal"]["ndcg@10"]
    assert ideal.mean == 1 and len(ideal.per_query) == 45
    assert compared.best.method in ("ridge", "dorm:ndcg@10")
    figures = [compared[name]["mrr"] for name in ("ridge", "dorm:ndcg@10")]
    reference, other = sorted(figures, key=lambda figure: not figure.reference)
    assert reference.mean >= other.mean and np.isnan(reference.p_holm) and 0 < other.p_holm <= 1
    assert other.difference == pytest.approx(np.nanmean(other.per_query - reference.per_query), abs=1e-12)
    frame = compared.to_frame()
    assert len(frame) == 8 and set(frame["measure"]) == {"ndcg@10", "mrr"}
    page = compared.report(tmp_path / "page.html")
    assert "Linear rankers compared" in page.read_text()
    assert "ridge" in str(compared) and "<table>" in compared._repr_html_()


@needs_command
def test_the_command_compares_alike(compared, path, tmp_path):
    words = ["--methods", "ridge,dorm:ndcg@10", "--measures", "ndcg@10,mrr", "--folds", 3, "-C", "1,10"]
    run("compare", path, *words, "--out", tmp_path, "--quiet")
    assert untimed((tmp_path / "table.csv").read_text()) == untimed(compared.to_csv())


@needs_command
def test_test_data_and_outside_scores(path, tmp_path):
    data, test = dorm.read_letor(path), dorm.synth(queries=12, features=5, documents_median=9, seed=5)
    test.save(tmp_path / "test.txt")
    test = dorm.read_letor(tmp_path / "test.txt")
    scores = np.asarray(test.X)[:, 0].astype(float)
    (tmp_path / "s.txt").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    ours = dorm.compare_methods(
        data, test=test, methods="ridge", outside={"theirs": scores}, measures="ndcg@5", C=[1], curve=False
    )
    method = f"scores:{tmp_path / 's.txt'}"
    words = ["--test", tmp_path / "test.txt", "--methods", f"ridge,{method}", "--measures", "ndcg@5", "-C", "1"]
    run("compare", path, *words, "--no-curve", "--out", tmp_path / "out", "--quiet")
    theirs = untimed((tmp_path / "out/table.csv").read_text().replace(method, "theirs"))
    assert theirs == untimed(ours.to_csv())
    judged = dorm.evaluate(test.y, scores, qid=test.qid, measures="ndcg@5", bootstrap=0)
    assert ours["theirs"]["ndcg@5"].mean == pytest.approx(judged.measures[0].mean, abs=1e-12)
    with pytest.raises(ValueError, match="pass test="):
        dorm.compare_methods(data, outside={"theirs": scores})


@needs_command
def test_recommenders_are_compared_alike(stars, tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("".join(f"{u}\t{i}\t{r}\n" for u, i, r in zip(*stars)))
    methods = ["item-mean", "squared:12", "joint:10", "mmmf:10"]
    ours = dorm.recommend.compare(path, methods=methods, given=5, splits=2, rank=2, measures="ndcg@10")
    words = ["--methods", ",".join(methods), "--split", "given:5", "--splits", 2, "--rank", 2, "--measures", "ndcg@10"]
    run("recommend", "compare", path, *words, "--out", tmp_path / "out", "--quiet")
    assert untimed((tmp_path / "out/table.csv").read_text()) == untimed(ours.to_csv())
    page = (tmp_path / "out/report.html").read_text()
    assert "Recommenders compared" in page and "Chosen by held-out training ratings" in page
    assert ours["ideal"]["ndcg@10"].mean == 1 and ours.splits == 2
    assert len(ours["joint:10"]["ndcg@10"].per_query) == ours.test_queries
    with pytest.raises(ValueError, match='unknown method "svd"'):
        dorm.recommend.compare(path, methods="svd")
    with pytest.raises(ValueError, match="is a row of every table"):
        dorm.recommend.compare(path, methods="random")


def test_what_is_done_is_found_again(stars, tmp_path):
    seen = []
    keywords = {"methods": ["item-mean", "squared"], "given": 5, "rank": 2, "measures": "ndcg@10", "out": tmp_path}
    first = dorm.recommend.compare(stars, **keywords)
    again = dorm.recommend.compare(stars, **keywords, progress=lambda told: seen.append(told))
    assert untimed(first.to_csv()) == untimed(again.to_csv()) and not seen
    assert first["squared"]["ndcg@10"].chosen[0].startswith("squared:")
    assert first["squared"]["ndcg@10"].candidates == 4


def test_rankers_side_by_side(data):
    judged = {f"column {j}": dorm.evaluate(data.y, data.X[:, j], qid=data.qid, measures=["ndcg@10"]) for j in range(3)}
    table = dorm.compare_rankers(judged, against="column 1")
    plain = dorm.compare(judged["column 0"], judged["column 1"], measure="ndcg@10")
    assert table.tests["column 0"]["ndcg@10"].mean_difference == plain.mean_difference
    raw = sorted(table.tests[name]["ndcg@10"].p_permutation for name in ("column 0", "column 2"))
    holm = sorted([min(1, 2 * raw[0]), max(min(1, 2 * raw[0]), raw[1])])
    assert sorted(table.p_corrected[name]["ndcg@10"] for name in table.p_corrected) == pytest.approx(holm)
    assert len(table.to_frame()) == 3 and "column 2" in str(table)
    page = table.report().html()
    assert "column 2" in page and f"{judged['column 0'].measures[0].mean:.4f}" in page
    with pytest.raises(ValueError, match="none of"):
        dorm.compare_rankers(judged, against="other")


def test_a_factorization_has_a_page(stars, tmp_path):
    import pickle

    recommender = dorm.recommend.DormFactorization(rank=2, fixed=True).fit(stars)
    page = recommender.report(tmp_path / "f.html", (stars[0][:50], stars[1][:50], stars[2][:50])).read_text()
    assert "</html>" in page and "held-out ratings" in page
    with pytest.raises(ValueError, match="does not know how it was trained"):
        pickle.loads(pickle.dumps(recommender)).report()


@pytest.fixture(scope="module")
def mq2008(tmp_path_factory):
    """Generated data in the place of MQ2008: for the machinery, not the figures."""
    folder = tmp_path_factory.mktemp("experiment")
    (folder / "mq2008").mkdir()
    made = dorm.synth(queries=40, features=46, documents_median=6, seed=3)
    made.save(folder / "all.txt")
    lines = (folder / "all.txt").read_text().splitlines(keepends=True)
    for part in range(5):
        with gzip.open(folder / "mq2008" / f"S{part + 1}.txt.gz", "wt") as out:
            out.writelines(line for line in lines if int(line.split()[1][4:]) % 5 == part)
    return folder


@needs_command
def test_an_experiment_is_that_of_the_command(mq2008, tmp_path):
    result = dorm.lab.run_experiment("solver-table", mq2008)
    run("lab", "experiment", "solver-table", "--data-dir", mq2008, "--out", tmp_path, "--quiet")
    table = (tmp_path / "solver-table.csv").read_text()
    shape = lambda text: [re.sub(r"\d+(\.\d+)?", "#", line) for line in text.splitlines()]  # noqa: E731
    assert shape(result.to_csv()) == shape(table)
    assert result.name == "solver-table" and result.tables[0].to_frame().shape[0] == len(result.tables[0].rows)
    assert result.report(tmp_path / "own.html").read_text().count("<table") >= 1


def test_files_that_an_experiment_lacks(tmp_path):
    missing = dorm.lab.experiment_files("uci-table", tmp_path)
    assert missing and {"set", "path", "published", "url", "sha256"} == set(missing[0])
    with pytest.raises(OSError):
        dorm.lab.run_experiment("uci-table", tmp_path)
    with pytest.raises(ValueError, match="unknown experiment"):
        dorm.lab.run_experiment("no-table", tmp_path)


def test_a_checkpoint_goes_on_to_the_same_weights(data, tmp_path):
    parameters = {"C": 1000, "tolerance": 1e-6, "n_jobs": 1}
    whole = dorm.DormRanker(**parameters).fit(data)
    place = tmp_path / "run.ck"
    stopped = dorm.DormRanker(**parameters, solver_options={"checkpoint": place}).fit(
        data, callbacks=lambda state: state["pass"] >= 3
    )
    assert stopped.report_.certificate.status == "interrupted" and place.exists()
    resumed = dorm.DormRanker(**parameters, solver_options={"checkpoint": place}).fit(data)
    assert (resumed.coef_ == whole.coef_).all() and not place.exists()


@needs_command
@pytest.mark.parametrize("method", ["ridge", "ranksvm", "pairwise", "feature:2"])
def test_baselines_are_those_of_the_command(path, tmp_path, method):
    run("train", path, "--method", method, "-C", 10, "--model", tmp_path / "m.json", "--quiet")
    ranker = dorm.train_baseline(method, dorm.read_letor(path), C=10)
    assert (ranker.model_.weights == np.array(json.loads((tmp_path / "m.json").read_text())["weights"])).all()


@needs_command
@pytest.mark.parametrize("name", ["out.dorm", "out.csv", "out.txt", "out.tsv.gz"])
def test_files_are_written_as_the_command_converts_them(path, tmp_path, name):
    run("convert", path, tmp_path / name)
    dorm.read_letor(path).save(tmp_path / f"own-{name}")
    read = gzip.decompress if name.endswith(".gz") else bytes
    assert read((tmp_path / f"own-{name}").read_bytes()) == read((tmp_path / name).read_bytes())


@needs_command
def test_a_file_is_described_as_by_the_command(path, tmp_path):
    told = json.loads(run("info", path, "--json"))
    ours = dorm.info(path)
    assert set(ours) <= set(told)
    for name, value in ours.items():
        assert told[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    dorm.DormRanker(C=10).fit(dorm.read_letor(path)).save(tmp_path / "m.json")
    assert dorm.info(tmp_path / "m.json")["C"] == 10
    assert isinstance(dorm.load_model(tmp_path / "m.json"), dorm.DormRanker)
    assert dorm.load_model(path) is None


def test_a_server_ranks_as_predict_does(data, tmp_path):
    from dorm import _core

    if not _core.can_serve():
        pytest.skip("this build has no server: simdjson was missing")
    ranker = dorm.DormRanker(C=10, scale="none").fit(data)
    ranker.save(tmp_path / "m.json")
    rows = np.asarray(data.X)[:4]
    documents = [{"id": str(k), "values": [float(value) for value in row]} for k, row in enumerate(rows)]
    with dorm.serve(web=tmp_path / "m.json", port=0) as server:
        body = json.dumps({"documents": documents}).encode()
        request = urllib.request.Request(f"{server.url}/v1/models/web/rank", body, {"Content-Type": "application/json"})
        told = json.load(urllib.request.urlopen(request))
        assert "running" in repr(server)
    assert "stopped" in repr(server)
    scores = {entry["id"]: entry["score"] for entry in told["ranking"]}
    np.testing.assert_allclose([scores[str(k)] for k in range(4)], ranker.predict(rows), rtol=1e-12)
    with pytest.raises(ValueError, match="at least one file"):
        dorm.serve()
