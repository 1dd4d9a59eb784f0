// Control flow and the stack: divergence, switches, calls, recursion, local arrays, generic pointers.

#define UNARY(name) extern "C" __global__ void name(const int *in, int *out)
#define ELEMENT const unsigned i = blockIdx.x * blockDim.x + threadIdx.x

// A jump through a table, in a loop; case 2 falls through to case 3.
UNARY(jump_table) {
    ELEMENT;
    int sum = in[i];
#pragma unroll 1
    for (int round = 0; round < 6; ++round) {
        const unsigned which = (unsigned)sum % 5;
        asm volatile("{ .reg .u32 t;\n"
                     "targets: .branchtargets case0, case1, case2, case3, case4;\n"
                     "brx.idx %1, targets;\n"
                     "case0: add.s32 %0, %0, 7; bra.uni done;\n"
                     "case1: mul.lo.s32 %0, %0, 3; bra.uni done;\n"
                     "case2: xor.b32 %0, %0, 21845;\n"
                     "case3: popc.b32 t, %0; sub.s32 %0, t, %0; bra.uni done;\n"
                     "case4: shr.s32 %0, %0, 1;\n"
                     "done: }"
                     : "+r"(sum)
                     : "r"(which));
    }
    out[i] = sum;
}

__device__ __noinline__ int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++steps;
    }
    return steps;
}

// A call, reached by some lanes only, with loops that each lane leaves at its own time.
UNARY(calls) {
    ELEMENT;
    const int a = in[i] & 0x3ff;
    int sum = 0;
    if (a % 3 == 0)
        sum = collatz(a + 1);
    for (int j = 0; j < a % 5; ++j)
        sum += collatz(a + j + 1) * 1000;
    out[i] = sum;
}

__device__ __noinline__ int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

UNARY(recursion) {
    ELEMENT;
    out[i] = ackermann(in[i] & 1, in[i] >> 1 & 3);
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

UNARY(tree_recursion) {
    ELEMENT;
    out[i] = fibonacci(in[i] & 7);
}

// By halves.
__device__ __noinline__ unsigned weight(const unsigned *row, int from, int count) {
    if (count == 1)
        return row[from] * (from + 1);
    return weight(row, from, count / 2) + weight(row, from + count / 2, count - count / 2);
}

// More than a kilobyte of its own below the calls.
UNARY(recursion_over_a_large_frame) {
    ELEMENT;
    unsigned row[600];
#pragma unroll 1
    for (int j = 0; j < 600; ++j)
        row[j] = in[i] * j ^ j;
    out[i] = weight(row, 0, 600);
}

// Insertion sort in local memory.
UNARY(local_array) {
    ELEMENT;
    int values[16];
    for (int j = 0; j < 16; ++j)
        values[j] = in[i] * (j * 40503 + 1) >> 3;
    for (int j = 1; j < 16; ++j) {
        const int value = values[j];
        int place = j;
        for (; place > 0 && values[place - 1] > value; --place)
            values[place] = values[place - 1];
        values[place] = value;
    }
    out[i] = values[in[i] & 15] ^ values[8];
}

__device__ __noinline__ void add_to(int *place, int value) { *place += value; }

// The same store to global, shared and local memory through one pointer.
UNARY(generic_pointers) {
    __shared__ int tile[64];
    ELEMENT;
    int local[4] = {in[i], in[i] + 1, in[i] + 2, in[i] + 3};
    tile[threadIdx.x] = in[i] * 2;
    out[i] = 1;
    int *places[3] = {&tile[threadIdx.x], &local[in[i] & 3], &out[i]};
    add_to(places[(unsigned)in[i] % 3], 1000);
    out[i] += tile[threadIdx.x] * 3 + local[in[i] & 3];
}

__device__ int triple(int a) { return a * 3; }
__device__ int square(int a) { return a * a; }
__device__ int negate(int a) { return -a; }
__device__ int (*const functions[])(int) = {triple, square, negate};

UNARY(function_pointers) {
    ELEMENT;
    out[i] = functions[(unsigned)in[i] % 3](in[i]);
}

// Nested conditions, loops left and continued at different times, early return.
UNARY(divergence) {
    ELEMENT;
    const int a = in[i];
    if (a % 11 == 0) {
        out[i] = -5;
        return;
    }
    int sum = 0;
    for (int j = 0; j < (a & 31); ++j) {
        if (j % 4 == a % 4)
            continue;
        if (j * j > (a & 0xff))
            break;
        for (int k = j; k > 0; k -= 3) {
            if ((k ^ a) % 7 == 0)
                break;
            sum += in[(i + k) % 128] & 15;
            if (sum > 500) {
                out[i] = sum;
                return;
            }
        }
        sum += a & 1 ? j : -j;
    }
    do {
        sum = sum * 5 + 1;
    } while ((sum & 7) != 0 && sum < 100000);
    out[i] = sum;
}

// A loop that waits for no one: each lane ends its own way, with a barrier in between.
UNARY(barrier_after_exit) {
    __shared__ int tile[128];
    const int a = in[threadIdx.x];
    tile[threadIdx.x] = a;
    if (a % 5 == 0)
        return;
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x] + __popc(__activemask());
    if (a % 5 == 1)
        return;
    __syncthreads();
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__device__ int table[4] = {10, 20, 30, 40};
__device__ int zeroed[4];
__constant__ int scales[4] = {1, 2, 3, 4};
__constant__ int *within_table = table + 1;
__device__ int *within_zeroed = &zeroed[2];

// Variables, by name and through pointers that the listing initialises.
UNARY(variables) {
    ELEMENT;
    const int a = in[i] & 3;
    out[i] = table[a] * scales[a] + *within_table * 1000;
    if (i == 0)
        *within_zeroed = 7;
}
