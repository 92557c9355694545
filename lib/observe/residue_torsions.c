// SPDX-License-Identifier: MIT
// Computes torsion angles of the backbone and the side chains of all amino acids of a selection.
//
// Names and signs: IUPAC-IUB Commission on Biochemical Nomenclature, Biochemistry 9, 3471 (1970). A residue without the
// angle, such as the first one of a chain for phi, has no column, so that a column never belongs to another residue.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "division.h"
#include "functions.h"
#include "memory.h"
#include "parts.h"
#include "residue_names.h"
#include "system.h"
#include "torsion_angle.h"

enum angle { PHI, PSI, OMEGA, CHI1, CHI2, CHI3, CHI4, CHI5 };
enum { N, CA, C, BACKBONE };
enum { SIDE_CHAIN = 8 }; // CA, CB and further atoms
enum { LISTED = 8 };     // residues without the angle that the header names
#define BOND_MAX   2.5   // Å, of the bonds of a torsion: longer than C-Se and S-S
#define NO_RESIDUE SIZE_MAX
#define NO_ATOM    UINT32_MAX

// Atoms after CA and CB along the side chain. Of two equal branches, IUPAC takes the one with the lower number.
static const struct {
    const char *resname, *atoms;
} side_chains[] = {
    {"ARG", "CG CD NE CZ NH1"},
    {"ASN", "CG OD1"},
    {"ASP", "CG OD1"},
    {"CYS", "SG"},
    {"DAB", "CG ND"},
    {"GLN", "CG CD OE1"},
    {"GLU", "CG CD OE1"},
    {"HIS", "CG ND1"},
    {"HYP", "CG CD"},
    {"ILE", "CG1 CD1|CD"},
    {"LEU", "CG CD1"},
    {"LYS", "CG CD CE NZ"},
    {"MET", "CG SD|SE CE"},
    {"ORN", "CG CD NE"},
    {"PHE", "CG CD1"},
    {"PRO", "CG CD"},
    {"PTR", "CG CD1"}, // phosphotyrosine
    {"SEP", "OG"},     // phosphoserine
    {"SER", "OG"},
    {"THR", "OG1"},
    {"TPO", "OG1"}, // phosphothreonine
    {"TRP", "CG CD1"},
    {"TYR", "CG CD1"},
    {"VAL", "CG1"},
};
enum { SIDE_CHAINS = sizeof side_chains / sizeof *side_chains };

struct torsions {
    enum angle angle;
    size_t count;
    uint32_t (*atom)[4]; // [count] of the stream
    char formula[900];
};

// What is known about the residues of the stream while an observable is opened.
struct residues {
    const struct obs_system *system;
    size_t count;                   // numbers of residues are less
    uint32_t (*backbone)[BACKBONE]; // [count] stream atoms, or NO_ATOM
    size_t *next, *before;          // [count] which residue a peptide bond connects to C, or to N; NO_RESIDUE: none
    unsigned char *bonds;           // [count] bits: which bonds of its backbone are known
    uint32_t *first, *member;       // the atoms of residue r are member[first[r]] to member[first[r + 1] - 1]
};
enum { BOND_N_CA = 1, BOND_CA_C = 2 };

static const char *text_of(const struct trj_texts *t, uint32_t atom) {
    return t->id ? t->text[t->id[atom]] : "";
}

// ------------------------------------------------------------------------------------------------------------ residues

static void free_residues(struct residues *r) {
    free(r->backbone);
    free(r->next);
    free(r->before);
    free(r->bonds);
    free(r->first);
    free(r->member);
}

// Finds the atom of a residue with one of the names "CD1|CD"; NO_ATOM if there is none. Of several, it is the first.
static uint32_t find_atom(const struct residues *r, size_t residue, const char *names, size_t length) {
    for (uint32_t i = r->first[residue]; i < r->first[residue + 1]; i++) {
        const char *name = text_of(&r->system->scope.names.name, r->member[i]);
        for (const char *p = names; p < names + length;) {
            size_t n = strcspn(p, "| ");
            if (strlen(name) == n && !memcmp(name, p, n)) return r->member[i];
            p += n + 1;
        }
    }
    return NO_ATOM;
}

