#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A build without the optional libraries: missing formats are rejected with the name of the library, everything else
# works.
# shellcheck disable=SC2030,SC2031 # each test has its own PATH
load helper

setup_file() {
    export WITHOUT=$BATS_FILE_TMPDIR/without
    # Objects that do not depend on libraries are those of the other tests.
    make -s O="$WITHOUT" NVCC= ZLIB= BZIP2= XZ= HDF5= FFTW= "$WITHOUT/bin/trjcat" "$WITHOUT/bin/mapcc" \
        >"$BATS_FILE_TMPDIR/log" 2>&1 ||
        { cat "$BATS_FILE_TMPDIR/log"; return 1; }
}

@test "format whose library is missing: status 4, with the library and the remedy" {
    PATH=$WITHOUT/bin:$PATH
    gzip <examples/water/water.dcd >"$T/run.dcd.gz"
    fails_cleanly 4 'run.dcd.gz: is compressed with gzip, but this build lacks zlib (make ZLIB=yes); unpack it first' \
        trjcat "$T/run.dcd.gz"
    printf 'BZh91AY&SY and so on' >"$T/run.dcd.bz2"
    fails_cleanly 4 \
        'run.dcd.bz2: is compressed with bzip2, but this build lacks libbz2 (make BZIP2=yes); unpack it first' \
        trjcat "$T/run.dcd.bz2"
    printf '\xfd7zXZ\0\0\4 and so on' >"$T/run.dcd.xz"
    fails_cleanly 4 'run.dcd.xz: is compressed with xz, but this build lacks liblzma (make XZ=yes); unpack it first' \
        trjcat "$T/run.dcd.xz"
    printf '\x89HDF\r\n\x1a\n and so on' >"$T/run.h5"
    fails_cleanly 4 'run.h5: cannot read h5md: this build lacks HDF5 (make HDF5=yes)' trjcat "$T/run.h5"
    fails 4 'run.h5: cannot read h5md: this build lacks HDF5' trjcat --format h5md "$T/run.h5"
    [[ $(trjcat --formats | cut -f 1 | tr '\n' ' ') == *' netcdf mmcif '* ]]
}

@test "Fourier shell correlation without FFTW: status 4, with the remedy; scores are as usual" {
    local map=examples/cryo-em/folded.mrc
    PATH=$WITHOUT/bin:$PATH
    fails_cleanly 4 'cannot compute a Fourier shell correlation: this build lacks FFTW (make FFTW=yes)' \
        mapcc --fsc "$map" "$map"
    mapcc "$map" "$map" | has -x "$(printf 'pearson\t1')"
}

@test "formats without optional libraries: read as usual" {
    need zstd
    zstd -q examples/water/water.dcd -o "$T/run.zst"
    trjcat -f :2 "$T/run.zst" | trjdump | grep -vE '^provenance' >"$T/expected"
    [[ -s $T/expected ]]
    "$WITHOUT/bin/trjcat" -f :2 "$T/run.zst" | trjdump | grep -vE '^provenance' | same "$T/expected" -
}

@test "make config: lists the libraries that a build lacks and the features that need them" {
    make -s config NVCC= ZLIB= BZIP2= XZ= HDF5= FFTW= >"$T/config"
    grep -qx 'ZLIB     none: gzip cannot be unpacked' "$T/config"
    grep -qx 'BZIP2    none: bzip2 cannot be unpacked' "$T/config"
    grep -qx 'XZ       none: xz cannot be unpacked' "$T/config"
    grep -qx 'HDF5     none: H5MD and HDF5 of MDTraj cannot be read' "$T/config"
    grep -qx 'FFTW     none: mapcc cannot compute a Fourier shell correlation; potmap lacks the methods pme and fast' \
        "$T/config"
    [[ $(sed -n 's/^programs *//p' "$T/config") != $(make -s config NVCC= ZLIB=yes HDF5= | sed -n 's/^programs *//p') ]]
}
