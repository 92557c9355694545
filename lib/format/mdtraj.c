// SPDX-License-Identifier: MIT
// Reads the HDF5 of MDTraj and OpenMM's HDF5Reporter (https://mdtraj.org/latest/hdf5_format.html): datasets of the root
// group with an entry for each frame: coordinates, and optionally time, cell_lengths, cell_angles and velocities. Other
// datasets are ignored; topology_mdtraj.c reads the topology.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "reader_parts.h"
#include "topology_parts.h"

#ifdef TRJPIPE_HDF5
#include <hdf5.h>

#include "child_reader.h"
#include "hdf5_file.h"
#include "units.h"

struct mdtraj {
    hid_t file;
    struct trj_hdf5_element x, lengths, angles, velocity, time; // value 0: missing, or not requested
    double degrees;                                             // unit of angles
    float *row;                                                 // [atoms][3]
};

// Opens a dataset with an entry of `rank` dimensions for each frame. Returns 1, 0 if the file lacks it, -1.
static int open_dataset(struct trj_reader *r, const char *name, int rank, uint64_t size, struct trj_hdf5_element *e,
                        struct trj_error *err) {
    struct mdtraj *m = r->internals->state;
    if (!trj_hdf5_exists(m->file, name)) return 0;
    *e = (struct trj_hdf5_element){.per_frame = true, .value = trj_hdf5.Dopen2(m->file, name, H5P_DEFAULT)};
    if (e->value < 0) return trj_hdf5_fail(err, name);
    if (trj_hdf5_describe(e, m->file, name, name, H5T_FLOAT, rank, size, err)) return -1;
    if (e->rank != rank || e->length[rank - 1] != 3)
        return trj_fail(err, TRJ_BAD_DATA, "has %s of an unsupported shape; expected frames x %s3", name,
                        rank == 2 ? "atoms x " : "");
    if (m->x.value && e != &m->x && e->count < m->x.count)
        return trj_fail(err, TRJ_BAD_DATA, "has %s of %llu frames, but coordinates of %llu", name,
                        (unsigned long long)e->count, (unsigned long long)m->x.count);
    if (m->x.value && rank == 2 && e->length[0] != m->x.length[0])
        return trj_fail(err, TRJ_BAD_DATA, "has %s of %llu atoms, but coordinates of %llu", name,
                        (unsigned long long)e->length[0], (unsigned long long)m->x.length[0]);
    return 1;
}

typedef bool unit_function(const char *name, double *value);

// Sets *unit from the attribute `units`; it stays as it is if the attribute is missing.
static int get_unit(hid_t set, const char *name, unit_function *find, double *unit, struct trj_error *err) {
    char text[TRJ_HDF5_TEXT];
    trj_hdf5_get_text(set, "units", text);
    if (!*text || find(text, unit)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "unknown unit of %s: '%s'; write it in another unit", name, text);
}

static int open_cell(struct trj_reader *r, uint64_t size, struct trj_error *err) {
    struct mdtraj *m = r->internals->state;
    int lengths = open_dataset(r, "cell_lengths", 1, size, &m->lengths, err);
    int angles = lengths < 0 ? -1 : open_dataset(r, "cell_angles", 1, size, &m->angles, err);
    if (angles < 0) return -1;
    if (lengths != angles)
        return trj_fail(err, TRJ_BAD_DATA, "has %s, but no %s", lengths ? "cell_lengths" : "cell_angles",
                        lengths ? "cell_angles" : "cell_lengths");
    m->lengths.unit = 10;
    m->degrees = 1;
    if (!lengths) return 0;
    if (get_unit(m->lengths.value, "cell_lengths", trj_unit_length, &m->lengths.unit, err)) return -1;
    return get_unit(m->angles.value, "cell_angles", trj_unit_angle, &m->degrees, err);
}

static int open_velocities(struct trj_reader *r, uint64_t size, struct trj_error *err) {
    struct mdtraj *m = r->internals->state;
    struct trj_motion_source *s = &r->motion_source[TRJ_MOTION_VELOCITY];
    if (trj_hdf5_exists(m->file, "velocities")) r->holds |= TRJ_HAS_VELOCITY;
    if (!(r->internals->motion & TRJ_HAS_VELOCITY)) return 0;
    int got = open_dataset(r, "velocities", 2, size, &m->velocity, err);
    if (!got) return trj_fail(err, TRJ_BAD_DATA, "--carry velocity: the file has no velocities; leave velocity out");
    m->velocity.unit = 10;
    *s = (struct trj_motion_source){TRJ_VELOCITY_UNIT, "HDF5 of MDTraj, velocities"};
    return got < 0 ? -1 : get_unit(m->velocity.value, "velocities", trj_unit_velocity, &m->velocity.unit, err);
}

static int open_time(struct mdtraj *m, uint64_t size, struct trj_error *err) {
    struct trj_hdf5_element *e = &m->time;
    if (!trj_hdf5_exists(m->file, "time")) return 0;
    *e = (struct trj_hdf5_element){.per_frame = true, .value = trj_hdf5.Dopen2(m->file, "time", H5P_DEFAULT)};
    if (e->value < 0) return trj_hdf5_fail(err, "time");
    e->unit = 1;
    hid_t type = trj_hdf5.Dget_type(e->value);
    H5T_class_t kind = trj_hdf5.Tget_class(type) == H5T_INTEGER ? H5T_INTEGER : H5T_FLOAT;
    trj_hdf5.Tclose(type);
    if (trj_hdf5_describe(e, m->file, "time", "times", kind, 0, size, err)) return -1;
    if (e->count < m->x.count) return trj_fail(err, TRJ_BAD_DATA, "has fewer times than frames");
    return get_unit(e->value, "time", trj_unit_time, &e->unit, err);
}

