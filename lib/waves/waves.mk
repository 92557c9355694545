$(eval $(call library,lib/waves,$(addprefix lib/,base numeric curve frame work count neighbour histogram norm)))
# All sums of the kernel are exact, so that they may be contracted to FMA.
FLAGS_lib/waves/wave_kernel_plain.c := -ffp-contract=fast
