#!/usr/bin/env bash
# Runs the C++ tests of a build with the preset coverage: lines reached, by folder and in all; every file in
# BUILD_DIRECTORY/coverage.txt.
#   coverage.sh BUILD_DIRECTORY
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
rm -rf "$build/profiles"
objects=()
while read -r test; do
  LLVM_PROFILE_FILE="$build/profiles/$(basename "$test").profraw" "$test" --gtest_brief=1
  objects+=(-object "$test")
done < <(find "$build/tests" -name '*_test' -type f -perm -u+x | sort)
llvm-profdata merge -o "$build/profiles/all.profdata" "$build"/profiles/*.profraw
llvm-cov report "${objects[@]:1}" -instr-profile "$build/profiles/all.profdata" src include lab > "$build/coverage.txt"

# Columns 8 and 9 are lines and lines missed.
awk '$8 ~ /^[0-9]+$/ && $1 != "TOTAL" { folder = $1; sub(/\/[^\/]*$/, "", folder); lines[folder] += $8; missed[folder] += $9 }
     $1 == "TOTAL" { all = sprintf("%5.1f %%  of %6d lines  %s", 100 * (1 - $9 / $8), $8, "in all") }
     END { for (f in lines) printf "%5.1f %%  of %6d lines  %s\n", 100 * (1 - missed[f] / lines[f]), lines[f], f | "sort -n"
           close("sort -n"); print all }' "$build/coverage.txt"
