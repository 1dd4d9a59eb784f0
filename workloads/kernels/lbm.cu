// Flow of a fluid by the lattice Boltzmann method: 19 velocities in three dimensions (D3Q19), collisions by Bhatnagar,
// Gross and Krook. Stands for Parboil's LBM (FineReg, Table II).
//
// A thread per cell, a block per row of cells. The distribution of each velocity is an array of its own, with rows of
// `stride` values. A cell reads its own distributions, relaxes them towards equilibrium and hands each to the neighbour
// that it flies to; the box continues at its opposite faces. An obstacle sends back what arrives; a driven cell has a
// fixed velocity.

constexpr int VELOCITIES = 19;
constexpr float RELAXATION = 1.95f;
constexpr float DRIVEN_X = 0.005f, DRIVEN_Y = 0.002f, DRIVEN_Z = 0.0f;

enum Cell : unsigned char { FLUID = 0, OBSTACLE = 1, DRIVEN = 2 };

// At most 63 registers: FineReg's bit vectors have 64 bits, and its counters of live registers six.
extern "C" __global__ void __maxnreg__(63)
    lbm_step(const float *source, float *target, const unsigned char *cells, int stride, int distribution) {
    // Opposite velocities stand side by side.
    constexpr int cx[VELOCITIES] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    constexpr int cy[VELOCITIES] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    constexpr int cz[VELOCITIES] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};

    // Rows, columns and layers behind, here and ahead.
    const int nx = blockDim.x, ny = gridDim.x, nz = gridDim.y;
    const int x[3] = {threadIdx.x == 0 ? nx - 1 : (int)threadIdx.x - 1, (int)threadIdx.x,
                      threadIdx.x == nx - 1 ? 0 : (int)threadIdx.x + 1};
    const int y[3] = {(blockIdx.x == 0 ? ny - 1 : (int)blockIdx.x - 1) * stride, (int)blockIdx.x * stride,
                      (blockIdx.x == ny - 1 ? 0 : (int)blockIdx.x + 1) * stride};
    const int layer = ny * stride;
    const int z[3] = {(blockIdx.y == 0 ? nz - 1 : (int)blockIdx.y - 1) * layer, (int)blockIdx.y * layer,
                      (blockIdx.y == nz - 1 ? 0 : (int)blockIdx.y + 1) * layer};
    const int here = x[1] + y[1] + z[1];

    float f[VELOCITIES];
#pragma unroll
    for (int i = 0; i < VELOCITIES; i++) f[i] = source[i * distribution + here];

    const unsigned char cell = cells[here];
    if (cell == OBSTACLE) {
#pragma unroll
        for (int i = 1; i < VELOCITIES; i += 2) {
            const float swapped = f[i];
            f[i] = f[i + 1];
            f[i + 1] = swapped;
        }
    } else {
        float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
        for (int i = 0; i < VELOCITIES; i++) {
            density += f[i];
            ux += cx[i] * f[i];
            uy += cy[i] * f[i];
            uz += cz[i] * f[i];
        }
        ux /= density;
        uy /= density;
        uz /= density;
        if (cell == DRIVEN) {
            ux = DRIVEN_X;
            uy = DRIVEN_Y;
            uz = DRIVEN_Z;
        }
        const float still = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
        for (int i = 0; i < VELOCITIES; i++) {
            const float weight = i == 0 ? 1.0f / 3.0f : i < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
            const float along = cx[i] * ux + cy[i] * uy + cz[i] * uz;
            const float equilibrium = weight * density * (along * (4.5f * along + 3.0f) + still);
            f[i] = (1.0f - RELAXATION) * f[i] + RELAXATION * equilibrium;
        }
    }

#pragma unroll
    for (int i = 0; i < VELOCITIES; i++) {
        target[i * distribution + x[cx[i] + 1] + y[cy[i] + 1] + z[cz[i] + 1]] = f[i];
    }
}
