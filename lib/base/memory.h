// SPDX-License-Identifier: MIT
// Allocation of arrays whose sizes come from files and users: sizes are multiplied with an overflow check.
#ifndef TRJ_MEMORY_H
#define TRJ_MEMORY_H

#include <stddef.h>

#include "error.h"

// n zeroed elements of `size` bytes; never NULL but on failure, also for n = 0. `what` names the thing in the message. free() frees.
void *trj_alloc(size_t n, size_t size, const char *what, struct trj_error *err);

// Makes room for at least `want` elements in *array (of *room), doubling; *array may be NULL with *room 0.
int trj_grow(void *array, size_t *room, size_t want, size_t size, const char *what, struct trj_error *err);

// Asks for large pages for memory that was not touched yet and is read all over: an advice, for speed only.
void trj_use_large_pages(void *memory, size_t bytes);

char *trj_copy_text(const char *text, struct trj_error *err);

void trj_text_array_free(char **texts); // a list that ends with NULL, and its texts; NULL is allowed

#endif
