// SPDX-License-Identifier: MIT
// Reads the topology of a TPR file, the run input of GROMACS.
//
// Supported file versions: 58 (GROMACS 4.0), 73 (4.5), and 83 (4.6) to 138 (2026). Releases write these versions:
//   4.0: 58    4.5: 73    4.6: 83    5.0: 100   5.1: 103    2016: 110    2018: 112    2019: 116    2020: 119
//   2021: 122  2022: 127  2023: 129  2024: 133, later 134   2025: 137    2026: 138
// Other versions are rejected, because each version can add interactions to the lists and change their parameters. The
// generation in the header would be no safer rule: GROMACS increases it with each change of the topology, but has done
// so too late (the neural network of version 137).
//
// A file consists of a header, the topology, and further sections, which are not read. Numbers are big-endian; the
// header gives the size of a real, four or eight bytes. Up to version 118 the whole file is XDR, in which each small
// number takes four bytes. From version 119 on only the header is XDR. After it, the length of a text has eight bytes,
// texts are not padded, and shorts and characters take their own size.
// The topology consists of texts, parameters of the force field, molecule types with their atoms and interactions, and
// blocks of molecules of these types.
// GROMACS publishes no specification of the format. The layout was compared with files of each release in the list up
// to 2024 (133). The changes in versions 134 to 137 are implemented, but no file was available to test them.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "molecule_types.h"
#include "topology_parts.h"
#include "xdr.h"

enum { OLDEST = 83, NEWEST = 138, LONGEST_TEXT = 4096 };
static const int32_t older[] = {58, 73}; // further versions
// Versions that changed a length.
enum {
    SHORT_HEADER = 62, // an integer and a real before lambda were removed
    RESIDUE_NUMBERS = 63,
    REPULSION = 66,    // added the exponent of the repulsion
    ONE_COUPLING = 69, // removed one of two numbers for each temperature group
    TAGGED = 77,       // added a tag to the header
    SETTLE_ATOMS = 78, // added both hydrogens of a rigid water to its list
    STATE_B = 79,      // added parameters of state B to Morse bonds and Urey-Bradley angles, a state to the header
    DIHEDRAL_B = 82,   // the same for dihedral restraints, whose label and power were removed
    SIZED = 119,
    THOLE_SHORT = 127,
    MARTINI_LONG = 134
};

