// SPDX-License-Identifier: MIT
// Orbitals, densities and rules of normalisation of public files, against values of an independent evaluator
// (shared/reference-orbitals).
#include "orbital_basis.h"
#include "orbital_order.h"
#include "orbital_point.h"
#include "orbital_rule.h"
#include "tap.h"
#include "wave_function.h"

enum { COLUMNS = 24, POINTS = 64, FIELD = 160 };

// A table of tab-separated values.
struct table {
    char name[COLUMNS][FIELD];
    size_t columns, rows;
    double value[POINTS][COLUMNS];
};

static size_t split(char *line, char *field[], size_t capacity) {
    size_t n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    while (line && n < capacity) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (line) *line++ = '\0';
    }
    return n;
}

static bool read_table(struct table *t, const char *path) {
    static char line[8192];
    char *field[COLUMNS];
    FILE *f = fopen(path, "r");
    t->rows = t->columns = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (*line == '#') continue;
        size_t n = split(line, field, COLUMNS);
        if (!t->columns) {
            for (t->columns = 0; t->columns < n; t->columns++)
                snprintf(t->name[t->columns], FIELD, "%s", field[t->columns]);
        } else if (t->rows < POINTS) {
            for (size_t c = 0; c < n; c++) t->value[t->rows][c] = strtod(field[c], NULL);
            t->rows++;
        }
    }
    if (f) fclose(f);
    return t->rows > 0;
}

// A file with its line of summary.tsv.
struct file {
    const char *name, *rule;
    double trace, max_norm, max_orthonormality;
    size_t functions, orbitals, beta, homo, lumo; // numbers from 1; 0: none
};

// The density of a matrix of an fchk file is named rho[NAME] in the table.
static struct orb_jet matrix_density(const struct orb_wave_function *w, const double *p, const struct orb_jet *f) {
    struct orb_jet sum = {0};
    for (size_t i = 0; i < w->functions; i++)
        for (size_t j = 0; j < w->functions; j++) sum.value += p[i * w->functions + j] * f[i].value * f[j].value;
    return sum;
}

struct values {
    const struct orb_wave_function *w;
    const struct orb_basis *basis;
    struct orb_jet *function, *orbital;
    double *occupation, *spin;
    struct orb_jet rho;
    long double spin_density;
};

static void evaluate(struct values *v, const double point[3]) {
    const struct orb_wave_function *w = v->w;
    orb_point_functions(v->basis, point, v->function);
    for (size_t o = 0; o < w->orbitals; o++)
        v->orbital[o] = orb_point_orbital(v->basis, v->function, w->coefficient + o * w->functions);
    v->rho = orb_point_density(w->orbitals, v->orbital, v->occupation);
    v->spin_density = orb_point_density(w->orbitals, v->orbital, v->spin).value;
}

// Names of matrices have '_' in place of blanks, and are followed by ']'.
static bool has_name(const char *text, const char *name) {
    while (*name && (*text == *name || (*text == '_' && *name == ' '))) {
        text++;
        name++;
    }
    return !*name && *text == ']';
}

// Returns the value of a column, or NaN if the name is unknown.
static long double column_value(const struct values *v, const char *name) {
    const struct orb_jet *rho = &v->rho;
    if (!strncmp(name, "mo", 2)) return v->orbital[strtoul(name + 2, NULL, 10) - 1].value;
    if (!strcmp(name, "rho")) return rho->value;
    if (!strcmp(name, "spin")) return v->spin_density;
    if (!strncmp(name, "drho_d", 6)) return rho->gradient[name[6] - 'x'];
    if (!strcmp(name, "lap_rho")) return rho->hessian[0] + rho->hessian[3] + rho->hessian[5];
    for (size_t d = 0; d < v->w->densities; d++)
        if (!strncmp(name, "rho[", 4) && has_name(name + 4, v->w->density[d].name))
            return matrix_density(v->w, v->w->density[d].matrix, v->function).value;
    return NAN;
}

