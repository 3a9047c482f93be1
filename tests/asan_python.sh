#!/usr/bin/env bash
# The extension of the Python package under the address and undefined-behaviour sanitizers: random inputs must give an
# answer or a Python error.
#   asan_python.sh PYTHON BUILD_DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."

# The interpreter is not instrumented, so the runtime goes first; it and its extensions keep memory to the end.
runtime=$(clang++ -print-file-name=libclang_rt.asan-x86_64.so)
[ -f "$runtime" ] || runtime=$(clang++ -print-file-name=libclang_rt.asan.so)
LD_PRELOAD="$runtime $(clang++ -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$2/package" \
  DORM_FUZZ_ROUNDS="${DORM_FUZZ_ROUNDS:-600}" \
  "$1" -m pytest -q -p no:cacheprovider tests/python/package/test_fuzz.py tests/python/package/test_inputs.py \
  tests/python/package/test_changed_arrays.py
