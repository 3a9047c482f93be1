#!/usr/bin/env bash
# Runs every fuzz target for FUZZ_SECONDS (default 60), starting from the corpus the project keeps; as many side by side as
# there are processors.
#   fuzz.sh BUILD_DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
export build=$1 FUZZ_SECONDS=${FUZZ_SECONDS:-60}

fuzz() {
  local name=$1 work=$build/corpus/$1 log=$build/$1.log
  mkdir -p "$work"
  if ! "$build/fuzz/$name" -max_total_time="$FUZZ_SECONDS" -rss_limit_mb=2048 -timeout=10 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$build/" "$work" "fuzz/corpus/${name#fuzz_}" > "$log" 2>&1; then
    tail -n 30 "$log"
    echo "$name found something: see $build/"
    return 1
  fi
  echo "$name: $(sed -n 's/.*number_of_executed_units: *//p' "$log") inputs in $FUZZ_SECONDS s"
}
export -f fuzz

find "$build/fuzz" -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x -printf '%f\n' | sort |
  xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
