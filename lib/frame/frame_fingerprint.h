// SPDX-License-Identifier: MIT
// Fingerprints of a frame stream, by which a program that continues earlier work recognises the same input: XXH3-64 of
// all that affects a result. The provenance is left out.
#ifndef TRJ_FRAME_FINGERPRINT_H
#define TRJ_FRAME_FINGERPRINT_H

#include <stdint.h>

#include "frame.h"
#include "frame_stream.h"

// Returns the fingerprint of a header: atoms, groups, properties, bonds and movements. Sources are left out, because a
// reader adds to them while it reads frames.
uint64_t trj_header_fingerprint(const struct trj_stream_header *h);
// Returns the fingerprint of a series of frames that ends with this one; `before` is that of the frames before it, or
// that of the header. It includes numbers, times, cell, coordinates, members of dynamic groups, velocities and image
// flags.
uint64_t trj_frame_fingerprint(const struct trj_frame *f, const struct trj_stream_header *h, uint64_t before);

#endif
