// SPDX-License-Identifier: MIT
// Checks the options of records, some of which exclude each other when several lags are counted.
#include "record_options.h"

#include <stddef.h>
#include <string.h>

#include "number.h"

const struct trj_option rdf_record_option_table[] = {
    {.heading = "Records",
     TRJ_OPTION_FIELD(
         'B', "block", COUNT, struct rdf_record_options, block, "N",
         "write a record every N frames, for standard errors; 0: one record of all frames (default: 32 to 64 "
         "records)"),
     .max = TRJ_OPTION_ABSENT - 1},
    {TRJ_OPTION_FIELD(0, "every", TEXT, struct rdf_record_options, interval, "N|TIME",
                      "write a record immediately after every N frames, for programs that read it during a "
                      "simulation; or a checkpoint after each TIME in seconds, minutes or hours: 90s, 10m, 2h "
                      "(default: " WORK_CHECKPOINT_EVERY ")")},
    {.table = work_checkpoint_file_option, .offset = offsetof(struct rdf_record_options, checkpoints)},
    TRJ_OPTION_END,
};

// Takes the text of --every for a number of frames if it consists of digits.
static int parse_every(struct rdf_record_options *o, struct trj_error *err) {
    const char *text = o->interval;
    if (!text) return 0;
    if (*text && strspn(text, "0123456789") != strlen(text)) {
        o->checkpoints.every = text;
        return 0;
    }
    if (!trj_parse_u64(text, &o->every) || !o->every || o->every == TRJ_OPTION_ABSENT)
        return trj_fail(err, TRJ_USAGE, "--every: '%s' is neither a number of frames above 0 nor a time such as 10m",
                        text);
    if (!o->checkpoints.path) return 0;
    return trj_fail(err, TRJ_USAGE,
                    "--every %s and --checkpoint: records that are written at once cannot be written again after a "
                    "checkpoint; leave one of them out, or give a time such as --every 10m",
                    text);
}

int rdf_record_options_check(struct rdf_record_options *o, size_t lags, const char *events, struct trj_error *err) {
    if (parse_every(o, err)) return -1;
    if (o->checkpoints.path && events)
        return trj_fail(err, TRJ_USAGE,
                        "--events and --checkpoint: a checkpoint does not contain the events; leave one of them out");
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
