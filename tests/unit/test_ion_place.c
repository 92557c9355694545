// SPDX-License-Identifier: MIT
// Placing ions: positions, energies and distances are compared with a brute-force search over all points and images, on
// lattices of every shape; known positions for one and two charges; lists of ions; units.
#include "ion_engine.h"
#include "ion_list.h"
#include "ion_order.h"
#include "potential_units.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { MAX = 40 * 40 * 40, ATOMS = 6, IONS = 12 };
static double value[MAX], start[MAX], solute[ATOMS][3];
static struct pot_ion ion[IONS], other[IONS];

struct shape {
    const char *name;
    struct trj_map_lattice lattice;
};

static const struct shape shapes[] = {
    {"cube, not periodic", {{11, 11, 11}, {-3, 0, 2}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0}},
    {"brick, periodic", {{12, 9, 10}, {1, 2, 3}, {{0.9, 0, 0}, {0, 1.1, 0}, {0, 0, 1}}, 7}},
    {"brick, periodic along y only", {{12, 9, 10}, {1, 2, 3}, {{0.9, 0, 0}, {0, 1.1, 0}, {0, 0, 1}}, 2}},
    {"rotated brick, periodic along x and z", {{9, 8, 11}, {0, 0, 0}, {{0.8, 0.6, 0}, {-0.6, 0.8, 0}, {0, 0, -1}}, 5}},
    {"skew, not periodic", {{9, 12, 10}, {0, 1, 0}, {{1, 0.2, 0.1}, {0.3, 1.1, 0}, {-0.4, 0.2, 0.9}}, 0}},
    {"skew, periodic", {{9, 12, 10}, {0, 1, 0}, {{1, 0.2, 0.1}, {0.3, 1.1, 0}, {-0.4, 0.2, 0.9}}, 7}},
    {"skew, periodic along x and y", {{9, 8, 10}, {0, 1, 0}, {{1, 0.2, 0.1}, {0.3, 1.1, 0}, {-0.4, 0.2, 0.9}}, 3}},
    {"skew, periodic along z", {{9, 8, 10}, {0, 1, 0}, {{1, 0.2, 0.1}, {0.3, 1.1, 0}, {-0.4, 0.2, 0.9}}, 4}},
    {"very skew, periodic", {{10, 9, 8}, {0, 0, 0}, {{1, 0, 0}, {0.9, 0.8, 0}, {-0.8, 0.7, 0.9}}, 7}},
    {"a plane, periodic along x", {{16, 15, 1}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 1}},
    {"a row across the planes", {{1, 1, 60}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 4}},
};

static void position_of(const struct trj_map_lattice *l, uint64_t point, double x[3]) {
    const double index[3] = {(double)(point % l->n[0]), (double)(point / l->n[0] % l->n[1]),
                             (double)(point / l->n[0] / l->n[1])};
    trj_map_lattice_position(l, index, x);
}

// Searches all images within three cells.
static double distance(const struct trj_map_lattice *l, const double a[3], const double b[3]) {
    int max[3];
    double best = INFINITY;
    for (int k = 0; k < 3; k++) max[k] = l->periodic & 1u << k ? 3 : 0;
    for (int i = -max[0]; i <= max[0]; i++)
        for (int j = -max[1]; j <= max[1]; j++)
            for (int k = -max[2]; k <= max[2]; k++) {
                double r2 = 0;
                for (int c = 0; c < 3; c++) {
                    double d = b[c] - a[c] + i * (double)l->n[0] * l->step[0][c] + j * (double)l->n[1] * l->step[1][c] +
                               k * (double)l->n[2] * l->step[2][c];
                    r2 += d * d;
                }
                best = fmin(best, r2);
            }
    return sqrt(best);
}

// The potential at a point when `count` ions are placed; NaN: not allowed.
static double expected(const struct pot_placement *p, uint64_t point, size_t count) {
    double x[3], v = start[point];
    position_of(p->lattice, point, x);
    for (size_t i = 0; i < p->atoms; i++)
        if (distance(p->lattice, p->position[i], x) < p->from_solute * (1 - 1e-8)) return NAN;
    for (size_t i = 0; i < count; i++) {
        double r = distance(p->lattice, ion[i].position, x);
        if (ion[i].point == point || r < p->between * (1 - 1e-8)) return NAN;
        v += p->charge * p->ions->kind[ion[i].kind].charge / r;
    }
    return v;
}

