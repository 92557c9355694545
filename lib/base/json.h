// SPDX-License-Identifier: MIT
// JSON (RFC 8259), appended to bytes.
#ifndef TRJ_JSON_H
#define TRJ_JSON_H

#include "bytes.h"

// A string with its quotes. What is no UTF-8 in it becomes U+FFFD, byte by byte.
void trj_put_json_text(struct trj_bytes *b, const char *text);

// A number: the fewest digits that read as the same float32 where v is one, else ten digits. What is not finite is null.
void trj_put_json_real(struct trj_bytes *b, double v);

#endif
