// SPDX-License-Identifier: MIT
// Writes PQR file, map and input of a frame together, because APBS must read all three from the same frame.
#include "apbs_frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face_lattice.h"
#include "map_output.h"
#include "memory.h"
#include "series_name.h"

enum { NAME = 4096 };

// Writes the molecule to a file that is renamed together with `main`.
static int write_molecule(const struct pot_apbs_frames *a, const struct pot_pqr *molecule, const char *path,
                          struct trj_output *main, struct trj_error *err) {
    struct trj_output *out = NULL;
    double *charge = trj_alloc(molecule->count ? molecule->count : 1, sizeof *charge, "charges", err);
    for (size_t i = 0; charge && i < molecule->count; i++) charge[i] = molecule->charge[i] * a->input->sdie;
    struct pot_pqr p = *molecule;
    p.charge = charge;
    int rc = !charge || trj_output_open(&out, path, TRJ_OUTPUT_TEXT, err) || pot_pqr_write(out, &p, err);
    if (rc)
        trj_output_close(out);
    else
        trj_output_join(main, out);
    free(charge);
    return rc ? -1 : 0;
}

// Converts the sums to the unit of APBS, and writes the planes of its map.
static int write_planes(const struct pot_apbs_frames *a, const struct trj_map_lattice *l, const int64_t *values,
                        struct trj_map_writer *w, struct trj_error *err) {
    size_t n = (size_t)trj_map_lattice_points(l), plane = (size_t)((l->n[0] + 2) * (l->n[1] + 2));
    double factor = a->quantum * pot_apbs_kt_factor(a->input->temperature);
    double *potential = trj_alloc(n + plane, sizeof *potential, "boundary values", err);
    int rc = potential ? 0 : -1;
    for (size_t i = 0; !rc && i < n; i++) potential[i] = (double)values[i] * factor;
    for (uint64_t k = 0; !rc && k < l->n[2] + 2; k++) {
        pot_face_map_plane(l, potential, k, potential + n);
        rc = trj_map_writer_write(w, potential + n, 1, err);
    }
    free(potential);
    return rc;
}

// Writes the boundary values to a file that is renamed together with `main`.
static int write_map(const struct pot_apbs_frames *a, const struct trj_map_lattice *l, const int64_t *values,
                     const char *path, struct trj_output *main, struct trj_error *err) {
    char quantity[] = "electrostatic potential", unit[] = "kT/e";
    struct trj_map_output o = {.path = path};
    struct trj_map m = {.lattice = pot_face_map_lattice(l),
                        .quantity = quantity,
                        .unit = unit,
                        .kind = TRJ_MAP_FLOAT64,
                        .meaning = TRJ_MAP_SAMPLES,
                        .components = 1};
    int rc = -1;
    if (trj_map_output_open(&o, err)) goto out;
    if (trj_map_output_add_origin(&o, a->header, err)) goto out;
    if (trj_map_output_start(&o, &m, a->provenance, err)) goto out;
    if (trj_map_writer_begin(o.writer, NULL, err)) goto out;
    if (write_planes(a, l, values, o.writer, err)) goto out;
    if (trj_map_output_join(&o, main, err)) goto out;
    rc = 0;
out:
    trj_map_output_close(&o);
    return rc;
}

// Returns what follows the names of the files that APBS writes for the current frame, ".00017" for the pattern
// "frame.%05d". The caller frees it.
static char *number_text(const struct pot_apbs_frames *a, struct trj_error *err) {
    char format[32] = "";
    const char *number = strchr(a->pattern, '%');
    bool numbered;
    if (number) snprintf(format, sizeof format, ".%.*s", (int)strcspn(number, "d") + 1, number);
    return trj_series_name(format, a->frames, &numbered, err);
}

static int write_input(const struct pot_apbs_frames *a, struct trj_output *out, const char *molecule, const char *map,
                       struct trj_error *err) {
    char *number = number_text(a, err);
    int rc = number ? pot_apbs_write(a->input, out, molecule, map, number, err) : -1;
    free(number);
    return rc;
}

int pot_apbs_frames_write(struct pot_apbs_frames *a, const struct pot_pqr *molecule,
                          const struct trj_map_lattice *lattice, const int64_t *values, struct trj_error *err) {
    static const char *const endings[] = {".pqr", ".dx", ".in"};
    char name[3][NAME];
    bool numbered;
    struct trj_output *main = NULL;
    char *stem = trj_series_name(a->pattern, a->frames, &numbered, err);
    int rc = stem ? 0 : -1;
    if (!rc && !numbered && a->frames)
        rc = trj_fail(err, TRJ_USAGE,
                      "-o %s: the name has no number for the files of several frames; write it as -o 'frame.%%05d'",
                      a->pattern);
    for (int i = 0; !rc && i < 3; i++)
        if (snprintf(name[i], NAME, "%s%s", stem, endings[i]) >= NAME)
            rc = trj_fail(err, TRJ_USAGE, "-o %s: the name is too long", a->pattern);
    if (!rc) rc = trj_output_open(&main, name[2], TRJ_OUTPUT_TEXT, err);
    if (!rc) rc = write_input(a, main, name[0], name[1], err);
    if (!rc) rc = write_molecule(a, molecule, name[0], main, err);
    if (!rc) rc = write_map(a, lattice, values, name[1], main, err);
    if (!rc) rc = trj_output_commit(main, err);
    trj_output_close(main);
    a->frames++;
    free(stem);
    return rc ? -1 : 0;
}
