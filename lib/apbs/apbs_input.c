// SPDX-License-Identifier: MIT
// Reads a template word by word and records edits of its text, so that everything that is not edited, comments too, is
// copied as it is.
#include "apbs_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apbs_words.h"
#include "cell.h"
#include "input.h"
#include "memory.h"

enum {
    MOLECULES_MAX = 20, // NOSH_MAXMOL of APBS
    DIME_MAX = 1 << 16,
    FACTOR = 32,       // 2^(l+1) for the l = 4 levels that APBS requires of a dime above SMALL
    SMALL = 65,        // the largest dime with fewer levels
    SMALL_FACTOR = 16, // for l = 3; with 1 level, as for 61 points, APBS 3.4.1 did not end within 10 minutes
};
static const double POINTS_MAX = 0x7fffffff; // APBS counts points with int

// Keywords of an ELEC section whose values are used. Each may occur once, except for ION.
enum key { DIME, GLEN, GRID, CGLEN, GCENT, CGCENT, MOL, BCFL, PDIE, SDIE, TEMP, USEMAP_POT, KEYS };

struct section {
    bool automatic;  // mg-auto
    size_t kind_end; // offset after the word mg-manual or mg-auto
    bool seen[KEYS];
    double glen[3], grid[3], cglen[3], center[3], ccenter[3];
    uint64_t center_molecule, ccenter_molecule, molecule; // 0: numbers are given
};

struct reading {
    struct pot_apbs *a;
    struct pot_apbs_words w;
    struct section s;
    bool found;
    unsigned usable; // ELEC sections of the kinds that can be used
    unsigned molecules, maps, stems;
    struct molecule {
        size_t offset, length; // of the path
        bool pqr;
    } molecule[MOLECULES_MAX];
    bool has_read;
    size_t read_end; // where a line can be added to the last READ section
};

static int fail_value(struct reading *r, const char *what, const char *expected, struct trj_error *err) {
    trj_error_set(err, TRJ_BAD_DATA, "%s: invalid value '%.*s': expected %s", what,
                  (int)(r->w.length < 40 ? r->w.length : 40), r->w.text + r->w.begin, expected);
    return pot_apbs_fail(&r->w, err);
}

// Adds an edit of `length` bytes at `offset`, in ascending order.
static void add_edit(struct pot_apbs *a, struct pot_apbs_edit edit) {
    unsigned i = a->edit_count++;
    for (; i && a->edit[i - 1].offset > edit.offset; i--) a->edit[i] = a->edit[i - 1];
    a->edit[i] = edit;
}

// Fails for a word that begins a section within another one.
static int check_inside(struct reading *r, const char *section, struct trj_error *err) {
    static const char *const begin[] = {"read", "elec", "apolar", "print", "quit"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        if (!pot_apbs_is(&r->w, begin[i])) continue;
        trj_error_set(err, TRJ_BAD_DATA, "'%s' within the section %s: its END is missing", begin[i], section);
        return pot_apbs_fail(&r->w, err);
    }
    return 0;
}

// Reads the next word of a section. Returns 1, 0 after END, or -1.
static int next_in(struct reading *r, const char *section, struct trj_error *err) {
    char what[48];
    snprintf(what, sizeof what, "the END of the section %s", section);
    if (pot_apbs_require(&r->w, what, err)) return -1;
    return pot_apbs_is(&r->w, "end") ? 0 : check_inside(r, section, err) ? -1 : 1;
}

static int skip_section(struct reading *r, const char *section, struct trj_error *err) {
    int got;
    while ((got = next_in(r, section, err)) > 0) {}
    return got;
}

// Reads the rest of `write KIND FORMAT STEM` or `writemat KIND STEM`, if the current word is one of them. Returns 1, 0
// if it is not, or -1.
static int read_write(struct reading *r, struct trj_error *err) {
    int words = pot_apbs_is(&r->w, "write") ? 2 : pot_apbs_is(&r->w, "writemat") ? 1 : 0;
    if (!words) return 0;
    for (int i = 0; i < words; i++)
        if (pot_apbs_require(&r->w, "the kind or format of a file to write", err)) return -1;
    if (pot_apbs_require_path(&r->w, "the name of a file to write", err)) return -1;
    if (r->stems++ == POT_APBS_STEMS) {
        trj_error_set(err, TRJ_BAD_DATA, "more than %d files to write; remove some", POT_APBS_STEMS);
        return pot_apbs_fail(&r->w, err);
    }
    size_t end = r->w.begin + r->w.length;
    if (r->w.text[end - 1] == '"') end--;
    add_edit(r->a, (struct pot_apbs_edit){end, 0, POT_APBS_STEM, 0});
    return 1;
}

