// FP32 matrix product on the CUDA cores: DeepBench's GEMM, 128 x 128 x 8 tiles in double-buffered shared
// memory, 256 threads with 8x8 sums in registers each. The next step's tiles travel from global memory
// into registers while a step is computed.
//
// Matrices are row-major; rows and columns are multiples of 128, depth of 8. Grid: columns / 128 by
// rows / 128.

constexpr int Block = 128;
constexpr int Step = 8;
constexpr int Threads = 256;
// A row of a shared tile is padded by four floats, so that storing a tile's transpose meets each bank once.
constexpr int Stride = Block + 4;

// How an operand lies in memory: along a row of it runs K, or the other dimension (M of A, N of B).
enum class Rows { AlongK, AcrossK };

// Reads an operand's tiles, four floats a thread; in shared memory K runs across the rows always.
template <Rows Order>
struct Operand {
    const float *source;
    int stride;
    int row, column; // of the thread's floats in the tile as it lies in global memory

    __device__ Operand(const float *matrix, int start, int stride) : stride(stride) {
        constexpr int RowThreads = (Order == Rows::AlongK ? Step : Block) / 4;
        row = threadIdx.x / RowThreads;
        column = threadIdx.x % RowThreads * 4;
        source = matrix + (Order == Rows::AlongK ? (size_t)(start + row) * stride + column
                                                 : (size_t)row * stride + start + column);
    }

    __device__ float4 next() {
        const float4 values = *reinterpret_cast<const float4 *>(source);
        source += Order == Rows::AlongK ? Step : (size_t)Step * stride;
        return values;
    }

    __device__ void store(float (&tile)[Step][Stride], float4 values) const {
        if constexpr (Order == Rows::AlongK) {
            tile[column][row] = values.x;
            tile[column + 1][row] = values.y;
            tile[column + 2][row] = values.z;
            tile[column + 3][row] = values.w;
        } else {
            *reinterpret_cast<float4 *>(&tile[row][column]) = values;
        }
    }
};

// Reads eight values of a tile's row: four from `start` and four from `start` + `Apart`.
template <int Apart>
__device__ void load(float (&fragment)[8], const float (&row)[Stride], int start) {
    *reinterpret_cast<float4 *>(fragment) = *reinterpret_cast<const float4 *>(row + start);
    *reinterpret_cast<float4 *>(fragment + 4) = *reinterpret_cast<const float4 *>(row + start + Apart);
}

template <Rows OrderA, Rows OrderB>
__device__ void multiply(const float *a, int stride_a, const float *b, int stride_b, float *c, int columns,
                         int depth) {
    __shared__ __align__(16) float tiles_a[2][Step][Stride];
    __shared__ __align__(16) float tiles_b[2][Step][Stride];

    Operand<OrderA> source_a(a, blockIdx.y * Block, stride_a);
    Operand<OrderB> source_b(b, blockIdx.x * Block, stride_b);

    // A warp has 32 x 64 of the tile, as 2 x 2 quarters; a lane 4 x 4 of each quarter. Lanes of a row or a
    // column read the same values, and those of the others lie in other banks.
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / 2 * 32 + lane / 8 * 4;
    const int column = warp % 2 * 64 + lane % 8 * 4;

    source_a.store(tiles_a[0], source_a.next());
    source_b.store(tiles_b[0], source_b.next());
    __syncthreads();

    float sums[8][8] = {};
    float fragments_a[2][8], fragments_b[2][8];
    load<16>(fragments_a[0], tiles_a[0][0], row);
    load<32>(fragments_b[0], tiles_b[0][0], column);

    const int steps = depth / Step;
    for (int step = 0; step < steps; ++step) {
        const int buffer = step % 2;
        const bool more = step + 1 < steps;
        float4 next_a, next_b;
        if (more) {
            next_a = source_a.next();
            next_b = source_b.next();
        }
#pragma unroll
        for (int k = 0; k < Step; ++k) {
            if (k == Step - 1 && more) {
                source_a.store(tiles_a[1 - buffer], next_a);
                source_b.store(tiles_b[1 - buffer], next_b);
                __syncthreads();
            }
            const int from = k == Step - 1 ? 1 - buffer : buffer;
            load<16>(fragments_a[(k + 1) % 2], tiles_a[from][(k + 1) % Step], row);
            load<32>(fragments_b[(k + 1) % 2], tiles_b[from][(k + 1) % Step], column);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += fragments_a[k % 2][i] * fragments_b[k % 2][j];
            }
        }
    }

    c += (size_t)(blockIdx.y * Block + row) * columns + blockIdx.x * Block + column;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        float *to = c + (size_t)(i / 4 * 16 + i % 4) * columns;
        *reinterpret_cast<float4 *>(to) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        *reinterpret_cast<float4 *>(to + 32) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}

// C = A * B, the forward product of a layer.
extern "C" __global__ void __launch_bounds__(Threads)
    sgemm_nn(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int rows,
             int columns, int depth) {
    multiply<Rows::AlongK, Rows::AcrossK>(a, depth, b, columns, c, columns, depth);
}

// C = A * transpose(B), with B stored columns x depth: the gradient of a layer's input.
extern "C" __global__ void __launch_bounds__(Threads)
    sgemm_nt(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int rows,
             int columns, int depth) {
    multiply<Rows::AlongK, Rows::AlongK>(a, depth, b, depth, c, columns, depth);
}

// C = transpose(A) * B, with A stored depth x rows: the gradient of a layer's weights.
extern "C" __global__ void __launch_bounds__(Threads)
    sgemm_tn(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int rows,
             int columns, int depth) {
    multiply<Rows::AcrossK, Rows::AcrossK>(a, rows, b, columns, c, columns, depth);
}
