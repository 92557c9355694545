// SPDX-License-Identifier: MIT
// Prints the table of formats. Names, endings and what can be read come from the readers. The other facts are in this
// file and not with the readers, so that only the tools that print the table contain them.
#include "format_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"
#include "topology.h"

static const char ignored[] = "ignored", no[] = "no", each_frame[] = "each frame", names[] = "atom names";

struct facts {
    const char *name; // of struct trj_format
    const char *to;   // name of the writer
    const char *velocity, *force, *cell, *lacks, *recognised;
};

static const struct facts facts[] = {
    {"trjf", "trjf", "unit of the source", no, each_frame, names, "its first 8 bytes"},
    {"dcd", "dcd", no, no, each_frame, names, "CORD in the first record, of 84 bytes"},
    {"xtc", "xtc", no, no, each_frame, names, "the number 1995 or 2023 at the beginning"},
    {"trr", no, "nm/ps", ignored, each_frame, names, "the number 1993 at the beginning"},
    {"imd", no, no, no, no, "atom names, cell, times", "the address imd://HOST:PORT"},
    {"gsd", no, "reduced units", no, each_frame, "atom names, times, unit of length", "its first 8 bytes"},
    {"namd", no, no, no, no, "atom names, cell, time", "the size of the file, 4 bytes and 24 for each atom"},
    {"lmpbin", no, ignored, ignored, each_frame, names, "the numbers in the header of its first frame"},
    {"netcdf", "nc", "unit and scale_factor in the file", ignored, each_frame, names, "the letters CDF and a version"},
    {"mdtraj", no, "unit in the file", ignored, each_frame, "masses, charges",
     "HDF5 with the words conventions and Pande"},
    {"h5md", no, "unit in the file", ignored, each_frame, names,
     "the first 8 bytes of HDF5, if the words conventions and Pande are missing"},
    {"mmcif", "mmcif", no, no, "one for all frames", "times, masses, charges, bonds",
     "a table _atom_site with Cartesian positions"},
    {"cif", no, no, no, each_frame, "times, residues, masses, bonds", "a table _atom_site with fractional positions"},
    {"xdatcar", "xdatcar", no, no, each_frame, "times, residues, masses, charges, bonds",
     "a cell and counts of atoms, then a blank line or Direct configuration="},
    {"poscar", "poscar", "A/fs", no, each_frame, "time, residues, masses, charges, bonds",
     "a scale, a cell, counts of atoms, and then positions"},
    {"tinker", no, no, no, each_frame, "times, residues, masses, charges",
     "the number of atoms, then lines that begin with 1 and 2, with types"},
    {"xyz", "xyz", "momenta of ASE", ignored, "each frame of extended XYZ and i-PI; for CP2K, from another file",
     "residues, bonds", "the number of atoms, a comment, then names with three numbers"},
    {"lammps", no, "units in the file", ignored, each_frame, "bonds, units in most files", "ITEM: at its beginning"},
    {"dlpoly", no, "A/ps", ignored, each_frame, "residues, bonds",
     "two or three numbers in the second line, then atoms"},
    {"openmm", no, "nm/ps", ignored, each_frame, names, "the element State of XML"},
    {"g96", "g96", "nm/ps", ignored, each_frame, "masses, charges, bonds",
     "the blocks TITLE, TIMESTEP, POSITION and others"},
    {"card", "card", no, no, no, "cell, times, masses, charges, bonds", "a title in lines with *, and its columns"},
    {"gro", "gro", "nm/ps", no, each_frame, "masses, charges, bonds", "a number in the second line, and its columns"},
    {"pdb", "pdb", no, no, each_frame, "times, masses, charges", "the names of its records"},
    {"pqr", no, no, no, each_frame, "times, masses, bonds", "records of PDB with charge and radius"},
    {"mdcrd", no, no, no, "each frame, without angles", "atom names, number of atoms, times",
     "numbers in columns of 8 after the title"},
    {"rst7", no, ignored, no, each_frame, names, "the number of atoms after the title, and columns of 12"},
};

// Formats that are topologies only.
struct topology_facts {
    const char *name, *velocity, *lacks, *recognised, *help;
};

static const struct topology_facts topology_facts[] = {
    {"PSF", no, "coordinates", "PSF at its beginning", "structure file of CHARMM, X-PLOR and NAMD"},
    {"PRMTOP", no, "coordinates, chains", "%VERSION or %FLAG at its beginning", "topology of Amber 7 and later"},
    {"TPR", ignored, "coordinates are not read", "the word VERSION after 8 bytes",
     "run input of GROMACS, versions 58 to 138"},
    {"GROMACS top", no, "coordinates", "its first directive in brackets, or #include",
     "topology of GROMACS, with includes and macros"},
    {"DL_POLY FIELD", no, "coordinates, elements", "UNITS and MOLECULES after the title",
     "force field of DL_POLY Classic, 4 and 5"},
    {"MOL2", no, "coordinates are not read, masses", "@<TRIPOS>MOLECULE", "MOL2 of Tripos, its first molecule"},
    {"LAMMPS data", ignored, "coordinates are not read, names, residues", "the number of atoms after the title",
     "data file of LAMMPS, with any atom style"},
};

// Prints two lists of endings, separated by blanks.
static void print_endings(const char *const *endings, const char *const *more) {
    printf("%s", *endings || *more ? "" : "-");
    for (const char *const *e = endings; *e; e++) printf("%s%s", e == endings ? "" : " ", *e);
    for (const char *const *e = more; *e; e++) printf("%s%s", e == more && !*endings ? "" : " ", *e);
    printf("\t");
}

static const struct facts *facts_of(const char *name) {
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!strcmp(facts[i].name, name)) return &facts[i];
    return NULL;
}

static void print_facts(const struct facts *f, const char *reads, bool topology, const char *help) {
    printf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", reads, f->to, topology ? "yes" : no, f->velocity, f->force, f->cell,
           f->lacks, f->recognised, help);
}

int trj_formats_print(bool alone, struct trj_error *err) {
    const char *name, *const *endings;
    if (!alone)
        return trj_fail(err, TRJ_USAGE,
                        "--formats prints a table to standard output; leave out files and other options, and redirect "
                        "the output if required");
    for (const struct trj_format *const *f = trj_formats; *f; f++) {
        const struct facts *of = facts_of((*f)->name);
        if (!of || (*f)->lacks) continue;
        printf("%s\t", of->name);
        print_endings((*f)->endings, (*f)->listed_endings);
        print_facts(of, "yes", (*f)->topology, (*f)->help);
    }
    for (size_t i = 0; (name = trj_topology_format(i, &endings)); i++) {
        for (size_t k = 0; k < sizeof topology_facts / sizeof *topology_facts; k++) {
            const struct topology_facts *t = &topology_facts[k];
            if (strcmp(t->name, name)) continue;
            printf("%s\t", name);
            print_endings(endings, (const char *const[]){NULL});
            print_facts(&(struct facts){name, no, t->velocity, no, no, t->lacks, t->recognised}, no, true, t->help);
        }
    }
    return fflush(stdout) || ferror(stdout) ? trj_fail_errno(err, "stdout") : 0;
}
