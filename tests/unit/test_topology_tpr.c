// SPDX-License-Identifier: MIT
// Tests TPR files: one of GROMACS 2022 (tests/data), and files of each supported version written here, also truncated
// and damaged at each position.
#include <unistd.h>

#include "topology_file.h"

struct bytes {
    unsigned char data[1 << 14];
    size_t n, real;
    bool packed; // from GROMACS 2020 on, after the header
};

static void put_big(struct bytes *b, uint64_t v, size_t bytes) {
    for (size_t k = 0; k < bytes; k++) b->data[b->n++] = (unsigned char)(v >> 8 * (bytes - 1 - k));
}

static void put_i32(struct bytes *b, int32_t v) {
    put_big(b, (uint32_t)v, 4);
}

static void put_small(struct bytes *b, unsigned v, size_t bytes) { // short or character
    put_big(b, v, b->packed ? bytes : 4);
}

static void put_real(struct bytes *b, double v) {
    float f = (float)v;
    uint32_t single;
    uint64_t twice;
    memcpy(&single, &f, sizeof f);
    memcpy(&twice, &v, sizeof v);
    put_big(b, b->real == 4 ? single : twice, b->real);
}

static void put_reals(struct bytes *b, int n) {
    while (n-- > 0) put_real(b, 0.5);
}

static void put_text(struct bytes *b, const char *text) {
    size_t n = strlen(text);
    if (!b->packed) put_i32(b, (int32_t)n + 1);
    put_big(b, n, b->packed ? 8 : 4);
    memcpy(b->data + b->n, text, n);
    b->n += n;
    while (!b->packed && b->n % 4) b->data[b->n++] = 0;
}

// Indices of interaction functions in the newest version, and the functions that older versions lack.
enum {
    BONDS = 0,
    HARMONIC = 5,
    RESTRICTED = 12,
    UREY_BRADLEY = 16,
    THOLE = 50,
    DIHEDRAL = 60,
    CONSTR = 62,
    SETTLE = 64,
    LISTS = 95
};
static const struct {
    int place, since;
} added[] = {{9, 70},  {12, 98}, {13, 76}, {21, 98}, {22, 98}, {27, 65},  {28, 60},  {29, 61},  {30, 61},
             {31, 72}, {32, 72}, {46, 93}, {51, 76}, {53, 90}, {65, 121}, {67, 118}, {76, 117}, {78, 137},
             {84, 69}, {85, 66}, {90, 79}, {91, 79}, {92, 79}, {93, 79},  {94, 79}};

static int since(int place) {
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (added[i].place == place) return added[i].since;
    return 0;
}

static int place_in(int place, int version) {
    int n = 0;
    for (int k = 0; k < place; k++) n += since(k) <= version;
    return n;
}

enum { SYM_NONE, SYM_MOL, SYM_ION, SYM_A, SYM_B, SYM_TYPE, SYM_RES, SYM_RES2, SYM_NA };
static const char *const symbols[] = {"", "Mol", "Ion", "A", "B", "CT", "RES", "TWO", "NA"};

static void put_atoms(struct bytes *b, int version, int atoms, int residues, double mass, int number, int resid) {
    put_i32(b, atoms);
    put_i32(b, residues);
    for (int i = 0; i < atoms; i++) {
        put_real(b, mass);
        put_real(b, i ? -0.25 : 0.25);
        put_reals(b, 2);
        put_small(b, 0, 2);
        put_small(b, 0, 2);
        put_i32(b, 0);
        put_i32(b, i < residues ? i : residues - 1);
        put_i32(b, number);
    }
    for (int i = 0; i < atoms; i++) put_i32(b, atoms == 1 ? SYM_NA : i % 2 ? SYM_B : SYM_A);
    for (int k = 0; k < 2 * atoms; k++) put_i32(b, SYM_TYPE);
    for (int r = 0; r < residues; r++) {
        put_i32(b, atoms == 1 ? SYM_NA : r ? SYM_RES2 : SYM_RES);
        if (version < 63) continue;
        put_i32(b, resid + r);
        put_small(b, ' ', 1);
    }
}

// Writes a molecule type: three atoms in two residues, or an ion.
static void put_kind(struct bytes *b, int version, bool chain) {
    put_i32(b, chain ? SYM_MOL : SYM_ION);
    if (chain)
        put_atoms(b, version, 3, 2, 12.011, 6, 41);
    else
        put_atoms(b, version, 1, 1, 22.99, 0, 1);
    for (int k = 0; k < LISTS; k++) {
        if (since(k) > version) continue;
        if (chain && (k == BONDS || k == CONSTR || k == HARMONIC)) { // one of each
            put_i32(b, 3);
            put_i32(b, 0);
            put_i32(b, k == BONDS ? 0 : k == CONSTR ? 1 : 0);
            put_i32(b, k == BONDS ? 1 : 2);
        } else if (chain && k == SETTLE && version < 78) { // without the hydrogens
            put_i32(b, 2);
            put_i32(b, 3);
            put_i32(b, 0);
        } else if (chain && k == SETTLE) {
            put_i32(b, 4);
            for (int i = 0; i < 4; i++) put_i32(b, i ? i - 1 : 3);
        } else {
            put_i32(b, 0);
        }
    }
    put_i32(b, 0); // charge groups
    put_i32(b, 0);
    put_i32(b, 1); // exclusions
    put_i32(b, 1);
    put_i32(b, 0);
    put_i32(b, 1);
    put_i32(b, 0);
}

