// SPDX-License-Identifier: MIT
// Escapes texts and prints numbers for JSON, in which a text from a file could otherwise end a value.
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

void trj_put_json_text(struct trj_bytes *b, const char *text) {
    const char *p = text;
    trj_put_raw(b, "\"", 1);
    while (*p) {
        size_t n = trj_utf8_length(p);
        char escape[8];
        if (!n) {
            trj_put_raw(b, "\xef\xbf\xbd", 3);
        } else if ((unsigned char)*p < 0x20 || *p == 0x7f) {
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
