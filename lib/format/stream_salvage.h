// SPDX-License-Identifier: MIT
// Continues after damaged parts of a frame stream, and records what is dropped. For stream_blocks.c.
#ifndef TRJ_STREAM_SALVAGE_H
#define TRJ_STREAM_SALVAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "block_stream.h"
#include "error.h"
#include "frame_stream_parts.h"
#include "reader.h"

struct trj_stream_salvage;

// Reads the totals and the index from the end of the input if they are not damaged, and returns to the current block.
// The input must be seekable. trj_stream_salvage_close frees.
int trj_stream_salvage_open(struct trj_stream_salvage **v, struct trj_block_reader *r, struct trj_error *err);
void trj_stream_salvage_close(struct trj_stream_salvage *v); // NULL is allowed

// Returns whether the index shows that block `number` is after the blocks that describe all frames.
bool trj_stream_salvage_after_layout(const struct trj_stream_salvage *v, uint64_t number);

// Finds the next valid block after damage, and records the loss. `begin` is the first damaged byte of the input, the
// search begins `skip` bytes after it, and *err gives the damage. `of_frames`: the block at this byte contains frames.
// Returns 1, 0 if there is no valid block, -1.
int trj_stream_salvage_next(struct trj_stream_salvage *v, struct trj_block_reader *r, uint64_t begin, uint64_t skip,
                            bool of_frames, struct trj_error *err);
// Records that the input from byte `begin` to its end is dropped. `ended`: the END block precedes it, so that no frame
// is lost. Returns 0 or -1.
int trj_stream_salvage_rest(struct trj_stream_salvage *v, struct trj_block_reader *r, uint64_t begin, bool ended,
                            const struct trj_error *reason, struct trj_error *err);

// Reads an INDX block that was loaded, if the index is not known. An invalid one has no effect. Returns 0 or -1.
int trj_stream_salvage_index(struct trj_stream_salvage *v, struct trj_block *b, struct trj_error *err);
// Sets the number of frames that the END block gives.
void trj_stream_salvage_total(struct trj_stream_salvage *v, uint64_t frames);
bool trj_stream_salvage_complete(const struct trj_stream_salvage *v); // returns whether nothing was dropped so far

// Takes a SRCE block, by its number in the stream. Sets *known to false if it is unknown how many sources precede it,
// so that no frame can refer to it. Returns 0 or -1.
int trj_stream_salvage_source(struct trj_stream_salvage *v, uint64_t number, bool *known, struct trj_error *err);
// Takes the next frame, which has the given source and index in it. Sets *source to the index of the source among
// those known. Returns false if the source is unknown: the frame is dropped.
bool trj_stream_salvage_frame(struct trj_stream_salvage *v, uint32_t *source, uint64_t index);

// Takes a frame in place of trj_stream_salvage_frame if a block with its velocities or image flags is lost. Returns
// true: the frame is dropped.
bool trj_stream_salvage_drop(struct trj_stream_salvage *v);

// As trj_reader_losses. `names` are those of the known sources, `read` is the number of frames that were read.
void trj_stream_salvage_report(const struct trj_stream_salvage *v, const struct trj_stream_header *names, uint64_t read,
                               trj_loss_note *note, void *arg, struct trj_losses *sum);

#endif
