// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver. It takes for each run as many cycles as the kernel has instructions from its first
// read of the clock to its last, the first run aside.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 8
#endif

static unsigned between;

int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int *version) { *version = 13010; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int number) { *device = 7 + number; return 0; }

int cuDeviceGetName(char *name, int length, int device)
{
    strncpy(name, "Stand-in", length);
    return device != 7;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? MAJOR : attribute == 76 ? 6 : 1500000;
    return device != 7;
}

int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &between; return device != 7; }
int cuCtxSetCurrent(void *context) { return context != &between; }
int cuCtxSynchronize(void) { return 0; }

int cuModuleLoadData(void **module, const void *cubin)
{
    const unsigned char *bytes = cubin;
    unsigned first = 0, last = 0;
    for (unsigned place = 0; place < 4096; place += 16)
        if ((bytes[place] | (bytes[place + 1] & 15) << 8) == 0x805) {
            first = first ? first : place;
            last = place;
        }
    between = (last - first) / 16;
    *module = &between;
    return memcmp(bytes, "\x7f" "ELF", 4) != 0;
}

int cuModuleUnload(void *module) { return module != &between; }

int cuModuleGetFunction(void **kernel, void *module, const char *name)
{
    *kernel = module;
    return strcmp(name, "window") != 0;
}

int cuMemAlloc_v2(uint64_t *memory, size_t bytes)
{
    *memory = (uint64_t)malloc(bytes);
    return 0;
}

int cuMemFree_v2(uint64_t memory)
{
    free((void *)memory);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (void *)from, bytes);
    return 0;
}

int cuLaunchKernel(void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra)
{
#ifdef REFUSE
    return 700;
#endif
    unsigned *cycles = *(unsigned **)parameters[0], runs = *(unsigned *)parameters[1];
    for (unsigned run = 0; run < runs; run++)
        cycles[run] = run ? between : 5000;
    return kernel != &between || gx * gy * gz * bx * by * bz != 1 || shared || stream || extra ||
           *(uint64_t *)parameters[2];
}

int cuGetErrorName(int error, const char **name)
{
    *name = error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : 0;
    return 0;
}
