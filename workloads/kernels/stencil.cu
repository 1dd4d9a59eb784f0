// A Jacobi step on a grid in three dimensions: seven points, each cell from itself and its six neighbours. Stands for
// Parboil's stencil (FineReg, Table II).
//
// A block of 32 x 4 threads walks up a column of 64 x 4 cells, two a thread. The layer at hand lies in shared memory,
// the ones below and above in registers. Cells at the faces of the grid keep their values.

constexpr int THREADS_X = 32;
constexpr int THREADS_Y = 4;
constexpr int WIDTH = 2 * THREADS_X;

// At most 32 registers, which is what 64 warps can have each: FineReg counts it among the programs that scheduling
// limits.
extern "C" __global__ void __maxnreg__(32)
    stencil(float centre_weight, float neighbour_weight, const float *source, float *target, int nx, int ny, int nz) {
    __shared__ float layer[THREADS_Y][WIDTH];

    const int y = blockIdx.y * THREADS_Y + threadIdx.y;
    const int first_x = blockIdx.x * WIDTH + threadIdx.x;
    const int plane = nx * ny;

    float below[2], here[2];
    for (int i = 0; i < 2; i++) {
        const int x = first_x + i * THREADS_X;
        const bool inside = x < nx && y < ny;
        below[i] = inside ? source[y * nx + x] : 0.0f;
        here[i] = inside ? source[plane + y * nx + x] : 0.0f;
        layer[threadIdx.y][threadIdx.x + i * THREADS_X] = here[i];
    }
    __syncthreads();

    for (int z = 1; z < nz - 1; z++) {
        float above[2];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int x = first_x + i * THREADS_X, column = threadIdx.x + i * THREADS_X;
            const int cell = z * plane + y * nx + x;
            above[i] = x < nx && y < ny ? source[cell + plane] : 0.0f;
            if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
                const float west = column > 0 ? layer[threadIdx.y][column - 1] : source[cell - 1];
                const float east = column < WIDTH - 1 ? layer[threadIdx.y][column + 1] : source[cell + 1];
                const float north = threadIdx.y > 0 ? layer[threadIdx.y - 1][column] : source[cell - nx];
                const float south = threadIdx.y < THREADS_Y - 1 ? layer[threadIdx.y + 1][column] : source[cell + nx];
                target[cell] = neighbour_weight * (above[i] + below[i] + south + north + east + west) -
                               centre_weight * here[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            below[i] = here[i];
            here[i] = above[i];
            layer[threadIdx.y][threadIdx.x + i * THREADS_X] = here[i];
        }
        __syncthreads();
    }
}
