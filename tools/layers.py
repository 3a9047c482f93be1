"""The map of the house: every room, what it holds, which rooms it may include, and which public headers it owns.

The one table that tools/check_rules.py checks and tools/architecture.py draws. A room is a folder of src/ or lab/;
`uses` names the rooms whose headers, private or public, its files include. Nothing unused is listed, and no two rooms
reach each other.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Room:
    holds: str
    uses: tuple = ()
    headers: tuple = field(default=())


LAYERS = {
    "base": Room(
        "errors, catalogs, threads, random numbers, numbers and JSON in text",
        (),
        ("error", "base/catalog", "base/number_range", "base/compute"),
    ),
    "base/vector": Room("vector kernels, sorting, linear algebra, cutting planes", ("base",), ("learning/geometry",)),
    "device": Room(
        "documents, lists and kernel values on a device: by threads, or on an NVIDIA GPU through a module",
        ("base", "base/vector"),
        (),
    ),
    "data/judgments": Room(
        "facts beside features and labels: judgments, groups, topics, ids",
        ("base",),
        ("data/judgments", "data/run_sink"),
    ),
    "data/ratings": Room(
        "ratings of users and items, and their splits",
        ("base", "data/judgments"),
        ("recommend/events", "recommend/ratings"),
    ),
    "data/graphs": Room("graphs with features, and pairs of them", ("base", "data/judgments"), ("matching/graphs",)),
    "data/encode": Room(
        "columns of categories, dates and formatted numbers as features", ("base",), ("data/encoding",)
    ),
    "data": Room(
        "`Dataset` and its builder, folds, joins, columns of a query",
        ("base", "base/vector", "data/encode", "data/judgments"),
        ("dataset", "data/input", "data/prepare", "data/query_columns", "data/texts"),
    ),
    "data/scale": Room(
        "scaling of features and the statistics it needs", ("base", "base/vector", "data"), ("data/scale",)
    ),
    "data/groups": Room(
        "groups of documents by column, host or domain", ("base", "data", "data/judgments"), ("data/one_per",)
    ),
    "data/runs": Room(
        "runs of several retrievers, joined: comparable scores, one column per run",
        ("base", "data", "data/judgments"),
        ("fusion/runs",),
    ),
    "data/clicks": Room(
        "clicks by query, document and position; propensities; gains",
        ("base", "data", "data/judgments"),
        ("clicks/clicks", "clicks/click_gains"),
    ),
    "data/io/files": Room(
        "files: compressed, memory-mapped, in lines or chunks; atomic writes",
        ("base", "data", "data/judgments", "data/ratings"),
        ("read", "write"),
    ),
    "data/io/letor": Room("LETOR and SVMlight text", ("base", "data", "data/io/files"), ()),
    "data/io/tables": Room("CSV, TSV, JSON lines, feature logs", ("base", "data", "data/encode", "data/io/files"), ()),
    "data/io/binary": Room(
        "the binary form, and folders of shards",
        ("base", "data", "data/encode", "data/io/files"),
        ("data/shard_files",),
    ),
    "data/io/records": Room(
        "judgments, runs, clicks, ratings, topics, graphs",
        (
            "base",
            "data",
            "data/clicks",
            "data/graphs",
            "data/io/files",
            "data/io/tables",
            "data/judgments",
            "data/ratings",
        ),
        ("matching/read_graphs", "clicks/click_log", "data/read_runs", "recommend/read_events"),
    ),
    "data/io": Room(
        "the format of a file, the reader for it, and its parts",
        ("base", "data", "data/io/binary", "data/io/files", "data/io/records", "data/io/tables"),
        ("data/split", "data/read_texts"),
    ),
    "data/synth": Room(
        "the generators, of data and of clicks", ("base", "data", "data/clicks"), ("synth", "clicks/simulate_clicks")
    ),
    "ranking/measure": Room(
        "one file per measure; labels to `a` and `b`",
        ("base", "data/judgments"),
        ("measure", "ranking/convention", "ranking/group_lists", "ranking/subtopics"),
    ),
    "ranking/names": Room("measures and conventions by name", ("base", "ranking/measure"), ()),
    "ranking/assign": Room("dense and grouped assignment", ("base", "data/judgments"), ("learning/assignment",)),
    "ranking/topics": Room("lists under topic budgets: integer programs", ("base", "ranking/assign"), ()),
    "ranking/oracle": Room(
        "decays, exact separation, reference rankings, the list problem",
        ("base", "base/vector", "ranking/assign", "ranking/measure"),
        ("oracle", "ranking/decay", "ranking/list_problem"),
    ),
    "model/kernel": Room(
        "kernels by name, rows of the Gram matrix, feature maps that stand in for it",
        ("base", "base/vector", "data", "device"),
        ("learning/kernel", "learning/sets"),
    ),
    "model/features": Room(
        "scores and pull-backs, linear, by curves or by kernel",
        ("base", "base/vector", "data", "data/scale", "device", "model/kernel"),
        ("learning/curves",),
    ),
    "model/trees": Room(
        "ensembles of trees: readers of the files of other libraries, scores, Shapley values",
        ("base", "base/vector"),
        ("learning/trees",),
    ),
    "model/export": Room(
        "models in the formats of other tools, one file each",
        ("base", "data", "data/encode", "data/runs", "data/scale", "model", "model/kernel", "model/trees"),
        ("export", "fusion/export_fused"),
    ),
    "model": Room(
        "models: scoring, ranking, JSON",
        (
            "base",
            "base/vector",
            "data",
            "data/groups",
            "data/io/binary",
            "data/io/files",
            "data/judgments",
            "data/runs",
            "data/scale",
            "model/features",
            "model/kernel",
            "model/trees",
            "ranking/assign",
            "ranking/measure",
            "ranking/oracle",
            "ranking/topics",
        ),
        ("model", "explain", "fusion/fused_model"),
    ),
    "evaluation": Room(
        "tables, intervals, ties, paired tests",
        (
            "base",
            "base/vector",
            "data",
            "data/groups",
            "data/judgments",
            "data/ratings",
            "ranking/assign",
            "ranking/measure",
            "ranking/topics",
        ),
        (
            "evaluate",
            "evaluation/difference",
            "evaluation/judging",
            "evaluation/query_groups",
            "evaluation/run_evaluation",
            "recommend/catalogue",
        ),
    ),
    "evaluation/clicks": Room(
        "propensities from click logs, rankers evaluated by clicks",
        ("base", "base/vector", "data", "data/clicks", "evaluation", "ranking/measure"),
        ("clicks/propensity", "clicks/click_evaluation"),
    ),
    "evaluation/interleave": Room(
        "lists made of two rankings, and the ranker that clicks on them prefer",
        ("base", "evaluation", "ranking/topics"),
        ("clicks/interleave",),
    ),
    "learning/solver": Room(
        "quadratic programs over simplices; solvers over an abstract risk",
        ("base", "base/vector"),
        ("solver", "learning/solver_state"),
    ),
    "learning/risk": Room(
        "data, measure, decay, reference and oracle as one risk",
        (
            "base",
            "base/vector",
            "data",
            "learning/solver",
            "model/features",
            "ranking/assign",
            "ranking/measure",
            "ranking/oracle",
            "ranking/topics",
        ),
        (),
    ),
    "learning/objective": Room(
        "the loss as gradient and curvature per document, for other learners; plain C",
        ("base", "ranking/measure", "ranking/oracle"),
        ("objective", "objective_c"),
    ),
    "learning/shards": Room(
        "shards of whole queries that respond to requests, and the risk over them",
        (
            "base",
            "base/vector",
            "data",
            "data/groups",
            "data/scale",
            "evaluation",
            "learning/risk",
            "model",
            "model/features",
            "ranking/oracle",
        ),
        ("learning/shard",),
    ),
    "learning/device": Room(
        "the risk over lists that a device visits",
        ("base", "base/vector", "device", "learning/risk", "ranking/oracle"),
        (),
    ),
    "learning/train": Room(
        "bounds and their rounds, candidates, checkpoints",
        (
            "base",
            "base/vector",
            "data",
            "data/groups",
            "data/io/files",
            "data/judgments",
            "data/scale",
            "device",
            "evaluation",
            "learning/device",
            "learning/risk",
            "learning/shards",
            "learning/solver",
            "model",
            "model/export",
            "model/features",
            "model/kernel",
            "ranking/assign",
            "ranking/measure",
            "ranking/oracle",
        ),
        (
            "train",
            "stream",
            "learning/checkpoint",
            "learning/memory",
            "learning/signs",
            "learning/task",
            "learning/train_shards",
        ),
    ),
    "learning/trees": Room(
        "growing trees by LightGBM, whose library is loaded on demand",
        (
            "base",
            "data",
            "evaluation",
            "learning/objective",
            "learning/train",
            "model",
            "model/features",
            "model/trees",
        ),
        ("learning/grow",),
    ),
    "learning/tune": Room(
        "tuning: the plan of the grid, its training runs, the averaged model",
        (
            "base",
            "data",
            "evaluation",
            "learning/solver",
            "learning/train",
            "learning/trees",
            "model",
            "model/features",
            "model/kernel",
        ),
        ("tune", "learning/few_features"),
    ),
    "learning/fusion": Room(
        "weights of several retrievers, learnt for a measure, and the evidence for them",
        ("base", "base/vector", "data", "data/runs", "evaluation", "learning/train", "model"),
        ("fusion/fuse",),
    ),
    "learning/matching": Room(
        "graph matching: quadratic assignment, its bounds, learning and prediction",
        ("base", "base/vector", "data/graphs", "data/io/files", "learning/solver", "ranking/assign"),
        ("matching/match",),
    ),
    "learning/baseline": Room(
        "the methods DORM is compared with",
        (
            "base",
            "base/vector",
            "data",
            "evaluation",
            "learning/risk",
            "learning/solver",
            "learning/train",
            "model/features",
            "ranking/measure",
            "ranking/oracle",
        ),
        ("learning/baseline",),
    ),
    "recommend/factor": Room(
        "ranking matrix factorization",
        ("base", "base/vector", "data/io/files", "data/ratings", "evaluation", "learning/solver", "ranking/oracle"),
        ("recommend/factorize", "recommend/factor_model"),
    ),
    "recommend/implicit": Room(
        "recommenders from likes, plays and purchases: implicit ALS, EASE and their average",
        ("base", "base/vector", "data/io/files", "data/ratings", "evaluation", "recommend/factor"),
        ("recommend/implicit",),
    ),
    "recommend/joint": Room(
        "joint kernels over (user, item) pairs: DORM, JRank, PRank",
        (
            "base",
            "base/vector",
            "data/judgments",
            "data/ratings",
            "learning/baseline",
            "learning/risk",
            "learning/solver",
            "learning/train",
            "model/features",
            "ranking/measure",
            "ranking/oracle",
        ),
        ("recommend/joint",),
    ),
    "recommend/models": Room(
        "models over joint kernels as files that recommend; saved models of any kind",
        (
            "base",
            "base/vector",
            "data/io/files",
            "learning/train",
            "model",
            "recommend/factor",
            "recommend/implicit",
            "recommend/joint",
        ),
        ("recommend/joint_model", "recommend/any_model", "recommend/recommender", "recommend/vectors"),
    ),
    "report": Room(
        "tables and plots as HTML, Markdown, CSV; a target of its own",
        ("base", "data/io/files"),
        ("apps/report", "apps/report_plots", "apps/report_queries"),
    ),
    "report/pages": Room(
        "pages about trainings, rankers and recommenders; a target of its own",
        (
            "base",
            "base/vector",
            "data",
            "data/io/files",
            "data/ratings",
            "evaluation",
            "learning/baseline",
            "learning/train",
            "learning/tune",
            "model",
            "model/export",
            "recommend/factor",
            "report",
        ),
        ("apps/pages", "apps/rankers_table"),
    ),
    "serve": Room(
        "models behind HTTP: requests, answers, metrics, sockets; a target of its own",
        (
            "base",
            "base/vector",
            "data",
            "data/groups",
            "data/io/files",
            "data/io/tables",
            "data/runs",
            "model",
            "model/trees",
            "ranking/measure",
            "recommend/models",
        ),
        ("apps/serve",),
    ),
    "serve/explore": Room(
        "the page of dorm explore and what it asks: figures, reasons, judgments; a target of its own",
        (
            "base",
            "data",
            "data/io/files",
            "data/io/tables",
            "data/scale",
            "evaluation",
            "model",
            "ranking/oracle",
            "serve",
        ),
        ("apps/explore",),
    ),
    "lab/collaborative": Room(
        "baselines on ratings, by name: neighbourhoods, factorizations by loss, Gaussian processes",
        ("base", "base/vector", "data/ratings", "evaluation", "recommend/factor", "recommend/joint"),
        ("lab/collaborative",),
    ),
    "lab/compare": Room(
        "comparisons point by point",
        (
            "base",
            "data",
            "data/io/files",
            "evaluation",
            "lab/collaborative",
            "learning/baseline",
            "learning/trees",
            "learning/tune",
            "learning/train",
            "model/export",
            "report",
        ),
        ("lab/comparison", "lab/recommender_comparison"),
    ),
    "lab/experiment": Room(
        "the paper's tables",
        (
            "base",
            "data/io/files",
            "data/io/records",
            "data/ratings",
            "evaluation",
            "lab/collaborative",
            "lab/compare",
            "learning/matching",
            "learning/tune",
            "recommend/factor",
            "recommend/joint",
            "report",
        ),
        ("lab/experiment",),
    ),
    "lab/pages": Room(
        "pages of comparisons and experiments",
        ("lab/compare", "lab/experiment", "report", "report/pages"),
        ("lab/pages",),
    ),
}

ABOVE = {
    "cli/": ("the command: one file per verb; the only place that prints or exits", "everything"),
    "python/": (
        "`bindings/` (nanobind, `dorm._core`) and the package `dorm/`; values borrowed, indices copied, no lock held",
        "everything",
    ),
}


def room_of(path):
    """The room of a file, named by its path from the root of the project; None for a file of no room."""
    parts = path.split("/")
    if parts[0] == "src":
        parts = parts[1:]
    elif parts[0] != "lab":
        return None
    folder = "/".join(parts[:-1])
    return folder if folder in LAYERS else None


def owner_of(header):
    """The room that owns a public header, e.g. "read" or "lab/comparison"."""
    return next((name for name, room in LAYERS.items() if header in room.headers), None)
