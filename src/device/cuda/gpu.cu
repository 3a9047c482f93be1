// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "device/cuda/gpu.cuh"
#include "device/cuda/memory.cuh"
#include "device/cuda_module.h"

namespace dorm::cuda {
namespace {

__global__ void do_nothing() {}

}  // namespace

Card use_gpu(int number) {
  int driver = 0, gpus = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (driver > 0) {
    const cudaError_t counted = cudaGetDeviceCount(&gpus);
    if (counted != cudaErrorNoDevice && counted != cudaErrorInsufficientDriver) check(counted, "the GPUs");
  }
  cudaGetLastError();
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string trouble = cuda_trouble(driver, CUDART_VERSION, gpus, number, visible ? visible : "");
  if (!trouble.empty()) throw Failure(trouble);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, number), "the GPU");
  if (const cudaError_t made = cudaSetDevice(number); made == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw Failure(std::string(properties.name) + " has no memory left to begin with: other programs hold its " +
                  std::to_string(properties.totalGlobalMem >> 20) + " MiB");
  } else {
    check(made, "the GPU");
  }
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, do_nothing) != cudaSuccess) {
    cudaGetLastError();
    throw Failure(std::string(properties.name) + " has compute capability " + std::to_string(properties.major) + "." +
                  std::to_string(properties.minor) +
                  ", for which this dorm has no code; build it with -DCMAKE_CUDA_ARCHITECTURES=" +
                  std::to_string(properties.major) + std::to_string(properties.minor));
  }
  return {number, properties.name, free_bytes(), properties.sharedMemPerBlockOptin};
}

std::uint64_t free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the memory of the GPU");
  return free;
}

void require_shared_memory(const Card& gpu, std::size_t bytes, std::size_t features) {
  if (bytes <= gpu.shared_bytes) return;
  throw Failure(gpu.name + " cannot hold the sums of " + std::to_string(features) + " features in its shared memory (" +
                std::to_string(gpu.shared_bytes) + " bytes, " + std::to_string(bytes) +
                " needed); expected fewer features, or the device cpu");
}

std::uint64_t available_bytes(const Card& gpu, std::uint64_t limit, std::uint64_t reserve) {
  constexpr double kShareOfFree = 0.95;
  const auto share = static_cast<std::uint64_t>(kShareOfFree * static_cast<double>(gpu.free_bytes));
  const std::uint64_t available = share - std::min(share, reserve);
  return limit > 0 ? std::min(available, limit) : available;
}

}  // namespace dorm::cuda
