// SPDX-License-Identifier: MIT
// Declarations that encoder and decoder of chunks share. Private to the folder.
#ifndef TRJ_CHUNK_PARTS_H
#define TRJ_CHUNK_PARTS_H

#include <stdbool.h>

#include "chunk.h"
#include "entropy.h"
#include "molecule_model.h"

// Appends, and reads, a number in groups of seven bits, lowest first; each byte but the last has its highest bit set.
// Reading a number that is not in the data, or too large, sets c->failed.
void trj_codec_put_number(struct trj_bytes *b, uint64_t v);
uint64_t trj_codec_get_number(struct trj_cursor *c);

#endif
