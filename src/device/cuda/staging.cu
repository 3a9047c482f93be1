// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "device/cuda/staging.cuh"

namespace dorm::cuda {
namespace {

std::mutex kept_mutex;
std::unique_ptr<Pinned<char>> kept;  // kStagingBytes, or null

}  // namespace

std::unique_ptr<Pinned<char>> take_staging(std::size_t bytes) {
  if (bytes <= kStagingBytes) {
    const std::lock_guard lock(kept_mutex);
    if (kept) return std::move(kept);
  }
  return std::make_unique<Pinned<char>>(std::max(bytes, kStagingBytes));
}

void give_staging(std::unique_ptr<Pinned<char>> staging) {
  if (staging->size() != kStagingBytes) return;
  const std::lock_guard lock(kept_mutex);
  if (!kept) kept = std::move(staging);
}

}  // namespace dorm::cuda
