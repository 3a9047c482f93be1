# SPDX-License-Identifier: Apache-2.0
"""Results as data frames, and as tables of a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


def pandas_for(what: str) -> Any:
    """pandas, which is optional and imported when first needed."""
    try:
        import pandas
    except ImportError:
        raise ImportError(f"{what} needs pandas; install it with: pip install pandas") from None
    return pandas


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "", note: str = "") -> str:
    """Text stands left, everything else right."""

    def cell(value: Any, tag: str) -> str:
        align = "left" if isinstance(value, str) and tag == "td" else "right"
        return f'<{tag} style="text-align:{align}">{html.escape(str(value))}</{tag}>'

    parts = ["<table>"]
    if caption:
        parts.append(f'<caption style="text-align:left">{html.escape(caption)}</caption>')
    parts.append("<thead><tr>" + "".join(cell(name, "th") for name in header) + "</tr></thead><tbody>")
    parts += ["<tr>" + "".join(cell(value, "td") for value in row) + "</tr>" for row in rows]
    parts.append("</tbody></table>")
    if note:
        parts.append(f"<p>{html.escape(note)}</p>")
    return "".join(parts)


class Figure(float):
    """A number that is shown in a given format."""

    def __new__(cls, value: float, form: str = ".4f") -> Figure:
        figure = super().__new__(cls, value)
        figure.form = form
        return figure

    form: str

    def __str__(self) -> str:
        return "-" if self != self else format(float(self), self.form)
