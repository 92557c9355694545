// SPDX-License-Identifier: MIT
// Reads XTC of GROMACS: frames with a header each, in big-endian numbers: magic, atoms, step, time, box, atoms again.
// Up to nine atoms follow as floats. For more atoms, precision, bounds, the size of small atoms and the number of bytes
// follow, then these bytes, padded to a multiple of four; xtc_unpack.c describes their content.
#include <math.h>
#include <stdio.h>

#include "memory.h"
#include "xdr_frames.h"
#include "xtc_unpack.h"

enum {
    OLD = 1995, // magic
    NEW = 2023, // since GROMACS 2023, for frames of more than 2^31 bytes: the number of bytes has 64 bits
    HEADER = 56,
    PACKED_HEADER = 32,  // rest of the header, without the number of bytes
    MAX_FLOAT_ATOMS = 9, // number of atoms up to which floats are stored
    MAX_ATOM_BYTES = 13, // of compressed data: 3 * 32 + 6 bits
};

// The header of a frame.
struct header {
    int32_t magic, step;
    float time;
    unsigned char box[36];
    struct trj_packed packed; // not set if floats follow
    uint64_t bytes;           // of coordinates that follow, without padding
};

static const char header_name[] = "the header of the frame", data_name[] = "the coordinates";

static bool xtc_is(const unsigned char *head, size_t n) {
    return n >= 4 && (trj_xdr_i32(head) == OLD || trj_xdr_i32(head) == NEW);
}

static int read_packed(struct trj_reader *r, struct header *h, struct trj_error *err) {
    unsigned char raw[PACKED_HEADER + 8];
    size_t size = h->magic == NEW ? 8 : 4;
    if (trj_input_read(r->in, raw, PACKED_HEADER + size, header_name, err)) return -1;
    struct trj_packed *p = &h->packed;
    p->precision = trj_xdr_f32(raw);
    for (int k = 0; k < 3; k++) {
        p->low[k] = trj_xdr_i32(raw + 4 + 4 * k);
        p->high[k] = trj_xdr_i32(raw + 16 + 4 * k);
    }
    p->small = trj_xdr_i32(raw + 28);
    h->bytes = size == 8 ? trj_xdr_u64(raw + PACKED_HEADER) : trj_xdr_u32(raw + PACKED_HEADER);
    p->offset = trj_input_offset(r->in);
    if (h->bytes > (uint64_t)MAX_ATOM_BYTES * r->atoms || h->bytes < r->atoms / TRJ_XTC_MAX_ATOMS_PER_BYTE)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %llu bytes for the coordinates of %zu atoms",
                        (unsigned long long)(p->offset - size), (unsigned long long)h->bytes, r->atoms);
    return 0;
}

// Reads a header. Returns 1, 0 at the end, -1.
static int read_header(struct trj_reader *r, struct header *h, struct trj_error *err) {
    unsigned char raw[HEADER];
    size_t got;
    unsigned long long position = trj_input_offset(r->in);
    if (trj_input_read_some(r->in, raw, 4, &got, err)) return -1;
    if (!got) return 0;
    if (got < 4) return trj_input_fail_truncated(r->in, position + got, HEADER, got, header_name, err);
    if (!xtc_is(raw, 4))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu is %d, which does not begin an XTC frame", position,
                        trj_xdr_i32(raw));
    if (trj_input_read(r->in, raw + 4, HEADER - 4, header_name, err)) return -1;
    h->magic = trj_xdr_i32(raw);
    h->step = trj_xdr_i32(raw + 8);
    h->time = trj_xdr_f32(raw + 12);
    memcpy(h->box, raw + 16, sizeof h->box);
    int32_t atoms = trj_xdr_i32(raw + 4), again = trj_xdr_i32(raw + 52);
    if (atoms <= 0 || (size_t)atoms != r->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms, not %zu", position + 4, atoms, r->atoms);
    if (again != atoms)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms, byte %llu %d", position + 4, atoms, position + 52,
                        again);
    if (!isfinite(h->time))
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives the time %g", position + 12, (double)h->time);
    h->bytes = 12 * r->atoms;
    if (r->atoms > MAX_FLOAT_ATOMS && read_packed(r, h, err)) return -1;
    return trj_xdr_index_add(r, position, err) ? -1 : 1;
}

static uint64_t padded(uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

static int xtc_open(struct trj_reader *r, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    uint64_t size;
    if (!(r->internals->state = trj_alloc(1, sizeof(struct trj_xdr_index), "an XTC reader", err))) return -1;
    if (trj_input_peek(r->in, &head, HEADER + PACKED_HEADER, &got, err)) return -1;
    if (got < 8) return trj_input_fail_truncated(r->in, got, HEADER, got, header_name, err);
    int32_t atoms = trj_xdr_i32(head + 4);
    if (atoms <= 0) return trj_fail(err, TRJ_BAD_DATA, "byte 4 gives %d atoms", atoms);
    r->atoms = (size_t)atoms;
    r->can_seek = trj_input_size(r->in, &size);
    int position = snprintf(r->dialect, sizeof r->dialect, "magic %d, ", trj_xdr_i32(head));
    if (atoms <= MAX_FLOAT_ATOMS)
        snprintf(r->dialect + position, sizeof r->dialect - (size_t)position, "floats");
    else if (got >= HEADER + 4)
        snprintf(r->dialect + position, sizeof r->dialect - (size_t)position, "precision %g",
                 (double)trj_xdr_f32(head + HEADER));
    return 0;
}

static int xtc_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct header *h = p->own;
    struct trj_frame *f = &p->frame;
    int got = read_header(r, h, err);
    if (got <= 0) return got;
    if (trj_xdr_box(&f->cell, h->box, 4, err) && !trj_reader_ignores_cell(r, &f->cell)) return -1;
    if (trj_xdr_read(r, &p->bytes, padded(h->bytes), TRJ_XTC_SLACK, data_name, err)) return -1;
    f->step = h->step;
    f->time = (double)h->time;
    f->unit = 10;
    return 1;
}

static int xtc_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct header *h = p->own;
    if (r->atoms <= MAX_FLOAT_ATOMS) return trj_xdr_decode(r, p, 4, err);
    h->packed.data = p->bytes.data;
    h->packed.bytes = (size_t)h->bytes;
    return trj_xtc_unpack(&h->packed, p->frame.x, r->atoms, r->internals->pick, r->internals->pick_count,
                          &p->frame.farthest, err);
}

static bool xtc_keep(const struct trj_reader *r, struct trj_raw_frame *p) {
    const struct header *h = p->own;
    if (r->atoms <= MAX_FLOAT_ATOMS) return false;
    trj_raw_frame_keep(p, &h->packed, (size_t)h->bytes);
    return true;
}

static int xtc_skip(struct trj_reader *r, struct trj_error *err) {
    struct header h;
    int got = read_header(r, &h, err);
    if (got <= 0) return got;
    return trj_input_skip(r->in, padded(h.bytes), data_name, err) ? -1 : 1;
}

static const struct trj_format_ops ops = {
    .is = xtc_is,
    .open = xtc_open,
    .read_raw = xtc_read_raw,
    .decode = xtc_decode,
    .keep = xtc_keep,
    .own = sizeof(struct header),
    .skip = xtc_skip,
    .seek = trj_xdr_seek,
    .close = trj_xdr_close,
};

const struct trj_format trj_format_xtc = {
    .name = "xtc",
    .help = "XTC of GROMACS, of 1995 and of 2023",
    .listed_endings = {".xtc"},
    .ops = &ops,
};
