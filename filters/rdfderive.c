// SPDX-License-Identifier: MIT
// rdfderive: histogram streams in, a table of what follows from g(r) out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "derive.h"
#include "memory.h"
#include "output.h"
#include "scattering.h"
#include "table.h"
#include "tool.h"

#define PI 3.14159265358979323846

static const char *quantity_name, *window, *output_path;
static double volume = NAN, temperature = NAN, qmin = 0, qmax = 20, dq = 0.05, reach = 0.3;
static uint64_t atoms, shells = 1;
static bool corrected;
static struct trj_text_list totals, scatterers;

enum { COORDINATION, SHELLS, SQ, DEBYE, KB, PMF, S2, QUANTITIES };

static const struct trj_choice quantity_names[] = {
    [COORDINATION] = {"n", "coordination numbers n(r), in both directions"},
    [SHELLS] = {"shells", "maximum and minimum of shells of neighbours, and the neighbours within"},
    [SQ] = {"sq", "structure factor S(q), the transform of g(r)"},
    [DEBYE] = {"debye", "structure factor by Debye's sum over the counts"},
    [KB] = {"kb", "Kirkwood-Buff integrals: running, of a finite sphere, extrapolated"},
    [PMF] = {"pmf", "potential of mean force, -kT ln g, in kJ/mol"},
    [S2] = {"s2", "two-particle excess entropy, in k_B per atom"},
    [QUANTITIES] = {0}};

static const struct trj_choice windows[] = {
    {"none", "g(r) is cut off at rmax"}, {"lorch", "Lorch's window, sin(pi r/rmax)/(pi r/rmax)"}, {0}};

