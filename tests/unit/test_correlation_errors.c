// SPDX-License-Identifier: MIT
// Results of trjcorr and their errors: intervals of 95 % of diffusion coefficients, conductivities, correlation times,
// lifetimes, the dielectric constant and integrals contain the true values of synthetic series in 95 % of the runs.
//
// The numbers of frames are those of processes whose correlations are known: random walks, Ornstein-Uhlenbeck
// processes, directions that are replaced at random, and atoms that enter and leave a group at constant rates. They
// take the place of what the expressions compute from positions; all that follows is that of the filter.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "correlation_run.h"
#include "correlation_table.h"
#include "movement.h"
#include "observe_system.h"
#include "system.h"
#include "tap.h"
#include "uniform.h"

enum { FRAMES = 2000, LAGS = 30, VALUES_MAX = 100, CASES_MAX = 16 };

static struct trj_error err;
static const struct trj_gap interval = {TRJ_GAP_TIME, 1};
static const double volume = 30 * 30 * 30, temperature = 300, pi = 3.14159265358979323846;
static char *file;

static double normal(void) {
    const double u = 1 - uniform();
    return sqrt(-2 * log(u)) * cos(2 * pi * uniform());
}

// ----------------------------------------------------------------------------------------------------------- processes

static const double memory = 0.8187307530779818; // exp(-1/5)
static const double leaves = 0.2, enters = 0.05;

static void walk(double *x, size_t count, bool first) {
    for (size_t i = 0; i < count; i++) x[i] = first ? 0 : x[i] + normal();
}

static void relax(double *x, size_t count, bool first) {
    for (size_t i = 0; i < count; i++) x[i] = first ? normal() : memory * x[i] + sqrt(1 - memory * memory) * normal();
}

static void move_in_and_out(double *x, size_t count, bool first) {
    for (size_t i = 0; i < count; i++) {
        const double in = first ? enters / (enters + leaves) : x[i] > 0 ? 1 - leaves : enters;
        x[i] = uniform() < in;
    }
}

// Unit vectors with their tensors (reorientation.c): three numbers of each, then five.
static void turn(double *x, size_t count, bool first) {
    const size_t vectors = count / 8;
    for (size_t i = 0; i < vectors; i++) {
        double *u = x + 3 * i, *p = x + 3 * vectors + 5 * i, length = 0;
        if (!first && uniform() < memory) continue;
        for (int k = 0; k < 3; k++) u[k] = normal();
        for (int k = 0; k < 3; k++) length += u[k] * u[k];
        for (int k = 0; k < 3; k++) u[k] /= sqrt(length);
        p[0] = (2 * u[2] * u[2] - u[0] * u[0] - u[1] * u[1]) / 2;
        p[1] = sqrt(3) / 2 * (u[0] * u[0] - u[1] * u[1]);
        p[2] = sqrt(3) * u[0] * u[1];
        p[3] = sqrt(3) * u[0] * u[2];
        p[4] = sqrt(3) * u[1] * u[2];
    }
}

// The integral up to a lag, by the trapezoidal rule, of a^k.
static double decayed(double a, size_t lag) {
    double sum = 0;
    for (size_t k = 0; k < lag; k++) sum += (pow(a, (double)k) + pow(a, (double)(k + 1))) / 2;
    return sum;
}

// S/m of e^2 Angstrom^2/ps, over V k T
static double in_siemens(void) {
    return 1.602176634e-19 * 1.602176634e-19 * 1e22 / (1.380649e-23 * temperature) / volume;
}

