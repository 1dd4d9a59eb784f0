// What NVIDIA's template libraries make: CUB's blocks and warps, cooperative groups, the C++ library, Thrust in a thread,
// fragments of WMMA.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <mma.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#define KERNEL extern "C" __global__ void

namespace cg = cooperative_groups;

// Blocks of 128 threads; four values to a thread.
constexpr int THREADS = 128, ITEMS = 4;

KERNEL block_scans(const int *in, int *out) {
    using Scan = cub::BlockScan<int, THREADS>;
    __shared__ Scan::TempStorage storage;
    int values[ITEMS], total;
    for (int i = 0; i < ITEMS; ++i)
        values[i] = in[threadIdx.x * ITEMS + i];
    Scan(storage).ExclusiveSum(values, values, total);
    for (int i = 0; i < ITEMS; ++i)
        out[threadIdx.x * ITEMS + i] = values[i] - total;
}

KERNEL block_sorts(unsigned *keys, short *values) {
    using Sort = cub::BlockRadixSort<unsigned, THREADS, ITEMS, short>;
    __shared__ Sort::TempStorage storage;
    unsigned key[ITEMS];
    short value[ITEMS];
    for (int i = 0; i < ITEMS; ++i) {
        key[i] = keys[threadIdx.x * ITEMS + i];
        value[i] = threadIdx.x * ITEMS + i;
    }
    Sort(storage).SortDescending(key, value, 4, 28);
    for (int i = 0; i < ITEMS; ++i) {
        keys[threadIdx.x * ITEMS + i] = key[i];
        values[threadIdx.x * ITEMS + i] = value[i];
    }
}

KERNEL sorted_floats(float *keys) {
    using Sort = cub::BlockRadixSort<float, THREADS, ITEMS>;
    __shared__ Sort::TempStorage storage;
    float key[ITEMS];
    for (int i = 0; i < ITEMS; ++i)
        key[i] = keys[threadIdx.x * ITEMS + i];
    Sort(storage).SortBlockedToStriped(key);
    for (int i = 0; i < ITEMS; ++i)
        keys[threadIdx.x + i * THREADS] = key[i];
}

struct Longest {
    __device__ int2 operator()(int2 a, int2 b) const { return a.y > b.y || (a.y == b.y && a.x < b.x) ? a : b; }
};

KERNEL block_reductions(const int2 *in, int2 *out, int count) {
    using Raking = cub::BlockReduce<int2, THREADS, cub::BLOCK_REDUCE_RAKING>;
    using Shuffling = cub::BlockReduce<int2, THREADS, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    __shared__ union {
        Raking::TempStorage raking;
        Shuffling::TempStorage shuffling;
    } storage;
    const int2 a = Raking(storage.raking).Reduce(in[threadIdx.x], Longest(), count);
    __syncthreads();
    const int2 b = Shuffling(storage.shuffling).Reduce(in[threadIdx.x], Longest());
    if (threadIdx.x == 0) {
        out[0] = a;
        out[1] = b;
    }
}

KERNEL histograms(const unsigned char *in, unsigned *out) {
    using Sorting = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 256, cub::BLOCK_HISTO_SORT>;
    using Adding = cub::BlockHistogram<unsigned char, THREADS, ITEMS, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ union {
        Sorting::TempStorage sorting;
        Adding::TempStorage adding;
    } storage;
    __shared__ unsigned sorted[256], added[256];
    unsigned char values[ITEMS], again[ITEMS];
    for (int i = 0; i < ITEMS; ++i)
        again[i] = values[i] = in[threadIdx.x * ITEMS + i];
    Sorting(storage.sorting).Histogram(values, sorted);
    __syncthreads();
    Adding(storage.adding).Histogram(again, added);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += THREADS) {
        out[i] = sorted[i];
        out[i + 256] = added[i];
    }
}

KERNEL beginnings_of_runs(const int *in, int *out) {
    using Discontinuity = cub::BlockDiscontinuity<int, THREADS>;
    using Exchange = cub::BlockExchange<int, THREADS, ITEMS>;
    __shared__ union {
        Discontinuity::TempStorage discontinuity;
        Exchange::TempStorage exchange;
    } storage;
    int values[ITEMS], heads[ITEMS];
    for (int i = 0; i < ITEMS; ++i)
        values[i] = in[threadIdx.x + i * THREADS];
    Exchange(storage.exchange).StripedToBlocked(values, values);
    __syncthreads();
    Discontinuity(storage.discontinuity).FlagHeads(heads, values, cuda::std::not_equal_to<int>());
    __syncthreads();
    Exchange(storage.exchange).BlockedToWarpStriped(heads, heads);
    for (int i = 0; i < ITEMS; ++i)
        out[threadIdx.x / 32 * 32 * ITEMS + threadIdx.x % 32 + i * 32] = heads[i];
}

struct Less {
    __device__ bool operator()(short a, short b) const { return a < b; }
};

KERNEL warp_algorithms(const int *in, int *out) {
    using Scan = cub::WarpScan<int, 16>;
    using Reduce = cub::WarpReduce<long long>;
    using Sort = cub::WarpMergeSort<short, 2, 32>;
    __shared__ Scan::TempStorage scan[8];
    __shared__ Reduce::TempStorage reduce[4];
    __shared__ Sort::TempStorage sort[4];
    const unsigned i = threadIdx.x, warp = i / 32;
    int prefix;
    Scan(scan[i / 16]).InclusiveScan(in[i], prefix, cuda::maximum<int>());
    const long long sum = Reduce(reduce[warp]).HeadSegmentedSum((long long)in[i] << 20, in[i] % 4 == 0);
    short pair[2] = {(short)in[i], (short)(in[i] * 7)};
    Sort(sort[warp]).Sort(pair, Less());
    out[4 * i] = prefix;
    out[4 * i + 1] = (int)(sum >> 20);
    out[4 * i + 2] = pair[0];
    out[4 * i + 3] = pair[1];
}

