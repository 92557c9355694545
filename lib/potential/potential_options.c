// SPDX-License-Identifier: MIT
// Checks the options of potmap together, because each method accepts other ones.
#include "potential_options.h"

#include <stddef.h>
#include <string.h>

#include "cutoff_sum.h"
#include "debye.h"
#include "input.h"
#include "number.h"
#include "pme_choice.h"
#include "pme_sum.h"
#include "pot_kernel.h"

const struct trj_option pot_option_table[] = {
    {.heading = "Potential",
     TRJ_OPTION_FIELD(0, "method", CHOICE, struct pot_options, method, "METHOD",
                      "compute the potential by this method (required)"),
     .choices = pot_method_choices,
     .carry = "direct:charge,mdh:charge,mdh:radius,pme:charge,fast:charge"},
    {TRJ_OPTION_FIELD(0, "of", TEXT, struct pot_options, group, "GROUP",
                      "compute the potential of the charges of this group (default: the only group)")},
    {TRJ_OPTION_FIELD(0, "units", CHOICE, struct pot_options, units, "UNIT",
                      "write means and tables in this unit (default: kT/e)"),
     .choices = pot_unit_choices},
    {TRJ_OPTION_FIELD('T', "temperature", REAL, struct pot_options, temperature, "T",
                      "set the temperature in kelvin, for kT/e and for --ions (default: 298.15)")},
    {TRJ_OPTION_FIELD(0, "coulomb", CHOICE, struct pot_options, coulomb, "NAME",
                      "use the Coulomb constant of this program (default: codata)"),
     .choices = pot_coulomb_choices},
    {TRJ_OPTION_FIELD(0, "dielectric", TEXT, struct pot_options, dielectric, "EPS",
                      "divide the potential by EPS, or with 4r by 4 times the distance in Angstrom (default: 1; mdh: "
                      "78.54)")},
    {TRJ_OPTION_FIELD(0, "soften", TEXT, struct pot_options, soften, "SOFTEN",
                      "replace 1/r: plummer:A, gauss:S or clip:R, with a length in Angstrom (default: none)")},
    {TRJ_OPTION_FIELD(0, "exact", FLAG, struct pot_options, exact, NULL, "compute contributions in float64")},
    {TRJ_OPTION_FIELD(0, "max-charge", REAL, struct pot_options, max_charge, "Q",
                      "set the largest magnitude of a charge in e, which determines the precision (default: 16)")},
    {TRJ_OPTION_FIELD(0, "charges", TEXT, struct pot_options, charges, "FILE",
                      "set the charges: a file with names of atoms and charges in e (default: those of the stream)"),
     .carry = "-charge"},
    {.heading = "Multiple Debye-Hueckel",
     TRJ_OPTION_FIELD(0, "ions", TEXT, struct pot_options, ions, "LIST",
                      "set the ions of the solvent, each CHARGE:MOLAR:RADIUS, such as 1:0.15:2.0,-1:0.15:2.0")},
    {TRJ_OPTION_FIELD(0, "debye", REAL, struct pot_options, debye, "L",
                      "set the Debye length in Angstrom instead of the ions")},
    {TRJ_OPTION_FIELD(0, "radii", TEXT, struct pot_options, radii, "RADII",
                      "set the radii: " POT_RADII " with names and radii (default: those of the stream)"),
     .carry = "-radius"},
    {TRJ_OPTION_FIELD(0, "apbs", TEXT, struct pot_options, apbs, "TEMPLATE",
                      "write the input of APBS for each frame, with boundary values: NAME.pqr, NAME.dx and NAME.in for "
                      "-o NAME"),
     .role = TRJ_ROLE_SHELL},
    {TRJ_OPTION_FIELD(0, "faces", FLAG, struct pot_options, faces, NULL,
                      "compute only the points on the six faces of the lattice; the others are 0")},
    {TRJ_OPTION_FIELD(0, "inside", CHOICE, struct pot_options, inside, "RULE",
                      "set what happens if a point is within the radius of an atom, where the formula does not hold "
                      "(default: error)"),
     .choices = pot_inside_choices},
    {.heading = "Cutoff",
     TRJ_OPTION_FIELD('r', "cutoff", REAL, struct pot_options, cutoff, "R",
                      "set the largest distance of contributions in Angstrom (required for cutoff; pme --full: 12)")},
    {TRJ_OPTION_FIELD('k', "kernel", TEXT, struct pot_options, kernel, "KERNEL",
                      "set the pair potential: rodrigues, shift, rf:EPS, erfc:ALPHA, yukawa:KAPPA, "
                      "lj:probe=RMIN_HALF,EPS, buckingham:A,B,C, count or table:FILE (required for cutoff)"),
     .carry = "rodrigues:charge,shift:charge,rf:charge,erfc:charge,yukawa:charge,table:charge,lj:sigma,"
              "lj:epsilon"},
    {.heading = "Particle-mesh Ewald",
     TRJ_OPTION_FIELD(0, "order", COUNT, struct pot_options, order, "N",
                      "set the order of the B-splines: 4, 6 or 8 (default: 8)"),
     .min = 4,
     .max = 8},
    {TRJ_OPTION_FIELD(0, "alpha", REAL, struct pot_options, alpha, "A",
                      "set the Ewald coefficient in 1/Angstrom (default: 0.2575)")},
    {TRJ_OPTION_FIELD(
        0, "tolerance", REAL, struct pot_options, tolerance, "T",
        "choose the mesh and parameters that are not given for this relative rms error (default for fast: "
        "1e-6)")},
    {TRJ_OPTION_FIELD(0, "full", FLAG, struct pot_options, full, NULL,
                      "add the real-space part (default: only the smooth reciprocal part)")},
    {TRJ_OPTION_FIELD(0, "surface", TEXT, struct pot_options, surface, "SURFACE",
                      "set the boundary at infinity: tinfoil, vacuum, slab:x, slab:y or slab:z (default: tinfoil)")},
    {TRJ_OPTION_FIELD(0, "dump", CHOICE, struct pot_options, dump, "WHAT",
                      "write the charges on the mesh instead of the potential"),
     .choices = pot_dump_choices},
    {.table = pot_lattice_option_table, .offset = offsetof(struct pot_options, lattice)},
    {TRJ_OPTION_FIELD(0, "points", TEXT, struct pot_options, points, "FILE",
                      "compute the potential at the positions in FILE, and write a table instead of a map")},
    TRJ_OPTION_END,
};

