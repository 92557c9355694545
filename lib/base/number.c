// SPDX-License-Identifier: MIT
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool trj_parse_u64(const char *text, uint64_t *value) {
    if (!isdigit((unsigned char)text[0])) return false; // strtoull would take "-1"
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || *end) return false;
    *value = v;
    return true;
}

bool trj_parse_i64(const char *text, int64_t *value) {
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    if (!isdigit((unsigned char)digits[0])) return false;
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (errno || *end) return false;
    *value = v;
    return true;
}

bool trj_parse_real(const char *text, double *value) {
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    // A digit or a point first, and no x: strtod would take " 1", "nan", "inf" and "0x1p3".
    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.') return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return false;
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v)) return false;
    *value = v;
    return true;
}
