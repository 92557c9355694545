// SPDX-License-Identifier: MIT
// Reads an input file of APBS as a template, and writes copies of it for the frames of a trajectory, in which APBS
// reads the molecule and its boundary values from other files (bcfl map).
//
// The format is that of APBS 3.4.1 (manual, "APBS input file"; src/generic/nosh.c): words that are separated by blanks,
// new lines, '=', ',' and ';'. '#' and '%' begin a comment. Sections begin with READ, ELEC, APOLAR or PRINT, and end
// with END; QUIT ends the input. Upper and lower case are equal in keywords. The first ELEC section of the kind
// mg-manual or mg-auto is used. With mg-auto, its coarse grid is the box: APBS computes boundary values for it alone.
#ifndef POT_APBS_INPUT_H
#define POT_APBS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debye.h"
#include "error.h"
#include "output.h"

enum { POT_APBS_SIZE_MAX = 1 << 20 }; // bytes of a template

// A part of the template that copies replace.
struct pot_apbs_edit {
    size_t offset, length; // 0 bytes: an insertion
    enum {
        POT_APBS_MOLECULE,
        POT_APBS_MAP,
        POT_APBS_BCFL,
        POT_APBS_USEMAP,
        POT_APBS_MAP_NUMBER,
        POT_APBS_DIME,
        POT_APBS_STEM // an insertion at the end of the name of a file that APBS writes
    } kind;
    unsigned axis; // of POT_APBS_DIME
};
enum { POT_APBS_STEMS = 56, POT_APBS_EDITS = POT_APBS_STEMS + 8 };

struct pot_apbs {
    uint64_t dime[3]; // of the copies
    double glen[3];   // Å: the lengths of the box
    // The box is about the centre of the molecule (pot_apbs_center); otherwise about `center`, in Å.
    bool about_molecule;
    double center[3];
    struct pot_ions ions;
    double pdie, sdie;  // dielectric constants; pdie is NaN if it is not given
    double temperature; // K
    unsigned map;       // number of the map in the copies, from 1
    char note[2][200];  // what the user should know: rounded sizes, sections that are not used; "": nothing

    char *text; // the template, `size` bytes and a NUL
    size_t size;
    unsigned edit_count;
    struct pot_apbs_edit edit[POT_APBS_EDITS]; // in ascending order
};

// Reads a template. A dime is rounded up to c 16 + 1 if it is at most 65, otherwise to c 32 + 1, with a note: APBS
// itself rounds those above 65 down, and is very slow with other smaller ones. Fails with TRJ_BAD_DATA, with the number
// of the line, if a section lacks its END, if no section is of a usable kind, if a keyword that is needed is missing,
// repeated or has an invalid value, if there are more than 56 files to write, and for templates whose copies would
// compute something else: of READ parm, which replaces charges and radii, of molecules that are not PQR, of the
// boundary conditions focus and mem, and of a box about another molecule. The caller frees *a with pot_apbs_free, also
// after an error.
int pot_apbs_read(struct pot_apbs *a, const char *path, struct trj_error *err);
void pot_apbs_free(struct pot_apbs *a); // not a itself

// Writes a copy: the paths of the PQR file and of the .dx file are those given, the section has `bcfl map` and `usemap
// pot N`, sizes are the rounded ones, and `number` follows the name of each file that APBS writes. All other bytes are
// those of the template. Fails with TRJ_USAGE if APBS cannot read one of the paths: because it contains a character
// that separates words, or has 1024 characters or more.
int pot_apbs_write(const struct pot_apbs *a, struct trj_output *out, const char *molecule, const char *map,
                   const char *number, struct trj_error *err);

// Computes the centre of a molecule as APBS does for `gcent mol 1`: the middle between the smallest and the largest
// coordinate of the `count` atoms (at least 1) along each axis. Radii do not matter.
void pot_apbs_center(const double (*position)[3], size_t count, double center[3]);

#endif
