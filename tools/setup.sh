#!/usr/bin/env bash
# Installs what the build needs, and nothing that is already there.
#   setup.sh system   compilers and libraries, by the distribution's packages
#   setup.sh python   .venv with what builds the Python package and the peers the tests and benchmarks compare against
#   setup.sh torch    .venv-torch with PyTorch (make test-torch)
#   setup.sh browser  Chromium, and .venv-browser with what drives it (make check-report)
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ clang clang-format clang-tidy llvm cmake ccache ninja-build git ca-certificates libfmt-dev libcli11-dev
          nlohmann-json3-dev libgtest-dev libbenchmark-dev zlib1g-dev libzstd-dev libeigen3-dev coinor-libcbc-dev
          python3-dev python3-venv)

system() {
  local missing=()
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  # The sanitizer and fuzzer runtimes live in a package named after clang's version.
  local clang_major
  clang_major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  if [ -n "$clang_major" ] && ! dpkg-query -W "libclang-rt-$clang_major-dev" >/dev/null 2>&1 &&
     apt-cache show "libclang-rt-$clang_major-dev" >/dev/null 2>&1; then
    missing+=("libclang-rt-$clang_major-dev")
  fi
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing: ${missing[*]}"
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  # On a new machine clang's version is only known once the package lists are here.
  case " ${missing[*]} " in *" clang "*) system ;; esac
}

python() {
  local stamp
  stamp=.venv/$(sha256sum tools/requirements.txt | cut -c1-16)
  [ -f "$stamp" ] && return
  echo "preparing .venv"
  rm -rf .venv
  python3 -m venv .venv
  .venv/bin/pip install -q --disable-pip-version-check -r tools/requirements.txt
  touch "$stamp"
}

browser() {
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || {
    packages=(chromium npm)
    system
  }
  [ -f .venv-browser/ready ] && return
  echo "preparing .venv-browser"
  rm -rf .venv-browser
  python3 -m venv .venv-browser
  .venv-browser/bin/pip install -q --disable-pip-version-check playwright
  if command -v npm >/dev/null; then npm install --silent --prefix .venv-browser axe-core >/dev/null; fi
  touch .venv-browser/ready
}

torch() {
  [ -f .venv-torch/ready ] && return
  echo "preparing .venv-torch"
  rm -rf .venv-torch
  python3 -m venv .venv-torch
  # The build without CUDA is a tenth of the size, where its index can be reached.
  .venv-torch/bin/pip install -q --disable-pip-version-check --retries 0 torch --index-url https://download.pytorch.org/whl/cpu ||
    .venv-torch/bin/pip install -q --disable-pip-version-check torch
  .venv-torch/bin/pip install -q --disable-pip-version-check scikit-learn pytest pandas
  touch .venv-torch/ready
}

"$1"
