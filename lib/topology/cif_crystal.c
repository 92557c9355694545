// SPDX-License-Identifier: MIT
// Reads a block of small-molecule CIF, and applies its symmetry operations.
#include "cif_crystal.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cif_places.h"
#include "memory.h"
#include "number.h"

static const double SAME = 0.001;     // largest difference of fractional coordinates within an atom
static const double ROUNDING = 1e-9;  // largest error of the computation of a difference
static const double SUSPICIOUS = 0.5; // Å between images of one site that are different atoms
static const double PI = 3.14159265358979323846;
enum { GROUP = 64 }; // bytes of the name of a space group

struct operation {
    double matrix[3][3], shift[3];
};

// The values of a site.
struct site_row {
    struct trj_crystal_site site;
    bool has[3];    // coordinates
    double unit;    // of the last digit of the coordinate with the most digits
    bool is_dummy;  // its calc_flag is dum: the coordinates are meaningless
    unsigned given; // bits of enum column: these values were read, even if they are missing
};

static const struct site_row empty_row = {.unit = 1, .site = {.occupancy = NAN, .bfactor = NAN, .charge = NAN}};

// What is read of a block besides sites.
struct block {
    struct trj_cif_cell cell;
    struct operation *operation;
    size_t operations, capacity;
    char group[GROUP]; // name of the space group, or its number; "": none
    char foreign[80];  // the first tag of operations that are not supported; "": none
    bool is_foreign;   // one of them is not the identity
    bool has_atoms, is_p1;
    uint64_t line;          // of the sites
    struct site_row single; // a site that is not in a table
};

enum column { LABEL, SYMBOL, X, Y, Z, OCCUPANCY, U_ISO, B_ISO, CHARGE, CALC_FLAG, COLUMNS };
static const char *const column_tags[COLUMNS] = {
    "_atom_site_label",   "_atom_site_type_symbol", "_atom_site_fract_x",        "_atom_site_fract_y",
    "_atom_site_fract_z", "_atom_site_occupancy",   "_atom_site_U_iso_or_equiv", "_atom_site_B_iso_or_equiv",
    "_atom_site_charge",  "_atom_site_calc_flag"};
static const char *const operation_tags[] = {"_symmetry_equiv_pos_as_xyz", "_space_group_symop_operation_xyz",
                                             "_symmetry.pos_as_xyz"};
static const char *const group_tags[] = {"_symmetry_space_group_name_H-M", "_space_group_name_H-M_alt",
                                         "_space_group_name_H-M_ref",      "_symmetry_space_group_name_Hall",
                                         "_space_group_name_Hall",         "_symmetry_Int_Tables_number",
                                         "_space_group_IT_number"};

static bool is_one_of(const struct trj_cif *c, const char *const *tags, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (trj_cif_is_tag(c, tags[k])) return true;
    return false;
}

static bool is_operation_tag(const struct trj_cif *c) {
    return is_one_of(c, operation_tags, sizeof operation_tags / sizeof *operation_tags);
}

// ---- operations: "-y, x-y, z+1/3"

// Scans a number, 0.5 or 1/2. Returns its end, or NULL.
static const char *scan_fraction(const char *p, double *value) {
    double divisor;
    if (!(p = trj_scan_real(p, value))) return NULL;
    if (*p != '/') return p;
    if (!(p = trj_scan_real(p + 1, &divisor)) || divisor == 0) return NULL;
    *value /= divisor;
    return p;
}

