// SPDX-License-Identifier: MIT
// Loads libraries at run time on which the tools must not depend, because many machines lack them, or because they take
// long to load: NVML of the driver, cuFFT, hwloc and HDF5.
#include "optional_library.h"

#include <string.h>

bool trj_library_load(const char *name, int scope, const struct trj_symbol *symbols, size_t count) {
    void *library = dlopen(name, RTLD_NOW | scope);
    if (!library) return false;
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) return false; // dlclose() would discard the reason
        memcpy(symbols[i].to, &symbol,
               sizeof symbol); // POSIX gives both kinds of pointers one representation; C has no cast
    }
    return true;
}
