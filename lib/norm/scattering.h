// SPDX-License-Identifier: MIT
// Totals: weighted sums of all partial curves, the scattering length or form factor of each group, and the pairs that a
// total needs.
//
// A total is a sum over the pairs of groups p = i:j, weighted by the numbers of atoms and by their amplitudes:
//   u = sum over p of w_p g_p
//   neutron, xray, electron
//                   w_p = c_i c_j b_i b_j, twice that for i != j; c_i = N_i/N. T. E. Faber, J. M. Ziman, Phil. Mag. 11,
//                   153 (1965)
//   number          w_p = the share of p in all pairs of different atoms, for i = j (N_i/N) (N_i-1)/(N-1). This total
//                   equals g(r) of all atoms as one group, to the last digits; for many atoms w_p tends to c_i c_j.
// b is the bound coherent scattering length; for X-rays it is replaced by the form factor f(q), for electrons by the
// electron scattering factor f_e(q). u tends to
// (sum of c_i b_i)^2. All pairs of the groups that occur must be counted, except the pair of a single atom with itself,
// whose g is taken to be 1. Groups must not have atoms in common.
//
// b, in fm, is the real part for the natural composition of an element, or for deuterium. For strong absorbers (Cd, Sm,
// Eu, Gd, ...) b depends on the energy; the table has the value at 25.3 meV. f, in electrons, is the form factor of
// free atoms and ions, without f' and f'':
//   f(q) = c + sum of a_i exp(-b_i s^2), i = 1 .. 5, s = q/(4 pi), 0 <= s <= 6 1/Å
// f(0) is within 0.04 of the number of electrons. scattering_tables.c cites the sources of both tables. f_e, in
// Angstrom, is that of neutral atoms for s up to 2 1/Angstrom (electron_factors.h); that of an ion is infinite at
// q = 0.
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
extern const double rdf_neutron_lengths[TRJ_ELEMENTS + 1]; // fm, by atomic number; 0 if the table has no value

struct rdf_form_factor {
    char symbol[6]; // "Cl", "Cl1-"
    unsigned char number;
    double a[5], b[5], c; // b in Å^2
};
extern const struct rdf_form_factor rdf_form_factors[]; // atoms and their ions; ends with number 0
#define RDF_MAX_Q 75.39                                 // 1/Å; 4 pi times 6

#define RDF_MAX_ELECTRON_Q 25.13 // 1/Å; 4 pi times 2

double rdf_form_factor_at(const struct rdf_form_factor *f, double q);

// ---- totals that a user requests

enum rdf_probe { RDF_NUMBER, RDF_NEUTRON, RDF_XRAY, RDF_ELECTRON };

struct rdf_total {
    const char *name; // as the user wrote it
    enum rdf_probe probe;
    double q; // 1/Å, of xray and electron in r space; NaN: the q of each value
};

// Parses number, neutron, xray or electron. With `with_q`, xray@Q and electron@Q are allowed too: f is evaluated at Q,
// or at 0 without Q. Fails with TRJ_USAGE. `text` must outlive the total.
int rdf_total_parse(struct rdf_total *t, const char *text, bool with_q, struct trj_error *err);
// Parses the totals of a list; fails with TRJ_USAGE if one is given twice. The caller frees *totals, also on failure.
int rdf_totals_parse(struct rdf_total **totals, const struct trj_text_list *texts, bool with_q, struct trj_error *err);

// ---- groups and pairs of a histogram stream

struct rdf_scatterer {
    bool used;                            // if a pair contains the group
    uint32_t place;                       // index among the used groups
    const char *given;                    // GROUP=WHAT of the user
    double length;                        // fm; NaN: unknown
    const struct rdf_form_factor *factor; // NULL: unknown
    unsigned atom;                        // element of a neutral atom; 0: unknown, or an ion
};
// Returns the largest q of the table of a probe, infinite if it has none.
double rdf_probe_max_q(enum rdf_probe probe);

// Must be zeroed before rdf_scattering_open.
struct rdf_scattering {
    const struct rdf_setup *setup;
    struct rdf_scatterer *scatterer; // [groups]
    double atoms;                    // number of atoms in the used groups
    // Set by rdf_scattering_check_share: atoms in the trajectory (0: unknown), and how many of them are in no used
    // group.
    double system, missing;
    bool share;     // for excluded pairs alone: their share of g, 0 if there are none
    size_t used;    // number of used groups
    uint32_t *pair; // [used][used] number of the pair of two used groups, from 1; 0: not counted
    // The total is the sum of contributions, each of some pairs of groups; 1 and NULL: a single one, of all pairs.
    size_t parts;
    uint32_t *part; // [used][used] the contribution of two used groups
};

enum { RDF_MAX_SCATTERERS = 1024 }; // used groups

// Prepares totals over the pairs of a set-up, which must outlive `s`. Each text of `given` is GROUP=WHAT and replaces
// the composition of the group: an element or ion of the tables (O, Cl1-), D, or a scattering length in fm. Other texts
// fail with TRJ_USAGE. Fails with TRJ_BAD_DATA if a pair is missing or if groups overlap. `part` is the part of the
// counts that the set-up was read for. rdf_scattering_check checks dynamic groups.
int rdf_scattering_open(struct rdf_scattering *s, const struct rdf_setup *setup, enum rdf_part part,
                        const struct trj_text_list *given, struct trj_error *err);
