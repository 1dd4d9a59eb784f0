// Runs flash-attention-minimal's kernel without PyTorch, and compares it with attention in double precision on the
// host. The kernel's source is the suite's (`flash.cu`), without the function that takes PyTorch's tensors.

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "flash.cu"

const int BATCH = 2, HEADS = 3, TOKENS = 64, CHANNELS = 64, TILE = 32;
const double TOLERANCE = 1e-5;

std::vector<float> draw(std::mt19937 &random, int count) {
    std::vector<float> values(count);
    for (float &value : values) value = float(random()) / float(random.max()) * 2 - 1;
    return values;
}

float *on_device(const std::vector<float> &values) {
    float *device;
    cudaMalloc(&device, values.size() * sizeof(float));
    cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return device;
}

// Attention of one head, row by row.
void attend(const float *q, const float *k, const float *v, double *out) {
    for (int row = 0; row < TOKENS; row++) {
        std::vector<double> weights(TOKENS);
        double sum = 0;
        for (int column = 0; column < TOKENS; column++) {
            double product = 0;
            for (int i = 0; i < CHANNELS; i++) product += double(q[row * CHANNELS + i]) * k[column * CHANNELS + i];
            sum += weights[column] = std::exp(product / std::sqrt(double(CHANNELS)));
        }
        for (int i = 0; i < CHANNELS; i++) {
            double value = 0;
            for (int column = 0; column < TOKENS; column++) value += weights[column] / sum * v[column * CHANNELS + i];
            out[row * CHANNELS + i] = value;
        }
    }
}

int main() {
    const int rows = BATCH * HEADS * TOKENS, count = rows * CHANNELS;
    std::mt19937 random(1);
    std::vector<float> q = draw(random, count), k = draw(random, count), v = draw(random, count), out(count);
    float *sums = on_device(std::vector<float>(rows, 0)), *largest = on_device(std::vector<float>(rows, -INFINITY));
    float *result = on_device(std::vector<float>(count, 0));
    const int shared = (3 * TILE * CHANNELS + TILE * TILE) * sizeof(float);
    forward_kernel<<<dim3(BATCH, HEADS), TILE, shared>>>(on_device(q), on_device(k), on_device(v), TOKENS, CHANNELS,
                                                         TOKENS / TILE, TOKENS / TILE, TILE, TILE,
                                                         1 / std::sqrt(float(CHANNELS)), sums, largest, result);
    cudaError_t error = cudaMemcpy(out.data(), result, count * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("failed: %s\n", cudaGetErrorString(error));
        return 1;
    }
    double worst = 0;
    for (int head = 0; head < BATCH * HEADS; head++) {
        int at = head * TOKENS * CHANNELS;
        std::vector<double> expected(TOKENS * CHANNELS);
        attend(&q[at], &k[at], &v[at], expected.data());
        for (int i = 0; i < TOKENS * CHANNELS; i++) worst = std::fmax(worst, std::fabs(out[at + i] - expected[i]));
    }
    printf("largest difference %g: %s\n", worst, worst <= TOLERANCE ? "right" : "wrong");
}
