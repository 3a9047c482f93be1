#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Report pages of every kind from generated data: web/checks/report_pages.sh build/dorm OUTDIR.
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
"$dorm" train train.txt --model a.json --quiet > /dev/null
"$dorm" train train.txt --method ridge --model b.json --quiet > /dev/null
"$dorm" eval valid.txt a.json b.json feature:1 --against feature:1 --report eval.html --report eval.md --report eval.csv > /dev/null
"$dorm" eval odd.csv 'feature:a|b' 'feature:<script>alert(1)</script>' '<i>&=given' --report eval-odd.html > /dev/null
"$dorm" tune odd.csv --folds 3 --grid C=10:1e4:10,decay=measure/power:1 --model m.json --report tune.html --quiet > /dev/null
awk 'BEGIN { for (u = 0; u < 40; u++) for (i = 0; i < 30; i++) if ((7*u + 5*i) % 3)
  print "u" u "\ti" i "\t" 1 + 2 * ((u % 2 == i % 2) + (i % 5 == 0)) }' > ratings.tsv
awk 'BEGIN { print "id,title,odd"; for (i = 0; i < 30; i++) print "i" i ",Film number " i "," i % 2 }' > items.csv
"$dorm" recommend train ratings.tsv --split given:10 --rank 4 --item-features items.csv --model m.factors --report factorize.html --quiet > /dev/null
"$dorm" compare all.txt --methods ridge,ranksvm,svm,prank,dorm:ndcg@10,dorm:mrr --C 1,100 --sizes 20,60 --report compare-sizes.html --quiet > /dev/null
"$dorm" compare odd.csv --folds 3 --C 1,100 --report compare-odd.html --quiet > /dev/null
# The web experiments on generated data in the place of MQ2008: the machinery, not the figures.
mkdir -p data/mq2008
"$dorm" synth --queries 60 --features 46 --documents-median 8 --seed 6 -o web.txt
for part in 1 2 3 4 5; do awk -v part="$part" '{ q = substr($2, 5) + 0 } q % 5 == part - 1' web.txt > data/mq2008/S$part.txt; done
for name in web-ndcg-levels runtime solver-table; do
  "$dorm" lab experiment $name --data-dir data --report experiment-$name.html --quiet > /dev/null
done
