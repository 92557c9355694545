// SPDX-License-Identifier: MIT
// Divides a stream into runs of frames at equal intervals, and passes their numbers to the correlators.
#include "correlation_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "hash.h"
#include "lag_grid.h"
#include "memory.h"

static struct tcf_signal *signal_at(const struct tcf_run *r, size_t i) {
    return tcf_signal_of(&r->observable[i]);
}

static int open_expression(struct tcf_run *r, const char *expression, struct trj_error *err) {
    struct obs_observable *o = &r->observable[r->count];
    r->count++;
    if (obs_observable_open_in(o, tcf_functions, expression, r->system, err)) return -1;
    if (o->whole)
        return trj_fail(err, TRJ_USAGE, "%s: the table has all columns of a function; leave the name of the column out",
                        o->text);
    const struct tcf_signal *signal = tcf_signal_of(o);
    if (r->options->spectrum && signal->differences)
        return trj_fail(err, TRJ_USAGE,
                        "%s: displacements have no spectrum; leave --spectrum out, or use velocities: vacf, or "
                        "conductivity with by=current",
                        o->text);
    o->columns = tcf_signal_values(signal); // of the batches of frames
    r->values += o->columns;
    if (signal->fluctuations) r->kept_values += o->columns;
    if (r->options->per_octave && (signal->members || signal->list_pairs))
        return trj_fail(err, TRJ_USAGE,
                        "%s: the continuous fraction requires all frames in between, and thus all lags; compute it "
                        "in another run without --per-octave",
                        o->text);
    r->bytes += tcf_lag_sums_bytes(signal, r->options);
    if (r->options->sums && signal->first_frame)
        return trj_fail(err, TRJ_USAGE,
                        "%s: the reference is the first frame, which differs between segments; give reference=FILE",
                        o->text);
    return 0;
}

// Rejects a segment without the later frames with which its own frames are compared.
static int check_segment(const struct tcf_run *r, struct trj_error *err) {
    uint64_t needed = 0, overlap = 0;
    if (!r->options->sums && !r->segment.count) return 0;
    if (!r->segment.count)
        return trj_fail(err, TRJ_USAGE,
                        "--sums: the stream is not a segment of a trajectory with an overlap; write it with trjcat "
                        "--segment K/N --overlap FRAMES");
    if (!r->options->sums)
        return trj_fail(err, TRJ_USAGE,
                        "the stream is a segment of a trajectory with an overlap; add --sums, and join the sums of all "
                        "segments with --merge");
    for (size_t i = 0; i < r->count; i++) {
        const struct tcf_signal *s = signal_at(r, i);
        const uint64_t one = tcf_lag_sums_following(s, r->options, &r->segment),
                       most = tcf_lag_sums_overlap(s, r->options);
        if (one > needed) needed = one;
        if (most > overlap) overlap = most;
    }
    if (needed <= r->segment.following) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the segment requires %llu frames after its own, but has %llu; write it with trjcat --overlap %llu",
                    (unsigned long long)needed, (unsigned long long)r->segment.following, (unsigned long long)overlap);
}

// Returns the bytes of the pairs in a window, if as many new pairs come in each further frame as in the later half of
// the frames so far, whose number is a power of two.
static double bytes_of_pairs(struct tcf_run *r) {
    const double frames = (double)(r->position + 1), left = (double)r->options->lags - frames;
    double pairs = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->sums[i].history && signal_at(r, i)->list_pairs)
            pairs += (double)tcf_pair_history_pairs(r->sums[i].history);
    const double more = frames > 1 && left > 0 ? (pairs - r->pairs) / (frames / 2) * left : 0;
    r->pairs = pairs;
    return TCF_PAIR_BYTES * (pairs + fmax(0, more));
}