// Interaction functions in the order of the newest version: the version that added the function, the number of reals
// and integers among its parameters (NONE: the function has no parameters, only a list, which is empty), and its use.
// Functions that GROMACS does not treat as connections (chemical bonds) give no bonds here.
enum { NONE = -1 };
enum use { OTHER, BOND, SETTLE };
static const struct function {
    unsigned char since;
    signed char reals, integers;
    enum use use;
} functions[] = {
    {0, 4, 0, BOND},       // bond
    {0, 4, 0, BOND},       // G96
    {0, 6, 0, BOND},       // Morse
    {0, 3, 0, BOND},       // cubic
    {0, 0, 0, BOND},       // connection
    {0, 4, 0, OTHER},      // harmonic potential
    {0, 2, 0, BOND},       // FENE
    {0, 2, 1, BOND},       // tabulated
    {0, 2, 1, OTHER},      // tabulated, without connection
    {70, 8, 0, OTHER},     // restraint
    {0, 4, 0, OTHER},      // angle
    {0, 4, 0, OTHER},      // G96
    {98, 2, 0, OTHER},     // restricted
    {76, 4, 0, OTHER},     // linear
    {0, 3, 0, OTHER},      // bond-bond
    {0, 4, 0, OTHER},      // bond-angle
    {0, 8, 0, OTHER},      // Urey-Bradley
    {0, 6, 0, OTHER},      // quartic
    {0, 2, 1, OTHER},      // tabulated
    {0, 4, 1, OTHER},      // dihedral
    {0, 12, 0, OTHER},     // Ryckaert-Bellemans
    {98, 2, 0, OTHER},     // restricted
    {98, 6, 0, OTHER},     // combined with bending
    {0, 12, 0, OTHER},     // Fourier
    {0, 4, 0, OTHER},      // improper
    {0, 4, 1, OTHER},      // periodic improper
    {0, 2, 1, OTHER},      // tabulated
    {65, 0, 2, OTHER},     // CMAP
    {60, 5, 0, OTHER},     // generalised Born, 1-2
    {61, 5, 0, OTHER},     // 1-3
    {61, 5, 0, OTHER},     // 1-4
    {72, NONE, 0, OTHER},  // polarisation
    {72, NONE, 0, OTHER},  // nonpolar
    {0, 4, 0, OTHER},      // LJ 1-4
    {0, NONE, 0, OTHER},   // Coulomb 1-4
    {0, 5, 0, OTHER},      // LJ and Coulomb 1-4
    {0, 4, 0, OTHER},      // LJ and Coulomb of pairs
    {0, 2, 0, OTHER},      // LJ
    {0, 3, 0, OTHER},      // Buckingham
    {0, NONE, 0, OTHER},   // long-range LJ
    {0, NONE, 0, OTHER},   // long-range Buckingham
    {0, NONE, 0, OTHER},   // dispersion correction
    {0, NONE, 0, OTHER},   // Coulomb
    {0, NONE, 0, OTHER},   // long-range Coulomb
    {0, NONE, 0, OTHER},   // exclusions
    {0, NONE, 0, OTHER},   // reciprocal Coulomb
    {93, NONE, 0, OTHER},  // reciprocal LJ
    {0, NONE, 0, OTHER},   // DPD
    {0, 1, 0, OTHER},      // polarisation
    {0, 6, 0, OTHER},      // of water
    {0, 3, 0, OTHER},      // Thole
    {76, 3, 0, OTHER},     // anharmonic
    {0, 12, 0, OTHER},     // position restraint
    {90, 5, 1, OTHER},     // flat-bottomed
    {0, 4, 2, OTHER},      // distance restraint
    {0, NONE, 0, OTHER},   // its violation
    {0, 3, 3, OTHER},      // orientation restraint
    {0, NONE, 0, OTHER},   // its deviation
    {0, 4, 1, OTHER},      // angle restraint
    {0, 4, 1, OTHER},      // with z
    {0, 6, 0, OTHER},      // dihedral restraint
    {0, NONE, 0, OTHER},   // its violation
    {0, 2, 0, BOND},       // constraint
    {0, 2, 0, OTHER},      // without connection
    {0, 2, 0, SETTLE},     // SETTLE
    {121, 0, 0, OTHER},    // virtual site 1
    {0, 1, 0, OTHER},      // 2
    {118, 1, 0, OTHER},    // 2FD
    {0, 2, 0, OTHER},      // 3
    {0, 2, 0, OTHER},      // 3FD
    {0, 2, 0, OTHER},      // 3FAD
    {0, 3, 0, OTHER},      // 3OUT
    {0, 3, 0, OTHER},      // 4FD
    {0, 3, 0, OTHER},      // 4FDN
    {0, 1, 1, OTHER},      // N
    {0, NONE, 0, OTHER},   // pulling
    {117, NONE, 0, OTHER}, // density fitting
    {0, NONE, 0, OTHER},   // quantum energy
    {137, NONE, 0, OTHER}, // neural network
    {0, NONE, 0, OTHER},   // potential energy
    {0, NONE, 0, OTHER},   // kinetic
    {0, NONE, 0, OTHER},   // total
    {0, NONE, 0, OTHER},   // conserved
    {0, NONE, 0, OTHER},   // temperature
    {69, NONE, 0, OTHER},  // virial temperature
    {66, NONE, 0, OTHER},  // pressure correction
    {0, NONE, 0, OTHER},   // pressure
    {0, NONE, 0, OTHER},   // derivatives by lambda: constraints
    {0, NONE, 0, OTHER},   // all others
    {0, NONE, 0, OTHER},   // kinetic
    {79, NONE, 0, OTHER},  // Coulomb
    {79, NONE, 0, OTHER},  // van der Waals
    {79, NONE, 0, OTHER},  // bonded
    {79, NONE, 0, OTHER},  // restraints
    {79, NONE, 0, OTHER},  // temperature
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };
enum {
    MORSE = 2,
    RESTRICTED_ANGLE = 12,
    UREY_BRADLEY = 16,
    RESTRICTED_DIHEDRAL = 21,
    COMBINED_DIHEDRAL = 22,
    LJ = 37,
    THOLE = 50,
    DIHEDRAL_RESTRAINT = 60
};

