// SPDX-License-Identifier: MIT
// Words of an MRC header, numbered from 1 as in its specification (Cheng et al., J. Struct. Biol. 192, 146 (2015);
// https://www.ccpem.ac.uk/mrc_format/mrc2014.php). CCP4 maps have the same words. The flags of IMOD are described in
// https://bio3d.colorado.edu/imod/doc/mrc_format.txt.
#ifndef TRJ_MRC_HEADER_H
#define TRJ_MRC_HEADER_H

#include <stdbool.h>

#include "map_format.h"
#include "map_statistics.h"

enum {
    MRC_HEADER = 1024, // bytes
    MRC_N = 1,         // columns, rows, sections
    MRC_MODE = 4,
    MRC_START = 5,     // index of the first column, row, section
    MRC_SAMPLING = 8,  // MX, MY, MZ: intervals along the cell
    MRC_CELL = 11,     // lengths in Å, then angles in degrees
    MRC_AXES = 17,     // MAPC, MAPR, MAPS
    MRC_RANGE = 20,    // DMIN, DMAX, DMEAN
    MRC_GROUP = 23,    // ISPG
    MRC_EXTENDED = 24, // NSYMBT: bytes after the header
    MRC_VERSION = 28,
    MRC_IMOD = 39,  // 1146047817 if the next word contains flags of IMOD
    MRC_FLAGS = 40, // bit 0: bytes are signed; bit 2: the sign of ORIGIN is inverted
    MRC_ORIGIN = 50,
    MRC_MAP = 53,
    MRC_STAMP = 54,
    MRC_RMS = 55,
    MRC_LABELS = 56, // their number; then ten texts of 80 characters
    MRC_LABEL_COUNT = 10,
    MRC_LABEL = 80,
};

struct trj_mrc_writing { // state of a writer
    struct trj_map_statistics *statistics;
    bool rounded; // a value was changed by rounding to float32
};
int trj_mrc_create(struct trj_map_writer *w, struct trj_error *err); // map_mrc_write.c
int trj_mrc_write(struct trj_map_writer *w, const void *values, uint64_t planes, struct trj_error *err);
int trj_mrc_finish(struct trj_map_writer *w, struct trj_error *err);
void trj_mrc_destroy(struct trj_map_writer *w);

enum mrc_mode { MRC_INT8 = 0, MRC_INT16 = 1, MRC_FLOAT32 = 2, MRC_UINT16 = 6, MRC_FLOAT16 = 12 };

#endif
