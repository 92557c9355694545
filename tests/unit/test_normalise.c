// SPDX-License-Identifier: MIT
// Normalisation as requested: curves of a histogram whose g(r) is known, and requests that are rejected.
#include <unistd.h>

#include "memory.h"
#include "norm_table.h"
#include "table.h"
#include "tap.h"

enum { BINS = 8, FRAMES = 2, PAIRS = 2 };

static const double PI = 3.14159265358979323846, SIDE = 20, RMAX = 4;
static struct trj_error err;
static char path[] = "/tmp/test_normalise.XXXXXX";
static int notes;
static char last_note[1024];

static struct rdf_hist_group groups[] = {{.name = (char[]){"A"}, .atoms = 10}, {.name = (char[]){"B"}, .atoms = 2}};
static struct rdf_pair pairs[PAIRS] = {{0, 0, 45}, {1, 1, 1}};
static uint64_t excluded[PAIRS] = {0, 1}; // the two atoms of B are bonded
static const struct rdf_norm_options defaults = {.norm = "density",
                                                 .error = "auto",
                                                 .form = "g",
                                                 .excluded = "out",
                                                 .volume = NAN,
                                                 .density = NAN,
                                                 .droplet = NAN,
                                                 .thickness = NAN,
                                                 .interval = NAN,
                                                 .merge = 1};

static void must(int rc) {
    if (!rc) return;
    printf("# %s\n", err.text);
    exit(1);
}

static void note(const char *text) {
    notes++;
    snprintf(last_note, sizeof last_note, "%s", text);
}

static uint64_t count_of(uint64_t bin) {
    return bin < 2 ? 0 : 10 * bin + 1;
}

// Writes a histogram stream with one record of FRAMES frames in a cube.
static void make(void) {
    struct trj_source source = {(char[]){"a.dcd"}, 1};
    struct trj_stream_header origin = {.source_count = 1, .sources = &source};
    struct rdf_setup setup = {.bins = {0, RMAX, BINS},
                              .group_count = 2,
                              .pair_count = PAIRS,
                              .groups = groups,
                              .pairs = pairs,
                              .exclusion = (char[]){"bonds:1"},
                              .excluded = excluded};
    struct rdf_record record = {.frames = 0};
    struct rdf_hist_writer *w;
    struct trj_output *out;
    must(trj_output_open(&out, path, TRJ_OUTPUT_BINARY, &err));
    must(rdf_hist_writer_open(&w, out, &setup, &origin, &err));
    for (uint64_t i = 0; i < FRAMES; i++) {
        struct trj_frame f = {.index = i, .cell = {.h = {{SIDE, 0, 0}, {0, SIDE, 0}, {0, 0, SIDE}}, .periodic = 7}};
        must(rdf_record_add_frame(&record, &f, &err));
    }
    record.counts = trj_alloc(PAIRS * BINS, sizeof *record.counts, "counts", &err);
    for (uint64_t k = 0; k < BINS; k++) record.counts[k] = count_of(k);
    record.excluded = trj_alloc(PAIRS * BINS, sizeof *record.excluded, "counts", &err);
    must(rdf_hist_write(w, &record, &err));
    must(rdf_hist_writer_finish(w, &err));
    must(trj_output_commit(out, &err));
    rdf_hist_writer_close(w);
    trj_output_close(out);
    rdf_record_free(&record);
}