void rdf_scattering_close(struct rdf_scattering *s); // frees the contents, not s
// Fails with TRJ_BAD_DATA if dynamic groups overlap in the frames of a record.
int rdf_scattering_check(const struct rdf_scattering *s, enum rdf_part part, const struct rdf_record *r,
                         struct trj_error *err);

// Sets `atoms` to the mean over the frames if a group is dynamic, and finds the share of the atoms of the trajectory
// that is in no group of the totals, if the stream contains their number and no centres. group_atoms[groups] are sums
// over the frames; NULL if no group is dynamic. Fails with TRJ_BAD_DATA for a neutron or X-ray total without `partial`.
// Otherwise `note` is the text that a caller should report; "" if no atom is missing.
enum { RDF_SHARE_NOTE = 640 };
int rdf_scattering_check_share(struct rdf_scattering *s, const uint64_t *group_atoms, uint64_t frames,
                               const struct rdf_total *totals, size_t count, bool partial, char note[RDF_SHARE_NOTE],
                               struct trj_error *err);

// Computes the amplitude of an atom of each group: amplitude[groups], 1, fm, electrons or Å by the probe; 0 for groups
// that are not used. Fails with TRJ_BAD_DATA if a group is not of one known element, if the tables lack the element, or
// q.
int rdf_scattering_amplitudes(double *amplitude, const struct rdf_scattering *s, enum rdf_probe probe, double q,
                              struct trj_error *err);
// Splits the total into contributions, which have no pair of groups in common and add up to it. Each text is A:B, where
// A and B are names or patterns with wildcards (fnmatch), in either order; if pairs of groups are left, they are the
// last contribution, `texts->count`. Fails with TRJ_USAGE if a text is invalid, or contains no pair or one of an
// earlier text. Without texts it does nothing.
int rdf_scattering_split(struct rdf_scattering *s, const struct trj_text_list *texts, struct trj_error *err);
// Returns the contribution of two used groups.
size_t rdf_scattering_part(const struct rdf_scattering *s, uint32_t a, uint32_t b);

// Curves of contributions follow that of their total: one for each contribution, or with `split` two, of the other
// pairs and of excluded pairs. Returns their number for a total; 0 if it is not split at all.
size_t rdf_scattering_contributions(const struct rdf_scattering *s, bool split);
// Writes the name of a total, for contribution 0, or of its curve contribution - 1: "neutron,A:B",
// "neutron,A:B,excluded".
enum { RDF_PIECE_NAME = 400 };
void rdf_scattering_contribution_name(char name[RDF_PIECE_NAME], const struct rdf_total *t,
                                      const struct trj_text_list *texts, bool split, size_t contribution);
// Returns whether a pair of groups is in a contribution that was given, or nothing was given.
bool rdf_scattering_given(const struct rdf_scattering *s, const struct trj_text_list *texts, size_t pair);

// Returns whether a pair is the first of its two groups. A second one, in the other order, has no weight in a total.
bool rdf_scattering_first(const struct rdf_scattering *s, size_t pair);
// Computes the weights w[pairs], which are 0 for a pair that is not the first of its groups. atoms[groups] and
// pairs[pairs] are numbers, or means, in any unit. If a pair of groups has no pairs of atoms, its weight is added to
// rest[parts], which are a part of u (0 for excluded pairs alone). Returns <b>^2, the limit of u of all pairs.
double rdf_scattering_weights(double *w, double *rest, const struct rdf_scattering *s, enum rdf_probe probe,
                              const double *amplitude, const double *atoms, const double *pairs);

// ---- forms of totals: D. A. Keen, J. Appl. Cryst. 34, 172 (2001)

// Returns the factor that converts a product of two amplitudes to barn (10^-28 m^2) for neutrons; 1 for other probes.
double rdf_scattering_unit(enum rdf_probe probe);

// The forms by name, ended by a NULL name. The first is the default. <b>^2 is (sum of c_i b_i)^2, rho the number
// density:
//   g     G'(r) = 1 + G(r)/<b>^2                               tends to 1
//   fz    G(r) = sum of c_i c_j b_i b_j (g_ij(r) - 1)          of Faber and Ziman
//   d     D(r) = 4 pi r rho G(r)
//   t     T(r) = D(r) + 4 pi r rho <b>^2
//   pdf   D(r) / <b>^2 = 4 pi r rho (G'(r) - 1)
//   rdf   RDF(r) = 4 pi r^2 rho G'(r)
// <b>^2 is in barn (10^-28 m^2) for neutrons, in electrons^2 for X-rays and in Angstrom^2 for electrons.
extern const struct trj_choice rdf_forms[];

const struct trj_choice *rdf_form_column(const char *form); // "g", "G'(r), 1 at large r"
bool rdf_form_takes_density(const char *form);              // the form contains rho
bool rdf_form_takes_mean(const char *form);                 // the form is divided by <b>^2
// Computes the scale of a form: a value u and its error are multiplied by scale[0], then scale[1] is added to the
// value. u, `mean`, which is <b>^2, and `limit`, the limit of u at large r, which is `mean` for a whole total, are in
// fm^2 for neutrons; r in Å, density in Å^-3. For a share of g `limit` is 0, because the constant is subtracted from
// the rest of g.
void rdf_form_scale(double scale[2], const char *form, enum rdf_probe probe, double limit, double mean, double density,
                    double r);

// Prints comments for tables: the atoms of a total, and the length or form factor of each group.
int rdf_scattering_print(struct trj_output *out, const struct rdf_scattering *s, const struct rdf_total *t,
                         struct trj_error *err);

#endif
