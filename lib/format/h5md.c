// SPDX-License-Identifier: MIT
// Reads H5MD 1.x (https://www.nongnu.org/h5md/h5md.html): HDF5 files that contain, for each group of particles,
// elements such as position or box/edges. An element is a dataset that holds for all frames, or a group of `value`,
// `step` and `time` with an entry for each frame. Step and time may also be a single number, the increment between
// frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "reader_parts.h"

#ifdef TRJPIPE_HDF5
#include <hdf5.h>

#include "child_reader.h"
#include "hdf5_file.h"
#include "units.h"

struct h5md {
    hid_t file;
    struct trj_hdf5_element position, edges, id, velocity, image; // velocity and image: only if they are requested
    unsigned periodic;
    double ps;                  // NaN: unknown
    bool gromacs;               // GROMACS has written the file
    float *x;                   // [atoms][3]
    int32_t *image_row;         // [atoms][3]
    int64_t *ids, *current_ids; // [atoms] of the first frame read, of the current frame; NULL: constant
    bool ids_known;
};

// Reads the attribute `offset` of a step or time; *value is unchanged if it is missing. Returns 0 or -1.
static int get_offset(hid_t set, hid_t type, void *value, struct trj_error *err) {
    if (!trj_hdf5_has_attribute(set, "offset")) return 0;
    hid_t a = trj_hdf5.Aopen(set, "offset", H5P_DEFAULT), space = trj_hdf5.Aget_space(a);
    bool valid = trj_hdf5.Sget_simple_extent_npoints(space) == 1 && trj_hdf5.Aread(a, type, value) >= 0;
    trj_hdf5.Sclose(space);
    trj_hdf5.Aclose(a);
    return valid ? 0 : trj_hdf5_fail(err, "an offset");
}

// Opens an element. `max`: maximum rank of an entry. Returns 1, 0 if the group lacks the element, -1.
static int open_element(hid_t group, const char *name, H5T_class_t kind, int max, uint64_t size,
                        struct trj_hdf5_element *e, struct trj_error *err) {
    if (!trj_hdf5_exists(group, name)) return 0;
    hid_t object = trj_hdf5.Oopen(group, name, H5P_DEFAULT);
    if (object < 0) return trj_hdf5_fail(err, name);
    e->per_frame = trj_hdf5.Iget_type(object) == H5I_GROUP;
    e->value = object;
    if (e->per_frame) {
        if (!trj_hdf5_exists(object, "value")) return trj_fail(err, TRJ_BAD_DATA, "has no value of %s", name);
        if ((e->value = trj_hdf5.Dopen2(object, "value", H5P_DEFAULT)) < 0) return trj_hdf5_fail(err, name);
        if (trj_hdf5_exists(object, "step") && (e->step = trj_hdf5.Dopen2(object, "step", H5P_DEFAULT)) < 0)
            return trj_hdf5_fail(err, "step");
        if (trj_hdf5_exists(object, "time") && (e->time = trj_hdf5.Dopen2(object, "time", H5P_DEFAULT)) < 0)
            return trj_hdf5_fail(err, "time");
    } else if (trj_hdf5.Iget_type(object) != H5I_DATASET) {
        return trj_fail(err, TRJ_BAD_DATA, "has %s which are neither a dataset nor a group", name);
    }
    return trj_hdf5_describe(e, object, "value", name, kind, max, size, err) ? -1 : 1;
}

// Returns the only group of particles with positions, or -1.
static hid_t open_particles(hid_t file, struct trj_error *err) {
    H5G_info_t info;
    char found[TRJ_HDF5_TEXT * 8] = "", name[256];
    unsigned count = 0;
    hid_t particles = trj_hdf5_exists(file, "particles") ? trj_hdf5.Gopen2(file, "particles", H5P_DEFAULT) : -1,
          one = -1;
    if (particles < 0 || trj_hdf5.Gget_info(particles, &info) < 0)
        return trj_fail(err, TRJ_BAD_DATA, "has no group /particles");
    for (hsize_t k = 0; k < info.nlinks; k++) {
        if (trj_hdf5.Lget_name_by_idx(particles, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) <
            0)
            continue;
        hid_t group = trj_hdf5.Gopen2(particles, name, H5P_DEFAULT);
        if (group < 0 || !trj_hdf5_exists(group, "position")) continue;
        one = group;
        size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%s", count++ ? ", " : "", name);
    }
    if (!count) return trj_fail(err, TRJ_BAD_DATA, "has no positions in /particles");
    if (count > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "has %u groups of particles, but only one can be read: %s; keep one of them in the file", count,
                        found);
    return one;
}

