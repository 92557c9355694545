$(eval $(call library,lib/count,lib/base lib/frame lib/tile lib/work))
# Each kernel is compiled for its instruction set, and is used if the CPU has it. On other architectures the files are
# empty.
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine)))
$(foreach kernel,kernel_avx512 second_kernel_avx512,$(O)/lib/count/$(kernel).o $(O)/lib/count/$(kernel).tidy): ISA := \
    -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2 -mpopcnt
$(foreach kernel,kernel_avx2 second_kernel_avx2,$(O)/lib/count/$(kernel).o $(O)/lib/count/$(kernel).tidy): ISA := \
    -mavx2 -mfma -mbmi2 -mpopcnt
endif
