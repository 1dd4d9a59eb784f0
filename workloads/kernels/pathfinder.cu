// Pathfinder: the cheapest way from the top row of a grid to its bottom row, where each step goes one
// row down and at most one column sideways. Stands for Rodinia's pathfinder in Table II of the Malekeh
// paper.
//
// Dynamic programming, blocked as a pyramid: one launch advances `iterations` rows. A thread block
// keeps one row of costs in shared memory, a column per thread; each row invalidates one more column
// at both ends, so that blocks overlap by `border` = `iterations` columns a side and exchange nothing
// until the next launch.

constexpr int BLOCK = 256;

__device__ __forceinline__ bool within(int value, int low, int high) { return value >= low && value <= high; }

extern "C" __global__ void __launch_bounds__(BLOCK)
advance(int iterations, const int *__restrict__ wall, const int *__restrict__ source,
        int *__restrict__ result, int columns, int start_row, int border)
{
    __shared__ int previous[BLOCK];
    __shared__ int current[BLOCK];

    const int thread = threadIdx.x;

    // Columns that this block reads; it writes those that are `border` or more away from both ends.
    const int useful = BLOCK - 2 * border;
    const int first = useful * blockIdx.x - border;
    const int last = first + BLOCK - 1;
    const int column = first + thread;

    // Threads whose column is in the grid.
    const int valid_first = first < 0 ? -first : 0;
    const int valid_last = last > columns - 1 ? BLOCK - 1 - (last - columns + 1) : BLOCK - 1;

    const int west = max(thread - 1, valid_first);
    const int east = min(thread + 1, valid_last);
    const bool valid = within(thread, valid_first, valid_last);

    if (valid)
        previous[thread] = source[column];
    __syncthreads();

    bool computed = false;
    for (int step = 0; step < iterations; step++) {
        computed = valid && within(thread, step + 1, BLOCK - 2 - step);
        if (computed) {
            const int shortest = min(min(previous[west], previous[thread]), previous[east]);
            current[thread] = shortest + wall[columns * (start_row + step) + column];
        }
        __syncthreads();
        if (step == iterations - 1)
            break;
        if (computed)
            previous[thread] = current[thread];
        __syncthreads();
    }

    if (computed && within(thread, border, BLOCK - 1 - border))
        result[column] = current[thread];
}
