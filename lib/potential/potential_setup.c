// SPDX-License-Identifier: MIT
#include "potential_setup.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "memory.h"
#include "number.h"
#include "pair_sum.h"
#include "property.h"

const struct trj_choice pot_inside_choices[] = {
    {"error", "stop with a message that names the atom"},
    {"ok", "compute the formula also there"},
    {NULL, NULL},
};

// ---- options

static int choose_method(struct pot_job *job, const struct pot_options *o, struct trj_error *err) {
    if (!o->method)
        return trj_fail(err, TRJ_USAGE,
                        "no method: give --method direct, mdh, cutoff or pme; the manual compares them");
    for (int i = 0; i < POT_METHODS; i++)
        if (!strcmp(o->method, pot_method_choices[i].name)) job->method = (enum pot_method_kind)i;
    const struct {
        bool given;
        unsigned methods;
        const char *name;
    } uses[] = {
        {o->ions || !isnan(o->debye), 1U << POT_MDH, "--ions and --debye"},
        {o->faces, 1U << POT_MDH, "--faces"},
        {o->inside, 1U << POT_MDH, "--inside"},
        {o->soften, 1U << POT_DIRECT | 1U << POT_MDH, "--soften"},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].given && !(uses[i].methods >> job->method & 1))
            return trj_fail(err, TRJ_USAGE, "%s: cannot be combined with --method %s; leave it out", uses[i].name,
                            o->method);
    if (o->points && (job->method == POT_CUTOFF || job->method == POT_PME || o->faces))
        return trj_fail(err, TRJ_USAGE, "--points: requires --method direct or mdh without --faces");
    job->exact = o->exact;
    job->faces = o->faces;
    return 0;
}

static int parse_soften(struct pot_job *job, const char *text, struct trj_error *err) {
    static const char *const names[] = {"none", "plummer", "gauss", "clip"}; // as enum pot_soften_kind
    const char *colon = text ? strchr(text, ':') : NULL;
    size_t n = !text ? 0 : colon ? (size_t)(colon - text) : strlen(text);
    if (!text || !strcmp(text, "none")) return 0;
    for (int i = POT_SOFTEN_PLUMMER; i <= POT_SOFTEN_CLIP; i++)
        if (strlen(names[i]) == n && !strncmp(text, names[i], n)) job->soften = (enum pot_soften_kind)i;
    if (job->soften && colon && trj_parse_real(colon + 1, &job->soften_length) && job->soften_length >= TRJ_SHORTEST)
        return 0;
    return trj_fail(
        err, TRJ_USAGE,
        "--soften: invalid value '%s': expected plummer:A, gauss:S or clip:R, with a length in Angstrom, or "
        "none",
        text);
}

static int parse_dielectric(struct pot_job *job, const char *text, double *divisor, struct trj_error *err) {
    *divisor = job->method == POT_MDH ? POT_DEFAULT_WATER : 1;
    if (!text) return 0;
    job->distance_dielectric = !strcmp(text, "4r");
    if (job->distance_dielectric && job->method == POT_DIRECT) return 0;
    if (job->distance_dielectric) return trj_fail(err, TRJ_USAGE, "--dielectric 4r: requires --method direct");
    if (trj_parse_real(text, divisor) && *divisor >= 1e-3 && *divisor <= 1e6) return 0;
    return trj_fail(err, TRJ_USAGE, "--dielectric: invalid value '%s': expected a positive number, or 4r", text);
}