// Parses one of the three parts at p, up to a comma or the end. Returns its end, or NULL.
static const char *scan_part(const char *p, double row[3], double *shift) {
    double sign = 1, factor = 1;
    bool has_factor = false, ready = true, any = false; // ready: a sign or the start precedes
    bool is_signed = false;                             // a sign precedes, which a term must follow
    for (;;) {
        while (*p && strchr(" \t\n*", *p)) p++;
        if (!*p || *p == ',') break;
        if (*p == '+' || *p == '-') {
            const bool of_number = isdigit((unsigned char)p[1]) || p[1] == '.'; // programs write z+-1/2
            if (is_signed && (sign < 0 || !of_number)) return NULL;
            is_signed = true;
            if (has_factor) *shift += sign * factor;
            sign = *p++ == '-' ? -1 : 1;
            has_factor = false;
            ready = true;
            continue;
        }
        if (!ready && !has_factor) return NULL;
        is_signed = false;
        int axis = tolower((unsigned char)*p) - 'x';
        if (axis >= 0 && axis < 3) {
            row[axis] += sign * (has_factor ? factor : 1);
            has_factor = ready = false;
            any = true;
            p++;
        } else {
            if (has_factor || (!isdigit((unsigned char)*p) && *p != '.')) return NULL;
            if (!(p = scan_fraction(p, &factor))) return NULL;
            has_factor = any = true;
            ready = false;
        }
    }
    if (has_factor) *shift += sign * factor;
    return any && !is_signed ? p : NULL;
}

static double determinant(const double m[3][3]) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static bool parse_operation(const char *text, struct operation *o) {
    *o = (struct operation){.shift = {0}};
    for (int k = 0; k < 3; k++) {
        text = scan_part(text, o->matrix[k], &o->shift[k]);
        if (!text || (k < 2 ? *text++ != ',' : *text)) return false;
        for (int m = 0; m < 3; m++)
            if (!isfinite(o->matrix[k][m]) || fabs(o->matrix[k][m]) > 8) return false;
        if (!(fabs(o->shift[k]) < 1e6)) return false;
    }
    return fabs(fabs(determinant(o->matrix)) - 1) < 1e-3; // symmetry operations keep the volume
}

// Returns whether a tag is that of operations of magnetic groups, which may invert moments, or of superspace groups,
// with four or more dimensions, and keeps the first such tag.
static bool keep_foreign(struct block *b, const struct trj_cif *c) {
    static const char *const kinds[] = {"_space_group_symop_magn", "_space_group_symop_ssg"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct trj_cif start = *c;
        if (c->length <= strlen(kinds[k])) continue;
        start.length = strlen(kinds[k]);
        if (!trj_cif_is_tag(&start, kinds[k])) continue;
        if (!*b->foreign) trj_cif_copy(c, b->foreign, sizeof b->foreign);
        return true;
    }
    return false;
}

static int add_operation(struct block *b, const struct trj_cif *c, struct trj_error *err) {
    char text[128];
    if (trj_cif_is_missing(c)) return 0;
    trj_cif_copy(c, text, sizeof text);
    if (b->operations == TRJ_CRYSTAL_OPERATIONS)
        return trj_cif_fail(c, err, "more than %d symmetry operations", TRJ_CRYSTAL_OPERATIONS);
    if (trj_grow(&b->operation, &b->capacity, b->operations + 1, sizeof *b->operation, "operations", err)) return -1;
    if (!parse_operation(text, &b->operation[b->operations]))
        return trj_cif_fail(c, err, "'%.60s' is not a symmetry operation, such as -x,y+1/2,-z", text);
    b->operations++;
    return 0;
}

static bool is_unit_matrix(const struct operation *o) {
    for (int k = 0; k < 9; k++)
        if (o->matrix[k / 3][k % 3] != (k % 4 == 0)) return false;
    return true;
}

static bool is_identity(const struct operation *o) {
    for (int k = 0; k < 3; k++)
        if (o->shift[k] != nearbyint(o->shift[k])) return false;
    return is_unit_matrix(o);
}

// ---- the space group

// Copies a name without blanks and underscores; "P 1" and "P_1" are P1.
static void copy_group(const struct trj_cif *c, char group[GROUP]) {
    size_t n = 0;
    for (size_t i = 0; i < c->length && n + 1 < GROUP; i++)
        if (!strchr(" _\t\n", c->text[i])) group[n++] = c->text[i];
    group[n] = 0;
}

