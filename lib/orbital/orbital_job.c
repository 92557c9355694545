// SPDX-License-Identifier: MIT
// Checks jobs before an engine computes them, so that engines need no checks.
#include "orbital_job.h"

#include <math.h>
#include <stdbool.h>

static const uint64_t POINTS_MAX = (uint64_t)1 << 48;

static bool all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static int check_points(const struct orb_job *job, struct trj_error *err) {
    uint64_t points = 1;
    for (int k = 0; k < 3; k++) {
        if (!job->n[k] || job->n[k] > POINTS_MAX / points)
            return trj_fail(err, TRJ_BAD_DATA, "%llu x %llu x %llu points: expected 1 to 2^48 in total",
                            (unsigned long long)job->n[0], (unsigned long long)job->n[1],
                            (unsigned long long)job->n[2]);
        points *= job->n[k];
    }
    if (job->point) {
        for (uint64_t i = 0; i < job->n[0]; i++)
            if (!all_finite(job->point[i], 3))
                return trj_fail(err, TRJ_BAD_DATA, "point %llu: its coordinates are not finite", (unsigned long long)i);
        return 0;
    }
    if (!all_finite(job->origin, 3) || !all_finite(job->step[0], 9))
        return trj_fail(err, TRJ_BAD_DATA, "the origin or the steps of the lattice are not finite");
    return 0;
}

static int check_basis(const struct orb_basis *b, struct trj_error *err) {
    for (size_t i = 0; i < b->centres; i++)
        if (!all_finite(b->centre[i], 3))
            return trj_fail(err, TRJ_BAD_DATA, "centre %zu: its coordinates are not finite", i);
    for (size_t i = 0; i < b->primitives; i++)
        if (!(b->primitive[i].exponent > 0) || !isfinite(b->primitive[i].exponent))
            return trj_fail(err, TRJ_BAD_DATA, "primitive %zu: invalid exponent %g", i, b->primitive[i].exponent);
    for (size_t i = 0; i < b->first_term[b->functions]; i++)
        if (!isfinite(b->term[i].coefficient))
            return trj_fail(err, TRJ_BAD_DATA, "primitive %u: a coefficient is not finite", b->term[i].primitive);
    return 0;
}

int orb_job_check(const struct orb_job *job, struct trj_error *err) {
    size_t least = job->quantity == ORB_PRODUCT ? 2 : 1;
    if (job->orbitals < least)
        return trj_fail(err, TRJ_BAD_DATA, "%zu orbitals, expected at least %zu", job->orbitals, least);
    if (!all_finite(job->coefficient, job->orbitals * job->basis->functions))
        return trj_fail(err, TRJ_BAD_DATA, "a coefficient of the orbitals is not finite");
    if (job->quantity != ORB_ORBITALS && job->quantity != ORB_PRODUCT && !all_finite(job->weight, job->orbitals))
        return trj_fail(err, TRJ_BAD_DATA, "an occupation is not finite");
    return check_basis(job->basis, err) || check_points(job, err) ? -1 : 0;
}

uint64_t orb_job_plane(const struct orb_job *job) {
    return job->point ? 1 : job->n[0] * job->n[1];
}

uint64_t orb_job_planes(const struct orb_job *job) {
    return job->point ? job->n[0] : job->n[2];
}

size_t orb_job_values(const struct orb_job *job) {
    return job->quantity == ORB_ORBITALS ? job->orbitals : job->quantity == ORB_REDUCED_GRADIENT ? 2 : 1;
}
