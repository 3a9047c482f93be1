"""Plots, by what is on their axes."""

import builtins
import importlib
import sys

import numpy as np
import pytest

import dorm

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import dorm.plot  # noqa: E402


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def texts(ax):
    return [t.get_text() for t in ax.texts]


def overlaps(ax):
    """Pairs of texts of the axes that cover each other when drawn."""
    renderer = ax.figure.canvas.get_renderer()
    ax.figure.draw(renderer)
    boxes = [t.get_window_extent(renderer) for t in ax.texts]
    return [(i, j) for j in range(len(boxes)) for i in range(j) if boxes[i].overlaps(boxes[j])]


@pytest.fixture(scope="module")
def evaluations(data, ranker):
    X, y, qid = data
    return [dorm.evaluate(y, s, qid=qid, measures=["ndcg@10", "mrr"]) for s in (ranker.predict(X), X[:, 0])]


def test_convergence_draws_the_history_between_its_bounds(ranker):
    ax = dorm.plot.convergence(ranker)
    lines = {line.get_label(): line for line in ax.lines}
    for name in ("primal", "dual"):
        assert list(lines[name].get_xdata()) == [h["pass"] for h in ranker.report_.history]
        assert list(lines[name].get_ydata()) == [h[name] for h in ranker.report_.history]
    assert sorted(texts(ax)) == ["dual", "primal"] and not overlaps(ax)
    assert ax.get_title(loc="left").startswith("converged, relative gap")
    assert len(ax.collections) == 1  # the band
    ax.figure.canvas.draw()
    assert all(tick == int(tick) for tick in ax.get_xticks())


def test_convergence_takes_a_report_too(ranker):
    assert len(dorm.plot.convergence(ranker.report_).lines) == 2


def test_convergence_of_a_loaded_model_says_what_is_missing(ranker, tmp_path):
    ranker.save(tmp_path / "m.json")
    with pytest.raises(ValueError, match="fit it first"):
        dorm.plot.convergence(dorm.DormRanker.load(tmp_path / "m.json"))


def test_measure_by_cutoff_draws_means_and_intervals(data, ranker):
    X, y, qid = data
    scores = {"mine": ranker.predict(X), "first": X[:, 0]}
    ax = dorm.plot.measure_by_cutoff(y, scores, qid, cutoffs=[1, 3, 5])
    assert sorted(texts(ax)) == ["first", "mine"] and ax.get_ylabel() == "NDCG@n"
    for line, band, values in zip(ax.lines, ax.collections, scores.values()):
        table = dorm.evaluate(y, values, qid=qid, measures=["ndcg@1", "ndcg@3", "ndcg@5"])
        assert np.allclose(line.get_ydata(), [m.mean for m in table])
        corners = band.get_paths()[0].vertices
        for n, m in zip((1, 3, 5), table):
            at = corners[corners[:, 0] == n, 1]
            assert at.min() == pytest.approx(m.low) and at.max() == pytest.approx(m.high)


def test_labels_of_lines_that_end_together_do_not_overlap(data):
    X, y, qid = data
    ax = dorm.plot.measure_by_cutoff(y, {f"ranker {k}": X[:, 0] for k in range(5)}, qid)
    assert len(texts(ax)) == 5 and not overlaps(ax)


def test_measure_by_cutoff_takes_group_sizes_and_other_measures(data):
    X, y, qid = data
    sizes = np.unique(qid, return_counts=True)[1]
    ax = dorm.plot.measure_by_cutoff(y, {"first": X[:, 0]}, group=sizes, measure="precision", cutoffs=range(1, 31))
    expected = dorm.evaluate(y, X[:, 0], qid=qid, measures="precision@30").measures[0].mean
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(expected)
    assert ax.get_ylabel() == "Precision@n" and len(ax.get_xticks()) <= 10


@pytest.mark.parametrize("scores", [[1.0, 2.0], {}])
def test_measure_by_cutoff_wants_names(data, scores):
    with pytest.raises(ValueError, match="map names to scores"):
        dorm.plot.measure_by_cutoff(data[1], scores, data[2])


def test_measure_by_cutoff_refuses_more_lines_than_colours(data):
    X, y, qid = data
    with pytest.raises(ValueError, match="at most 7"):
        dorm.plot.measure_by_cutoff(y, {str(k): X[:, 0] for k in range(8)}, qid)


