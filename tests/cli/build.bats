#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The build: hardened executables, what --version reports, and which changes compile which objects again.
load helper

# Variables that the user gave to `make check` must not change the settings here.
# shellcheck disable=SC2046 # words
unset MAKEFLAGS MFLAGS CC CFLAGS CPPFLAGS LDFLAGS SAN CUDA_ARCHS LINEINFO HWLOC CUFFT \
    $(sed -n 's/^OPTIONAL *:= *//p' Makefile)

@test "hardening: every tool is position-independent, with read-only relocations and a stack protector" {
    need readelf
    hardened() {
        readelf -hldW --dyn-syms "$TRJPIPE_BIN/$1" >"$T/elf"
        grep -q 'Type: *DYN' "$T/elf" && grep -q 'Flags: .*PIE' "$T/elf" && grep -q GNU_RELRO "$T/elf" &&
            grep -qE 'BIND_NOW|Flags:.* NOW' "$T/elf" &&
            grep -q __stack_chk_fail "$T/elf" && ! grep -E 'GNU_STACK.* RWE' "$T/elf"
    }
    each hardened
    # Sanitizers check more than _FORTIFY_SOURCE does, and replace it.
    sanitized || has '__[a-z]*printf_chk' "$T/elf"
}

@test "hardening: _FORTIFY_SOURCE only with optimisation, without a sanitizer, and unless the user sets it" {
    fortified() { make -s config NVCC= "$@" | grep '^flags ' | has -- '-D_FORTIFY_SOURCE=[23] '; }
    fortified CFLAGS=-O2 SAN=
    for flags in CFLAGS=-O0 CFLAGS= 'CFLAGS=-O2 -O0' SAN=address CPPFLAGS=-D_FORTIFY_SOURCE=1; do
        ! fortified SAN= CFLAGS=-O2 "$flags" || { echo "$flags"; return 1; }
    done
}

@test "--version: every tool prints its compiler, libraries and engines" {
    need readelf
    reports() {
        local name number library
        $1 --version >"$T/version"
        head -n 1 "$T/version" | has -xE "$1 $TRJPIPE_VERSION \((gcc|clang) [0-9]+\.[0-9]+\.[0-9]+\)" || return 1
        sed -n '2s/^libraries: //p' "$T/version" | tr , '\n' | while read -r name number; do
            [[ $number =~ ^[0-9]+(\.[0-9]+)+$ ]] || return 1
            echo "$name"
        done | grep -vE 'hwloc|cuFFT' | sort >"$T/got"
        # Prints the names of the required shared libraries, and of HDF5, which is loaded when an H5MD file is opened.
        {
            for library in zstd:libzstd zlib:libz bzip2:libbz2 xz:liblzma FFTW:libfftw3 libyaml:libyaml.*; do
                ! readelf -d "$TRJPIPE_BIN/$1" | has -E "NEEDED.*\[${library#*:}\.so" || echo "${library%:*}"
            done
            ! readelf -p .rodata "$TRJPIPE_BIN/$1" | has -E ' libhdf5[a-z_]*\.so' || echo HDF5
        } | sort >"$T/expected"
        same "$T/expected" "$T/got"
    }
    each reports
    [[ $(trjrun --version) == *libyaml* && $(rdfplot --version) != *libyaml* ]]
    if [[ $(rdfhist --version) == *'no CUDA'* ]]; then
        rdfhist --version | tail -n 1 | has -xE 'engines: cpu \((avx512,avx2,)?plain\), reference; no CUDA'
    else
        rdfhist --version | tail -n 1 | has -xE 'engines: cuda \([0-9,]+\), cpu \((avx512,avx2,)?plain\), reference'
    fi
}

@test "optional library whose header is missing: left out of the build" {
    make -s config NVCC= ZLIB_HEADER=no_such_header.h HDF5_HEADER=stdio.h HDF5_SONAME=libhdf5.so.1 >"$T/config"
    grep -qx 'ZLIB     none: gzip cannot be unpacked' "$T/config"
    grep -qx 'HDF5     yes' "$T/config"
    make -n NVCC= OBJ="$T/o" ZLIB_HEADER=no_such_header.h HDF5_HEADER=stdio.h HDF5_SONAME=libhdf5.so.1 V=1 \
        >"$T/commands"
    grep -q -- "-DTRJPIPE_HDF5='\"libhdf5\.so\.1\"' .*/h5md\.o" "$T/commands"
    run ! grep -q -- -DTRJPIPE_ZLIB "$T/commands"
}

