// SPDX-License-Identifier: MIT
// Reads XYZ files: the number of atoms, a comment, and for each atom a line with a name, x, y, z, and optionally more.
// The comment has dialects; other comments are ignored.
//   extended XYZ: key=value pairs: Lattice="9 numbers", Properties=name:type:columns:..., pbc="T T F", step=number, and
//       time=number if time_unit=ps, or another unit, states its unit: there is no convention, and programs differ
//       (https://github.com/libAtoms/extxyz).
//   CP2K and LAMMPS: step and time, or the step, in plain XYZ.
//   i-PI: # CELL(abcABC): a b c alpha beta gamma Step: n Bead: n positions{unit} cell{unit}; a missing unit is
//       reported in a note (https://docs.ipi-code.org/units-structure.html: without units, atomic units).
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cp2k_cell.h"
#include "element.h"
#include "number.h"
#include "text_format.h"
#include "units.h"
#include "xyz_records.h"

enum dialect { PLAIN, EXTENDED, IPI };

// The lines of a raw frame.
struct layout {
    struct trj_columns columns;
    bool momenta; // columns contain them, and velocities are requested
};

struct xyz {
    struct trj_text text;
    const struct trj_atom_identity *identity;
    struct layout *layout;       // of the frame being read
    bool velocities;             // are requested
    bool has_momenta;            // the frame being read has columns of them
    enum dialect dialect;        // of its comment
    const char *note;            // a note about a property that the comment lacks; NULL: none
    struct trj_cp2k_cell *cells; // beside a file of CP2K; NULL: none
    bool cells_opened;           // they have been looked for
    bool cp2k;                   // the comment is one of CP2K
    bool bohr;                   // coordinates are in bohr, i-PI's default unit
};

static const struct trj_columns plain_columns = {
    .count = 4, .more = true, .is = {TRJ_COLUMN_OTHER, TRJ_COLUMN_X, TRJ_COLUMN_Y, TRJ_COLUMN_Z}};

static const struct trj_identity_layout identity_layout = {.parts = 4,
                                                           .part = {[TRJ_XYZ_SPECIES] = {.what = "name"},
                                                                    [TRJ_XYZ_NUMBER] = {.what = "atomic number"},
                                                                    [TRJ_XYZ_MASS] = {.what = "mass"},
                                                                    [TRJ_XYZ_CHARGE] = {.what = "charge"}}};

static enum dialect dialect_of(const char *comment) {
    if (trj_xyz_is_extended(comment)) return EXTENDED;
    if (strstr(comment, "CELL(") || strstr(comment, "CELL{") || strstr(comment, "CELL[")) return IPI;
    return PLAIN;
}

// ---- the comment of extended XYZ

static void blank_brackets(char *value) {
    for (char *c = value; *c; c++)
        if (strchr("[],", *c)) *c = ' ';
}

static int set_lattice(struct xyz *s, char *value, struct trj_frame *f, struct trj_error *err) {
    int n = 0;
    bool none = true;
    blank_brackets(value); // [[a], [b], [c]]
    for (char *word; (word = trj_next_word(&value)); n++) {
        double v;
        if (n == 9 || !trj_parse_real(word, &v))
            return trj_lines_fail(&s->text.lines, err, "Lattice: '%.40s' found, expected 9 numbers", word);
        f->cell.h[n / 3][n % 3] = v;
        none = none && v == 0;
    }
    if (n != 9) return trj_lines_fail(&s->text.lines, err, "Lattice has %d numbers, not 9", n);
    if (!none) f->cell.periodic = TRJ_PERIODIC_ALL;
    return 0;
}

