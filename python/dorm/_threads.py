# SPDX-License-Identifier: Apache-2.0
"""The number of threads for n_jobs."""

from __future__ import annotations

import os
import sys


def thread_count(n_jobs: int | None) -> int:
    """None: 1 inside a joblib worker, else all cores this process may use, within the limits set for OpenMP
    (OMP_NUM_THREADS, threadpoolctl). -1: all cores, -2: all but one, as joblib has it. The core starts no
    more than 64, or four per core."""
    if n_jobs == 1 and not isinstance(n_jobs, bool):
        return 1
    import joblib

    if n_jobs is None:
        from joblib.parallel import get_active_backend
        from threadpoolctl import threadpool_info

        if getattr(get_active_backend()[0], "nesting_level", None):
            return 1
        limits = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "openmp"]
        return max(1, min([joblib.cpu_count(), *(limits or _openmp_limit())]))
    try:
        whole = not isinstance(n_jobs, bool) and int(n_jobs) == n_jobs
    except (TypeError, ValueError, OverflowError):
        whole = False
    if not whole or n_jobs == 0:
        raise ValueError(f"n_jobs is {n_jobs!r}; expected None, a positive number of threads, or -1 for all cores")
    return max(1, joblib.cpu_count() + 1 + int(n_jobs)) if n_jobs < 0 else min(int(n_jobs), sys.maxsize)


def _openmp_limit() -> list[int]:
    """What OpenMP would be limited to, were it loaded."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return [int(first)] if first.isdecimal() and int(first) > 0 else []
