// SPDX-License-Identifier: MIT
// Connects the mover with the inputs: their atoms, groups, bonds and reference frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "cell_basis.h"
#include "memory.h"
#include "merge_parts.h"
#include "stream_scope.h"
#include "unwrap.h"

// Fills *names with the names and numbers of atoms and residues that a frame stream without centres contains. The
// arrays belong to the header.
static void describe_atoms(struct trj_topology *names, const struct trj_stream_header *own) {
    const struct trj_property *name = trj_property_find(own, "name"), *resname = trj_property_find(own, "resname"),
                              *resid = trj_property_find(own, "resid"), *segid = trj_property_find(own, "segid");
    *names = (struct trj_topology){.atoms = own->atoms, .residue = own->residue, .molecule = own->molecule};
    if (own->centres) return;
    if (name) names->name = name->text;
    if (resname) names->resname = resname->text;
    if (resid) names->resid = resid->integer;
    if (segid) names->segid = segid->text;
}

// Fills *system, except for the rows. `groups` and `names` receive the groups and names of a frame stream.
static int describe_system(const struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                           const struct trj_stream_header *h, struct trj_stream_scope *groups,
                           struct trj_topology *names, struct trj_mover_system *system, struct trj_error *err) {
    const struct trj_stream_header *own = r->header;
    static uint32_t none[1][2];
    *system = (struct trj_mover_system){
        .groups = m->options.groups.texts, .group_count = m->options.groups.count, .mean_cell = m->mean_cell};
    if (m->current) {
        system->scope = trj_grouping_scope(m->current, top);
    } else {
        if (trj_stream_scope_make(groups, h, err)) return -1;
        system->scope = trj_stream_scope_groups(groups);
    }
    // A stream that is passed on may contain fewer atoms than the topology.
    if (top && (m->current || (!h->centres && h->atoms == top->atoms))) {
        system->identity = top;
        system->bond = top->bonds ? top->bond : top->no_bonds ? none : NULL;
        system->bonds = top->bonds;
        system->residue = top->residue;
        system->molecule = top->resname.id
                               ? NULL
                               : top->molecule; // without names of residues, their numbers may mean other sets of atoms
        system->incomplete = top->bonds && !top->molecule;
    } else if (own) {
        describe_atoms(names, own);
        system->identity = names;
        system->element = own->element;
        system->residue = own->molecule ? own->residue : NULL;
        system->molecule = own->molecule;
        system->bond = own->bond;
        system->bonds = own->bond_count;
        if (own->bond && !own->between && own->residue && !own->molecule &&
            trj_bonds_find_gaps(own->bond, own->bond_count, own->residue, own->atoms, &system->incomplete, err))
            return -1;
        system->between = own->between;
    }
    return 0;
}

// The first frame is the reference if no file is given. The header must name it before later frames are read, so that
// the first frame of the input must be at a selected time.
static int check_first_frame(const struct trj_merge *m, struct trj_error *err) {
    int order;
    if (trj_mover_is_ready(m->mover)) return 0;
    if (trj_frame_filter_time(&m->filter, &m->frame, &order, err)) return -1;
    if (!order) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--fit: the first frame of the output is not known yet, because the first frame of this input is "
                    "not at a selected time; give a reference: --fit SELECTION:FILE");
}

static int open_mover(struct trj_merge *m, const struct trj_reader *r, struct trj_mover_system *system,
                      struct trj_error *err) {
    struct trj_stream_header *h = &m->header;
    bool whole_frame = m->current && trj_grouping_needs_whole_frame(m->current);
    system->rows = m->current && !whole_frame ? trj_grouping_rows(m->current) : NULL;
    system->row_count = h->atoms;
    if (trj_mover_open(&m->mover, &m->options.move, system, err) || check_first_frame(m, err)) return -1;
    // Coordinates were rounded before. A rotation can turn the errors of three coordinates into an error of one.
    if (m->options.move.fit && r->header) h->precision *= sqrt(3);
    // Scaling to the mean cell multiplies errors by the ratio of the cells.
    if (m->mean_frames && r->header) h->precision *= 2;
    const struct trj_source *source = r->header ? &r->header->sources[m->frame.source] : NULL;
    return trj_mover_describe(m->mover, h, source ? source->name : trj_input_name(r->in),
                              source ? source->fingerprint : r->fingerprint, m->frame.index, err);
}

