// SPDX-License-Identifier: Apache-2.0
//! Programs that are linked with gpurf's CUDA runtime: they run as on a GPU, and leave a trace. With NVIDIA's
//! compiler, which `make workloads` installs; without it the test is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A sum by blocks that uses most of what the runtime has.
const PROGRAM: &str = r#"
#include <cstdio>
#include <vector>

__constant__ int scale[4];
__device__ int launches;

template <class T>
__global__ void sums(const T *values, T *of_blocks, int count, double unused) {
    extern __shared__ int shared[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    shared[threadIdx.x] = i < count ? values[i] * scale[2] : 0;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = shared[0];
    if (i == 0) launches++;
}

__global__ void store_at(int *place, int index) { place[index] = 1; }

int main(int argc, char **argv) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    printf("%s, %d lanes, compute capability %d.%d\n", properties.name, properties.warpSize, properties.major,
           properties.minor);
    const int count = 1000, threads = 128, blocks = (count + threads - 1) / threads;
    std::vector<int> values(count), partial(blocks);
    for (int i = 0; i < count; i++) values[i] = i;
    int *device_values, *device_sums;
    cudaMalloc(&device_values, count * sizeof(int));
    cudaMalloc(&device_sums, blocks * sizeof(int));
    cudaMemcpy(device_values, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    int three = 3;
    cudaMemcpyToSymbol(scale, &three, sizeof(int), 2 * sizeof(int));
    for (int round = 0; round < 2; round++) {
        sums<int><<<blocks, threads, threads * sizeof(int)>>>(device_values, device_sums, count, 0.5);
    }
    cudaMemcpy(partial.data(), device_sums, blocks * sizeof(int), cudaMemcpyDefault);
    int sum = 0, launched = 0;
    for (int part : partial) sum += part;
    cudaMemcpyFromSymbol(&launched, launches, sizeof(int));
    printf("sum %d, launches %d, %s\n", sum, launched, cudaGetErrorString(cudaGetLastError()));
    store_at<<<0, 32>>>(device_sums, 0);
    printf("%s", cudaGetErrorName(cudaPeekAtLastError()));
    printf(", %s", cudaGetErrorString(cudaGetLastError()));
    printf(", %s\n", cudaGetErrorString(cudaGetLastError()));
    if (argc > 1) store_at<<<1, 1>>>(device_sums, 1 << 28);
    cudaFree(device_values);
    return cudaDeviceSynchronize() + 3;
}
"#;

/// A program that does what few do: threads with streams of their own, graphs that repeat, levels of
/// textures, handles.
const RARE: &str = r#"
#include <cstdio>
#include <thread>
#include <vector>

__global__ void twice(int *values) { values[threadIdx.x] *= 2; }

__global__ void count_down(cudaGraphConditionalHandle handle, int *left) {
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void levels(cudaTextureObject_t texture, float *values) {
    values[threadIdx.x] = tex2DLod<float>(texture, 0.4f, 0.4f, threadIdx.x);
}

int main() {
    int *device;
    cudaMalloc(&device, 32 * sizeof(int));
    std::vector<int> values(32, 1);
    auto bytes = values.size() * sizeof(int);
    cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice);
    auto work = [&] {
        cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeThreadLocal);
        twice<<<1, 32>>>(device);
        cudaGraph_t captured;
        cudaStreamEndCapture(0, &captured);
        cudaGraphExec_t executable;
        cudaGraphInstantiate(&executable, captured, 0);
        cudaGraphLaunch(executable, 0);
    };
    std::thread(work).join();
    work();

    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
    cudaGraphNode_t added;
    cudaGraphAddNode(&added, graph, nullptr, nullptr, 0, &node);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    auto body = node.conditional.phGraph_out[0];
    cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    count_down<<<1, 1, 0, stream>>>(handle, device + 31);
    twice<<<1, 1, 0, stream>>>(device);
    cudaStreamEndCapture(stream, nullptr);
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, stream);
    cudaMemcpy(values.data(), device, bytes, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", values[0], values[30], values[31]);

    cudaMipmappedArray_t array;
    auto format = cudaCreateChannelDesc<float>();
    cudaMallocMipmappedArray(&array, &format, make_cudaExtent(4, 4, 0), 3);
    for (unsigned number = 0; number < 3; number++) {
        cudaArray_t level;
        cudaGetMipmappedArrayLevel(&level, array, number);
        int size = 4 >> number;
        std::vector<float> texels(size * size, number + 0.5f);
        cudaMemcpy2DToArray(level, 0, 0, texels.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice);
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    cudaTextureDesc description = {};
    description.normalizedCoords = 1;
    description.maxMipmapLevelClamp = 2;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    float *sampled;
    cudaMallocManaged(&sampled, 4 * sizeof(float));
    levels<<<1, 4>>>(texture, sampled);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", sampled[0], sampled[1], sampled[2], sampled[3]);

    int *opened;
    cudaIpcMemHandle_t shared;
    cudaIpcGetMemHandle(&shared, device);
    cudaIpcOpenMemHandle((void **)&opened, shared, cudaIpcMemLazyEnablePeerAccess);
    printf("%d %s\n", opened == device, cudaGetErrorName(cudaGetLastError()));
}
"#;

/// The folder of NVIDIA's compiler.
fn compiler() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let venv = std::env::var_os("GPURF_CUDA").map_or(root.join(".venv-cuda"), PathBuf::from);
    let python = fs::read_dir(venv.join("lib")).ok()?.next()?.ok()?.path();
    let bin = python.join("site-packages/nvidia/cu13/bin");
    bin.join("nvcc").exists().then_some(bin)
}