static int check_version(hid_t file, char creator[TRJ_HDF5_TEXT], struct trj_error *err) {
    int version[2] = {0};
    *creator = 0;
    if (!trj_hdf5_exists(file, "h5md"))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "is HDF5, but not H5MD: group /h5md is missing; if it is NetCDF-4, convert it with nccopy -k classic");
    hid_t group = trj_hdf5.Gopen2(file, "h5md", H5P_DEFAULT);
    hid_t a =
        group >= 0 && trj_hdf5_has_attribute(group, "version") ? trj_hdf5.Aopen(group, "version", H5P_DEFAULT) : -1;
    if (a < 0) return trj_fail(err, TRJ_BAD_DATA, "is H5MD without a version");
    hid_t space = trj_hdf5.Aget_space(a);
    bool valid =
        trj_hdf5.Sget_simple_extent_npoints(space) == 2 && trj_hdf5.Aread(a, *trj_hdf5.T_NATIVE_INT, version) >= 0;
    trj_hdf5.Sclose(space);
    if (!valid || version[0] != 1)
        return trj_fail(err, TRJ_BAD_DATA, "is H5MD of version %d.%d; use 1.0 or 1.1", version[0], version[1]);
    hid_t creator_group = trj_hdf5_exists(group, "creator") ? trj_hdf5.Gopen2(group, "creator", H5P_DEFAULT) : -1;
    if (creator_group >= 0) trj_hdf5_get_text(creator_group, "name", creator);
    return 0;
}

// Reads the attribute `boundary`: three words, `periodic` or `none`.
static int get_boundary(hid_t box, unsigned *periodic, struct trj_error *err) {
    *periodic = 0;
    hid_t a = trj_hdf5_has_attribute(box, "boundary") ? trj_hdf5.Aopen(box, "boundary", H5P_DEFAULT) : -1;
    if (a < 0) return trj_fail(err, TRJ_BAD_DATA, "has a box without a boundary");
    hid_t type = trj_hdf5.Aget_type(a), space = trj_hdf5.Aget_space(a), to = trj_hdf5.Tcopy(*trj_hdf5.T_C_S1);
    char fixed[3][TRJ_HDF5_TEXT] = {{0}}, *pointer[3] = {NULL};
    bool variable = trj_hdf5.Tis_variable_str(type) > 0;
    bool valid = trj_hdf5.Tget_class(type) == H5T_STRING && trj_hdf5.Sget_simple_extent_npoints(space) == 3;
    trj_hdf5.Tset_size(to, variable ? H5T_VARIABLE : TRJ_HDF5_TEXT);
    trj_hdf5.Tset_cset(to, trj_hdf5.Tget_cset(type));
    valid = valid && trj_hdf5.Aread(a, to, variable ? (void *)pointer : (void *)fixed) >= 0;
    for (unsigned k = 0; k < 3 && valid; k++) {
        const char *word = variable ? pointer[k] : fixed[k];
        if (!variable) fixed[k][TRJ_HDF5_TEXT - 1] = 0;
        bool is = word && !strncmp(word, "periodic", 8);
        *periodic |= is ? 1u << k : 0;
        valid = is || (word && !strncmp(word, "none", 4));
    }
    for (int k = 0; k < 3; k++) trj_hdf5.free_memory(pointer[k]);
    trj_hdf5.Tclose(to);
    trj_hdf5.Sclose(space);
    trj_hdf5.Tclose(type);
    trj_hdf5.Aclose(a);
    return valid ? 0 : trj_fail(err, TRJ_BAD_DATA, "has a boundary that is not three times 'periodic' or 'none'");
}