const struct trj_choice pot_inside_choices[] = {
    {"error", "stop with a message that names the atom"},
    {"ok", "compute the formula also there"},
    {NULL, NULL},
};

const struct trj_choice pot_dump_choices[] = {
    {"charge", "the charges on the mesh, in e"},
    {NULL, NULL},
};

bool pot_options_convert(const struct pot_options *o) {
    return o->units || o->coulomb || (!isnan(o->temperature) && !o->ions);
}

static int choose_method(struct pot_job *job, const struct pot_options *o, struct trj_error *err) {
    if (!o->method)
        return trj_fail(err, TRJ_USAGE,
                        "no method: give --method direct, mdh, cutoff, pme or fast; the manual compares them");
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
        {o->apbs, 1U << POT_MDH, "--apbs"},
        {o->radii, 1U << POT_MDH, "--radii"},
        {o->soften, 1U << POT_DIRECT | 1U << POT_MDH, "--soften"},
        {o->kernel, 1U << POT_CUTOFF, "--kernel"},
        {!isnan(o->cutoff), 1U << POT_CUTOFF | 1U << POT_PME, "--cutoff"},
        {o->order != TRJ_OPTION_ABSENT, 1U << POT_PME, "--order"},
        {!isnan(o->alpha), 1U << POT_PME, "--alpha"},
        {!isnan(o->tolerance), 1U << POT_PME | 1U << POT_FAST, "--tolerance"},
        {o->full, 1U << POT_PME, "--full"},
        {o->surface, 1U << POT_PME, "--surface"},
        {o->dump, 1U << POT_PME, "--dump"},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (uses[i].given && !(uses[i].methods >> job->method & 1))
            return trj_fail(err, TRJ_USAGE, "%s: cannot be combined with --method %s; leave it out", uses[i].name,
                            o->method);
    if (o->points && (job->method == POT_PME || job->method == POT_FAST || o->faces))
        return trj_fail(err, TRJ_USAGE, "--points: requires --method direct, mdh without --faces, or cutoff");
    if (o->apbs &&
        (o->ions || !isnan(o->debye) || o->dielectric || !isnan(o->temperature) || o->units || o->coulomb || o->points))
        return trj_fail(err, TRJ_USAGE,
                        "--apbs: the template states ions, dielectric constant, temperature and points; leave --ions, "
                        "--debye, --dielectric, --temperature, --units, --coulomb and --points out");
    job->exact = o->exact;
    job->faces = o->faces || o->apbs;
    return 0;
}