// Linux grants more memory than it has, and ends the process when the memory is used.
static int check_memory(struct tcf_run *r, struct trj_error *err) {
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
                 bytes = r->bytes + bytes_of_pairs(r);
    bool octaves = true; // lags in octaves are an alternative
    if (!(memory > 0 && bytes > memory)) return 0;
    for (size_t i = 0; i < r->count; i++)
        octaves = octaves && !signal_at(r, i)->members && !signal_at(r, i)->list_pairs;
    const char *fewer = r->options->per_octave ? ", fewer of them in an octave (--per-octave)"
                        : octaves              ? ", lags in octaves (--per-octave 16)"
                                               : "";
    return trj_fail(err, TRJ_BAD_DATA,
                    "windows of %llu frames need %.3g GiB of memory%s: this machine has %.3g GiB; use fewer lags "
                    "(--lags)%s, or smaller groups%s",
                    (unsigned long long)r->options->lags, bytes / 0x1p30,
                    r->count > 1 ? " for all expressions together" : "", memory / 0x1p30, fewer,
                    r->count > 1 ? ", or one run for each expression" : "");
}

// Options without an effect are rejected.
static int check_options(const struct tcf_run *r, struct trj_error *err) {
    const bool correction = !isnan(r->options->viscosity), heat = !isnan(r->options->temperature);
    bool lines = false, diffusion = false, uses_temperature = false;
    for (size_t i = 0; i < r->count; i++) {
        const struct tcf_signal *s = signal_at(r, i);
        lines |= s->differences && s->slope.name;
        diffusion |= s->differences && s->slope.name && !s->slope.per_volume;
        uses_temperature |= s->uses_temperature;
    }
    if (correction && !diffusion)
        return trj_fail(err, TRJ_USAGE, "--viscosity belongs to msd, which is not among the expressions; leave it out");
    if (r->options->fit && !lines)
        return trj_fail(err, TRJ_USAGE,
                        "--fit belongs to msd, and to conductivity by displacement with --temperature, which are not "
                        "among the expressions; leave it out");
    if (heat && !correction && !uses_temperature)
        return trj_fail(err, TRJ_USAGE,
                        "--temperature belongs to dielectric, conductivity and --viscosity, which are not among the "
                        "expressions and options; leave it out");
    return 0;
}

int tcf_run_open(struct tcf_run *r, const struct tcf_options *options, unsigned threads, char *const *expressions,
                 size_t count, struct obs_system *s, const struct trj_gap *interval, struct trj_error *err) {
    *r = (struct tcf_run){.options = options,
                          .system = s,
                          .interval = interval,
                          .segment = s->header->segment,
                          .first = s->header->segment.first};
    s->temperature = isnan(options->temperature) ? 0 : options->temperature;
    tcf_signal_note_temperature(s, options->temperature);
    if (!(r->observable = trj_alloc(count, sizeof *r->observable, "expressions", err)) ||
        !(r->sums = trj_alloc(count, sizeof *r->sums, "expressions", err)))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (open_expression(r, expressions[i], err)) return -1;
    if (check_options(r, err) || check_segment(r, err) || check_memory(r, err)) return -1;
    for (size_t i = 0; i < count; i++)
        if (tcf_lag_sums_open(&r->sums[i], signal_at(r, i), options, &r->segment, threads, err))
            return trj_fail_at(err, "%s", r->observable[i].text);
    return 0;
}

void tcf_run_free(struct tcf_run *r) {
    for (size_t i = 0; i < r->count; i++) {
        tcf_lag_sums_close(&r->sums[i]);
        obs_observable_free(&r->observable[i]);
    }
    free(r->observable);
    free(r->sums);
    obs_view_close(r->view);
    free(r->kept);
    free(r->start);
    *r = (struct tcf_run){0};
}

// Volumes are added as integers, so that their sum does not depend on the division into segments.
#define CELL_UNIT 0x1p-40 // Å^3 or Å
#define CELL_MAX  0x1p+60 // Å^3

