// SPDX-License-Identifier: MIT
// Tests topologies: real files of the shared folder, and dialects and damage in small files written here.
#include <unistd.h>

#include "element.h"
#include "element_guess.h"
#include "tap.h"
#include "topology_file.h"

// ----------------------------------------------------------------------------------------------------------- elements

static void elements(void) {
    bool unique = true;
    for (unsigned z = 1; z <= TRJ_ELEMENTS; z++) {
        const char *s = trj_elements[z].symbol;
        if (trj_element_find(s, strlen(s)) != z) unique = false;
    }
    ok(unique, "every symbol: found as its element");
    ok(trj_element_find("CL", 2) == 17 && trj_element_find("cl", 2) == 17 && !trj_element_find("Xx", 2) &&
           !trj_element_find("", 0),
       "symbols in upper and lower case: found");
    ok(trj_elements[1].mass == 1.008 && trj_elements[6].mass == 12.011 && trj_elements[118].mass == 294,
       "standard masses of H, C and Og");
    // Standard masses increase with Z except for these pairs.
    size_t falls = 0;
    for (unsigned z = 2; z <= 94; z++) falls += trj_elements[z].mass < trj_elements[z - 1].mass;
    ok(falls == 5, "masses decrease only at Ar-K, Co-Ni, Te-I, Th-Pa, U-Np");

    static const struct {
        const char *name, *resname, *symbol;
        enum trj_element_column column;
    } by_name[] = {
        {"CA", "ALA", "C", 0},
        {"CA", "CA", "Ca", 0},
        {"CA", "CA2+", "Ca", 0},
        {"NA+", "NA+", "Na", 0},
        {"Na+", "Na+", "Na", 0},
        {"CL-", "CL-", "Cl", 0},
        {"CLA", "CLA", "Cl", 0},
        {"SOD", "SOD", "Na", 0},
        {"POT", "POT", "K", 0},
        {"K", "K", "K", 0},
        {"MG", "MG", "Mg", 0},
        {"ZN", "ZN2", "Zn", 0},
        {"CAL", "CAL", "Ca", 0},
        {"CL", "ION", "Cl", 0},
        {"AR", "AR", "Ar", 0},
        {"1HB", "ALA", "H", 0},
        {"HG11", "VAL", "H", 0},
        {"OW", "SOL", "O", 0},
        {"MW", "SOL", "", 0},
        {"LP1", "SOL", "", 0},
        {"OM", "TIP4", "", 0},
        {"OM", "LIG", "O", 0},
        {"W", "W", "", 0},
        {"BB", "GLY", "", 0},
        {"FE", "HEM", "Fe", 0},
        {"BR1", "LIG", "Br", 0},
        {"Cl1", "LIG", "Cl", 0},
        {"CL1", "LIG", "Cl", 0},
        {"SE", "MSE", "Se", 0},
        {"SG", "CYS", "S", 0},
        {"P", "DPPC", "P", 0},
        {"H5''", "DA", "H", 0},
        {"O5'", "DA", "O", 0},
        {"123", "X", "", 0},
        {"HG", "SER", "H", 0},
        {"HG", "HG", "Hg", 0},
        {"NE2", "HIS", "N", 0},
        {"CA", "PRO", "C", TRJ_ELEMENT_SECOND_COLUMN},
        {"CA", "PRO", "", TRJ_ELEMENT_FIRST_COLUMN},
        {"FE", "HEM", "Fe", TRJ_ELEMENT_FIRST_COLUMN},
        {"FE", "HEM", "", TRJ_ELEMENT_SECOND_COLUMN},
        {"F1", "LIG", "F", TRJ_ELEMENT_SECOND_COLUMN},
        {"F1", "LIG", "F", 0},
        {"F12", "LIG", "F", 0},
        {"I1", "LIG", "I", 0},
        {"FA", "LIG", "", 0},
        {"B1", "LIG", "", 0},
        {"K1", "LIG", "", 0},
        {"W", "WN", "", 0},
        {"NA", "SOD", "Na", 0},
        {"NA", "LIG", "N", 0},
        {"HG11", "VAL", "H", TRJ_ELEMENT_FIRST_COLUMN},
        {"1HB", "ALA", "H", TRJ_ELEMENT_FIRST_COLUMN},
        {"CLA", "CLA", "Cl", TRJ_ELEMENT_SECOND_COLUMN},
        {"NA", "NA", "Na", TRJ_ELEMENT_SECOND_COLUMN},
        {"PB", "PB", "Pb", 0},
        {"PT", "PT", "Pt", 0},
        {"CR", "CR", "Cr", 0},
        {"CE", "CE", "Ce", 0},
        {"SC", "SC", "Sc", 0},
        {"PD", "PD", "Pd", 0},
        {"SN", "SN", "Sn", 0},
        {"SB", "SB", "Sb", 0},
        {"OS", "OS", "Os", 0},
        {"HF", "HF", "Hf", 0},
        {"ND", "ND", "Nd", 0},
        {"SM", "SM", "Sm", 0},
        {"HO", "HO", "Ho", 0},
        {"CU", "CU", "Cu", 0},
        {"CO", "CO", "Co", 0},
        {"pb", "PB", "Pb", 0},
        {"PB2+", "PB2", "Pb", 0},
        {"CN", "CN", "C", 0},
        {"CU", "LIG", "Cu", 0},
        {"PT1", "CPT", "Pt", 0},
        {"CO", "B12", "C", 0},
        {"CU", "LIG", "C", TRJ_ELEMENT_SECOND_COLUMN},
        {"CU", "LIG", "Cu", TRJ_ELEMENT_FIRST_COLUMN},
        {"PB", "LIG", "Pb", TRJ_ELEMENT_FIRST_COLUMN},
        {"CA", "LIG", "Ca", TRJ_ELEMENT_FIRST_COLUMN},
    };
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++) {
        unsigned z = trj_element_by_name(by_name[i].name, by_name[i].resname, by_name[i].column);
        ok(!strcmp(trj_elements[z].symbol, by_name[i].symbol), "name %s of %s, column %d: '%s', found '%s'",
           by_name[i].name, by_name[i].resname, (int)by_name[i].column, by_name[i].symbol, trj_elements[z].symbol);
    }
    static const struct {
        const char *name, *resname, *symbol;
    } ambiguous_symbols[] = {{"CU", "LIG", "C"}, {"NA", "HEM", "Na"}, {"CO", "B12", "Co"}, {"PT1", "CPT", "P"},
                             {"PB", "PB", ""},   {"CA", "ALA", ""},   {"CD1", "LIG", ""},  {"C", "LIG", ""},
                             {"Cu", "LIG", ""},  {"FE", "HEM", ""}};
    for (size_t i = 0; i < sizeof ambiguous_symbols / sizeof *ambiguous_symbols; i++) {
        unsigned z = trj_element_alternative(ambiguous_symbols[i].name, ambiguous_symbols[i].resname);
        ok(!strcmp(trj_elements[z].symbol, ambiguous_symbols[i].symbol), "name %s of %s may also mean '%s', found '%s'",
           ambiguous_symbols[i].name, ambiguous_symbols[i].resname, ambiguous_symbols[i].symbol,
           trj_elements[z].symbol);
    }
    static const struct {
        double mass;
        const char *name, *type, *resname, *symbol;
    } by_mass[] = {
        {12.011, "CA", "CT1", "ALA", "C"},   {40.08, "CAL", "CAL", "CAL", "Ca"},
        {40.08, "CA", "CAL", "CA", "Ca"},    {22.98977, "SOD", "SOD", "SOD", "Na"},
        {39.0983, "POT", "POT", "POT", "K"}, {35.45, "CLA", "CLA", "CLA", "Cl"},
        {1.008, "HT1", "2", "MET", "H"},     {2.014, "D1", "DT", "DOD", "H"},
        {4.0032, "HE1", "HP", "PHE", "H"},   {3.024, "HA", "HB1", "ALA", "H"},
        {8.987, "CB", "CT3", "ALA", "C"},    {13.983, "OG", "OH1", "SER", "O"},
        {28.028, "S", "SH2", "H2S", "S"},    {14.027, "CB", "CH2E", "LEU", "C"},
        {15.035, "CD1", "CH3E", "LEU", "C"}, {65.37, "ZN", "ZN", "ZN2", "Zn"},
        {55.847, "FE", "FE", "HEME", "Fe"},  {28.0855, "SI1", "SI", "SIO2", "Si"},
        {72, "SC1", "P5", "LYS", ""},        {72, "W", "P4", "W", ""},
        {0, "OM", "LP", "TIP4", ""},         {22.99, "SOD", "SOD", "", "Na"},
        {32.06, "SG", "S", "CYS", "S"},      {0.4, "DOH2", "DRUD", "SWM4", ""},
        {4.0026, "HE", "HE", "HE", "He"},    {79.904, "BR1", "BRGR1", "LIG", "Br"},
        {15.9994, "X1", "OT", "LIG", "O"},   {12.011, "X1", "Q", "LIG", ""},
    };
    for (size_t i = 0; i < sizeof by_mass / sizeof *by_mass; i++) {
        unsigned z = trj_element_by_mass(by_mass[i].mass, by_mass[i].name, by_mass[i].type, by_mass[i].resname);
        ok(!strcmp(trj_elements[z].symbol, by_mass[i].symbol), "%g u, name %s: '%s', found '%s'", by_mass[i].mass,
           by_mass[i].name, by_mass[i].symbol, trj_elements[z].symbol);
    }
}

