"""The contract of all estimators: names of arguments, documented parameters, one end of a fit."""

import ast
import inspect
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import dorm
from dorm._options import SOLVER_OPTIONS, memory_bytes, train_options

ENTRY = re.compile(r"^(\w+) : .*?(?:, default=(.+))?$", re.MULTILINE)
FIT_OF_ROWS = {"X", "y", "qid", "sample_weight", "eval_set", "eval_qid", "feature_names", "callbacks", "progress"}
FIT_OF_RATINGS_AND_GRAPHS = {"X", "y", "callbacks", "progress"}
RANKERS = (dorm.DormRanker, dorm.PositionRanker, dorm.TopicRanker)


def distributed(name):
    """An estimator of a library that may be absent."""
    module, estimator = name.split(".")
    return getattr(pytest.importorskip(f"dorm.{module}", exc_type=ImportError), estimator)


def names_of_fit(estimator):
    return set(inspect.signature(estimator.fit).parameters) - {"self"}


def documented(text):
    """name -> default of the entries of a numpydoc section, None where it has none."""
    return dict(ENTRY.findall(inspect.cleandoc(text)))


@pytest.mark.parametrize("estimator", RANKERS)
def test_rankers_of_one_machine_fit_with_the_same_names(estimator):
    assert names_of_fit(estimator) >= FIT_OF_ROWS | {"group", "eval_group"}


def test_the_ranker_of_dask_fits_with_the_same_names():
    assert names_of_fit(distributed("dask.DaskDormRanker")) == FIT_OF_ROWS


def test_the_ranker_of_spark_fits_with_the_same_names():
    assert names_of_fit(distributed("spark.SparkDormRanker")) >= {"X", "y", "qid", "sample_weight", "eval_set"}


def test_recommenders_and_matchers_fit_with_the_same_names():
    factorization, joint, matcher = (
        dorm.recommend.DormFactorization,
        dorm.recommend.JointRanker,
        dorm.matching.GraphMatcher,
    )
    for estimator in (factorization, joint, matcher):
        assert names_of_fit(estimator) >= FIT_OF_RATINGS_AND_GRAPHS
    assert "eval_set" in names_of_fit(factorization) & names_of_fit(matcher) & set(
        inspect.signature(dorm.tune).parameters
    )


def test_the_ranker_has_at_most_23_parameters():
    assert len(dorm.DormRanker().get_params()) <= 23


@pytest.mark.parametrize("estimator", RANKERS)
def test_every_parameter_is_documented_with_its_type_and_default(estimator):
    section = inspect.cleandoc(estimator.__doc__).split("Parameters\n---")[1].split("Attributes\n---")[0]
    entries = documented(section)
    defaults = {
        name: p.default for name, p in inspect.signature(estimator.__init__).parameters.items() if name != "self"
    }
    assert set(entries) == set(defaults)
    for name, default in defaults.items():
        assert ast.literal_eval(entries[name]) == default, name


def test_every_solver_option_is_documented_with_its_default():
    for name, default in SOLVER_OPTIONS.items():
        found = re.search(rf"``{name}`` : .*?, default=(.+?);", dorm.DormRanker.__doc__)
        assert found and ast.literal_eval(found[1]) == default, name


def test_the_defaults_of_solver_options_are_those_of_the_core():
    plain, spelled = dorm.DormRanker(), dorm.DormRanker(solver_options=SOLVER_OPTIONS)
    for name in set(SOLVER_OPTIONS) & set(dir(train_options(plain))):
        assert getattr(train_options(plain), name) == getattr(train_options(spelled), name), name


def test_solver_options_reach_the_core():
    options = train_options(dorm.DormRanker(solver_options={"max_passes": 7, "planes_per_block": 9, "time_limit": 3}))
    assert (options.max_passes, options.planes_per_block, options.seconds) == (7, 9, 3.0)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"max_pases": 3}, "has no 'max_pases'; did you mean 'max_passes'?"),
        ({"timelimit": 3}, "did you mean 'time_limit'?"),
        ({"tolerance": 3}, "holds 'tolerance', which is a parameter; pass tolerance="),
        ({"max_passes": "many"}, "max_passes is 'many'; expected a whole number"),
        (["max_passes"], "solver_options is a list; expected a dict"),
    ],
)
def test_wrong_solver_options_are_corrected(data, given, message):
    X, y, qid = data
    with pytest.raises(ValueError, match=re.escape(message)):
        dorm.DormRanker(solver_options=given).fit(X, y, qid=qid)


def test_slates_refuse_the_solver_options_of_kernels(data):
    X, y, qid = data
    with pytest.raises(ValueError, match="has no 'approximation'"):
        dorm.PositionRanker(solver_options={"approximation": "none"}).fit(
            X, y, qid=qid, gains={k: [k] for k in range(5)}
        )


def test_memory_is_a_number_of_bytes_or_text():
    assert [memory_bytes(m) for m in (4096, "500MB", "4 GB", "1.5k")] == [4096, 500_000_000, 4_000_000_000, 1500]
    assert memory_bytes(None) == 0
    for wrong in ("4 cows", 0, -1, True, float("nan")):
        with pytest.raises(ValueError, match="expected a number of bytes"):
            memory_bytes(wrong)


def test_a_limit_on_the_memory_changes_no_model(data):
    X, y, qid = data
    free = dorm.DormRanker(C=10, n_jobs=1).fit(X, y, qid=qid)
    assert free.report_.status == "converged"
    limited = dorm.DormRanker(C=10, n_jobs=1, memory="1GB").fit(X, y, qid=qid)
    np.testing.assert_array_equal(free.coef_, limited.coef_)


@pytest.mark.parametrize("form", ["ranker", "path", "model"])
def test_initial_is_a_model_in_any_form(data, ranker, tmp_path, form):
    X, y, qid = data
    ranker.save(tmp_path / "m.json")
    initial = {"ranker": ranker, "path": str(tmp_path / "m.json"), "model": ranker.model_}[form]
    warm = dorm.DormRanker(C=20, n_jobs=1, bound="best", initial=initial)
    assert clone(warm).fit(X, y, qid=qid).report_.chosen.start == "model"


def test_initial_is_the_name_of_a_method(data):
    X, y, qid = data
    fitted = dorm.DormRanker(C=10, n_jobs=1, bound="best", initial="pairwise").fit(X, y, qid=qid)
    assert fitted.report_.chosen.start == "pairwise"
    with pytest.raises(ValueError, match="initial is 'rigde'; expected one of 'auto', 'ridge'"):
        dorm.DormRanker(initial="rigde").fit(X, y, qid=qid)


def test_warnings_of_a_fit_point_to_its_caller(data):
    X, y, qid = data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dorm.DormRanker(n_jobs=1, solver_options={"max_passes": 1}).fit(X, y, qid=qid)
    assert [w.filename for w in caught if "max_passes" in str(w.message)] == [__file__]


def test_a_blend_passes_the_queries_on(data):
    X, y, qid = data
    ranker = dorm.DormRanker(C=10, n_jobs=1, scale="query-minmax").fit(X, y, qid=qid)
    blend = dorm.Blend([ranker, lambda rows: np.asarray(rows)[:, 0]], X, qid=qid)
    own, column = ranker.predict(X, qid=qid), X[:, 0].astype(float)
    expected = own / np.std(own) + column / np.std(column)
    np.testing.assert_allclose(blend.predict(X, qid=qid), expected)
    whole = dorm.RankingData(X, y, qid)
    np.testing.assert_allclose(dorm.Blend(blend.models, whole).predict(whole), expected)
    with pytest.raises(ValueError, match="pass qid= or group="):
        blend.predict(X)
