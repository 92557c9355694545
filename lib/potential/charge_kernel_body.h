// SPDX-License-Identifier: MIT
// The loop of charge_kernel.h for vectors of LANES numbers, which the file of an instruction set defines before it
// includes this one. The vectors are those of the compiler, whose arithmetic is that of C.
#if !defined POT_CHARGE_KERNEL_BODY_H && defined LANES
#define POT_CHARGE_KERNEL_BODY_H

#include <string.h>

#include "charge_kernel.h"

#define VECTORS_MAX (POT_ORDER_MAX / LANES)

typedef double reals __attribute__((vector_size(8 * LANES)));
typedef int64_t integers __attribute__((vector_size(8 * LANES)));

static const double MAGIC = 0x1.8p52;
static const int64_t MAGIC_BITS = 0x4338000000000000; // of MAGIC

struct weights {
    reals v[VECTORS_MAX];
};

static inline __attribute__((always_inline)) struct weights weights_of(const struct pot_mesh_rows *m, unsigned order,
                                                                       double w) {
    struct weights r = {{{0}}};
    for (unsigned i = 0; i * LANES < order; i++) {
        reals sum, c;
        memcpy(&sum, &m->coefficient[order - 1][i * LANES], sizeof sum);
        for (unsigned power = order - 1; power-- > 0;) {
            memcpy(&c, &m->coefficient[power][i * LANES], sizeof c);
            sum = sum * w + c;
        }
        r.v[i] = sum;
    }
    return r;
}

static inline __attribute__((always_inline)) void add_charges(const struct pot_mesh_rows *m, unsigned order,
                                                              const struct pot_mesh_planes *planes,
                                                              const struct pot_mesh_charge *charge, size_t count) {
    for (const struct pot_mesh_charge *c = charge; c < charge + count; c++) {
        struct weights x = weights_of(m, order, c->fraction[0]), yv = weights_of(m, order, c->fraction[1]),
                       zv = weights_of(m, order, c->fraction[2]);
        double y[POT_ORDER_MAX], z[POT_ORDER_MAX];
        memcpy(y, &yv, sizeof y);
        memcpy(z, &zv, sizeof z);
        const size_t *row = m->row + c->y;
        for (unsigned k = 0; k < planes->count; k++) {
            int64_t *plane = m->sum + planes->plane[k] + c->x;
            double share = c->units * z[planes->weight[k]];
            for (unsigned j = 0; j < order; j++) {
                double part = share * y[j];
                for (unsigned i = 0; i * LANES < order; i++) {
                    int64_t *to = plane + row[j] + (size_t)i * LANES;
                    reals rounded = x.v[i] * part + MAGIC;
                    integers sum;
                    memcpy(&sum, to, sizeof sum);
                    sum += (integers)rounded - MAGIC_BITS;
                    memcpy(to, &sum, sizeof sum);
                }
            }
        }
    }
}

static void add(const struct pot_mesh_rows *m, const struct pot_mesh_planes *planes, const struct pot_mesh_charge *c,
                size_t count) {
    if (m->order == 4)
        add_charges(m, 4, planes, c, count);
    else if (m->order == 6)
        add_charges(m, 6, planes, c, count);
    else
        add_charges(m, 8, planes, c, count);
}

#endif
