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

/// The folder of NVIDIA's compiler.
fn compiler() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let venv = std::env::var_os("GPURF_CUDA").map_or(root.join(".venv-cuda"), PathBuf::from);
    let python = fs::read_dir(venv.join("lib")).ok()?.next()?.ok()?.path();
    let bin = python.join("site-packages/nvidia/cu13/bin");
    bin.join("nvcc").exists().then_some(bin)
}

#[test]
fn programs_run_as_on_a_gpu_and_leave_traces() {
    let Some(bin) = compiler() else {
        return gpurf_fixtures::skipped("NVIDIA's compiler is not installed; `make workloads` installs it");
    };
    // The library stands beside the tool.
    let tool = assert_cmd::cargo::cargo_bin("gpurf");
    let library = tool.parent().expect("a folder");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "-p", "gpurf-cudart"]).args(cfg!(not(debug_assertions)).then_some("--release"));
    assert!(cargo.status().expect("cargo runs").success());

    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("sums.cu"), PROGRAM).expect("written");
    let paths = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut nvcc = Command::new(bin.join("nvcc"));
    nvcc.args(["-w", "-O3", "-gencode", "arch=compute_75,code=sm_75", "--no-compress", "-cudart", "none"]);
    nvcc.arg(path("sums.cu")).arg("-o").arg(path("sums")).arg("-L").arg(library).arg("-lgpurf_cudart");
    nvcc.arg("-Xlinker").arg(format!("-rpath={}", library.display()));
    let compiled = nvcc.env("PATH", &paths).output().expect("the compiler runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let run = |trace: &str, arguments: &[&str]| -> Output {
        let mut program = Command::new(path("sums"));
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