static void put_topology(struct bytes *b, int version) {
    put_reals(b, 27 + (version < 69 ? 4 : 2));
    put_i32(b, sizeof symbols / sizeof *symbols);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) put_text(b, symbols[i]);
    put_i32(b, SYM_MOL);
    put_i32(b, 1);
    static const int used[] = {BONDS, CONSTR, HARMONIC, SETTLE, THOLE, UREY_BRADLEY, DIHEDRAL, RESTRICTED};
    int count = version < 98 ? 7 : 8;
    put_i32(b, count);
    for (int i = 0; i < count; i++) put_i32(b, place_in(used[i], version));
    if (version >= 66) put_big(b, 0, 8);
    put_reals(b, 1 + 4 + 2 + 4 + 2 + 3 + (version < 127) + (version < 79 ? 4 : 8));
    for (int i = 0; i < 2 && version < 82; i++) put_i32(b, 1);
    put_reals(b, (version < 82 ? 3 : 6) + (version < 98 ? 0 : version < 134 ? 2 : 4));
    put_i32(b, 2);
    put_kind(b, version, true);
    put_kind(b, version, false);
    put_i32(b, 2);
    static const int32_t blocks[2][3] = {{1, 3, 1}, {0, 2, 3}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) put_i32(b, blocks[i][k]);
        put_i32(b, 1);
        put_reals(b, 3);
        put_i32(b, 0);
    }
}

static void make(struct bytes *b, int version, size_t real) {
    char text[64];
    *b = (struct bytes){.real = real};
    snprintf(text, sizeof text, "VERSION made for %d", version);
    put_text(b, text);
    put_i32(b, (int32_t)real);
    put_i32(b, version);
    put_i32(b, 26 + (version >= 119) + (version >= 121) + (version >= 137)); // generation of the topology
    if (version >= 77) put_text(b, "release");
    put_i32(b, 9); // atoms
    put_i32(b, 2); // temperature groups
    if (version < 62) put_i32(b, 0);
    if (version < 62) put_real(b, 0);
    if (version >= 79) put_i32(b, 0);
    put_real(b, 0);
    static const int32_t has[] = {0, 1, 1, 0, 0, 1}; // input record, topology, positions, velocities, forces, box
    for (int i = 0; i < 6; i++) put_i32(b, has[i]);
    size_t size_at = b->n;
    b->packed = version >= 119;
    if (b->packed) b->n += 8;
    put_topology(b, version);
    put_reals(b, 27);
    size_t end = b->n;
    b->n = size_at;
    if (b->packed) put_big(b, end - size_at - 8, 8);
    b->n = end;
    while (b->n % 4) b->data[b->n++] = 0;
}

static struct trj_topology *open_bytes(const struct bytes *b, struct trj_error *err) {
    struct trj_topology *t = NULL;
    const char *path = put("x", b->data, b->n);
    if (trj_topology_open(&t, path, err)) t = NULL;
    remove(path);
    return t;
}

static void versions(void) {
    static const int known[] = {58, 73, 83, 100, 103, 110, 112, 116, 119, 122, 127, 129, 133, 137, 138};
    static struct bytes b;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (size_t real = 4; real <= 8; real += 4) {
            struct trj_error err = {.text = ""};
            make(&b, known[i], real);
            struct trj_topology *t = open_bytes(&b, &err);
            if (!ok(t && t->atoms == 9 && !strcmp(t->format, "TPR"), "version %d, reals of %zu bytes", known[i],
                    real)) {
                printf("# %s\n", err.text);
                continue;
            }
            // The numbers of ions continue after those of the other residues, which are numbered from 1 in version 58.
            bool counted = known[i] < 63;
            is_atom(t, 0, counted ? "NA/CT/NA/Ion/Na/3/0/0" : "NA/CT/NA/Ion/Na/43/0/0");
            is_atom(t, 2, counted ? "NA/CT/NA/Ion/Na/5/2/2" : "NA/CT/NA/Ion/Na/45/2/2");
            is_atom(t, 3, counted ? "A/CT/RES/Mol/C/1/3/3" : "A/CT/RES/Mol/C/41/3/3");
            is_atom(t, 4, counted ? "B/CT/TWO/Mol/C/2/4/3" : "B/CT/TWO/Mol/C/42/4/3");
            is_atom(t, 8, counted ? "A/CT/TWO/Mol/C/2/6/4" : "A/CT/TWO/Mol/C/42/6/4");
            ok(t->bonds == 8 && t->bond[0][0] == 3 && t->bond[0][1] == 4 && t->bond[1][0] == 4 && t->bond[1][1] == 5 &&
                   t->bond[7][0] == 6 && t->bond[7][1] == 8,
               "bonds, constraints and SETTLE, no harmonic potential");
            ok(fabs(t->mass[3] - 12.011) < 1e-5 && t->charge[4] == -0.25 && !strcmp(t->element_from, "mass"),
               "masses and charges; elements of ions by mass");
            trj_topology_close(t);
        }
}

