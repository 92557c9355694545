// SPDX-License-Identifier: MIT
// Reads DCD: Fortran unformatted records, each between two markers that hold its length: CORD and 20 integers, titles,
// the number of atoms, with fixed atoms the list of the free ones, then frames of [cell] x y z [fourth dimension]
// [charges]. The format has no specification. CHARMM's READCV and WRITCV define what all writers agree on; comments
// below describe the differences.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "memory.h"
#include "reader_parts.h"

enum { HEADER = 84, CELL = 48, TITLE_MAX = TRJ_INPUT_PEEK - 8 }; // bytes

static const double AKMA = 0.04888821290839616; // ps in CHARMM's unit of time, the value of MDAnalysis

enum { SAMPLE = 64 }; // atoms whose coordinates show that frames alternate

struct dcd {
    bool swap;             // the byte order of the file is not that of the host
    size_t marker;         // bytes of a record marker: 4 or 8
    bool cell, w, charges; // optional records of a frame
    int32_t version, start, every;
    double step_ps;       // NaN: unknown
    size_t free;          // atoms in frames after the first
    uint32_t *free_atoms; // [free] counted from 0; NULL if no atom is fixed
    float *fixed;         // [3][atoms] frame 0, from which later frames take the fixed atoms; NULL until it is read
    bool record_was_read; // an x record was read, so that the file contains that many atoms
    uint64_t body;        // byte at which frame 0 starts
    unsigned sampled;     // bits of the frames, up to 2, that were read
    float sample[2][3][SAMPLE]; // coordinates of the first atoms in frames 0 and 1
};

static uint64_t get_marker(const struct dcd *d, const unsigned char *from) {
    return d->marker == 4 ? trj_load_u32(from, d->swap) : trj_load_u64(from, d->swap);
}

// Returns the size of the first marker in bytes, or 0 if the file is not a DCD.
static size_t find_marker(const unsigned char *head, size_t n, bool *little) {
    static const unsigned char le[8] = {HEADER}, be[8] = {0, 0, 0, 0, 0, 0, 0, HEADER};
    for (size_t m = 4; m <= 8; m += 4) {
        if (n < m + 4 || (memcmp(head + m, "CORD", 4) && memcmp(head + m, "VELD", 4))) continue;
        *little = !memcmp(head, le, m);
        if (*little || !memcmp(head, be + 8 - m, m)) return m;
    }
    return 0;
}

static bool dcd_is(const unsigned char *head, size_t n) {
    bool little;
    return find_marker(head, n, &little) != 0;
}

// Reads the opening marker of a record, which must give `bytes`. Returns 1; 0 at the end of the file if a frame may end
// here (`border`); -1.
static int read_opening_marker(struct trj_reader *r, uint64_t bytes, const char *what, bool border,
                               struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    unsigned long long offset = trj_input_offset(r->in);
    unsigned char raw[8];
    size_t got;
    if (trj_input_read_some(r->in, raw, d->marker, &got, err)) return -1;
    if (!got && border) return 0;
    if (got < d->marker) {
        char marker[64];
        snprintf(marker, sizeof marker, "the opening marker of %s", what);
        return trj_input_fail_truncated(r->in, offset + got, d->marker, got, marker, err);
    }
    if (get_marker(d, raw) != bytes)
        return trj_fail(err, TRJ_BAD_DATA, "the opening marker of %s at byte %llu gives %llu bytes, not %llu", what,
                        offset, (unsigned long long)get_marker(d, raw), (unsigned long long)bytes);
    return 1;
}

// Reads the closing marker of a record, which must give `bytes`. Returns 0 or -1.
static int read_closing_marker(struct trj_reader *r, uint64_t bytes, const char *what, struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    unsigned long long offset = trj_input_offset(r->in);
    unsigned char raw[8];
    if (trj_input_read(r->in, raw, d->marker, what, err)) return -1;
    if (get_marker(d, raw) != bytes)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the closing marker of %s at byte %llu gives %llu bytes, the opening one %llu", what, offset,
                        (unsigned long long)get_marker(d, raw), (unsigned long long)bytes);
    return 0;
}

