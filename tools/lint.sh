#!/usr/bin/env bash
# Everything a reviewer should not have to say: format, static analysis, and the written rules made executable.
set -uo pipefail
cd "$(dirname "$0")/.."
python=.venv/bin/python
failed=0
step() {
  local name=$1 began=$SECONDS
  shift
  if "$@"; then echo "ok    $name ($((SECONDS - began)) s)"; else echo "FAIL  $name"; failed=1; fi
}

formatted() { git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror; }
analysed() { cmake --preset release > /dev/null && $python tools/clang_tidy.py build; }

step "clang-format" formatted
step "ruff format" .venv/bin/ruff format -q --check .
step "ruff check" .venv/bin/ruff check -q .
step "project rules" $python tools/check_rules.py
step "gauges" $python tools/house.py --check
step "map of the architecture" $python tools/architecture.py --check
step "generated tables" $python tools/generated.py --check
step "mutations" $python tests/mutation/mutate.py --check
step "clang-tidy" analysed
exit $failed