// ---- READ

static int read_molecule(struct reading *r, struct trj_error *err) {
    struct molecule *m = &r->molecule[r->molecules];
    if (r->molecules == MOLECULES_MAX) {
        trj_error_set(err, TRJ_BAD_DATA, "more than %d molecules", MOLECULES_MAX);
        return pot_apbs_fail(&r->w, err);
    }
    if (pot_apbs_require(&r->w, "the format of a molecule", err)) return -1;
    m->pqr = pot_apbs_is(&r->w, "pqr");
    if (pot_apbs_require_path(&r->w, "the path of a molecule", err)) return -1;
    m->offset = r->w.begin;
    m->length = r->w.length;
    r->molecules++;
    return 0;
}

// Reads the format and the paths of another file.
static int skip_file(struct reading *r, unsigned paths, struct trj_error *err) {
    if (pot_apbs_require(&r->w, "the format of a file", err)) return -1;
    for (unsigned i = 0; i < paths; i++)
        if (pot_apbs_require_path(&r->w, "the path of a file", err)) return -1;
    return 0;
}

static int read_read(struct reading *r, struct trj_error *err) {
    int got;
    while ((got = next_in(r, "READ", err)) > 0) {
        bool map = pot_apbs_is(&r->w, "pot");
        r->maps += map;
        if (pot_apbs_is(&r->w, "mol")) {
            if (read_molecule(r, err)) return -1;
        } else if (pot_apbs_is(&r->w, "parm")) {
            trj_error_set(err, TRJ_BAD_DATA,
                          "READ parm: APBS would replace the charges and radii of the atoms; remove it");
            return pot_apbs_fail(&r->w, err);
        } else if (pot_apbs_is(&r->w, "diel")) {
            if (skip_file(r, 3, err)) return -1;
        } else if (map || pot_apbs_is(&r->w, "kappa") || pot_apbs_is(&r->w, "charge") || pot_apbs_is(&r->w, "mesh")) {
            if (skip_file(r, 1, err)) return -1;
        } else {
            return fail_value(r, "READ", "mol, diel, kappa, pot, charge, mesh or end", err);
        }
    }
    if (got < 0) return -1;
    // If END is the first word of its line, the line of the map precedes that line.
    size_t offset = r->w.begin;
    while (offset && (r->w.text[offset - 1] == ' ' || r->w.text[offset - 1] == '\t')) offset--;
    r->read_end = offset && r->w.text[offset - 1] != '\n' ? r->w.begin : offset;
    r->has_read = true;
    return 0;
}

// ---- ELEC

static int read_lengths(struct reading *r, const char *key, double to[3], struct trj_error *err) {
    for (int k = 0; k < 3; k++)
        if (pot_apbs_real(&r->w, key, TRJ_SHORTEST, TRJ_FARTHEST, &to[k], err)) return -1;
    return 0;
}

static int read_dime(struct reading *r, struct trj_error *err) {
    for (unsigned k = 0; k < 3; k++) {
        if (pot_apbs_count(&r->w, "dime", 3, DIME_MAX, &r->a->dime[k], err)) return -1;
        add_edit(r->a, (struct pot_apbs_edit){r->w.begin, r->w.length, POT_APBS_DIME, k});
    }
    return 0;
}

// Reads "mol NUMBER" or three coordinates.
static int read_center(struct reading *r, const char *key, double to[3], uint64_t *molecule, struct trj_error *err) {
    struct pot_apbs_words before = r->w;
    if (pot_apbs_require(&r->w, key, err)) return -1;
    if (pot_apbs_is(&r->w, "mol")) return pot_apbs_count(&r->w, key, 1, MOLECULES_MAX, molecule, err);
    r->w = before;
    for (int k = 0; k < 3; k++)
        if (pot_apbs_real(&r->w, key, -TRJ_FARTHEST, TRJ_FARTHEST, &to[k], err)) return -1;
    return 0;
}

