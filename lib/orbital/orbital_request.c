// SPDX-License-Identifier: MIT
// Turns the options of orbmap into orbitals with weights. A density matrix of a file becomes orbitals, too: its
// eigenvectors, whose weights are the eigenvalues, so that engines compute orbitals only.
#include "orbital_request.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "orbital_check.h"
#include "symmetric_eigen.h"
#include "units.h"

static const char DENSITY_UNIT[] = "bohr^-3", ORBITAL_UNIT[] = "bohr^-3/2";

// Quantities that are flags, with their names in files.
static const struct {
    const char *name, *quantity, *unit;
} quantities[ORB_QUANTITIES] = {
    [ORB_PRODUCT] = {"product", "product of two orbitals", DENSITY_UNIT},
    [ORB_DENSITY] = {"density", "electron density", DENSITY_UNIT},
    [ORB_GRADIENT] = {"gradient", "gradient norm of the electron density", "bohr^-4"},
    [ORB_LAPLACIAN] = {"laplacian", "Laplacian of the electron density", "bohr^-5"},
    [ORB_KINETIC] = {"kinetic", "kinetic energy density", "hartree bohr^-3"},
    [ORB_REDUCED_GRADIENT] = {"reduced-gradient", "reduced density gradient", ""},
    [ORB_ELF] = {"elf", "electron localisation function", ""},
    [ORB_LOL] = {"lol", "localised orbital locator", ""},
};

#define FLAG(n, member, what) TRJ_OPTION_FIELD(0, n, FLAG, struct orb_request, member, NULL, what)

const struct trj_option orb_request_option_table[] = {
    {.heading = "Quantity",
     TRJ_OPTION_FIELD(
         'm', "mo", TEXT, struct orb_request, mo, "ORBITALS",
         "compute orbitals, such as homo-1,lumo,5:12,3a1,homo:b; with a quantity below: only these orbitals")},
    {FLAG("density", quantity[ORB_DENSITY], "compute the electron density")},
    {FLAG("spin", spin, "compute the spin density: that of alpha electrons minus that of beta electrons")},
    {FLAG("gradient", quantity[ORB_GRADIENT], "compute the norm of the gradient of the electron density")},
    {FLAG("laplacian", quantity[ORB_LAPLACIAN], "compute the Laplacian of the electron density")},
    {FLAG("kinetic", quantity[ORB_KINETIC],
          "compute the kinetic energy density, in the form that is nowhere negative")},
    {FLAG("reduced-gradient", quantity[ORB_REDUCED_GRADIENT],
          "compute the reduced density gradient, and sign(lambda2) times the density as a second value")},
    {FLAG("elf", quantity[ORB_ELF], "compute the electron localisation function (ELF)")},
    {FLAG("lol", quantity[ORB_LOL], "compute the localised orbital locator (LOL)")},
    {TRJ_OPTION_FIELD(0, "product", TEXT, struct orb_request, product, "A,B", "compute the product of two orbitals")},
    {TRJ_OPTION_FIELD(0, "matrix", TEXT, struct orb_request, matrix, "NAME",
                      "use the density matrix of an fchk file whose name contains NAME, such as MP2 (default: orbitals "
                      "and their occupations)")},
    {.heading = "Lattice",
     TRJ_OPTION_FIELD('g', "grid", REAL, struct orb_request, grid, "H",
                      "use steps of H Angstrom in a box around the atoms (default: 0.2)")},
    {TRJ_OPTION_FIELD(0, "pad", REAL, struct orb_request, pad, "R",
                      "extend the box by at least R Angstrom on all sides of the atoms (default: 4)")},
    {TRJ_OPTION_FIELD(0, "like", TEXT, struct orb_request, fixed.like, "MAP", "use the lattice of this map")},
    {TRJ_OPTION_FIELD(0, "origin", TEXT, struct orb_request, fixed.origin, "X,Y,Z",
                      "set the position of the first point in Angstrom, with --lattice-points and --steps")},
    {TRJ_OPTION_FIELD(0, "lattice-points", TEXT, struct orb_request, fixed.points, "N,N,N",
                      "set the numbers of points, with --origin")},
    {TRJ_OPTION_FIELD(0, "steps", TEXT, struct orb_request, fixed.steps, "STEPS",
                      "set the steps: three lengths in Angstrom, or three vectors (nine numbers)")},
    {TRJ_OPTION_FIELD(0, "points", TEXT, struct orb_request, points, "FILE",
                      "print a table of the values at X,Y,Z in Angstrom, or at each position in a file")},
    TRJ_OPTION_END,
};

