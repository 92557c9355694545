// SPDX-License-Identifier: MIT
// Decodes UTF-8 strictly, because terminals and XML readers differ in what they do with invalid bytes.
#include "utf8.h"

size_t trj_utf8_length(const char *text) {
    static const struct {
        unsigned char first, last, low, high; // ranges of the first and of the second byte; further bytes are 80..BF
        size_t bytes;
    } kinds[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *p = (const unsigned char *)text;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (*p < kinds[k].first || *p > kinds[k].last) continue;
        if (p[1] < kinds[k].low || p[1] > kinds[k].high) return 0;
        for (size_t i = 2; i < kinds[k].bytes; i++)
            if ((p[i] & 0xc0) != 0x80) return 0;
        return kinds[k].bytes;
    }
    return 0;
}

bool trj_utf8_forbidden(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    if (*p < 0x20 || *p == 0x7f) return true;
    if (*p == 0xc2) return p[1] < 0xa0;
    return *p == 0xef && p[1] == 0xbf && (p[2] == 0xbe || p[2] == 0xbf);
}
