// SPDX-License-Identifier: MIT
// Evaluates the tree of a selection. A mask has one byte per atom, 0 or 1. Each test clears the bytes of the atoms for
// which it is false, so that it only examines atoms that all tests before it have kept.
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "neighbours.h"
#include "select_parts.h"

// The members of an earlier dynamic group in this frame. A group that is used several times is evaluated once.
struct known_group {
    const struct trj_selection *group;
    unsigned char *mask;
};

struct evaluation {
    const struct trj_selection *s;
    const struct trj_frame *frame; // NULL: no dynamic node is evaluated
    size_t atoms;
    struct known_group *known; // [known_count]
    size_t known_count, known_capacity;
    struct trj_error *err;
};

static int evaluate(struct evaluation *e, const struct trj_node *n, unsigned char *mask);

static unsigned char *new_mask(struct evaluation *e) {
    return trj_alloc(e->atoms, 1, "a selection", e->err);
}

static unsigned char *copy_mask(struct evaluation *e, const unsigned char *mask) {
    unsigned char *copy = new_mask(e);
    if (copy) memcpy(copy, mask, e->atoms);
    return copy;
}

static unsigned char *full_mask(struct evaluation *e) {
    unsigned char *mask = new_mask(e);
    if (mask) memset(mask, 1, e->atoms);
    return mask;
}

static void keep(unsigned char *mask, const unsigned char *also, size_t atoms) {
    for (size_t i = 0; i < atoms; i++) mask[i] &= also[i];
}

static void drop(unsigned char *mask, const unsigned char *those, size_t atoms) {
    for (size_t i = 0; i < atoms; i++) mask[i] = mask[i] && !those[i];
}

static bool is_empty(const unsigned char *mask, size_t atoms) {
    return !memchr(mask, 1, atoms);
}

// ------------------------------------------------------------------------------------------------------ texts, numbers

static int unknown_element(struct evaluation *e, size_t atom) {
    const struct trj_topology *t = e->s->top;
    return trj_selection_fail(e->s, e->err, TRJ_BAD_DATA,
                              "the element of the atom with index %zu (name %s, residue %s %lld) is unknown; exclude "
                              "it, as in 'protein and heavy', or select by name",
                              atom, t->name.id ? t->name.text[t->name.id[atom]] : "?",
                              t->resname.id ? t->resname.text[t->resname.id[atom]] : "?",
                              t->resid ? (long long)t->resid[atom] : 0);
}

// Keeps the atoms with match[number of their text]. A massless site has no element. An atom of unknown element can
// neither be kept nor dropped: it is an error.
static int keep_texts(struct evaluation *e, enum trj_property property, const unsigned char *match,
                      unsigned char *mask) {
    const struct trj_texts *texts = trj_property_texts(property, e->s->top);
    for (size_t i = 0; i < e->atoms; i++) {
        if (!mask[i]) continue;
        bool known = property != TRJ_ATOM_ELEMENT || *texts->text[texts->id[i]];
        if (!known && !trj_topology_is_site(e->s->top, i)) return unknown_element(e, i);
        mask[i] = known && match[texts->id[i]];
    }
    return 0;
}

static int evaluate_text(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    const struct trj_texts *texts = trj_property_texts(n->property, e->s->top);
    unsigned char *match = trj_alloc(texts->count, 1, "a selection", e->err);
    if (!match) return -1;
    for (size_t k = 0; k < texts->count; k++) {
        if (n->is) match[k] = n->is(texts->text[k]);
        for (size_t g = 0; g < n->count && !match[k]; g++) match[k] = !fnmatch(n->glob[g], texts->text[k], 0);
    }
    int rc = keep_texts(e, n->property, match, mask);
    free(match);
    return rc;
}

// Returns the occupancy or B factor of an atom: that of the frame, or of the topology if its values do not vary.
static double value_in_frame(const struct evaluation *e, enum trj_property property, size_t atom) {
    const struct trj_topology *t = e->s->top;
    bool bfactor = property == TRJ_ATOM_BFACTOR;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): check_values() requires the values of a frame
    if (t->values_vary) return (double)e->frame->value[bfactor ? TRJ_FRAME_BFACTOR : TRJ_FRAME_OCCUPANCY][atom];
    return bfactor ? t->bfactor[atom] : t->occupancy[atom];
}