// ---- options

static enum orb_quantity quantity_of(const struct orb_request *r) {
    enum orb_quantity q = ORB_ORBITALS;
    while (q < ORB_QUANTITIES && !r->quantity[q]) q++;
    if (r->spin) return ORB_DENSITY;
    if (r->product) return ORB_PRODUCT;
    return q < ORB_QUANTITIES ? q : ORB_ORBITALS;
}

static int quantities_given(const struct orb_request *r) {
    int given = r->spin + (r->product != NULL);
    for (int q = 0; q < ORB_QUANTITIES; q++) given += r->quantity[q];
    return given;
}

bool orb_request_is_given(const struct orb_request *r) {
    return quantities_given(r) || r->mo || r->matrix || r->points || !isnan(r->grid) || !isnan(r->pad) ||
           r->fixed.like || trj_lattice_options_are_fixed(&r->fixed);
}

static int check_quantity(const struct orb_request *r, struct trj_error *err) {
    int given = quantities_given(r);
    if (given > 1)
        return trj_fail(err, TRJ_USAGE, "several quantities, but a map has one; run orbmap for each of them");
    if (r->matrix && (r->mo || r->product || !given))
        return trj_fail(err, TRJ_USAGE,
                        "--matrix replaces the orbitals; leave out --mo and --product, and give a quantity such as "
                        "--density");
    if (!given && !r->mo)
        return trj_fail(err, TRJ_USAGE,
                        "no quantity: give orbitals, such as --mo homo, or one of --density, --spin, --gradient, "
                        "--laplacian, --kinetic, --reduced-gradient, --elf, --lol and --product");
    if (r->product && r->mo) return trj_fail(err, TRJ_USAGE, "--product names its orbitals; leave out --mo");
    if (r->matrix && r->spin)
        return trj_fail(err, TRJ_USAGE, "--spin, --matrix: use --density --matrix 'Spin SCF', the spin density matrix");
    return 0;
}

int orb_request_check(const struct orb_request *r, struct trj_error *err) {
    bool box = !isnan(r->grid) || !isnan(r->pad), fixed = trj_lattice_options_are_fixed(&r->fixed);
    if (check_quantity(r, err)) return -1;
    if (box + (r->fixed.like != NULL) + fixed + (r->points != NULL) > 1)
        return trj_fail(err, TRJ_USAGE,
                        "several lattices: give one of --grid with --pad, --like, --points, or --origin with "
                        "--lattice-points and --steps");
    if (!isnan(r->grid) && !(r->grid >= 1e-5))
        return trj_fail(err, TRJ_USAGE, "--grid: invalid value %g: expected at least 1e-05 Angstrom", r->grid);
    if (!isnan(r->pad) && !(r->pad >= 0))
        return trj_fail(err, TRJ_USAGE, "--pad: invalid value %g: expected at least 0 Angstrom", r->pad);
    return 0;
}

// ---- orbitals and weights

static int alloc_orbitals(struct orb_task *t, size_t n, struct trj_error *err) {
    t->coefficient = trj_alloc(n * t->wave.functions, sizeof *t->coefficient, "coefficients", err);
    t->weight = t->coefficient ? trj_alloc(n, sizeof *t->weight, "weights", err) : NULL;
    t->job.coefficient = t->coefficient;
    t->job.weight = t->weight;
    return t->weight ? 0 : -1;
}

static void add_orbital(struct orb_task *t, const double *coefficient, double weight) {
    size_t n = t->wave.functions;
    memcpy(t->coefficient + t->job.orbitals * n, coefficient, n * sizeof *coefficient);
    t->weight[t->job.orbitals++] = weight;
}

