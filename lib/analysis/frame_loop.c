// SPDX-License-Identifier: MIT
// Implements the frame loop of all filters that compute maps, so that reading, records, hand-overs and errors are the
// same in all of them, and an optimisation is made only once.
#include "frame_loop.h"

#include <math.h>

#include "movement.h"
#include "mpi_share.h"

static int save_sums(void *loop, struct work_checkpoint_arrays *a, struct trj_error *err) {
    return work_map_run_arrays(((struct ana_loop *)loop)->run, a, err);
}

int ana_loop_check(struct ana_loop *l, struct trj_error *err) {
    if (trj_engine_check_options(l->options, err)) return -1;
    if (trj_engine_find(&l->kind, l->engines, l->options->engine, err)) return -1;
    if (work_checkpoint_open(&l->checkpoint, l->checkpoints, save_sums, l, err)) return -1;
    l->share = trj_mpi_share(work_checkpoint_share(l->checkpoint), 1);
    return 0;
}

int ana_loop_open(struct ana_loop *l, const char *path, struct trj_error *err) {
    if (trj_stream_input_open(&l->in, path, err) ||
        work_checkpoint_start(l->checkpoint, l->in->header, l->in->in, err) ||
        trj_reader_read_ahead(l->in, (unsigned)l->options->threads, 1, UINT64_MAX, err))
        return -1;
    return trj_tool_provenance(err) ? 0 : -1;
}

int ana_loop_divide(struct ana_loop *l, struct trj_map_slab *slab, struct trj_map_result *result,
                    const struct trj_map_lattice *lattice, uint64_t layer, uint64_t count, struct trj_error *err) {
    if (!l->ranks || !ana_ranks_divide_map(l->ranks) || trj_mpi_size() == 1) return 0;
    if (ana_map_ranks_divide(&l->division, lattice, layer, count, err)) return -1;
    l->divided = true;
    *slab = l->division.slabs.own;
    result->slabs = &l->division.slabs;
    return 0;
}

int ana_loop_open_engine(struct ana_loop *l, const void *job, double frame_seconds, struct trj_error *err) {
    const struct work_map_run_plan plan = {.options = l->options,
                                           .engines = l->engines,
                                           .job = job,
                                           .frame_seconds = frame_seconds,
                                           .share_read = trj_stream_input_share_read,
                                           .share_of = l->in,
                                           .print = trj_tool_print_line,
                                           .slab = l->divided,
                                           .share = l->divided ? NULL : l->share,
                                           .values = l->values};
    if (work_map_run_open(&l->run, &plan, l->kind, err)) return -1;
    if (trj_engine_is_auto(l->options) && !l->names_engine_late) work_map_run_print_engine(l->run);
    return 0;
}

// Puts the frame before an error of the engine, if the error is of one frame: not before a full disk, for example.
static int fail_engine(const struct ana_loop *l, struct trj_error *err) {
    if (err->status == TRJ_FAILED || err->status == TRJ_NO_ENGINE) return -1;
    uint64_t number = work_map_run_bad_frame(l->run);
    return number == UINT64_MAX ? -1 : trj_stream_input_fail_earlier(l->in, number, err);
}

static int end_record(struct ana_loop *l, struct trj_error *err) {
    const int64_t *values = NULL;
    if (!l->record) return 0;
    l->record = 0;
    if (work_map_run_finish(l->run, &values, err)) return fail_engine(l, err);
    if (l->end_record) return l->end_record(l->owner, values, err);
    return l->result ? trj_map_result_end_record(l->result, values, err) : 0;
}

static bool record_is_full(const struct ana_loop *l) {
    if (l->record_is_full) return l->record_is_full(l->owner);
    return l->result && trj_map_result_record_is_full(l->result);
}

static int follow_cell(struct ana_loop *l, struct trj_error *err) {
    if (!l->moves) return 0;
    if (!l->frames) {
        struct trj_cell of_lattice = trj_map_lattice_cell(l->moves);
        l->basis.rotates = trj_movement_find(l->in->header, TRJ_MOVED_FIT);
        if (trj_basis_follow(&l->basis, &of_lattice, err)) return -1;
    }
    return trj_basis_follow(&l->basis, &l->frame.cell, err) ? trj_fail_at(err, "--fractional") : 0;
}

static int add_frame(struct ana_loop *l, struct trj_error *err) {
    if (follow_cell(l, err)) return trj_stream_input_fail_frame(l->in, err);
    if (l->accept && l->accept(l->owner, &l->frame, err)) return trj_stream_input_fail_frame(l->in, err);
    if (work_map_run_add(l->run, &l->frame, err)) return fail_engine(l, err);
    if (!l->frames++ && trj_engine_is_auto(l->options) && l->names_engine_late) work_map_run_print_engine(l->run);
    if (l->added) l->added(l->owner);
    l->record++;
    return record_is_full(l) ? end_record(l, err) : 0;
}

int ana_loop_read(struct ana_loop *l, struct trj_error *err) {
    int got;
    while ((got = work_checkpoint_read(l->checkpoint, trj_stream_input_read(l->in, &l->frame, err), &l->frame, err)) >
           0) {
        if ((!l->frames && l->start(l->owner, err)) || add_frame(l, err)) return -1;
        if (work_checkpoint_counted(l->checkpoint, l->frames, err)) return -1;
        trj_stream_input_progress(l->in);
    }
    if (got < 0 || work_checkpoint_end(l->checkpoint, err) || end_record(l, err)) return -1;
    if (l->options->stats) work_map_run_print_stats(l->run, l->atoms, l->points);
    return 0;
}

void ana_loop_complete(struct ana_loop *l) {
    work_checkpoint_remove(l->checkpoint);
}

void ana_loop_close(struct ana_loop *l) {
    work_map_run_close(l->run);
    l->run = NULL;
    work_checkpoint_close(l->checkpoint);
    l->checkpoint = NULL;
}

void ana_loop_free(struct ana_loop *l) {
    trj_reader_close(l->in);
    trj_frame_free(&l->frame);
}
