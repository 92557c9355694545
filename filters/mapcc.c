// SPDX-License-Identifier: MIT
// mapcc: reads a frame stream, and correlates the density of each frame with a map; or correlates two maps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cor_frames.h"
#include "cor_table.h"
#include "memory.h"
#include "output.h"
#include "resolution.h"
#include "stream_input.h"
#include "tool.h"

static const char *output_path, *map_path, *of, *sigma_factor = "chimerax", *amplitude, *score, *per, *local, *dump;
static double resolution = NAN, sigma = NAN;
static struct trj_text_list masks;
static uint64_t threads;
static bool fsc;

static const struct trj_choice locals[] = {
    {"own", "the density of the selection alone"}, {"whole", "the density of the whole group"}, {NULL, NULL}};

static const struct trj_option options[] = {
    {.heading = "Maps",
     .letter = 'm',
     .name = "map",
     .kind = TRJ_OPTION_TEXT,
     .value = &map_path,
     .arg = "FILE",
     .help = "correlate the frames with this map"},
    {.name = "fsc",
     .kind = TRJ_OPTION_FLAG,
     .value = &fsc,
     .help = "print the Fourier shell correlation of two maps instead of their scores"},
    {.heading = "Simulated density",
     .name = "of",
     .kind = TRJ_OPTION_TEXT,
     .value = &of,
     .arg = "GROUP",
     .help = "use the atoms of this group (default: the only group of the stream)"},
    {.letter = 'r',
     .name = "resolution",
     .kind = TRJ_OPTION_REAL,
     .value = &resolution,
     .arg = "R",
     .help = "set the resolution of the map in Angstrom, from which the width of the Gaussians follows"},
    {.name = "sigma-factor",
     .kind = TRJ_OPTION_TEXT,
     .value = &sigma_factor,
     .arg = "FACTOR",
     .help = "set the width of the Gaussians to this multiple of the resolution: " DEN_RESOLUTION_FACTORS},
    {.name = "sigma",
     .kind = TRJ_OPTION_REAL,
     .value = &sigma,
     .arg = "S",
     .help = "set the width of the Gaussians in Angstrom, instead of --resolution"},
    {.letter = 'a',
     .name = "amplitude",
     .kind = TRJ_OPTION_CHOICE,
     .value = &amplitude,
     .arg = "WHAT",
     .help = "weight the Gaussian of an atom by this",
     .choices = cor_amplitudes},
    {.heading = "Scores",
     .letter = 's',
     .name = "score",
     .kind = TRJ_OPTION_CHOICE,
     .value = &score,
     .arg = "SCORE",
     .help = "print this score of each frame",
     .choices = cor_scores},
    {.name = "mask",
     .kind = TRJ_OPTION_LIST,
     .value = &masks,
     .arg = "MASK",
     .help = "use only these points: 2sigma, level:L, simulated:F, radius:R or a file (default: all; with --per, "
             "simulated:0.1)"},
    {.name = "per",
     .kind = TRJ_OPTION_CHOICE,
     .value = &per,
     .arg = "PART",
     .help = "print a score for each of these parts of the group",
     .choices = cor_parts,
     .carry = "segid:segid"},
    {.name = "local",
     .kind = TRJ_OPTION_CHOICE,
     .value = &local,
     .arg = "DENSITY",
     .help = "correlate this density at the points of a part (default: own)",
     .choices = locals},
    {.heading = "Computation",
     .letter = 'j',
     .name = "threads",
     .kind = TRJ_OPTION_COUNT,
     .value = &threads,
     .arg = "N",
     .help = "use N threads; 0: all cores that the process may use (default)",
     .max = 4096},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    {.name = "dump",
     .kind = TRJ_OPTION_TEXT,
     .value = &dump,
     .arg = "FILE",
     .help = "also write the simulated density of the first frame to this map file"},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "mapcc",
    .purpose = "Correlates the density of the frames of a stream (of trjcat) with a map, or two maps, as a table.",
    .operands = "[FILE | MAP MAP]",
    .max_operands = 2,
    .options = options,
    .to_stdout = to_stdout,
};

