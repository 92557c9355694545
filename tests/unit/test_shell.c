// SPDX-License-Identifier: MIT
// Shells within bodies are compared with published closed forms, and with an integral computed in another way.
#include "shell.h"
#include "tap.h"

#define PI 3.14159265358979323846

static bool near(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

// Distances of two points in the unit cube: A. M. Mathai, P. Moschopoulos, G. Pederzoli, J. Statist. Res. 33, 11
// (1999), as in E. W. Weisstein, Cube Line Picking, MathWorld. It differs by terms that nearly cancel, hence the
// tolerance.
static double cube(double l) {
    double s = l * l;
    if (l <= 1) return -s * ((l - 8) * s + PI * (6 * l - 4));
    if (l <= sqrt(2))
        return 2 * l *
               ((s - 8 * sqrt(s - 1) + 3) * s - 4 * sqrt(s - 1) + 12 * s * acos(1 / l) + PI * (3 - 4 * l) - 0.5);
    return l * ((1 + s) * (6 * PI + 8 * sqrt(s - 2) - 5 - s) - 16 * l * asin(1 / sqrt(2 - 2 / s)) +
                16 * l * atan(l * sqrt(s - 2)) - 24 * (s + 1) * atan(sqrt(s - 2)));
}

static void test_cube(void) {
    enum { BINS = 4000 };
    struct rdf_shell_box b;
    rdf_shell_box_open(&b, (double[]){1, 1, 1});
    double off = 0, mean = 0, width = sqrt(3) / BINS;
    for (int k = 0; k < BINS; k++) {
        // The error of Simpson's rule is of order width^4 if the density is smooth; it has corners at 1 and sqrt(2).
        double low = k * width, high = low + width, s = rdf_shell_box(&b, low, high);
        double want = width / 6 * (cube(low) + 4 * cube(low + width / 2) + cube(high));
        if (!(low < 1 && high > 1) && !(low < sqrt(2) && high > sqrt(2))) off = fmax(off, fabs(s - want) / width);
        mean += s * (low + width / 2);
    }
    ok(off < 1e-9, "unit cube: the density of distances, except for %.1g of at most 1.6", off);
    double robbins = (4 + 17 * sqrt(2) - 6 * sqrt(3) + 21 * log(1 + sqrt(2)) + 42 * log(2 + sqrt(3)) - 7 * PI) / 105;
    ok(near(mean, robbins, 1e-7), "unit cube: the mean distance is Robbins' constant, %.9f", mean);
}

// Simpson's rule over [from, to] for a function of one variable with further arguments.
static double simpson(double (*f)(double, const double *), const double *more, double from, double to, int steps) {
    double sum = 0, h = (to - from) / steps;
    for (int i = 0; i < steps; i++)
        sum += f(from + i * h, more) + 4 * f(from + (i + 0.5) * h, more) + f(from + (i + 1) * h, more);
    return sum * h / 6;
}

// The probability of a distance below r, divided by the volume: by Simpson's rule along x and y with x = side sin,
// exactly along z.
static double along_y(double angle, const double *v) { // v: r^2 - x^2, b, c
    double max = fmin(v[1], sqrt(v[0])), y = max * sin(angle), z = fmin(v[2], sqrt(fmax(v[0] - y * y, 0)));
    return max * cos(angle) * (1 - y / v[1]) * (z - z * z / (2 * v[2]));
}

static double along_x(double angle, const double *v) { // v: r, a, b, c
    double max = fmin(v[1], v[0]), x = max * sin(angle), rest = fmax(v[0] * v[0] - x * x, 0);
    return max * cos(angle) * (1 - x / v[1]) * simpson(along_y, (double[]){rest, v[2], v[3]}, 0, PI / 2, 600);
}

static double within(double r, const double *side) {
    return 8 * simpson(along_x, (double[]){r, side[0], side[1], side[2]}, 0, PI / 2, 600);
}

static void test_box(double a, double b, double c) {
    const double side[] = {a, b, c};
    enum { BINS = 997 };
    struct rdf_shell_box box;
    rdf_shell_box_open(&box, side);
    double all = 0, square = 0, farthest = rdf_shell_box_farthest(&box), width = farthest / BINS, coarse = 0;
    ok(near(farthest, sqrt(a * a + b * b + c * c), 1e-15), "%g x %g x %g: the largest distance is the diagonal", a, b,
       c);
    bool positive = true;
    for (int k = 0; k < BINS; k++) {
        double s = rdf_shell_box(&box, k * width, (k + 1) * width), r = (k + 0.5) * width;
        all += s;
        square += s * (r * r + width * width / 12);
        positive &= s > 0;
    }
    for (int k = 0; k < 10; k++) coarse += rdf_shell_box(&box, farthest * k / 10, farthest * (k + 1) / 10);
    ok(positive && near(all, a * b * c, 1e-12) && near(coarse, a * b * c, 1e-11),
       "%g x %g x %g: contains all pairs, except for %.1g, %.1g", a, b, c, all / (a * b * c) - 1,
       coarse / (a * b * c) - 1);
    ok(near(square / all, (a * a + b * b + c * c) / 6, 1e-5),
       "%g x %g x %g: the mean of r^2 is a sixth of the diagonal's", a, b, c);
    double off = 0;
    for (int k = 1; k < 8; k++) {
        double low = farthest * k / 9, high = farthest * (k + 1) / 9, want = within(high, side) - within(low, side);
        off = fmax(off, fabs(rdf_shell_box(&box, low, high) - want) / (a * b * c));
    }
    ok(off < 1e-9, "%g x %g x %g: equals an integral in x, y and z, except for %.1g", a, b, c, off);
    // Wide bins are the sums of narrow bins, also where r exceeds a side.
    off = 0;
    for (int k = 0; k < 20; k++) {
        double low = farthest * k / 20, high = farthest * (k + 1) / 20, sum = 0;
        for (int i = 0; i < 64; i++)
            sum += rdf_shell_box(&box, low + (high - low) * i / 64, low + (high - low) * (i + 1) / 64);
        off = fmax(off, fabs(rdf_shell_box(&box, low, high) - sum) / rdf_shell_full(low, high));
    }
    ok(off < 1e-12, "%g x %g x %g: wide bins are sums of narrow ones, except for %.1g of the full shell", a, b, c, off);
    struct rdf_shell_box other;
    rdf_shell_box_open(&other, (double[]){c, a, b});
    ok(rdf_shell_box(&box, farthest / 3, farthest / 2) == rdf_shell_box(&other, farthest / 3, farthest / 2),
       "the order of the sides does not matter");
    double r = fmin(fmin(a, b), c) * 1e-6;
    ok(near(rdf_shell_box(&box, r, 2 * r), rdf_shell_full(r, 2 * r), 1e-5),
       "a small shell is not cut off by the faces");
}

static void test_slab(void) {
    const double h = 3;
    struct rdf_shell_box box;
    rdf_shell_box_open(&box, (double[]){1e9, 1e9, h});
    double off = 0;
    for (int k = 0; k < 100; k++) {
        double low = 0.1 * k, high = 0.1 * (k + 1);
        off = fmax(off, fabs(rdf_shell_box(&box, low, high) / rdf_shell_slab(low, high, h) - 1));
    }
    ok(off < 1e-7, "a flat box is a slab, except for %.1g", off);
    // S(r) = 4 pi (r^3/3 - r^4/(8h)) up to h, 5/6 pi h^3 + pi h (r^2 - h^2) beyond
    ok(near(rdf_shell_slab(0, h, h), 5.0 / 6 * PI * h * h * h, 1e-14), "slab: shell up to its thickness");
    ok(near(rdf_shell_slab(1, 5, h), 5.0 / 6 * PI * 27 + PI * h * (25 - 9) - 4 * PI * (1.0 / 3 - 1 / (8 * h)), 1e-14),
       "slab: shell on both sides of its thickness");
    ok(near(rdf_shell_slab(h, h + 2, h), PI * h * (25 - 9), 1e-14), "slab: shell beyond its thickness");
    ok(near(rdf_shell_slab(1, 2, 1e12), rdf_shell_full(1, 2), 1e-11), "thick slab: full shells");
    ok(near(rdf_shell_slab(1, 2, 1e-9), 1e-9 * rdf_shell_ring(1, 2), 1e-8), "thin slab: rings of a plane");
}

static void test_sphere(void) {
    double all = 0, mean = 0, radius = 2.5;
    for (int k = 0; k < 1000; k++) {
        double low = 2 * radius * k / 1000, high = 2 * radius * (k + 1) / 1000, s = rdf_shell_sphere(low, high, radius);
        all += s;
        mean += s * (low + high) / 2;
    }
    ok(near(all, rdf_shell_full(0, radius), 1e-13), "sphere: contains all pairs");
    ok(near(mean / all, 36.0 / 35 * radius, 1e-6), "sphere: the mean distance is 36/35 R (Hammersley), %.8f",
       mean / all / radius);
    ok(rdf_shell_sphere(2 * radius, 3 * radius, radius) == 0, "sphere: no pairs beyond its diameter");
}

int main(void) {
    test_sphere();
    test_slab();
    test_cube();
    test_box(3, 4, 5);
    test_box(10, 10, 10);
    test_box(30, 30, 2);
    test_box(2, 2, 30);
    test_box(7, 20, 20.001);
    return done();
}
