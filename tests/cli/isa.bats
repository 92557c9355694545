#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The kernels of the CPU engines: each contains the instructions of its name only, and TRJPIPE_ISA selects one.
load helper

# Counts the registers of this kind that the kernel's object uses.
registers() { # KERNEL KIND
    objdump -d --no-show-raw-insn "$TRJPIPE_BIN/../../lib/$1.o" | grep -c "%$2[0-9]" || :
}

@test "each kernel is built for its own instruction set, and for no other" {
    [[ $(uname -m) == x86_64 ]] || skip 'not an x86-64'
    ! sanitized || skip 'sanitizers are built without optimisation'
    need objdump
    local kernel
    for kernel in count/kernel density/gauss_kernel observe/rmsd_kernel; do
        (($(registers ${kernel}_avx512 zmm) > 100))
        (($(registers ${kernel}_avx512 k) > 0))
        (($(registers ${kernel}_avx2 ymm) > 50 && $(registers ${kernel}_avx2 zmm) == 0))
        (($(registers ${kernel}_avx2 k) == 0))
        (($(registers ${kernel}_plain xmm) > 20 && $(registers ${kernel}_plain ymm) == 0))
        (($(registers ${kernel}_plain zmm) == 0))
    done
    kernel=potential/charge_kernel # without masks
    (($(registers ${kernel}_avx512 zmm) > 100 && $(registers ${kernel}_avx2 ymm) > 50))
    (($(registers ${kernel}_avx2 zmm) == 0 && $(registers ${kernel}_plain ymm) == 0))
    (($(registers ${kernel}_plain xmm) > 20))
    # All other objects use the base instruction set, so that the tools start on any CPU.
    local object
    for object in "$TRJPIPE_BIN"/../../lib/*/*.o "$TRJPIPE_BIN"/../../*/lib/*/*.o; do
        # Functions of the codec have variants, of which the loader chooses one (lib/codec/variants.h), and those of
        # largest_magnitude.c others, of which TRJPIPE_ISA chooses one.
        case $object in *_avx2.o | *_avx512.o | */codec/* | */largest_magnitude.o) continue ;; esac
        [[ $(objdump -d --no-show-raw-insn "$object" | grep -c '%[yz]mm') == 0 ]] || { echo "$object"; return 1; }
    done
}

# shellcheck disable=SC2154 # stderr is set by `run --separate-stderr`
@test "TRJPIPE_ISA: the same histogram from every kernel; an unknown name gives exit status 4" {
    mkdcd --atoms 3000 --cell 40,40,40,70,80,100 | trjcat - >"$T/trjf"
    TRJPIPE_ISA=plain rdfhist -e cpu -b 1000 "$T/trjf" >"$T/plain"
    rdfhist -e cpu -b 1000 "$T/trjf" | cmp - "$T/plain"
    rdfhist -e reference -b 1000 "$T/trjf" | counts >"$T/expected"
    counts "$T/plain" | cmp - "$T/expected"
    TRJPIPE_ISA=abacus run --separate-stderr -4 rdfhist -e cpu "$T/trjf"
    [[ $stderr == "rdfhist: engine cpu: TRJPIPE_ISA=abacus: "* ]]
}
