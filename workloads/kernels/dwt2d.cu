// Two-dimensional discrete wavelet transform, forward: the reversible 5/3 one on integers and the 9/7
// one on floats, as in JPEG 2000. Stands for Rodinia's dwt2d in Table II of the Malekeh paper.
//
// `split_*` turn an RGB image into three planes centred on zero. `forward_*` make one level: a block
// of 64 threads owns 64 columns and walks down its rows in windows of 8. A window is loaded to shared
// memory with a halo of mirrored columns, even and odd columns apart to keep clear of bank conflicts,
// and lifted along its rows there; then each thread takes one column and lifts it downwards, with the
// state of the lifting in registers. The low-low band, a quarter of the plane, is the input of the next
// level; the other three go to their corners of the output.

constexpr int COLUMNS = 64;
constexpr int ROWS = 8;
constexpr int SPLIT_THREADS = 256;

/// The 5/3 transform: two lifting steps, rounded down.
struct Lifting53 {
    typedef int Value;
    static constexpr int STEPS = 2;
    static __device__ __forceinline__ int lift(int step, int value, int before, int after)
    {
        return step == 0 ? value - ((before + after) >> 1) : value + ((before + after + 2) >> 2);
    }
    static __device__ __forceinline__ int scale(int value, bool) { return value; }
};

/// The 9/7 transform of Cohen, Daubechies and Feauveau: four lifting steps and a scaling.
struct Lifting97 {
    typedef float Value;
    static constexpr int STEPS = 4;
    static __device__ __forceinline__ float lift(int step, float value, float before, float after)
    {
        const float factor = step == 0 ? -1.586134342059924f
                           : step == 1 ? -0.052980118572961f
                           : step == 2 ? 0.882911075530934f
                                       : 0.443506852043971f;
        return value + factor * (before + after);
    }
    static __device__ __forceinline__ float scale(float value, bool high)
    {
        return value * (high ? 1.230174104914001f : 1.0f / 1.230174104914001f);
    }
};

/// The sample that stands for index `i` of `size` ones: beyond its ends the signal is mirrored.
__device__ __forceinline__ int mirror(int i, int size)
{
    i = abs(i);
    return i < size ? i : max(2 * (size - 1) - i, 0);
}

/// The lifting of a column from its top to its bottom, two samples at a time.
template <class Lifting>
struct ColumnLifting {
    typename Lifting::Value state[Lifting::STEPS];

    /// Takes the next odd sample and the even one under it; gives the pair of bands
    /// (STEPS / 2 - 1) pairs before.
    __device__ __forceinline__ void push(typename Lifting::Value odd, typename Lifting::Value even,
                                         typename Lifting::Value &low, typename Lifting::Value &high)
    {
        high = even;
        low = Lifting::lift(0, odd, state[0], even);
        #pragma unroll
        for (int step = 1; step < Lifting::STEPS; step++) {
            const typename Lifting::Value next = Lifting::lift(step, state[step - 1], state[step], low);
            state[step - 1] = high;
            high = low;
            low = next;
        }
        state[Lifting::STEPS - 1] = high;
    }
};

/// Rows in shared memory, with their halo; even columns first.
template <class Lifting>
struct Window {
    static constexpr int HALVES = COLUMNS / 2 + Lifting::STEPS;
    typename Lifting::Value samples[ROWS][2][HALVES];

    /// Loads `count` rows from `first_row` on and lifts them along the row.
    __device__ __forceinline__ void fill(const typename Lifting::Value *__restrict__ plane, int width,
                                         int height, int first_column, int first_row, int count)
    {
        for (int i = threadIdx.x; i < 2 * HALVES; i += COLUMNS) {
            const int column = mirror(first_column - Lifting::STEPS + i, width);
            for (int row = 0; row < count; row++)
                samples[row][i & 1][i >> 1] = plane[mirror(first_row + row, height) * width + column];
        }
        __syncthreads();

        // Every step makes the part of the halo that still counts one sample narrower at each end.
        #pragma unroll
        for (int step = 0; step < Lifting::STEPS; step++) {
            const int pairs = COLUMNS / 2 + Lifting::STEPS - 1 - step;
            const int own = (step + 1) & 1;
            for (int i = threadIdx.x; i < count * pairs; i += COLUMNS) {
                const int row = i / pairs;
                const int column = step + 1 + 2 * (i % pairs);
                samples[row][own][column >> 1] = Lifting::lift(step, samples[row][own][column >> 1],
                                                               samples[row][1 - own][(column - 1) >> 1],
                                                               samples[row][1 - own][(column + 1) >> 1]);
            }
            __syncthreads();
        }
    }
};

