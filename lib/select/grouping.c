// SPDX-License-Identifier: MIT
// Decides which atoms a stream contains, and translates numbers of the trajectory into those of stream atoms.
#include "grouping.h"

#include <stdlib.h>
#include <string.h>

#include "bonds.h"
#include "element.h"
#include "group_list.h"
#include "group_split.h"
#include "memory.h"
#include "topology_parts.h"

struct trj_grouping {
    const struct trj_stream_header *header;
    struct trj_group_list list;
    size_t *listed; // [header->group_count] number in the list of each group, or of the group it is a part of
    size_t group_capacity, listed_capacity;
    struct trj_texts names;      // of the groups in the header
    struct trj_text_index index; // of the names
    uint32_t *rows;              // [header->atoms] numbers in the trajectory, ascending; then first atoms of centres
    bool all;                    // all atoms are stream atoms, and there are no centres
    struct trj_centres centres;
};

// Adds a group without its atoms, from number `listed` of the list. The group owns the name.
static struct trj_group *add_group(struct trj_grouping *to, struct trj_stream_header *h, size_t listed, char *name,
                                   struct trj_error *err) {
    if (!name || trj_grow(&h->groups, &to->group_capacity, h->group_count + 1, sizeof *h->groups, "groups", err) ||
        trj_grow(&to->listed, &to->listed_capacity, h->group_count + 1, sizeof *to->listed, "groups", err)) {
        free(name);
        return NULL;
    }
    struct trj_group *g = &h->groups[h->group_count];
    *g = (struct trj_group){.name = name};
    to->listed[h->group_count++] = listed; // from here on the header frees it
    uint32_t number;
    if (trj_text_index_add(&to->index, name, &number, err)) return NULL;
    if (number + 1 == h->group_count) return g;
    trj_error_set(err, TRJ_USAGE, "two groups would have the name %s; rename one", name);
    return NULL;
}

static int add_parts(struct trj_grouping *to, struct trj_stream_header *h, size_t listed,
                     const struct trj_group_split *split, const char *prefix, const uint32_t *atoms, size_t n,
                     bool changes, struct trj_error *err) {
    struct trj_part *parts = NULL;
    size_t count = 0;
    int rc = trj_group_split_atoms(&parts, &count, split, prefix, atoms, n, err);
    for (size_t i = 0; !rc && i < count; i++) {
        struct trj_group *g = add_group(to, h, listed, parts[i].name, err);
        parts[i].name = NULL;
        if (!(rc = g ? 0 : -1)) {
            *g = (struct trj_group){g->name, parts[i].count, parts[i].atoms, changes, 0};
            parts[i].atoms = NULL;
        }
    }
    trj_parts_free(parts, count);
    return rc;
}

// Adds groups of atoms, as numbers in the trajectory.
static int make_group(struct trj_grouping *to, struct trj_stream_header *h, size_t i,
                      const struct trj_group_split *split, const char *prefix, bool may_be_empty,
                      struct trj_error *err) {
    const struct trj_named_selection *named = &to->list.groups[i];
    bool changes = trj_selection_is_dynamic(named->selection);
    uint32_t *atoms;
    size_t count;
    if (changes || may_be_empty ? trj_selection_candidates(named->selection, &atoms, &count, err)
                                : trj_selection_atoms(named->selection, NULL, &atoms, &count, err))
        return -1;
    if (split->by) {
        int rc = add_parts(to, h, i, split, prefix, atoms, count, changes, err);
        free(atoms);
        return rc;
    }
    struct trj_group *g = add_group(to, h, i, trj_copy_text(named->name, err), err);
    if (!g) {
        free(atoms);
        return -1;
    }
    *g = (struct trj_group){g->name, count, atoms, changes, 0};
    return 0;
}