// Compares each ion with the best of all points.
static void compare(const struct pot_placement *p, size_t count, double *worst, double *missed) {
    *worst = *missed = 0;
    for (size_t n = 0; n < count; n++) {
        double q = p->ions->kind[ion[n].kind].charge, lowest = INFINITY;
        for (uint64_t point = 0; point < trj_map_lattice_points(p->lattice); point++) {
            double e = q * expected(p, point, n);
            lowest = e < lowest ? e : lowest;
        }
        double found = expected(p, ion[n].point, n);
        *worst = isnan(found) ? INFINITY : fmax(*worst, fabs(found - ion[n].potential));
        *missed = fmax(*missed, q * found - lowest);
    }
}

static const struct pot_ion_list salt = {
    2, {{.name = "SOD", .charge = 1, .count = 7}, {.name = "CLA", .charge = -1, .count = 5}}};

static struct pot_placement placement(const struct trj_map_lattice *l) {
    uint64_t points = trj_map_lattice_points(l);
    for (uint64_t i = 0; i < points; i++) value[i] = start[i];
    return (struct pot_placement){.lattice = l,
                                  .value = value,
                                  .charge = 0.7,
                                  .from_solute = 1.6,
                                  .between = 1.9,
                                  .atoms = ATOMS,
                                  .position = (const double(*)[3])solute,
                                  .ions = &salt,
                                  .net = -2,
                                  .threads = 1};
}

static void test_shapes(void) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const struct trj_map_lattice *l = &shapes[s].lattice;
        uint64_t points = trj_map_lattice_points(l), excluded, again;
        double worst = INFINITY, missed = INFINITY;
        bool equal = true;
        for (uint64_t i = 0; i < points; i++) start[i] = uniform() * 4 - 2;
        for (int i = 0; i < ATOMS; i++) // also outside of the map
            for (int c = 0; c < 3; c++) solute[i][c] = l->origin[c] + uniform() * 14 - 2;
        struct pot_placement p = placement(l);
        int rc = pot_place_ions(&p, ion, &excluded, &err);
        if (!rc) compare(&p, IONS, &worst, &missed);
        ok(!rc && worst < 1e-13 && missed < 1e-13, "%s: the best points, and their potentials (%g, %g) %s",
           shapes[s].name, worst, missed, rc ? err.text : "");
        uint64_t near = 0;
        for (uint64_t i = 0; i < points; i++) near += isnan(expected(&p, i, 0)) != 0;
        for (unsigned threads = 2; threads <= 4; threads += 2) {
            p = placement(l);
            p.threads = threads;
            rc = pot_place_ions(&p, other, &again, &err);
            equal = equal && !rc && !memcmp(ion, other, sizeof ion) && again == near;
        }
        ok(excluded == near && equal, "%s: %llu points are near to the solute; 2 and 4 threads give the same",
           shapes[s].name, (unsigned long long)near);
    }
}

static void fill_coulomb(const struct trj_map_lattice *l, const double (*at)[3], const double *q, size_t n) {
    for (uint64_t i = 0; i < trj_map_lattice_points(l); i++) {
        double x[3];
        position_of(l, i, x);
        start[i] = 0;
        for (size_t k = 0; k < n; k++) start[i] += q[k] / distance(l, at[k], x);
    }
}

static bool is_at(const struct pot_ion *p, double x, double y, double z) {
    return p->position[0] == x && p->position[1] == y && p->position[2] == z;
}

