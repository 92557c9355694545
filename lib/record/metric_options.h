// SPDX-License-Identifier: MIT
// The options that select a metric and layers, and their use by a filter: rdf_metric_option_table is for its table of
// options, and a struct rdf_measurement is opened before input is read, sees each frame, and changes the job.
#ifndef RDF_METRIC_OPTIONS_H
#define RDF_METRIC_OPTIONS_H

#include "bodies.h"
#include "error.h"
#include "frame_stream.h"
#include "hist_setup.h"
#include "job.h"
#include "layers.h"
#include "metric.h"
#include "tool.h"

// Texts as given; NULL: not given.
struct rdf_metric_options {
    const char *metric, *window, *angle, *body, *layers;
    bool own_images;
};

extern const struct trj_choice rdf_metric_choices[]; // ends with a NULL name

// Rows for the option table of a filter with a static struct rdf_metric_options (tool.h).
extern const struct trj_option rdf_metric_option_table[];

struct rdf_measurement {
    const struct rdf_metric_options *options;
    struct rdf_metric metric;
    struct rdf_layers layers; // open from the first frame on, if they are requested
    struct trj_bodies bodies; // likewise
    struct trj_frame places;  // exchanged with frames: with bodies, the frame with the axes (metric.h)
    char *body;               // of the set-up
    struct trj_group *groups; // of a job that counts in both orders
    struct rdf_pair *pairs;
};

// Sets *m, which is zeroed, from the options, which must outlive it. Fails with TRJ_USAGE for invalid values.
int rdf_measurement_open(struct rdf_measurement *m, const struct rdf_metric_options *o, struct trj_error *err);
// Fails with TRJ_USAGE for combinations that are not counted: a metric or layers with a lag, a metric with other counts
// (of neighbours), pairs that are excluded from counts in a plane or along an axis, and own images with anything but
// distances of fixed groups. `exclude` may be NULL.
int rdf_measurement_check(const struct rdf_measurement *m, bool lag, bool others, const char *exclude,
                          struct trj_error *err);
// Divides the groups of a frame into layers, and adds the axes of molecules, if requested.
int rdf_measurement_frame(struct rdf_measurement *m, const struct trj_stream_header *h, struct trj_frame *f,
                          struct trj_error *err);
// Returns the header with the groups to count.
const struct trj_stream_header *rdf_measurement_header(const struct rdf_measurement *m,
                                                       const struct trj_stream_header *h);
// Sets *half to half the smallest width of the cell of the first frame, Å, as the metric sees it. Fails as
// rdf_metric_check_cell. Calls `note` if densities of this cell are those of uniform heights, or if the frame seems to
// be a system in two dimensions whose images across its plane are counted (rdf_flat_axis).
int rdf_measurement_image_limit(double *half, const struct rdf_measurement *m, const struct trj_frame *first,
                                void (*note)(const char *text), struct trj_error *err);
// For an angle, makes a job count pairs of a group with itself in both orders, by pairs of a group and its copy, and
// corrects the numbers of pairs of the set-up. For axes of molecules, it also sets the places of the job, and the body
// of the set-up. With own images, sets the flag of the set-up. Fails with TRJ_BAD_DATA if an atom of a group A is in no
// molecule with axes, and with TRJ_USAGE for own images of dynamic groups.
int rdf_measurement_order(struct rdf_measurement *m, struct rdf_job *job, struct rdf_setup *s, struct trj_error *err);
void rdf_measurement_free(struct rdf_measurement *m); // not m itself

#endif
