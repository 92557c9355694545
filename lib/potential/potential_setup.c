// SPDX-License-Identifier: MIT
// Turns options and atoms into a job, so that the filter itself only reads frames and writes maps.
#include "potential_setup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "atom_table.h"
#include "cutoff_sum.h"
#include "debye.h"
#include "face_lattice.h"
#include "fast_sum.h"
#include "input.h"
#include "memory.h"
#include "pair_sum.h"
#include "pme_choice.h"
#include "pme_sum.h"
#include "pme_tolerance.h"
#include "pot_kernel.h"
#include "property.h"

// ---- charges

// Sets charge[g->count] of the members of a group.
static int find_charges(double *charge, const struct pot_options *o, const struct trj_stream_header *h,
                        const struct trj_group *g, struct trj_error *err) {
    static const struct pot_atom_table table = {"--charges", NULL, "charge", "charges", "e", -1e6, 1e6};
    const double *values;
    if (o->charges) return pot_atom_table_read(charge, &table, o->charges, h, g, err);
    if (trj_property_require(h, "charge", g, &values, err)) return -1;
    for (size_t i = 0; i < g->count; i++) charge[i] = values[g->atoms[i]];
    return 0;
}

static int read_charges(struct pot_setup *s, const struct pot_options *o, const struct trj_stream_header *h,
                        const struct trj_group *g, double dielectric, struct trj_error *err) {
    struct pot_charges *c = &s->charges;
    bool lj = s->job.method == POT_CUTOFF && s->job.kernel == POT_KERNEL_LJ, mdh = s->job.method == POT_MDH;
    bool charged = s->job.method != POT_CUTOFF || pot_kernel_has_charge(s->job.kernel);
    const double *sigma = NULL, *epsilon = NULL;
    if (o->charges && !charged)
        return trj_fail(err, TRJ_USAGE, "--charges: the kernel %s has no charges; leave it out", o->kernel);
    int rc = pot_charges_open(c, g, charged, lj || mdh, lj, err);
    if (!rc && charged) rc = find_charges(c->charge, o, h, g, err);
    if (!rc && lj) rc = trj_property_require(h, "sigma", g, &sigma, err);
    if (!rc && lj) rc = trj_property_require(h, "epsilon", g, &epsilon, err);
    if (!rc && mdh) rc = pot_radii_set(c->radius, o->radii, h, g, err);
    if (rc) {
        if (err->status != TRJ_BAD_DATA) return -1;
        // The message names the first property only.
        if (lj) trj_error_append(err, "; the kernel lj requires --carry sigma,epsilon");
        if (mdh && !o->radii && !trj_property_find(h, "radius"))
            trj_error_append(err, "; the method mdh requires --carry charge,radius, or --radii");
        return -1;
    }
    for (size_t i = 0; i < g->count; i++) {
        uint32_t atom = g->atoms[i];
        if (charged && !(fabs(c->charge[i]) <= s->job.max_charge))
            return trj_fail(err, TRJ_BAD_DATA,
                            "atom %u: the charge %g e exceeds the largest charge, %g e; set a larger one with "
                            "--max-charge",
                            atom, c->charge[i], s->job.max_charge);
        if (charged) c->charge[i] /= dielectric;
        if (lj) c->radius[i] = sigma[atom];
        if (lj) c->epsilon[i] = epsilon[atom];
    }
    s->job.max_charge /= dielectric;
    return 0;
}

// ---- points

// Lets the tolerance determine the mesh.
static int choose_mesh(struct pot_setup *s, const struct pot_options *o, const struct trj_frame *first,
                       struct trj_error *err) {
    const struct pot_lattice_options *l = &o->lattice;
    struct pot_frame frame;
    double grid = isnan(l->lattice.grid) ? 0 : l->lattice.grid;
    if (pot_lattice_options_given(l, true))
        return trj_fail(err, TRJ_USAGE,
                        "--tolerance chooses the mesh; of the options of the lattice, it allows --grid and "
                        "--fractional");
    s->job.fractional = l->lattice.fractional;
    if (pot_charges_in(&s->charges, first, &frame, err)) return -1;
    return pot_pme_meet_tolerance(&s->job, &frame, grid, s->note, err) ? trj_fail_at(err, "--tolerance") : 0;
}

