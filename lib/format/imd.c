// SPDX-License-Identifier: MIT
// Reads what a running simulation sends by IMD (Interactive Molecular Dynamics) version 2, as GROMACS, NAMD and LAMMPS
// implement it (J. E. Stone, J. Gullingsrud, K. Schulten, P. Grayson, Proc. ACM Symp. Interactive 3D Graphics, 191
// (2001)). Messages have a header of two big-endian integers, type and length. The server begins with HANDSHAKE, whose
// length is the version in its own byte order; the client answers with GO. Then the server sends ENERGIES, a structure
// with the number of the MD step, and FCOORDS, x y z of each atom as floats in Å, both in its own byte order.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "byte_order.h"
#include "hash.h"
#include "memory.h"
#include "xdr_frames.h"

enum { HEADER = 8, ENERGIES_BYTES = 40, VERSION = 2, MAX_VERSIONS = 255, ATOM = 12 }; // bytes; ATOM: of an atom
enum message { DISCONNECT, ENERGIES, FCOORDS, GO, HANDSHAKE, KILL, MDCOMM, PAUSE, TRATE, IOERROR };

struct imd {
    bool swap;        // the byte order of the server is not that of the host
    bool ended;       // the server has sent DISCONNECT or closed the connection
    bool header_read; // the header of the next FCOORDS was read
    int64_t step;     // of the ENERGIES before the next FCOORDS; TRJ_NO_STEP: none
};

static const char header_name[] = "the header of a message", energies_name[] = "the energies",
                  coordinates_name[] = "the coordinates";

// Returns the version in the length of a handshake in either byte order, and sets *little to that order; 0: none.
static uint32_t version_of(const unsigned char *head, bool *little) {
    uint32_t big = trj_xdr_u32(head + 4), other = __builtin_bswap32(big);
    *little = other && other <= MAX_VERSIONS;
    return *little ? other : big <= MAX_VERSIONS ? big : 0;
}

static bool imd_is(const unsigned char *head, size_t n) {
    bool little;
    return n >= HEADER && trj_xdr_u32(head) == HANDSHAKE && version_of(head, &little);
}

static int send_header(const struct trj_reader *r, enum message type, struct trj_error *err) {
    const unsigned char header[HEADER] = {0, 0, 0, (unsigned char)type};
    return trj_input_reply(r->in, header, sizeof header, err);
}

// Reads the content of ENERGIES, of which only the MD step is used.
static int read_energies(struct trj_reader *r, int32_t length, struct trj_error *err) {
    struct imd *s = r->internals->state;
    unsigned char raw[ENERGIES_BYTES];
    if (length != 1)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d structures of energies, not 1",
                        (unsigned long long)trj_input_offset(r->in) - 4, length);
    if (trj_input_read(r->in, raw, sizeof raw, energies_name, err)) return -1;
    int32_t step = (int32_t)trj_load_u32(raw, s->swap);
    s->step = step >= 0 ? step : TRJ_NO_STEP;
    return 0;
}

// Reads up to the next coordinates, and sets *atoms to the number in their header. Returns 1, 0 at the end, -1.
static int find_coordinates(struct trj_reader *r, int32_t *atoms, struct trj_error *err) {
    struct imd *s = r->internals->state;
    s->step = TRJ_NO_STEP;
    for (;;) {
        unsigned char raw[HEADER];
        size_t got;
        unsigned long long offset = trj_input_offset(r->in);
        if (s->ended) return 0;
        if (trj_input_read_some(r->in, raw, HEADER, &got, err)) return -1;
        s->ended = !got;
        if (got && got < HEADER) return trj_input_fail_truncated(r->in, offset + got, HEADER, got, header_name, err);
        if (!got) continue;
        int32_t type = trj_xdr_i32(raw), length = trj_xdr_i32(raw + 4);
        if (type == FCOORDS) {
            *atoms = length;
            return 1;
        }
        s->ended = type == DISCONNECT || type == KILL;
        if (s->ended) continue;
        if (type != ENERGIES)
            return trj_fail(err, TRJ_BAD_DATA,
                            "byte %llu begins a message of type %d, which is not part of IMD version 2 from a server; "
                            "check host and port",
                            offset, type);
        if (read_energies(r, length, err)) return -1;
    }
}

