#!/usr/bin/env bash
# Runs every fuzz target for FUZZ_SECONDS (default 60), starting from the corpus the project keeps.
#   fuzz.sh BUILD_DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
for target in "$build"/fuzz/fuzz_*; do
  [ -f "$target" ] && [ -x "$target" ] || continue
  name=$(basename "$target")
  work=$build/corpus/$name
  mkdir -p "$work"
  seeds=()
  [ -d "fuzz/corpus/${name#fuzz_}" ] && seeds=("fuzz/corpus/${name#fuzz_}")
  echo "== $name for ${FUZZ_SECONDS:-60} s"
  log=$build/$name.log
  "$target" -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=2048 -timeout=10 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$build/" "$work" "${seeds[@]}" > "$log" 2>&1 || { tail -n 30 "$log"; echo "$name found something: see $build/"; exit 1; }
  grep number_of_executed "$log"
done
