// Convolution of an image with a separable filter of 17 x 17 taps: rows first, then columns. Stands for the CUDA SDK's
// convolutionSeparable (FineReg, Table II).
//
// A thread computes eight pixels that lie a block's extent apart. The block's stretch of the image and a halo at both
// ends lie in shared memory; outside the image there are zeros. Rows: grid (width / 128, height / 4), block (16, 4).
// Columns: grid (width / 16, height / 64), block (16, 8).

constexpr int RADIUS = 8;
constexpr int STEPS = 8;
// Steps of the halo at either end: it is as wide as a block, so that each thread loads as much of it.
constexpr int HALO = 1;

constexpr int ROWS_X = 16, ROWS_Y = 4;
constexpr int COLUMNS_X = 16, COLUMNS_Y = 8;

__constant__ float taps[2 * RADIUS + 1];

// At most 32 registers, which is what 64 warps can have each: FineReg counts it among the programs that scheduling
// limits.
extern "C" __global__ void __maxnreg__(32) convolve_rows(const float *source, float *target, int width) {
    __shared__ float stretch[ROWS_Y][(STEPS + 2 * HALO) * ROWS_X];

    const int first = (blockIdx.x * STEPS - HALO) * ROWS_X + threadIdx.x;
    const int row = blockIdx.y * ROWS_Y + threadIdx.y;
    source += row * width;
    target += row * width;

#pragma unroll
    for (int step = 0; step < STEPS + 2 * HALO; step++) {
        const int x = first + step * ROWS_X;
        const bool inside = (step >= HALO || x >= 0) && (step < STEPS + HALO || x < width);
        stretch[threadIdx.y][step * ROWS_X + threadIdx.x] = inside ? source[x] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int step = HALO; step < STEPS + HALO; step++) {
        float sum = 0.0f;
#pragma unroll
        for (int tap = -RADIUS; tap <= RADIUS; tap++) {
            sum += taps[RADIUS - tap] * stretch[threadIdx.y][step * ROWS_X + threadIdx.x + tap];
        }
        target[first + step * ROWS_X] = sum;
    }
}

extern "C" __global__ void __maxnreg__(32) convolve_columns(const float *source, float *target, int width, int height) {
    // A column's pixels lie together; one more than they need, so that lanes of a row meet different banks.
    __shared__ float stretch[COLUMNS_X][(STEPS + 2 * HALO) * COLUMNS_Y + 1];

    const int x = blockIdx.x * COLUMNS_X + threadIdx.x;
    const int first = (blockIdx.y * STEPS - HALO) * COLUMNS_Y + threadIdx.y;
    source += x;
    target += x;

#pragma unroll
    for (int step = 0; step < STEPS + 2 * HALO; step++) {
        const int y = first + step * COLUMNS_Y;
        const bool inside = (step >= HALO || y >= 0) && (step < STEPS + HALO || y < height);
        stretch[threadIdx.x][step * COLUMNS_Y + threadIdx.y] = inside ? source[y * width] : 0.0f;
    }
    __syncthreads();

#pragma unroll
    for (int step = HALO; step < STEPS + HALO; step++) {
        float sum = 0.0f;
#pragma unroll
        for (int tap = -RADIUS; tap <= RADIUS; tap++) {
            sum += taps[RADIUS - tap] * stretch[threadIdx.x][step * COLUMNS_Y + threadIdx.y + tap];
        }
        target[(first + step * COLUMNS_Y) * width] = sum;
    }
}
