// An electromagnetic wave in two dimensions by finite differences in the time domain, on Yee's staggered grid. Stands
// for PolyBench's FDTD-2D (FineReg, Table II).
//
// A thread per cell, blocks of 32 x 8. `ex` has rows of columns + 1 values, `ey` has rows + 1 rows. A time step is
// three launches; the source drives the first row of `ey`.

__device__ inline int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ inline int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

extern "C" __global__ void update_ey(const float *source, float *ey, const float *hz, int step, int rows, int columns) {
    int x = column(), y = row();
    if (y < rows && x < columns) {
        if (y == 0) {
            ey[x] = source[step];
        } else {
            ey[y * columns + x] = ey[y * columns + x] - 0.5f * (hz[y * columns + x] - hz[(y - 1) * columns + x]);
        }
    }
}

extern "C" __global__ void update_ex(float *ex, const float *hz, int rows, int columns) {
    int x = column(), y = row();
    if (y < rows && x < columns && x > 0) {
        ex[y * (columns + 1) + x] -= 0.5f * (hz[y * columns + x] - hz[y * columns + x - 1]);
    }
}

extern "C" __global__ void update_hz(const float *ex, const float *ey, float *hz, int rows, int columns) {
    int x = column(), y = row();
    if (y < rows && x < columns) {
        hz[y * columns + x] -= 0.7f * (ex[y * (columns + 1) + x + 1] - ex[y * (columns + 1) + x] +
                                       ey[(y + 1) * columns + x] - ey[y * columns + x]);
    }
}