struct run {
    struct trj_reader *in;
    struct trj_output *out;
    char **provenance;
    struct trj_frame frame;
    struct cor_map map, other;
    struct cor_mask mask;
    struct cor_model model;
    struct cor_selections selections;
    struct cor_frames *frames;
    struct cor_sums *sums; // [selections.count]
    struct cor_shells shells;
};

static int check_options(int operands, struct trj_error *err) {
    static const char *const simulated[] = {"simulated:0.1"};
    bool frames = map_path != NULL;
    if (!frames && operands != 2)
        return trj_fail(err, TRJ_USAGE, "give two maps, or --map FILE for the frames of a stream; see mapcc --help");
    if (frames && fsc) return trj_fail(err, TRJ_USAGE, "--fsc compares two maps; give them without --map");
    if (frames && operands > 1) return trj_fail(err, TRJ_USAGE, "with --map, expected one frame stream at most");
    if (frames && isnan(sigma) == isnan(resolution))
        return trj_fail(err, TRJ_USAGE, "%s",
                        isnan(sigma) ? "the width of the Gaussians is missing; give --resolution R, as --resolution 6.6"
                                     : "--sigma and --resolution contradict each other; leave one out");
    if (!frames && (of || per || local || dump || !isnan(sigma) || !isnan(resolution)))
        return trj_fail(err, TRJ_USAGE, "options of the simulated density require --map FILE");
    if (!isnan(resolution) && !(resolution > 0))
        return trj_fail(err, TRJ_USAGE, "--resolution: invalid value %g: must be above 0", resolution);
    if (!isnan(sigma) && !(sigma > 0))
        return trj_fail(err, TRJ_USAGE, "--sigma: invalid value %g: must be above 0", sigma);
    if (local && !per) return trj_fail(err, TRJ_USAGE, "--local requires --per, which divides the group");
    if (fsc && masks.count)
        return trj_fail(err, TRJ_USAGE,
                        "--mask applies to scores, not to --fsc; multiply the maps by a mask with mapmath");
    if (per && !masks.count) {
        if (!(masks.texts = trj_alloc(1, sizeof *masks.texts, "masks", err))) return -1;
        masks.texts[masks.count++] = simulated[0];
    }
    return 0;
}

static int check_mask(const struct cor_mask *m, struct trj_error *err) {
    if (!map_path && cor_mask_is_local(m))
        return trj_fail(err, TRJ_USAGE,
                        "--mask: simulated:F and radius:R require atoms; use 2sigma, level:L or a file");
    if (local && !strcmp(local, "whole") && !cor_mask_is_local(m))
        return trj_fail(err, TRJ_USAGE,
                        "--local whole: the points of all parts would be the same; add --mask simulated:F or radius:R");
    return 0;
}

static int correlate_maps(struct run *r, char **paths, struct trj_error *err) {
    struct cor_table t = {r->out, (const char *const *)r->provenance, &r->map, &r->mask, &masks};
    if (cor_map_read(&r->other, paths[0], TRJ_MAP_ORIGIN_AUTO, err) ||
        cor_map_read(&r->map, paths[1], TRJ_MAP_ORIGIN_AUTO, err))
        return -1;
    if (fsc)
        return cor_fourier_shells(&r->shells, &r->other, &r->map, err) ||
                       cor_table_print_shells(&t, &r->other, &r->shells, err)
                   ? -1
                   : 0;
    return cor_mask_apply(&r->mask, &r->map, err) || cor_table_print_maps(&t, &r->other, err) ? -1 : 0;
}

static int open_frames(struct run *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->in->header;
    const struct trj_group *group;
    if (cor_model_find_group(&group, h, of, err) || cor_model_open(&r->model, h, group, amplitude, sigma, err) ||
        cor_selections_open(&r->selections, h, &r->model, per, err) || cor_mask_apply(&r->mask, &r->map, err))
        return -1;
    const struct cor_frames_setup setup = {.map = &r->map,
                                           .mask = &r->mask,
                                           .model = &r->model,
                                           .selections = &r->selections,
                                           .divided = per != NULL,
                                           .whole = local && !strcmp(local, "whole"),
                                           .entropy = cor_score_needs_entropy(cor_score_find(score)),
                                           .threads = (unsigned)threads};
    r->sums = trj_alloc(r->selections.count, sizeof *r->sums, "sums", err);
    return r->sums ? cor_frames_open(&r->frames, &setup, err) : -1;
}