struct tpr {
    struct trj_input *in;
    struct trj_error *err;
    size_t real; // bytes
    int32_t version, atoms;
    bool packed; // version 119 or later: not XDR after the header
    char **text;
    size_t texts, text_capacity;
    struct trj_molecule_system system;
};

bool trj_tpr_is(const char *head, size_t n) {
    static const char version[] = "VERSION ";
    return n >= 8 + strlen(version) && !head[0] && !memcmp(head + 8, version, strlen(version));
}

// ---- numbers and texts

static int bad(const struct tpr *t, const char *what, long long value) {
    return trj_fail(t->err, TRJ_BAD_DATA, "byte %llu: %s: %lld", (unsigned long long)trj_input_offset(t->in), what,
                    value);
}

static int read_i32(struct tpr *t, int32_t *v, const char *what) {
    unsigned char bytes[4];
    if (trj_input_read(t->in, bytes, sizeof bytes, what, t->err)) return -1;
    *v = trj_xdr_i32(bytes);
    return 0;
}

static int read_real(struct tpr *t, double *v, const char *what) {
    unsigned char bytes[8];
    if (trj_input_read(t->in, bytes, t->real, what, t->err)) return -1;
    *v = trj_xdr_real(bytes, t->real);
    return 0;
}

static int read_count(struct tpr *t, size_t *count, const char *what) {
    int32_t v;
    if (read_i32(t, &v, what)) return -1;
    if (v < 0) return bad(t, what, v);
    *count = (size_t)v;
    return 0;
}

static int skip(struct tpr *t, uint64_t bytes, const char *what) {
    return trj_input_skip(t->in, bytes, what, t->err);
}

static int skip_i32(struct tpr *t, uint64_t count, const char *what) {
    return skip(t, 4 * count, what);
}

// Returns a text, which the caller frees. XDR stores the length twice, the first time including a final zero.
static char *read_text(struct tpr *t, const char *what) {
    unsigned char bytes[8];
    uint64_t n, padding = 0;
    if (trj_input_read(t->in, bytes, sizeof bytes, what, t->err)) return NULL;
    n = t->packed ? trj_xdr_u64(bytes) : trj_xdr_u32(bytes + 4);
    if (!t->packed) padding = (4 - n % 4) % 4;
    if (n > LONGEST_TEXT) {
        bad(t, "text longer than 4096 bytes", (long long)n);
        return NULL;
    }
    char *text = trj_alloc((size_t)(n + padding) + 1, 1, "a text", t->err);
    if (!text || trj_input_read(t->in, text, (size_t)(n + padding), what, t->err)) {
        free(text);
        return NULL;
    }
    text[n] = 0;
    trj_replace_control_chars(text);
    return text;
}

static int skip_text(struct tpr *t, const char *what) {
    char *text = read_text(t, what);
    free(text);
    return text ? 0 : -1;
}

// Reads the index of a text in the table of texts.
static int read_symbol(struct tpr *t, uint32_t *symbol, const char *what) {
    int32_t v;
    if (read_i32(t, &v, what)) return -1;
    if (v < 0 || (size_t)v >= t->texts) return bad(t, what, v);
    *symbol = (uint32_t)v;
    return 0;
}

