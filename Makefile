# Thin wrappers: each target sets up what it needs (once) and calls CMake, ctest, pytest or a script of tools/.
PRESET ?= release
PYTHON := .venv/bin/python
WITH_PYTHON := -DDORM_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(PYTHON)
export DORM_DATA ?= $(abspath ../shared/data)
# Where ccache is used, one cache for all build folders and checkouts.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR = 1

.PHONY: help build demo python test lint format sanitize fuzz wheel bench check-report \
        test-torch clean

help:          ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 26

build:         ## the command, build/dorm
	@tools/setup.sh build
	@tools/build.sh $(PRESET) dorm_cli

demo: build    ## generate data, run the main job, print a table, write demo/report.md
	@tools/demo.sh build/dorm demo

python:        ## the Python package, in build/package, which .venv imports
	@tools/setup.sh build python
	@tools/build.sh $(PRESET) dorm_python $(WITH_PYTHON)

test:          ## all tests, C++ and Python, on one build of the library
	@tools/setup.sh build test python
	@tools/build.sh $(PRESET) all -DDORM_TESTS=ON $(WITH_PYTHON)
	ctest --preset $(PRESET)
	DORM_COMMAND=build/dorm $(PYTHON) -m pytest -q -ra tests/python

lint:          ## formatting, static analysis and the rules of CONTRIBUTING.md
	@tools/setup.sh build lint sanitize python
	@tools/lint.sh

format:        ## rewrite the sources in the project's format
	@tools/setup.sh lint python
	@git ls-files '*.h' '*.cpp' '*.md' | xargs $(PYTHON) tools/reflow.py
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i
	@.venv/bin/ruff format -q . && .venv/bin/ruff check -q --fix .

sanitize:      ## the C++ tests, built with clang, under the address and undefined-behaviour sanitizers
	@tools/setup.sh build test sanitize
	@tools/build.sh asan all
	ctest --preset asan

fuzz:          ## every fuzz target for FUZZ_SECONDS (60) each
	@tools/setup.sh build sanitize
	@tools/build.sh fuzz all
	@tools/fuzz.sh build-fuzz

wheel:         ## source archive and wheel in dist/, tested in a clean virtual environment
	@tools/setup.sh build python
	@tools/wheel.sh

bench: python  ## the benchmarks, as ratios to rivals measured in the same run; CSV in build-bench/
	@tools/setup.sh bench
	@tools/build.sh bench all
	@for script in benchmarks/*/run.py; do $(PYTHON) $$script --build build-bench || exit 1; done
	@for script in benchmarks/python/*.py; do $(PYTHON) $$script || exit 1; done

check-report: build ## report pages in headless Chromium: overflow, contrast, accessibility; screenshots in build/pages
	@tools/setup.sh browser
	@tools/report_pages.sh build/dorm build/pages
	.venv-browser/bin/python tools/check_report.py build/pages/*.html --shots build/pages

test-torch: python ## the tests of dorm.torch, in .venv-torch (PyTorch is gigabytes: not part of make test)
	@tools/setup.sh torch
	PYTHONPATH=build/package .venv-torch/bin/python -m pytest -q tests/torch

clean:
	rm -rf build build-* demo
