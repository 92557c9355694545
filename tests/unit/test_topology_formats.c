// SPDX-License-Identifier: MIT
// Tests topologies of Amber, LAMMPS, Tripos and XYZ, and the bonds of PDB, in small files written here.
// test_topology_tpr.c tests those of GROMACS; test_topology_peers.c compares real files with MDAnalysis.
#include <unistd.h>

#include "element.h"
#include "element_guess.h"
#include "topology_file.h"

static bool near(double a, double b) {
    return fabs(a - b) < 1e-6;
}

static bool bond_is(const struct trj_topology *t, size_t k, uint32_t i, uint32_t j) {
    return t && k < t->bonds && t->bond[k][0] == i && t->bond[k][1] == j;
}

// ------------------------------------------------------------------------------------------------- elements from
// masses

static void masses(void) {
    static const struct {
        double mass[5];
        const char *symbols[5];
    } systems[] = {
        {{1.008, 12.011, 14.007, 15.9994, 32.06}, {"H", "C", "N", "O", "S"}},
        {{1.00797, 12.0107, 14.01, 16.0, 30.9738}, {"H", "C", "N", "O", "P"}},
        {{22.98977, 35.453, 40.08, 63.546, 126.9045}, {"Na", "Cl", "Ca", "Cu", "I"}},
        {{14.027, 15.035, 16.043, 13.019, 12}, {"", "", "", "", "C"}},      // united atoms
        {{72, 45, 54, 36, 0}, {"", "", "", "", ""}},                        // beads
        {{1, 12, 16, 2, 39.948}, {"", "", "", "", "Ar"}},                   // reduced units
        {{2.014, 15.999, 1.01, 83.798, 40}, {"H", "O", "H", "Kr", ""}},     // argon or calcium
        {{3.024, 12.015, 14.007, 15.9994, 35.45}, {"", "", "", "O", "Cl"}}, // masses moved to hydrogens: NH would be C
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        unsigned char z[5];
        trj_elements_by_masses(systems[i].mass, 5, z);
        for (size_t k = 0; k < 5; k++)
            ok(!strcmp(trj_elements[z[k]].symbol, systems[i].symbols[k]), "system %zu: %g u is '%s', found '%s'", i,
               systems[i].mass[k], systems[i].symbols[k], trj_elements[z[k]].symbol);
    }
    ok(trj_element_find_exact("Cl", 2) == 17 && !trj_element_find_exact("CL", 2) && !trj_element_find_exact("cl", 2),
       "trj_element_find_exact: only the usual case");
}

// ----------------------------------------------------------------------------------------------------------------
// PRMTOP

#define PRMTOP_HEAD "%VERSION  VERSION_STAMP = V0001.000  DATE = 05/24/12  10:51:36\n"
#define PRMTOP_POINTERS                                                                                                \
    "%FLAG POINTERS\n%FORMAT(10I8)\n"                                                                                  \
    "       5       2       3       0       0       0       0       0       0       0\n"                               \
    "       0       3       0       0       0       0       0       0       0       0\n"                               \
    "       0       0       0       0       0       0       0       0       0       0\n       0\n"
#define PRMTOP_NAMES "%FLAG ATOM_NAME\n%FORMAT(20a4)\nHG11O   H1  EPW Na+     \n"
#define PRMTOP_CHARGES                                                                                                 \
    "%FLAG CHARGE\n%FORMAT(5E16.8)\n"                                                                                  \
    "  1.82223000E+00 -1.51973982E+01-7.59869910E+00  0.00000000E+00  1.82223000E+01\n"
#define PRMTOP_MASSES                                                                                                  \
    "%FLAG MASS\n%FORMAT(5E16.8)\n"                                                                                    \
    "  1.00800000E+00  1.60000000E+01  1.00800000E+00  0.00000000E+00  2.29900000E+01\n"
#define PRMTOP_RESIDUES                                                                                                \
    "%FLAG RESIDUE_LABEL\n%FORMAT(20a4)\nVAL WAT Na+ \n%FLAG RESIDUE_POINTER\n%FORMAT(10I8)\n       1       2       "  \
    "5\n"
#define PRMTOP_BONDS                                                                                                   \
    "%FLAG BONDS_INC_HYDROGEN\n%FORMAT(10I8)\n       3       6       1       3       9       2       0       3       " \
    "1\n"                                                                                                              \
    "%FLAG BONDS_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n\n"
#define PRMTOP_TYPES   "%FLAG AMBER_ATOM_TYPE\n%FORMAT(20a4)\nHC  OW  HW  EP  IP\n"
#define PRMTOP_NUMBERS "%FLAG ATOMIC_NUMBER\n%FORMAT(10I8)\n       1       8       1       0      11\n"