// ---- the header

static int check_size(const struct tpr *t, uint64_t expected) {
    uint64_t size, offset = trj_input_offset(t->in), rest;
    if (!trj_input_size(t->in, &size)) return 0;
    rest = size > offset ? size - offset : 0;
    if (t->packed && (rest < expected || rest - expected >= 4)) // padded to a multiple of four
        return trj_fail(
            t->err, TRJ_BAD_DATA, "byte %llu: %llu bytes follow the header, which gives %llu%s",
            (unsigned long long)offset, (unsigned long long)rest, (unsigned long long)expected,
            rest / 4 == expected
                ? ": files of the betas of GROMACS 2020 cannot be read; convert it with gmx editconf -f x.tpr -o x.pdb"
                : "");
    // The file contains a position of each atom.
    if (rest / (3 * t->real) < (uint64_t)t->atoms) return bad(t, "file too small for the number of atoms", t->atoms);
    return 0;
}

static int check_version(const struct tpr *t, const char *program) {
    if (t->version >= OLDEST && t->version <= NEWEST) return 0;
    for (size_t i = 0; i < sizeof older / sizeof *older; i++)
        if (t->version == older[i]) return 0;
    // GROMACS reads files of version 57 and later, and writes files of its own version.
    bool convertible = t->version >= 57 && t->version < NEWEST;
    return trj_fail(t->err, TRJ_BAD_DATA,
                    "unsupported TPR version %d (%.40s): supported are %d, %d, and %d to %d (GROMACS 4.0, 4.5, 4.6 to "
                    "2026); convert it with gmx %s, or give the .top from which it was made",
                    t->version, program, older[0], older[1], OLDEST, NEWEST,
                    convertible ? "convert-tpr -s x.tpr -o new.tpr" : "editconf -f x.tpr -o x.pdb");
}

static int read_header(struct tpr *t) {
    char *program = read_text(t, "the version");
    int32_t real, generation, temperature_groups, has_topology, has_box;
    uint64_t size = 0;
    unsigned char bytes[8];
    int rc = -1;
    if (!program || read_i32(t, &real, "the size of reals")) goto out;
    if (real != 4 && real != 8) {
        bad(t, "invalid size of reals, expected 4 or 8", real);
        goto out;
    }
    t->real = (size_t)real;
    if (read_i32(t, &t->version, "the version") || check_version(t, program) ||
        read_i32(t, &generation, "the generation") || (t->version >= TAGGED && skip_text(t, "the tag")) ||
        read_i32(t, &t->atoms, "the number of atoms") || read_i32(t, &temperature_groups, "the temperature groups") ||
        (t->version < SHORT_HEADER && skip(t, 4 + t->real, "the header")) ||
        (t->version >= STATE_B && skip_i32(t, 1, "the header")) || skip(t, t->real, "lambda") ||
        skip_i32(t, 1, "the header") || read_i32(t, &has_topology, "the header") || skip_i32(t, 3, "the header") ||
        read_i32(t, &has_box, "the header"))
        goto out;
    bool sized = t->version >= SIZED && generation >= 27;
    if (sized && trj_input_read(t->in, bytes, sizeof bytes, "the header", t->err)) goto out;
    if (sized) size = trj_xdr_u64(bytes);
    t->packed = sized;
    if (t->atoms < 1) {
        bad(t, "invalid number of atoms", t->atoms);
        goto out;
    }
    if (temperature_groups < 0) {
        bad(t, "invalid number of temperature groups", temperature_groups);
        goto out;
    }
    if (!has_topology) {
        trj_fail(t->err, TRJ_BAD_DATA, "contains no topology");
        goto out;
    }
    uint64_t reals = (has_box ? 27 : 0) + (t->version < ONE_COUPLING ? 2 : 1) * (uint64_t)temperature_groups;
    rc = check_size(t, size) || skip(t, t->real * reals, "the box") ? -1 : 0;
out:
    free(program);
    return rc;
}

