"""The tables of docs/paper.md: figures over seeds, by hand."""

import importlib.util
import json
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


def test_methods_read_as_on_the_page():
    read_as = runner().read_as
    assert read_as("dorm:mrr:rel=best~power:1") == "DORM (MRR of the best), c = 1/(i + 1)"
    assert read_as("dorm:ndcg@10") == "DORM (NDCG@10), default c"
    assert read_as("mmmf, chosen") == "MMMF, chosen" and read_as("joint, chosen") == "DORM, joint kernel, chosen"


def test_tables_side_by_side_are_named_by_what_tells_them_apart():
    common = runner().common
    assert common(["a: NDCG@10 x 100", "b: NDCG@10 x 100"]) == ("NDCG@10 x 100", ["a", "b"])
    rest = "100 users, with genres: figures x 100"
    assert common([f"N = 10, {rest}", f"N = 20, {rest}"]) == (rest, ["N = 10", "N = 20"])
    assert common(["New items: one, x", "New items: two (no)"]) == ("New items", ["one", "two"])


def test_a_committed_table_leaves_out_what_is_nobodys():
    """The page has what the results say: of the two tables of the runtime those of the first."""
    module = runner()
    text = module.markdown("runtime", "0")
    seconds = json.loads((module.RESULTS / "runtime.json").read_text())["tables"][0]["rows"]
    assert [row[1] for row in seconds if row[0] == "ridge"][0] in text
    assert "random" not in text