// Adds the ions of a list to the ionic strength, in mol/l.
static int parse_ions(const char *text, double *strength, struct trj_error *err) {
    double net = 0;
    *strength = 0;
    for (const char *at = text; *at;) {
        double number[3];
        for (int k = 0; k < 3; k++) {
            at = trj_scan_real(at, &number[k]);
            if (!at || !isfinite(number[k]) || (k < 2 ? *at++ != ':' : *at && *at != ','))
                return trj_fail(err, TRJ_USAGE,
                                "--ions: invalid value '%s': expected CHARGE:MOLAR:RADIUS, separated by commas, such "
                                "as 1:0.15:2.0,-1:0.15:2.0",
                                text);
        }
        if (number[1] < 0 || number[2] < 0)
            return trj_fail(err, TRJ_USAGE, "--ions: a concentration or a radius in '%s' is negative", text);
        *strength += number[1] * number[0] * number[0] / 2;
        net += number[1] * number[0];
        if (*at) at++;
    }
    if (fabs(net) <= 1e-9 * *strength) return 0;
    return trj_fail(err, TRJ_USAGE, "--ions: the ions have a net charge of %g mol/l; the solvent must be neutral", net);
}

static int set_screening(struct pot_job *job, const struct pot_options *o, double temperature, double dielectric,
                         struct trj_error *err) {
    double strength;
    if (job->method != POT_MDH) return 0;
    if ((o->ions != NULL) + !isnan(o->debye) != 1)
        return trj_fail(err, TRJ_USAGE, "--method mdh requires the ions of the solvent; give either --ions or --debye");
    if (!isnan(o->debye)) {
        if (!(o->debye >= 1e-3))
            return trj_fail(err, TRJ_USAGE, "--debye: invalid value %g: expected a length in Angstrom", o->debye);
        job->kappa = 1 / o->debye;
        return 0;
    }
    if (parse_ions(o->ions, &strength, err)) return -1;
    // kappa^2 = 8 pi l_B I, where l_B is the Bjerrum length, and I is per Å^3: 1 mol/l is 6.02214076e-4 / Å^3.
    const double bjerrum = pot_unit_of_charge(POT_UNIT_KT, pot_coulomb(o->coulomb), temperature) / dielectric;
    job->kappa = sqrt(8 * 3.14159265358979323846 * bjerrum * strength * 6.02214076e-4);
    return 0;
}

// ---- charges

static int read_charges(struct pot_setup *s, const struct trj_stream_header *h, const struct trj_group *g,
                        double dielectric, struct trj_error *err) {
    const double *charge, *radius = NULL;
    bool radii = s->job.method == POT_MDH;
    if (trj_property_require(h, "charge", g, &charge, err) ||
        (radii && trj_property_require(h, "radius", g, &radius, err)) ||
        pot_charges_open(&s->charges, g, true, radii, false, err))
        return -1;
    for (size_t i = 0; i < g->count; i++) {
        uint32_t atom = g->atoms[i];
        if (!(fabs(charge[atom]) <= s->job.max_charge))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %u: the charge %g e exceeds the largest charge, %g e; set a larger one with "
                            "--max-charge",
                            atom, charge[atom], s->job.max_charge);
        if (radii && !(radius[atom] >= 0))
            return trj_fail(err, TRJ_BAD_DATA, "atom %u: the radius %g Å is negative", atom, radius[atom]);
        s->charges.charge[i] = charge[atom] / dielectric;
        if (radii) s->charges.radius[i] = radius[atom];
    }
    s->job.max_charge /= dielectric;
    return 0;
}

// ---- points

static int set_points(struct pot_setup *s, const struct pot_options *o, const struct trj_group *g,
                      const struct trj_frame *first, struct trj_error *err) {
    struct pot_job *job = &s->job;
    struct trj_input *in;
    if (!o->points) {
        if (pot_lattice_make(&o->lattice, g, first, &job->lattice, err)) return -1;
        job->fractional = o->lattice.lattice.fractional;
        if (job->method == POT_DIRECT || job->method == POT_MDH) {
            if (job->fractional)
                return trj_fail(err, TRJ_USAGE,
                                "--fractional: the method %s has no periodic images, so that its points cannot move "
                                "with the cell; leave it out, or use --method cutoff or pme",
                                o->method);
            job->lattice.periodic = 0; // the values are not periodic
        }
        job->values = (size_t)trj_map_lattice_points(&job->lattice);
        return 0;
    }
    if (!isnan(o->lattice.lattice.grid) || o->lattice.lattice.like || o->lattice.around || o->lattice.lattice.points)
        return trj_fail(err, TRJ_USAGE, "--points gives the points; leave out the options of the lattice");
    if (trj_input_open(&in, o->points, err)) return -1;
    int rc = pot_point_list_read(&s->list, in, err);
    trj_input_close(in);
    if (rc) return trj_fail_at(err, "--points: %s", o->points);
    job->point = (const double(*)[3])s->list.point;
    job->point_count = job->values = s->list.count;
    return 0;
}

