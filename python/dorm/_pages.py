# SPDX-License-Identifier: Apache-2.0
"""Pages about models: files, or what a notebook shows."""

from __future__ import annotations

import html
import os
import weakref
from pathlib import Path
from typing import Any

from . import _core


class Page:
    """A document of tables and plots, which a notebook shows and `save` writes."""

    def __init__(self, core: _core.Page) -> None:
        self._core = core

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as ``.html``, ``.md`` or ``.csv``, by the extension, and return the path."""
        self._core.write(os.fspath(path))
        return Path(path)

    def html(self) -> str:
        """The whole page as a text."""
        return self._core.html()

    def _repr_html_(self) -> str:
        inside = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{inside}" style="width:100%;height:40em;border:0" title="report"></iframe>'


class ReportData:
    """What a page is made from: a training or a tuning of the core, with its data.

    Let go at exit at the latest: arrays that the core still holds while the interpreter is taken down are never freed,
    and nanobind complains.
    """

    def __init__(self, core: Any) -> None:
        self._kept = [core]
        weakref.finalize(self, self._kept.clear)

    def page(self, train_name: str, evaluated_on: str) -> _core.Page:
        """The page; the data is called by these names."""
        return self._kept[0].page(train_name, evaluated_on)


def page_at(page: _core.Page, path: Any) -> Path | Page:
    """Written there, or for a notebook where nobody said where."""
    return Page(page) if path is None else Page(page).save(path)
