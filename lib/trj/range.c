// SPDX-License-Identifier: MIT
#include "range.h"

#include <stdio.h>
#include <string.h>

#include "number.h"

int trj_range_parse(struct trj_range *r, const char *text, struct trj_error *err) {
    uint64_t part[3] = {0, UINT64_MAX, 1};
    int n = 0;
    for (const char *p = text;; n++) {
        char number[24];
        size_t length = strcspn(p, ":");
        if (n == 3 || length >= sizeof number) goto bad;
        snprintf(number, sizeof number, "%.*s", (int)length, p);
        if (length && !trj_parse_u64(number, &part[n])) goto bad;
        p += length;
        if (!*p++) break;
    }
    if (n == 0) { // no colon
        if (!*text || part[0] == UINT64_MAX) goto bad;
        part[1] = part[0] + 1;
    }
    if (part[2] == 0 || part[0] >= part[1]) goto bad;
    *r = (struct trj_range){part[0], part[1], part[2]};
    return 0;
bad:
    return trj_fail(err, TRJ_USAGE, "'%s' is not START:STOP:STEP with START < STOP and STEP > 0, counted from 0", text);
}
