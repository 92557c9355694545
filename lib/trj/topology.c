// SPDX-License-Identifier: MIT
#include "topology.h"

#include <stdlib.h>
#include <string.h>

#include "block_stream.h"
#include "element.h"
#include "gro_records.h"
#include "memory.h"
#include "pdb_records.h"
#include "topology_parts.h"
#include "unpack.h"

// Doubles the table; texts are unique, so they need not be compared on the way.
static int enlarge(struct trj_text_index *x, struct trj_error *err) {
    size_t slots = x->slots ? 2 * x->slots : 64;
    uint32_t *slot = trj_alloc(slots, sizeof *slot, "a table of texts", err);
    if (!slot) return -1;
    for (size_t i = 0; i < x->texts->count; i++) {
        const char *text = x->texts->text[i];
        size_t at = (size_t)trj_hash(text, strlen(text), 0) & (slots - 1);
        while (slot[at]) at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(x->slot);
    x->slot = slot;
    x->slots = slots;
    return 0;
}

int trj_text_index_add(struct trj_text_index *x, const char *text, uint32_t *id, struct trj_error *err) {
    struct trj_texts *t = x->texts;
    if (t->count && !strcmp(t->text[x->last], text)) {
        *id = x->last;
        return 0;
    }
    if (2 * (t->count + 1) > x->slots && enlarge(x, err)) return -1;
    size_t at = (size_t)trj_hash(text, strlen(text), 0) & (x->slots - 1);
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): enlarge() has made the table
    while (x->slot[at] && strcmp(t->text[x->slot[at] - 1], text)) at = (at + 1) & (x->slots - 1);
    if (!x->slot[at]) {
        if (trj_grow(&t->text, &x->room, t->count + 1, sizeof *t->text, "texts", err)) return -1;
        char *copy = trj_copy_text(text, err);
        if (!copy) return -1;
        t->text[t->count++] = copy;
        x->slot[at] = (uint32_t)t->count;
    }
    *id = x->last = x->slot[at] - 1;
    return 0;
}

void trj_text_index_free(struct trj_text_index *x) {
    free(x->slot);
    x->slot = NULL;
}

// Arrays that grow together: `room` is that of all of them, and moves only when all have moved.
static int grow(void *array, size_t room, size_t want, size_t size, struct trj_error *err) {
    return trj_grow(array, &room, want, size, "atoms", err);
}

