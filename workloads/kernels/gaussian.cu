// Gaussian elimination without pivoting. Stands for Rodinia's Gaussian (Malekeh, Table II).
//
// For each column but the last, `fan1` computes the multipliers of the rows below the diagonal, one
// thread each, and `fan2` subtracts the pivot row from all of them, one thread per element and the
// first column's threads for the right-hand side too. The grid always covers the whole matrix, so
// that more and more threads leave at once as the elimination goes on. In `fan2`, x is the row.

extern "C" __global__ void fan1(float *multipliers, const float *matrix, int size, int pivot) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size - 1 - pivot) {
        return;
    }
    multipliers[size * (row + pivot + 1) + pivot] =
        matrix[size * (row + pivot + 1) + pivot] / matrix[size * pivot + pivot];
}

extern "C" __global__ void fan2(const float *multipliers, float *matrix, float *right, int size, int pivot) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= size - 1 - pivot || column >= size - pivot) {
        return;
    }
    matrix[size * (row + 1 + pivot) + column + pivot] -=
        multipliers[size * (row + 1 + pivot) + pivot] * matrix[size * pivot + column + pivot];
    if (column == 0) {
        right[row + 1 + pivot] -= multipliers[size * (row + 1 + pivot) + pivot] * right[pivot];
    }
}
