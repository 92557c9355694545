// SPDX-License-Identifier: MIT
// mapcc: reads a frame stream, and correlates the density of each frame with a map; or correlates two maps.
#include <stdlib.h>

#include "cor_engine.h"
#include "cor_options.h"
#include "cor_table.h"
#include "engine_start.h"
#include "frame_loop.h"
#include "output.h"
#include "sampling_note.h"
#include "tool.h"

static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;
static struct cor_options correlation_options = COR_OPTIONS_DEFAULT;
static const char *output_path;

static const struct trj_option options[] = {
    {.table = cor_option_table, .value = &correlation_options},
    {.table = trj_engine_option_table, .value = &engine, .choices = work_map_engine_choices},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "mapcc",
    .purpose =
        "Correlates the simulated density of each frame of a stream (of trjcat) with a map, or correlates two maps.",
    .operands = "[FILE | MAP MAP]",
    .max_operands = 2,
    .options = options,
    .engines = cor_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
};

struct run {
    struct ana_loop loop;
    struct trj_output *out;
    char **provenance;
    struct cor_map map, other;
    struct cor_mask mask;
    struct cor_model model;
    struct cor_selections selections;
    struct cor_job job;
    struct cor_scale scale;
    struct cor_table_model table;
    uint64_t printed; // frames
    bool narrow;      // the Gaussians are too narrow for the steps of the map
    double within;    // if `narrow`: the share of the atoms of the first frame in the map
    struct cor_shells shells;
};

static struct cor_table table_of(const struct run *r) {
    return (struct cor_table){r->out, r->provenance, &r->map, &r->mask, &correlation_options.masks};
}

static int correlate_maps(struct run *r, char **paths, struct trj_error *err) {
    const struct cor_table t = table_of(r);
    if (cor_map_read(&r->other, paths[0], TRJ_MAP_ORIGIN_AUTO, err) ||
        cor_map_read(&r->map, paths[1], TRJ_MAP_ORIGIN_AUTO, err))
        return -1;
    if (correlation_options.fsc)
        return cor_fourier_shells(&r->shells, &r->other, &r->map, err) ||
                       cor_table_print_shells(&t, &r->other, &r->shells, err)
                   ? -1
                   : 0;
    return cor_mask_apply(&r->mask, &r->map, err) || cor_table_print_maps(&t, &r->other, err) ? -1 : 0;
}

// ---- frames

// Reports atoms outside of the map: a different origin is a common cause of low correlation.
static void report_share(const struct run *r, uint64_t frame, const struct cor_sums *sums) {
    double share = (double)sums->x * r->scale.x * trj_map_lattice_voxel(&r->map.lattice) / r->model.total;
    if (r->narrow) share = r->within; // the points of the map do not give the integral of the density
    if (correlation_options.per || correlation_options.masks.count || share > 0.95) return;
    trj_tool_message(
        "note: frame %llu: %.0f %% of the density of group %s is outside of the map %s; if this is not "
        "intended, superpose the frames on a model in the map (trjcat --fit), or check its origin (mapinfo)",
        (unsigned long long)frame, 100 * (1 - share), r->model.group->name, r->map.name);
}

static int print_frame(void *owner, uint64_t frame, double time, const struct cor_sums *sums, struct trj_error *err) {
    struct run *r = owner;
    const struct cor_table t = table_of(r);
    if (!r->printed++) {
        report_share(r, frame, sums);
        if (cor_table_print_head(&t, &r->table, err)) return -1;
    }
    return cor_table_print_frame(&t, &r->table, frame, time, sums, &r->scale, err);
}

