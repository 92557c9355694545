// SPDX-License-Identifier: MIT
// Checks sizes before each allocation, because they come from files that may be damaged or forged.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): madvise
#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void *trj_alloc(size_t n, size_t size, const char *what, struct trj_error *err) {
    // calloc also checks the product, but sanitizers then end the program.
    void *p = size && n > SIZE_MAX / size ? NULL : calloc(n ? n : 1, size ? size : 1);
    if (!p) trj_fail_memory(err, (double)n * (double)size, what);
    return p;
}

int trj_grow(void *array, size_t *capacity, size_t want, size_t size, const char *what, struct trj_error *err) {
    if (want <= *capacity) return 0;
    size_t n = *capacity > 8 ? *capacity : 8;
    while (n < want) n = n > SIZE_MAX / 2 ? SIZE_MAX : n * 2;
    void *old, *p;
    memcpy(&old, array, sizeof old); // array is a T ** of any T
    if (n > SIZE_MAX / size || !(p = realloc(old, n * size)))
        return trj_fail_memory(err, (double)n * (double)size, what);
    memcpy(array, &p, sizeof p);
    *capacity = n;
    return 0;
}

void trj_use_large_pages(void *memory, size_t bytes) {
    enum { PAGE = 4096, LARGE = 1 << 21 };
    if (bytes < 2 * LARGE) return;
    uintptr_t first = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE;
    (void)madvise((char *)memory + (first - (uintptr_t)memory), ((uintptr_t)memory + bytes - first) / PAGE * PAGE,
                  MADV_HUGEPAGE);
}

void trj_return_large_arrays(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 22);
#endif
}

void trj_keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 25); // the largest value that is accepted
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

char *trj_copy_text(const char *text, struct trj_error *err) {
    size_t n = strlen(text) + 1;
    char *copy = trj_alloc(n, 1, "a text", err);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void trj_text_array_free(char **texts) {
    for (size_t i = 0; texts && texts[i]; i++) free(texts[i]);
    free(texts);
}
