// SPDX-License-Identifier: MIT
// Reads a block of small-molecule CIF, and applies its symmetry operations.
#include "cif_crystal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "number.h"

static const double SAME = 0.001;     // largest difference of fractional coordinates within an atom
static const double SUSPICIOUS = 0.5; // Å between images of one site that are different atoms
static const double PI = 3.14159265358979323846;
enum { GROUP = 64 }; // bytes of the name of a space group

struct operation {
    double matrix[3][3], shift[3];
};

// What is read of a block besides sites.
struct block {
    struct trj_cif_cell cell;
    struct operation *operation;
    size_t operations, capacity;
    char group[GROUP]; // name of the space group, or its number; "": none
    bool has_atoms, is_p1;
    uint64_t line; // of the sites
};

enum column { LABEL, SYMBOL, X, Y, Z, OCCUPANCY, U_ISO, B_ISO, CHARGE, COLUMNS };
static const char *const column_tags[COLUMNS] = {
    "_atom_site_label",          "_atom_site_type_symbol",    "_atom_site_fract_x",
    "_atom_site_fract_y",        "_atom_site_fract_z",        "_atom_site_occupancy",
    "_atom_site_U_iso_or_equiv", "_atom_site_B_iso_or_equiv", "_atom_site_charge"};
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
    bool is_signed = false; // a sign precedes, which a term must follow
    for (;;) {
        while (*p && strchr(" \t\n*", *p)) p++;
        if (!*p || *p == ',') break;
        if (*p == '+' || *p == '-') {
            if (is_signed) return NULL;
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
    return fabs(fabs(determinant(o->matrix)) - 1) < 1e-3; // of matrices that keep the volume
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

static bool is_identity(const struct operation *o) {
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 3; m++)
            if (o->matrix[k][m] != (k == m)) return false;
        if (o->shift[k] != nearbyint(o->shift[k])) return false;
    }
    return true;
}

// ---- the space group

// Copies a name without blanks and underscores; "P 1" and "P_1" are P1.
static void copy_group(const struct trj_cif *c, char group[GROUP]) {
    size_t n = 0;
    for (size_t i = 0; i < c->length && n + 1 < GROUP; i++)
        if (!strchr(" _\t\n", c->text[i])) group[n++] = c->text[i];
    group[n] = 0;
}

static int read_group(struct block *b, struct trj_cif *c, struct trj_error *err) {
    char group[GROUP];
    if (trj_cif_next(c, err)) return -1;
    if (c->kind != TRJ_CIF_VALUE) {
        trj_cif_repeat(c);
        return 0;
    }
    if (trj_cif_is_missing(c)) return 0;
    copy_group(c, group);
    if (!*group) return 0;
    bool p1 = !strcasecmp(group, "P1") || !strcmp(group, "1");
    if (*b->group && p1 == b->is_p1) return 0;
    if (*b->group && p1) return 0; // a name other than P 1 decides
    memcpy(b->group, group, sizeof group);
    b->is_p1 = p1;
    return 0;
}

// ---- sites

static int read_site_value(struct trj_crystal_site *s, enum column column, const struct trj_cif *c, bool *located,
                           struct trj_error *err) {
    double value = NAN;
    bool missing = trj_cif_is_missing(c) || !c->length;
    if (column == LABEL) {
        trj_cif_copy(c, s->label, sizeof s->label);
        return 0;
    }
    if (column == SYMBOL) {
        trj_cif_copy(c, s->symbol, sizeof s->symbol);
        return 0;
    }
    if (!missing && !trj_cif_number(c->text, c->length, &value))
        return trj_cif_fail(c, err, "'%.*s' is not a value of %s", (int)(c->length < 40 ? c->length : 40), c->text,
                            column_tags[column]);
    if (column >= X && column <= Z) {
        if (missing) *located = false;
        if (fabs(value) > 1e6) return trj_cif_fail(c, err, "%g is not a fractional coordinate", value);
        s->fraction[column - X] = value;
    }
    if (column == OCCUPANCY) s->occupancy = value;
    if (column == B_ISO && !missing) s->bfactor = value;
    if (column == U_ISO && !missing) s->bfactor = 8 * PI * PI * value;
    if (column == CHARGE) s->charge = value;
    return 0;
}

