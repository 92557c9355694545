// SPDX-License-Identifier: MIT
// densmap: reads a frame stream, and computes the density of a group of atoms at the points of a lattice.
#include <math.h>

#include "density_bodies.h"
#include "density_engine.h"
#include "density_setup.h"
#include "engine_start.h"
#include "frame_loop.h"
#include "sampling_note.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct work_checkpoint_options checkpoints;
static struct den_options density_options = DEN_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static double relative = NAN;
static struct ana_ranks_options ranks;

static const struct trj_option options[] = {
    {.table = den_option_table, .value = &density_options},
    {.table = trj_map_result_option_table, .value = &result, .subject = "density"},
    {TRJ_OPTION(0, "relative", REAL, &relative, "RHO",
                "divide the mean density by RHO, such as 0.0334 for the oxygen atoms of water")},
    {.table = trj_engine_option_table, .value = &engine, .choices = den_engine_choices},
    {.table = work_checkpoint_option_table, .value = &checkpoints},
    {.table = ana_ranks_option_table, .value = &ranks},
    {.table = trj_map_series_option_table, .value = &result.output},
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&result.output);
}

static const struct trj_tool tool = {
    .name = "densmap",
    .purpose = "Computes the density of a group of atoms in a frame stream (of trjcat) at the points of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .engines = den_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static struct den_setup setup;

static int start(void *loop, struct trj_error *err);
static int accept_frame(void *loop, struct trj_frame *frame, struct trj_error *err);

static struct ana_loop loop = {.options = &engine,
                               .checkpoints = &checkpoints,
                               .ranks = &ranks,
                               .owner = &loop,
                               .start = start,
                               .accept = accept_frame,
                               .result = &result};

// Prepares everything that depends on the first frame.
static int start(void *owner, struct trj_error *err) {
    struct ana_loop *l = owner;
    const struct trj_stream_header *h = l->in->header;
    struct trj_map density;
    char note[DEN_SAMPLING_NOTE];
    if (den_setup_make(&setup, &density_options, h, &l->frame, err)) return -1;
    l->atoms = setup.job.group->count;
    if (ana_loop_divide(l, &setup.job.slab, &result, &setup.job.lattice, 1, setup.job.lattice.n[2], err)) return -1;
    l->values = den_job_points(&setup.job);
    if (setup.job.fractional) l->moves = &setup.job.lattice;
    if (setup.job.kernel == DEN_GAUSS &&
        den_sampling_note(note, DEN_INTEGRAL, setup.sigma, setup.job.gauss.kinds, &setup.job.lattice))
        trj_tool_print_note(note);
    if (ana_loop_open_engine(l, &setup.job, den_engine_seconds(&setup.job, &l->frame), err) ||
        den_setup_density(&setup, &density, relative, err))
        return -1;
    return trj_map_result_start(&result, h, &setup.map, &density, setup.to_density / (isnan(relative) ? 1 : relative),
                                trj_tool_provenance(err), err);
}

static int accept_frame(void *owner, struct trj_frame *frame, struct trj_error *err) {
    (void)owner;
    if (den_job_check_frame(&setup.job, frame, err)) return -1;
    return trj_map_result_add(&result, frame, den_setup_weight(&setup), err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct ana_loop *l = state;
    const char *path = count ? *operands : "-";
    if (trj_mpi_start(&ranks.mpi, path, &engine, checkpoints.path ? "--checkpoint" : NULL, err)) return -1;
    l->engines = density_options.body ? den_bodies_engines : den_engines;
    if ((density_options.body &&
         (trj_bodies_check(density_options.body, err) || den_bodies_check(engine.engine, err))) ||
        ana_loop_check(l, err) || trj_map_result_open(&result, !isnan(relative), err))
        return -1;
    if (!isnan(relative) && !(relative > 0))
        return trj_fail(err, TRJ_USAGE, "--relative: invalid value %g: expected a density above 0", relative);
    if (density_options.body && ana_ranks_divide_map(&ranks))
        return trj_fail(err, TRJ_USAGE, "--divide map: does not work with --body; use --divide frames");
    if (trj_input_check_option("--like", density_options.lattice.like, path, "the frame stream", err)) return -1;
    if (ana_loop_open(l, path, err) || ana_loop_read(l, err) || trj_map_result_commit(&result, err)) return -1;
    ana_loop_complete(l);
    return 0;
}

static void close_all(void *state) {
    ana_loop_close(state);
    trj_map_result_close(&result);
    if (work_start_abandoned()) return; // main ends the process at once
    den_setup_free(&setup);
    ana_loop_free(state);
}

int main(int argc, char **argv) {
    return work_start_end_process(trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &loop)));
}