static int skip_record(struct trj_reader *r, uint64_t bytes, const char *what, bool border, struct trj_error *err) {
    int got = read_opening_marker(r, bytes, what, border, err);
    if (got <= 0) return got;
    return trj_input_skip(r->in, bytes, what, err) || read_closing_marker(r, bytes, what, err) ? -1 : 1;
}

// Reads bytes into memory that grows with them, for lengths that may be wrong. Returns NULL on failure; the caller
// frees.
static void *read_growing(struct trj_reader *r, size_t bytes, const char *what, struct trj_error *err) {
    unsigned char *data = NULL;
    size_t capacity = 0, have = 0;
    do {
        size_t left = bytes - have, step = have > 1 << 20 ? have : 1 << 20, n = left < step ? left : step;
        if (trj_grow(&data, &capacity, have + n, 1, what, err) || trj_input_read(r->in, data + have, n, what, err)) {
            free(data);
            return NULL;
        }
        have += n;
    } while (have < bytes);
    return data;
}

static void swap_u32s(void *data, size_t n) {
    uint32_t v;
    for (unsigned char *p = data; n--; p += sizeof v) {
        memcpy(&v, p, sizeof v); // NOLINT(clang-analyzer-core.NonNullParamChecker): n > 0 words are there
        v = __builtin_bswap32(v);
        memcpy(p, &v, sizeof v);
    }
}

static bool contains(const unsigned char *data, size_t n, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= n; i++)
        if (!memcmp(data + i, text, length)) return true;
    return false;
}

// Reads the title record. Sets *writer if the titles name the program that wrote the file.
static int read_title(struct trj_reader *r, const char **writer, struct trj_error *err) {
    static const char *const names[][2] = {{"NAMD", "NAMD"},
                                           {"LAMMPS", "LAMMPS"},
                                           {"HOOMD", "HOOMD"},
                                           {"OpenMM", "OpenMM"},
                                           {"DCD plugin", "VMD"}}; // text, writer
    const struct dcd *d = r->internals->state;
    const unsigned char *data;
    unsigned char raw[8];
    unsigned long long offset = trj_input_offset(r->in);
    size_t got, length;
    if (trj_input_read(r->in, raw, d->marker, "the titles", err)) return -1;
    uint64_t given = get_marker(d, raw);
    if (given > TITLE_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "the titles at byte %llu have %llu bytes", offset,
                        (unsigned long long)given);
    length = (size_t)given;
    if (trj_input_peek(r->in, &data, length + d->marker, &got, err)) return -1;
    if (got < length + d->marker || get_marker(d, data + length) != given) {
        // Old versions of MDAnalysis wrote markers for two titles around another number of titles. If the closing
        // marker is not where the opening one puts it, look for it after the NTITLE titles of 80 bytes.
        bool truncated = got < length + d->marker, valid = false;
        uint64_t actual = got < 4 ? UINT64_MAX : 4 + 80 * (uint64_t)trj_load_u32(data, d->swap);
        if (actual <= TITLE_MAX) {
            if (trj_input_peek(r->in, &data, (size_t)actual + d->marker, &got, err)) return -1;
            uint64_t closing = got == actual + d->marker ? get_marker(d, data + actual) : UINT64_MAX;
            valid = closing == given || closing == actual;
            truncated = truncated || got < actual + d->marker;
        }
        if (!valid && truncated)
            return trj_input_fail_truncated(r->in, trj_input_offset(r->in) + got,
                                            (got < length + d->marker ? length : (size_t)actual) + d->marker, got,
                                            "the titles", err);
        if (!valid)
            return trj_fail(err, TRJ_BAD_DATA, "the closing marker of the titles at byte %llu is missing", offset);
        length = (size_t)actual;
    }
    // All programs but CHARMM and X-PLOR set version 24. Titles of those two are written by users.
    for (size_t k = 0; d->version == 24 && k < sizeof names / sizeof *names && !*writer; k++)
        if (contains(data, length, names[k][0])) *writer = names[k][1];
    return trj_input_skip(r->in, length + d->marker, "the titles", err);
}

