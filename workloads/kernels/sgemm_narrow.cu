// FP32 matrix product with few registers: each thread has 16 sums, one row of a narrow tile. Stands for the SGEMM of
// FineReg's Table II, which takes at most 63 registers a thread.
//
// C = beta C + alpha A * B. A is stored column by column, B and C row by row of B's columns. A block of 128 threads
// computes 128 rows of 16 columns: B's tile of 8 x 16 lies in shared memory, A goes by registers. Grid: columns / 16,
// rows / 128; depth is a multiple of 8.

constexpr int COLUMNS = 16;
constexpr int ROWS = 128;
constexpr int STEP = 8;

// At most 63 registers: FineReg's bit vectors have 64 bits, and its counters of live registers six.
extern "C" __global__ void __maxnreg__(63)
    sgemm_narrow(const float *a, const float *b, float *c, int rows, int columns, int depth, float alpha, float beta) {
    __shared__ float tile[STEP][COLUMNS];

    const int row = blockIdx.y * ROWS + threadIdx.x;
    const int first = blockIdx.x * COLUMNS;
    const int tile_row = threadIdx.x / COLUMNS, tile_column = threadIdx.x % COLUMNS;

    float sums[COLUMNS] = {};
    for (int k = 0; k < depth; k += STEP) {
        tile[tile_row][tile_column] = b[(k + tile_row) * columns + first + tile_column];
        __syncthreads();
#pragma unroll
        for (int step = 0; step < STEP; step++) {
            const float element = a[(k + step) * rows + row];
#pragma unroll
            for (int column = 0; column < COLUMNS; column++) sums[column] += element * tile[step][column];
        }
        __syncthreads();
    }

#pragma unroll
    for (int column = 0; column < COLUMNS; column++) {
        float *to = c + row * columns + first + column;
        *to = beta * *to + alpha * sums[column];
    }
}