// Normalises the file. The caller closes *n also after an error.
static int normalise(struct rdf_normalisation *n, const struct rdf_norm_options *options) {
    char *paths[] = {path};
    *n = (struct rdf_normalisation){.note = note};
    notes = 0;
    err = (struct trj_error){.status = TRJ_OK};
    return rdf_normalisation_open(n, options, &err) || rdf_table_read(&n->hist, paths, 1, &err) ||
                   rdf_normalise(n, &err)
               ? -1
               : 0;
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

// Whether g and n of pair A:A are those of the counts, with `merge` bins in one, computed directly.
static bool curve_is_right(const struct rdf_normalisation *n, uint64_t merge, double volume) {
    double width = RMAX / BINS, inside = 0;
    bool good = n->sums.coarse.bins == BINS / merge;
    for (uint64_t k = 0; good && k < BINS / merge; k++) {
        double count = 0, low = (double)(k * merge) * width, high = (double)((k + 1) * merge) * width;
        for (uint64_t i = 0; i < merge; i++) count += (double)count_of(k * merge + i);
        double shell = 4 * PI / 3 * (high * high * high - low * low * low);
        inside += count;
        good = near(n->curves[0].g[k], count / (FRAMES * 45 * shell / volume)) &&
               near(n->curves[0].n[k], inside * 2 / (FRAMES * 10));
    }
    return good;
}

static void test_curves(void) {
    struct rdf_normalisation n;
    struct rdf_norm_options options = defaults;
    int rc = normalise(&n, &options);
    ok(!rc && curve_is_right(&n, 1, SIDE * SIDE * SIDE), "pair of a group with itself: g(r) and n(r): %s", err.text);
    ok(!rc && notes == 1 && !strcmp(last_note, "note: B:B: all pairs are excluded: there is no g(r)") &&
           isnan(n.curves[1].g[0]) && isnan(n.curves[1].g[BINS - 1]),
       "group whose pairs are all excluded: NaN, and a note: %s", last_note);
    rdf_normalisation_close(&n);
    options.merge = 2;
    options.volume = 1000;
    rc = normalise(&n, &options);
    ok(!rc && curve_is_right(&n, 2, 1000), "given volume, and two bins in one: %s", err.text);
    rdf_normalisation_close(&n);
    options = defaults;
    options.range = "1:3";
    rc = normalise(&n, &options);
    ok(!rc && n.sums.coarse.bins == 4 && near(rdf_coarse_bins_edge(&n.sums.coarse, &n.hist.setup.bins, 0), 1) &&
           near(n.curves[0].n[0], (double)count_of(2) * 2 / (FRAMES * 10)),
       "range: its bins alone, and n(r) from the start of the histogram");
    rdf_normalisation_close(&n);
    options = defaults;
    options.counts = true;
    rc = normalise(&n, &options);
    bool good = !rc && !n.curves && !n.total_curves && !notes;
    for (uint64_t k = 0; good && k < BINS; k++) good = n.sums.counts[k] == count_of(k);
    ok(good, "counts: no curves, and no note");
    rdf_normalisation_close(&n);
}

static void test_table(void) {
    static struct rdf_norm_layers l;
    char *file = path;
    struct rdf_norm_options options = defaults;
    struct trj_output *out;
    char table[] = "/tmp/test_normalise_table.XXXXXX", line[512], *provenance[] = {(char[]){"a line"}, NULL};
    close(mkstemp(table));
    options.counts = true;
    must(rdf_norm_layers_open(&l, &options, note, &err));
    must(rdf_table_read(rdf_norm_layers_hist(&l), &file, 1, &err));
    must(rdf_norm_layers_make(&l, &err));
    must(trj_output_open(&out, table, TRJ_OUTPUT_TEXT, &err));
    must(rdf_norm_print(out, &l, provenance, &err));
    must(trj_output_commit(out, &err));
    trj_output_close(out);
    FILE *f = fopen(table, "r");
    unsigned long long count, other, rows = 0;
    double low, high;
    bool good = f, named = false, line_found = false;
    while (good && fgets(line, sizeof line, f)) {
        named = named || !strcmp(line, "# r_lo\tr_hi\tcount(A:A)\tcount(B:B)\n");
        line_found = line_found || has_text(line, "a line");
        if (*line == '#') continue;
        good = sscanf(line, "%lf\t%lf\t%llu\t%llu", &low, &high, &count, &other) == 4 && low == (double)rows / 2 &&
               high == low + 0.5 && count == count_of(rows) && !other;
        rows++;
    }
    ok(good && named && line_found && rows == BINS, "table of counts: provenance, names of columns, and a row per bin");
    if (f) fclose(f);
    unlink(table);
    rdf_norm_layers_close(&l);
}

static void rejected(const struct rdf_norm_options *options, const char *text) {
    struct rdf_normalisation n = {.note = NULL};
    int rc = rdf_normalisation_open(&n, options, &err);
    ok(rc && err.status == TRJ_USAGE && has_text(err.text, text), "rejected: %s", err.text);
    rdf_normalisation_close(&n);
}

static void test_requests(void) {
    const char *total[] = {"number"};
    struct rdf_norm_options options = defaults;
    options.volume = -1;
    rejected(&options, "--volume: invalid value -1");
    options = defaults;
    options.density = 0;
    rejected(&options, "--density: invalid value 0");
    options = defaults;
    options.box = "1,2";
    rejected(&options, "--box: invalid value '1,2'");
    options = defaults;
    options.range = "5:1";
    rejected(&options, "--range");
    options = defaults;
    options.form = "fz";
    rejected(&options, "--form applies to totals only");
    options.totals = (struct trj_text_list){total, 1};
    options.counts = true;
    rejected(&options, "--total and --counts");
    options.counts = false;
    options.split = true;
    rejected(&options, "--split requires totals that include excluded pairs");
    options.totals.count = 0;
    options.form = defaults.form;
    rejected(&options, "--split applies to totals only");
}

int main(void) {
    close(mkstemp(path));
    make();
    test_curves();
    test_table();
    test_requests();
    unlink(path);
    return done();
}
