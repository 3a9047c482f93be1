#!/usr/bin/env bash
# Configures a preset and builds targets of it, saying first how much there is to do.
#   build.sh PRESET "TARGET..." [CMAKE_OPTION...]
# Options given once stay with the build folder: later calls need not repeat them.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
read -ra targets <<< "$2"
shift 2
case $preset in release | ci) folder=build ;; *) folder=build-$preset ;; esac

echo "configuring $folder (preset $preset)"
cmake --preset "$preset" "$@" > /dev/null
units=$(ninja -C "$folder" -n "${targets[@]}" | grep -c 'Building [A-Z]* object' || true)
echo "building ${targets[*]}: $units units to compile"
NINJA_STATUS="[%f/%t, %e s] " cmake --build "$folder" --target "${targets[@]}"
