// SPDX-License-Identifier: MIT
// Lists the engines of this build, and opens the next one with a note if `auto` cannot open an engine.
#include "wave_engine.h"

const struct trj_engine *const wav_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &wav_engine_cuda.kind,
#endif
    &wav_engine_cpu.kind, &wav_engine_reference.kind, NULL};

const struct trj_choice wav_engine_choices[] = {
    {"auto", "cuda if there is a GPU, else cpu"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {"cpu", "CPU threads, which process tiles of atoms"},
    {"reference", "one atom and one wave vector at a time, for comparison"},
    {NULL, NULL},
};

int wav_engine_open(const struct wav_engine **engine, void **state, const struct trj_engine_options *options,
                    const struct wav_job *job, void (*note)(const char *text), struct trj_error *err) {
    const struct trj_engine *kind;
    if (trj_engine_find(&kind, wav_engines, options->engine, err)) return -1;
    for (;;) {
        *engine = (const struct wav_engine *)(const void *)kind; // its first member
        if (!(*engine)->open(state, job, err)) return 0;
        if (!trj_engine_fall_back(&kind, wav_engines, options->engine, err)) return -1;
        note(err->text);
    }
}