static const struct trj_option options[] = {
    {.letter = 'q',
     .name = "quantity",
     .kind = TRJ_OPTION_CHOICE,
     .value = &quantity_name,
     .arg = "QUANTITY",
     .help = "what is wanted",
     .choices = quantity_names},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &volume,
     .arg = "V",
     .help = "volume in cubic Angstrom instead of the frames' own"},
    {.letter = 'T',
     .name = "temperature",
     .kind = TRJ_OPTION_REAL,
     .value = &temperature,
     .arg = "K",
     .help = "pmf: temperature in kelvin"},
    {.letter = 'w',
     .name = "window",
     .kind = TRJ_OPTION_CHOICE,
     .value = &window,
     .arg = "WINDOW",
     .help = "sq: what g(r) - 1 is multiplied with",
     .choices = windows},
    {.name = "qmin",
     .kind = TRJ_OPTION_REAL,
     .value = &qmin,
     .arg = "Q",
     .help = "sq, debye: smallest q, in 1/Angstrom"},
    {.name = "qmax",
     .kind = TRJ_OPTION_REAL,
     .value = &qmax,
     .arg = "Q",
     .help = "sq, debye: largest q, in 1/Angstrom"},
    {.name = "dq", .kind = TRJ_OPTION_REAL, .value = &dq, .arg = "Q", .help = "sq, debye: step of q, in 1/Angstrom"},
    {.name = "atoms",
     .kind = TRJ_OPTION_COUNT,
     .value = &atoms,
     .arg = "N",
     .help = "sq, debye: atoms of the whole system, for partial S(q) of Faber and Ziman, not Ashcroft and Langreth",
     .max = UINT32_MAX},
    {.name = "total",
     .kind = TRJ_OPTION_LIST,
     .value = &totals,
     .arg = "WHAT",
     .help = "sq, debye: print the total S(q) of all pairs of groups, too: number, neutron or xray"},
    {.name = "scatterer",
     .kind = TRJ_OPTION_LIST,
     .value = &scatterers,
     .arg = "GROUP=WHAT",
     .help = "what a group scatters for --total: an element, an ion as Cl1-, D, or a length b in fm"},
    {.name = "corrected",
     .kind = TRJ_OPTION_FLAG,
     .value = &corrected,
     .help = "kb: correct g(r) for the closed system (Ganguly and van der Vegt)"},
    {.name = "shells",
     .kind = TRJ_OPTION_COUNT,
     .value = &shells,
     .arg = "N",
     .help = "shells: how many to find",
     .min = 1,
     .max = 100},
    {.name = "reach",
     .kind = TRJ_OPTION_REAL,
     .value = &reach,
     .arg = "R",
     .help = "shells: smooth by parabolas over at most R Angstrom on either side"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static const struct trj_tool tool = {
    .name = "rdfderive",
    .purpose = "Derives structure factors, coordination numbers, Kirkwood-Buff integrals and the like from histogram "
               "streams (of rdfhist), as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
};

enum { MOST_COLUMNS = 6, MOST_ROWS = 1000000, MOST_SMOOTH = 20000 };

struct column {
    const char *name;
    bool reversed; // of B:A; left out where both are the same group
};

struct job;

struct quantity {
    enum axis { MIDDLES, EDGES, WAVES, SHELL_ROWS } axis; // what rows are
    bool curve;                                           // needs g(r), not counts alone
    bool bulk;                                            // of full shells, in a system without an end
    bool fixed;                                           // of groups of one number of atoms
    bool bins_any;                                        // also where bins do not begin at 0
    // Fills to[column][row] for the curve; NULL for those over q, which are filled together.
    int (*fill)(const struct job *job, size_t set, size_t pair, double *to, struct trj_error *err);
    struct column columns[MOST_COLUMNS + 1]; // ends with a NULL name
    const char *told;                        // what columns are
};

// A set is all blocks (number 0), or all but one.
struct job {
    const struct quantity *quantity;
    struct rdf_hist *hist;
    struct rdf_blocks *blocks;
    size_t sets, pairs, columns, rows;
    uint64_t *group_atoms;    // [groups] sums over all frames, NULL where no group changes
    double *inverse_volume;   // [sets] means, Å^-3; that of the option, if given
    struct rdf_curve *curves; // [sets][pairs]
    double *values;           // [sets][pairs][columns][rows]
    struct rdf_total *asked;  // [totals.count]
    double *totals;           // [sets][totals.count][rows]
    struct rdf_scattering scattering;
    struct rdf_shell *shells; // [pairs][rows] of the first set, or as followed last; NULL unless wanted
};

static double *values_of(const struct job *j, size_t set, size_t pair) {
    return j->values + (set * j->pairs + pair) * j->columns * j->rows;
}

static const struct rdf_curve *curve_of(const struct job *j, size_t set, size_t pair) {
    return &j->curves[set * j->pairs + pair];
}

static double frames_of(const struct job *j) {
    double frames = 0;
    for (size_t i = 0; i < j->blocks->count; i++) frames += (double)j->blocks->block[i].frames;
    return frames;
}

// Atoms of a group, on average.
static double atoms_of(const struct job *j, uint32_t group) {
    return j->group_atoms ? (double)j->group_atoms[group] / frames_of(j) : (double)j->hist->setup.groups[group].atoms;
}

// Ordered pairs of different atoms.
static double ordered_pairs(const struct rdf_pair *p) {
    return (p->a == p->b ? 2 : 1) * (double)p->pairs;
}

static double q_at(size_t row) {
    return qmin + dq * (double)row;
}

static int fill_coordination(const struct job *j, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_pair *p = &j->hist->setup.pairs[pair];
    double ratio = atoms_of(j, p->a) / atoms_of(j, p->b);
    (void)err;
    for (size_t k = 0; k < j->rows; k++) {
        to[k] = curve_of(j, set, pair)->n[k];
        to[j->rows + k] = to[k] * ratio;
    }
    return 0;
}

static int fill_kirkwood_buff(const struct job *j, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_pair *p = &j->hist->setup.pairs[pair];
    const struct rdf_curve *c = curve_of(j, set, pair);
    const struct rdf_bins *bins = &j->hist->setup.bins;
    if (corrected && rdf_closed_system(c->g, bins, c->g, c->n, ordered_pairs(p) / atoms_of(j, p->a),
                                       1 / j->inverse_volume[set], err))
        return -1;
    rdf_kirkwood_buff(to, to + j->rows, to + 2 * j->rows, bins, c->g);
    return 0;
}

static int fill_mean_force(const struct job *j, size_t set, size_t pair, double *to, struct trj_error *err) {
    (void)err;
    rdf_mean_force(to, j->rows, curve_of(j, set, pair)->g, temperature);
    return 0;
}

static int fill_entropy(const struct job *j, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_pair *p = &j->hist->setup.pairs[pair];
    const double *g = curve_of(j, set, pair)->g;
    (void)err;
    rdf_pair_entropy(to, &j->hist->setup.bins, g, atoms_of(j, p->b) * j->inverse_volume[set]);
    rdf_pair_entropy(to + j->rows, &j->hist->setup.bins, g, atoms_of(j, p->a) * j->inverse_volume[set]);
    return 0;
}

// The standard error of g by counting: a bin without a count has that of one.
static double *counting_noise(const struct job *j, size_t pair, struct trj_error *err) {
    const struct rdf_bins *b = &j->hist->setup.bins;
    const double *g = curve_of(j, 0, pair)->g;
    double *noise = trj_alloc(b->count, sizeof *noise, "errors", err), all = 0, expected = 0;
    for (size_t k = 0; noise && k < b->count; k++) {
        double low = rdf_bins_edge(b, k), high = rdf_bins_edge(b, k + 1), counts = 0;
        noise[k] = (high - low) * (high * high + high * low + low * low); // the shell, but for a factor
        for (size_t i = 0; i < j->blocks->count; i++) counts += (double)j->blocks->block[i].counts[pair * b->count + k];
        all += counts;
        expected += g[k] * noise[k];
        noise[k] = sqrt(fmax(counts, 1)) / noise[k];
    }
    for (size_t k = 0; noise && k < b->count; k++) noise[k] *= expected / all;
    return noise;
}

// Found in the curve of all blocks, and followed in the others.
static int fill_shells(const struct job *j, size_t set, size_t pair, double *to, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    const struct rdf_pair *p = &s->pairs[pair];
    const struct rdf_curve *c = curve_of(j, set, pair);
    struct rdf_shell *shell = j->shells + pair * j->rows;
    if (set) {
        rdf_shells_follow(shell, j->rows, &s->bins, c->g, c->n);
    } else {
        double *noise = counting_noise(j, pair, err);
        int rc = noise ? rdf_shells(shell, j->rows, &s->bins, c->g, noise, c->n, reach, err) : -1;
        if (noise && rc) trj_fail_at(err, "%s:%s", s->groups[p->a].name, s->groups[p->b].name);
        free(noise);
        if (rc) return -1;
    }
    for (size_t i = 0; i < j->rows; i++, shell++) {
        double back = shell->n * atoms_of(j, p->a) / atoms_of(j, p->b);
        double row[MOST_COLUMNS] = {shell->max.r, shell->max.g, shell->min.r, shell->min.g, shell->n, back};
        for (size_t k = 0; k < MOST_COLUMNS; k++) to[k * j->rows + i] = row[k];
    }
    return 0;
}

static const struct quantity quantities[QUANTITIES] = {
    [COORDINATION] = {EDGES, .fill = fill_coordination, .columns = {{"n", false}, {"n", true}},
                      .told = "upper edge of the bin in Angstrom; n(A:B): atoms of B around one of A within it"},
    [SHELLS] = {SHELL_ROWS, .curve = true, .fill = fill_shells,
                .columns = {{"r_max", false},
                            {"g_max", false},
                            {"r_min", false},
                            {"g_min", false},
                            {"n_AB", false},
                            {"n_BA", false}},
                .told = "groups A:B; number of the shell; its maximum, the minimum behind it (Angstrom, g); atoms of B "
                        "around one of A within that minimum, of A around one of B"},
    [SQ] = {WAVES, .curve = true, .bulk = true, .fixed = true, .columns = {{"S", false}},
            .told = "q in 1/Angstrom; the partial structure factor of a pair of groups"},
    [DEBYE] = {WAVES, .fixed = true, .columns = {{"S", false}},
               .told = "q in 1/Angstrom; the partial structure factor of a pair of groups"},
    [KB] = {EDGES, .curve = true, .bulk = true, .fixed = true, .fill = fill_kirkwood_buff,
            .columns = {{"G", false}, {"Gsphere", false}, {"Ginf", false}},
            .told = "upper edge L of the bin in Angstrom; Angstrom^3: the integral up to it, that of a sphere of "
                    "diameter L, the latter extrapolated to an infinite one"},
    [PMF] = {MIDDLES, .curve = true, .bins_any = true, .fill = fill_mean_force, .columns = {{"w", false}},
             .told = "middle of the bin in Angstrom; -kT ln g in kJ/mol"},
    [S2] = {EDGES, .curve = true, .bulk = true, .fixed = true, .fill = fill_entropy,
            .columns = {{"s2", false}, {"s2", true}},
            .told = "upper edge of the bin in Angstrom; s2(A:B): what pairs with B within it add to the entropy of an "
                    "atom of A, in k_B"},
};

// What totals are made with, for one q.
struct waves {
    double *sums; // [pairs] of a set: transforms h, or sums of the kernel over the steps of n(r)
    double *amplitude, *atoms, *pairs, *weight; // [groups], [groups], [pairs], [pairs]
};

static int fill_totals(const struct job *j, const struct waves *w, size_t set, size_t row, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    bool debye = j->quantity == &quantities[DEBYE];
    double all = j->scattering.atoms;
    for (size_t t = 0; t < totals.count; t++) {
        double sum = 0, most = 0, rest;
        if (rdf_scattering_amplitudes(w->amplitude, &j->scattering, j->asked[t].probe, q_at(row), err)) return -1;
        double mean = rdf_scattering_weights(w->weight, &rest, &j->scattering, j->asked[t].probe, w->amplitude,
                                             w->atoms, w->pairs);
        for (size_t p = 0; p < j->pairs; p++) {
            uint32_t a = s->pairs[p].a, b = s->pairs[p].b;
            most += fabs(w->weight[p]);
            if (!rdf_scattering_first(&j->scattering, p)) continue;
            sum += debye ? (a == b ? 1 : 2) * w->amplitude[a] * w->amplitude[b] * w->atoms[a] / all * w->sums[p]
                         : w->weight[p] * all * j->inverse_volume[set] * w->sums[p];
        }
        if (!(mean > 1e-9 * most))
            return trj_fail(err, TRJ_BAD_DATA,
                            "total %s: atoms scatter nothing on average, at q = %g: there is no S(q)", j->asked[t].name,
                            q_at(row));
        j->totals[(set * totals.count + t) * j->rows + row] = 1 + sum / mean;
    }
    return 0;
}

static void close_waves(struct waves *w) {
    free(w->sums);
    free(w->amplitude);
    free(w->atoms);
    free(w->pairs);
    free(w->weight);
}

static int open_waves(struct waves *w, const struct job *j, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    *w = (struct waves){.sums = trj_alloc(j->pairs, sizeof *w->sums, "waves", err)};
    w->amplitude = w->sums ? trj_alloc(s->group_count, sizeof *w->amplitude, "waves", err) : NULL;
    w->atoms = w->amplitude ? trj_alloc(s->group_count, sizeof *w->atoms, "waves", err) : NULL;
    w->pairs = w->atoms ? trj_alloc(j->pairs, sizeof *w->pairs, "waves", err) : NULL;
    w->weight = w->pairs ? trj_alloc(j->pairs, sizeof *w->weight, "waves", err) : NULL;
    if (!w->weight) return -1;
    for (uint32_t g = 0; g < s->group_count; g++) w->atoms[g] = atoms_of(j, g);
    for (size_t p = 0; p < j->pairs; p++) w->pairs[p] = (double)s->pairs[p].pairs;
    return 0;
}

// Structure factors: all sets and pairs for a q, so that its waves are made once.
static int fill_waves(const struct job *j, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    bool debye = j->quantity == &quantities[DEBYE];
    size_t bins = s->bins.count;
    double alpha = !strcmp(window, "lorch") ? PI / s->bins.rmax : 0;
    double *kernel = trj_alloc(bins, sizeof *kernel, "waves", err);
    struct waves w = {.sums = NULL};
    int rc = kernel ? open_waves(&w, j, err) : -1;
    for (size_t i = 0; !rc && i < j->sets * j->pairs; i++) // from here on g is what is transformed
        for (size_t k = bins; k-- > 0;)
            j->curves[i].g[k] = debye ? j->curves[i].n[k] - (k ? j->curves[i].n[k - 1] : 0) : j->curves[i].g[k] - 1;
    for (size_t row = 0; !rc && row < j->rows; row++) {
        if (debye)
            rdf_debye_kernel(kernel, &s->bins, q_at(row));
        else
            rdf_transform_kernel(kernel, &s->bins, q_at(row), alpha);
        for (size_t i = 0; !rc && i < j->sets * j->pairs; i++) {
            const struct rdf_pair *p = &s->pairs[i % j->pairs];
            double a = atoms_of(j, p->a), b = atoms_of(j, p->b), mean = sqrt(a * b), sum = 0;
            for (size_t k = 0; k < bins; k++) sum += kernel[k] * j->curves[i].g[k];
            w.sums[i % j->pairs] = sum;
            if ((i + 1) % j->pairs == 0) rc = fill_totals(j, &w, i / j->pairs, row, err);
            sum *= debye ? a / mean : mean * j->inverse_volume[i / j->pairs];
            *(values_of(j, i / j->pairs, i % j->pairs) + row) =
                atoms ? 1 + sum * (double)atoms / mean : (a * b - ordered_pairs(p)) / mean + sum;
        }
        trj_tool_progress("q", row + 1, j->rows);
    }
    trj_tool_progress_end();
    free(kernel);
    close_waves(&w);
    return rc;
}

static int check_options(const struct quantity *q, struct trj_error *err) {
    const struct {
        const char *name;
        bool given, fits;
    } only[] = {
        {"temperature", !isnan(temperature), q == &quantities[PMF]},
        {"window", strcmp(window, windows[0].name) != 0, q == &quantities[SQ]},
        {"atoms", atoms > 0, q->axis == WAVES},
        {"total", totals.count > 0, q->axis == WAVES},
        {"corrected", corrected, q == &quantities[KB]},
        {"volume", !isnan(volume), q->curve},
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (only[i].given && !only[i].fits)
            return trj_fail(err, TRJ_USAGE, "--%s says nothing of --quantity %s", only[i].name, quantity_name);
    if (!isnan(volume) && !(volume > 0)) return trj_fail(err, TRJ_USAGE, "--volume: %g is not a volume", volume);
    if (q == &quantities[PMF] && !(temperature > 0))
        return isnan(temperature) ? trj_fail(err, TRJ_USAGE, "--quantity pmf needs --temperature")
                                  : trj_fail(err, TRJ_USAGE, "--temperature: %g K is not above 0", temperature);
    if (!(qmin >= 0 && qmax >= qmin && dq > 0 && (qmax - qmin) / dq < MOST_ROWS))
        return trj_fail(err, TRJ_USAGE, "--qmin %g, --qmax %g, --dq %g: no grid of at most %d points from 0 up", qmin,
                        qmax, dq, MOST_ROWS);
    if (scatterers.count && !totals.count)
        return trj_fail(err, TRJ_USAGE, "--scatterer says something of --total alone");
    for (size_t i = 0; i < totals.count; i++)
        if (!strcmp(totals.texts[i], "xray") && qmax > RDF_FARTHEST_Q)
            return trj_fail(err, TRJ_USAGE, "--qmax %g: form factors are known up to %g", qmax, RDF_FARTHEST_Q);
    if (!(reach > 0)) return trj_fail(err, TRJ_USAGE, "--reach: %g Angstrom is not above 0", reach);
    return 0;
}

// What the histograms must be for the quantity.
static int check_data(const struct job *j, struct trj_error *err) {
    const struct quantity *q = j->quantity;
    const struct rdf_setup *s = &j->hist->setup;
    struct rdf_record total = rdf_hist_total(j->hist);
    if (s->lag.frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "counts are of atoms at two times (rdfhist --lag): nothing is derived of these");
    if (s->bins.rmin > 0 && !q->bins_any)
        return trj_fail(err, TRJ_BAD_DATA, "bins begin at %g Angstrom: --quantity %s needs all from 0 on", s->bins.rmin,
                        quantity_name);
    if (q->fixed && rdf_setup_changes(s))
        return trj_fail(err, TRJ_BAD_DATA, "a group changes from frame to frame: --quantity %s needs one density",
                        quantity_name);
    if (q->bulk && total.height_max > 0 && !(volume > 0))
        return trj_fail(err, TRJ_BAD_DATA, "frames are a slab: --quantity %s is of a bulk; or give --volume",
                        quantity_name);
    if (q == &quantities[SHELLS] && s->bins.count > MOST_SMOOTH)
        return trj_fail(err, TRJ_BAD_DATA, "%llu bins are more than the %d that are smoothed: count with fewer",
                        (unsigned long long)s->bins.count, MOST_SMOOTH);
    return 0;
}

// Says where pairs of a body in empty space are missing from Debye's sum.
static void tell_missing(const struct job *j) {
    const struct rdf_setup *s = &j->hist->setup;
    if (rdf_hist_total(j->hist).periodic_any) return;
    for (size_t p = 0; p < j->pairs; p++) {
        double all = (double)s->pairs[p].pairs * frames_of(j), counted = 0;
        for (size_t i = 0; i < j->blocks->count; i++)
            for (size_t k = 0; k < s->bins.count; k++)
                counted += (double)j->blocks->block[i].counts[p * s->bins.count + k];
        if (counted < all)
            trj_tool_say("%s:%s: %.10g of %.10g pairs are beyond rmax and not in the sum",
                         s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name, all - counted, all);
    }
}

static int derive(struct job *j, struct trj_error *err) {
    const struct quantity *q = j->quantity;
    const struct rdf_setup *s = &j->hist->setup;
    const struct rdf_blocks *b = j->blocks;
    j->pairs = s->pair_count;
    j->sets = b->count > 1 ? b->count + 1 : 1;
    j->rows = q->axis == WAVES        ? (size_t)((qmax - qmin) / dq * (1 + 1e-12)) + 1
              : q->axis == SHELL_ROWS ? shells
                                      : s->bins.count;
    while (q->columns[j->columns].name) j->columns++;
    j->curves = trj_alloc(j->sets * j->pairs, sizeof *j->curves, "curves", err);
    j->inverse_volume = j->curves ? trj_alloc(j->sets, sizeof *j->inverse_volume, "volumes", err) : NULL;
    j->values = j->inverse_volume
                    ? trj_alloc(j->sets * j->pairs * j->columns, j->rows * sizeof *j->values, "the table", err)
                    : NULL;
    if (!j->values) return -1;
    if (q->axis == SHELL_ROWS && !(j->shells = trj_alloc(j->pairs, j->rows * sizeof *j->shells, "shells", err)))
        return -1;
    if (rdf_setup_changes(s)) {
        if (!(j->group_atoms = trj_alloc(s->group_count, sizeof *j->group_atoms, "groups", err))) return -1;
        for (size_t i = 0; i < b->count * s->group_count; i++)
            j->group_atoms[i % s->group_count] += b->block[i / s->group_count].group_atoms[i % s->group_count];
    }
    for (size_t set = 0; set < j->sets; set++) {
        size_t without = set ? set - 1 : b->count;
        struct trj_exact_sum sum = {{0}};
        uint64_t frames = 0;
        // What needs no g(r) has n(r) of any volume.
        if (rdf_blocks_curves(j->curves + set * j->pairs, s, b, without, q->curve ? volume : 1, err)) return -1;
        for (size_t i = 0; i < b->count; i++) {
            if (i == without) continue;
            trj_exact_merge(&sum, &b->block[i].inverse_volume);
            frames += b->block[i].volume_frames;
        }
        j->inverse_volume[set] = volume > 0 ? 1 / volume : trj_exact_value(&sum) / (double)frames;
    }
    if (totals.count && (rdf_scattering_open(&j->scattering, s, j->hist->part, &scatterers, err) ||
                         !(j->totals = trj_alloc(j->sets * totals.count, j->rows * sizeof *j->totals, "totals", err))))
        return -1;
    if (q->axis == WAVES) return fill_waves(j, err);
    for (size_t i = 0; i < j->sets * j->pairs; i++)
        if (q->fill(j, i / j->pairs, i % j->pairs, values_of(j, i / j->pairs, i % j->pairs), err)) return -1;
    return 0;
}

// A value and, where there are blocks, its error: those of each set are `apart` from one another.
static int print_sets(struct trj_output *out, const struct job *j, const double *x, size_t apart,
                      struct trj_error *err) {
    double left_out[RDF_MOST_BLOCKS];
    if (trj_output_print(out, err, "\t%.10g", *x)) return -1;
    if (j->sets == 1) return 0;
    for (size_t set = 1; set < j->sets; set++) left_out[set - 1] = x[set * apart];
    return trj_output_print(out, err, "\t%.4g", rdf_blocks_error(j->blocks, *x, left_out));
}

static int print_value(struct trj_output *out, const struct job *j, size_t pair, size_t column, size_t row,
                       struct trj_error *err) {
    return print_sets(out, j, values_of(j, 0, pair) + column * j->rows + row, j->pairs * j->columns * j->rows, err);
}

static int print_shells(struct trj_output *out, const struct job *j, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    if (trj_output_print(out, err, "# pair\tshell")) return -1;
    for (size_t c = 0; c < j->columns; c++) {
        const char *name = j->quantity->columns[c].name;
        if (trj_output_print(out, err, "\t%s", name) || (j->sets > 1 && trj_output_print(out, err, "\tse_%s", name)))
            return -1;
    }
    for (size_t i = 0; i < j->pairs * j->rows; i++) {
        const struct rdf_pair *p = &s->pairs[i / j->rows];
        if (trj_output_print(out, err, "\n%s:%s\t%zu", s->groups[p->a].name, s->groups[p->b].name, i % j->rows + 1))
            return -1;
        for (size_t c = 0; c < j->columns; c++)
            if (print_value(out, j, i / j->rows, c, i % j->rows, err)) return -1;
    }
    return trj_output_print(out, err, "\n");
}

// Whether the pair has the column.
static bool has(const struct job *j, size_t pair, size_t column) {
    const struct rdf_pair *p = &j->hist->setup.pairs[pair];
    return p->a != p->b || !j->quantity->columns[column].reversed;
}

static double axis_at(const struct job *j, size_t row) {
    const struct rdf_bins *bins = &j->hist->setup.bins;
    if (j->quantity->axis == WAVES) return q_at(row);
    double high = rdf_bins_edge(bins, row + 1);
    return j->quantity->axis == EDGES ? high : (rdf_bins_edge(bins, row) + high) / 2;
}

static int print_rows(struct trj_output *out, const struct job *j, struct trj_error *err) {
    const struct rdf_setup *s = &j->hist->setup;
    char error[16];
    if (trj_output_print(out, err, j->quantity->axis == WAVES ? "# q" : "# r")) return -1;
    for (size_t i = 0; i < totals.count; i++)
        if (trj_output_print(out, err, j->sets > 1 ? "\tS(%s)\tse_S(%s)" : "\tS(%s)", totals.texts[i], totals.texts[i]))
            return -1;
    for (size_t i = 0; i < j->pairs * j->columns; i++) {
        const struct column *c = &j->quantity->columns[i % j->columns];
        if (!has(j, i / j->columns, i % j->columns)) continue;
        snprintf(error, sizeof error, "se_%s", c->name);
        if (rdf_table_name(out, c->name, s, i / j->columns, c->reversed, err) ||
            (j->sets > 1 && rdf_table_name(out, error, s, i / j->columns, c->reversed, err)))
            return -1;
    }
    for (size_t row = 0; row < j->rows; row++) {
        if (trj_output_print(out, err, "\n%.10g", axis_at(j, row))) return -1;
        for (size_t i = 0; i < totals.count; i++)
            if (print_sets(out, j, j->totals + i * j->rows + row, totals.count * j->rows, err)) return -1;
        for (size_t i = 0; i < j->pairs * j->columns; i++)
            if (has(j, i / j->columns, i % j->columns) && print_value(out, j, i / j->columns, i % j->columns, row, err))
                return -1;
    }
    return trj_output_print(out, err, "\n");
}

static int print_table(struct trj_output *out, const struct job *j, char **provenance, struct trj_error *err) {
    if (rdf_table_head(out, j->hist, j->group_atoms, provenance, err) ||
        trj_output_print(out, err, "# quantity: %s\n", quantity_names[j->quantity - quantities].help))
        return -1;
    if (j->quantity->curve && volume > 0 && trj_output_print(out, err, "# with a volume of %.10g Angstrom^3\n", volume))
        return -1;
    if (j->quantity->axis == WAVES &&
        (atoms ? trj_output_print(out, err, "# partial structure factors of Faber and Ziman, of %llu atoms in all\n",
                                  (unsigned long long)atoms)
               : trj_output_print(out, err, "# partial structure factors of Ashcroft and Langreth\n")))
        return -1;
    for (size_t i = 0; i < totals.count; i++)
        if (rdf_scattering_print(out, &j->scattering, &j->asked[i], err)) return -1;
    if (j->quantity == &quantities[DEBYE] && rdf_hist_total(j->hist).periodic_any &&
        trj_output_print(out, err, "# frames are periodic: the sphere of radius rmax itself scatters, too\n"))
        return -1;
    if (j->sets > 1 && trj_output_print(out, err, "# errors: se_, by leaving out one of %zu blocks of %zu record%s\n",
                                        j->blocks->count, j->blocks->each, j->blocks->each > 1 ? "s" : ""))
        return -1;
    if (trj_output_print(out, err, "# columns: %s\n", j->quantity->told)) return -1;
    return j->quantity->axis == SHELL_ROWS ? print_shells(out, j, err) : print_rows(out, j, err);
}

static int run(struct job *j, struct trj_output **out, int argc, char **argv, int first, struct trj_error *err) {
    if (!quantity_name) return trj_fail(err, TRJ_USAGE, "--quantity is needed: see --help for what there is");
    for (size_t i = 0; i < QUANTITIES; i++)
        if (!strcmp(quantity_names[i].name, quantity_name)) j->quantity = &quantities[i];
    if (check_options(j->quantity, err) || rdf_totals_parse(&j->asked, &totals, false, err)) return -1;
    j->hist->take = rdf_blocks_take;
    j->hist->take_arg = j->blocks;
    if (rdf_table_read(j->hist, argv + first, argc - first, err) || check_data(j, err) || derive(j, err)) return -1;
    if (j->quantity == &quantities[DEBYE]) tell_missing(j);
    char **provenance = trj_tool_provenance(&tool, argc, argv, err);
    int rc = !provenance || trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err) ||
                     print_table(*out, j, provenance, err) || trj_output_commit(*out, err)
                 ? -1
                 : 0;
    trj_texts_free(provenance);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct rdf_hist h = {.records = NULL};
    static struct rdf_blocks blocks;
    struct job j = {.hist = &h, .blocks = &blocks};
    struct trj_output *out = NULL;
    int first, rc;
    window = windows[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&j, &out, argc, argv, first, &err);
    trj_output_close(out);
    for (size_t i = 0; j.curves && i < j.sets * j.pairs; i++) rdf_curve_free(&j.curves[i]);
    free(j.curves);
    free(j.inverse_volume);
    free(j.group_atoms);
    free(j.values);
    free(j.asked);
    free(j.totals);
    free(totals.texts);
    free(scatterers.texts);
    rdf_scattering_close(&j.scattering);
    free(j.shells);
    rdf_blocks_free(&blocks);
    rdf_hist_free(&h);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
