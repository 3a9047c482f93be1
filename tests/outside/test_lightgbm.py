# SPDX-License-Identifier: Apache-2.0
"""The thresholds that LightGBM's tests hold its lambdarank to, on the data of its example.

Its test stops on the test set. Here models are chosen by the training file alone; the test file is seen once.
"""

import os
from pathlib import Path

import dorm
import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

DATA = (
    Path(os.environ.get("DORM_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "lightgbm-lambdarank"
)

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data at {DATA}; set DORM_DATA")


def load(name):
    path = next(DATA.glob(f"rank.{name}*"), None)
    X, y = load_svmlight_file(str(path), n_features=301)
    return X.toarray(), y, np.loadtxt(DATA / f"rank.{name}.query", dtype=int)