// ---------------------------------------------------------------------------------------------------------- real files

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

// Each topology of the manifest has the number of atoms that the manifest gives.
static void manifest(const char *shared) {
    char path[2 * 4096], line[4096];
    snprintf(path, sizeof path, "%s/data/MANIFEST.tsv", shared);
    FILE *f = fopen(path, "r");
    size_t files = 0;
    while (f && fgets(line, sizeof line, f)) {
        char *column[8], *rest = line; // file, origin, path, commit, licence, format, atoms, frames
        size_t columns = 0;
        for (; columns < 8; columns++) {
            column[columns] = rest;
            rest += strcspn(rest, "\t");
            if (!*rest) break;
            *rest++ = 0;
        }
        const char *name = column[0];
        if (columns < 8 || !strncmp(name, "damaged/", 8) ||
            !(ends_in(name, ".psf") || ends_in(name, ".pdb") || ends_in(name, ".gro")))
            continue;
        unsigned long atoms = strtoul(column[6], NULL, 10), models = strtoul(column[7], NULL, 10);
        if (ends_in(name, ".pdb")) atoms /= models; // the manifest counts records of all models
        if (ends_in(name, "ase.pdb")) atoms = 120;
        if (ends_in(name, "end-endmdl.pdb")) atoms = 4; // models of these two differ
        snprintf(path, sizeof path, "%s/data/%s", shared, name);
        struct trj_topology *top = open_file(path);
        ok(top && top->atoms == atoms, "%s has %lu atoms", name, atoms);
        trj_topology_close(top);
        files++;
    }
    if (f) fclose(f);
    ok(files == 21, "the manifest names %zu topologies", files);
}