static bool is_group_tag(const struct trj_cif *c) {
    return is_one_of(c, group_tags, sizeof group_tags / sizeof *group_tags);
}

// Returns whether the text is a name or a number. Programs write '?' in quotes, 0 and these words for unknown groups.
static bool is_group(const char *text) {
    if (!strcasecmp(text, "unknown") || !strcasecmp(text, "none") || !strcasecmp(text, "n/a")) return false;
    while (*text && !isalpha((unsigned char)*text) && !(*text >= '1' && *text <= '9')) text++;
    return *text;
}

// Returns whether the text means P 1: "P1", "P111", "P1(No.1)", or the number 1.
static bool is_p1(const char *text) {
    double number;
    if (trj_cif_number(text, strlen(text), &number)) return number == 1;
    return !strncasecmp(text, "P1", 2) && (!text[2] || text[2] == '(' || !strcmp(text + 2, "11"));
}

// Takes the current word as a value of operations that are not supported: one with commas is an operation, or, if it
// begins with m, its effect on moments.
static void put_foreign(struct block *b, const struct trj_cif *c) {
    char text[GROUP];
    copy_group(c, text);
    if (strchr(text, ',') && *text != 'm' && strcasecmp(text, "x,y,z,+1") != 0) b->is_foreign = true;
}

// Takes the current word as the name of the space group.
static void put_group(struct block *b, const struct trj_cif *c) {
    char group[GROUP];
    if (trj_cif_is_missing(c)) return;
    copy_group(c, group);
    if (!is_group(group)) return;
    if (*b->group && (is_p1(group) || !b->is_p1)) return; // a name other than P 1 decides
    memcpy(b->group, group, sizeof group);
    b->is_p1 = is_p1(group);
}

// ---- sites

// Returns the unit of the last digit of a number; 0 if it has an exponent. "0.25(3)": 0.01.
static double last_digit(const char *text, size_t length) {
    const char *point = memchr(text, '.', length);
    const size_t most = point ? length - (size_t)(point + 1 - text) : 0;
    size_t digits = 0;
    while (digits < most && isdigit((unsigned char)point[1 + digits])) digits++;
    return memchr(text, 'e', length) || memchr(text, 'E', length) ? 0 : pow(10, -(double)digits);
}

static int read_site_value(struct site_row *row, enum column column, const struct trj_cif *c, struct trj_error *err) {
    struct trj_crystal_site *s = &row->site;
    double value = NAN;
    bool missing = trj_cif_is_missing(c) || !c->length;
    if (row->given >> column & 1)
        return trj_cif_fail(c, err, "a second value of %s for one site; remove one of the two", column_tags[column]);
    row->given |= 1U << column;
    if (column == LABEL) {
        trj_cif_copy(c, s->label, sizeof s->label);
        return 0;
    }
    if (column == SYMBOL) {
        trj_cif_copy(c, s->symbol, sizeof s->symbol);
        return 0;
    }
    if (column == CALC_FLAG) {
        char flag[8];
        trj_cif_copy(c, flag, sizeof flag);
        row->is_dummy = !strcasecmp(flag, "dum");
        return 0;
    }
    if (!missing && !trj_cif_number(c->text, c->length, &value))
        return trj_cif_fail(c, err, "'%.*s' is not a value of %s", (int)(c->length < 40 ? c->length : 40), c->text,
                            column_tags[column]);
    if (column >= X && column <= Z) {
        row->has[column - X] = !missing;
        if (fabs(value) > 1e6) return trj_cif_fail(c, err, "%g is not a fractional coordinate", value);
        s->fraction[column - X] = value;
        row->unit = fmin(row->unit, last_digit(c->text, c->length));
    }
    if (column == OCCUPANCY) s->occupancy = value;
    if (column == B_ISO && !missing) s->bfactor = value;
    if (column == U_ISO && !missing) s->bfactor = 8 * PI * PI * value;
    if (column == CHARGE) s->charge = value;
    return 0;
}

static bool is_located(const struct site_row *row) {
    return row->has[0] && row->has[1] && row->has[2];
}

