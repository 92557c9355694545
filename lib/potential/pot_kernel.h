// SPDX-License-Identifier: MIT
// The pair potentials of the method cutoff: their definitions in float64, and their names for the option --kernel.
//
// r is the distance in Å, rc the cutoff, q the charge of the atom in e. Contributions are 0 for r >= rc.
//     rodrigues     q (1 - (r/rc)^2)^2 / r
//                   C. I. Rodrigues, D. J. Hardy, J. E. Stone, K. Schulten, W.-M. W. Hwu, Proc. 5th Conf. Computing
//                   Frontiers (2008) 273
//     shift         q (1/r - 2/rc + r/rc^2): the shifted-force potential
//                   M. P. Allen, D. J. Tildesley, Computer Simulation of Liquids (1987), section 5.2.4
//     rf:EPS        q (1/r + k r^2 - c), k = (eps - 1) / ((2 eps + 1) rc^3), c = 3 eps / ((2 eps + 1) rc)
//                   I. G. Tironi et al., J. Chem. Phys. 102 (1995) 5451; EPS 0 means infinity
//     erfc:ALPHA    q erfc(alpha r) / r: the real-space part of an Ewald sum, alpha in 1/Å
//     yukawa:KAPPA  q exp(-kappa r) / r, kappa in 1/Å
//     lj:probe=RMIN_HALF,EPS    4 e ((s/r)^12 - (s/r)^6), in kcal/mol, with the combination rules of Lorentz and
//                   Berthelot: s = (s_atom + s_probe) / 2, e = sqrt(e_atom e_probe). The probe is given as in AMBER, by
//                   half of the distance of the minimum in Å, and epsilon in kcal/mol: s_probe = 2 RMIN_HALF / 2^(1/6).
//     buckingham:A,B,C          A exp(-B r) - C / r^6, in kcal/mol; A in kcal/mol, B in 1/Å, C in kcal/mol Å^6, for
//                   each atom
//     count         1
//     table:FILE    q f(r), f from a file with the columns r and f (measured_curve.h): cubic Hermite interpolation. The
//                   slope at a row is that of the parabola through it and both neighbours; at the ends, that of the
//                   secant.
//
// Contributions of lj and buckingham are limited to +-POT_LIMIT: a point near an atom would otherwise exceed every
// integer. AutoGrid limits its maps to 1e5 kcal/mol for the same reason. lj at r = 0 is POT_LIMIT. With C > 0,
// buckingham has a maximum, and decreases to -POT_LIMIT at shorter distances; r = 0 is an error.
#ifndef POT_KERNEL_H
#define POT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "potential_job.h"
#include "table_cubics.h"

#define POT_LIMIT       0x1p17 // kcal/mol
#define POT_MAX_EPSILON 1e5    // kcal/mol, largest epsilon of a probe or an atom: wells stay above -POT_LIMIT

struct pot_kernel_name {
    const char *form; // such as "yukawa:KAPPA"
    const char *help;
};
extern const struct pot_kernel_name pot_kernel_names[POT_KERNELS];

// Reads a kernel in one of these forms into job->kernel, parameter and table; job->cutoff must be set. Fails with
// TRJ_USAGE if the text is invalid, or as trj_measured_read and pot_kernel_check for the file of a table. The caller
// frees the table with pot_kernel_table_free.
int pot_kernel_parse(struct pot_job *job, const char *text, struct trj_error *err);
void pot_kernel_table_free(struct pot_job *job);

// Fails with TRJ_USAGE unless cutoff and parameters are valid: the cutoff and all parameters are finite and within the
// limits that the messages state; with TRJ_BAD_DATA unless a table has at least 2 rows with increasing r >= 0, and
// reaches the cutoff.
int pot_kernel_check(const struct pot_job *job, struct trj_error *err);

// A kernel with its constants. It is not changed after it was made, so that threads can share it.
struct pot_kernel {
    enum pot_kernel_kind kind;
    double cutoff, square; // rc, rc^2
    double c[3];           // rodrigues: 1/rc^2; shift: 2/rc, 1/rc^2; rf: k, c; others: the parameters
    size_t rows;           // of the table
    const double *r, *f;   // [rows]
    double *slope;         // [rows]
    struct pot_table_cubics cubics;
};

// Makes a kernel of a job that has passed pot_kernel_check, whose table must stay valid.
int pot_kernel_open(struct pot_kernel *k, const struct pot_job *job, struct trj_error *err);
void pot_kernel_close(struct pot_kernel *k);

// Returns whether contributions are multiplied by the charge.
bool pot_kernel_has_charge(enum pot_kernel_kind kind);

// Computes contributions for squared distances below rc^2, in Å^2. `a` and `b` belong to the atom: the charge and 0;
// for lj, 4 e and s^2. Infinite or NaN where the potential has no finite value.
void pot_kernel_values(const struct pot_kernel *k, size_t n, const double *square, const double *a, const double *b,
                       double *value);

// Returns a and b of atom i of a frame.
void pot_kernel_atom(const struct pot_job *job, const struct pot_frame *frame, size_t i, double *a, double *b);

#endif