// Describes the error of the cutoff or of the mesh that the user has chosen, if it is large: nothing else in the result
// shows it. The error of the mesh for molecules is up to 60 times that of the model, which is for random charges; where
// this could be large, the error is measured. For examples/membrane it is that of the model.
static int check_mesh(struct pot_setup *s, const struct trj_frame *first, struct trj_error *err) {
    const struct pot_job *job = &s->job;
    const struct trj_cell *cell = &first->cell;
    const double large_cut = 0.001, large = 1e-4, for_molecules = 60;
    struct pot_frame frame;
    struct trj_error failed = {0};
    char where[80] = "for random charges, and up to 60 times as large for molecules";
    if (job->method != POT_PME || job->tolerance > 0 || job->charge_mesh || cell->periodic != TRJ_PERIODIC_ALL)
        return 0;
    double mesh = pot_pme_mesh_error(cell, job->lattice.n, job->order, job->alpha);
    double cut = job->full ? pot_pme_cutoff_error(cell, job->alpha, job->cutoff) : 0, measured;
    if (cut > large_cut && cut > mesh) {
        snprintf(
            s->note, sizeof s->note,
            "the cutoff %g Å is short for alpha %.4g 1/Å: relative rms error of about %.1e for random charges, more "
            "for molecules; increase --cutoff or --alpha, or use --tolerance",
            job->cutoff, job->alpha, cut);
        return 0;
    }
    if (for_molecules * mesh <= large) return 0;
    if (pot_charges_in(&s->charges, first, &frame, err)) return -1;
    frame.lattice = job->lattice;
    if (pot_pme_measure_mesh(job, &frame, large, &measured, &failed)) {
        if (failed.status != TRJ_NO_ENGINE) return trj_fail(err, failed.status, "%s", failed.text);
    } else if (!isnan(measured)) {
        if (measured <= large) return 0;
        mesh = measured;
        snprintf(where, sizeof where, "at 100 points of the first frame");
    }
    snprintf(
        s->note, sizeof s->note,
        "the mesh is coarse for alpha %.4g 1/Å: relative rms error of %.1e %s; decrease --grid, or use --tolerance",
        job->alpha, mesh, where);
    return 0;
}

// Reports that the frames are periodic, but the method is not.
static void check_images(struct pot_setup *s, const struct trj_cell *cell) {
    bool direct = s->job.method == POT_DIRECT;
    if (!cell->periodic || (!direct && s->job.method != POT_FAST)) return;
    snprintf(s->note, sizeof s->note,
             "the frames are periodic, but --method %s has no periodic images: the charges of one cell are summed; for "
             "all images, use --method pme, and to avoid this note, trjcat -P none",
             direct ? "direct" : "fast");
}

// Sets the note about the background of pme if the net charge is not 0. Values below `rounded` come from the rounded
// charges of force fields. A dynamic group has no fixed net charge.
static void check_net_charge(struct pot_setup *s, const struct trj_group *g, double dielectric) {
    const double rounded = 0.001;
    double net = 0;
    if (s->job.method != POT_PME || s->job.charge_mesh || g->dynamic) return;
    for (size_t i = 0; i < g->count; i++) net += s->charges.charge[i] * dielectric;
    if (fabs(net) > rounded)
        snprintf(s->background, sizeof s->background, "a uniform background neutralises the net charge of %.6g e", net);
}

// Reads the template of APBS, whose box is about the first frame until pot_setup_frame moves it.
static int read_template(struct pot_setup *s, const struct pot_options *o, double *dielectric, double *temperature,
                         struct trj_error *err) {
    if (pot_lattice_options_given(&o->lattice, false))
        return trj_fail(err, TRJ_USAGE, "--apbs: the template states the points; leave out the options of the lattice");
    if (pot_apbs_read(&s->apbs, o->apbs, err) ||
        pot_face_lattice(s->apbs.dime, s->apbs.glen, s->apbs.center, &s->job.lattice, err))
        return trj_fail_at(err, "--apbs");
    *dielectric = s->apbs.sdie;
    *temperature = s->apbs.temperature;
    s->job.kappa = pot_debye_kappa(pot_ionic_strength(&s->apbs.ions), *dielectric, *temperature);
    s->job.values = (size_t)trj_map_lattice_points(&s->job.lattice);
    return 0;
}

