# make help says what there is. Each goal does all set-up that it needs.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
MAKEFLAGS += --no-builtin-rules

PRESET ?= release
BUILD := build/$(PRESET)
PREFIX ?= /usr/local
PYTHON := build/env/python/bin/python
# One MPI by the name that `stretto info` gives it, or all that were found.
MPI ?= all
# For `make test`: another LLVM whose plugin is built, too, and the only one that compiles in the tests of the compiler.
LLVM ?=
ONE_MPI := $(if $(filter all,$(MPI)),,--mpi $(MPI))
# C and C++; strettof.h and mpif.h are Fortran.
OURS := git ls-files -z '*.cpp' '*.c' '*.h' ':!include/stretto/strettof.h' ':!*/mpif.h'

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

.PHONY: setup
setup: ## system packages (where we are root), the Python environment, the MPI libraries
	@setup/install

.PHONY: build configure
build: configure ## libstretto for every MPI found, the stretto command, the kernels (MPI=openmpi|..., PRESET=release|debug|asan|ubsan|tsan)
	@cmake --build $(BUILD) --target $(if $(filter all,$(MPI)),all,$(MPI))

# In the gate (CI) warnings are errors; elsewhere other compilers may have others.
configure: setup
	@[ -z "$(CI)" -a -f $(BUILD)/build.ninja ] || cmake --preset $(PRESET) $(if $(CI),-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)

.PHONY: compilers
compilers: ## clang, flang and LLVM, for stretto-cc and its like (where we are root); then `make` builds their plugin (LLVM=16: that one, too)
	@setup/compilers $(LLVM)

.PHONY: check
check: configure ## after a change: format, lint, unit tests, what is promised under one MPI; three minutes (MPI=openmpi)
	@$(PYTHON) tests/check --build $(BUILD) $(ONE_MPI)

.PHONY: test
test: compilers configure ## every test (SUITE='mpi helper', MPI=openmpi|..., K='words of names'; LLVM=16: those of the compiler, by that LLVM)
	@$(if $(LLVM),cmake -S . -B $(BUILD) '-DSTRETTO_LLVM=$(LLVM);19;22' >/dev/null)
	@$(if $(LLVM),STRETTO_TESTS_LLVM=$(LLVM)) $(PYTHON) tests/run.py --make --build $(BUILD) $(ONE_MPI) $(if $(K),-k '$(K)') $(or $(SUITE),$(if $(LLVM),compiler))

.PHONY: test-all
test-all: compilers configure ## the same, and all combinations of MPIs, settings and languages, of which `make test` has each pair; hours
	@$(PYTHON) tests/run.py --make --build $(BUILD) --all $(ONE_MPI) $(if $(K),-k '$(K)') $(SUITE)

.PHONY: demo
demo: MPI := $(if $(filter all,$(MPI)),openmpi,$(MPI))
demo: configure ## real files compressed over an emulated cluster, plain and with Stretto; a table and an HTML report (MPI=openmpi)
	@cmake --build $(BUILD) --target demo_$(MPI)
	@MPI=$(MPI) bench/demo

.PHONY: compiled-kernels
compiled-kernels: build compilers ## what `stretto bench` measures by --trigger compiler or tool (MPI=openmpi|...)
	@cmake . -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target compiled_kernels$(if $(filter all,$(MPI)),,_$(MPI))

.PHONY: figures
figures: build ## the table of figures in docs/bench.md, measured anew
	@bench/figures $(ONE_MPI)

.PHONY: promises
promises: build ## what an MPI library promises, in every setting under every MPI (make test leaves some out) (MPI=openmpi|...)
	@STRETTO_BUILD=$(CURDIR)/$(BUILD) STRETTO_TESTS_FULL=1 $(PYTHON) -m pytest -q tests/mpi $(ONE_MPI)

.PHONY: lint
lint: setup ## format of C++ and Python
	@$(OURS) | xargs -0 --no-run-if-empty clang-format --dry-run -Werror
	@$(PYTHON) -m ruff check . && $(PYTHON) -m ruff format --check .