static void test_known(void) {
    static const struct trj_map_lattice l = {.n = {40, 40, 40}, .step = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}};
    static const double one[1] = {-2}, two[2] = {-1, 1};
    const struct pot_ion_list ions = {
        2, {{.name = "SOD", .charge = 1, .count = 2}, {.name = "CLA", .charge = -1, .count = 1}}};
    uint64_t excluded;
    memcpy(solute[0], (double[3]){10, 10, 10}, sizeof solute[0]);
    fill_coulomb(&l, (const double(*)[3])solute, one, 1);
    struct pot_placement p = placement(&l);
    p.charge = 1;
    p.atoms = 1;
    p.from_solute = 5;
    p.between = 5;
    p.ions = &ions;
    int rc = pot_place_ions(&p, ion, &excluded, &err);
    // Points at exactly 5 Å are allowed; the first of them has the lowest number.
    ok(!rc && is_at(&ion[0], 10, 10, 5) && ion[0].potential == -0.4 && ion[0].net == -1,
       "one charge of -2 e: the first ion is at the nearest point with the lowest number");
    ok(is_at(&ion[1], 10, 10, 15) && fabs(ion[1].potential + 0.3) < 1e-15 && ion[1].net == 0 && ion[2].kind == 1,
       "the second ion is opposite to the first one, and an ion of the other kind follows");
    memcpy(solute[0], (double[3]){7, 10, 10}, sizeof solute[0]);
    memcpy(solute[1], (double[3]){13, 10, 10}, sizeof solute[1]);
    fill_coulomb(&l, (const double(*)[3])solute, two, 2);
    p = placement(&l);
    p.charge = 1;
    p.atoms = 2;
    p.from_solute = p.between = 4;
    p.net = 0;
    p.ions = &ions;
    rc = pot_place_ions(&p, ion, &excluded, &err);
    ok(!rc && is_at(&ion[0], 3, 10, 10) && ion[1].kind == 1 && is_at(&ion[1], 17, 10, 10) && ion[2].kind == 0,
       "two opposite charges: ions at the outer points of their axis, in turn");
    struct pot_placement close = placement(&l);
    close.charge = 1;
    close.atoms = 2;
    close.from_solute = 4;
    close.between = 0;
    close.ions = &ions;
    rc = pot_place_ions(&close, ion, &excluded, &err);
    ok(!rc && ion[1].point != ion[0].point && ion[2].point != ion[1].point && ion[2].point != ion[0].point,
       "distance 0: each ion gets a point of its own");
    for (int i = 0; i < 40 * 40 * 40; i++) start[i] = 0;
    p = placement(&l);
    p.charge = 1;
    p.atoms = 0;
    p.ions = &ions;
    p.between = 3;
    rc = pot_place_ions(&p, ion, &excluded, &err);
    ok(!rc && ion[0].point == 0 && !excluded && is_at(&ion[1], 19.5, 19.5, 19.5),
       "a constant potential: the first point, and then the corner that is farthest away");
}

static void test_failures(void) {
    static const struct trj_map_lattice l = {.n = {6, 6, 6}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    uint64_t excluded;
    for (int i = 0; i < 216; i++) start[i] = i % 7;
    start[43] = -INFINITY;
    struct pot_placement p = placement(&l);
    p.atoms = 0;
    ok(pot_place_ions(&p, ion, &excluded, &err) && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "at point 1, 1, 1 is infinite"),
       "an infinite value at an allowed point: %s", err.text);
    p = placement(&l);
    p.atoms = 1;
    memcpy(solute[0], (double[3]){1, 1, 1}, sizeof solute[0]);
    ok(!pot_place_ions(&p, ion, &excluded, &err) && excluded == 19, "an infinite value near to the solute: no error");
    p = placement(&l);
    p.between = 20;
    ok(pot_place_ions(&p, ion, &excluded, &err) && err.status == TRJ_BAD_DATA &&
           has_text(err.text,
                    "no point is left for ion 2 of 12 (SOD), at least 1.6 Å from the solute and at least 20 Å"),
       "no point is left: %s", err.text);
    struct trj_map_lattice periodic = l;
    periodic.periodic = 7;
    p = placement(&periodic);
    p.from_solute = 25;
    ok(pot_place_ions(&p, ion, &excluded, &err) && has_text(err.text, "more than four times the length"),
       "a distance of many cells: %s", err.text);
    for (int i = 0; i < 216; i++) start[i] = i >= 100 && i < 112 ? i : (double)NAN;
    p = placement(&l);
    p.atoms = 0;
    p.between = 0;
    bool inside = !pot_place_ions(&p, ion, &excluded, &err) && excluded == 204;
    for (int i = 0; i < IONS; i++) inside = inside && ion[i].point >= 100 && ion[i].point < 112;
    ok(inside, "ions are placed at the points that are not NaN, all of them");
}

