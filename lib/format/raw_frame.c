// SPDX-License-Identifier: MIT
// Frees raw frames, and moves packed coordinates into their frame without copying them.
#include <stdlib.h>

#include "reader_parts.h"

void trj_raw_frame_free(struct trj_raw_frame *p) {
    trj_frame_free(&p->frame);
    trj_pipe_store_close(&p->store);
    free(p->bytes.data);
    free(p->scratch.data);
    free(p->own);
}

void trj_raw_frame_keep(struct trj_raw_frame *p, const struct trj_packed *header, size_t bytes) {
    struct trj_input_bytes memory = {.data = p->frame.packed.data, .capacity = p->frame.packed.capacity};
    p->frame.packed = *header;
    p->frame.packed.data = p->bytes.data;
    p->frame.packed.capacity = p->bytes.capacity;
    p->frame.packed.bytes = bytes;
    p->bytes = memory;
}