static int parse_soften(struct pot_job *job, const char *text, struct trj_error *err) {
    static const char *const names[] = {"none", "plummer", "gauss", "clip"}; // as enum pot_soften_kind
    const char *colon = text ? strchr(text, ':') : NULL;
    size_t n = !text ? 0 : colon ? (size_t)(colon - text) : strlen(text);
    if (!text || !strcmp(text, "none")) return 0;
    for (int i = POT_SOFTEN_PLUMMER; i <= POT_SOFTEN_CLIP; i++)
        if (strlen(names[i]) == n && !strncmp(text, names[i], n)) job->soften = (enum pot_soften_kind)i;
    if (job->soften && colon && trj_parse_real(colon + 1, &job->soften_length) && job->soften_length >= TRJ_SHORTEST &&
        job->soften_length <= TRJ_FARTHEST)
        return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--soften: invalid value '%s': expected plummer:A, gauss:S or clip:R, with a length from %g to %g "
                    "Angstrom, or none",
                    text, TRJ_SHORTEST, TRJ_FARTHEST);
}

static int parse_dielectric(struct pot_job *job, const char *text, double *divisor, struct trj_error *err) {
    *divisor = job->method == POT_MDH ? POT_DEFAULT_WATER : 1;
    if (!text) return 0;
    job->distance_dielectric = !strcmp(text, "4r");
    if (job->distance_dielectric && job->method == POT_DIRECT) return 0;
    if (job->distance_dielectric) return trj_fail(err, TRJ_USAGE, "--dielectric 4r: requires --method direct");
    if (trj_parse_real(text, divisor) && *divisor >= 1e-3 && *divisor <= 1e6) return 0;
    return trj_fail(err, TRJ_USAGE, "--dielectric: invalid value '%s': expected 0.001 to 1e+06, or 4r", text);
}

static int set_screening(struct pot_job *job, const struct pot_options *o, double temperature, double dielectric,
                         struct trj_error *err) {
    struct pot_ions ions;
    if (job->method != POT_MDH || o->apbs) return 0;
    if (!o->ions && isnan(o->debye))
        return trj_fail(err, TRJ_USAGE, "--method mdh requires the ions of the solvent; give --ions or --debye");
    if (o->ions && !isnan(o->debye))
        return trj_fail(err, TRJ_USAGE, "--ions and --debye: each defines the Debye length; give only one");
    if (isnan(o->debye)) {
        if (pot_ions_parse(&ions, o->ions, err)) return trj_fail_at(err, "--ions");
        job->kappa = pot_debye_kappa(pot_ionic_strength(&ions), dielectric, temperature);
        return 0;
    }
    if (!(o->debye >= 1e-3))
        return trj_fail(err, TRJ_USAGE, "--debye: invalid value %g: expected a length of at least 0.001 Angstrom",
                        o->debye);
    job->kappa = 1 / o->debye;
    return 0;
}

static int set_kernel(struct pot_job *job, const struct pot_options *o, struct trj_error *err) {
    if (job->method != POT_CUTOFF) return 0;
    if (!o->kernel || isnan(o->cutoff))
        return trj_fail(err, TRJ_USAGE,
                        "--method cutoff requires a pair potential and its range; give --kernel and --cutoff");
    job->cutoff = o->cutoff;
    return pot_kernel_parse(job, o->kernel, err) ? trj_fail_at(err, "--kernel") : 0;
}

static int parse_surface(struct pot_job *job, const char *text, struct trj_error *err) {
    if (!text || !strcmp(text, "tinfoil")) return 0;
    job->surface = !strcmp(text, "vacuum") ? POT_VACUUM : POT_SLAB;
    if (job->surface == POT_VACUUM) return 0;
    job->slab_axis = strlen(text) == 6 && !strncmp(text, "slab:", 5) ? text[5] - 'x' : -1;
    if (job->slab_axis >= 0 && job->slab_axis < 3) return 0;
    return trj_fail(err, TRJ_USAGE, "--surface: invalid value '%s': expected tinfoil, vacuum, slab:x, slab:y or slab:z",
                    text);
}

static void set_fast(struct pot_job *job, const struct pot_options *o) {
    if (job->method != POT_FAST) return;
    job->tolerance = isnan(o->tolerance) ? POT_DEFAULT_TOLERANCE : o->tolerance;
}