static void prmtop(void) {
    struct trj_topology *t =
        open_text("x", PRMTOP_HEAD "%FLAG TITLE\n%FORMAT(20a4)\n%a title\n" PRMTOP_POINTERS PRMTOP_NAMES PRMTOP_CHARGES
                           PRMTOP_NUMBERS PRMTOP_MASSES PRMTOP_RESIDUES PRMTOP_BONDS PRMTOP_TYPES);
    ok(t && !strcmp(t->format, "PRMTOP") && t->atoms == 5 && !t->element_from && !t->mass_from, "found by content");
    is_atom(t, 0, "HG11/HC/VAL/-/H/1/0/0");
    is_atom(t, 1, "O/OW/WAT/-/O/2/1/0");
    is_atom(t, 3, "EPW/EP/WAT/-//2/1/0");
    is_atom(t, 4, "Na+/IP/Na+/-/Na/3/2/1");
    ok(t && near(t->charge[0], 0.1) && near(t->charge[1], -0.834) && near(t->charge[2], -0.417) &&
           near(t->charge[4], 1),
       "charges in e, also without blanks between values");
    ok(bond_is(t, 0, 1, 2) && bond_is(t, 1, 1, 3) && bond_is(t, 2, 0, 1) && t->bonds == 3, "bonds");
    trj_topology_close(t);

    // A file of chamber has another title, comments between flag and format, wide names, no types, and unknown
    // elements. AMOEBA has no charges, and a bond list of its own.
#define AMOEBA_HEAD                                                                                                    \
    PRMTOP_HEAD PRMTOP_POINTERS PRMTOP_NAMES PRMTOP_MASSES PRMTOP_RESIDUES                                             \
        "%FLAG AMOEBA_FORCEFIELD\n%COMMENT of AMOEBA\n%FORMAT(i5)\n    1\n"
#define AMOEBA_NUMBERS                                                                                                 \
    "%FLAG AMOEBA_ATOMIC_NUMBER\n%COMMENT   dimension = (5)\n%FORMAT(10I8)\n       1       8       1       0      "    \
    "11\n"
#define AMOEBA_BONDS(count, values)                                                                                    \
    "%FLAG AMOEBA_REGULAR_BOND_NUM_LIST\n%FORMAT(I8)\n" count                                                          \
    "%FLAG AMOEBA_REGULAR_BOND_LIST\n%COMMENT   dimension = (3,2)\n%FORMAT(10I8)\n" values
    t = open_text("amoeba.prmtop", AMOEBA_HEAD AMOEBA_NUMBERS AMOEBA_BONDS(
                                       "       2\n", "       2       1       1       2       3       1\n"));
    ok(t && t->atoms == 5 && !t->charge && t->bonds == 2 && t->bond[0][0] == 1 && t->bond[0][1] == 0 &&
           t->bond[1][1] == 2 && t->molecule && t->molecule[2] == t->molecule[0] && t->molecule[4] != t->molecule[0] &&
           !strcmp(t->element.text[t->element.id[1]], "O") && !t->element_from,
       "AMOEBA: atoms, elements and bonds, no charges");
    trj_topology_close(t);
    t = open_text("amoeba.prmtop", AMOEBA_HEAD);
    ok(t && !t->bonds && !strcmp(t->element_from, "mass"), "AMOEBA without bonds");
    trj_topology_close(t);
    bad("amoeba.prmtop", AMOEBA_HEAD AMOEBA_BONDS("       3\n", "       2       1       1\n"),
        "AMOEBA_REGULAR_BOND_LIST: 3 values do not agree with AMOEBA_REGULAR_BOND_NUM_LIST");
    bad("amoeba.prmtop", AMOEBA_HEAD AMOEBA_BONDS("       1\n", "       2       6       1\n"),
        "AMOEBA_REGULAR_BOND_LIST: value 2: 6 is not the number of an atom");
    bad("amoeba.prmtop", AMOEBA_HEAD AMOEBA_BONDS("       1\n", "       0       1       1\n"),
        "0 is not the number of an atom");

    t = open_text("chamber.prmtop",
                  "%FLAG CTITLE\n%FORMAT(a80)\nx\n" PRMTOP_POINTERS
                  "%FLAG ATOM_NAME\n%COMMENT wide\n%FORMAT(4a8)\nHG11    O       H1      OM      \nNa+\n" PRMTOP_CHARGES
                  "%FLAG ATOMIC_NUMBER\n%FORMAT(I8)\n      -1\n       8\n       1\n       0\n      11\n"
                  "%FLAG FORCE_FIELD_TYPE\n%FORMAT(i2,a78)\n 1 CHARMM\n" PRMTOP_MASSES PRMTOP_RESIDUES PRMTOP_BONDS);
    ok(t && !t->type.id && !strcmp(t->element_from, "mass"), "no types; a missing element is guessed from the mass");
    is_atom(t, 0, "HG11/-/VAL/-/H/1/0/0");
    is_atom(t, 3, "OM/-/WAT/-//2/1/0");
    trj_topology_close(t);

    bad("old.prmtop", "title\n     5     2\n",
        "line 1: does not begin with %VERSION or %FLAG; if the file was written before");
    bad("a.parm7", PRMTOP_HEAD PRMTOP_POINTERS PRMTOP_NAMES, "the file ends without a section %FLAG CHARGE");
    bad("a.parm7", PRMTOP_HEAD PRMTOP_NAMES PRMTOP_NAMES, "line 5: duplicate section ATOM_NAME");
    bad("a.parm7", PRMTOP_HEAD "%FLAG MASS\n%FORMAT(20a4)\n", "line 3: '%FORMAT(20a4)' is not a %FORMAT of numbers");
    bad("a.parm7", PRMTOP_HEAD "%FLAG MASS\n%FORMAT(5E999)\n", "is not a %FORMAT of numbers");
    bad("a.parm7", PRMTOP_HEAD "%FLAG MASS\n", "line 2: the file ends after this line, before %FORMAT");
    bad("a.parm7", PRMTOP_HEAD "%FLAG MASS\n%FORMAT(2E8.2)\n  1.0     2.x\n",
        "line 4: MASS: value 2: '2.x' is not a number");
    bad("a.parm7", PRMTOP_HEAD "%FLAG MASS\n%FORMAT(2E4.2)\n 1.0 2.0 3.0\n",
        "line 4: MASS: more than 2 values in a line");
#define PRMTOP_REST PRMTOP_CHARGES PRMTOP_MASSES PRMTOP_RESIDUES
    bad("a.parm7",
        PRMTOP_HEAD PRMTOP_POINTERS "%FLAG ATOM_NAME\n%FORMAT(20a4)\nHG11O   H1  EPW\n" PRMTOP_REST PRMTOP_BONDS,
        "line 8: ATOM_NAME: 4 values for the 5 atoms of POINTERS");
    bad("a.parm7",
        PRMTOP_HEAD PRMTOP_POINTERS PRMTOP_NAMES PRMTOP_REST
        "%FLAG BONDS_INC_HYDROGEN\n%FORMAT(10I8)\n       3       6       1       3       9       2       0      15     "
        "  1\n"
        "%FLAG BONDS_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n\n",
        "BONDS_INC_HYDROGEN: value 8: 15 is not 3 times the index of an atom");
    bad("a.parm7",
        PRMTOP_HEAD PRMTOP_POINTERS PRMTOP_NAMES PRMTOP_CHARGES PRMTOP_MASSES
        "%FLAG RESIDUE_LABEL\n%FORMAT(20a4)\nVAL WAT Na+ \n%FLAG RESIDUE_POINTER\n%FORMAT(10I8)\n       1       5      "
        " 2\n" PRMTOP_BONDS,
        "RESIDUE_POINTER: value 2: 5 is not the first atom of a residue");
    bad("a.parm7", PRMTOP_HEAD "%FLAG POINTERS\n%FORMAT(10I13)\n1000000000000\n" PRMTOP_NAMES PRMTOP_REST PRMTOP_BONDS,
        "line 2: POINTERS: 1 values, expected 13 or more");
}

