// SPDX-License-Identifier: MIT
// Reads headers and columns of LAMMPS dumps for topologies and trajectories, and finds atoms by id.
#include "lammps_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"

bool trj_lammps_dump_is(const char *head, size_t n) {
    return n >= strlen(TRJ_LAMMPS_ITEM) && !memcmp(head, TRJ_LAMMPS_ITEM, strlen(TRJ_LAMMPS_ITEM));
}

void trj_lammps_start(struct trj_lammps *l) {
    *l = (struct trj_lammps){.unit = 1,
                             .time_ps = NAN,
                             .velocity = NAN,
                             .units_note = "the dump does not name its units: lengths are assumed to be in Angstrom "
                                           "(dump_modify units yes names them)"};
}

static void free_ids(struct trj_lammps *l) {
    free(l->ids);
    free(l->position);
    free(l->seen);
    free(l->direct);
    l->ids = NULL;
    l->position = l->direct = NULL;
    l->seen = NULL;
}

void trj_lammps_forget(struct trj_lammps *l) {
    free_ids(l);
    free(l->first);
    l->first = NULL;
    l->capacity = l->atoms = 0;
    l->span = 0;
    l->ordered = false;
}

void trj_lammps_free(struct trj_lammps *l) {
    free_ids(l);
    free(l->first);
}

int trj_lammps_units(struct trj_lammps *l, const char *name, struct trj_error *err) {
    static const struct {
        const char *name;
        double length, time; // Å, ps
    } units[] = {{"real", 1, 1e-3},
                 {"metal", 1, 1},
                 {"lj", 1, NAN},
                 {"nano", 10, 1e3},
                 {"electron", 0.529177210903, 1e-3},
                 {"micro", 1e4, 1e6},
                 {"si", 1e10, 1e12},
                 {"cgs", 1e8, 1e12}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(name, units[i].name)) continue;
        l->unit = units[i].length;
        l->time_ps = units[i].time;
        // "Bohr/atomic time units [1.03275e-15 seconds]"; times of these units are in fs (units.html)
        l->velocity = strcmp(name, "electron") ? units[i].length / units[i].time : units[i].length / 1.03275e-3;
        l->units_note =
            strcmp(name, "lj") ? NULL : "units lj have no unit of length: its numbers are assumed to be in Angstrom";
        return 0;
    }
    return trj_fail(err, TRJ_BAD_DATA, "unknown LAMMPS units '%.40s'", name);
}

int trj_lammps_box(struct trj_lammps *l, const double bounds[3][2], const double tilt[3], const char **note,
                   struct trj_error *err) {
    double xy = tilt[0], xz = tilt[1], yz = tilt[2];
    double low = fmin(fmin(0, xy), fmin(xz, xy + xz)), high = fmax(fmax(0, xy), fmax(xz, xy + xz));
    const double lo[3] = {bounds[0][0] - low, bounds[1][0] - fmin(0, yz), bounds[2][0]};
    const double hi[3] = {bounds[0][1] - high, bounds[1][1] - fmax(0, yz), bounds[2][1]};
    memset(l->now.h, 0, sizeof l->now.h);
    for (int k = 0; k < 3; k++) {
        l->wrong = k;
        if (!(hi[k] > lo[k]))
            return trj_fail(err, TRJ_BAD_DATA, "invalid box: from %g to %g along %c", lo[k], hi[k], 'x' + k);
        l->now.low[k] = lo[k];
        l->now.h[k][k] = hi[k] - lo[k];
    }
    // LAMMPS flips cells before they become as skewed. Programs that write the bounds of the cell itself produce them.
    if (2 * fmax(fabs(xy), fabs(xz)) > 1.001 * l->now.h[0][0] || 2 * fabs(yz) > 1.001 * l->now.h[1][1])
        *note = "a cell is skewed by more than half a length: its bounds may not be as LAMMPS writes them";
    l->now.h[1][0] = xy;
    l->now.h[2][0] = xz;
    l->now.h[2][1] = yz;
    return 0;
}

void trj_lammps_leave_out_box(struct trj_lammps *l, const struct trj_error *why) {
    l->no_box = true;
    l->box_error = *why;
    l->now.periodic = 0;
    memset(l->now.h, 0, sizeof l->now.h);
}

// Sets of coordinate columns, in order of preference. They differ only by whole periods.
static const struct {
    const char *name[3];
    bool scaled;
} choices[] = {
    {{"x", "y", "z"}, false}, {{"xs", "ys", "zs"}, true}, {{"xu", "yu", "zu"}, false}, {{"xsu", "ysu", "zsu"}, true}};

const char *const trj_lammps_atom_columns[TRJ_LAMMPS_ATOM_COLUMNS] = {
    [TRJ_LAMMPS_TYPE] = "type",       [TRJ_LAMMPS_TYPE_LABEL] = "typelabel",
    [TRJ_LAMMPS_ELEMENT] = "element", [TRJ_LAMMPS_MOLECULE] = "mol",
    [TRJ_LAMMPS_MASS] = "mass",       [TRJ_LAMMPS_CHARGE] = "q"};