static int parse_pbc(struct xyz *s, char *value, unsigned *periodic, struct trj_error *err) {
    static const struct {
        const char *word;
        bool yes;
    } truths[] = {{"T", true}, {"F", false}, {"true", true}, {"false", false}, {"1", true}, {"0", false}};
    unsigned n = 0;
    *periodic = 0;
    blank_brackets(value);
    for (char *word; (word = trj_next_word(&value)); n++) {
        size_t i = 0;
        while (i < sizeof truths / sizeof *truths && strcasecmp(word, truths[i].word)) i++;
        if (n == 3 || i == sizeof truths / sizeof *truths)
            return trj_lines_fail(&s->text.lines, err, "pbc: '%.40s' found, expected three of T and F", word);
        *periodic |= (unsigned)truths[i].yes << n;
    }
    if (n == 1) *periodic *= TRJ_PERIODIC_ALL; // one value for all directions
    return n == 1 || n == 3 ? 0 : trj_lines_fail(&s->text.lines, err, "pbc has %u values, expected 1 or 3", n);
}

static int set_columns(struct xyz *s, char *value, struct trj_error *err) {
    static const char types[] = "SRIL";
    static const unsigned char kinds[] = {TRJ_COLUMN_OTHER, TRJ_COLUMN_REAL, TRJ_COLUMN_INTEGER, TRJ_COLUMN_LOGICAL};
    const struct trj_lines *l = &s->text.lines;
    struct trj_columns *c = &s->layout->columns;
    bool found = false, has[TRJ_XYZ_NONE + 1] = {false};
    c->count = 0;
    c->more = false;
    c->identity = c->identity_fields = 0;
    for (char *name; (name = trj_xyz_part(&value));) {
        const char *type = trj_xyz_part(&value), *number = trj_xyz_part(&value);
        uint64_t n;
        const char *known = type && type[0] && !type[1] ? strchr(types, type[0]) : NULL;
        if (!known)
            return trj_lines_fail(l, err, "Properties: %.40s has the type '%.40s', not S, R, I or L", name,
                                  type ? type : "");
        if (!number || !trj_parse_u64(number, &n) || !n)
            return trj_lines_fail(l, err, "Properties: %.40s: invalid number of columns '%.40s'", name,
                                  number ? number : "");
        if (n > TRJ_COLUMNS - c->count) return trj_lines_fail(l, err, "Properties: more than %d columns", TRJ_COLUMNS);
        bool pos = !strcmp(name, "pos");
        if (pos && (found || n != 3 || !strchr("RI", *type)))
            return trj_lines_fail(l, err, "Properties: pos:%s:%s%s, not pos:R:3", type, number,
                                  found ? " once more" : "");
        const bool momenta = !s->has_momenta && !strcmp(name, "momenta") && n == 3 && *type == 'R';
        for (uint64_t i = 0; i < n; i++)
            c->is[c->count++] = (unsigned char)(pos                        ? TRJ_COLUMN_X + i
                                                : momenta && s->velocities ? TRJ_COLUMN_MOTION + i
                                                                           : kinds[known - types]);
        found = found || pos;
        s->has_momenta = s->has_momenta || momenta;
        enum trj_xyz_column column = n == 1 ? trj_xyz_column(name) : TRJ_XYZ_NONE;
        bool used = column < TRJ_XYZ_CHARGE ? s->identity || s->velocities // by velocities, for the mass
                                            : column == TRJ_XYZ_CHARGE && s->identity && s->identity->charges;
        if (used && !has[column]) // the first of several, as in the topology
            trj_columns_add_identity(c, c->count - 1, column);
        has[column] = true;
    }
    return found ? 0 : trj_lines_fail(l, err, "Properties without pos: there are no coordinates");
}

