#!/usr/bin/env bash
# The extension of the Python package under the address and undefined-behaviour sanitizers: random inputs must give an
# answer or a Python error. asan_python.sh PYTHON; the interpreter needs what tools/requirements.txt lists.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(command -v "$1")
build=build-asan-python

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_CXX_FLAGS="-O1 -D_GLIBCXX_ASSERTIONS" -DDORM_SANITIZE=address,undefined -DDORM_PYTHON=ON -DDORM_CLI=OFF \
  -DDORM_TESTS=OFF -DPython_EXECUTABLE="$python" "${@:2}" > /dev/null
cmake --build "$build" --target _core
package=$build/package/dorm
mkdir -p "$package"
cp python/dorm/*.py "$package"
cp "$build"/python/_core*.so "$package"

# The interpreter is not instrumented, so the runtime goes first; it and its extensions keep memory to the end.
runtime=$(clang++ -print-file-name=libclang_rt.asan-x86_64.so)
[ -f "$runtime" ] || runtime=$(clang++ -print-file-name=libclang_rt.asan.so)
LD_PRELOAD="$runtime $(clang++ -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$build/package" \
  DORM_FUZZ_ROUNDS="${DORM_FUZZ_ROUNDS:-600}" \
  "$python" -m pytest -q -p no:cacheprovider tests/python/package/test_fuzz.py tests/python/package/test_inputs.py