.PHONY: tidy
tidy: build ## clang-tidy over the runtime: faults, not taste
	@tests/tidy --build $(BUILD)

.PHONY: format
format: setup ## make it so
	@$(OURS) | xargs -0 --no-run-if-empty clang-format -i
	@$(PYTHON) -m ruff check --fix . ; $(PYTHON) -m ruff format .

.PHONY: settings
settings: configure ## the tables of settings in docs/ and man/, from runtime/settings/settings.def
	@cmake --build $(BUILD) --target stretto
	@$(PYTHON) tests/command/settings_in_pages.py $(BUILD)/bin/stretto

.PHONY: fuzz
fuzz: build ## random programs, with and without Stretto, compared (MPI=openmpi|..., PROGRAMS=1000, SEED=1, TRIGGER=pages, MODE=run: calls return early, MODE=unmatched: before the match, MODE=coll: half of it collectives, LANGUAGE=c|fortran)
	@tests/fuzz/campaign --build $(BUILD) $(ONE_MPI) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(if $(SEED),--seed $(SEED)) $(if $(TRIGGER),--trigger $(TRIGGER)) $(if $(LANGUAGE),--language $(LANGUAGE)) $(if $(filter run,$(MODE)),--release) $(if $(filter unmatched,$(MODE)),--release unmatched) $(if $(filter coll,$(MODE)),--collectives)

.PHONY: simulated
simulated: build ## what `stretto bench KERNEL --simulate` runs: thousands of ranks in one process, in virtual time
	@cmake --build $(BUILD) --target simulated_kernels

.PHONY: simulate
simulate: build ## random programs of up to seven ranks in one process, over a simulated library and network (SCHEDULES=1000000, SEED=1)
	@cmake --build $(BUILD) --target simulate
	@STRETTO_BUILD=$(CURDIR)/$(BUILD) $(PYTHON) tests/simulation/campaign $(if $(SCHEDULES),--schedules $(SCHEDULES)) $(if $(SEED),--seed $(SEED))

.PHONY: fuzz-compiler
fuzz-compiler: build ## random programs, compiled plain, by stretto-cc and stretto-fc, and with -fstretto-check, compared (MPI=openmpi|..., LLVM=19|22, PROGRAMS=100, SEED=1, LANGUAGE=c|fortran)
	@cmake --build $(BUILD) --target stretto_passes
	@tests/fuzz/compiler/campaign --build $(BUILD) $(ONE_MPI) $(if $(LLVM),--llvm $(LLVM)) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(if $(SEED),--seed $(SEED)) $(if $(LANGUAGE),--language $(LANGUAGE))

.PHONY: fuzz-mdmp
fuzz-mdmp: build ## random programs with MDMP's directives: plain MPI, and stretto-cc in each way, compared (as fuzz-compiler)
	@cmake --build $(BUILD) --target stretto_passes
	@tests/fuzz/compiler/campaign --build $(BUILD) $(ONE_MPI) $(if $(LLVM),--llvm $(LLVM)) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(if $(SEED),--seed $(SEED)) --language c --shape directives

.PHONY: suite-mpich
suite-mpich: build ## MPICH's own tests, by MPI alone and with Stretto: the same pass (MPI=openmpi|..., as for suite-mpi4py)
	@tests/suites/run mpich --build $(BUILD) $(ONE_MPI)

.PHONY: suite-mpi4py
suite-mpi4py: build ## mpi4py's own tests, likewise
	@tests/suites/run mpi4py --build $(BUILD) $(ONE_MPI)

.PHONY: packages
packages: compilers build ## Debian source packages, built by stretto-cc and its like and without: their own tests pass alike, each MPI call is told of; a quarter of an hour (LLVM=19, NAMES='hypre mumps')
	@cmake --build $(BUILD) --target stretto_passes
	@STRETTO_BUILD=$(CURDIR)/$(BUILD) $(PYTHON) tests/packages/run $(if $(LLVM),--llvm $(LLVM)) $(NAMES)

