// SPDX-License-Identifier: MIT
// Makes molecules with basis sets for benchmarks of orbitals, so that these need no files.
#include "orbital_systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "points.h"

static const double BOHR = 0.529177210903;

const struct trj_choice orbital_system_choices[] = {{"c60", "C60, 6-31G(d)"},
                                                    {"c60-sto3g", "C60, STO-3G"},
                                                    {"benzene", "benzene, cc-pVDZ"},
                                                    {"chain", "C36H74, STO-3G"},
                                                    {NULL, NULL}};

// ---- basis sets

static const struct system_element carbon_631gd = {
    6,
    6, // W. J. Hehre, R. Ditchfield, J. A. Pople, J. Chem. Phys. 56, 2257 (1972)
    {{0,
      6,
      {3047.52488, 457.369518, 103.948685, 29.2101553, 9.28666296, 3.16392696},
      {0.00183473713, 0.0140373228, 0.0688426222, 0.232184443, 0.467941348, 0.362311985}},
     {0, 3, {7.86827235, 1.88128854, 0.544249258}, {-0.11933242, -0.160854152, 1.143456438}},
     {1, 3, {7.86827235, 1.88128854, 0.544249258}, {0.0689990666, 0.316423961, 0.744308291}},
     {0, 1, {0.168714478}, {1}},
     {1, 1, {0.168714478}, {1}},
     {2, 1, {0.8}, {1}}}};
static const struct system_element carbon_ccpvdz = {
    6,
    6, // T. H. Dunning, J. Chem. Phys. 90, 1007 (1989)
    {{0,
      9,
      {6665, 1000, 228, 64.71, 21.06, 7.495, 2.797, 0.5215, 0.1596},
      {0.000692, 0.005329, 0.027077, 0.101718, 0.27474, 0.448564, 0.285074, 0.015204, -0.003191}},
     {0,
      9,
      {6665, 1000, 228, 64.71, 21.06, 7.495, 2.797, 0.5215, 0.1596},
      {-0.000146, -0.001154, -0.005725, -0.023312, -0.063955, -0.149981, -0.127262, 0.544529, 0.580496}},
     {0, 1, {0.1596}, {1}},
     {1, 4, {9.439, 2.002, 0.5456, 0.1517}, {0.038109, 0.20948, 0.508557, 0.468842}},
     {1, 1, {0.1517}, {1}},
     {2, 1, {0.55}, {1}}}};
static const struct system_element hydrogen_ccpvdz = {
    1,
    3,
    {{0, 4, {13.01, 1.962, 0.4446, 0.122}, {0.019685, 0.137977, 0.478148, 0.50124}},
     {0, 1, {0.122}, {1}},
     {1, 1, {0.727}, {1}}}};
static const struct system_element carbon_sto3g = {
    6,
    3, // W. J. Hehre, R. F. Stewart, J. A. Pople, J. Chem. Phys. 51, 2657 (1969)
    {{0, 3, {71.616837, 13.045096, 3.5305122}, {0.15432897, 0.53532814, 0.44463454}},
     {0, 3, {2.9412494, 0.6834831, 0.2222899}, {-0.09996723, 0.39951283, 0.70011547}},
     {1, 3, {2.9412494, 0.6834831, 0.2222899}, {0.15591627, 0.60768372, 0.39195739}}}};
static const struct system_element hydrogen_sto3g = {
    1, 1, {{0, 3, {3.42525091, 0.62391373, 0.1688554}, {0.15432897, 0.53532814, 0.44463454}}}};

// ---- molecules

static void add_atom(struct orbital_system *s, const struct system_element *element, double x, double y, double z) {
    const double at[3] = {x, y, z};
    s->element[s->atoms] = element;
    memcpy(s->position[s->atoms++], at, sizeof at);
}

// Adds the corners of a truncated icosahedron with edges of 1.43 Å: cyclic permutations with all signs.
static void make_c60(struct orbital_system *s, const struct system_element *carbon) {
    const double golden = 0.5 * (1 + sqrt(5)),
                 corner[3][3] = {{0, 1, 3 * golden}, {1, 2 + golden, 2 * golden}, {golden, 2, 1 + 2 * golden}};
    for (int c = 0; c < 3; c++)
        for (int turn = 0; turn < 3; turn++)
            for (int signs = 0; signs < 8; signs++) {
                double at[3];
                if (corner[c][0] == 0 && signs % 2) continue;
                for (int k = 0; k < 3; k++) at[(k + turn) % 3] = 0.715 * corner[c][k] * (signs >> k & 1 ? -1 : 1);
                add_atom(s, carbon, at[0], at[1], at[2]);
            }
}

static void make_benzene(struct orbital_system *s) {
    for (int i = 0; i < 6; i++) {
        double angle = i * 1.0471975511965976;
        add_atom(s, &carbon_ccpvdz, 1.397 * cos(angle), 1.397 * sin(angle), 0);
        add_atom(s, &hydrogen_ccpvdz, 2.481 * cos(angle), 2.481 * sin(angle), 0);
    }
}

static void make_chain(struct orbital_system *s) {
    for (int i = 0; i < 36; i++) {
        double x = 1.27 * i, y = i % 2 ? 0.42 : -0.42, up = i % 2 ? 0.63 : -0.63;
        add_atom(s, &carbon_sto3g, x, y, 0);
        add_atom(s, &hydrogen_sto3g, x, y + up, 0.89);
        add_atom(s, &hydrogen_sto3g, x, y + up, -0.89);
        if (i == 0) add_atom(s, &hydrogen_sto3g, x - 0.89, y + 0.63, 0);
        if (i == 35) add_atom(s, &hydrogen_sto3g, x + 0.89, y - 0.63, 0);
    }
}

// ---- basis

