// Particle filter, the naive version: the host does everything but the resampling. Stands for Rodinia's
// particlefilter naive in Table II of the Malekeh paper.
//
// A thread takes one particle: it searches the cumulative weights from the start for the first one not
// below the particle's draw, and takes over the position found there.

constexpr int THREADS = 128;

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
