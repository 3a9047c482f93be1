#!/usr/bin/env bash
# A build for ARM64 in the emulator of QEMU: the C++ tests of some doors, and files that it writes against those of the
# command of this machine, at its best instruction set and at the portable one (make arm64).
#   arm64.sh BUILD_FOLDER DORM DOOR...
set -euo pipefail
build=$(cd "$1" && pwd) dorm=$(realpath "$2")
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

emulated() { qemu-aarch64-static -L "$build/sysroot" "$@"; }
on_this_machine() { "$dorm" "$@"; }
portable() { DORM_SIMD=portable "$dorm" "$@"; }
on_arm64() { emulated "$build/dorm" "$@"; }

# Minutes of emulation each: comparisons with solvers for every measure and solver. The emulator ignores limits of memory,
# and has a thread of its own.
left_out=Matrix.*:*Reference*:*Optimum*:OracleExactness.*:Agreement.*:Parallel.GoesOnWithoutThreadsThatCannotBeMade:Parallel.GoesOnInAForkedProcess
echo "door       tests  skipped  seconds"
for door in "$@"; do
  began=$SECONDS
  (cd "$build/.." && emulated "$build/tests/$door/${door}_test" --gtest_filter="-$left_out" > "$work/$door.log" 2>&1) ||
    { grep -A20 '\[  FAILED\|Failure' "$work/$door.log" | head -60; exit 1; }
  printf '%-9s  %5d  %7d  %7d\n' "$door" "$(grep -c '^\[       OK' "$work/$door.log")" \
    "$(grep -c '^\[  SKIPPED \].* (' "$work/$door.log" || true)" $((SECONDS - began))
done

# files PROGRAM: what this program makes of the same data.
files() {
  "$1" synth -o data.txt --queries 40 --documents-median 12 --features 8 --seed 1 --quiet
  "$1" synth -o sparse.txt --queries 30 --documents-median 10 --features 40 --density 0.1 --quiet
  for how in "--bound best" "--bound predicted" "--bound average --solver oneslack" "--bound given --solver nslack" "--solver lbfgs" \
    "--measure mrr" "--measure precision@5" "--decay power:0.5" "--curves 4" "--kernel rbf:gamma=median" "--method ridge" \
    "--method ranksvm" "--scale zscore"; do
    "$1" train data.txt $how --model "train${how// /_}.json" --quiet
  done
  "$1" train sparse.txt --model sparse.json --quiet
  "$1" tune data.txt --model tuned.json --quiet
  "$1" rank tuned.json data.txt > ranked.txt
  "$1" eval data.txt --model tuned.json --measures ndcg@10,mrr,map --quiet > eval.out
}
for program in on_this_machine portable on_arm64; do
  mkdir "$work/$program"
  (cd "$work/$program" && files $program > /dev/null)
done
# Where Eigen multiplies matrices, its code for ARM64 adds in another order, and fuses products and sums.
by_eigen=" train--method_ridge.json train--solver_lbfgs.json "
echo
differ=0 same=0
for file in "$work"/on_this_machine/*; do
  name=$(basename "$file")
  cmp -s "$file" "$work/portable/$name" || { echo "$name: other bytes at the portable instruction set"; differ=1; }
  if cmp -s "$file" "$work/on_arm64/$name"; then
    same=$((same + 1))
  elif [[ $by_eigen == *" $name "* ]]; then
    echo "$name: other bytes on ARM64, by Eigen"
  else
    echo "$name: other bytes on ARM64"
    differ=1
  fi
done
echo "$same files of $(ls "$work/on_this_machine" | wc -l): the same bytes on this machine and on ARM64"
exit $differ