// An unknown mass, occupancy or B factor cannot be compared: it is an error.
static int check_values(struct evaluation *e, enum trj_property property, const unsigned char *mask) {
    const struct trj_topology *t = e->s->top;
    bool mass = property == TRJ_ATOM_MASS, in_frame = property == TRJ_ATOM_OCCUPANCY || property == TRJ_ATOM_BFACTOR;
    if (in_frame && t->values_vary && !(e->frame && e->frame->value[TRJ_FRAME_OCCUPANCY]))
        return trj_selection_fail(e->s, e->err, TRJ_BAD_DATA,
                                  "this frame contains neither occupancies nor B factors; select by other properties");
    for (size_t i = 0; i < e->atoms && (mass || in_frame); i++)
        if (mask[i] && isnan(mass ? t->mass[i] : value_in_frame(e, property, i)))
            return trj_selection_fail(
                e->s, e->err, TRJ_BAD_DATA,
                "the %s of the atom with index %zu (name %s) is unknown; exclude it, as in 'protein and %s > 2'",
                mass                             ? "mass"
                : property == TRJ_ATOM_OCCUPANCY ? "occupancy"
                                                 : "B factor",
                i, t->name.id ? t->name.text[t->name.id[i]] : "?",
                mass                             ? "mass"
                : property == TRJ_ATOM_OCCUPANCY ? "occupancy"
                                                 : "bfactor");
    return 0;
}

static union trj_value value_of(const struct evaluation *e, enum trj_property property, size_t atom) {
    switch (property) {
    case TRJ_ATOM_MASS:
        return (union trj_value){.real = e->s->top->mass[atom]};
    case TRJ_ATOM_CHARGE:
        return (union trj_value){.real = e->s->top->charge[atom]};
    case TRJ_ATOM_OCCUPANCY:
    case TRJ_ATOM_BFACTOR:
        return (union trj_value){.real = value_in_frame(e, property, atom)};
    case TRJ_ATOM_X:
    case TRJ_ATOM_Y:
    case TRJ_ATOM_Z:
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without a frame no dynamic node is evaluated
        return (union trj_value){.real = (double)e->frame->x[property - TRJ_ATOM_X][atom] * e->frame->unit};
    case TRJ_ATOM_RESID:
        return (union trj_value){.integer = e->s->top->resid[atom]};
    default:
        return (union trj_value){.integer = (int64_t)(e->s->numbers ? e->s->numbers[atom] : atom) +
                                            (property == TRJ_ATOM_SERIAL)};
    }
}

static int compare(bool real, union trj_value a, union trj_value b) {
    if (real) return (a.real > b.real) - (a.real < b.real);
    return (a.integer > b.integer) - (a.integer < b.integer);
}

static bool is_real(enum trj_property property) {
    return trj_property_kind(property) == TRJ_PROPERTY_REAL;
}

static void evaluate_ranges(const struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    bool real = is_real(n->property);
    for (size_t i = 0; i < e->atoms; i++) {
        if (!mask[i]) continue;
        union trj_value v = value_of(e, n->property, i);
        bool in = false;
        for (size_t k = 0; k < n->count && !in; k++)
            in = compare(real, n->range[k].from, v) <= 0 && compare(real, v, n->range[k].to) <= 0;
        mask[i] = in;
    }
}

