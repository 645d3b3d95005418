/* A GPU through the CUDA runtime, which is linked statically: the program also runs where there is none. */
#include "backend/cuda/gpu.h"
#include "backend/cuda/launch.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return NULL;
    case cudaErrorNoDevice: return "there is no NVIDIA GPU, or its driver is not loaded";
    case cudaErrorInsufficientDriver:
        return "there is no NVIDIA driver, or it is older than the CUDA this program was built with: "
               "install or update the driver";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoKernelImageForDevice:
        return "this GPU is older than what the program was built for: build with "
               "-DVXE_CUDA_ARCHITECTURES=... for it";
    default: return cudaGetErrorString(error);
    }
}

/* Fast: it is asked for every simulation. */
static const char *check_cuda(size_t *shared)
{
    int count = 0;
    int bytes = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    *shared = (size_t)bytes;
    return text_of(error);
}

static const char *open_cuda(gpu_facts *facts)
{
    cudaDeviceProp p;
    int count = 0;
    memset(facts, 0, sizeof *facts);
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaSetDevice(0);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&p, 0);
    if (error == cudaSuccess) error = cudaMemGetInfo(&facts->free_memory, &facts->memory);
    if (error != cudaSuccess) return text_of(error);
    snprintf(facts->name, sizeof facts->name, "%s", p.name);
    facts->processors = p.multiProcessorCount;
    facts->major = p.major;
    facts->minor = p.minor;
    return NULL;
}

static const char *allocate_cuda(size_t bytes, void **memory)
{
    *memory = NULL;
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error != cudaSuccess) (void)cudaGetLastError();
    return text_of(error);
}
static void release_cuda(void *memory) { (void)cudaFree(memory); }
static void *allocate_host_cuda(size_t bytes)
{
    void *memory = NULL;
    if (cudaHostAlloc(&memory, bytes > 0 ? bytes : 1, cudaHostAllocPortable) == cudaSuccess) return memory;
    (void)cudaGetLastError();
    return NULL;
}
static void release_host_cuda(void *memory) { (void)cudaFreeHost(memory); }
static const char *write_cuda(void *to, const void *from, size_t bytes)
{
    return text_of(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}
static const char *read_cuda(void *to, const void *from, size_t bytes)
{
    return text_of(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}
static const char *blocks_cuda(const gpu_launch *launch)
{
    return text_of(
        (cudaError_t)(launch->single ? vxe_launch_blocks_single(launch) : vxe_launch_blocks_double(launch)));
}
static const char *stage_cuda(bool single, const void *robot, int32_t voxels, gpu_stage stage, int with)
{
    (void)voxels; /* which the robot says, too */
    return text_of((cudaError_t)(single ? vxe_launch_stage_single(robot, (int)stage, with)
                                        : vxe_launch_stage_double(robot, (int)stage, with)));
}
static const char *copy_cuda(void *to, const void *from, size_t bytes)
{
    return text_of(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
}
static const char *finish_cuda(void) { return text_of(cudaDeviceSynchronize()); }

#define LAUNCH_MOST ((int64_t)1 << 20)

static const gpu device = {"cuda",       LAUNCH_MOST,        check_cuda,        open_cuda,  allocate_cuda,
                           release_cuda, allocate_host_cuda, release_host_cuda, write_cuda, read_cuda,
                           blocks_cuda,  stage_cuda,         copy_cuda,         finish_cuda};

const gpu *vxe_gpu_cuda(void) { return &device; }
