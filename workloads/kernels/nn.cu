// Distances of all records from a place; the host picks the nearest ones. Stands for Rodinia's nn
// (Malekeh, Table II).
//
// One thread per record of latitude and longitude. The grid may be two-dimensional when there are
// more blocks than one dimension allows.

struct Place {
    float latitude;
    float longitude;
};

extern "C" __global__ void euclid(const Place *places, float *distances, int count, float latitude,
                                  float longitude) {
    int record = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (record < count) {
        const Place *place = places + record;
        distances[record] = sqrtf((latitude - place->latitude) * (latitude - place->latitude) +
                                  (longitude - place->longitude) * (longitude - place->longitude));
    }
}