static bool is_amino_acid(const struct residues *r, size_t residue) {
    const uint32_t *b = r->backbone[residue];
    return b[N] != NO_ATOM && b[CA] != NO_ATOM && b[C] != NO_ATOM;
}

static int list_atoms(struct residues *r, struct trj_error *err) {
    const struct trj_stream_header *h = r->system->header;
    const size_t atoms = h->atoms - h->centres;
    for (size_t i = 0; i < atoms; i++)
        if (h->residue[i] >= r->count) r->count = (size_t)h->residue[i] + 1;
    r->backbone = trj_alloc(r->count, sizeof *r->backbone, "residues", err);
    r->next = trj_alloc(r->count, sizeof *r->next, "residues", err);
    r->before = trj_alloc(r->count, sizeof *r->before, "residues", err);
    r->bonds = trj_alloc(r->count, sizeof *r->bonds, "residues", err);
    r->first = trj_alloc(r->count + 1, sizeof *r->first, "residues", err);
    r->member = trj_alloc(atoms, sizeof *r->member, "residues", err);
    if (!r->backbone || !r->next || !r->before || !r->bonds || !r->first || !r->member) return -1;
    for (size_t i = 0; i < atoms; i++) r->first[h->residue[i]]++;
    for (size_t i = 1; i <= r->count; i++) r->first[i] += r->first[i - 1];
    for (size_t i = atoms; i-- > 0;) r->member[--r->first[h->residue[i]]] = (uint32_t)i;
    for (size_t i = 0; i < r->count; i++) {
        static const char *const names[] = {[N] = "N", [CA] = "CA", [C] = "C"};
        for (int k = 0; k < BACKBONE; k++) r->backbone[i][k] = find_atom(r, i, names[k], strlen(names[k]));
        r->next[i] = r->before[i] = NO_RESIDUE;
    }
    return 0;
}

static void join(struct residues *r, size_t residue, size_t next) {
    r->next[residue] = next;
    r->before[next] = residue;
}

static void join_by_bonds(struct residues *r) {
    const struct trj_stream_header *h = r->system->header;
    for (size_t i = 0; h->bond && i < 2 * h->bond_count; i++) {
        uint32_t a = h->bond[i / 2][i % 2], b = h->bond[i / 2][1 - i % 2];
        if (a >= h->atoms - h->centres || b >= h->atoms - h->centres) continue;
        uint32_t ra = h->residue[a], rb = h->residue[b];
        if (ra != rb) {
            if (r->backbone[ra][C] == a && r->backbone[rb][N] == b) join(r, ra, rb);
        } else if (r->backbone[ra][CA] == a) {
            if (r->backbone[ra][N] == b) r->bonds[ra] |= BOND_N_CA;
            if (r->backbone[ra][C] == b) r->bonds[ra] |= BOND_CA_C;
        }
    }
}

// Returns whether the residue after this one continues its chain, where no bonds are known: it is of the same segment
// and molecule, and its number is equal (if only insertion codes differ) or larger by one.
static bool is_continued(const struct residues *r, size_t residue) {
    const struct trj_stream_header *h = r->system->header;
    const struct trj_topology *top = &r->system->scope.names;
    uint32_t c = r->backbone[residue][C], n = r->backbone[residue + 1][N];
    if (c == NO_ATOM || n == NO_ATOM) return false;
    if (h->molecule && h->molecule[c] != h->molecule[n]) return false;
    if (strcmp(text_of(&top->segid, c), text_of(&top->segid, n)) != 0) return false;
    if (!top->resid) return true;
    int64_t step = top->resid[n] - top->resid[c];
    return !step || step == 1;
}

// Files that list only some bonds, such as those of ligands in PDB files, do not decide about other residues.
static void join_by_numbers(struct residues *r) {
    for (size_t i = 0; i + 1 < r->count; i++) {
        bool known = r->bonds[i] & BOND_CA_C || r->bonds[i + 1] & BOND_N_CA;
        if (!known && is_continued(r, i)) join(r, i, i + 1);
    }
}