// Reads "charge Q conc C radius R" in any order, or the older "Q C R".
static int read_ion(struct reading *r, struct trj_error *err) {
    static const char *const names[] = {"charge", "conc", "radius"};
    double value[3] = {NAN, NAN, NAN};
    struct pot_apbs_words before = r->w;
    if (r->a->ions.count == POT_IONS_MAX) return fail_value(r, "ELEC", "at most 10 ions", err);
    if (pot_apbs_require(&r->w, "the values of an ion", err)) return -1;
    bool keys = strchr("cCrR", r->w.text[r->w.begin]) != NULL;
    r->w = before;
    for (int i = 0; i < 3; i++) {
        int k = i;
        if (keys && pot_apbs_require(&r->w, "the values of an ion", err)) return -1;
        for (k = keys ? 0 : k; keys && k < 3 && !pot_apbs_is(&r->w, names[k]); k++) {}
        if (k == 3 || !isnan(value[k])) return fail_value(r, "ion", "charge, conc and radius, each once", err);
        if (pot_apbs_real(&r->w, names[k], k ? 0 : -TRJ_FARTHEST, TRJ_FARTHEST, &value[k], err)) return -1;
    }
    r->a->ions.ion[r->a->ions.count++] = (struct pot_ion){value[0], value[1], value[2]};
    return 0;
}

static int read_bcfl(struct reading *r, struct trj_error *err) {
    if (pot_apbs_require(&r->w, "the value of bcfl", err)) return -1;
    if (!pot_apbs_is(&r->w, "zero") && !pot_apbs_is(&r->w, "sdh") && !pot_apbs_is(&r->w, "mdh") &&
        !pot_apbs_is(&r->w, "map"))
        return fail_value(r, "bcfl", "zero, sdh, mdh or map, which are replaced by map", err);
    add_edit(r->a, (struct pot_apbs_edit){r->w.begin, r->w.length, POT_APBS_BCFL, 0});
    return 0;
}

static int read_map_number(struct reading *r, struct trj_error *err) {
    uint64_t ignored;
    if (pot_apbs_count(&r->w, "usemap pot", 1, MOLECULES_MAX, &ignored, err)) return -1;
    add_edit(r->a, (struct pot_apbs_edit){r->w.begin, r->w.length, POT_APBS_MAP_NUMBER, 0});
    return 0;
}

static int once(struct reading *r, enum key key, struct trj_error *err) {
    if (!r->s.seen[key]) {
        r->s.seen[key] = true;
        return 0;
    }
    trj_error_set(err, TRJ_BAD_DATA, "'%.*s' occurs twice in the section ELEC; remove one", (int)r->w.length,
                  r->w.text + r->w.begin);
    return pot_apbs_fail(&r->w, err);
}

static int read_key(struct reading *r, enum key key, struct trj_error *err) {
    struct section *s = &r->s;
    if (once(r, key, err)) return -1;
    switch (key) {
    case DIME:
        return read_dime(r, err);
    case GLEN:
        return read_lengths(r, "glen", s->glen, err);
    case GRID:
        return read_lengths(r, "grid", s->grid, err);
    case CGLEN:
        return read_lengths(r, "cglen", s->cglen, err);
    case GCENT:
        return read_center(r, "gcent", s->center, &s->center_molecule, err);
    case CGCENT:
        return read_center(r, "cgcent", s->ccenter, &s->ccenter_molecule, err);
    case MOL:
        return pot_apbs_count(&r->w, "mol", 1, MOLECULES_MAX, &s->molecule, err);
    case BCFL:
        return read_bcfl(r, err);
    case PDIE:
        return pot_apbs_real(&r->w, "pdie", 1, 1e6, &r->a->pdie, err);
    case SDIE:
        return pot_apbs_real(&r->w, "sdie", 1, 1e6, &r->a->sdie, err);
    case TEMP:
        return pot_apbs_real(&r->w, "temp", 1e-3, 1e6, &r->a->temperature, err);
    default:
        return read_map_number(r, err);
    }
}

static const char *const key_names[] = {"dime", "glen", "grid", "cglen", "gcent", "cgcent",
                                        "mol",  "bcfl", "pdie", "sdie",  "temp"};

// Reads the words after other keywords, so that none of them is taken for a keyword.
static int skip_key(struct reading *r, struct trj_error *err) {
    static const struct {
        const char *name;
        unsigned words;
    } keys[] = {{"usemap", 1},    {"chgm", 1}, {"srfm", 1}, {"srad", 1},  {"swin", 1},  {"sdens", 1}, {"calcenergy", 1},
                {"calcforce", 1}, {"etol", 1}, {"nlev", 1}, {"fglen", 3}, {"gamma", 1}, {"smpbe", 4}};
    double ignored[3];
    uint64_t number;
    if (pot_apbs_is(&r->w, "fgcent")) return read_center(r, "fgcent", ignored, &number, err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!pot_apbs_is(&r->w, keys[i].name)) continue;
        for (unsigned n = 0; n < keys[i].words; n++)
            if (pot_apbs_require(&r->w, keys[i].name, err)) return -1;
        return 0;
    }
    return 0;
}