static int open_parts(struct trj_reader *r, struct trj_error *err) {
    struct mdtraj *m = r->internals->state = trj_alloc(1, sizeof *m, "an MDTraj reader", err);
    uint64_t size = 0;
    if (!m) return -1;
    trj_input_size(r->in, &size);
    if (trj_hdf5_open(r->in, &m->file, err)) return -1;
    int got = open_dataset(r, "coordinates", 2, size, &m->x, err);
    if (!got) return trj_fail(err, TRJ_BAD_DATA, "is HDF5 of MDTraj without coordinates");
    if (got < 0) return -1;
    m->x.unit = 10;
    if (get_unit(m->x.value, "coordinates", trj_unit_length, &m->x.unit, err)) return -1;
    if (!m->x.length[0]) return trj_fail(err, TRJ_BAD_DATA, "has coordinates of 0 atoms");
    r->atoms = (size_t)m->x.length[0];
    r->header_frames = m->x.count;
    r->can_seek = true;
    if (open_cell(r, size, err) || open_time(m, size, err) || open_velocities(r, size, err)) return -1;
    if (!(m->row = trj_alloc(r->atoms, 3 * sizeof *m->row, "coordinates", err))) return -1;
    snprintf(r->dialect, sizeof r->dialect, "HDF5 of MDTraj");
    return 0;
}

static int open_file(struct trj_reader *r, struct trj_error *err) {
    trj_hdf5_forget_failures();
    return trj_hdf5_check_failures(open_parts(r, err), err);
}

// Reads three numbers for each atom into arrays of x, y and z.
static int read_rows(struct trj_reader *r, const struct trj_hdf5_element *e, const char *name, float *const to[3],
                     struct trj_error *err) {
    struct mdtraj *m = r->internals->state;
    if (trj_hdf5_check_written(e, r->next, name, err) ||
        trj_hdf5_read(e, r->next, *trj_hdf5.T_NATIVE_FLOAT, m->row, name, err))
        return -1;
    for (size_t i = 0; i < r->atoms; i++)
        for (size_t k = 0; k < 3; k++) to[k][i] = m->row[3 * i + k];
    return 0;
}

static int read_cell(struct trj_reader *r, struct trj_cell *cell, struct trj_error *err) {
    const struct mdtraj *m = r->internals->state;
    const hid_t type = *trj_hdf5.T_NATIVE_DOUBLE;
    double length[3], angle[3], cosine[3];
    *cell = (struct trj_cell){0};
    if (!m->lengths.value) return 0;
    if (trj_hdf5_check_written(&m->lengths, r->next, "cell_lengths", err) ||
        trj_hdf5_check_written(&m->angles, r->next, "cell_angles", err) ||
        trj_hdf5_read(&m->lengths, r->next, type, length, "cell_lengths", err) ||
        trj_hdf5_read(&m->angles, r->next, type, angle, "cell_angles", err))
        return -1;
    for (int k = 0; k < 3; k++) {
        length[k] *= m->lengths.unit;
        cosine[k] = trj_cosine(angle[k] * m->degrees);
    }
    return !trj_cell_set(cell, length, cosine, err) || trj_reader_ignores_cell(r, cell) ? 0 : -1;
}

static int read_one(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct mdtraj *m = r->internals->state;
    if (r->next >= m->x.count) return 0;
    if (trj_frame_resize(f, r->atoms, err) || read_rows(r, &m->x, "coordinates", f->x, err)) return -1;
    f->time = NAN;
    if (m->time.value && (trj_hdf5_check_written(&m->time, r->next, "times", err) ||
                          trj_hdf5_read(&m->time, r->next, *trj_hdf5.T_NATIVE_DOUBLE, &f->time, "times", err)))
        return -1;
    f->time *= m->time.unit;
    f->step = TRJ_NO_STEP;
    if (read_cell(r, &f->cell, err)) return -1;
    if (r->internals->motion) {
        if (trj_motion_resize(&f->motion, r->internals->motion, r->atoms, err)) return -1;
        f->motion->unit = m->velocity.unit;
        if (read_rows(r, &m->velocity, "velocities", f->motion->velocity, err)) return -1;
    }
    if (trj_input_check_size(r->in, err)) return -1; // HDF5 reads zeros after the end
    f->index = r->next;
    f->unit = m->x.unit;
    return 1;
}

static int read_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    trj_hdf5_forget_failures();
    return trj_hdf5_check_failures(read_one(r, f, err), err);
}

static int mdtraj_open(struct trj_reader *r, struct trj_error *err) {
    static const struct trj_child_reader_ops child_ops = {"HDF5", trj_hdf5_start, open_file, read_frame};
    return trj_child_reader_open(r, &child_ops, err);
}
#endif

static bool mdtraj_is(const unsigned char *head, size_t n) {
    return trj_mdtraj_is((const char *)head, n);
}

static const struct trj_format_ops ops = {
    .seeks = true,
    .is = mdtraj_is,
#ifdef TRJPIPE_HDF5
    .open = mdtraj_open,
    .read = trj_child_reader_read,
    .motion = TRJ_HAS_VELOCITY,
    .skip = trj_child_reader_skip,
    .seek = trj_child_reader_seek,
    .close = trj_child_reader_close,
#endif
};

const struct trj_format trj_format_mdtraj = {
    .name = "mdtraj",
    .help = "HDF5 of MDTraj and of OpenMM's HDF5Reporter",
    .listed_endings = {".h5", ".hdf5"},
    .topology = "MDTraj",
#ifndef TRJPIPE_HDF5
    .lacks = "HDF5 (make HDF5=yes)",
#endif
    .ops = &ops,
};