/// A folder with a compiled program, `program`, and where the compiler's tools are for it.
fn compile(bin: &Path, source: &str, flags: &[&str]) -> (tempfile::TempDir, String) {
    // The library stands beside the tool.
    let tool = assert_cmd::cargo::cargo_bin("gpurf");
    let library = tool.parent().expect("a folder");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "-p", "gpurf-cudart"]).args(cfg!(not(debug_assertions)).then_some("--release"));
    assert!(cargo.status().expect("cargo runs").success());

    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("program.cu"), source).expect("written");
    let paths = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut nvcc = Command::new(bin.join("nvcc"));
    nvcc.args(["-w", "-O3", "-gencode", "arch=compute_75,code=sm_75", "--no-compress", "-cudart", "none"]);
    nvcc.args(flags).arg(path("program.cu")).arg("-o").arg(path("program"));
    nvcc.arg("-L").arg(library).arg("-lgpurf_cudart");
    nvcc.arg("-Xlinker").arg(format!("-rpath={}", library.display()));
    let compiled = nvcc.env("PATH", &paths).output().expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    (folder, paths)
}

#[test]
fn programs_may_do_what_few_do() {
    let Some(bin) = compiler() else {
        return gpurf_fixtures::skipped("NVIDIA's compiler is not installed; `make workloads` installs it");
    };
    let (folder, paths) = compile(&bin, RARE, &["--default-stream", "per-thread"]);
    let output = Command::new(folder.path().join("program")).env("PATH", &paths).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    // Doubled twice; the last element counts down from 4, and the first is doubled each time.
    let expected = "64 4 0\n0.5 1.5 2.5 2.5\n1 cudaSuccess\n";
    assert_eq!(text, expected, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn programs_run_as_on_a_gpu_and_leave_traces() {
    let Some(bin) = compiler() else {
        return gpurf_fixtures::skipped("NVIDIA's compiler is not installed; `make workloads` installs it");
    };
    let (folder, paths) = compile(&bin, PROGRAM, &[]);
    let path = |name: &str| folder.path().join(name);
    let run = |trace: &str, arguments: &[&str]| -> Output {
        let mut program = Command::new(path("program"));
        program.args(arguments).env("PATH", &paths).env("GPURF_TRACE", path(trace));
        program.output().expect("the program runs")
    };
    let output = run("trace", &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = "gpurf, 32 lanes, compute capability 7.5\nsum 1498500, launches 2, no error\n\
                    cudaErrorInvalidConfiguration, invalid configuration argument, no error\n";
    assert_eq!(text, expected, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "the program's own");

    let trace = path("trace").display().to_string();
    let mut tool = assert_cmd::Command::cargo_bin("gpurf").expect("the tool is built");
    let profile = tool.args(["workloads", &trace, "--json", "-"]).assert().success();
    let profiles: serde_json::Value = serde_json::from_slice(&profile.get_output().stdout).expect("JSON");
    assert_eq!(profiles[0]["name"], "trace");
    assert_eq!(profiles[0]["launches"], 2);
    assert_eq!(profiles[0]["thread_blocks"], 2 * 8);

    // What the emulator refuses ends the program, and says where; no trace is left.
    let output = run("other", &["beyond"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("store_at(int*, int)") && message.contains("out of bounds"), "{message}");
    assert!(!path("other").exists());
}
