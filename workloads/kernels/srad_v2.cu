// Speckle-reducing anisotropic diffusion of an image, in tiles. Stands for Rodinia's srad_v2 (FineReg, Table II).
//
// A block of 16 x 16 threads has a pixel each; the tile and the pixels around it lie in shared memory. Pixels at the
// edge of the image are their own neighbours outside. The sides are multiples of 16.

constexpr int TILE = 16;

// A tile, and what lies beyond its four sides.
struct Tile {
    float inside[TILE][TILE];
    float north[TILE];
    float south[TILE];
    float west[TILE];
    float east[TILE];
};

struct Place {
    int x, y, index;

    __device__ explicit Place(int columns)
        : x(blockIdx.x * TILE + threadIdx.x), y(blockIdx.y * TILE + threadIdx.y), index(y * columns + x) {}
};

// How quickly each pixel diffuses, and how its neighbours differ from it. `speckle` is the squared coefficient of
// variation of the speckle.
extern "C" __global__ void srad_coefficients(float *to_east, float *to_west, float *to_north, float *to_south,
                                             const float *image, float *coefficients, int columns, int rows,
                                             float speckle) {
    __shared__ Tile tile;
    const Place at(columns);
    const int tx = threadIdx.x, ty = threadIdx.y;

    tile.inside[ty][tx] = image[at.index];
    if (ty == 0) tile.north[tx] = image[max(at.y - 1, 0) * columns + at.x];
    if (ty == TILE - 1) tile.south[tx] = image[min(at.y + 1, rows - 1) * columns + at.x];
    if (tx == 0) tile.west[ty] = image[at.y * columns + max(at.x - 1, 0)];
    if (tx == TILE - 1) tile.east[ty] = image[at.y * columns + min(at.x + 1, columns - 1)];
    __syncthreads();

    const float here = tile.inside[ty][tx];
    const float north = (ty == 0 ? tile.north[tx] : tile.inside[ty - 1][tx]) - here;
    const float south = (ty == TILE - 1 ? tile.south[tx] : tile.inside[ty + 1][tx]) - here;
    const float west = (tx == 0 ? tile.west[ty] : tile.inside[ty][tx - 1]) - here;
    const float east = (tx == TILE - 1 ? tile.east[ty] : tile.inside[ty][tx + 1]) - here;

    const float gradient = (north * north + south * south + west * west + east * east) / (here * here);
    const float laplacian = (north + south + west + east) / here;
    const float below = 1.0f + 0.25f * laplacian;
    const float variation = (0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian)) / (below * below);
    const float excess = (variation - speckle) / (speckle * (1.0f + speckle));
    const float coefficient = 1.0f / (1.0f + excess);

    coefficients[at.index] = coefficient < 0.0f ? 0.0f : coefficient > 1.0f ? 1.0f : coefficient;
    to_east[at.index] = east;
    to_west[at.index] = west;
    to_north[at.index] = north;
    to_south[at.index] = south;
}

extern "C" __global__ void srad_diffuse(const float *to_east, const float *to_west, const float *to_north,
                                        const float *to_south, float *image, const float *coefficients, int columns,
                                        int rows, float rate) {
    __shared__ float tile[TILE][TILE];
    __shared__ float beyond_south[TILE];
    __shared__ float beyond_east[TILE];
    const Place at(columns);
    const int tx = threadIdx.x, ty = threadIdx.y;

    tile[ty][tx] = coefficients[at.index];
    if (ty == TILE - 1) beyond_south[tx] = coefficients[min(at.y + 1, rows - 1) * columns + at.x];
    if (tx == TILE - 1) beyond_east[ty] = coefficients[at.y * columns + min(at.x + 1, columns - 1)];
    __syncthreads();

    const float here = tile[ty][tx];
    const float south = ty == TILE - 1 ? beyond_south[tx] : tile[ty + 1][tx];
    const float east = tx == TILE - 1 ? beyond_east[ty] : tile[ty][tx + 1];
    const float divergence = here * to_north[at.index] + south * to_south[at.index] + here * to_west[at.index] +
                             east * to_east[at.index];
    image[at.index] += 0.25f * rate * divergence;
}
