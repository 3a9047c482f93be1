// SPDX-License-Identifier: Apache-2.0
// Pinned memory for transfers. Taking it from the system is slow, so that an ordinary amount is kept from one user to
// the next.
#pragma once

#include <cstddef>

#include "device/cuda/memory.cuh"

namespace dorm::cuda {

/// An ordinary amount, or more where one thing that is to travel needs it.
inline constexpr std::size_t kStagingBytes = std::size_t{64} << 20;

/// At least so many bytes, and at least kStagingBytes.
std::unique_ptr<Pinned<char>> take_staging(std::size_t bytes);
/// Keeps it, or gives it back to the system where it is not ordinary or another is kept.
void give_staging(std::unique_ptr<Pinned<char>> staging);

/// Such memory as values, while it lives.
template <class T>
class Staging {
 public:
  explicit Staging(std::size_t least) : bytes_(take_staging(least * sizeof(T))) {}
  ~Staging() { give_staging(std::move(bytes_)); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  T* get() const { return reinterpret_cast<T*>(bytes_->get()); }
  std::size_t size() const { return bytes_->size() / sizeof(T); }

 private:
  std::unique_ptr<Pinned<char>> bytes_;
};

}  // namespace dorm::cuda
