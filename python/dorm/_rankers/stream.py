# SPDX-License-Identifier: Apache-2.0
"""partial_fit: the input of the core's stream."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._input.inputs import Input
from .._measure import Measure
from .._options import setting, train_options


def learn_from(ranker: Any, given: Input) -> _core.Model:
    """One pass over the queries of ``given`` in their order; the ranker's stream is begun when it has none: at the
    weights of an earlier fit, or at 0."""
    options = train_options(ranker)
    if ranker.kernel is not None:
        raise ValueError("partial_fit is for linear rankers; leave kernel=None, or fit on all data at once")
    train = given.labelled(ranker._names(), setting(ranker, "unjudged"))
    measure = ranker.measure
    made = measure._tabulate((train.sorted_labels, train.queries)) if isinstance(measure, Measure) else None
    stream = getattr(ranker, "_stream", None) or _core.Stream(getattr(ranker, "model_", None))
    stream.learn(train.dataset, options, made)
    ranker._stream = stream
    return stream.model(options, made)