static int read_extended(struct xyz *s, struct trj_frame *f, struct trj_error *err) {
    // Some programs write the first three in other cases.
    enum { LATTICE, PROPERTIES, PBC, STEP, CASED = STEP, TIME, TIME_UNIT, KEYS };
    static const char *const names[KEYS] = {"Lattice", "Properties", "pbc", "step", "time", "time_unit"};
    const struct trj_lines *l = &s->text.lines;
    char *rest = s->text.lines.text, *key, *value, *values[KEYS] = {NULL};
    int got;
    while ((got = trj_xyz_pair(&rest, &key, &value)) > 0)
        for (int k = 0; k < KEYS; k++) {
            if (k < CASED ? strcasecmp(key, names[k]) : strcmp(key, names[k])) continue;
            if (k >= CASED && (!value || !*value)) continue; // ASE writes a key without a value for True
            if (!value || values[k]) return trj_lines_fail(l, err, "%s %s", key, value ? "twice" : "without a value");
            values[k] = value;
        }
    if (got < 0) return trj_xyz_fail_pair(l, key, err);
    unsigned periodic = 0;
    if ((values[LATTICE] && set_lattice(s, values[LATTICE], f, err)) ||
        (values[PROPERTIES] && set_columns(s, values[PROPERTIES], err)) ||
        (values[PBC] && parse_pbc(s, values[PBC], &periodic, err)))
        return -1;
    if (values[PBC]) f->cell.periodic = periodic;
    if (values[STEP] && !trj_parse_i64(values[STEP], &f->step)) f->step = TRJ_NO_STEP;
    double time, ps;
    if (!values[TIME] || !values[TIME_UNIT] || !trj_unit_time(values[TIME_UNIT], &ps)) return 0;
    if (!trj_parse_real(values[TIME], &time))
        return trj_lines_fail(l, err, "time: '%.40s' is not a number", values[TIME]);
    f->time = time * ps;
    return 0;
}

// ---- the comment of i-PI

static const struct {
    const char *name;
    double angstrom;
} lengths[] = {{"atomic_unit", TRJ_BOHR}, {"bohr", TRJ_BOHR}, {"angstrom", 1}, {"nanometer", 10}};

// Parses `{unit}` of `name{unit}`, at its brace. Sets *unit in Å.
static int parse_unit(struct xyz *s, const char *brace, double *unit, struct trj_error *err) {
    size_t n = strcspn(brace + 1, "}");
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (strlen(lengths[i].name) == n && !strncmp(brace + 1, lengths[i].name, n)) {
            *unit = lengths[i].angstrom;
            return 0;
        }
    return trj_lines_fail(&s->text.lines, err, "'%.*s' is not a known unit of length", (int)(n < 40 ? n : 40),
                          brace + 1);
}

static int read_units(struct xyz *s, const char *comment, double *cell, double *x, struct trj_error *err) {
    static const struct {
        const char *name;
        bool cell;
    } known[] = {{"cell", true}, {"positions", false}, {"x_centroid", false}};
    enum { KNOWN = sizeof known / sizeof *known };
    for (const char *p = comment, *brace; (brace = strchr(p, '{')); p = brace + 1) {
        const char *name = brace;
        while (name > comment && !trj_is_blank(name[-1])) name--;
        size_t n = (size_t)(brace - name), k = 0;
        if (n == 4 && !strncmp(name, "CELL", n)) continue; // CELL{abcABC}
        while (k < KNOWN && (strlen(known[k].name) != n || strncmp(name, known[k].name, n))) k++;
        if (k == KNOWN)
            return trj_lines_fail(&s->text.lines, err, "these are %.*s, not positions", (int)(n < 40 ? n : 40), name);
        if (parse_unit(s, brace, known[k].cell ? cell : x, err)) return -1;
    }
    return 0;
}

static int read_ipi(struct xyz *s, struct trj_frame *f, struct trj_error *err) {
    const struct trj_lines *l = &s->text.lines;
    const char *p = strstr(l->text, "CELL"), *step = strstr(l->text, "Step:");
    double v[6], cosine[3], cell = NAN, x = NAN; // cell, x: units in Å; NAN: the comment gives none
    if (strncmp(p + 5, "abcABC", 6) || !strchr(")}]", p[11]) || p[12] != ':')
        return trj_lines_fail(l, err, "%.20s: of the cells of i-PI, only CELL(abcABC) is supported", p);
    p += 13;
    for (int k = 0; k < 6; k++) {
        while (trj_is_blank(*p)) p++;
        if (!(p = trj_scan_real(p, &v[k])) || (*p && !trj_is_blank(*p)))
            return trj_lines_fail(l, err, "CELL(abcABC): number %d of 6 is missing or invalid", k + 1);
    }
    if (read_units(s, l->text, &cell, &x, err)) return -1;
    s->bohr = isnan(x);
    if (isnan(x))
        s->note = "the comment with CELL has no unit of the positions: they are assumed to be in bohr (0.529177 "
                  "Angstrom), as "
                  "i-PI writes";
    else if (isnan(cell))
        s->note = "the comment with CELL has no unit of the cell: it is assumed to be in bohr (0.529177 Angstrom), as "
                  "i-PI writes";
    if (isnan(x)) x = TRJ_BOHR;
    if (isnan(cell)) cell = TRJ_BOHR;
    for (int k = 0; k < 3; k++) {
        if (!(v[3 + k] > 0 && v[3 + k] < 180))
            return trj_lines_fail(l, err, "CELL(abcABC): an angle of %g degrees", v[3 + k]);
        v[k] *= cell;
        cosine[k] = trj_cosine(v[3 + k]);
    }
    if (trj_cell_set(&f->cell, v, cosine, err)) return trj_fail_at(err, "line %llu", (unsigned long long)l->number);
    f->unit = x;
    if (step) {
        step += strlen("Step:") + strspn(step + strlen("Step:"), " \t");
        int64_t n;
        if (trj_scan_i64(step, &n)) f->step = n;
    }
    return 0;
}

