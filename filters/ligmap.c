// SPDX-License-Identifier: MIT
// ligmap: reads a frame stream, and computes the free energy of inserting a small ligand at the points of a lattice.
#include "engine_start.h"
#include "frame_loop.h"
#include "ligand_engine.h"
#include "ligand_setup.h"
#include "mpi_run.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct work_checkpoint_options checkpoints;
static struct lig_options ligand_options = LIG_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static struct trj_mpi_options mpi;

static const struct trj_option options[] = {
    {.table = lig_option_table, .value = &ligand_options},
    {.table = trj_map_result_option_table, .value = &result, .subject = "free energy"},
    {.table = lig_unit_option_table, .value = &ligand_options},
    {.table = trj_engine_option_table, .value = &engine, .choices = work_map_engine_choices},
    {.table = work_checkpoint_option_table, .value = &checkpoints},
    {.table = trj_mpi_option_table, .value = &mpi},
    {.table = trj_map_series_option_table, .value = &result.output},
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_map_output_is_stream_to_stdout(&result.output);
}

static const struct trj_tool tool = {
    .name = "ligmap",
    .purpose =
        "Computes the free energy of a small ligand among the atoms of a frame stream (of trjcat), at the points "
        "of a lattice.",
    .operands = "[FILE]",
    .max_operands = 1,
    .options = options,
    .engines = lig_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static struct lig_setup setup;

static int start(void *loop, struct trj_error *err);
static int accept_frame(void *loop, struct trj_frame *frame, struct trj_error *err);

static struct ana_loop loop = {.options = &engine,
                               .engines = lig_engines,
                               .checkpoints = &checkpoints,
                               .owner = &loop,
                               .start = start,
                               .accept = accept_frame,
                               .result = &result};

// Prepares everything that depends on the first frame.
static int start(void *owner, struct trj_error *err) {
    struct ana_loop *l = owner;
    const struct trj_stream_header *h = l->in->header;
    int rc = lig_setup_make(&setup, &ligand_options, h, &l->frame, err);
    if (!rc) {
        l->values = trj_map_plane_values(&setup.map) * setup.map.lattice.n[2];
        rc = ana_loop_open_engine(l, &setup.job, lig_engine_seconds(&setup.job), err);
    }
    if (rc) {
        trj_map_free(&setup.means);
        return -1;
    }
    l->atoms = setup.job.group->count;
    if (setup.job.fractional) l->moves = &setup.job.lattice;
    result.convert = lig_setup_convert;
    result.convert_arg = &setup;
    return trj_map_result_start(&result, h, &setup.map, &setup.means, 1, trj_tool_provenance(err), err);
}

static int accept_frame(void *owner, struct trj_frame *frame, struct trj_error *err) {
    (void)owner;
    return trj_map_result_add(&result, frame, 1, err);
}

static void report_limit(void) {
    if (setup.limited)
        trj_tool_message("note: %llu value%s %g %s, the largest free energy that --bits %u can resolve: there, the "
                         "ligand overlapped with atoms in all or almost all frames",
                         (unsigned long long)setup.limited, setup.limited == 1 ? " is" : "s are", setup.ceiling,
                         ligand_options.units ? ligand_options.units : "kT", setup.job.bits);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    const char *path = count ? *operands : "-";
    if (trj_mpi_start(&mpi, path, &engine, checkpoints.path ? "--checkpoint" : NULL, err)) return -1;
    if (lig_setup_start(&setup, &ligand_options, path, err)) return -1;
    if (ana_loop_check(state, err)) return -1;
    if (trj_map_result_open(&result, ligand_options.units != NULL, err)) return -1;
    if (ana_loop_open(state, path, err)) return -1;
    if (ana_loop_read(state, err)) return -1;
    if (trj_map_result_commit(&result, err)) return -1;
    ana_loop_complete(state);
    report_limit();
    return 0;
}

static void close_all(void *state) {
    ana_loop_close(state);
    trj_map_result_close(&result);
    if (work_start_abandoned()) return; // main ends the process at once
    lig_setup_free(&setup);
    ana_loop_free(state);
}

int main(int argc, char **argv) {
    return work_start_end_process(trj_mpi_end(trj_tool_main(&tool, argc, argv, run, close_all, &loop)));
}