static void test_order(void) {
    static const struct pot_ion_list ions = {3,
                                             {{.name = "SOD", .charge = 1, .count = 2},
                                              {.name = "MG", .charge = 2, .count = 1},
                                              {.name = "CLA", .charge = -1, .count = 3}}};
    static const size_t expect[] = {1, 0, 2, 0, 2, 2}; // net charges 0, 1, 0, 1, 0, -1
    struct pot_ion_order order;
    bool equal = true;
    pot_ion_order_start(&order, &ions, -2);
    for (size_t i = 0; i < sizeof expect / sizeof *expect; i++)
        equal = equal && pot_ion_order_next(&order) == expect[i];
    ok(equal && order.net == -1, "the kind that leaves the smallest net charge comes next, the first of several");
}

static void no_note(const char *text) {
    ok(false, "%s", text);
}

static void test_engines(void) {
    const struct trj_map_lattice *l = &shapes[0].lattice;
    struct trj_engine_stats stats;
    uint64_t excluded, again;
    for (uint64_t i = 0; i < trj_map_lattice_points(l); i++) start[i] = uniform();
    struct pot_placement p = placement(l);
    int rc = pot_place_ions(&p, ion, &excluded, &err);
    static const char *const names[] = {"cpu", "auto"};
    for (size_t i = 0; i < 2; i++) {
        const struct trj_engine_options o = {.engine = names[i]};
        p = placement(l);
        rc = rc || pot_ion_engine_check(&o, &err) ||
             pot_ion_engine_place(&o, &(struct pot_ion_job){&p, other, &again}, &stats, no_note, &err);
        ok(!rc && !memcmp(ion, other, sizeof ion) && excluded == again && !strcmp(stats.kind->name, "cpu") &&
               !stats.start,
           "engine %s: small work on the CPU", names[i]);
    }
}

static bool rejects(const char *text, const char *message) {
    struct pot_ion_list l;
    if (pot_ion_list_parse(&l, text, &err) && err.status == TRJ_USAGE && has_text(err.text, message)) return true;
    printf("# '%s': %s\n", text, err.text);
    return false;
}

