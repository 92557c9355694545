// SPDX-License-Identifier: MIT
// Records what was done to coordinates in the header of a stream, so that later tools can reject computations for which
// it matters.
#include "movement.h"

#include <stdlib.h>
#include <string.h>

#include "frame_stream.h"
#include "memory.h"

void trj_movement_free(struct trj_movement *movement) {
    free(movement->selection);
    free(movement->reference);
}

int trj_movement_add(struct trj_stream_header *h, const struct trj_movement *movement, const char *selection,
                     const char *reference, struct trj_error *err) {
    size_t capacity = h->movement_count;
    if (capacity == TRJ_MOVEMENTS_MAX)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the coordinates were already moved %d times, which is the limit; read the "
                        "original trajectory",
                        TRJ_MOVEMENTS_MAX);
    struct trj_movement copy = *movement;
    copy.selection = trj_copy_text(selection, err);
    copy.reference = copy.selection ? trj_copy_text(reference, err) : NULL;
    if (!copy.reference || trj_grow(&h->movements, &capacity, capacity + 1, sizeof *h->movements, "movements", err)) {
        trj_movement_free(&copy);
        return -1;
    }
    h->movements[h->movement_count++] = copy;
    return 0;
}

bool trj_movement_find(const struct trj_stream_header *h, enum trj_movement_kind kind) {
    for (size_t i = 0; i < h->movement_count; i++)
        if (h->movements[i].kind == kind) return true;
    return false;
}

bool trj_movement_unwraps(const struct trj_stream_header *h) {
    for (size_t i = 0; i < h->movement_count; i++)
        if (trj_movement_way(h->movements[i].kind)) return true;
    return false;
}

bool trj_movements_equal(const struct trj_movement *a, size_t count_of_a, const struct trj_movement *b,
                         size_t count_of_b) {
    if (count_of_a != count_of_b) return false;
    for (size_t i = 0; i < count_of_a; i++) {
        const struct trj_movement *x = &a[i], *y = &b[i];
        if (x->kind != y->kind || x->atoms != y->atoms || strcmp(x->selection, y->selection) != 0 ||
            x->fingerprint != y->fingerprint || x->frame != y->frame)
            return false;
    }
    return true;
}

const char *trj_movement_name(enum trj_movement_kind kind) {
    static const char *const names[] = {
        [TRJ_MOVED_WHOLE] = "whole", [TRJ_MOVED_CENTRE] = "centre", [TRJ_MOVED_FIT] = "fit"};
    return trj_movement_way(kind) ? "unwrap" : names[kind];
}

const char *trj_movement_way(enum trj_movement_kind kind) {
    switch (kind) {
    case TRJ_UNWRAPPED_TOROIDAL:
        return "toroidal";
    case TRJ_UNWRAPPED_FRACTION:
        return "fraction";
    case TRJ_UNWRAPPED_FLAGS:
        return "flags";
    default:
        return NULL;
    }
}

void trj_movements_put(struct trj_bytes *b, const struct trj_stream_header *h) {
    trj_put_u32(b, (uint32_t)h->movement_count);
    for (size_t i = 0; i < h->movement_count; i++) {
        const struct trj_movement *m = &h->movements[i];
        trj_put_u32(b, m->kind);
        trj_put_u64(b, m->atoms);
        trj_put_text(b, m->selection);
        trj_put_text(b, m->reference);
        trj_put_u64(b, m->fingerprint);
        trj_put_u64(b, m->frame);
    }
}
