#!/usr/bin/env bash
# Executes the notebooks and builds the documentation site: build.sh OUTDIR. Warnings (a broken link or anchor, a page
# outside of the navigation) are errors. Needs .venv-docs (setup.sh docs), build/dorm and build/package, and no network.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/build:$PATH" DORM_NOTEBOOKS=$PWD/build/notebooks NO_MKDOCS_2_WARNING=1
.venv-docs/bin/python tools/notebooks.py --out "$DORM_NOTEBOOKS"
.venv-docs/bin/python web/site/api_reference.py # docs/python-api.md
.venv-docs/bin/mkdocs build --quiet --strict --site-dir "$1"
# Whatever is fetched when a page opens must come with the site.
if grep -rlE '<(script|link|img)[^>]* (src|href)="?(https?:)?//' --include='*.html' "$1"; then
  echo "web/site/build.sh: these pages fetch something from elsewhere" >&2
  exit 1
fi
echo "$(find "$1" -name '*.html' | wc -l) pages in $1; to read: python3 -m http.server --directory $1"
