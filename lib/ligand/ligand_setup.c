// SPDX-License-Identifier: MIT
// Turns the options of ligmap, the ligand and the force field into a job, so that the filter itself only reads and
// writes frames.
#include "ligand_setup.h"

#include <stddef.h>
#include <string.h>

#include "input.h"
#include "memory.h"
#include "property.h"

const struct trj_option lig_unit_option_table[] = {
    {TRJ_OPTION_FIELD(0, "units", CHOICE, struct lig_options, units, "UNIT",
                      "write the mean as a free energy in this unit, or as a Boltzmann factor (default: kT)"),
     .choices = lig_unit_choices},
    TRJ_OPTION_END,
};

const struct trj_option lig_option_table[] = {
    {.heading = "Ligand",
     TRJ_OPTION_FIELD('l', "ligand", CHOICE, struct lig_options, ligand, "NAME", "insert this ligand"),
     .choices = lig_ligand_choices,
     .carry = "sigma,epsilon,O2:charge,N2:charge,CO:charge,CO2:charge,water:charge"},
    {TRJ_OPTION_FIELD(0, "ligand-file", TEXT, struct lig_options, file, "FILE",
                      "insert the ligand of FILE, with a line NAME X Y Z SIGMA EPSILON [CHARGE] for each site"),
     .carry = "sigma,epsilon"},
    {TRJ_OPTION_FIELD('n', "orientations", COUNT, struct lig_options, orientations, "N",
                      "set the number of orientations at each point; 1 for a ligand of one site"),
     .min = 1, .max = LIG_ORIENTATIONS_MAX},
    {TRJ_OPTION_FIELD(0, "of", TEXT, struct lig_options, group, "GROUP",
                      "insert the ligand among the atoms of this group (default: the only group)")},
    {TRJ_OPTION_FIELD('r', "cutoff", REAL, struct lig_options, cutoff, "R",
                      "ignore pairs of an atom and a site at a distance of R Angstrom or more")},
    {TRJ_OPTION_FIELD(0, "tail", FLAG, struct lig_options, tail, NULL,
                      "correct for Lennard-Jones pairs beyond the cutoff, as in a uniform fluid")},
    {TRJ_OPTION_FIELD('T', "temperature", REAL, struct lig_options, temperature, "K", "set the temperature in kelvin")},
    {TRJ_OPTION_FIELD(0, "rule", CHOICE, struct lig_options, rule, "RULE",
                      "combine the sigma of an atom and a site by this rule"),
     .choices = lig_rule_choices},
    {TRJ_OPTION_FIELD(0, "no-charges", FLAG, struct lig_options, no_charges, NULL, "ignore the charges of the ligand")},
    {TRJ_OPTION_FIELD(0, "cap", REAL, struct lig_options, cap, "E",
                      "set the Boltzmann factor to 0 if the energy of a Lennard-Jones pair exceeds E kT")},
    {TRJ_OPTION_FIELD(0, "bits", COUNT, struct lig_options, bits, "N",
                      "round the mean Boltzmann factor of a frame to a multiple of 2^-N"),
     .min = LIG_BITS_MIN, .max = LIG_BITS_MAX},
    {.table = trj_lattice_option_table, .offset = offsetof(struct lig_options, lattice)},
    {TRJ_OPTION_FIELD(0, "points", TEXT, struct lig_options, lattice.points, "N,N,N",
                      "set the numbers of points along the three axes")},
    TRJ_OPTION_END,
};

const struct trj_choice lig_rule_choices[] = {
    {"lorentz-berthelot", "the arithmetic mean: Amber, CHARMM, TraPPE"},
    {"geometric", "the geometric mean: OPLS"},
    {NULL, NULL},
};

const struct trj_choice lig_unit_choices[] = {
    {"kT", "the free energy divided by kT"},
    {"kcal/mol", "the free energy in kilocalorie per mole"},
    {"kJ/mol", "the free energy in kilojoule per mole"},
    {"factor", "the mean of exp(-E/kT)"},
    {NULL, NULL},
};

// Checks that at most one of the inputs is standard input, which can be read only once.
static int check_stdin(const struct lig_options *o, const char *stream, struct trj_error *err) {
    const char *like = o->lattice.like;
    return trj_input_check_option("--ligand-file", o->file, stream, "the frame stream", err) ||
                   trj_input_check_option("--like", like, stream, "the frame stream", err) ||
                   (like && trj_input_check_option("--ligand-file", o->file, like, "the map of --like", err))
               ? -1
               : 0;
}