static int set_mesh(struct pot_job *job, const struct pot_options *o, struct trj_error *err) {
    if (job->method != POT_PME) return 0;
    bool chosen = !isnan(o->tolerance);
    unsigned order = o->order != TRJ_OPTION_ABSENT ? (unsigned)o->order : POT_DEFAULT_ORDER;
    if (pot_pme_check_numbers(order, !isnan(o->alpha) ? o->alpha : POT_PME_ALPHA, err)) return -1;
    job->full = o->full;
    job->charge_mesh = o->dump != NULL;
    job->order = o->order == TRJ_OPTION_ABSENT && chosen ? 0 : order;
    job->alpha = !isnan(o->alpha) ? o->alpha : chosen ? 0 : POT_PME_ALPHA;
    if (o->dump && (o->full || o->surface || chosen || !isnan(o->alpha) || !isnan(o->cutoff) || o->exact))
        return trj_fail(err, TRJ_USAGE,
                        "--dump charge: cannot be combined with --full, --surface, --tolerance, --alpha, --cutoff or "
                        "--exact, which concern the potential; leave them out");
    if (!isnan(o->cutoff) && !o->full)
        return trj_fail(err, TRJ_USAGE, "--cutoff: applies to the real-space part; leave it out, or add --full");
    if (o->exact && !o->full)
        return trj_fail(err, TRJ_USAGE, "--exact: applies to the real-space part; leave it out, or add --full");
    if (!isnan(o->cutoff) && !(o->cutoff >= 1e-3 && o->cutoff <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--cutoff: invalid value %g: expected 0.001 to 1e+06 Angstrom", o->cutoff);
    if (o->full) job->cutoff = !isnan(o->cutoff) ? o->cutoff : chosen ? 0 : POT_PME_CUTOFF;
    if (chosen && o->lattice.lattice.grid < TRJ_SHORTEST)
        return trj_fail(err, TRJ_USAGE, "--grid: invalid value %g: expected a length in Angstrom",
                        o->lattice.lattice.grid);
    if (chosen && !(o->tolerance > 0)) // 0 in the job means that no tolerance is given
        return trj_fail(err, TRJ_USAGE, "--tolerance: invalid value %g: expected 1e-10 to 0.1", o->tolerance);
    job->tolerance = chosen ? o->tolerance : 0;
    return parse_surface(job, o->surface, err);
}

// Fails if a file that an option names and the frame stream `input` are both standard input.
static int check_files(const struct pot_options *o, const char *input, struct trj_error *err) {
    const char *table = o->kernel && !strncmp(o->kernel, "table:", 6) ? o->kernel + 6 : NULL;
    const struct {
        const char *option, *file;
    } files[] = {{"--points", o->points},   {"--like", o->lattice.lattice.like},
                 {"--charges", o->charges}, {"--radii", o->radii},
                 {"--apbs", o->apbs},       {"--kernel", table}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (trj_input_check_option(files[i].option, files[i].file, input, "the frame stream", err)) return -1;
    return 0;
}

// Sets the members of the job that do not depend on files.
static int set_numbers(struct pot_job *job, const struct pot_options *o, double *dielectric, double *temperature,
                       struct trj_error *err) {
    *temperature = isnan(o->temperature) ? POT_DEFAULT_TEMPERATURE : o->temperature;
    if (!(*temperature > 0 && *temperature <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g: expected above 0, and at most 1e+06 K",
                        *temperature);
    job->max_charge = isnan(o->max_charge) ? POT_DEFAULT_MAX_CHARGE : o->max_charge;
    if (!(job->max_charge >= 1e-6 && job->max_charge <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--max-charge: invalid value %g: expected 1e-06 to 1e+06 e", o->max_charge);
    if (choose_method(job, o, err)) return -1;
    set_fast(job, o);
    return parse_soften(job, o->soften, err) || parse_dielectric(job, o->dielectric, dielectric, err) ||
                   set_screening(job, o, *temperature, *dielectric, err) || set_mesh(job, o, err)
               ? -1
               : 0;
}

int pot_options_check(const struct pot_options *o, const char *input, struct trj_error *err) {
    struct pot_job job = {.atoms = 0};
    double dielectric, temperature;
    if (set_numbers(&job, o, &dielectric, &temperature, err) || check_files(o, input, err)) return -1;
    bool lattice = !o->points && !o->apbs && !(job.method == POT_PME && job.tolerance > 0);
    return lattice ? pot_lattice_check_options(&o->lattice, job.method == POT_PME, err) : 0;
}

int pot_options_apply(const struct pot_options *o, struct pot_job *job, double *dielectric, double *temperature,
                      struct trj_error *err) {
    return set_numbers(job, o, dielectric, temperature, err) || set_kernel(job, o, err) ? -1 : 0;
}
