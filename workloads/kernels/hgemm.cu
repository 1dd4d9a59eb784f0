// Half-precision matrix product on the tensor cores, with FP32 or half-precision sums: DeepBench's GEMM, and the kernels
// of "Inter-Warp Multicasting", table 3, named after their tiles (thread block M x N x K, warp M x N).
// That table gives every tile a 64x64 warp tile and at least four warps; where the thread block is too
// small for both, the warps are four and their tiles smaller, as in the libraries it stands for.
//
// Matrices are row-major; rows, columns and depth are multiples of eight. Grid: columns / N by rows / M.
#include "gemm.cuh"

// C = A * B, the forward product of a layer.
#define HGEMM(BlockM, BlockN, WarpM, WarpN)                                                               \
    extern "C" __global__ void __launch_bounds__(Tile<BlockM, BlockN, WarpM, WarpN>::Threads)             \
        hgemm_##BlockM##x##BlockN##x32_##WarpM##x##WarpN(                                                 \
            const __half *__restrict__ a, const __half *__restrict__ b, __half *__restrict__ c, int rows, \
            int columns, int depth) {                                                                     \
        multiply_matrices<HalfMath, Tile<BlockM, BlockN, WarpM, WarpN>, Rows::AlongK, Rows::AcrossK>(     \
            a, depth, b, columns, c, rows, columns, depth);                                               \
    }

HGEMM(256, 128, 64, 64)
HGEMM(128, 256, 64, 64)
HGEMM(128, 128, 64, 64)
HGEMM(128, 64, 64, 32)
HGEMM(64, 128, 32, 64)
HGEMM(64, 64, 32, 32)

// C = A * transpose(B), with B stored columns x depth: the gradient of a layer's input.
extern "C" __global__ void __launch_bounds__(128)
    hgemm_nt_128x128x32_64x64(const __half *__restrict__ a, const __half *__restrict__ b,
                              __half *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<HalfMath, Tile<128, 128, 64, 64>, Rows::AlongK, Rows::AlongK>(a, depth, b, depth, c,
                                                                                    rows, columns, depth);
}

// C = transpose(A) * B, with A stored depth x rows: the gradient of a layer's weights, in FP32.
extern "C" __global__ void __launch_bounds__(128)
    hgemm_tn_128x128x32_64x64(const __half *__restrict__ a, const __half *__restrict__ b,
                              float *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<HalfMath, Tile<128, 128, 64, 64>, Rows::AcrossK, Rows::AcrossK>(a, rows, b, columns, c,
                                                                                      rows, columns, depth);
}

// The same three with half-precision sums, all stored as such.
extern "C" __global__ void __launch_bounds__(128)
    hgemm_f16_128x128x32_64x64(const __half *__restrict__ a, const __half *__restrict__ b,
                               __half *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<HalfSumMath, Tile<128, 128, 64, 64>, Rows::AlongK, Rows::AcrossK>(
        a, depth, b, columns, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(128)
    hgemm_nt_f16_128x128x32_64x64(const __half *__restrict__ a, const __half *__restrict__ b,
                                  __half *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<HalfSumMath, Tile<128, 128, 64, 64>, Rows::AlongK, Rows::AlongK>(
        a, depth, b, depth, c, rows, columns, depth);
}

extern "C" __global__ void __launch_bounds__(128)
    hgemm_tn_f16_128x128x32_64x64(const __half *__restrict__ a, const __half *__restrict__ b,
                                  __half *__restrict__ c, int rows, int columns, int depth) {
    multiply_matrices<HalfSumMath, Tile<128, 128, 64, 64>, Rows::AcrossK, Rows::AcrossK>(
        a, rows, b, columns, c, rows, columns, depth);
}
