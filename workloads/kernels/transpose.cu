// Transposition of a matrix in four ways. Stands for the CUDA SDK's transpose (FineReg, Table II).
//
// A block of 32 x 8 threads moves a tile of 32 x 32 elements; the sides are multiples of 32.

constexpr int TILE = 32;
constexpr int ROWS = 8;

// Stores go down columns: each lane of a warp to a sector of its own.
extern "C" __global__ void transpose_naive(float *target, const float *source, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) target[x * height + y + i] = source[(y + i) * width + x];
}

// By way of a tile in shared memory, so that loads and stores both go along rows. `Pad` elements lie between the tile's
// rows: without, a column is in one bank.
template <int Pad>
__device__ void transpose_tile(float *target, const float *source, int width, int height, int tile_x, int tile_y) {
    __shared__ float tile[TILE][TILE + Pad];

    int from = (tile_y * TILE + threadIdx.y) * width + tile_x * TILE + threadIdx.x;
    for (int i = 0; i < TILE; i += ROWS) tile[threadIdx.y + i][threadIdx.x] = source[from + i * width];
    __syncthreads();

    int to = (tile_x * TILE + threadIdx.y) * height + tile_y * TILE + threadIdx.x;
    for (int i = 0; i < TILE; i += ROWS) target[to + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

extern "C" __global__ void transpose_coalesced(float *target, const float *source, int width, int height) {
    transpose_tile<0>(target, source, width, height, blockIdx.x, blockIdx.y);
}

extern "C" __global__ void transpose_padded(float *target, const float *source, int width, int height) {
    transpose_tile<1>(target, source, width, height, blockIdx.x, blockIdx.y);
}

// Neighbouring blocks take tiles along diagonals, which spreads what runs at a time over the channels of memory.
extern "C" __global__ void transpose_diagonal(float *target, const float *source, int width, int height) {
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int tile_y = block % gridDim.y;
    int tile_x = (block / gridDim.y + tile_y) % gridDim.x;
    transpose_tile<1>(target, source, width, height, tile_x, tile_y);
}