@test "HDF5: the tools contain the name that the linker finds; without a shared library it is left out" {
    echo 'int H5open(void) { return 0; }' >"$T/hdf5.c"
    cc -shared -fPIC -Wl,-soname,libhdf5_test.so.7 -o "$T/libhdf5_test.so" "$T/hdf5.c"
    make -n NVCC= OBJ="$T/o" HDF5_HEADER=stdio.h HDF5_LINK="-L$T -lhdf5_test" V=1 >"$T/commands"
    grep -q -- "-DTRJPIPE_HDF5='\"libhdf5_test\.so\.7\"' .*/h5md\.o" "$T/commands"
    make -s config NVCC= HDF5_HEADER=stdio.h HDF5_LINK=-lno_such_library >"$T/config"
    grep -qx 'HDF5     none: H5MD and HDF5 of MDTraj cannot be read' "$T/config"
    run -2 make -s config NVCC= HDF5=yes HDF5_LINK=-lno_such_library
    [[ $output == *'HDF5: the linker finds no shared library with -lno_such_library; install it'* ]]
}

@test "probes of the compiler: write no output to /dev/null, which some compilers would replace as root" {
    # shellcheck disable=SC2016 # variables of the script
    printf '%s\n' '#!/bin/sh' 'echo "$*" >>"$CALLS"' 'exec cc "$@"' >"$T/cc"
    chmod +x "$T/cc"
    CALLS=$T/calls make -s config NVCC= CC="$T/cc" >"$T/config"
    grep -q -- '-include zlib.h .*-o \.build/probe' "$T/calls"
    grep -q -- '-fstack-protector-strong .*-o \.build/probe' "$T/calls"
    run ! grep -qE -- '-o ?/dev/' "$T/calls"
    [[ -c /dev/null && -z $(find .build -maxdepth 1 -name 'probe.*' -mmin +1) ]]
}

@test "cuFFT: part of builds with nvcc that find its header; CUFFT= omits it" {
    mkdir -p "$T/cuda/bin" "$T/cuda/include"
    fake_nvcc 1.0
    mv "$T/nvcc" "$T/cuda/bin/nvcc"
    make -s config NVCC="$T/cuda/bin/nvcc" CUDA_HOME="$T/cuda" CUFFT_HEADER=no_such_header.h >"$T/config"
    grep -q '^CUFFT    none: FFTW computes' "$T/config"
    touch "$T/cuda/include/trjpipe_cufft.h"
    make -s config NVCC="$T/cuda/bin/nvcc" CUDA_HOME="$T/cuda" CUFFT_HEADER=trjpipe_cufft.h >"$T/config"
    grep -qx 'CUFFT    yes' "$T/config"
    make -s config NVCC="$T/cuda/bin/nvcc" CUDA_HOME="$T/cuda" CUFFT= >"$T/config"
    grep -q '^CUFFT    none' "$T/config"
    make -s config NVCC= >"$T/config"
    run ! grep -q CUFFT "$T/config"
}

# fake_nvcc VERSION [ARCHITECTURE...]: creates $T/nvcc, which prints a version and architectures for make
fake_nvcc() {
    local version=$1
    shift
    # shellcheck disable=SC2016 # variables of the script
    printf '%s\n' '#!/bin/sh' 'case $1 in' "--version) echo 'release $version' ;;" \
        "--list-gpu-arch) printf 'compute_%s\n' ${*:-90} ;;" '--help) echo "$NVCC_HELP" ;;' 'esac' >"$T/nvcc"
    chmod +x "$T/nvcc"
}