static int read_free_atoms(struct trj_reader *r, int32_t fixed, struct trj_error *err) {
    static const char what[] = "the list of free atoms";
    struct dcd *d = r->internals->state;
    d->free = r->atoms;
    if (!fixed) return 0;
    if (fixed < 0 || (size_t)fixed >= r->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "the header gives %d fixed atoms of %zu", fixed, r->atoms);
    d->free = r->atoms - (size_t)fixed;
    if (read_opening_marker(r, 4 * d->free, what, false, err) < 0) return -1;
    unsigned long long offset = trj_input_offset(r->in);
    if (!(d->free_atoms = read_growing(r, 4 * d->free, what, err))) return -1;
    if (d->swap) swap_u32s(d->free_atoms, d->free);
    for (size_t i = 0; i < d->free; i++) {
        uint32_t number = d->free_atoms[i]; // counted from 1
        if (number < 1 || number > r->atoms)
            return trj_fail(err, TRJ_BAD_DATA, "free atom %u at byte %llu, but there are %zu atoms", number,
                            offset + 4 * i, r->atoms);
        d->free_atoms[i] = number - 1;
    }
    return read_closing_marker(r, 4 * d->free, what, err);
}

// Returns the time of an MD step in ps. CHARMM, NAMD, OpenMM and MDAnalysis write DELTA in AKMA units. LAMMPS writes it
// in the units of its run, which the file does not contain. VMD's plugin, which mdtraj also uses, always writes 1, and
// HOOMD 0. MDAnalysis reads all of them as AKMA. Files of X-PLOR contain values such as 1e8: a step of more than 1 ns
// is taken as unknown.
static double step_time(const struct dcd *d, const unsigned char *head, const char *writer) {
    double delta = d->version ? trj_load_f32(head + 40, d->swap) : trj_load_f64(head + 40, d->swap);
    if (!isfinite(delta) || delta <= 0 || d->every <= 0 || d->start < 0) return NAN;
    if (writer && (!strcmp(writer, "LAMMPS") || !strcmp(writer, "VMD"))) return NAN;
    if (!d->version && delta * AKMA > 1e3) return NAN;
    return delta * AKMA;
}

static int dcd_open(struct trj_reader *r, struct trj_error *err) {
    const unsigned char *head;
    unsigned char record[HEADER + 16], natom[4];
    const char *writer = NULL;
    bool little = false;
    size_t got;
    if (trj_input_peek(r->in, &head, 12, &got, err)) return -1;
    struct dcd *d = r->internals->state = trj_alloc(1, sizeof *d, "a DCD reader", err);
    if (!d) return -1;
    d->marker = find_marker(head, got, &little);
    if (!d->marker) return trj_fail(err, TRJ_BAD_DATA, "no DCD header at byte 0");
    d->swap = little != trj_host_is_little_endian();

    if (trj_input_read(r->in, record, HEADER + 2 * d->marker, "the header", err)) return -1;
    if (get_marker(d, record + d->marker + HEADER) != HEADER)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the closing marker of the header at byte %zu gives %llu bytes, the opening one %d",
                        d->marker + HEADER, (unsigned long long)get_marker(d, record + d->marker + HEADER), HEADER);
    head = record + d->marker;
    if (memcmp(head, "CORD", 4))
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains velocities (VELD), not coordinates; give the DCD of the coordinates");
    int32_t given = (int32_t)trj_load_u32(head + 4, d->swap), fixed = (int32_t)trj_load_u32(head + 36, d->swap);
    r->header_frames = given > 0 ? (uint64_t)given : 0;
    d->start = (int32_t)trj_load_u32(head + 8, d->swap);
    d->every = (int32_t)trj_load_u32(head + 12, d->swap);
    d->version = (int32_t)trj_load_u32(head + 80, d->swap);
    if (d->version) { // version 0 is X-PLOR, whose DELTA is a double that overlaps the first of these flags
        d->cell = trj_load_u32(head + 44, d->swap) != 0;
        d->w = trj_load_u32(head + 48, d->swap) != 0;
        d->charges = trj_load_u32(head + 52, d->swap) != 0;
    }
    if (read_title(r, &writer, err)) return -1;
    d->step_ps = step_time(d, head, writer);

    if (read_opening_marker(r, 4, "the number of atoms", false, err) < 0) return -1;
    unsigned long long offset = trj_input_offset(r->in);
    if (trj_input_read(r->in, natom, 4, "the number of atoms", err)) return -1;
    int32_t atoms = (int32_t)trj_load_u32(natom, d->swap);
    if (atoms <= 0) return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms", offset, atoms);
    if (d->marker == 4 && (uint32_t)atoms > UINT32_MAX / 4)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms, too many for records with 32-bit markers", offset,
                        atoms);
    r->atoms = (size_t)atoms;
    if (read_closing_marker(r, 4, "the number of atoms", err) || read_free_atoms(r, fixed, err)) return -1;
    d->body = trj_input_offset(r->in);
    uint64_t size;
    r->can_seek = trj_input_size(r->in, &size);

    const char *form = !d->cell ? "no cell" : d->version > 25 ? "shape matrix" : "lengths and angles";
    char writer_text[20], fixed_text[28] = "";
    if (writer || !d->version)
        snprintf(writer_text, sizeof writer_text, "%s", writer ? writer : "X-PLOR");
    else
        snprintf(writer_text, sizeof writer_text, "%s %d", d->version == 24 ? "version" : "CHARMM", d->version);
    if (fixed) snprintf(fixed_text, sizeof fixed_text, ", %d fixed atoms", fixed);
    snprintf(r->dialect, sizeof r->dialect, "%s %s-bit %s, %s%s%s%s", little ? "LE" : "BE",
             d->marker == 4 ? "32" : "64", writer_text, form, d->w ? ", 4D" : "", d->charges ? ", charges" : "",
             fixed_text);
    return 0;
}

