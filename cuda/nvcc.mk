# Flags of nvcc. They are part of the name of the folder of objects, so that the Makefile includes this file before the
# other parts. The runtime is linked statically, so that the tools also start on machines without a driver; they report
# its absence when a GPU is requested.
ifneq ($(NVCC),)
ifeq ($(origin CUDA_HOME),undefined)
CUDA_HOME := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
endif
# cuFFT computes the Fourier transforms of potmap. Builds use it if its header is found, and load the library at run
# time. CUFFT= omits it.
CUFFT_HEADER := cufft.h
$(call probed,CUFFT,-isystem $(CUDA_HOME)/include)
# Architectures of GPUs. By default those of the GPUs that are present, or, if there is none, one of each generation.
# CUDA_ARCHS=all, for packages, is all of sm_75 to sm_120 that nvcc supports. PTX of the last one is for later GPUs.
CUDA_ARCHS_NVCC := $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch))
ifeq ($(origin CUDA_ARCHS),undefined)
CUDA_ARCHS := $(filter $(subst .,,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null)),\
                  $(CUDA_ARCHS_NVCC))
CUDA_CHECK := $(or $(CUDA_ARCHS),$(filter $(CUDA_ARCHS_NVCC),75 90))# of `make check-cuda`
CUDA_ARCHS := $(or $(CUDA_ARCHS),$(filter $(CUDA_ARCHS_NVCC),75 80 90 100))
endif
ifeq ($(CUDA_ARCHS),all)
override CUDA_ARCHS := $(filter $(CUDA_ARCHS_NVCC),75 80 86 89 90 100 120)
endif
export CUDA_ARCHS# to the make that `make demo` and `make check` run
LINEINFO   ?=# LINEINFO=1 adds source lines to the code of kernels, for profilers
CUDA_LAST  := $(lastword $(CUDA_ARCHS))
CUDA_CODE  := $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
              -gencode arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST) $(if $(LINEINFO),-lineinfo) \
              $(addsuffix =size,$(findstring --compress-mode,$(shell $(NVCC) --help)))
# -fmad=false: the float64 rule must not be contracted; the fast path uses explicit FMAs.
CUDA_FLAGS := -O3 -std=c++17 -fmad=false $(addprefix -Xcompiler ,$(HARDEN)) $(CUDA_CODE)
LIBS       += -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -ldl -lrt
endif
