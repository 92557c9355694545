// SPDX-License-Identifier: MIT
#include "frame_statistics.h"

#include "tap.h"

static struct trj_error err;
static struct trj_frame frame;

// Makes a frame of two atoms in a cube, at (1, 2, 3) and (-4, 5, 6) times `scale`.
static void add(struct trj_frame_statistics *s, uint64_t number, double time, int64_t step, double edge, float scale) {
    if (trj_frame_resize(&frame, 2, &err)) printf("# %s\n", err.text);
    frame.unit = 10;
    frame.time = time;
    frame.step = step;
    frame.cell = (struct trj_cell){.periodic = edge > 0 ? TRJ_PERIODIC_ALL : 0};
    for (int k = 0; k < 3; k++) {
        frame.cell.h[k][k] = edge;
        frame.x[k][0] = scale * (float)(k + 1);
        frame.x[k][1] = scale * (float)(k ? k + 4 : -4);
    }
    trj_frame_statistics_add(s, &frame, number);
}

static struct trj_series series(const double *time, uint64_t n) {
    struct trj_frame_statistics s = {.frames = 0};
    for (uint64_t i = 0; i < n; i++) add(&s, i, time[i], TRJ_NO_STEP, 0, 1);
    return s.time;
}

int main(void) {
    struct trj_frame_statistics s = {.frames = 0};
    bool uniform;
    add(&s, 0, 1, 100, 10, 1);
    ok(s.frames == 1 && s.unit == 10 && s.cell.h[2][2] == 10 && s.other_cells == 0 && s.volumes == 1,
       "the first frame");
    ok(s.reach == 60 && s.reach_atom == 1 && s.reach_frame == 0,
       "largest coordinate in Angstrom, with its atom and frame");
    ok(isnan(trj_series_spacing(&s.time, 0, &uniform)) && !uniform, "a single time has no spacing");
    add(&s, 1, 1.5, 200, 11, -2);
    add(&s, 2, 2, 300, 10, 1);
    add(&s, 3, 2.5, TRJ_NO_STEP, 0, 0);
    ok(s.frames == 4 && s.other_cells == 2 && s.volumes == 3 && s.min_volume == 1000 && s.max_volume == 1331,
       "counts of different cells and of volumes");
    ok(s.reach == 120 && s.reach_atom == 1 && s.reach_frame == 1,
       "largest coordinate of all frames, with the first frame that has it");
    ok(s.time.count == 4 && s.time.first == 1 && s.time.last == 2.5 && s.time.gaps == 3 && s.time.min_gap == 0.5 &&
           trj_series_spacing(&s.time, 0, &uniform) == 0.5 && uniform,
       "times");
    ok(s.step.count == 3 && s.step.last == 300 && trj_series_spacing(&s.step, 0, &uniform) == 100 && uniform,
       "steps; the last frame has none");

    s = (struct trj_frame_statistics){.frames = 0};
    add(&s, 0, 0, 0, 0, 1);
    add(&s, 1, 2, 0, 0, 1);
    add(&s, 9, 18, 0, 0, 1);
    ok(s.time.gaps == 1 && trj_series_spacing(&s.time, 0, &uniform) == 2 && uniform,
       "skipped frames: the mean agrees with the counted gap");
    add(&s, 19, 40, 0, 0, 1);
    trj_series_spacing(&s.time, 0, &uniform);
    ok(!uniform && s.step.repeated == 1, "skipped frames and repeated steps: the mean disagrees");

    struct trj_series q = series((const double[]){0, 1, 1, 0.5, 2}, 5);
    trj_series_spacing(&q, trj_time_rounding, &uniform);
    ok(!uniform && q.repeated == 1 && q.decreasing == 1 && q.min_gap == -0.5 && q.max_gap == 1.5,
       "repeated and decreasing times are counted");
    q = series((const double[]){NAN, 3, NAN, 5, 6}, 5);
    ok(q.count == 3 && q.first == 3 && q.gaps == 1 && q.min_gap == 1 && trj_series_spacing(&q, 0, &uniform) == 1,
       "frames without times have no spacing");

    double float32[1000];
    for (int i = 0; i < 1000; i++) float32[i] = (double)(float)(1000 + 0.1 * i);
    q = series(float32, 1000);
    double spacing = trj_series_spacing(&q, trj_time_rounding, &uniform);
    ok(uniform && fabs(spacing - 0.1) < 1e-6, "times rounded to float32 are uniform within their rounding");
    trj_series_spacing(&q, 0, &uniform);
    ok(!uniform, "times rounded to float32 are not uniform as float64");
    float32[500] += 0.01;
    q = series(float32, 1000);
    trj_series_spacing(&q, trj_time_rounding, &uniform);
    ok(!uniform, "a time off by a tenth of the spacing: not uniform");
    trj_frame_free(&frame);
    return done();
}
