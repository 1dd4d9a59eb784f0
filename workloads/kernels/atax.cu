// A matrix times a vector, and its transpose times the result: y = transpose(A) * (A * x). Stands for PolyBench's ATAX
// (FineReg, Table II).

#include "matrix_vector.cuh"

extern "C" __global__ void atax_product(const float *a, const float *x, float *product, int rows, int columns) {
    multiply_rows(a, x, product, rows, columns);
}

extern "C" __global__ void atax_transposed(const float *a, const float *product, float *y, int rows, int columns) {
    multiply_columns(a, product, y, rows, columns);
}
