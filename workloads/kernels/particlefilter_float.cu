// Particle filter that follows a bright disk through the frames of a noisy video. Stands for Rodinia's
// particlefilter float in Table II of the Malekeh paper: all steps on the device, in double precision,
// with a linear congruential generator per particle.
//
// A thread takes one particle. For each frame: `likelihood` moves the particles by the motion model,
// weighs them against the frame and sums the weights of each block; `sum` adds the blocks' sums;
// `normalize_weights` divides by the total; `accumulate` forms the cumulative distribution, in one thread
// and in a launch of its own because it needs the weights of all blocks; `find_index` resamples by a
// linear search in it.

constexpr int THREADS = 128;
constexpr double PI = 3.14159265358979323846;

/// The next value of a particle's generator, in [0, 1].
__device__ double uniform(int *__restrict__ seeds, int index)
{
    const int modulus = 2147483647;
    const int next = static_cast<int>(1103515245u * static_cast<unsigned>(seeds[index]) + 12345u);
    seeds[index] = next % modulus;
    return fabs(seeds[index] / static_cast<double>(modulus));
}

/// A normally distributed value, by the method of Box and Muller.
__device__ double normal(int *__restrict__ seeds, int index)
{
    const double u = uniform(seeds, index);
    const double v = uniform(seeds, index);
    return sqrt(-2.0 * log(u)) * cos(2.0 * PI * v);
}

/// How much more the pixels at `indices` look like the disk (228) than like the background (100).
__device__ double likelihood_sum(const unsigned char *__restrict__ video, const int *__restrict__ indices,
                                 int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const double pixel = video[indices[i]];
        sum += ((pixel - 100.0) * (pixel - 100.0) - (pixel - 228.0) * (pixel - 228.0)) / 50.0;
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
likelihood(double *__restrict__ x, double *__restrict__ y, const double *__restrict__ resampled_x,
           const double *__restrict__ resampled_y, int *indices, const int *__restrict__ disk, int disk_count,
           const unsigned char *__restrict__ video, double *__restrict__ weights, int *__restrict__ seeds,
           double *__restrict__ partial_sums, int particles, int frame, int frames, int columns, int pixels)
{
    __shared__ double buffer[THREADS];

    const int thread = threadIdx.x;
    const int i = blockIdx.x * THREADS + thread;

    double weight = 0.0;
    if (i < particles) {
        const double moved_x = resampled_x[i] + 1.0 + 5.0 * normal(seeds, i);
        const double moved_y = resampled_y[i] - 2.0 + 2.0 * normal(seeds, i);
        x[i] = moved_x;
        y[i] = moved_y;

        int *own_indices = indices + i * disk_count;
        const int centre_x = static_cast<int>(round(moved_x));
        const int centre_y = static_cast<int>(round(moved_y));
        for (int point = 0; point < disk_count; point++) {
            const int row = centre_x + disk[2 * point + 1];
            const int column = centre_y + disk[2 * point];
            const int index = abs((row * columns + column) * frames + frame);
            own_indices[point] = index < pixels ? index : 0;
        }
        weight = exp(likelihood_sum(video, own_indices, disk_count) / disk_count) / particles;
        weights[i] = weight;
    }

    buffer[thread] = weight;
    __syncthreads();
    for (int stride = THREADS / 2; stride > 0; stride >>= 1) {
        if (thread < stride)
            buffer[thread] += buffer[thread + stride];
        __syncthreads();
    }
    if (thread == 0)
        partial_sums[blockIdx.x] = buffer[0];
}

/// One thread: the sum of all weights to `partial_sums[0]`, and the first draw.
extern "C" __global__ void sum(double *__restrict__ partial_sums, int blocks, double *__restrict__ first_draw,
                               int *__restrict__ seeds, int particles)
{
    if (blockIdx.x * blockDim.x + threadIdx.x != 0)
        return;

    double total = 0.0;
    for (int block = 0; block < blocks; block++)
        total += partial_sums[block];
    partial_sums[0] = total;
    first_draw[0] = uniform(seeds, 0) / particles;
}

extern "C" __global__ void __launch_bounds__(THREADS)
normalize_weights(double *__restrict__ weights, const double *__restrict__ partial_sums,
                  const double *__restrict__ first_draw, double *__restrict__ draws, int particles)
{
    __shared__ double total;
    __shared__ double start;

    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0) {
        total = partial_sums[0];
        start = first_draw[0];
    }
    __syncthreads();

    if (i < particles) {
        weights[i] /= total;
        draws[i] = start + i / static_cast<double>(particles);
    }
}

/// One thread: the cumulative distribution of the weights.
extern "C" __global__ void accumulate(const double *__restrict__ weights, double *__restrict__ cumulative,
                                      int particles)
{
    if (blockIdx.x * blockDim.x + threadIdx.x != 0)
        return;

    double running = 0.0;
    for (int i = 0; i < particles; i++) {
        running += weights[i];
        cumulative[i] = running;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
find_index(const double *__restrict__ x, const double *__restrict__ y, const double *__restrict__ cumulative,
           const double *__restrict__ draws, double *__restrict__ resampled_x,
           double *__restrict__ resampled_y, int particles)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= particles)
        return;

    int index = -1;
    for (int candidate = 0; candidate < particles; candidate++) {
        if (cumulative[candidate] >= draws[i]) {
            index = candidate;
            break;
        }
    }
    if (index == -1)
        index = particles - 1;

    resampled_x[i] = x[index];
    resampled_y[i] = y[index];
}
