// Products of row-major matrices and vectors, a thread per sum, in the manner of PolyBench's GPU programs: sums grow in
// memory and not in a register, since any of the pointers may name the same memory.
//
// A launch has `gridDim.y` matrices of one shape, each with vectors of its own.

// sums = matrix * vector. Lanes of a warp read neighbouring rows: a sector of memory each.
__device__ inline void multiply_rows(const float *matrix, const float *vector, float *sums, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    matrix += blockIdx.y * rows * columns;
    vector += blockIdx.y * columns;
    sums += blockIdx.y * rows;
    if (row < rows) {
        sums[row] = 0.0f;
        for (int column = 0; column < columns; column++) {
            sums[row] += matrix[row * columns + column] * vector[column];
        }
    }
}

// sums = transpose(matrix) * vector. Lanes of a warp read neighbouring elements.
__device__ inline void multiply_columns(const float *matrix, const float *vector, float *sums, int rows,
                                        int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    matrix += blockIdx.y * rows * columns;
    vector += blockIdx.y * rows;
    sums += blockIdx.y * columns;
    if (column < columns) {
        sums[column] = 0.0f;
        for (int row = 0; row < rows; row++) {
            sums[column] += matrix[row * columns + column] * vector[row];
        }
    }
}
