// SPDX-License-Identifier: MIT
// Turns the options of densmap and the atoms of a stream into a job, so that the filter itself only reads and writes
// frames.
#include "density_setup.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "property.h"

const struct trj_option den_option_table[] = {
    {.heading = "Density",
     TRJ_OPTION_FIELD(0, "of", TEXT, struct den_options, group, "GROUP",
                      "compute the density of this group (default: the only group)")},
    {TRJ_OPTION_FIELD('k', "kernel", CHOICE, struct den_options, kernel, "KERNEL",
                      "set how an atom contributes (default: gauss with --sigma or --resolution, otherwise count)"),
     .choices = den_kernel_choices},
    {TRJ_OPTION_FIELD(
         'w', "weight", TEXT, struct den_options, weight, "WEIGHT",
         "weight each atom by 1, mass, charge, Z or another property that trjcat --carry adds (default: 1)"),
     .carry = "mass:mass,charge:charge,radius:radius,sigma:sigma,epsilon:epsilon,bfactor:bfactor,"
              "occupancy:occupancy,Z:element"},
    {TRJ_OPTION_FIELD(
        0, "max-weight", REAL, struct den_options, max_weight, "W",
        "set the largest magnitude of a weight, which determines the precision (default: mass 512, charge 16, Z "
        "128)")},
    {TRJ_OPTION_FIELD(0, "sigma", REAL, struct den_options, sigma, "S",
                      "set the width of the Gaussians in Angstrom; their integral is the weight")},
    {TRJ_OPTION_FIELD(0, "resolution", REAL, struct den_options, resolution, "R",
                      "set the width to --sigma-factor times a resolution in Angstrom")},
    {TRJ_OPTION_FIELD(0, "sigma-factor", TEXT, struct den_options, sigma_factor, "FACTOR",
                      "set the ratio of width and resolution: " DEN_RESOLUTION_FACTORS " (default: chimerax)")},
    {TRJ_OPTION_FIELD(
         0, "radius", TEXT, struct den_options, radius, "RADIUS",
         "gauss: set the width to vdw*FACTOR or radius*FACTOR, and the height to the weight; ball: set the "
         "radius in Angstrom"),
     .carry = "radius:radius"},
    {TRJ_OPTION_FIELD(0, "cutoff", REAL, struct den_options, cutoff, "C",
                      "truncate Gaussians at this multiple of their width, from 2 to 6 (default: 5)")},
    {.table = trj_lattice_option_table, .offset = offsetof(struct den_options, lattice)},
    {TRJ_OPTION_FIELD(0, "points", TEXT, struct den_options, lattice.points, "N,N,N",
                      "set the numbers of points along the three axes")},
    {TRJ_OPTION_FIELD(0, "body", TEXT, struct den_options, body, "AXES",
                      "count about each molecule, in its own axes: O:H:H (three atoms), bisector:O:H:H, or "
                      "principal:GROUP"),
     .carry = "principal:mass"},
    {TRJ_OPTION_FIELD(0, "size", REAL, struct den_options, size, "L",
                      "with --body and --grid: set the edge of the cube about the molecule in Angstrom (default: 16)")},
    TRJ_OPTION_END,
};

// ---- group and kernel

const struct trj_choice den_kernel_choices[] = {
    // as enum den_kernel
    {"count", "the number of atoms in the voxel of each point"},
    {"cic", "each atom is divided between the eight points around it"},
    {"ball", "a uniform ball of --radius"},
    {"gauss", "a Gaussian of --sigma, --resolution or --radius"},
    {NULL, NULL},
};

static int choose_kernel(struct den_job *job, const struct den_options *o, struct trj_error *err) {
    bool width = !isnan(o->sigma) || !isnan(o->resolution);
    job->kernel = width ? DEN_GAUSS : DEN_COUNT;
    for (int k = 0; o->kernel && k < DEN_KERNELS; k++)
        if (!strcmp(o->kernel, den_kernel_choices[k].name)) job->kernel = (enum den_kernel)k;
    if (width && job->kernel != DEN_GAUSS)
        return trj_fail(err, TRJ_USAGE, "--sigma and --resolution are for --kernel gauss, not for %s; leave one out",
                        den_kernel_choices[job->kernel].name);
    if (o->radius && job->kernel != DEN_GAUSS && job->kernel != DEN_BALL)
        return trj_fail(err, TRJ_USAGE, "--radius is for --kernel ball and gauss, not for %s; leave one out",
                        den_kernel_choices[job->kernel].name);
    if (o->sigma_factor && isnan(o->resolution))
        return trj_fail(err, TRJ_USAGE, "--sigma-factor applies to --resolution; give a resolution, or leave it out");
    if (job->kernel == DEN_GAUSS && !isnan(o->sigma) + !isnan(o->resolution) + (o->radius != NULL) != 1)
        return trj_fail(err, TRJ_USAGE,
                        "--kernel gauss requires a width: give one of --sigma, --resolution and --radius");
    if (job->kernel == DEN_BALL && !o->radius)
        return trj_fail(err, TRJ_USAGE, "--kernel ball requires a radius; give --radius R in Angstrom");
    return 0;
}

