// SPDX-License-Identifier: MIT
// Reads TRR of GROMACS: frames with a header each, in big-endian numbers: magic, a name, the sizes of ten blocks,
// atoms, step, nre, time, lambda; then the blocks, in single or double precision. Frames may lack blocks. Frames
// without positions are skipped; frames without a box have no cell, even if the previous frame has one.
#include <math.h>
#include <stdio.h>

#include "memory.h"
#include "xdr_frames.h"

enum { MAGIC = 1993, HEADER = 76 }; // bytes before the time
enum { IR, ENERGIES, BOX, VIRIAL, PRESSURE, TOPOLOGY, SYMBOLS, X, V, F, BLOCKS };

static const char name[] = "GMX_trn_file";
static const char header_name[] = "the header of the frame", data_name[] = "the coordinates";
static const struct {
    const char *name;
    unsigned fixed, per_atom; // reals; both 0: no program has written such a block since 1995
} blocks[BLOCKS] = {{"input record", 0, 0}, {"energies", 0, 0}, {"box", 9, 0},     {"virial", 9, 0},
                    {"pressure", 9, 0},     {"topology", 0, 0}, {"symbols", 0, 0}, {"positions", 0, 3},
                    {"velocities", 0, 3},   {"forces", 0, 3}};

struct trr {
    struct trj_xdr_index index;
    uint64_t seen; // bytes; only frames without positions after them are added to r->empty
};

struct header {
    uint64_t bytes[BLOCKS];
    size_t real; // bytes of a real
    int32_t step;
    double time;
    uint64_t before, after; // bytes between box and positions, and after them
};

static bool trr_is(const unsigned char *head, size_t n) {
    return n >= 4 && trj_xdr_i32(head) == MAGIC;
}

// Checks the sizes of blocks, from which the precision follows.
static int check_sizes(const struct trj_reader *r, struct header *h, unsigned long long position,
                       struct trj_error *err) {
    h->real = 0;
    for (int k = 0; k < BLOCKS; k++) {
        uint64_t reals = blocks[k].fixed + blocks[k].per_atom * (uint64_t)r->atoms, bytes = h->bytes[k];
        if (!bytes) continue;
        size_t real = bytes == 4 * reals ? 4 : 8;
        if (bytes != real * reals || (h->real && h->real != real))
            return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %llu bytes for the block '%s' of %zu atoms%s",
                            position + 4 * (unsigned)k, (unsigned long long)bytes, blocks[k].name, r->atoms,
                            bytes == real * reals ? ", in another precision" : "");
        h->real = real;
    }
    if (!h->real) h->real = 4; // a frame without blocks
    h->before = h->bytes[VIRIAL] + h->bytes[PRESSURE];
    h->after = h->bytes[V] + h->bytes[F];
    return 0;
}

// Reads a header. Returns 1, 0 at the end, -1.
static int read_one(struct trj_reader *r, struct header *h, struct trj_error *err) {
    unsigned char raw[HEADER];
    size_t got;
    unsigned long long position = trj_input_offset(r->in);
    if (trj_input_read_some(r->in, raw, 4, &got, err)) return -1;
    if (!got) return 0;
    if (got < 4) return trj_input_fail_truncated(r->in, position + got, HEADER, got, header_name, err);
    if (!trr_is(raw, 4))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu is %d, which does not begin a TRR frame", position,
                        trj_xdr_i32(raw));
    if (trj_input_read(r->in, raw + 4, HEADER - 4, header_name, err)) return -1;
    if (trj_xdr_i32(raw + 4) != sizeof name || trj_xdr_i32(raw + 8) != sizeof name - 1 ||
        memcmp(raw + 12, name, sizeof name - 1))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu is not followed by %s", position, name);
    for (int k = 0; k < BLOCKS; k++) h->bytes[k] = trj_xdr_u32(raw + 24 + 4 * k);
    int32_t atoms = trj_xdr_i32(raw + 64);
    if (atoms <= 0 || (size_t)atoms != r->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms, not %zu", position + 64, atoms, r->atoms);
    if (check_sizes(r, h, position + 24, err)) return -1;
    h->step = trj_xdr_i32(raw + 68);
    if (trj_input_read(r->in, raw, 2 * h->real, header_name, err)) return -1; // time and lambda
    h->time = trj_xdr_real(raw, h->real);
    if (!isfinite(h->time))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives the time %g", position + HEADER, h->time);
    return 1;
}