def test_feature_weights_are_sorted_by_size_and_coloured_by_sign(data):
    X, y, qid = data
    names = [f"f{j}" for j in range(X.shape[1])]
    ranker = dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid, feature_names=names)
    ax = dorm.plot.feature_weights(ranker, top=4)
    widths = [bar.get_width() for bar in ax.patches]
    largest = sorted(ranker.coef_, key=abs, reverse=True)[:4]
    assert widths == pytest.approx(largest)
    assert [t.get_text() for t in ax.get_yticklabels()] == [names[list(ranker.coef_).index(w)] for w in largest]
    colours = {matplotlib.colors.to_hex(bar.get_facecolor()).upper() for bar in ax.patches if bar.get_width() < 0}
    assert colours <= {"#D55E00"}
    assert ax.get_title(loc="left") == "the 4 largest of 7 weights"


def test_feature_weights_without_names_number_the_columns(ranker):
    ax = dorm.plot.feature_weights(ranker)
    assert ax.get_yticklabels()[0].get_text() == f"column {np.abs(ranker.coef_).argmax()}"
    assert len(ax.patches) == 7 and ax.get_title(loc="left") == ""
    with pytest.raises(ValueError, match="at least 1"):
        dorm.plot.feature_weights(ranker, top=0)


def test_query_differences_are_sorted_and_counted(evaluations):
    a, b = evaluations
    ax = dorm.plot.query_differences(a, b, measure="mrr", names=("mine", "first"))
    tested = dorm.compare(a, b, measure="mrr")
    heights = [bar.get_height() for bar in ax.patches[: tested.queries]]
    assert heights == sorted(heights, reverse=True)
    assert np.mean(heights) == pytest.approx(tested.mean_difference)
    assert sum(h > 0 for h in heights) == tested.wins
    said = ax.get_xlabel()  # below the axes, where no bar can be
    assert f"mine better: {tested.wins}" in said and f"first better: {tested.losses}" in said
    assert f"equal: {tested.ties}" in said and texts(ax) == [f"mean {tested.mean_difference:+.4f}"]
    assert ax.get_ylabel() == "mrr: mine - first" and not overlaps(ax)


def test_query_differences_of_several_measures_ask_which(evaluations):
    with pytest.raises(ValueError, match="which measure"):
        dorm.plot.query_differences(*evaluations)


QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}, "q3": {"e": 1}}
RUNS = {
    "mine": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 2.0, "d": 1.0}},
    "other": {"q1": {"b": 3.0, "a": 2.0}, "q2": {"d": 2.0}, "q3": {"e": 1.0}},
}


def test_precision_at_levels_of_recall_is_that_of_hand():
    """Mine: q1 has precision 1 up to recall 1/2 and 2/3 beyond, q2 1/2 throughout, q3 is not in the run."""
    ax = dorm.plot.precision_recall(QRELS, RUNS)
    mine, other = ax.lines
    assert mine.get_ydata()[0] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert mine.get_ydata()[10] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert other.get_ydata()[0] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert [line.get_label() for line in ax.lines] == ["mine", "other"] and ax.get_title(loc="left") == "3 queries"
    each = dorm.plot.precision_recall(QRELS, {"mine": RUNS["mine"]}, per_query=True).lines
    assert len(each) == 4 and each[0].get_ydata()[10] == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="names to runs"):
        dorm.plot.precision_recall(QRELS, {})


def test_groups_of_queries_have_their_own_means():
    table = dorm.compare_runs(QRELS, RUNS, ["RR", "P@1"])
    ax = dorm.plot.by_group(table, {"q1": "short", "q2": "long", "q3": "long"}, measure="RR")
    points = {line.get_label(): line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"}
    assert points["mine"] == pytest.approx((1 / 2 + 0) / 2)  # of the first group, long
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["long (2)", "short (1)"]
    with pytest.raises(ValueError, match="which measure"):
        dorm.plot.by_group(table, {"q1": "short"})
    with pytest.raises(ValueError, match="none of the queries, such as 'q1'"):
        dorm.plot.by_group(table, {1: "short"}, measure="RR")


def test_every_plot_draws_on_the_axes_it_is_given(data, ranker, evaluations):
    X, y, qid = data
    figure, axes = plt.subplots(1, 4)
    assert dorm.plot.convergence(ranker, ax=axes[0]) is axes[0]
    assert dorm.plot.measure_by_cutoff(y, {"first": X[:, 0]}, qid, ax=axes[1]) is axes[1]
    assert dorm.plot.feature_weights(ranker, ax=axes[2]) is axes[2]
    assert dorm.plot.query_differences(*evaluations, measure="mrr", ax=axes[3]) is axes[3]
    assert plt.get_fignums() == [figure.number]


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, "dorm.plot")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install matplotlib"):
        importlib.import_module("dorm.plot")
