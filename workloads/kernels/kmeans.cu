// Assignment of points to the nearest of several cluster centres. Stands for Rodinia's Kmeans
// (Malekeh, Table II).
//
// One thread per point. `invert_mapping` turns the points' features from row per point to row per
// feature once, so that a warp's loads are coalesced afterwards. `assign_points` compares the
// squared distances to all centres, which lie in constant memory. The host computes the new centres.

#include <cfloat>

constexpr int MAX_CLUSTERS = 32;
constexpr int MAX_FEATURES = 34;

__constant__ float centres[MAX_CLUSTERS * MAX_FEATURES];

extern "C" __global__ void invert_mapping(const float *by_point, float *by_feature, int points, int features) {
    int point = threadIdx.x + blockDim.x * blockIdx.x;
    if (point < points) {
        for (int feature = 0; feature < features; feature++) {
            by_feature[points * feature + point] = by_point[point * features + feature];
        }
    }
}

extern "C" __global__ void assign_points(const float *by_feature, int features, int points, int clusters,
                                         int *membership) {
    int point = threadIdx.x + blockDim.x * blockIdx.x;
    if (point < points) {
        int nearest = -1;
        float nearest_distance = FLT_MAX;
        for (int cluster = 0; cluster < clusters; cluster++) {
            float distance = 0.0f;
            for (int feature = 0; feature < features; feature++) {
                float difference = by_feature[points * feature + point] - centres[cluster * features + feature];
                distance += difference * difference;
            }
            if (distance < nearest_distance) {
                nearest_distance = distance;
                nearest = cluster;
            }
        }
        membership[point] = nearest;
    }
}
