// SPDX-License-Identifier: MIT
// Reads MOL2 files of Tripos: records that begin with "@<TRIPOS>NAME" and contain lines of words; "****" is a missing
// value. Only the first molecule is read, because programs write frames, poses or other compounds after it. The records
// read are
//   MOLECULE      name; atoms bonds ...; kind; kind of charges
//   ATOM          id name x y z type [substructure [its name [charge]]]
//   BOND          id atom atom type
//   SUBSTRUCTURE  id name atom [kind [dictionary [chain [residue]]]]
// (Tripos, Mol2 File Format)
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

static const char mark[] = "@<TRIPOS>";

enum { MARK = sizeof mark - 1 };
enum { ATOM_ID, ATOM_NAME, ATOM_X, ATOM_TYPE = 5, ATOM_SUBSTRUCTURE, ATOM_RESIDUE, ATOM_CHARGE, ATOM_WORDS };
enum { SUB_ID, SUB_NAME, SUB_CHAIN = 5, SUB_RESIDUE, SUB_WORDS };

struct substructure {
    char *residue, *chain; // NULL: missing
    int64_t number;        // of "LYS405"
    bool numbered;
};

struct mol2 {
    uint64_t atoms, bonds;
    bool states_bonds; // the record MOLECULE contains their number
    bool has_molecule, no_charges;
    uint64_t bonds_read;
    struct trj_id *id; // [top->atoms]
    size_t id_capacity;
    struct substructure *sub; // [subs]
    struct trj_id *sub_id;    // [subs] `atom` is the index in sub
    size_t subs, sub_capacity, sub_id_capacity;
};

bool trj_mol2_is(const char *head, size_t n) {
    const char *end = head + n;
    while (head < end && (isspace((unsigned char)*head) || *head == '#')) {
        const char *newline = *head == '#' ? memchr(head, '\n', (size_t)(end - head)) : head;
        if (!newline) return false;
        head = newline + 1;
    }
    return end - head >= MARK && !memcmp(head, mark, MARK);
}

static bool is_mark(const struct trj_lines *l) {
    return !strncmp(l->text, mark, MARK);
}

// Reads the words of the next line that is not blank; "****" becomes NULL. Returns 1, 0 at the next record or the end
// of the file, or -1.
static int read_words(struct trj_lines *l, char **words, size_t limit, size_t *count, struct trj_error *err) {
    int got;
    while ((got = trj_lines_next(l, err)) > 0 && !is_mark(l)) {
        char *rest = l->text;
        size_t n = 0;
        if (*rest == '#') continue;
        while (n < limit && (words[n] = trj_next_word(&rest))) n++;
        if (!n) continue;
        if (!strcmp(words[n - 1], "\\")) return trj_lines_fail(l, err, "unsupported: a line continued in the next one");
        for (size_t k = n; k < limit; k++) words[k] = NULL;
        for (size_t k = 0; k < n; k++)
            if (!strcmp(words[k], "****")) words[k] = NULL;
        *count = n;
        return 1;
    }
    if (got > 0) trj_lines_repeat(l);
    return got < 0 ? -1 : 0;
}

static int read_molecule(struct mol2 *m, struct trj_lines *l, struct trj_error *err) {
    char *rest, *words[2] = {NULL, NULL};
    m->has_molecule = true;
    if (trj_topology_next_line(l, "the molecule's name", err) || trj_topology_next_line(l, "the number of atoms", err))
        return -1;
    rest = l->text;
    for (int k = 0; k < 2; k++) words[k] = trj_next_word(&rest);
    if (!words[0] || !trj_parse_u64(words[0], &m->atoms) || !m->atoms)
        return trj_lines_fail(l, err, "'%.40s' is not a number of atoms", words[0] ? words[0] : "");
    if (m->atoms > UINT32_MAX) return trj_lines_fail(l, err, "%s atoms: at most %u can be read", words[0], UINT32_MAX);
    m->states_bonds = words[1];
    if (words[1] && !trj_parse_u64(words[1], &m->bonds))
        return trj_lines_fail(l, err, "'%.40s' is not a number of bonds", words[1]);
    if (trj_topology_next_line(l, "the kind of molecule", err) || trj_topology_next_line(l, "the kind of charges", err))
        return -1;
    if (is_mark(l))
        trj_lines_repeat(l);
    else
        m->no_charges = !strncmp(l->text, "NO_CHARGES", strlen("NO_CHARGES"));
    return 0;
}

