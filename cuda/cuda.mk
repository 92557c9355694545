ifneq ($(NVCC),)
CUDA_OBJS := $(patsubst %.cu,$(O)/%.o,$(wildcard cuda/*.cu))
LIB_OBJS  += $(patsubst %.c,$(O)/%.o,$(wildcard cuda/*.c)) $(CUDA_OBJS)
SEES_cuda := -iquote cuda -iquote lib/base -iquote lib/trj -iquote lib/tile -iquote lib/rdf -isystem $(CUDA_HOME)/include

$(CUDA_OBJS): $(O)/%.o: %.cu cuda/nvcc.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(CUDA_FLAGS) -Icuda -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# Needs a GPU. The engine's tests do without one, too, and then skip it: here that is a failure.
.PHONY: check-gpu bench-gpu
check-gpu: $(O)/tests/unit/test_engine $(O)/tests/helpers/mkdcd $(TOOLS:%=$(O)/bin/%) ## test the CUDA engine on a GPU, also under compute-sanitizer
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/gpu/check
bench-gpu: $(O)/tests/bench/time_engine ## time the CUDA engine on the GPUs there are; BENCH=quick with fewer frames
	@TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/gpu/bench $(BENCH)
endif
