// Prices of European call options by simulation of the underlying. Stands for the CUDA SDK's MonteCarlo (FineReg,
// Table II).
//
// `normal_samples` makes normally distributed samples out of the van der Corput sequence, whose elements are the
// indices' bits in reverse order; `price_options` values one option per block along all of them.

constexpr int THREADS = 256;

// The inverse of the normal distribution function: Beasley and Springer's rational function in the middle, Moro's
// polynomial in the logarithm's logarithm in the tails.
__device__ inline float inverse_normal(float probability) {
    float centred = probability - 0.5f;
    if (fabsf(centred) < 0.42f) {
        float square = centred * centred;
        float above = ((-25.44106049637f * square + 41.39119773534f) * square - 18.61500062529f) * square +
                      2.50662823884f;
        float below = (((3.13082909833f * square - 21.06224101826f) * square + 23.08336743743f) * square -
                       8.4735109309f) *
                          square +
                      1.0f;
        return centred * above / below;
    }
    float tail = centred > 0.0f ? 1.0f - probability : probability;
    float depth = logf(-logf(tail));
    float sum = 3.960315187e-7f;
    sum = sum * depth + 2.888167364e-7f;
    sum = sum * depth + 3.21767881768e-5f;
    sum = sum * depth + 3.951896511919e-4f;
    sum = sum * depth + 3.8405729373609e-3f;
    sum = sum * depth + 2.76438810333863e-2f;
    sum = sum * depth + 0.160797971491821f;
    sum = sum * depth + 0.976169019091719f;
    sum = sum * depth + 0.337475482272615f;
    return centred > 0.0f ? sum : -sum;
}

extern "C" __global__ void normal_samples(float *samples, int count) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count) {
        // 23 bits and a half, so that neither 0 nor 1 comes out.
        float probability = ((__brev(index) >> 9) + 0.5f) * (1.0f / 8388608.0f);
        samples[index] = inverse_normal(probability);
    }
}

// Of the underlying at expiry, its logarithm has the mean ln(spot) + drift and the standard deviation `deviation`.
struct Option {
    float spot;
    float strike;
    float drift;
    float deviation;
};

// Sums of the options' values at expiry and of their squares.
extern "C" __global__ void price_options(const float *samples, int paths, const Option *options, float2 *sums) {
    __shared__ float shared_sums[THREADS];
    __shared__ float shared_squares[THREADS];

    const Option option = options[blockIdx.x];
    float sum = 0.0f, squares = 0.0f;
    for (int path = threadIdx.x; path < paths; path += THREADS) {
        float price = option.spot * __expf(option.drift + option.deviation * samples[path]);
        float value = fmaxf(price - option.strike, 0.0f);
        sum += value;
        squares += value * value;
    }

    shared_sums[threadIdx.x] = sum;
    shared_squares[threadIdx.x] = squares;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            shared_sums[threadIdx.x] += shared_sums[threadIdx.x + half];
            shared_squares[threadIdx.x] += shared_squares[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = make_float2(shared_sums[0], shared_squares[0]);
}