// Adds groups of centres, as numbers of centres.
static int make_centres(struct trj_grouping *to, struct trj_stream_header *h, size_t i, const struct trj_topology *top,
                        const struct trj_group_split *split, struct trj_error *err) {
    const struct trj_centre_group *centres = &to->list.centres[i];
    size_t before = to->centres.count, count;
    uint32_t *atoms;
    if (split->by)
        return trj_fail(err, TRJ_USAGE, "--by %s splits groups of atoms, but these are centres; leave --by out",
                        split->by);
    struct trj_group *g = add_group(to, h, i, trj_copy_text(to->list.groups[i].name, err), err);
    if (!g || trj_selection_atoms(centres->selection, NULL, &atoms, &count, err)) return -1;
    int rc = trj_centres_add(&to->centres, centres->of_mass, centres->sets, atoms, count, top, err);
    free(atoms);
    if (rc) return -1;
    g->count = to->centres.count - before;
    g->atoms = trj_alloc(g->count, sizeof *g->atoms, "centres", err);
    for (size_t k = 0; g->atoms && k < g->count; k++) g->atoms[k] = (uint32_t)(before + k);
    return g->atoms ? 0 : -1;
}

static int make_groups(struct trj_grouping *to, struct trj_stream_header *h, const struct trj_grouping_options *options,
                       const struct trj_topology *top, const struct trj_group_split *split, struct trj_error *err) {
    static const char *const everything = "all=all";
    if (trj_group_list_make(&to->list, options->count ? options->groups : &everything,
                            options->count ? options->count : 1, top, h->source_atoms, err))
        return -1;
    for (size_t i = 0; i < to->list.count; i++) {
        const char *name = to->list.groups[i].name;
        if (to->list.centres[i].selection
                ? make_centres(to, h, i, top, split, err)
                : make_group(to, h, i, split, options->count ? name : NULL, options->may_be_empty, err))
            return trj_fail_at(err, "group %s", name);
    }
    return 0;
}

static bool is_of_centres(const struct trj_grouping *g, size_t group) {
    return g->list.centres[g->listed[group]].selection;
}

// Replaces numbers in the trajectory by numbers of stream atoms. Centres follow all atoms.
static int renumber(struct trj_grouping *to, struct trj_stream_header *h, size_t atoms, struct trj_error *err) {
    uint32_t *place = trj_alloc(atoms, sizeof *place, "atoms", err), n = 0; // number of an atom in the stream
    if (!place) return -1;
    for (size_t g = 0; g < h->group_count; g++)
        for (size_t k = 0; k < h->groups[g].count && !is_of_centres(to, g); k++) place[h->groups[g].atoms[k]] = 1;
    for (size_t i = 0; i < atoms; i++) h->atoms += place[i];
    h->centres = to->centres.count;
    to->all = h->atoms == atoms && !h->centres;
    to->rows = trj_alloc(h->atoms + h->centres, sizeof *to->rows, "atoms", err);
    for (uint32_t i = 0; i < atoms && to->rows; i++)
        if (place[i]) {
            to->rows[n] = i;
            place[i] = n++;
        }
    for (size_t g = 0; g < h->group_count; g++)
        for (size_t k = 0; k < h->groups[g].count; k++) {
            uint32_t *atom = &h->groups[g].atoms[k];
            *atom = is_of_centres(to, g) ? n + *atom : place[*atom];
        }
    free(place);
    if (!to->rows) return -1;
    if (h->centres) memcpy(to->rows + n, to->centres.first, h->centres * sizeof *to->rows);
    h->atoms += h->centres;
    h->member_words = trj_groups_lay_out(h->groups, h->group_count);
    return h->atoms <= UINT32_MAX
               ? 0
               : trj_fail(err, TRJ_BAD_DATA, "%zu atoms and centres are too many; select fewer", h->atoms);
}

static int copy_ids(uint32_t **to, const uint32_t *from, size_t n, struct trj_error *err) {
    if (!from) return 0;
    *to = trj_alloc(n, sizeof **to, "residues", err);
    if (!*to) return -1;
    memcpy(*to, from, n * sizeof **to);
    return 0;
}

// Returns the number that all atoms of a centre with a weight share; `next` if they differ.
static uint32_t number_of_centre(const struct trj_centres *c, size_t centre, const uint32_t *from, uint32_t next) {
    uint32_t number = from[c->first[centre]];
    for (size_t i = c->begin[centre]; i < c->begin[centre + 1]; i++)
        if (c->weight[i] > 0 && from[c->atom[i]] != number) return next;
    return number;
}