static bool is_partial(const struct trj_crystal_site *s) {
    return s->occupancy < 1 - 1e-6;
}

// Returns whether a label may begin with letters that are not the symbol of an element, such as Wat1, HO1 or CA.
static bool is_doubtful(const char *label) {
    size_t n = 0;
    while (isalpha((unsigned char)label[n])) n++;
    return n > 2 || (n == 2 && isupper((unsigned char)label[1]));
}

static int add_site(struct trj_crystal *k, const struct site_row *row, struct trj_error *err) {
    k->dummies += row->is_dummy;
    k->unlocated += !row->is_dummy && !is_located(row);
    if (row->is_dummy || !is_located(row)) return 0;
    k->partial += is_partial(&row->site);
    k->unit = fmin(k->unit, row->unit);
    if (!*row->site.symbol && is_doubtful(row->site.label) && !k->doubtful++) k->doubtful_site = (uint32_t)k->sites;
    if (trj_grow(&k->site, &k->site_capacity, k->sites + 1, sizeof *k->site, "sites", err)) return -1;
    k->site[k->sites++] = row->site;
    return 0;
}

// What a tag means: a column of the table of sites, a value of the cell, or one of these.
enum { CELL = COLUMNS, OPERATION = CELL + 6, SPACE_GROUP, FOREIGN, OTHER, KINDS };

// Notes whether the current word, a value of this kind, ends the file.
static void note_end(struct trj_crystal *k, int kind, const struct trj_cif *c) {
    if (kind == OTHER || !trj_cif_ends_file(c)) return;
    k->ends_file = true;
    k->number_ends_file = kind >= X && kind != CALC_FLAG && kind != SPACE_GROUP;
}

// Reads the rows of the table of sites, whose columns are is[count].
static int read_sites(struct trj_crystal *k, struct trj_cif *c, const unsigned char *is, size_t count,
                      struct trj_error *err) {
    for (;;) {
        struct site_row row = empty_row;
        for (size_t i = 0; i < count; i++) {
            if (trj_cif_next(c, err)) return -1;
            if (c->kind != TRJ_CIF_VALUE && !i) {
                trj_cif_repeat(c);
                return 0;
            }
            if (c->kind != TRJ_CIF_VALUE) {
                if (c->kind == TRJ_CIF_END) err->truncated = true;
                return trj_cif_fail(c, err, "the row of a site has %zu values, expected %zu", i, count);
            }
            note_end(k, is[i], c);
            if (is[i] < COLUMNS && read_site_value(&row, (enum column)is[i], c, err)) return -1;
        }
        if (add_site(k, &row, err)) return -1;
    }
}

static int kind_of_tag(struct block *b, const struct trj_cif *c) {
    const int cell = trj_cif_cell_tag(c);
    int column = 0;
    if (keep_foreign(b, c)) return FOREIGN;
    while (column < COLUMNS && !trj_cif_is_tag(c, column_tags[column])) column++;
    if (column < COLUMNS) return column;
    if (cell >= 0) return CELL + cell;
    return is_operation_tag(c) ? OPERATION : is_group_tag(c) ? SPACE_GROUP : OTHER;
}

// Takes the current word as a value of the block.
static int put_value(struct block *b, int kind, const struct trj_cif *c, struct trj_error *err) {
    if (kind == SPACE_GROUP) put_group(b, c);
    if (kind == FOREIGN) put_foreign(b, c);
    if (kind == OPERATION) return add_operation(b, c, err);
    return kind >= CELL && kind < CELL + 6 ? trj_cif_put_cell(c, &b->cell, kind - CELL, err) : 0;
}