// Truncated files are rejected, and changed bytes cause at most an error.
static void damage(void) {
    static struct bytes b, cut;
    static const int known[] = {58, 73, 103, 127};
    for (size_t i = 0; i < 4; i++) {
        make(&b, known[i], 4);
        size_t taken = 0, changed = 0;
        for (size_t n = 20; n + 4 < b.n; n += 1 + n / 64) {
            struct trj_error err = {.text = ""};
            cut = b;
            cut.n = n;
            struct trj_topology *t = open_bytes(&cut, &err);
            taken += t || err.status != TRJ_BAD_DATA;
            trj_topology_close(t);
        }
        // Old versions do not contain their size, so that a file truncated after the topology is accepted.
        ok(!taken || known[i] < 119, "version %d: truncated files are rejected", known[i]);
        uint32_t random = 1;
        for (size_t at = 30; at < b.n; at += 3) {
            struct trj_error err = {.text = ""};
            cut = b;
            random = random * 1664525 + 1013904223;
            cut.data[at] ^= (unsigned char)(1u << (random >> 29));
            cut.data[at] = random >> 20 & 1 ? 0xff : cut.data[at];
            struct trj_topology *t = open_bytes(&cut, &err);
            changed += !t && err.status != TRJ_BAD_DATA;
            trj_topology_close(t);
        }
        ok(!changed, "version %d, damaged files: TRJ_BAD_DATA or accepted, %zu other results", known[i], changed);
    }
    static const struct {
        size_t at; // position of a number of four bytes
        int32_t value;
        const char *message;
    } changes[] = {
        {28, 6, "invalid size of reals, expected 4 or 8: 6"},
        {32, 40,
         "unsupported TPR version 40 (VERSION made for 127): supported are 58, 73, and 83 to 138 (GROMACS 4.0, "
         "4.5, 4.6 to 2026); convert it with gmx editconf -f x.tpr -o x.pdb, or give the .top from which it was made"},
        {32, 82, "convert it with gmx convert-tpr -s x.tpr -o new.tpr"},
        {32, 59, "unsupported TPR version 59 ("},
        {32, 72, "unsupported TPR version 72 ("},
        {32, 74, "unsupported TPR version 74 ("},
        {32, 139, "unsupported TPR version 139 (VERSION made for 127): supported are 58, 73, and 83 to 138"},
        {32, 200, "unsupported TPR version 200 ("},
        {56, 0, "invalid number of atoms: 0"},
        {56, 2000000000, "file too small for the number of atoms: 2000000000"},
        {56, 8, "more atoms than the header gives: 8"},
        {56, 10, "fewer atoms than the header gives: 10"},
        {60, -1, "invalid number of temperature groups: -1"},
        {76, 0, "contains no topology"},
        {100, 5, "bytes follow the header, which gives 5"},
    };
    make(&b, 127, 4);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        cut = b;
        cut.n = changes[i].at;
        put_i32(&cut, changes[i].value);
        bad_bytes("x.tpr", cut.data, b.n, changes[i].message);
    }
    bad("x.tpr", "no TPR at all\n", "byte ");
}

// The expected values are those that `gmx editconf` and MDAnalysis give.
static void made_by_gromacs(void) {
    struct trj_topology *t = open_file("tests/data/chains.tpr");
    ok(t && t->atoms == 35 && t->bonds == 22, "chains.tpr");
    is_atom(t, 0, "OW/OW/SOL/W4/O/9/0/0");
    is_atom(t, 7, "MW/MW/SOL/W4//10/1/1");
    is_atom(t, 8, "C1/CT/AAA/Chain/C/7/2/2");
    is_atom(t, 12, "P/BB/BBB/Chain//8/3/2");
    is_atom(t, 13, "C1/CT/AAA/Chain/C/7/4/3");
    is_atom(t, 34, "MW/MW/SOL/W4//13/10/7");
    ok(t && t->bond[4][0] == 8 && t->bond[4][1] == 9 && fabs(t->charge[7] + 1.04) < 1e-6 && t->mass[12] == 72,
       "bonds, charges and masses");
    trj_topology_close(t);
}

int main(void) {
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    versions();
    damage();
    made_by_gromacs();
    rmdir(folder);
    return done();
}
