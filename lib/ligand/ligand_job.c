// SPDX-License-Identifier: MIT
// Derives the interactions of all pairs of types once, with distances beyond which no exact evaluation is needed.
#include "ligand_job.h"

#include <math.h>
#include <stdlib.h>

#include "cell.h"
#include "memory.h"
#include "units.h"

static const double PI = 3.14159265358979323846;
static const double KILOJOULE_PER_KILOCALORIE = 4.184, COULOMB = 332.0637132991921; // kcal Å / (mol e^2), CODATA 2018

double lig_job_kt(const struct lig_job *job) {
    return TRJ_GAS_CONSTANT / KILOJOULE_PER_KILOCALORIE * job->temperature;
}

// ---- atoms

static int check_atom(const struct lig_job *job, uint32_t atom, struct trj_error *err) {
    double s = job->sigma[atom], e = job->epsilon[atom], q = job->charge ? job->charge[atom] : 0;
    if (s >= 0 && s <= 100 && e >= 0 && e <= 1000 && fabs(q) <= 1000) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "atom %u: sigma %g Å, epsilon %g kcal/mol, charge %g e; expected 0 to 100, 0 to 1000, and a "
                    "magnitude of up to 1000; leave the atom out of the group",
                    atom, s, e, q);
}

static int find_kind(struct lig_job *job, double sigma, double epsilon, uint16_t *kind, struct trj_error *err) {
    if (epsilon == 0) sigma = 0;
    for (unsigned i = 0; i < job->kinds; i++)
        if (job->kind_values[i][0] == sigma && job->kind_values[i][1] == epsilon) { // NOLINT: copies of numbers
            *kind = (uint16_t)i;
            return 0;
        }
    if (job->kinds == LIG_KINDS_MAX)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the atoms have more than %d different pairs of sigma and epsilon; round them", LIG_KINDS_MAX);
    job->kind_values[job->kinds][0] = sigma;
    job->kind_values[job->kinds][1] = epsilon;
    *kind = (uint16_t)job->kinds++;
    return 0;
}

static int set_atoms(struct lig_job *job, struct trj_error *err) {
    const struct trj_group *g = job->group;
    size_t n = g->count ? g->count : 1;
    job->atom = trj_alloc(n, sizeof *job->atom, "atoms", err);
    job->place = job->atom ? trj_alloc(n, sizeof *job->place, "atoms", err) : NULL;
    job->kind = job->place ? trj_alloc(n, sizeof *job->kind, "atoms", err) : NULL;
    job->value = job->kind ? trj_alloc(n, sizeof *job->value, "atoms", err) : NULL;
    job->kind_values = job->value ? trj_alloc(LIG_KINDS_MAX, sizeof *job->kind_values, "kinds of atoms", err) : NULL;
    if (!job->kind_values) return -1;
    for (size_t i = 0; i < g->count; i++) {
        uint32_t atom = g->atoms[i];
        double q = job->charge ? job->charge[atom] : 0;
        if (check_atom(job, atom, err)) return -1;
        if (job->epsilon[atom] == 0 && q == 0) continue;
        size_t m = job->members++;
        if (find_kind(job, job->sigma[atom], job->epsilon[atom], &job->kind[m], err)) return -1;
        job->atom[m] = atom;
        job->place[m] = i;
        job->value[m] = (float)q;
    }
    return 0;
}

// ---- sites

static int find_type(struct lig_job *job, const struct lig_site *s, int *type, struct trj_error *err) {
    *type = -1;
    if (s->epsilon == 0) return 0;
    for (*type = 0; *type < (int)job->types; ++*type)
        if (job->type_values[*type][0] == s->sigma && job->type_values[*type][1] == s->epsilon) return 0; // NOLINT
    if (job->types == LIG_TYPES_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "the ligand has more than %d different pairs of sigma and epsilon",
                        LIG_TYPES_MAX);
    job->type_values[job->types][0] = s->sigma;
    job->type_values[job->types++][1] = s->epsilon;
    return 0;
}

// Keeps the sites that interact. At least one of them must do so.
static int set_sites(struct lig_job *job, struct trj_error *err) {
    struct lig_placements *p = &job->placements;
    struct lig_ligand kept = {.sites = 0};
    double kt = lig_job_kt(job);
    job->site = trj_alloc(LIG_SITES_MAX, sizeof *job->site, "sites", err);
    if (!job->site) return -1;
    for (size_t i = 0; i < job->ligand.sites; i++) {
        const struct lig_site *s = &job->ligand.site[i];
        struct lig_kernel_site site = {.charge = job->charge ? (float)(s->charge * COULOMB / kt) : 0};
        if (find_type(job, s, &site.type, err)) return -1;
        if (site.type < 0 && site.charge == 0) continue;
        job->site[kept.sites] = site;
        kept.site[kept.sites++] = *s;
    }
    if (!kept.sites)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no site of the ligand interacts with atoms: every epsilon is 0, and %s; give a site with an "
                        "epsilon above 0",
                        lig_ligand_is_charged(&job->ligand) ? "charges are ignored" : "no site has a charge");
    job->ligand = kept;
    job->radius = lig_ligand_radius(&kept);
    job->position = trj_alloc(job->orientations * kept.sites, sizeof *job->position, "orientations", err);
    if (!job->position) return -1;
    lig_ligand_orient(&kept, job->orientations, job->position);
    *p = (struct lig_placements){.orientations = job->orientations,
                                 .sites = kept.sites,
                                 .site = job->site,
                                 .position = (const float(*)[3])job->position,
                                 .cutoff2 = (float)(job->cutoff * job->cutoff),
                                 .cap = (float)job->cap,
                                 .k = (float)(1 / (2 * job->cutoff * job->cutoff * job->cutoff)),
                                 .c = (float)(3 / (2 * job->cutoff))};
    return 0;
}