static int make_job(struct run *r, double sigma, struct trj_error *err) {
    const struct trj_stream_header *h = r->loop.in->header;
    const struct trj_group *group;
    if (cor_model_find_group(&group, h, correlation_options.group, err)) return -1;
    if (cor_model_open(&r->model, h, group, correlation_options.amplitude, sigma, err)) return -1;
    if (cor_selections_open(&r->selections, h, &r->model, correlation_options.per, err)) return -1;
    if (cor_mask_apply(&r->mask, &r->map, err)) return -1;
    if (cor_frames_quantum(&r->model, &r->scale.x, err)) return -1;
    r->scale.y = r->map.quantum;
    r->scale.y_offset = r->map.offset;
    r->job = (struct cor_job){.frames = {.map = &r->map,
                                         .mask = &r->mask,
                                         .model = &r->model,
                                         .selections = &r->selections,
                                         .divided = correlation_options.per != NULL,
                                         .whole = cor_options_whole(&correlation_options),
                                         .entropy = cor_score_needs_entropy(cor_score_find(correlation_options.score)),
                                         .threads = (unsigned)engine.threads},
                              .atoms = h->atoms,
                              .take = print_frame,
                              .owner = r};
    return 0;
}

// Opens the engine at the first frame, which --dump writes.
static int start(void *run, struct trj_error *err) {
    struct run *r = run;
    char note[DEN_SAMPLING_NOTE];
    r->narrow = den_sampling_note(note, DEN_SUM_OF_SQUARES, r->model.sigma, r->model.kinds, &r->map.lattice);
    if (r->narrow) r->within = cor_frames_within(&r->job.frames, &r->loop.frame);
    trj_tool_print_note(note);
    if (ana_loop_open_engine(&r->loop, &r->job, cor_engine_seconds(&r->job), err)) return -1;
    if (!correlation_options.dump) return 0;
    return cor_frames_write(&r->job.frames, &r->loop.frame, correlation_options.dump, r->out, r->provenance,
                            trj_tool_print_note_of, NULL, err);
}

static int correlate_frames(struct run *r, const char *path, struct trj_error *err) {
    char text[COR_SIGMA_TEXT];
    double sigma;
    if (cor_options_sigma(&correlation_options, &sigma, text, err) ||
        cor_map_read(&r->map, correlation_options.map, TRJ_MAP_ORIGIN_AUTO, err) ||
        ana_loop_open(&r->loop, path, err) || make_job(r, sigma, err))
        return -1;
    r->loop.atoms = r->model.group->count;
    r->table = (struct cor_table_model){
        .header = r->loop.in->header,
        .model = &r->model,
        .selections = &r->selections,
        .sigma = text,
        .local = correlation_options.per ? correlation_options.local ? correlation_options.local : "own" : NULL,
        .score = cor_score_find(correlation_options.score)};
    return ana_loop_read(&r->loop, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct run *r = state;
    if (!correlation_options.map && (!trj_engine_is_auto(&engine) || engine.devices || engine.threads || engine.stats))
        return trj_fail(err, TRJ_USAGE,
                        "--engine, --devices, --threads and --stats require the frames of a stream; add --map FILE");
    const char *frames = count ? *operands : "-";
    if (trj_input_check_option("--map", correlation_options.map, frames, "the frame stream", err)) return -1;
    if (cor_options_check(&correlation_options, count, &r->mask, err)) return -1;
    if (ana_loop_check(&r->loop, err)) return -1;
    if (!(r->provenance = trj_tool_provenance(err))) return -1;
    if (trj_output_check_second(correlation_options.dump, "--dump", output_path, err)) return -1;
    if (trj_output_check_input(correlation_options.dump, "--dump", correlation_options.map, "--map", err)) return -1;
    if (trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err)) return -1;
    int rc = correlation_options.map ? correlate_frames(r, frames, err) : correlate_maps(r, operands, err);
    return rc ? -1 : trj_output_commit(r->out, err);
}

static void close_all(void *state) {
    struct run *r = state;
    ana_loop_close(&r->loop);
    trj_output_close(r->out);
    if (work_start_abandoned()) return; // main ends the process at once
    cor_selections_free(&r->selections);
    cor_model_free(&r->model);
    cor_mask_free(&r->mask);
    cor_map_free(&r->map);
    cor_map_free(&r->other);
    ana_loop_free(&r->loop);
    free(r->shells.shell);
    free(correlation_options.masks.texts);
}

int main(int argc, char **argv) {
    static struct run r = {.loop = {.options = &engine, .engines = cor_engines, .owner = &r, .start = start}};
    cor_options_start(&correlation_options);
    return work_start_end_process(trj_tool_main(&tool, argc, argv, run, close_all, &r));
}