// After version 25, CHARMM stores the symmetric matrix whose rows are the cell vectors, in the frame of the
// coordinates, as xx, xy, yy, xz, yz, zz. It is the square root of h h^T, thus positive definite; other values are
// rejected.
static int set_shape(struct trj_cell *cell, const double v[6], struct trj_error *err) {
    static const int place[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}}, minors[3][3] = {{0, 1, 2}, {0, 3, 5}, {2, 4, 5}};
    bool valid = true;
    for (int k = 0; k < 6; k++) valid = valid && isfinite(v[k]);
    for (int k = 0; k < 3; k++) {
        double p = v[minors[k][0]], q = v[minors[k][1]], s = v[minors[k][2]];
        valid = valid && p >= 0 && s >= 0 && ((p == 0 || s == 0) ? q == 0 : p * s > q * q);
    }
    double det =
        v[0] * (v[2] * v[5] - v[4] * v[4]) - v[1] * (v[1] * v[5] - v[4] * v[3]) + v[3] * (v[1] * v[4] - v[2] * v[3]);
    valid = valid && (v[0] == 0 || v[2] == 0 || v[5] == 0 || det > 0);
    if (!valid)
        return trj_fail(err, TRJ_BAD_DATA, "the cell %g %g %g %g %g %g is no shape matrix of CHARMM after version 25",
                        v[0], v[1], v[2], v[3], v[4], v[5]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) cell->h[i][j] = v[place[i][j]];
    cell->periodic = TRJ_PERIODIC_ALL;
    return 0;
}

// The header version determines the form of the six numbers: small values may be cosines or elements of a shape matrix.
static int set_cell(const struct dcd *d, const double v[6], struct trj_cell *cell, struct trj_error *err) {
    memset(cell, 0, sizeof *cell);
    bool none = true;
    for (int k = 0; k < 6; k++) none = none && v[k] == 0;
    if (none) return 0;
    if (d->version > 25) return set_shape(cell, v, err);
    // CHARMM before version 22 used another order, and no other program wrote cells with these versions.
    if (d->version < 22)
        return trj_fail(err, TRJ_BAD_DATA,
                        "unit cells of version %d are not supported; convert the file with the program that wrote it",
                        d->version);
    // A, gamma, B, beta, alpha, C: angles as cosines (NAMD, VMD, LAMMPS, HOOMD) or in degrees (OpenMM, MDAnalysis,
    // mdtraj). The values distinguish them: no cell has three angles below one degree.
    const double length[3] = {v[0], v[2], v[5]};
    double cosine[3] = {v[4], v[3], v[1]};
    if (!(fabs(cosine[0]) <= 1 && fabs(cosine[1]) <= 1 && fabs(cosine[2]) <= 1))
        for (int k = 0; k < 3; k++) {
            if (!(cosine[k] > 0 && cosine[k] < 180))
                return trj_fail(err, TRJ_BAD_DATA, "the cell %g %g %g %g %g %g has an angle of %g degrees", v[0], v[1],
                                v[2], v[3], v[4], v[5], cosine[k]);
            cosine[k] = trj_cosine(cosine[k]);
        }
    return trj_cell_set(cell, length, cosine, err);
}

