# SPDX-License-Identifier: Apache-2.0
"""Exported models, scored by what they were exported for, and held against the command and the definition."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from cases import DOUBLE, SINGLE, Case, refused
from command import dorm

HELD = 1e-12  # of the sum of |terms|: for what computes in doubles
OVERFLOW, OVERFLOW_SINGLE = 1e300, 1e36  # what is so large may overflow on the way, in one order of operations or other


@dataclass
class Exported:
    case: Case
    folder: Path  # with model.json and data.jsonl of the case

    @property
    def name(self):
        """Of the model in the engine."""
        return f"m{self.folder.name}"

    @property
    def model(self):
        return self.folder / "model"

    @property
    def features(self):
        """What the engine has to know of the features first; empty where there is nothing."""
        path = self.folder / "features"
        return path.read_text() if path.exists() else ""


@dataclass(frozen=True)
class Engine:
    """`score` takes a list of Exported, and answers with the scores of each, or with the text of a refusal."""

    target: str
    kinds: tuple
    score: Callable
    single: bool = False  # computes in float32
    constant: Optional[bool] = True  # scores have the constant of the model, or not; None: one of their own
    options: tuple = ()  # of dorm export
    declared: bool = False  # has to know the features first, always or for some scalings
    numbered: bool = False  # features are numbers to it
    expressions: bool = False  # a map of names has whole expressions for it
    fills: bool = False  # puts means for missing features itself
    test: str = ""  # to tell two engines of one target apart

    def feature_names(self, count):
        return [str(j + 1) if self.numbered else f"f{j + 1}" for j in range(count)]

    def __str__(self):
        return "-".join([self.target, *([self.test] if self.test else []), *(o.lstrip("-") for o in self.options)])


def export(engine, case, folder):
    """Exported, or the finished command where it refused."""
    folder.mkdir(parents=True)
    case.write(folder)
    options = ["--name", f"m{folder.name}", *(["--names", folder / "names.csv"] if case.names else [])]
    if engine.declared and (engine.target == "solr" or (case.logarithm and case.reciprocals() > 0)):
        options += ["--features", folder / "features"]
    done = dorm(
        *("export", folder / "model.json", "--to", engine.target, "-o", folder / "model", "-q", *options),
        *engine.options,
        status=None,
    )
    return done if done.returncode else Exported(case, folder)


def allowed(case, engine, truth):
    """What a score may be off by: rounding errors of all operations, by the sizes of the terms."""
    if not engine.single:
        # ln(1 + |x|) is rounded at 1 + |x|.
        logarithms = 4 * DOUBLE * case.reciprocals() if case.logarithm else 0
        return HELD * truth.size + logarithms + 2.0**-1074 * truth.multipliers
    # Weight, shift, divisor and feature are rounded once each, then three operations per term, and the sum.
    rounded = (len(case.features) + 8) * SINGLE * truth.size * 1.001
    logarithms = 8 * SINGLE * case.reciprocals() if case.logarithm else 0
    return rounded + logarithms + 2.0**-149 * truth.multipliers


def differences(engine, exported, scores, ranked):
    """Sentences about scores that are off the definition and, if `ranked`, the command; none: all is well."""
    case = exported.case
    if isinstance(scores, str):
        return [f"{engine} refused {exported.folder}: {scores[:500]}"]
    truths = case.truth()
    command = case.ranked(exported.folder) if ranked else [truth.score for truth in truths]
    if not len(scores) == len(truths) == len(command):
        return [f"{engine}: {len(scores)} scores of {len(truths)} documents; the command has {len(command)}"]
    wrong = []
    shift = scores[0] - truths[0].score if engine.constant is None else 0.0
    for row, (found, truth, theirs) in enumerate(zip(scores, truths, command)):
        if not max(truth.size, truth.multipliers) < (OVERFLOW_SINGLE if engine.single else OVERFLOW):
            continue
        full = found + truth.constant if engine.constant is False else found - shift
        tolerance = allowed(case, engine, truth if engine.constant is not None else case.widest())
        for name, expected in (("dorm rank", theirs), ("the definition", truth.score)):
            if not abs(full - expected) <= tolerance:
                off = abs(full - expected) / (truth.size or 1)
                wrong.append(
                    f"{engine} {case.kind} row {row} of {exported.folder}: {full!r}, {name} {expected!r}, {off:.2g} off"
                )
    return wrong


def check(engine, cases, folder):
    """All cases are exported, scored and equal."""
    exports = [export(engine, case, folder / str(i)) for i, case in enumerate(cases)]
    for done in exports:
        assert isinstance(done, Exported), done.stderr
    compare(engine, exports)


def compare(engine, exports, ranked=True):
    results = engine.score(exports)
    wrong = [text for one, scores in zip(exports, results) for text in differences(engine, one, scores, ranked)]
    assert not wrong, "\n".join(wrong[:10])


def check_or_refused(engine, cases, folder):
    """Cases of one odd name each, of the first feature: equal, or refused by a message that shows the name."""
    exports, silent = [], []
    for i, case in enumerate(cases):
        done = export(engine, case, folder / str(i))
        if isinstance(done, Exported):
            exports.append(done)
        elif not refused(done, case.names.get(case.features[0], case.features[0])):
            silent.append(f"{case.features[0]!r}: {done.stderr}")
    assert not silent, "\n".join(silent)
    compare(engine, exports, ranked=False)
    return len(exports)
