# The parts of the CUDA engine that are plain C are also tested in builds without nvcc.
INCLUDES_tests/unit = $(INCLUDES_all) $(addprefix -iquote ,cuda/common cuda/tile cuda/count cuda/potential)

UNIT    := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/test_*.c))
HELPERS := $(patsubst %.c,$(O)/%,$(wildcard tests/helpers/*.c))
PRELOAD := $(patsubst tests/preload/%.c,$(O)/tests/helpers/%.so,$(wildcard tests/preload/*.c))
BENCHES := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/*.c))
INCLUDES_tests/bench := $(INCLUDES_all) -iquote tests/helpers -iquote tests/bench/orbital_kernels
# PARTS_PROGRAM are further sources of a program.
PARTS_tests/bench/time_orbitals := tests/bench/orbital_kernels/orbital_systems.c

# Unit tests take less time to compile with -O1 than they need longer to run.
$(foreach file,$(wildcard tests/unit/*.c),$(eval FLAGS_$(file) += $(if $(OPTIMISED),-O1)))
$(O)/tests/unit/test_recipe: LIBS += -lyaml
$(O)/tests/unit/test_h5md: LIBS += $(if $(HDF5),$(HDF5_LINK))
.SECONDEXPANSION:
$(UNIT) $(HELPERS) $(BENCHES): $(O)/tests/%: $$(call objects,tests/$$*.c $$(PARTS_tests/$$*)) $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LINK) -o $@ $^ $(LIBS)

BATS    ?= $(wildcard tests/cli/*.bats)# `make check-here UNIT= BATS=tests/cli/norm.bats` runs the tests of one file

$(PRELOAD): $(O)/tests/helpers/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(call Q,LD) $(CC) -O1 -fPIC -shared -o $@ $<

.PHONY: check
check: deps-check ## run all tests (installs test tools that are missing)
	@$(MAKE) $(JOBS) --no-print-directory check-here

.PHONY: check-all
check-all: ## run all tests, with every fault of the sweeps of which `make check` tries a sample
	@TRJPIPE_SAMPLE=1/1 $(MAKE) --no-print-directory check

.PHONY: check-times
check-times: ## run all tests, and record their CPU times, by which later runs order them
	@TIMES=tests/times.tsv $(MAKE) --no-print-directory check

.PHONY: check-here
check-here: $(TOOLS:%=$(O)/bin/%) $(PLUGINS:%=$(O)/bin/plugins/%) $(API_LIBS) $(UNIT) $(HELPERS) $(PRELOAD) $(BENCHES)
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' TRJPIPE_VERSION='$(VERSION)' \
	    TRJPIPE_KERNELS='$(CURDIR)/$(OBJ_CUDA)' tests/run $$(.ci/untested '$(O)' $(UNIT) $(BATS))

# Tests whose results differ in a build with nvcc. On a machine without a GPU, all others test the same code again, and
# kernels are compiled for two architectures: the oldest, whose instructions all others have, and that of
# tests/bench/registers.tsv.
.PHONY: check-cuda
check-cuda: ## build with nvcc, and run the tests of what this changes
	@$(MAKE) --no-print-directory check $(if $(CUDA_CHECK),CUDA_ARCHS='$(CUDA_CHECK)') \
	    UNIT='$(patsubst %,$$(O)/tests/unit/test_%,engine_handover cuda_parts)' \
	    BENCHES= BATS='$(patsubst %,tests/cli/%.bats,build install registers start without)'

# Where all programs have these hashes, too, most tests need not run again (.ci/untested).
SUMS ?= .build/sums
.PHONY: check-sums
check-sums: $(TOOLS:%=$(O)/bin/%) $(UNIT) ## write the hashes of all tools and unit tests to SUMS=.build/sums
	@cd '$(O)' && sha256sum $(patsubst $(O)/%,%,$^) >'$(abspath $(SUMS))'

# The rows of all benchmarks are collected in a file, and compared with targets and with tests/bench/baseline.tsv.
ROWS := .build/bench.rows
.PHONY: bench trjcat-path
trjcat-path: $(O)/bin/trjcat
	@echo '$(CURDIR)/$<'
bench: $(TOOLS:%=$(O)/bin/%) $(HELPERS) $(BENCHES)
# BENCH names parts: engine, reading, pipeline, decode, decimal, surfaces, potentials, orbitals, hosts, lags.
bench: ## compare the CPU engine with baselines, and tools with other programs; ROUNDS=5 BENCH=reading
	@rm -f $(ROWS); export TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' TRJPIPE_ROWS=$(ROWS) && \
	    export TRJPIPE_O2="$$($(MAKE) --no-print-directory CFLAGS='-O2 -g' trjcat-path | tail -n 1)" && \
	    for part in $(or $(BENCH),engine reading pipeline decode decimal surfaces potentials orbitals hosts lags); do \
	    case $$part in \
	        engine | reading | pipeline) tests/bench/peers $(or $(ROUNDS),3) $$part ;; \
	        decimal) $(O)/tests/bench/time_decimal ;; \
	        *) tests/bench/$$part $(ROUNDS) ;; \
	    esac || exit 1; done
	@echo; tests/bench/judge $(ROWS) "cpu $$($(O)/bin/rdfhist --version | sed -n 's/^engines: cpu (\([a-z0-9]*\).*/\1/p')"

.PHONY: bench-compression
bench-compression: $(addprefix $(O)/bin/,trjcat trjinfo) $(addprefix $(O)/tests/bench/,time_codec time_reader)
bench-compression: ## compare sizes and speeds of compressed trajectories with other programs; FILES='run.dcd run.xtc'
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/bench/compression $(FILES)

.PHONY: bench-pipe
bench-pipe: $(addprefix $(O)/bin/,trjcat rdfhist) $(O)/tests/helpers/mkdcd $(O)/tests/bench/time_pipe
bench-pipe: ## compare the speed of frames in a pipe with that of a pipe itself; ROUNDS=5
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/bench/pipe $(ROUNDS)
