// SPDX-License-Identifier: MIT
// Prints tables of potentials with equidistant rows, because simulation programs interpolate by index.
#include "simulation_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conserving_smooth.h"
#include "memory.h"
#include "pair_potential.h"
#include "table_writer.h"
#include "units.h"

enum { MAX_ROWS = 1000000, LINE = 1024, SHORT = 110, LONG = 1000 };
static const double extension = 10; // Å: table-extension of GROMACS, 1 nm

enum { LAMMPS, GROMACS, ESPRESSO };
const struct trj_choice rdf_table_programs[] = {[LAMMPS] = {"lammps", "pair_style table of LAMMPS"},
                                                [GROMACS] = {"gromacs", "table_A_B.xvg of GROMACS"},
                                                [ESPRESSO] = {"espresso", "tabulated interaction of ESPResSo"},
                                                {NULL, NULL}};

enum units { REAL, METAL, ELECTRON, LJ, NANO };
const struct trj_choice rdf_table_units[] = {
    [REAL] = {"real", "kcal/mol and Angstrom"},
    [METAL] = {"metal", "eV and Angstrom"},
    [ELECTRON] = {"electron", "Hartree and Bohr"},
    [LJ] = {"lj", "reduced units: -T is kT/epsilon, and distances are in sigma instead of Angstrom"},
    [NANO] = {"gromacs", "kJ/mol and nm"},
    {NULL, NULL}};

static const struct {
    double energy, length; // one unit in kJ/mol, Å
} scales[] = {
    // The calorie is 4.184 J; eV is exact in the SI of 2019; Hartree and Bohr are those of CODATA 2018.
    [REAL] = {4.184, 1},
    [METAL] = {96.48533212331, 1},
    [ELECTRON] = {2625.4996394799, 0.529177210903},
    [LJ] = {TRJ_GAS_CONSTANT, 1}, // w was computed as -R T ln g
    [NANO] = {1, 10},
};

const struct trj_choice rdf_table_cores[] = {
    {"linear", "constant force"}, {"power", "force proportional to r^-13, and constant at very small r"}, {NULL, NULL}};

static int choice(const struct trj_choice *list, const char *name) {
    int i = 0;
    while (strcmp(list[i].name, name) != 0) i++;
    return i;
}

static double spacing_of(const struct rdf_simulation_options *options) {
    return isnan(options->spacing) ? 0.01 : options->spacing;
}

static enum units units_of(const struct rdf_simulation_options *options) {
    if (options->units) return (enum units)choice(rdf_table_units, options->units);
    return choice(rdf_table_programs, options->program) == LAMMPS ? REAL : NANO;
}

int rdf_simulation_table_check(const struct rdf_simulation_options *options, struct trj_error *err) {
    int program = choice(rdf_table_programs, options->program);
    enum units units = units_of(options);
    if (program == GROMACS && units != NANO)
        return trj_fail(err, TRJ_USAGE, "--units %s: GROMACS uses kJ/mol and nm; leave --units out", options->units);
    if (program == LAMMPS && units == NANO)
        return trj_fail(err, TRJ_USAGE, "--units gromacs: LAMMPS has no such units; use real, metal, electron or lj");
    if (!(spacing_of(options) > 0))
        return trj_fail(err, TRJ_USAGE, "--spacing: invalid value %g Angstrom: must be above 0", options->spacing);
    if (!isnan(options->cutoff) && !(options->cutoff > 0))
        return trj_fail(err, TRJ_USAGE, "--cutoff: invalid value %g Angstrom: must be above 0", options->cutoff);
    if (!isnan(options->switching) && !(options->switching > 0 && !(options->switching >= options->cutoff)))
        return trj_fail(err, TRJ_USAGE, "--switch: invalid value %g Angstrom: must be above 0 and below the cutoff",
                        options->switching);
    return 0;
}

// A table of one pair. Rows are at i * spacing for i from 1 to `rows`, the last at the cutoff.
struct table {
    const struct rdf_derivation *d;
    const struct rdf_simulation_options *options;
    enum units units;
    struct rdf_pair_potential potential;
    double spacing, largest, largest_at; // Å; the largest error between core and cutoff, kT, and its place
    size_t pair, rows;
};

