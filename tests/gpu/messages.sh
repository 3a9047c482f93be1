#!/usr/bin/env bash
# What the command says where a GPU cannot be used, or has too little memory. Needs DORM_COMMAND, built with CUDA, and
# a GPU.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$DORM_COMMAND" synth --queries 2000 --features 40 -o "$folder/data.dorm" -q || exit 1
failures=0

# expect TEXT COMMAND...: the command fails and says TEXT
expect() {
  local text=$1 said
  shift
  if said=$("$@" 2>&1); then echo "no error: $*" && failures=$((failures + 1)); fi
  case $said in *"$text"*) ;; *) echo "expected: $text; said: $said" && failures=$((failures + 1)) ;; esac
}
train=("$DORM_COMMAND" train "$folder/data.dorm" -q --model "$folder/model.json" --device)
gpus=$(nvidia-smi --list-gpus | wc -l)
expect "the NVIDIA driver shows no GPU" env CUDA_VISIBLE_DEVICES= "${train[@]}" cuda
expect "cuda:$GPUs is asked for, but there" "${train[@]}" "cuda:$gpus"
expect "this dorm was built without one" env DORM_CUDA_MODULE=/nowhere "${train[@]}" cuda
expect "are needed at least" "${train[@]}" cuda --memory 1MB
kernel=(--kernel rbf:gamma=0.1 --approx nystroem:200)
expect "dorm_cublas.so, and this dorm was built without one" env DORM_CUBLAS_MODULE=/nowhere "${train[@]}" cuda "${kernel[@]}"
expect "are needed at least to hold 200 documents" "${train[@]}" cuda "${kernel[@]}" --memory 100KB

# Streamed in parts, a training has the bytes of one that the GPU holds.
"${train[@]}" cuda > "$folder/whole.txt" && cp "$folder/model.json" "$folder/whole.json"
"${train[@]}" cuda --memory 12MB > "$folder/parts.txt"
cmp "$folder/whole.json" "$folder/model.json" || failures=$((failures + 1))

# Scores have the same bytes again, and with exact kernels so have models.
for options in "" "${kernel[*]}"; do
  "$DORM_COMMAND" train "$folder/data.dorm" -q --model "$folder/model.json" --device cuda $options > /dev/null || exit 1
  for run in one two; do
    "$DORM_COMMAND" rank "$folder/model.json" "$folder/data.dorm" --device cuda -o "$folder/$run.scores" || exit 1
  done
  cmp "$folder/one.scores" "$folder/two.scores" || failures=$((failures + 1))
done
"$DORM_COMMAND" synth --queries 60 --features 10 -o "$folder/small.dorm" -q || exit 1
for run in one two; do
  "$DORM_COMMAND" train "$folder/small.dorm" -q --model "$folder/$run.json" --device cuda --kernel rbf:gamma=0.1 \
    > /dev/null || exit 1
done
cmp "$folder/one.json" "$folder/two.json" || failures=$((failures + 1))
echo "tests/gpu/messages.sh: $failures failures"
exit $((failures > 0))