static void compare_values(const struct file *file, const struct orb_wave_function *w, enum orb_rule rule,
                           const struct table *t) {
    struct orb_basis basis;
    struct trj_error err;
    if (!ok(!orb_basis_make(&basis, w, rule, &err), "%s: basis", file->name)) return;
    struct values v = {.w = w,
                       .basis = &basis,
                       .function = calloc(w->functions, sizeof *v.function),
                       .orbital = calloc(w->orbitals, sizeof *v.orbital),
                       .occupation = calloc(w->orbitals, sizeof(double)),
                       .spin = calloc(w->orbitals, sizeof(double))};
    double largest[COLUMNS] = {0}, error[COLUMNS] = {0};
    for (size_t o = 0; o < w->orbitals; o++) {
        v.occupation[o] = w->orbital[o].occupation;
        v.spin[o] = w->orbital[o].spin == ORB_BETA ? -v.occupation[o] : v.occupation[o];
    }
    for (size_t p = 0; p < t->rows; p++) {
        evaluate(&v, &t->value[p][1]);
        for (size_t c = 7; c < t->columns; c++) {
            double difference = (double)(column_value(&v, t->name[c]) - (long double)t->value[p][c]);
            error[c] = isnan(difference) ? INFINITY : fmax(error[c], fabs(difference));
            largest[c] = fmax(largest[c], fabs(t->value[p][c]));
        }
    }
    for (size_t c = 7; c < t->columns; c++)
        ok(error[c] <= 1e-12 * largest[c], "%s: %s: error %.2g of the largest value", file->name, t->name[c],
           error[c] / largest[c]);
    orb_basis_free(&basis);
    free(v.function);
    free(v.orbital);
    free(v.occupation);
    free(v.spin);
}

// Reads a file of the folder of new ones, or of the one with those that maps also use.
static bool read_wave(struct orb_wave_function *w, const char *shared, const char *name, struct trj_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data-wave/%s", shared, name);
    FILE *probe = fopen(path, "r");
    if (!probe) snprintf(path, sizeof path, "%s/data-maps/wave/%s", shared, name);
    if (probe) fclose(probe);
    return !orb_wave_function_read(w, path, err) && !orb_rule_find_spins(w, err);
}

// Compares the deviations of each rule with a line of rules.tsv, which has two digits.
static void compare_rules(const char *shared, const char *name, const struct orb_rule_choice *choice) {
    char path[4096], line[1024], *field[COLUMNS];
    snprintf(path, sizeof path, "%s/reference-orbitals/rules.tsv", shared);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (split(line, field, COLUMNS) < 9 || strcmp(field[0], name)) continue;
        for (enum orb_rule rule = ORB_STANDARD; rule <= ORB_TURBOMOLE; rule++) {
            const struct orb_deviation *d = &choice->deviation[rule];
            double expected = strtod(field[2 + rule], NULL), found = fmax(d->electrons, d->orthonormality);
            if (!strcmp(field[2 + rule], "-"))
                ok(!d->possible, "%s: %s is not possible", name, orb_rule_name(rule));
            else
                ok(d->possible && fabs(found - expected) < 0.06 * expected + 1e-14,
                   "%s: %s: deviation %.1e, expected %.1e", name, orb_rule_name(rule), found, expected);
        }
    }
    if (f) fclose(f);
}

static void compare_frontier(const struct file *file, const struct orb_wave_function *w) {
    struct orb_order o;
    struct trj_error err;
    if (!ok(!orb_order_make(&o, w, ORB_ALPHA, &err), "%s: order of orbitals", file->name)) return;
    size_t homo = o.occupied ? o.orbital[o.occupied - 1] + 1 : 0;
    size_t lumo = o.occupied < o.count ? o.orbital[o.occupied] + 1 : 0;
    ok(homo == file->homo && lumo == file->lumo, "%s: HOMO %zu, LUMO %zu; expected %zu and %zu", file->name, homo, lumo,
       file->homo, file->lumo);
    orb_order_free(&o);
}

static void test_file(const char *shared, const struct file *file) {
    char path[4096];
    static struct table table;
    struct orb_wave_function w;
    struct orb_rule_choice choice;
    struct trj_error err = {0};
    snprintf(path, sizeof path, "%s/reference-orbitals/%s.tsv", shared, file->name);
    if (!ok(read_table(&table, path), "%s: table", file->name)) return;
    bool good = read_wave(&w, shared, file->name, &err);
    ok(good && w.functions == file->functions && w.orbitals == file->orbitals, "%s: read %s", file->name, err.text);
    if (good) {
        size_t beta = 0;
        for (size_t o = 0; o < w.orbitals; o++) beta += w.orbital[o].spin == ORB_BETA;
        ok(beta == file->beta, "%s: %zu beta orbitals", file->name, beta);
        compare_frontier(file, &w);
        good = !orb_rule_find(&choice, &w, &err);
        const char *rule = good ? orb_rule_name(choice.rule) : "none";
        bool alike = !strcmp(rule, file->rule) || (!strcmp(file->rule, "prims") && choice.rule == ORB_PRIMITIVES);
        ok(alike, "%s: rule %s, expected %s %s", file->name, rule, file->rule, err.text);
    }
    if (good) {
        const struct orb_deviation *d = &choice.deviation[choice.rule];
        ok(fabs(choice.electrons - file->trace) < 1e-9, "%s: electrons %.10f, expected %.10f", file->name,
           choice.electrons, file->trace);
        ok(fabs(d->norms - file->max_norm) < 1e-12 + 0.01 * file->max_norm &&
               fabs(d->orthonormality - file->max_orthonormality) < 1e-12 + 0.01 * file->max_orthonormality,
           "%s: deviations of norms %.2e, orthonormality %.2e; expected %.2e and %.2e", file->name, d->norms,
           d->orthonormality, file->max_norm, file->max_orthonormality);
        ok(!choice.ambiguous, "%s: one rule %s", file->name, choice.note);
        compare_rules(shared, file->name, &choice);
        compare_values(file, &w, choice.rule, &table);
    }
    orb_wave_function_free(&w);
}