// The correction for the size of the cell is that of a cube.
static int measure_cell(struct tcf_run *r, const struct trj_cell *cell, struct trj_error *err) {
    const char *other = NULL;
    double length[3], cosine[3];
    const double volume = trj_cell_volume(cell);
    if (!(volume < CELL_MAX) || !trj_wide_add(&r->volumes, r->volumes, (trj_wide)(volume / CELL_UNIT)))
        return trj_fail(err, TRJ_BAD_DATA, "the cell has a volume of %g Angstrom^3", volume);
    if (isnan(r->options->viscosity)) return 0;
    if (cell->periodic == TRJ_PERIODIC_ALL) {
        trj_cell_shape(cell, length, cosine);
        for (int k = 0; k < 3; k++)
            if (fabs(cosine[k]) > 1e-3 || fabs(length[k] / length[0] - 1) > 1e-2) other = "the cell is not a cube";
        r->edges += (trj_wide)(cbrt(volume) / CELL_UNIT);
    } else {
        other = "the frame has no cell that is periodic in all directions";
    }
    if (!other) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--viscosity: %s, but the correction of Yeh and Hummer is that of a cube; leave --viscosity out",
                    other);
}

// Returns whether a number of a frame of the stream belongs to the segment.
static bool is_own(const struct tcf_run *r, uint64_t position) {
    return !r->segment.count || position < r->segment.count;
}

static int begin_run(struct tcf_run *r, const struct trj_frame *f, struct trj_error *err) {
    if (is_own(r, r->position - 1)) {
        if (trj_grow(&r->start, &r->start_capacity, (size_t)r->breaks + 1, sizeof *r->start, "runs of frames", err))
            return -1;
        r->start[r->breaks++] = (struct tcf_run_start){r->first + r->position, r->before.time, f->time};
    }
    for (size_t i = 0; i < r->count; i++) {
        if (signal_at(r, i)->fluctuations) continue;
        if (r->segment.count && r->sums[i].correlator)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "--sums: the frame does not follow the one before at the interval, so that the sums of "
                "segments cannot be joined; use lags in octaves (--per-octave), or one run over all frames");
        if (tcf_lag_sums_break(&r->sums[i], err)) return -1;
    }
    return 0;
}

// Ends the run of frames if this frame does not follow the one before at the interval.
static int follow(struct tcf_run *r, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_gap gap = trj_gap_between(&r->before, f);
    const bool own = is_own(r, r->position - 1);
    if (own) {
        trj_gap_tally_add(&r->gaps, &gap, &r->before, f);
        if (trj_gap_check(&r->gaps, r->interval, f, TRJ_GAP_MARGIN, err)) return -1;
    }
    if (!(gap.length > 0 && trj_gap_same(r->interval, &gap, f))) return begin_run(r, f, err);
    r->steps += own;
    return 0;
}

static int add_frame(struct tcf_run *r, size_t i, const struct trj_frame *f, const double *value,
                     struct trj_error *err) {
    const struct obs_observable *o = &r->observable[i];
    if (signal_at(r, i)->list_pairs) {
        if (!r->view && obs_view_open(&r->view, r->system, err)) return -1;
        obs_view_begin(r->view, f);
        if (signal_at(r, i)->list_pairs(o, r->view, r->sums[i].history, err)) return trj_fail_at(err, "%s", o->text);
    }
    return tcf_lag_sums_add(&r->sums[i], value, err);
}

// Keeps the numbers of a frame whose mean is subtracted.
static int keep(struct tcf_run *r, const double *value, struct trj_error *err) {
    const size_t n = r->kept_values;
    if (!n) return 0;
    if (trj_grow(&r->kept, &r->kept_capacity, (size_t)(r->frames + 1) * n, sizeof *r->kept, "observables of all frames",
                 err))
        return -1;
    double *kept = r->kept + r->frames * n;
    for (size_t i = 0; i < r->count; value += r->observable[i++].columns)
        for (size_t c = 0; signal_at(r, i)->fluctuations && c < r->observable[i].columns; c++) *kept++ = value[c];
    return 0;
}

static uint64_t hash_coordinates(const struct trj_frame *f) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; k++) hash = trj_hash(f->x[k], f->atoms * sizeof *f->x[k], hash);
    return hash;
}