// Stores frame 0, from which later frames take the fixed atoms.
static int store_fixed_atoms(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dcd *d = r->internals->state;
    unsigned char *seen = trj_alloc(r->atoms, 1, "free atoms", err);
    if (!seen) return -1;
    for (size_t i = 0; i < d->free; i++)
        if (seen[d->free_atoms[i]]++) {
            trj_fail(err, TRJ_BAD_DATA, "atom %zu occurs twice in the list of free atoms",
                     (size_t)d->free_atoms[i] + 1);
            free(seen);
            return -1;
        }
    free(seen);
    if (!(d->fixed = trj_alloc(r->atoms, 3 * sizeof(float), "fixed atoms", err))) return -1;
    for (size_t k = 0; k < 3; k++) {
        if (d->swap) swap_u32s(p->frame.x[k], r->atoms);
        memcpy(d->fixed + k * r->atoms, p->frame.x[k], r->atoms * sizeof(float));
    }
    p->whole = true;
    return 0;
}

// Reads the first x record. Until it has been read, the number of atoms in the header may be wrong.
static int read_first_x(struct trj_reader *r, struct trj_frame *f, const char *what, struct trj_error *err) {
    struct dcd *d = r->internals->state;
    size_t bytes = 4 * r->atoms;
    uint64_t size;
    if (trj_input_size(r->in, &size)) {
        if (trj_input_check_left(r->in, bytes, what, err) || trj_frame_resize(f, r->atoms, err) ||
            trj_input_read(r->in, f->x[0], bytes, what, err))
            return -1;
    } else {
        void *x = read_growing(r, bytes, what, err);
        if (!x || trj_frame_resize(f, r->atoms, err)) {
            free(x);
            return -1;
        }
        memcpy(f->x[0], x, bytes);
        free(x);
    }
    d->record_was_read = true;
    return 0;
}

static const char *const axis_name[3] = {"the x record", "the y record", "the z record"};
static const char cell_name[] = "the unit cell", w_name[] = "the fourth dimension", charges_name[] = "the charges";

// What a raw frame needs for decoding.
struct dcd_frame {
    bool deferred; // decoding reads the coordinates, at f->stored
};

// Returns whether decoding can read the coordinates of the next frame, so that several threads read the file. Records
// that fit into the buffer of the input are read with it.
static bool may_defer(const struct trj_reader *r) {
    const struct dcd *d = r->internals->state;
    uint64_t offset;
    return d->record_was_read && !d->free_atoms && 4 * r->atoms >= TRJ_INPUT_PEEK &&
           trj_input_file(r->in, &offset) >= 0;
}

// Reads the content of record k: coordinates of all atoms into the frame, those of free atoms into p->bytes.
static int read_raw_axis(struct trj_reader *r, struct trj_raw_frame *p, bool only_free, int k, struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    struct trj_input_bytes *b = &p->bytes;
    size_t bytes = 4 * d->free;
    if (((struct dcd_frame *)p->own)->deferred) return trj_input_defer(r->in, 4 * r->atoms, axis_name[k], err);
    if (!d->record_was_read) return read_first_x(r, &p->frame, axis_name[k], err);
    if (!only_free) {
        if (!k && trj_frame_resize(&p->frame, r->atoms, err)) return -1;
        return trj_input_read(r->in, p->frame.x[k], 4 * r->atoms, axis_name[k], err);
    }
    if (trj_grow(&b->data, &b->capacity, b->size + bytes, 1, "coordinates", err) ||
        trj_input_read(r->in, b->data + b->size, bytes, axis_name[k], err))
        return -1;
    b->size += bytes;
    return 0;
}