// ---- comments of other programs

// Finds "KEY =" at the start of a word, and scans the number after it.
static bool scan_value(const char *comment, const char *key, double *value) {
    size_t n = strlen(key);
    for (const char *p = comment; (p = strstr(p, key)); p += n) {
        const char *word = p + n + strspn(p + n, " \t");
        if ((p > comment && !strchr(" \t,", p[-1])) || *word++ != '=') continue;
        word += strspn(word, " \t");
        if ((word = trj_scan_real(word, value)) && (!*word || strchr(" \t,", *word))) return true;
        if (!word) return false;
    }
    return false;
}

// Reads step and time (fs) of CP2K, "i = 5, time = 2.500, E = -17.1", and the step of LAMMPS, "Atoms. Timestep: 100".
// Returns whether the comment is one of CP2K.
static bool read_plain(const char *comment, struct trj_frame *f) {
    static const char lammps[] = "Atoms. Timestep: ";
    const char *text = comment + strspn(comment, " \t");
    double step, fs, energy;
    int64_t n;
    if (!strncmp(text, lammps, strlen(lammps))) {
        const char *end = trj_scan_i64(text + strlen(lammps), &n);
        if (end && (!*end || trj_is_blank(*end))) f->step = n;
    } else if (*text == 'i' && scan_value(text, "i", &step) && scan_value(text, "E", &energy)) {
        if (step == floor(step) && fabs(step) < 0x1p53) f->step = (int64_t)step;
        if (scan_value(text, "time", &fs)) f->time = fs / 1000;
        return true;
    }
    return false;
}

// Sets the cell of a frame of CP2K, whose comments have none, from the file beside it.
static int read_cp2k_cell(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct xyz *s = r->internals->state;
    if (!s->cp2k || r->internals->cell_given) return 0;
    if (!s->cells_opened && trj_cp2k_cell_open(&s->cells, trj_input_name(r->in), err)) return -1;
    s->cells_opened = true;
    return s->cells ? trj_cp2k_cell_read(s->cells, f->step, &f->cell, err) : 0;
}

// ---- frames

// Reads the line with the number of atoms. Blank lines before it are ignored: many files end with some. Returns 1, 0 at
// the end, -1.
static int read_count(struct trj_reader *r, uint64_t *count, struct trj_error *err) {
    struct xyz *s = r->internals->state;
    int got;
    char *rest, *word = NULL;
    while ((got = trj_lines_next(&s->text.lines, err)) > 0) {
        rest = s->text.lines.text;
        if ((word = trj_next_word(&rest))) break;
    }
    if (got <= 0) return got;
    if (trj_text_count(r, word, count, err)) return -1;
    if ((word = trj_next_word(&rest)))
        return trj_lines_fail(&s->text.lines, err, "'%.40s' after the number of atoms", word);
    return 1;
}

