// SPDX-License-Identifier: MIT
// mapmath: computes with the values of maps: arithmetic, masks, free energies, other lattices, projections, profiles.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_math.h"
#include "map_means.h"
#include "map_origin.h"
#include "map_output.h"
#include "memory.h"
#include "table_writer.h"
#include "tool.h"

static struct trj_map_math_options math_options = {
    .fill = NAN, .temperature = NAN, .reference = "max", .energy_unit = "kJ/mol", .reduce = "mean"};
static const char *origin_words = "auto";
static struct trj_map_output output;

static const struct trj_choice energy_units[] = {
    {"kJ/mol", "kilojoule per mole"},
    {"kcal/mol", "kilocalorie per mole, 4.184 kJ/mol"},
    {"kT", "k_B times the temperature"},
    {NULL, NULL},
};
static const struct trj_choice axes[] = {
    {"x", "axis 0 of the lattice"}, {"y", "axis 1"}, {"z", "axis 2"}, {NULL, NULL}};
static const struct trj_choice reductions[] = {
    {"mean", "the mean of the known values"},
    {"sum", "their sum"},
    {"integral",
     "the sum times the step (--project), the area of a cell (--profile) or the volume of a voxel (shells)"},
    {NULL, NULL},
};

static const struct trj_option options[] = {
    {.heading = "Values",
     TRJ_OPTION('e', "expression", TEXT, &math_options.expression, "EXPRESSION",
                "evaluate this expression; all operands are then files")},
    {.heading = "Points",
     TRJ_OPTION(0, "like", TEXT, &math_options.like, "FILE", "interpolate the maps at the points of the map in FILE")},
    {TRJ_OPTION(0, "mask", TEXT, &math_options.mask, "CONDITION",
                "keep the values at points where this expression is true, and set the others to nan (unknown)")},
    {TRJ_OPTION(0, "fill", REAL, &math_options.fill, "VALUE", "write VALUE for values that are unknown or infinite")},
    {.table = trj_map_origin_option, .value = &origin_words},
    {.table = trj_map_totals_option, .value = &math_options.totals},
    {.heading = "Free energy",
     TRJ_OPTION('T', "free-energy", REAL, &math_options.temperature, "K",
                "compute the free energy -k_B T ln(value/reference) at this temperature in kelvin")},
    {TRJ_OPTION(0, "reference", TEXT, &math_options.reference, "VALUE",
                "set the value at which the free energy is 0: a number, max or mean")},
    {TRJ_OPTION(0, "energy-unit", CHOICE, &math_options.energy_unit, "UNIT", "write free energies in this unit"),
     .choices = energy_units},
    {.heading = "Projections and profiles",
     TRJ_OPTION(0, "project", CHOICE, &math_options.project, "AXIS",
                "project the map along this axis to a map with one plane"),
     .choices = axes},
    {TRJ_OPTION(0, "profile", TEXT, &math_options.profile, "AXIS",
                "print the profile along x, y or z, or of the distance from cylinder:AXIS[@X,Y,Z] or sphere@X,Y,Z, as "
                "tab-separated text, instead of a map")},
    {TRJ_OPTION(0, "reduce", CHOICE, &math_options.reduce, "HOW",
                "with --project or --profile: compute this from the values"),
     .choices = reductions},
    {.table = trj_map_output_option_table, .value = &output},
    TRJ_OPTION_END,
};

static bool to_stdout(void);
static bool has_option; // --expression, so that all operands are files

static int operand_file(char **path, const char *text, size_t number, struct trj_error *err) {
    *path = NULL;
    if (number == SIZE_MAX || (!number && !has_option)) return 0;
    return (*path = trj_copy_text(trj_map_operand_path(text), err)) ? 0 : -1;
}

static struct trj_tool tool = {
    .name = "mapmath",
    .purpose =
        "Evaluates EXPRESSION, such as 'a - 0.5 * b', at each point of maps. The maps of files without a NAME are "
        "a, b, c, ...",
    .operands = "[EXPRESSION] [[NAME=]FILE...]",
    .max_operands = SIZE_MAX,
    .operand_file = operand_file,
    .options = options,
    .to_stdout = to_stdout,
    .stream = &trj_grid_kind,
};

static bool to_stdout(void) {
    if (!math_options.profile) return trj_map_output_is_stream_to_stdout(&output);
    tool.stream = NULL; // a profile is a table
    return trj_output_is_stdout(output.path);
}

struct job {
    struct trj_map_math math;
    double *profiles; // [maps][points]
    size_t capacity;
    uint64_t maps;
};

// ---- maps

static int write_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    (void)arg;
    return trj_map_writer_write(output.writer, values, planes, err);
}

// Adds the provenance of the operands, and the sources of the one whose frames the records contain.
static int add_origins(struct job *j, struct trj_error *err) {
    const struct trj_map_operand *source = trj_map_math_source(&j->math);
    for (size_t i = 0; i < j->math.operands.count; i++) {
        const struct trj_map_operand *p = &j->math.operands.operand[i];
        if (!p->reader->origin) continue;
        struct trj_stream_header origin = *p->reader->origin;
        if (p != source) origin.source_count = 0;
        if (trj_map_output_add_origin(&output, &origin, err)) return -1;
    }
    return 0;
}

static int write_map(struct job *j, struct trj_error *err) {
    struct trj_grid_record record;
    trj_map_math_record(&j->math, &record);
    if (add_origins(j, err) ||
        (!output.writer && trj_map_output_start(&output, &j->math.map, trj_tool_provenance(err), err)) ||
        trj_map_writer_begin(output.writer, &record, err))
        return -1;
    return trj_map_math_compute(&j->math, write_planes, NULL, err);
}

