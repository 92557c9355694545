// SPDX-License-Identifier: MIT
// Makes the job of a map of a potential from the user's options, the header of a frame stream, and its first frame.
#ifndef POT_POTENTIAL_SETUP_H
#define POT_POTENTIAL_SETUP_H

#include <stdbool.h>

#include "apbs_input.h"
#include "charges.h"
#include "error.h"
#include "frame_stream.h"
#include "map.h"
#include "point_list.h"
#include "potential_job.h"
#include "potential_options.h"

struct pot_setup {
    struct pot_job job;
    struct pot_charges charges;
    struct pot_point_list list;
    struct pot_apbs apbs;        // the template; its text is otherwise NULL
    bool inside;                 // points within radii of mdh are allowed
    char note[POT_REPORT];       // about the mesh of the method pme; otherwise empty
    char background[96];         // about the net charge of the method pme; otherwise empty
    char report[POT_REPORT];     // of the method fast, after the first frame with charges; otherwise empty
    struct trj_map map;          // of the raw sums
    double factor;               // from the mean of the raw values to those in `unit`
    const char *unit, *raw_unit; // of the means, of the sums
    const char *quantity;
    char reciprocal[80]; // the quantity, if it is a reciprocal part
};

// Makes the job, except for the members that options of engines set; of these, it sets only `threads`. The header must
// outlive the set-up, to which the job points, and which pot_setup_free frees, also after a failure. Fails with
// TRJ_USAGE for options that contradict each other, and with TRJ_BAD_DATA if the stream lacks what the options need;
// the message gives the atom and a remedy.
int pot_setup_make(struct pot_setup *s, const struct pot_options *o, const struct trj_stream_header *h,
                   const struct trj_frame *first, unsigned threads, struct trj_error *err);
// Checks a frame, and sets *to to its cell, its lattice and the frame. The charges are set only if the set-up needs
// them: they then belong to it, until the next call. Otherwise to->position is NULL, and pot_engine_add finds them for
// the methods that use them. Fails with TRJ_BAD_DATA for a frame that does not fit the job.
int pot_setup_frame(struct pot_setup *s, struct trj_frame *f, struct pot_frame *to, struct trj_error *err);
// Sets *m to the map of the mean potential: float64, in `unit`. The caller frees it with trj_map_free, also after a
// failure.
int pot_setup_means(const struct pot_setup *s, struct trj_map *m, struct trj_error *err);
void pot_setup_free(struct pot_setup *s);

#endif