// ---- weights

// Largest magnitudes of weights that are expected. The quantum of the sums follows from them.
static const struct {
    const char *name, *unit;
    double bound;
    const char *density;
} weights[] = {
    {"1", "", 1, "number density"},
    {"mass", "u", 512, "mass density"},
    {"charge", "e", 16, "charge density"},
    {"Z", "", 128, "density of atomic numbers"},
};
enum { WEIGHTS = sizeof weights / sizeof *weights };

static int read_atomic_numbers(struct den_setup *s, const struct trj_stream_header *h, struct trj_error *err) {
    const struct trj_group *g = s->job.group;
    for (size_t i = 0; i < g->count; i++) {
        unsigned z = h->element ? h->element[g->atoms[i]] : 0;
        if (!z && !trj_stream_is_site(h, g->atoms[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--weight Z: the element of atom %u is unknown; add trjcat --carry element, or a topology "
                            "with elements (-t)",
                            g->atoms[i]);
        s->weight[i] = (float)z;
    }
    return 0;
}

static int set_weights(struct den_setup *s, const struct den_options *o, const struct trj_stream_header *h,
                       struct trj_error *err) {
    const char *name = o->weight ? o->weight : "1";
    const struct trj_group *g = s->job.group;
    int w = 0;
    while (w < WEIGHTS && strcmp(weights[w].name, name) != 0) w++;
    const struct trj_property *p = trj_property_find(h, name);
    if (w == WEIGHTS && !p)
        return trj_fail(err, TRJ_USAGE,
                        "--weight: '%s' is neither 1, mass, charge or Z nor a property of the stream; add it with "
                        "trjcat --carry",
                        name);
    snprintf(s->density, sizeof s->density, "%s", w < WEIGHTS ? weights[w].density : "density of a property");
    s->unit = w < WEIGHTS ? weights[w].unit : p->unit;
    s->job.gauss.bound = !isnan(o->max_weight) ? o->max_weight : w < WEIGHTS ? weights[w].bound : NAN;
    if (isnan(s->job.gauss.bound))
        return trj_fail(err, TRJ_USAGE, "--weight %s: give its largest magnitude with --max-weight", name);
    if (!w) return 0;
    s->weight = trj_alloc(g->count, sizeof *s->weight, "weights", err);
    if (!s->weight) return -1;
    s->job.weight = s->weight;
    if (!strcmp(name, "Z")) return read_atomic_numbers(s, h, err);
    const double *values;
    if (trj_property_require(h, name, g, &values, err)) return -1;
    for (size_t i = 0; i < g->count; i++) s->weight[i] = (float)values[g->atoms[i]];
    return 0;
}

// ---- widths

static int add_kind(struct den_setup *s, double sigma, double peak, uint16_t *kind, struct trj_error *err) {
    struct den_gauss_setup *g = &s->job.gauss;
    for (unsigned i = 0; i < g->kinds; i++)
        if (s->sigma[i] == sigma) { // NOLINT(clang-diagnostic-float-equal): copies of one number
            *kind = (uint16_t)i;
            return 0;
        }
    if (g->kinds == DEN_GAUSS_KINDS)
        return trj_fail(err, TRJ_BAD_DATA, "the atoms have more than %d different radii; round them", DEN_GAUSS_KINDS);
    s->sigma[g->kinds] = sigma;
    s->peak[g->kinds] = peak;
    *kind = (uint16_t)g->kinds++;
    return 0;
}

// Parses "vdw*1.5" or "radius*1.5". Without a factor, it is 1.
static int parse_radius(const char *text, bool *vdw, double *factor, struct trj_error *err) {
    const char *star = strchr(text, '*');
    size_t n = star ? (size_t)(star - text) : strlen(text);
    *vdw = n == 3 && !strncmp(text, "vdw", n);
    *factor = 1;
    if ((*vdw || (n == 6 && !strncmp(text, "radius", n))) && (!star || trj_parse_real(star + 1, factor)) && *factor > 0)
        return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--radius: invalid value '%s': expected vdw*FACTOR (van der Waals radii of the elements) or "
                    "radius*FACTOR (a property of the stream)",
                    text);
}

static int set_radii(struct den_setup *s, const char *text, const struct trj_stream_header *h, struct trj_error *err) {
    const struct trj_group *g = s->job.group;
    const double *radius = NULL;
    double factor;
    bool vdw;
    if (parse_radius(text, &vdw, &factor, err) || (!vdw && trj_property_require(h, "radius", g, &radius, err)))
        return -1;
    s->kind = trj_alloc(g->count, sizeof *s->kind, "radii", err);
    if (!s->kind) return -1;
    s->job.kind = s->kind;
    for (size_t i = 0; i < g->count; i++) {
        uint32_t atom = g->atoms[i];
        double r = vdw ? trj_bondi_radius(h->element ? h->element[atom] : 0) : radius[atom];
        if (isnan(r))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--radius vdw: the element of atom %u is unknown, or has no van der Waals radius; add "
                            "trjcat --carry element, or a topology with elements (-t), or carry a radius",
                            atom);
        if (!(r > 0))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "--radius: the radius of atom %u is %g Angstrom, but Gaussians require radii above 0; leave "
                "such atoms out of the group, or use --sigma",
                atom, r);
        if (add_kind(s, r * factor, 1, &s->kind[i], err)) return -1;
    }
    return 0;
}

