# SPDX-License-Identifier: Apache-2.0
"""`import dorm` is quick: what is not used yet is not imported yet."""

import subprocess
import sys
from pathlib import Path

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


def test_every_public_name_exists_in_one_place():
    assert len(dorm.__all__) <= 32
    for module in (dorm, dorm.clicks, dorm.data, dorm.lab, dorm.matching, dorm.recommend, dorm.results):
        assert set(module.__all__) <= set(dir(module))
        assert all(getattr(module, name) is not None for name in module.__all__)
    for package in (dorm, dorm.data, dorm.results):
        homes = [name for names in package._HOMES.values() for name in names]
        assert sorted(homes) == sorted(set(package.__all__) - {"__version__"})
    assert not set(dorm.__all__) & set(dorm._SUBMODULES)  # importing the module would hide the name
    assert not set(dorm.results.__all__) & set(dorm.__all__)


def test_no_folder_of_the_package_has_more_than_40_files():
    package = Path(__file__).resolve().parents[3] / "python" / "dorm"
    for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
        assert sum(path.is_file() for path in folder.iterdir()) <= 40, folder


def test_what_is_not_there_is_an_attribute_error():
    assert not hasattr(dorm, "nonsense")
