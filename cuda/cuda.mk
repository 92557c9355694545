# The runtime is linked statically, so that the tools also start where there is no driver, and say so when the engine is asked for.
ifneq ($(NVCC),)
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
# Machine code for what this nvcc knows of sm_75 to sm_120, and PTX of the last for what comes later.
CUDA_ARCHS := $(filter $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch)),75 80 86 89 90 100 120)
CUDA_LAST  := $(lastword $(CUDA_ARCHS))
# -fmad=false: the float64 rule must not be contracted; the fast path asks for its FMAs by name.
CUDA_FLAGS := -O3 -std=c++17 -fmad=false -lineinfo $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
              -gencode arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST)

LIBS      += -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -ldl -lrt
CUDA_OBJS := $(patsubst %.cu,$(O)/%.o,$(wildcard cuda/*.cu))
LIB_OBJS  += $(patsubst %.c,$(O)/%.o,$(wildcard cuda/*.c)) $(CUDA_OBJS)
SEES_cuda := -iquote cuda -iquote lib/base -iquote lib/trj -iquote lib/tile -iquote lib/rdf -isystem $(CUDA_HOME)/include

$(CUDA_OBJS): $(O)/%.o: %.cu $(wildcard cuda/*.h cuda/*.cuh) cuda/cuda.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(CUDA_FLAGS) -Icuda -c -o $@ $<

# Needs a GPU. The engine's tests do without one, too, and then skip it: here that is a failure.
.PHONY: check-gpu bench-gpu
check-gpu: $(O)/tests/unit/test_engine $(O)/tests/helpers/mkdcd $(TOOLS:%=$(O)/bin/%) ## test the CUDA engine on a GPU, also under compute-sanitizer
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/gpu/check
bench-gpu: $(O)/tests/bench/time_engine ## time the CUDA engine on the GPUs there are; BENCH=quick with fewer frames
	@TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/gpu/bench $(BENCH)
endif