int tcf_run_take(void *run, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct tcf_run *r = run;
    if (r->position && follow(r, f, err)) return -1;
    if (r->segment.count && (!r->position || r->position == r->segment.count))
        r->border[r->position > 0] = hash_coordinates(f);
    if (is_own(r, r->position)) {
        if (measure_cell(r, &f->cell, err) || keep(r, value, err)) return -1;
        trj_frame_copy_head(&r->last, f);
        if (!r->frames++) r->first_time = f->time;
    }
    trj_frame_copy_head(&r->before, f);
    for (size_t i = 0; i < r->count; value += r->observable[i++].columns)
        if (!signal_at(r, i)->fluctuations && add_frame(r, i, f, value, err)) return -1;
    // After 1, 2, 4, 8, ... frames
    if (!(r->position & (r->position + 1)) && r->position < r->options->lags && check_memory(r, err)) return -1;
    r->position++;
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
        if (next < r->breaks && r->start[next].frame == t) {
            next++;
            if (tcf_lag_sums_break(&r->sums[i], err)) return -1;
        }
        for (size_t c = 0; c < n; c++) value[c] = r->kept[t * all + first + c] - mean[c];
        if (tcf_lag_sums_add(&r->sums[i], value, err)) return -1;
    }
    return 0;
}

int tcf_run_finish(struct tcf_run *r, struct trj_error *err) {
    const bool whole = !r->segment.count;
    const uint64_t expected = r->segment.count + r->segment.following;
    if (!whole && r->position != expected)
        return trj_fail(err, TRJ_BAD_DATA, "the segment has %llu frames, but its header states %llu; run trjcat again",
                        (unsigned long long)r->position, (unsigned long long)expected);
    if (whole && !r->steps)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "no two of the %llu frames follow each other at an interval; read more frames, in the order of their times",
            (unsigned long long)r->frames);
    if (whole && trj_gap_check(&r->gaps, r->interval, &r->last, 0, err)) return -1;
    r->volume = (double)r->volumes * CELL_UNIT;
    r->edge = (double)r->edges * CELL_UNIT;
    for (size_t i = 0, first = 0; i < r->count; i++) {
        if (signal_at(r, i)->fluctuations) {
            if (whole && correlate_fluctuations(r, i, first, err)) return -1;
            first += r->observable[i].columns;
        }
        if (tcf_lag_sums_finish(&r->sums[i], err)) return -1;
    }
    return 0;
}

const struct tcf_records *tcf_run_records(const struct tcf_run *r, size_t expression) {
    return tcf_lag_sums_records(&r->sums[expression]);
}

// Returns the frames of run i.
static uint64_t length_of(const struct tcf_run *r, uint64_t i) {
    return (i < r->breaks ? r->start[i].frame : r->frames) - (i ? r->start[i - 1].frame : 0);
}

size_t tcf_run_lags(const struct tcf_run *r) {
    uint64_t longest = 0;
    for (uint64_t i = 0; i <= r->breaks; i++) longest = length_of(r, i) > longest ? length_of(r, i) : longest;
    return tcf_lag_count(r->options->per_octave, longest <= r->options->lags ? longest - 1 : r->options->lags);
}

uint64_t tcf_run_lag(const struct tcf_run *r, size_t number) {
    return tcf_lag_at(r->options->per_octave, number);
}

uint64_t tcf_run_windows(const struct tcf_run *r, uint64_t lag) {
    uint64_t windows = 0;
    for (uint64_t i = 0; lag && i <= r->breaks; i++) windows += (length_of(r, i) - 1) / lag;
    return lag ? windows : r->frames;
}

double tcf_run_interval(const struct tcf_run *r) {
    double start = r->first_time, elapsed = 0;
    if (r->interval->unit != TRJ_GAP_TIME) return NAN;
    for (size_t i = 0; i < r->breaks; i++) {
        elapsed += r->start[i].before - start;
        start = r->start[i].time;
    }
    return (elapsed + (r->last.time - start)) / (double)r->steps;
}
