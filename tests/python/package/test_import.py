# SPDX-License-Identifier: Apache-2.0
"""`import dorm` is quick: what is not used yet is not imported yet."""

import subprocess
import sys

import dorm

HEAVY = ("sklearn", "scipy", "pandas", "polars", "pyarrow", "matplotlib", "joblib", "torch")


def imported(code):
    program = f"import sys\n{code}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_import_imports_nothing_heavy():
    assert imported("import dorm; dir(dorm); dorm.__version__") == []


def test_data_and_evaluation_need_no_scikit_learn():
    code = (
        "import dorm, numpy as np\n"
        "data = dorm.synth(queries=5, features=3, n_jobs=1)\n"
        "dorm.evaluate(data.y, np.ascontiguousarray(data.X[:, 0]), qid=data.qid, n_jobs=1, measures='P@5')['P@5']"
    )
    assert imported(code) == []


def test_every_name_can_be_had_in_any_order():
    assert set(dorm.__all__) <= set(dir(dorm))
    for name in dorm.__all__:
        assert getattr(dorm, name) is not None
    homes = {name for names in dorm._MODULES.values() for name in names}
    assert homes == set(dorm.__all__) - {"__version__"}
    assert not homes & set(dorm._MODULES)  # a module of that name would hide the function
    assert dorm.boosting.Objective is dorm.results.Objective


def test_what_is_not_there_is_an_attribute_error():
    assert not hasattr(dorm, "nonsense")