static int read_comment(struct xyz *s, struct trj_frame *f, struct trj_error *err) {
    f->cell = (struct trj_cell){0};
    f->step = TRJ_NO_STEP;
    f->time = NAN;
    f->unit = 1;
    *s->layout = (struct layout){.columns = plain_columns};
    s->has_momenta = false;
    if (s->identity) trj_columns_add_identity(&s->layout->columns, 0, TRJ_XYZ_SPECIES);
    if (trj_text_line(&s->text, "the comment", err)) return -1;
    s->dialect = dialect_of(s->text.lines.text);
    switch (s->dialect) {
    case EXTENDED:
        return read_extended(s, f, err);
    case IPI:
        return read_ipi(s, f, err);
    default:
        s->cp2k = read_plain(s->text.lines.text, f);
        if (strstr(s->text.lines.text, "CELL") ||
            trj_xyz_has_key(s->text.lines.text, strlen(s->text.lines.text), "cell") ||
            trj_xyz_has_key(s->text.lines.text, strlen(s->text.lines.text), "lattice"))
            s->note = "the comment names a cell or lattice in an unknown form, which is not read; give the cell with "
                      "trjcat --cell";
        return 0;
    }
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct xyz *s = r->internals->state;
    uint64_t count;
    int got = read_count(r, &count, err);
    if (got <= 0) return got;
    s->layout = p->own;
    s->identity = r->internals->identity;
    s->velocities = r->internals->motion;
    s->note = NULL;
    s->cp2k = false;
    if (read_comment(s, &p->frame, err) || read_cp2k_cell(r, &p->frame, err)) return -1;
    s->layout->momenta = s->velocities && s->has_momenta;
    if (s->note) r->note = s->note;
    return trj_text_take_atoms(r, p, count, err) ? -1 : 1;
}

// Returns the mass of an atom in u, in its column or, as in ASE, that of its element. NaN: it is unknown.
static double mass_of(const struct trj_row *row) {
    const struct trj_identity_field *mass = &row->identity[TRJ_XYZ_MASS], *species = &row->identity[TRJ_XYZ_SPECIES],
                                    *number = &row->identity[TRJ_XYZ_NUMBER];
    double value = NAN;
    int64_t z = 0;
    if (mass->length) return trj_scan_real(mass->text, &value) == mass->text + mass->length ? value : (double)NAN;
    if (species->length) z = trj_element_find_exact(species->text, species->length);
    if (!z && number->length && (trj_scan_i64(number->text, &z) != number->text + number->length || z > TRJ_ELEMENTS))
        z = 0;
    return z > 0 ? trj_elements[z].mass : (double)NAN;
}

static int put_velocity(struct trj_frame *f, uint32_t picked, const struct trj_lines *l, size_t atom,
                        const struct trj_row *row, struct trj_error *err) {
    const double mass = mass_of(row);
    if (!(mass > 0))
        return trj_lines_fail(l, err,
                              "atom %zu: its mass is %s, so that its velocity cannot be computed from its momentum; "
                              "add a column masses:R:1, or leave velocity out of --carry",
                              atom, mass == 0 ? "0" : "unknown");
    for (int k = 0; k < 3; k++)
        f->motion->velocity[k][picked] = (float)((double)row->velocity[k] / mass * TRJ_ASE_VELOCITY);
    return 0;
}

static int xyz_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    const bool momenta = ((const struct layout *)p->own)->momenta;
    const struct trj_columns *own = &((const struct layout *)p->own)->columns;
    struct trj_row row = {.id = 0};
    if (momenta && trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
    if (momenta) p->frame.motion->unit = 1;
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        bool skips = trj_text_can_skip(&l, picked);
        if (!skips && trj_text_row(&l, own, i, &row, err)) return -1;
        if (r->internals->identity && skips) trj_text_row_identity(&l, own, &row);
        if (r->internals->identity && trj_atom_identity_words(r->internals->identity, &identity_layout, i, row.identity,
                                                              own->identity_fields, p->difference, err))
            return -1;
        if (!skips) trj_text_put(&p->frame, picked, row.x);
        if (momenta && picked != TRJ_NOT_PICKED && put_velocity(&p->frame, picked, &l, i, &row, err)) return -1;
    }
    return 0;
}