// Each result is compared with the integral up to the lag that the table states, or with a constant.
static double diffusion_of_velocities(size_t lag) {
    return 10 * decayed(memory, lag);
}
static double sigma_of_currents(size_t lag) {
    return in_siemens() * decayed(memory, lag);
}
static double diffusion_of_walks(size_t lag) {
    (void)lag;
    return 5;
}
static double sigma_of_walks(size_t lag) {
    (void)lag;
    return in_siemens() / 2;
}
static double time_of_decay(size_t lag) {
    return decayed(memory, lag);
}
static double time_of_stay(size_t lag) {
    return decayed(1 - leaves, lag);
}
static double time_of_return(size_t lag) {
    const double share = enters / (enters + leaves);
    return share * (double)lag + (1 - share) * decayed(1 - leaves - enters, lag);
}
static double epsilon(size_t lag) {
    const double debye = 3.33564095e-30, vacuum = 8.8541878128e-12;
    (void)lag;
    return 1 + 3 * debye * debye / (3 * vacuum * 1e-30 * 1.380649e-23 * temperature * volume);
}

// --------------------------------------------------------------------------------------------------------------- cases

static const struct expression {
    const char *text;
    bool unwrapped;
    void (*next)(double *x, size_t count, bool first);
} expressions[] = {
    {"vacf(index 0 to 3)", false, relax},    {"conductivity(index 12 to 20, 300, by=current)", false, relax},
    {"acf(volume)", false, relax},           {"dielectric(index 12 to 20, 300)", false, relax},
    {"survival(D)", false, move_in_and_out}, {"reorient(index 12 15 18, index 13 16 19)", false, turn},
    {"msd(index 0 to 3)", true, walk},       {"conductivity(index 12 to 20, 300)", true, walk},
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

static struct result {
    size_t expression;
    const char *quantity;
    double (*truth)(size_t lag);
    int known, inside;
    double off, squares, errors; // sums of deviation, its square, and error^2
} results[] = {
    {0, "D", diffusion_of_velocities, 0, 0, 0, 0, 0},
    {1, "sigma", sigma_of_currents, 0, 0, 0, 0, 0},
    {1, "sigma_x", sigma_of_currents, 0, 0, 0, 0, 0},
    {2, "tau", time_of_decay, 0, 0, 0, 0, 0},
    {2, "integral", time_of_decay, 0, 0, 0, 0, 0},
    {3, "tau.M2", time_of_decay, 0, 0, 0, 0, 0},
    {3, "epsilon", epsilon, 0, 0, 0, 0, 0},
    {4, "tau.continuous", time_of_stay, 0, 0, 0, 0, 0},
    {5, "tau.C1", time_of_decay, 0, 0, 0, 0, 0},
    {5, "tau.C2", time_of_decay, 0, 0, 0, 0, 0},
    {6, "D", diffusion_of_walks, 0, 0, 0, 0, 0},
    {7, "sigma", sigma_of_walks, 0, 0, 0, 0, 0},
    {4, "tau.intermittent", time_of_return, 0, 0, 0, 0, 0},
};
enum { RESULTS = sizeof results / sizeof *results };

static void be_silent(const char *line) {
    (void)line;
}

// Takes the results "# result: EXPRESSION QUANTITY VALUE ERROR HALF UNIT FROM TO" of a table.
static bool read_results(void) {
    char line[4096];
    FILE *f = fopen(file, "r");
    bool good = f;
    while (good && fgets(line, sizeof line, f)) {
        char *field[8];
        size_t n = 0;
        if (strncmp(line, "# result: ", 10) != 0) continue;
        for (char *p = strtok(line + 10, "\t\n"); p && n < 8; p = strtok(NULL, "\t\n")) field[n++] = p;
        for (size_t i = 0; n == 8 && i < RESULTS; i++) {
            struct result *r = &results[i];
            if (strcmp(field[0], expressions[r->expression].text) != 0 || strcmp(field[1], r->quantity) != 0) continue;
            const double value = strtod(field[2], NULL), error = strtod(field[3], NULL), half = strtod(field[4], NULL),
                         off = value - r->truth((size_t)lrint(strtod(field[7], NULL)));
            if (isnan(half)) continue;
            r->known++;
            r->inside += fabs(off) <= half;
            r->off += off;
            r->squares += off * off;
            r->errors += error * error;
        }
    }
    if (f) fclose(f);
    return good;
}

// Computes the expressions of one kind of positions from random frames.
static bool simulate(struct trj_stream_header *h, struct trj_frame *f, bool unwrapped) {
    const struct tcf_options options = {.lags = LAGS, .viscosity = NAN, .temperature = NAN};
    struct obs_system system = {.count = 0};
    struct tcf_run run = {.count = 0};
    struct trj_output *out = NULL;
    char *texts[EXPRESSIONS];
    void (*next[EXPRESSIONS])(double *, size_t, bool);
    double values[VALUES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < EXPRESSIONS; i++) {
        if (expressions[i].unwrapped != unwrapped) continue;
        next[count] = expressions[i].next;
        texts[count++] = trj_copy_text(expressions[i].text, &err);
    }
    bool good = !obs_system_open(&system, h, &err) &&
                !tcf_run_open(&run, &options, 1, texts, count, &system, &interval, &err) && run.values <= VALUES_MAX;
    for (int t = 0; good && t < FRAMES; t++) {
        double *value = values;
        for (size_t i = 0; i < count; value += run.observable[i++].columns)
            next[i](value, run.observable[i].columns, !t);
        f->time = t;
        good = !tcf_run_take(&run, f, values, &err);
    }
    good = good && !tcf_run_finish(&run, &err) && !trj_output_open(&out, file, TRJ_OUTPUT_TEXT, &err);
    struct trj_table table = {.out = out, .err = &err};
    good = good && !tcf_table_write(&run, NULL, &table, be_silent, &err) && !trj_output_commit(out, &err);
    trj_output_close(out);
    tcf_run_free(&run);
    obs_system_free(&system);
    for (size_t i = 0; i < count; i++) free(texts[i]);
    return good && read_results();
}

int main(void) {
    const char *sample = getenv("TRJPIPE_SAMPLE"), *folder = getenv("TMPDIR");
    const bool all = sample && !strcmp(sample, "1/1");
    const int trials = all ? 600 : 100;
    // The share of 600 runs has a standard deviation of 0.009; that of 100 runs can differ more by chance.
    const double most = 0.02 + (all ? 0 : 4 * sqrt(0.95 * 0.05 / trials));
    struct trj_stream_header header = {.atoms = 0}, unwrapped = {.atoms = 0};
    struct trj_frame f = {.atoms = 0}, g = {.atoms = 0};
    const struct trj_movement movement = {.kind = TRJ_UNWRAPPED_TOROIDAL};
    char name[4096];
    snprintf(name, sizeof name, "%s/test_correlation_errors.%ld.tsv", folder ? folder : "/tmp", (long)getpid());
    file = name;
    bool good = !observe_make(&header, &f, &err) && !observe_make(&unwrapped, &g, &err) &&
                !trj_movement_add(&unwrapped, &movement, "atoms", "", &err);
    f.cell = g.cell = (struct trj_cell){.h = {{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}, .periodic = TRJ_PERIODIC_ALL};
    // The dielectric constant is that of a system without ions.
    for (size_t i = 0; good && i < header.property_count; i++)
        if (!strcmp(header.properties[i].name, "charge")) header.properties[i].real[OBSERVE_ATOMS - 1] = 0;
    for (int i = 0; good && i < trials; i++) good = simulate(&header, &f, false) && simulate(&unwrapped, &g, true);
    ok(good, "%d runs of %d frames%s%s", trials, (int)FRAMES, good ? "" : ": ", good ? "" : err.text);
    for (size_t i = 0; i < RESULTS; i++) {
        const struct result *r = &results[i];
        const double n = r->known, share = r->inside / n;
        printf("# %s %s: known %d, inside %.3f, mean deviation %.3g of its standard deviation, error %.3f of it\n",
               expressions[r->expression].text, r->quantity, r->known, share, r->off / n / sqrt(r->squares / n),
               sqrt(r->errors / r->squares));
        ok(r->known >= 0.98 * trials && share > 0.95 - most && share < 0.95 + most, "%s: intervals of 95 %% contain %s",
           expressions[r->expression].text, r->quantity);
    }
    unlink(file);
    trj_frame_free(&f);
    trj_frame_free(&g);
    trj_stream_header_free(&header);
    trj_stream_header_free(&unwrapped);
    return done();
}
