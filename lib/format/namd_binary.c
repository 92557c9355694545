// SPDX-License-Identifier: MIT
// Reads NAMD binary coordinates, as in restart files: the number of atoms in 32 bits, then x, y, z of each atom in
// float64, in the byte order of the machine. A file is one frame without a cell. It has no magic number; its size
// identifies the format. (NAMD User's Guide, "Output files": binary output)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "byte_order.h"
#include "lines.h"
#include "memory.h"
#include "xdr_frames.h" // trj_xdr_read

enum { HEAD = 4, ATOM = 24 }; // bytes

struct namd {
    bool swap;
    struct trj_input_bytes block;
};

static bool has_size(const unsigned char *head, bool swap, uint64_t size) {
    uint32_t atoms = trj_load_u32(head, swap);
    return atoms >= 1 && atoms <= INT32_MAX && size == HEAD + (uint64_t)ATOM * atoms;
}

// Returns whether all numbers in the first bytes are 0 or between 1e-99 and 1e9. In the wrong byte order, this is
// hardly ever so.
static bool are_plausible(const unsigned char *head, size_t n, bool swap) {
    for (size_t position = HEAD; position + 8 <= n; position += 8) {
        double v = fabs(trj_load_f64(head + position, swap));
        if (!(v == 0 || (v > 1e-99 && v < 1e9))) return false;
    }
    return true;
}

static bool namd_fits(const unsigned char *head, size_t n, uint64_t size) {
    if (n < HEAD + ATOM) return false;
    for (int swap = 0; swap < 2; swap++)
        if (has_size(head, swap, size) && are_plausible(head, n, swap)) return true;
    return false;
}

// Detects the byte order, from the size of the file. Some numbers of atoms, such as 65792, are the same in both orders,
// and a pipe has no size: then the coordinates decide.
static int find_order(struct trj_reader *r, bool *swap, struct trj_error *err) {
    const unsigned char *head;
    size_t n;
    uint64_t size;
    if (trj_input_peek(r->in, &head, TRJ_INPUT_PEEK, &n, err)) return -1;
    if (n < HEAD) return trj_input_fail_truncated(r->in, n, HEAD, n, "the number of atoms", err);
    uint32_t native = trj_load_u32(head, false), swapped = trj_load_u32(head, true);
    bool whole = trj_input_size(r->in, &size), possible[2];
    for (int k = 0; k < 2; k++) possible[k] = whole ? has_size(head, k, size) : (k ? swapped : native) - 1 < INT32_MAX;
    if (!possible[0] && !possible[1] && whole)
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not NAMD binary coordinates: %llu bytes are not 4 plus 24 for each of %u or %u atoms",
                        (unsigned long long)size, native, swapped);
    if (possible[0] && possible[1])
        for (int k = 0; k < 2; k++) possible[k] = are_plausible(head, n, k);
    if (!possible[0] && !possible[1])
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not NAMD binary coordinates: its numbers are invalid in either byte order");
    *swap =
        possible[0] && possible[1] ? swapped < native : possible[1]; // both are possible if all these numbers are zero
    return 0;
}

static int namd_open(struct trj_reader *r, struct trj_error *err) {
    static const char *const velocities[] = {".vel", ".vel.old", ".vel.bak"};
    unsigned char raw[HEAD];
    struct namd *s = r->internals->state = trj_alloc(1, sizeof *s, "a reader of NAMD coordinates", err);
    if (!s) return -1;
    for (size_t i = 0; i < sizeof velocities / sizeof *velocities; i++)
        if (trj_input_ends_in(r->in, velocities[i]))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "contains NAMD velocities, according to its name; give the file of the coordinates (.coor)");
    if (find_order(r, &s->swap, err) || trj_input_read(r->in, raw, sizeof raw, "the number of atoms", err)) return -1;
    r->atoms = trj_load_u32(raw, s->swap);
    snprintf(r->dialect, sizeof r->dialect, "%s NAMD binary coordinates",
             s->swap == trj_host_is_little_endian() ? "BE" : "LE");
    return 0;
}

// Checks that nothing follows the only frame.
static int check_end(struct trj_reader *r, struct trj_error *err) {
    const unsigned char *data;
    size_t n;
    if (trj_input_peek(r->in, &data, 1, &n, err)) return -1;
    return n ? trj_fail(err, TRJ_BAD_DATA, "continues after the last of %zu atoms, at byte %llu", r->atoms,
                        (unsigned long long)trj_input_offset(r->in))
             : 0;
}

static int namd_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct namd *s = r->internals->state;
    if (r->next) return 0;
    if (trj_xdr_read(r, &s->block, (uint64_t)ATOM * r->atoms, 0, "the coordinates", err) || check_end(r, err) ||
        trj_frame_resize(f, r->atoms, err))
        return -1;
    for (size_t i = 0; i < r->atoms; i++)
        for (size_t k = 0; k < 3; k++) f->x[k][i] = (float)trj_load_f64(s->block.data + ATOM * i + 8 * k, s->swap);
    f->index = 0;
    f->step = TRJ_NO_STEP;
    f->time = NAN;
    f->unit = 1;
    f->cell = (struct trj_cell){0};
    return 1;
}

static int namd_skip(struct trj_reader *r, struct trj_error *err) {
    if (r->next) return 0;
    return trj_input_skip(r->in, (uint64_t)ATOM * r->atoms, "the coordinates", err) || check_end(r, err) ? -1 : 1;
}

static void namd_close(struct trj_reader *r) {
    struct namd *s = r->internals->state;
    if (!s) return;
    free(s->block.data);
    free(s);
}

static const struct trj_format_ops ops = {
    .fits = namd_fits,
    .open = namd_open,
    .read = namd_read,
    .skip = namd_skip,
    .close = namd_close,
};

const struct trj_format trj_format_namd = {
    .name = "namd",
    .help = "NAMD binary coordinates (.coor), detected by their size: one frame, no cell",
    .endings = {".coor", ".coor.old"},
    .ops = &ops,
};