// Returns whether the box of the template is about the molecule of each frame.
static bool box_moves(const struct pot_setup *s) {
    return s->apbs.text && s->apbs.about_molecule;
}

// Moves the box of the template to the molecule.
static int move_box(const struct pot_setup *s, const struct pot_frame *f, struct trj_map_lattice *l,
                    struct trj_error *err) {
    double center[3];
    if (!f->count)
        return trj_fail(err, TRJ_BAD_DATA, "the group has no atoms in this frame on which the box could be centred");
    pot_apbs_center(f->position, f->count, center);
    return pot_face_lattice(s->apbs.dime, s->apbs.glen, center, l, err);
}

// Sets the lattice in the cell of a frame. The lattice of pme divides the cell; a fixed lattice is therefore no remedy.
static int lattice_in_cell(const struct pot_setup *s, const struct trj_frame *f, struct trj_map_lattice *l,
                           struct trj_error *err) {
    const struct pot_job *job = &s->job;
    if (!trj_map_lattice_in_cell(l, &job->lattice, job->fractional, &f->cell, err)) return 0;
    if (job->method != POT_PME || job->fractional || f->cell.periodic != TRJ_PERIODIC_ALL) return -1;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the cell differs from that of the first frame; add --fractional to move the points with the cell");
}

// The function frame_lattice of the job.
static int frame_lattice(const void *owner, const struct trj_frame *f, struct trj_map_lattice *l,
                         struct trj_error *err) {
    const struct pot_setup *s = owner;
    if (!box_moves(s)) return lattice_in_cell(s, f, l, err);
    struct pot_charges c = {.group = NULL};
    struct pot_frame to;
    int rc = pot_charges_open(&c, s->job.group, false, false, false, err) || pot_charges_in(&c, f, &to, err) ||
             move_box(s, &to, l, err);
    pot_charges_free(&c);
    return rc ? -1 : 0;
}

