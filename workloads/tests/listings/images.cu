// Textures of every shape, and surfaces.

#define KERNEL extern "C" __global__ void

KERNEL lines(cudaTextureObject_t texture, const float *x, float *out) {
    out[threadIdx.x] = tex1D<float>(texture, x[threadIdx.x]);
}

KERNEL fetches(cudaTextureObject_t texture, const int *x, float4 *out) {
    out[threadIdx.x] = tex1Dfetch<float4>(texture, x[threadIdx.x]);
}

KERNEL planes(cudaTextureObject_t texture, const float2 *at, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

// The same through handles in memory.
KERNEL planes_of_many(const cudaTextureObject_t *textures, const float2 *at, float *out) {
    out[threadIdx.x] = tex2D<float>(textures[threadIdx.x % 2], at[threadIdx.x].x, at[threadIdx.x].y);
}

KERNEL pixels(cudaTextureObject_t texture, const float2 *at, uchar4 *out) {
    out[threadIdx.x] = tex2D<uchar4>(texture, at[threadIdx.x].x, at[threadIdx.x].y);
}

KERNEL some_channels(cudaTextureObject_t texture, const float2 *at, float *out) {
    const float2 place = at[threadIdx.x];
    const float4 a = tex2D<float4>(texture, place.x, place.y), b = tex2D<float4>(texture, place.y, place.x),
                 c = tex2D<float4>(texture, place.x + 1, place.y);
    out[3 * threadIdx.x] = a.x + 10 * a.z;
    out[3 * threadIdx.x + 1] = b.y + 10 * b.z + 100 * b.w;
    out[3 * threadIdx.x + 2] = c.w;
}

KERNEL volumes(cudaTextureObject_t texture, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    out[threadIdx.x] = tex3D<float>(texture, place.x, place.y, place.z);
}

KERNEL volumes_in_memory(const cudaTextureObject_t *textures, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    out[threadIdx.x] = tex3D<float>(textures[0], place.x, place.y, place.z);
}

KERNEL layers(cudaTextureObject_t lines, cudaTextureObject_t planes, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    out[2 * threadIdx.x] = tex1DLayered<float>(lines, place.x, (int)place.z);
    out[2 * threadIdx.x + 1] = tex2DLayered<float>(planes, place.x, place.y, (int)place.z);
}

KERNEL layers_in_memory(const cudaTextureObject_t *textures, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    out[2 * threadIdx.x] = tex1DLayered<float>(textures[0], place.x, (int)place.z);
    out[2 * threadIdx.x + 1] = tex2DLayered<float>(textures[1], place.x, place.y, (int)place.z);
}

KERNEL cubes(cudaTextureObject_t cube, cudaTextureObject_t layered, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    out[2 * threadIdx.x] = texCubemap<float>(cube, place.x, place.y, place.z);
    out[2 * threadIdx.x + 1] = texCubemapLayered<float>(layered, place.x, place.y, place.z, (int)place.w);
}

KERNEL gathered(cudaTextureObject_t texture, const cudaTextureObject_t *textures, const float2 *at, float4 *out) {
    const float2 place = at[threadIdx.x];
    out[2 * threadIdx.x] = tex2Dgather<float4>(texture, place.x, place.y, 0);
    out[2 * threadIdx.x + 1] = tex2Dgather<float4>(textures[0], place.x, place.y, 2);
}

// Levels and derivatives: there is one level.
KERNEL levels(cudaTextureObject_t texture, cudaTextureObject_t layered, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    const float2 along = make_float2(place.z, 1), across = make_float2(2, place.z);
    out[3 * threadIdx.x] = tex2DLod<float>(texture, place.x, place.y, place.z);
    out[3 * threadIdx.x + 1] = tex2DGrad<float>(texture, place.x, place.y, along, across);
    out[3 * threadIdx.x + 2] = tex2DLayeredGrad<float>(layered, place.x, place.y, (int)place.z, along, across);
}

KERNEL derivatives_in_memory(const cudaTextureObject_t *textures, const float4 *at, float *out) {
    const float4 place = at[threadIdx.x];
    const float2 along = make_float2(place.z, 1), across = make_float2(2, place.z);
    out[2 * threadIdx.x] = tex2DGrad<float>(textures[0], place.x, place.y, along, across);
    out[2 * threadIdx.x + 1] =
        tex2DLayeredGrad<float>(textures[1], place.x, place.y, (int)place.z, along, across);
}

KERNEL resident(cudaTextureObject_t texture, float *out) {
    bool there;
    out[0] = tex2D<float>(texture, 0.5f, 0.5f, &there);
    out[1] = there;
}

KERNEL whole_coordinates(cudaTextureObject_t plane, cudaTextureObject_t volume, const int2 *at, float *out) {
    const int2 place = at[threadIdx.x];
    float red, green, blue, alpha;
    asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                 : "=f"(red), "=f"(green), "=f"(blue), "=f"(alpha)
                 : "l"(plane), "r"(place.x), "r"(place.y));
    out[2 * threadIdx.x] = red;
    asm volatile("tex.3d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                 : "=f"(red), "=f"(green), "=f"(blue), "=f"(alpha)
                 : "l"(volume), "r"(place.x), "r"(place.y), "r"(1));
    out[2 * threadIdx.x + 1] = red;
}

