// What launch files hand over: structs, vectors, halves, addresses inside of structs and buffers, variables,
// images; and loops that a host program would run.

#include <cstdio>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

struct Inner {
    const float *data;
    short first;
    double scale;
};

struct Params {
    int n;
    Inner inner[2];
    float3 shift;
    bool negate;
};

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int calls;
__device__ unsigned total = 100;

KERNEL by_value(Params params, float *out) {
    const int i = threadIdx.x;
    if (i == 0)
        ++calls;
    if (i >= params.n)
        return;
    double sum = 0;
    for (int k = 0; k < 2; ++k)
        sum += params.inner[k].data[params.inner[k].first + i] * params.inner[k].scale;
    sum += params.shift.x + params.shift.y * params.shift.z + weights[i % 4];
    out[i] = params.negate ? -sum : sum;
}

KERNEL halves(__half a, __half2 b, bool c, float3 d, float *out) {
    out[0] = __half2float(a);
    out[1] = __low2float(b);
    out[2] = __high2float(b);
    out[3] = c;
    out[4] = d.x + 10 * d.y + 100 * d.z;
}

// A list of lists.
KERNEL chained(float *const *lists, const int *lengths, float *out) {
    float sum = 0;
    for (int i = 0; i < lengths[threadIdx.x]; ++i)
        sum += lists[threadIdx.x][i];
    out[threadIdx.x] = sum;
}

// A round of a breadth-first search over a ring with chords; the host runs it until nothing changes.
KERNEL search(const int *distances, int *next, int n, int round, int *changed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int best = distances[i];
    const int neighbours[] = {(i + 1) % n, (i + n - 1) % n, i * 7 % n};
    for (int k = 0; k < 3; ++k)
        if (distances[neighbours[k]] == round && best > round + 1)
            best = round + 1;
    if (best != distances[i])
        *changed = 1;
    next[i] = best;
}

// Reads just before and behind its buffer and makes nothing of it.
KERNEL careless(const float *in, float *out, int n) {
    const int i = threadIdx.x;
    const float left = in[i - 1], right = in[i + 1];
    out[i] = in[i] + (i > 0 ? left : 0) + (i < n - 1 ? right : 0);
}

KERNEL blurred(cudaTextureObject_t from, cudaSurfaceObject_t to, int width) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width)
        surf2Dwrite(tex2D<float>(from, x + 1, y + 0.5f), to, 4 * x, y);
}

KERNEL says(int round) { printf("round %d\n", round); }
