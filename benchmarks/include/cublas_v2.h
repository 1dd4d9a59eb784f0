// Plain matrix products under the names of cuBLAS, for programs that call it for a few of them: one thread for each
// element of the result, sums in the order of the columns. The kernels are part of the trace as `gpurf_product`.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library_types.h>

struct cublasContext {
    cudaStream_t stream = nullptr;
    bool factors_on_device = false;
};
typedef cublasContext *cublasHandle_t;

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};

// Element (row, column) of op(X), which lies column by column.
template <class Sum, class T>
__device__ Sum gpurf_element(const T *x, int leading, bool transposed, int row, int column) {
    return Sum(transposed ? x[column + size_t(row) * leading] : x[row + size_t(column) * leading]);
}

template <class Sum>
struct gpurf_factor {
    const Sum *place;
    Sum value;
    __device__ Sum get() const { return place ? *place : value; }
};

template <class Sum, class A, class B, class C>
__global__ void gpurf_product(bool ta, bool tb, int m, int n, int k, gpurf_factor<Sum> alpha, const A *a, int lda,
                              long long stride_a, const B *b, int ldb, long long stride_b, gpurf_factor<Sum> beta, C *c,
                              int ldc, long long stride_c) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    a += blockIdx.z * stride_a;
    b += blockIdx.z * stride_b;
    c += blockIdx.z * stride_c + row + size_t(column) * ldc;
    Sum sum = 0;
    for (int i = 0; i < k; i++) {
        sum += gpurf_element<Sum>(a, lda, ta, row, i) * gpurf_element<Sum>(b, ldb, tb, i, column);
    }
    // What is multiplied by zero is not read: it need not be a number.
    Sum before = beta.get() == Sum(0) ? Sum(0) : beta.get() * Sum(*c);
    *c = C(alpha.get() * sum + before);
}

template <class Sum, class A, class B, class C>
cublasStatus_t gpurf_multiply(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                              const void *alpha, const A *a, int lda, long long stride_a, const B *b, int ldb,
                              long long stride_b, const void *beta, C *c, int ldc, long long stride_c, int count) {
    if (m < 0 || n < 0 || k < 0 || count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
    auto factor = [&](const void *place) {
        const Sum *typed = static_cast<const Sum *>(place);
        return handle->factors_on_device ? gpurf_factor<Sum>{typed, Sum(0)} : gpurf_factor<Sum>{nullptr, *typed};
    };
    dim3 block(32, 8), grid((m + 31) / 32, (n + 7) / 8, count);
    gpurf_product<Sum><<<grid, block, 0, handle->stream>>>(ta != CUBLAS_OP_N, tb != CUBLAS_OP_N, m, n, k, factor(alpha), a,
                                                           lda, stride_a, b, ldb, stride_b, factor(beta), c, ldc, stride_c);
    return cudaPeekAtLastError() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
    *handle = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    handle->factors_on_device = mode == CUBLAS_POINTER_MODE_DEVICE;
    return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
static inline const char *cublasGetStatusString(cublasStatus_t status) {
    return status == CUBLAS_STATUS_SUCCESS ? "success" : "failure";
}

#define GPURF_GEMM(name, T, Sum)                                                                                            \
    static inline cublasStatus_t name(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,     \
                                      int k, const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta,      \
                                      T *c, int ldc) {                                                                      \
        return gpurf_multiply<Sum>(handle, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);              \
    }                                                                                                                       \
    static inline cublasStatus_t name##StridedBatched(                                                                      \
        cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha,            \
        const T *a, int lda, long long stride_a, const T *b, int ldb, long long stride_b, const T *beta, T *c, int ldc,    \
        long long stride_c, int count) {                                                                                    \
        return gpurf_multiply<Sum>(handle, ta, tb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,       \
                                   stride_c, count);                                                                        \
    }

GPURF_GEMM(cublasSgemm, float, float)
GPURF_GEMM(cublasDgemm, double, double)
GPURF_GEMM(cublasHgemm, __half, __half)
#undef GPURF_GEMM

// Elements of one type in A and B; sums in double precision for doubles, else in single precision.
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                                        int m, int n, int k, const void *alpha, const void *a,
                                                        cudaDataType type_a, int lda, long long stride_a, const void *b,
                                                        cudaDataType type_b, int ldb, long long stride_b, const void *beta,
                                                        void *c, cudaDataType type_c, int ldc, long long stride_c, int count,
                                                        cublasComputeType_t compute, cublasGemmAlgo_t) {
    bool singles = compute != CUBLAS_COMPUTE_16F && compute != CUBLAS_COMPUTE_16F_PEDANTIC;
#define GPURF_TYPES(type, T, to, C, Sum)                                                                                    \
    if (type_a == type && type_b == type && type_c == to && singles)                                                       \
        return gpurf_multiply<Sum>(handle, ta, tb, m, n, k, alpha, (const T *)a, lda, stride_a, (const T *)b, ldb,         \
                                   stride_b, beta, (C *)c, ldc, stride_c, count);
    GPURF_TYPES(CUDA_R_32F, float, CUDA_R_32F, float, float)
    GPURF_TYPES(CUDA_R_64F, double, CUDA_R_64F, double, double)
    GPURF_TYPES(CUDA_R_16F, __half, CUDA_R_16F, __half, float)
    GPURF_TYPES(CUDA_R_16F, __half, CUDA_R_32F, float, float)
    GPURF_TYPES(CUDA_R_16BF, __nv_bfloat16, CUDA_R_16BF, __nv_bfloat16, float)
    GPURF_TYPES(CUDA_R_16BF, __nv_bfloat16, CUDA_R_32F, float, float)
#undef GPURF_TYPES
    if (type_a == CUDA_R_16F && type_b == CUDA_R_16F && type_c == CUDA_R_16F) {
        return gpurf_multiply<__half>(handle, ta, tb, m, n, k, alpha, (const __half *)a, lda, stride_a, (const __half *)b,
                                      ldb, stride_b, beta, (__half *)c, ldc, stride_c, count);
    }
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                                          int k, const void *alpha, const void *a, cudaDataType type_a, int lda,
                                          const void *b, cudaDataType type_b, int ldb, const void *beta, void *c,
                                          cudaDataType type_c, int ldc, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, type_a, lda, 0, b, type_b, ldb, 0, beta, c, type_c,
                                      ldc, 0, 1, compute, algorithm);
}
