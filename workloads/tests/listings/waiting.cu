// Blocks that wait for what other blocks store.

#include <cooperative_groups.h>

#define KERNEL extern "C" __global__ void

// Each block waits for the one after it, the last one begins.
KERNEL backwards(volatile int *flags, int *order) {
    __shared__ int mine;
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && flags[blockIdx.x + 1] == 0) {
        }
        mine = blockIdx.x + 1 < gridDim.x ? flags[blockIdx.x + 1] + 1 : 1;
        __threadfence();
        flags[blockIdx.x] = mine;
    }
    __syncthreads();
    order[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

// A barrier of the whole grid, made of plain stores, between rounds of an average.
KERNEL grid_rounds(volatile int *arrived, volatile int *values, int rounds) {
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 1; round <= rounds; ++round) {
        const int next = values[(i + 1) % n + (round + 1) % 2 * n];
        values[i + round % 2 * n] = values[i + (round + 1) % 2 * n] + next;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            arrived[blockIdx.x] = round;
        for (int block = threadIdx.x; block < gridDim.x; block += blockDim.x)
            while (arrived[block] < round) {
            }
        __syncthreads();
    }
}

// Nobody ever stores what these wait for.
KERNEL in_vain(volatile int *flags) {
    while (flags[blockIdx.x] == 0) {
    }
}

// Computes for long without a store.
KERNEL patient(unsigned *out, int rounds) {
    unsigned value = threadIdx.x + blockIdx.x;
    for (int i = 0; i < rounds; ++i)
        value = value * 1664525u + 1013904223u;
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// All blocks meet at each step: a step of a sum over growing distances, on two arrays in turn.
KERNEL sums(int *values, int *other, int count) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int distance = 1; distance < count; distance *= 2) {
        for (int i = grid.thread_rank(); i < count; i += grid.size())
            other[i] = values[i] + (i >= distance ? values[i - distance] : 0);
        grid.sync();
        int *swap = values;
        values = other;
        other = swap;
    }
}