// ---------------------------------------------------------------------------------------------------------------- open

// Returns the names of the atoms of a side chain; NULL if that of the residue is not in the table.
static const char *find_side_chain(const struct residues *r, size_t residue) {
    const char *resname = text_of(&r->system->scope.names.resname, r->backbone[residue][CA]);
    for (size_t i = 0; i < SIDE_CHAINS; i++)
        if (trj_residue_has_topology_of(resname, side_chains[i].resname)) return side_chains[i].atoms;
    return NULL;
}

// Sets atom[] to the atoms of a side chain that define chi1 (`number` 1) to chi5.
static bool find_chi(const struct residues *r, size_t residue, int number, uint32_t atom[4]) {
    uint32_t chain[SIDE_CHAIN] = {r->backbone[residue][N], r->backbone[residue][CA], find_atom(r, residue, "CB", 2)};
    const char *names = find_side_chain(r, residue);
    int count = 3;
    while (names && *names && count < SIDE_CHAIN) {
        size_t n = strcspn(names, " ");
        chain[count++] = find_atom(r, residue, names, n);
        names += n + (names[n] == ' ');
    }
    if (count < number + 3) return false;
    memcpy(atom, chain + number - 1, 4 * sizeof *atom);
    return true;
}

// Sets atom[] to the atoms of the angle. Returns false if the residue has no such angle.
static bool find_torsion(const struct residues *r, enum angle angle, size_t residue, uint32_t atom[4]) {
    const uint32_t *own = r->backbone[residue];
    const size_t before = r->before[residue], next = r->next[residue];
    const uint32_t *left = before == NO_RESIDUE ? NULL : r->backbone[before],
                   *right = next == NO_RESIDUE ? NULL : r->backbone[next];
    if (!is_amino_acid(r, residue)) return false;
    if (angle == PHI && left) {
        memcpy(atom, (uint32_t[]){left[C], own[N], own[CA], own[C]}, 4 * sizeof *atom);
    } else if (angle == PSI && right) {
        memcpy(atom, (uint32_t[]){own[N], own[CA], own[C], right[N]}, 4 * sizeof *atom);
    } else if (angle == OMEGA && right) {
        memcpy(atom, (uint32_t[]){own[CA], own[C], right[N], right[CA]}, 4 * sizeof *atom);
    } else if (angle < CHI1 || !find_chi(r, residue, (int)(angle - CHI1) + 1, atom)) {
        return false;
    }
    return atom[0] != NO_ATOM && atom[1] != NO_ATOM && atom[2] != NO_ATOM && atom[3] != NO_ATOM;
}

static int require_names(const struct obs_system *s, enum angle angle, struct trj_error *err) {
    const struct trj_topology *top = &s->scope.names;
    const char *lacks = !s->header->residue                 ? "residues"
                        : !top->name.id                     ? "names of atoms"
                        : angle >= CHI1 && !top->resname.id ? "names of residues"
                                                            : NULL;
    if (!lacks) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the stream has no %s; give a topology that has them, and write them: trjcat -t FILE --carry "
                    "name,resname,resid",
                    lacks);
}

// Finds the torsions of residues, each given by its first atom. Appends those to with[] that have the angle, and amino
// acids without it to without[].
static void list_torsions(struct torsions *t, const struct residues *r, const struct obs_parts *parts, uint32_t *with,
                          uint32_t *without, size_t *lacking) {
    const struct trj_stream_header *h = r->system->header;
    for (size_t i = 0; i < parts->count; i++) {
        uint32_t first = parts->first[i];
        if (first >= h->atoms - h->centres) continue;
        if (find_torsion(r, t->angle, h->residue[first], t->atom[t->count]))
            with[t->count++] = first;
        else if (is_amino_acid(r, h->residue[first]))
            without[(*lacking)++] = first;
    }
}