static void real_values(const char *shared) {
    char path[4096];
    snprintf(path, sizeof path, "%s/data/dcd/adk.psf", shared);
    struct trj_topology *t = open_file(path);
    if (ok(t != NULL, "adk.psf is read")) {
        ok(t->bonds == 3365 && t->bond[0][0] == 1 && t->bond[0][1] == 0, "3365 bonds, the first 2-1");
        is_atom(t, 0, "N/56/MET/4AKE/N/1/0/0");
        is_atom(t, 3340, "OT2/72/GLY/4AKE/O/214/213/0");
        double sum = 0, charge = 0;
        for (size_t i = 0; i < t->atoms; i++) sum += t->mass[i], charge += t->charge[i];
        ok(fabs(sum - 23582.043) < 0.0005, "total mass %.4f u, as in MDAnalysis", sum);
        ok(fabs(charge + 4) < 0.0005, "total charge %.4f e, as in MDAnalysis", charge);
        ok(count_element(t, "C") == 1040 && count_element(t, "S") == 7 && count_element(t, "H") == 1685,
           "elements by mass");
        ok(!strcmp(t->element_from, "mass"), "element_from: mass");
    }
    trj_topology_close(t);
    snprintf(path, sizeof path, "%s/data/dcd/tip125_tric_C36.psf", shared);
    t = open_file(path);
    if (ok(t != NULL, "tip125_tric_C36.psf is read")) {
        is_atom(t, 374, "H2/4/TIP3/SOLV/H/125/124/124");
        ok(t->bonds == 375, "375 bonds");
    }
    trj_topology_close(t);
    snprintf(path, sizeof path, "%s/data/gro/1vln-triclinic.gro", shared);
    t = open_file(path);
    if (ok(t != NULL, "1vln-triclinic.gro is read"))
        ok(count_element(t, "Mn") == 8 && count_element(t, "Ca") == 8 && count_element(t, "C") == 9128 &&
               count_element(t, "") == 0,
           "metal ions are distinguished from alpha carbons");
    trj_topology_close(t);
    snprintf(path, sizeof path, "%s/data/xtc/adk_oplsaa.gro", shared);
    t = open_file(path);
    if (ok(t != NULL, "adk_oplsaa.gro is read")) {
        is_atom(t, 47680, "NA/-/NA+/-/Na/11302/11301/-");
        ok(count_element(t, "") == 11084 && !strcmp(t->element_from, "name"), "sites MW of TIP4P have no element");
        size_t massless = 0, unknown = 0;
        for (size_t i = 0; i < t->atoms; i++) {
            massless += t->mass[i] == 0;
            if (isnan(t->mass[i])) unknown++;
        }
        ok(massless == 11084 && !unknown && !strcmp(t->mass_from, "element, 0 for sites of water"),
           "sites MW have the mass 0, which mass_from states");
    }
    trj_topology_close(t);
    snprintf(path, sizeof path, "%s/data/xtc/tip3p_300K_1ATM.pdb", shared);
    t = open_file(path);
    if (ok(t != NULL, "tip3p_300K_1ATM.pdb is read")) {
        ok(!t->element_from && count_element(t, "O") == 258, "elements are read from the file");
        is_atom(t, 773, "H2/-/HOH/A/H/258/257/-");
    }
    trj_topology_close(t);
    static const struct {
        const char *file, *message;
    } damaged[] = {
        {"truncated.gro", "line 558: atom 556: residue number '5.' in columns 1-5 is not a number"},
        {"missing_atomname.gro", "line 3: atom 1: no name in columns 11-15"},
#ifdef TRJPIPE_ZLIB
        {"cryst_then_model.pdb.gz", "not a known topology format; give one of PSF, PRMTOP, "}, // a tar archive
#endif
        {"../dcd/water.dcd", "not a known topology format; give one of PSF, PRMTOP, "},
        {"empty.dcd", "is empty"},
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct trj_error err = {.text = ""};
        snprintf(path, sizeof path, "%s/data/damaged/%s", shared, damaged[i].file);
        int rc = trj_topology_open(&t, path, &err);
        if (!ok(rc == -1 && err.status == TRJ_BAD_DATA && has_text(err.text, damaged[i].message), "%s: %s",
                damaged[i].file, damaged[i].message))
            printf("# %s\n", err.text);
    }
}

// ----------------------------------------------------------------------------------------------------------------- PSF

#define PSF_WATER                                                                                                      \
    "       1 WAT  5    TIP3 OH2  OT    -0.834000       15.9994           0\n"                                         \
    "       2 WAT  5    TIP3 H1   HT     0.417000        1.0080           0\n"                                         \
    "       3 WAT  5    TIP3 H2   HT     0.417000        1.0080           0\n"
