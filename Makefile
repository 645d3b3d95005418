# The front door. Everything is built by CMake from its presets into build/<preset>; `make help` lists the targets.

DEMO ?= quadruped
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

export CTEST_PARALLEL_LEVEL ?= $(JOBS)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

# Some kernels place memory where the sanitizers of older compilers do not expect it; without randomization they agree.
FIXED_ADDRESSES = $$(setarch "$$(uname -m)" -R true 2>/dev/null && echo setarch "$$(uname -m)" -R)

define build
cmake --preset $(1)
cmake --build --preset $(1)
endef

.PHONY: help setup build run studio test debug clang asan tsan lint format docs fuzz bench validate gpu-kit test-gpu bench-gpu soak python wheel aarch64 check-results check-install install clean
.DEFAULT_GOAL := help

help: ## list the targets
	@echo "Voxelastic. Targets:"
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1 @\2/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-22s%s\n", $$1, $$2 }'
	@echo "Variables: DEMO=$(DEMO) PREFIX=$(PREFIX) FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS)"

setup: ## install what building and testing need and is missing (Debian packages, through apt)
	@tools/setup.sh build studio

build: setup ## build the library, the command line, examples and tests into build/release
	$(call build,release)

run: build ## build and run a demo scene into out/; DEMO=NAME chooses it
	build/release/voxelastic demo $(DEMO) -o out/$(DEMO)

studio: build ## build and open the studio in the browser, on this folder
	build/release/voxelastic studio

test: ## build and run every test, those in a browser and of the Python package too
	@tools/setup.sh build studio browser python mpi
	$(call build,release)
	ctest --preset release

debug: setup ## build and test without optimization, with assertions
	$(call build,debug)
	ctest --preset debug

clang: ## build and test with clang
	@tools/setup.sh build clang
	$(call build,clang)
	ctest --preset clang

asan: setup ## test under AddressSanitizer and UndefinedBehaviorSanitizer
	$(call build,asan)
	$(FIXED_ADDRESSES) ctest --preset asan

tsan: ## run the tests that use threads under ThreadSanitizer
	@tools/setup.sh build studio clang
	$(call build,tsan)
	$(FIXED_ADDRESSES) ctest --preset tsan -R 'threads|studio'

lint: ## check the format and run the linters
	@tools/setup.sh build lint
	cmake --preset release
	tools/lint.sh build/release

format: ## format all C files
	@tools/setup.sh lint
	tools/format.sh

docs: ## write the API reference into build/docs/html
	@tools/setup.sh build docs
	$(call build,docs)

fuzz: ## fuzz every reader for FUZZ_SECONDS seconds each
	@tools/setup.sh build clang
	$(call build,fuzz)
	$(FIXED_ADDRESSES) tools/fuzz.sh build/fuzz $(FUZZ_SECONDS)

bench: build ## measure speed: voxel steps per second by case; BENCH=... for cases and options
	build/release/voxelastic bench $(BENCH)

validate: build ## compare with every reference case; the report goes into out/validation; VALIDATE=... for cases and options
	build/release/voxelastic validate -o out/validation $(VALIDATE)

gpu-kit: setup ## put what test-gpu and bench-gpu need into build/gpu-kit, for a machine that has a GPU and its driver only
	tools/gpu.sh kit

test-gpu: gpu-kit ## compare an NVIDIA GPU with the CPU, bit by bit, and look for errors of memory and races
	tools/gpu.sh test

bench-gpu: gpu-kit ## measure speed on an NVIDIA GPU; BENCH=... for cases
	BENCH="$(BENCH)" tools/gpu.sh bench

soak: build ## run the long tests: stability, threads over 10000 steps, all random trials, the solvers' speed, batches at full size
	VXE_SOAK=1 build/release/tests/test_stability
	VXE_SOAK=1 build/release/tests/test_threads
	VXE_SOAK=1 build/release/tests/test_trials
	VXE_SOAK=1 build/release/tests/test_equilibrium
	mkdir -p build/release/soak && cd build/release/soak && VXE_SOAK=1 bash ../../../tests/batch.sh ../voxelastic ../../..

python: setup ## build the Python package into build/release/python, and test it
	@tools/setup.sh python
	cmake --preset release -DVXE_PYTHON=ON
	cmake --build --preset release
	ctest --preset release -R '^python'

wheel: setup ## make a wheel of the Python package, with the libraries it needs inside, in out/
	@tools/setup.sh python
	mkdir -p out
	cd python && VXE_WHEEL=1 /usr/bin/python3 -c 'import backend; print(backend.build_wheel("../out"))'

aarch64: ## cross build the core library and the examples for 64-bit ARM
	@tools/setup.sh build aarch64
	$(call build,aarch64)

check-results: build ## read result files with VTK and meshio
	@tools/setup.sh viewers
	ctest --preset release -R '^results$$' --verbose

check-install: build ## install into a scratch folder and build programs against it
	ctest --preset release -R '^install$$' --verbose

install: build ## install into PREFIX
	cmake --install build/release --prefix $(PREFIX)

clean: ## remove what was built: build/, out/, web/dist/ and web/node_modules/
	rm -rf build out web/dist web/node_modules