static int dcd_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dcd *d = r->internals->state;
    struct trj_frame *f = &p->frame;
    bool only_free = d->free_atoms && p->number > 0; // the frame contains only free atoms
    size_t n = only_free ? d->free : r->atoms;
    bool deferred = ((struct dcd_frame *)p->own)->deferred = may_defer(r);
    f->cell = (struct trj_cell){0};
    if (d->cell) {
        unsigned char raw[CELL];
        double v[6];
        int got = read_opening_marker(r, CELL, cell_name, true, err);
        if (got <= 0) return got;
        if (trj_input_read(r->in, raw, CELL, cell_name, err) || read_closing_marker(r, CELL, cell_name, err)) return -1;
        for (int k = 0; k < 6; k++) v[k] = trj_load_f64(raw + 8 * k, d->swap);
        if (set_cell(d, v, &f->cell, err) && !trj_reader_ignores_cell(r, &f->cell))
            return trj_fail_at(err, "%s before byte %llu", cell_name, (unsigned long long)trj_input_offset(r->in));
    }
    for (int k = 0; k < 3; k++) {
        int got = read_opening_marker(r, 4 * n, axis_name[k], !k && !d->cell, err);
        if (got <= 0) return got;
        f->stored.file = trj_input_file(r->in, &f->stored.offset[k]);
        if (read_raw_axis(r, p, only_free, k, err) || read_closing_marker(r, 4 * n, axis_name[k], err)) return -1;
    }
    if (d->w && skip_record(r, 4 * n, w_name, false, err) < 0) return -1;
    if (d->charges && skip_record(r, 4 * r->atoms, charges_name, false, err) < 0) return -1;
    p->whole = !deferred && !only_free && !d->swap;
    p->light = true;
    f->stored.known = p->whole && f->stored.file >= 0;
    if (d->free_atoms && !d->fixed && store_fixed_atoms(r, p, err)) return -1;
    // A negative first step has overflowed 32 bits.
    f->step = d->every > 0 && d->start >= 0 ? d->start + (int64_t)p->number * d->every : TRJ_NO_STEP;
    f->time = (double)f->step * d->step_ps; // NaN if there is no step
    f->unit = 1;
    return 1;
}

// Reads an axis of the frame in parts that stay in the cache until they have been checked.
static int read_deferred(const struct trj_reader *r, struct trj_frame *f, size_t axis, struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    for (size_t i = 0, end; i < r->atoms; i = end) {
        end = i + TRJ_FRAME_PART < r->atoms ? i + TRJ_FRAME_PART : r->atoms;
        if (trj_input_read_deferred(r->in, f->stored.offset[axis], f->x[axis], 4 * r->atoms, 4 * i, 4 * end,
                                    axis_name[axis], err))
            return -1;
        if (d->swap) swap_u32s(f->x[axis] + i, end - i);
        trj_frame_measure(f, f->x[axis] + i, end - i);
    }
    return 0;
}

static int dcd_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    struct trj_frame *f = &p->frame;
    bool deferred = ((const struct dcd_frame *)p->own)->deferred;
    p->whole = true;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    f->stored.known = deferred && !d->swap;
    for (size_t k = 0; k < 3; k++) {
        if (deferred) {
            if (read_deferred(r, f, k, err)) return -1;
            continue;
        }
        if (!p->bytes.size) {
            if (d->swap) swap_u32s(f->x[k], r->atoms);
            continue;
        }
        memcpy(f->x[k], d->fixed + k * r->atoms, r->atoms * sizeof(float));
        for (size_t i = 0; i < d->free; i++)
            f->x[k][d->free_atoms[i]] = trj_load_f32(p->bytes.data + 4 * (k * d->free + i), d->swap);
    }
    return 0;
}

// Reads frame 0 for its fixed atoms. The input must be at its start. Returns 1, 0, -1.
static int read_fixed_atoms(struct trj_reader *r, struct trj_error *err) {
    struct dcd_frame own;
    struct trj_raw_frame p = {.own = &own};
    int got = dcd_read_raw(r, &p, err);
    p.own = NULL;
    trj_raw_frame_free(&p);
    return got;
}

static int dcd_skip(struct trj_reader *r, struct trj_error *err) {
    const struct dcd *d = r->internals->state;
    if (d->free_atoms && !d->fixed) return read_fixed_atoms(r, err);
    size_t n = r->next ? d->free : r->atoms;
    if (d->cell) {
        int got = skip_record(r, CELL, cell_name, true, err);
        if (got <= 0) return got;
    }
    for (int k = 0; k < 3; k++) {
        int got = skip_record(r, 4 * n, axis_name[k], !k && !d->cell, err);
        if (got <= 0) return got;
    }
    if (d->w && skip_record(r, 4 * n, w_name, false, err) < 0) return -1;
    if (d->charges && skip_record(r, 4 * r->atoms, charges_name, false, err) < 0) return -1;
    return 1;
}

