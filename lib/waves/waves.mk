$(eval $(call library,lib/waves,$(addprefix lib/,base numeric curve frame work count neighbour histogram norm)))
# Each kernel is compiled for its instruction set, and is used if the CPU has it. On other architectures the files are
# empty. All sums of the kernels are exact, so that they may be contracted to FMA.
$(O)/lib/waves/wave_kernel_plain.o: ISA := -ffp-contract=fast
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine)))
$(O)/lib/waves/wave_kernel_avx512.o $(O)/lib/waves/wave_kernel_avx512.tidy: ISA := -mavx512f -mavx512vl -mavx512dq \
    -mavx512bw -mavx2 -mfma -mbmi2 -mpopcnt
$(O)/lib/waves/wave_kernel_avx2.o $(O)/lib/waves/wave_kernel_avx2.tidy: ISA := -mavx2 -mfma -mbmi2 -mpopcnt
endif