#define PSF_WATERS                                                                                                     \
    PSF_WATER "       4 WAT  7    TIP3 OH2  OT    -0.834000       15.9994           0\n"                               \
              "       5 WAT  7    TIP3 H1   HT     0.417000        1.0080           0\n"                               \
              "       6 WAT  7    TIP3 H2   HT     0.417000        1.0080           0\n"

static void psf_dialects(void) {
    struct trj_topology *t =
        open_text("xplor.psf", "PSF\n\n       2 !NTITLE\n REMARKS 9 !NATOM\n* x\n\n       6 !NATOM\n" PSF_WATERS
                               "\n       4 !NBOND: bonds\n       1       2       1       3       6       4\n"
                               "       4       5\n\n       0 !NTHETA: angles\n\n");
    is_atom(t, 0, "OH2/OT/TIP3/WAT/O/5/0/0");
    is_atom(t, 5, "H2/HT/TIP3/WAT/H/7/1/1");
    ok(t && t->bonds == 4 && t->bond[2][0] == 5 && t->bond[2][1] == 3 && t->mass[3] == 15.9994,
       "bonds and masses of an X-PLOR PSF");
    ok(t && !strcmp(t->format, "PSF"), "the format is PSF");
    trj_topology_close(t);

    // No bonds, and so no molecules. No blank line, no newline at the end, CR LF. The format is detected by content.
    t = open_text(
        "crlf", "PSF CMAP\r\n\r\n       1 !NTITLE\r\n* x\r\n\r\n       3 !NATOM\r\n"
                "       1 SOLV 1    TIP3 OH2    58  -0.834000       15.9994           0   0.00000     -0.301140E-02\r\n"
                "       2 SOLV 1    TIP3 H1     59   0.417000       1.00800           0   0.00000     -0.301140E-02\r\n"
                "       3 SOLV 1    TIP3 H2     59   0.417000       1.00800           0   0.00000     -0.301140E-02\r\n"
                "       0 !NBOND");
    is_atom(t, 0, "OH2/58/TIP3/SOLV/O/1/0/-");
    is_atom(t, 2, "H2/59/TIP3/SOLV/H/1/0/-");
    trj_topology_close(t);

    // Texts that fill their columns, an empty segment, an insertion code, a negative residue: only columns separate
    // them.
    t = open_text("columns.psf", "PSF\n\n       1 !NTITLE\n* x\n\n       4 !NATOM\n"
                                 "       1      -3   TIP3 OH2  OT    -0.834000       15.9994           0\n"
                                 "       2      52   TIP3 H1   HT     0.417000        1.0080           0\n"
                                 "       3      52A  TIP3 H1   HT     0.417000        1.0080           0\n"
                                 "       4 ABCD 9999 EFGH IJKL MNOP  -0.834000       15.9994           0\n"
                                 "       1 !NBOND\n       4       1\n");
    is_atom(t, 0, "OH2/OT/TIP3//O/-3/0/0");
    is_atom(t, 1, "H1/HT/TIP3//H/52/1/1");
    is_atom(t, 2, "H1/HT/TIP3//H/52/2/2");
    is_atom(t, 3, "IJKL/MNOP/EFGH/ABCD//9999/3/0");
    trj_topology_close(t);

    // EXT: 10 and 8 columns; the first atom has no segment and no residue name.
    t = open_text("ext.psf", "PSF EXT CMAP CHEQ XPLOR\n\n         1 !NTITLE\n* x\n\n         3 !NATOM\n"
                             "         1          1                 SOD      SOD    1.00000       22.9898           0  "
                             " 0.00000     -0.301140E-02\n"
                             "         2 PROTEIN1 12345678 ABCDEFGH CLA12345 CLA6  -1.00000       35.4500           0  "
                             " 0.00000     -0.301140E-02\n"
                             "         3 PROTEIN1 12345678 ABCDEFGH HX       HCA   1.000000       1.00800           0  "
                             " 0.00000     -0.301140E-02\n"
                             "\n         1 !NBOND: bonds\n         2         3\n");
    is_atom(t, 0, "SOD/SOD///Na/1/0/0");
    is_atom(t, 1, "CLA12345/CLA6/ABCDEFGH/PROTEIN1/Cl/12345678/1/1");
    is_atom(t, 2, "HX/HCA/ABCDEFGH/PROTEIN1/H/12345678/1/1");
    trj_topology_close(t);

    // NAMD: blanks separate fields. Then a file without that flag, with a name that is too wide for its columns.
    t = open_text("namd.psf",
                  "PSF NAMD\n\n1 !NTITLE\nREMARKS x\n\n2 !NATOM\n1 SEGMENT1 1 LONGRES LONGNAME LONGTYPE -0.5 12.011 0\n"
                  "2 SEGMENT1 2 LONGRES CB CT 0.5 12.011 0\n\n1 !NBOND\n1 2\n");
    is_atom(t, 0, "LONGNAME/LONGTYPE/LONGRES/SEGMENT1//1/0/0");
    is_atom(t, 1, "CB/CT/LONGRES/SEGMENT1/C/2/1/0");
    trj_topology_close(t);
    t = open_text("wide.psf",
                  "PSF\n\n       1 !NTITLE\n* x\n\n       1 !NATOM\n"
                  "       1 WAT  5    TIP3 OH2LONG OT    -0.834000       15.9994           0\n\n       0 !NBOND\n");
    is_atom(t, 0, "OH2LONG/OT/TIP3/WAT/O/5/0/-");
    trj_topology_close(t);

    // All masses are 0, as some builders write them: elements are guessed from names.
    t = open_text("massless.psf",
                  "PSF\n\n       1 !NATOM\n       1 WAT  5    TIP3 OH2  OT     0.000000        0.0000           0\n"
                  "       0 !NBOND\n");
    is_atom(t, 0, "OH2/OT/TIP3/WAT/O/5/0/-");
    ok(t && !strcmp(t->element_from, "name"), "all masses are 0: elements by name");
    trj_topology_close(t);

    // Numbers of bonds that fill their 8 columns have no blanks between them.
    t = open_text("full.psf",
                  "PSF\n\n       3 !NATOM\n" PSF_WATER "       2 !NBOND\n       10000000200000001       3\n");
    is_atom(t, 2, "H2/HT/TIP3/WAT/H/5/0/0");
    trj_topology_close(t);
}

