$(eval $(call library,lib/ligand,lib/base lib/numeric lib/frame lib/grid lib/tile lib/work))
# Each kernel is compiled for its instruction set, and is used if the CPU has it. On other architectures the files are
# empty.
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine)))
$(O)/lib/ligand/ligand_kernel_avx512.o $(O)/lib/ligand/ligand_kernel_avx512.tidy: ISA := -mavx512f -mavx512vl \
    -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2 -mpopcnt
$(O)/lib/ligand/ligand_kernel_avx2.o $(O)/lib/ligand/ligand_kernel_avx2.tidy: ISA := -mavx2 -mfma -mbmi2 -mpopcnt
endif