static const char chain_rule[] = "; the residue before or after is that with a peptide bond or, where bonds are "
                                 "unknown, the adjacent one of the same "
                                 "segment and molecule, if their numbers are equal or consecutive";

// Adds the residues without a column to the formula.
static void describe(struct torsions *t, const char *formula, const struct trj_stream_header *h,
                     const uint32_t *without, size_t lacking) {
    size_t n = (size_t)snprintf(t->formula, sizeof t->formula, "%s%s", formula, t->angle < CHI1 ? chain_rule : "");
    char name[TRJ_RESIDUE_NAME];
    if (lacking && n < sizeof t->formula)
        n += (size_t)snprintf(t->formula + n, sizeof t->formula - n,
                              "; %zu of %zu amino acids have no column:", lacking, lacking + t->count);
    for (size_t i = 0; i < lacking && i < LISTED && n < sizeof t->formula; i++) {
        trj_residue_name(name, h, without[i]);
        n += (size_t)snprintf(t->formula + n, sizeof t->formula - n, " %.40s", name);
    }
    if (lacking > LISTED && n < sizeof t->formula) snprintf(t->formula + n, sizeof t->formula - n, " ...");
}

// Reports residues whose names are not in the table, although they have a side chain.
static void note_unknown(const struct obs_observable *o, const struct residues *r, const uint32_t *without,
                         size_t lacking) {
    static const char gamma[] = "CG|CG1|CG2|OG|OG1|SG|SEG";
    const struct trj_stream_header *h = r->system->header;
    char name[TRJ_RESIDUE_NAME] = "", line[400];
    size_t count = 0;
    for (size_t i = 0; i < lacking; i++) {
        const size_t residue = h->residue[without[i]];
        if (find_side_chain(r, residue) || find_atom(r, residue, "CB", 2) == NO_ATOM ||
            find_atom(r, residue, gamma, sizeof gamma - 1) == NO_ATOM)
            continue;
        if (!count++) trj_residue_name(name, h, without[i]);
    }
    if (!count || !r->system->note) return;
    snprintf(line, sizeof line,
             "%.100s: note: %zu residue%s with a side chain of an unknown name, such as %.40s, ha%s no column; use "
             "torsion(A, B, C, D)",
             o->text, count, count == 1 ? "" : "s", name, count == 1 ? "s" : "ve");
    r->system->note(line);
}

static int find_all(struct obs_observable *o, struct residues *r, struct obs_parts *parts, struct trj_error *err) {
    struct torsions *t = o->own;
    const struct obs_system *s = r->system;
    size_t lacking = 0;
    if (list_atoms(r, err) || obs_parts_make(parts, s, o->argument->selection, true, err)) return -1;
    join_by_bonds(r);
    join_by_numbers(r);
    uint32_t *with = trj_alloc(parts->count, sizeof *with, "torsions", err),
             *without = trj_alloc(parts->count, sizeof *without, "torsions", err);
    t->atom = trj_alloc(parts->count, sizeof *t->atom, "torsions", err);
    int rc = with && without && t->atom ? 0 : -1;
    if (!rc) list_torsions(t, r, parts, with, without, &lacking);
    if (!rc && t->angle >= CHI1) note_unknown(o, r, without, lacking);
    if (!rc && !t->count)
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "no residue of '%s' has this angle: %zu of them have the atoms N, CA and C; the stream must "
                      "contain all atoms of the angle, also those of neighbours in the chain: trjcat -g",
                      s->selection[o->argument->selection].text, lacking);
    if (!rc) describe(t, o->function->formula, s->header, without, lacking);
    if (!rc) rc = obs_divide_into(o, s, with, t->count, err);
    free(with);
    free(without);
    o->formula = t->formula;
    return rc;
}

static int open_torsions(struct obs_observable *o, struct obs_system *s, enum angle angle, struct trj_error *err) {
    struct residues r = {.system = s};
    struct obs_parts parts = {0};
    struct torsions *t = o->own = trj_alloc(1, sizeof *t, "torsions", err);
    if (!t || require_names(s, angle, err)) return -1;
    t->angle = angle;
    int rc = find_all(o, &r, &parts, err);
    obs_parts_free(&parts);
    free_residues(&r);
    return rc;
}

