# SPDX-License-Identifier: Apache-2.0
"""The command, as the other tests call it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
