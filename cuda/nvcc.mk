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
$(call probed,CUFFT,$(CUFFT_HEADER),-isystem $(CUDA_HOME)/include)
# nvcc generates machine code for the architectures from sm_75 to sm_120 that it supports, and PTX of the last one for
# later GPUs.
CUDA_ARCHS := $(filter $(patsubst compute_%,%,$(shell $(NVCC) --list-gpu-arch)),75 80 86 89 90 100 120)
CUDA_LAST  := $(lastword $(CUDA_ARCHS))
# -fmad=false: the float64 rule must not be contracted; the fast path uses explicit FMAs.
CUDA_FLAGS := -O3 -std=c++17 -fmad=false -lineinfo $(addprefix -Xcompiler ,$(HARDEN)) \
              $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
              -gencode arch=compute_$(CUDA_LAST),code=compute_$(CUDA_LAST)
LIBS       += -L$(CUDA_HOME)/lib64 -lcudart_static -lstdc++ -ldl -lrt
endif
