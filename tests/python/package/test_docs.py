"""The Python of the documentation runs, and prints what the pages say it prints.

Blocks of a page marked ``python`` run in order, in one namespace, in an empty folder. A block marked ``text`` right
behind one is exactly what that block printed, except that ``...`` is any text and columns may be wider.
"""

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest
import sklearn

import dorm

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n?^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def blocks(page):
    """(line, code, printed or None) of every Python block."""
    text = (ROOT / page).read_text()
    return [(text.count("\n", 0, m.start()) + 2, m.group(1), m.group(2)) for m in BLOCK.finditer(text)]


def differences(expected, printed):
    """Why the lines are not the same; empty if they are."""
    expected, printed = expected.split("\n"), printed.split("\n")
    if len(expected) != len(printed):
        return f"{len(printed)} lines instead of {len(expected)}"
    for one, other in zip(expected, printed):
        for part in one.split("..."):  # each part is to be found behind the one before
            if (found := _find(part, other)) is None:
                return f"expected {one!r}, printed {other!r}"
            other = other[found:]
        if other and not one.endswith("..."):
            return f"expected {one!r}, printed {other!r} in addition"
    return ""


def _find(part, text):
    """The end of `part` in `text`; None where it does not occur."""
    match = re.search(re.sub(r"(\\ )+", r" +", re.escape(part)), text)
    return None if match is None else match.end()


def run_page(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    namespace = {"__name__": "__main__"}
    with sklearn.config_context():  # the pages may turn metadata routing on
        for line, code, expected in blocks(page):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (line - 1) + code, str(ROOT / page), "exec"), namespace)
            if expected is not None:
                wrong = differences(expected.rstrip("\n"), out.getvalue().rstrip("\n"))
                assert not wrong, f"{page}:{line}: {wrong}\n{out.getvalue()}"


def test_the_check_of_outputs_can_tell():
    same = [
        ("a ... c", "a b c"),
        ("0.11 s", "0.11 s"),
        ("x  0.98", "x   0.98"),
        ("n...", "n"),
    ]
    other = [
        ("gap 1e-3", "gap 1.01e-3"),
        ("0.98", "0.985"),
        ("a ... c", "a b d"),
        ("one", "one\ntwo"),
        ("one", "ones"),
        ("+0.5", "-0.5"),
    ]
    assert all(differences(a, b) == "" for a, b in same)
    assert all(differences(a, b) for a, b in other)


def pages():
    """Every page with Python, but for those of libraries that are not part of these tests (tests/torch,
    tests/distributed, tests/integrations)."""
    elsewhere = ("docs/pytorch.md", "docs/scale.md", "docs/integrations.md")
    names = ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]
    return [name for name in names if blocks(name) and name not in elsewhere]


@pytest.mark.parametrize("page", pages())
def test_page(page, tmp_path, monkeypatch):
    for library in re.findall(
        r"^ *(?:import|from) (\w+)", "\n".join(code for _, code, _ in blocks(page)), re.MULTILINE
    ):
        pytest.importorskip(library)
    if "dorm.plot" in "".join(code for _, code, _ in blocks(page)):
        pytest.importorskip("matplotlib").use("Agg")
    run_page(page, tmp_path, monkeypatch)


def test_pages_show_what_they_print():
    shown = {page: sum(expected is not None for _, _, expected in blocks(page)) for page in pages()}
    assert shown["docs/python.md"] >= 8 and shown["docs/lightgbm.md"] >= 2 and shown["docs/xgboost.md"] >= 2, shown
    assert "README.md" in shown and "docs/ratings.md" in shown


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("matplotlib")
    path = ROOT / "web/site/api_reference.py"
    spec = importlib.util.spec_from_file_location("api_reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_api_reference_has_every_public_name(reference):
    headings = set(re.findall(r"^##+ (\S+)$", reference.page(), re.MULTILINE))
    wanted = {name for name in dorm.__all__ if not name.startswith("__")}
    for module in reference.MODULES[1:]:
        wanted |= {f"{module.__name__}.{name}" for name in module.__all__ if name not in dorm.__all__}
    for prefix, estimator in (("", dorm.DormRanker), ("dorm.recommend.", dorm.recommend.DormFactorization)):
        methods = [name for name, value in vars(estimator).items() if not name.startswith("_") and callable(value)]
        wanted |= {f"{prefix}{estimator.__name__}.{name}" for name in [*methods, "load"]}
    assert wanted <= headings, wanted - headings