static int get_box(struct trj_reader *r, hid_t particles, uint64_t size, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct trj_hdf5_element *e = &h->edges;
    if (!trj_hdf5_exists(particles, "box")) return 0;
    hid_t box = trj_hdf5.Gopen2(particles, "box", H5P_DEFAULT);
    if (box < 0) return trj_hdf5_fail(err, "box");
    if (get_boundary(box, &h->periodic, err)) return -1;
    int got = open_element(box, "edges", H5T_FLOAT, 2, size, e, err);
    if (got < 0) return -1;
    if (!got && h->periodic) return trj_fail(err, TRJ_BAD_DATA, "has a periodic box without edges");
    if (got && (e->length[0] != 3 || (e->rank == 2 && e->length[1] != 3)))
        return trj_fail(err, TRJ_BAD_DATA, "has edges that are neither 3 nor 3 x 3 numbers");
    if (got && e->per_frame && e->count < h->position.count)
        return trj_fail(err, TRJ_BAD_DATA, "has edges of %llu frames, positions of %llu", (unsigned long long)e->count,
                        (unsigned long long)h->position.count);
    return 0;
}

// Sets *unit in Å from the attribute `unit`; `fallback` if it is missing.
static int get_unit(const struct trj_hdf5_element *e, const char *name, double fallback, double *unit,
                    struct trj_error *err) {
    char text[TRJ_HDF5_TEXT];
    trj_hdf5_get_text(e->value, "unit", text);
    *unit = fallback;
    if (!*text || trj_unit_length(text, unit)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "unknown unit of %s: '%s'; write it in another unit", name, text);
}

static int get_units(struct trj_reader *r, const char *creator, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    char text[TRJ_HDF5_TEXT] = "";
    bool gromacs = h->gromacs = !strncmp(creator, "GROMACS", 7); // GROMACS writes no units; they are nm and ps
    if (get_unit(&h->position, "positions", gromacs ? 10 : NAN, &h->position.unit, err)) return -1;
    if (isnan(h->position.unit)) {
        r->note = "its positions have no unit: they are assumed to be in Angstrom";
        r->note_stays = true;
        h->position.unit = 1;
    }
    if (h->edges.value && get_unit(&h->edges, "edges", h->position.unit, &h->edges.unit, err)) return -1;
    if (h->position.time) trj_hdf5_get_text(h->position.time, "unit", text);
    h->ps = gromacs ? 1 : NAN;
    if (*text && !trj_unit_time(text, &h->ps)) h->ps = NAN;
    return 0;
}

// Sets unit and origin of the velocities. GROMACS writes no units; its velocities are in nm/ps.
static int describe_velocities(struct trj_reader *r, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct trj_motion_source *s = &r->motion_source[TRJ_MOTION_VELOCITY];
    char text[TRJ_HDF5_TEXT] = "";
    trj_hdf5_get_text(h->velocity.value, "unit", text);
    h->velocity.unit = 1;
    bool known = *text && trj_unit_velocity(text, &h->velocity.unit);
    if (!*text && h->gromacs) {
        known = true;
        h->velocity.unit = 10;
    }
    if (*text && !known)
        return trj_fail(err, TRJ_BAD_DATA, "unknown unit of velocities: '%s'; write them in another unit", text);
    if (known) snprintf(s->unit, sizeof s->unit, TRJ_VELOCITY_UNIT);
    snprintf(s->origin, sizeof s->origin, "H5MD, element velocity, %s",
             *text   ? text
             : known ? "nm/ps as GROMACS"
                     : "without a unit");
    return 0;
}