// ---- the topology

static int read_texts(struct tpr *t) {
    size_t count;
    if (read_count(t, &count, "the number of texts")) return -1;
    while (t->texts < count) {
        if (trj_grow(&t->text, &t->text_capacity, t->texts + 1, sizeof *t->text, "texts", t->err) ||
            !(t->text[t->texts] = read_text(t, "the texts")))
            return -1;
        t->texts++;
    }
    return 0;
}

// Function numbers in a file count only the functions that its version has.
static bool is_new(const struct tpr *t, size_t function) {
    return functions[function].since > t->version;
}

static uint64_t parameter_bytes(const struct tpr *t, int32_t f) {
    bool martini = f == RESTRICTED_ANGLE || f == RESTRICTED_DIHEDRAL || f == COMBINED_DIHEDRAL;
    uint64_t reals = (uint64_t)functions[f].reals;
    uint64_t integers = (uint64_t)functions[f].integers;
    if (f == THOLE && t->version < THOLE_SHORT) reals++;
    if ((f == MORSE || f == UREY_BRADLEY) && t->version < STATE_B) reals /= 2;
    if (f == DIHEDRAL_RESTRAINT && t->version < DIHEDRAL_B) reals /= 2, integers = 2;
    if (martini && t->version >= MARTINI_LONG) reals *= 2; // also of state B
    return reals * t->real + 4 * integers;
}

// Reads the parameters of a pair of equal types, which are C6 and C12 for every combination rule.
static int read_lj(struct tpr *t, size_t type) {
    double c6, c12;
    if (read_real(t, &c6, "the parameters") || read_real(t, &c12, "the parameters")) return -1;
    trj_molecule_lj_set(&t->system, type, c6, c12);
    return 0;
}

// The parameters begin with those of all pairs of types, row by row; with `properties`, those of equal types are read.
// They stay unknown if the repulsion has another exponent than 12.
static int read_parameters(struct tpr *t, bool properties) {
    size_t types, count, capacity = 0;
    int32_t *function = NULL;
    unsigned char repulsion[8];
    int rc = -1;
    if (read_count(t, &types, "the number of types") || read_count(t, &count, "the number of parameters")) return -1;
    for (size_t i = 0; i < count; i++)
        if (trj_grow(&function, &capacity, i + 1, sizeof *function, "functions", t->err) ||
            read_i32(t, &function[i], "the functions"))
            goto out;
    if ((t->version >= REPULSION && trj_input_read(t->in, repulsion, sizeof repulsion, "the force field", t->err)) ||
        skip(t, t->real, "the force field"))
        goto out;
    bool lj12 = t->version < REPULSION || trj_xdr_real(repulsion, sizeof repulsion) == 12;
    if (properties && (types > USHRT_MAX || types * types > count)) {
        bad(t, "more types than parameters for their pairs", (long long)types);
        goto out;
    }
    if (properties && trj_molecule_lj_start(&t->system, types, t->err)) goto out;
    for (size_t i = 0; i < count; i++) {
        int32_t f = function[i] < FUNCTIONS ? function[i] : -1;
        for (int32_t k = 0; k < FUNCTIONS; k++) f += is_new(t, (size_t)k) && f >= k;
        if (f < 0 || f >= FUNCTIONS || functions[f].reals == NONE) {
            bad(t, "unknown interaction function", function[i]);
            goto out;
        }
        bool equal = t->system.lj_types && i < types * types && i % (types + 1) == 0 && f == LJ && lj12;
        if (equal ? read_lj(t, i / (types + 1)) : skip(t, parameter_bytes(t, f), "the parameters")) goto out;
    }
    rc = 0;
out:
    free(function);
    return rc;
}

