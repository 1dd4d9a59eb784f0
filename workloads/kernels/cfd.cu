// Compressible flow without viscosity in three dimensions: Euler's equations by finite volumes on an unstructured mesh
// of tetrahedra, with steps of a Runge-Kutta method. Stands for Rodinia's CFD Solver (FineReg, Table II).
//
// A thread per element. Arrays have a stretch of `elements` values per component: density, three of momentum and
// energy; four neighbours; and the three components of the four faces' normals, which point inwards and are as long as
// the face is large. A neighbour below zero is a wall or the far field.

constexpr int COMPONENTS = 5;
constexpr int FACES = 4;
constexpr int WALL = -1;
constexpr float GAMMA = 1.4f;
// Of artificial viscosity, which keeps the scheme stable.
constexpr float SMOOTHING = 0.2f;

struct State {
    float density;
    float3 momentum;
    float energy;
};

// The flow far away.
__constant__ State far_field;

__device__ inline State load(const float *values, int element, int elements) {
    return {values[element],
            make_float3(values[elements + element], values[2 * elements + element], values[3 * elements + element]),
            values[4 * elements + element]};
}

__device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ inline float3 velocity(const State &state) {
    return make_float3(state.momentum.x / state.density, state.momentum.y / state.density,
                       state.momentum.z / state.density);
}

__device__ inline float pressure(const State &state, float speed_squared) {
    return (GAMMA - 1.0f) * (state.energy - 0.5f * state.density * speed_squared);
}

// Half of what flows through a face in: of density, momentum and energy.
__device__ inline void add_flux(State &flux, const State &state, float3 velocity, float pressure, float3 normal) {
    const float through = 0.5f * dot(velocity, normal);
    const float push = 0.5f * pressure;
    flux.density += through * state.density;
    flux.momentum.x += through * state.momentum.x + push * normal.x;
    flux.momentum.y += through * state.momentum.y + push * normal.y;
    flux.momentum.z += through * state.momentum.z + push * normal.z;
    flux.energy += through * (state.energy + pressure);
}

// All elements as they are far away.
extern "C" __global__ void cfd_initialize(float *values, int elements) {
    const int element = blockDim.x * blockIdx.x + threadIdx.x;
    if (element >= elements) return;
    const float *state = reinterpret_cast<const float *>(&far_field);
    for (int component = 0; component < COMPONENTS; component++) {
        values[component * elements + element] = state[component];
    }
}

// How far each element may go in time, over its volume. `surfaces`: half the area of an element's faces.
extern "C" __global__ void cfd_step_factor(const float *values, const float *surfaces, float *factors, int elements) {
    const int element = blockDim.x * blockIdx.x + threadIdx.x;
    if (element >= elements) return;
    const State state = load(values, element, elements);
    const float3 v = velocity(state);
    const float speed_squared = dot(v, v);
    const float sound = sqrtf(GAMMA * pressure(state, speed_squared) / state.density);
    factors[element] = 0.5f / (surfaces[element] * (sqrtf(speed_squared) + sound));
}

// At most 63 registers: FineReg's bit vectors have 64 bits, and its counters of live registers six.
extern "C" __global__ void __maxnreg__(63)
    cfd_flux(const int *neighbours, const float *normals, const float *values, float *fluxes, int elements) {
    const int element = blockDim.x * blockIdx.x + threadIdx.x;
    if (element >= elements) return;

    const State here = load(values, element, elements);
    const float3 v = velocity(here);
    const float speed_squared = dot(v, v);
    const float p = pressure(here, speed_squared);
    const float fastest = sqrtf(speed_squared) + sqrtf(GAMMA * p / here.density);

    State flux = {};
#pragma unroll
    for (int face = 0; face < FACES; face++) {
        const int neighbour = neighbours[face * elements + element];
        const float3 normal = make_float3(normals[face * elements + element],
                                          normals[(FACES + face) * elements + element],
                                          normals[(2 * FACES + face) * elements + element]);
        if (neighbour >= 0) {
            const State there = load(values, neighbour, elements);
            const float3 vn = velocity(there);
            const float speed_squared_there = dot(vn, vn);
            const float pn = pressure(there, speed_squared_there);
            const float fastest_there = sqrtf(speed_squared_there) + sqrtf(GAMMA * pn / there.density);

            const float viscosity =
                -0.5f * SMOOTHING * sqrtf(dot(normal, normal)) * (fastest + fastest_there);
            flux.density += viscosity * (here.density - there.density);
            flux.momentum.x += viscosity * (here.momentum.x - there.momentum.x);
            flux.momentum.y += viscosity * (here.momentum.y - there.momentum.y);
            flux.momentum.z += viscosity * (here.momentum.z - there.momentum.z);
            flux.energy += viscosity * (here.energy - there.energy);

            add_flux(flux, there, vn, pn, normal);
            add_flux(flux, here, v, p, normal);
        } else if (neighbour == WALL) {
            flux.momentum.x += p * normal.x;
            flux.momentum.y += p * normal.y;
            flux.momentum.z += p * normal.z;
        } else {
            const State away = far_field;
            const float3 va = velocity(away);
            add_flux(flux, away, va, pressure(away, dot(va, va)), normal);
            add_flux(flux, here, v, p, normal);
        }
    }

    fluxes[element] = flux.density;
    fluxes[elements + element] = flux.momentum.x;
    fluxes[2 * elements + element] = flux.momentum.y;
    fluxes[3 * elements + element] = flux.momentum.z;
    fluxes[4 * elements + element] = flux.energy;
}

// Stage `stage` of `stages`: the values before the step, moved along the fluxes.
extern "C" __global__ void cfd_advance(const float *before, float *values, const float *factors, const float *fluxes,
                                       int stage, int stages, int elements) {
    const int element = blockDim.x * blockIdx.x + threadIdx.x;
    if (element >= elements) return;
    const float factor = factors[element] / (stages - stage);
    for (int component = 0; component < COMPONENTS; component++) {
        const int at = component * elements + element;
        values[at] = before[at] + factor * fluxes[at];
    }
}
