// SPDX-License-Identifier: MIT
// Reads the topology of an XYZ file from its first frame: the first word of each line, or the columns that Properties
// of an extended XYZ names.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "element.h"
#include "element_guess.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"
#include "xyz_records.h"

enum {
    SPECIES = TRJ_XYZ_SPECIES,
    ATOMIC_NUMBER = TRJ_XYZ_NUMBER,
    MASS = TRJ_XYZ_MASS,
    CHARGE = TRJ_XYZ_CHARGE,
    USED_COLUMNS = TRJ_XYZ_NONE
};
enum { MAX_COLUMNS = 1024, STYLE_SAMPLE = 100 }; // STYLE_SAMPLE: numbers that determine the style of a column

struct xyz {
    size_t column[USED_COLUMNS];   // 1 + column; 0: none
    size_t columns;                // in each line, at least
    bool again;                    // a further column has the meaning of an earlier one
    struct trj_number_style style; // of the numbers in the last column that are masses or charges
    const char *last_number;       // that of the current line; NULL: the column has no such numbers
};

static int read_properties(struct xyz *x, char *value, const struct trj_lines *l, struct trj_error *err) {
    *x = (struct xyz){.columns = 0};
    for (char *name; (name = trj_xyz_part(&value));) {
        const char *type = trj_xyz_part(&value), *number = trj_xyz_part(&value);
        uint64_t n;
        if (!type || !number || !trj_parse_u64(number, &n) || !n || n > MAX_COLUMNS - x->columns)
            return trj_lines_fail(l, err, "Properties: %.40s: invalid number of columns '%.40s'", name,
                                  number ? number : "");
        enum trj_xyz_column column = trj_xyz_column(name);
        bool known = column != TRJ_XYZ_NONE && n == 1;
        if (known && x->column[column])
            x->again = true;
        else if (known)
            x->column[column] = x->columns + 1;
        x->columns += (size_t)n;
    }
    if (!x->column[SPECIES] && !x->column[ATOMIC_NUMBER])
        return trj_lines_fail(l, err, "Properties has neither species nor Z: the file contains no atom names");
    return 0;
}

static int read_comment(struct xyz *x, struct trj_lines *l, struct trj_error *err) {
    char *rest = l->text, *key, *value;
    int got;
    *x = (struct xyz){.column = {[SPECIES] = 1}, .columns = 4};
    if (!trj_xyz_has_properties(l->text, strlen(l->text))) return 0;
    while ((got = trj_xyz_pair(&rest, &key, &value)) > 0)
        if (!strcasecmp(key, "Properties") && value) return read_properties(x, value, l, err);
    return got < 0 ? trj_xyz_fail_pair(l, key, err) : 0;
}

// Keeps the number in the last column, by whose style a truncated one is recognised.
static void add_number(struct xyz *x, const struct trj_lines *l, size_t atom, const char *number) {
    x->last_number = number;
    if (atom < STYLE_SAMPLE && trj_lines_has_newline(l)) trj_number_style_add(&x->style, number);
}

static int read_atom(struct trj_topology_builder *b, struct xyz *x, struct trj_lines *l, struct trj_error *err) {
    size_t i = b->top->atoms, n = 0;
    char *words[USED_COLUMNS] = {NULL}, *rest = l->text;
    for (char *word; n < x->columns && (word = trj_next_word(&rest)); n++)
        for (size_t k = 0; k < USED_COLUMNS; k++)
            if (x->column[k] == n + 1) words[k] = word;
    if (n < x->columns) return trj_lines_fail(l, err, "atom %zu: %zu columns, expected %zu or more", i, n, x->columns);
    struct trj_topology_atom atom = {.name = words[SPECIES]};
    uint64_t z;
    if (!atom.name) {
        if (!trj_parse_u64(words[ATOMIC_NUMBER], &z) || z > TRJ_ELEMENTS)
            return trj_lines_fail(l, err, "atom %zu: '%.40s' is not an atomic number", i, words[ATOMIC_NUMBER]);
        atom.name = trj_elements[z].symbol;
    }
    if (words[MASS] && (!trj_parse_real(words[MASS], &atom.mass) || atom.mass < 0))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a mass", i, words[MASS]);
    if (words[CHARGE] && !trj_parse_real(words[CHARGE], &atom.charge))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a charge", i, words[CHARGE]);
    if (x->column[MASS] == x->columns || x->column[CHARGE] == x->columns)
        add_number(x, l, i, words[x->column[MASS] == x->columns ? MASS : CHARGE]);
    return trj_topology_add(b, &atom, err);
}

// If all names are symbols, as chemists write them, they are elements. Otherwise they are atom names, from which
// elements are guessed; one that is the symbol of another element (CA: carbon or calcium) gives none.
static int set_elements(struct trj_topology *top, struct trj_error *err) {
    const struct trj_texts *names = &top->name;
    bool symbols = true;
    int rc = -1;
    unsigned char *number = trj_alloc(names->count, 1, "elements", err), *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!number || !z) goto out;
    for (size_t k = 0; k < names->count && symbols; k++) {
        const char *name = names->text[k];
        number[k] = !strcmp(name, "D") ? 1 : (unsigned char)trj_element_find_exact(name, strlen(name));
        symbols = number[k] || !*name || !strcmp(name, "X");
    }
    for (size_t k = 0; k < names->count && !symbols; k++) {
        const char *name = names->text[k];
        unsigned symbol = trj_element_find(name, strlen(name)),
                 guess = trj_element_by_name(name, "", TRJ_ELEMENT_NO_COLUMN);
        number[k] = (unsigned char)(symbol && symbol != guess ? 0 : guess);
    }
    for (size_t i = 0; i < top->atoms; i++) z[i] = number[names->id[i]];
    rc = trj_topology_set_elements(top, z, err);
    if (!symbols) top->element_from = "name";
out:
    free(number);
    free(z);
    return rc;
}

// The last word of a file without a final newline may be cut.
static int check_last_line(struct trj_topology_builder *b, struct xyz *x, struct trj_lines *l, struct trj_error *err) {
    int rc = 0;
    l->style = &x->style;
    for (size_t k = 0; !rc && k < USED_COLUMNS; k++)
        if (x->column[k] == x->columns) rc = trj_topology_check_last_word(b->top, l, x->last_number, err);
    l->style = NULL;
    return rc;
}

int trj_xyz_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct xyz x;
    uint64_t count;
    char *rest, *word = NULL;
    while (!word) { // blank lines before the first frame
        if (trj_topology_next_line(l, "the number of atoms", err)) return -1;
        rest = l->text;
        word = trj_next_word(&rest);
    }
    if (!trj_parse_u64(word, &count)) return trj_lines_fail(l, err, "'%.40s' is not a number of atoms", word);
    if (!count) return trj_lines_fail(l, err, "no atoms");
    if (count > UINT32_MAX) return trj_lines_fail(l, err, "%s atoms: at most %u can be read", word, UINT32_MAX);
    if (trj_topology_next_line(l, "the comment", err) || read_comment(&x, l, err)) return -1;
    b->has_resid = false;
    b->has_mass = x.column[MASS];
    b->has_charge = x.column[CHARGE];
    for (uint64_t i = 0; i < count; i++) {
        int got = trj_lines_next(l, err);
        if (got < 0) return -1;
        if (!got)
            return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", b->top->atoms,
                                  (unsigned long long)count);
        if (read_atom(b, &x, l, err)) return -1;
    }
    if (check_last_line(b, &x, l, err)) return -1;
    if (x.again && !b->top->note)
        b->top->note = "several columns contain charges, masses or names: the first of each is read";
    return set_elements(b->top, err);
}
