// SPDX-License-Identifier: MIT
// ligmap: reads a frame stream, and computes the free energy of inserting a small ligand at the points of a lattice.
#include <stdlib.h>

#include "ligand_setup.h"
#include "map_result.h"
#include "memory.h"
#include "stream_input.h"
#include "tool.h"

static struct lig_options request = LIG_OPTIONS_DEFAULT;
static struct trj_map_result result = TRJ_MAP_RESULT_DEFAULT;
static uint64_t threads;

static const struct trj_option options[] = {
    LIG_OPTIONS(request),
    TRJ_MAP_RESULT_OPTIONS(result, "free energy"),
    LIG_OPTION_UNITS(request),
    {.heading = "Computation",
     .letter = 'j',
     .name = "threads",
     .kind = TRJ_OPTION_COUNT,
     .value = &threads,
     .arg = "N",
     .help = "use N threads; 0: all cores that the process may use (default)",
     .max = 4096},
    TRJ_MAP_OPTIONS_OUTPUT(result.output),
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
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

struct run {
    struct trj_reader *in;
    struct trj_frame frame;
    struct lig_setup setup;
    struct lig_map *map;
    char **provenance;
};

// Prepares everything that depends on the first frame.
static int start(struct run *r, struct trj_error *err) {
    if (lig_setup_make(&r->setup, &request, r->in->header, &r->frame, err)) {
        trj_map_free(&r->setup.means);
        return -1;
    }
    r->setup.job.threads = (unsigned)threads;
    result.convert = lig_setup_convert;
    result.convert_arg = &r->setup;
    if (trj_map_result_start(&result, r->in->header, &r->setup.map, &r->setup.means, 1, r->provenance, err)) return -1;
    return lig_map_open(&r->map, &r->setup.job, err);
}

static int end_record(struct run *r, struct trj_error *err) {
    if (!result.record.frames) return 0;
    return trj_map_result_end_record(&result, lig_map_finish(r->map), err);
}

static int commit(struct run *r, struct trj_error *err) {
    if (trj_map_result_commit(&result, err)) return -1;
    if (r->setup.limited)
        trj_tool_message("note: %llu values are %g %s, the largest free energy that --bits %u can resolve: there, the "
                         "ligand overlapped with atoms in all or almost all frames",
                         (unsigned long long)r->setup.limited, r->setup.ceiling, request.units ? request.units : "kT",
                         r->setup.job.bits);
    return 0;
}

static int read_frames(struct run *r, struct trj_error *err) {
    uint64_t frames = 0;
    int got;
    while ((got = trj_stream_input_read(r->in, &r->frame, err)) > 0) {
        if (!frames && start(r, err)) return -1;
        if (lig_map_add(r->map, &r->frame, err) || trj_map_result_add(&result, &r->frame, 1, err))
            return trj_stream_input_fail_frame(r->in, err);
        if (trj_map_result_record_is_full(&result) && end_record(r, err)) return -1;
        trj_tool_progress("frames", ++frames, 0);
    }
    return got < 0 || end_record(r, err) ? -1 : commit(r, err);
}

static int run(struct run *r, int argc, char **argv, int first, struct trj_error *err) {
    if (lig_setup_start(&r->setup, &request, err) || trj_map_result_open(&result, request.units != NULL, err) ||
        trj_stream_input_open(&r->in, first < argc ? argv[first] : "-", err) ||
        trj_reader_read_ahead(r->in, (unsigned)threads, 1, UINT64_MAX, err))
        return -1;
    r->provenance = trj_tool_provenance(&tool, argc, argv, err);
    return r->provenance ? read_frames(r, err) : -1;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct run r = {.in = NULL};
    int first, rc;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&r, argc, argv, first, &err);
    trj_tool_progress_end();
    lig_map_close(r.map);
    trj_map_result_close(&result);
    lig_setup_free(&r.setup);
    trj_reader_close(r.in);
    trj_frame_free(&r.frame);
    trj_text_array_free(r.provenance);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
