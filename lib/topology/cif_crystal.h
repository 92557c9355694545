// SPDX-License-Identifier: MIT
// Crystals in small-molecule CIF (https://www.iucr.org/resources/cif/dictionaries/cif_core): the sites of an asymmetric
// unit in fractional coordinates, and the symmetry operations of the space group, which make the atoms of the cell.
//
// The listed sites come first, in their order, followed by their images under each operation. Images of one site are
// one atom if, apart from whole numbers, they agree within 0.001 in each fractional coordinate, are nearer than 0.05 Å,
// or differ by no more than a unit in the last digit of the coordinates and are nearer than 0.5 Å: if 1/3 and 2/3 are
// written as 0.33 and 0.67, the equal coordinates 2x and y become 0.66 and 0.67. The unit is that of the coordinate
// with the most digits of all sites, because programs omit zeros at the end. This last rule applies neither to images
// that differ by a translation, which rounding does not change, nor to partially occupied sites: they may be disordered
// around a special position, and each image is then an atom. Different sites are never merged. Images are not moved
// into the cell, so that the molecule of an asymmetric unit stays whole.
#ifndef TRJ_CIF_CRYSTAL_H
#define TRJ_CIF_CRYSTAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "cif_records.h"

enum { TRJ_CRYSTAL_LABEL = 32, TRJ_CRYSTAL_OPERATIONS = 384, TRJ_CRYSTAL_NOTE = 800 };

struct trj_crystal_site {
    char label[TRJ_CRYSTAL_LABEL], symbol[8]; // symbol: "O2-"; "" if it is missing
    double fraction[3];
    double occupancy, bfactor, charge; // B in Å^2; NaN: missing
};

// The block of a file that contains sites. A zeroed struct is empty.
struct trj_crystal {
    char block[80];
    struct trj_cell cell;
    size_t sites, site_capacity, operations;
    struct trj_crystal_site *site;
    size_t atoms, capacity, of_capacity, next_capacity;
    uint32_t *of;              // [atoms] site
    uint32_t *next;            // [atoms] the next atom of its site; 0: there is none
    double (*fraction)[3];     // [atoms]
    size_t partial, unlocated; // sites with an occupancy below 1; left out, because they have no coordinates
    size_t dummies;            // left out, because their coordinates are meaningless
    double unit;               // of the last digit of the coordinate with the most digits, 0.01 at most
    bool has_occupancy, has_bfactor, has_charge;
    unsigned no_angles;         // bits of the angles of the cell, alpha first, that are missing, and taken as 90
    bool no_group;              // neither operations nor a space group are given: P 1 is assumed
    double closest;             // Å, of two images of one site; INFINITY: there are none
    uint32_t closest_site;      // that site
    double merged;              // Å, the largest distance of images that are one atom and differ by more than 0.001 or
                                // are 0.05 Å or farther apart; 0: there are none
    uint32_t merged_site;       // that site
    double occupied;            // the largest sum, above 1, of occupancies at one place; 0: there is none
    uint32_t occupied_sites[2]; // two of its sites
    bool ends_file;             // one of its values ends the file, without a newline, so that it may be incomplete
    bool number_ends_file;      // and that value contains a number
    size_t doubtful;            // sites without a type whose labels may begin with more than a symbol
    uint32_t doubtful_site;     // the first of them
};

// A file with such blocks. Zeroed but for cif.lines, it is ready for use.
struct trj_crystal_file {
    struct trj_cif cif;
    char block[80]; // the name of the current block
    size_t blocks;  // with sites so far
};

// Reads on to the next block with sites, and replaces *c. Returns 1; 0 at the end of the file; -1.
int trj_crystal_next(struct trj_crystal_file *f, struct trj_crystal *c, struct trj_error *err);
// The same for a block after `first`, which must have its name: some programs write the frames of a trajectory so. Sets
// *other to whether it has another name, which is an error that lists the blocks with sites. If it has the same name,
// an error concerns only this frame.
int trj_crystal_next_frame(struct trj_crystal_file *f, const struct trj_crystal *first, struct trj_crystal *c,
                           bool *other, struct trj_error *err);
int trj_crystal_fail_empty(const struct trj_crystal_file *f, struct trj_error *err); // the file has no sites
void trj_crystal_file_free(struct trj_crystal_file *f);
void trj_crystal_free(struct trj_crystal *c);

// Writes what was assumed, or may be wrong, to `note`, separated by "; ". It is "" if there is nothing. Each kind of
// note has a bit; those in `known` are left out. Returns the bits of the others.
unsigned trj_crystal_note(const struct trj_crystal *c, unsigned known, char note[TRJ_CRYSTAL_NOTE]);

#endif