// Molecules are numbered in order of their first atoms, for any order of the bonds.
static void molecules(void) {
    char text[4096];
    int n = snprintf(text, sizeof text, "PSF NAMD\n\n9 !NATOM\n");
    for (int i = 1; i <= 9; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%d A %d X C C 0.0 12.011 0\n", i, i);
    snprintf(text + n, sizeof text - (size_t)n, "\n6 !NBOND\n9 8 8 1 4 6 3 5 5 3 6 4\n");
    struct trj_topology *t = open_text("molecules.psf", text);
    static const uint32_t expected[9] = {0, 1, 2, 3, 2, 3, 4, 0, 0};
    ok(t && t->molecule && !memcmp(t->molecule, expected, sizeof expected), "molecules {1,8,9} {2} {3,5} {4,6} {7}");
    trj_topology_close(t);
}

static void psf_damage(void) {
#define HEAD "PSF\n\n       1 !NTITLE\n* x\n\n"
    bad("a.psf", "PSX\n", "line 1: does not begin with PSF");
    bad("a.psf", HEAD, "line 5: the file ends without a section !NATOM");
    bad("a.psf", HEAD "       0 !NATOM\n", "line 6: no atoms");
    bad("a.psf", HEAD "1000000000000 !NATOM\n" PSF_WATER,
        "line 6: 1000000000000 atoms: at most 4294967295 can be read");
    bad("a.psf", HEAD "4000000000 !NATOM\n" PSF_WATER, "line 9: the file ends after 3 of 4000000000 atoms");
    bad("a.psf", HEAD "99999999999999999999999 !NATOM\n" PSF_WATER,
        "'99999999999999999999999' is not a number of atoms");
    bad("a.psf", HEAD "       3x !NATOM\n" PSF_WATER, "line 6: '3x' is not a number of atoms");
    bad("a.psf", HEAD "       4 !NATOM\n" PSF_WATER "\n       0 !NBOND\n", "line 10: atom 4: too few fields");
    bad("a.psf", HEAD "       4 !NATOM\n" PSF_WATER, "line 9: the file ends after 3 of 4 atoms");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATERS "\n       0 !NBOND\n",
        "after the 3 atoms of !NATOM: expected another section, as !NBOND");
    struct trj_topology *t = open_text("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "\n\n");
    ok(t && t->atoms == 3 && !t->bonds && !t->molecule, "PSF without !NBOND: no bonds");
    trj_topology_close(t);
    t = open_text("a.psf", HEAD "       3 !NATOM\n" PSF_WATER
                                "\n       0 !NTHETA\n\n       2 !NBOND\n       1       2       1       3\n");
    ok(t && t->bonds == 2, "PSF with another section before !NBOND: its bonds are read");
    trj_topology_close(t);
    char cut[] = HEAD "       3 !NATOM\n" PSF_WATER;
    cut[sizeof cut - 2] = 0;
    bad("a.psf", cut, "line 9: the file ends here, without a newline: it may be truncated");
    bad("a.psf", HEAD "       1 !NATOM\n       2 WAT  5    TIP3 OH2  OT    -0.834000       15.9994           0\n",
        "line 7: atom 1: unexpected atom number");
    bad("a.psf", HEAD "       1 !NATOM\n       1 WAT  x    TIP3 OH2  OT    -0.834000       15.9994           0\n",
        "line 7: atom 1: the residue number is not a number");
    bad("a.psf", HEAD "       1 !NATOM\n       1 WAT  1    TIP3 OH2  OT    -0.83x000       15.9994           0\n",
        "line 7: atom 1: the charge is not a number");
    bad("a.psf", HEAD "       1 !NATOM\n       1 WAT  1    TIP3 OH2  OT    -0.834000           nan           0\n",
        "line 7: atom 1: the mass is not a number");
    bad("a.psf", HEAD "       1 !NATOM\n       1 WAT  1    TIP3 OH2  OT    -0.834000       -1.0080           0\n",
        "line 7: atom 1: the mass is negative");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "       2 !NBOND\n       1       2       1       4\n",
        "line 11: bond 2: invalid atom number 4, expected 1 to 3");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "       2 !NBOND\n       0       2       1       3\n",
        "line 11: bond 1: invalid atom number 0, expected 1 to 3");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "       2 !NBOND\n       1       2       1\n",
        "line 11: the file ends after 1 of 2 bonds");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "       1 !NBOND\n       1       2       1       3\n",
        "line 11: more than the 1 bonds of !NBOND");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "       2 !NBOND\n       1       2\n\n       0 !NTHETA\n",
        "line 13: the next section begins after 1 of 2 bonds");
    bad("a.psf", HEAD "       3 !NATOM\n" PSF_WATER "1000000000000 !NBOND\n       1       2\n",
        "line 10: 1000000000000 bonds: at most 4294967295 can be read");
    static const char zero[] = HEAD "       1 !NATOM\n       1 WAT \0 5\n";
    bad_bytes("a.psf", zero, sizeof zero - 1, "line 7: a zero byte in a text file");
}

