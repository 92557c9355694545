// SPDX-License-Identifier: MIT
// Root mean square deviation of a group from a reference, after a superposition of the same or another group.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "division.h"
#include "functions.h"
#include "memory.h"
#include "number.h"
#include "reference.h"
#include "system.h"

enum { GROUP, REFERENCE, FIT, WEIGHTS, FRAME };
enum { WEIGHT_NONE, WEIGHT_MASS };

struct rmsd {
    struct obs_reference group, fit; // the measured and the superposed group
    bool superposes;
    double *total; // sum of the weights of the group or, if it is divided, of each residue
};

static int check_frame(const char *text, struct trj_error *err) {
    uint64_t frame;
    if (trj_parse_u64(text, &frame)) return 0;
    return trj_fail(err, TRJ_USAGE, "'frame' is '%s'; give the number of a frame of the reference, from 0", text);
}

static int open_rmsd(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    const char *fit = o->argument[FIT].text, *path = o->argument[REFERENCE].text;
    uint64_t frame = 0;
    if (!trj_parse_u64(o->argument[FRAME].text, &frame)) return check_frame(o->argument[FRAME].text, err);
    if (!strcmp(path, OBS_REFERENCE_FIRST)) path = NULL;
    if (!path && frame)
        return trj_fail(err, TRJ_USAGE,
                        "the stream is read once, so that only its first frame can be the reference; name the file "
                        "that contains frame %llu: reference=run.xtc, frame=%llu",
                        (unsigned long long)frame, (unsigned long long)frame);
    bool by_mass = o->argument[WEIGHTS].choice == WEIGHT_MASS;
    struct rmsd *r = o->own = trj_alloc(1, sizeof *r, "a reference", err);
    size_t fitted = o->argument[GROUP].selection;
    if (!r) return -1;
    r->superposes = strcmp(fit, "none") != 0;
    if (r->superposes && strcmp(fit, "group") && obs_system_select(s, fit, &fitted, err)) return -1;
    if (obs_reference_open(&r->group, s, o->argument[GROUP].selection, path, frame, by_mass, err) ||
        obs_reference_open(&r->fit, s, fitted, path, frame, by_mass, err) ||
        !(r->total = trj_alloc(obs_residue_count(o), sizeof *r->total, "residues", err)))
        return -1;
    for (size_t i = 0; i < r->group.count; i++)
        r->total[o->division ? o->division->parts.part[i] : 0] += r->group.weight ? r->group.weight[i] : 1;
    if (!r->superposes) return 0;
    return obs_reference_check_superposition(&r->fit, s, "use fit=SELECTION or fit=none", err);
}

static int begin_rmsd(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    struct rmsd *r = o->own;
    return obs_reference_begin(&r->group, v, err) || obs_reference_begin(&r->fit, v, err) ? -1 : 0;
}

static int compute_rmsd(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct rmsd *r = o->own;
    const struct obs_division *d = o->division;
    const struct obs_positions *group;
    struct trj_superposition best = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (obs_view_whole(v, r->group.selection, false, &group, err)) return -1;
    if (r->superposes && obs_reference_superpose(&r->fit, v, &best, err)) return -1;
    for (size_t part = 0; part < o->columns; part++) value[part] = 0;
    for (size_t i = 0; i < group->count; i++) {
        double x[1][3] = {{group->x[i][0], group->x[i][1], group->x[i][2]}},
               w = r->group.weight ? r->group.weight[i] : 1;
        size_t part = d ? d->parts.part[i] : 0;
        if (r->superposes) trj_superpose_points(&best, x, 1);
        for (int k = 0; k < 3; k++) value[part] += w * (x[0][k] - r->group.x[i][k]) * (x[0][k] - r->group.x[i][k]);
    }
    for (size_t part = 0; part < o->columns; part++) value[part] = sqrt(value[part] / r->total[part]);
    return 0;
}

static void close_rmsd(struct obs_observable *o) {
    struct rmsd *r = o->own;
    if (!r) return;
    obs_reference_free(&r->group);
    obs_reference_free(&r->fit);
    free(r->total);
    free(r);
}

static const struct obs_column length[] = {{"", "Angstrom"}};

const struct obs_function obs_rmsd = {
    .name = "rmsd",
    .parameter =
        {{.name = "group", .kind = OBS_ATOMS},
         {.name = "reference", .kind = OBS_FILE, .standard = OBS_REFERENCE_FIRST},
         {.name = "fit", .kind = OBS_ATOMS_OR_WORD, .standard = "group", .choices = "group none"},
         {.name = "weights", .kind = OBS_CHOICE, .standard = "none", .choices = "none mass", .carry = "mass:mass"},
         {.name = "frame", .kind = OBS_WORD, .standard = "0", .check = check_frame}},
    .column = length,
    .columns = 1,
    .formula = "root mean square deviation: sqrt(sum w |x - y|^2 / sum w) from the positions y in the first frame, or "
               "in a frame of a file (frame=0), after the superposition of the group, of another selection "
               "(fit=SELECTION), or "
               "of none (fit=none); w is 1, or the mass, also in the superposition",
    .residues = OBS_RESIDUES_JOINT,
    .open = open_rmsd,
    .begin = begin_rmsd,
    .compute = compute_rmsd,
    .close = close_rmsd,
};