// Makes the residues or molecules of stream atoms. A centre of several of them gets a number of its own.
static int gather(uint32_t **numbers, const uint32_t *from, const struct trj_grouping *g, struct trj_error *err) {
    size_t n = g->header->atoms, atoms = n - g->header->centres;
    uint64_t next = 0;
    if (!from) return 0;
    *numbers = trj_alloc(n, sizeof **numbers, "residues", err);
    if (!*numbers) return -1;
    for (size_t i = 0; i < atoms; i++) (*numbers)[i] = from[g->rows[i]];
    for (size_t i = 0; i < g->header->source_atoms && g->header->centres; i++)
        if (from[i] >= next) next = (uint64_t)from[i] + 1;
    for (size_t i = atoms; i < n; i++) {
        if (next > UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "too many residues or molecules; select fewer atoms");
        (*numbers)[i] = number_of_centre(&g->centres, i - atoms, from, (uint32_t)next);
        next += (*numbers)[i] == next;
    }
    return 0;
}

// Sets the numbers of stream atoms in the trajectory, unless all atoms are in the stream, and their bonds.
static int set_atoms(const struct trj_grouping *g, struct trj_stream_header *h, const struct trj_topology *top,
                     const struct trj_stream_header *from, struct trj_error *err) {
    size_t n = h->atoms - h->centres;
    if (n < h->source_atoms && copy_ids(&h->number, g->rows, n, err)) return -1;
    uint32_t(*const bond)[2] = top ? top->bond : from ? from->bond : NULL;
    size_t count = top ? top->bonds : from ? from->bond_count : 0;
    if (top ? !count && !top->no_bonds : !bond) return 0;
    return trj_bonds_between(bond, count, h->source_atoms, g->rows, n, h->atoms, &h->bond, &h->bond_count, &h->between,
                             err);
}

// Returns the atomic numbers [atoms], 0 for unknown; NULL if all are unknown.
static int find_elements(uint32_t **element, size_t atoms, const struct trj_topology *top,
                         const struct trj_stream_header *from, struct trj_error *err) {
    *element = NULL;
    if (!top) return from ? copy_ids(element, from->element, atoms, err) : 0;
    if (!top->element.id) return 0;
    uint32_t *z = trj_alloc(top->element.count, sizeof *z, "elements", err); // of each symbol
    if (z) *element = trj_alloc(atoms, sizeof **element, "elements", err);
    for (size_t i = 0; *element && i < top->element.count; i++)
        z[i] = trj_element_find(top->element.text[i], strlen(top->element.text[i]));
    for (size_t i = 0; *element && i < atoms; i++) (*element)[i] = z[top->element.id[i]];
    free(z);
    return *element ? 0 : -1;
}

// Sets the elements of stream atoms; centres have none. Members of a dynamic group are found with the topology of each
// input, so that they can be other atoms there.
static int gather_elements(const struct trj_grouping *g, struct trj_stream_header *h, const uint32_t *element,
                           const char *guessed_from, bool fixed_alone, struct trj_error *err) {
    if (!element) return 0;
    h->element = trj_alloc(h->atoms, sizeof *h->element, "elements", err);
    h->element_from = h->element && guessed_from ? trj_copy_text(guessed_from, err) : NULL;
    if (!h->element || (guessed_from && !h->element_from)) return -1;
    for (size_t i = 0; i < h->atoms - h->centres && !fixed_alone; i++) h->element[i] = element[g->rows[i]];
    for (size_t k = 0; k < h->group_count && fixed_alone; k++)
        for (size_t i = 0; i < h->groups[k].count && !h->groups[k].dynamic && !is_of_centres(g, k); i++)
            h->element[h->groups[k].atoms[i]] = element[g->rows[h->groups[k].atoms[i]]];
    return 0;
}

static bool is_site(const struct trj_topology *top, const struct trj_stream_header *from, size_t atom) {
    return top ? trj_topology_is_site(top, atom) : trj_stream_is_site(from, (uint32_t)atom);
}

// Lists the massless sites of the stream, and counts those that are not in it, if the elements are known.
static int find_sites(struct trj_stream_header *h, const struct trj_grouping *g, const struct trj_topology *top,
                      const struct trj_stream_header *from, struct trj_error *err) {
    size_t n = h->atoms - h->centres, k = 0;
    bool any = !top && from && from->site_count;
    for (size_t i = 0; top && top->element.id && i < top->atoms && !any; i++)
        any = !*trj_topology_text(&top->element, i);
    if (!any) return 0;
    if (!(h->site = trj_alloc(n, sizeof *h->site, "sites", err))) return -1;
    for (size_t i = 0; i < h->source_atoms; i++) {
        bool present = k < n && g->rows[k] == i;
        if (is_site(top, from, i)) {
            if (present) h->site[h->site_count++] = (uint32_t)k;
            h->absent_sites += !present;
        }
        k += present;
    }
    return 0;
}

