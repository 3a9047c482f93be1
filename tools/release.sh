#!/usr/bin/env bash
# Makes a release of this commit. docs/policy.md says what a version promises. Pushes nothing.
#   release.sh --set VERSION    first: all files name the version, and what CHANGELOG.md has under [Unreleased] becomes
#                               that of the version; to be committed, and .ci/run to pass on it
#   release.sh VERSION          checks that nothing is in the way, and tags this commit vVERSION
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "release.sh: $*" >&2; exit 1; }

set=
if [ "${1:-}" = --set ]; then set=yes && shift; fi
version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "found '$version'; expected a version such as 1.2.3"
# entries SECTION: what CHANGELOG.md says of it.
entries() { sed -n "/^## \[$1\]/,\$p" CHANGELOG.md | sed '1d;/^## /,$d' | grep '^- '; }

if [ -n "$set" ]; then
  entries Unreleased > /dev/null || fail "CHANGELOG.md has nothing under [Unreleased]"
  ! grep -qF "## [$version]" CHANGELOG.md || fail "CHANGELOG.md has a section [$version] already"
  sed -i "s/^## \[Unreleased\]$/## [Unreleased]\n\n## [$version] - $(date -u +%F)/" CHANGELOG.md
  sed -i -E "s/^(project\(dorm VERSION )[0-9.]+/\1$version/" CMakeLists.txt
  sed -i -E "s/^version = \".*\"$/version = \"$version\"/" pyproject.toml
  sed -i -E "s/^version: .*$/version: $version/" CITATION.cff
  sed -i -E "s/^(find_package\(dorm )[0-9.]+/\1${version%.*}/" tests/consumer/CMakeLists.txt
  git diff --stat
  exit 0
fi
[ -z "$(git status --porcelain)" ] || fail "the tree is not clean: commit or remove what git status shows"
! git rev-parse -q --verify "refs/tags/v$version" > /dev/null || fail "the tag v$version is there already"

# named FILE EXPRESSION: the version that a file names.
named() {
  local found
  found=$(sed -nE "s/$2/\1/p" "$1" | head -n 1)
  [ "$found" = "$version" ] || fail "$1 names $found; expected $version"
}
named CMakeLists.txt '^project\(dorm VERSION ([0-9.]+).*'
named pyproject.toml '^version = "(.*)"$'
named CITATION.cff '^version: (.*)$'

entries "$version" > /dev/null || fail "CHANGELOG.md says nothing of [$version]"
! entries Unreleased > /dev/null || fail "CHANGELOG.md has entries under [Unreleased], which this commit would release"

# .ci/run leaves the name of the tree that passed.
[ "$(cat build/ci-passed 2> /dev/null)" = "$(git rev-parse 'HEAD^{tree}')" ] || fail ".ci/run has not passed on this commit"

git tag -a "v$version" -m "Version $version"
echo "v$version is tagged; git push --follow-tags publishes it"
