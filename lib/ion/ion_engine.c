// SPDX-License-Identifier: MIT
// Estimates whether the CPU places the ions before a GPU could start, because `auto` should not wait for a driver.
#include "ion_engine.h"

#include <string.h>

#include "instruction_set.h"
#include "memory.h"
#include "pool.h"

static int place_on_cpu(void *engine, const struct pot_placement *p, struct pot_ion *ion, uint64_t *excluded,
                        struct trj_error *err) {
    (void)engine;
    return pot_place_ions(p, ion, excluded, err);
}

static const struct pot_ion_engine cpu = {
    .kind.name = "cpu", .kind.workers = "threads", .kind.built_for = trj_isa_names, .place = place_on_cpu};

static const struct trj_engine *const engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &pot_ion_engine_cuda.kind,
#endif
    &cpu.kind, NULL};

const struct trj_choice pot_ion_engine_choices[] = {
    {"auto", "cuda if a GPU can be used and is expected to save time, otherwise cpu"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {"cpu", "threads"},
    {NULL, NULL},
};

int pot_ion_engine_check(const struct trj_engine_options *o, struct trj_error *err) {
    const struct trj_engine *kind;
    if (trj_engine_check_options(o, err)) return -1;
    if (o->devices && strchr(o->devices, ','))
        return trj_fail(err, TRJ_USAGE, "--devices: '%s' lists several GPUs, but one places all ions; give one",
                        o->devices);
    return trj_engine_find(&kind, engines, o->engine, err);
}

// Measured (tests/bench/RESULTS.md): times of a thread for updating a point and for excluding one, and the time that
// the start of a GPU takes.
#define POINT_SECONDS     2.1e-9
#define EXCLUSION_SECONDS 8e-9
#define GPU_START_SECONDS 0.3

// Returns whether the CPU is expected to place the ions in less time than the start of a GPU takes.
static bool is_small(const struct pot_placement *p) {
    double updates = (double)trj_map_lattice_points(p->lattice) * (double)pot_ion_list_total(p->ions),
           sphere = 4.2 * p->from_solute * p->from_solute * p->from_solute,
           exclusions = (double)p->atoms * sphere / trj_map_lattice_voxel(p->lattice);
    return (updates * POINT_SECONDS + exclusions * EXCLUSION_SECONDS) / trj_pool_size(p->threads) < GPU_START_SECONDS;
}

static const struct pot_ion_engine *engine_of(const struct trj_engine *kind) {
    return (const struct pot_ion_engine *)(const void *)kind; // its first member
}

// Places the ions with one engine. Sets *started to whether the engine could be opened.
static int place(const struct pot_ion_engine *e, const char *devices, const struct pot_placement *p,
                 struct pot_ion *ion, uint64_t *excluded, bool *started, struct trj_engine_stats *stats,
                 struct trj_error *err) {
    void *state = NULL;
    double began = trj_seconds();
    *started = !e->open || !e->open(&state, devices, err);
    if (!*started) return -1;
    double start = e->open ? trj_seconds() - began : 0;
    int rc = e->place(state, p, ion, excluded, err);
    *stats = (struct trj_engine_stats){.workers = trj_pool_size(p->threads)};
    if (e->stats) e->stats(state, stats);
    stats->kind = &e->kind;
    stats->start = start;
    stats->seconds = trj_seconds() - began - start;
    if (e->close) e->close(state);
    return rc;
}

int pot_ion_engine_place(const struct trj_engine_options *o, const struct pot_placement *p, struct pot_ion *ion,
                         uint64_t *excluded, struct trj_engine_stats *stats, void (*note)(const char *text),
                         struct trj_error *err) {
    bool small = trj_engine_is_auto(o) && !o->devices && is_small(p), started;
    const struct trj_engine *used;
    if (trj_engine_find(&used, engines, small ? cpu.kind.name : o->engine, err)) return -1;
    while (place(engine_of(used), o->devices, p, ion, excluded, &started, stats, err)) {
        struct trj_error why = *err;
        if (small || !trj_engine_fall_back(&used, engines, o->engine, &why))
            return started && err->status == TRJ_NO_ENGINE ? trj_fail(err, TRJ_NO_ENGINE, "%s; use -e cpu", why.text)
                                                           : -1;
        if (started) note(err->text);
    }
    return 0;
}

const char *pot_ion_engine_versions(void) {
    return trj_engine_versions(engines);
}