// Rejects a frame in an assumed unit if a tenth of its atoms, of at most SAMPLE, are nearer to another atom than any
// bond length. The shortest bond is that of H2, 0.74 Å; an O-H bond in Å that is misread as bohr would have 0.51 Å.
static int check_bonds(const struct trj_frame *f, struct trj_error *err) {
    enum { SAMPLE = 100 };
    const float shortest = (float)(0.65 / f->unit);
    size_t step = f->atoms / SAMPLE + 1, sampled = 0, too_close = 0;
    float min = INFINITY; // smallest squared distance
    for (size_t i = 0; i < f->atoms; i += step, sampled++) {
        float nearest = INFINITY;
        for (size_t j = 0; j < f->atoms; j++) {
            float dx = f->x[0][j] - f->x[0][i], dy = f->x[1][j] - f->x[1][i], dz = f->x[2][j] - f->x[2][i];
            float r2 = dx * dx + dy * dy + dz * dz;
            if (j != i && r2 < nearest) nearest = r2;
        }
        too_close += nearest < shortest * shortest;
        if (nearest < min) min = nearest;
    }
    if (10 * too_close < sampled || !too_close) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "frame 0: the comment with CELL has no unit of the positions, and in bohr, as i-PI writes, atoms "
                    "are %.3g Angstrom apart, closer than any bond; write the unit into the comments, as "
                    "'positions{angstrom} cell{angstrom}'",
                    sqrt((double)min) * f->unit);
}

static int xyz_open(struct trj_reader *r, struct trj_error *err) {
    static const char *const names[] = {[PLAIN] = "XYZ", [EXTENDED] = "extended XYZ", [IPI] = "XYZ of i-PI"};
    r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){
        TRJ_VELOCITY_UNIT, "extended XYZ, momenta in the unit of ASE, sqrt(u eV), divided by the masses"};
    if (trj_text_open(r, sizeof(struct xyz), read_raw_frame, err)) return -1; // reads frame 0
    const struct xyz *s = r->internals->state;
    if (s->bohr && check_bonds(&s->text.first.frame, err)) return -1;
    if (s->has_momenta) r->holds = TRJ_HAS_VELOCITY;
    if (r->internals->motion && !s->has_momenta)
        return trj_fail(err, TRJ_USAGE,
                        "--carry velocity: the first frame has no momenta; write them with ASE, as Properties=...:"
                        "momenta:R:3 in extended XYZ, or leave velocity out");
    snprintf(r->dialect, sizeof r->dialect, "%s%s", names[s->dialect],
             s->cells  ? " of CP2K, with cells of a .cell file"
             : s->cp2k ? " of CP2K"
                       : "");
    const char *path = trj_input_name(r->in);
    if (s->cp2k && strstr(path, "-vel-"))
        r->note = "by its name, CP2K has written velocities into this file, in bohr per atomic unit of time: they are "
                  "read as positions; give the file -pos- instead";
    else if (s->cp2k && strstr(path, "-frc-"))
        r->note =
            "by its name, CP2K has written forces into this file, in hartree per bohr: they are read as positions; "
            "give the file -pos- instead";
    return 0;
}

static void xyz_close(struct trj_reader *r) {
    struct xyz *s = r->internals->state;
    if (s) trj_cp2k_cell_close(s->cells);
    trj_text_close(r);
}

static int xyz_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static bool xyz_is(const unsigned char *head, size_t n) {
    return trj_xyz_is((const char *)head, n);
}

static const struct trj_format_ops ops = {
    .is = xyz_is,
    .open = xyz_open,
    .read_raw = xyz_read_raw,
    .decode = xyz_decode,
    .own = sizeof(struct layout),
    .motion = TRJ_HAS_VELOCITY,
    .frame_topology = trj_text_frame_topology,
    .close = xyz_close,
};

const struct trj_format trj_format_xyz = {
    .name = "xyz",
    .help = "XYZ: plain, extended (Lattice, Properties, pbc), of i-PI (cell and units in the comment)",
    .endings = {".xyz", ".extxyz"},
    .topology = "XYZ",
    .ops = &ops,
};
