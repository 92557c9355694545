// SPDX-License-Identifier: MIT
// Loads libraries at run time on which the tools must not depend, because many machines lack them: NVML of the driver,
// cuFFT and hwloc.
#include "optional_library.h"

#include <dlfcn.h>
#include <string.h>

bool cuda_library_load(const char *name, const struct cuda_symbol *symbols, size_t count) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) {
            dlclose(library);
            return false;
        }
        memcpy(symbols[i].to, &symbol,
               sizeof symbol); // POSIX gives both kinds of pointers one representation; C has no cast
    }
    return true;
}
