// Four-point stencil: every inner point of `out` is the mean of its four neighbours in `in`.
//
// A thread walks down a column. The point below becomes the point itself and then the one above, so
// three values stay in registers, and each is read from memory once per thread.

extern "C" __global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int width,
                                   int rows) {
    int x = 1 + blockIdx.x * blockDim.x + threadIdx.x;
    int first = 1 + blockIdx.y * rows;
    if (x >= width - 1) {
        return;
    }
    float above = in[(first - 1) * width + x];
    float here = in[first * width + x];
    for (int y = first; y < first + rows; ++y) {
        float left = in[y * width + x - 1];
        float right = in[y * width + x + 1];
        float below = in[(y + 1) * width + x];
        out[y * width + x] = 0.25f * (above + below + left + right);
        above = here;
        here = below;
    }
}
