// SPDX-License-Identifier: MIT
// Lets libFuzzer observe the child processes in which HDF5 reads. This file is compiled without counters of its own
// (fuzz.mk): if a file with counters names their symbols, the compiler no longer registers any counters.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "hdf5_children.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The counters of the whole program; both are NULL if it was built for another fuzzer.
extern unsigned char __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

// Only whole pages can be shared.
static void share_counters(void) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)__start___sancov_cntrs + page - 1) / page * page;
    const uintptr_t end = (uintptr_t)__stop___sancov_cntrs / page * page;
    if (end > start && mmap((void *)start, end - start, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
                            -1, 0) == MAP_FAILED)
        abort();
}

void prepare_hdf5_children(void) {
#ifdef TRJPIPE_HDF5
    void *library = dlopen(TRJPIPE_HDF5, RTLD_NOW | RTLD_GLOBAL), *symbol = library ? dlsym(library, "H5open") : NULL;
    int (*open_library)(void);
    memcpy(&open_library, &symbol, sizeof symbol);
    if (!symbol || open_library() < 0) abort();
#endif
    share_counters();
}
