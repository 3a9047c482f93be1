#!/usr/bin/env bash
# Installs the build into a fresh prefix, then configures, builds and runs the consumer against it.
#   run.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" > /dev/null
cmake -S "$2/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/build" > /dev/null
"$work/build/consumer"
