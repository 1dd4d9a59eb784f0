// The two products of a step of the biconjugate gradient method: s = transpose(A) * r and q = A * p. Stands for
// PolyBench's BICG (FineReg, Table II).

#include "matrix_vector.cuh"

extern "C" __global__ void bicg_transposed(const float *a, const float *r, float *s, int rows, int columns) {
    multiply_columns(a, r, s, rows, columns);
}

extern "C" __global__ void bicg_product(const float *a, const float *p, float *q, int rows, int columns) {
    multiply_rows(a, p, q, rows, columns);
}