// ----------------------------------------------------------------------------------------------------------------- PDB

static void pdb_dialects(void) {
    // Only the first model is read. Chains, insertion codes, a new residue where only the chain changes, and elements
    // from columns 77-78.
    struct trj_topology *t = open_text(
        "models.pdb",
        "HEADER    X\nCRYST1   20.000   20.000   20.000  90.00  90.00  90.00 P 1           1\nMODEL        1\n"
        "ATOM      1  CA  ALA A  52      10.000  20.000  30.000  1.00  0.00           C  \n"
        "ATOM      2 CA    CA A  52A     10.000  20.000  30.000  1.00  0.00          CA2+\n"
        "HETATM    3  O   HOH A  53      10.000  20.000  30.000  1.00  0.00           O\n"
        "TER\n"
        "ATOM      4  D1  HOH B  53      10.000  20.000  30.000  1.00  0.00           D  \n"
        "ANISOU    4  D1  HOH B  53      100   200   300  1   0   0             D  \n"
        "ENDMDL\nMODEL        2\n"
        "ATOM      1  CA  ALA A  52      10.000  20.000  30.000  1.00  0.00           C  \nENDMDL\nEND\n");
    ok(t && t->atoms == 4 && !t->element_from && !t->bonds && !t->molecule,
       "first model only; elements from the file; no bonds");
    ok(t && t->mass[0] == 12.011 && t->mass[3] == 1.008 && !strcmp(t->mass_from, "element"), "masses by element");
    is_atom(t, 0, "CA/-/ALA/A/C/52/0/-");
    is_atom(t, 1, "CA/-/CA/A/Ca/52/1/-");
    is_atom(t, 2, "O/-/HOH/A/O/53/2/-");
    is_atom(t, 3, "D1/-/HOH/B/H/53/3/-");
    ok(t && !t->segid.id && !strcmp(text_of(&t->chain, 3), "B"), "chains, but no segments");
    trj_topology_close(t);

    // Serial numbers that overflow in each known way, hybrid-36 residues, segments and chains, residue names of four
    // letters, CR LF, and no newline at the end.
    t = open_text("hybrid.ent", "REMARK\r\n"
                                "ATOM  99999  OH2 TIP3W9999      10.000  20.000  30.000  1.00  0.00      WT1 \r\n"
                                "ATOM  A0000  H1  TIP3W9999      10.000  20.000  30.000  1.00  0.00      WT1 \r\n"
                                "ATOM  *****  OH2 TIP3WA000      10.000  20.000  30.000  1.00  0.00      WT1 \r\n"
                                "ATOM  186a0  OH2 TIP3WA00Z      10.000  20.000  30.000  1.00  0.00      WT1 \r\n"
                                "ATOM 100001  OH2 TIP3WZZZZ      10.000  20.000  30.000  1.00  0.00      WT1 \r\n"
                                "ATOM 100002  OH2 TIP3Wa000      10.000  20.000  30.000  1.00  0.00      WT1");
    ok(t && t->atoms == 6, "6 atoms");
    is_atom(t, 1, "H1/-/TIP3/WT1/H/9999/0/-");
    is_atom(t, 2, "OH2/-/TIP3/WT1/O/10000/1/-");
    is_atom(t, 3, "OH2/-/TIP3/WT1/O/10035/2/-");
    is_atom(t, 4, "OH2/-/TIP3/WT1/O/1223055/3/-");
    is_atom(t, 5, "OH2/-/TIP3/WT1/O/1223056/4/-");
    ok(t && !strcmp(text_of(&t->chain, 5), "W") && !strcmp(text_of(&t->segid, 5), "WT1"), "chain and segment");
    ok(t && !strcmp(t->element_from, "name"), "elements by name");
    trj_topology_close(t);

    // Hexadecimal residue numbers: 2710 after 9999 is 10000. Numbers of a new chain are decimal again.
    t = open_text("hex.pdb", "ATOM  99999  O   HOH W9999      10.000  20.000  30.000\n"
                             "ATOM  186a0  O   HOH W2710      10.000  20.000  30.000\n"
                             "ATOM  186a1  O   HOH W2711      10.000  20.000  30.000\n"
                             "ATOM  186a2  O   HOH W271a      10.000  20.000  30.000\n"
                             "ATOM  186a3  O   HOH Wa000      10.000  20.000  30.000\n"
                             "ATOM  186a4  O   HOH X   1      10.000  20.000  30.000\n"
                             "ATOM  186a5  O   HOH X2710      10.000  20.000  30.000\n"
                             "ATOM  186a6  O   HOH Y -12      10.000  20.000  30.000\n"
                             "ATOM  186a7  O   HOH Y12345     10.000  20.000  30.000\n");
    is_atom(t, 1, "O/-/HOH/W/O/10000/1/-");
    is_atom(t, 2, "O/-/HOH/W/O/10001/2/-");
    is_atom(t, 3, "O/-/HOH/W/O/10010/3/-");
    is_atom(t, 4, "O/-/HOH/W/O/40960/4/-");
    is_atom(t, 5, "O/-/HOH/X/O/1/5/-");
    is_atom(t, 6, "O/-/HOH/X/O/2710/6/-");
    is_atom(t, 7, "O/-/HOH/Y/O/-12/7/-");
    is_atom(t, 8, "O/-/HOH/Y/O/12345/8/-");
    trj_topology_close(t);

    // Numbers replaced by stars: names and first atoms separate residues. Wrapped numbers are kept, and their residues
    // are separate.
    t = open_text("stars.pdb", "ATOM      1  O   HOH  9999      10.000  20.000  30.000\n"
                               "ATOM      2  H   HOH  9999      10.000  20.000  30.000\n"
                               "ATOM      3  O   HOH  ****      10.000  20.000  30.000\n"
                               "ATOM      4  H   HOH  ****      10.000  20.000  30.000\n"
                               "ATOM      5  O   HOH  ****      10.000  20.000  30.000\n"
                               "ATOM      6  NA   NA  ****      10.000  20.000  30.000\n"
                               "ATOM      7  O   HOH     0      10.000  20.000  30.000\n");
    is_atom(t, 2, "O/-/HOH/-/O/10000/1/-");
    is_atom(t, 3, "H/-/HOH/-/H/10000/1/-");
    is_atom(t, 4, "O/-/HOH/-/O/10001/2/-");
    is_atom(t, 5, "NA/-/NA/-/Na/10002/3/-");
    is_atom(t, 6, "O/-/HOH/-/O/0/4/-");
    trj_topology_close(t);

    // Elements by the column of the name, if the file follows the rule; an element column that is filled for some atoms
    // only; one without a symbol.
    t = open_text("place.pdb", "ATOM      1  CA  LIG A   1      10.000  20.000  30.000\n"
                               "ATOM      2 FE   HEM A   2      10.000  20.000  30.000\n"
                               "ATOM      3 HG11 VAL A   3      10.000  20.000  30.000\n"
                               "ATOM      4 1HB  ALA A   4      10.000  20.000  30.000\n"
                               "ATOM      5  F1  LIG A   5      10.000  20.000  30.000\n"
                               "ATOM      6 CA   LIG A   6      10.000  20.000  30.000\n"
                               "ATOM      7  EP  LIG A   7      10.000  20.000  30.000  1.00  0.00          XX  \n"
                               "ATOM      8  CL1 LIG A   8      10.000  20.000  30.000  1.00  0.00          CL  \n");
    static const char *const expected[] = {"C", "Fe", "H", "H", "F", "Ca", "", "Cl"};
    for (size_t i = 0; t && i < 8; i++)
        ok(!strcmp(text_of(&t->element, i), expected[i]), "atom %zu is '%s' by its column", i + 1, expected[i]);
    trj_topology_close(t);
    // The same alpha carbon, one column to the left: a file with "N" in the first column breaks the rule.
    t = open_text("left.pdb", "ATOM      1 N    ALA A   1      10.000  20.000  30.000\n"
                              "ATOM      2 CA   ALA A   1      10.000  20.000  30.000\n"
                              "ATOM      3 CB   ALA A   1      10.000  20.000  30.000\n");
    is_atom(t, 0, "N/-/ALA/A/N/1/0/-");
    is_atom(t, 1, "CA/-/ALA/A/C/1/0/-");
    trj_topology_close(t);
    // Alpha carbons only, one column to the left: no evidence that the file follows the rule.
    t = open_text("calpha.pdb", "ATOM      1 CA   ALA A   1      10.000  20.000  30.000\nEND\n"
                                "ATOM      1 CA   ALA A   1      10.000  20.000  30.000\nEND\n");
    ok(t && t->atoms == 1, "END in a file without models: ends the frame");
    is_atom(t, 0, "CA/-/ALA/A/C/1/0/-");
    trj_topology_close(t);
}

