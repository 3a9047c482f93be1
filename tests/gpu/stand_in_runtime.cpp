// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime that the module calls, over GPUs that do not exist: their memory is that of the host,
// and no kernel runs. The module's own objects are linked with it instead of NVIDIA's runtime, so that what it does
// about GPUs can be seen where there is none. Each call answers as its documentation says.
//
//   DORM_STAND_IN_VERSION=13000    the version of CUDA that the driver supports
//   DORM_STAND_IN_CARDS=2          GPUs that are there; default: 1
//   DORM_STAND_IN_CAPABILITY=70    of each GPU; code is there for 9.0, the default
//   DORM_STAND_IN_MEGABYTES=1000   memory of each GPU, in MiB, all of it free; default: 1000
//   DORM_STAND_IN_FAIL=CALL        context: there is no memory for the context of a GPU; malloc: for buffers
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "stand_in.h"

namespace {

using dorm::test::figure;

constexpr int kCapabilityOfCode = 90;

thread_local cudaError_t last_error = cudaSuccess;

cudaError_t fail(cudaError_t error) { return last_error = error; }

bool fails(std::string_view call) {
  const char* const named = std::getenv("DORM_STAND_IN_FAIL");
  return named != nullptr && named == call;
}

std::size_t memory() { return static_cast<std::size_t>(figure("DORM_STAND_IN_MEGABYTES", 1000)) << 20; }
int capability() { return figure("DORM_STAND_IN_CAPABILITY", kCapabilityOfCode); }
bool has_code() { return capability() == kCapabilityOfCode; }
bool is_gpu(int gpu) { return gpu >= 0 && gpu < dorm::test::gpus(); }

cudaError_t allocate(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory == nullptr ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

/// Of a stream or an event, which nothing looks at.
template <class Handle>
cudaError_t make_handle(Handle* handle) {
  static char made;
  *handle = reinterpret_cast<Handle>(&made);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  *version = dorm::test::driver_version();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = dorm::test::gpus();
  return *count == 0 ? fail(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int gpu) {
  if (!is_gpu(gpu)) return fail(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Stand-in %d", gpu);
  properties->major = capability() / 10;
  properties->minor = capability() % 10;
  properties->totalGlobalMem = memory();
  properties->sharedMemPerBlockOptin = 200 << 10;
  return cudaSuccess;
}

/// Makes the context of the GPU, as runtimes since 12.0 do.
cudaError_t cudaSetDevice(int gpu) {
  if (!is_gpu(gpu)) return fail(cudaErrorInvalidDevice);
  if (fails("context")) return fail(cudaErrorMemoryAllocation);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  if (!has_code()) return fail(cudaErrorNoKernelImageForDevice);
  *attributes = {};
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = memory();
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorLaunchFailure ? "cudaErrorLaunchFailure" : "another error";
}
const char* cudaGetErrorString(cudaError_t) { return "said by the stand-in"; }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return fails("malloc") ? fail(cudaErrorMemoryAllocation) : allocate(memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return allocate(memory, bytes); }
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(target, source, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(target, source, bytes, kind);
}
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t) {
  std::memset(target, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return make_handle(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return make_handle(event); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

// What nvcc makes of kernels and of their calls; as in crt/host_runtime.h. A call whose configuration is refused does
// not take place.
void** __cudaRegisterFatBinary(void*) {
  static void* registered = nullptr;
  return &registered;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, void*) { return fail(cudaErrorLaunchFailure); }
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) { return fail(cudaErrorLaunchFailure); }
cudaError_t __cudaGetKernel(void*, const void*) { return fail(cudaErrorLaunchFailure); }
cudaError_t __cudaLaunchKernel(void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return fail(cudaErrorLaunchFailure);
}
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return fail(cudaErrorLaunchFailure);
}

}  // extern "C"
