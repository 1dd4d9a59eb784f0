// A kernel that launches another one.

extern "C" __global__ void child(int *values) { values[threadIdx.x] += 1; }

extern "C" __global__ void parent(int *values) {
    if (threadIdx.x == 0)
        child<<<1, 32>>>(values);
}
