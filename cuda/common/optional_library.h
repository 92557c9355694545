// SPDX-License-Identifier: MIT
// Loads optional libraries at run time, so that the same program also starts on machines that lack them.
#ifndef CUDA_OPTIONAL_LIBRARY_H
#define CUDA_OPTIONAL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct cuda_symbol {
    const char *name;
    void *to; // address of the function pointer to be set
};

// Loads a library until the process ends, and sets the pointers. Returns false if the library or one of the symbols is
// missing; then none of the pointers may be used.
bool cuda_library_load(const char *name, const struct cuda_symbol *symbols, size_t count);

#endif