static int compare_movements(const struct trj_merge *m, const struct trj_stream_header *own, struct trj_error *err) {
    if (trj_movements_equal(m->header.movements, m->moved_before, own ? own->movements : NULL,
                            own ? own->movement_count : 0))
        return 0;
    return trj_fail(
        err, TRJ_BAD_DATA,
        "its atoms were not moved in the same way as those of the first input (trjinfo lists the movements); "
        "use --whole, --unwrap, --centre or --fit where trjcat joins the original trajectories");
}

// Rejects what would be wrong for unwrapped positions, of the input or after --unwrap.
static int check_unwrapped(const struct trj_merge *m, const struct trj_stream_header *own, struct trj_error *err) {
    const struct trj_mover_options *move = &m->options.move;
    bool before = own && trj_movement_unwraps(own);
    const char *again = move->unwrap ? "unwrap" : move->whole ? "whole" : "centre";
    if (before && (move->unwrap || move->whole || move->centre))
        return trj_fail(err, TRJ_USAGE, "--%s: its atoms were unwrapped before; use it where they are unwrapped",
                        again);
    if (before && m->path_count > 1)
        return trj_fail(err, TRJ_BAD_DATA,
                        "its atoms were unwrapped from its first frame on, so that it cannot be joined with other "
                        "inputs; use --unwrap where trjcat joins the original trajectories");
    for (size_t i = 0; move->unwrap && own && i < own->movement_count; i++)
        if (own->movements[i].kind != TRJ_MOVED_WHOLE)
            return trj_fail(err, TRJ_BAD_DATA,
                            "--unwrap: each frame was moved by trjcat --%s, so that displacements between frames are "
                            "not those of the simulation; unwrap the original trajectory",
                            trj_movement_name(own->movements[i].kind));
    if ((before || move->unwrap) && m->current && trj_grouping_needs_whole_frame(m->current))
        return trj_fail(err, TRJ_USAGE,
                        "--group: dynamic groups and centres are computed with periodic images, which unwrapped "
                        "positions do not have; write them to a frame stream first, and use --unwrap for this stream");
    if (trj_merge_unwraps_flags(m) && own && !(own->motion & TRJ_HAS_IMAGE))
        return trj_fail(err, TRJ_USAGE,
                        "--unwrap flags: the stream contains no image flags; use --carry image where trjcat reads the "
                        "trajectory, or --unwrap fraction");
    return 0;
}

int trj_merge_begin_moves(struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                          struct trj_error *err) {
    const struct trj_stream_header *own = r->header;
    struct trj_stream_scope groups = {.count = 0};
    struct trj_mover_system system;
    struct trj_topology names; // of a frame stream
    for (size_t i = 0; !m->began && own && i < own->movement_count; i++)
        if (trj_movement_add(&m->header, &own->movements[i], own->movements[i].selection, own->movements[i].reference,
                             err))
            return -1;
    if (!m->began) m->moved_before = m->header.movement_count;
    if (compare_movements(m, own, err) || check_unwrapped(m, own, err)) return -1;
    if (!trj_mover_requested(&m->options.move) || (m->began && m->current && top && top == m->top)) return 0;
    int rc = describe_system(m, r, top, m->began ? &m->further.header : &m->header, &groups, &names, &system, err);
    if (!rc) rc = m->began ? trj_mover_compare(m->mover, &system, err) : open_mover(m, r, &system, err);
    trj_stream_scope_free(&groups);
    return rc;
}

// ---- unwrapping

bool trj_merge_unwraps_flags(const struct trj_merge *m) {
    const char *way = m->options.move.unwrap;
    return way && trj_unwrap_kind(way) == TRJ_UNWRAPPED_FLAGS;
}

int trj_merge_check_unwrap(const struct trj_merge *m, struct trj_error *err) {
    const struct trj_merge_options *q = &m->options;
    bool flags = trj_merge_unwraps_flags(m);
    const struct {
        bool given;
        const char *option, *why;
    } others[] = {
        {q->move.centre, "centre", "moves atoms to images in the cell"},
        {q->segment, "segment", "atoms are followed from the first frame on; select segments of the unwrapped stream"},
        {q->salvage, "salvage", "atoms are followed from frame to frame; unwrap its output with another trjcat"},
        {m->carry.motion & TRJ_HAS_IMAGE, "carry image", "unwrapped positions have no image flags"},
        {flags && q->cell, "cell", "image flags count the cells of the input"},
        {flags && q->periodic, "periodic", "image flags count the cells of the input"},
    };
    for (size_t i = 0; q->move.unwrap && i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return trj_fail(err, TRJ_USAGE, "--unwrap and --%s: %s; leave one of them out", others[i].option,
                            others[i].why);
    return 0;
}
