// SPDX-License-Identifier: MIT
// Appends JSON values (RFC 8259) to bytes.
#ifndef TRJ_JSON_H
#define TRJ_JSON_H

#include "bytes.h"

// Appends a string with its quotes. Each byte that is not part of valid UTF-8 becomes U+FFFD.
void trj_put_json_text(struct trj_bytes *b, const char *text);

// Appends a number: if v is a float32, the fewest digits that read as the same float32; otherwise ten digits.
// Infinities and NaN become null.
void trj_put_json_real(struct trj_bytes *b, double v);

#endif
