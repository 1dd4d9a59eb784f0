// Integer arithmetic, one expression per kernel: each thread applies it to its elements.

#define UNARY(name, T, R, expression)                                                                       \
    extern "C" __global__ void name(const T *in, R *out) {                                                  \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        const T a = in[i];                                                                                  \
        out[i] = expression;                                                                                \
    }

#define BINARY(name, T, R, expression)                                                                      \
    extern "C" __global__ void name(const T *first, const T *second, R *out) {                              \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                           \
        const T a = first[i], b = second[i];                                                                \
        out[i] = expression;                                                                                \
    }

typedef long long i64;
typedef unsigned long long u64;

BINARY(divide_i32, int, int, a / b)
BINARY(modulo_i32, int, int, a % b)
BINARY(divide_u32, unsigned, unsigned, a / b)
BINARY(modulo_u32, unsigned, unsigned, a % b)
BINARY(divide_i64, i64, i64, a / b)
BINARY(modulo_i64, i64, i64, a % b)
BINARY(divide_u64, u64, u64, a / b)
BINARY(modulo_u64, u64, u64, a % b)
UNARY(divide_by_7_i32, int, int, a / 7 * 16 + a % 10)
UNARY(divide_by_1000_u64, u64, u64, a / 1000 ^ a % 10)
UNARY(divide_by_minus_13_i64, i64, i64, a / -13)
BINARY(multiply_i64, i64, i64, a * b - (a << 3) + (b >> 5))
BINARY(multiply_high_i32, int, int, __mulhi(a, b))
BINARY(multiply_high_u32, unsigned, unsigned, __umulhi(a, b))
BINARY(multiply_high_i64, i64, i64, __mul64hi(a, b))
BINARY(multiply_high_u64, u64, u64, __umul64hi(a, b))
BINARY(multiply_wide_i32, int, i64, (i64)a * b + 5)
BINARY(multiply_wide_u32, unsigned, u64, (u64)a * b - (u64)a)
BINARY(sum_and_difference_u64, u64, u64, (a + b) ^ (a - b) ^ (0 - a))
BINARY(fold_u128, u64, u64,
       (u64)(((unsigned __int128)a * b + a) >> 64) ^ (u64)((((unsigned __int128)b << 64) - a) >> 37))
BINARY(compare_i64, i64, unsigned,
       (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5)
BINARY(compare_u64, u64, unsigned,
       (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5)
BINARY(minimum_i64, i64, i64, a < b ? a : b)
BINARY(shift_u64, u64, u64, (a << (b & 63)) ^ (a >> (b >> 8 & 63)))
BINARY(shift_i64, i64, i64, a >> (b & 63))
BINARY(rotate_u64, u64, u64, a << (b & 63) | a >> (-b & 63))
BINARY(funnel_left, unsigned, unsigned, __funnelshift_l(a, b, a ^ b))
BINARY(funnel_left_clamped, unsigned, unsigned, __funnelshift_lc(a, b, b >> 3))
BINARY(funnel_right, unsigned, unsigned, __funnelshift_r(a, b, a ^ b))
BINARY(funnel_right_clamped, unsigned, unsigned, __funnelshift_rc(a, b, b >> 3))
UNARY(count_bits, u64, unsigned,
      __popcll(a) | __clzll(a) << 7 | __ffsll(a) << 14 | __clz((int)a) << 21 | __ffs((int)a) << 26)
UNARY(reverse_bits, u64, u64, __brevll(a))
BINARY(permute_bytes, unsigned, unsigned, __byte_perm(a, b, a >> 7))
BINARY(absolute_differences, int, int, abs(a) + (int)__sad(a, b, 7) + (int)__usad(a, b, 9))
BINARY(dot_products, int, int, __dp4a(a, b, 3) ^ (int)__dp4a((unsigned)a, (unsigned)b, 5u))
BINARY(average, int, int, __hadd(a, b) ^ __rhadd(a, b))
BINARY(simd_bytes, unsigned, unsigned, __vadd4(a, b) ^ __vabsdiffu4(a, b) ^ __vsubss4(a, b))
BINARY(bit_fields, unsigned, unsigned,
       (a >> 5 & 0x7f) * (b << 25 >> 29) + (unsigned)((int)(a << 12) >> 20) + (b & ~(a | 0xff00)) + (unsigned)(signed char)(b >> 16))
