// SPDX-License-Identifier: MIT
// Prepares and checks jobs of the method pme, and rounds its values, for all engines.
#include <math.h>

#include "charge_mesh.h"
#include "pme_choice.h"
#include "pme_sum.h"

int pot_pme_check_numbers(unsigned order, double alpha, struct trj_error *err) {
    if (order != 4 && order != 6 && order != 8)
        return trj_fail(err, TRJ_USAGE, "--order: invalid value %u: expected 4, 6 or 8", order);
    if (alpha >= 1e-3 && alpha <= 1e3) return 0;
    return trj_fail(err, TRJ_USAGE, "--alpha: invalid value %g: expected 0.001 to 1000 1/Å", alpha);
}

int pot_pme_setup(struct pot_job *job, struct trj_error *err) {
    if (pot_pme_check_numbers(job->order, job->charge_mesh ? POT_PME_ALPHA : job->alpha, err)) return -1;
    if (job->point_count)
        return trj_fail(err, TRJ_USAGE,
                        "the method pme computes the points of a lattice that divides the cell, not of a list");
    if (job->full && !job->charge_mesh && !(job->cutoff > 0))
        return trj_fail(err, TRJ_USAGE, "the real-space part requires a cutoff");
    if (job->lattice.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the method pme requires a lattice that divides a cell, periodic along all three axes; make it "
                        "with --grid or --tolerance");
    job->quantum = job->charge_mesh ? pot_mesh_quantum(job->max_charge) : POT_PME_QUANTUM;
    job->error_bound = 0;
    return 0;
}

int pot_pme_check_frame(const struct pot_job *job, const struct pot_frame *f, struct trj_error *err) {
    const struct trj_map_lattice *l = &f->lattice;
    for (int k = 0; k < 3; k++) {
        double length = sqrt(f->cell.h[k][0] * f->cell.h[k][0] + f->cell.h[k][1] * f->cell.h[k][1] +
                             f->cell.h[k][2] * f->cell.h[k][2]);
        bool same = l->n[k] == job->lattice.n[k] && f->cell.periodic == TRJ_PERIODIC_ALL;
        for (int c = 0; c < 3; c++)
            same = same && fabs(l->step[k][c] * (double)l->n[k] - f->cell.h[k][c]) <= 1e-6 * length;
        if (!same)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the lattice does not divide the cell of the frame along axis %d, which the method pme "
                            "requires; add --fractional",
                            k);
    }
    return 0;
}

int pot_pme_round(const struct pot_job *job, const double *potential, int64_t *sum, struct trj_error *err) {
    for (size_t i = 0; i < job->values; i++) {
        double quanta = rint(potential[i] / job->quantum);
        if (!(fabs(quanta) < 0x1p62) || __builtin_add_overflow(sum[i], (int64_t)quanta, &sum[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the sum of the potential at value %llu is %g e/Å, which exceeds 2^62 quanta; use fewer "
                            "frames",
                            (unsigned long long)i, potential[i]);
    }
    return 0;
}
