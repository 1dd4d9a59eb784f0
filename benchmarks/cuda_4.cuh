// What programs of CUDA 4 expect and CUDA 13 lacks: texture references to linear memory, and old names. It is included
// before a program's own source (`nvcc -include`).

#pragma once

#include <cuda_runtime.h>

// Properties that CUDA 13 has no more.
struct DeviceProperties : cudaDeviceProp {
    int clockRate;
    int deviceOverlap;
    int computeMode;
    int kernelExecTimeoutEnabled;
};
#define cudaDeviceProp DeviceProperties

#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset

// A reference is a pointer on the device; fetches are plain loads of what it points to.
template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct TextureReference {
    const T *data;
    bool normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
};

#define texture static __device__ TextureReference

template <class T, int Dimensions, cudaTextureReadMode Mode>
__device__ inline T tex1Dfetch(const TextureReference<T, Dimensions, Mode> &reference, int element) {
    return reference.data[element];
}

template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(size_t *offset, const TextureReference<T, Dimensions, Mode> &reference, const void *data,
                            size_t = 0) {
    if (offset) *offset = 0;
    return cudaMemcpyToSymbol(reference, &data, sizeof(data));
}

template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(size_t *offset, const TextureReference<T, Dimensions, Mode> &reference, const void *data,
                            const cudaChannelFormatDesc &, size_t = 0) {
    return cudaBindTexture(offset, reference, data);
}

template <class T, int Dimensions, cudaTextureReadMode Mode>
cudaError_t cudaBindTexture(size_t *offset, const TextureReference<T, Dimensions, Mode> *reference, const void *data,
                            const cudaChannelFormatDesc *, size_t = 0) {
    return cudaBindTexture(offset, *reference, data);
}

template <class Reference>
cudaError_t cudaUnbindTexture(const Reference &) {
    return cudaSuccess;
}
