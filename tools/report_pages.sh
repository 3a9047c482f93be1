#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Report pages of every kind from generated data: tools/report_pages.sh build/dorm OUTDIR.
set -eu
dorm=$(realpath "$1")
mkdir -p "$2"
cd "$2"
"$dorm" synth --queries 180 --features 12 --documents-median 20 --seed 5 -o all.txt
awk '{ q = substr($2, 5) + 0 } q <= 120' all.txt > train.txt
awk '{ q = substr($2, 5) + 0 } q > 120' all.txt > valid.txt
# Names of queries and features that a page must show as they are, too long for it, or in another script.
awk 'BEGIN {
  long = sprintf("%300s", ""); gsub(" ", "x", long)
  print "label,qid,<script>alert(1)</script>,\"\"\"><img src=x onerror=alert(2)>\",a|b,=1+2," long
  n = split("<script>alert(1)</script>;=cmd();| pipe |;]]>;שלום;" long, names, ";")
  for (q = 1; q <= n; q++) for (d = 0; d < 9; d++)
    printf "%d,%s,%d,%d,%d,%d,%d\n", d % 3, names[q], (7*d+q) % 11, (5*d+3*q) % 7, (d*d+q) % 5, (3*d+q) % 4, (d+q) % 3
}' > odd.csv
"$dorm" train train.txt --valid valid.txt --model m.json --report train.html --report train.md --report train.csv --quiet > /dev/null
"$dorm" train train.txt --measure mrr --bound predicted --model m.json --report no-validation.html --quiet > /dev/null
"$dorm" train train.txt --method ridge --model m.json --report baseline.html --quiet > /dev/null
"$dorm" tune odd.csv --folds 3 --grid C=10:1e4:10,decay=measure/power:1 --model m.json --report tune.html --quiet > /dev/null
