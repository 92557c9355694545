// SPDX-License-Identifier: MIT
// ionplace: reads a map of the electrostatic potential, and places ions at its extrema.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cor_model.h"
#include "element_guess.h"
#include "ion_engine.h"
#include "ion_options.h"
#include "ion_output.h"
#include "memory.h"
#include "output.h"
#include "potential_map.h"
#include "potential_units.h"
#include "stream_input.h"
#include "tool.h"

static struct pot_ion_options ion_options = POT_ION_OPTIONS_DEFAULT;
static const char *output_path, *table_path;
static struct trj_engine_options engine = TRJ_ENGINE_OPTIONS_DEFAULT;

static const struct trj_option options[] = {
    {.table = pot_ion_option_table, .value = &ion_options},
    {.table = trj_engine_name_option, .value = &engine, .choices = pot_ion_engine_choices},
    {.table = trj_engine_device_option, .value = &engine},
    {.table = trj_engine_threads_option, .value = &engine},
    {.table = trj_engine_stats_option, .value = &engine},
    TRJ_OPTION_OUTPUT(&output_path, "write the PDB file to FILE instead of standard output"),
    {TRJ_OPTION(0, "table", TEXT, &table_path, "FILE", "also write a table of positions and energies to FILE"),
     .role = TRJ_ROLE_OUTPUT},
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "ionplace",
    .purpose = "Places ions at the extrema of a map of the electrostatic potential, and writes them as a PDB file.",
    .operands = "[MAP]",
    .max_operands = 1,
    .options = options,
    .engines = pot_ion_engines,
    .version = trj_engine_versions,
    .to_stdout = to_stdout,
};

struct job {
    struct pot_map map;
    enum pot_unit unit;
    struct pot_ion_list ions;
    struct trj_reader *in;
    struct trj_frame frame;
    double (*position)[3]; // [atoms] of the solute, Å
    size_t atoms;
    double net;     // its charge, e
    uint64_t total; // ions
    struct pot_ion *ion;
    struct trj_output *out;
};

// ---- inputs

static int read_map(struct job *j, const char *path, struct trj_error *err) {
    if (pot_map_read(&j->map, path, err) || pot_ion_options_unit(&ion_options, &j->map, &j->unit, err)) return -1;
    for (size_t i = 0; i < j->map.notes.count; i++) trj_tool_message("%s: note: %s", j->map.name, j->map.notes.text[i]);
    if (j->map.unknown)
        trj_tool_message("%s: note: no ion is placed at the %llu points whose value is NaN", j->map.name,
                         (unsigned long long)j->map.unknown);
    if (ion_options.periodic) j->map.lattice.periodic = trj_periodic_parse(ion_options.periodic);
    return 0;
}

// Sets the positions of the members of the group, and their net charge.
static int take_solute(struct job *j, const struct trj_group *group, uint32_t *list, struct trj_error *err) {
    const double *charges = NULL;
    bool carried = trj_property_find(j->in->header, "charge");
    if (isnan(ion_options.charge) && (carried || ion_options.neutralise) &&
        trj_property_require(j->in->header, "charge", group, &charges, err))
        return -1;
    j->atoms = trj_group_list(group, &j->frame, list);
    for (size_t i = 0; i < j->atoms; i++) {
        if (trj_frame_check_far(&j->frame, list[i], err)) return trj_stream_input_fail_frame(j->in, err);
        for (int k = 0; k < 3; k++) j->position[i][k] = (double)j->frame.x[k][list[i]] * j->frame.unit;
        if (charges) j->net += charges[list[i]];
    }
    return 0;
}

static int read_solute(struct job *j, struct trj_error *err) {
    const struct trj_group *group;
    if (trj_stream_input_open(&j->in, ion_options.solute, err) || trj_stream_input_read(j->in, &j->frame, err) < 0 ||
        cor_model_find_group(&group, j->in->header, ion_options.group, err))
        return -1;
    uint32_t *list = trj_alloc(group->count, sizeof *list, "atoms", err);
    j->position = trj_alloc(group->count, sizeof *j->position, "atoms", err);
    int rc = list && j->position ? take_solute(j, group, list, err) : -1;
    free(list);
    return rc;
}

// ---- ions

static void show_progress(uint64_t done, uint64_t total) {
    trj_tool_progress("ions", done, total);
}

static void print_note(const char *text) {
    trj_tool_message("note: %s; the CPU places all ions", text);
}

