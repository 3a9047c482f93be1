# SPDX-License-Identifier: Apache-2.0
"""Data as people have it, from a table to a ranking: how it was read is kept in the model and used again."""

import json
import random
import re
import subprocess

import pytest
from command import DORM, dorm


def table(path, rows, header=("grade", "query", "url", "title", "bm25", "clicks")):
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")
    return path.name


def shop(queries=12, documents=6, seed=1, missing=0.2):
    """Rows with a title, of which some lack clicks."""
    rng = random.Random(seed)
    rows = []
    for q in range(queries):
        for d in range(documents):
            bm25, clicks = rng.randrange(1, 900, 2) / 200, rng.randrange(100)
            grade = min(2, int((bm25 + clicks / 20 + rng.uniform(0, 2)) / 5))
            rows.append([grade, f"q{q}", f"u{q}-{d}", f"thing {d}", bm25, "" if rng.random() < missing else clicks])
    return rows


ROLES = ["--label-column", "grade", "--query-column", "query", "--document-column", "url", "--ignore-column", "title"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trained(here):
    """The rows, and m.json trained on them with every role renamed and the mean for what is missing."""
    rows = shop()
    table(here / "train.csv", rows)
    dorm("train", "train.csv", *ROLES, "--missing", "mean", "--scale", "zscore", "--model", "m.json", "--quiet")
    return rows


def scores(*arguments):
    done = dorm("rank", *arguments, "--format", "order", "--quiet")
    return {tuple(line.split("\t")[0:3:2]): float(line.split("\t")[3]) for line in done.stdout.splitlines()[1:]}


def test_roles_and_imputation_are_kept_in_the_model_and_used_again(trained, here):
    model = json.loads((here / "m.json").read_text())
    assert model["features"] == ["bm25", "clicks"]
    assert model["input"]["columns"] == {"label": "grade", "query": "query", "document": "url"}
    assert model["input"]["ignored"] == ["title"]
    assert model["input"]["missing"] == "mean"
    known = [row[5] for row in trained if row[5] != ""]
    assert model["input"]["means"][1] == pytest.approx(sum(known) / len(known))
    assert ("q0", "u0-0") in scores("m.json", "train.csv")
    assert "ndcg@10" in dorm("eval", "train.csv", "--model", "m.json", "--quiet").stdout


def test_a_document_has_the_same_score_alone_and_in_its_file(trained, here):
    whole = scores("m.json", "train.csv")
    for row in trained[:20]:
        table(here / "one.csv", [row])
        assert scores("m.json", "one.csv") == {(row[1], row[2]): whole[row[1], row[2]]}


def test_validation_data_is_filled_with_the_means_of_the_training_data(trained, here):
    rows = shop(seed=2, missing=0)
    for row in rows:
        row[5] = ""  # nothing to take a mean of
    table(here / "valid.csv", rows)
    dorm("train", "train.csv", *ROLES, "--missing", "mean", "--valid", "valid.csv", "--model", "v.json", "--quiet")
    value = json.loads((here / "v.json").read_text())["validation"]
    # the judge knows the validation data only through the model
    judged = dorm("eval", "valid.csv", "--model", "v.json", "--measures", "ndcg@10", "--json", "--quiet").stdout
    assert json.loads(judged)["measures"]["ndcg@10"]["mean"] == pytest.approx(value, abs=1e-9)


def test_the_command_line_overrides_the_model(trained, here):
    rows = [[row[0], *row[1:4], row[4], row[5]] for row in trained]
    table(here / "other.csv", rows, ("grade", "session", "url", "title", "bm25", "clicks"))
    assert dorm("rank", "m.json", "other.csv", status=1).stderr.count("no query column 'query'") == 1
    assert scores("m.json", "other.csv", "--query-column", "session") == scores("m.json", "train.csv")
    zero = scores("m.json", "train.csv", "--missing", "zero")
    assert zero != scores("m.json", "train.csv")


def test_means_of_the_file_that_is_scored_are_never_used(here):
    table(here / "train.csv", shop(missing=0))
    dorm("train", "train.csv", *ROLES, "--model", "m.json", "--quiet")
    table(here / "new.csv", shop(seed=3))
    done = dorm("rank", "m.json", "new.csv", "--missing", "mean", status=2)
    assert "no means of its training data" in done.stderr and "--missing zero" in done.stderr


def test_only_columns_that_the_model_knows_are_read(trained, here):
    rows = [[*row, "free text", "2024-01-01"] for row in trained]
    table(here / "more.csv", rows, ("grade", "query", "url", "title", "bm25", "clicks", "notes", "date"))
    assert scores("m.json", "more.csv") == scores("m.json", "train.csv")
    table(here / "less.csv", [row[:5] for row in trained], ("grade", "query", "url", "title", "bm25"))
    assert "uses feature" in dorm("rank", "m.json", "less.csv", status=1).stderr


def test_ordinary_data_leaves_no_trace_of_its_reading_in_the_model(here):
    dorm("synth", "--queries", 10, "--features", 4, "-o", "d.txt")
    dorm("convert", "d.txt", "d.csv")
    for data in ("d.txt", "d.csv"):
        dorm("train", data, "--model", "m.json", "--quiet")
        assert "input" not in json.loads((here / "m.json").read_text())


def test_numbered_features_are_filled_too(here):
    dorm("synth", "--queries", 10, "--features", 4, "-o", "d.txt")
    lines = (here / "d.txt").read_text().splitlines()
    lines = [re.sub(" 2:[^ ]+", " 2:nan", line) if i % 5 == 0 else line for i, line in enumerate(lines)]
    (here / "d.txt").write_text("\n".join(lines) + "\n")
    dorm("train", "d.txt", "--missing", "mean", "--scale", "zscore", "--model", "m.json", "--quiet")
    whole = dorm("rank", "m.json", "d.txt", "--quiet").stdout.splitlines()
    (here / "one.txt").write_text(lines[0] + "\n")
    assert dorm("rank", "m.json", "one.txt", "--quiet").stdout.splitlines() == whole[:1]


UNLABELLED = {
    "n.csv": "qid,docid,bm25,clicks\nq,a,1,2\nq,b,5,9\nr,c,3,4\n",
    "empty.csv": "label,qid,docid,bm25,clicks\n,q,a,1,2\n1,q,b,5,9\n,r,c,3,4\n",
    "n.tsv": "qid\tdocid\tbm25\tclicks\nq\ta\t1\t2\nq\tb\t5\t9\nr\tc\t3\t4\n",
}


@pytest.fixture
def plain(here):
    """m.json of the features bm25 and clicks, both of which count."""
    rows = [[row[0], row[1], row[2], row[4], row[5]] for row in shop(missing=0)]
    table(here / "train.csv", rows, ("label", "qid", "docid", "bm25", "clicks"))
    dorm("train", "train.csv", "--scale", "zscore", "--model", "m.json", "--quiet")
    for name, text in UNLABELLED.items():
        (here / name).write_text(text)
    return here


def test_what_has_no_labels_can_be_ranked_in_every_format(plain):
    expected = scores("m.json", "n.csv")
    assert set(expected) == {("q", "a"), ("q", "b"), ("r", "c")}
    names = ["empty.csv", "n.tsv"]
    for name in ("n.dorm", "n2.csv", "n.csv.gz", "n.tsv.zst", "n2.dorm"):
        dorm("convert", names[-1] if name == "n2.dorm" else "n.csv", name)
        names.append(name)
    for name in names:
        assert scores("m.json", name) == expected, name
    assert (plain / "n2.csv").read_text() == UNLABELLED["n.csv"]


def test_letor_lines_may_lack_the_label(here):
    dorm("synth", "--queries", 5, "--features", 3, "-o", "d.txt")
    dorm("train", "d.txt", "--model", "m.json", "--quiet")
    expected = dorm("rank", "m.json", "d.txt").stdout
    lines = (here / "d.txt").read_text().splitlines()
    (here / "n.txt").write_text("".join(line.split(" ", 1)[1] + "\n" for line in lines))
    assert (here / "n.txt").read_text().startswith("qid:")
    assert dorm("rank", "m.json", "n.txt").stdout == expected
    (here / "mixed.txt").write_text("".join(line.split(" ", i % 2)[-1] + "\n" for i, line in enumerate(lines)))
    assert dorm("rank", "m.json", "mixed.txt").stdout == expected
    dorm("convert", "n.txt", "n.dorm")
    assert dorm("rank", "m.json", "n.dorm").stdout == expected
    dorm("convert", "n.dorm", "again.txt")
    assert (here / "again.txt").read_text() == (here / "n.txt").read_text()
    assert dorm("rank", "m.json", "/dev/stdin", input=(here / "n.txt").read_text()).stdout == expected
    for name, said in {
        "n.txt": "n.txt:1:1: found 'qid:1'; expected a number as label",
        "n.dorm": "has no labels",
    }.items():
        assert said in dorm("eval", name, "--model", "m.json", status=1).stderr
        assert said in dorm("train", name, "--model", "x.json", status=1).stderr


def test_training_and_judging_need_labels(plain):
    for verb in (["train", "n.csv", "--model", "x.json"], ["eval", "n.csv", "--model", "m.json"]):
        assert "no label column 'label'" in dorm(*verb, status=1).stderr
    done = dorm("train", "empty.csv", "--model", "x.json", status=1)
    assert "empty.csv:2:1: found an empty cell" in done.stderr and "label" in done.stderr


def test_info_says_that_there_are_no_labels(plain):
    assert re.search(r"labels +none", dorm("info", "n.csv").stdout)
    assert json.loads(dorm("info", "n.csv", "--json").stdout)["labels"] == {}


def test_the_binary_form_keeps_how_a_table_was_read(trained):
    dorm("convert", "train.csv", *ROLES, "--missing", "mean", "train.dorm")
    dorm("train", "train.dorm", "--scale", "zscore", "--model", "b.json", "--quiet")
    assert scores("b.json", "train.csv") == scores("m.json", "train.csv")


MESSY = (
    "relevance,session,doc_id,title,brand,price,in_stock,clicks,added\n"
    '2,s1,d1,"Red shoes, size 40",Acme,"1,234",true,12,2024-01-31\n'
    "0,s1,d2,Blue socks,Bolt,7,FALSE,NA,2024-02-01\n"
    "1,s2,d3,Hat,Acme,9,yes,3,2024-02-02\n"
    "0,s2,d4,Cap,Bolt,8,no,,2024-02-03\n"
)


def test_one_error_names_all_columns_that_cannot_be_read_and_the_options_that_help(here):
    (here / "m.csv").write_text(MESSY)
    said = dorm("train", "m.csv", "--model", "m.json", status=1).stderr
    assert "no label column 'label' and no query column 'qid'" in said
    assert "did you mean --label-column relevance --query-column session?" in said
    roles = ["--label-column", "relevance", "--query-column", "session"]
    said = dorm("train", "m.csv", *roles, "--model", "m.json", status=1).stderr
    for part in (
        "m.csv:2:",
        "'title' (line 2: 'Red shoes, size 40')",
        "'price' (a number with commas, line 2: '1,234')",
        "'added' (a date, line 2: '2024-01-31')",
        "1 column has missing values: 'clicks' (line 3: 'NA')",
        "to encode them: --encode brand=onehot,price=thousands,added=age",
        "to fill in what is missing: --missing zero",
        "all together: --document-column doc_id --encode brand=onehot,price=thousands,added=age --title-column title "
        "--missing zero",
    ):
        assert part in said, part
    roles += ["--document-column", "doc_id", "--ignore-column", "title,brand,price", "--ignore-column", "added"]
    dorm("train", "m.csv", *roles, "--missing", "mean", "--model", "m.json", "--quiet")
    model = json.loads((here / "m.json").read_text())
    assert model["features"] == ["in_stock", "clicks"]
    assert model["input"]["ignored"] == ["title", "brand", "price", "added"]
    assert model["input"]["means"] == [0.5, 7.5]
    assert set(scores("m.json", "m.csv")) == {("s1", "d1"), ("s1", "d2"), ("s2", "d3"), ("s2", "d4")}


def test_a_model_without_imputation_says_what_helps(plain):
    (plain / "gap.csv").write_text("qid,docid,bm25,clicks\nq,a,1,NA\n")
    said = dorm("rank", "m.json", "gap.csv", status=1).stderr
    assert "gap.csv:2:7: found 'NA' in column 'clicks'" in said
    assert "trained without missing values: --missing zero" in said and "--missing mean" in said
    assert dorm("rank", "m.json", "gap.csv", "--missing", "zero").stdout


def test_a_name_with_a_comma_can_be_ignored(here):
    (here / "c.csv").write_text('label,qid,"a,b",c,d\n1,q,x,y,1\n0,q,x,y,2\n')
    for words in (["--ignore-column", "a,b", "--ignore-column", "c"], ["--ignore-column", "a\\,b,c"]):
        dorm("convert", "c.csv", "out.csv", *words)
        assert (here / "out.csv").read_text() == "label,qid,d\n1,q,1\n0,q,2\n"
    assert "no ignored column 'e'" in dorm("convert", "c.csv", "out.csv", "--ignore-column", "c,e", status=1).stderr


def test_tables_as_spreadsheets_write_them(here):
    expected = "label,qid,docid,x\n1,q,a,0.5\n0,q,b,2\n"
    for text in (
        "\ufefflabel;qid;docid;x\r\n1;q;a;0.5\r\n0;q;b;2\r\n",
        " label , qid ,docid, x\n1,q,a, 0.5\n0,q,b,2 \n",
        "label|qid|docid|x\n1|q|a|0.5\n0|q|b|2\n",
        ",label,qid,docid,x\n0,1,q,a,0.5\n1,0,q,b,2\n",
        "label,qid,docid,x\nTrue,q,a,0.5\nfalse,q,b,2\n",
    ):
        (here / "t.csv").write_text(text)
        dorm("convert", "t.csv", "out.csv")
        assert (here / "out.csv").read_text() == expected


def test_a_label_among_the_features_is_warned_of(here):
    rows = [[row[0], row[1], row[2], row[4], row[5], row[0], 7 - 2 * row[0]] for row in shop(queries=20, missing=0)]
    table(here / "t.csv", rows, ("label", "qid", "docid", "bm25", "clicks", "copy", "turned"))
    for verb in (["train", "t.csv", "--model", "m.json"], ["info", "t.csv"]):
        said = dorm(*verb).stderr
        assert 'feature "copy" equals the label' in said and "--ignore-column copy" in said
        assert 'feature "turned" orders all documents as the label does' in said
        assert "bm25" not in said
    table(here / "t.csv", [row[:5] for row in rows], ("label", "qid", "docid", "relevance", "clicks"))
    said = dorm("train", "t.csv", "--model", "m.json").stderr
    assert 'feature "relevance" is named like a label' in said
    assert "warning" not in dorm("train", "t.csv", "--ignore-column", "relevance", "--model", "m.json").stderr


def lines(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


JSON_LINES = {
    "features apart": lines(
        {"qid": "q", "docid": "a", "features": {"bm25": 1, "clicks": 2}, "title": "not looked at"},
        {"qid": "q", "docid": "b", "features": {"clicks": 9, "bm25": 5}},
        {"qid": "r", "docid": "c", "label": None, "features": {"bm25": 3, "clicks": 4}},
    ),
    "flat": lines(
        {"qid": "q", "docid": "a", "bm25": 1, "clicks": "2", "title": "unknown to the model"},
        {"qid": "q", "docid": "b", "bm25": 5, "clicks": 9},
        {"qid": "r", "docid": "c", "bm25": 3, "clicks": 4, "label": 1},
    ),
    "by query": lines(
        {"qid": "q", "documents": [{"docid": "a", "bm25": 1, "clicks": 2}, {"docid": "b", "bm25": 5, "clicks": 9}]},
        {"qid": "r", "documents": [{"docid": "c", "features": {"bm25": 3, "clicks": 4}}]},
    ),
}


@pytest.mark.parametrize("form", JSON_LINES)
def test_json_lines_are_ranked(plain, form):
    expected = scores("m.json", "n.csv")
    (plain / "n.jsonl").write_text(JSON_LINES[form])
    assert scores("m.json", "n.jsonl") == expected
    done = dorm("rank", "m.json", "-", "--format", "order", input=JSON_LINES[form])
    assert len(done.stdout.splitlines()) == 4


def test_json_lines_are_data_for_every_verb(plain):
    rows = [dict(zip(("label", "qid", "docid", "bm25", "clicks"), row[:3] + row[4:])) for row in shop(missing=0)]
    (plain / "t.jsonl").write_text(lines(*rows))
    dorm("convert", "t.jsonl", "t.csv")
    assert (plain / "t.csv").read_text() == (plain / "train.csv").read_text()
    dorm("train", "t.jsonl", "--scale", "zscore", "--model", "j.json", "--quiet")
    assert (plain / "j.json").read_text() == (plain / "m.json").read_text()
    assert json.loads(dorm("info", "t.jsonl", "--json").stdout)["format"] == "jsonl"


def test_mistakes_in_json_lines_are_named(plain):
    for text, said in (
        ('{"qid": 1, "bm25": 1, "clicks": 2}\n{"qid": 1,\n', "n.jsonl:2: not JSON"),
        ('{"qid": 1, "bm25": 1, "clicks": 2}\n[1]\n', "n.jsonl:2: found no object"),
        ('{"session": 1, "bm25": 1, "clicks": 2}\n', "did you mean --query-column session?"),
        ('{"qid": 1, "bm25": "much", "clicks": 2}\n', "found 'much' in column 'bm25'"),
        ('{"qid": 1, "bm25": 1}\n', "n.jsonl:1: found an empty cell in column 'clicks'"),
        ('{"qid": 1, "documents": 3}\n', 'no list of "documents"'),
        ("[" * 100 + "\n", "deeper than"),
    ):
        (plain / "n.jsonl").write_text(text)
        assert said in dorm("rank", "m.json", "n.jsonl", status=1).stderr
    (plain / "n.jsonl").write_text('{"qid": 1, "bm25": 1}\n{"qid": 1, "clicks": 1}\n')
    dorm("rank", "m.json", "n.jsonl", "--missing", "zero")


def test_standard_input_is_read_everywhere_and_recognised(plain):
    forms = {"csv": "train.csv", "tsv": "d.tsv", "letor": "d.txt", "binary": "d.dorm", "csv.gz": "d.csv.gz"}
    dorm("convert", "train.csv", "train.dorm")
    for name in ("d.tsv", "d.dorm", "d.csv.gz"):
        dorm("convert", "train.csv", name)
    dorm("synth", "--queries", 4, "--features", 2, "-o", "d.txt")
    dorm("convert", "d.txt", "d.txt.zst")
    fingerprints = {}
    for form, name in {**forms, "letor.zst": "d.txt.zst"}.items():
        content = (plain / name).read_bytes()
        done = subprocess.run([DORM, "info", "-", "--json", "--quiet"], input=content, capture_output=True)
        assert done.returncode == 0, done.stderr
        info = json.loads(done.stdout)
        assert info["format"] == form.split(".")[0]
        assert info["bytes"] == len(content)
        fingerprints[form] = info["fingerprint"]
    assert fingerprints["csv"] == fingerprints["tsv"] == fingerprints["binary"] == fingerprints["csv.gz"]
    assert fingerprints["letor"] == fingerprints["letor.zst"]
    text = (plain / "train.csv").read_text()
    dorm("train", "-", "--scale", "zscore", "--model", "s.json", "--quiet", input=text)
    assert (plain / "s.json").read_text() == (plain / "m.json").read_text()
    expected = dorm("eval", "train.csv", "--model", "m.json", "--quiet").stdout
    assert dorm("eval", "-", "--model", "m.json", "--quiet", input=text).stdout == expected
    model = (plain / "m.json").read_text()
    assert dorm("eval", "train.csv", "--model", "-", "--quiet", input=model).stdout == expected
    assert "linear model" in dorm("info", "-", input=model).stdout
    with open(plain / "train.csv") as file:  # not a pipe
        assert dorm("eval", "-", "--model", "m.json", "--quiet", stdin=file).stdout == expected


def test_convert_writes_any_format_to_a_pipe(plain):
    text = (plain / "train.csv").read_text()
    assert dorm("convert", "-", "-", "--to", "csv", input=text).stdout == text
    assert dorm("convert", "train.csv", "-", "--to", "tsv").stdout == text.replace(",", "\t")
    dorm("convert", "train.csv", "odd.name", "--to", "binary")
    assert json.loads(dorm("info", "odd.name", "--json").stdout)["format"] == "binary"
    assert "did you mean" in dorm("convert", "train.csv", "-", "--to", "cvs", status=2).stderr
    assert sorted(path.name for path in plain.iterdir()) == sorted(["train.csv", "m.json", "odd.name", *UNLABELLED])


def test_one_query_can_be_ranked(plain):
    everything = scores("m.json", "train.csv")
    assert scores("m.json", "train.csv", "--query", "q3") == {k: v for k, v in everything.items() if k[0] == "q3"}
    some = scores("m.json", "train.csv", "--query", "q3", "--query", "q1")
    assert {query for query, _ in some} == {"q1", "q3"}
    assert len(dorm("rank", "m.json", "train.csv", "--query", "q3").stdout.splitlines()) == 6
    assert "q3" in dorm("rank", "m.json", "train.csv", "--query", "q33", status=2).stderr


def test_scaling_within_queries_is_told_once(here):
    dorm("synth", "--queries", 8, "--features", 3, "-o", "d.txt")
    note = "works within each query"
    assert dorm("train", "d.txt", "--model", "m.json").stderr.count(note) == 1
    assert note not in dorm("train", "d.txt", "--model", "m.json", "--quiet").stderr
    assert note not in dorm("train", "d.txt", "--scale", "log-zscore", "--model", "z.json").stderr
    first = (here / "d.txt").read_text().splitlines()[0] + "\n"
    assert "1 of 1 queries have one document" in dorm("rank", "m.json", "-", input=first).stderr
    assert dorm("rank", "z.json", "-", input=first).stderr == ""