int trj_grouping_make(struct trj_grouping **grouping, struct trj_stream_header *h, size_t atoms,
                      const struct trj_grouping_options *options, const struct trj_topology *top,
                      const struct trj_stream_header *from, struct trj_error *err) {
    struct trj_group_split split = {.by = NULL};
    uint32_t *element = NULL;
    struct trj_grouping *g = trj_alloc(1, sizeof *g, "groups", err);
    int rc = -1;
    if (!g) return -1;
    g->header = h;
    g->index.texts = &g->names;
    h->source_atoms = atoms;
    const uint32_t *residue = top ? top->residue : from ? from->residue : NULL;
    const uint32_t *molecule = top ? top->molecule : from ? from->molecule : NULL;
    const char *guessed_from = top ? top->element_from : from ? from->element_from : NULL;
    if (find_elements(&element, atoms, top, from, err)) goto out;
    if (options->by && trj_group_split_open(&split, options->by, top, from, atoms, err)) goto out;
    if (make_groups(g, h, options, top, &split, err)) goto out;
    if (renumber(g, h, atoms, err)) goto out;
    if (gather(&h->residue, residue, g, err)) goto out;
    if (gather(&h->molecule, molecule, g, err)) goto out;
    if (gather_elements(g, h, element, guessed_from, options->own_topologies, err)) goto out;
    if (find_sites(h, g, top, from, err)) goto out;
    if (set_atoms(g, h, top, from, err)) goto out;
    *grouping = g;
    g = NULL;
    rc = 0;
out:
    trj_group_split_close(&split);
    free(element);
    trj_grouping_free(g);
    return rc;
}

void trj_grouping_free(struct trj_grouping *g) {
    if (!g) return;
    trj_group_list_free(&g->list);
    trj_text_index_free(&g->index);
    trj_texts_clear(&g->names);
    trj_centres_free(&g->centres);
    free(g->listed);
    free(g->rows);
    free(g);
}

const char *trj_grouping_note(const struct trj_grouping *g) {
    return g->list.note;
}

const uint32_t *trj_grouping_rows(const struct trj_grouping *g) {
    return g->all ? NULL : g->rows;
}

const struct trj_centres *trj_grouping_centres(const struct trj_grouping *g) {
    return &g->centres;
}

bool trj_grouping_needs_whole_frame(const struct trj_grouping *g) {
    return g->header->centres || g->header->member_words;
}

bool trj_grouping_uses_topology(const struct trj_grouping *g) {
    bool uses_topology = false;
    for (size_t i = 0; i < g->list.count && !uses_topology; i++) {
        const struct trj_centre_group *c = &g->list.centres[i];
        uses_topology = trj_selection_uses_topology(c->selection ? c->selection : g->list.groups[i].selection) ||
                        (c->selection && (c->of_mass || c->sets != TRJ_CENTRE_GROUP));
    }
    return uses_topology;
}

struct trj_selection_scope trj_grouping_scope(const struct trj_grouping *g, const struct trj_topology *top) {
    return (struct trj_selection_scope){.top = top,
                                        .atoms = g->header->source_atoms,
                                        .earlier = g->list.groups,
                                        .earlier_count = g->list.count,
                                        .names = &g->list.index};
}

// Marks the selected atoms among the candidates; both lists ascend. A part has only some candidates of its selection.
static int find_members(const struct trj_grouping *grouping, size_t group, const struct trj_frame *whole,
                        struct trj_frame *to, struct trj_error *err) {
    const struct trj_group *g = &grouping->header->groups[group];
    uint32_t *selected, *words = to->members + g->word;
    size_t count, next = 0;
    if (trj_selection_atoms(grouping->list.groups[grouping->listed[group]].selection, whole, &selected, &count, err))
        return trj_fail_at(err, "group %s", g->name);
    memset(words, 0, trj_group_words(g) * sizeof *words);
    for (size_t i = 0; i < g->count; i++) {
        uint32_t row = grouping->rows[g->atoms[i]];
        while (next < count && selected[next] < row) next++;
        if (next < count && selected[next] == row) words[i / 32] |= (uint32_t)1 << i % 32;
    }
    free(selected);
    return 0;
}