@test "architectures of GPUs: those that are present, else one of each generation, or CUDA_ARCHS" {
    fake_nvcc 1.0 75 80 86 89 90 103 100 120 121
    mkdir "$T/bin"
    compiled_for() { # OUTPUT of nvidia-smi, SETTING...
        printf '#!/bin/sh\n%s\n' "$1" >"$T/bin/nvidia-smi"
        chmod +x "$T/bin/nvidia-smi"
        PATH=$T/bin:$PATH make -s config NVCC="$T/nvcc" CUFFT= HWLOC= "${@:2}" | sed -n 's/^GPUs *//p'
    }
    [[ $(compiled_for 'echo 9.0') == 'sm_90; '* && $(compiled_for 'printf "9.0\n8.9\n9.0\n"') == 'sm_89 sm_90; '* ]]
    [[ $(compiled_for 'echo 12.1') == 'sm_121; '* ]]
    local text
    for text in 'exit 9' 'echo NVIDIA-SMI has failed because it has no driver; exit 9' 'echo 15.0' 'echo "[N/A]"'; do
        [[ $(compiled_for "$text") == 'sm_75 sm_80 sm_90 sm_100; '* ]] || { echo "$text"; return 1; }
    done
    [[ $(compiled_for 'echo 9.0' CUDA_ARCHS=all) == 'sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120; '* ]]
    [[ $(compiled_for 'echo 9.0' CUDA_ARCHS='80 86') == 'sm_80 sm_86; '* ]]
    # make check-cuda compiles for fewer architectures, unless the user chooses them.
    checked() { PATH=$T/bin:$PATH make -n check-cuda NVCC="$T/nvcc" CUFFT= HWLOC= "$@" | grep -o "CUDA_ARCHS='.*'"; }
    printf '#!/bin/sh\nexit 9\n' >"$T/bin/nvidia-smi"
    [[ $(checked LINEINFO= | cut -d "'" -f 2) == '75 90' ]]
    run ! checked CUDA_ARCHS='80 86'
    commands() { make -n V=1 OBJ="$T/o" OBJ_CUDA="$T/o" NVCC="$T/nvcc" CUDA_ARCHS='80 90' "$@" | grep "^$T/nvcc "; }
    commands | has -- '-gencode arch=compute_80,code=sm_80 .* -gencode arch=compute_90,code=compute_90'
    run ! grep -E -- 'lineinfo|compress' <(commands)
    commands LINEINFO=1 | has -- -lineinfo
    NVCC_HELP='--compress-mode [default,size]' commands | has -- --compress-mode=size
}

@test "folder of programs: differs for other flags, libraries, versions of nvcc and flags of nvcc" {
    folder() { make -s config HWLOC= "$@" | sed -n "s/^${KIND-programs} *//p"; }
    fake_nvcc 1.0
    {
        for flags in NVCC= 'NVCC= CFLAGS=-O1' 'NVCC= LDFLAGS=-s' 'NVCC= ZLIB=' 'NVCC= HARDEN=' "NVCC=$T/nvcc" \
            "NVCC=$T/nvcc CUDA_FLAGS=-O1" "NVCC=$T/nvcc CUDA_ARCHS=80" 'NVCC= FUZZER=1'; do
            # shellcheck disable=SC2086 # words
            folder $flags
        done
        fake_nvcc 1.1
        folder "NVCC=$T/nvcc"
    } >"$T/folders"
    [[ $(wc -l <"$T/folders") == 10 && -z $(sort "$T/folders" | uniq -d) ]]
    [[ $(folder "NVCC=$T/nvcc") == "$(tail -n 1 "$T/folders")" ]]
    # Objects depend on the flags of their compiler only.
    KIND=objects
    [[ $(folder NVCC=) == "$(folder NVCC= ZLIB= HDF5= LDFLAGS=-s)" && $(folder NVCC=) != "$(folder NVCC= CFLAGS=-O1)" ]]
    [[ $(folder "NVCC=$T/nvcc") == "$(folder NVCC=) "*/cuda-* ]]
    [[ $(folder "NVCC=$T/nvcc") != "$(folder "NVCC=$T/nvcc" CUDA_FLAGS=-O1)" ]]
}

# The tests use a copy of the sources with empty object files that are up to date.
copy_up_to_date() {
    fake_nvcc 1.0
    mkdir "$T/copy"
    tar --exclude=./.git --exclude=./.build --exclude=./bin -cf - . | tar -xf - -C "$T/copy"
    # shellcheck disable=SC2016 # variables of make
    in_copy --eval 'folders: ; @printf "%s\n" $(sort $(dir $(LIB_OBJS) $(call objects,$(SOURCES))))' folders |
        xargs mkdir -p "$T/o/programs/bin"
    in_copy -t >"$T/log"
    find "$T/copy" -exec touch -d '2 hours ago' {} +
    find "$T/o" -exec touch -d '1 hour ago' {} +
    in_copy -q "${TARGETS[@]}"
}

in_copy() {
    TARGETS=("$T/o/programs/bin/trjcat" "$T/o/programs/bin/rdfhist" "$T/o/tests/unit/test_base.o")
    [[ $1 != -t ]] || set -- -t "${TARGETS[@]}"
    make -s -C "$T/copy" O="$T/o/programs" OBJ="$T/o" OBJ_CUDA="$T/o" NVCC="$T/nvcc" \
        {ZLIB,BZIP2,XZ,HDF5,FFTW,HWLOC,CUFFT}=yes HDF5_CFLAGS= HDF5_SONAME=libhdf5.so.1 "$@"
}