// ---------------------------------------------------------------------------------------------------------- LAMMPS
// data

#define DATA_BOX    "0 10 xlo xhi\n0 10 ylo yhi\n-5.0 5 zlo zhi\n0 0 1.5 xy xz yz\n"
#define DATA_MASSES "Masses\n\n2 1.008 # H\n1 15.9994\n\n"

static void lammps_data(void) {
    // Atoms in any order, image flags, comments, sections that are ignored, and a title that mentions atoms.
    struct trj_topology *t = open_text(
        "x",
        "4 atoms\n\n  5 atoms # all\n2 bonds\n2 atom types\n\n" DATA_BOX "\n" DATA_MASSES
        "Pair Coeffs # lj\n\n1 0.1 3.0\n2 0 0\n\n  Atoms  # full\n\n"
        "40 2 1 -0.8 1 2 3 0 0 -1\n10 1 1 -0.8 1 2 3 0 0 0\n20 1 2 0.4 1 2 3 0 0 0 # last\n30 1 2 0.4 1 2 3 0 0 0\n"
        "5 3 2 1e-1 1 2 3 0 0 0\n\nVelocities\n\n5 0 0 0\n\nBonds\n\n1 1 10 20\n2 1 30 10\n");
    ok(t && !strcmp(t->format, "LAMMPS data") && t->atoms == 5 && !strcmp(t->element_from, "mass"), "found by content");
    is_atom(t, 0, "2/2/-/-/H/3/0/0");
    is_atom(t, 1, "1/1/-/-/O/1/1/1");
    is_atom(t, 2, "2/2/-/-/H/1/1/1");
    is_atom(t, 4, "1/1/-/-/O/2/2/2");
    ok(t && near(t->charge[0], 0.1) && near(t->charge[4], -0.8) && t->mass[1] == 15.9994,
       "charges and masses in order of id");
    ok(bond_is(t, 0, 1, 2) && bond_is(t, 1, 3, 1), "bonds by id");
    trj_topology_close(t);

    // Labels, and masses after the atoms. Without bonds, molecule-IDs number molecules; each atom of ID 0 is separate.
    t = open_text("x.data",
                  "x\n4 atoms\n2 atom types\n\nAtom Type Labels\n\n2 hw\n1 ow\n\nAtoms # molecular\n\n"
                  "1 7 ow 0 0 0\n2 0 hw 0 0 0\n3 0 2 0 0 0\n4 7 hw 0 0 0\n\nMasses\n\now 15.9994\nhw 3.024\n");
    ok(t && !t->charge && !t->bonds, "a file without charges and bonds has none");
    is_atom(t, 0, "ow/ow/-/-/O/7/0/0");
    is_atom(t, 1, "hw/hw/-/-/H/0/1/1");
    is_atom(t, 2, "hw/hw/-/-/H/0/2/2");
    is_atom(t, 3, "hw/hw/-/-/H/7/0/0");
    trj_topology_close(t);

    // Styles by name, or the only one that fits.
    static const struct {
        const char *section, *expected;
        double charge;
    } styles[] = {
        {"Atoms # charge\n\n1 2 0.5 0 0 0\n", "2/2/-/-/-/-/-/-", 0.5},
        {"Atoms # sphere\n\n1 2 1.0 1.0 0 0 0 1 1 1\n", "2/2/-/-/-/-/-/-", NAN},
        {"Atoms # hybrid\n\n1 2 0 0 0 7 8 9 10 11 12\n", "2/2/-/-/-/-/-/-", NAN},
        {"Atoms # dipole\n\n1 2 -1 0 0 0 1 1 1\n", "2/2/-/-/-/-/-/-", -1},
        {"Atoms # bond\n\n1 9 2 0 0 0\n", "2/2/-/-/-/9/0/0", NAN},
        {"Atoms\n\n1 2 0 0 0\n", "2/2/-/-/-/-/-/-", NAN},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        char text[512];
        snprintf(text, sizeof text, "x\n1 atoms\n2 atom types\n\n%s", styles[i].section);
        t = open_text("x.data", text);
        is_atom(t, 0, styles[i].expected);
        ok(t && !t->mass && (isnan(styles[i].charge) ? !t->charge : t->charge && t->charge[0] == styles[i].charge),
           "the columns of %.12s", styles[i].section + 6);
        trj_topology_close(t);
    }
    t = open_text("x.data",
                  "x\n2 atoms\n1 bonds\n1 atom types\n\nAtoms\n\n1 5 1 0.5 0 0 0 1 0 0\n2 5 1 0.5 0 0 0 0 0 0\n\n"
                  "Bonds\n\n1 1 1 2\n");
    is_atom(t, 1, "1/1/-/-/-/5/0/0");
    ok(t && t->charge && t->charge[1] == 0.5, "ten columns and bonds: style full");
    trj_topology_close(t);

#define DATA_HEAD "x\n1 atoms\n1 atom types\n\n"
    bad("a.data", DATA_HEAD "Atoms\n\n1 1 1 0.5 0 0 0\n",
        "line 7: Atoms: the file names no known atom style, and its 1 lines fit full, amoeba, sphere, ellipsoid, "
        "body, "
        "peri, edpd; give the style with --atom-style STYLE, or write it after the name of the section, as 'Atoms # "
        "full'");
    bad("a.data", DATA_HEAD "Atoms # mine\n\n1 1 0.5 0 0 0\n",
        "no known atom style ('mine'), and its 1 lines fit charge, dpd, mdpd; give");
    bad("a.data", DATA_HEAD "Atoms\n\n1 1 0 0 0 0 0 0\n",
        "its 1 lines fit atomic, sph, electron, template; give"); // image flags make it five or eight
    bad("a.data", DATA_HEAD "Atoms\n\n1 1 0 0 0 0.5 0 0\n", "its 1 lines fit sph, electron, template; give");
    bad("a.data", DATA_HEAD "Atoms\n\n1 1 0 0\n", "its 4 columns fit no known style; give");
    bad("a.data", "x\n1 atoms\n1 bonds\n1 atom types\n\nAtoms\n\n1 1 0 0 0\n",
        "its 5 columns fit no known style; give");
    t = open_text("x.data",
                  "x\n1 atoms\n2 atom types\n\nAtom Type Labels\n\n1 ow\n2 hw\n\nAtoms\n\n1 3 hw 0.5 0 0 0\n");
    is_atom(t, 0, "hw/hw/-/-/-/3/0/0"); // only full and amoeba fit, and they have the same columns
    trj_topology_close(t);
    bad("a.data", DATA_HEAD "Atoms # full\n\n1 1 1 0.5 0 0\n",
        "line 7: Atoms: 6 columns, expected 7 for style 'full', or 10");
    bad("a.data", DATA_HEAD "Atoms # atomic\n\n1 2 0 0 0\n", "line 7: invalid atom type 2, expected 1 to 1");
    bad("a.data", DATA_HEAD "Atoms # atomic\n\n1 OW 0 0 0\n", "line 7: 'OW' is not an atom type");
    bad("a.data", DATA_HEAD "Atoms # atomic\n\nx 1 0 0 0\n", "line 7: Atoms: 'x' is not an id");
    bad("a.data", "x\n2 atoms\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n",
        "line 7: Atoms: the file ends after 1 of 2 lines");
    bad("a.data", "x\n2 atoms\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n\n1 1 0 0 0\n",
        "line 8: Atoms: a blank line after 1 of 2 lines");
    bad("a.data", "x\n2 atoms\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n1 1 0 0 0\n", "two atoms have the id 1");
    bad("a.data", "x\n1 atoms\n\nAtoms # atomic\n\n1 1 0 0 0\n", "the header has no line 'N atom types'");
    bad("a.data", "x\n1000000000000 atoms\n1 atom types\n", "1000000000000 atoms: at most 4294967295 can be read");
    bad("a.data", "x\n4000000000 atoms\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n", "after 1 of 4000000000 lines");
    bad("a.data", "x\n1 atoms\n1000000000000 atom types\n", "1000000000000 atom types: at most");
    bad("a.data", DATA_HEAD "Masses\n\n1 -1\n", "line 7: Masses: '-1' is not a mass");
    bad("a.data", DATA_HEAD, "the file ends without a section Atoms");
    bad("a.data", "x\n1 atoms\n1 bonds\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n",
        "the file ends without a section Bonds");
    bad("a.data", "x\n1 atoms\n1 bonds\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n\nBonds\n\n1 1 1 2\n",
        "line 12: Bonds: no atom has the id '2'");
    t = open_text("a.data", "x\n2 atoms\n1 bonds\n1 atom types\n\nAtoms # atomic\n\n1 1 0 0 0\n22 1 0 0 0\n\n"
                            "Bonds\n\n1 1 1 22");
    ok(t && t->bonds == 1 && t->note, "last line without a newline: a note");
    trj_topology_close(t);
    bad("a.data", "x\n", "no line 'N atoms' with atoms in the header");
}