static void pdb_damage(void) {
    bad("a.pdb", "REMARK x\nEND\n", "line 2: the file ends without an ATOM or HETATM record");
    bad("a.pdb", "ATOM      1  CA  ALA A  52      10.000  20.0", "line 1: atom 1: no coordinate in columns 47-54");
    bad("a.pdb", "ATOM      1  CA  ALA", "line 1: atom 1: no coordinate in columns 31-38");
    bad("a.pdb", "ATOM      1  CA  ALA A 5x2      10.000  20.000  30.000\n",
        "residue number '5x2' in columns 23-26 is not a number");
    // A serial number of seven digits shifts the rest of the line by one column.
    bad("a.pdb", "ATOM  1000000  CA  ALA A  52      32.221  17.012  15.868\n", "no coordinate in columns");
    static const char zero[] = "ATOM      1  CA\0 ALA A  52      10.000  20.000  30.000\n";
    bad_bytes("a.pdb", zero, sizeof zero - 1, "line 1: a zero byte in a text file");
    bad("a.txt", "3\nx\nO 0 0\n",
        "not a known topology format; give one of PSF, PRMTOP, MDTraj, DL_POLY FIELD, mmCIF, CIF, XDATCAR, POSCAR, "
        "g96, CARD, GRO, "
        "TPR, ");
    bad("a.pdb", "", "is empty");
    static const char bell[] = "ATOM      1  CA  ALA A \a1\a      10.000  20.000  30.000\n";
    bad("a.pdb", bell, "residue number '\a1\a' in columns"); // trj_tool_message replaces the control characters
    char *line = malloc((1 << 20) + 100);
    memset(line, 'x', (1 << 20) + 100);
    bad_bytes("a.pdb", line, (1 << 20) + 100, ": line longer than 1048576 bytes");
    free(line);
}

