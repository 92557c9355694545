# Include after cuda/cuda.mk.
ifneq ($(NVCC),)
PAPER_OUT   ?= .build/paper
PAPER_FLAGS := -O3 -std=c++17 -ftz=true -prec-sqrt=false -Xcompiler -Wall,-Wextra $(CUDA_CODE)

$(O)/tests/bench/paper/paper-bench: tests/bench/paper/kernels.cu tests/bench/paper/paper.mk cuda/cuda.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(PAPER_FLAGS) -o $@ $<

.PHONY: bench-paper
bench-paper: $(O)/tests/bench/paper/paper-bench $(O)/tests/bench/time_engine
bench-paper: ## rerun the experiments of the 2011 paper on a GPU
	@TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/bench/paper/run '$(PAPER_OUT)'
endif
