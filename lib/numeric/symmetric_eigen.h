// SPDX-License-Identifier: MIT
// Eigenvalues and eigenvectors of real symmetric matrices, without LAPACK: all of a small matrix, or the largest ones
// of a large one. All operations are in a fixed order of float64, so that results do not depend on threads or machines.
#ifndef TRJ_SYMMETRIC_EIGEN_H
#define TRJ_SYMMETRIC_EIGEN_H

#include <stddef.h>

#include "error.h"

// Computes all eigenvalues of the symmetric matrix a[n][n], which is overwritten: value[n] from the largest to the
// smallest, and the unit eigenvectors as rows of vector[n][n]. Jacobi rotations, with about 50 n^3 operations.
// Fails with TRJ_FAILED without memory.
int trj_eigen_all(double *a, size_t n, double *value, double *vector, struct trj_error *err);

// A symmetric matrix of n rows, which is only multiplied.
struct trj_eigen_matrix {
    size_t n;
    // Sets product[n][width] to the product with v[n][width].
    void (*multiply)(void *arg, const double *v, double *product, size_t width);
    void *arg;
};

enum { TRJ_EIGEN_WIDTH = 8 }; // largest number of vectors that are multiplied at a time

// Computes the `count` (1 to n) largest eigenvalues of a positive semidefinite matrix of finite elements: value[count]
// from the largest, and the unit eigenvectors as rows of vector[count][n]. Each residual |A v - value v| is about 1e-12
// times the largest eigenvalue or less, so that this is the error of the values. A block Lanczos method, which finds
// all vectors of a multiple eigenvalue. Its memory is 16 n (2 count + 32) bytes.
// Fails with TRJ_FAILED without memory, or if the residuals stay larger.
int trj_eigen_largest(const struct trj_eigen_matrix *matrix, size_t count, double *value, double *vector,
                      struct trj_error *err);

#endif