// Reports atoms outside of the map: a different origin is a common cause of low correlation.
static void report_share(const struct run *r, const struct cor_scale *scale) {
    double share = (double)r->sums[0].x * scale->x * trj_map_lattice_voxel(&r->map.lattice) / r->model.total;
    if (per || masks.count || share > 0.95) return;
    trj_tool_message(
        "note: frame %llu: %.0f %% of the density of group %s is outside of the map %s; if this is not "
        "intended, superpose the frames on a model in the map (trjcat --fit), or check its origin (mapinfo)",
        (unsigned long long)r->frame.index, 100 * (1 - share), r->model.group->name, r->map.name);
}

static int open_output(struct run *r, struct trj_error *err) {
    return trj_output_open(&r->out, output_path, TRJ_OUTPUT_TEXT, err);
}

static int correlate_frames(struct run *r, const char *path, struct trj_error *err) {
    char text[120];
    double factor = sigma / resolution;
    if (!isnan(resolution)) {
        if (den_resolution_factor(&factor, sigma_factor, err)) return trj_fail_at(err, "--sigma-factor");
        sigma = factor * resolution;
        snprintf(text, sizeof text, "%.7g Angstrom, %.5g times the resolution of %.7g Angstrom", sigma, factor,
                 resolution);
    } else {
        snprintf(text, sizeof text, "%.7g Angstrom", sigma);
    }
    if (cor_map_read(&r->map, map_path, TRJ_MAP_ORIGIN_AUTO, err) || trj_stream_input_open(&r->in, path, err) ||
        trj_reader_read_ahead(r->in, (unsigned)threads, 1, UINT64_MAX, err) || open_frames(r, err))
        return -1;
    struct cor_table t = {r->out, (const char *const *)r->provenance, &r->map, &r->mask, &masks};
    const struct cor_table_model m = {.header = r->in->header,
                                      .model = &r->model,
                                      .selections = &r->selections,
                                      .sigma = text,
                                      .local = per ? local ? local : "own" : NULL,
                                      .score = cor_score_find(score)};
    const struct cor_scale scale = {.x = cor_frames_quantum(r->frames), .y = r->map.quantum, .y_offset = r->map.offset};
    int got;
    for (uint64_t n = 0; (got = trj_stream_input_read(r->in, &r->frame, err)) > 0; n++) {
        // A signal removes one temporary file only (output.h): the output is opened after this one is complete.
        if (!n && dump && (cor_frames_write(r->frames, &r->frame, dump, r->provenance, err) || open_output(r, err)))
            return -1;
        t.out = r->out;
        if (cor_frames_add(r->frames, &r->frame, r->sums, err)) return trj_stream_input_fail_frame(r->in, err);
        if (!n) report_share(r, &scale);
        if ((!n && cor_table_print_head(&t, &m, err)) || cor_table_print_frame(&t, &m, &r->frame, r->sums, &scale, err))
            return -1;
        trj_tool_progress("frames", n + 1, 0);
    }
    return got;
}

static int run(struct run *r, int argc, char **argv, int first, struct trj_error *err) {
    if (check_options(argc - first, err) || cor_mask_parse(&r->mask, &masks, err) || check_mask(&r->mask, err) ||
        !(r->provenance = trj_tool_provenance(&tool, argc, argv, err)) || (!dump && open_output(r, err)))
        return -1;
    int rc =
        map_path ? correlate_frames(r, first < argc ? argv[first] : "-", err) : correlate_maps(r, argv + first, err);
    return rc ? -1 : trj_output_commit(r->out, err);
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct run r = {.in = NULL};
    int first, rc;
    amplitude = cor_amplitudes[0].name;
    score = cor_scores[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&r, argc, argv, first, &err);
    trj_tool_progress_end();
    trj_output_close(r.out);
    trj_text_array_free(r.provenance);
    cor_frames_close(r.frames);
    cor_selections_free(&r.selections);
    cor_model_free(&r.model);
    cor_mask_free(&r.mask);
    cor_map_free(&r.map);
    cor_map_free(&r.other);
    trj_reader_close(r.in);
    trj_frame_free(&r.frame);
    free(r.shells.shell);
    free(r.sums);
    free(masks.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
