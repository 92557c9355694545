// SPDX-License-Identifier: MIT
// Finds the value of each atom in a file of names, and rejects lines that match nothing, because typing errors would be
// silent.
#include "atom_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "lines.h"
#include "memory.h"
#include "number.h"
#include "property.h"

// The entries of a file: value[i] belongs to texts.text[i].
struct entries {
    const struct pot_atom_table *table;
    struct trj_texts texts;
    struct trj_text_index index;
    double *value;
    size_t capacity;
};

// Returns a property of an atom, or "" if it is unknown.
static const char *text_of(const struct trj_stream_header *h, const char *name, uint32_t atom) {
    const struct trj_property *p = trj_property_find(h, name);
    return p && p->kind == TRJ_PROPERTY_TEXT && trj_property_known(p, atom) ? p->text.text[p->text.id[atom]] : "";
}

const char *pot_describe_atom(char text[POT_ATOM_TEXT], const struct trj_stream_header *h, uint32_t atom) {
    const char *name = text_of(h, "name", atom);
    unsigned z = h->element ? h->element[atom] : 0;
    snprintf(text, POT_ATOM_TEXT, *name || z ? "atom %u (%.32s)" : "atom %u", atom,
             *name ? name : trj_elements[z].symbol);
    return text;
}

static int add_line(struct entries *f, struct trj_lines *lines, struct trj_error *err) {
    const struct pot_atom_table *t = f->table;
    char *rest = lines->text;
    rest[strcspn(rest, "#")] = 0;
    const char *name = trj_next_word(&rest), *number = name ? trj_next_word(&rest) : NULL;
    double value;
    uint32_t id;
    size_t known = f->texts.count;
    if (!name) return 0;
    if (!number || trj_next_word(&rest) || !trj_parse_real(number, &value) || !(value >= t->min && value <= t->max))
        return trj_lines_fail(lines, err, "expected a name and a %s from %g to %g %s", t->what, t->min, t->max,
                              t->unit);
    if (trj_text_index_add(&f->index, name, &id, err)) return -1;
    if (id < known) return trj_lines_fail(lines, err, "'%.40s' occurs twice; remove one line", name);
    if (trj_grow(&f->value, &f->capacity, known + 1, sizeof *f->value, "values of atoms", err)) return -1;
    f->value[id] = value;
    return 0;
}

static int read_file(struct entries *f, const char *path, struct trj_error *err) {
    struct trj_lines lines = {.number = 0};
    int got = 1;
    if (trj_input_open(&lines.in, path, err)) {
        if (f->table->words) trj_error_append(err, "; give %s, or the name of a file", f->table->words);
        return trj_fail_at(err, "%s", f->table->option);
    }
    while (got > 0 && (got = trj_lines_next(&lines, err)) > 0)
        if (add_line(f, &lines, err)) got = -1;
    if (!got && !f->texts.count) got = trj_fail(err, TRJ_BAD_DATA, "contains no %s", f->table->all);
    trj_input_close(lines.in);
    return got ? trj_fail_at(err, "%s %s", f->table->option, path) : 0;
}

static bool find(const struct entries *f, const char *name, double *value) {
    uint32_t id;
    if (!*name || !trj_text_index_find(&f->index, name, strlen(name), &id)) return false;
    *value = f->value[id];
    return true;
}

// Fails if the file contains names that the stream cannot have: less specific lines must not replace them silently.
static int check_names(const struct entries *f, const struct trj_stream_header *h, struct trj_error *err) {
    bool named = trj_property_find(h, "name"), residues = trj_property_find(h, "resname");
    for (size_t i = 0; i < f->texts.count; i++) {
        const char *text = f->texts.text[i];
        bool of_residue = strchr(text, ':');
        if (of_residue ? named && residues : named || trj_element_find_exact(text, strlen(text))) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "'%.40s' is the name of an atom%s, but the stream contains no %s; run trjcat with --carry "
                        "name,resname",
                        text, of_residue ? " in a residue" : "", named ? "names of residues" : "names of atoms");
    }
    return 0;
}

static bool find_of_atom(const struct entries *f, const struct trj_stream_header *h, uint32_t atom, double *value) {
    const char *name = text_of(h, "name", atom), *residue = text_of(h, "resname", atom);
    char both[2 * POT_ATOM_TEXT] = "";
    if (*name && *residue && (size_t)snprintf(both, sizeof both, "%s:%s", residue, name) >= sizeof both) *both = 0;
    return find(f, both, value) || find(f, name, value) ||
           find(f, h->element ? trj_elements[h->element[atom]].symbol : "", value);
}

int pot_atom_table_read(double *value, const struct pot_atom_table *table, const char *path,
                        const struct trj_stream_header *h, const struct trj_group *group, struct trj_error *err) {
    struct entries f = {.table = table};
    char text[POT_ATOM_TEXT];
    f.index.texts = &f.texts;
    int rc = read_file(&f, path, err);
    if (!rc && check_names(&f, h, err)) rc = trj_fail_at(err, "%s %s", table->option, path);
    for (size_t i = 0; !rc && i < group->count; i++) {
        uint32_t atom = group->atoms[i];
        if (!find_of_atom(&f, h, atom, &value[i]))
            rc = trj_fail(err, TRJ_BAD_DATA, "%s %s: has no line for %s; add one with its name or element",
                          table->option, path, pot_describe_atom(text, h, atom));
    }
    trj_text_index_free(&f.index);
    trj_texts_clear(&f.texts);
    free(f.value);
    return rc;
}
