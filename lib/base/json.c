// SPDX-License-Identifier: MIT
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of the UTF-8 character at p, 0 if there is none; a NUL, which ends the text, continues nothing.  (Unicode 15, table 3-7)
static size_t character(const unsigned char *p) {
    static const struct {
        unsigned char first, last, low, high; // ranges of the first byte and of the second; all others are 80..BF
        size_t bytes;
    } kinds[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (*p < kinds[k].first || *p > kinds[k].last) continue;
        if (p[1] < kinds[k].low || p[1] > kinds[k].high) return 0;
        for (size_t i = 2; i < kinds[k].bytes; i++)
            if ((p[i] & 0xc0) != 0x80) return 0;
        return kinds[k].bytes;
    }
    return 0;
}

void trj_put_json_text(struct trj_bytes *b, const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    trj_put_raw(b, "\"", 1);
    while (*p) {
        size_t n = character(p);
        char escape[8];
        if (!n) {
            trj_put_raw(b, "\xef\xbf\xbd", 3);
        } else if (*p < 0x20 || *p == 0x7f) {
            trj_put_raw(b, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *p));
        } else {
            if (*p == '"' || *p == '\\') trj_put_raw(b, "\\", 1);
            trj_put_raw(b, p, n);
        }
        p += n ? n : 1;
    }
    trj_put_raw(b, "\"", 1);
}

void trj_put_json_real(struct trj_bytes *b, double v) {
    char text[40] = "null";
    int digits = 10;
    if (isfinite(v)) {
        for (digits = (double)(float)v == v ? 1 : 10; digits < 10; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, v);
            if (strtof(text, NULL) == (float)v) break;
        }
        // 90, not 9e+01
        snprintf(text, sizeof text, "%.*g", fabs(v) >= 1 && fabs(v) < 1e9 && fabs(v) >= pow(10, digits) ? 10 : digits,
                 v);
    }
    trj_put_raw(b, text, strlen(text));
}
