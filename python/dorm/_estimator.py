# SPDX-License-Identifier: Apache-2.0
"""What every estimator does at the end of a fit."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning


class FinishFit:
    """To be mixed in by estimators that have ``_adopt(*model)``, which takes over a trained model."""

    _FROM_AN_EARLIER_FIT: tuple[str, ...] = ()  # attributes that the new fit makes untrue

    def _finish_fit(self, *model: Any, report: Any = None, interrupted: bool | None = None, **attributes: Any) -> Any:
        """Take over the model, the report and other fitted ``attributes``; then raise or warn as the report says.

        Called by `fit` itself, so that warnings point to the line that called `fit`. ``interrupted``: whether Ctrl-C
        stopped the training; None: as the report says.
        """
        for name in self._FROM_AN_EARLIER_FIT:
            self.__dict__.pop(name, None)
        self._adopt(*model)
        for name, value in attributes.items():
            setattr(self, name, value)
        if report is not None:
            self.report_ = report
        if report.interrupted if interrupted is None else interrupted:
            raise KeyboardInterrupt("training was interrupted; the estimator keeps the best model so far")
        self._warn_of_report(report, stacklevel=4)
        return self

    def _warn_of_report(self, report: Any, stacklevel: int) -> None:
        for text in getattr(report, "warnings", ()):
            warnings.warn(text, stacklevel=stacklevel)
        if getattr(report, "status", "") == "pass_limit":
            warnings.warn(
                f"the solver reached the limit of passes (max_passes) at a relative gap of "
                f"{report.certificate.gap:.1e}; raise max_passes or tolerance",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )
