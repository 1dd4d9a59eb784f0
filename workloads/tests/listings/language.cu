// What C++ has and kernels seldom use: wide integers, bit fields, jumps into loops, virtual bases, pointers to members,
// tables of functions, structs by value, recursion in circles, spilled registers, inline PTX.

#define KERNEL extern "C" __global__ void
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL wide_integers(const unsigned long long *in, unsigned long long *out) {
    const unsigned i = AT;
    const unsigned __int128 a = (unsigned __int128)in[4 * i] << 64 | in[4 * i + 1];
    const unsigned __int128 b = (unsigned __int128)in[4 * i + 2] << 64 | in[4 * i + 3];
    const __int128 c = (__int128)a;
    const unsigned __int128 results[6] = {a * b, a / (b | 1), a % (b | 1), a - b, (unsigned __int128)(c >> (b & 127)),
                                          a < b ? a << (b & 63) : b};
    for (int j = 0; j < 6; ++j) {
        out[12 * i + 2 * j] = (unsigned long long)(results[j] >> 64);
        out[12 * i + 2 * j + 1] = (unsigned long long)results[j];
    }
}

struct Fields {
    unsigned a : 5;
    int b : 11;
    unsigned long long c : 37;
    signed char d : 3;
    bool e : 1;
};

__device__ __noinline__ void advance(Fields *fields, unsigned by) {
    fields->a += by;
    fields->b -= by;
    fields->c += (unsigned long long)by << 20;
    fields->d += by;
    fields->e ^= by & 1;
}

KERNEL bit_fields(const unsigned *in, long long *out) {
    const unsigned i = AT;
    Fields fields = {};
    for (unsigned round = 0; round < 3; ++round)
        advance(&fields, in[i] >> round);
    long long *to = out + 5 * i;
    to[0] = fields.a;
    to[1] = fields.b;
    to[2] = fields.c;
    to[3] = fields.d;
    to[4] = fields.e;
}

// A loop that is entered in its middle.
KERNEL entered_in_the_middle(const unsigned *in, unsigned *out) {
    const unsigned i = AT;
    unsigned count = in[i] % 37 + 1, hash = in[i], rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            hash = hash * 31 + 7;
        case 3:
            hash ^= hash >> 5;
        case 2:
            hash += hash << 3;
        case 1:
            hash = hash * 17 + rounds;
        } while (--rounds > 0);
    }
    out[i] = hash;
}

// Two loops that jump into each other.
KERNEL irreducible(const unsigned *in, unsigned *out) {
    const unsigned i = AT;
    unsigned a = in[i] % 100, b = in[i] / 100 % 100, steps = 0;
    if (a & 1)
        goto second;
first:
    while (a > 3) {
        a -= 3;
        ++steps;
        if (b > a)
            goto second;
    }
    goto end;
second:
    while (b > 5) {
        b -= 5;
        steps += 100;
        if (a > b + 7)
            goto first;
    }
    if (a > 50)
        goto first;
end:
    out[i] = steps * 10000 + a * 100 + b;
}

struct Shape {
    int id;
    __device__ Shape(int id) : id(id) {}
    __device__ virtual int area() const { return id; }
    __device__ virtual ~Shape() {}
};
struct Sized : virtual Shape {
    int width;
    __device__ Sized(int width) : Shape(1), width(width) {}
    __device__ int area() const override { return width * width; }
};
struct Named : virtual Shape {
    int name;
    __device__ Named(int name) : Shape(2), name(name) {}
    __device__ virtual int named() const { return name + id; }
};
struct Both : Sized, Named {
    __device__ Both(int width, int name) : Shape(3), Sized(width), Named(name) {}
    __device__ int area() const override { return width * name; }
    __device__ int named() const override { return Named::named() * 2; }
};

__device__ __noinline__ int ask(const Shape *shape, const Named *named) {
    return shape->area() * 1000 + (named ? named->named() : 0);
}

KERNEL virtual_bases(const int *in, int *out) {
    const unsigned i = AT;
    const int x = in[i];
    Sized sized(x);
    Named named(x + 1);
    Both both(x, x + 2);
    Shape plain(x);
    switch (x % 4) {
    case 0:
        out[i] = ask(&sized, nullptr);
        break;
    case 1:
        out[i] = ask(&named, &named);
        break;
    case 2:
        out[i] = ask(&both, &both);
        break;
    default:
        out[i] = ask(&plain, nullptr);
    }
}

struct Counter {
    int value, step;
    __device__ __noinline__ int up(int by) { return value += by * step; }
    __device__ __noinline__ int down(int by) { return value -= by + step; }
    __device__ __noinline__ int twice(int) { return value *= 2; }
};
typedef int (Counter::*Change)(int);
__device__ const Change changes[3] = {&Counter::up, &Counter::down, &Counter::twice};

KERNEL pointers_to_members(const int *in, int *out) {
    const unsigned i = AT;
    Counter counter = {in[i], 3};
    int Counter::*const fields[2] = {&Counter::value, &Counter::step};
    for (int round = 0; round < 5; ++round) {
        (counter.*changes[(in[i] + round) % 3])(round);
        counter.*fields[in[i] >> round & 1] += 1;
    }
    out[2 * i] = counter.value;
    out[2 * i + 1] = counter.step;
}

typedef float (*Function)(float);
__device__ __noinline__ float half_of(float x) { return 0.5f * x; }
__device__ __noinline__ float square_of(float x) { return x * x; }
__device__ __noinline__ float one_more(float x) { return x + 1.0f; }
__device__ Function functions[3] = {half_of, square_of, one_more};

KERNEL tables_of_functions(const float *in, const int *which, float *out) {
    const unsigned i = AT;
    float x = in[i];
    for (int digits = which[i]; digits; digits /= 3)
        x = functions[digits % 3](x);
    out[i] = x;
}

template <class... Values> __device__ int folded(Values... values) {
    const auto weigh = [sum = 0](int value) mutable { return sum = sum * 10 + value; };
    auto last = weigh;
    int result = 0;
    ((result = last(values)), ...);
    return result + (0 + ... + values) * (int)sizeof...(values);
}

KERNEL packs_and_closures(const int *in, int *out) {
    const unsigned i = AT;
    out[i] = folded(in[i], 2, in[i] * 3, -4) + folded(in[i]);
}

struct Matrix {
    double cells[3][3];
};

__device__ __noinline__ Matrix multiplied(Matrix a, Matrix b) {
    Matrix c = {};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                c.cells[i][j] += a.cells[i][k] * b.cells[k][j];
    return c;
}

KERNEL structs_by_value(const Matrix *in, Matrix *out, int power) {
    const unsigned i = AT;
    Matrix result = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int round = 0; round < power; ++round)
        result = multiplied(result, in[i]);
    out[i] = result;
}

__device__ int odd_steps(int n);
__device__ __noinline__ int even_steps(int n) { return n <= 1 ? n : 1 + (n % 3 ? odd_steps(n / 2) : even_steps(n - 3)); }
__device__ __noinline__ int odd_steps(int n) {
    int local[4] = {n, n + 1, n + 2, n + 3};
    return n <= 0 ? 0 : local[n & 3] % 5 + even_steps(local[0] - 1);
}

KERNEL recursion_in_circles(const int *in, int *out) { out[AT] = even_steps(in[AT]); }

__device__ __noinline__ int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

KERNEL deep_recursion(const int *in, int *out) { out[AT] = ackermann(in[AT] % 3, in[AT] % 5); }

// Text of the number, right to left, then its digits sorted.
KERNEL bytes_of_the_stack(const unsigned *in, char *out) {
    char text[16];
    unsigned number = in[AT], count = 0;
    do
        text[count++] = '0' + number % 10;
    while (number /= 10);
    for (unsigned i = 1; i < count; ++i)
        for (unsigned j = i; j && text[j - 1] > text[j]; --j) {
            const char other = text[j];
            text[j] = text[j - 1];
            text[j - 1] = other;
        }
    char *to = out + 16 * AT;
    for (unsigned i = 0; i < 16; ++i)
        to[i] = i < count ? text[i] : 0;
}

// Values that do not fit into the registers that a thread is left.
extern "C" __global__ void __maxnreg__(24) spilled(const unsigned *in, unsigned *out) {
    unsigned values[40];
#pragma unroll
    for (int i = 0; i < 40; ++i)
        values[i] = in[(threadIdx.x + i * 17) % blockDim.x] * (i + 1);
#pragma unroll
    for (int round = 0; round < 3; ++round)
#pragma unroll
        for (int i = 0; i < 40; ++i)
            values[i] = values[i] * 5 + (values[(i + 13) % 40] ^ values[(i + 29) % 40] >> round);
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < 40; ++i)
        sum = sum * 3 + values[i];
    out[threadIdx.x] = sum;
}

struct Row {
    short key;
    double weight;
    unsigned char flags[3];
};
__constant__ Row rows[5] = {{-3, 0.5, {1, 2, 3}}, {7, -1.25, {4, 5, 6}}, {100, 3.0, {7, 8, 9}},
                            {-100, 0.125, {250, 251, 252}}, {0, 9.0, {0, 0, 1}}};

KERNEL rows_of_constants(const int *in, double *out) {
    const Row &row = rows[in[AT] % 5];
    out[AT] = row.key * row.weight + row.flags[in[AT] % 3];
}

// Parts of the dynamic shared memory of several types, from its end to its beginning.
KERNEL carved_shared_memory(const int *in, double *out) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned n = blockDim.x, i = threadIdx.x;
    double *sums = (double *)memory;
    short *halves = (short *)(sums + n);
    unsigned char *bytes = (unsigned char *)(halves + n);
    bytes[i] = in[i];
    halves[n - 1 - i] = in[i] * 3;
    __syncthreads();
    sums[i] = bytes[(i + 1) % n] + 0.25 * halves[i];
    __syncthreads();
    out[i] = sums[i] - sums[n - 1 - i];
}