static int enlarge_atoms(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t old = b->room, room = old ? 2 * old : 1024;
    if (top->atoms >= UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than %u atoms", UINT32_MAX);
    if (grow(&top->name.id, old, room, sizeof(uint32_t), err) ||
        (atom->type && grow(&top->type.id, old, room, sizeof(uint32_t), err)) ||
        (atom->resname && grow(&top->resname.id, old, room, sizeof(uint32_t), err)) ||
        (atom->segid && grow(&top->segid.id, old, room, sizeof(uint32_t), err)) ||
        (b->has_mass && grow(&top->mass, old, room, sizeof *top->mass, err)) ||
        (b->has_charge && grow(&top->charge, old, room, sizeof *top->charge, err)) ||
        grow(&top->resid, old, room, sizeof *top->resid, err) || grow(&b->insertion, old, room, 1, err))
        return -1;
    b->room = room;
    return 0;
}

int trj_topology_add(struct trj_topology_builder *b, const struct trj_topology_atom *atom, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t i = top->atoms;
    if (i == b->room && enlarge_atoms(b, atom, err)) return -1;
    if (trj_text_index_add(&b->name, atom->name, &top->name.id[i], err) ||
        (atom->type && trj_text_index_add(&b->type, atom->type, &top->type.id[i], err)) ||
        (atom->resname && trj_text_index_add(&b->resname, atom->resname, &top->resname.id[i], err)) ||
        (atom->segid && trj_text_index_add(&b->segid, atom->segid, &top->segid.id[i], err)))
        return -1;
    if (b->has_mass) top->mass[i] = atom->mass;
    if (b->has_charge) top->charge[i] = atom->charge;
    top->resid[i] = atom->resid;
    b->insertion[i] = atom->insertion;
    top->atoms++;
    return 0;
}

const char *trj_topology_text(const struct trj_texts *texts, size_t atom) {
    return texts->id ? texts->text[texts->id[atom]] : "";
}

int trj_topology_set_elements(struct trj_topology *top, const unsigned char *z, struct trj_error *err) {
    struct trj_text_index index = {.texts = &top->element};
    top->element.id = trj_alloc(top->atoms, sizeof *top->element.id, "elements", err);
    int rc = top->element.id ? 0 : -1;
    for (size_t i = 0; i < top->atoms && !rc; i++)
        rc = trj_text_index_add(&index, trj_elements[z[i]].symbol, &top->element.id[i], err);
    trj_text_index_free(&index);
    return rc;
}

static int number_residues(struct trj_topology_builder *b, struct trj_error *err) {
    struct trj_topology *top = b->top;
    const uint32_t *resname = top->resname.id, *segid = top->segid.id;
    top->residue = trj_alloc(top->atoms, sizeof *top->residue, "residues", err);
    if (!top->residue) return -1;
    uint32_t residue = 0;
    for (size_t i = 1; i < top->atoms; i++) {
        bool same = top->resid[i] == top->resid[i - 1] && b->insertion[i] == b->insertion[i - 1] &&
                    (!resname || resname[i] == resname[i - 1]) && (!segid || segid[i] == segid[i - 1]);
        if (!same) residue++;
        top->residue[i] = residue;
    }
    return 0;
}

// The root of a set is its first atom. Halving paths on the way keeps them short.
static uint32_t root_of(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int number_molecules(struct trj_topology *top, struct trj_error *err) {
    if (!top->bonds) return 0;
    uint32_t *parent = trj_alloc(top->atoms, sizeof *parent, "molecules", err);
    if (!parent) return -1;
    for (size_t i = 0; i < top->atoms; i++) parent[i] = (uint32_t)i;
    for (size_t k = 0; k < top->bonds; k++) {
        uint32_t a = root_of(parent, top->bond[k][0]), b = root_of(parent, top->bond[k][1]);
        if (a < b)
            parent[b] = a;
        else
            parent[a] = b;
    }
    // Every parent lies before its child: one pass turns parents into molecule numbers.
    uint32_t molecules = 0;
    for (size_t i = 0; i < top->atoms; i++) parent[i] = parent[i] == i ? molecules++ : parent[parent[i]];
    top->molecule = parent;
    return 0;
}

struct format {
    const char *name, *endings[2];
    bool (*is)(const char *head, size_t n);
    int (*read)(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err);
};

// In this order: the second line of a GRO is sure, while its title may begin like a PDB record.
static const struct format formats[] = {
    {"PSF", {".psf", ".psf"}, trj_psf_is, trj_psf_read},
    {"GRO", {".gro", ".gro"}, trj_gro_is, trj_gro_read},
    {"PDB", {".pdb", ".ent"}, trj_pdb_is, trj_pdb_read},
};

static const struct format *find_format(struct trj_input *in, struct trj_error *err) {
    enum { FORMATS = sizeof formats / sizeof *formats };
    const char *file = trj_input_name(in);
    const struct format *found = NULL;
    const unsigned char *data;
    size_t n;
    if (trj_input_peek(in, &data, TRJ_INPUT_PEEK, &n, err)) return NULL;
    for (size_t i = 0; i < FORMATS && !found; i++)
        if (formats[i].is((const char *)data, n)) found = &formats[i];
    const char *packed = trj_packer(data, n);
    if (found) return found;
    if (!n) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is empty", file);
        return NULL;
    }
    if (packed) {
        trj_fail(err, TRJ_BAD_DATA, "%s: is compressed with %s: unpack it first", file, packed);
        return NULL;
    }
    // A damaged file keeps its name; its reader then says which line is wrong.
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < 2; k++)
            if (trj_input_ends_in(in, formats[i].endings[k])) return &formats[i];
    trj_fail(err, TRJ_BAD_DATA, "%s: not a topology that can be read: PSF, PDB or GRO", file);
    return NULL;
}

int trj_topology_open_input(struct trj_topology **out, struct trj_input *in, struct trj_error *err) {
    int rc = -1;
    struct trj_lines lines = {.in = in};
    struct trj_topology *top = trj_alloc(1, sizeof *top, "a topology", err);
    if (!top) {
        trj_input_close(in);
        return -1;
    }
    struct trj_topology_builder b = {.top = top,
                                     .name = {.texts = &top->name},
                                     .type = {.texts = &top->type},
                                     .resname = {.texts = &top->resname},
                                     .segid = {.texts = &top->segid}};
    const struct format *format = find_format(lines.in, err);
    if (!format) goto out;
    top->format = format->name;
    if (format->read(&b, &lines, err) || number_residues(&b, err) || number_molecules(top, err)) {
        trj_fail_at(err, "%s", trj_input_name(lines.in));
        goto out;
    }
    *out = top;
    top = NULL;
    rc = 0;
out:
    trj_text_index_free(&b.name);
    trj_text_index_free(&b.type);
    trj_text_index_free(&b.resname);
    trj_text_index_free(&b.segid);
    free(b.insertion);
    trj_input_close(lines.in);
    trj_topology_close(top);
    return rc;
}

int trj_topology_open(struct trj_topology **top, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    return trj_input_open(&in, path, err) ? -1 : trj_topology_open_input(top, in, err);
}

bool trj_topology_is(const unsigned char *head, size_t n) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (n && formats[i].is((const char *)head, n)) return true;
    return false;
}

static void free_texts(struct trj_texts *t) {
    for (size_t i = 0; i < t->count; i++) free(t->text[i]);
    free(t->text);
    free(t->id);
}

void trj_topology_close(struct trj_topology *top) {
    if (!top) return;
    free_texts(&top->name);
    free_texts(&top->type);
    free_texts(&top->resname);
    free_texts(&top->segid);
    free_texts(&top->element);
    free(top->resid);
    free(top->mass);
    free(top->charge);
    free(top->residue);
    free(top->molecule);
    free(top->bond);
    free(top);
}