KERNEL group_algorithms(const int *in, int *out) {
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<16>(block);
    const int value = in[block.thread_rank()];
    int *to = out + 6 * block.thread_rank();
    to[0] = cg::reduce(tile, value, cg::plus<int>());
    to[1] = cg::reduce(tile, value, cg::less<int>());
    to[2] = cg::inclusive_scan(tile, value);
    to[3] = cg::exclusive_scan(tile, value, cg::bit_xor<int>());
    const auto same = cg::labeled_partition(cg::tiled_partition<32>(block), value & 3);
    to[4] = cg::reduce(same, value, cg::plus<int>()) * 100 + same.thread_rank();
    const auto half = cg::binary_partition(tile, value > 0);
    to[5] = half.shfl(value, half.size() - 1) * 100 + half.size();
}

KERNEL copies_that_are_waited_for(const int4 *in, int4 *out) {
    __shared__ int4 memory[THREADS];
    const auto block = cg::this_thread_block();
    cg::memcpy_async(block, memory, in, sizeof(int4) * THREADS);
    cg::wait(block);
    out[threadIdx.x] = memory[THREADS - 1 - threadIdx.x];
}

KERNEL latches_and_semaphores(int *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
    __shared__ alignas(Latch) unsigned char latch_memory[sizeof(Latch)];
    __shared__ alignas(Semaphore) unsigned char semaphore_memory[sizeof(Semaphore)];
    Latch &latch = *(Latch *)latch_memory;
    Semaphore &semaphore = *(Semaphore *)semaphore_memory;
    __shared__ int inside, most, sum;
    if (threadIdx.x == 0) {
        new (&latch) Latch(blockDim.x);
        new (&semaphore) Semaphore(2);
        inside = most = sum = 0;
    }
    __syncthreads();
    semaphore.acquire();
    atomicMax(&most, atomicAdd(&inside, 1) + 1);
    atomicAdd(&sum, threadIdx.x);
    atomicSub(&inside, 1);
    semaphore.release();
    latch.arrive_and_wait();
    out[threadIdx.x] = sum * 10 + (most <= 2) + 2 * (inside == 0);
}

KERNEL references_to_atomics(const int *in, long long *cells, double *sums) {
    const int value = in[threadIdx.x];
    cuda::atomic_ref<long long, cuda::thread_scope_device> most(cells[0]), product(cells[1]);
    most.fetch_max(value, cuda::memory_order_relaxed);
    long long old = product.load(cuda::memory_order_acquire);
    while (!product.compare_exchange_weak(old, old * (2 * (value & 7) + 1), cuda::memory_order_acq_rel))
        ;
    cuda::atomic_ref<double, cuda::thread_scope_block>(sums[value & 1]).fetch_add(value * 0.5);
    cuda::atomic_ref<long long>(cells[2]).fetch_xor(1ll << (value & 63), cuda::memory_order_seq_cst);
}

KERNEL types_of_the_library(const float *in, float *out) {
    using cuda::std::complex;
    const unsigned i = threadIdx.x;
    const complex<float> a(in[2 * i], in[2 * i + 1]), b(0.5f, -2.0f);
    const complex<float> quotient = a * b / complex<float>(a.imag(), 3.0f);
    cuda::std::array<float, 5> parts = {a.real(), a.imag(), quotient.real(), quotient.imag(), cuda::std::norm(a)};
    const cuda::std::span<float> view(parts);
    const auto largest = [&]() -> cuda::std::optional<int> {
        int at = -1;
        for (int j = 0; j < (int)view.size(); ++j)
            if (view[j] > (at < 0 ? 1.0f : view[at]))
                at = j;
        if (at < 0)
            return cuda::std::nullopt;
        return at;
    }();
    const auto [place, bits] = cuda::std::make_tuple(largest.value_or(-7), cuda::std::popcount(__float_as_uint(parts[0])));
    out[4 * i] = quotient.real();
    out[4 * i + 1] = quotient.imag();
    out[4 * i + 2] = place;
    out[4 * i + 3] = bits;
}

// A thread sorts, and searches what it sorted.
KERNEL a_thread_sorts(int *values, const int *wanted, int *places, int count) {
    int *from = values + threadIdx.x * count;
    thrust::stable_sort(thrust::seq, from, from + count);
    places[threadIdx.x] = thrust::lower_bound(thrust::seq, from, from + count, wanted[threadIdx.x]) - from;
}

// d = a b + c of 16 x 16 x 16 in halves, accumulated in singles, and of bytes.
KERNEL fragments(const __half *a, const __half *b, const float *c, float *d, const signed char *e, const signed char *f,
                 int *g) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_col_major);
    wmma::mma_sync(sum, x, y, sum);
    for (int i = 0; i < sum.num_elements; ++i)
        sum.x[i] *= 2.0f;
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> p;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> q;
    wmma::fragment<wmma::accumulator, 32, 8, 16, int> r;
    wmma::fill_fragment(r, -5);
    wmma::load_matrix_sync(p, e, 16);
    wmma::load_matrix_sync(q, f, 16);
    wmma::mma_sync(r, p, q, r, true);
    wmma::store_matrix_sync(g, r, 8, wmma::mem_row_major);
}
