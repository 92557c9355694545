// SPDX-License-Identifier: MIT
// Lines of the VASP files POSCAR, CONTCAR and XDATCAR, whose heads are equal (https://www.vasp.at/wiki/POSCAR,
// https://www.vasp.at/wiki/XDATCAR): a title; a factor; the cell vectors; the names of the species, which VASP 4 does
// not write; and the number of atoms of each species.
#ifndef TRJ_VASP_RECORDS_H
#define TRJ_VASP_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

enum { TRJ_VASP_NAME = 8 }; // bytes of the name of a species; longer ones are shortened

struct trj_vasp_species {
    char name[TRJ_VASP_NAME]; // what precedes '_', '/' and '.' of the word in the file: "Cr" of Cr_pv/0a1b2c3d
    uint64_t atoms;
};

// A head. A zeroed struct is ready for use; its memory is used again for the next head.
struct trj_vasp_head {
    struct trj_cell cell; // in Å, with the factor, in the orientation of the file
    double scale[3];      // factors of the components of Cartesian positions
    struct trj_vasp_species *species;
    size_t count, capacity; // of species
    uint64_t atoms;         // of all species, at least 1
    bool named;             // the file contains the names: since VASP 5, or in its title
};

// Return whether the n first bytes of a file look like the format.
bool trj_poscar_is(const char *head, size_t n);
bool trj_xdatcar_is(const char *head, size_t n);

// Returns whether the bytes are the start of such a file, but end before the lines that decide which it is.
bool trj_vasp_is_cut(const char *head, size_t n);

// Reads the head from its title. All return 0, or -1 with TRJ_BAD_DATA.
int trj_vasp_read_head(struct trj_vasp_head *h, struct trj_lines *l, struct trj_error *err);
// Reads the head after its title, which is `title`; the current line is the factor.
int trj_vasp_read_rest(struct trj_vasp_head *h, struct trj_lines *l, const char *title, struct trj_error *err);
void trj_vasp_head_free(struct trj_vasp_head *h); // frees its memory

// Reads the lines of a POSCAR between the head and the positions. *direct: these are fractions of the cell vectors;
// *flags: flags of selective dynamics follow them.
int trj_vasp_read_mode(struct trj_lines *l, bool *direct, bool *flags, struct trj_error *err);

// Returns whether a line of a XDATCAR precedes the positions: "Direct configuration=   12". Sets *step to its number,
// which is TRJ_NO_STEP if there is none.
bool trj_vasp_is_configuration(const char *line, int64_t *step);

// Reads three numbers at the start of a line, which need not be separated by blanks if a minus sign does. Sets number
// to their starts. Returns the text after them; NULL: there are not three.
const char *trj_vasp_scan(const char *line, double value[3], const char *number[3]);

static inline bool trj_vasp_is_blank(const char *line) {
    while (trj_is_blank(*line)) line++;
    return !*line;
}

#endif