// Reads the rows of a table that is not that of sites. Its columns are is[count].
static int read_rows(struct trj_crystal *k, struct block *b, struct trj_cif *c, const unsigned char *is, size_t count,
                     struct trj_error *err) {
    const bool has_operations = b->operations; // two tables of operations list the same ones
    for (size_t i = 0;; i++) {
        if (trj_cif_next(c, err)) return -1;
        if (c->kind != TRJ_CIF_VALUE) break;
        const int kind = is[i % count];
        if (kind == OPERATION && has_operations) continue;
        if (kind == SPACE_GROUP && i >= count) continue;
        note_end(k, kind, c);
        if (put_value(b, kind, c, err)) return -1;
    }
    trj_cif_repeat(c);
    return 0;
}

// Reads a table: that of sites, that of operations, or any other.
static int read_loop(struct trj_crystal *k, struct block *b, struct trj_cif *c, struct trj_error *err) {
    enum { MAX = 256 };
    unsigned char is[MAX];
    size_t count = 0;
    bool has[KINDS] = {false};
    for (;; count++) {
        if (trj_cif_next(c, err)) return -1;
        if (c->kind != TRJ_CIF_TAG) break;
        if (count == MAX) return trj_cif_fail(c, err, "more than %d columns in a table", MAX);
        is[count] = (unsigned char)kind_of_tag(b, c);
        has[is[count]] = true;
    }
    trj_cif_repeat(c);
    bool atoms = has[X] && has[Y] && has[Z];
    if (atoms && b->has_atoms)
        return trj_cif_fail(c, err, "%s",
                            is_located(&b->single)
                                ? "this block has sites both in a table (loop_) and outside it; remove one of the two"
                                : "a second table of sites in the block");
    if (atoms) {
        b->has_atoms = true;
        b->line = c->line;
        k->has_occupancy = has[OCCUPANCY];
        k->has_bfactor = has[U_ISO] || has[B_ISO];
        k->has_charge = has[CHARGE];
        return read_sites(k, c, is, count, err);
    }
    return count ? read_rows(k, b, c, is, count, err) : 0;
}

// Takes the current word as a value of a site that is not in a table. The third coordinate makes it a site.
static int put_single(struct trj_crystal *k, struct block *b, enum column column, const struct trj_cif *c,
                      struct trj_error *err) {
    struct site_row *row = &b->single;
    if (read_site_value(row, column, c, err)) return -1;
    if (column == OCCUPANCY) k->has_occupancy = true;
    if (column == U_ISO || column == B_ISO) k->has_bfactor = true;
    if (column == CHARGE) k->has_charge = true;
    if (column < X || column > Z || !is_located(row)) return 0;
    if (b->has_atoms) return trj_cif_fail(c, err, "a second site in the block, outside a table (loop_)");
    b->has_atoms = true;
    b->line = c->line;
    return 0;
}

// Reads a tag and its value.
static int read_pair(struct trj_crystal *k, struct block *b, struct trj_cif *c, struct trj_error *err) {
    const int kind = kind_of_tag(b, c);
    if (kind == OTHER || (kind == OPERATION && b->operations)) return 0;
    if (trj_cif_next(c, err)) return -1;
    if (c->kind != TRJ_CIF_VALUE) {
        trj_cif_repeat(c);
        return 0;
    }
    note_end(k, kind, c);
    return kind < COLUMNS ? put_single(k, b, (enum column)kind, c, err) : put_value(b, kind, c, err);
}

// ---- atoms

// Returns whether two images of a site are one atom, which may differ by `unit` because of rounding.
static bool are_same(struct trj_crystal *k, uint32_t site, double unit, const double a[3], const double b[3]) {
    double difference = 0;
    for (int m = 0; m < 3; m++) difference = fmax(difference, fabs(a[m] - b[m] - nearbyint(a[m] - b[m])));
    const double distance = trj_crystal_distance(k, a, b);
    const bool near = distance < TRJ_CRYSTAL_SAME_PLACE, agree = difference <= SAME + ROUNDING;
    if (near && agree) return true;
    const bool rounded = difference <= unit + ROUNDING && distance < SUSPICIOUS;
    const bool same = near || agree || (rounded && !is_partial(&k->site[site]));
    if (same ? distance > k->merged : distance < k->closest) {
        *(same ? &k->merged : &k->closest) = distance;
        *(same ? &k->merged_site : &k->closest_site) = site;
    }
    return same;
}