// An orbital can have several names, such as homo and 5, but counts once in a sum, and a product is of two orbitals.
static int check_distinct(const struct orb_choice *c, size_t orbitals, struct trj_error *err) {
    bool *taken = trj_alloc(orbitals, sizeof *taken, "chosen orbitals", err);
    int rc = taken ? 0 : -1;
    for (size_t i = 0; !rc && i < c->count; i++) {
        size_t k = c->chosen[i].orbital;
        if (taken[k])
            rc = trj_fail(err, TRJ_USAGE, "'%s' is orbital %zu, which is already chosen; give each orbital once",
                          c->chosen[i].name, k + 1);
        taken[k] = true;
    }
    free(taken);
    return rc;
}

// Takes the chosen orbitals, or all; those without a weight are left out of sums.
static int take_orbitals(struct orb_task *t, const struct orb_request *r, bool sum, struct trj_error *err) {
    const struct orb_wave_function *w = &t->wave;
    const char *words = r->product ? r->product : r->mo;
    if (words && orb_choice_make(&t->choice, w, words, err)) return trj_fail_at(err, r->product ? "--product" : "--mo");
    if (r->product && t->choice.count != 2)
        return trj_fail(err, TRJ_USAGE, "--product: expected 2 orbitals, such as homo,lumo, found %zu in '%s'",
                        t->choice.count, words);
    if (words && (sum || r->product) && check_distinct(&t->choice, w->orbitals, err))
        return trj_fail_at(err, r->product ? "--product" : "--mo");
    size_t n = words ? t->choice.count : w->orbitals;
    if (alloc_orbitals(t, n, err)) return -1;
    for (size_t i = 0; i < n; i++) {
        size_t k = words ? t->choice.chosen[i].orbital : i;
        double weight = w->orbital[k].occupation;
        if (r->spin && w->orbital[k].spin == ORB_BETA) weight = -weight;
        if (!sum || weight != 0) add_orbital(t, w->coefficient + k * w->functions, weight);
    }
    if (sum && !t->job.orbitals && words)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--mo: none of these orbitals is occupied, so that they have no density; for "
                        "maps of the orbitals, give --mo alone");
    if (sum && !t->job.orbitals)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no orbital is occupied, so that there is no density; use --mo to map orbitals");
    return 0;
}

// Returns whether a name contains a text; upper and lower case are equal.
static bool contains(const char *name, const char *text) {
    size_t n = strlen(text);
    for (; *name; name++)
        if (!strncasecmp(name, text, n)) return true;
    return false;
}

static int find_matrix(const struct orb_density_matrix **found, const struct orb_wave_function *w, const char *name,
                       struct trj_error *err) {
    size_t count = 0;
    for (size_t i = 0; i < w->densities; i++) {
        if (!contains(w->density[i].name, name)) continue;
        *found = &w->density[i];
        count++;
        if (!strcasecmp(w->density[i].name, name)) {
            count = 1;
            break;
        }
    }
    if (count == 1) return 0;
    trj_error_set(err, TRJ_BAD_DATA, "--matrix: %s density matrix has '%s' in its name", count ? "more than one" : "no",
                  name);
    if (!w->densities) trj_error_append(err, "; the file contains no density matrices; leave out --matrix");
    for (size_t i = 0; i < w->densities; i++)
        trj_error_append(err, "%s'%s'", i ? ", " : "; the file has ", w->density[i].name);
    if (count) trj_error_append(err, "; give one of these names in full");
    return -1;
}

static int take_matrix(struct orb_task *t, const char *name, struct trj_error *err) {
    const struct orb_density_matrix *d;
    size_t n = t->wave.functions;
    if (find_matrix(&d, &t->wave, name, err)) return -1;
    double *a = trj_alloc(n * n, sizeof *a, "a density matrix", err), largest = 0;
    if (a) memcpy(a, d->matrix, n * n * sizeof *a);
    int rc = !a || alloc_orbitals(t, n, err) || trj_eigen_all(a, n, t->weight, t->coefficient, err) ? -1 : 0;
    free(a);
    if (rc) return rc;
    // Eigenvalues of rounding errors are left out.
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(t->weight[i]));
    for (size_t i = 0; i < n; i++)
        if (fabs(t->weight[i]) > 1e-16 * largest) {
            size_t to = t->job.orbitals++;
            t->weight[to] = t->weight[i];
            memmove(t->coefficient + to * n, t->coefficient + i * n, n * sizeof *a);
        }
    if (!t->job.orbitals) return trj_fail(err, TRJ_BAD_DATA, "--matrix: all elements of '%s' are 0", d->name);
    return 0;
}

