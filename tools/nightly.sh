#!/usr/bin/env bash
# Runs the named targets of the Makefile one after the other, whatever fails; prints a table and exits 1 if any did.
#   nightly.sh TARGET...
set -uo pipefail
cd "$(dirname "$0")/.."
export FUZZ_SECONDS=${FUZZ_SECONDS:-600}
table= failed=0
for target in "$@"; do
  began=$SECONDS
  printf '\n=== %s\n' "$target"
  if make "$target"; then result=ok; else result=FAIL failed=1; fi
  table+=$(printf '%-4s  %5d s  %s' "$result" $((SECONDS - began)) "$target")$'\n'
done
printf '\n%s' "$table"
exit $failed