static int read_kind_atoms(struct tpr *t, struct trj_molecule_type *k) {
    size_t atoms, residues;
    int32_t residue;
    if (read_count(t, &atoms, "the atoms of a molecule") || read_count(t, &residues, "the residues of a molecule"))
        return -1;
    for (; k->atoms < atoms; k->atoms++) {
        if (trj_grow(&k->atom, &k->atom_capacity, k->atoms + 1, sizeof *k->atom, "atoms", t->err)) return -1;
        struct trj_molecule_atom *a = &k->atom[k->atoms];
        unsigned char lj[4];
        // Mass and charge, both again for state B, two type indices, particle type, residue, atomic number
        if (read_real(t, &a->mass, "the atoms") || read_real(t, &a->charge, "the atoms") ||
            skip(t, 2 * t->real, "the atoms") || trj_input_read(t->in, lj, t->packed ? 2 : 4, "the atoms", t->err) ||
            skip(t, (t->packed ? 2 : 4) + 4, "the atoms") || read_i32(t, &residue, "the atoms") ||
            read_i32(t, &a->number, "the atoms"))
            return -1;
        if (!(a->mass >= 0 && a->mass < 1e6) || !(a->charge > -1e6 && a->charge < 1e6))
            return bad(t, "invalid mass or charge of an atom, number in its molecule", (long long)k->atoms + 1);
        if (residue < 0 || (size_t)residue >= residues) return bad(t, "invalid residue of an atom", residue);
        a->residue = (uint32_t)residue;
        a->lj = (uint32_t)(t->packed ? lj[0] << 8 | lj[1] : lj[2] << 8 | lj[3]);
        if (t->system.lj_types && a->lj >= t->system.lj_types) return bad(t, "invalid type of an atom", a->lj);
    }
    for (size_t i = 0; i < atoms; i++)
        if (read_symbol(t, &k->atom[i].name, "the names of atoms")) return -1;
    for (size_t i = 0; i < atoms; i++)
        if (read_symbol(t, &k->atom[i].type, "the types of atoms")) return -1;
    if (skip_i32(t, atoms, "the types of atoms")) return -1;
    for (; k->residues < residues; k->residues++) {
        unsigned char insertion[4];
        if (trj_grow(&k->residue, &k->residue_capacity, k->residues + 1, sizeof *k->residue, "residues", t->err))
            return -1;
        struct trj_molecule_residue *r = &k->residue[k->residues];
        r->number = (int32_t)k->residues + 1;
        r->insertion = 0;
        if (read_symbol(t, &r->name, "the names of residues")) return -1;
        if (t->version < RESIDUE_NUMBERS) continue;
        if (read_i32(t, &r->number, "the residues") ||
            trj_input_read(t->in, insertion, t->packed ? 1 : 4, "the residues", t->err))
            return -1;
        r->insertion = (char)insertion[t->packed ? 0 : 3];
        if (r->insertion == ' ') r->insertion = 0;
    }
    return 0;
}

static int add_bond(struct tpr *t, struct trj_molecule_type *k, int32_t i, int32_t j) {
    if (i < 0 || (size_t)i >= k->atoms) return bad(t, "invalid atom of a bond", i);
    if (j < 0 || (size_t)j >= k->atoms) return bad(t, "invalid atom of a bond", j);
    return trj_molecule_bond_add(k, (uint32_t)i, (uint32_t)j, t->err);
}

