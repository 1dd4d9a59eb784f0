// What the CUDA runtime gives to kernels: printf, assert, malloc, free, virtual destructors, traps. One
// listing holds them all, and a kernel that uses none of it.

#include <cassert>
#include <cstdio>

#define KERNEL extern "C" __global__ void

KERNEL greets(int n, float x, const char *name) {
    printf("thread %d of %d: %5.2f %s\n", threadIdx.x, n, x, name);
    if (threadIdx.x == 1)
        printf("only one, 100%%, %llx %c %p\n", 0x123456789abcdefll, 'q', (void *)16);
}

KERNEL asserts(int *values) {
    assert(values[threadIdx.x] >= 0 && "no value may be negative");
    ++values[threadIdx.x];
}

// Every thread makes a list of squares and leaves it to another kernel.
KERNEL allocates(int **lists, int n) {
    int *list = (int *)malloc(n * sizeof(int));
    lists[blockIdx.x * blockDim.x + threadIdx.x] = list;
    if (list)
        for (int i = 0; i < n; ++i)
            list[i] = i * (int)(threadIdx.x + 1);
}

KERNEL frees(int **lists, int *sums, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = 0; lists[thread] && i < n; ++i)
        sum += lists[thread][i];
    free(lists[thread]);
    sums[thread] = sum;
}

KERNEL frees_twice(int **lists) {
    free(lists[0]);
    free(lists[0]);
}

struct Shape {
    virtual __device__ int area(int scale) const = 0;
    virtual __device__ ~Shape() {}
};

struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area(int scale) const override { return side * side * scale; }
};

struct Strip : Shape {
    int width, height;
    __device__ Strip(int width, int height) : width(width), height(height) {}
    __device__ int area(int scale) const override { return width * height * scale; }
};

KERNEL shapes(int *areas, int scale) {
    const int i = threadIdx.x;
    Shape *shape = i % 3 ? (Shape *)new Square(i) : (Shape *)new Strip(i, 7);
    areas[i] = shape->area(scale);
    delete shape;
}

KERNEL traps(int *values) {
    if (values[threadIdx.x] < 0)
        __trap();
    values[threadIdx.x] = 1;
}

KERNEL plain(int *out) { out[threadIdx.x] = 3 * threadIdx.x; }
