#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The compression of coordinates, compared with a decoder in Python written from schemas/compressed_frames.md.
load helper

@test "float32 coordinates: the decoder in Python returns all bits" {
    need python3 zstd
    python3 tests/helpers/compare_floats.py "$TRJPIPE_TESTS/helpers/encode_floats"
}
