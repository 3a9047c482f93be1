#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole job on generated data: tools/demo.sh build/dorm OUTDIR. Prints what it finds and writes OUTDIR/report.md.
set -eu
dorm=$(realpath "$1")
out=$2
mkdir -p "$out"
cd "$out"
began=$(date +%s)
report=report.md
: > $report

say() { printf '%s\n' "$*" | tee -a $report; }
# Runs a command, and puts it and what it prints in the report.
show() {
  { echo; echo '```console'; echo "\$ dorm $*"; } | tee -a $report
  "$dorm" "$@" | tee -a $report
  echo '```' | tee -a $report
}
mean() { sed -n 's/^ *"mean": \([0-9.]*\),*$/\1/p' | head -n 1; }

say "# Training a ranker"
say
say "1100 queries of one generated world: 600 to train on, 200 to choose by, 300 to test on. Another seed would be"
say "another world with other weights, so one file is cut by query."
"$dorm" synth --queries 1100 --features 40 --documents-median 40 --seed 11 -o all.txt
for part in train:1:600 valid:601:800 test:801:1100; do
  echo "$part" | tr : ' ' | {
    read -r name first last
    awk -v first="$first" -v last="$last" '{ q = substr($2, 5) + 0 } q >= first && q <= last' all.txt > "$name.txt"
    "$dorm" convert "$name.txt" "$name.dorm"
  }
done
show info train.dorm

say
say "## Choosing and training"
show tune train.dorm --valid valid.dorm --grid C=10:1e4:10,decay=measure/power:1 --model tuned.json

say
say "## Baselines"
say
best=1 best_mean=0
for feature in $(seq 40); do
  value=$("$dorm" eval valid.dorm --feature "$feature" --measures ndcg@10 --bootstrap 0 --json | mean)
  if awk "BEGIN { exit !($value > $best_mean) }"; then best=$feature best_mean=$value; fi
done
say "The best single feature on the validation data is number $best (NDCG@10 $best_mean)."
"$dorm" train train.dorm --method ridge --model ridge.json --quiet > /dev/null
"$dorm" train train.dorm --method pairwise --model pairwise.json --quiet > /dev/null
for model in tuned ridge pairwise; do "$dorm" rank $model.json test.dorm -o $model.scores; done
awk -v column="$best:" '{ s = 0; for (i = 3; i <= NF && $i != "#"; i++) if (index($i, column) == 1) s = substr($i, length(column) + 1); print s }' \
  test.txt > feature.scores

say
say "## On the test data"
say
say "| ranker | NDCG@10 | 95 % interval | tuned minus this | its 95 % interval | p (permutation) |"
say "|---|---|---|---|---|---|"
row() {
  "$dorm" eval test.dorm --scores "$2.scores" --measures ndcg@10 > table.txt
  figures=$(awk '$1 == "ndcg@10" { print $2 " | " $3 " " $4; exit }' table.txt)
  difference="| | |"
  if [ "$2" != tuned ]; then
    "$dorm" eval test.dorm --scores tuned.scores --against "$2.scores" --measures ndcg@10 > table.txt
    difference=$(awk '$1 == "ndcg@10" { line = $0; n = NF; d = $3; i = $4 " " $5; p = $NF } END { print d " | " i " | " p " |" }' table.txt)
  fi
  say "| $1 | $figures | $difference"
}
row "dorm tune" tuned
row "ridge regression" ridge
row "pairwise hinge" pairwise
row "feature $best alone" feature
rm -f table.txt

say
say "## One query"
say
say '```console'
say "\$ dorm rank tuned.json test.dorm --format order --top 10 | head -n 11"
"$dorm" rank tuned.json test.dorm --format order --top 10 > order.tsv
head -n 11 order.tsv | tee -a $report
say '```'
say
say "## The model"
show info tuned.json
say
say "Took $(($(date +%s) - began)) seconds."