// ---------------------------------------------------------------------------------------------------------- LAMMPS
// dump

#define DUMP_HEAD "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"

static void lammps_dump(void) {
    struct trj_topology *t =
        open_text("x", DUMP_HEAD "ITEM: ATOMS mol q element id x mass type z y\n1 -0.8 O 7 0 15.9994 1 0 0\n"
                                 "1 0.4 H 3 0 1.008 2 0 0\n0 0 XX 5 0 1.5 3 0 0\nITEM: TIMESTEP\n");
    ok(t && !strcmp(t->format, "LAMMPS dump") && !t->element_from && !t->mass_from, "elements and masses of the file");
    is_atom(t, 0, "H/2/-/-/H/1/0/0");
    is_atom(t, 1, "XX/3/-/-//0/1/1");
    is_atom(t, 2, "O/1/-/-/O/1/0/0");
    ok(t && t->charge[2] == -0.8 && t->mass[1] == 1.5, "charges and masses in order of id");
    trj_topology_close(t);
    // Without elements, masses determine them. LAMMPS writes C for all types by default.
    t = open_text(
        "x", DUMP_HEAD
        "ITEM: ATOMS id type mass x y z element\n1 1 15.9994 0 0 0 C\n2 2 1.008 0 0 0 C\n3 2 1.008 0 0 0 C\n");
    is_atom(t, 0, "1/1/-/-/O/-/-/-");
    is_atom(t, 2, "2/2/-/-/H/-/-/-");
    ok(t && !strcmp(t->element_from, "mass"), "C for all types: elements by mass");
    trj_topology_close(t);
    t = open_text("x", DUMP_HEAD "ITEM: ATOMS x y z\n0 0 0\n0 0 0\n0 0 0\n");
    is_atom(t, 0, "-/-/-/-/-/-/-/-");
    trj_topology_close(t);
    bad("x", DUMP_HEAD "ITEM: ATOMS id type\n1 1\n2 1\n", "line 11: the file ends after 2 of 3 atoms");
    bad("x", DUMP_HEAD "ITEM: ATOMS id type\n1 1\n2 1\n2 1\n", "two atoms have the id 2");
    bad("x", DUMP_HEAD "ITEM: ATOMS id type\n1 1\n2\n3 1\n", "line 11: atom 1: 1 columns, expected 2");
    t = open_text("x", DUMP_HEAD "ITEM: ATOMS id element\n1 H\n2 H\n3 N");
    ok(t && t->atoms == 3 && t->note, "last name without a newline: a note");
    trj_topology_close(t);
    bad("x", DUMP_HEAD "ITEM: ATOMS id id\n1 1\n", "line 9: duplicate column id; dump it once");
    bad("x", DUMP_HEAD, "line 8: the file ends after this line, before ITEM: ATOMS");
    bad("x", "ITEM: TIMESTEP\n0\nITEM: ATOMS id\n1\n", "no atoms, or no ITEM: NUMBER OF ATOMS");
}

