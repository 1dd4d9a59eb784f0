// Temperature of a chip under a power map: an explicit 5-point stencil in time. Stands for Rodinia's
// Hotspot (Malekeh, Table II).
//
// A block of 16 x 16 threads computes `steps` time steps at once in shared memory. Each step
// invalidates one ring of its tile, so a block delivers the inner (16 - 2 steps)^2 cells and tiles
// overlap (the "pyramid"). Cells at the edge of the chip take themselves as outside neighbours.

constexpr int TILE = 16;
constexpr float AMBIENT = 80.0f;

#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))

extern "C" __global__ void hotspot(int steps, const float *power, const float *source, float *target, int columns,
                                   int rows, float capacity, float rx, float ry, float rz, float step) {
    __shared__ float temperature[TILE][TILE];
    __shared__ float dissipation[TILE][TILE];
    __shared__ float updated[TILE][TILE];

    float step_per_capacity = step / capacity;
    float rx_inverse = 1 / rx;
    float ry_inverse = 1 / ry;
    float rz_inverse = 1 / rz;

    int tx = threadIdx.x;
    int ty = threadIdx.y;

    // Where the tile lies: `steps` of its rings overlap the neighbours'.
    int inner = TILE - 2 * steps;
    int top = inner * blockIdx.y - steps;
    int left = inner * blockIdx.x - steps;
    int bottom = top + TILE - 1;
    int right = left + TILE - 1;
    int y = top + ty;
    int x = left + tx;
    int index = columns * y + x;
    bool on_chip = IN_RANGE(y, 0, rows - 1) && IN_RANGE(x, 0, columns - 1);

    if (on_chip) {
        temperature[ty][tx] = source[index];
        dissipation[ty][tx] = power[index];
    }
    __syncthreads();

    // The part of the tile that lies on the chip, and the four neighbours within it.
    int first_y = top < 0 ? -top : 0;
    int last_y = bottom > rows - 1 ? TILE - 1 - (bottom - rows + 1) : TILE - 1;
    int first_x = left < 0 ? -left : 0;
    int last_x = right > columns - 1 ? TILE - 1 - (right - columns + 1) : TILE - 1;
    int north = max(ty - 1, first_y);
    int south = min(ty + 1, last_y);
    int west = max(tx - 1, first_x);
    int east = min(tx + 1, last_x);

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, TILE - i - 2) && IN_RANGE(ty, i + 1, TILE - i - 2) &&
            IN_RANGE(tx, first_x, last_x) && IN_RANGE(ty, first_y, last_y)) {
            computed = true;
            updated[ty][tx] =
                temperature[ty][tx] +
                step_per_capacity *
                    (dissipation[ty][tx] +
                     (temperature[south][tx] + temperature[north][tx] - 2.0f * temperature[ty][tx]) * ry_inverse +
                     (temperature[ty][east] + temperature[ty][west] - 2.0f * temperature[ty][tx]) * rx_inverse +
                     (AMBIENT - temperature[ty][tx]) * rz_inverse);
        }
        __syncthreads();
        if (i == steps - 1) {
            break;
        }
        if (computed) {
            temperature[ty][tx] = updated[ty][tx];
        }
        __syncthreads();
    }

    if (computed) {
        target[index] = updated[ty][tx];
    }
}
