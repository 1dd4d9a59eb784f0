// LU decomposition without pivoting, in place and blocked in tiles of 16×16: the unit lower triangle
// replaces what lies below the diagonal, the upper triangle the rest. Stands for Rodinia's lud in
// Table II of the Malekeh paper.
//
// For each tile row, three launches: `diagonal` decomposes the tile on the diagonal (one block of 16
// threads), `perimeter` solves the tiles right of it and below it (a block of 32 threads for one tile
// of each), and `internal` subtracts their product from every tile of the remaining square (a block of
// 16×16 threads a tile).

constexpr int TILE = 16;

extern "C" __global__ void diagonal(float *matrix, int size, int offset)
{
    __shared__ float tile[TILE][TILE];

    const int thread = threadIdx.x;
    float *origin = matrix + offset * size + offset;

    for (int row = 0; row < TILE; row++)
        tile[row][thread] = origin[row * size + thread];
    __syncthreads();

    for (int pivot = 0; pivot < TILE - 1; pivot++) {
        // The column of L under the pivot: a thread per row.
        if (thread > pivot) {
            for (int k = 0; k < pivot; k++)
                tile[thread][pivot] -= tile[thread][k] * tile[k][pivot];
            tile[thread][pivot] /= tile[pivot][pivot];
        }
        __syncthreads();

        // The next row of U: a thread per column.
        if (thread > pivot) {
            for (int k = 0; k < pivot + 1; k++)
                tile[pivot + 1][thread] -= tile[pivot + 1][k] * tile[k][thread];
        }
        __syncthreads();
    }

    // The first row of U is the first row of the tile.
    for (int row = 1; row < TILE; row++)
        origin[row * size + thread] = tile[row][thread];
}

extern "C" __global__ void perimeter(float *matrix, int size, int offset)
{
    __shared__ float diagonal_tile[TILE][TILE];
    __shared__ float row_tile[TILE][TILE];
    __shared__ float column_tile[TILE][TILE];

    float *diagonal_origin = matrix + offset * size + offset;
    const int distance = (blockIdx.x + 1) * TILE;
    float *row_origin = diagonal_origin + distance;
    float *column_origin = diagonal_origin + distance * size;

    // One half of the block loads and solves the tile on the right, the other half the tile below.
    const bool right = threadIdx.x < TILE;
    const int index = right ? threadIdx.x : threadIdx.x - TILE;

    if (right) {
        for (int row = 0; row < TILE / 2; row++)
            diagonal_tile[row][index] = diagonal_origin[row * size + index];
        for (int row = 0; row < TILE; row++)
            row_tile[row][index] = row_origin[row * size + index];
    } else {
        for (int row = TILE / 2; row < TILE; row++)
            diagonal_tile[row][index] = diagonal_origin[row * size + index];
        for (int row = 0; row < TILE; row++)
            column_tile[row][index] = column_origin[row * size + index];
    }
    __syncthreads();

    if (right) {
        // Forward substitution with the unit lower triangle, a thread per column.
        for (int row = 1; row < TILE; row++) {
            for (int k = 0; k < row; k++)
                row_tile[row][index] -= diagonal_tile[row][k] * row_tile[k][index];
        }
    } else {
        // The same with the upper triangle, a thread per row.
        for (int column = 0; column < TILE; column++) {
            for (int k = 0; k < column; k++)
                column_tile[index][column] -= column_tile[index][k] * diagonal_tile[k][column];
            column_tile[index][column] /= diagonal_tile[column][column];
        }
    }
    __syncthreads();

    if (right) {
        for (int row = 1; row < TILE; row++)
            row_origin[row * size + index] = row_tile[row][index];
    } else {
        for (int row = 0; row < TILE; row++)
            column_origin[row * size + index] = column_tile[row][index];
    }
}

extern "C" __global__ void internal(float *matrix, int size, int offset)
{
    __shared__ float row_tile[TILE][TILE];
    __shared__ float column_tile[TILE][TILE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = offset + (blockIdx.y + 1) * TILE + y;
    const int column = offset + (blockIdx.x + 1) * TILE + x;

    row_tile[y][x] = matrix[(offset + y) * size + column];
    column_tile[y][x] = matrix[row * size + offset + x];
    __syncthreads();

    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += column_tile[y][k] * row_tile[k][x];
    matrix[row * size + column] -= sum;
}
