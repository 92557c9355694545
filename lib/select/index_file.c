// SPDX-License-Identifier: MIT
// Reads index files of GROMACS, whose groups may repeat names and atoms.
#include "index_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "memory.h"
#include "number.h"
#include "text_index.h"

struct entry {
    uint32_t atom;
    uint64_t line;
};

struct reading {
    struct trj_lines lines;
    struct trj_index_file *file;
    size_t capacity; // number of groups allocated
    struct trj_texts names;
    struct trj_text_index index;   // of the names
    size_t *first, first_capacity; // [names.count] first group with each name
    struct entry *entries;         // entries of the current group
    size_t count, entry_capacity;
};

static int by_atom(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->atom != y->atom) return x->atom < y->atom ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

// Turns the entries into the atoms of the last group.
static int end_group(struct reading *r, struct trj_error *err) {
    if (!r->file->count) return 0;
    struct trj_index_group *g = &r->file->groups[r->file->count - 1];
    if (r->count) qsort(r->entries, r->count, sizeof *r->entries, by_atom);
    if (!(g->atoms = trj_alloc(r->count, sizeof *g->atoms, "an index group", err))) return -1;
    for (size_t i = 0; i < r->count; i++) {
        if (i && r->entries[i].atom == r->entries[i - 1].atom)
            return trj_fail(err, TRJ_BAD_DATA, "line %llu: atom %llu occurs twice in group '%.64s'; remove one",
                            (unsigned long long)r->entries[i].line, (unsigned long long)r->entries[i].atom + 1,
                            g->name);
        g->atoms[i] = r->entries[i].atom;
        g->highest_line = r->entries[i].line;
    }
    g->count = r->count;
    r->count = 0;
    return 0;
}

static int note_name(struct reading *r, struct trj_index_group *g, struct trj_error *err) {
    size_t known = r->names.count;
    uint32_t name;
    if (trj_text_index_add(&r->index, g->name, &name, err) ||
        trj_grow(&r->first, &r->first_capacity, r->names.count, sizeof *r->first, "index groups", err))
        return -1;
    if (name == known) r->first[name] = r->file->count - 1;
    g->first = r->first[name];
    return 0;
}

static int begin_group(struct reading *r, char *text, struct trj_error *err) {
    char *end = strchr(text, ']'), *rest = end ? end + 1 : NULL;
    if (!end) return trj_lines_fail(&r->lines, err, "']' is missing after the name of the group");
    if (trj_next_word(&rest))
        return trj_lines_fail(&r->lines, err,
                              "unexpected text after the name of the group; write its atoms on the next line");
    if (end_group(r, err) ||
        trj_grow(&r->file->groups, &r->capacity, r->file->count + 1, sizeof *r->file->groups, "index groups", err))
        return -1;
    struct trj_index_group *g = &r->file->groups[r->file->count];
    *g = (struct trj_index_group){.line = r->lines.number};
    size_t n = (size_t)(end - text) - 1;
    if (!(g->name = trj_alloc(n + 1, 1, "a name", err))) return -1;
    r->file->count++; // from here on it is freed with the file
    if (!trj_field(text + 1, n, 0, n, g->name))
        return trj_lines_fail(&r->lines, err, "the name of the group is missing");
    return note_name(r, g, err);
}

static int add_atoms(struct reading *r, char *text, struct trj_error *err) {
    for (char *word; (word = trj_next_word(&text));) {
        uint64_t number;
        if (!r->file->count)
            return trj_lines_fail(&r->lines, err,
                                  "'%.40s' before the first group; give an index file with lines '[ NAME ]'", word);
        if (!trj_parse_u64(word, &number))
            return trj_lines_fail(&r->lines, err, "'%.40s' is not an atom's number", word);
        if (!number || number > UINT32_MAX)
            return trj_lines_fail(&r->lines, err, "atom %.40s: numbers are counted from 1, to %u", word, UINT32_MAX);
        if (trj_grow(&r->entries, &r->entry_capacity, r->count + 1, sizeof *r->entries, "an index group", err))
            return -1;
        r->entries[r->count++] = (struct entry){(uint32_t)(number - 1), r->lines.number};
    }
    return 0;
}