// An entry of a list is the index of its parameters, then its atoms: two, or the three of a rigid water, oxygen first.
// Older files list only the oxygen of a rigid water.
static int read_bonds(struct tpr *t, struct trj_molecule_type *k, enum use use, size_t numbers) {
    bool oxygen_only = use == SETTLE && t->version < SETTLE_ATOMS;
    size_t each = oxygen_only ? 2 : use == SETTLE ? 4 : 3;
    if (numbers % each) return bad(t, "invalid length of a list of bonds", (long long)numbers);
    for (size_t i = 0; i < numbers; i += each) {
        int32_t atom[3];
        if (skip_i32(t, 1, "the bonds")) return -1;
        for (size_t n = 0; n + 1 < each; n++)
            if (read_i32(t, &atom[n], "the bonds")) return -1;
        if (oxygen_only) {
            atom[1] = atom[0] < INT32_MAX - 2 ? atom[0] + 1 : -1;
            atom[2] = atom[1] + 1;
        }
        if (add_bond(t, k, atom[0], atom[1]) || (use == SETTLE && add_bond(t, k, atom[0], atom[2]))) return -1;
    }
    return 0;
}

static int read_kind(struct tpr *t, struct trj_molecule_type *k) {
    size_t n, m;
    if (read_symbol(t, &k->name, "the name of a molecule") || read_kind_atoms(t, k)) return -1;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        if (is_new(t, f)) continue;
        if (read_count(t, &n, "the length of a list of interactions")) return -1;
        if (functions[f].use == OTHER ? skip_i32(t, n, "the interactions") : read_bonds(t, k, functions[f].use, n))
            return -1;
    }
    // Charge groups and exclusions follow the interactions; neither is used.
    return read_count(t, &n, "the charge groups") || skip_i32(t, (uint64_t)n + 1, "the charge groups") ||
                   read_count(t, &n, "the exclusions") || read_count(t, &m, "the exclusions") ||
                   skip_i32(t, (uint64_t)n + 1 + m, "the exclusions")
               ? -1
               : 0;
}

static int read_kinds(struct tpr *t) {
    size_t count;
    if (read_count(t, &count, "the number of molecule types")) return -1;
    while (t->system.types < count)
        if (trj_molecule_type_add(&t->system, t->err) || read_kind(t, &t->system.type[t->system.types - 1])) return -1;
    return 0;
}

// ---- all molecules

static int read_blocks(struct tpr *t) {
    size_t count;
    uint64_t atoms = 0;
    if (read_count(t, &count, "the number of blocks")) return -1;
    for (size_t i = 0; i < count; i++) {
        size_t kind, molecules, each, positions;
        if (read_count(t, &kind, "the blocks") || read_count(t, &molecules, "the blocks") ||
            read_count(t, &each, "the blocks"))
            return -1;
        for (int state = 0; state < 2; state++) // reference positions of restraints
            if (read_count(t, &positions, "the blocks") || skip(t, 3 * t->real * (uint64_t)positions, "the blocks"))
                return -1;
        if (kind >= t->system.types || each != t->system.type[kind].atoms)
            return bad(t, "invalid block of molecules", (long long)i);
        struct trj_molecule_block block = {(uint32_t)kind, (uint32_t)molecules};
        if (trj_molecule_block_add(&t->system, block, t->err)) return -1;
        if (!each && molecules) return bad(t, "molecules without atoms", (long long)molecules);
        atoms += (uint64_t)molecules * each;
        if (atoms > (uint64_t)t->atoms) return bad(t, "more atoms than the header gives", t->atoms);
    }
    return atoms == (uint64_t)t->atoms ? 0 : bad(t, "fewer atoms than the header gives", t->atoms);
}

static int read_topology(struct trj_topology_builder *b, struct tpr *t) {
    if (read_header(t) || read_texts(t) || skip_i32(t, 1, "the name of the system") ||
        read_parameters(t, b->properties) || read_kinds(t) || read_blocks(t))
        return -1;
    t->system.text = t->text;
    t->system.lj_from = "C6 and C12 of equal types";
    return trj_molecule_system_build(b, &t->system, (size_t)t->atoms, t->err);
}

int trj_tpr_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct tpr t = {.in = l->in, .err = err};
    int rc = read_topology(b, &t);
    for (size_t i = 0; i < t.texts; i++) free(t.text[i]);
    free(t.text);
    trj_molecule_system_free(&t.system);
    return rc;
}
