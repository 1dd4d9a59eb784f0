// Sum of two vectors, C = A + B: the smallest CUDA program, as the toolkit's sample has it.
//
// One thread per element; a guard cuts off the threads past the end. Three loads and stores to one
// addition: no register is worth keeping, so this is the floor of every register cache.

extern "C" __global__ void vectoradd(const float *__restrict__ a, const float *__restrict__ b,
                                     float *__restrict__ c, int count) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < count) {
        c[i] = a[i] + b[i];
    }
}
