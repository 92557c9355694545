// SPDX-License-Identifier: MIT
// Connects the mover with the inputs: their atoms, groups, bonds and reference frame.
#include <math.h>
#include <stdlib.h>

#include "bonds.h"
#include "memory.h"
#include "merge_parts.h"
#include "text_index.h"

// The groups of a frame stream, as selections of its atoms. Dynamic groups are omitted.
struct stream_groups {
    struct trj_named_selection *groups; // [count]; the names belong to `names`
    size_t count;
    struct trj_texts names;
    struct trj_text_index index;
};

static void free_groups(struct stream_groups *g) {
    for (size_t i = 0; i < g->count; i++) trj_selection_free(g->groups[i].selection);
    trj_text_index_free(&g->index);
    trj_texts_clear(&g->names);
    free(g->groups);
}

static int list_groups(struct stream_groups *g, const struct trj_stream_header *h, struct trj_error *err) {
    g->index.texts = &g->names;
    if (!(g->groups = trj_alloc(h->group_count, sizeof *g->groups, "groups", err))) return -1;
    for (size_t i = 0; i < h->group_count; i++) {
        const struct trj_group *from = &h->groups[i];
        uint32_t number;
        if (from->dynamic) continue;
        if (trj_text_index_add(&g->index, from->name, &number, err) ||
            trj_selection_of_atoms(&g->groups[number].selection, from->name, from->atoms, from->count, h->atoms, err))
            return -1;
        g->groups[g->count++].name = g->names.text[number];
    }
    return 0;
}

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
                           const struct trj_stream_header *h, struct stream_groups *groups, struct trj_topology *names,
                           struct trj_mover_system *system, struct trj_error *err) {
    const struct trj_stream_header *own = r->header;
    static uint32_t none[1][2];
    *system = (struct trj_mover_system){.groups = m->options.groups.texts, .group_count = m->options.groups.count};
    if (m->current) {
        system->scope = trj_grouping_scope(m->current, top);
    } else {
        if (list_groups(groups, h, err)) return -1;
        system->scope = (struct trj_selection_scope){
            .atoms = h->atoms, .earlier = groups->groups, .earlier_count = groups->count, .names = &groups->index};
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
        "use --whole, --centre or --fit where trjcat joins the original trajectories");
}

int trj_merge_begin_moves(struct trj_merge *m, const struct trj_reader *r, const struct trj_topology *top,
                          struct trj_error *err) {
    const struct trj_stream_header *own = r->header;
    struct stream_groups groups = {.count = 0};
    struct trj_mover_system system;
    struct trj_topology names; // of a frame stream
    for (size_t i = 0; !m->began && own && i < own->movement_count; i++)
        if (trj_movement_add(&m->header, &own->movements[i], own->movements[i].selection, own->movements[i].reference,
                             err))
            return -1;
    if (!m->began) m->moved_before = m->header.movement_count;
    if (compare_movements(m, own, err)) return -1;
    if (!trj_mover_requested(&m->options.move) || (m->began && m->current && top && top == m->top)) return 0;
    int rc = describe_system(m, r, top, m->began ? &m->further.header : &m->header, &groups, &names, &system, err);
    if (!rc) rc = m->began ? trj_mover_compare(m->mover, &system, err) : open_mover(m, r, &system, err);
    free_groups(&groups);
    return rc;
}
