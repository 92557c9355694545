// SPDX-License-Identifier: MIT
// Checks the options of records, some of which exclude each other when several lags are counted.
#include "record_options.h"

#include <stddef.h>

const struct trj_option rdf_record_option_table[] = {
    {.heading = "Records",
     TRJ_OPTION_FIELD(
         'B', "block", COUNT, struct rdf_record_options, block, "N",
         "write a record every N frames, for standard errors; 0: one record of all frames (default: 32 to 64 "
         "records)"),
     .max = TRJ_OPTION_ABSENT - 1},
    {TRJ_OPTION_FIELD(0, "every", COUNT, struct rdf_record_options, every, "N",
                      "write a record immediately after every N frames, for programs that read it during a simulation"),
     .min = 1, .max = TRJ_OPTION_ABSENT - 1},
    TRJ_OPTION_END,
};

int rdf_record_options_check(struct rdf_record_options *o, size_t lags, struct trj_error *err) {
    if (o->every && o->block != TRJ_OPTION_ABSENT)
        return trj_fail(err, TRJ_USAGE, "--every and --block: both give the frames of a record; leave one of them out");
    if (o->every) o->block = o->every;
    // The stream of each lag follows that of the previous lag, so that records are kept until the end.
    if (lags > 1 && o->block && o->block != TRJ_OPTION_ABSENT)
        return trj_fail(err, TRJ_USAGE,
                        "--%s and several lags: only the default records and --block 0 can be kept for all lags; count "
                        "each lag in a separate run",
                        o->every ? "every" : "block");
    return 0;
}