static int add_atom(struct trj_crystal *k, uint32_t site, const double fraction[3], struct trj_error *err) {
    if (k->atoms == UINT32_MAX) return trj_fail(err, TRJ_BAD_DATA, "more than %u atoms in the cell", UINT32_MAX);
    if (trj_grow(&k->of, &k->of_capacity, k->atoms + 1, sizeof *k->of, "atoms", err) ||
        trj_grow(&k->next, &k->next_capacity, k->atoms + 1, sizeof *k->next, "atoms", err) ||
        trj_grow(&k->fraction, &k->capacity, k->atoms + 1, sizeof *k->fraction, "atoms", err))
        return -1;
    k->of[k->atoms] = site;
    k->next[k->atoms] = 0;
    memcpy(k->fraction[k->atoms++], fraction, sizeof *k->fraction);
    return 0;
}

// Adds the images of all sites under an operation. The first atom of site i is atom i.
static int apply(struct trj_crystal *k, const struct operation *o, struct trj_error *err) {
    const bool is_translation = is_unit_matrix(o);
    for (size_t i = 0; i < k->sites; i++) {
        const double *f = k->site[i].fraction, unit = is_translation ? 0 : k->unit;
        double image[3];
        for (int m = 0; m < 3; m++)
            image[m] = o->matrix[m][0] * f[0] + o->matrix[m][1] * f[1] + o->matrix[m][2] * f[2] + o->shift[m];
        uint32_t j = (uint32_t)i;
        for (; !are_same(k, (uint32_t)i, unit, image, k->fraction[j]); j = k->next[j]) {
            if (k->next[j]) continue;
            k->next[j] = (uint32_t)k->atoms;
            if (add_atom(k, (uint32_t)i, image, err)) return -1;
            break;
        }
    }
    return 0;
}

static int expand(struct trj_crystal *k, const struct block *b, struct trj_error *err) {
    for (size_t i = 0; i < k->sites; i++)
        if (add_atom(k, (uint32_t)i, k->site[i].fraction, err)) return -1;
    for (size_t i = 0; i < b->operations; i++)
        if (apply(k, &b->operation[i], err)) return -1;
    return 0;
}

// A space group other than P 1 has more operations than the identity. Without them, the file may list the sites of an
// asymmetric unit, as gemmi and ASE assume, or all atoms of the cell.
static int check_group(const struct block *b, struct trj_error *err) {
    const unsigned long long line = b->line;
    if (!*b->group || b->is_p1) return 0;
    if (!b->operations)
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %llu: space group %s, but no symmetry operations, so that only the listed sites are "
                        "known; add a table of _space_group_symop_operation_xyz or, if all atoms of the cell are "
                        "listed, replace the space group by P 1",
                        line, b->group);
    for (size_t i = 0; i < b->operations; i++)
        if (!is_identity(&b->operation[i])) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "line %llu: space group %s, but x,y,z is the only symmetry operation; add the others or, if all "
                    "atoms of the cell are listed, replace the space group by P 1",
                    line, b->group);
}

// Checks the block, and makes the atoms of the cell.
static int complete(struct trj_crystal *k, struct block *b, struct trj_error *err) {
    const unsigned long long line = b->line;
    for (int m = 0; m < 3; m++) {
        if (!isnan(b->cell.angle[m])) continue;
        b->cell.angle[m] = 90; // the default of the dictionary
        k->no_angles |= 1U << m;
    }
    const char *missing = trj_cif_cell_missing(&b->cell);
    if (is_located(&b->single) && add_site(k, &b->single, err)) return -1;
    if (!k->sites) return trj_fail(err, TRJ_BAD_DATA, "line %llu: no site has coordinates", line);
    if (trj_cif_set_cell(&b->cell, &k->cell, err)) return trj_fail_at(err, "block %.40s", k->block);
    if (missing)
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: fractional coordinates, but _cell_%s is missing; add it", line,
                        missing);
    if (k->cell.periodic != TRJ_PERIODIC_ALL)
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %llu: fractional coordinates, but a length of the cell is 0, or all of them are 1, which "
                        "means that there is none; give the lengths",
                        line);
    if (!b->operations && *b->foreign && (b->is_foreign || !*b->group || !b->is_p1))
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %llu: %s: symmetry operations of magnetic groups and superspace groups are not "
                        "supported; add a table of _space_group_symop_operation_xyz",
                        line, b->foreign);
    k->operations = b->operations;
    k->no_group = !b->operations && !*b->group;
    if (check_group(b, err) || expand(k, b, err)) return -1;
    return trj_crystal_check_places(k, err) ? trj_fail_at(err, "line %llu", line) : 0;
}

