#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole job on generated data: tools/demo.sh build/dorm OUTDIR. Prints what it finds, and writes the page OUTDIR/report.html
# and the text OUTDIR/report.md.
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
"$dorm" eval valid.dorm --feature all --measures ndcg@10 --bootstrap 0 --format csv > features.csv
best=$(sed -n '2s/^feature:\([^,]*\),.*/\1/p' features.csv) best_mean=$(sed -n 2p features.csv | cut -d, -f4)
say "The best single feature on the validation data is number $best (NDCG@10 $best_mean)."
"$dorm" train train.dorm --method ridge --model ridge.json --quiet > /dev/null
"$dorm" train train.dorm --method pairwise --model pairwise.json --quiet > /dev/null

say
say "## On the test data"
show eval test.dorm tuned.json ridge.json pairwise.json "feature:$best" --measures ndcg@10 --report report.html

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
echo
echo "Open $out/report.html in a browser: which ranker is better, on which queries, and why."