int trj_lammps_columns(struct trj_lammps *l, char *names, struct trj_error *err) {
    enum { CHOICES = sizeof choices / sizeof *choices };
    size_t column[CHOICES][3] = {{0}}, id = 0, n = 0, pick = 0; // 1 + column
    static const char *const motion[6] = {"vx", "vy", "vz", "ix", "iy", "iz"};
    memset(l->now.label, 0, sizeof l->now.label);
    memset(l->now.motion, 0, sizeof l->now.motion);
    for (char *word; (word = trj_next_word(&names)); n++) {
        size_t *which = !strcmp(word, "id") ? &id : NULL;
        for (size_t k = 0; k < TRJ_LAMMPS_ATOM_COLUMNS; k++)
            if (!strcmp(word, trj_lammps_atom_columns[k])) l->now.label[k] = n + 1;
        for (size_t i = 0; i < 3 * CHOICES && !which; i++)
            if (!strcmp(word, choices[i / 3].name[i % 3])) which = &column[i / 3][i % 3];
        for (size_t k = 0; k < 6 && !which; k++)
            if (!strcmp(word, motion[k])) which = &l->now.motion[k];
        if (which && *which) return trj_fail(err, TRJ_BAD_DATA, "duplicate column %.40s; dump it once", word);
        if (which) *which = n + 1;
    }
    while (pick < CHOICES && !(column[pick][0] && column[pick][1] && column[pick][2])) pick++;
    if (pick == CHOICES)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the columns contain no coordinates; dump x y z, xs ys zs, xu yu zu or xsu ysu zsu");
    if (l->no_box && choices[pick].scaled)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the coordinates %s %s %s are fractions of the box, which is invalid: %s; dump x y z",
                        choices[pick].name[0], choices[pick].name[1], choices[pick].name[2], l->box_error.text);
    l->now.columns = n;
    l->now.scaled = choices[pick].scaled;
    l->now.coordinates = choices[pick].name[0];
    l->now.has_id = id;
    l->now.id = id ? id - 1 : 0;
    for (int k = 0; k < 3; k++) l->now.x[k] = column[pick][k] - 1;
    if (l->atoms && l->now.has_id != l->ordered)
        return trj_fail(err, TRJ_BAD_DATA, "a frame with%s ids after frames with%s; dump all frames with ids",
                        id ? "" : "out", id ? "out" : "");
    l->round++;
    return 0;
}

void trj_lammps_describe(const struct trj_lammps *l, struct trj_frame *f) {
    f->time *= l->time_ps;
    f->unit = l->unit;
    f->cell.periodic = l->now.periodic;
    for (int k = 0; k < 9; k++) f->cell.h[k / 3][k % 3] = l->unit * l->now.h[k / 3][k % 3];
}

void trj_lammps_unscale(const struct trj_lammps_layout *l, const double s[3], float x[3]) {
    for (int k = 0; k < 3; k++) x[k] = (float)(l->low[k] + (s[0] * l->h[0][k] + s[1] * l->h[1][k] + s[2] * l->h[2][k]));
}

// ---- ids

int trj_lammps_fail_duplicate_id(int64_t id, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "two atoms have the id %lld", (long long)id);
}

// Computes positions from the ids of the first frame. After a failure, the caller frees all, since the frame may be
// read again.
static int store_ids(struct trj_lammps *l, size_t n, struct trj_error *err) {
    l->ids = trj_alloc(n, sizeof *l->ids, "ids", err);
    l->position = trj_alloc(n, sizeof *l->position, "ids", err);
    l->seen = trj_alloc(n, sizeof *l->seen, "ids", err);
    if (!l->ids || !l->position || !l->seen) return -1;
    for (size_t i = 0; i < n; i++) l->ids[i] = (struct trj_id){l->first[i], (uint32_t)i};
    trj_atom_ids_sort(l->ids, n);
    const struct trj_id *duplicate = trj_atom_ids_duplicate(l->ids, n);
    if (duplicate) return trj_lammps_fail_duplicate_id(duplicate->id, err);
    for (size_t i = 0; i < n; i++) l->position[l->ids[i].atom] = (uint32_t)i;
    uint64_t span = (uint64_t)l->ids[n - 1].id - (uint64_t)l->ids[0].id + 1;
    if (span > 8 * (uint64_t)n + 1024) return 0;
    if (!(l->direct = trj_alloc(span, sizeof *l->direct, "ids", err))) return -1;
    l->span = span;
    memset(l->direct, 0xff, span * sizeof *l->direct);
    for (size_t i = 0; i < n; i++) l->direct[l->ids[i].id - l->ids[0].id] = (uint32_t)i;
    return 0;
}

static uint32_t position_of(const struct trj_lammps *l, int64_t id) {
    if (l->direct) {
        uint64_t index = (uint64_t)id - (uint64_t)l->ids[0].id;
        return index < l->span ? l->direct[index] : UINT32_MAX;
    }
    const struct trj_id *found = trj_atom_ids_find(l->ids, l->atoms, id);
    return found ? (uint32_t)(found - l->ids) : UINT32_MAX;
}

int trj_lammps_find(const struct trj_lammps *l, int64_t id, size_t *position, struct trj_error *err) {
    uint32_t found = position_of(l, id);
    if (found == UINT32_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "no atom of frame 0 has the id %lld; dump the same atoms in all frames",
                        (long long)id);
    *position = found;
    return 0;
}

int trj_lammps_take_id(struct trj_lammps *l, size_t i, int64_t id, struct trj_error *err) {
    if (!l->ordered) {
        if (i >= l->capacity && trj_grow(&l->first, &l->capacity, i + 1, sizeof *l->first, "ids", err)) return -1;
        l->first[i] = id;
        return 0;
    }
    size_t position;
    if (trj_lammps_find(l, id, &position, err)) return -1;
    if (l->seen[position] == l->round) return trj_lammps_fail_duplicate_id(id, err);
    l->seen[position] = l->round;
    l->position[i] = (uint32_t)position;
    return 0;
}

int trj_lammps_end(struct trj_lammps *l, size_t atoms, const uint32_t **position, struct trj_error *err) {
    if (atoms && l->now.has_id && !l->ordered) {
        if (store_ids(l, atoms, err)) {
            free_ids(l);
            return -1;
        }
        free(l->first);
        l->first = NULL;
        l->ordered = true;
    }
    l->atoms = atoms;
    *position = l->now.has_id ? l->position : NULL;
    return 0;
}