static void clear(struct trj_crystal *k) {
    k->sites = k->atoms = k->partial = k->unlocated = k->dummies = k->doubtful = 0;
    k->merged = k->occupied = 0;
    k->no_angles = 0;
    k->has_occupancy = k->has_bfactor = k->has_charge = k->ends_file = k->number_ends_file = false;
    k->unit = 0.01; // coordinates with fewer digits may be exact
    k->closest = INFINITY;
}

int trj_crystal_next(struct trj_crystal_file *f, struct trj_crystal *k, struct trj_error *err) {
    struct trj_cif *c = &f->cif;
    struct block b = {.single = empty_row};
    char before[sizeof f->block];
    bool again = false; // the current block has the name of the last one with sites
    int rc = 0;
    memcpy(before, f->block, sizeof before);
    trj_cif_cell_clear(&b.cell);
    clear(k);
    for (bool over = false; !rc && !over;) {
        if ((rc = trj_cif_next(c, err))) break;
        if (c->kind == TRJ_CIF_END || (c->kind == TRJ_CIF_DATA && b.has_atoms)) {
            over = true;
            trj_cif_repeat(c);
        } else if (c->kind == TRJ_CIF_DATA) {
            trj_cif_copy(c, f->block, sizeof f->block);
            again = f->blocks && !strcmp(f->block, before);
            *b.group = *b.foreign = 0;
            b.is_foreign = false;
            b.operations = 0;
            b.single = empty_row;
            trj_cif_cell_clear(&b.cell);
        } else if (c->kind == TRJ_CIF_LOOP) {
            rc = read_loop(k, &b, c, err);
        } else if (c->kind == TRJ_CIF_TAG) {
            rc = read_pair(k, &b, c, err);
        }
    }
    if (!rc && !b.has_atoms && again)
        rc = trj_lines_fail(c->lines, err, "the file ends within block %.40s, without sites, unlike the block before",
                            before);
    memcpy(k->block, f->block, sizeof k->block);
    if (!rc && b.has_atoms) rc = complete(k, &b, err);
    free(b.operation);
    if (rc) return -1;
    f->blocks += b.has_atoms;
    return b.has_atoms;
}

// Sets the error that several blocks contain sites, and lists them.
static int fail_blocks(struct trj_crystal_file *f, const char *first, const struct trj_crystal *second,
                       struct trj_error *err) {
    char names[160];
    struct trj_crystal more = {.sites = 0};
    struct trj_error ignored;
    size_t n = (size_t)snprintf(names, sizeof names, "%.40s, %.40s", first, second->block);
    while (trj_crystal_next(f, &more, &ignored) > 0)
        if (n < sizeof names) n += (size_t)snprintf(names + n, sizeof names - n, ", %.40s", more.block);
    trj_crystal_free(&more);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%zu blocks contain atoms: %s%s: which one is to be read is not known; write the block with the "
                    "name NAME to a file with awk '{sub(/\\r$/, \"\")} /^data_/ {on = $1 == \"data_NAME\"} on' FILE",
                    f->blocks, names, n >= sizeof names ? "..." : "");
}

