// SPDX-License-Identifier: MIT
// Guesses elements from names, residues and masses by rules with their exceptions, because most files lack elements.
#include "element_guess.h"

#include <math.h>
#include <string.h>

#include "element.h"
#include "residue_names.h"

enum { H = 1, HE = 2, C = 6, N = 7, O = 8, S = 16, HEAVIEST_GUESSED = 92, HEAVIEST_ION = 96 };

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_letter(char c) {
    return upper(c) >= 'A' && upper(c) <= 'Z';
}

// The first letters of a name after its leading digits, in upper case, at most four. `whole`: these are all letters of
// the name; only digits, signs, ' and * follow.
struct letters {
    char text[5];
    size_t count;
    bool whole;
};

static struct letters letters_of(const char *name) {
    struct letters l = {.count = 0};
    while (*name && !is_letter(*name)) name++;
    while (is_letter(*name) && l.count < sizeof l.text - 1) l.text[l.count++] = upper(*name++);
    l.text[l.count] = 0;
    l.whole = l.count && !is_letter(*name);
    for (; *name; name++) l.whole = l.whole && !is_letter(*name);
    return l;
}

// Monatomic residues, by the names besides element symbols that force fields and structure files use.
static const struct {
    char name[4], symbol[3];
} monatomic[] = {
    {"LI", "Li"},  {"LIT", "Li"}, {"NA", "Na"},  {"SOD", "Na"}, {"K", "K"},    {"POT", "K"},  {"RB", "Rb"},
    {"RUB", "Rb"}, {"CS", "Cs"},  {"CES", "Cs"}, {"F", "F"},    {"CL", "Cl"},  {"CLA", "Cl"}, {"BR", "Br"},
    {"I", "I"},    {"IOD", "I"},  {"MG", "Mg"},  {"CA", "Ca"},  {"CAL", "Ca"}, {"SR", "Sr"},  {"BA", "Ba"},
    {"BAR", "Ba"}, {"ZN", "Zn"},  {"FE", "Fe"},  {"CU", "Cu"},  {"MN", "Mn"},  {"CO", "Co"},  {"NI", "Ni"},
    {"CD", "Cd"},  {"CAD", "Cd"}, {"HG", "Hg"},  {"AL", "Al"},  {"AG", "Ag"},  {"HE", "He"},  {"NE", "Ne"},
    {"AR", "Ar"},  {"KR", "Kr"},  {"XE", "Xe"},
};

static unsigned monatomic_name(const struct letters *name) {
    for (size_t i = 0; i < sizeof monatomic / sizeof *monatomic; i++)
        if (name->whole && !strcmp(name->text, monatomic[i].name))
            return trj_element_find(monatomic[i].symbol, strlen(monatomic[i].symbol));
    return 0;
}

// An atom whose name and residue name are the same symbol is that element: PB of residue PB. W in a residue W stays
// unknown: it may be tungsten, but in almost every file it is the coarse-grained water of Martini. Symbols beyond
// curium are excluded, because beads have such names (CN, OG).
static unsigned by_identity(const struct letters *name, const struct letters *res) {
    if (!name->whole || !res->whole || strcmp(name->text, res->text) != 0 || !strcmp(name->text, "W")) return 0;
    unsigned z = trj_element_find(name->text, name->count);
    return z <= HEAVIEST_ION ? z : 0;
}

static unsigned by_residue(const struct letters *name, const char *resname) {
    struct letters res = letters_of(resname);
    // Some builders give all ions the residue name ION.
    bool any_ion = !strcmp(res.text, "ION") || !strcmp(res.text, "IONS");
    unsigned z = res.whole ? monatomic_name(name) : 0, same = by_identity(name, &res);
    if (same) return same;
    // "NA" of residue "SOD": both mean sodium.
    return z && (any_ion || !strcmp(name->text, res.text) || monatomic_name(&res) == z) ? z : 0;
}

