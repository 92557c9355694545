# Tests the CUDA engines without a GPU: the C++ compiler compiles the sources of cuda/, and their kernels run on the CPU
# (cuda_emulation.hh). emulated_instructions.cuh replaces the PTX instructions of rdfhist.
EMULATION := $(CURDIR)/.build/emulation

$(EMULATION)/lib64/libcudart_static.a: tests/emulation/runtime.cc $(wildcard tests/emulation/*.hh \
    tests/emulation/include/*.h) tests/emulation/emulation.mk
	@mkdir -p $(@D) $(EMULATION)/bin
	@ln -sfn $(CURDIR)/tests/emulation/include $(EMULATION)/include
	@ln -sf $(CURDIR)/tests/emulation/nvcc $(EMULATION)/bin/nvcc
	$(call Q,CXX) $(CXX) -std=c++17 -O2 -fPIC -isystem tests/emulation/include -c -o $(@D)/runtime.o $<
	@$(AR) rcs $@ $(@D)/runtime.o

ifeq ($(NVCC),$(EMULATION)/bin/nvcc)
$(CUDA_OBJS) $(KERNELS_OBJS): $(addprefix tests/emulation/,nvcc cuda_emulation.hh emulated_instructions.cuh)
endif

.PHONY: check-emulated check-emulated-here
check-emulated: deps-emulation $(EMULATION)/lib64/libcudart_static.a ## test the CUDA engines on emulated GPUs
	@$(MAKE) $(JOBS) --no-print-directory NVCC=$(EMULATION)/bin/nvcc CUDA_HOME=$(EMULATION) HWLOC= check-emulated-here

check-emulated-here: $(O)/tests/bench/orbital_kernels/orbital-kernels
check-emulated-here: $(O)/tests/helpers/mkdcd $(TOOLS:%=$(O)/bin/%) $(PLUGINS:%=$(O)/bin/plugins/%)
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/emulation/check_emulated
