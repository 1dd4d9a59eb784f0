// Speckle-reducing anisotropic diffusion: smooths an ultrasound image where it is uniform and keeps its
// edges. Stands for Rodinia's srad v1 in Table II of the Malekeh paper.
//
// `extract` takes the image from logarithmic to linear scale. Each iteration then sums the image and its
// square (`prepare`, and `reduce` again and again until one value is left), and from their mean and
// variance computes the diffusion coefficients (`srad`) and the next image (`srad2`). `compress` goes
// back to logarithmic scale. A thread takes one pixel of the image, which is stored column by column;
// the rows above and below, and the columns left and right, come from index vectors that repeat the
// image's border.

constexpr int THREADS = 512;

__device__ __forceinline__ int global_thread() { return blockIdx.x * THREADS + threadIdx.x; }

extern "C" __global__ void extract(int pixels, float *__restrict__ image)
{
    const int i = global_thread();
    if (i < pixels)
        image[i] = expf(image[i] / 255.0f);
}

extern "C" __global__ void prepare(int pixels, const float *__restrict__ image, float *__restrict__ sums,
                                   float *__restrict__ square_sums)
{
    const int i = global_thread();
    if (i < pixels) {
        sums[i] = image[i];
        square_sums[i] = image[i] * image[i];
    }
}

/// Adds up `count` values that lie `stride` apart, a block's worth each; a block leaves its sum where its
/// first value was.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce(int count, int stride, float *__restrict__ sums, float *__restrict__ square_sums)
{
    __shared__ float partial[THREADS];
    __shared__ float square_partial[THREADS];

    const int thread = threadIdx.x;
    const int i = global_thread();

    partial[thread] = i < count ? sums[i * stride] : 0.0f;
    square_partial[thread] = i < count ? square_sums[i * stride] : 0.0f;
    __syncthreads();

    for (int width = 2; width <= THREADS; width *= 2) {
        if ((thread + 1) % width == 0) {
            partial[thread] += partial[thread - width / 2];
            square_partial[thread] += square_partial[thread - width / 2];
        }
        __syncthreads();
    }

    if (thread == THREADS - 1) {
        sums[blockIdx.x * THREADS * stride] = partial[thread];
        square_sums[blockIdx.x * THREADS * stride] = square_partial[thread];
    }
}

/// The four derivatives and the diffusion coefficient of every pixel.
extern "C" __global__ void __launch_bounds__(THREADS)
srad(int rows, int pixels, const int *__restrict__ above, const int *__restrict__ below,
     const int *__restrict__ left, const int *__restrict__ right, float *__restrict__ north,
     float *__restrict__ south, float *__restrict__ west, float *__restrict__ east, float speckle,
     float *__restrict__ coefficients, const float *__restrict__ image)
{
    const int i = global_thread();
    if (i >= pixels)
        return;
    const int row = i % rows;
    const int column = i / rows;

    const float centre = image[i];
    const float to_north = image[above[row] + rows * column] - centre;
    const float to_south = image[below[row] + rows * column] - centre;
    const float to_west = image[row + rows * left[column]] - centre;
    const float to_east = image[row + rows * right[column]] - centre;

    // Squared gradient and Laplacian, both normalized by the pixel.
    const float gradient = (to_north * to_north + to_south * to_south + to_west * to_west + to_east * to_east)
        / (centre * centre);
    const float laplacian = (to_north + to_south + to_west + to_east) / centre;

    // The instantaneous coefficient of variation, squared.
    const float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float denominator = 1.0f + 0.25f * laplacian;
    const float variation = numerator / (denominator * denominator);

    const float excess = (variation - speckle) / (speckle * (1.0f + speckle));
    float coefficient = 1.0f / (1.0f + excess);
    if (coefficient < 0.0f)
        coefficient = 0.0f;
    else if (coefficient > 1.0f)
        coefficient = 1.0f;

    north[i] = to_north;
    south[i] = to_south;
    west[i] = to_west;
    east[i] = to_east;
    coefficients[i] = coefficient;
}

/// The divergence of every pixel, and with it the next image.
extern "C" __global__ void __launch_bounds__(THREADS)
srad2(float rate, int rows, int pixels, const int *__restrict__ below, const int *__restrict__ right,
      const float *__restrict__ north, const float *__restrict__ south, const float *__restrict__ west,
      const float *__restrict__ east, const float *__restrict__ coefficients, float *__restrict__ image)
{
    const int i = global_thread();
    if (i >= pixels)
        return;
    const int row = i % rows;
    const int column = i / rows;

    const float here = coefficients[i];
    const float at_south = coefficients[below[row] + rows * column];
    const float at_east = coefficients[row + rows * right[column]];
    const float divergence = here * north[i] + at_south * south[i] + here * west[i] + at_east * east[i];
    image[i] = image[i] + 0.25f * rate * divergence;
}

extern "C" __global__ void compress(int pixels, float *__restrict__ image)
{
    const int i = global_thread();
    if (i < pixels)
        image[i] = logf(image[i]) * 255.0f;
}