// ---- the map

static int describe(struct pot_setup *s, struct trj_error *err) {
    struct trj_map *m = &s->map;
    m->lattice = s->job.lattice;
    if (s->job.point_count)
        m->lattice =
            (struct trj_map_lattice){.n = {s->job.point_count, 1, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    m->components = 1;
    m->kind = TRJ_MAP_QUANTA;
    m->quantum = s->job.quantum;
    m->error_bound = s->job.error_bound;
    m->meaning = TRJ_MAP_SAMPLES;
    m->quantity = trj_copy_text("electrostatic potential", err);
    m->unit = m->quantity ? trj_copy_text("e/A", err) : NULL;
    return m->unit ? trj_map_check(m, err) : -1;
}

int pot_setup_means(const struct pot_setup *s, struct trj_map *m, struct trj_error *err) {
    *m = s->map;
    m->error_bound *= s->factor;
    m->kind = TRJ_MAP_FLOAT64;
    m->quantum = 0;
    m->quantity = trj_copy_text(s->map.quantity, err);
    m->unit = m->quantity ? trj_copy_text(s->unit, err) : NULL;
    return m->unit ? 0 : -1;
}

int pot_setup_make(struct pot_setup *s, const struct pot_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err) {
    const struct trj_group *group;
    double dielectric, temperature = isnan(o->temperature) ? POT_DEFAULT_TEMPERATURE : o->temperature;
    *s = (struct pot_setup){.unit = o->units ? o->units : pot_unit_choices[POT_UNIT_KT].name};
    if (!(temperature > 0 && temperature <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g: expected kelvin", temperature);
    s->job.max_charge = isnan(o->max_charge) ? POT_DEFAULT_MAX_CHARGE : o->max_charge;
    if (!(s->job.max_charge >= 1e-6 && s->job.max_charge <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--max-charge: invalid value %g: expected a charge in e", o->max_charge);
    if (choose_method(&s->job, o, err) || trj_stream_find_group(h, o->of, &group, err) ||
        parse_soften(&s->job, o->soften, err) || parse_dielectric(&s->job, o->dielectric, &dielectric, err) ||
        set_screening(&s->job, o, temperature, dielectric, err) || read_charges(s, h, group, dielectric, err) ||
        set_points(s, o, group, first, err))
        return -1;
    s->job.atoms = group->count;
    s->inside = o->inside && !strcmp(o->inside, "ok");
    s->factor = pot_unit_of_charge(pot_unit_find(s->unit), pot_coulomb(o->coulomb), temperature);
    return pot_direct_setup(&s->job, group->count, s->charges.charge, s->charges.radius, err) || describe(s, err) ? -1
                                                                                                                  : 0;
}

int pot_setup_frame(struct pot_setup *s, const struct trj_frame *f, struct pot_frame *to, struct trj_error *err) {
    uint32_t atom;
    uint64_t point;
    if (pot_charges_in(&s->charges, f, to, err) ||
        trj_map_lattice_in_cell(&to->lattice, &s->job.lattice, s->job.fractional, &f->cell, err))
        return -1;
    if (s->job.method != POT_MDH || s->inside || !pot_direct_find_inside(&s->job, to, &atom, &point)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %llu is within the radius of atom %u, where the formula of mdh does not hold; choose points "
                    "farther away, or add --inside ok",
                    (unsigned long long)point, atom);
}

void pot_setup_free(struct pot_setup *s) {
    pot_charges_free(&s->charges);
    pot_point_list_free(&s->list);
    trj_map_free(&s->map);
}