// Reads the header of the next frame with positions. Returns 1, 0 at the end, -1.
static int read_header(struct trj_reader *r, struct header *h, struct trj_error *err) {
    struct trr *t = r->internals->state;
    for (;;) {
        uint64_t position = trj_input_offset(r->in);
        int got = read_one(r, h, err);
        if (got <= 0) return got;
        if (h->bytes[X]) return trj_xdr_index_add(r, position, err) ? -1 : 1;
        if (trj_input_skip(r->in, h->bytes[BOX] + h->before + h->after, "a frame without positions", err)) return -1;
        if (position < t->seen) continue;
        r->empty++;
        t->seen = trj_input_offset(r->in);
    }
}

static int trr_open(struct trj_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    uint64_t size;
    if (!(r->internals->state = trj_alloc(1, sizeof(struct trr), "a TRR reader", err))) return -1;
    if (trj_input_peek(r->in, &head, HEADER, &got, err)) return -1;
    if (got < HEADER) return trj_input_fail_truncated(r->in, got, HEADER, got, header_name, err);
    int32_t atoms = trj_xdr_i32(head + 64);
    if (atoms <= 0) return trj_fail(err, TRJ_BAD_DATA, "byte 64 gives %d atoms", atoms);
    r->atoms = (size_t)atoms;
    r->can_seek = trj_input_size(r->in, &size);
    bool large = false;
    for (int k = 0; k < BLOCKS; k++) {
        uint32_t bytes = trj_xdr_u32(head + 24 + 4 * k);
        if (k == V && bytes) r->holds = TRJ_HAS_VELOCITY;
        large = large || (bytes && bytes == 8 * (blocks[k].fixed + blocks[k].per_atom * (uint64_t)r->atoms));
    }
    snprintf(r->dialect, sizeof r->dialect, "%s precision", large ? "double" : "single");
    r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){
        TRJ_VELOCITY_UNIT,
        "TRR, nm/ps; the file does not give their time: leap-frog integrators write those of half a step before"};
    return 0;
}

static int trr_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    struct header h;
    unsigned char box[9 * 8];
    int got = read_header(r, &h, err);
    if (got <= 0) return got;
    f->cell = (struct trj_cell){0};
    if (h.bytes[BOX]) {
        if (trj_input_read(r->in, box, h.bytes[BOX], "the box", err)) return -1;
        if (trj_xdr_box(&f->cell, box, h.real, err) && !trj_reader_ignores_cell(r, &f->cell)) return -1;
    }
    if (trj_input_skip(r->in, h.before, "virial and pressure", err) ||
        trj_xdr_read(r, &p->bytes, h.bytes[X], 0, data_name, err))
        return -1;
    p->scratch.size = 0;
    if (r->internals->motion && h.bytes[V]) {
        if (trj_xdr_read(r, &p->scratch, h.bytes[V], 0, "the velocities", err)) return -1;
        h.after -= h.bytes[V];
    }
    if (trj_input_skip(r->in, h.after, "velocities and forces", err)) return -1;
    f->step = h.step;
    f->time = h.time;
    f->unit = 10;
    return 1;
}

static int trr_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    size_t real = p->bytes.size / r->atoms / 3;
    struct trj_frame *f = &p->frame;
    if (p->scratch.size) {
        if (trj_motion_resize(&f->motion, TRJ_HAS_VELOCITY, r->atoms, err)) return -1;
        f->motion->unit = 10;
        trj_xdr_vectors(p->scratch.data, real, r->atoms, f->motion->velocity);
    }
    return trj_xdr_decode(r, p, real, err);
}

static int trr_skip(struct trj_reader *r, struct trj_error *err) {
    struct header h;
    int got = read_header(r, &h, err);
    if (got <= 0) return got;
    return trj_input_skip(r->in, h.bytes[BOX] + h.before + h.bytes[X] + h.after, data_name, err) ? -1 : 1;
}

static const struct trj_format_ops ops = {
    .is = trr_is,
    .open = trr_open,
    .read_raw = trr_read_raw,
    .decode = trr_decode,
    .skip = trr_skip,
    .motion = TRJ_HAS_VELOCITY,
    .seek = trj_xdr_seek,
    .close = trj_xdr_close,
};

const struct trj_format trj_format_trr = {
    .name = "trr",
    .help = "TRR of GROMACS, in single and double precision",
    .listed_endings = {".trr"},
    .ops = &ops,
};