// Opens what is requested besides positions, and sets what the file contains. Rejects a request for what it lacks.
static int open_motion(struct trj_reader *r, hid_t particles, uint64_t size, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    static const char *const names[TRJ_MOTION_KINDS] = {"velocity", "image"};
    struct trj_hdf5_element *elements[TRJ_MOTION_KINDS] = {&h->velocity, &h->image};
    for (int k = 0; k < TRJ_MOTION_KINDS; k++) {
        struct trj_hdf5_element *e = elements[k];
        r->holds |= trj_hdf5_exists(particles, names[k]) ? 1u << k : 0u;
        if (!(r->internals->motion >> k & 1)) continue;
        int got = open_element(particles, names[k], k ? H5T_INTEGER : H5T_FLOAT, 2, size, e, err);
        if (got < 0) return -1;
        if (!got)
            return trj_fail(err, TRJ_BAD_DATA, "--carry %s: the group of particles has no element %s; leave %s out",
                            trj_motion_names[k], names[k], trj_motion_names[k]);
        if (e->rank != 2 || e->length[0] != r->atoms || e->length[1] != 3 || e->per_frame != h->position.per_frame ||
            e->count < h->position.count)
            return trj_fail(err, TRJ_BAD_DATA, "has %s of other atoms or frames than the positions",
                            trj_motion_plurals[k]);
    }
    if (h->image.value && !(h->image_row = trj_alloc(r->atoms, 3 * sizeof *h->image_row, "image flags", err)))
        return -1;
    snprintf(r->motion_source[TRJ_MOTION_IMAGE].origin, sizeof r->motion_source[TRJ_MOTION_IMAGE].origin,
             "H5MD, element image");
    return h->velocity.value ? describe_velocities(r, err) : 0;
}

static int open_parts(struct trj_reader *r, struct trj_error *err) {
    struct h5md *h = r->internals->state = trj_alloc(1, sizeof *h, "an H5MD reader", err);
    char creator[TRJ_HDF5_TEXT];
    uint64_t size = 0;
    if (!h) return -1;
    trj_input_size(r->in, &size);
    if (trj_hdf5_open(r->in, &h->file, err)) return -1;
    if (check_version(h->file, creator, err)) return -1;
    hid_t particles = open_particles(h->file, err);
    if (particles < 0) return -1;
    struct trj_hdf5_element *x = &h->position;
    if (open_element(particles, "position", H5T_FLOAT, 2, size, x, err) < 0) return -1;
    if (x->rank != 2 || x->length[1] != 3 || !x->length[0])
        return trj_fail(err, TRJ_BAD_DATA, "has positions of %d dimensions, not of atoms times 3", x->rank);
    if (get_box(r, particles, size, err) || get_units(r, creator, err)) return -1;
    r->atoms = (size_t)x->length[0];
    r->header_frames = x->count;
    r->can_seek = true;
    if (!(h->x = trj_alloc(r->atoms, 3 * sizeof *h->x, "coordinates", err))) return -1;
    int got = open_element(particles, "id", H5T_INTEGER, 1, size, &h->id, err);
    if (got < 0) return -1;
    if (got && h->id.per_frame) { // the order of atoms may change
        if (h->id.length[0] != r->atoms || h->id.count < x->count)
            return trj_fail(err, TRJ_BAD_DATA, "has ids of other atoms or frames than the positions");
        if (!(h->ids = trj_alloc(r->atoms, sizeof *h->ids, "ids", err)) ||
            !(h->current_ids = trj_alloc(r->atoms, sizeof *h->current_ids, "ids", err)))
            return -1;
    }
    if (open_motion(r, particles, size, err)) return -1;
    hid_t type = trj_hdf5.Dget_type(x->value);
    snprintf(r->dialect, sizeof r->dialect, "by %.40s, %s precision", *creator ? creator : "an unknown program",
             trj_hdf5.Tget_size(type) > sizeof(float) ? "double" : "single");
    trj_hdf5.Tclose(type);
    return 0;
}

static int open_file(struct trj_reader *r, struct trj_error *err) {
    trj_hdf5_forget_failures();
    return trj_hdf5_check_failures(open_parts(r, err), err);
}

// ---- frames

