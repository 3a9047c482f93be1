"""The tables of docs/paper.md: figures over seeds, by hand."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "benchmarks/paper/run.py"


def runner():
    spec = importlib.util.spec_from_file_location("paper_run", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cells_are_means_over_seeds_with_what_follows_the_figure():
    merged = runner().merged_cell
    assert merged(["860 (1037)", "862 (1037)", "867 (1037)"]) == "863.0 ± 3.6 (1037)"
    assert merged(["0.12", "0.14"]) == "0.13 ± 0.01"
    assert merged(["46.67", "46.67"]) == "46.67"
    assert merged(["ROCArea", "ROCArea"]) == "ROCArea"


def test_one_seed_stays_as_it_was_printed():
    run = {"name": "n", "title": "t", "build": "b", "remarks": []}
    run["tables"] = [{"caption": "c", "columns": ["m", "x"], "rows": [["a", "1.50 (2)"]]}]
    assert runner().collected([run])["tables"] == run["tables"]
