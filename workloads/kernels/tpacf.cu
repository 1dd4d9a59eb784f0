// Two-point angular correlation of galaxies: a histogram of the angles between all pairs of points on the sphere, of
// observed points, of random ones, and of observed with random ones. Stands for Parboil's TPACF (FineReg, Table II).
//
// A block makes one histogram: block 0 of the observed points, the blocks up to `sets` of each random set, and the ones
// behind of the observed points with each random set. 256 threads go over the pairs, 256 points of the second set at a
// time in shared memory. Two neighbouring threads share a histogram in shared memory, which leaves few conflicts.

constexpr int THREADS = 256;
constexpr int BINS = 20;
constexpr int HISTOGRAMS = THREADS / 2;

// Bounds of the bins, as the cosine of the angle: falling, from 1.
__constant__ float bounds[BINS + 1];

// `x`, `y` and `z` have the observed points and then the random sets, `points` in each.
extern "C" __global__ void __launch_bounds__(THREADS)
    angular_histograms(unsigned long long *histograms, const float *x, const float *y, const float *z, int sets,
                       int points) {
    __shared__ float tile_x[THREADS], tile_y[THREADS], tile_z[THREADS];
    __shared__ unsigned counts[BINS][HISTOGRAMS];

    const int block = blockIdx.x;
    const bool one_set = block <= sets;
    const int first = (one_set ? block : 0) * points;
    const int second = (one_set ? block : block - sets) * points;

    unsigned *flat = &counts[0][0];
    for (int i = threadIdx.x; i < BINS * HISTOGRAMS; i += THREADS) flat[i] = 0;

    for (int start = 0; start < points; start += THREADS) {
        __syncthreads();
        if (start + threadIdx.x < points) {
            const int point = second + start + threadIdx.x;
            tile_x[threadIdx.x] = x[point];
            tile_y[threadIdx.x] = y[point];
            tile_z[threadIdx.x] = z[point];
        }
        __syncthreads();
        const int count = min(THREADS, points - start);

        for (int i = threadIdx.x; i < points; i += THREADS) {
            const float px = x[first + i], py = y[first + i], pz = z[first + i];
            // Of one set, each pair counts once.
            for (int j = 0; j < count; j++) {
                if (one_set && start + j <= i) continue;
                // Rounded as said, whatever the compiler would make of it: bins are exact.
                const float cosine = fmaf(pz, tile_z[j], fmaf(py, tile_y[j], px * tile_x[j]));
                int low = 0, high = BINS;
                while (high > low + 1) {
                    const int middle = (low + high) / 2;
                    if (cosine >= bounds[middle]) {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                // Angles beyond the last bin are not counted.
                if (cosine >= bounds[BINS]) atomicAdd(&counts[low][threadIdx.x / 2], 1u);
            }
        }
    }
    __syncthreads();

    // A bin after the other, by halves.
    for (int bin = 0; bin < BINS; bin++) {
        for (int half = HISTOGRAMS / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) counts[bin][threadIdx.x] += counts[bin][threadIdx.x + half];
            __syncthreads();
        }
    }
    if (threadIdx.x < BINS) histograms[block * BINS + threadIdx.x] = counts[threadIdx.x][0];
}