static int imd_open(struct trj_reader *r, struct trj_error *err) {
    unsigned char raw[HEADER];
    bool little;
    int32_t atoms = 0;
    size_t expected = r->internals->expected;
    struct imd *s = r->internals->state = trj_alloc(1, sizeof *s, "an IMD reader", err);
    if (!s || trj_input_read(r->in, raw, HEADER, "the handshake", err)) return -1;
    if (!imd_is(raw, HEADER))
        return trj_fail(err, TRJ_BAD_DATA, "the server does not begin with a handshake of IMD; check host and port");
    uint32_t version = version_of(raw, &little);
    if (version != VERSION)
        return trj_fail(err, TRJ_BAD_DATA, "the server has version %u of IMD; choose version %d in the simulation",
                        version, VERSION);
    s->swap = little != trj_host_is_little_endian();
    if (send_header(r, GO, err)) return -1;
    int got = find_coordinates(r, &atoms, err);
    if (got < 0) return -1;
    if (!got)
        return trj_fail(err, TRJ_BAD_DATA, "ended before the first frame; see the messages of the simulation program");
    if (atoms <= 0)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms", (unsigned long long)trj_input_offset(r->in) - 4,
                        atoms);
    if (expected && expected != (size_t)atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the server sends %d atoms, but the topology has %zu; give a topology of the same atoms with "
                        "-t, or send all atoms (IMD-group of GROMACS)",
                        atoms, expected);
    r->atoms = (size_t)atoms;
    s->header_read = true;
    snprintf(r->dialect, sizeof r->dialect, "%s IMD version %d", little ? "LE" : "BE", VERSION);
    return 0;
}

static int imd_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct imd *s = r->internals->state;
    struct trj_frame *f = &p->frame;
    int32_t atoms = (int32_t)r->atoms;
    if (!s->header_read) {
        int got = find_coordinates(r, &atoms, err);
        if (got <= 0) return got;
    }
    s->header_read = false;
    if (atoms < 0 || (size_t)atoms != r->atoms)
        return trj_fail(err, TRJ_BAD_DATA, "byte %llu gives %d atoms, not %zu",
                        (unsigned long long)trj_input_offset(r->in) - 4, atoms, r->atoms);
    if (trj_xdr_read(r, &p->bytes, ATOM * (uint64_t)r->atoms, 0, coordinates_name, err)) return -1;
    f->cell = (struct trj_cell){0};
    f->step = s->step;
    f->time = NAN;
    f->unit = 1;
    return 1;
}

static int imd_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct imd *s = r->internals->state;
    const unsigned char *from = p->bytes.data;
    struct trj_frame *f = &p->frame;
    p->whole = true;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    for (size_t i = 0; i < f->atoms; i++)
        for (size_t k = 0; k < 3; k++, from += 4) f->x[k][i] = trj_load_f32(from, s->swap);
    return 0;
}

// The first frame identifies the simulation.
static int imd_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    (void)err;
    if (!r->fingerprint) r->fingerprint = trj_hash(p->bytes.data, p->bytes.size, p->number);
    return 0;
}

// The simulation continues without the client.
static void imd_close(struct trj_reader *r) {
    struct imd *s = r->internals->state;
    struct trj_error ignored;
    if (!s) return;
    if (!s->ended) (void)send_header(r, DISCONNECT, &ignored);
    free(s);
}

static const struct trj_format_ops ops = {
    .is = imd_is,
    .open = imd_open,
    .read_raw = imd_read_raw,
    .decode = imd_decode,
    .accept = imd_accept,
    .close = imd_close,
};

const struct trj_format trj_format_imd = {
    .name = "imd",
    .help = "IMD version 2 of a running simulation of GROMACS, NAMD or LAMMPS",
    .lacks_cell = true,
    .ops = &ops,
};
