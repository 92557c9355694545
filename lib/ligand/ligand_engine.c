// SPDX-License-Identifier: MIT
#include "ligand_engine.h"

#include <stdio.h>

const struct trj_engine *const lig_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &lig_engine_cuda.kind,
#endif
    &lig_engine_cpu.kind, NULL};

const struct trj_choice lig_engine_choices[] = {
    {"auto", "cuda if a GPU can be used, otherwise cpu"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {NULL, NULL},
};

const char *lig_engine_versions(void) {
    return trj_engine_versions(lig_engines);
}

void lig_engine_print_stats(const struct trj_engine *kind, const struct lig_engine_stats *s, size_t atoms,
                            void (*print)(const char *text)) {
    char text[256];
    snprintf(text, sizeof text, "%llu frames of %zu atoms: %.3f s in engine %s with %u %s",
             (unsigned long long)s->frames, atoms, s->seconds, kind->name, s->workers, kind->workers);
    print(text);
    for (unsigned i = 0; i < s->device_count; i++) {
        const struct lig_device_stats *d = &s->devices[i];
        snprintf(text, sizeof text, "%s: %.1f frames in %.3f s%s", d->name, d->frames, d->busy,
                 d->failed ? ", failed" : "");
        print(text);
    }
}