// Chains of carries, fields of bits, and ways to choose bytes.
KERNEL inline_ptx(const unsigned *in, unsigned *out) {
    const unsigned i = AT, a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    unsigned *to = out + 14 * i;
    asm("{ add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %5, %3; }"
        : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]) : "r"(a), "r"(b), "r"(c));
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(to[3]) : "r"(a), "r"(b & 63), "r"(c & 63));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(to[4]) : "r"(a), "r"(b & 31), "r"(c & 31));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(to[5]) : "r"(a), "r"(b), "r"(c & 31), "r"(a & 31));
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(to[6]) : "r"(a), "r"(b), "r"(c));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(to[7]) : "r"(a), "r"(b), "r"(c & 3));
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(to[8]) : "r"(a), "r"(b), "r"(c & 0xffff));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(to[9]) : "r"(a), "r"(b), "r"(c));
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(to[10]) : "r"(a), "r"(b), "r"(c & 63));
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(to[11]) : "r"(a), "r"(b), "r"(c));
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(to[12]) : "r"(a), "r"(b), "r"(c));
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(to[13]) : "r"(a), "r"(b & 31), "r"(1 + (c & 3)));
}

// Every way to load and store past the caches.
KERNEL hinted_accesses(const int4 *in, int4 *out) {
    const unsigned i = AT;
    const int4 a = __ldg(in + i), b = __ldcs(in + i), c = __ldcg(in + i), d = __ldca(in + i), e = __ldlu(in + i);
    const int f = __ldcv((const int *)(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    const int4 sum = make_int4(a.x + b.y, c.z + d.w, e.x * f, 7);
    __stcs(out + 4 * i, sum);
    __stcg(out + 4 * i + 1, a);
    __stwb(out + 4 * i + 2, b);
    __stwt(out + 4 * i + 3, c);
}

// The last block to arrive adds up what all left.
__device__ unsigned arrived;

KERNEL last_block_adds(const int *in, int *partial, int *out) {
    __shared__ int sums[64];
    __shared__ bool last;
    sums[threadIdx.x] = in[AT];
    for (unsigned distance = 32; distance; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance)
            sums[threadIdx.x] += sums[threadIdx.x + distance];
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned block = 0; block < gridDim.x; ++block)
            sum += ((volatile int *)partial)[block];
        *out = sum;
    }
}

// One atomic operation for all lanes of a warp that append to the same list.
KERNEL aggregated_append(const int *in, unsigned *lengths, int *lists, unsigned capacity) {
    const unsigned i = AT, lane = threadIdx.x % 32;
    const int list = in[i] % 5;
    if (in[i] % 7 == 0)
        return;
    const unsigned peers = __match_any_sync(__activemask(), list);
    const unsigned leader = __ffs(peers) - 1;
    unsigned start = 0;
    if (lane == leader)
        start = atomicAdd(lengths + list, __popc(peers));
    start = __shfl_sync(peers, start, leader);
    lists[list * capacity + start + __popc(peers & ((1u << lane) - 1))] = in[i];
}

// Random numbers from a counter: ten rounds of Philox.
KERNEL philox(uint4 *out, unsigned key0, unsigned key1) {
    uint4 c = make_uint4(AT, 0, 7, 11);
    for (int round = 0; round < 10; ++round, key0 += 0x9e3779b9, key1 += 0xbb67ae85)
        c = make_uint4(__umulhi(0xcd9e8d57, c.z) ^ c.y ^ key0, 0xcd9e8d57 * c.z,
                       __umulhi(0xd2511f53, c.x) ^ c.w ^ key1, 0xd2511f53 * c.x);
    out[AT] = c;
}

// Parts of numbers, and remainders.
KERNEL parts_of_numbers(const double *in, double *out) {
    const double x = in[2 * AT], y = in[2 * AT + 1];
    double *to = out + 8 * AT, whole;
    int exponent, quotient;
    to[0] = frexp(x, &exponent) + exponent;
    to[1] = ldexp(x, (int)y % 40);
    to[2] = fmod(x, y);
    to[3] = remquo(x, y, &quotient);
    to[4] = modf(x, &whole) * 2 + whole;
    to[5] = ilogb(x);
    to[6] = nextafter(x, y);
    to[7] = copysign(fdim(x, y), y) + (signbit(x) ? 1 : 0) + (isfinite(y) ? 2 : 0);
}

// More parameters than fit where parameters usually start.
struct Long {
    int weights[1200];
};

KERNEL long_parameter(const __grid_constant__ Long list, const int *in, int *out) {
    out[AT] = list.weights[in[AT] % 1200u] + list.weights[1199] * 3;
}
