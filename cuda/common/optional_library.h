// SPDX-License-Identifier: MIT
// Libraries that are nice to have: looked for when the program runs, so that the same binary also starts where they are
// not.
#ifndef CUDA_LIBRARY_H
#define CUDA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct cuda_symbol {
    const char *name;
    void *to; // the function pointer to set
};

// Loads a library for good and sets the pointers. false: it is not there, or lacks one of them, and none may be called.
bool cuda_library_load(const char *name, const struct cuda_symbol *symbols, size_t count);

#endif
