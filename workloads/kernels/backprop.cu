// Training step of a neural network with one hidden layer of 16 units. Stands for Rodinia's
// Backprop (Malekeh, Table II).
//
// Both kernels work in blocks of 16 x 16 threads, one thread per weight: x is the hidden unit, y the
// input unit within the block's 16. Units count from 1; row and column 0 of the weights belong to
// the bias, so a row of weights is `hidden + 1` long.

constexpr int HIDDEN = 16;
constexpr int INPUTS = 16;
constexpr float LEARNING_RATE = 0.3f;
constexpr float MOMENTUM = 0.3f;

// Multiplies a block's weights by their inputs in shared memory and sums each hidden unit's 16
// products in a tree. The host adds up the sums of the blocks.
extern "C" __global__ void layer_forward(const float *input, const float *weights, float *partial_sums, int hidden) {
    __shared__ float inputs[INPUTS];
    __shared__ float products[INPUTS][HIDDEN];

    int block = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int index = (hidden + 1) * INPUTS * block + (hidden + 1) * (ty + 1) + tx + 1;

    if (tx == 0) {
        inputs[ty] = input[INPUTS * block + ty + 1];
    }
    __syncthreads();

    products[ty][tx] = weights[index] * inputs[ty];
    __syncthreads();

    for (int step = 2; step <= INPUTS; step *= 2) {
        if (ty % step == 0) {
            products[ty][tx] += products[ty + step / 2][tx];
        }
        __syncthreads();
    }

    if (tx == 0) {
        partial_sums[block * hidden + ty] = products[0][ty];
    }
}

// Moves every weight along its gradient, with momentum; the first block's first row moves the bias.
extern "C" __global__ void adjust_weights(const float *delta, int hidden, const float *input, float *weights,
                                          float *previous) {
    int block = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int index = (hidden + 1) * INPUTS * block + (hidden + 1) * (ty + 1) + tx + 1;
    int unit = INPUTS * block + ty + 1;

    float change = LEARNING_RATE * delta[tx + 1] * input[unit] + MOMENTUM * previous[index];
    weights[index] += change;
    previous[index] = change;
    __syncthreads();

    if (ty == 0 && block == 0) {
        float bias = LEARNING_RATE * delta[tx + 1] + MOMENTUM * previous[tx + 1];
        weights[tx + 1] += bias;
        previous[tx + 1] = bias;
    }
}
