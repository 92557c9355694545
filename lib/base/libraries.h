// SPDX-License-Identifier: MIT
// Declares functions that return the versions of the linked libraries, for --version (tool.c).
#ifndef TRJ_LIBRARIES_H
#define TRJ_LIBRARIES_H

// The file that calls a library defines the function. The declarations are weak: a function is NULL if its file is not
// part of the program, or if the build lacks the library.
#define TRJ_LIBRARIES(X) X(zstd) X(zlib) X(bzip2) X(xz) X(HDF5) X(libyaml) X(hwloc) X(FFTW) X(cuFFT)

#define TRJ_LIBRARY_VERSION(name) const char *trj_version_of_##name(void) __attribute__((weak));
TRJ_LIBRARIES(TRJ_LIBRARY_VERSION)
#undef TRJ_LIBRARY_VERSION

#endif
