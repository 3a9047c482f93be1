#!/usr/bin/env bash
# Runs the fuzz targets, as many side by side as there are processors, from the seeds in fuzz/corpus and those that the
# targets make themselves; prints a table of executions. What was learnt stays in BUILD_DIRECTORY/corpus for the next run.
#   fuzz.sh BUILD_DIRECTORY [TARGET...]
# FUZZ_SECONDS (60): how long each target runs. FUZZ_RUNS: so many executions each instead, from the seeds alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export build=$1 FUZZ_SECONDS=${FUZZ_SECONDS:-60} FUZZ_RUNS=${FUZZ_RUNS:-}
shift
export UBSAN_OPTIONS=print_stacktrace=1
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi  # some targets read from files

fuzz() {
  local name=$1 log=$build/fuzz-$1.log began=$SECONDS limit=(-max_total_time="$FUZZ_SECONDS") folders result
  folders=("$build/corpus/$name")  # the first folder is the one that new inputs are added to
  if [ -n "$FUZZ_RUNS" ]; then
    limit=(-runs="$FUZZ_RUNS" -seed=1)
    folders=("$build/corpus/short-$name")
    rm -rf "${folders[0]}"
  fi
  mkdir -p "${folders[0]}"
  for folder in "$build/seeds/$name" "fuzz/corpus/$name"; do
    if [ -d "$folder" ]; then folders+=("$folder"); fi
  done
  if "$build/fuzz/fuzz" --target="$name" "${limit[@]}" -rss_limit_mb=2048 -timeout=20 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="$build/$name-" "${folders[@]}" > "$log" 2>&1; then
    result=ok
  else
    result=FOUND
    tail -n 40 "$log" >&2
  fi
  printf '%-5s %12s executions  %5d s  %s\n' "$result" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" $((SECONDS - began)) "$name"
}
export -f fuzz

rm -rf "$build/seeds"
"$build/fuzz/fuzz" --seeds="$build/seeds"
if [ $# -eq 0 ]; then mapfile -t targets < <("$build/fuzz/fuzz" --list); else targets=("$@"); fi
table=$(printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}' | sort -k6)
printf '%s\n' "$table" | awk '{print; sum += $2} END {printf "%18s executions in all\n", sum}'
if grep -q ^FOUND <<< "$table"; then
  echo "findings lie in $build/TARGET-*; run one again with $build/fuzz/fuzz --target=TARGET FILE"
  exit 1
fi
