// Kernels that the tests of the runtime launch.

#include <cassert>

__managed__ int counter = 5;
__constant__ int factors[4];
__device__ int offsets[4];

// Adds to each element its place, a constant and a variable; the first thread counts.
extern "C" __global__ void add(int *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += i * factors[1] + offsets[2];
    if (i == 0) counter += count;
}

extern "C" __global__ void twice(int *values) { values[threadIdx.x] *= 2; }

extern "C" __global__ void texels(cudaTextureObject_t texture, float *values) {
    values[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}

extern "C" __global__ void voxels(cudaTextureObject_t texture, float *values) {
    values[threadIdx.x] = tex3D<float>(texture, threadIdx.x + 0.5f, 1.5f, 2.5f);
}

extern "C" __global__ void layers(cudaTextureObject_t texture, float *values) {
    values[threadIdx.x] = tex2DLayered<float>(texture, threadIdx.x + 0.5f, 1.5f, 2);
}

extern "C" __global__ void elements(cudaTextureObject_t texture, float *values) {
    values[threadIdx.x] = tex1Dfetch<float>(texture, 3 + threadIdx.x);
}

extern "C" __global__ void draw(cudaSurfaceObject_t surface) {
    surf2Dwrite(100.0f + threadIdx.x, surface, threadIdx.x * 4, 1);
}

extern "C" __global__ void store_at(char *place, long offset) { *(int *)(place + offset) = 1; }

extern "C" __global__ void check(int value) { assert(value > 7); }

extern "C" __global__ void trap() { __trap(); }

__device__ __noinline__ int sum_to(int n) {
    volatile int here[8];
    here[n & 7] = n;
    return n == 0 ? 0 : sum_to(n - 1) + here[n & 7];
}

extern "C" __global__ void deep(int *values, int n) { values[threadIdx.x] = sum_to(n + threadIdx.x); }

extern "C" __global__ void levels(cudaTextureObject_t texture, const float *detail, float *values) {
    values[threadIdx.x] = tex2DLod<float>(texture, 0.375f, 0.5f, detail[threadIdx.x]);
}

extern "C" __global__ void steps(cudaTextureObject_t texture, float4 step, float *values) {
    float2 x = make_float2(step.x, step.y), y = make_float2(step.z, step.w);
    *values = tex2DGrad<float>(texture, 0.375f, 0.5f, x, y);
}

// Counts down, and tells the graph around it to go on as long as something is left.
extern "C" __global__ void count_down(cudaGraphConditionalHandle handle, int *left) {
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

extern "C" __global__ void decide(cudaGraphConditionalHandle handle, int value) {
    cudaGraphSetConditional(handle, value);
}

extern "C" __global__ void increase(int *values, int by) { *values += by; }
