// SPDX-License-Identifier: MIT
// What engines prepare before they compute a job: the terms of all functions, tables along the axes, and the thresholds
// of screening.
#ifndef ORB_PLAN_H
#define ORB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "axis_table.h"
#include "combination.h"
#include "error.h"
#include "item_pool.h"
#include "orbital_job.h"
#include "orbital_kernel.h"

// Derivatives of a function that quantities need. Each is a sum of parts, and each part has one derivative with respect
// to x, and a sum of derivatives with respect to y and z.
enum orb_kind { ORB_F, ORB_FX, ORB_FY, ORB_FZ, ORB_LAP, ORB_XX, ORB_YY, ORB_ZZ, ORB_XY, ORB_XZ, ORB_YZ, ORB_KINDS };
struct orb_kind_part {
    uint8_t x, terms, yz[2][2]; // orders of derivatives
};
struct orb_kind_parts {
    unsigned parts;
    struct orb_kind_part part[2];
};
extern const struct orb_kind_parts orb_kind_parts[ORB_KINDS];

// Quantities follow from sums over orbitals of w_i D psi_i D' psi_i with two derivatives D and D'. A form is such a
// term of a sum.
enum orb_sum {
    ORB_RHO,
    ORB_GX,
    ORB_GY,
    ORB_GZ,
    ORB_TAU,
    ORB_LAP_SUM,
    ORB_HXX,
    ORB_HYY,
    ORB_HZZ,
    ORB_HXY,
    ORB_HXZ,
    ORB_HYZ,
    ORB_SUMS
};
enum { ORB_FORMS_MAX = 16 };
struct orb_form {
    uint8_t u, v; // indices into `kind`
    uint8_t sum;  // enum orb_sum
};
struct orb_fields {
    unsigned orders; // 1, 2 or 3: the highest derivative plus 1
    bool quotient;   // small densities matter (ORB_SCREEN_QUOTIENT)
    unsigned kinds;
    enum orb_kind kind[10];
    unsigned forms;
    struct orb_form form[ORB_FORMS_MAX];
};
// [ORB_QUANTITIES]; ORB_ORBITALS and ORB_PRODUCT have the kind ORB_F and no forms.
extern const struct orb_fields orb_fields[];

struct orb_plan {
    const struct orb_job *job;
    const struct orb_kernel *kernel;
    const struct orb_fields *fields;
    bool tables;    // the lattice is parallel to x, y and z, and has tables
    bool functions; // combinations are basis functions; else orbitals
    double *weight; // [orbitals]: those of the job, or 1
    struct orb_combinations c;
    double *scale; // [c.count]: bounds of terms are multiplied by it
    // [c.count]: a term is left out of a box if its bound is at most this. For functions, all are equal, and scaled
    // terms have the largest value 1.
    double *threshold;
    struct orb_axis axis[3];
    // Sums over orbitals of w c_m c_k for m >= k, at [m (m + 1) / 2 + k], so that the work for a box does not grow with
    // the number of orbitals; NULL: not used.
    double *matrix;
};

enum orb_plan_kind {
    ORB_PLAN_WITH_TABLES,    // if the lattice has them
    ORB_PLAN_WITHOUT_VALUES, // as above, but the tables have no values, which a GPU computes (orb_axis_block)
    ORB_PLAN_AT_POINTS,      // without tables
};

// Makes the plan of a job that orb_job_check has accepted. `pool` computes the matrix. Fails with TRJ_FAILED for lack
// of memory. The caller frees it with orb_plan_free, also after a failure.
int orb_plan_make(struct orb_plan *p, const struct orb_job *job, enum orb_plan_kind kind,
                  const struct orb_kernel *kernel, struct trj_item_pool *pool, struct trj_error *err);
void orb_plan_free(struct orb_plan *p);

// Returns whether products with the matrix take less work than products with orbitals, in a box with n functions. The
// matrix is symmetric: half of it suffices for sums of w (D psi)^2.
bool orb_plan_uses_matrix(const struct orb_plan *p, size_t n);
// Returns the work of products with the matrix for one function; that of products with orbitals is kinds * orbitals.
double orb_plan_matrix_work(const struct orb_plan *p);
// Returns whether all forms with this first kind are squares.
bool orb_fields_only_squares(const struct orb_fields *f, unsigned kind);
bool orb_fields_has_first(const struct orb_fields *f, unsigned kind); // whether a form has this first kind

#endif