static int set_widths(struct den_setup *s, const struct den_options *o, const struct trj_stream_header *h,
                      struct trj_error *err) {
    struct den_gauss_setup *g = &s->job.gauss;
    double factor = 0, sigma = o->sigma;
    uint16_t kind;
    if (s->job.kernel == DEN_BALL && (!trj_parse_real(o->radius, &s->job.radius) || !(s->job.radius > 0)))
        return trj_fail(err, TRJ_USAGE, "--radius: invalid value '%s': expected a length in Angstrom", o->radius);
    if (s->job.kernel != DEN_GAUSS) return 0;
    s->sigma = trj_alloc(DEN_GAUSS_KINDS, sizeof *s->sigma, "widths", err);
    s->peak = s->sigma ? trj_alloc(DEN_GAUSS_KINDS, sizeof *s->peak, "widths", err) : NULL;
    if (!s->peak) return -1;
    g->sigma = s->sigma;
    g->peak = s->peak;
    g->cutoff = isnan(o->cutoff) ? 0 : o->cutoff;
    if (!isnan(o->cutoff) && !(g->cutoff >= DEN_GAUSS_CUTOFF_MIN && g->cutoff <= DEN_GAUSS_CUTOFF_MAX))
        return trj_fail(err, TRJ_USAGE, "--cutoff: invalid value %g: expected %g to %g", g->cutoff,
                        DEN_GAUSS_CUTOFF_MIN, DEN_GAUSS_CUTOFF_MAX);
    if (o->radius) return set_radii(s, o->radius, h, err);
    if (!isnan(o->resolution)) {
        if (den_resolution_factor(&factor, o->sigma_factor ? o->sigma_factor : "chimerax", err))
            return trj_fail_at(err, "--sigma-factor");
        sigma = factor * o->resolution;
    }
    if (!(sigma >= TRJ_SHORTEST && sigma <= TRJ_FARTHEST))
        return trj_fail(err, TRJ_USAGE, "invalid width of a Gaussian: %g Å, expected a positive number", sigma);
    return add_kind(s, sigma, den_gauss_peak(sigma), &kind, err);
}

// ---- lattices about molecules

static int check_about(const struct den_setup *s, const struct den_options *o, struct trj_error *err) {
    const struct trj_map_lattice *l = &s->job.lattice;
    if (s->job.kernel != DEN_COUNT || s->job.weight)
        return trj_fail(err, TRJ_USAGE, "--body: counts atoms; use --kernel count, and leave --weight out");
    if (o->lattice.fractional)
        return trj_fail(err, TRJ_USAGE, "--body: cannot be combined with --fractional; leave it out");
    for (int k = 0; k < 3; k++)
        if (l->periodic || !(l->step[k][k] > 0) || l->step[k][(k + 1) % 3] != 0 || l->step[k][(k + 2) % 3] != 0)
            return trj_fail(
                err, TRJ_USAGE,
                "--body: requires a lattice that is not periodic, with steps along x, y and z; give --grid, "
                "or --origin, --points and --steps");
    return 0;
}

