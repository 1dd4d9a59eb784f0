// Primitives of CUB, each compared with the host: the argument names one.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <cub/cub.cuh>

using Values = std::vector<int>;

const int COUNT = 5000, THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS;

Values draw(int count, int most) {
    std::mt19937 random(1);
    Values values(count);
    for (int &value : values) value = int(random() % unsigned(most));
    return values;
}

int *on_device(const Values &values) {
    int *device;
    cudaMalloc(&device, values.size() * sizeof(int));
    cudaMemcpy(device, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return device;
}

int *space(int count) { return on_device(Values(count, -1)); }

Values back(const int *device, int count) {
    Values values(count);
    cudaMemcpy(values.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

// A primitive is asked for its temporary memory first, and then runs.
template <class Primitive> void run(Primitive primitive) {
    size_t bytes = 0;
    primitive(nullptr, bytes);
    void *memory;
    cudaMalloc(&memory, bytes);
    primitive(memory, bytes);
}

bool reduces() {
    Values in = draw(COUNT, 1000);
    int *from = on_device(in), *sum = space(1), *most = space(1);
    run([&](void *memory, size_t &bytes) { cub::DeviceReduce::Sum(memory, bytes, from, sum, COUNT); });
    run([&](void *memory, size_t &bytes) { cub::DeviceReduce::Max(memory, bytes, from, most, COUNT); });
    return back(sum, 1)[0] == std::accumulate(in.begin(), in.end(), 0) &&
           back(most, 1)[0] == *std::max_element(in.begin(), in.end());
}

bool scans() {
    Values in = draw(COUNT, 1000), sums(COUNT), before(COUNT);
    std::partial_sum(in.begin(), in.end(), sums.begin());
    for (int i = 0; i < COUNT; i++) before[i] = sums[i] - in[i];
    int *from = on_device(in), *inclusive = space(COUNT), *exclusive = space(COUNT);
    run([&](void *memory, size_t &bytes) { cub::DeviceScan::InclusiveSum(memory, bytes, from, inclusive, COUNT); });
    run([&](void *memory, size_t &bytes) { cub::DeviceScan::ExclusiveSum(memory, bytes, from, exclusive, COUNT); });
    return back(inclusive, COUNT) == sums && back(exclusive, COUNT) == before;
}

bool sorts() {
    Values keys = draw(COUNT, 1 << 30), numbers(COUNT), order(COUNT);
    std::iota(numbers.begin(), numbers.end(), 0);
    order = numbers;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    int *from = on_device(keys), *to = space(COUNT), *values = on_device(numbers), *moved = space(COUNT);
    run([&](void *memory, size_t &bytes) {
        cub::DeviceRadixSort::SortPairs(memory, bytes, from, to, values, moved, COUNT);
    });
    std::sort(keys.begin(), keys.end());
    return back(to, COUNT) == keys && back(moved, COUNT) == order;
}

struct IsOdd {
    __host__ __device__ bool operator()(int value) const { return value & 1; }
};

bool selects() {
    Values in = draw(COUNT, 1000), odd;
    std::copy_if(in.begin(), in.end(), std::back_inserter(odd), IsOdd());
    int *from = on_device(in), *to = space(COUNT), *count = space(1);
    run([&](void *memory, size_t &bytes) { cub::DeviceSelect::If(memory, bytes, from, to, count, COUNT, IsOdd()); });
    int found = back(count, 1)[0];
    return found == int(odd.size()) && back(to, found) == odd;
}

bool encodes() {
    Values in = draw(COUNT, 3), values, lengths;
    for (int value : in) {
        if (values.empty() || values.back() != value) values.push_back(value), lengths.push_back(0);
        lengths.back()++;
    }
    int *from = on_device(in), *to = space(COUNT), *runs = space(COUNT), *count = space(1);
    run([&](void *memory, size_t &bytes) {
        cub::DeviceRunLengthEncode::Encode(memory, bytes, from, to, runs, count, COUNT);
    });
    int found = back(count, 1)[0];
    return found == int(values.size()) && back(to, found) == values && back(runs, found) == lengths;
}

bool counts() {
    Values in = draw(COUNT, 256), counted(16);
    for (int value : in) counted[value / 16]++;
    int *from = on_device(in), *to = space(16);
    run([&](void *memory, size_t &bytes) {
        cub::DeviceHistogram::HistogramEven(memory, bytes, from, to, 17, 0, 256, COUNT);
    });
    return back(to, 16) == counted;
}

bool reduces_segments() {
    Values in = draw(COUNT, 1000), begins, sums;
    for (int begin = 0; begin < COUNT; begin += 37) begins.push_back(begin);
    begins.push_back(COUNT);
    for (size_t i = 0; i + 1 < begins.size(); i++)
        sums.push_back(std::accumulate(in.begin() + begins[i], in.begin() + begins[i + 1], 0));
    int *from = on_device(in), *offsets = on_device(begins), *to = space(int(sums.size()));
    run([&](void *memory, size_t &bytes) {
        cub::DeviceSegmentedReduce::Sum(memory, bytes, from, to, int(sums.size()), offsets, offsets + 1);
    });
    return back(to, int(sums.size())) == sums;
}

// A block sorts its tile, and scans it.
__global__ void tiles(const int *from, int *sorted, int *sums) {
    using Sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
    using Scan = cub::BlockScan<int, THREADS>;
    __shared__ union {
        typename Sort::TempStorage sort;
        typename Scan::TempStorage scan;
    } memory;
    int values[ITEMS];
    cub::LoadDirectBlocked(threadIdx.x, from + blockIdx.x * TILE, values);
    Sort(memory.sort).Sort(values);
    cub::StoreDirectBlocked(threadIdx.x, sorted + blockIdx.x * TILE, values);
    __syncthreads();
    Scan(memory.scan).InclusiveSum(values, values);
    cub::StoreDirectBlocked(threadIdx.x, sums + blockIdx.x * TILE, values);
}

bool works_in_blocks() {
    Values in = draw(3 * TILE, 1000), sums(in.size());
    int *from = on_device(in), *sorted = space(3 * TILE), *to = space(3 * TILE);
    tiles<<<3, THREADS>>>(from, sorted, to);
    for (int tile = 0; tile < 3; tile++) {
        auto begin = in.begin() + tile * TILE;
        std::sort(begin, begin + TILE);
        std::partial_sum(begin, begin + TILE, sums.begin() + tile * TILE);
    }
    return back(sorted, 3 * TILE) == in && back(to, 3 * TILE) == sums;
}

// A warp adds its values, and hands on the greatest so far.
__global__ void warps(const int *from, int *sums, int *greatest) {
    __shared__ typename cub::WarpReduce<int>::TempStorage sum[THREADS / 32];
    __shared__ typename cub::WarpScan<int>::TempStorage scan[THREADS / 32];
    int warp = threadIdx.x / 32, value = from[threadIdx.x], most;
    int all = cub::WarpReduce<int>(sum[warp]).Sum(value);
    cub::WarpScan<int>(scan[warp]).InclusiveScan(value, most, [](int a, int b) { return a > b ? a : b; });
    if (threadIdx.x % 32 == 0) sums[warp] = all;
    greatest[threadIdx.x] = most;
}

bool works_in_warps() {
    Values in = draw(THREADS, 1000), sums(THREADS / 32), greatest(THREADS);
    int *from = on_device(in), *to = space(THREADS / 32), *most = space(THREADS);
    warps<<<1, THREADS>>>(from, to, most);
    for (int i = 0; i < THREADS; i++) {
        sums[i / 32] += in[i];
        greatest[i] = i % 32 ? std::max(greatest[i - 1], in[i]) : in[i];
    }
    return back(to, THREADS / 32) == sums && back(most, THREADS) == greatest;
}

int main(int count, char **arguments) {
    std::map<std::string, bool (*)()> primitives = {
        {"reduce", reduces}, {"scan", scans},     {"radix_sort", sorts},
        {"select", selects}, {"encode", encodes}, {"histogram", counts},
        {"segments", reduces_segments}, {"block", works_in_blocks}, {"warp", works_in_warps},
    };
    auto primitive = primitives.find(count > 1 ? arguments[1] : "");
    if (primitive == primitives.end()) return 2;
    bool right = primitive->second() && cudaDeviceSynchronize() == cudaSuccess;
    std::printf("%s: %s\n", primitive->first.c_str(), right ? "right" : "wrong");
    return !right;
}
