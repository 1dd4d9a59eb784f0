// A symmetric update of rank 2k: C = beta C + alpha (A * transpose(B) + B * transpose(A)). Stands for PolyBench's SYR2K
// (FineReg, Table II).
//
// A thread per element of C, which grows in memory; blocks of 32 x 8.

extern "C" __global__ void syr2k(float alpha, float beta, const float *a, const float *b, float *c, int size,
                                 int depth) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < size && column < size) {
        c[row * size + column] *= beta;
        for (int k = 0; k < depth; k++) {
            c[row * size + column] += alpha * a[row * depth + k] * b[column * depth + k] +
                                      alpha * b[row * depth + k] * a[column * depth + k];
        }
    }
}
