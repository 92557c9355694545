// SPDX-License-Identifier: MIT
// Contains the built-in ligands and reads others, and generates orientations that are distributed evenly.
#include "ligand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "lines.h"
#include "number.h"

// ---- built-in ligands

#define KELVIN 1.98720425864083e-3 // kcal/mol: the gas constant times 1 K

static const struct {
    const char *name;
    struct lig_ligand ligand;
} models[] = {
    {"O2",
     {3,
      {{"O1", {0, 0, 0.605}, 3.02, 49.0 * KELVIN, -0.113},
       {"O2", {0, 0, -0.605}, 3.02, 49.0 * KELVIN, -0.113},
       {"M", {0, 0, 0}, 0, 0, 0.226}}}},
    {"N2",
     {3,
      {{"N1", {0, 0, 0.55}, 3.31, 36.0 * KELVIN, -0.482},
       {"N2", {0, 0, -0.55}, 3.31, 36.0 * KELVIN, -0.482},
       {"M", {0, 0, 0}, 0, 0, 0.964}}}},
    // The third charge is at the centre of mass, 0.64431 Å from C.
    {"CO",
     {3,
      {{"C", {0, 0, -0.64431}, 3.83, 0.0262, -0.75},
       {"O", {0, 0, 0.48369}, 3.12, 0.1591, -0.85},
       {"M", {0, 0, 0}, 0, 0, 1.60}}}},
    {"CO2",
     {3,
      {{"C", {0, 0, 0}, 2.80, 27.0 * KELVIN, 0.70},
       {"O1", {0, 0, 1.16}, 3.05, 79.0 * KELVIN, -0.35},
       {"O2", {0, 0, -1.16}, 3.05, 79.0 * KELVIN, -0.35}}}},
    {"NO", {1, {{"NO", {0, 0, 0}, 3.492, 116.7 * KELVIN, 0}}}},
    {"CH4", {1, {{"CH4", {0, 0, 0}, 3.73, 148.0 * KELVIN, 0}}}},
    {"Ne", {1, {{"Ne", {0, 0, 0}, 2.8010, 33.921 * KELVIN, 0}}}},
    {"Ar", {1, {{"Ar", {0, 0, 0}, 3.3952, 116.79 * KELVIN, 0}}}},
    {"Kr", {1, {{"Kr", {0, 0, 0}, 3.6274, 162.58 * KELVIN, 0}}}},
    {"Xe", {1, {{"Xe", {0, 0, 0}, 3.9011, 227.55 * KELVIN, 0}}}},
    // The bond length 0.9572 Å and the angle 104.52 degrees; the bisector is z.
    {"water",
     {3,
      {{"O", {0, 0, 0}, 3.15061, 0.1521, -0.834},
       {"H1", {0.75695033, 0, 0.58588228}, 0, 0, 0.417},
       {"H2", {-0.75695033, 0, 0.58588228}, 0, 0, 0.417}}}},
};

const struct trj_choice lig_ligand_choices[] = {
    {"O2", "oxygen, TraPPE: L. Zhang, J. I. Siepmann 2006"},
    {"N2", "nitrogen, TraPPE: J. J. Potoff, J. I. Siepmann 2001"},
    {"CO", "carbon monoxide: J. E. Straub, M. Karplus 1991"},
    {"CO2", "carbon dioxide, TraPPE: J. J. Potoff, J. I. Siepmann 2001"},
    {"NO", "nitric oxide, one site from the viscosity of the gas: R. A. Svehla 1962"},
    {"CH4", "methane, TraPPE: M. G. Martin, J. I. Siepmann 1998"},
    {"Ne", "neon: J. Vrabec, J. Stoll, H. Hasse 2001"},
    {"Ar", "argon: J. Vrabec, J. Stoll, H. Hasse 2001"},
    {"Kr", "krypton: J. Vrabec, J. Stoll, H. Hasse 2001"},
    {"Xe", "xenon: J. Vrabec, J. Stoll, H. Hasse 2001"},
    {"water", "TIP3P: W. L. Jorgensen et al. 1983"},
    {NULL, NULL},
};

int lig_ligand_find(struct lig_ligand *l, const char *name, struct trj_error *err) {
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!strcmp(models[i].name, name)) {
            *l = models[i].ligand;
            return 0;
        }
    return trj_fail(err, TRJ_USAGE, "no built-in ligand '%s'; give its sites with --ligand-file", name);
}

// ---- files

