// Product of signed 8-bit matrices with 32-bit integer sums on the tensor cores: DeepBench's inference
// GEMM. C = A * transpose(B): the tensor cores take bytes along K only, so that B is stored
// columns x depth. Depth is a multiple of 16, columns of 4. Grid: columns / N by rows / M.
#include "gemm.cuh"

extern "C" __global__ void __launch_bounds__(128)
    igemm_128x128x64_64x64(const signed char *__restrict__ a, const signed char *__restrict__ b,
                           int *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<Int8Math, Tile<128, 128, 64, 64>, Rows::AlongK, Rows::AlongK>(a, depth, b, depth, c,
                                                                                    rows, columns, depth);
}