// Reads the rows of the table of sites, whose columns are is[count].
static int read_sites(struct trj_crystal *k, struct trj_cif *c, const unsigned char *is, size_t count,
                      struct trj_error *err) {
    for (;;) {
        struct trj_crystal_site s = {.occupancy = NAN, .bfactor = NAN, .charge = NAN};
        bool located = true;
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
            if (is[i] < COLUMNS && read_site_value(&s, (enum column)is[i], c, &located, err)) return -1;
        }
        k->unlocated += !located;
        if (!located) continue;
        k->partial += s.occupancy < 1 - 1e-6;
        if (trj_grow(&k->site, &k->site_capacity, k->sites + 1, sizeof *k->site, "sites", err)) return -1;
        k->site[k->sites++] = s;
    }
}

// Reads a table: that of sites, that of operations, or any other, whose values are not read.
static int read_loop(struct trj_crystal *k, struct block *b, struct trj_cif *c, struct trj_error *err) {
    enum { MAX = 256 };
    unsigned char is[MAX];
    size_t count = 0, operation = MAX;
    bool has[COLUMNS + 1] = {false};
    for (;; count++) {
        if (trj_cif_next(c, err)) return -1;
        if (c->kind != TRJ_CIF_TAG) break;
        if (count == MAX) return trj_cif_fail(c, err, "more than %d columns in a table", MAX);
        int column = 0;
        while (column < COLUMNS && !trj_cif_is_tag(c, column_tags[column])) column++;
        is[count] = (unsigned char)column;
        has[column] = true;
        if (is_operation_tag(c)) operation = count;
    }
    trj_cif_repeat(c);
    bool atoms = has[X] && has[Y] && has[Z];
    if (atoms && b->has_atoms) return trj_cif_fail(c, err, "a second table of sites in the block");
    if (atoms) {
        b->has_atoms = true;
        b->line = c->line;
        k->has_occupancy = has[OCCUPANCY];
        k->has_bfactor = has[U_ISO] || has[B_ISO];
        k->has_charge = has[CHARGE];
        return read_sites(k, c, is, count, err);
    }
    if (operation == MAX || b->operations) return 0; // two tables of operations list the same ones
    for (size_t i = 0;; i++) {
        if (trj_cif_next(c, err)) return -1;
        if (c->kind != TRJ_CIF_VALUE) break;
        if (i % count == operation && add_operation(b, c, err)) return -1;
    }
    trj_cif_repeat(c);
    return 0;
}

static int read_pair(struct block *b, struct trj_cif *c, struct trj_error *err) {
    int got = trj_cif_read_cell(c, &b->cell, err);
    if (got) return got < 0 ? -1 : 0;
    if (is_one_of(c, group_tags, sizeof group_tags / sizeof *group_tags)) return read_group(b, c, err);
    if (!is_operation_tag(c) || b->operations) return 0;
    if (trj_cif_next(c, err)) return -1;
    if (c->kind == TRJ_CIF_VALUE) return add_operation(b, c, err);
    trj_cif_repeat(c);
    return 0;
}

// ---- atoms

// Returns whether two images are one atom.
static bool are_same(const double a[3], const double b[3]) {
    for (int k = 0; k < 3; k++) {
        double d = a[k] - b[k];
        if (fabs(d - nearbyint(d)) >= SAME) return false;
    }
    return true;
}