// Prints a comment, folded into lines of at most `width` characters, because programs read lines into small buffers.
static int print_folded(struct trj_output *out, const char *before, const char *text, size_t width,
                        struct trj_error *err) {
    while (*text) {
        size_t n = strlen(text);
        if (n > width)
            for (n = width; n > width / 2 && text[n] != ' ';) n--;
        while (n > 1 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; // not within a character of UTF-8
        if (trj_output_print(out, err, "%s%.*s\n", before, (int)n, text)) return -1;
        for (text += n; *text == ' ';) text++;
        before = "#     ";
    }
    return 0;
}

static int print_comment(struct trj_output *out, const char *text, struct trj_error *err) {
    return print_folded(out, "# ", text, SHORT, err);
}

// Returns the number of counts from which g at a node was computed.
static double counts_of(const struct rdf_derivation *d, size_t pair, uint64_t node) {
    const struct rdf_bins *b = &d->hist.setup.bins;
    uint64_t first = d->smoothed ? rdf_smooth_first(b, d->smoothed, node) : node;
    uint64_t last = d->smoothed ? rdf_smooth_first(b, d->smoothed, node + 1) : node + 1;
    double counts = 0;
    for (size_t i = 0; i < d->blocks.count; i++)
        for (uint64_t k = first; k < last; k++) counts += (double)d->blocks.block[i].counts[pair * b->count + k];
    return counts;
}

// Sets w and its errors at the nodes: the errors of counting statistics, or of the jackknife if they are larger. The
// nodes are all bins, or, for a smoothed curve, which has kinks at the edges of its windows, the middle bin of each.
static int make_nodes(struct rdf_potential_nodes *n, const struct rdf_derivation *d, size_t pair,
                      struct trj_error *err) {
    const struct rdf_bins *b = &d->hist.setup.bins;
    uint64_t each = d->smoothed ? d->smoothed : 1;
    n->count = d->smoothed ? rdf_smooth_windows(b, each) : b->count;
    n->min = rdf_derived_at(d, each / 2);
    n->width = (b->rmax - b->rmin) / (double)b->count * (double)each;
    n->w = trj_alloc(n->count, sizeof *n->w, "a potential", err);
    n->error = n->w ? trj_alloc(n->count, sizeof *n->error, "a potential", err) : NULL;
    for (uint64_t i = 0; n->error && i < n->count; i++) {
        uint64_t k = i * each + each / 2;
        double counts = counts_of(d, pair, i);
        n->w[i] = rdf_derived_value(d, pair, 0, k);
        n->error[i] = counts > 0 && isfinite(n->w[i]) ? 1 / sqrt(counts) : INFINITY;
        if (d->sets > 1)
            n->error[i] =
                fmax(n->error[i], rdf_derived_error(d, pair, 0, k) / (TRJ_GAS_CONSTANT * d->options.temperature));
    }
    return n->error ? 0 : -1;
}

// Sets range and distance of the rows.
static int make_rows(struct table *t, struct trj_error *err) {
    double rmax = t->d->hist.setup.bins.rmax, spacing = spacing_of(t->options);
    struct rdf_pair_potential *p = &t->potential;
    p->cutoff = isnan(t->options->cutoff) ? rmax : t->options->cutoff;
    p->switching = isnan(t->options->switching) ? 0.9 * p->cutoff : t->options->switching;
    p->power = t->options->core && choice(rdf_table_cores, t->options->core) == 1;
    if (p->cutoff > rmax * (1 + 1e-9))
        return trj_fail(err, TRJ_USAGE,
                        "--cutoff: %.10g Å is beyond rmax, %.10g Å; give a smaller one, or count up to it", p->cutoff,
                        rmax);
    if (p->switching >= p->cutoff)
        return trj_fail(err, TRJ_USAGE, "--switch: %.10g Å is not below the cutoff, %.10g Å", p->switching, p->cutoff);
    double rows = ceil(p->cutoff / spacing * (1 - 1e-9));
    if (!(rows >= 2 && rows <= MAX_ROWS))
        return trj_fail(err, TRJ_USAGE, "--spacing: %g Å gives %g rows up to the cutoff; expected 2 to %d", spacing,
                        rows, MAX_ROWS);
    t->rows = (size_t)rows;
    t->spacing = p->cutoff / rows;
    return 0;
}

static int make(struct table *t, struct trj_error *err) {
    const struct rdf_setup *s = &t->d->hist.setup;
    const struct rdf_pair *p = &s->pairs[t->pair];
    struct rdf_potential_nodes n = {.w = NULL};
    int rc = make_rows(t, err) || make_nodes(&n, t->d, t->pair, err) ? -1 : 0;
    if (!rc && rdf_pair_potential_make(&t->potential, &n, err))
        rc = trj_fail_at(err, "%s:%s", s->groups[p->a].name, s->groups[p->b].name);
    for (size_t i = 0; !rc && i < n.count; i++) {
        double r = n.min + n.width * (double)i;
        if (r < t->potential.core || r > t->potential.cutoff || n.error[i] <= t->largest) continue;
        t->largest = n.error[i];
        t->largest_at = r;
    }
    free(n.w);
    free(n.error);
    return rc;
}

// Sets energy and force at r (Å) in the units of the table.
static void value(double v[2], const struct table *t, double r) {
    rdf_pair_potential_at(&v[0], &v[1], &t->potential, r);
    v[0] /= scales[t->units].energy;
    v[1] /= scales[t->units].energy / scales[t->units].length;
}

// Prints as comments, and reports, where the potential was extrapolated and switched off.
static int describe(struct trj_output *out, const struct table *t, void (*note)(const char *), struct trj_error *err) {
    const struct rdf_setup *s = &t->d->hist.setup;
    const struct rdf_pair *p = &s->pairs[t->pair];
    const struct rdf_pair_potential *q = &t->potential;
    char text[LINE];
    double v[2], end[2];
    value(v, t, q->core);
    value(end, t, q->switching);
    snprintf(text, sizeof text,
             "%s:%s: extrapolated below %.10g Angstrom, %s, from energy %.6g and force %.6g; switched off from %.10g "
             "Angstrom, where the energy is %.4g, to %.10g; largest standard error between core and cutoff %.3g kT, at "
             "%.10g Angstrom",
             s->groups[p->a].name, s->groups[p->b].name, q->core,
             q->power ? "with a force proportional to r^-13 (constant below half of this distance)"
                      : "with a constant force",
             v[0], v[1], q->switching, end[0], q->cutoff, t->largest, t->largest_at);
    if (print_comment(out, text, err)) return -1;
    char line[LINE + 8];
    snprintf(line, sizeof line, "note: %s", text);
    note(line);
    return 0;
}

static int print_head(struct trj_output *out, const struct rdf_derivation *d,
                      const struct rdf_simulation_options *options, char **provenance, struct trj_error *err) {
    enum units units = units_of(options);
    char text[LINE];
    // LAMMPS reads the units from the first line.
    if (choice(rdf_table_programs, options->program) == LAMMPS &&
        trj_output_print(out, err, "# UNITS: %s\n", rdf_table_units[units].name))
        return -1;
    snprintf(text, sizeof text, "potential of mean force at %.10g%s, in %s", d->options.temperature,
             units == LJ ? " epsilon/k" : " K", rdf_table_units[units].help);
    if (print_comment(out, text, err)) return -1;
    for (size_t i = 0; i < d->hist.provenance.count; i++)
        if (print_folded(out, TRJ_PROVENANCE_MARK, d->hist.provenance.text[i], LONG, err)) return -1;
    for (; *provenance; provenance++)
        if (print_folded(out, TRJ_PROVENANCE_MARK, *provenance, LONG, err)) return -1;
    return 0;
}

static int print_lammps(struct trj_output *out, const struct table *t, struct trj_error *err) {
    const struct rdf_setup *s = &t->d->hist.setup;
    const struct rdf_pair *p = &s->pairs[t->pair];
    double length = scales[t->units].length, v[2];
    if (trj_output_print(out, err, "\n%s_%s\nN %zu R %.15g %.15g\n\n", s->groups[p->a].name, s->groups[p->b].name,
                         t->rows, t->spacing / length, t->potential.cutoff / length))
        return -1;
    for (size_t i = 1; i <= t->rows; i++) {
        double r = i < t->rows ? t->spacing * (double)i : t->potential.cutoff;
        value(v, t, r);
        if (trj_output_print(out, err, "%zu %.15g %.15g %.15g\n", i, r / length, v[0], v[1])) return -1;
    }
    return 0;
}

static int print_gromacs(struct trj_output *out, const struct table *t, struct trj_error *err) {
    size_t rows = (size_t)ceil((t->potential.cutoff + extension) / t->spacing * (1 - 1e-9));
    double length = scales[t->units].length, v[2];
    if (print_comment(out, "columns: r, f, -f', g, -g', h, -h'; h is the potential", err)) return -1;
    for (size_t i = 0; i <= rows; i++) {
        double r = t->spacing * (double)i;
        value(v, t, i == t->rows ? t->potential.cutoff : r);
        if (trj_output_print(out, err, "%.15g 0 0 0 0 %.15g %.15g\n", r / length, v[0], v[1])) return -1;
    }
    return 0;
}

static int print_espresso(struct trj_output *out, const struct table *t, struct trj_error *err) {
    double length = scales[t->units].length, v[2];
    if (print_comment(out, "columns: r, energy, force; to read them:", err) ||
        print_comment(out, "r, energy, force = numpy.loadtxt(FILE, unpack=True)", err) ||
        print_comment(out, "system.non_bonded_inter[0, 0].tabulated.set_params(", err) ||
        print_comment(out, "min=r[0], max=r[-1], energy=energy, force=force)", err))
        return -1;
    for (size_t i = 1; i <= t->rows; i++) {
        double r = i < t->rows ? t->spacing * (double)i : t->potential.cutoff;
        value(v, t, r);
        if (trj_output_print(out, err, "%.15g %.15g %.15g\n", r / length, v[0], v[1])) return -1;
    }
    return 0;
}

static int print_rows(struct trj_output *out, const struct table *t, int program, struct trj_error *err) {
    if (program == GROMACS) return print_gromacs(out, t, err);
    return program == LAMMPS ? print_lammps(out, t, err) : print_espresso(out, t, err);
}

// LAMMPS separates words by blanks.
static int check_names(const struct rdf_setup *s, struct trj_error *err) {
    for (size_t g = 0; g < s->group_count; g++)
        for (const char *c = s->groups[g].name; *c; c++)
            if (isspace((unsigned char)*c) || *s->groups[g].name == '#')
                return trj_fail(err, TRJ_USAGE, "--table lammps: group '%s' is no keyword; give it another name",
                                s->groups[g].name);
    return 0;
}

int rdf_simulation_table_print(struct trj_output *out, const struct rdf_derivation *d,
                               const struct rdf_simulation_options *options, char **provenance,
                               void (*note)(const char *text), struct trj_error *err) {
    int program = choice(rdf_table_programs, options->program), rc;
    if (program != LAMMPS && d->pairs > 1)
        return trj_fail(err, TRJ_USAGE, "--table %s: a file has one pair of groups, found %zu; choose one with --pair",
                        options->program, d->pairs);
    if (program == LAMMPS && check_names(&d->hist.setup, err)) return -1;
    rc = print_head(out, d, options, provenance, err);
    for (size_t p = 0; !rc && p < d->pairs; p++) {
        struct table t = {.d = d, .options = options, .units = units_of(options), .pair = p};
        rc = make(&t, err) || describe(out, &t, note, err) || print_rows(out, &t, program, err) ? -1 : 0;
        rdf_pair_potential_free(&t.potential);
    }
    return rc;
}