// -----------------------------------------------------------------------------------------------------------------
// MOL2

static void mol2(void) {
    struct trj_topology *t = open_text(
        "x", "# made by hand\n\n@<TRIPOS>MOLECULE\nwater\n 4 3 2\nSMALL\nUSER_CHARGES\n\n@<TRIPOS>ATOM\n"
             "7 OW 0 0 0 O.3 2 HOH405 -0.8\n# between\n3 HW1 0 0 0 H 2 HOH405 0.4\n9 HW2 0 0 0 H 2 HOH405 0.4\n"
             "1 CA 0.0 0.0 0.0 Ca 1 CA2 2.0\n@<TRIPOS>BOND\n1 7 3 1\n2 7 9 1\n3 7 1 nc\n@<TRIPOS>SUBSTRUCTURE\n"
             "1 CA2 1 RESIDUE 4 B CA\n2 HOH405 7 RESIDUE 4 A HOH 0 ****\n"
             "@<TRIPOS>MOLECULE\nanother\n1 0\n");
    ok(t && !strcmp(t->format, "MOL2") && t->atoms == 4 && !t->element_from && !strcmp(t->mass_from, "element"),
       "MOL2: first molecule; elements by type");
    is_atom(t, 0, "OW/O.3/HOH/A/O/405/0/0");
    is_atom(t, 3, "CA/Ca/CA/B/Ca/2/1/1");
    ok(bond_is(t, 0, 0, 1) && bond_is(t, 1, 0, 2) && t->bonds == 2, "bonds by id; type nc is not a bond");
    ok(t && t->charge[3] == 2 && t->mass[0] == 15.999, "charges");
    trj_topology_close(t);
    // Types of other force fields, a substructure without names, no charges. Atoms of equal number form a residue.
    t = open_text("x.mol2",
                  "@<TRIPOS>MOLECULE\n\n 5 1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 C1 0 0 0 ca 1 UNL1 0\n"
                  "2 N1 0 0 0 na 1 UNL1 0\n3 O1 0 0 0 os 2 UNL2 0\n4 D 0 0 0 Du 1 UNL1 0\n5 C9 0 0 0 C.ar 1 UNL1 0\n"
                  "@<TRIPOS>BOND\n1 1 2 ar\n@<TRIPOS>SUBSTRUCTURE\n1 UNL1 1\n2 UNL2 3 **** 0 **** ****\n");
    ok(t && !t->charge && !t->segid.id && !strcmp(t->element_from, "name"),
       "MOL2 with types of GAFF: no charges; elements by name");
    is_atom(t, 0, "C1/ca/UNL1/-/C/1/0/0");
    is_atom(t, 1, "N1/na/UNL1/-/N/1/0/0");
    is_atom(t, 2, "O1/os/UNL2/-/O/2/1/1");
    is_atom(t, 3, "D/Du/UNL1/-//1/0/2");
    trj_topology_close(t);
    t = open_text("x.mol2", "@<TRIPOS>MOLECULE\n****\n2\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 **** 0 0 0 C.3 1 ****\n2 "
                            "H 0 0 1 **** 1 ****\n");
    is_atom(t, 0, "****/C.3//-/C/1/0/-");
    is_atom(t, 1, "H/****//-/H/1/0/-");
    trj_topology_close(t);
    t = open_text("x.mol2", "@<TRIPOS>MOLECULE\nx\n1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 C1 0 0 0 C.3\n");
    is_atom(t, 0, "C1/C.3/-/-/C/-/-/-");
    trj_topology_close(t);
#define MOL2_HEAD "@<TRIPOS>MOLECULE\nx\n2 1\nSMALL\nUSER_CHARGES\n"
    bad("a.mol2", "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n", "line 1: a record ATOM before MOLECULE");
    bad("a.mol2", "@<TRIPOS>MOLECULE\nx\nnone\n", "line 3: 'none' is not a number of atoms");
    bad("a.mol2", "@<TRIPOS>MOLECULE\nx\n1000000000000\n", "at most 4294967295 can be read");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n", "line 7: 1 atoms, expected 2 as in MOLECULE");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n2 C 0 0 0 C.3\n3 C 0 0 0 C.3\n",
        "line 9: more than the 2 atoms");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n1 C 0 0 0 C.3\n", "two atoms have the id 1");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0\n", "line 7: atom 1: too few columns");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C A 0 0 0 C.3\n", "line 7: atom 1: 'A' is not a coordinate");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3 \\\n",
        "line 7: unsupported: a line continued in the next one");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n2 C 0 0 0 C.3\n@<TRIPOS>BOND\n1 1 5 1\n",
        "line 10: bond: no atom has the id '5'");
    bad("a.mol2", MOL2_HEAD "@<TRIPOS>ATOM\n1 C 0 0 0 C.3\n2 C 0 0 0 C.3\n",
        "line 8: the molecule ends after 0 of 1 bonds");
    bad("a.mol2", MOL2_HEAD, "the molecule ends without a record ATOM");
}

