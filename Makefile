# Thin wrappers: each target sets up what it needs (once) and calls CMake, ctest, pytest or a script of tools/.
PRESET ?= release
PYTHON := .venv/bin/python
export DORM_DATA ?= $(abspath ../shared/data)
ifneq ($(shell command -v ccache 2>/dev/null),)
# One cache for all: the command's, the package's and the wheel's objects are the same.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR = 1
CCACHE := ccache
LAUNCHER := -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
endif

.PHONY: help setup venv build demo python wheel test test-torch check-report sanitize bench lint format fuzz clean

help:          ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

setup:
	@tools/setup.sh system

venv: setup
	@tools/setup.sh python

build: setup   ## the library and the command build/dorm
	@cmake --preset $(PRESET) $(LAUNCHER) > /dev/null
	@cmake --build --preset $(PRESET)

demo: build    ## generate data, run the main job, print a table, write demo/report.md
	@tools/demo.sh build/dorm demo

python: venv   ## the Python package, into .venv
	@PATH="$(CURDIR)/.venv/bin:$$PATH" CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) $(PYTHON) -m pip install -q --disable-pip-version-check --no-build-isolation --no-deps .

wheel: setup   ## source archive and wheel in dist/, tested in a clean virtual environment
	@CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) tools/wheel.sh

test: build python ## all tests, C++ and Python
	ctest --preset $(PRESET) -j 2
	DORM_COMMAND=build/dorm $(PYTHON) -m pytest -q -ra tests/python

test-torch: python   ## the tests of dorm.torch, in .venv-torch (PyTorch is gigabytes: not part of make test)
	@tools/setup.sh torch
	PYTHONPATH=$$($(PYTHON) -c 'import dorm, pathlib; print(pathlib.Path(dorm.__file__).parent.parent)') .venv-torch/bin/python -m pytest -q tests/torch

check-report: build   ## report pages in headless Chromium: overflow, contrast, accessibility; screenshots in build/pages
	@tools/setup.sh browser
	@tools/report_pages.sh build/dorm build/pages
	.venv-browser/bin/python tools/check_report.py build/pages/*.html --shots build/pages

sanitize: setup    ## the C++ tests, built with clang, under the address and undefined-behaviour sanitizers
	@cmake --preset asan $(LAUNCHER) > /dev/null
	@cmake --build --preset asan
	ctest --preset asan -j 2

bench: python  ## the benchmarks, as ratios to rivals measured in the same run; CSV in build-bench/
	@cmake --preset bench $(LAUNCHER) > /dev/null
	@cmake --build --preset bench
	@for script in benchmarks/*/run.py; do $(PYTHON) $$script --build build-bench || exit 1; done
	@for script in benchmarks/python/*.py; do $(PYTHON) $$script || exit 1; done

lint: venv     ## formatting, static analysis and the rules of CONTRIBUTING.md
	@tools/lint.sh

format: venv   ## rewrite the sources in the project's format
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i
	@.venv/bin/ruff format -q . && .venv/bin/ruff check -q --fix .

fuzz: setup    ## every fuzz target for FUZZ_SECONDS (60) each
	@cmake --preset fuzz $(LAUNCHER) > /dev/null
	@cmake --build --preset fuzz
	@tools/fuzz.sh build-fuzz

clean:
	rm -rf build build-* demo