// ---- values

static void describe(struct orb_task *t, const struct orb_request *r) {
    enum orb_quantity q = t->job.quantity;
    for (size_t i = 0; i < t->values && q == ORB_ORBITALS; i++) {
        const struct orb_chosen *c = &t->choice.chosen[i];
        t->value[i] = (struct orb_value){.unit = ORBITAL_UNIT, .number = (int32_t)c->orbital + 1};
        snprintf(t->value[i].name, sizeof t->value[i].name, "%s", c->name);
        snprintf(t->value[i].quantity, sizeof t->value[i].quantity, "%s", c->title);
    }
    if (q == ORB_ORBITALS) return;
    struct orb_value *v = t->value;
    const char *quantity = r->spin                         ? "spin density"
                           : r->matrix && q == ORB_DENSITY ? "density" // the matrix can be that of the spin density
                                                           : quantities[q].quantity;
    v->unit = quantities[q].unit;
    snprintf(v->name, sizeof v->name, "%s", r->spin ? "spin" : quantities[q].name);
    snprintf(v->quantity, sizeof v->quantity, "%s%s%.100s", quantity,
             r->mo || r->product ? " of "
             : r->matrix         ? " of the matrix "
                                 : "",
             r->mo        ? r->mo
             : r->product ? r->product
             : r->matrix  ? r->matrix
                          : "");
    if (q != ORB_REDUCED_GRADIENT) return;
    v[1] = (struct orb_value){.name = "signed-density", .unit = DENSITY_UNIT};
    snprintf(v[1].quantity, sizeof v[1].quantity, "sign(lambda2) times the electron density");
}

static int take_atoms(struct orb_task *t, struct trj_error *err) {
    const struct orb_wave_function *w = &t->wave;
    struct trj_map_atoms *a = &t->atoms;
    if (w->atoms && !(a->atom = trj_alloc(w->atoms, sizeof *a->atom, "atoms", err))) return -1;
    for (; a->count < w->atoms; a->count++) {
        const struct orb_atom *from = &w->atom[a->count];
        struct trj_map_atom *to = &a->atom[a->count];
        *to = (struct trj_map_atom){.number = (int32_t)from->number,
                                    .charge = isnan(from->charge) ? (double)from->number : from->charge};
        for (int k = 0; k < 3; k++) to->position[k] = from->position[k] * TRJ_BOHR;
    }
    return 0;
}

static int make(struct orb_task *t, const struct orb_request *r, struct trj_error *err) {
    enum orb_quantity q = quantity_of(r);
    bool sum = q != ORB_ORBITALS && q != ORB_PRODUCT;
    if (orb_check(&t->wave, &t->rule, err)) return -1;
    if (r->spin && !t->wave.has_beta)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--spin: the file lists no beta orbitals; for a restricted open shell, map its singly occupied "
                        "orbitals with --density --mo, or a spin density matrix with --density --matrix");
    t->job = (struct orb_job){.basis = &t->basis, .quantity = q};
    if (r->matrix ? take_matrix(t, r->matrix, err) : take_orbitals(t, r, sum, err)) return -1;
    if (orb_basis_make(&t->basis, &t->wave, t->rule.rule, err)) return -1;
    t->values = orb_job_values(&t->job);
    if (!(t->value = trj_alloc(t->values, sizeof *t->value, "values", err))) return -1;
    describe(t, r);
    return take_atoms(t, err);
}

int orb_task_make(struct orb_task *t, const struct orb_request *r, const char *path, struct trj_error *err) {
    orb_task_free(t);
    if (orb_wave_function_read(&t->wave, path, err)) return -1;
    return make(t, r, err) ? trj_fail_at(err, "%s", strcmp(path, "-") != 0 ? path : "stdin") : 0;
}

void orb_task_free(struct orb_task *t) {
    orb_wave_function_free(&t->wave);
    orb_basis_free(&t->basis);
    orb_choice_free(&t->choice);
    free(t->coefficient);
    free(t->weight);
    free(t->value);
    trj_map_atoms_free(&t->atoms);
    *t = (struct orb_task){.values = 0};
}
