// SPDX-License-Identifier: MIT
// Divides a stream into runs of frames at equal intervals, and passes their numbers to the correlators.
#include "correlation_run.h"

#include <stdlib.h>

#include "memory.h"

static struct tcf_signal *signal_at(const struct tcf_run *r, size_t i) {
    return tcf_signal_of(&r->observable[i]);
}

static int open_expression(struct tcf_run *r, const char *expression, struct trj_error *err) {
    struct obs_observable *o = &r->observable[r->count];
    const size_t number = r->count++;
    if (obs_observable_open_in(o, tcf_functions, expression, r->system, err)) return -1;
    if (o->whole)
        return trj_fail(err, TRJ_USAGE, "%s: the table has all columns of a function; leave the name of the column out",
                        o->text);
    const struct tcf_signal *signal = tcf_signal_of(o);
    if (r->options->spectrum && signal->differences)
        return trj_fail(err, TRJ_USAGE, "%s: displacements have no spectrum; compute it without --spectrum", o->text);
    o->columns = tcf_signal_values(signal); // of the batches of frames
    r->values += o->columns;
    if (signal->fluctuations) r->kept_values += o->columns;
    if (signal->list_pairs)
        return tcf_pair_history_open(&r->history[number], r->options->lags, err) ? trj_fail_at(err, "%s", o->text) : 0;
    if (signal->members)
        return tcf_membership_open(&r->membership[number], signal->members, r->options->lags, err)
                   ? trj_fail_at(err, "%s", o->text)
                   : 0;
    const struct tcf_correlator_setup setup = {.parts = signal->parts,
                                               .count = signal->count,
                                               .differences = signal->differences,
                                               .max_lag = r->options->lags};
    return tcf_correlator_open(&r->correlator[number], &setup, err) ? trj_fail_at(err, "%s", o->text) : 0;
}

// Options without an effect are rejected.
static int check_options(const struct tcf_run *r, struct trj_error *err) {
    const bool correction = !isnan(r->options->viscosity);
    bool lines = false, diffusion = false;
    for (size_t i = 0; i < r->count; i++) {
        const struct tcf_signal *s = signal_at(r, i);
        lines |= s->differences;
        diffusion |= s->differences && !s->slope.per_volume;
    }
    if (correction ? diffusion : lines || !r->options->fit) return 0;
    return trj_fail(err, TRJ_USAGE, "--%s belongs to %s, which is not among the expressions; leave it out",
                    correction ? "viscosity" : "fit", correction ? "msd" : "msd or conductivity");
}

int tcf_run_open(struct tcf_run *r, const struct tcf_options *options, char *const *expressions, size_t count,
                 struct obs_system *s, const struct trj_gap *interval, struct trj_error *err) {
    *r = (struct tcf_run){.options = options, .system = s, .interval = interval};
    if (!(r->observable = trj_alloc(count, sizeof *r->observable, "expressions", err)) ||
        !(r->correlator = trj_alloc(count, sizeof(struct tcf_correlator *), "expressions", err)) ||
        !(r->membership = trj_alloc(count, sizeof(struct tcf_membership *), "expressions", err)) ||
        !(r->history = trj_alloc(count, sizeof(struct tcf_pair_history *), "expressions", err)))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (open_expression(r, expressions[i], err)) return -1;
    return check_options(r, err);
}

void tcf_run_free(struct tcf_run *r) {
    for (size_t i = 0; i < r->count; i++) {
        tcf_correlator_close(r->correlator[i]);
        tcf_membership_close(r->membership[i]);
        tcf_pair_history_close(r->history[i]);
        obs_observable_free(&r->observable[i]);
    }
    free(r->observable);
    free(r->correlator);
    free(r->membership);
    free(r->history);
    obs_view_close(r->view);
    free(r->kept);
    free(r->start);
    *r = (struct tcf_run){0};
}

// The correction for the size of the cell is that of a cube.
static int measure_cell(struct tcf_run *r, const struct trj_cell *cell, struct trj_error *err) {
    const char *other = NULL;
    double length[3], cosine[3];
    r->volume += trj_cell_volume(cell);
    if (isnan(r->options->viscosity)) return 0;
    if (cell->periodic == TRJ_PERIODIC_ALL) {
        trj_cell_shape(cell, length, cosine);
        for (int k = 0; k < 3; k++)
            if (fabs(cosine[k]) > 1e-3 || fabs(length[k] / length[0] - 1) > 1e-2) other = "the cell is no cube";
        r->edge += cbrt(trj_cell_volume(cell));
    } else {
        other = "the frame has no cell that is periodic in all directions";
    }
    if (!other) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--viscosity: %s, but the correction of Yeh and Hummer is that of a cube; leave --viscosity out",
                    other);
}

static int end_run(struct tcf_run *r, size_t i, struct trj_error *err) {
    if (r->correlator[i]) return tcf_correlator_break(r->correlator[i], err);
    if (r->membership[i])
        tcf_membership_break(r->membership[i]);
    else
        tcf_pair_history_break(r->history[i]);
    return 0;
}