KERNEL extents(cudaTextureObject_t texture, int *out) {
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(texture));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(texture));
    asm volatile("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(texture));
}

// Copies a plane, mirrored: x in bytes.
KERNEL mirrored(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width)
        surf2Dwrite(surf2Dread<float4>(from, 16 * x, y), to, 16 * (width - 1 - x), y);
}

KERNEL narrow_surfaces(cudaSurfaceObject_t bytes, cudaSurfaceObject_t shorts, cudaSurfaceObject_t longs, long long *out) {
    const int x = threadIdx.x;
    out[3 * x] = surf2Dread<signed char>(bytes, x, 1);
    out[3 * x + 1] = surf2Dread<short>(shorts, 2 * x, 1);
    out[3 * x + 2] = surf2Dread<long long>(longs, 8 * x, 1);
    surf2Dwrite((unsigned char)(x + 1), bytes, x, 0);
    surf2Dwrite((unsigned short)(x * 1000), shorts, 2 * x, 0);
    surf2Dwrite(make_int2(x, -x), longs, 8 * x, 0);
}

KERNEL edges(cudaSurfaceObject_t surface, const cudaSurfaceObject_t *surfaces, int *out) {
    const int x = (int)threadIdx.x - 4;
    out[2 * threadIdx.x] = surf1Dread<int>(surface, 4 * x, cudaBoundaryModeClamp);
    out[2 * threadIdx.x + 1] = surf1Dread<int>(surfaces[0], 4 * x, cudaBoundaryModeZero);
    surf1Dwrite(100 + x, surfaces[1], 4 * x, cudaBoundaryModeZero);
}

KERNEL trapping(cudaSurfaceObject_t surface, int x) { surf1Dwrite(7, surface, 4 * x); }

KERNEL surface_volumes(cudaSurfaceObject_t volume, cudaSurfaceObject_t lines, cudaSurfaceObject_t planes,
                       cudaSurfaceObject_t cube) {
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(surf3Dread<int>(volume, 4 * x, y, z) + 1, volume, 4 * x, y, z);
    if (y == 0)
        surf1DLayeredwrite(surf1DLayeredread<int>(lines, 4 * x, z) + 2, lines, 4 * x, z);
    surf2DLayeredwrite(surf2DLayeredread<int>(planes, 4 * x, y, z) + 3, planes, 4 * x, y, z);
    surfCubemapwrite(surfCubemapread<int>(cube, 4 * x, y, z) + 4, cube, 4 * x, y, z);
}

KERNEL surface_sums(cudaSurfaceObject_t surface) {
    asm volatile("sured.b.1d.add.u32.trap [%0, {%1}], %2;" ::"l"(surface), "r"(4 * (threadIdx.x % 4)), "r"(threadIdx.x));
    asm volatile("sured.b.1d.min.s32.trap [%0, {%1}], %2;" ::"l"(surface), "r"(16), "r"(-(int)threadIdx.x));
}

KERNEL formatted(cudaSurfaceObject_t surface, int width) {
    const int x = threadIdx.x;
    if (x < width)
        asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(surface), "r"(x), "r"(1),
                     "r"(x), "r"(300 + x), "r"(5), "r"(1000 * x));
}