static int place_ions(struct job *j, struct trj_error *err) {
    char work[128];
    uint64_t excluded;
    struct trj_engine_stats stats;
    const struct pot_placement p = {.lattice = &j->map.lattice,
                                    .value = j->map.value,
                                    .charge = pot_unit_of_charge(j->unit, pot_coulomb(NULL), ion_options.temperature) /
                                              ion_options.dielectric,
                                    .from_solute = ion_options.from_solute,
                                    .between = ion_options.between,
                                    .atoms = j->atoms,
                                    .position = (const double(*)[3])j->position,
                                    .ions = &j->ions,
                                    .net = j->net,
                                    .threads = (unsigned)engine.threads,
                                    .progress = show_progress};
    if (!(j->ion = trj_alloc(j->total, sizeof *j->ion, "ions", err))) return -1;
    const struct pot_ion_job job = {&p, j->ion, &excluded};
    if (pot_ion_engine_place(&engine, &job, &stats, print_note, err))
        return err->status == TRJ_BAD_DATA ? trj_fail_at(err, "%s", j->map.name) : -1;
    trj_tool_progress_end();
    snprintf(work, sizeof work, "%llu ions, %llu points, %zu atoms", (unsigned long long)j->total,
             (unsigned long long)j->map.points, j->atoms);
    work_whole_print(&engine, &stats, work, trj_tool_print_line);
    if (!j->total)
        trj_tool_message("note: %s; no ion is placed", ion_options.neutralise && isnan(ion_options.concentration)
                                                           ? "the net charge is 0 without ions"
                                                           : "all numbers of ions are 0");
    if (j->atoms && j->total && ion_options.from_solute > 0 && excluded == j->map.unknown)
        trj_tool_message("note: no point of the map is within %g Å of the solute; check that both have the same origin",
                         ion_options.from_solute);
    return 0;
}

// ---- output

// The cell for the PDB file: that of the frame or else that of the map.
static struct trj_cell cell_of(const struct job *j) {
    return j->in && j->frame.cell.periodic ? j->frame.cell : trj_map_lattice_cell(&j->map.lattice);
}

static int write_pdb(struct job *j, struct trj_error *err) {
    unsigned element[POT_ION_KINDS];
    struct trj_cell cell = cell_of(j);
    for (size_t i = 0; i < j->ions.kinds; i++) {
        const char *name = j->ions.kind[i].name;
        element[i] = trj_element_by_name(name, name, TRJ_ELEMENT_NO_COLUMN);
    }
    return pot_ions_write_pdb(j->out, j->ion, j->total, &j->ions, element, &cell, err);
}

static int write_table(struct job *j, struct trj_error *err) {
    const struct pot_ion_table t = {.list = &j->ions,
                                    .unit = pot_unit_choices[j->unit].name,
                                    .map_provenance = j->map.provenance,
                                    .provenance = trj_tool_provenance(err)};
    struct trj_output *out = NULL;
    if (trj_output_open(&out, table_path, TRJ_OUTPUT_TEXT, err)) return -1;
    trj_output_join(j->out, out);
    return pot_ions_write_table(out, j->ion, j->total, &t, err);
}

// Returns whether the ending of a PDB file is known. trjrun --verify gives it the name of the file that is compared,
// which can be that of the table.
static bool is_known(const char *path) {
    const char *ending = path ? strrchr(path, '.') : NULL, *other = table_path ? strrchr(table_path, '.') : NULL;
    return ending && (!strcasecmp(ending, ".pdb") || !strcasecmp(ending, ".ent") || (other && !strcmp(ending, other)));
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    const char *map = count ? *operands : "-";
    if (pot_ion_options_check(&ion_options, map, &j->ions, err) || pot_ion_engine_check(&engine, err) ||
        trj_output_check_ending(output_path, is_known(output_path), ".pdb, .ent", err) ||
        trj_output_check_ending(table_path, true, NULL, err))
        return -1;
    if (table_path && trj_output_is_stdout(table_path))
        return trj_fail(err, TRJ_USAGE, "--table: standard output is for the PDB file; give another file");
    if (trj_output_check_second(table_path, "--table", output_path, err)) return -1;
    if (!trj_tool_provenance(err) || trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err) ||
        read_map(j, map, err) || (ion_options.solute && read_solute(j, err)))
        return -1;
    if (!isnan(ion_options.charge)) j->net = ion_options.charge;
    if (pot_ion_options_count(&ion_options, &j->map, &j->net, &j->ions, err)) return -1;
    if (!ion_options.solute) trj_tool_message("note: without --solute, ions are kept from one another only");
    j->total = pot_ion_list_total(&j->ions);
    if (place_ions(j, err) || write_pdb(j, err) || (table_path && write_table(j, err))) return -1;
    return trj_output_commit(j->out, err);
}

static void close_all(void *state) {
    struct job *j = state;
    trj_output_close(j->out);
    trj_reader_close(j->in);
    trj_frame_free(&j->frame);
    pot_map_free(&j->map);
    free(j->position);
    free(j->ion);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