static void test_lists(void) {
    struct pot_ion_list l;
    ok(!pot_ion_list_parse(&l, "SOD:+1:10,Cl-:-1,MG:+2.5:0", &err) && l.kinds == 3 && l.kind[0].count == 10 &&
           !l.kind[0].open && !strcmp(l.kind[1].name, "Cl-") && l.kind[1].charge == -1 && l.kind[1].open &&
           l.kind[2].charge == 2.5 && !l.kind[2].open && pot_ion_list_total(&l) == 10 && pot_ion_list_charge(&l) == 10,
       "a list of ions");
    ok(rejects("", "the charge is missing") && rejects("SOD", "the charge is missing") &&
           rejects("SODIU:+1:1", "1 to 4 characters") && rejects(":+1:1", "1 to 4 characters") &&
           rejects("S D:+1", "letters, digits") && rejects("\xc3\x85:+1", "letters, digits") &&
           rejects("SOD:1:1", "with a sign") && rejects("SOD:+-1:1", "with a sign") &&
           rejects("SOD:+x", "with a sign") && rejects("SOD:+nan", "with a sign") && rejects("SOD:+0", "above 0") &&
           rejects("SOD:+1e9", "at most 100 e") && rejects("SOD:+1:-3", "not a whole number") &&
           rejects("SOD:+1:2.5", "not a whole number") && rejects("SOD:+1:1:1", "not a whole number") &&
           rejects("SOD:+1:99999999999999999999", "not a whole number") && rejects("SOD:+1:1000001", "too many") &&
           rejects("A:+1:600000,B:+1:600000", "too many") && rejects("SOD:+1,SOD:-1", "occurs twice") &&
           rejects("SOD:+1,", "the charge is missing") &&
           rejects("A:+1,B:+1,C:+1,D:+1,E:+1,F:+1,G:+1,H:+1,I:+1,J:+1,K:+1,L:+1,M:+1,N:+1,O:+1,P:+1,Q:+1",
                   "more than 16 kinds"),
       "invalid lists are rejected");
    pot_ion_list_parse(&l, "MG:+2,SOD:+1,CLA:-1:2", &err);
    ok(!pot_ion_list_neutralise(&l, -5, &err) && l.kind[0].count == 3 && l.kind[1].count == 1 && l.kind[2].count == 2,
       "neutralisation: as many ions of the first kind as fit, and then of the second");
    pot_ion_list_parse(&l, "MG:+2,CLA:-1:2", &err);
    ok(pot_ion_list_neutralise(&l, -5, &err) && has_text(err.text, "a charge of -1 e is left"), "%s", err.text);
    pot_ion_list_parse(&l, "SOD:+1,CLA:-1:2", &err);
    ok(pot_ion_list_neutralise(&l, 5, &err) && has_text(err.text, "no ion of a negative charge"), "%s", err.text);
    pot_ion_list_parse(&l, "SOD:+0.1,CLA:-0.1", &err);
    ok(!pot_ion_list_neutralise(&l, -3, &err) && l.kind[0].count == 30, "charges that are not exact in binary");
    pot_ion_list_parse(&l, "SOD:+1,CLA:-1", &err);
    ok(pot_ion_list_neutralise(&l, 1e7, &err) && has_text(err.text, "too many"), "%s", err.text);
    pot_ion_list_parse(&l, "CAL:+2,CLA:-1,SOD:+1:0", &err);
    ok(!pot_ion_list_add_salt(&l, 0.15, 1e6, &err) && l.kind[0].count == 90 && l.kind[1].count == 180,
       "0.15 mol/l of CaCl2 in 1e6 Å^3: 90 Ca and 180 Cl");
    pot_ion_list_parse(&l, "AL:+3,SO4:-2", &err);
    ok(!pot_ion_list_add_salt(&l, 0.1, 1e5, &err) && l.kind[0].count == 12 && l.kind[1].count == 18,
       "charges 3 and -2: 2 and 3 ions in a unit");
    pot_ion_list_parse(&l, "SOD:+1,POT:+1", &err);
    ok(pot_ion_list_add_salt(&l, 0.15, 1e6, &err) && has_text(err.text, "two kinds of ions"), "%s", err.text);
    double good = -4.996, bad = 0.3, invalid = NAN;
    ok(!pot_net_charge_round(&good, &err) && good == -5 && pot_net_charge_round(&bad, &err) &&
           has_text(err.text, "0.300000 e") && pot_net_charge_round(&invalid, &err),
       "net charges are rounded by at most 0.01 e");
}

static void test_units(void) {
    // The Coulomb constants of CODATA 2018, from e, epsilon_0, N_A and k_B.
    const double e = 1.602176634e-19, volt = e / (4 * acos(-1) * 8.8541878128e-12) * 1e10;
    const double expect[POT_UNITS] = {volt * e / (1.380649e-23 * 300), volt, volt * e * 6.02214076e23 / 4184,
                                      volt * e * 6.02214076e23 / 1000, 1};
    double worst = 0;
    for (int i = 0; i < POT_UNITS; i++)
        worst = fmax(worst, fabs(pot_unit_of_charge((enum pot_unit)i, pot_coulomb(NULL), 300) / expect[i] - 1));
    ok(worst < 1e-10, "the potential of 1 e at 1 Å in all units (%g)", worst);
    ok(pot_unit_find("kT/e") == POT_UNIT_KT && pot_unit_find("V") == POT_UNIT_V &&
           pot_unit_find("kcal mol^-1 e^-1") == POT_UNIT_KCAL && pot_unit_find("kcal/(mol e)") == POT_UNIT_KCAL &&
           pot_unit_find("kJ/mol/e") == POT_UNIT_KJ && pot_unit_find("e A^-1") == POT_UNIT_E_PER_A &&
           pot_unit_find("A^-3") == POT_UNITS && pot_unit_find("") == POT_UNITS && pot_unit_find(NULL) == POT_UNITS &&
           pot_unit_find("kJ/mol") == POT_UNITS,
       "units are found in their usual spellings");
}

int main(void) {
    test_shapes();
    test_known();
    test_failures();
    test_order();
    test_engines();
    test_lists();
    test_units();
    return done();
}