static void close_torsions(struct obs_observable *o) {
    struct torsions *t = o->own;
    if (!t) return;
    free(t->atom);
    free(t);
}

// ------------------------------------------------------------------------------------------------------------- compute

static int fail_long(const struct obs_observable *o, const struct trj_stream_header *h, size_t residue, int bond,
                     double length, struct trj_error *err) {
    const uint32_t *atom = ((const struct torsions *)o->own)->atom[residue];
    return trj_fail(err, TRJ_BAD_DATA,
                    "residue %s: atoms %.0f and %.0f are %.3g Angstrom apart instead of a bond; if a boundary breaks "
                    "the molecule, make it whole: trjcat -t FILE --whole; if the chain has a gap, give a topology with "
                    "bonds: trjcat -t FILE",
                    o->division->label[residue], obs_atom_number(h, atom[bond]), obs_atom_number(h, atom[bond + 1]),
                    length);
}

static int compute_torsions(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct torsions *t = o->own;
    const struct trj_frame *f = obs_view_frame(v);
    const struct trj_lattice *l;
    if (obs_view_lattice(v, &l, err)) return -1;
    for (size_t i = 0; i < t->count; i++) {
        double x[4][3], d[3][3];
        for (int a = 0; a < 4; a++)
            for (int k = 0; k < 3; k++) {
                x[a][k] = (double)f->x[k][t->atom[i][a]] * f->unit;
                if (!(fabs(x[a][k]) <= TRJ_FARTHEST)) return trj_frame_check_far(f, t->atom[i][a], err);
            }
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k < 3; k++) d[a][k] = x[a + 1][k] - x[a][k];
            trj_nearest_image(l, d[a]);
            double length = trj_norm(d[a]);
            if (!(length <= BOND_MAX)) return fail_long(o, obs_view_system(v)->header, i, a, length, err);
        }
        value[i] = obs_torsion_angle((const double(*)[3])d);
    }
    return 0;
}

// ----------------------------------------------------------------------------------------------------------- functions

#define ANGLE(NAME, KIND, FORMULA)                                                                                     \
    static int open_##NAME(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {                    \
        return open_torsions(o, s, KIND, err);                                                                         \
    }                                                                                                                  \
    const struct obs_function obs_##NAME = {                                                                           \
        .name = #NAME,                                                                                                 \
        .parameter = {{.name = "group", .kind = OBS_ATOMS}},                                                           \
        .cyclic = true,                                                                                                \
        .column = degrees,                                                                                             \
        .columns = 1,                                                                                                  \
        .formula = FORMULA ", from -180 to 180 degrees with the sign of IUPAC (0: cis), of each residue of the group " \
                           "that has it",                                                                              \
        .carry = "name,resname,resid",                                                                                 \
        .residues = OBS_RESIDUES_ALWAYS,                                                                               \
        .open = open_##NAME,                                                                                           \
        .compute = compute_torsions,                                                                                   \
        .close = close_torsions,                                                                                       \
    }

static const struct obs_column degrees[] = {{"", "degrees"}};

ANGLE(phi, PHI, "torsion angle C-N-CA-C with the C of the residue before");
ANGLE(psi, PSI, "torsion angle N-CA-C-N with the N of the residue after");
ANGLE(omega, OMEGA, "torsion angle CA-C-N-CA with the N and CA of the residue after");
ANGLE(chi1, CHI1, "torsion angle N-CA-CB-*G of the side chain");
ANGLE(chi2, CHI2, "torsion angle CA-CB-*G-*D of the side chain");
ANGLE(chi3, CHI3, "torsion angle CB-CG-*D-*E of the side chain");
ANGLE(chi4, CHI4, "torsion angle CG-CD-*E-*Z of the side chain");
ANGLE(chi5, CHI5, "torsion angle CD-NE-CZ-NH1 of the side chain of ARG");