static int set_points(struct pot_setup *s, const struct pot_options *o, const struct trj_group *g,
                      const struct trj_frame *first, struct trj_error *err) {
    struct pot_job *job = &s->job;
    struct trj_input *in;
    if (o->apbs) return 0;
    if (job->method == POT_PME && first->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the method pme requires a cell that is periodic along all three axes, but the first frame has "
                        "none; set one with trjcat --cell and -P xyz, or use --method direct");
    if (job->method == POT_PME && job->tolerance > 0) return choose_mesh(s, o, first, err);
    if (!o->points) {
        if (pot_lattice_make(&o->lattice, g, first, job->method == POT_PME, &job->lattice, err)) return -1;
        job->fractional = o->lattice.lattice.fractional;
        if (job->method == POT_DIRECT || job->method == POT_MDH || job->method == POT_FAST) {
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
    if (pot_lattice_options_given(&o->lattice, false))
        return trj_fail(err, TRJ_USAGE, "--points gives the points; leave out the options of the lattice");
    if (trj_input_open(&in, o->points, err)) return trj_fail_at(err, "--points");
    int rc = pot_point_list_read(&s->list, in, err);
    trj_input_close(in);
    if (rc) return trj_fail_at(err, "--points: %s", o->points);
    job->point = (const double(*)[3])s->list.point;
    job->point_count = job->values = s->list.count;
    return 0;
}

// ---- the map

static int set_unit_of_potential(struct pot_setup *s, const struct pot_options *o, double temperature,
                                 struct trj_error *err) {
    s->unit = o->units ? o->units : pot_unit_choices[POT_UNIT_KT].name;
    enum pot_unit unit = pot_unit_find(s->unit);
    if (unit == POT_UNIT_E_PER_A && o->coulomb)
        return trj_fail(err, TRJ_USAGE, "--coulomb has no effect on potentials in e/A; leave it out");
    if (unit != POT_UNIT_KT && !isnan(o->temperature) && !o->ions)
        return trj_fail(err, TRJ_USAGE,
                        "--temperature applies to potentials in kT/e and to the Debye length of --ions; leave it out");
    s->factor = pot_unit_of_charge(unit, pot_coulomb(o->coulomb), temperature);
    return 0;
}

// Sets the quantities and units of the sums and of the means.
static int set_units(struct pot_setup *s, const struct pot_options *o, double temperature, struct trj_error *err) {
    const struct pot_job *job = &s->job;
    bool energy = job->method == POT_CUTOFF && (job->kernel == POT_KERNEL_LJ || job->kernel == POT_KERNEL_BUCKINGHAM);
    s->factor = 1;
    s->quantity = "electrostatic potential";
    s->raw_unit = "e/A";
    if (job->method == POT_CUTOFF && job->kernel == POT_KERNEL_COUNT) {
        s->quantity = "number of atoms within the cutoff";
        s->raw_unit = "";
    } else if (energy) {
        s->quantity = "potential energy of a probe";
        s->raw_unit = "kcal/mol";
    } else if (job->charge_mesh) {
        s->quantity = "charge on the mesh";
        s->raw_unit = "e";
    } else {
        // The name of the quantity contains alpha, so that mapsum does not add reciprocal parts with different alpha.
        snprintf(s->reciprocal, sizeof s->reciprocal, "reciprocal part of the electrostatic potential, alpha %.10g 1/A",
                 job->alpha);
        if (job->method == POT_PME && !job->full) s->quantity = s->reciprocal;
        return set_unit_of_potential(s, o, temperature, err);
    }
    s->unit = s->raw_unit;
    if (!o->units && !o->coulomb && !o->dielectric && isnan(o->temperature)) return 0;
    return trj_fail(
        err, TRJ_USAGE,
        "--units, --coulomb, --dielectric and --temperature: the values are not an electrostatic potential; "
        "leave them out");
}

static int set_up_method(struct pot_setup *s, const struct trj_group *group, struct trj_error *err) {
    switch (s->job.method) {
    case POT_CUTOFF:
        return pot_cutoff_setup(&s->job, err);
    case POT_PME:
        return pot_pme_setup(&s->job, err);
    case POT_FAST:
        s->job.report = s->report;
        return pot_fast_setup(&s->job, err);
    default:
        return pot_direct_setup(&s->job, group->count, s->charges.charge, s->charges.radius, err);
    }
}

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
    m->quantity = trj_copy_text(s->quantity, err);
    m->unit = m->quantity ? trj_copy_text(s->raw_unit, err) : NULL;
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
                   const struct trj_frame *first, unsigned threads, struct trj_error *err) {
    const struct trj_group *group;
    double dielectric, temperature;
    *s = (struct pot_setup){.inside = o->inside && !strcmp(o->inside, "ok")};
    if (pot_options_apply(o, &s->job, &dielectric, &temperature, err) ||
        (o->apbs && read_template(s, o, &dielectric, &temperature, err)) ||
        trj_stream_find_group(h, o->group, &group, err) || read_charges(s, o, h, group, dielectric, err))
        return -1;
    s->job.threads = threads;
    s->job.atoms = group->count; // determines which mesh costs least
    s->job.group = group;
    s->job.stream_atoms = first->atoms;
    s->job.charges = &s->charges;
    s->job.frame_lattice = frame_lattice;
    s->job.frame_lattice_owner = s;
    if (set_points(s, o, group, first, err)) return -1;
    if (set_up_method(s, group, err) || set_units(s, o, temperature, err) || describe(s, err)) return -1;
    if (check_mesh(s, first, err)) return -1;
    check_images(s, &first->cell);
    check_net_charge(s, group, dielectric);
    return 0;
}

int pot_setup_frame(struct pot_setup *s, struct trj_frame *f, struct pot_frame *to, struct trj_error *err) {
    uint32_t atom;
    uint64_t point;
    bool inside = s->job.method == POT_MDH && !s->inside;
    *to = (struct pot_frame){.cell = f->cell};
    if (s->apbs.text || inside ? pot_charges_in(&s->charges, f, to, err) : pot_charges_check(&s->charges, f, err))
        return -1;
    if (lattice_in_cell(s, f, &to->lattice, err)) return -1;
    to->stream = f;
    if (box_moves(s) && move_box(s, to, &to->lattice, err)) return -1;
    if (!inside || !pot_direct_find_inside(&s->job, to, &atom, &point)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "point %llu is within the radius of atom %u, where the formula of mdh does not hold; choose points "
                    "farther away, or add --inside ok",
                    (unsigned long long)point, atom);
}

void pot_setup_free(struct pot_setup *s) {
    pot_kernel_table_free(&s->job);
    pot_apbs_free(&s->apbs);
    pot_charges_free(&s->charges);
    pot_point_list_free(&s->list);
    trj_map_free(&s->map);
}
