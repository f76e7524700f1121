# The two commands of the README and what they stand on. Everything is built into build/.
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory
jobs := $(shell nproc 2>/dev/null || echo 2)
aisp := build/bin/aisp
# The generator is chosen once: CMake refuses to change it in a folder that has one.
generator = $(if $(wildcard $(1)/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja))
# configure <folder> <options>: silent unless it fails.
configure = mkdir -p $(1) && { cmake --preset $(2) -B $(1) $(call generator,$(1)) $(3) > $(1)/configure.log 2>&1 || \
  { cat $(1)/configure.log >&2; exit 1; }; }

# What `make demo` shows of each chapter where not everything is built already.
demo_targets := ch09:memory_bound,ch09:fused_norm_activation,ch09:tile_program,ch10:matmul,ch10:cluster_group,ch11:stream_ordered,ch14:inspect
demo_folders := ch09/(memory_bound|fused_norm_activation|tile_program)|ch10/(matmul|cluster_group)|ch11/stream_ordered|ch14/inspect
everything := -DAISP_INSTANCES=ON -DAISP_ONLY= -DBUILD_TESTING=ON
has_everything = $(shell grep -s '^AISP_INSTANCES:BOOL=ON' build/CMakeCache.txt)

.PHONY: help demo test nightly all build checker format tidy asan other-host slurm clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo        build a few targets of each chapter, look at this machine, run them: on a GPU, or simulated'
	@echo 'make all         build everything: $(aisp) with all targets'
	@echo 'make test        build everything and run all tests'
	@echo 'make nightly     what takes too long for make test: full sweeps, and every other command of this list; hours'
	@echo 'make checker     aisp without chapters and without nvcc, for sim, check and layout: build-checker/bin/aisp'
	@echo 'make format      bring every C++ and CUDA file into the house format'
	@echo 'make tidy        clang-tidy over base, comm, lab and sim'
	@echo 'make asan        the unit tests under AddressSanitizer and UBSan'
	@echo 'make other-host  base, simulator and run-time compiler cross-compiled for the other kind of host, tested under emulation'
	@echo 'make slurm       a Slurm cluster of two nodes on this machine, and ranks of aisp by srun on it; as root'
	@echo 'make clean       remove what was built'

# A terminal shows the build's progress by itself; a log gets a line now and then, and every error.
demo:
	@./setup
	@$(call configure,build,default,$(if $(has_everything),,-DAISP_INSTANCES=OFF '-DAISP_ONLY=$(demo_folders)' -DBUILD_TESTING=OFF))
	@echo 'building into build/: a few minutes the first time'
	@if [ -t 1 ]; then cmake --build build -j $(jobs) --target aisp; else set -o pipefail; \
	cmake --build build -j $(jobs) --target aisp | awk 'NR % 40 == 1 || /FAILED|[Ee]rror/ {print; fflush()}'; fi
	@$(aisp) doctor || [ $$? -eq 4 ]
	@echo
	@$(aisp) bench run --quick --targets $(demo_targets)
	@echo
	@echo "the report page, for a browser: file://$(CURDIR)/$$($(aisp) report)"
	@echo
	@echo 'These were a few targets. To build all of them takes about twenty minutes on two cores:'
	@echo '  make all, then'
	@echo '  $(aisp) bench list-targets             what there is, rung by rung'
	@echo '  $(aisp) bench run --quick              all of it, at small sizes'
	@echo '  $(aisp) check --targets ch10:matmul    races, missing fences and waits'
	@echo '  $(aisp) report                         the page again, with all runs since'
	@echo '  $(aisp) inspect ch09:tile_program      source, PTX, resources and graph of its rungs'
	@echo 'make test builds and runs the tests as well.'

# A terminal shows the build's progress; a log gets its errors only.
all build:
	@./setup
	@$(call configure,build,default,$(everything))
	@cmake --build build -j $(jobs) -- $$([ -t 1 ] || echo --quiet)

# A terminal shows the build's progress; a log gets its errors only.
checker:
	@./setup checker
	@$(call configure,build-checker,default,-DAISP_CHECKER_ONLY=ON)
	@cmake --build build-checker -j $(jobs) -- $$([ -t 1 ] || echo --quiet)
	@echo 'build-checker/bin/aisp; a Debian package of it: cpack --config build-checker/CPackConfig.cmake'

# ctest ends in lists and totals: tests/skips/run adds what was skipped, and repeats the line that counts as the last one.
# Some tests wait more than they compute: one more than there are processors.
test: all
	@./setup test
	@tests/skips/run build -j $$(($(jobs) + 1))

# The steps are in tools/nightly, which also runs single ones: tools/nightly checker
nightly: all
	@./setup test
	@tools/nightly

format:
	@./setup
	@python3 -B tests/architecture/format.py --fix

tidy:
	@./setup tidy
	@$(call configure,build-tidy,default,$(everything) -DAISP_UNITS=OFF -DCMAKE_CXX_COMPILER_LAUNCHER=)
	@cmake --build build-tidy --target aisp_interface_stamp -- --quiet
	@python3 -B tools/tidy.py build-tidy

asan:
	@./setup
	@$(call configure,build-asan,asan,-DAISP_INSTANCES=OFF -DAISP_BUILD_CHAPTERS=OFF -DAISP_ONLY=)
	@cmake --build build-asan -j $(jobs) --target unit_tests -- $$([ -t 1 ] || echo --quiet)
	@ctest --test-dir build-asan --output-on-failure -j2 -L unit

other-host:
	@./setup other-host
	@tools/other_host

slurm:
	@./setup slurm
	@$(call configure,build,default,$(everything))
	@cmake --build build -j $(jobs) --target aisp fake_nccl -- $$([ -t 1 ] || echo --quiet)
	@python3 -B tests/comm/slurm.py $(aisp) build/tests/libfake_nccl.so

clean:
	@rm -rf build build-asan build-checker build-other build-python build-tidy
