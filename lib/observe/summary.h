// SPDX-License-Identifier: MIT
// Summaries of the values of observables over all frames: mean, standard error, correlation time, drift; and the number
// of frames in which values are not defined.
#ifndef OBS_SUMMARY_H
#define OBS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "curve_mean.h"
#include "error.h"
#include "observable.h"
#include "table_writer.h"

// Of one series of values. A zeroed struct is empty; `cyclic` may be set in it.
struct obs_series {
    // The values are angles from -180 to 180 degrees. They are kept, and summarised as the images nearest to their
    // circular mean, the angle of (sum cos, sum sin): those of -179 and 179 have the mean 180 and a deviation of 1.
    bool cyclic;
    double *kept; // [frames]
    size_t capacity;
    struct curve_mean mean; // of y (below): a curve of one bin; each frame is a record
    uint64_t frames;        // with a value
    uint64_t undefined;     // frames whose value is NaN, which are left out
    double min, max;
    // For the drift: sums over the frames with a value of i, i^2, y and i y, where i is the number of the value, and y
    // the value minus the first one.
    double i, i2, y, iy, first, y2;
};

enum { OBS_FEW_EFFECTIVE = 50 };

struct obs_series_summary {
    uint64_t frames, undefined;
    double mean, deviation, min, max; // of cyclic values, min and max can exceed 180 degrees; the mean does not
    // Standard error of the mean from independent blocks (curve_mean.h), times the factor for the correlation that
    // blocks of finite length have (error_blocks.h). NaN: too few frames.
    double error;
    // Of the interval that contains the true mean with 95 % (Student's t for the number of blocks). NaN: the error is
    // unknown, or there are too few frames to detect correlation.
    double half_width;
    double inefficiency; // frames that contain as much information as one independent frame; NaN: unknown
    double effective;    // number of independent frames: frames / inefficiency
    // There are fewer than OBS_FEW_EFFECTIVE effective frames, or the interval is unknown. A known one contains the
    // true mean less often than it states: of series with exponential correlation and 50, 20, 10 or 5 effective frames,
    // in 94, 92, 90 and 84 % of those whose error is known.
    bool few;
    double drift; // slope of the straight line by least squares, times the number of frames
};

int obs_series_add(struct obs_series *s, double value, struct trj_error *err);
int obs_series_summarise(struct obs_series *s, struct obs_series_summary *to, struct trj_error *err);
void obs_series_free(struct obs_series *s); // not s itself

// Writes a comment for each column of the observables, whose series have this interval between frames in ps, and a
// note on columns with few effective frames, which `note` prints, too.
int obs_summary_print(struct trj_table *t, const struct obs_observable *observables, size_t count,
                      struct obs_series *series, double interval, void (*note)(const char *line),
                      struct trj_error *err);
// Prints a note on the columns that contain NaN, with the number of these frames (obs_series.undefined) of all frames.
void obs_undefined_note(const struct obs_observable *observables, size_t count, const struct obs_series *series,
                        uint64_t frames, void (*note)(const char *line));
// Does the same for the columns of a table: names[count] and numbers of NaN undefined[count].
void obs_undefined_note_columns(char *const *names, const uint64_t *undefined, size_t count, uint64_t frames,
                                void (*note)(const char *line));

#endif