static bool holds(enum trj_relation relation, int order) {
    switch (relation) {
    case TRJ_LESS:
        return order < 0;
    case TRJ_LESS_EQUAL:
        return order <= 0;
    case TRJ_GREATER:
        return order > 0;
    case TRJ_GREATER_EQUAL:
        return order >= 0;
    case TRJ_EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

static void evaluate_compare(const struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    bool real = is_real(n->property);
    for (size_t i = 0; i < e->atoms; i++)
        mask[i] = mask[i] && holds(n->relation, compare(real, value_of(e, n->property, i), n->value));
}

// ---------------------------------------------------------------------------------------------------------- relations

static int same_texts(struct evaluation *e, enum trj_property property, const unsigned char *others,
                      unsigned char *mask) {
    const struct trj_texts *texts = trj_property_texts(property, e->s->top);
    unsigned char *match = trj_alloc(texts->count, 1, "a selection", e->err);
    int rc = match ? 0 : -1;
    for (size_t i = 0; i < e->atoms && !rc; i++) {
        if (!others[i]) continue;
        match[texts->id[i]] = 1;
        bool known = property != TRJ_ATOM_ELEMENT || *texts->text[texts->id[i]];
        if (!known && !trj_topology_is_site(e->s->top, i)) rc = unknown_element(e, i);
    }
    if (!rc) rc = keep_texts(e, property, match, mask);
    free(match);
    return rc;
}

static int same_sets(struct evaluation *e, const uint32_t *set, const unsigned char *others, unsigned char *mask) {
    unsigned char *match = new_mask(e); // there are at most as many sets as atoms
    if (!match) return -1;
    for (size_t i = 0; i < e->atoms; i++)
        if (others[i]) match[set[i]] = 1;
    for (size_t i = 0; i < e->atoms; i++) mask[i] = mask[i] && match[set[i]];
    free(match);
    return 0;
}

static int by_integer(const void *a, const void *b) {
    return compare(false, *(const union trj_value *)a, *(const union trj_value *)b);
}

static int by_real(const void *a, const void *b) {
    return compare(true, *(const union trj_value *)a, *(const union trj_value *)b);
}

static int same_numbers(struct evaluation *e, enum trj_property property, const unsigned char *others,
                        unsigned char *mask) {
    int (*order)(const void *, const void *) = is_real(property) ? by_real : by_integer;
    if (check_values(e, property, others) || check_values(e, property, mask)) return -1;
    union trj_value *values = trj_alloc(e->atoms, sizeof *values, "a selection", e->err);
    if (!values) return -1;
    size_t n = 0;
    for (size_t i = 0; i < e->atoms; i++)
        if (others[i]) values[n++] = value_of(e, property, i);
    qsort(values, n, sizeof *values, order);
    for (size_t i = 0; i < e->atoms; i++) {
        union trj_value v = mask[i] ? value_of(e, property, i) : (union trj_value){0};
        mask[i] = mask[i] && bsearch(&v, values, n, sizeof v, order);
    }
    free(values);
    return 0;
}

static int evaluate_same(struct evaluation *e, enum trj_property property, const unsigned char *others,
                         unsigned char *mask) {
    switch (trj_property_kind(property)) {
    case TRJ_PROPERTY_TEXT:
        return same_texts(e, property, others, mask);
    case TRJ_PROPERTY_SET:
        return same_sets(e, property == TRJ_ATOM_MOLECULE ? e->s->top->molecule : e->s->top->residue, others, mask);
    default:
        return same_numbers(e, property, others, mask);
    }
}

static int evaluate_bonded(struct evaluation *e, const unsigned char *others, unsigned char *mask) {
    const struct trj_topology *t = e->s->top;
    unsigned char *bonded = new_mask(e);
    if (!bonded) return -1;
    for (size_t k = 0; k < t->bonds; k++)
        for (int end = 0; end < 2; end++)
            if (others[t->bond[k][end]]) bonded[t->bond[k][!end]] = 1;
    keep(mask, bonded, e->atoms);
    free(bonded);
    return 0;
}

static int evaluate_near(struct evaluation *e, const struct trj_node *n, const unsigned char *others,
                         unsigned char *mask) {
    if (n->without) drop(mask, others, e->atoms);
    if (trj_neighbours_filter(e->frame, n->radius, others, mask, e->err)) return -1;
    return 0;
}

// NEAR, SAME and BONDED: their operand is evaluated for all atoms.
static int evaluate_relation(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    unsigned char *own = NULL;
    const unsigned char *others = n->child->mask;
    if (n->child->kind != TRJ_NODE_FIXED) {
        if (!(own = full_mask(e))) return -1;
        others = own;
    }
    int rc = own ? evaluate(e, n->child, own) : 0;
    if (!rc)
        rc = n->kind == TRJ_NODE_NEAR   ? evaluate_near(e, n, others, mask)
             : n->kind == TRJ_NODE_SAME ? evaluate_same(e, n->property, others, mask)
                                        : evaluate_bonded(e, others, mask);
    free(own);
    return rc;
}

// --------------------------------------------------------------------------------------------------------- the tree

static int evaluate_not(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    unsigned char *held = copy_mask(e, mask);
    int rc = held ? evaluate(e, n->child, held) : -1;
    if (!rc) drop(mask, held, e->atoms);
    free(held);
    return rc;
}

static int evaluate_or(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    int rc = -1;
    unsigned char *left = copy_mask(e, mask), *held = new_mask(e); // left: atoms that no child has selected so far
    if (!left || !held) goto out;
    for (const struct trj_node *c = n->child; c; c = c->sibling) {
        memcpy(held, left, e->atoms);
        if (evaluate(e, c, held)) goto out;
        drop(left, held, e->atoms);
    }
    drop(mask, left, e->atoms);
    rc = 0;
out:
    free(left);
    free(held);
    return rc;
}

static void keep_list(unsigned char *mask, const struct trj_node *n, size_t atoms) {
    size_t next = 0;
    for (size_t k = 0; k < n->listed; k++) {
        memset(mask + next, 0, n->list[k] - next);
        next = (size_t)n->list[k] + 1;
    }
    memset(mask + next, 0, atoms - next);
}

static int evaluate_group(struct evaluation *e, const struct trj_selection *group, unsigned char *mask) {
    if (group->root->kind == TRJ_NODE_LIST) return evaluate(e, group->root, mask);
    for (size_t i = 0; i < e->known_count; i++)
        if (e->known[i].group == group) {
            keep(mask, e->known[i].mask, e->atoms);
            return 0;
        }
    const struct trj_selection *user = e->s;
    unsigned char *own = full_mask(e);
    if (!own) return -1;
    e->s = group;
    int rc = evaluate(e, group->root, own);
    e->s = user;
    if (!rc) rc = trj_grow(&e->known, &e->known_capacity, e->known_count + 1, sizeof *e->known, "groups", e->err);
    if (rc) {
        free(own);
        return -1;
    }
    e->known[e->known_count++] = (struct known_group){group, own};
    keep(mask, own, e->atoms);
    return 0;
}

static int evaluate(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    switch (n->kind) {
    case TRJ_NODE_ALL:
        return 0;
    case TRJ_NODE_NONE:
        memset(mask, 0, e->atoms);
        return 0;
    case TRJ_NODE_CLASS:
    case TRJ_NODE_TEXT:
        return evaluate_text(e, n, mask);
    case TRJ_NODE_RANGES:
        if (check_values(e, n->property, mask)) return -1;
        evaluate_ranges(e, n, mask);
        return 0;
    case TRJ_NODE_COMPARE:
        if (check_values(e, n->property, mask)) return -1;
        evaluate_compare(e, n, mask);
        return 0;
    case TRJ_NODE_NOT:
        return evaluate_not(e, n, mask);
    case TRJ_NODE_AND:
        for (const struct trj_node *c = n->child; c; c = c->sibling)
            if (evaluate(e, c, mask)) return -1;
        return 0;
    case TRJ_NODE_OR:
        return evaluate_or(e, n, mask);
    case TRJ_NODE_NEAR:
    case TRJ_NODE_SAME:
    case TRJ_NODE_BONDED:
        return evaluate_relation(e, n, mask);
    case TRJ_NODE_GROUP:
        return evaluate_group(e, n->group, mask);
    case TRJ_NODE_FIXED:
        keep(mask, n->mask, e->atoms);
        return 0;
    case TRJ_NODE_LIST:
        keep_list(mask, n, e->atoms);
        return 0;
    }
    return 0;
}

// -------------------------------------------------------------------------------------------------------- candidates
// bound(n, mask) keeps all atoms of the mask that n can select for some coordinates, and possibly others.

static int bound(struct evaluation *e, const struct trj_node *n, unsigned char *mask);

static int bound_or(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    unsigned char *some = new_mask(e), *held = some ? new_mask(e) : NULL;
    int rc = held ? 0 : -1;
    for (const struct trj_node *c = n->child; c && !rc; c = c->sibling) {
        memcpy(held, mask, e->atoms);
        rc = bound(e, c, held);
        for (size_t i = 0; i < e->atoms; i++) some[i] |= held[i];
    }
    if (!rc) memcpy(mask, some, e->atoms);
    free(some);
    free(held);
    return rc;
}

// A larger operand can only select more atoms, so that a bound of the operand gives a bound of the result.
static int bound_relation(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    unsigned char *others = full_mask(e);
    int rc = others ? bound(e, n->child, others) : -1;
    if (!rc)
        rc = n->kind == TRJ_NODE_SAME ? evaluate_same(e, n->property, others, mask) : evaluate_bonded(e, others, mask);
    free(others);
    return rc;
}

static int bound(struct evaluation *e, const struct trj_node *n, unsigned char *mask) {
    if (!n->dynamic) return evaluate(e, n, mask);
    switch (n->kind) {
    case TRJ_NODE_AND:
        for (const struct trj_node *c = n->child; c; c = c->sibling)
            if (bound(e, c, mask)) return -1;
        return 0;
    case TRJ_NODE_OR:
        return bound_or(e, n, mask);
    case TRJ_NODE_SAME:
    case TRJ_NODE_BONDED:
        return bound_relation(e, n, mask);
    case TRJ_NODE_GROUP: {
        const struct trj_selection *user = e->s;
        e->s = n->group;
        int rc = bound(e, n->group->root, mask);
        e->s = user;
        return rc;
    }
    default:
        return 0;
    }
}

// ------------------------------------------------------------------------------------------------------------- folding
// fold(n, context) evaluates n for the atoms of `context`. Nodes that are not dynamic become FIXED nodes,
// as do nodes that select nothing for any coordinates. Children of an `and` that are not dynamic come first, since they
// exclude atoms from the others.

static void make_fixed(struct trj_node *n, unsigned char *mask) {
    free(n->mask);
    n->mask = mask;
    n->kind = TRJ_NODE_FIXED;
    n->dynamic = false;
    n->child = NULL;
}

static int fold(struct evaluation *e, struct trj_selection *s, struct trj_node *n, const unsigned char *context);

// Puts a FIXED node, which owns `mask`, before the children of n that are still dynamic.
static int put_first(struct evaluation *e, struct trj_selection *s, struct trj_node *n, unsigned char *mask) {
    struct trj_node *first = trj_node_new(s, TRJ_NODE_FIXED, e->err), **last = &first->sibling;
    if (!first) {
        free(mask);
        return -1;
    }
    first->mask = mask;
    for (struct trj_node *c = n->child; c; c = c->sibling)
        if (c->dynamic) {
            *last = c;
            last = &c->sibling;
        }
    *last = NULL;
    n->child = first;
    return 0;
}

static int fold_and(struct evaluation *e, struct trj_selection *s, struct trj_node *n, const unsigned char *context) {
    bool dynamic = false;
    unsigned char *mask = copy_mask(e, context);
    if (!mask) return -1;
    for (struct trj_node *c = n->child; c; c = c->sibling)
        if (!c->dynamic && evaluate(e, c, mask)) goto fail;
    for (struct trj_node *c = n->child; c; c = c->sibling) {
        if (!c->dynamic) continue;
        if (fold(e, s, c, mask)) goto fail;
        if (!c->dynamic) keep(mask, c->mask, e->atoms);
        dynamic = dynamic || c->dynamic;
    }
    if (dynamic && !is_empty(mask, e->atoms)) return put_first(e, s, n, mask);
    make_fixed(n, mask);
    return 0;
fail:
    free(mask);
    return -1;
}

static int fold_or(struct evaluation *e, struct trj_selection *s, struct trj_node *n, const unsigned char *context) {
    int rc = -1;
    bool dynamic = false;
    unsigned char *left = copy_mask(e, context), *taken = copy_mask(e, context);
    if (!left || !taken) goto out;
    for (struct trj_node *c = n->child; c; c = c->sibling) {
        if (c->dynamic) continue;
        if (fold(e, s, c, left)) goto out;
        drop(left, c->mask, e->atoms);
    }
    for (struct trj_node *c = n->child; c; c = c->sibling) {
        if (!c->dynamic) continue;
        if (fold(e, s, c, left)) goto out;
        if (!c->dynamic) drop(left, c->mask, e->atoms);
        dynamic = dynamic || c->dynamic;
    }
    drop(taken, left, e->atoms);
    rc = 0;
    if (dynamic)
        rc = put_first(e, s, n, taken);
    else
        make_fixed(n, taken);
    taken = NULL;
out:
    free(left);
    free(taken);
    return rc;
}

static int fold_not(struct evaluation *e, struct trj_selection *s, struct trj_node *n, const unsigned char *context) {
    if (fold(e, s, n->child, context)) return -1;
    if (n->child->dynamic) return 0;
    unsigned char *mask = copy_mask(e, context);
    if (!mask) return -1;
    drop(mask, n->child->mask, e->atoms);
    make_fixed(n, mask);
    return 0;
}

static int fold_relation(struct evaluation *e, struct trj_selection *s, struct trj_node *n,
                         const unsigned char *context) {
    unsigned char *mask = full_mask(e);
    if (!mask) return -1;
    int rc = fold(e, s, n->child, mask);
    bool nothing = !rc && !n->child->dynamic && is_empty(n->child->mask, e->atoms);
    if (rc || (!nothing && (n->child->dynamic || n->kind == TRJ_NODE_NEAR))) {
        free(mask);
        return rc;
    }
    if (nothing)
        memset(mask, 0, e->atoms);
    else
        memcpy(mask, context, e->atoms);
    if (!nothing && evaluate(e, n, mask)) {
        free(mask);
        return -1;
    }
    make_fixed(n, mask);
    return 0;
}

static int fold(struct evaluation *e, struct trj_selection *s, struct trj_node *n, const unsigned char *context) {
    if (!n->dynamic) {
        unsigned char *mask = copy_mask(e, context);
        if (!mask) return -1;
        if (evaluate(e, n, mask)) {
            free(mask);
            return -1;
        }
        make_fixed(n, mask);
        return 0;
    }
    switch (n->kind) {
    case TRJ_NODE_AND:
        return fold_and(e, s, n, context);
    case TRJ_NODE_OR:
        return fold_or(e, s, n, context);
    case TRJ_NODE_NOT:
        return fold_not(e, s, n, context);
    case TRJ_NODE_NEAR:
    case TRJ_NODE_SAME:
    case TRJ_NODE_BONDED:
        return fold_relation(e, s, n, context);
    default:
        return 0;
    }
}

static int gather(struct evaluation *e, const unsigned char *mask, uint32_t **atoms, size_t *count) {
    size_t n = 0;
    for (size_t i = 0; i < e->atoms; i++) n += mask[i];
    uint32_t *list = trj_alloc(n, sizeof *list, "a selection", e->err);
    if (!list) return -1;
    for (size_t i = 0, k = 0; k < n; i++)
        if (mask[i]) list[k++] = (uint32_t)i;
    *atoms = list;
    *count = n;
    return 0;
}

int trj_selection_fold(struct trj_selection *s, struct trj_error *err) {
    struct evaluation e = {.s = s, .atoms = s->atoms, .err = err};
    unsigned char *mask = full_mask(&e);
    struct trj_node *root = s->root;
    int rc = mask ? fold(&e, s, root, mask) : -1;
    if (!rc && !root->dynamic) {
        rc = gather(&e, root->mask, &root->list, &root->listed);
        root->kind = TRJ_NODE_LIST;
        free(root->mask);
        root->mask = NULL;
    }
    free(mask);
    return rc;
}

// ------------------------------------------------------------------------------------------------------------- atoms

int trj_selection_atoms(const struct trj_selection *s, const struct trj_frame *frame, uint32_t **atoms, size_t *count,
                        struct trj_error *err) {
    struct evaluation e = {.s = s, .frame = frame, .atoms = s->atoms, .err = err};
    const struct trj_node *root = s->root;
    if (!root->dynamic) {
        if (!root->listed) return trj_selection_fail_empty(s, err);
        if (!(*atoms = trj_alloc(root->listed, sizeof **atoms, "a selection", err))) return -1;
        memcpy(*atoms, root->list, root->listed * sizeof **atoms);
        *count = root->listed;
        return 0;
    }
    if (!frame)
        return trj_selection_fail(s, err, TRJ_USAGE, "depends on coordinates; use names, residues or indices here");
    if (frame->atoms != s->atoms)
        return trj_selection_fail(s, err, TRJ_BAD_DATA, "is a selection of %zu atoms, but the frame has %zu", s->atoms,
                                  frame->atoms);
    unsigned char *mask = full_mask(&e);
    int rc = mask ? evaluate(&e, root, mask) : -1;
    if (!rc) rc = gather(&e, mask, atoms, count);
    for (size_t i = 0; i < e.known_count; i++) free(e.known[i].mask);
    free(e.known);
    free(mask);
    return rc;
}

int trj_selection_candidates(const struct trj_selection *s, uint32_t **atoms, size_t *count, struct trj_error *err) {
    struct evaluation e = {.s = s, .atoms = s->atoms, .err = err};
    unsigned char *mask = full_mask(&e);
    int rc = mask ? bound(&e, s->root, mask) : -1;
    if (!rc) rc = gather(&e, mask, atoms, count);
    free(mask);
    return rc;
}
