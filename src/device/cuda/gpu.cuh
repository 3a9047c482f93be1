// SPDX-License-Identifier: Apache-2.0
// A GPU that can be used, or why not.
#pragma once

#include <cstdint>
#include <string>

#include "device/cuda/memory.cuh"

namespace dorm::cuda {

struct Card {
  int number = 0;
  std::string name;
  std::uint64_t free_bytes = 0;
  std::uint64_t shared_bytes = 0;  // that a block of threads may have
};

/// Bytes to plan with: what is free there but for a reserve, or what limits allow. `reserve`: for code, streams,
/// rounding of allocations and what libraries take for themselves.
std::uint64_t available_bytes(const Card& gpu, std::uint64_t limit, std::uint64_t reserve);

/// Throws Failure where a block of threads needs more shared memory than there is, as it does for very many features.
void require_shared_memory(const Card& gpu, std::size_t bytes, std::size_t features);

/// Bytes that are free on the GPU of this thread.
std::uint64_t free_bytes();

/// Lets a kernel have as much shared memory as there is: the same for all that may launch it.
template <class Kernel>
void allow_shared_memory(Kernel* kernel, const Card& gpu) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "a kernel");
  const auto most = static_cast<int>(gpu.shared_bytes - attributes.sharedSizeBytes);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory of the GPU");
}

/// Makes the GPU the one of this thread. Throws Failure where there is none, or none that this build has code for.
Card use_gpu(int number);

}  // namespace dorm::cuda