static int compare_primitives(const void *first, const void *second) {
    const struct orb_primitive *a = first, *b = second;
    if (a->centre != b->centre) return a->centre < b->centre ? -1 : 1;
    if (a->exponent != b->exponent) return a->exponent > b->exponent ? -1 : 1;
    return memcmp(a->power, b->power, sizeof a->power);
}

double system_primitive_norm(const struct system_shell *shell, unsigned primitive) {
    const double a = shell->exponent[primitive];
    return pow(2 * a / M_PI, 0.75) * pow(4 * a, shell->l / 2.0);
}

// Calls `add` for each term of each function.
static void each_term(struct orbital_system *s,
                      void (*add)(struct orb_basis *b, const struct orb_primitive *p, double coefficient)) {
    struct orb_basis *b = &s->basis;
    for (size_t i = 0; i < s->atoms; i++)
        for (unsigned n = 0; n < s->element[i]->shells; n++) {
            const struct system_shell *shell = &s->element[i]->shell[n];
            for (unsigned x = shell->l + 1; x-- > 0 && shell->primitives;)
                for (unsigned y = shell->l - x + 1; y-- > 0;) {
                    for (unsigned k = 0; k < shell->primitives; k++) {
                        const struct orb_primitive p = {
                            (uint32_t)i, {(uint8_t)x, (uint8_t)y, (uint8_t)(shell->l - x - y)}, shell->exponent[k]};
                        add(b, &p, shell->coefficient[k] * system_primitive_norm(shell, k));
                    }
                    if (!b->first_term) continue;
                    b->first_term[b->functions + 1] = b->first_term[b->functions] + shell->primitives;
                    b->functions++;
                }
        }
}

static void add_primitive(struct orb_basis *b, const struct orb_primitive *p, double coefficient) {
    (void)coefficient;
    if (b->primitive) b->primitive[b->primitives] = *p;
    b->primitives++;
}

static void add_term(struct orb_basis *b, const struct orb_primitive *p, double coefficient) {
    const struct orb_primitive *found =
        bsearch(p, b->primitive, b->primitives, sizeof *b->primitive, compare_primitives);
    // The terms of the function that is being added are those before this one with a primitive.
    struct orb_term *term = b->term + b->first_term[b->functions];
    while (term->coefficient != 0) term++;
    *term = (struct orb_term){(uint32_t)(found - b->primitive), coefficient};
}

static int make_basis(struct orbital_system *s, struct trj_error *err) {
    struct orb_basis *basis = &s->basis;
    each_term(s, add_primitive);
    const size_t n = basis->primitives;
    basis->primitive = trj_alloc(n, sizeof *basis->primitive, "basis", err);
    basis->term = trj_alloc(n, sizeof *basis->term, "basis", err);
    basis->centre = trj_alloc(s->atoms, sizeof *basis->centre, "basis", err);
    if (!basis->primitive || !basis->term || !basis->centre) return -1;
    basis->primitives = 0;
    each_term(s, add_primitive);
    qsort(basis->primitive, n, sizeof *basis->primitive, compare_primitives);
    basis->primitives = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || compare_primitives(&basis->primitive[i], &basis->primitive[basis->primitives - 1]))
            basis->primitive[basis->primitives++] = basis->primitive[i];
    basis->first_term = trj_alloc(n + 1, sizeof *basis->first_term, "basis", err);
    if (!basis->first_term) return -1;
    each_term(s, add_term);
    basis->centres = s->atoms;
    for (size_t i = 0; i < s->atoms; i++)
        for (int k = 0; k < 3; k++) basis->centre[i][k] = s->position[i][k] / BOHR;
    return 0;
}

int orbital_system_make(struct orbital_system *s, const char *name, struct trj_error *err) {
    memset(s, 0, sizeof *s);
    if (!strcmp(name, "c60"))
        make_c60(s, &carbon_631gd);
    else if (!strcmp(name, "c60-sto3g"))
        make_c60(s, &carbon_sto3g);
    else if (!strcmp(name, "benzene"))
        make_benzene(s);
    else
        make_chain(s);
    return make_basis(s, err);
}

void orbital_system_free(struct orbital_system *s) {
    free(s->basis.primitive);
    free(s->basis.term);
    free(s->basis.centre);
    free(s->basis.first_term);
}

size_t orbital_system_electrons(const struct orbital_system *s) {
    size_t electrons = 0;
    for (size_t i = 0; i < s->atoms; i++) electrons += s->element[i]->electrons;
    return electrons;
}

void orbital_system_lattice(const struct orbital_system *s, uint64_t points, struct orb_job *job) {
    double low[3], size[3], volume = 1, longest = 0;
    for (int k = 0; k < 3; k++) {
        double high = low[k] = s->basis.centre[0][k];
        for (size_t i = 1; i < s->basis.centres; i++) {
            low[k] = fmin(low[k], s->basis.centre[i][k]);
            high = fmax(high, s->basis.centre[i][k]);
        }
        low[k] -= 4 / BOHR;
        size[k] = high + 4 / BOHR - low[k];
        volume *= size[k];
        longest = fmax(longest, size[k]);
    }
    double step = cbrt(volume) / (double)points;
    bool cube = longest < 2 * cbrt(volume);
    for (int k = 0; k < 3; k++) {
        job->n[k] = cube ? points : (uint64_t)fmax(1, floor(size[k] / step + 0.5));
        job->origin[k] = low[k];
        job->step[k][k] = job->n[k] > 1 ? size[k] / (double)(job->n[k] - 1) : 1;
    }
}

void orbital_system_random(const struct orbital_system *s, uint64_t *seed, double *coefficient) {
    const double root = sqrt((double)s->basis.functions);
    for (size_t i = 0; i < s->basis.functions; i++) coefficient[i] = (points_uniform(seed) - 0.5) / root;
}