static unsigned common(char letter) {
    switch (letter) {
    case 'H':
    case 'C':
    case 'N':
    case 'O':
    case 'S':
    case 'P':
        return trj_element_find(&letter, 1);
    default:
        return 0;
    }
}

// Names of two capitals that are a symbol, but also the name of a light atom in some molecule: CD of an amino acid, NA
// of heme. Symbols of elements that no force field has (PA, PO, CM) are omitted, and also HO and HF, which are
// hydrogens unless they are ions.
static const char ambiguous_symbols[][3] = {"CA", "CD", "CE", "CO", "CR", "CS", "CU", "HG", "NA", "NB", "ND",
                                            "NI", "OS", "PB", "PD", "PR", "PT", "SB", "SC", "SM", "SN"};

// Returns whether the name is more often the metal of a complex than a light atom.
static bool is_metal_of_complex(const struct letters *l) {
    return !strcmp(l->text, "CU") || !strcmp(l->text, "NI") || !strcmp(l->text, "PT");
}

static unsigned by_letters(const char *name, const struct letters *l) {
    // "Cl1", "Si": a capital followed by a lower-case letter is a symbol as chemists write it.
    const char *first = name;
    while (*first && !is_letter(*first)) first++;
    unsigned two = l->whole && l->count == 2 ? trj_element_find(l->text, 2) : 0;
    if (two > HEAVIEST_GUESSED) two = 0;
    if (two && first[0] == upper(first[0]) && first[1] != upper(first[1])) return two;
    // These three begin with C or S, but are not names of carbon or sulphur atoms.
    if (two && (!strcmp(l->text, "CL") || !strcmp(l->text, "SE") || !strcmp(l->text, "SI"))) return two;
    if (two && is_metal_of_complex(l)) return two;
    unsigned one = common(l->text[0]);
    // "F1", "I2" of a ligand. Other single letters (B, K, U, V, W, Y) more often name beads and sites than atoms.
    if (l->whole && l->count == 1 && strchr("FI", l->text[0])) return trj_element_find(l->text, 1);
    return one ? one : two;
}

// Returns Z by the column of the PDB; 0 if it does not determine the element.
static unsigned by_column(const char *name, const struct letters *l, enum trj_element_column column) {
    if (column == TRJ_ELEMENT_SECOND_COLUMN) return trj_element_find(l->text, 1); // " CA": alpha carbon
    if (column != TRJ_ELEMENT_FIRST_COLUMN) return 0;
    size_t n = strlen(name);
    if (!is_letter(name[0])) return trj_element_find(l->text, 1); // "1HB"
    if (n == 4 && upper(name[0]) == 'H') return H; // "HG11": names of four characters always start in the first column
    if (n < 4 && l->whole && l->count == 2) return trj_element_find(l->text, 2);
    return 0;
}

unsigned trj_element_by_name(const char *name, const char *resname, enum trj_element_column column) {
    struct letters l = letters_of(name);
    if (!l.count || trj_is_massless_site(name, resname)) return 0;
    unsigned z = by_residue(&l, resname);
    if (z) return z;
    unsigned letters = by_letters(name, &l), placed = by_column(name, &l, column);
    if (!placed || !letters || placed == letters) return placed ? placed : letters;
    // In the first column CA of an amino acid is contradictory, PB of a ligand is lead, and PB one column to the right
    // is phosphorus. " FE" looks like iron, but is fluorine by the rule of the columns.
    if (column == TRJ_ELEMENT_FIRST_COLUMN)
        return trj_residue_is_protein(resname) || trj_residue_is_nucleic(resname) ? 0 : placed;
    return is_metal_of_complex(&l) ? placed : 0;
}

unsigned trj_element_alternative(const char *name, const char *resname) {
    struct letters l = letters_of(name);
    bool ambiguous = false;
    for (size_t i = 0; i < sizeof ambiguous_symbols / sizeof *ambiguous_symbols && !ambiguous; i++)
        ambiguous = l.whole && !strcmp(l.text, ambiguous_symbols[i]);
    // Digits after a name number the atoms of an element: CD1, NA2.
    if (!ambiguous || (name[2] && !is_metal_of_complex(&l)) || by_residue(&l, resname) ||
        trj_residue_is_protein(resname) || trj_residue_is_nucleic(resname) || name[1] != upper(name[1]))
        return 0;
    return is_metal_of_complex(&l) ? common(l.text[0]) : trj_element_find(l.text, 2);
}