int lig_setup_start(struct lig_setup *s, const struct lig_options *o, const char *stream, struct trj_error *err) {
    *s = (struct lig_setup){.energies = true};
    if (!o->ligand && !o->file) return trj_fail(err, TRJ_USAGE, "no ligand; give one with --ligand or --ligand-file");
    if (o->ligand && o->file)
        return trj_fail(err, TRJ_USAGE, "--ligand and --ligand-file: expected one, found both; leave one out");
    s->job.cutoff = o->cutoff;
    s->job.temperature = o->temperature;
    s->job.cap = o->cap;
    if (lig_job_check(&s->job, err) || check_stdin(o, stream, err)) return -1;
    if (o->ligand) return lig_ligand_find(&s->job.ligand, o->ligand, err);
    return lig_ligand_read(&s->job.ligand, o->file, err) ? trj_fail_at(err, "--ligand-file") : 0;
}

static int find_values(struct lig_job *job, const struct lig_options *o, const struct trj_stream_header *h,
                       struct trj_error *err) {
    bool charged = !o->no_charges && lig_ligand_is_charged(&job->ligand);
    if (trj_property_require(h, "sigma", job->group, &job->sigma, err) ||
        trj_property_require(h, "epsilon", job->group, &job->epsilon, err)) {
        trj_error_append(err, "; the ligand requires --carry %ssigma,epsilon", charged ? "charge," : "");
        return -1;
    }
    if (!charged) return 0;
    if (!trj_property_require(h, "charge", job->group, &job->charge, err)) return 0;
    trj_error_append(err, "; or ignore the charges of the ligand with --no-charges");
    return -1;
}

static void set_units(struct lig_setup *s, const struct lig_options *o) {
    const char *units = o->units ? o->units : "kT";
    double kt = lig_job_kt(&s->job);
    s->energies = strcmp(units, "factor") != 0;
    s->energy.kt = !strcmp(units, "kcal/mol") ? kt : !strcmp(units, "kJ/mol") ? kt * 4.184 : 1;
    s->energy.reference = 1;
    s->ceiling = s->energy.kt * (0x1.62e42fefa39efp-1 * s->job.bits); // ln 2
}

static int describe(struct lig_setup *s, const struct lig_options *o, struct trj_error *err) {
    struct trj_map *m = &s->map;
    *m = (struct trj_map){.lattice = s->job.lattice,
                          .components = 1,
                          .kind = TRJ_MAP_QUANTA,
                          .quantum = ldexp(1, -(int)s->job.bits),
                          .meaning = TRJ_MAP_SAMPLES};
    s->means = *m;
    s->means.kind = TRJ_MAP_FLOAT64;
    s->means.quantum = 0;
    m->quantity = trj_copy_text("Boltzmann factor", err);
    m->unit = m->quantity ? trj_copy_text("", err) : NULL;
    s->means.quantity = m->unit ? trj_copy_text(s->energies ? "free energy" : "Boltzmann factor", err) : NULL;
    s->means.unit = s->means.quantity ? trj_copy_text(!s->energies ? "" : o->units ? o->units : "kT", err) : NULL;
    return s->means.unit ? trj_map_check(m, err) : -1;
}

int lig_setup_make(struct lig_setup *s, const struct lig_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, struct trj_error *err) {
    struct lig_job *job = &s->job;
    job->atoms = h->atoms;
    job->orientations = lig_ligand_shape(&job->ligand) == LIG_POINT ? 1 : (unsigned)o->orientations;
    job->geometric = !strcmp(o->rule, "geometric");
    job->tail = o->tail;
    job->bits = (unsigned)o->bits;
    job->fractional = o->lattice.fractional;
    if (trj_stream_find_group(h, o->group, &job->group, err) || find_values(job, o, h, err) ||
        trj_lattice_options_make(&o->lattice, &first->cell, &job->lattice, err) || lig_job_make(job, err))
        return -1;
    set_units(s, o);
    return describe(s, o, err);
}

void lig_setup_convert(void *setup, double *values, double *errors, size_t n) {
    struct lig_setup *s = setup;
    if (!s->energies) return;
    for (size_t i = 0; errors && i < n; i++)
        errors[i] = values[i] > 0 ? s->energy.kt * errors[i] / values[i] : s->ceiling;
    trj_map_free_energy(&s->energy, values, n);
    for (size_t i = 0; i < n; i++) {
        if (values[i] <= s->ceiling) continue;
        values[i] = s->ceiling;
        s->limited += !errors;
    }
}

void lig_setup_free(struct lig_setup *s) {
    lig_job_free(&s->job);
    trj_map_free(&s->map);
}
