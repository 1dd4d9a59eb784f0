// Global alignment of pairs of sequences by Needleman and Wunsch. Stands for Rodinia's NW (FineReg, Table II).
//
// The table of scores has one row and one column more than the sequences have elements. It is computed in tiles of 16 x
// 16, one warp's half each, along diagonals: tiles of a diagonal are independent, and a launch computes one diagonal of
// every pair. Grid: tiles of the diagonal, pairs.

constexpr int TILE = 16;

// `similarity` and `scores` have `size` + 1 rows and columns each; the first row and column of `scores` are filled in.
__device__ inline void align_tile(const int *similarity, int *scores, int size, int penalty, int tile_x, int tile_y) {
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ int similar[TILE][TILE];

    const int lane = threadIdx.x;
    const int stride = size + 1;
    const int pair = blockIdx.y * stride * stride;
    // Of the score above and left of the tile.
    const int corner = pair + tile_y * TILE * stride + tile_x * TILE;

    if (lane == 0) tile[0][0] = scores[corner];
    for (int y = 0; y < TILE; y++) similar[y][lane] = similarity[corner + (y + 1) * stride + lane + 1];
    tile[lane + 1][0] = scores[corner + (lane + 1) * stride];
    tile[0][lane + 1] = scores[corner + lane + 1];
    __syncthreads();

    // Each lane goes down its column, a row behind the lane to its left.
    for (int step = 0; step < 2 * TILE - 1; step++) {
        const int y = step - lane;
        if (y >= 0 && y < TILE) {
            const int aligned = tile[y][lane] + similar[y][lane];
            const int gap = max(tile[y + 1][lane], tile[y][lane + 1]) - penalty;
            tile[y + 1][lane + 1] = max(aligned, gap);
        }
        __syncthreads();
    }

    for (int y = 0; y < TILE; y++) scores[corner + (y + 1) * stride + lane + 1] = tile[y + 1][lane + 1];
}

// Diagonals from the first tile to the longest one, which has `diagonal` + 1 tiles.
extern "C" __global__ void align_growing(const int *similarity, int *scores, int size, int penalty, int diagonal) {
    align_tile(similarity, scores, size, penalty, blockIdx.x, diagonal - blockIdx.x);
}

// The diagonals behind it, from the one of size / 16 - 1 tiles on.
extern "C" __global__ void align_shrinking(const int *similarity, int *scores, int size, int penalty, int diagonal) {
    const int tiles = size / TILE;
    align_tile(similarity, scores, size, penalty, diagonal - (tiles - 1) + blockIdx.x, tiles - 1 - blockIdx.x);
}
