// Convolution by 3x3 filters on the tensor cores (DeepBench's, stride 1, zero padding 1, NHWC), as
// implicit matrix products: operands are gathered from the image while they are loaded, no matrix of
// patches is ever stored.
//
//   forward:         outputs[pixel][filter] = sum over tap and channel of
//                        image[pixel at tap][channel] * filters[filter][tap][channel]
//   data gradient:   image[pixel][channel] = sum over tap and filter of
//                        outputs[pixel opposite tap][filter] * filters[filter][tap][channel]
//   weight gradient: filters[filter][tap][channel] = sum over pixel of
//                        outputs[pixel][filter] * image[pixel at tap][channel]
//
// A tap is one of the filter's nine places, numbered row by row. What K runs over besides taps (channels
// or filters) is a multiple of 32 halves or 64 bytes; what runs along the result's rows, of eight.
// Grid: columns / N by rows / M of the product.
#include "gemm.cuh"

constexpr int Taps = 9;

// Where a pixel (counted through images, rows and columns) has neighbours: bit t is set if tap t of a
// filter centred on it lies inside the image.
__device__ inline unsigned taps_inside(int row, int column, int height, int width) {
    unsigned taps = 0;
#pragma unroll
    for (int tap = 0; tap < Taps; ++tap) {
        const int y = row + tap / 3 - 1, x = column + tap % 3 - 1;
        taps |= (y >= 0 && y < height && x >= 0 && x < width) << tap;
    }
    return taps;
}

// Reads the matrix of patches with a row per pixel: along it the nine taps, and the channels of each.
template <class Element, int Extent, int Threads>
struct Patches : OperandTile<Rows::AlongK, Extent, Threads> {
    using Layout = OperandTile<Rows::AlongK, Extent, Threads>;

    const Element *source;        // this thread's chunk of the step, if its pixels were centred on tap 0
    int channels;
    int row_wrap;                 // elements from the end of a row of taps to the start of the next
    int channel = 0, tap = 0;     // of the step
    unsigned taps[Layout::Count]; // inside the image, for each of the thread's pixels

    __device__ Patches(const Element *image, int start, int pixels, int height, int width, int channels)
        : channels(channels), row_wrap((width - 3) * channels) {
        const int first = start + Layout::row();
        source = image + (first - width - 1) * channels + Layout::column() * ChunkElements<Element>;
#pragma unroll
        for (int i = 0; i < Layout::Count; ++i) {
            const int pixel = first + i * Layout::RowStep;
            taps[i] = pixel < pixels ? taps_inside(pixel / width % height, pixel % width, height, width) : 0;
        }
    }

    __device__ void next(uint4 (&chunks)[Layout::Count]) {
        constexpr int StepElements = StepChunks * ChunkElements<Element>;
#pragma unroll
        for (int i = 0; i < Layout::Count; ++i) {
            chunks[i] = make_uint4(0, 0, 0, 0);
            if (taps[i] >> tap & 1)
                chunks[i] = *reinterpret_cast<const uint4 *>(source + i * Layout::RowStep * channels);
        }
        // The three taps of a row are neighbours in memory.
        source += StepElements;
        channel += StepElements;
        if (channel == channels) {
            channel = 0;
            ++tap;
            if (tap % 3 == 0) source += row_wrap;
        }
    }
};

// Reads the matrix of patches with a row per pixel, where K runs over the pixels: each thread has one
// tap and eight channels, of pixels that change with every step.
template <int Extent, int Threads>
struct PatchesAcross : OperandTile<Rows::AcrossK, Extent, Threads> {
    using Layout = OperandTile<Rows::AcrossK, Extent, Threads>;

    const __half *source; // this thread's chunk of the first pixel's neighbour
    int pixel;            // of the step's first chunk
    int pixels, height, width, channels;
    int down, right;      // from a pixel to its neighbour at this thread's tap
    bool inside;          // of the matrix

    __device__ PatchesAcross(const __half *image, int start, int pixels, int height, int width, int channels)
        : pixel(Layout::row()), pixels(pixels), height(height), width(width), channels(channels) {
        const int column = start + Layout::column() * 8;
        const int tap = column / channels;
        down = tap / 3 - 1, right = tap % 3 - 1;
        source = image + (down * width + right) * channels + column % channels;
        inside = tap < Taps;
    }

    __device__ void next(uint4 (&chunks)[Layout::Count]) {
#pragma unroll
        for (int i = 0; i < Layout::Count; ++i) {
            const int at = pixel + i * Layout::RowStep;
            const int y = at / width % height + down, x = at % width + right;
            chunks[i] = make_uint4(0, 0, 0, 0);
            if (inside && at < pixels && y >= 0 && y < height && x >= 0 && x < width) {
                chunks[i] = *reinterpret_cast<const uint4 *>(source + at * channels);
            }
        }
        pixel += StepChunks * 8;
    }
};

// Reads the filters as a matrix with a row per tap and filter, taps backwards, and the channels along it.
template <int Extent, int Threads>
struct FlippedFilters : OperandTile<Rows::AcrossK, Extent, Threads> {
    using Layout = OperandTile<Rows::AcrossK, Extent, Threads>;

    const __half *source;
    int filters, channels;
    int filter = 0, tap = Taps - 1; // of the step
    bool inside;                    // of the matrix

    __device__ FlippedFilters(const __half *weights, int start, int filters, int channels)
        : filters(filters), channels(channels) {
        const int channel = start + Layout::column() * 8;
        source = weights + (Layout::row() * Taps + tap) * channels + channel;
        inside = channel < channels;
    }

