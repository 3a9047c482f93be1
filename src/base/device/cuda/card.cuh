// SPDX-License-Identifier: Apache-2.0
// A card that can be used, or why not.
#pragma once

#include <cstdint>
#include <string>

#include "base/device/cuda/memory.cuh"

namespace dorm::cuda {

struct Card {
  int number = 0;
  std::string name;
  std::uint64_t free_bytes = 0;
  std::uint64_t shared_bytes = 0;  // that a block of threads may have
};

/// Lets a kernel have as much shared memory as there is: the same for all that may launch it.
template <class Kernel>
void allow_shared_memory(Kernel* kernel, const Card& card) {
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "a kernel");
  const auto most = static_cast<int>(card.shared_bytes - attributes.sharedSizeBytes);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory of the card");
}

/// Makes the card the one of this thread. Throws Failure where there is none, or none that this build has code for.
Card use_card(int number);

}  // namespace dorm::cuda
