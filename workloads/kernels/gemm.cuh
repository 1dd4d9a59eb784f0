// Tiled matrix products on Turing's tensor cores: C = A * B, the common part of the kernels in
// hgemm.cu, igemm.cu, conv.cu and rnn.cu.
//
// A thread block computes a BlockM x BlockN tile of C in steps over K, a warp a WarpM x WarpN tile of
// that. Everything is pipelined twice over:
// - while a step is computed, the next step's tiles of A and B travel from global memory into
//   registers, and are then stored to the other one of two shared-memory buffers, so that one barrier
//   per step is enough;
// - while a slice of a step is multiplied, the fragments of the next slice travel from shared memory
//   into the other one of two register sets.
//
// A chunk is 16 bytes, that is 8 halves or 16 signed bytes: the unit of global loads, of the shared
// layout, and of K in one matrix instruction. A step is four chunks (64 bytes) of K, a slice one.
#pragma once

#include <cuda_fp16.h>

constexpr int StepChunks = 4;

template <class Element>
constexpr int ChunkElements = sizeof(uint4) / sizeof(Element);

// Half-precision factors, FP32 sums.
struct HalfMath {
    using Element = __half;
    using Accumulator = float;

    // Adds the product of one slice, held as 8x8 fragments: A has M of them, B has N. One fragment of B
    // after another meets all of A, and so stays in the operand reuse cache.
    template <int M, int N>
    __device__ static void multiply(const unsigned (&a)[M], const unsigned (&b)[N], float (&c)[M][N][2]) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
            for (int m = 0; m < M; m += 2) {
                asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                    "{%0, %1, %2, %3};"
                    : "+f"(c[m][n][0]), "+f"(c[m][n][1]), "+f"(c[m + 1][n][0]), "+f"(c[m + 1][n][1])
                    : "r"(a[m]), "r"(a[m + 1]), "r"(b[n]));
            }
        }
    }
};

// Half-precision factors and sums, two sums of a row in a register.
struct HalfSumMath {
    using Element = __half;
    using Accumulator = __half;

    template <int M, int N>
    __device__ static void multiply(const unsigned (&a)[M], const unsigned (&b)[N], __half (&c)[M][N][2]) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
            for (int m = 0; m < M; m += 2) {
                asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                    : "+r"(pair(c[m][n])), "+r"(pair(c[m + 1][n]))
                    : "r"(a[m]), "r"(a[m + 1]), "r"(b[n]));
            }
        }
    }

    __device__ static unsigned &pair(__half (&sums)[2]) { return *reinterpret_cast<unsigned *>(sums); }
};

// Signed 8-bit factors, 32-bit integer sums.
struct Int8Math {
    using Element = signed char;
    using Accumulator = int;

    template <int M, int N>
    __device__ static void multiply(const unsigned (&a)[M], const unsigned (&b)[N], int (&c)[M][N][2]) {
#pragma unroll
        for (int n = 0; n < N; ++n) {
#pragma unroll
            for (int m = 0; m < M; ++m) {
                asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                    : "+r"(c[m][n][0]), "+r"(c[m][n][1])
                    : "r"(a[m]), "r"(b[n]));
            }
        }
    }
};

template <int BlockM_, int BlockN_, int WarpM_, int WarpN_>
struct Tile {
    static constexpr int BlockM = BlockM_, BlockN = BlockN_, WarpM = WarpM_, WarpN = WarpN_;
    static constexpr int Warps = (BlockM / WarpM) * (BlockN / WarpN);
    static constexpr int Threads = 32 * Warps;
};

// How an operand lies in memory: along a row of it runs K, or the other dimension (M of A, N of B).
enum class Rows { AlongK, AcrossK };

// One step's tile of an operand, `Extent` wide in the dimension that is not K: how it lies in shared
// memory, and which chunks of it a thread moves there.
//
// Rows keep the order they have in global memory. The chunks of a row are permuted such that neither
// storing rows nor reading a matrix fragment (eight rows, the same chunk of each) meets a bank twice.
template <Rows Order, int Extent, int Threads>
struct OperandTile {
    static constexpr int Chunks = StepChunks * Extent;
    static constexpr int RowChunks = Order == Rows::AlongK ? StepChunks : Extent / 8;
    // A thread moves `Count` chunks: the same column of rows `RowStep` apart.
    static constexpr int Count = Chunks / Threads;
    static constexpr int RowStep = Threads / RowChunks;
    static_assert(RowStep % 8 == 0, "the permutation of chunks repeats every eight rows");

    __device__ static int row() { return threadIdx.x / RowChunks; }
    __device__ static int column() { return threadIdx.x % RowChunks; }

    // Place of a chunk in the shared tile.
    __device__ static int place(int row, int column) {
        const int swizzle = Order == Rows::AlongK ? row / 2 % 4 : row % 8;
        return row * RowChunks + (column ^ swizzle);
    }