// get_step and get_time read step and time of frame n: an entry, or a multiple of the increment.
static int get_step(hid_t set, uint64_t n, int64_t *step, struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    int64_t offset = 0;
    *step = TRJ_NO_STEP;
    if (set <= 0) return 0;
    int rank = trj_hdf5_get_shape(set, length);
    if (rank == 1 && length[0] > n) return trj_hdf5_read_entry(set, n, *trj_hdf5.T_NATIVE_INT64, step, "step", err);
    if (rank) return trj_fail(err, TRJ_BAD_DATA, "the step is missing");
    if (trj_hdf5.Dread(set, *trj_hdf5.T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, step) < 0)
        return trj_hdf5_fail(err, "step");
    if (get_offset(set, *trj_hdf5.T_NATIVE_INT64, &offset, err)) return -1;
    if (n > INT64_MAX || __builtin_mul_overflow(*step, (int64_t)n, step) || __builtin_add_overflow(*step, offset, step))
        return trj_fail(err, TRJ_BAD_DATA, "the step is too large");
    return 0;
}

static int get_time(hid_t set, uint64_t n, double ps, double *time, struct trj_error *err) {
    hsize_t length[H5S_MAX_RANK];
    double offset = 0;
    *time = NAN;
    if (set <= 0) return 0;
    int rank = trj_hdf5_get_shape(set, length);
    if (rank > 1 || (rank == 1 && length[0] <= n)) return trj_fail(err, TRJ_BAD_DATA, "the time is missing");
    if (rank) {
        if (trj_hdf5_read_entry(set, n, *trj_hdf5.T_NATIVE_DOUBLE, time, "time", err)) return -1;
    } else {
        if (trj_hdf5.Dread(set, *trj_hdf5.T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, time) < 0)
            return trj_hdf5_fail(err, "time");
        if (get_offset(set, *trj_hdf5.T_NATIVE_DOUBLE, &offset, err)) return -1;
        *time = offset + *time * (double)n;
    }
    *time *= ps;
    return 0;
}

// An element with steps must have the step of the positions.
static int check_step(const struct trj_hdf5_element *e, uint64_t n, int64_t step, const char *name,
                      struct trj_error *err) {
    int64_t own = TRJ_NO_STEP;
    if (!e->per_frame || get_step(e->step, n, &own, err)) return e->per_frame ? -1 : 0;
    if (own == TRJ_NO_STEP || step == TRJ_NO_STEP || own == step) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "the %s are of step %lld, the positions of step %lld", name, (long long)own,
                    (long long)step);
}

static int get_cell(const struct trj_reader *r, uint64_t n, struct trj_cell *cell, struct trj_error *err) {
    const struct h5md *h = r->internals->state;
    const struct trj_hdf5_element *e = &h->edges;
    double v[9] = {0}, max = 0;
    *cell = (struct trj_cell){0};
    if (!e->value) return 0;
    if (trj_hdf5_check_written(e, n, "edges", err) || trj_hdf5_read(e, n, *trj_hdf5.T_NATIVE_DOUBLE, v, "edges", err))
        return -1;
    if (e->rank == 1) v[4] = v[1], v[8] = v[2], v[1] = v[2] = 0;
    for (int k = 0; k < 9; k++) {
        if (!isfinite(v[k])) {
            if (!(h->periodic & 1u << k / 3)) continue; // the vector has no meaning, and is unknown
            if (trj_reader_ignores_cell(r, cell)) return 0;
            return trj_fail(err, TRJ_BAD_DATA, "cell vector %c has a component of %g", 'a' + k / 3, v[k]);
        }
        cell->h[k / 3][k % 3] = v[k] * e->unit;
        max = fmax(max, fabs(v[k]));
    }
    cell->periodic = max > 0 ? h->periodic : 0; // nine zeros: no cell
    return 0;
}

static int check_ids(struct h5md *h, uint64_t n, size_t atoms, struct trj_error *err) {
    if (!h->ids) return 0;
    int64_t *to = h->ids_known ? h->current_ids : h->ids;
    if (trj_hdf5_read(&h->id, n, *trj_hdf5.T_NATIVE_INT64, to, "id", err)) return -1;
    for (size_t i = 0; i < atoms && h->ids_known; i++)
        if (h->current_ids[i] != h->ids[i])
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %zu (counted from 0) has the id %lld, and %lld in the first frame read; write the "
                            "atoms in a constant order",
                            i, (long long)h->current_ids[i], (long long)h->ids[i]);
    h->ids_known = true;
    return 0;
}