// ---- pairs

// Returns the distance within which 4 e ((s/r)^12 - (s/r)^6) exceeds the cap, in Å.
static double cap_distance(double sigma, double epsilon, double cap) {
    return epsilon > 0 ? sigma / cbrt(sqrt((1 + sqrt(1 + cap / epsilon)) / 2)) : 0;
}

// The distances `near` and hit2 only save time. They have margins for errors of cbrt and of float32. Below 0.1 Å an
// energy may be limited by LIG_CLOSEST.
static void set_distances(struct lig_job *job, unsigned kind, unsigned type, double r) {
    double hit = 0;
    if (r > job->near) job->near = r;
    if (r < 0.1) return;
    for (size_t s = 0; s < job->ligand.sites; s++) {
        const double *x = job->ligand.site[s].position;
        double distance = sqrt((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]);
        if (job->site[s].type == (int)type) hit = fmax(hit, r * (1 - 1e-3) - distance - 1e-3);
    }
    job->hit2[kind] = fmaxf(job->hit2[kind], (float)(hit * hit));
}

// Returns the integral of 4 e (s^12 / r^12 - s^6 / r^6) over all points with r >= cutoff.
static double tail_energy(double epsilon, double s6, double cutoff) {
    double r3 = cutoff * cutoff * cutoff;
    return 16 * PI / 3 * epsilon * s6 * (s6 / (3 * r3 * r3 * r3) - 1 / r3);
}

static int set_pairs(struct lig_job *job, struct trj_error *err) {
    size_t kinds = job->kinds ? job->kinds : 1, types = job->types ? job->types : 1;
    double kt = lig_job_kt(job);
    job->pair = trj_alloc(kinds * types, sizeof *job->pair, "pairs of atoms and sites", err);
    job->hit2 = job->pair ? trj_alloc(kinds, sizeof *job->hit2, "kinds of atoms", err) : NULL;
    job->tail_energy = job->hit2 ? trj_alloc(kinds, sizeof *job->tail_energy, "kinds of atoms", err) : NULL;
    if (!job->tail_energy) return -1;
    for (unsigned kind = 0; kind < job->kinds; kind++)
        for (unsigned type = 0; type < job->types; type++) {
            const double *a = job->kind_values[kind], *b = job->type_values[type];
            double sigma = job->geometric ? sqrt(a[0] * b[0]) : (a[0] + b[0]) / 2, epsilon = sqrt(a[1] * b[1]) / kt;
            double s3 = sigma * sigma * sigma, s6 = s3 * s3;
            if (job->tail && epsilon > 0 && job->cutoff < sigma)
                return trj_fail(err, TRJ_USAGE,
                                "--tail: the cutoff, %g Å, is shorter than the sigma of a pair, %g Å; give a longer "
                                "cutoff",
                                job->cutoff, sigma);
            job->pair[kind * job->types + type] =
                (struct lig_pair){.c12 = (float)(4 * epsilon * (s6 * s6)), .c6 = (float)(4 * epsilon * s6)};
            set_distances(job, kind, type, cap_distance(sigma, epsilon, job->cap));
            for (size_t s = 0; s < job->ligand.sites; s++)
                if (job->site[s].type == (int)type) job->tail_energy[kind] += tail_energy(epsilon, s6, job->cutoff);
        }
    job->near = job->near * (1 + 1e-3) + 1e-3 + job->radius;
    return 0;
}

int lig_job_check(const struct lig_job *job, struct trj_error *err) {
    if (!(job->cutoff >= 1 && job->cutoff <= 1000))
        return trj_fail(err, TRJ_USAGE, "--cutoff: invalid value %g: expected 1 to 1000 Angstrom", job->cutoff);
    if (!(job->temperature >= 1 && job->temperature <= 1e6))
        return trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g: expected 1 to 10^6 K", job->temperature);
    if (!(job->cap >= 1 && job->cap <= LIG_CAP_MAX))
        return trj_fail(err, TRJ_USAGE, "--cap: invalid value %g: expected 1 to 10^6 kT", job->cap);
    return 0;
}

int lig_job_make(struct lig_job *job, struct trj_error *err) {
    return lig_job_check(job, err) || set_atoms(job, err) || set_sites(job, err) || set_pairs(job, err) ? -1 : 0;
}

void lig_job_free(struct lig_job *job) {
    free(job->atom);
    free(job->place);
    free(job->kind);
    free(job->value);
    free(job->kind_values);
    free(job->pair);
    free(job->hit2);
    free(job->tail_energy);
    free(job->site);
    free(job->position);
}
