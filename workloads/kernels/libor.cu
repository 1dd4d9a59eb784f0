// Value of a portfolio of swaptions in the LIBOR market model, by simulation, and its derivative with respect to the
// last forward rate. Stands for LIB, the LIBOR Monte Carlo of GPGPU-Sim's own benchmarks (FineReg, Table II).
//
// A thread per path, in blocks of 64. All forward rates of a path lie in the thread's local memory, and for the
// derivative those of all time steps: it goes back through them (adjoint differentiation).

constexpr int THREADS = 64;
constexpr int MAX_RATES = 80;
constexpr int MAX_STEPS = 40;
constexpr int MAX_SWAPTIONS = 16;

// The model and the portfolio.
__constant__ int rates;     // forward rates
__constant__ int steps;     // of time, after which swaptions expire
__constant__ float accrual; // years from rate to rate, and from step to step
__constant__ float initial_rate;
__constant__ float volatilities[MAX_RATES];
__constant__ int swaptions;
__constant__ int maturities[MAX_SWAPTIONS]; // of the swaps, in rates
__constant__ float strikes[MAX_SWAPTIONS];

// Carries the rates behind `step` over it; `shock` is the step's normally distributed sample.
__device__ inline void advance(const float *before, float *after, int step, float shock) {
    const float scaled = sqrtf(accrual) * shock;
    float drift = 0.0f;
    for (int i = step + 1; i < rates; i++) {
        const float volatility = volatilities[i - step - 1];
        const float accrued = accrual * volatility;
        const float rate = before[i];
        drift += accrued * rate / (1.0f + accrual * rate);
        after[i] = rate * __expf(accrued * drift + volatility * (scaled - 0.5f * accrued));
    }
}

// Samples of a path lie `paths` apart.
extern "C" __global__ void __launch_bounds__(THREADS)
    libor_value(const float *samples, float *values, int paths) {
    const int path = blockIdx.x * THREADS + threadIdx.x;
    if (path >= paths) return;

    float rate[MAX_RATES];
    for (int i = 0; i < rates; i++) rate[i] = initial_rate;
    for (int step = 0; step < steps; step++) advance(rate, rate, step, samples[step * paths + path]);

    // Bonds that pay 1 at the end of each period, and annuities of 1 until then.
    float bonds[MAX_RATES], annuities[MAX_RATES];
    float bond = 1.0f, annuity = 0.0f;
    for (int i = steps; i < rates; i++) {
        bond = bond / (1.0f + accrual * rate[i]);
        annuity += accrual * bond;
        bonds[i] = bond;
        annuities[i] = annuity;
    }
    float value = 0.0f;
    for (int i = 0; i < swaptions; i++) {
        const int last = maturities[i] + steps - 1;
        const float swap = bonds[last] + strikes[i] * annuities[last] - 1.0f;
        if (swap < 0.0f) value -= 100.0f * swap;
    }
    for (int i = 0; i < steps; i++) value = value / (1.0f + accrual * rate[i]);
    values[path] = value;
}

// `derivatives`: of the values, with respect to the last of the initial rates. At most 63 registers: FineReg's bit
// vectors have 64 bits, and its counters of live registers six.
extern "C" __global__ void __maxnreg__(63)
    libor_derivative(const float *samples, float *values, float *derivatives, int paths) {
    const int path = blockIdx.x * THREADS + threadIdx.x;
    if (path >= paths) return;

    // Of each step, the rates before it; and behind the last one.
    float rate[(MAX_STEPS + 1) * MAX_RATES];
    for (int i = 0; i < rates; i++) rate[i] = initial_rate;
    for (int step = 0; step < steps; step++) {
        const float *before = rate + step * rates;
        float *after = rate + (step + 1) * rates;
        // Those that are fixed stay.
        for (int i = 0; i <= step; i++) after[i] = before[i];
        advance(before, after, step, samples[step * paths + path]);
    }

    const float *last_rate = rate + steps * rates;
    float bonds[MAX_RATES], annuities[MAX_RATES];
    // What the value gains by each bond, annuity and rate.
    float by_bond[MAX_RATES], by_annuity[MAX_RATES], by_rate[MAX_RATES];
    float bond = 1.0f, annuity = 0.0f;
    for (int i = steps; i < rates; i++) {
        bond = bond / (1.0f + accrual * last_rate[i]);
        annuity += accrual * bond;
        bonds[i] = bond;
        annuities[i] = annuity;
        by_bond[i] = 0.0f;
        by_annuity[i] = 0.0f;
    }
    float value = 0.0f;
    for (int i = 0; i < swaptions; i++) {
        const int last = maturities[i] + steps - 1;
        const float swap = bonds[last] + strikes[i] * annuities[last] - 1.0f;
        if (swap < 0.0f) {
            value -= 100.0f * swap;
            by_bond[last] -= 100.0f;
            by_annuity[last] -= 100.0f * strikes[i];
        }
    }

    // Back through bonds and annuities.
    float bond_gain = 0.0f, annuity_gain = 0.0f;
    for (int i = rates - 1; i >= steps; i--) {
        annuity_gain += by_annuity[i];
        bond_gain += by_bond[i] + accrual * annuity_gain;
        const float discount = 1.0f / (1.0f + accrual * last_rate[i]);
        by_rate[i] = -bond_gain * accrual * bonds[i] * discount;
        bond_gain *= discount;
    }
    // Through the discount until expiry.
    float discount = 1.0f;
    for (int i = 0; i < steps; i++) discount = discount / (1.0f + accrual * last_rate[i]);
    value *= discount;
    for (int i = 0; i < steps; i++) by_rate[i] = -value * accrual / (1.0f + accrual * last_rate[i]);
    for (int i = steps; i < rates; i++) by_rate[i] *= discount;

    // Through the steps, from the last rate down: each depends on those before it by its drift.
    for (int step = steps - 1; step >= 0; step--) {
        const float *before = rate + step * rates;
        const float *after = rate + (step + 1) * rates;
        float by_drift = 0.0f;
        for (int i = rates - 1; i > step; i--) {
            const float accrued = accrual * volatilities[i - step - 1];
            by_drift += by_rate[i] * after[i] * accrued;
            const float inverse = 1.0f / (1.0f + accrual * before[i]);
            by_rate[i] = by_rate[i] * after[i] / before[i] + by_drift * accrued * inverse * inverse;
        }
    }
    values[path] = value;
    derivatives[path] = by_rate[rates - 1];
}