    __device__ static void store(uint4 *tile, const uint4 (&chunks)[Count]) {
        const int first = place(row(), column());
#pragma unroll
        for (int i = 0; i < Count; ++i) tile[first + i * RowStep * RowChunks] = chunks[i];
    }

    // Reads the 8x8 fragments (8x16 of bytes) of one slice, for the warp tile that starts at `start`.
    template <int Fragments>
    __device__ static void load(const uint4 *tile, int start, int slice, unsigned (&fragments)[Fragments]) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < Fragments; i += 4) {
            const int position = start + i * 8;
            const int chunk = Order == Rows::AlongK ? place(position + lane, slice)
                                                    : place(slice * 8 + lane % 8, position / 8 + lane / 8);
            const unsigned address = __cvta_generic_to_shared(tile + chunk);
            if constexpr (Order == Rows::AlongK) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fragments[i]), "=r"(fragments[i + 1]), "=r"(fragments[i + 2]),
                               "=r"(fragments[i + 3])
                             : "r"(address)
                             : "memory");
            } else {
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fragments[i]), "=r"(fragments[i + 1]), "=r"(fragments[i + 2]),
                               "=r"(fragments[i + 3])
                             : "r"(address)
                             : "memory");
            }
        }
    }
};

// Reads an operand that is a plain row-major matrix with `stride` elements from row to row, tile after
// tile along K; zeros beyond its edges. `extent` and `depth` (in K) are multiples of a chunk.
template <class Element, Rows Order, int Extent, int Threads>
struct MatrixOperand : OperandTile<Order, Extent, Threads> {
    using Layout = OperandTile<Order, Extent, Threads>;

    const Element *source;
    int stride;
    int depth;     // of K left, seen from this thread's first chunk
    unsigned mask; // chunks within the other dimension

    __device__ MatrixOperand(const Element *matrix, int start, int extent, int depth, int stride)
        : stride(stride), mask(0) {
        const int row = Layout::row(), column = Layout::column() * ChunkElements<Element>;
        if constexpr (Order == Rows::AlongK) {
            source = matrix + (size_t)(start + row) * stride + column;
            this->depth = depth - column;
#pragma unroll
            for (int i = 0; i < Layout::Count; ++i) mask |= (start + row + i * Layout::RowStep < extent) << i;
        } else {
            source = matrix + (size_t)row * stride + start + column;
            this->depth = depth - row;
            mask = start + column < extent ? ~0u : 0;
        }
    }

    // Reads this thread's chunks of the next tile.
    __device__ void next(uint4 (&chunks)[Layout::Count]) {
        constexpr int StepElements = StepChunks * ChunkElements<Element>;
#pragma unroll
        for (int i = 0; i < Layout::Count; ++i) {
            const bool inside = (mask >> i & 1) && (Order == Rows::AlongK ? 0 : i * Layout::RowStep) < depth;
            chunks[i] = make_uint4(0, 0, 0, 0);
            if (inside)
                chunks[i] = *reinterpret_cast<const uint4 *>(source + (size_t)(i * Layout::RowStep) * stride);
        }
        source += Order == Rows::AlongK ? StepElements : (size_t)StepElements * stride;
        depth -= StepElements;
    }
};

// Two neighbouring sums as they are stored.
__device__ inline void store_pair(__half *to, float first, float second) {
    *reinterpret_cast<__half2 *>(to) = __floats2half2_rn(first, second);
}
__device__ inline void store_pair(__half *to, __half first, __half second) {
    *reinterpret_cast<__half2 *>(to) = __halves2half2(first, second);
}
__device__ inline void store_pair(float *to, float first, float second) {
    *reinterpret_cast<float2 *>(to) = make_float2(first, second);
}
__device__ inline void store_pair(int *to, int first, int second) {
    *reinterpret_cast<int2 *>(to) = make_int2(first, second);
}

// How a warp's sums, of which each lane holds scattered pairs, become rows of C: sixteen rows at a time
// are put in order in shared memory and leave in whole chunks.
template <class Output, int WarpN>
struct Stage {
    static constexpr int Rows = 16;
    static constexpr int Stride = WarpN + 8; // padded, so that no two lanes store to a bank
    static constexpr int Bytes = Rows * Stride * sizeof(Output);

