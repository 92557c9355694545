// SPDX-License-Identifier: MIT
// Contains what XTC and TRR share: boxes in nm, and an index of frames, because neither format has one.
#include "xdr_frames.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

// Programs that compute boxes from lengths and angles write about 1e-16 for the cosine of 90 degrees. Entries below
// this fraction of the largest one are set to zero.
static const double NOISE = 1e-12;

int trj_xdr_box(struct trj_cell *cell, const unsigned char *from, size_t bytes, struct trj_error *err) {
    double nm[9], max = 0;
    *cell = (struct trj_cell){0};
    for (size_t k = 0; k < 9; k++) {
        nm[k] = trj_xdr_real(from + bytes * k, bytes);
        if (!isfinite(nm[k]))
            return trj_fail(err, TRJ_BAD_DATA, "cell vector %c has a component of %g", (char)('a' + k / 3), nm[k]);
        max = fmax(max, fabs(nm[k]));
    }
    if (max == 0) return 0;
    for (size_t k = 0; k < 9; k++) cell->h[k / 3][k % 3] = fabs(nm[k]) > NOISE * max ? 10 * nm[k] : 0;
    cell->periodic = TRJ_PERIODIC_ALL;
    return 0;
}

void trj_xdr_vectors(const unsigned char *from, size_t bytes, size_t atoms, float *const to[3]) {
    for (size_t i = 0; i < atoms; i++)
        for (size_t k = 0; k < 3; k++, from += bytes)
            to[k][i] = bytes == 4 ? trj_xdr_f32(from) : (float)trj_xdr_f64(from);
}

int trj_xdr_decode(const struct trj_reader *r, struct trj_raw_frame *p, size_t bytes, struct trj_error *err) {
    struct trj_frame *f = &p->frame;
    p->whole = true;
    if (trj_frame_resize(f, r->atoms, err)) return -1;
    trj_xdr_vectors(p->bytes.data, bytes, f->atoms, f->x);
    return 0;
}

int trj_xdr_read(struct trj_reader *r, struct trj_input_bytes *b, uint64_t bytes, size_t slack, const char *what,
                 struct trj_error *err) {
    uint64_t size, have = 0;
    bool size_known = trj_input_size(r->in, &size);
    if (trj_input_check_left(r->in, bytes, what, err)) return -1;
    if (bytes > SIZE_MAX - slack) return trj_fail_memory(err, (double)bytes, what);
    do {
        uint64_t step = have > 1 << 20 ? have : 1 << 20, n = bytes - have;
        if (!size_known && have + n + slack > b->capacity && n > step) n = step;
        if (trj_grow(&b->data, &b->capacity, (size_t)(have + n) + slack, 1, what, err) ||
            trj_input_read(r->in, b->data + have, (size_t)n, what, err))
            return -1;
        have += n;
    } while (have < bytes);
    memset(b->data + bytes, 0, slack);
    b->size = (size_t)bytes;
    return 0;
}

int trj_xdr_index_add(struct trj_reader *r, uint64_t position, struct trj_error *err) {
    struct trj_xdr_index *index = r->internals->state;
    if (!r->can_seek || r->next < index->known) return 0;
    if (trj_grow(&index->offset, &index->capacity, index->known + 1, sizeof *index->offset, "an index of frames", err))
        return -1;
    index->offset[index->known++] = position;
    return 0;
}

void trj_xdr_close(struct trj_reader *r) {
    struct trj_xdr_index *index = r->internals->state;
    if (!index) return;
    free(index->offset);
    free(index);
}

int trj_xdr_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err) {
    struct trj_xdr_index *index = r->internals->state;
    if (frame < index->known) return trj_input_seek(r->in, index->offset[frame], err) ? -1 : 1;
    uint64_t next = r->next, start = trj_input_offset(r->in), n = index->known ? index->known - 1 : 0;
    int got = trj_input_seek(r->in, index->known ? index->offset[n] : 0, err) ? -1 : 1;
    for (; got > 0 && n <= frame; n += got > 0) {
        r->next = n;
        got = r->format->ops->skip(r, err);
        if (got < 0) trj_fail_at(err, "frame %llu", (unsigned long long)n);
    }
    r->next = next;
    if (got < 0) return -1;
    return trj_input_seek(r->in, got ? index->offset[frame] : start, err) ? -1 : got;
}