// ------------------------------------------------------------------------------------------------------------------
// XYZ

static void xyz(void) {
    struct trj_topology *t = open_text("x.xyz", "\n3\nwater\nO 0 0 0\nH 0 0 0 1 2 3\nCa 0 0 0\n3\nnext\n");
    ok(t && !strcmp(t->format, "XYZ") && !t->element_from && !t->resid && !t->residue, "the first frame");
    is_atom(t, 0, "O/-/-/-/O/-/-/-");
    is_atom(t, 2, "Ca/-/-/-/Ca/-/-/-");
    ok(t && t->mass[0] == 15.999 && !strcmp(t->mass_from, "element"), "masses by element");
    trj_topology_close(t);
    // Atom names that are not all symbols: CA may be carbon or calcium.
    t = open_text("x.xyz", "5\n\nOW 0 0 0\nHW1 0 0 0\nCA 0 0 0\nMW 0 0 0\nCL 0 0 0\n");
    static const char *const guessed[] = {"O", "H", "", "", "Cl"};
    for (size_t i = 0; t && i < 5; i++)
        ok(!strcmp(text_of(&t->element, i), guessed[i]), "%s is '%s'", text_of(&t->name, i), guessed[i]);
    ok(t && !strcmp(t->element_from, "name") && isnan(t->mass[3]) && near(t->mass[4], 35.45),
       "atom names in XYZ: elements by name, NaN as unknown mass");
    trj_topology_close(t);
    t = open_text("x",
                  "2\nProperties=pos:R:3:Z:I:1:mass:R:1:charge:R:1 Lattice=\"1 0 0 0 1 0 0 0 1\"\n0 0 0 17 35.5 -1\n"
                  "0 0 0 1 1.0 1\n");
    is_atom(t, 0, "Cl/-/-/-/Cl/-/-/-");
    ok(t && t->mass[0] == 35.5 && !t->mass_from && t->charge[0] == -1, "extended: atomic numbers, masses and charges");
    trj_topology_close(t);
    t = open_text("x.xyz", "1\nProperties=species:S:1:pos:R:3:initial_charges:R:1:charges:R:1\nO 0 0 0 -1 -2\n");
    ok(t && t->charge[0] == -1 && t->note && strstr(t->note, "several columns"), "two columns of charges: a note");
    trj_topology_close(t);
    bad("a.xyz", "2\nx\nO 0 0 0\n", "line 3: the file ends after 1 of 2 atoms");
    bad("a.xyz", "1\nx\nO 0 0\n", "line 3: atom 0: 3 columns, expected 4 or more");
    bad("a.xyz", "0\nx\n", "line 1: no atoms");
    bad("a.xyz", "1000000000000\nx\nO 0 0 0\n", "at most 4294967295 can be read");
    bad("a.xyz", "1\nProperties=pos:R:3\n0 0 0\n", "line 2: Properties has neither species nor Z");
    bad("a.xyz", "1\nProperties=pos:R:3:Z:I:1\n0 0 0 x\n", "line 3: atom 0: 'x' is not an atomic number");
    t = open_text("a.xyz", "1\nProperties=pos:R:3:species:S:1\n0 0 0 N");
    ok(t && t->atoms == 1 && t->note, "last name without a newline: a note");
    trj_topology_close(t);
    bad("a.xyz", "1\nProperties=pos:R:0\n0 0 0 x\n", "line 2: Properties: pos: invalid number of columns '0'");
}