int trj_crystal_next_frame(struct trj_crystal_file *f, const struct trj_crystal *first, struct trj_crystal *k,
                           bool *other, struct trj_error *err) {
    const int got = trj_crystal_next(f, k, err);
    *other = strcmp(f->block, first->block) != 0;
    return got > 0 && *other ? fail_blocks(f, first->block, k, err) : got;
}

int trj_crystal_fail_empty(const struct trj_crystal_file *f, struct trj_error *err) {
    return trj_lines_fail(f->cif.lines, err,
                          "the file ends without a table of sites with fractional coordinates (_atom_site_fract_x); "
                          "give the file of a crystal structure");
}

void trj_crystal_file_free(struct trj_crystal_file *f) {
    trj_cif_free(&f->cif);
}

void trj_crystal_free(struct trj_crystal *k) {
    free(k->site);
    free(k->of);
    free(k->next);
    free(k->fraction);
    *k = (struct trj_crystal){.sites = 0};
}

enum note_kind { CLOSE, MERGED, OCCUPIED, PARTIAL, UNLOCATED, DUMMIES, DOUBTFUL, NO_ANGLES, NO_GROUP };

struct notes {
    char *text;
    unsigned known, kinds; // bits of enum note_kind: left out, and contained in the text
};

// Appends a note to those before it.
static void add_note(struct notes *notes, enum note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_note(struct notes *notes, enum note_kind kind, const char *format, ...) {
    size_t n = strlen(notes->text);
    va_list args;
    if (notes->known >> kind & 1) return;
    notes->kinds |= 1U << kind;
    if (n) n += (size_t)snprintf(notes->text + n, TRJ_CRYSTAL_NOTE - n, "; ");
    if (n >= TRJ_CRYSTAL_NOTE) return;
    va_start(args, format);
    vsnprintf(notes->text + n, TRJ_CRYSTAL_NOTE - n, format, args);
    va_end(args);
}

unsigned trj_crystal_note(const struct trj_crystal *k, unsigned known, char note[TRJ_CRYSTAL_NOTE]) {
    struct notes notes = {.text = note, .known = known};
    *note = 0;
    if (k->closest < SUSPICIOUS)
        add_note(&notes, CLOSE,
                 "images of the site %s are only %.2g Angstrom apart: the site is disordered, or its coordinates have "
                 "too few digits for a special position",
                 k->site[k->closest_site].label, k->closest);
    if (k->merged > 0)
        add_note(&notes, MERGED,
                 "images of the site %s that are up to %.2g Angstrom apart are read as one atom: they may differ only "
                 "by the rounding of a special position",
                 k->site[k->merged_site].label, k->merged);
    if (k->occupied > 0)
        add_note(&notes, OCCUPIED,
                 "the sites %s and %s are at one place, where the occupancies add up to %.3g; if the file lists a site "
                 "twice, remove one of them",
                 k->site[k->occupied_sites[0]].label, k->site[k->occupied_sites[1]].label, k->occupied);
    if (k->partial)
        add_note(&notes, PARTIAL,
                 "%zu of %zu sites are only partially occupied: all of them are read as atoms, also where they "
                 "exclude each other",
                 k->partial, k->sites);
    if (k->unlocated) add_note(&notes, UNLOCATED, "%zu sites have no coordinates, and are left out", k->unlocated);
    if (k->dummies) add_note(&notes, DUMMIES, "dummy sites (_atom_site_calc_flag dum) are left out: %zu", k->dummies);
    if (k->doubtful)
        add_note(&notes, DOUBTFUL,
                 "without types of sites (_atom_site_type_symbol), elements are taken from labels, which is uncertain "
                 "for %zu of them, such as %s",
                 k->doubtful, k->site[k->doubtful_site].label);
    if (k->no_angles)
        add_note(&notes, NO_ANGLES, "angles of the cell (_cell_angle) are missing, and are taken as 90 degrees");
    if (k->no_group)
        add_note(&notes, NO_GROUP,
                 "the file gives neither a space group nor operations: the listed sites are taken as all atoms (P 1)");
    return notes.kinds;
}