// Takes the velocities and image flags of the stream atoms. Centres have no image flags; the rows of their first atoms
// only fill their places.
static int take_motion(const struct trj_grouping *g, const struct trj_frame *whole, struct trj_frame *to,
                       struct trj_error *err) {
    const struct trj_stream_header *h = g->header;
    size_t n = h->atoms - h->centres;
    if (trj_motion_take(&to->motion, whole->motion, g->rows, h->atoms, err)) return -1;
    if (!h->centres || !trj_motion_has(to->motion)) return 0;
    to->motion->has &= ~(unsigned)TRJ_HAS_IMAGE;
    if (!to->motion->has) return 0;
    float *const v[3] = {to->motion->velocity[0] + n, to->motion->velocity[1] + n, to->motion->velocity[2] + n};
    trj_centres_velocities(&g->centres, whole->motion, v);
    return 0;
}

int trj_grouping_apply(const struct trj_grouping *g, const struct trj_frame *whole, struct trj_frame *to,
                       struct trj_error *err) {
    const struct trj_stream_header *h = g->header;
    size_t n = h->atoms - h->centres;
    if (trj_frame_resize(to, h->atoms, err) || trj_frame_resize_members(to, h->member_words, err)) return -1;
    trj_frame_copy_head(to, whole);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++) to->x[k][i] = whole->x[k][g->rows[i]];
    if (take_motion(g, whole, to, err)) return -1;
    float *const centres[3] = {to->x[0] + n, to->x[1] + n, to->x[2] + n};
    if (h->centres && trj_centres_place(&g->centres, whole, centres, err)) return -1;
    for (size_t i = 0; i < h->group_count; i++)
        if (h->groups[i].dynamic && find_members(g, i, whole, to, err)) return -1;
    return 0;
}

int trj_grouping_copy(struct trj_stream_header *h, const struct trj_stream_header *from, struct trj_error *err) {
    h->atoms = from->atoms;
    h->centres = from->centres;
    h->source_atoms = from->source_atoms;
    h->open_system = from->open_system;
    h->member_words = from->member_words;
    h->groups = trj_alloc(from->group_count, sizeof *h->groups, "groups", err);
    if (!h->groups) return -1;
    for (size_t i = 0; i < from->group_count; i++) {
        struct trj_group *g = &h->groups[h->group_count++];
        *g = from->groups[i];
        g->atoms = NULL;
        g->name = trj_copy_text(from->groups[i].name, err);
        if (!g->name || copy_ids(&g->atoms, from->groups[i].atoms, g->count, err)) return -1;
    }
    h->between = from->between;
    h->bond_count = from->bond_count;
    if (from->bond && !(h->bond = trj_alloc(h->bond_count, sizeof *h->bond, "bonds", err))) return -1;
    if (from->bond) memcpy(h->bond, from->bond, h->bond_count * sizeof *h->bond);
    if (from->element_from && !(h->element_from = trj_copy_text(from->element_from, err))) return -1;
    h->absent_sites = from->absent_sites;
    h->site_count = from->site_count;
    if (copy_ids(&h->site, from->site, h->site_count, err)) return -1;
    return copy_ids(&h->residue, from->residue, h->atoms, err) || copy_ids(&h->element, from->element, h->atoms, err) ||
                   copy_ids(&h->molecule, from->molecule, h->atoms, err) ||
                   copy_ids(&h->number, from->number, h->atoms - h->centres, err)
               ? -1
               : 0;
}

static bool same_ids(const uint32_t *a, const uint32_t *b, size_t n) {
    return !a || !b || !memcmp(a, b, n * sizeof *a);
}

// Returns whether two groups contain the same stream atoms, which are the same atoms of the trajectory.
static bool same_group(const struct trj_group *a, const uint32_t *rows_of_a, const struct trj_group *b,
                       const uint32_t *rows_of_b) {
    if (strcmp(a->name, b->name) || a->count != b->count || a->dynamic != b->dynamic ||
        !same_ids(a->atoms, b->atoms, a->count))
        return false;
    for (size_t k = 0; rows_of_a && rows_of_b && k < a->count; k++)
        if (rows_of_a[a->atoms[k]] != rows_of_b[a->atoms[k]]) return false;
    return true;
}

