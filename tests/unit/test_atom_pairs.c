// SPDX-License-Identifier: MIT
// Tests whether atoms of a reference correspond to those of a trajectory: names, residues, shifted numbers, chains.
#include <unistd.h>

#include "atom_pairs.h"
#include "residue_names.h"
#include "topology_file.h"

enum { MAX = 16 };

// Makes a topology of atoms "chain resname resid name", one after the other; chain "-": none.
static struct trj_topology *make(const char *file, const char *atoms) {
    char text[MAX * 90] = "", chain[8], resname[8], resid[8], name[8];
    int used;
    for (int n = 1; sscanf(atoms, "%7s %7s %7s %7s%n", chain, resname, resid, name, &used) == 4; atoms += used, n++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "ATOM  %5d  %-3s %-4s%c%4s    %8.3f%8.3f%8.3f  1.00  0.00           C\n", n, name, resname,
                 *chain == '-' ? ' ' : *chain, resid, (double)n, 0.0, 0.0);
    return open_text(file, text);
}

// Compares all atoms of two topologies. Returns the error, "" if they correspond.
static const char *compare(const char *reference, const char *trajectory) {
    static struct trj_error err;
    static const uint32_t all[MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct trj_topology *a = make("a.pdb", reference), *b = make("b.pdb", trajectory);
    *err.text = 0;
    if (!a || !b || a->atoms != b->atoms) exit(1);
    if (trj_atom_pairs_check(a, all, b, all, a->atoms, &err) && err.status != TRJ_BAD_DATA) exit(1);
    trj_topology_close(a);
    trj_topology_close(b);
    return err.text;
}

static void check_pairs(void) {
    static const struct {
        const char *what, *reference, *trajectory, *error; // error "": they correspond
    } cases[] = {
        {"equal", "A ALA 1 N A ALA 1 CA A GLY 2 N", "A ALA 1 N A ALA 1 CA A GLY 2 N", ""},
        {"other chain names and shifted numbers", "A ALA 101 CA A GLY 102 CA", "X ALA 1 CA X GLY 2 CA", ""},
        {"protonation states", "A HIS 1 CA A CYS 2 CA A HIS 3 CA", "A HSD 1 CA A CYX 2 CA A HIE 3 CA", ""},
        {"other atom", "A ALA 1 CA", "A ALA 1 CB",
         "atom 0 (counted from 0) is CA of ALA 1, but the corresponding atom 0 of the trajectory is CB of ALA 1; "
         "select residues that both have"},
        {"other residue", "A ALA 1 CA A SER 2 CA", "A ALA 1 CA A GLY 2 CA", "is CA of SER 2, but"},
        {"histidine and aspartate", "A HIS 1 CA", "A ASP 1 CA", "is CA of HIS 1, but"},
        {"a residue that only the reference has", "A ALA 1 CA A ALA 2 CA A ALA 4 CA",
         "A ALA 1 CA A ALA 2 CA A ALA 3 CA",
         "is CA of ALA 4, but the corresponding atom 2 of the trajectory is CA of ALA 3: the shift of the residue "
         "numbers "
         "differs from that of the preceding residues; select"},
        {"the same, with one more residue at the end", "A ALA 1 CA A ALA 3 CA A ALA 4 CA",
         "A ALA 1 CA A ALA 2 CA A ALA 3 CA", "differs from that of the preceding residues"},
        {"a residue that begins at another atom", "A ALA 1 CA A ALA 1 CB A ALA 2 CA",
         "A ALA 1 CA A ALA 2 CB A ALA 2 CA",
         "atom 1 (counted from 0) is CB of ALA 1, but the corresponding atom 1 of the trajectory is CB of ALA 2, which "
         "begins a residue"},
        {"the opposite", "A ALA 1 CA A ALA 2 CB A ALA 2 CA", "A ALA 1 CA A ALA 1 CB A ALA 2 CA",
         "which does not begin a residue"},
        {"residues numbered in each chain, and through all chains", "A ALA 5 CA A ALA 6 CA B ALA 5 CA B ALA 6 CA",
         "- ALA 1 CA - ALA 2 CA - ALA 3 CA - ALA 4 CA", ""},
        {"the opposite", "- ALA 1 CA - ALA 2 CA - ALA 3 CA - ALA 4 CA", "A ALA 5 CA A ALA 6 CA B ALA 5 CA B ALA 6 CA",
         ""},
        {"chains that begin at other atoms", "A ALA 1 CA B ALA 0 CA B ALA 1 CA B ALA 2 CA",
         "A ALA 1 CA A ALA 2 CA B ALA 1 CA B ALA 2 CA", "the chains of the two files begin at different atoms"},
        {"one more chain in the trajectory", "A ALA 1 CA A SOL 8 O B ALA 1 CA", "P ALA 1 CA W SOL 1 O Q ALA 1 CA", ""},
        {"numbers of four digits", "W SOL 9998 O W SOL 9999 O W SOL 0 O W SOL 1 O",
         "W SOL 9998 O W SOL 9999 O W SOL A000 O W SOL A001 O", ""},
        {"waters with a gap in their numbers", "W HOH 301 O W HOH 303 O", "W SOL 1 O W SOL 2 O",
         "differs from that of the preceding residues"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = compare(cases[i].reference, cases[i].trajectory);
        ok(*cases[i].error ? has_text(found, cases[i].error) : !*found, "%s: '%s'", cases[i].what, found);
    }
}

static void check_names(void) {
    static const char *const same[][2] = {{"HIS", "HSD"},   {"HIP", "HISH"},  {"ASP", "ASPP"}, {"CYS", "CYX"},
                                          {"ALA", "NALA"},  {"CHID", "HIS"},  {"MSE", "MET"},  {"TIP3", "HOH"},
                                          {"POPC", "POPC"}, {"TIP", "TIP3P"}, {"DA5", "ADE"},  {"CHL", "CHL1"},
                                          {"DT", "THY"},    {"LYN", "LYS"},   {"GLU", "GLH"},  {"A", "RA3"}},
                             *const other[][2] = {{"HIS", "HYP"},   {"ASP", "ASN"}, {"DA", "DT"},    {"A", "ALA"},
                                                  {"POPC", "POPE"}, {"GLU", "GLN"}, {"HOH", "HIS"},  {"CA", "CAL"},
                                                  {"U", "THY"},     {"LYS", "ARG"}, {"NALA", "CVAL"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        ok(trj_residue_names_agree(same[i][0], same[i][1]) && trj_residue_names_agree(same[i][1], same[i][0]),
           "%s and %s may name the same residue", same[i][0], same[i][1]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        ok(!trj_residue_names_agree(other[i][0], other[i][1]) && !trj_residue_names_agree(other[i][1], other[i][0]),
           "%s and %s name different residues", other[i][0], other[i][1]);
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    check_pairs();
    check_names();
    rmdir(folder);
    return done();
}
