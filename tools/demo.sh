#!/usr/bin/env bash
# The main job on generated data: generate, look, convert, evaluate two rankers and compare them.
#   demo.sh COMMAND DIRECTORY      prints a table and writes DIRECTORY/report.md
set -euo pipefail
dorm=$(realpath "$1")
mkdir -p "$2"
cd "$2"
"$dorm" synth --queries 1000 --features 40 --seed 7 -o data.txt
"$dorm" convert data.txt data.dorm
{
  echo "# DORM demo"
  echo
  echo "1,000 generated queries, written as text, converted to the binary form, ranked by single features."
  echo
  echo '```'
  "$dorm" info data.dorm
  for feature in 1 2 3; do
    echo
    echo "\$ dorm eval data.dorm --feature $feature --measures ndcg@10,mrr,precision@5,map"
    "$dorm" eval data.dorm --feature "$feature" --measures ndcg@10,mrr,precision@5,map
  done
  echo '```'
} | tee report.md
echo "written to $2/report.md"
