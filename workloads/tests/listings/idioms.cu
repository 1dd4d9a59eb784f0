// What programs do beside plain arithmetic: identities of warps, half-precision parameters, narrow
// constants, products scaled by powers of two, dot products of bytes, fragments of matrices, barriers of
// the C++ library.

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

// The warp's number, and what the machine says of itself.
extern "C" __global__ void identities(unsigned *out) {
    extern __shared__ unsigned dynamic[];
    __shared__ unsigned fixed[8];
    unsigned warp, warps, sm, sms, total, extra;
    unsigned long long grid, before, after;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(extra));
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    fixed[threadIdx.x % 8] = warp;
    dynamic[threadIdx.x] = warp;
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
    unsigned *to = out + 8 * threadIdx.x;
    to[0] = warp;
    to[1] = sm < sms;
    to[2] = total;
    to[3] = extra;
    to[4] = grid != 0;
    to[5] = after > before;
    to[6] = warp < warps;
    to[7] = fixed[threadIdx.x % 8] - dynamic[threadIdx.x / 8 * 8];
}

// Parameters of half precision, one of them beginning in the upper half of a word.
extern "C" __global__ void half_parameters(__half a, __half b, __half2 c, const __half2 *in, __half2 *out,
                                           bool flag) {
    const unsigned i = threadIdx.x;
    const __half2 x = in[i];
    __half2 *to = out + 6 * i;
    to[0] = __hfma2(x, __half2half2(b), c);
    to[1] = __hmul2(x, __half2half2(a));
    to[2] = __hadd2(x, __half2half2(b));
    to[3] = __hgt(__low2half(x), b) ? c : x;
    to[4] = flag ? __hmul2(x, __half2half2(b)) : x;
    to[5] = __hsub2(x, __half2half2(b));
}

struct Narrow {
    unsigned char a;
    signed char b;
    unsigned short c;
    short d;
    bool e;
};

extern "C" __global__ void narrow_constants(Narrow narrow, const int *in, int *out, int rounds) {
    int sum = in[threadIdx.x];
    for (int i = 0; i < rounds; ++i)
        sum = sum * narrow.a + narrow.b * narrow.c + narrow.d + (narrow.e ? i : -i);
    out[threadIdx.x] = sum;
}

extern "C" __global__ void scaled_products(const float *in, float *out, float a) {
    const float x = in[threadIdx.x], y = in[threadIdx.x + 64];
    out[2 * threadIdx.x] = 0.5f * (a * x);
    out[2 * threadIdx.x + 1] = -0.2f * (x * y) * 0.5f * y;
}

extern "C" __global__ void dot_products(const int *in, int *out) {
    const int a = in[3 * threadIdx.x], b = in[3 * threadIdx.x + 1], c = in[3 * threadIdx.x + 2];
    int *to = out + 6 * threadIdx.x;
    to[0] = __dp2a_lo(a, b, c);
    to[1] = __dp2a_hi(a, b, c);
    to[2] = __dp2a_lo((unsigned)a, (unsigned)b, (unsigned)c);
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(to[3]) : "r"(a), "r"(b), "r"(c));
    asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(to[4]) : "r"(a), "r"(b), "r"(c));
    to[5] = __dp4a(a, b, c);
}

extern "C" __global__ void half_functions(const __half2 *in, __half2 *out) {
    const __half2 x = in[threadIdx.x];
    unsigned word = *(const unsigned *)&x, powers;
    asm("ex2.approx.f16x2 %0, %1;" : "=r"(powers) : "r"(word));
    out[2 * threadIdx.x] = *(__half2 *)&powers;
    out[2 * threadIdx.x + 1] = h2tanh_approx(x);
}

extern "C" __global__ void transposed(const unsigned *in, unsigned *out) {
    unsigned word;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(word) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = word;
}

extern "C" __global__ void bit_product(const unsigned *in, int *out) {
    const unsigned lane = threadIdx.x;
    int d0, d1;
    asm volatile("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=r"(d0), "=r"(d1)
                 : "r"(in[lane]), "r"(in[lane + 32]), "r"(100), "r"(-100));
    out[2 * lane] = d0;
    out[2 * lane + 1] = d1;
}

// Volta's matrix product, four of them in a warp, in three combinations of types and layouts.
extern "C" __global__ void quad_products(const uint2 *a, const uint2 *b, const float *c, const uint4 *h,
                                         float *singles, float *mixed, uint4 *halves) {
    const unsigned lane = threadIdx.x;
    const uint2 x = a[lane], y = b[lane];
    const uint4 z = h[lane];
    const float *w = c + 8 * lane;
    float d[8];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
                 : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]),
                   "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]));
    for (int i = 0; i < 8; ++i)
        singles[8 * lane + i] = d[i];
    asm volatile("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "{%8, %9}, {%10, %11}, {%12, %13, %14, %15};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
                 : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y), "r"(z.x), "r"(z.y), "r"(z.z), "r"(z.w));
    for (int i = 0; i < 8; ++i)
        mixed[8 * lane + i] = d[i];
    uint4 e;
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, "
                 "{%8, %9, %10, %11};"
                 : "=r"(e.x), "=r"(e.y), "=r"(e.z), "=r"(e.w)
                 : "r"(x.x), "r"(x.y), "r"(y.x), "r"(y.y), "r"(z.x), "r"(z.y), "r"(z.z), "r"(z.w));
    halves[lane] = e;
}

// Lanes of a mask that only the launch knows wait for each other.
extern "C" __global__ void masked_sync(int *values, unsigned mask) {
    const unsigned lane = threadIdx.x;
    if (mask >> lane & 1) {
        values[lane] = 3 * lane;
        __syncwarp(mask);
        const int left = values[lane ^ 1];
        __syncwarp(mask);
        values[lane] += left;
    }
}

extern "C" __global__ void groups(const int *in, int *out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    int sum = in[threadIdx.x];
    for (int distance = 4; distance; distance /= 2)
        sum += tile.shfl_down(sum, distance);
    out[threadIdx.x] = tile.shfl(sum, 0);
    if (in[threadIdx.x] > 0) {
        const cg::coalesced_group active = cg::coalesced_threads();
        out[threadIdx.x + 64] = 100 * active.size() + active.thread_rank();
        active.sync();
        out[threadIdx.x + 128] = active.shfl(in[threadIdx.x], active.size() - 1);
    }
}

// A sum that each round passes on by one thread, with the C++ library's barrier in between.
extern "C" __global__ void library_barrier(int *values, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int next = values[(threadIdx.x + 1) % blockDim.x];
        barrier.arrive_and_wait();
        values[threadIdx.x] += next;
        barrier.arrive_and_wait();
    }
}
