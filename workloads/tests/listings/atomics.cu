// Atomic operations of every kind and type, on global and on shared memory. Each thread applies one to
// the cell that its key names; `out` gets what the cell held before.

#include <cuda_fp16.h>

typedef unsigned long long u64;

#define GLOBAL(name, T, operation)                                                                          \
    extern "C" __global__ void global_##name(const int *keys, const T *values, T *cells, T *out) {          \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        T *cell = cells + keys[i];                                                                          \
        const T value = values[i];                                                                          \
        out[i] = operation;                                                                                 \
    }                                                                                                       \
    extern "C" __global__ void reduce_##name(const int *keys, const T *values, T *cells, T *) {             \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        T *cell = cells + keys[i];                                                                          \
        const T value = values[i];                                                                          \
        operation;                                                                                          \
    }

// The cells are in shared memory and copied there and back.
#define SHARED(name, T, operation)                                                                          \
    extern "C" __global__ void shared_##name(const int *keys, const T *values, T *cells, T *out) {          \
        __shared__ T tile[8];                                                                               \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        if (threadIdx.x < 8)                                                                                \
            tile[threadIdx.x] = cells[threadIdx.x];                                                         \
        __syncthreads();                                                                                    \
        T *cell = tile + keys[i];                                                                           \
        const T value = values[i];                                                                          \
        out[i] = operation;                                                                                 \
        __syncthreads();                                                                                    \
        if (threadIdx.x < 8)                                                                                \
            cells[threadIdx.x] = tile[threadIdx.x];                                                         \
    }

#define BOTH(name, T, operation) GLOBAL(name, T, operation) SHARED(name, T, operation)

BOTH(add_i32, int, atomicAdd(cell, value))
BOTH(sub_i32, int, atomicSub(cell, value))
BOTH(min_i32, int, atomicMin(cell, value))
BOTH(max_i32, int, atomicMax(cell, value))
BOTH(min_u32, unsigned, atomicMin(cell, value))
BOTH(max_u32, unsigned, atomicMax(cell, value))
BOTH(and_u32, unsigned, atomicAnd(cell, value))
BOTH(or_u32, unsigned, atomicOr(cell, value))
BOTH(xor_u32, unsigned, atomicXor(cell, value))
BOTH(inc_u32, unsigned, atomicInc(cell, value))
BOTH(dec_u32, unsigned, atomicDec(cell, value))
BOTH(exch_u32, unsigned, atomicExch(cell, value))
BOTH(cas_u32, unsigned, atomicCAS(cell, value & 3, value >> 2))
BOTH(count, unsigned, atomicAdd(cell, 1u))
BOTH(add_u64, u64, atomicAdd(cell, value))
BOTH(min_u64, u64, atomicMin(cell, value))
BOTH(max_i64, long long, atomicMax(cell, value))
BOTH(and_u64, u64, atomicAnd(cell, value))
BOTH(exch_u64, u64, atomicExch(cell, value))
BOTH(cas_u64, u64, atomicCAS(cell, value & 3, value >> 2))
BOTH(add_f32, float, atomicAdd(cell, value))
BOTH(exch_f32, float, atomicExch(cell, value))
BOTH(add_f64, double, atomicAdd(cell, value))
GLOBAL(add_f16x2, unsigned, ([=] {
           const __half2 before = atomicAdd(reinterpret_cast<__half2 *>(cell), *reinterpret_cast<const __half2 *>(&value));
           return *reinterpret_cast<const unsigned *>(&before);
       }()))