static int read_elec_word(struct reading *r, struct trj_error *err) {
    int written = read_write(r, err);
    if (written) return written < 0 ? -1 : 0;
    for (size_t k = 0; k < sizeof key_names / sizeof *key_names; k++)
        if (pot_apbs_is(&r->w, key_names[k])) return read_key(r, (enum key)k, err);
    if (pot_apbs_is(&r->w, "ion")) return read_ion(r, err);
    bool map = pot_apbs_is(&r->w, "usemap");
    if (skip_key(r, err)) return -1;
    if (!map) return 0;
    if (pot_apbs_is(&r->w, "pot")) return read_key(r, USEMAP_POT, err);
    return pot_apbs_require(&r->w, "the number of a map", err);
}

// Reads a section that is not used, of which only the names of written files change.
static int skip_elec(struct reading *r, struct trj_error *err) {
    int got;
    while ((got = next_in(r, "ELEC", err)) > 0)
        if (read_write(r, err) < 0) return -1;
    return got;
}

static int read_elec(struct reading *r, struct trj_error *err) {
    int got = next_in(r, "ELEC", err);
    if (got > 0 && pot_apbs_is(&r->w, "name"))
        got = pot_apbs_require(&r->w, "the name of a section", err) ? -1 : next_in(r, "ELEC", err);
    if (got <= 0) return got;
    bool automatic = pot_apbs_is(&r->w, "mg-auto"), usable = automatic || pot_apbs_is(&r->w, "mg-manual");
    r->usable += usable;
    if (!usable || r->found) return skip_elec(r, err);
    r->found = true;
    r->s = (struct section){.automatic = automatic, .kind_end = r->w.offset};
    while ((got = next_in(r, "ELEC", err)) > 0)
        if (read_elec_word(r, err)) return -1;
    return got;
}

// ---- the whole file

static int read_sections(struct reading *r, struct trj_error *err) {
    int got, rc = 0;
    while (!rc && (got = pot_apbs_next(&r->w, err))) {
        if (got < 0) return -1;
        if (pot_apbs_is(&r->w, "quit")) break;
        if (pot_apbs_is(&r->w, "read"))
            rc = read_read(r, err);
        else if (pot_apbs_is(&r->w, "elec"))
            rc = read_elec(r, err);
        else if (pot_apbs_is(&r->w, "apolar"))
            rc = skip_section(r, "APOLAR", err);
        else if (pot_apbs_is(&r->w, "print"))
            rc = skip_section(r, "PRINT", err);
        else
            rc = fail_value(r, "section", "READ, ELEC, APOLAR, PRINT or QUIT", err);
    }
    return rc;
}

static int check_keys(const struct reading *r, struct trj_error *err) {
    const struct section *s = &r->s;
    const enum key needed[] = {DIME, s->automatic ? CGCENT : GCENT, MOL, BCFL, SDIE, TEMP};
    const char *missing = NULL;
    if (!r->found)
        return trj_fail(err, TRJ_BAD_DATA,
                        "no ELEC section of the kind mg-manual or mg-auto, which are the supported kinds");
    if (!r->has_read) return trj_fail(err, TRJ_BAD_DATA, "the section READ is missing");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!s->seen[needed[i]]) missing = key_names[needed[i]];
    if (s->automatic && !s->seen[CGLEN]) missing = "cglen";
    if (!s->automatic && !s->seen[GLEN] && !s->seen[GRID]) missing = "glen";
    if (missing) return trj_fail(err, TRJ_BAD_DATA, "the section ELEC lacks the keyword %s", missing);
    if (!s->automatic && s->seen[GLEN] && s->seen[GRID])
        return trj_fail(err, TRJ_BAD_DATA, "the section ELEC has both glen and grid; remove one");
    return pot_ions_check(&r->a->ions, err);
}

static int check_molecule(struct reading *r, struct trj_error *err) {
    uint64_t number = r->s.molecule, center = r->s.automatic ? r->s.ccenter_molecule : r->s.center_molecule;
    if (number > r->molecules)
        return trj_fail(err, TRJ_BAD_DATA, "mol %llu: the section READ has %u molecules", (unsigned long long)number,
                        r->molecules);
    const struct molecule *m = &r->molecule[number - 1];
    if (!m->pqr)
        return trj_fail(err, TRJ_BAD_DATA, "molecule %llu is not in the format pqr, which copies of the file contain",
                        (unsigned long long)number);
    if (center && center != number)
        return trj_fail(err, TRJ_BAD_DATA,
                        "the box is about molecule %llu, but the charges are those of molecule %llu; give the same "
                        "number, or three coordinates",
                        (unsigned long long)center, (unsigned long long)number);
    add_edit(r->a, (struct pot_apbs_edit){m->offset, m->length, POT_APBS_MOLECULE, 0});
    return 0;
}