static bool begins_like(const char *text, const char *symbol) {
    struct letters l = letters_of(text);
    if (l.text[0] != symbol[0]) return false;
    // "S" of 28.03 u is a sulphur that gave mass to its hydrogens, not silicon. If the first letter is the symbol of a
    // common element, the second letter must therefore match, too.
    return !symbol[1] || !common(symbol[0]) || l.text[1] == upper(symbol[1]);
}

static bool may_be(unsigned z, const char *text) {
    struct letters l = letters_of(text);
    return begins_like(text, trj_elements[z].symbol) || monatomic_name(&l) == z;
}

// Returns whether an element given by the name can have this mass in a force field. Hydrogen mass repartitioning moves
// up to 3.03 u from its neighbour to each hydrogen, united atoms include hydrogens, and force fields use different
// tables of masses.
static bool explains(unsigned z, double mass) {
    double more = mass - trj_elements[z].mass;
    switch (z) {
    case H:
        return mass > 0.9 && mass < 4.2;
    case C:
        return more > -9.2 && more < 4.1; // CH3; CH4
    case N:
        return more > -9.2 && more < 3.1;
    case O:
        return more > -6.2 && more < 2.1;
    case S:
        return more > -6.2 && more < 1.1;
    default:
        return fabs(more) < 0.5;
    }
}

unsigned trj_element_by_mass(double mass, const char *name, const char *type, const char *resname) {
    unsigned best = 0;
    double nearest = 0.1;
    for (unsigned z = 1; z <= TRJ_ELEMENTS; z++) {
        double d = fabs(mass - trj_elements[z].mass);
        if (z == HE) continue; // 4 u may be a hydrogen after mass repartitioning; helium is found by name, below
        if (d <= nearest && (may_be(z, name) || may_be(z, type))) {
            nearest = d;
            best = z;
        }
    }
    if (best) return best;
    if (fabs(mass - 2.014) < 0.1 && (begins_like(name, "D") || begins_like(type, "D"))) return H; // deuterium
    unsigned z = trj_element_by_name(name, resname, TRJ_ELEMENT_NO_COLUMN);
    return z && explains(z, mass) ? z : 0;
}

// Returns the tolerance in u: the tables of different programs agree within it, and united atoms (CH2: 14.027) differ
// by more.
static double tolerance(unsigned z) {
    return z == H ? 0.0025 : fmax(0.013, 0.001 * trj_elements[z].mass);
}

void trj_elements_by_masses(const double *mass, size_t n, unsigned char *z) {
    static const double DEUTERIUM = 2.014, HEAVY = 35;
    bool reduced = false, moved = false; // reduced units; mass moved to hydrogens, which then have up to 4 u
    for (size_t i = 0; i < n; i++) {
        reduced = reduced || mass[i] == 1;
        moved = moved || (mass[i] > 1.02 && mass[i] < 4.5 && mass[i] != floor(mass[i]) &&
                          fabs(mass[i] - DEUTERIUM) > tolerance(H));
    }
    for (size_t i = 0; i < n; i++) {
        z[i] = fabs(mass[i] - DEUTERIUM) <= tolerance(H) ? H : 0;
        if (mass[i] == floor(mass[i]) && (reduced || mass[i] > HEAVY)) continue;
        for (unsigned k = H; k <= HEAVIEST_GUESSED && !z[i]; k++) {
            double standard = trj_elements[k].mass;
            if (k == HE || standard == floor(standard) || (moved && k <= N)) continue;
            if (fabs(mass[i] - standard) <= tolerance(k)) z[i] = (unsigned char)k;
        }
    }
}