// Makes a cube about the origin, which is a point.
static int set_cube(struct trj_map_lattice *l, const struct den_options *o, struct trj_error *err) {
    double size = isnan(o->size) ? DEN_DEFAULT_SIZE : o->size, half = floor(size / (2 * o->lattice.grid) + 1e-9);
    if (!(size >= TRJ_SHORTEST && half <= 0x1p20))
        return trj_fail(err, TRJ_USAGE, "--size: invalid value %g: expected a length in Angstrom, and at most %g steps",
                        size, 0x1p21);
    for (int k = 0; k < 3; k++) {
        l->n[k] = 2 * (uint64_t)half + 1;
        l->origin[k] = -half * o->lattice.grid;
        l->step[k][k] = o->lattice.grid;
    }
    return trj_map_lattice_check(l, err) ? trj_fail_at(err, "--size") : 0;
}

static int set_lattice(struct den_setup *s, const struct den_options *o, const struct trj_frame *first,
                       struct trj_error *err) {
    const struct trj_lattice_options *l = &o->lattice;
    bool cube = o->body && !isnan(l->grid) && !l->like && !trj_lattice_options_are_fixed(l);
    s->job.fractional = l->fractional;
    if (!isnan(o->size) && (isnan(l->grid) || !o->body))
        return trj_fail(err, TRJ_USAGE, "--size: applies to a --grid with --body; leave it out, or give both");
    if (cube && !(l->grid >= TRJ_SHORTEST))
        return trj_fail(err, TRJ_USAGE, "--grid: invalid value %g: expected a length in Angstrom", l->grid);
    return cube ? set_cube(&s->job.lattice, o, err) : trj_lattice_options_make(l, &first->cell, &s->job.lattice, err);
}

// ---- the map

static int describe(struct den_setup *s, const struct den_options *o, struct trj_error *err) {
    const struct den_job *job = &s->job;
    struct trj_map *m = &s->map;
    bool counts = job->kernel == DEN_COUNT || job->kernel == DEN_CIC, heights = job->kernel == DEN_GAUSS && o->radius;
    bool atoms = !job->weight;
    m->lattice = job->lattice;
    m->components = 1;
    m->kind = job->kernel == DEN_COUNT && atoms ? TRJ_MAP_COUNTS : TRJ_MAP_QUANTA;
    m->quantum = m->kind == TRJ_MAP_QUANTA ? job->quantum : 0;
    m->error_bound = job->error_bound;
    m->meaning = counts ? TRJ_MAP_TOTALS : TRJ_MAP_SAMPLES;
    const char *unit = s->unit;
    snprintf(s->density_unit, sizeof s->density_unit, heights ? "%s" : *unit ? "%s A^-3" : "A^-3", unit);
    if (heights) snprintf(s->density, sizeof s->density, "sum of Gaussians");
    s->to_density = counts ? 1 / trj_map_lattice_voxel(&job->lattice) : 1;
    m->quantity = trj_copy_text(!counts ? s->density : atoms ? "number of atoms" : "sum of weights", err);
    m->unit = m->quantity ? trj_copy_text(counts ? unit : s->density_unit, err) : NULL;
    return m->unit ? trj_map_check(m, err) : -1;
}

int den_setup_density(const struct den_setup *s, struct trj_map *m, double relative, struct trj_error *err) {
    *m = s->map;
    m->error_bound *= s->to_density;
    if (!isnan(relative)) m->error_bound /= relative;
    m->kind = TRJ_MAP_FLOAT64;
    m->quantum = 0;
    if (m->meaning == TRJ_MAP_TOTALS) m->meaning = TRJ_MAP_MEANS;
    m->quantity = trj_copy_text(!isnan(relative) ? "relative density" : s->density, err);
    m->unit = m->quantity ? trj_copy_text(!isnan(relative) ? "" : s->density_unit, err) : NULL;
    return m->unit ? 0 : -1;
}

int den_setup_make(struct den_setup *s, const struct den_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err) {
    *s = (struct den_setup){.job.atoms = h->atoms};
    if (o->body && trj_bodies_open(&s->bodies, o->body, h, err)) return -1;
    if (o->body) s->job.bodies = &s->bodies;
    if (trj_stream_find_group(h, o->group, &s->job.group, err)) return -1;
    if (choose_kernel(&s->job, o, err)) return -1;
    if (set_weights(s, o, h, err)) return -1;
    if (set_widths(s, o, h, err)) return -1;
    if (set_lattice(s, o, first, err)) return -1;
    if (o->body && check_about(s, o, err)) return -1;
    if (den_job_quantum(&s->job, err)) return -1;
    if (den_job_bound(&s->job, &first->cell, err)) return -1;
    return describe(s, o, err) ? -1 : 0;
}

double den_setup_weight(const struct den_setup *s) {
    return s->job.bodies ? (double)s->job.bodies->count : 1;
}

void den_setup_free(struct den_setup *s) {
    trj_bodies_free(&s->bodies);
    trj_map_free(&s->map);
    free(s->weight);
    free(s->kind);
    free(s->sigma);
    free(s->peak);
}
