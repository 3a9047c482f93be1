#!/usr/bin/env bash
# Installs the build into a fresh prefix and moves it; the package holds no path of this machine. Then configures, builds and
# runs the consumer against it.
#   run.sh BUILD_DIRECTORY SOURCE_DIRECTORY
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/installed" > /dev/null
mkdir "$work/elsewhere"
mv "$work/installed" "$work/elsewhere/prefix"
package=$(dirname "$(find "$work/elsewhere/prefix" -name dormConfig.cmake)")
if grep -nE "(^|[^A-Za-z0-9_}.])/[A-Za-z]" "$package"/*.cmake; then
  echo "the lines above hold absolute paths" >&2
  exit 1
fi
cmake -S "$2/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/elsewhere/prefix" > /dev/null
cmake --build "$work/build" > /dev/null
"$work/build/consumer"
