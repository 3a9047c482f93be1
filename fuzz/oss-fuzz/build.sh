#!/usr/bin/env bash
# Builds the fuzz targets as OSS-Fuzz expects them: a program for each in $OUT, with its seeds and the libraries it loads.
# Its image sets the variables; without it, the defaults below build with the clang of this machine:
#   OUT=FOLDER fuzz/oss-fuzz/build.sh [TARGET...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -f "$here/project.yaml" ]; then source=$here/../..; else source=${SRC:?}/dorm; fi
export OUT=${OUT:?a folder for what is built} WORK=${WORK:-$OUT/.work}
export CC=${CC:-clang} CXX=${CXX:-clang++}
flags=${CXXFLAGS:--O1 -gline-tables-only -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
# The libraries of the distribution are built with libstdc++.
flags=${flags//-stdlib=libc++/}
mkdir -p "$OUT/lib" "$WORK"

cmake -S "$source" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags" -DDORM_FUZZ=ON \
  -DDORM_FUZZ_ENGINE="$engine" -DDORM_TESTS=OFF -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath,'\$ORIGIN/lib'" > "$WORK/cmake.log"
cmake --build "$WORK/build" --target fuzz

fuzz=$WORK/build/fuzz/fuzz
ldd "$fuzz" | awk '$3 ~ /^\// {print $3}' | grep -v -E '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
  xargs -I{} cp -L {} "$OUT/lib/"
"$fuzz" --seeds="$WORK/seeds"
if [ $# -eq 0 ]; then mapfile -t targets < <("$fuzz" --list); else targets=("$@"); fi
for target in "${targets[@]}"; do
  cp "$fuzz" "$OUT/fuzz_$target"  # the program finds its target in its own name
  seeds=()
  for folder in "$WORK/seeds/$target" "$source/fuzz/corpus/$target"; do [ ! -d "$folder" ] || seeds+=("$folder"); done
  [ ${#seeds[@]} -eq 0 ] || find "${seeds[@]}" -type f -print0 | xargs -0 python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as seeds:
    for number, name in enumerate(sys.argv[2:]):
        seeds.write(name, str(number))
' "$OUT/fuzz_${target}_seed_corpus.zip"
done
echo "${#targets[@]} targets in $OUT"