    // `c` is a row-major `rows` x `columns` matrix; the warp's tile starts at `row` and `column`.
    template <class Accumulator, int M, int N>
    __device__ static void write(const Accumulator (&sums)[M][N][2], Output *stage, Output *c, int row,
                                 int column, int rows, int columns) {
        constexpr int RowChunks = WarpN / ChunkElements<Output>;
        const int lane = threadIdx.x % 32;
        const int stage_row = lane / RowChunks, stage_column = lane % RowChunks * ChunkElements<Output>;
        row += stage_row, column += stage_column;
#pragma unroll
        for (int m = 0; m < M; ++m) {
            Output *pair = stage + (m % 2 * 8 + lane / 4) * Stride + lane % 4 * 2;
#pragma unroll
            for (int n = 0; n < N; ++n) store_pair(pair + n * 8, sums[m][n][0], sums[m][n][1]);
            if (m % 2 == 0) continue;
            __syncwarp();
#pragma unroll
            for (int i = 0; i < Rows; i += 32 / RowChunks) {
                const int to = row + (m - 1) * 8 + i;
                if (to < rows && column < columns) {
                    *reinterpret_cast<uint4 *>(c + (size_t)to * columns + column) =
                        *reinterpret_cast<const uint4 *>(stage + (stage_row + i) * Stride + stage_column);
                }
            }
            __syncwarp();
        }
    }
};

// Computes this thread block's tile of the row-major `rows` x `columns` matrix `c` in `steps` steps.
// `A` and `B` read the operands' tiles; `next` of either gives zeros after the last one.
template <class Math, class Tile, class A, class B, class Output>
__device__ void multiply_tile(A a, B b, int steps, Output *c, int rows, int columns) {
    constexpr int Slices = StepChunks, M = Tile::WarpM / 8, N = Tile::WarpN / 8;
    using Staging = Stage<Output, Tile::WarpN>;

    // A's two buffers, then B's; in the end a stage per warp.
    __shared__ uint4 shared[2 * (A::Chunks + B::Chunks)];
    static_assert(sizeof(shared) >= Tile::Warps * Staging::Bytes, "the stages need more than the tiles");

    const int warp = threadIdx.x / 32;
    const int warp_row = warp / (Tile::BlockN / Tile::WarpN) * Tile::WarpM;
    const int warp_column = warp % (Tile::BlockN / Tile::WarpN) * Tile::WarpN;

    uint4 next_a[A::Count], next_b[B::Count];
    a.next(next_a);
    b.next(next_b);
    uint4 *tile_a = shared, *tile_b = shared + 2 * A::Chunks;
    A::store(tile_a, next_a);
    B::store(tile_b, next_b);
    __syncthreads();

    alignas(2 * sizeof(typename Math::Accumulator)) typename Math::Accumulator sums[M][N][2] = {};
    unsigned fragments_a[2][M], fragments_b[2][N];
    A::load(tile_a, warp_row, 0, fragments_a[0]);
    B::load(tile_b, warp_column, 0, fragments_b[0]);

    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int slice = 0; slice < Slices; ++slice) {
            if (slice == 0) {
                a.next(next_a);
                b.next(next_b);
            }
            if (slice == Slices - 1) {
                const int other = step % 2 == 0;
                tile_a = shared + other * A::Chunks;
                tile_b = shared + 2 * A::Chunks + other * B::Chunks;
                A::store(tile_a, next_a);
                B::store(tile_b, next_b);
                __syncthreads();
            }
            const int now = slice % 2, then = 1 - now;
            A::load(tile_a, warp_row, (slice + 1) % Slices, fragments_a[then]);
            B::load(tile_b, warp_column, (slice + 1) % Slices, fragments_b[then]);
            Math::multiply(fragments_a[now], fragments_b[now], sums);
        }
    }

    __syncthreads();
    Output *stage = reinterpret_cast<Output *>(shared) + warp * (Staging::Bytes / sizeof(Output));
    Staging::write(sums, stage, c, blockIdx.y * Tile::BlockM + warp_row,
                   blockIdx.x * Tile::BlockN + warp_column, rows, columns);
}

// The product of two plain matrices; A is rows x depth and B depth x columns, unless stored transposed.
//            A      B
// NN      AlongK AcrossK  C = A * B
// NT      AlongK AlongK   C = A * transpose(B)
// TN     AcrossK AcrossK  C = transpose(A) * B
template <class Math, class Tile, Rows OrderA, Rows OrderB, class Output>
__device__ void multiply_matrices(const typename Math::Element *a, int stride_a,
                                  const typename Math::Element *b, int stride_b, Output *c, int rows,
                                  int columns, int depth) {
    using Element = typename Math::Element;
    constexpr int StepElements = StepChunks * ChunkElements<Element>;
    const MatrixOperand<Element, OrderA, Tile::BlockM, Tile::Threads> tiles_a(a, blockIdx.y * Tile::BlockM,
                                                                              rows, depth, stride_a);
    const MatrixOperand<Element, OrderB, Tile::BlockN, Tile::Threads> tiles_b(b, blockIdx.x * Tile::BlockN,
                                                                              columns, depth, stride_b);
    multiply_tile<Math, Tile>(tiles_a, tiles_b, (depth + StepElements - 1) / StepElements, c, rows, columns);
}