// ---- profiles

static uint64_t profile_points(const struct job *j) {
    return trj_map_lattice_points(&j->math.map.lattice) * j->math.map.components;
}

static int keep_planes(void *arg, const void *values, uint64_t planes, struct trj_error *err) {
    struct job *j = arg;
    uint64_t n = profile_points(j);
    (void)planes; // all values of the profile are passed at once
    if (trj_grow(&j->profiles, &j->capacity, (j->maps + 1) * n, sizeof *j->profiles, "profiles", err)) return -1;
    trj_map_to_real(&j->math.map, values, n, j->profiles + j->maps * n);
    return 0;
}

// Writes the name of a column for each map: "mean(number density, A^-3)", with the number of the map if there are
// several.
static int print_names(const struct job *j, struct trj_table *t) {
    const struct trj_map *m = &j->math.map;
    char quantity[2 * TRJ_MAP_TEXT_MAX + 8];
    snprintf(quantity, sizeof quantity, "%s%s%s", m->quantity, *m->quantity && *m->unit ? ", " : "", m->unit);
    for (char *c = quantity; *c; c++)
        if (strchr("()\t", *c)) *c = '_';
    trj_table_name(t, "%c", j->math.reduction.radial ? 'r' : *math_options.profile);
    for (uint64_t k = 0; k < j->maps * m->components; k++) {
        char number[24] = "";
        if (j->maps * m->components > 1)
            snprintf(number, sizeof number, "%s%llu", *quantity ? " " : "", (unsigned long long)k);
        trj_table_name(t, "%s(%s%s)", math_options.reduce, quantity, number);
    }
    return trj_table_end_row(t);
}

static void print_shells(const struct trj_map_reduction *r, struct trj_table *t) {
    const struct trj_map_shells *s = &r->shells;
    const char *of = s->profile.shape == TRJ_MAP_SPHERE ? "spherical" : "cylindrical";
    if (!r->radial) return;
    trj_table_comment(
        t,
        "%s shells of %.10g Angstrom about %.10g,%.10g,%.10g, up to %.10g Angstrom, where images or faces "
        "of the map begin; each voxel counts by the share of its %d parts in the shell; r: middle of the "
        "shell in Angstrom",
        of, s->width, s->centre[0], s->centre[1], s->centre[2], s->limit, TRJ_MAP_PARTS);
}

static int print_profiles(const struct job *j, struct trj_output *out, struct trj_error *err) {
    uint64_t components = j->math.map.components, points = profile_points(j) / components;
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, output.origin.provenance, output.origin.provenance_count);
    trj_table_provenance(&t, trj_tool_provenance(err), SIZE_MAX);
    print_shells(&j->math.reduction, &t);
    if (print_names(j, &t)) return -1;
    for (uint64_t p = 0; p < points; p++) {
        trj_table_real(&t, 10, trj_map_reduction_position(&j->math.reduction, p));
        for (uint64_t k = 0; k < j->maps * components; k++)
            trj_table_real(&t, 10, j->profiles[(k / components * points + p) * components + k % components]);
        if (trj_table_end_row(&t)) return -1;
    }
    return trj_output_commit(out, err);
}

// ----

static void note(const char *file, const char *text) {
    trj_tool_message("%s%snote: %s", file ? file : "", file ? ": " : "", text);
}

static int check(struct trj_error *err) {
    bool reduced = math_options.project || math_options.profile;
    if (!reduced && strcmp(math_options.reduce, "mean") != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--reduce applies to --project and --profile; add one of them, or leave it out");
    if (isnan(math_options.temperature) &&
        (strcmp(math_options.reference, "max") != 0 || strcmp(math_options.energy_unit, "kJ/mol") != 0))
        return trj_fail(err, TRJ_USAGE,
                        "--reference and --energy-unit apply to free energies; add --free-energy K, or leave them out");
    if (math_options.profile && (output.to || output.level))
        return trj_fail(err, TRJ_USAGE, "--to and --compress apply to maps, not to profiles; leave them out");
    return 0;
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct trj_map_math *m = &j->math;
    int rc, used = 0;
    if (!math_options.expression && !count)
        return trj_fail(err, TRJ_USAGE, "no expression given; usage: %s [OPTION]... %s", tool.name, tool.operands);
    has_option = math_options.expression;
    if (!has_option) math_options.expression = operands[used++];
    math_options.origin = trj_map_origin_named(origin_words);
    if (check(err)) return -1;
    if (!trj_tool_provenance(err)) return -1;
    if (trj_map_math_open(m, &math_options, operands + used, (size_t)(count - used), err)) return -1;
    rc = math_options.profile ? trj_output_open(&output.out, output.path, TRJ_OUTPUT_TEXT, err)
                              : trj_map_output_open(&output, err);
    if (rc) return -1;
    while ((rc = trj_map_math_next(m, err)) > 0) {
        if (math_options.profile ? add_origins(j, err) || trj_map_math_compute(m, keep_planes, j, err)
                                 : write_map(j, err))
            return -1;
        trj_tool_progress("maps", ++j->maps, 0);
    }
    if (rc || (math_options.profile ? print_profiles(j, output.out, err) : trj_map_output_commit(&output, err)))
        return -1;
    trj_tool_progress_end();
    trj_map_math_notes(m, note);
    for (size_t i = 0; output.writer && i < output.writer->notes.count; i++) note(NULL, output.writer->notes.text[i]);
    return 0;
}

static void close_all(void *state) {
    struct job *j = state;
    trj_map_math_close(&j->math);
    trj_map_output_close(&output);
    free(j->profiles);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
