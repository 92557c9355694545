// SPDX-License-Identifier: MIT
#include "density_engine.h"

#include <stdio.h>

const struct trj_engine *const den_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &den_engine_cuda.kind,
#endif
    &den_engine_cpu.kind, &den_engine_reference.kind, NULL};

const struct trj_choice den_engine_choices[] = {
    {"auto", "cuda if a GPU can be used, otherwise cpu"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"reference", "the formulas in float64 on one thread, for comparison"},
    {NULL, NULL},
};

const char *den_engine_versions(void) {
    return trj_engine_versions(den_engines);
}

void den_engine_print_stats(const struct trj_engine *kind, const struct den_engine_stats *s, size_t atoms,
                            void (*print)(const char *text)) {
    char text[256];
    snprintf(text, sizeof text, "%llu frames of %zu atoms: %.3f s in engine %s with %u %s",
             (unsigned long long)s->frames, atoms, s->seconds, kind->name, s->workers, kind->workers);
    print(text);
    for (unsigned i = 0; i < s->device_count; i++) {
        const struct den_device_stats *d = &s->devices[i];
        snprintf(text, sizeof text, "%s: %.1f frames in %.3f s%s", d->name, d->frames, d->busy,
                 d->failed ? ", failed" : "");
        print(text);
    }
}