static int read_site(struct trj_lines *lines, struct lig_ligand *l, struct trj_error *err) {
    double number[6] = {0};
    char *rest = lines->text, *word;
    unsigned count = 0;
    rest[strcspn(rest, "#")] = 0;
    const char *name = trj_next_word(&rest);
    if (!name) return 0;
    if (l->sites == LIG_SITES_MAX)
        return trj_lines_fail(lines, err, "a ligand may have at most %d sites", LIG_SITES_MAX);
    if (strlen(name) >= LIG_SITE_NAME)
        return trj_lines_fail(lines, err, "the name '%s' is longer than %d characters", name, LIG_SITE_NAME - 1);
    while ((word = trj_next_word(&rest)) != NULL)
        if (count == 6 || !trj_parse_real(word, &number[count++]))
            return trj_lines_fail(lines, err, "invalid value '%s'; expected NAME X Y Z SIGMA EPSILON [CHARGE]", word);
    if (count < 5)
        return trj_lines_fail(lines, err, "%u numbers after the name; expected X Y Z SIGMA EPSILON [CHARGE]", count);
    struct lig_site *s = &l->site[l->sites++];
    snprintf(s->name, sizeof s->name, "%s", name);
    memcpy(s->position, number, sizeof s->position);
    s->sigma = number[3];
    s->epsilon = number[4];
    s->charge = number[5];
    for (int k = 0; k < 3; k++)
        if (fabs(number[k]) > 100)
            return trj_lines_fail(lines, err, "coordinate %g Å: expected -100 to 100", number[k]);
    if (!(s->sigma >= 0 && s->sigma <= 100 && s->epsilon >= 0 && s->epsilon <= 1000 && fabs(s->charge) <= 1000))
        return trj_lines_fail(lines, err,
                              "sigma %g Å, epsilon %g kcal/mol, charge %g e; expected 0 to 100, 0 to 1000, and a "
                              "magnitude of up to 1000",
                              s->sigma, s->epsilon, s->charge);
    return 0;
}

int lig_ligand_read(struct lig_ligand *l, const char *path, struct trj_error *err) {
    struct trj_lines lines = {.in = NULL};
    int got;
    *l = (struct lig_ligand){.sites = 0};
    if (trj_input_open(&lines.in, path, err)) return -1;
    while ((got = trj_lines_next(&lines, err)) > 0)
        if (read_site(&lines, l, err)) break;
    if (!got && !l->sites) got = trj_fail(err, TRJ_BAD_DATA, "no sites; expected lines NAME X Y Z SIGMA EPSILON");
    trj_input_close(lines.in);
    return got ? trj_fail_at(err, "%s", strcmp(path, "-") != 0 ? path : "stdin") : 0;
}

// ---- properties

bool lig_ligand_is_charged(const struct lig_ligand *l) {
    for (size_t i = 0; i < l->sites; i++)
        if (l->site[i].charge != 0) return true;
    return false;
}

static double length(const double x[3]) {
    return sqrt((x[0] * x[0] + x[1] * x[1]) + x[2] * x[2]);
}

static size_t farthest(const struct lig_ligand *l) {
    size_t far = 0;
    for (size_t i = 1; i < l->sites; i++)
        if (length(l->site[i].position) > length(l->site[far].position)) far = i;
    return far;
}

double lig_ligand_radius(const struct lig_ligand *l) {
    return length(l->site[farthest(l)].position);
}

enum lig_shape lig_ligand_shape(const struct lig_ligand *l) {
    const double *a = l->site[farthest(l)].position, size = length(a);
    if (!(size > 0)) return LIG_POINT;
    for (size_t i = 0; i < l->sites; i++) {
        const double *b = l->site[i].position;
        const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        if (length(cross) > 1e-6 * size * size) return LIG_BODY;
    }
    return LIG_LINE;
}

// ---- orientations

struct turn {
    double c, s; // cosine and sine
};

static struct turn after(struct turn a, struct turn b) {
    return (struct turn){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

// Angles of orientation i are half + i whole.
static const struct turn golden = {-0.7373688780783199, 0.6754902942615236};
static const struct turn half_a = {-0.6056998670788134, 0.7956932015674809},
                         whole_a = {-0.2662553420414155, -0.9639025328498774};
static const struct turn half_b = {-0.4595693784471169, 0.8881418728974164},
                         whole_b = {-0.5775919727874612, -0.816325617000648};

static void point_line(const struct lig_ligand *l, unsigned n, float (*to)[3]) {
    const double *axis = l->site[farthest(l)].position, size = length(axis);
    struct turn azimuth = {1, 0};
    for (unsigned i = 0; i < n; i++, azimuth = after(azimuth, golden)) {
        double z = 1 - (2.0 * i + 1) / n, r = sqrt(1 - z * z);
        for (size_t s = 0; s < l->sites; s++, to++) {
            const double *x = l->site[s].position;
            double along = ((x[0] * axis[0] + x[1] * axis[1]) + x[2] * axis[2]) / size;
            (*to)[0] = (float)(along * (r * azimuth.c));
            (*to)[1] = (float)(along * (r * azimuth.s));
            (*to)[2] = (float)(along * z);
        }
    }
}

static void turn_body(const struct lig_ligand *l, unsigned n, float (*to)[3]) {
    struct turn a = half_a, b = half_b;
    for (unsigned i = 0; i < n; i++, a = after(a, whole_a), b = after(b, whole_b)) {
        double t = (i + 0.5) / n, r = sqrt(t), big = sqrt(1 - t);
        double x = r * a.s, y = r * a.c, z = big * b.s, w = big * b.c;
        const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                                {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                                {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
        for (size_t s = 0; s < l->sites; s++, to++) {
            const double *p = l->site[s].position;
            for (int k = 0; k < 3; k++) (*to)[k] = (float)((m[k][0] * p[0] + m[k][1] * p[1]) + m[k][2] * p[2]);
        }
    }
}

void lig_ligand_orient(const struct lig_ligand *l, unsigned n, float (*position)[3]) {
    enum lig_shape shape = lig_ligand_shape(l);
    if (shape == LIG_LINE)
        point_line(l, n, position);
    else if (shape == LIG_BODY)
        turn_body(l, n, position);
    else
        for (size_t i = 0; i < n * l->sites; i++)
            for (int k = 0; k < 3; k++) position[i][k] = 0;
}