static int read_groups(struct reading *r, struct trj_error *err) {
    int got;
    while ((got = trj_lines_next(&r->lines, err)) > 0) {
        char *text = r->lines.text;
        text[strcspn(text, ";")] = 0;
        while (trj_is_blank(*text)) text++;
        if (*text == '[' ? begin_group(r, text, err) : add_atoms(r, text, err)) return -1;
    }
    if (got < 0 || end_group(r, err)) return -1;
    return r->file->count ? 0
                          : trj_fail(err, TRJ_BAD_DATA, "contains no groups; give an index file with lines '[ NAME ]'");
}

int trj_index_file_open(struct trj_index_file **out, const char *path, struct trj_error *err) {
    int rc = -1;
    struct reading r = {.file = trj_alloc(1, sizeof *r.file, "an index file", err)};
    if (!r.file || !(r.file->path = trj_copy_text(path, err)) || trj_input_open(&r.lines.in, path, err)) goto out;
    r.index.texts = &r.names;
    rc = read_groups(&r, err);
    if (rc) trj_error_set_place(err, "%s", path);
out:
    trj_input_close(r.lines.in);
    free(r.entries);
    free(r.first);
    trj_text_index_free(&r.index);
    trj_texts_clear(&r.names);
    if (rc)
        trj_index_file_close(r.file);
    else
        *out = r.file;
    return rc;
}

void trj_index_file_close(struct trj_index_file *file) {
    if (!file) return;
    for (size_t i = 0; i < file->count; i++) {
        free(file->groups[i].name);
        free(file->groups[i].atoms);
    }
    free(file->groups);
    free(file->path);
    free(file);
}

int trj_index_group_repeats(const struct trj_index_file *file, const struct trj_index_group *g, struct trj_error *err) {
    const struct trj_index_group *first = &file->groups[g->first];
    if (g->count == first->count && !memcmp(g->atoms, first->atoms, g->count * sizeof *g->atoms)) return 0;
    return trj_fail(err, TRJ_USAGE, "%s: has two groups '%s' of different atoms, in lines %llu and %llu; rename one",
                    file->path, g->name, (unsigned long long)first->line, (unsigned long long)g->line);
}

int trj_index_file_find(const struct trj_index_file *file, const char *name, const struct trj_index_group **group,
                        struct trj_error *err) {
    const struct trj_index_group *found = NULL;
    for (size_t i = 0; i < file->count; i++) {
        const struct trj_index_group *g = &file->groups[i];
        if (found ? g->first != found->first : strcmp(g->name, name) != 0) continue;
        found = &file->groups[g->first];
        if (trj_index_group_repeats(file, g, err)) return -1;
    }
    if (!found) {
        char names[300] = "";
        size_t used = 0;
        for (size_t i = 0; i < file->count && used < sizeof names - 80; i++)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.64s", i ? ", " : "", file->groups[i].name);
        return trj_fail(err, TRJ_USAGE, "%s: has no group '%.64s'; it has %s%s", file->path, name, names,
                        used < sizeof names - 80 ? "" : " ...");
    }
    *group = found;
    return 0;
}

int trj_index_group_check(const struct trj_index_file *file, const struct trj_index_group *group, size_t atoms,
                          struct trj_error *err) {
    if (!group->count)
        return trj_fail(err, TRJ_BAD_DATA, "%s: line %llu: group '%.64s' is empty; add atoms, or use another group",
                        file->path, (unsigned long long)group->line, group->name);
    uint32_t last = group->atoms[group->count - 1];
    if (last >= atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: line %llu: atom %llu of group '%.64s', but the trajectory has %zu; use the index file of "
                        "this trajectory",
                        file->path, (unsigned long long)group->highest_line, (unsigned long long)last + 1, group->name,
                        atoms);
    return 0;
}
