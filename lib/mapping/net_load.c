// SPDX-License-Identifier: MIT
// Counts atoms in domains, exactly: sums of integers.
#include "net_load.h"

#include <math.h>
#include <stdlib.h>

#include "cell.h"
#include "memory.h"
#include "stream_input.h"

// Returns the number of the box along a vector, of n, which contains a fractional coordinate.
static size_t box_of(double fraction, uint32_t n) {
    const size_t box = (size_t)((fraction - floor(fraction)) * n);
    return box < n ? box : n - 1; // the difference can be rounded to 1
}

static int count_frame(uint64_t *atoms, const struct net_domains *d, struct trj_frame *f, struct trj_error *err) {
    double g[3][3];
    if (f->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the cell is not periodic in three directions; give it to trjcat with --cell");
    if (trj_cell_restrict(&f->cell, TRJ_PERIODIC_ALL, err)) return -1;
    trj_cell_reciprocal(&f->cell, g);
    for (size_t i = 0; i < f->atoms; i++) {
        size_t box[3];
        for (int k = 0; k < 3; k++) {
            double fraction = 0;
            for (int c = 0; c < 3; c++) fraction += g[k][c] * (f->x[c][i] * f->unit);
            if (!(fabs(fraction) < 1e15)) return trj_fail(err, TRJ_BAD_DATA, "atom %zu: invalid position", i);
            box[k] = box_of(fraction, d->n[k]);
        }
        atoms[(box[0] * d->n[1] + box[1]) * d->n[2] + box[2]]++;
    }
    return 0;
}

int net_load_atoms(struct net_domains *d, struct trj_reader *in, double base, struct trj_error *err) {
    const size_t domains = net_domains_count(d);
    struct trj_frame f = {.atoms = 0};
    uint64_t *atoms = trj_alloc(domains, sizeof *atoms, "domains", err), frames = 0;
    int got = -1;
    while (atoms && (got = trj_stream_input_read(in, &f, err)) > 0) {
        if (count_frame(atoms, d, &f, err)) {
            got = trj_stream_input_fail_frame(in, err);
            break;
        }
        frames++;
        trj_stream_input_progress(in);
    }
    for (size_t i = 0; !got && i < domains; i++) {
        const double load = base + (double)atoms[i] / (double)frames;
        d->load[i] = load > 0 ? load : 1e-300;
    }
    trj_frame_free(&f);
    free(atoms);
    return got;
}