// The density and the absolute value of the HOMO of an NH3 file at the points of a table.
static bool evaluate_nh3(const char *shared, const char *name, const struct table *t, double value[2][POINTS]) {
    struct orb_wave_function w;
    struct orb_rule_choice choice;
    struct orb_basis basis = {0};
    struct trj_error err;
    bool good = read_wave(&w, shared, name, &err) && !orb_rule_find(&choice, &w, &err) &&
                !orb_basis_make(&basis, &w, choice.rule, &err);
    struct orb_jet *function = good ? calloc(w.functions, sizeof *function) : NULL, orbital[5];
    const double twice[5] = {2, 2, 2, 2, 2};
    for (size_t k = 0; good && k < t->rows; k++) {
        size_t occupied = 0;
        orb_point_functions(&basis, &t->value[k][1], function);
        for (size_t o = 0; o < w.orbitals && occupied < 5; o++)
            if (w.orbital[o].occupation > 1)
                orbital[occupied++] = orb_point_orbital(&basis, function, w.coefficient + o * w.functions);
        value[0][k] = (double)orb_point_density(5, orbital, twice).value;
        value[1][k] = fabs((double)orbital[4].value);
    }
    free(function);
    orb_basis_free(&basis);
    orb_wave_function_free(&w);
    return good;
}

// Programs write the same wave function in different ways.
static void test_nh3(const char *shared) {
    static const char *const names[] = {"nh3_orca.molden",       "nh3_psi4.molden",        "nh3_turbomole.molden",
                                        "nh3_molpro2012.molden", "nh3_molden_pure.molden", "nh3_molden_cart.molden"};
    static double first[2][POINTS], other[2][POINTS];
    static struct table t;
    char path[4096];
    snprintf(path, sizeof path, "%s/reference-orbitals/%s.tsv", shared, names[0]);
    ok(read_table(&t, path) && evaluate_nh3(shared, names[0], &t, first), "NH3 of %s", names[0]);
    for (size_t k = 1; k < sizeof names / sizeof *names; k++) {
        double error[2] = {0};
        // The basis of the last file has Cartesian d functions, and is larger. The coefficients of the one before have
        // five decimals: rounding can change its density by up to 3.1e-5 (the sum over orbitals and functions of
        // 4 |psi| |chi| 5e-6), and changes that of Molpro's file by 3.5e-6 if that is rounded, too.
        bool good = evaluate_nh3(shared, names[k], &t, other), cartesian = has_text(names[k], "cart");
        for (int q = 0; q < 2; q++)
            for (size_t p = 0; p < t.rows; p++) error[q] = fmax(error[q], fabs(first[q][p] - other[q][p]));
        ok(good && error[0] < (cartesian ? 4e-4 : 3e-6), "%s: density: differs by %.2g", names[k], error[0]);
        ok(good && error[1] < (cartesian ? 2e-3 : 6e-5), "%s: HOMO: differs by %.2g", names[k], error[1]);
    }
}

int main(void) {
    static char line[8192];
    char path[4096], *field[COLUMNS];
    const char *shared = shared_folder();
    snprintf(path, sizeof path, "%s/reference-orbitals/summary.tsv", shared ? shared : "");
    FILE *f = fopen(path, "r");
    if (!f) {
        skip("orbitals of public files", "no shared folder");
        return done();
    }
    while (fgets(line, sizeof line, f)) {
        if (!strncmp(line, "file\t", 5) || split(line, field, COLUMNS) < 21) continue;
        struct file file = {.name = field[0],
                            .rule = field[9],
                            .trace = strtod(field[11], NULL),
                            .max_norm = strtod(field[13], NULL),
                            .max_orthonormality = strtod(field[14], NULL),
                            .functions = strtoul(field[4], NULL, 10),
                            .orbitals = strtoul(field[7], NULL, 10),
                            .beta = strtoul(field[8], NULL, 10),
                            .homo = strtoul(field[18], NULL, 10),
                            .lumo = strtoul(field[19], NULL, 10)};
        test_file(shared, &file);
    }
    fclose(f);
    test_nh3(shared);
    return done();
}
