// SPDX-License-Identifier: MIT
// Loads optional libraries at run time, so that the same program also starts on machines that lack them, and
// starts fast where they bring many others.
#ifndef TRJ_OPTIONAL_LIBRARY_H
#define TRJ_OPTIONAL_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

struct trj_symbol {
    const char *name;
    void *to; // address of the function pointer, or of the pointer to a variable, to be set
};

// Loads a library until the process ends, and sets the pointers. `scope` is RTLD_LOCAL, or RTLD_GLOBAL if libraries
// that this library loads need its symbols (dlfcn.h). Returns false if the library or one of the symbols is missing;
// then none of the pointers may be used, and dlerror() gives the reason.
bool trj_library_load(const char *name, int scope, const struct trj_symbol *symbols, size_t count);

#endif
