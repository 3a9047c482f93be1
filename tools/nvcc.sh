#!/usr/bin/env bash
# Prints the path of the compiler of CUDA: CUDACXX, that of the path, that of /usr/local/cuda, else that of .venv-cuda
# (tools/setup.sh cuda). Those before release 12 do not speak C++20 and are passed over. Prints nothing and exits 1 where
# there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
for found in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$PWD/.venv-cuda/cuda/bin/nvcc"; do
  [ -n "$found" ] && release=$("$found" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\).*/\1/p') || continue
  if [ "${release:-0}" -ge 12 ]; then echo "$found" && exit; fi
done
exit 1
