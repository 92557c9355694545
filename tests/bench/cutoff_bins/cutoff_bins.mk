# Include after cuda/cuda.mk.
ifneq ($(NVCC),)
# The host code has AVX2, as trjpipe uses where it is present.
BINS_FLAGS := -O3 -std=c++17 -ftz=true \
              -Xcompiler -Wall,-Wextra,-march=x86-64-v3,-fno-math-errno,-fno-trapping-math $(CUDA_CODE)

$(O)/tests/bench/cutoff_bins/cutoff-bins: $(addprefix tests/bench/cutoff_bins/,cutoff_bins.cu cutoff_bins.mk) \
                                          cuda/cuda.mk
	@mkdir -p $(@D)
	$(call Q,NVCC) $(NVCC) $(BINS_FLAGS) -o $@ $<

.PHONY: bench-cutoff-bins
bench-cutoff-bins: $(O)/tests/bench/cutoff_bins/cutoff-bins $(addprefix $(O)/bin/,trjcat potmap)
bench-cutoff-bins: ## compare potmap with the scheme of the 2008 paper on cutoff potentials, on one GPU
	@TRJPIPE_BIN='$(CURDIR)/$(O)/bin' TRJPIPE_TESTS='$(CURDIR)/$(O)/tests' tests/bench/cutoff_bins/run
endif
