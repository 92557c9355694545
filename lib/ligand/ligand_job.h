// SPDX-License-Identifier: MIT
// Defines a map of Boltzmann factors of a ligand (implicit ligand sampling: J. Cohen, A. Arkhipov, R. Braun, K.
// Schulten, Biophys. J. 91, 1844 (2006)): what is summed, and what follows from the set-up for all frames.
//
// The value of a point in a frame is the mean of exp(-E/kT) over the orientations of the ligand, where E is its energy
// of interaction with the atoms of a group and all their images within the cutoff (ligand_kernel.h). The mean is the
// float64 sum in the order of the orientations, times 1/n, times the factor of the correction (1: none), rounded to a
// multiple of 2^-bits, ties to even; exp is trj_exp. The sum over frames is one of integers, so that it does not depend
// on their order.
//
// If an atom and a site have a Lennard-Jones energy above the cap, exp(-E/kT) is 0. This also excludes charges inside
// of a repulsive core, where the attraction of two point charges would have no limit.
//
// The correction assumes that beyond the cutoff R, the atoms of each kind have their mean density in the cell, N / V:
//     E = sum over sites and kinds of (N / V) (16/3) pi e s^6 (s^6 / (3 R^9) - 1 / R^3),   factor = trj_exp(-E/kT)
// where each term is the integral of 4 e ((s/r)^12 - (s/r)^6) over r > R.
#ifndef LIG_LIGAND_JOB_H
#define LIG_LIGAND_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "group.h"
#include "ligand.h"
#include "ligand_kernel.h"
#include "map_lattice.h"

enum { LIG_KINDS_MAX = 4096 };

// The coefficients of a pair of an atom of one kind and a site of one type (ligand_kernel.h).
struct lig_pair {
    float c12, c6;
};

struct lig_job {
    // Set by the caller:
    struct lig_ligand ligand;
    unsigned orientations;
    const struct trj_group *group;
    size_t atoms; // in every frame
    // [atoms] Å, kcal/mol, e; charge is NULL if charges are ignored
    const double *sigma, *epsilon, *charge;
    bool geometric;     // sigma of a pair is the geometric mean (OPLS), not the arithmetic one (Lorentz-Berthelot)
    double cutoff;      // Å
    double temperature; // K
    double cap;         // kT
    unsigned bits;      // the quantum is 2^-bits
    bool tail;          // correct for Lennard-Jones pairs beyond the cutoff
    struct trj_map_lattice lattice;
    bool fractional; // the lattice divides the cell of each frame

    // Set by lig_job_make, and freed by lig_job_free:
    size_t members; // atoms of the group that interact with a site
    uint32_t *atom; // [members] numbers of stream atoms
    size_t *place;  // [members] their places in the group
    uint16_t *kind; // [members]
    float *value;   // [members] charges
    unsigned kinds, types;
    double (*kind_values)[2];         // [kinds] sigma, epsilon
    struct lig_pair *pair;            // [kinds][types]
    float *hit2;                      // [kinds] Å^2: an atom that is closer to the point overlaps in each orientation
    struct lig_placements placements; // of the sites that interact
    struct lig_kernel_site *site;     // [placements.sites]
    float (*position)[3];             // [orientations][placements.sites]
    double radius;                    // Å: the largest distance of a site from the point
    double near;                      // Å: atoms that are farther from the point overlap in no orientation
    double type_values[LIG_TYPES_MAX][2]; // sigma, epsilon
    double *tail_energy;                  // [kinds] kT Å^3: times the number density, the energy beyond the cutoff
};

// Limits of the settings above, for messages and options.
enum { LIG_BITS_MIN = 8, LIG_BITS_MAX = 52 };
#define LIG_CAP_MAX 1e6
// The largest sum over frames, in quanta: a larger one is an error.
#define LIG_SUM_MAX ((int64_t)1 << 62)

// Prepares a job. Fails with TRJ_USAGE for settings out of range, or if job->tail is set and the cutoff is shorter than
// the sigma of a pair, and with TRJ_BAD_DATA for negative or too large parameters of an atom, more than LIG_KINDS_MAX
// kinds of atoms or LIG_TYPES_MAX types of sites. The caller frees the job with lig_job_free, also after a failure.
int lig_job_make(struct lig_job *job, struct trj_error *err);
// Checks the cutoff, the temperature and the cap, as lig_job_make does. Fails with TRJ_USAGE.
int lig_job_check(const struct lig_job *job, struct trj_error *err);
void lig_job_free(struct lig_job *job);

double lig_job_kt(const struct lig_job *job); // kcal/mol

#endif
