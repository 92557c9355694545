# Kernels of molecular orbitals that are compared with published times. Include after cuda/cuda.mk.
INCLUDES_tests/bench/orbital_kernels := $(INCLUDES_all) -iquote tests/helpers -iquote tests/bench/orbital_kernels
-include $(OBJ)/tests/bench/orbital_kernels/orbital_systems.d
ifneq ($(NVCC),)
# nvcc may fuse products and sums, as in the published kernels.
KERNELS_FLAGS := $(filter-out -fmad=false,$(CUDA_FLAGS)) -ftz=true
KERNELS_OBJS  := $(patsubst %,$(OBJ_CUDA)/tests/bench/orbital_kernels/%.o,\
                     kernel_compiler kernel_devices kernel_molecule point_kernels time_orbital_kernels)
INCLUDES_tests/bench/orbital_kernels += $(INCLUDES_cuda/common)
-include $(KERNELS_OBJS:.o=.d)

$(OBJ_CUDA)/tests/bench/orbital_kernels/point_kernels.o: tests/bench/orbital_kernels/point_kernels.cu \
                                                           tests/bench/orbital_kernels/orbital_kernels.mk cuda/nvcc.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(KERNELS_FLAGS) $(addprefix -Xcompiler ,$(call includes,$<)) -MMD -MP -MF $(@:.o=.d) \
	    -c -o $@ $<

# The program finds NVRTC, which it loads at run time, in the folder of the CUDA toolkit.
$(O)/tests/bench/orbital_kernels/orbital-kernels: $(KERNELS_OBJS) \
    $(OBJ)/tests/bench/orbital_kernels/orbital_systems.o $(O)/libtrjpipe.a
	@mkdir -p $(@D)
	$(call Q,LD) $(LINK) -Wl,-rpath,$(CUDA_HOME)/lib64 -o $@ $^ $(LIBS)

.PHONY: bench-orbital-kernels
bench-orbital-kernels: $(addprefix $(O)/,tests/bench/orbital_kernels/orbital-kernels tests/bench/time_orbitals \
                                             bin/orbmap bin/surf)
bench-orbital-kernels: ## compare kernels of molecular orbitals on GPUs with their published times
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/gpu/bench_orbitals
endif
