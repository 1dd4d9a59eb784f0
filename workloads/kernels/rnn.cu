// Recurrent layers in half precision (DeepBench's): a vanilla RNN, an LSTM, and the RNN's gradients.
//
// Per time step a matrix product on the tensor cores and a kernel that does the rest, a thread per
// sequence of the batch and hidden unit. Input and previous state of a step lie side by side in one row
// per sequence, `joined`, so that one product serves both; the state is written where the next step's
// row wants it. Sizes are multiples of eight.
//
// Grid of the products: columns / 64 by rows / 64; of the others: batch x hidden in threads.
#include "gemm.cuh"

using RecurrentTile = Tile<64, 64, 32, 32>;

// gates[batch][gate] = joined[batch][k] * weights[gate][k]
extern "C" __global__ void __launch_bounds__(RecurrentTile::Threads)
    recurrent_product(const __half *__restrict__ joined, const __half *__restrict__ weights,
                      float *__restrict__ gates, int batch, int gate_count, int depth) {
    multiply_matrices<HalfMath, RecurrentTile, Rows::AlongK, Rows::AlongK>(joined, depth, weights, depth,
                                                                           gates, batch, gate_count, depth);
}

// joined[batch][k] = gates[batch][gate] * weights[gate][k], of gradients.
extern "C" __global__ void __launch_bounds__(RecurrentTile::Threads)
    recurrent_data_gradient(const __half *__restrict__ gates, const __half *__restrict__ weights,
                            float *__restrict__ joined, int batch, int depth, int gate_count) {
    multiply_matrices<HalfMath, RecurrentTile, Rows::AlongK, Rows::AcrossK>(gates, gate_count, weights, depth,
                                                                            joined, batch, depth, gate_count);
}

// weights[gate][k] = gates[row][gate] * joined[row][k], summed over the batches of all time steps.
extern "C" __global__ void __launch_bounds__(RecurrentTile::Threads)
    recurrent_weight_gradient(const __half *__restrict__ gates, const __half *__restrict__ joined,
                              float *__restrict__ weights, int gate_count, int depth, int rows) {
    multiply_matrices<HalfMath, RecurrentTile, Rows::AcrossK, Rows::AcrossK>(
        gates, gate_count, joined, depth, weights, gate_count, depth, rows);
}

// state = tanh(sums + bias); `state` is the next row's part behind its `inputs` inputs.
extern "C" __global__ void rnn_tanh(const float *__restrict__ sums, const float *__restrict__ bias,
                                    __half *__restrict__ joined, int batch, int hidden, int inputs) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch * hidden) return;
    const int sequence = thread / hidden, unit = thread % hidden;
    joined[sequence * (inputs + hidden) + inputs + unit] = __float2half(tanhf(sums[thread] + bias[unit]));
}

// state = max(sums + bias, 0).
extern "C" __global__ void rnn_relu(const float *__restrict__ sums, const float *__restrict__ bias,
                                    __half *__restrict__ joined, int batch, int hidden, int inputs) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch * hidden) return;
    const int sequence = thread / hidden, unit = thread % hidden;
    joined[sequence * (inputs + hidden) + inputs + unit] =
        __float2half(fmaxf(sums[thread] + bias[unit], 0.0f));
}

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// One LSTM cell: gates in the order input, forget, candidate, output.
extern "C" __global__ void lstm_cell(const float *__restrict__ sums, const float *__restrict__ bias,
                                     float *__restrict__ cells, __half *__restrict__ joined, int batch,
                                     int hidden, int inputs) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch * hidden) return;
    const int sequence = thread / hidden, unit = thread % hidden;
    const float *gates = sums + sequence * 4 * hidden + unit;
    const float input = sigmoid(gates[0] + bias[unit]);
    const float forget = sigmoid(gates[hidden] + bias[hidden + unit]);
    const float candidate = tanhf(gates[2 * hidden] + bias[2 * hidden + unit]);
    const float output = sigmoid(gates[3 * hidden] + bias[3 * hidden + unit]);
    const float cell = forget * cells[thread] + input * candidate;
    cells[thread] = cell;
    joined[sequence * (inputs + hidden) + inputs + unit] = __float2half(output * tanhf(cell));
}

// Gradient before tanh: what the layer above (`upstream`) and the next time step (`later`, laid out like
// `joined`) say of the state, times 1 - state^2.
extern "C" __global__ void rnn_tanh_gradient(const __half *__restrict__ upstream,
                                             const float *__restrict__ later,
                                             const __half *__restrict__ joined, __half *__restrict__ gradient,
                                             int batch, int hidden, int inputs) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= batch * hidden) return;
    const int sequence = thread / hidden, unit = thread % hidden;
    const int place = sequence * (inputs + hidden) + inputs + unit;
    const float state = __half2float(joined[place]);
    gradient[thread] = __float2half((__half2float(upstream[thread]) + later[place]) * (1.0f - state * state));
}

// Sums the gradients of a unit over the batches of all time steps, a thread per unit.
extern "C" __global__ void rnn_bias_gradient(const __half *__restrict__ gradient, float *__restrict__ bias,
                                             int rows, int hidden) {
    const int unit = blockIdx.x * blockDim.x + threadIdx.x;
    if (unit >= hidden) return;
    float sum = 0.0f;
    for (int row = 0; row < rows; ++row) sum += __half2float(gradient[row * hidden + unit]);
    bias[unit] = sum;
}
