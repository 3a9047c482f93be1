#!/usr/bin/env bash
# Everything a reviewer should not have to say: format, static analysis, and the written rules made executable.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
step() {
  local name=$1
  shift
  if "$@"; then echo "ok    $name"; else echo "FAIL  $name"; failed=1; fi
}

formatted() { git ls-files '*.h' '*.cpp' | xargs clang-format --dry-run --Werror; }
analysed() {
  cmake --preset release > /dev/null && cmake --build build > /dev/null || return 1
  git ls-files 'src/*.cpp' 'cli/*.cpp' | xargs -P 2 -n 4 clang-tidy -p build --quiet 2> /dev/null
}

step "clang-format" formatted
step "ruff format" .venv/bin/ruff format -q --check .
step "ruff check" .venv/bin/ruff check -q .
step "project rules" .venv/bin/python tools/check_rules.py
step "clang-tidy" analysed
exit $failed