// -----------------------------------------------------------------------------------------------------------------
// CONECT

#define PDB_WATER(serial, hydrogen1, hydrogen2)                                                                        \
    "HETATM" serial "  O   HOH A   1      10.000  20.000  30.000\n"                                                    \
    "HETATM" hydrogen1 "  H1  HOH A   1      10.000  20.000  30.000\n"                                                 \
    "HETATM" hydrogen2 "  H2  HOH A   1      10.000  20.000  30.000\n"
#define PDB_ION "HETATM   10 NA    NA A   2      10.000  20.000  30.000\n"

static void conect(void) {
    struct trj_topology *t =
        open_text("x.pdb", "MODEL        1\n" PDB_WATER("    5", "    3", "    4") PDB_ION
                  "ENDMDL\nCONECT    5    3    4\nCONECT    3    5    5\nCONECT    4    5   99\nEND\n");
    ok(t && t->bonds == 2 && bond_is(t, 0, 0, 1) && bond_is(t, 1, 0, 2),
       "each bond once; bonds to missing atoms are ignored");
    is_atom(t, 2, "H2/-/HOH/A/H/1/0/0");
    is_atom(t, 3, "NA/-/NA/A/Na/2/1/1");
    trj_topology_close(t);
    // A residue contains an atom without a bond: the file lists only some bonds, so molecules are unknown.
    t = open_text("x.pdb", PDB_WATER("    5", "    3", "    4") "CONECT    5    3\nEND\n");
    ok(t && t->bonds == 1 && !t->molecule, "only some bonds: no molecules");
    trj_topology_close(t);
    // Hybrid-36 is decimal below 100000.
    t = open_text("x.pdb", PDB_WATER("99999", "A0000", "A0001") "CONECT99999A0000A0001\n");
    ok(t && t->bonds == 2 && t->molecule, "hybrid-36 serial numbers: bonds and molecules");
    trj_topology_close(t);
    static const char *const lost[] = {PDB_WATER("    1", "    2", "    2"), PDB_WATER("    1", "    2", "*****"),
                                       PDB_WATER("    1", "    2", "186a0")};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%sCONECT    1    2\n", lost[i]);
        t = open_text("x.pdb", text);
        ok(t && t->atoms == 3 && !t->bonds, "ambiguous serial numbers: no bonds");
        trj_topology_close(t);
    }
    // Several models: no bonds, since CONECT follows the last model.
    t = open_text("x.pdb", "MODEL        1\n" PDB_ION "ENDMDL\nMODEL        2\n" PDB_ION "ENDMDL\nCONECT   1x\n");
    ok(t && t->atoms == 1 && !t->bonds, "several models: no bonds");
    trj_topology_close(t);
    bad("a.pdb", PDB_ION "CONECT   10   ?1\n", "line 2: CONECT: '?1' is not an atom number");
    bad("a.pdb", PDB_ION "CONECT   10    1   1", "line 2: the file ends here, without a newline");
    bad("a.pdb", PDB_ION "CONECT\n", "line 2: CONECT: '' is not an atom number");
}

int main(void) {
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    masses();
    prmtop();
    lammps_data();
    lammps_dump();
    mol2();
    xyz();
    conect();
    rmdir(folder);
    return done();
}
