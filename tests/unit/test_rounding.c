// SPDX-License-Identifier: MIT
// Tests the rounding of coordinates: each is within the bound, on a decimal step, or unchanged.
#include <math.h>
#include <stdint.h>

#include "rounding.h"
#include "tap.h"

enum { ATOMS = 20000 };

static struct trj_error err;

static uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state ^ *state >> 15;
}

// Fills with coordinates of up to 200, among them midpoints of steps; or with any bits.
static void fill(struct trj_frame *f, bool any_bits, double step) {
    uint32_t state = 7;
    if (trj_frame_resize(f, ATOMS, &err)) exit(1);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++) {
            uint32_t bits = random_bits(&state);
            f->x[k][i] = (float)(((double)bits / 0x1p32 - 0.5) * 400);
            if (i % 400 == 0) f->x[k][i] = (float)((double)(int)(bits % 5000) * step + step / 2);
            if (any_bits) memcpy(&f->x[k][i], &bits, 4);
        }
}

static void test_bound(double unit, double bound, double step, bool any_bits) {
    struct trj_frame f = {.unit = unit}, old = {.unit = unit};
    int beyond = 0, off = 0, changed = 0;
    fill(&f, any_bits, step);
    fill(&old, any_bits, step);
    struct trj_rounding r = {.bound = bound};
    trj_frame_round(&r, &f);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++) {
            float x = f.x[k][i], was = old.x[k][i];
            bool same = !memcmp(&x, &was, 4);
            double multiple = rint((double)x / step);
            changed += !same;
            beyond += !same && !(fabs((double)x - (double)was) * unit <= bound);
            off += !same && (x != (float)(multiple / rint(1 / step)) || (x == 0 && signbit(x)));
        }
    ok(!beyond, "unit %g, bound %g%s: no coordinate differs by more", unit, bound, any_bits ? ", any bits" : "");
    ok(!off, "unit %g, bound %g: changed coordinates are the float32 nearest to multiples of %g", unit, bound, step);
    ok(any_bits || changed > 3 * ATOMS * 6 / 10, "unit %g, bound %g: coordinates are rounded", unit, bound);
    fill(&old, any_bits, step);
    memcpy(old.x[0], f.x[0], ATOMS * sizeof(float));
    trj_frame_round(&r, &f);
    ok(!memcmp(old.x[0], f.x[0], ATOMS * sizeof(float)), "unit %g, bound %g: a second time changes nothing", unit,
       bound);
    trj_frame_free(&f);
    trj_frame_free(&old);
}

// Coordinates of an XTC file, half of which are in the middle between multiples of the largest step.
static void test_midpoints(void) {
    struct trj_frame f = {.unit = 10};
    struct trj_rounding r = {.bound = 0.01};
    int changed = 0, beyond = 0;
    if (trj_frame_resize(&f, ATOMS, &err)) exit(1);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++) f.x[k][i] = (float)i * 0.001F;
    trj_frame_round(&r, &f);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++) {
            changed += f.x[k][i] != (float)(i / 1000.0);
            beyond += !(fabs((double)f.x[k][i] - (double)((float)i * 0.001F)) * 10 <= 0.01);
        }
    ok(!changed && !beyond, "midpoints of the largest step: a smaller step is chosen");
    trj_frame_free(&f);
}

int main(void) {
    const struct {
        double unit, bound, step;
    } cases[] = {{1, 0.005, 0.01},  {10, 0.005, 0.001}, {1, 0.01, 0.02}, {1, 0.003, 0.005}, {1, 0.0024, 0.002},
                 {10, 0.01, 0.002}, {1, 1000, 1},       {1, 0.5, 1},     {1, 1e-4, 2e-4},   {0.529177, 0.01, 0.02}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int any = 0; any < 2; any++) test_bound(cases[i].unit, cases[i].bound, cases[i].step, any);
    test_midpoints();
    struct trj_frame f = {.unit = 1};
    if (trj_frame_resize(&f, 4, &err)) return 1;
    const float odd[4] = {NAN, INFINITY, -INFINITY, 3e38f};
    memcpy(f.x[0], odd, sizeof odd);
    memcpy(f.x[1], odd, sizeof odd);
    memcpy(f.x[2], odd, sizeof odd);
    trj_frame_round(&(struct trj_rounding){.bound = 0.01}, &f);
    ok(!memcmp(f.x[0], odd, sizeof odd), "NaN, infinities and numbers without decimals are not changed");
    trj_frame_free(&f);
    return done();
}
