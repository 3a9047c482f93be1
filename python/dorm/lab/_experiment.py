# SPDX-License-Identifier: Apache-2.0
"""The experiments of the paper."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import _core
from .._compare import CellProgress, MethodComparison
from .._pages import Page, page_at
from .._progress import watching
from .._tables import pandas_for
from .._threads import thread_count


@dataclass(frozen=True, eq=False)
class ExperimentTable:
    """A table of text, ours with the paper's beside it."""

    caption: str
    columns: list[str]
    rows: list[list[str]]

    def to_frame(self) -> Any:
        """A pandas data frame of text."""
        wide = [row + [""] * (len(self.columns) - len(row)) for row in self.rows]
        return pandas_for("to_frame").DataFrame(wide, columns=self.columns)


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What `run_experiment` returns; prints as Markdown."""

    name: str
    title: str
    paper: str  #: what the paper found
    difference: str  #: why ours need not be the same
    remarks: list[str]  #: how it was done
    tables: list[ExperimentTable]
    comparisons: dict[str, MethodComparison]  #: by data set: what the tables are from
    _core: Any = field(repr=False)

    def report(self, path: str | os.PathLike[str] | None = None) -> Path | Page:
        """Write the page of ``dorm experiment`` and return its path; without one, show it in a notebook."""
        return page_at(self._core.page(), path)

    def to_csv(self) -> str:
        """Every table, one below the other."""
        return self._core.csv()

    def __str__(self) -> str:
        return self._core.markdown()


def run_experiment(
    name: str,
    data_dir: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    choose: str = "best",
    progress: bool | str | Callable[[dict[str, Any]], Any] | None = None,
    n_jobs: int | None = None,
    random_state: int = 1,
) -> ExperimentResult:
    """A table of the paper on data that can be had, as ``dorm experiment`` makes it (docs/comparisons.md).

    Parameters
    ----------
    name
        Of ``dorm.catalog("experiment")``.
    data_dir
        The folder of data sets; None: that of the environment variable DORM_DATA. `experiment_files` says what is
        missing there.
    out
        A folder for finished runs: the same call continues an interrupted comparison.
    choose, progress
        As for `compare_methods`.
    """
    options = _core.ExperimentOptions()
    options.data_directory = _folder(data_dir)
    options.directory = "" if out is None else os.path.join(os.fspath(out), "cells")
    options.threads, options.seed, options.choose = thread_count(n_jobs), int(random_state), choose
    with watching(None, CellProgress(0), progress) as callback:
        core = _core.run_experiment(name, options, callback)
    return ExperimentResult(
        name=core.name,
        title=core.title,
        paper=core.paper,
        difference=core.difference,
        remarks=core.remarks,
        tables=[ExperimentTable(caption, columns, rows) for caption, columns, rows in core.tables],
        comparisons={data: MethodComparison._of(told, markdown) for data, told, markdown in core.comparisons},
        _core=core,
    )


def experiment_files(name: str, data_dir: str | os.PathLike[str] | None = None) -> list[dict[str, str]]:
    """The files of an experiment that are not in the folder: set, path, published, url ("" where the publisher has no
    plain address) and sha256."""
    fields = ("set", "path", "published", "url", "sha256")
    return [dict(zip(fields, file)) for file in _core.missing_data(name, _folder(data_dir))]


def _folder(data_dir: Any) -> str:
    folder = os.environ.get("DORM_DATA", "") if data_dir is None else os.fspath(data_dir)
    if not folder:
        raise ValueError("data_dir is not given, and DORM_DATA is not set; expected the folder of data sets")
    return folder