// Reads the velocities and image flags that are requested.
static int read_motion(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    struct trj_hdf5_element *v = &h->velocity, *i = &h->image;
    if (trj_motion_resize(&f->motion, r->internals->motion, r->atoms, err)) return -1;
    f->motion->unit = v->unit;
    if (v->value) {
        if (check_step(v, r->next, f->step, "velocities", err) ||
            trj_hdf5_check_written(v, r->next, "velocities", err) ||
            trj_hdf5_read(v, r->next, *trj_hdf5.T_NATIVE_FLOAT, h->x, "velocities", err))
            return -1;
        for (size_t n = 0; n < r->atoms; n++)
            for (size_t k = 0; k < 3; k++) f->motion->velocity[k][n] = h->x[3 * n + k];
    }
    if (i->value) {
        if (check_step(i, r->next, f->step, "image flags", err) ||
            trj_hdf5_check_written(i, r->next, "image flags", err) ||
            trj_hdf5_read(i, r->next, *trj_hdf5.T_NATIVE_INT, h->image_row, "image flags", err))
            return -1;
        for (size_t n = 0; n < r->atoms; n++)
            for (size_t k = 0; k < 3; k++) f->motion->image[k][n] = h->image_row[3 * n + k];
    }
    return 0;
}

static int read_one(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct h5md *h = r->internals->state;
    const struct trj_hdf5_element *x = &h->position;
    if (r->next >= x->count) return 0;
    if (trj_hdf5_check_written(x, r->next, "positions", err)) return -1;
    if (trj_hdf5_read(x, r->next, *trj_hdf5.T_NATIVE_FLOAT, h->x, "positions", err)) return -1;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    if (get_step(x->step, r->next, &f->step, err)) return -1;
    if (get_time(x->time, r->next, h->ps, &f->time, err)) return -1;
    if (check_step(&h->edges, r->next, f->step, "edges", err)) return -1;
    if (get_cell(r, r->next, &f->cell, err)) return -1;
    if (check_ids(h, r->next, r->atoms, err)) return -1;
    if (trj_input_check_size(r->in, err)) return -1; // HDF5 reads zeros after the end
    for (size_t i = 0; i < f->atoms; i++)
        for (size_t k = 0; k < 3; k++) f->x[k][i] = h->x[3 * i + k];
    if (r->internals->motion && read_motion(r, f, err)) return -1;
    f->index = r->next;
    f->unit = x->unit;
    return 1;
}

static int read_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    trj_hdf5_forget_failures();
    return trj_hdf5_check_failures(read_one(r, f, err), err);
}

// ---- the format. HDF5 crashes or hangs on some damaged files, and so runs in a child process.

static int h5md_open(struct trj_reader *r, struct trj_error *err) {
    static const struct trj_child_reader_ops child_ops = {"HDF5", trj_hdf5_start, open_file, read_frame};
    return trj_child_reader_open(r, &child_ops, err);
}
#endif

static bool h5md_is(const unsigned char *head, size_t n) {
    return n >= 8 && !memcmp(head, "\x89HDF\r\n\x1a\n", 8);
}

static const struct trj_format_ops ops = {
    .seeks = true,
    .is = h5md_is,
#ifdef TRJPIPE_HDF5
    .open = h5md_open,
    .read = trj_child_reader_read,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .skip = trj_child_reader_skip,
    .seek = trj_child_reader_seek,
    .close = trj_child_reader_close,
#endif
};

const struct trj_format trj_format_h5md = {
    .name = "h5md",
    .help = "H5MD 1.0 and 1.1, of one group of particles",
    .listed_endings = {".h5md", ".h5", ".hdf5"},
#ifndef TRJPIPE_HDF5
    .lacks = "HDF5 (make HDF5=yes)",
#endif
    .ops = &ops,
};