static int read_atom(struct trj_topology_builder *b, struct mol2 *m, char **w, const struct trj_lines *l,
                     struct trj_error *err) {
    size_t i = b->top->atoms;
    struct trj_topology_atom atom = {.name = w[ATOM_NAME], .type = w[ATOM_TYPE]};
    double x;
    if (!i) {
        b->has_resid = w[ATOM_SUBSTRUCTURE];
        b->has_charge = w[ATOM_CHARGE] && !m->no_charges;
    }
    if (!w[ATOM_ID] || !w[ATOM_NAME] || !w[ATOM_TYPE])
        return trj_lines_fail(l, err, "atom %zu: too few columns: expected id, name, x, y, z and type", i + 1);
    if (trj_grow(&m->id, &m->id_capacity, i + 1, sizeof *m->id, "atoms", err)) return -1;
    m->id[i].atom = (uint32_t)i;
    if (!trj_parse_i64(w[ATOM_ID], &m->id[i].id))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not an id", i + 1, w[ATOM_ID]);
    for (int k = ATOM_X; k < ATOM_TYPE; k++) // a name that contains a blank shifts all columns after it
        if (!w[k] || !trj_parse_real(w[k], &x))
            return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a coordinate", i + 1, w[k] ? w[k] : "****");
    if (b->has_resid && (!w[ATOM_SUBSTRUCTURE] || !trj_parse_i64(w[ATOM_SUBSTRUCTURE], &atom.resid)))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a substructure number", i + 1,
                              w[ATOM_SUBSTRUCTURE] ? w[ATOM_SUBSTRUCTURE] : "****");
    if (b->has_charge && (!w[ATOM_CHARGE] || !trj_parse_real(w[ATOM_CHARGE], &atom.charge)))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a charge", i + 1,
                              w[ATOM_CHARGE] ? w[ATOM_CHARGE] : "****");
    atom.resname = b->has_resid ? w[ATOM_RESIDUE] ? w[ATOM_RESIDUE] : "" : NULL;
    return trj_topology_add(b, &atom, err);
}

static int read_atoms(struct trj_topology_builder *b, struct mol2 *m, struct trj_lines *l, struct trj_error *err) {
    char *words[ATOM_WORDS] = {NULL}, empty[] = "****";
    size_t n = 0;
    int got;
    while ((got = read_words(l, words, ATOM_WORDS, &n, err)) > 0) {
        // An atom without a name or type gets the four asterisks of the file as its text.
        if (n > ATOM_NAME && !words[ATOM_NAME]) words[ATOM_NAME] = empty;
        if (n > ATOM_TYPE && !words[ATOM_TYPE]) words[ATOM_TYPE] = empty;
        if (b->top->atoms == m->atoms)
            return trj_lines_fail(l, err, "more than the %llu atoms of MOLECULE", (unsigned long long)m->atoms);
        if (read_atom(b, m, words, l, err)) return -1;
    }
    if (got < 0) return -1;
    if (b->top->atoms != m->atoms)
        return trj_lines_fail(l, err, "%zu atoms, expected %llu as in MOLECULE", b->top->atoms,
                              (unsigned long long)m->atoms);
    trj_atom_ids_sort(m->id, b->top->atoms);
    const struct trj_id *duplicate = trj_atom_ids_duplicate(m->id, b->top->atoms);
    return duplicate ? trj_lines_fail(l, err, "two atoms have the id %lld", (long long)duplicate->id) : 0;
}

static int read_bonds(struct trj_topology_builder *b, struct mol2 *m, struct trj_lines *l, struct trj_error *err) {
    char *words[4] = {NULL};
    size_t n, atoms = b->top->atoms;
    int got;
    while ((got = read_words(l, words, 4, &n, err)) > 0) {
        const struct trj_id *ends[2];
        for (int k = 0; k < 2; k++) {
            int64_t id;
            if (!words[1 + k] || !trj_parse_i64(words[1 + k], &id) || !(ends[k] = trj_atom_ids_find(m->id, atoms, id)))
                return trj_lines_fail(l, err, "bond: no atom has the id '%.40s'", words[1 + k] ? words[1 + k] : "");
        }
        if (!words[3]) return trj_lines_fail(l, err, "bond without a type");
        m->bonds_read++;
        if (!strcmp(words[3], "nc")) continue; // "not connected"
        if (trj_topology_add_bond(b, ends[0]->atom, ends[1]->atom, err)) return -1;
    }
    return got;
}

// Parses the number that follows the residue name in the name of a substructure: LYS405 is residue 405.
static bool parse_number(const char *name, const char *residue, int64_t *number) {
    size_t n = strlen(residue);
    return !strncmp(name, residue, n) && isdigit((unsigned char)name[n]) && trj_parse_i64(name + n, number);
}