# compiled: prints the objects that would be compiled again
compiled() {
    in_copy -n "${TARGETS[@]}" "$@" |
        sed -nE "s,^echo '  (CC|NVCC) $T/o/(.*/)?((lib|cuda|filters|tests)/[^']*)'.*,\3,p" | sort
}

@test "build without an optional library: compiles only the file that uses it" {
    copy_up_to_date
    local name file
    rm -r "$T/o/programs" # a build with other libraries has another folder of programs
    while read -r name file; do
        [[ $(compiled "$name=") == */$file.o ]] || { echo "$name: $(compiled "$name=")"; return 1; }
    done <<END
ZLIB unpack
BZIP2 unpack
XZ unpack
HDF5 mdtraj
FFTW fourier_transform
HWLOC thread_affinity
CUFFT device_fourier
END
    compiled VERSION=9.9 | has /tool.o
    (($(compiled VERSION=9.9 | wc -l) < 12))
    # The Makefile finds macros of libraries in .c files only.
    make -s -C "$T/copy" lint-macros
    echo 'int f(void); // TRJPIPE_ZLIB' >"$T/copy/lib/base/a_comment.h"
    make -s -C "$T/copy" lint-macros
    printf '%s\n' '#ifdef A' '#elif defined TRJPIPE_ZLIB' '#endif' >"$T/copy/lib/base/a_macro.h"
    run ! make -s -C "$T/copy" lint-macros
    [[ $output == 'lib/base/a_macro.h:2: TRJPIPE_ZLIB is set only for .c files that contain it'* ]]
}

@test "stale objects: the .mk of a folder compiles the objects of this folder again, and no others" {
    copy_up_to_date
    [[ -z $(compiled) ]]
    local mk expected
    for mk in lib/tile/tile.mk lib/count/count.mk cuda/cuda.mk cuda/nvcc.mk; do
        touch "$T/copy/$mk"
        case $mk in
        cuda/nvcc.mk) expected=(cuda/*/*.cu) ;; # flags of nvcc only
        cuda/cuda.mk) expected=(cuda/*/*.c cuda/*/*.cu) ;;
        *) expected=("${mk%/*}"/*.c) ;;
        esac
        same <(printf '%s\n' "${expected[@]%.*}" | sed 's/$/.o/' | sort) <(compiled) || { echo "$mk"; return 1; }
        touch -d '2 hours ago' "$T/copy/$mk"
    done
    touch "$T/copy/filters/filters.mk"
    same <(printf '%s\n' filters/rdfhist.o filters/trjcat.o lib/recipe/known_tools.o) <(compiled)
    touch -d '2 hours ago' "$T/copy/filters/filters.mk"
    touch "$T/copy/tests/tests.mk"
    [[ $(compiled) == tests/unit/test_base.o ]]
}

@test "stale objects: a header compiles those .cu files again that include it" {
    copy_up_to_date
    # The list has the form that nvcc writes.
    local files=(cuda/*/*.cu) first
    first=${files[0]%.cu}
    printf '%s: %s.cu lib/base/error.h\n\nlib/base/error.h:\n' "$T/o/$first.o" "$first" >"$T/o/$first.d"
    touch "$T/copy/lib/base/error.h"
    [[ $(compiled) == "$first.o" ]]
}

@test "stale objects: nvcc lists the headers of a .cu file" {
    local nvcc
    nvcc=${NVCC-$(command -v nvcc || :)}
    [[ $nvcc ]] || skip 'nvcc is not installed, or left out'
    make -s OBJ_CUDA="$T/o" NVCC="$nvcc" CUDA_FLAGS='-std=c++17 -arch=sm_90 -O0' "$T/o/cuda/tile/tile_planner.o"
    grep -q 'cuda/tile/[a-z_]*\.h' "$T/o/cuda/tile/tile_planner.d"
    grep -qE '^cuda/tile/[a-z_]*\.h:$' "$T/o/cuda/tile/tile_planner.d"
}

@test "make demo and make check: use all cores, or the -j that the user gives" {
    cores() { make -n "$@" NVCC= 2>&1 | sed -nE 's/^.*make (-j[0-9]*)? ?--no-print-directory (all|check-here).*/\1/p'; }
    for goal in demo check; do
        [[ $(cores $goal) == "-j$(nproc)" && -z $(cores -j1 $goal) && -z $(cores -j3 $goal) ]]
    done
}
