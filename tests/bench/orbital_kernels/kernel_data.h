// SPDX-License-Identifier: MIT
// An orbital of a molecule in float32, in the layout of kernels that evaluate it at each point of a lattice: basis sets
// occur once for each element, atoms are sorted by element, and all arrays have a fixed length, so that the same struct
// is in constant memory or in global memory.
//
// The value at a point is the sum over shells of R(d^2) times the sum of coefficient x^i y^j z^k over the components of
// the shell, where x, y, z is the vector from the atom, d its length, and R the sum of coefficient exp(-a d^2) over the
// primitives of the shell.
#ifndef KERNEL_DATA_H
#define KERNEL_DATA_H

#include <stdint.h>

enum {
    KERNEL_ELEMENTS = 4,
    KERNEL_SHELLS = 32,
    KERNEL_PRIMITIVES = 128,
    KERNEL_ATOMS = 128,
    KERNEL_FUNCTIONS = 1024,
    KERNEL_COMPONENTS = 6, // of a shell, at most
    KERNEL_TILE = 128,     // coefficients in a tile in shared memory
};

struct kernel_element {
    uint32_t atoms, first_shell, end_shell, first_primitive;
};
struct kernel_shell {
    uint32_t l, primitives; // l: 0 to 2
} __attribute__((aligned(8)));
struct kernel_primitive {
    float exponent, coefficient; // -a / log(2), so that the exponential is a power of 2
} __attribute__((aligned(8)));
struct kernel_position {
    float x, y, z, unused; // bohr; padded and aligned, so that one load reads them
} __attribute__((aligned(16)));

struct kernel_data {
    uint32_t elements;
    struct kernel_element element[KERNEL_ELEMENTS];
    struct kernel_shell shell[KERNEL_SHELLS]; // of element 0, then of element 1, ...
    struct kernel_primitive primitive[KERNEL_PRIMITIVES];
    struct kernel_position position[KERNEL_ATOMS]; // of the atoms of element 0, then of element 1, ...
    // In the order of atoms, then of their shells, then of components: x, y, z; xx, xy, xz, yy, yz, zz.
    float coefficient[KERNEL_FUNCTIONS];
};

// Points origin + i step along each axis, in blocks of KERNEL_X times KERNEL_Y points of a plane. Rows and columns are
// padded to whole blocks, so that every thread has a point.
enum { KERNEL_X = 16, KERNEL_Y = 8 };
struct kernel_lattice {
    float origin[3], step[3]; // bohr
    uint32_t width, height;   // of a plane in memory: multiples of KERNEL_X and KERNEL_Y
    uint32_t first;           // plane
};

#endif