static int read_substructures(struct mol2 *m, struct trj_lines *l, struct trj_error *err) {
    char *words[SUB_WORDS] = {NULL};
    size_t n;
    int got;
    while ((got = read_words(l, words, SUB_WORDS, &n, err)) > 0) {
        if (trj_grow(&m->sub, &m->sub_capacity, m->subs + 1, sizeof *m->sub, "substructures", err) ||
            trj_grow(&m->sub_id, &m->sub_id_capacity, m->subs + 1, sizeof *m->sub_id, "substructures", err))
            return -1;
        struct trj_id *id = &m->sub_id[m->subs];
        struct substructure *s = &m->sub[m->subs];
        *s = (struct substructure){.residue = NULL};
        id->atom = (uint32_t)m->subs;
        if (!words[SUB_ID] || !trj_parse_i64(words[SUB_ID], &id->id))
            return trj_lines_fail(l, err, "'%.40s' is not a substructure number", words[SUB_ID] ? words[SUB_ID] : "");
        m->subs++; // from here on trj_mol2_read frees it
        if ((words[SUB_RESIDUE] && !(s->residue = trj_copy_text(words[SUB_RESIDUE], err))) ||
            (words[SUB_CHAIN] && !(s->chain = trj_copy_text(words[SUB_CHAIN], err))))
            return -1;
        s->numbered = s->residue && words[SUB_NAME] && parse_number(words[SUB_NAME], s->residue, &s->number);
    }
    return got;
}

// Sets the names and chains of residues from the substructures, and their numbers if all substructures have them.
static int set_residues(struct trj_topology_builder *b, struct mol2 *m, struct trj_error *err) {
    struct trj_topology *top = b->top;
    bool numbered = true, chains = false;
    if (!top->resid) return 0;
    if (trj_topology_renumber(&top->residue, top->resid, top->atoms, false, err)) return -1;
    if (!m->subs) return 0;
    trj_atom_ids_sort(m->sub_id, m->subs);
    for (size_t i = 0; i < top->atoms; i++) {
        const struct trj_id *id = trj_atom_ids_find(m->sub_id, m->subs, top->resid[i]);
        numbered = numbered && id && m->sub[id->atom].numbered;
        chains = chains || (id && m->sub[id->atom].chain);
    }
    if (chains && !(top->chain.id = trj_alloc(top->atoms, sizeof *top->chain.id, "chains", err))) return -1;
    for (size_t i = 0; i < top->atoms; i++) {
        const struct trj_id *id = trj_atom_ids_find(m->sub_id, m->subs, top->resid[i]);
        const struct substructure *s = id ? &m->sub[id->atom] : NULL;
        if (s && s->residue && trj_text_index_add(&b->resname, s->residue, &top->resname.id[i], err)) return -1;
        if (chains && trj_text_index_add(&b->chain, s && s->chain ? s->chain : "", &top->chain.id[i], err)) return -1;
        if (numbered && s) top->resid[i] = s->number;
    }
    return 0;
}

// "C.ar": the element is the symbol before the point. Types of other programs (ca of GAFF, CT of Amber) are not
// symbols, or differ from them in case.
static int set_elements(struct trj_topology *top, struct trj_error *err) {
    static const char *const none[] = {"Du", "LP", "Any", "Hal", "Het", "Hev"};
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    for (size_t i = 0; i < top->atoms; i++) {
        const char *type = trj_topology_text(&top->type, i);
        size_t n = strcspn(type, "."), k = 0;
        while (k < sizeof none / sizeof *none && (strlen(none[k]) != n || strncmp(type, none[k], n))) k++;
        z[i] = (unsigned char)trj_element_find_exact(type, n);
        if (!z[i] && k == sizeof none / sizeof *none) z[i] = TRJ_TO_GUESS;
    }
    int rc = trj_topology_guess_elements(top, z, false, err);
    free(z);
    return rc;
}

static int read_records(struct trj_topology_builder *b, struct mol2 *m, struct trj_lines *l, struct trj_error *err) {
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        if (!is_mark(l)) continue;
        char *rest = l->text + MARK, *name = trj_next_word(&rest);
        if (!name) continue;
        bool molecule = !strcmp(name, "MOLECULE");
        if (molecule && m->has_molecule) break;
        if (!molecule && !m->has_molecule) return trj_lines_fail(l, err, "a record %.40s before MOLECULE", name);
        if ((molecule && read_molecule(m, l, err)) || (!strcmp(name, "ATOM") && read_atoms(b, m, l, err)) ||
            (!strcmp(name, "BOND") && read_bonds(b, m, l, err)) ||
            (!strcmp(name, "SUBSTRUCTURE") && read_substructures(m, l, err)))
            return -1;
    }
    if (got < 0) return -1;
    if (!b->top->atoms) return trj_lines_fail(l, err, "the molecule ends without a record ATOM");
    b->top->no_bonds = m->states_bonds && !m->bonds;
    if (m->bonds_read != m->bonds)
        return trj_lines_fail(l, err, "the molecule ends after %llu of %llu bonds", (unsigned long long)m->bonds_read,
                              (unsigned long long)m->bonds);
    return 0;
}

int trj_mol2_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct mol2 m = {.atoms = 0};
    int rc = read_records(b, &m, l, err) || set_residues(b, &m, err) || set_elements(b->top, err) ? -1 : 0;
    for (size_t i = 0; i < m.subs; i++) {
        free(m.sub[i].residue);
        free(m.sub[i].chain);
    }
    free(m.sub);
    free(m.sub_id);
    free(m.id);
    return rc;
}
