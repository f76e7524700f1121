# The two commands of the README and what they stand on. Everything is built into build/.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
jobs := $(shell nproc 2>/dev/null || echo 2)
aisp := build/bin/aisp
# The generator is chosen once: CMake refuses to change it in a folder that has one.
generator = $(if $(wildcard build/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja))

.PHONY: help demo test build format clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo     build, look at this machine, list the targets, run them quickly: on a GPU, or simulated'
	@echo 'make test     build and run all tests'
	@echo 'make build    build only: $(aisp)'
	@echo 'make format   bring every C++ and CUDA file into the house format'
	@echo 'make clean    remove build/'

# A terminal shows the build's progress; a log gets its errors only.
build:
	@./setup
	@mkdir -p build
	@cmake --preset default $(generator) > build/configure.log 2>&1 || { cat build/configure.log >&2; exit 1; }
	@cmake --build build -j $(jobs) -- $$([ -t 1 ] || echo --quiet)

demo: build
	@$(aisp) doctor || [ $$? -eq 4 ]
	@echo
	@$(aisp) bench list-targets
	@echo
	@$(aisp) bench run --quick

# ctest ends in lists and totals; the line that counts is said again as the last one.
test: build
	@set -o pipefail; ctest --test-dir build --output-on-failure -j2 | tee build/test.log; code=$$?; \
	grep 'tests passed' build/test.log; exit $$code

format:
	@./setup
	@python3 -B tests/architecture/format.py --fix

clean:
	@rm -rf build
