$(eval $(call library,lib/count,lib/base lib/frame lib/tile lib/work))
# Each kernel is compiled for its instruction set, and is used if the CPU has it. On other architectures the files are
# empty.
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine)))
$(patsubst %.c,$(O)/%.o,$(wildcard lib/count/*_avx512.c)) \
$(patsubst %.c,$(O)/%.tidy,$(wildcard lib/count/*_avx512.c)): ISA := \
    -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mbmi2 -mpopcnt
$(patsubst %.c,$(O)/%.o,$(wildcard lib/count/*_avx2.c)) \
$(patsubst %.c,$(O)/%.tidy,$(wildcard lib/count/*_avx2.c)): ISA := \
    -mavx2 -mfma -mbmi2 -mpopcnt
endif