static int compare(const struct trj_stream_header *a, const struct trj_grouping *of_a,
                   const struct trj_stream_header *b, const struct trj_grouping *of_b, struct trj_error *err) {
    if (a->open_system != b->open_system || (a->open_system && a->atoms != b->atoms))
        return trj_fail(err, TRJ_BAD_DATA,
                        "the number of atoms changes, %s; join them with trjcat --open auto, or run trjcat for each "
                        "system",
                        a->open_system != b->open_system ? "but only in this or in the first input"
                                                         : "and its maximum is not that of the first input");
    if (a->source_atoms != b->source_atoms)
        return trj_fail(err, TRJ_BAD_DATA, "%zu atoms, but the first input has %zu", b->source_atoms, a->source_atoms);
    if (a->atoms != b->atoms || a->centres != b->centres)
        return trj_fail(err, TRJ_BAD_DATA,
                        "its groups have %zu atoms and %zu centres, but those of the first input %zu and %zu",
                        b->atoms - b->centres, b->centres, a->atoms - a->centres, a->centres);
    if (a->group_count != b->group_count)
        return trj_fail(err, TRJ_BAD_DATA, "%zu groups, but the first input has %zu", b->group_count, a->group_count);
    for (size_t i = 0; i < a->group_count; i++)
        if (!same_group(&a->groups[i], of_a ? of_a->rows : NULL, &b->groups[i], of_b ? of_b->rows : NULL))
            return trj_fail(err, TRJ_BAD_DATA, "group %s differs from group %s of the first input", b->groups[i].name,
                            a->groups[i].name);
    if (!same_ids(a->number, b->number, a->atoms - a->centres))
        return trj_fail(err, TRJ_BAD_DATA, "its atoms differ from those of the first input");
    if (!same_ids(a->residue, b->residue, a->atoms))
        return trj_fail(err, TRJ_BAD_DATA, "its residues differ from those of the first input");
    if (!same_ids(a->molecule, b->molecule, a->atoms))
        return trj_fail(err, TRJ_BAD_DATA, "its molecules differ from those of the first input");
    return 0;
}

int trj_grouping_compare(const struct trj_stream_header *a, const struct trj_grouping *of_a,
                         const struct trj_stream_header *b, const struct trj_grouping *of_b, struct trj_error *err) {
    if (!compare(a, of_a, b, of_b, err)) return 0;
    return trj_fail_remedy(err, "give trajectories of one system, or run trjcat for each system");
}

static int compare_bonds(const struct trj_stream_header *a, const struct trj_stream_header *b, struct trj_error *err) {
    uint32_t pair[2];
    if (!a->bond || !b->bond) return 0;
    size_t between = a->between > b->between ? a->between : b->between;
    int differ = trj_bonds_compare(a->bond, a->bond_count, b->bond, b->bond_count, a->atoms + between, pair, err);
    if (differ <= 0) return differ;
    if (pair[0] < a->atoms && pair[1] < a->atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "atoms %lu and %lu of the stream are bonded either in this input or in the first one, but not "
                        "in both; give one topology for all inputs with -t where trjcat reads the trajectories",
                        (unsigned long)pair[0], (unsigned long)pair[1]);
    return trj_fail(err, TRJ_BAD_DATA,
                    "the bonds of atoms that connect those of the stream differ from those in the first input; give "
                    "one topology for all inputs with -t where trjcat reads the trajectories");
}

int trj_grouping_compare_atoms(const struct trj_stream_header *a, const struct trj_stream_header *b,
                               struct trj_error *err) {
    for (size_t i = 0; a->element && b->element && i < a->atoms; i++)
        if (a->element[i] && b->element[i] && a->element[i] != b->element[i])
            return trj_fail(
                err, TRJ_BAD_DATA,
                "atom %lu of the stream is %s, but in the first input %s; join only trajectories of the same atoms",
                (unsigned long)i, trj_elements[b->element[i]].symbol, trj_elements[a->element[i]].symbol);
    return compare_bonds(a, b, err);
}
