// lavaMD: potential and forces between the particles of neighbouring boxes of a three-dimensional
// grid. Stands for Rodinia's lavaMD in Table II of the Malekeh paper; in double precision, as there.
//
// A thread block takes one home box, a thread one or more of its particles. The home particles go to
// shared memory once; then, for the home box and each of its up to 26 neighbours, the neighbour's
// positions and charges do, and every thread adds up what they exert on its particles.

constexpr int THREADS = 128;
constexpr int MOST_PARTICLES = 100;

/// A position and, in `v`, half the square of its length; also a potential `v` and a force.
struct Vector {
    double v, x, y, z;
};

/// The particles of a box start at `offset`; `neighbours` are the numbers of the boxes around it.
struct Box {
    int offset;
    int neighbour_count;
    int neighbours[26];
};

extern "C" __global__ void __launch_bounds__(THREADS)
potential(double alpha, int box_count, int particles_per_box, const Box *__restrict__ boxes,
          const Vector *__restrict__ positions, const double *__restrict__ charges,
          Vector *__restrict__ forces)
{
    __shared__ Vector home_positions[MOST_PARTICLES];
    __shared__ Vector positions_there[MOST_PARTICLES];
    __shared__ double charges_there[MOST_PARTICLES];

    const int home = blockIdx.x;
    const int thread = threadIdx.x;
    if (home >= box_count)
        return;

    const double factor = 2.0 * alpha * alpha;
    const int first = boxes[home].offset;

    for (int i = thread; i < particles_per_box; i += THREADS)
        home_positions[i] = positions[first + i];
    __syncthreads();

    for (int k = 0; k < 1 + boxes[home].neighbour_count; k++) {
        const int there = k == 0 ? home : boxes[home].neighbours[k - 1];
        const int first_there = boxes[there].offset;

        for (int i = thread; i < particles_per_box; i += THREADS) {
            positions_there[i] = positions[first_there + i];
            charges_there[i] = charges[first_there + i];
        }
        __syncthreads();

        for (int i = thread; i < particles_per_box; i += THREADS) {
            for (int j = 0; j < particles_per_box; j++) {
                const Vector &a = home_positions[i];
                const Vector &b = positions_there[j];
                const double distance = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
                const double attraction = exp(-(factor * distance));
                const double strength = 2.0 * attraction;
                const double charge = charges_there[j];

                forces[first + i].v += charge * attraction;
                forces[first + i].x += charge * (strength * (a.x - b.x));
                forces[first + i].y += charge * (strength * (a.y - b.y));
                forces[first + i].z += charge * (strength * (a.z - b.z));
            }
        }
        __syncthreads();
    }
}
