// SPDX-License-Identifier: MIT
// Totals of all partials: what groups scatter, and which pairs a total takes.
//
// A total is a sum over the pairs of groups p = i:j, each weighted by how many atoms there are and what they scatter:
//   u = sum over p of w_p g_p
//   neutron, xray   w_p = c_i c_j b_i b_j, twice that for i != j; c_i = N_i/N      Faber and Ziman, Phil. Mag. 11, 153 (1965)
//   number          w_p = the share of p among all pairs of different atoms, (N_i/N) (N_i-1)/(N-1) for i = j: so it is g(r) of all atoms as one
//                   group, to the last digits; for many atoms c_i c_j
// b is the bound coherent scattering length, or the form factor f(q) in its place. u tends to (sum of c_i b_i)^2. All pairs of the groups that
// occur have to be there, but for a single atom with itself, whose g is taken to be 1; and groups must not have atoms in common.
//
// b: real parts for natural elements and deuterium, fm, of V. F. Sears, Neutron News 3(3), 26 (1992). Of what absorbs much (Cd, Sm, Eu, Gd, ...)
// b depends on the energy; it is that at 25.3 meV.
// f: D. Waasmaier and A. Kirfel, Acta Cryst. A51, 416 (1995), electrons:
//   f(q) = c + sum of a_i exp(-b_i s^2), i = 1 .. 5, s = q/(4 pi), 0 <= s <= 6 1/Å
// of free atoms and ions, without f' and f''. f(0) is within 0.04 of the number of electrons.
#ifndef RDF_SCATTERING_H
#define RDF_SCATTERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "element.h"
#include "error.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "output.h"
#include "tool.h"

// ---- tables (scattering_tables.c)

#define RDF_DEUTERIUM 6.671                                // fm
extern const double rdf_neutron_lengths[TRJ_ELEMENTS + 1]; // fm, by atomic number; 0 where there is none

struct rdf_form_factor {
    char symbol[6]; // "Cl", "Cl1-"
    unsigned char number;
    double a[5], b[5], c; // b in Å^2
};
extern const struct rdf_form_factor rdf_form_factors[]; // atoms and their ions; ends with number 0
#define RDF_FARTHEST_Q 75.39                            // 1/Å; 4 pi times 6

double rdf_form_factor_at(const struct rdf_form_factor *f, double q);

// ---- what is asked for

enum rdf_probe { RDF_NUMBER, RDF_NEUTRON, RDF_XRAY };

struct rdf_total {
    const char *name; // as it was asked for
    enum rdf_probe probe;
    double q; // of xray in r space, where there is no other: 1/Å; NaN: that of each value
};

// number, neutron, xray, and, with `at`, xray@Q: then f is taken at Q, of xray alone at 0. TRJ_USAGE. `text` must outlive the total.
int rdf_total_parse(struct rdf_total *t, const char *text, bool at, struct trj_error *err);
// Those of a list; TRJ_USAGE where one is there twice. free() frees, also on failure.
int rdf_totals_parse(struct rdf_total **totals, const struct trj_text_list *texts, bool at, struct trj_error *err);

// ---- what there is

struct rdf_scatterer {
    bool used;                            // in some pair
    uint32_t place;                       // among those that are
    const char *given;                    // GROUP=WHAT of the user
    double length;                        // fm; NaN: not known
    const struct rdf_form_factor *factor; // NULL: not known
};

// A zeroed one is ready for rdf_scattering_open.
struct rdf_scattering {
    const struct rdf_setup *setup;
    struct rdf_scatterer *of; // [groups]
    double atoms;             // of the groups that are used
    // Set by rdf_scattering_check_share: atoms in the trajectory (0: unknown), and how many are in no used group.
    double system, missing;
    bool share;     // excluded pairs alone: a share of g, 0 where there are none
    size_t used;    // how many are
    uint32_t *pair; // [used][used] number of the pair of two of them, from 1; 0: there is none
};

enum { RDF_MOST_SCATTERERS = 1024 }; // groups that are used