static double image_distance(const struct trj_crystal *k, const double a[3], const double b[3]) {
    double x[3] = {0};
    for (int m = 0; m < 3; m++) {
        double d = a[m] - b[m];
        d -= nearbyint(d);
        for (int j = 0; j < 3; j++) x[j] += d * k->cell.h[m][j];
    }
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
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
    for (size_t i = 0; i < k->sites; i++) {
        const double *f = k->site[i].fraction;
        double image[3];
        for (int m = 0; m < 3; m++)
            image[m] = o->matrix[m][0] * f[0] + o->matrix[m][1] * f[1] + o->matrix[m][2] * f[2] + o->shift[m];
        uint32_t j = (uint32_t)i;
        for (; !are_same(image, k->fraction[j]); j = k->next[j]) {
            double d = image_distance(k, image, k->fraction[j]);
            if (d < k->closest) k->closest_site = (uint32_t)i;
            k->closest = fmin(k->closest, d);
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
                        "known; add a table of _space_group_symop_operation_xyz",
                        line, b->group);
    for (size_t i = 0; i < b->operations; i++)
        if (!is_identity(&b->operation[i])) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "line %llu: space group %s, but x,y,z is the only symmetry operation; add the others or, if all "
                    "atoms of the cell are listed, replace the space group by P 1",
                    line, b->group);
}

// Checks the block, and makes the atoms of the cell.
static int complete(struct trj_crystal *k, const struct block *b, struct trj_error *err) {
    unsigned long long line = b->line;
    if (!k->sites) return trj_fail(err, TRJ_BAD_DATA, "line %llu: no site has coordinates", line);
    if (trj_cif_set_cell(&b->cell, &k->cell, err)) return trj_fail_at(err, "block %.40s", k->block);
    if (!k->cell.periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %llu: fractional coordinates, but no cell: _cell_length_a and others are missing", line);
    k->operations = b->operations;
    k->no_group = !b->operations && !*b->group;
    return check_group(b, err) || expand(k, b, err) ? -1 : 0;
}

static void clear(struct trj_crystal *k) {
    k->sites = k->atoms = k->partial = k->unlocated = 0;
    k->closest = INFINITY;
}

int trj_crystal_next(struct trj_crystal_file *f, struct trj_crystal *k, struct trj_error *err) {
    struct trj_cif *c = &f->cif;
    struct block b = {.line = 0};
    int rc = 0;
    trj_cif_cell_clear(&b.cell);
    clear(k);
    for (bool over = false; !rc && !over;) {
        if ((rc = trj_cif_next(c, err))) break;
        if (c->kind == TRJ_CIF_END || (c->kind == TRJ_CIF_DATA && b.has_atoms)) {
            over = true;
            trj_cif_repeat(c);
        } else if (c->kind == TRJ_CIF_DATA) {
            trj_cif_copy(c, f->block, sizeof f->block);
            *b.group = 0;
            b.operations = 0;
            trj_cif_cell_clear(&b.cell);
        } else if (c->kind == TRJ_CIF_LOOP) {
            rc = read_loop(k, &b, c, err);
        } else if (c->kind == TRJ_CIF_TAG) {
            rc = read_pair(&b, c, err);
        }
    }
    memcpy(k->block, f->block, sizeof k->block);
    if (!rc && b.has_atoms) rc = complete(k, &b, err);
    free(b.operation);
    if (rc) return -1;
    f->blocks += b.has_atoms;
    return b.has_atoms;
}

int trj_crystal_fail_blocks(struct trj_crystal_file *f, const char *first, const struct trj_crystal *second,
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
                    "name NAME to a file with awk '/^data_/ {on = $1 == \"data_NAME\"} on'",
                    f->blocks, names, n >= sizeof names ? "..." : "");
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

void trj_crystal_note(const struct trj_crystal *k, char note[TRJ_CRYSTAL_NOTE]) {
    *note = 0;
    if (k->closest < SUSPICIOUS)
        snprintf(note, TRJ_CRYSTAL_NOTE,
                 "images of the site %s are only %.2g Angstrom apart: the site is disordered, or its coordinates have "
                 "too few digits for a special position",
                 k->site[k->closest_site].label, k->closest);
    else if (k->partial)
        snprintf(note, TRJ_CRYSTAL_NOTE,
                 "%zu of %zu sites are only partially occupied: all of them are read as atoms, also where they "
                 "exclude each other",
                 k->partial, k->sites);
    else if (k->unlocated)
        snprintf(note, TRJ_CRYSTAL_NOTE, "%zu sites have no coordinates, and are left out", k->unlocated);
    else if (k->no_group)
        snprintf(note, TRJ_CRYSTAL_NOTE,
                 "it gives neither a space group nor operations: the listed sites are taken as all atoms (P 1)");
}
