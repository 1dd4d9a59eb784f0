// Functions in sections of their own, as -rdc=true and -G leave them.

__device__ __noinline__ float sum_of_roots(float x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i)
        sum += sqrtf(x + i);
    return sum;
}

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }

typedef int (*Function)(int);
__device__ Function table[2] = {twice, thrice};
__constant__ int addends[4] = {10, 20, 30, 40};
__device__ int counter = 5;

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void roots(float *values, int n) {
    values[threadIdx.x] = sum_of_roots(values[threadIdx.x], n) + addends[n % 4];
}

extern "C" __global__ void by_pointer(int *values) {
    values[threadIdx.x] = table[threadIdx.x % 2](values[threadIdx.x]) + counter;
}

extern "C" __global__ void quotients(double *values, int *whole) {
    values[threadIdx.x] = values[threadIdx.x] / values[threadIdx.x + 32];
    whole[threadIdx.x] = whole[threadIdx.x] / whole[threadIdx.x + 32];
}

extern "C" __global__ void recursive(int *values) { values[threadIdx.x] = fibonacci(threadIdx.x % 12); }

extern "C" __global__ void allocates(int **values) {
    int *value = (int *)malloc(4);
    *value = 7 * threadIdx.x;
    values[threadIdx.x] = value;
}