// For totals over the pairs of a set-up, which must outlive this. Each of `given` is GROUP=WHAT, in place of the group's composition: an element
// or ion as the tables have it (O, Cl1-), D, or a scattering length in fm. TRJ_USAGE for others, TRJ_BAD_DATA where a pair is missing or groups
// overlap. `part` is how the set-up was read; of groups that change, see rdf_scattering_check.
int rdf_scattering_open(struct rdf_scattering *s, const struct rdf_setup *setup, enum rdf_part part,
                        const struct trj_text_list *given, struct trj_error *err);
void rdf_scattering_close(struct rdf_scattering *s); // not s itself
// TRJ_BAD_DATA where groups that change overlap in the frames of a record.
int rdf_scattering_check(const struct rdf_scattering *s, enum rdf_part part, const struct rdf_record *r,
                         struct trj_error *err);

// Sets `atoms` to the mean over the frames if a group is dynamic, and finds the share of the atoms of the trajectory
// that is in no group of the totals, if the stream contains their number and no centres. group_atoms[groups] are sums
// over the frames; NULL if no group is dynamic. Fails with TRJ_BAD_DATA for a neutron or X-ray total without `partial`.
// Otherwise `note` is what a caller should report; "" if no atom is missing.
enum { RDF_SHARE_NOTE = 640 };
int rdf_scattering_check_share(struct rdf_scattering *s, const uint64_t *group_atoms, uint64_t frames,
                               const struct rdf_total *totals, size_t count, bool partial, char note[RDF_SHARE_NOTE],
                               struct trj_error *err);

// Computes the amplitude of an atom of each group: amplitude[groups], 1, fm or electrons by the probe; 0 for groups
// that are not used. Fails with TRJ_BAD_DATA if a group is not of one known element, or if the tables lack the element.
int rdf_scattering_amplitudes(double *amplitude, const struct rdf_scattering *s, enum rdf_probe probe, double q,
                              struct trj_error *err);
// Whether a pair is the first one of its groups: the other way round it says nothing new.
bool rdf_scattering_first(const struct rdf_scattering *s, size_t pair);
// w[pairs], 0 for one that is not the first of its groups. atoms[groups] and pairs[pairs] are numbers, or means, in any unit; where a pair of
// groups has none, its weight goes to *rest, which is a part of u, but for excluded pairs alone. Returns <b>^2, which u of all pairs tends to.
double rdf_scattering_weights(double *w, double *rest, const struct rdf_scattering *s, enum rdf_probe probe,
                              const double *amplitude, const double *atoms, const double *pairs);

// ---- what totals are printed as: D. A. Keen, J. Appl. Cryst. 34, 172 (2001)

// What a product of two amplitudes is multiplied by to be in barn (10^-28 m^2) for neutrons; for others it is what it was, electrons^2 or a number.
double rdf_scattering_unit(enum rdf_probe probe);

// The forms by name; ends with a NULL name. The first is the default. With <b>^2 = (sum of c_i b_i)^2, rho the number density:
//   g     G'(r) = 1 + G(r)/<b>^2                               tends to 1
//   fz    G(r) = sum of c_i c_j b_i b_j (g_ij(r) - 1)          of Faber and Ziman
//   d     D(r) = 4 pi r rho G(r)
//   t     T(r) = D(r) + 4 pi r rho <b>^2
//   pdf   D(r) / <b>^2 = 4 pi r rho (G'(r) - 1)
// <b>^2 is in barn (10^-28 m^2) for neutrons and in electrons^2 for X-rays.
extern const struct trj_choice rdf_forms[];

const struct trj_choice *rdf_form_column(const char *form); // "g", "G'(r), 1 at large r"
bool rdf_form_takes_density(const char *form);
bool rdf_form_takes_mean(const char *form); // is divided by <b>^2
// What a value u and its error are multiplied by, scale[0], and what is added to the value, scale[1]. u is in fm^2 for neutrons, as is `mean`,
// <b>^2; r in Å, density in Å^-3. From a share of g nothing is taken off, as that is taken off the rest.
void rdf_form_scale(double scale[2], const char *form, enum rdf_probe probe, bool share, double mean, double density,
                    double r);

// A comment for tables: what each group is taken to scatter.
int rdf_scattering_print(struct trj_output *out, const struct rdf_scattering *s, const struct rdf_total *t,
                         struct trj_error *err);

#endif