static uint64_t round_up(uint64_t dime) {
    uint64_t factor = dime <= SMALL ? SMALL_FACTOR : FACTOR;
    return (dime - 1 + factor - 1) / factor * factor + 1;
}

static int set_box(struct reading *r, struct trj_error *err) {
    struct pot_apbs *a = r->a;
    const struct section *s = &r->s;
    uint64_t given[3] = {a->dime[0], a->dime[1], a->dime[2]};
    for (int k = 0; k < 3; k++) {
        a->dime[k] = round_up(given[k]);
        double cells = (double)(given[k] - 1);
        a->glen[k] = s->automatic ? s->cglen[k] : s->seen[GLEN] ? s->glen[k] : s->grid[k] * cells;
        a->center[k] = s->automatic ? s->ccenter[k] : s->center[k];
    }
    a->about_molecule = (s->automatic ? s->ccenter_molecule : s->center_molecule) != 0;
    if ((double)a->dime[0] * (double)a->dime[1] * (double)a->dime[2] > POINTS_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "dime %llu %llu %llu: APBS computes at most 2^31 - 1 points",
                        (unsigned long long)given[0], (unsigned long long)given[1], (unsigned long long)given[2]);
    if (memcmp(given, a->dime, sizeof given) != 0)
        snprintf(a->note[0], sizeof a->note[0],
                 "dime %llu %llu %llu is rounded up to %llu %llu %llu, which the multigrid solver requires",
                 (unsigned long long)given[0], (unsigned long long)given[1], (unsigned long long)given[2],
                 (unsigned long long)a->dime[0], (unsigned long long)a->dime[1], (unsigned long long)a->dime[2]);
    return 0;
}

static int read_file(struct pot_apbs *a, const char *path, struct trj_error *err) {
    struct trj_input *in = NULL;
    a->text = trj_alloc(POT_APBS_SIZE_MAX + 2, 1, "an input of APBS", err);
    if (!a->text || trj_input_open(&in, path, err)) return -1;
    int rc = trj_input_read_some(in, a->text, POT_APBS_SIZE_MAX + 1, &a->size, err);
    trj_input_close(in);
    if (!rc && a->size > POT_APBS_SIZE_MAX)
        rc = trj_fail(err, TRJ_BAD_DATA, "more than %d bytes, the limit for an input of APBS", POT_APBS_SIZE_MAX);
    if (!rc && memchr(a->text, 0, a->size))
        rc = trj_fail(err, TRJ_BAD_DATA, "contains a zero byte: not an input of APBS");
    return rc ? trj_fail_at(err, "%s", path) : 0;
}

static int read_text(struct reading *r, struct trj_error *err) {
    struct pot_apbs *a = r->a;
    r->w.text = a->text;
    if (read_sections(r, err) || check_keys(r, err) || check_molecule(r, err) || set_box(r, err)) return -1;
    a->map = r->maps + 1;
    add_edit(a, (struct pot_apbs_edit){r->read_end, 0, POT_APBS_MAP, 0});
    if (!r->s.seen[USEMAP_POT]) add_edit(a, (struct pot_apbs_edit){r->s.kind_end, 0, POT_APBS_USEMAP, 0});
    if (r->usable > 1)
        snprintf(a->note[1], sizeof a->note[1],
                 "the first of %u ELEC sections of the kinds mg-manual and mg-auto gets these boundary values; the "
                 "others are unchanged",
                 r->usable);
    return 0;
}

int pot_apbs_read(struct pot_apbs *a, const char *path, struct trj_error *err) {
    *a = (struct pot_apbs){.pdie = NAN};
    struct reading *r = trj_alloc(1, sizeof *r, "an input of APBS", err);
    if (!r) return -1;
    r->a = a;
    int rc = read_file(a, path, err);
    if (!rc && read_text(r, err)) rc = trj_fail_at(err, "%s", path);
    free(r);
    return rc;
}

void pot_apbs_free(struct pot_apbs *a) {
    free(a->text);
    *a = (struct pot_apbs){.size = 0};
}

void pot_apbs_center(const double (*position)[3], size_t count, double center[3]) {
    for (int k = 0; k < 3; k++) {
        double low = position[0][k], high = low;
        for (size_t i = 1; i < count; i++) {
            low = fmin(low, position[i][k]);
            high = fmax(high, position[i][k]);
        }
        center[k] = 0.5 * (high + low);
    }
}
