# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows below scikit-learn's diagram of a fitted estimator."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ._tables import Figure, html_table

_SHOWN = 10  # weights


class FittedView:
    """To be mixed in before BaseEstimator: `_fitted_html` follows its diagram."""

    def _fitted_html(self) -> str:
        """Nothing before fit."""
        raise NotImplementedError

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._fitted_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._fitted_html()
        return bundle


def ranker_html(ranker: Any) -> str:
    """The largest weights, and how good the model is by its own account."""
    model = ranker.model_
    facts = [f"trained for {model.measure}", f"bound {model.bound}", f"C = {model.C:g}", f"scaling {model.scaling}"]
    if model.certificate["status"]:
        facts.append(f"{model.certificate['status']} at a gap of {model.certificate['gap']:.1e}")
    if model.bound != "none":
        facts.append(f"explained_risk {model.explained_risk:.3f}")
    if model.validation == model.validation:
        facts.append(f"validation {model.validation:.4f}")
    note = ", ".join(facts)
    if model.kernel != "none":
        return f"<p>{html.escape(f'{note}, kernel {model.kernel}')}</p>"
    weights, names = model.weights, model.features
    order = np.argsort(-np.abs(weights), kind="stable")[:_SHOWN]
    rows = [(names[j], Figure(weights[j], "+.4g")) for j in order]
    return html_table(["feature", "weight"], rows, f"the {len(rows)} largest of {len(weights)} weights", note)