template <class Lifting>
__device__ __forceinline__ void forward(const typename Lifting::Value *__restrict__ plane, int width,
                                        int height, typename Lifting::Value *__restrict__ low_band,
                                        int low_stride, typename Lifting::Value *__restrict__ bands,
                                        int stride, int windows)
{
    typedef typename Lifting::Value Value;
    constexpr int STEPS = Lifting::STEPS;
    __shared__ Window<Lifting> window;

    const int first_column = blockIdx.x * COLUMNS;
    const int first_row = blockIdx.y * windows * ROWS;

    // The first half of the block takes the even columns, the second half the odd ones.
    const int half = threadIdx.x / (COLUMNS / 2);
    const int place = threadIdx.x % (COLUMNS / 2) + STEPS / 2;
    const int column = first_column + 2 * (threadIdx.x % (COLUMNS / 2)) + half;
    const bool high_columns = half == 1;
    const int target = column / 2 + (high_columns ? (width + 1) / 2 : 0);

    // The rows above the block bring the lifting into its state.
    ColumnLifting<Lifting> lifting = {};
    Value low, high;
    window.fill(plane, width, height, first_column, first_row - STEPS, 2 * STEPS - 1);
    lifting.state[0] = window.samples[0][half][place];
    #pragma unroll
    for (int row = 1; row < 2 * STEPS - 1; row += 2)
        lifting.push(window.samples[row][half][place], window.samples[row + 1][half][place], low, high);
    __syncthreads();

    for (int i = 0; i < windows; i++) {
        const int top = first_row + i * ROWS;
        if (top >= height)
            break;
        window.fill(plane, width, height, first_column, top + STEPS - 1, ROWS);

        #pragma unroll
        for (int row = 0; row < ROWS; row += 2) {
            lifting.push(window.samples[row][half][place], window.samples[row + 1][half][place], low, high);
            low = Lifting::scale(Lifting::scale(low, high_columns), false);
            high = Lifting::scale(Lifting::scale(high, high_columns), true);

            const int low_row = (top + row) / 2;
            const int high_row = (height + 1) / 2 + low_row;
            if (column < width && top + row < height) {
                if (high_columns)
                    bands[low_row * stride + target] = low;
                else
                    low_band[low_row * low_stride + target] = low;
            }
            if (column < width && top + row + 1 < height)
                bands[high_row * stride + target] = high;
        }
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(COLUMNS)
forward_53(const int *__restrict__ plane, int width, int height, int *__restrict__ low_band, int low_stride,
           int *__restrict__ bands, int stride, int windows)
{
    forward<Lifting53>(plane, width, height, low_band, low_stride, bands, stride, windows);
}

extern "C" __global__ void __launch_bounds__(COLUMNS)
forward_97(const float *__restrict__ plane, int width, int height, float *__restrict__ low_band,
           int low_stride, float *__restrict__ bands, int stride, int windows)
{
    forward<Lifting97>(plane, width, height, low_band, low_stride, bands, stride, windows);
}

__device__ __forceinline__ void centre(unsigned char sample, int &value) { value = sample - 128; }
__device__ __forceinline__ void centre(unsigned char sample, float &value) { value = sample / 255.0f - 0.5f; }

template <class Value>
__device__ __forceinline__ void split(const unsigned char *__restrict__ image, int pixels,
                                      Value *__restrict__ red, Value *__restrict__ green,
                                      Value *__restrict__ blue)
{
    __shared__ unsigned char samples[3 * SPLIT_THREADS];

    // Loads run along the image, a byte per thread; then each thread takes the three of its pixel.
    const int first = blockIdx.x * SPLIT_THREADS;
    #pragma unroll
    for (int i = threadIdx.x; i < 3 * SPLIT_THREADS; i += SPLIT_THREADS) {
        if (3 * first + i < 3 * pixels)
            samples[i] = image[3 * first + i];
    }
    __syncthreads();

    const int pixel = first + threadIdx.x;
    if (pixel >= pixels)
        return;
    centre(samples[3 * threadIdx.x], red[pixel]);
    centre(samples[3 * threadIdx.x + 1], green[pixel]);
    centre(samples[3 * threadIdx.x + 2], blue[pixel]);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
split_53(const unsigned char *__restrict__ image, int pixels, int *__restrict__ red, int *__restrict__ green,
         int *__restrict__ blue)
{
    split(image, pixels, red, green, blue);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
split_97(const unsigned char *__restrict__ image, int pixels, float *__restrict__ red,
         float *__restrict__ green, float *__restrict__ blue)
{
    split(image, pixels, red, green, blue);
}
