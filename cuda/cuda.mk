# The CUDA engines, in builds with nvcc. Include paths separate their folders: common can include neither tiles nor
# histograms, and tile cannot include histograms.
ifneq ($(NVCC),)
INCLUDES_cuda/common := $(addprefix -iquote ,cuda/common lib/base lib/frame lib/work) -isystem $(CUDA_HOME)/include
INCLUDES_cuda/tile   := -iquote cuda/tile $(addprefix -iquote ,lib/grid lib/tile) $(INCLUDES_cuda/common)
INCLUDES_cuda/count  := $(addprefix -iquote ,cuda/count lib/count) $(INCLUDES_cuda/tile)
INCLUDES_cuda/neighbour := $(addprefix -iquote ,cuda/neighbour lib/neighbour) $(INCLUDES_cuda/count)
INCLUDES_cuda/density := $(addprefix -iquote ,cuda/density lib/density) $(INCLUDES_cuda/tile)
INCLUDES_cuda/waves  := $(addprefix -iquote ,cuda/waves lib/count lib/neighbour lib/histogram lib/waves) \
    $(INCLUDES_cuda/common)
INCLUDES_cuda/surface := $(addprefix -iquote ,cuda/surface lib/grid lib/surface) $(INCLUDES_cuda/common)
INCLUDES_cuda/potential := $(addprefix -iquote ,cuda/potential lib/numeric lib/potential lib/ion) $(INCLUDES_cuda/tile)
INCLUDES_cuda/ligand := $(addprefix -iquote ,cuda/ligand lib/numeric lib/ligand) $(INCLUDES_cuda/density)
INCLUDES_cuda/observe := $(addprefix -iquote ,cuda/observe lib/observe) $(INCLUDES_cuda/common)
INCLUDES_cuda/orbital := $(addprefix -iquote ,cuda/orbital lib/numeric lib/grid lib/orbital) $(INCLUDES_cuda/common)
INCLUDES_cuda/correlation := $(addprefix -iquote ,cuda/correlation lib/numeric lib/correlation) $(INCLUDES_cuda/density)

CUDA_OBJS := $(call objects,$(shell ls -S cuda/*/*.cu))# large files take long: first
LIB_OBJS  += $(call objects,$(wildcard cuda/*/*.c)) $(CUDA_OBJS)

# nvcc passes -iquote to the host compiler, which is its preprocessor. With -I, <memory.h> would be lib/base/memory.h.
# Beside each object, a file X.ptxas keeps the registers and spills of its kernels, for tests/cli/registers.bats.
$(CUDA_OBJS): $(OBJ_CUDA)/%.o: %.cu cuda/nvcc.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(CUDA_FLAGS) $(addprefix -Xcompiler ,$(call includes,$<)) -MMD -MP -MF $(@:.o=.d) \
	    -Xptxas -v -c -o $@ $< 2>$(@:.o=.log) || { cat $(@:.o=.log) >&2; exit 1; }
	@grep -vE '^ptxas info|bytes stack frame' $(@:.o=.log) >&2 || :
	@{ $(NVCC) --version | sed -n 's/.*, V/# nvcc /p'; cat $(@:.o=.log); } >$(@:.o=.ptxas)

# These tests need a GPU. The engine tests of `make check` skip the CUDA engine without one; here this is a failure.
.PHONY: check-gpu bench-gpu
check-gpu: $(O)/tests/unit/test_engine $(O)/tests/bench/time_orbitals $(O)/tests/helpers/mkdcd $(TOOLS:%=$(O)/bin/%)
check-gpu: ## test the CUDA engines on a GPU, also under compute-sanitizer
	@export TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests'; \
	    failed=0; for check in tests/gpu/check*; do $$check || failed=1; done; exit $$failed
bench-gpu: $(addprefix $(O)/tests/bench/,time_engine time_orbitals orbital_kernels/orbital-kernels)
bench-gpu: $(O)/tests/helpers/mkdcd $(TOOLS:%=$(O)/bin/%)
bench-gpu: ## time the CUDA engines on all GPUs; BENCH=quick uses fewer frames
	@rm -f $(ROWS); export TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' TRJPIPE_ROWS=$(ROWS) && \
	    tests/gpu/bench $(BENCH) && for bench in tests/gpu/bench_*; do $$bench || exit 1; done
	@echo; tests/bench/judge $(ROWS) "$$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
endif
