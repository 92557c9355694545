// SPDX-License-Identifier: MIT
// Allocates arrays whose sizes come from files and users. An overflow of n * size is an error, as is a lack of memory:
// TRJ_FAILED. All functions are callable from any thread. free() frees the memory unless stated otherwise.
#ifndef TRJ_MEMORY_H
#define TRJ_MEMORY_H

#include <stddef.h>

#include "error.h"

// Returns n zeroed elements of `size` bytes, or NULL after an error; n = 0 gives a pointer that is not NULL. `what` is
// the purpose of the memory in the message.
void *trj_alloc(size_t n, size_t size, const char *what, struct trj_error *err);

// Enlarges an array to at least `want` elements of `size` bytes. `array` is the address of a pointer to *capacity
// elements, which may be NULL if *capacity is 0. Both are updated; *capacity is at least doubled if it must grow. New
// elements are not initialised.
int trj_grow(void *array, size_t *capacity, size_t want, size_t size, const char *what, struct trj_error *err);

// Requests large pages for memory that was not written yet and will be read in random order. This affects only speed.
void trj_use_large_pages(void *memory, size_t bytes);

// After this call, arrays of 4 MB or more return to the system when they are freed. By default, glibc can keep freed
// arrays of up to 32 MB for each thread.
void trj_return_large_arrays(void);
// Keeps freed memory in the process, up to 256 MB for each thread, for programs that free and allocate the same amounts
// repeatedly: to get pages of new memory takes longer than many computations on them.
void trj_keep_memory(void);

// Returns a copy of the text, or NULL after an error.
char *trj_copy_text(const char *text, struct trj_error *err);

// Frees an array of texts that ends with NULL, and its texts; NULL is allowed.
void trj_text_array_free(char **texts);

#endif
