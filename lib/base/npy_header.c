// SPDX-License-Identifier: MIT
// Writes the header of version 1.0 of the NumPy format: a magic number, a size, and a literal of a Python dictionary.
#include "npy_header.h"

#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 64, START = 10 }; // START: bytes before the text

int trj_npy_write_header(struct trj_output *out, const char *type, const uint64_t *shape, unsigned axes,
                         struct trj_error *err) {
    char head[4 * ALIGNMENT] = "\x93NUMPY\x01", *text = head + START;
    size_t room = sizeof head - START, n;
    n = (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (unsigned k = 0; k < axes; k++)
        n += (size_t)snprintf(text + n, room - n, "%s%llu", k ? ", " : "", (unsigned long long)shape[k]);
    n += (size_t)snprintf(text + n, room - n, "), }");
    // Blanks and a line end make the size of the header a multiple of 64.
    size_t end = START + n + 1, size = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(head + end - 1, ' ', size - end);
    head[size - 1] = '\n';
    head[8] = (char)((size - START) & 255);
    head[9] = (char)((size - START) >> 8);
    return trj_output_write(out, head, size, err);
}