    __device__ void next(uint4 (&chunks)[Layout::Count]) {
#pragma unroll
        for (int i = 0; i < Layout::Count; ++i) {
            chunks[i] = make_uint4(0, 0, 0, 0);
            if (inside && tap >= 0) {
                chunks[i] = *reinterpret_cast<const uint4 *>(source + i * Layout::RowStep * Taps * channels);
            }
        }
        constexpr int StepFilters = StepChunks * 8;
        source += StepFilters * Taps * channels;
        filter += StepFilters;
        if (filter == filters) {
            filter = 0;
            --tap;
            source -= (filters * Taps + 1) * channels;
        }
    }
};

template <class Math, class Tile, class Output>
__device__ void forward(const typename Math::Element *image, const typename Math::Element *filters,
                        Output *outputs, int images, int height, int width, int channels, int filter_count) {
    using Element = typename Math::Element;
    const int pixels = images * height * width, depth = Taps * channels;
    const Patches<Element, Tile::BlockM, Tile::Threads> patches(image, blockIdx.y * Tile::BlockM, pixels,
                                                                height, width, channels);
    const MatrixOperand<Element, Rows::AlongK, Tile::BlockN, Tile::Threads> weights(
        filters, blockIdx.x * Tile::BlockN, filter_count, depth, depth);
    multiply_tile<Math, Tile>(patches, weights, depth / (StepChunks * ChunkElements<Element>), outputs,
                              pixels, filter_count);
}

using ConvolutionTile = Tile<128, 64, 64, 32>;

extern "C" __global__ void __launch_bounds__(ConvolutionTile::Threads)
    conv_fwd(const __half *__restrict__ image, const __half *__restrict__ filters,
             __half *__restrict__ outputs, int images, int height, int width, int channels,
             int filter_count) {
    forward<HalfMath, ConvolutionTile>(image, filters, outputs, images, height, width, channels,
                                       filter_count);
}

extern "C" __global__ void __launch_bounds__(ConvolutionTile::Threads)
    conv_int8(const signed char *__restrict__ image, const signed char *__restrict__ filters,
              int *__restrict__ outputs, int images, int height, int width, int channels, int filter_count) {
    forward<Int8Math, ConvolutionTile>(image, filters, outputs, images, height, width, channels,
                                       filter_count);
}

// What reaches a pixel through tap t comes from its neighbour at the opposite tap: the outputs' gradient
// is convolved with the filters turned by half a turn.
template <class Math, class Tile>
__device__ void data_gradient(const __half *outputs, const __half *filters, __half *image, int images,
                              int height, int width, int channels, int filter_count) {
    const int pixels = images * height * width;
    const Patches<__half, Tile::BlockM, Tile::Threads> patches(outputs, blockIdx.y * Tile::BlockM, pixels,
                                                               height, width, filter_count);
    const FlippedFilters<Tile::BlockN, Tile::Threads> weights(filters, blockIdx.x * Tile::BlockN,
                                                              filter_count, channels);
    multiply_tile<Math, Tile>(patches, weights, Taps * filter_count / (StepChunks * 8), image, pixels,
                              channels);
}

template <class Math, class Tile, class Output>
__device__ void weight_gradient(const __half *outputs, const __half *image, Output *filters, int images,
                                int height, int width, int channels, int filter_count) {
    const int pixels = images * height * width;
    const MatrixOperand<__half, Rows::AcrossK, Tile::BlockM, Tile::Threads> gradients(
        outputs, blockIdx.y * Tile::BlockM, filter_count, pixels, filter_count);
    const PatchesAcross<Tile::BlockN, Tile::Threads> patches(image, blockIdx.x * Tile::BlockN, pixels, height,
                                                             width, channels);
    multiply_tile<Math, Tile>(gradients, patches, (pixels + StepChunks * 8 - 1) / (StepChunks * 8), filters,
                              filter_count, Taps * channels);
}

#define GRADIENTS(Suffix, Math, Sum)                                                                      \
    extern "C" __global__ void __launch_bounds__(ConvolutionTile::Threads)                                \
        conv_dgrad##Suffix(const __half *__restrict__ outputs, const __half *__restrict__ filters,        \
                           __half *__restrict__ image, int images, int height, int width, int channels,   \
                           int filter_count) {                                                            \
        data_gradient<Math, ConvolutionTile>(outputs, filters, image, images, height, width, channels,    \
                                             filter_count);                                               \
    }                                                                                                     \
    extern "C" __global__ void __launch_bounds__(ConvolutionTile::Threads)                                \
        conv_wgrad##Suffix(const __half *__restrict__ outputs, const __half *__restrict__ image,          \
                           Sum *__restrict__ filters, int images, int height, int width, int channels,    \
                           int filter_count) {                                                            \
        weight_gradient<Math, ConvolutionTile>(outputs, image, filters, images, height, width, channels,  \
                                               filter_count);                                             \
    }

GRADIENTS(, HalfMath, float)

// With half-precision sums, stored as such.
GRADIENTS(_f16, HalfSumMath, __half)

extern "C" __global__ void __launch_bounds__(ConvolutionTile::Threads)
    conv_fwd_f16(const __half *__restrict__ image, const __half *__restrict__ filters,
                 __half *__restrict__ outputs, int images, int height, int width, int channels,
                 int filter_count) {
    forward<HalfSumMath, ConvolutionTile>(image, filters, outputs, images, height, width, channels,
                                          filter_count);
}
