// Exchange within a warp and a thread block: shuffles, votes, matches, reductions at barriers.

extern "C" __global__ void shuffles(const int *in, int *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const int a = in[i];
    int *to = out + 9 * i;
    to[0] = __shfl_sync(~0u, a, lane * 7 + 3);
    to[1] = __shfl_up_sync(~0u, a, 5);
    to[2] = __shfl_down_sync(~0u, a, 9);
    to[3] = __shfl_xor_sync(~0u, a, 21);
    to[4] = __shfl_sync(~0u, a, lane / 3, 8);
    to[5] = __shfl_up_sync(~0u, a, 3, 16);
    to[6] = __shfl_down_sync(~0u, a, 3, 4);
    to[7] = __shfl_xor_sync(~0u, a, 9, 8);
    to[8] = __shfl_sync(~0u, (long long)a * a, 31 - lane) >> 16;
}

// Only some lanes take part.
extern "C" __global__ void partial_shuffles(const int *in, int *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = -1;
    if (threadIdx.x % 4 != 3) {
        sum = in[i];
        for (int distance = 1; distance < 3; ++distance)
            sum += __shfl_sync(0x77777777, in[i], threadIdx.x / 4 * 4 + (threadIdx.x + distance) % 4 % 3);
    } else if (in[i] > 0) {
        sum = __popc(__activemask());
    }
    out[i] = sum;
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int a = in[i];
    unsigned *to = out + 7 * i;
    to[0] = __ballot_sync(~0u, a > 0);
    to[1] = __all_sync(~0u, a > -90) | __any_sync(~0u, a > 90) << 1;
    to[2] = __match_any_sync(~0u, a % 5);
    int all;
    to[3] = __match_all_sync(~0u, a / 64, &all);
    to[4] = all;
    to[5] = __match_any_sync(~0u, (long long)(a % 3) << 40);
    unsigned inner = 0;
    if (a > 0)
        inner = __ballot_sync(__activemask(), a % 2 == 0);
    to[6] = inner;
}

extern "C" __global__ void barrier_reductions(const int *in, int *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int a = in[i];
    const int count = __syncthreads_count(a > 10);
    const int all = __syncthreads_and(a > -1000), some = __syncthreads_or(a == 77);
    out[i] = count * 4 + (all ? 2 : 0) + (some ? 1 : 0);
}

__device__ int named_count(int barrier, int threads, bool holds) {
    int count;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; barrier.cta.red.popc.u32 %0, %1, %2, p; }"
                 : "=r"(count)
                 : "r"(barrier), "r"(threads), "r"((int)holds)
                 : "memory");
    return count;
}

// Two pairs of warps count apart, each at a barrier of its own.
extern "C" __global__ void named_barrier_reductions(const int *in, int *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const int group = threadIdx.x / 64;
    int sum = 0;
    for (int threshold = 0; threshold < 30; threshold += 10)
        sum = sum * 100 + named_count(1 + group, 64, in[i] > threshold);
    out[i] = sum;
}

// A tree in shared memory, then shuffles within the last warp; the block size is a power of two.
extern "C" __global__ void block_sum(const float *in, float *out) {
    extern __shared__ float partial[];
    partial[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned distance = blockDim.x / 2; distance >= 32; distance /= 2) {
        if (threadIdx.x < distance)
            partial[threadIdx.x] += partial[threadIdx.x + distance];
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        float sum = partial[threadIdx.x];
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_down_sync(~0u, sum, distance);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

// The first warp produces, the second consumes, through two named barriers.
extern "C" __global__ void producer_consumer(const int *in, int *out, int rounds) {
    __shared__ int slots[32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int round = 0; round < rounds; ++round) {
            asm volatile("barrier.cta.sync 2, 64;" ::: "memory");
            slots[lane] = in[round * 32 + lane];
            asm volatile("barrier.cta.arrive 1, 64;" ::: "memory");
        }
    } else {
        int sum = 0;
        asm volatile("barrier.cta.arrive 2, 64;" ::: "memory");
        for (int round = 0; round < rounds; ++round) {
            asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
            sum = sum * 3 + slots[31 - lane];
            if (round + 1 < rounds)
                asm volatile("barrier.cta.arrive 2, 64;" ::: "memory");
        }
        out[lane] = sum;
    }
}

// One warp waits in a loop for a flag that the other sets.
extern "C" __global__ void spin(int *out) {
    __shared__ volatile int flag, value;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        while (flag == 0) {
        }
        out[0] = value;
    } else if (threadIdx.x == 40) {
        value = 1234;
        __threadfence_block();
        flag = 1;
    }
}

// Lanes of one warp take a lock in turn.
extern "C" __global__ void lock(int *state, int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(state, 0, 1) == 0) {
            *(volatile int *)counter = *(volatile int *)counter * 2 + (int)threadIdx.x % 3;
            __threadfence();
            atomicExch(state, 0);
            done = true;
        }
    }
}