// ----------------------------------------------------------------------------------------------------------------- GRO

static void gro_dialects(void) {
    // Velocities, six decimals, wrapped numbers, a second frame, and a title that looks like PDB.
    struct trj_topology *t =
        open_text("wrap.gro", "TITLE     not a PDB\n    4\n"
                              "99999SOL     OW99999   0.230000   0.628000   0.113000 0.1000000 0.1000000 0.1000000\n"
                              "99999SOL    HW199999   0.230000   0.628000   0.113000 0.1000000 0.1000000 0.1000000\n"
                              "    0SOL     OW    0 -10.230000   0.628000   0.113000 0.1000000 0.1000000 0.1000000\n"
                              "    0NA+     NA    1        NaN   0.628000        nan\n"
                              "   1.86206   1.86206   1.86206\nnext\n 1\n");
    ok(t && t->atoms == 4 && !strcmp(t->format, "GRO") && !t->type.id && !t->segid.id && t->mass && !t->molecule,
       "first frame of a GRO");
    is_atom(t, 0, "OW/-/SOL/-/O/99999/0/-");
    is_atom(t, 1, "HW1/-/SOL/-/H/99999/0/-");
    is_atom(t, 2, "OW/-/SOL/-/O/0/1/-");
    is_atom(t, 3, "NA/-/NA+/-/Na/0/2/-");
    trj_topology_close(t);
    // Two decimals, CR LF, no newline at the end, a box of nine numbers; the format is detected by content.
    t = open_text("short", "\r\n1\r\n    1PROT3   CA    1   0.23   0.63   0.11\r\n 1 2 3 0 0 0.5 0 -.5 0");
    is_atom(t, 0, "CA/-/PROT3/-/C/1/0/-");
    trj_topology_close(t);
}

static void gro_damage(void) {
#define GRO_ATOM "    1SOL     OW    1   0.230   0.628   0.113\n"
    bad("a.gro", "title\n", "line 1: the file ends before the number of atoms");
    bad("a.gro", "title\nx\n", "line 2: 'x' is not a number of atoms");
    bad("a.gro", "title\n-5\n", "line 2: '-5' is not a number of atoms");
    bad("a.gro", "title\n0\n   1 1 1\n", "line 2: no atoms");
    bad("a.gro", "title\n1000000000000\n" GRO_ATOM, "line 2: 1000000000000 atoms: at most 4294967295 can be read");
    bad("a.gro", "title\n4000000000\n" GRO_ATOM, "line 3: the file ends after 1 of 4000000000 atoms");
    bad("a.gro", "title\n1\n" GRO_ATOM, "line 3: the file ends before the box");
    bad("a.gro", "title\n1\n" GRO_ATOM GRO_ATOM "   1 1 1\n",
        "line 4: '    1SOL     OW    1   0.230   0.628   0' where the box is expected");
    bad("a.gro", "title\n1\n" GRO_ATOM "   1 1 x\n", "line 4: '   1 1 x' where the box is expected");
    bad("a.gro", "title\n2\n" GRO_ATOM "   1.86206   1.86206   1.86206\n",
        "line 4: atom 2: residue number '1.' in columns 1-5");
    bad("a.gro", "title\n2\n" GRO_ATOM "    1SOL    HW1    1   0.230   0.628\n   1 1 1\n",
        "line 4: atom 2: no coordinate in columns 37-44");
    // A missing character shifts the rest of the line.
    bad("a.gro", "title\n2\n" GRO_ATOM "    1SOL    HW1   2   0.137   0.626   0.150 \n   1 1 1\n",
        "line 4: atom 2: no coordinate in columns 21-28");
}

int main(void) {
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    elements();
    psf_dialects();
    molecules();
    psf_damage();
    pdb_dialects();
    pdb_damage();
    gro_dialects();
    gro_damage();
    struct trj_error err = {.text = ""};
    struct trj_topology *top;
    ok(trj_topology_open(&top, "/nonexistent/x.psf", &err) == -1 && err.status == TRJ_FAILED &&
           has_text(err.text, "No such file"),
       "missing file: %s", err.text);
    ok(trj_topology_open(&top, folder, &err) == -1 && err.status == TRJ_FAILED && has_text(err.text, "is a directory"),
       "a directory");
    trj_topology_close(NULL);
    const char *shared = shared_folder();
    if (shared) {
        manifest(shared);
        real_values(shared);
    } else {
        skip("real topologies", "no ../shared");
    }
    rmdir(folder);
    return done();
}
