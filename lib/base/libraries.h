// SPDX-License-Identifier: MIT
// The versions of the libraries that a program contains, for --version (tool.c).
#ifndef TRJ_LIBRARIES_H
#define TRJ_LIBRARIES_H

// Each library has a function that returns its version as text, defined in the file that calls the library. The declarations are weak: in a
// program without that file, and in a build without the library, the function is NULL.
#define TRJ_LIBRARIES(X) X(zstd) X(zlib) X(bzip2) X(xz) X(HDF5) X(libyaml) X(hwloc)

#define TRJ_LIBRARY_VERSION(name) const char *trj_version_of_##name(void) __attribute__((weak));
TRJ_LIBRARIES(TRJ_LIBRARY_VERSION)
#undef TRJ_LIBRARY_VERSION

#endif