static uint64_t frame_bytes(const struct trj_reader *r, uint64_t n) {
    const struct dcd *d = r->internals->state;
    uint64_t markers = 2 * d->marker, bytes = 3 * (4 * n + markers);
    if (d->cell) bytes += CELL + markers;
    if (d->w) bytes += 4 * n + markers;
    if (d->charges) bytes += 4 * r->atoms + markers;
    return bytes;
}

// Frames after the first have equal size. Seeking to or past an incomplete frame is an error.
static int dcd_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct dcd *d = r->internals->state;
    uint64_t size, first = frame_bytes(r, r->atoms), later = frame_bytes(r, d->free);
    int known = trj_input_find_size(r->in, &size, err);
    if (known <= 0) return known ? -1 : trj_fail(err, TRJ_FAILED, "random access is not possible");
    uint64_t left = size > d->body ? size - d->body : 0, count = 0;
    if (left >= first) {
        count = 1 + (left - first) / later;
        left = (left - first) % later;
    }
    if (frame >= count)
        return !left ? 0
               : trj_input_fail_truncated(r->in, size, count ? later : first, left, "the frame", err)
                   ? trj_fail_at(err, "frame %llu", (unsigned long long)count)
                   : 0;
    if (frame && d->free_atoms && !d->fixed) {
        if (trj_input_seek(r->in, d->body, err)) return -1;
        if (read_fixed_atoms(r, err) < 0) return trj_fail_at(err, "frame 0");
    }
    return trj_input_seek(r->in, d->body + (frame ? first + (frame - 1) * later : 0), err) ? -1 : 1;
}

// Some programs write positions and velocities in turn into one file, whose header gives half the number of its frames.
// Frame 2 is then much nearer to frame 0 than frame 1.
static bool alternates(const struct dcd *d, const struct trj_frame *f, size_t n) {
    double to_first = 0, between = 0;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) {
            double a = (double)f->x[k][i] - d->sample[0][k][i], b = (double)d->sample[1][k][i] - d->sample[0][k][i];
            to_first += a * a;
            between += b * b;
        }
    return 100 * to_first < between;
}

// Compares the first three frames. If they are not decoded, or other frames are read, nothing is reported.
static int dcd_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    struct dcd *d = r->internals->state;
    const struct trj_frame *f = &p->frame;
    size_t n = f->atoms < SAMPLE ? f->atoms : SAMPLE;
    uint64_t size, bytes = 2 * r->header_frames * frame_bytes(r, r->atoms);
    (void)err;
    if (p->number > 2 || !r->header_frames || d->free_atoms) return 0;
    d->sampled |= 1u << p->number;
    for (int k = 0; k < 3 && p->number < 2; k++) memcpy(d->sample[p->number][k], f->x[k], n * sizeof(float));
    bool twice = !trj_input_size(r->in, &size) || (size >= d->body && size - d->body == bytes);
    if (d->sampled == 7 && p->number == 2 && twice && alternates(d, f, n)) {
        r->note = "its frames alternate between two kinds, as positions and velocities, and their number is twice that "
                  "in the header; select the positions with trjcat -f ::2";
        r->note_stays = true;
    }
    return 0;
}

static void dcd_close(struct trj_reader *r) {
    struct dcd *d = r->internals->state;
    if (!d) return;
    free(d->free_atoms);
    free(d->fixed);
    free(d);
}

static const struct trj_format_ops ops = {
    .is = dcd_is,
    .open = dcd_open,
    .read_raw = dcd_read_raw,
    .decode = dcd_decode,
    .accept = dcd_accept,
    .own = sizeof(struct dcd_frame),
    .skip = dcd_skip,
    .seek = dcd_seek,
    .close = dcd_close,
};

const struct trj_format trj_format_dcd = {
    .name = "dcd",
    .help = "DCD of CHARMM, NAMD, X-PLOR, LAMMPS, OpenMM, HOOMD, VMD, mdtraj, MDAnalysis",
    .listed_endings = {".dcd"},
    .ops = &ops,
};