.PHONY: model
model: setup ## the protocol's models, checked
	@docs/protocol/check

.PHONY: hazards
hazards: configure ## what breaks page protection, under each of its mechanisms; as root, as an unprivileged user too
	@cmake --build $(BUILD) --target unit_tests
	@tests/hazard/run --build $(BUILD)

.PHONY: safety
safety: build ## programs of every kind of docs/safety.md, twenty times in every way a user may have them; an hour (MPI=openmpi|..., TURNS=20)
	@tests/safety/run $(ONE_MPI) $(if $(TURNS),--turns $(TURNS))

.PHONY: mutants
mutants: compilers build ## each safety property of the protocol, of the pages and of the compiler is taken out once, and some test notices (KIND=runtime|compiler)
	@tests/mutants/run $(if $(KIND),--kind $(KIND))

.PHONY: sanitize
sanitize: export ASAN_OPTIONS = detect_leaks=0# of the MPI libraries
sanitize: sanitize-asan sanitize-ubsan sanitize-tsan ## the runtime under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer (MPI=openmpi|...)

# Nobody links the programs of the tests with a sanitizer: its run-time library is preloaded, and Stretto behind it. Calls that return early
# once more by mprotect: AddressSanitizer has a handler of SIGSEGV, too.
sanitize-%:
	@$(MAKE) build PRESET=$*
	@ctest --test-dir build/$* -R '^unit' --output-on-failure
	@STRETTO_BUILD=$(CURDIR)/build/$* LD_PRELOAD=$$(gcc -print-file-name=lib$*.so) \
		$(PYTHON) -m pytest -q tests/mpi tests/matrix $(ONE_MPI)
	@STRETTO_BUILD=$(CURDIR)/build/$* LD_PRELOAD=$$(gcc -print-file-name=lib$*.so) STRETTO_TRACKER=mprotect STRETTO_GUARD=mprotect \
		STRETTO_TESTS_WHOLE_PAGES=1 $(PYTHON) -m pytest -q tests/mpi -k "released- or unmatched- or pages-" $(ONE_MPI)

# ThreadSanitizer sees what Stretto itself reads and writes, and no more: the MPI library and the programs are built without it. Python crashes
# with its run-time library, so only the ranks have it. While it starts it sets handlers of signals, and would call our sigaction too early.
# Unit tests have one thread each. Hazards fail with its allocator and its maps. By one MPI, unless MPI names another.
sanitize-tsan: one_mpi := $(if $(filter all,$(MPI)),openmpi,$(MPI))
sanitize-tsan: setup
	@cmake --preset tsan
	@cmake --build build/tsan --target stretto_$(one_mpi)
	@STRETTO_BUILD=$(CURDIR)/build/tsan STRETTO_TESTS_PRELOAD=$$(realpath $$(gcc -print-file-name=libtsan.so)) \
		TSAN_OPTIONS="ignore_noninstrumented_modules=1 report_signal_unsafe=0 history_size=7 \
			handle_segv=0 handle_sigbus=0 handle_sigfpe=0 handle_sigill=0 handle_abort=0" \
		$(PYTHON) -m pytest -q tests/mpi -k "threads- or helped-" --mpi $(one_mpi)

.PHONY: memory
memory: build ## three ranks send a gigabyte each to one that sleeps: what it holds stays within the budget
	@STRETTO_BUILD=$(CURDIR)/$(BUILD) STRETTO_TESTS_FULL=1 $(PYTHON) -m pytest tests/memory --full

.PHONY: install
install: build ## into PREFIX (/usr/local)
	@cmake --install $(BUILD) --prefix $(PREFIX)

.PHONY: clean
clean: ## what was built; set-up stays
	@rm -rf build/release build/debug build/asan build/ubsan build/tsan