// Ends the run of frames if this frame does not follow the one before at the interval.
static int follow(struct tcf_run *r, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_gap gap = trj_gap_between(&r->last, f);
    trj_gap_tally_add(&r->gaps, &gap, &r->last, f);
    if (trj_gap_check(&r->gaps, r->interval, f, TRJ_GAP_MARGIN, err)) return -1;
    if (gap.length > 0 && trj_gap_same(r->interval, &gap, f)) {
        r->steps++;
        r->elapsed += gap.length;
        return 0;
    }
    if (trj_grow(&r->start, &r->start_capacity, (size_t)r->breaks + 1, sizeof *r->start, "runs of frames", err))
        return -1;
    r->start[r->breaks++] = r->frames;
    for (size_t i = 0; i < r->count; i++)
        if (!signal_at(r, i)->fluctuations && end_run(r, i, err)) return -1;
    return 0;
}

// Finds the pairs of a frame.
static int add_pairs(struct tcf_run *r, size_t i, const struct trj_frame *f, struct trj_error *err) {
    const struct obs_observable *o = &r->observable[i];
    if (!r->view && obs_view_open(&r->view, r->system, err)) return -1;
    obs_view_begin(r->view, f);
    if (signal_at(r, i)->list_pairs(o, r->view, r->history[i], err)) return trj_fail_at(err, "%s", o->text);
    tcf_pair_history_end_frame(r->history[i]);
    return 0;
}

static int add_frame(struct tcf_run *r, size_t i, const struct trj_frame *f, const double *value,
                     struct trj_error *err) {
    if (r->correlator[i]) return tcf_correlator_add(r->correlator[i], value, err);
    if (r->history[i]) return add_pairs(r, i, f, err);
    tcf_membership_add(r->membership[i], value);
    return 0;
}

int tcf_run_take(void *run, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct tcf_run *r = run;
    if (r->frames && follow(r, f, err)) return -1;
    if (measure_cell(r, &f->cell, err)) return -1;
    trj_frame_copy_head(&r->last, f);
    const size_t frames = (size_t)r->frames++;
    if (r->kept_values && trj_grow(&r->kept, &r->kept_capacity, (frames + 1) * r->kept_values, sizeof *r->kept,
                                   "observables of all frames", err))
        return -1;
    double *kept = r->kept_values ? r->kept + frames * r->kept_values : NULL;
    for (size_t i = 0; i < r->count; value += r->observable[i++].columns) {
        if (!kept || !signal_at(r, i)->fluctuations) {
            if (add_frame(r, i, f, value, err)) return -1;
            continue;
        }
        for (size_t c = 0; c < r->observable[i].columns; c++) *kept++ = value[c];
    }
    return 0;
}

// Correlates the fluctuations of numbers first to first + columns of the frames that were kept.
static int correlate_fluctuations(const struct tcf_run *r, size_t i, size_t first, struct trj_error *err) {
    const size_t n = r->observable[i].columns, all = r->kept_values;
    double mean[TCF_COLUMNS_MAX], value[TCF_COLUMNS_MAX];
    for (size_t c = 0; c < n; c++) {
        // The differences from the first value are small, so that their sum loses no digits.
        double sum = 0;
        for (size_t t = 0; t < r->frames; t++) sum += r->kept[t * all + first + c] - r->kept[first + c];
        mean[c] = r->kept[first + c] + sum / (double)r->frames;
    }
    for (size_t t = 0, next = 0; t < r->frames; t++) {
        if (next < r->breaks && r->start[next] == t) {
            next++;
            if (tcf_correlator_break(r->correlator[i], err)) return -1;
        }
        for (size_t c = 0; c < n; c++) value[c] = r->kept[t * all + first + c] - mean[c];
        if (tcf_correlator_add(r->correlator[i], value, err)) return -1;
    }
    return 0;
}

int tcf_run_finish(struct tcf_run *r, struct trj_error *err) {
    if (!r->steps)
        return trj_fail(err, TRJ_BAD_DATA, "no two of the %llu frames follow each other at an interval",
                        (unsigned long long)r->frames);
    if (trj_gap_check(&r->gaps, r->interval, &r->last, 0, err)) return -1;
    for (size_t i = 0, first = 0; i < r->count; i++) {
        if (signal_at(r, i)->fluctuations) {
            if (correlate_fluctuations(r, i, first, err)) return -1;
            first += r->observable[i].columns;
        }
        if (r->correlator[i] ? tcf_correlator_finish(r->correlator[i], err) : end_run(r, i, err)) return -1;
    }
    return 0;
}

const struct tcf_records *tcf_run_records(const struct tcf_run *r, size_t expression) {
    if (r->membership[expression]) return tcf_membership_records(r->membership[expression]);
    if (r->history[expression]) return tcf_pair_history_records(r->history[expression]);
    return tcf_correlator_records(r->correlator[expression]);
}

// Returns the frames of run i.
static uint64_t length_of(const struct tcf_run *r, uint64_t i) {
    return (i < r->breaks ? r->start[i] : r->frames) - (i ? r->start[i - 1] : 0);
}

size_t tcf_run_lags(const struct tcf_run *r) {
    uint64_t longest = 0;
    for (uint64_t i = 0; i <= r->breaks; i++) longest = length_of(r, i) > longest ? length_of(r, i) : longest;
    return (size_t)(longest <= r->options->lags ? longest : r->options->lags + 1);
}

uint64_t tcf_run_windows(const struct tcf_run *r, size_t lag) {
    uint64_t windows = 0;
    for (uint64_t i = 0; lag && i <= r->breaks; i++) windows += (length_of(r, i) - 1) / lag;
    return lag ? windows : r->frames;
}

double tcf_run_interval(const struct tcf_run *r) {
    return r->interval->unit == TRJ_GAP_TIME ? r->elapsed / (double)r->steps : NAN;
}
